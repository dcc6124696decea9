//! The trusted keyboard: looked at, tried, and set up.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
The helper guarda-keys reads the keyboards as a user of its own, so that what answers a question is a key that a hand
pressed, under X11, Wayland or neither. To set it up, as root:
  systemctl enable --now guarda-keys
  guarda keys enroll --user YOU

Exit status: 0 well or answered, 1 it does not work, 5 nobody answered, or no (test).")]
pub(in crate::doors::cli) struct KeysArgs {
    #[command(subcommand)]
    pub(in crate::doors::cli) command: KeysCommand,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::doors::cli) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(in crate::doors::cli) enum KeysCommand {
    /// Say which keyboards there are, and which of them count
    Status {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Ask once, to try it: nothing is done after a yes
    Test {
        /// Seconds to wait
        #[arg(long, default_value = "20", value_parser = clap::value_parser!(u64).range(1..=600))]
        seconds: u64,
        /// Ask for this digit instead of Y
        #[arg(long, value_name = "DIGIT")]
        digit: Option<char>,
    },
    /// Let a user ask, or a Bluetooth keyboard count; needs root
    Enroll {
        /// The user who may ask, by name
        #[arg(long, value_name = "NAME", required_unless_present_any = ["keyboard", "layout"])]
        user: Option<String>,
        /// The keyboard, as `guarda keys status` names it for enrolling
        #[arg(long, value_name = "ENTRY")]
        keyboard: Option<String>,
        /// The layout of the keyboards: qwerty, qwertz, azerty or dvorak
        #[arg(long)]
        layout: Option<String>,
        /// The file that the helper reads
        #[arg(long, hide = true, default_value = crate::devices::keyboard::TERMS)]
        terms: PathBuf,
    },
}
