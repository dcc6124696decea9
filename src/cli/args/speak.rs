//! `guarda speak`: tests the voice.

use std::path::PathBuf;

use clap::{Args, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda speak 'Posso apagar o arquivo?'
  guarda speak --language en --rate 30 'May I delete the file?'
  guarda speak --sound

Options that are left out come from the configuration. Nothing is recorded.

Exit status: 0 the text was spoken, as far as this machine can tell; 1 it was not, with the reason.")]
pub(in crate::cli) struct SpeakArgs {
    /// The text to speak
    #[arg(required_unless_present = "sound")]
    pub(in crate::cli) text: Option<String>,
    /// The language: pt-BR, en or fr; default: the configured one
    #[arg(long, alias = "lang", value_parser = super::help::offered::language(), hide_possible_values = true)]
    pub(in crate::cli) language: Option<guarda_core::action::Language>,
    /// The speaking rate, from -100 (slow) to 100 (fast)
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(i8).range(-100..=100))]
    pub(in crate::cli) rate: Option<i8>,
    /// The loudness, from -100 to 100
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(i8).range(-100..=100))]
    pub(in crate::cli) volume: Option<i8>,
    /// The name of the voice
    #[arg(long)]
    pub(in crate::cli) voice: Option<String>,
    /// Play the sound that announces a question
    #[arg(long)]
    pub(in crate::cli) sound: bool,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
}
