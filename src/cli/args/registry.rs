//! `guarda registry`: the registry of commands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda registry list
  guarda registry list --said
  guarda registry show 5f0c6b6e
  guarda registry allow 'git fetch' --cwd ~/projects/site --reason 'reads only'
  guarda registry never 'npm publish'
  guarda registry reset 5f0c6b6e
  guarda registry export > registry.jsonl

These commands work whether or not the service runs, and take effect from the next command on. Name a command by the hash that \
`list` shows (six characters or more), or by its text and its folder.")]
pub(in crate::cli) struct RegistryArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: RegistryCommand,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Clone, Subcommand)]
pub(in crate::cli) enum RegistryCommand {
    /// List commands, most frequent first
    List {
        /// Only commands with an override set by a person
        #[arg(long, group = "which")]
        said: bool,
        /// Only commands with a risk of 0.7 or more
        #[arg(long, group = "which")]
        risky: bool,
        /// Only commands that ran more than ten times
        #[arg(long, group = "which")]
        frequent: bool,
        /// Only commands with this policy: auto_approve, ask or ask_warning
        #[arg(long, group = "which", value_parser = ["auto_approve", "ask", "ask_warning"])]
        policy: Option<String>,
        /// Only commands whose text contains this
        #[arg(long, group = "which", value_name = "TEXT")]
        containing: Option<String>,
        /// The greatest number of commands to list; 0 for all
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        most: u64,
    },
    /// Show one command: its runs, its override, and the reasons for its risk
    Show(NamedCommand),
    /// Count the commands and their runs
    Stats,
    /// List the commands that are close to promotion, and what holds them back
    Candidates,
    /// Print the whole registry, one JSON object per line
    Export,
    /// Allow exactly this command without a question, in this folder and with these programs
    Allow(SayCommand),
    /// Always ask before this command, in any folder
    Ask(SayCommand),
    /// Never run this command, in any folder
    Never(SayCommand),
    /// Remove the override of a command, and forget what was learned about it
    Reset(NamedCommand),
    /// Create the registry if there is none
    Init {
        /// Start over: forget every command and every override
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct NamedCommand {
    /// The command's hash, the beginning of its hash, or its text
    #[arg(value_name = "HASH|COMMAND", allow_hyphen_values = true)]
    pub(in crate::cli) what: String,
    /// The folder in which the command runs; default: the current folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(in crate::cli) cwd: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct SayCommand {
    #[command(flatten)]
    pub(in crate::cli) named: NamedCommand,
    /// The reason, stored with the override
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: Option<String>,
}
