//! The command line of `guarda-service`. It has only the sub-commands of `guarda` that need the whole guard, and those
//! that other programs call. Any other sub-command would use memory while the service runs.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueHint};

use guarda_core::action::Language;

use crate::app::serve::ServeArgs;

use super::SpeakArgs;

/// The bodyguard between a language model and your computer
#[derive(Debug, Parser)]
#[command(name = "guarda", version, arg_required_else_help = true)]
pub(in crate::cli) struct ServiceCli {
    #[command(subcommand)]
    pub(in crate::cli) command: ServiceCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ServiceCommand {
    /// Start the service
    Serve(ServeArgs),
    /// Speak a text, to test the voice
    Speak(SpeakArgs),
    /// Serve tools over MCP on standard input and output, using the running service
    Mcp,
    /// Judge the event on standard input without a service
    Judge {
        /// Why no service answered
        why: String,
    },
    /// Print the parts of this machine that were found
    Probe {
        /// The configuration file, instead of $GUARDA_CONFIG or the default location
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        config: Option<PathBuf>,
        /// The language of the texts
        #[arg(long, default_value_t = Language::English, value_name = "LANGUAGE")]
        language: Language,
    },
}
