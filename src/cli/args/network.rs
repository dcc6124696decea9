//! `guarda network`: who spoke to whom, and rules for hosts.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "\
An approved command reaches the hosts that its words name and those of its tools (pip: pypi.org …), and nothing else. If it wants \
another host, you are asked while it runs. `guarda network` shows what runs now exchange with other machines, and what earlier \
runs exchanged: hosts, ports, bytes and refusals, never what was said.

With a rule, a host is no longer asked about. `allow` admits it for approved commands, or for those of one tool; `deny` refuses it \
without a question, even if a command names it. Rules stand in [network] of the configuration file; `forget` removes them.

Examples:
  guarda network                                   what runs now, and the last runs
  guarda network --host example.org --since 2d     who spoke to this host
  guarda network allow db.example:5432 --for psql
  guarda network allow '*.corp.example' --private  a company's own network
  guarda network deny '*.tracker.example'
  guarda network forget db.example"
)]
pub(in crate::cli) struct NetworkArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<NetworkCommand>,
    /// Only hosts whose names contain this text
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) host: Option<String>,
    /// Only runs of this session
    #[arg(long)]
    pub(in crate::cli) session: Option<String>,
    /// Only runs since this time: 30m, 2h, 3d, 1w, 2026-11-21, or 2026-11-21T18:00:00Z
    #[arg(long, value_name = "WHEN", value_parser = crate::cli::audit::args::when)]
    pub(in crate::cli) since: Option<jiff::Timestamp>,
    /// The most runs of the record to show
    #[arg(short = 'n', long, default_value_t = 20, value_name = "NUMBER")]
    pub(in crate::cli) lines: usize,
    /// Print the runs as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum NetworkCommand {
    /// Let approved commands reach a host without a further question
    Allow {
        /// The host, such as example.org, example.org:8443, '*.corp.example' or 10.0.0.5; port 443 if none is given
        host: String,
        /// Only for this program
        #[arg(long = "for", value_name = "TOOL")]
        tool: Option<String>,
        /// The host may be on this machine or the local network
        #[arg(long)]
        private: bool,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Refuse a host without a question, even if a command names it
    Deny {
        /// The host, such as example.org or '*.example.org'
        host: String,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Remove the rules for a host
    Forget {
        /// The host as its rule writes it
        host: String,
        #[command(flatten)]
        file: FileArgs,
    },
}

#[derive(Debug, Args)]
pub(in crate::cli) struct FileArgs {
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
}
