//! `guarda setup`: one command in place of several steps.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Example:
  guarda setup keyboard      set up the trusted keyboard, which is how a key says yes under Wayland

Exit status: 0 it works and was answered with yes; 1 it could not be set up; 5 the test was answered with no, or not at all.")]
pub(in crate::cli) struct SetupArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: SetupCommand,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(in crate::cli) enum SetupCommand {
    /// Start the helper guarda-keys, let you use it, and put a test question; asks for the administrator's password
    Keyboard {
        /// Seconds to wait for the answer to the test question
        #[arg(long, default_value = "20", value_parser = clap::value_parser!(u64).range(1..=600))]
        seconds: u64,
    },
}
