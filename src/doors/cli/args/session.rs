//! Sessions: what they have seen.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_long_help = "\
A session is marked by what it does: `corruption` by reading from the network or from a tool that others can write to,
`secret` by reading what may be secret. The marks stay, through a restart too. A session that has seen secrets is asked for
everything that is not certain to stay on this computer; only you take marks away.

Examples:
  guarda session list
  guarda session show voice-7
  guarda session taint voice-7 --secret --reason 'a password was dictated'
  guarda session clear voice-7")]
pub(in crate::doors::cli) struct SessionArgs {
    #[command(subcommand)]
    pub(in crate::doors::cli) command: SessionCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::doors::cli) enum SessionCommand {
    /// Name the sessions that were heard of since the start, and all that are marked
    List {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what one session has seen, since when and by what
    Show {
        /// The session
        session: String,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Mark a session; a mark can be set by every caller
    Taint {
        /// The session
        session: String,
        /// It has seen content that others may have written
        #[arg(long, required_unless_present_any = ["secret", "service"])]
        corruption: bool,
        /// It has seen secret content
        #[arg(long)]
        secret: bool,
        /// It has seen what this tool gives, as [services] declares it
        #[arg(long, value_name = "NAME")]
        service: Option<String>,
        /// By what
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Take the marks of a session away; needs the file `approve-token` of the state folder
    Clear {
        /// The session
        #[arg(required_unless_present = "all")]
        session: Option<String>,
        /// Those of all sessions
        #[arg(long, conflicts_with = "session")]
        all: bool,
    },
}
