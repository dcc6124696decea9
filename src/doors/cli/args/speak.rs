//! Trying the voice.

use std::path::PathBuf;

use clap::{Args, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda speak 'Posso apagar o arquivo?'
  guarda speak --language en --rate 30 'May I delete the file?'
  guarda speak --sound

What is not given is as the configuration says. Nothing is asked, done or recorded.

Exit status: 0 it was heard, as far as this machine can tell; 1 it was not, and why.")]
pub(in crate::doors::cli) struct SpeakArgs {
    /// What is to be said
    #[arg(required_unless_present = "sound")]
    pub(in crate::doors::cli) text: Option<String>,
    /// The language: pt-BR, en or fr; otherwise the configured one
    #[arg(long, alias = "lang", value_parser = super::language)]
    pub(in crate::doors::cli) language: Option<guarda_core::action::Language>,
    /// The pace, from -100 (slow) to 100 (fast)
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(i8).range(-100..=100))]
    pub(in crate::doors::cli) rate: Option<i8>,
    /// The loudness, from -100 to 100
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(i8).range(-100..=100))]
    pub(in crate::doors::cli) volume: Option<i8>,
    /// A voice by its name
    #[arg(long)]
    pub(in crate::doors::cli) voice: Option<String>,
    /// Play the sound that announces a question
    #[arg(long)]
    pub(in crate::doors::cli) sound: bool,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::doors::cli) config: Option<PathBuf>,
}
