//! `guarda keys` and `guarda setup`: the keys that answer.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
The helper guarda-keys reads the keyboards as a separate user. Only keys pressed by hand answer a question, under X11, Wayland \
or neither. To set it up, as root:
  systemctl enable --now guarda-keys
  guarda keys enroll --user YOU

Exit status: 0 it works, or the test was answered with yes; 1 it does not work; 5 the test was answered with no, or not at \
all.")]
pub(in crate::cli) struct KeysArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: KeysCommand,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum KeysCommand {
    /// List the keyboards and say which ones count
    Status {
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Put a test question; a yes does nothing
    Test {
        /// Seconds to wait for an answer
        #[arg(long, default_value = "20", value_parser = clap::value_parser!(u64).range(1..=600))]
        seconds: u64,
        /// The digit that means yes, instead of Y
        #[arg(long, value_name = "DIGIT")]
        digit: Option<char>,
    },
    /// Allow a user to use the helper, or a Bluetooth keyboard to count; needs root
    Enroll {
        /// The name of the user
        #[arg(long, value_name = "NAME", required_unless_present_any = ["keyboard", "layout"])]
        user: Option<String>,
        /// The keyboard, as `guarda keys status` names it
        #[arg(long, value_name = "ENTRY")]
        keyboard: Option<String>,
        /// The layout of the keyboards: qwerty, qwertz, azerty or dvorak
        #[arg(long, value_parser = super::help::offered::layout(), hide_possible_values = true)]
        layout: Option<String>,
        /// The helper's settings file
        #[arg(long, hide = true, default_value = crate::devices::keys::keyboard::TERMS)]
        terms: PathBuf,
    },
}

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
