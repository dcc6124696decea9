//! `guarda session`: the taint of sessions, and what they keep running.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_long_help = "\
A session gets the mark `corruption` when it reads from the network or from a tool that others can write to, and `secret` when \
it reads data that may be secret. Marks survive a restart, and only you can clear them. In a session that has seen secrets, \
the guard asks about everything that is not certain to stay on this computer.

What a session keeps running, such as a development server that you let stay, is listed with it. It ends when its programs \
end, when you or the agent stop it, after eight hours without a command of its session, and with the service.

Examples:
  guarda session list
  guarda session show voice-7
  guarda session taint voice-7 --secret --reason 'a password was dictated'
  guarda session clear voice-7
  guarda session stop voice-7")]
pub(in crate::cli) struct SessionArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: SessionCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SessionCommand {
    /// List the sessions seen since the start, and all marked sessions
    List {
        /// Print the sessions as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one session's marks, their time and their cause
    Show {
        /// The session
        session: String,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Mark a session; every caller can set a mark
    Taint {
        /// The session
        session: String,
        /// The session has seen content that others may have written
        #[arg(long, required_unless_present_any = ["secret", "service"])]
        corruption: bool,
        /// The session has seen secrets
        #[arg(long)]
        secret: bool,
        /// The session has seen the output of this tool, as [services] declares it
        #[arg(long, value_name = "NAME")]
        service: Option<String>,
        /// The cause of the mark
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Stop what a session keeps running
    Stop {
        /// The session
        session: String,
        /// Stop this line alone, by its id
        #[arg(long, value_name = "ID")]
        line: Option<uuid::Uuid>,
    },
    /// Clear the marks of a session; needs the file `approve-token` in the state folder
    Clear {
        /// The session
        #[arg(required_unless_present = "all")]
        session: Option<String>,
        /// Clear the marks of all sessions
        #[arg(long, conflicts_with = "session")]
        all: bool,
    },
}
