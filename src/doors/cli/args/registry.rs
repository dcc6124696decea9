//! The registry of commands.

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

All of it works while the service runs, and what is said holds from the next command on. A command is named by the hash
that `list` shows (six characters or more), or by its text and its folder.")]
pub(in crate::doors::cli) struct RegistryArgs {
    #[command(subcommand)]
    pub(in crate::doors::cli) command: RegistryCommand,
    /// The configuration, instead of $GUARDA_CONFIG or the usual place
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::doors::cli) config: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(in crate::doors::cli) json: bool,
}

#[derive(Debug, Clone, Subcommand)]
pub(in crate::doors::cli) enum RegistryCommand {
    /// List commands, the most frequent first
    List {
        /// Only those of which a person said something
        #[arg(long, group = "which")]
        said: bool,
        /// Only those of risk 0.7 or more
        #[arg(long, group = "which")]
        risky: bool,
        /// Only those that ran more than ten times
        #[arg(long, group = "which")]
        frequent: bool,
        /// Only those of this policy: auto_approve, ask or ask_warning
        #[arg(long, group = "which", value_parser = ["auto_approve", "ask", "ask_warning"])]
        policy: Option<String>,
        /// Only those with this in their text
        #[arg(long, group = "which", value_name = "TEXT")]
        containing: Option<String>,
        /// At most so many; 0 for all
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        most: u64,
    },
    /// Show one command: its runs, what was said of it, and why its risk is what it is
    Show(NamedCommand),
    /// Count the commands and their runs
    Stats,
    /// List the commands that their record would promote, and what holds them back
    Candidates,
    /// Print everything, one JSON object a line
    Export,
    /// Never ask this very command again, in this folder and with these programs
    Allow(SayCommand),
    /// Always ask this command, wherever it runs
    Ask(SayCommand),
    /// Never do this command, wherever it runs
    Never(SayCommand),
    /// Take back what was said of a command, and forget what was learned of it
    Reset(NamedCommand),
    /// Make the registry where there is none
    Init {
        /// Begin again: every command and everything that was said is forgotten
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Clone, Args)]
pub(in crate::doors::cli) struct NamedCommand {
    /// Its hash or the beginning of it, or its text
    #[arg(value_name = "HASH|COMMAND", allow_hyphen_values = true)]
    pub(in crate::doors::cli) what: String,
    /// The folder in which it runs; otherwise this one
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(in crate::doors::cli) cwd: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(in crate::doors::cli) struct SayCommand {
    #[command(flatten)]
    pub(in crate::doors::cli) named: NamedCommand,
    /// Why; stands beside it in the registry
    #[arg(long, value_name = "TEXT")]
    pub(in crate::doors::cli) reason: Option<String>,
}
