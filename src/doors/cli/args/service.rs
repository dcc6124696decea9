//! What `guarda-service` understands: the words of `guarda` that need what the whole guard is linked with, and what the other
//! programs ask it for. Everything else would lie in its memory for as long as it serves.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueHint};

use super::{ServeArgs, SpeakArgs};

/// The bodyguard between a language model and your computer
#[derive(Debug, Parser)]
#[command(name = "guarda", version, arg_required_else_help = true)]
pub(in crate::doors::cli) struct ServiceCli {
    #[command(subcommand)]
    pub(in crate::doors::cli) command: ServiceCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::doors::cli) enum ServiceCommand {
    /// Start the service
    Serve(ServeArgs),
    /// Say something, to try the voice
    Speak(SpeakArgs),
    /// Be a server of tools (MCP) on standard input and output, before the running service
    Mcp,
    /// Judge the event on standard input without a service
    Judge {
        /// Why no service answered
        why: String,
    },
    /// Print what is found of the parts of this machine
    Probe {
        /// The configuration, instead of $GUARDA_CONFIG or the usual place
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        config: Option<PathBuf>,
    },
}
