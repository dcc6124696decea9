//! `guarda rules`: list the rules, test their examples, and try others on the record.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::offered;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda rules list
  guarda rules list --profile forensics
  guarda rules show delete-trees
  guarda rules test
  guarda rules try new.toml            what would be asked with this configuration
  guarda rules suggest                 which answers would have saved most questions")]
pub(in crate::cli) struct RulesArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: RulesCommand,
    /// The profile whose rules to use, instead of the configured one: desktop, workspace, forensics or container
    #[arg(long, global = true, value_parser = offered::profile(), hide_possible_values = true)]
    pub(in crate::cli) profile: Option<guarda_core::policy::Profile>,
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::cli) config: Option<PathBuf>,
}

#[derive(Debug, Clone, Subcommand)]
pub(in crate::cli) enum RulesCommand {
    /// List every rule in force, with its verdict and its reason
    List,
    /// Print one rule with its conditions and examples
    Show {
        /// The rule's id, as `guarda check` and `guarda rules list` print it
        id: String,
    },
    /// Test the examples of all rules
    Test,
    /// Judge the commands of the record again, by another configuration or with grants
    Try(TryArgs),
    /// Propose the lasting answers that would have removed most questions of the record
    Suggest(SuggestArgs),
    /// Print the built-in rules of all profiles as a document
    Document,
}

#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Examples:
  guarda rules try new.toml
  guarda rules try --grant 'curl http://localhost:3000/' --since 7d

Questions about changes and hosts are not in it, since they depend on what a command does. Nothing is run or recorded.

Exit status: 0 nothing passes that is blocked now; 1 something would.")]
pub(in crate::cli) struct TryArgs {
    /// A configuration file to judge by, in place of the one in force
    #[arg(value_hint = ValueHint::FilePath, required_unless_present = "grant")]
    pub(in crate::cli) file: Option<PathBuf>,
    /// Judge as if commands of the kind of this one had been granted; may be given several times
    #[arg(long, value_name = "COMMAND")]
    pub(in crate::cli) grant: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) record: ReplayArgs,
}

#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Examples:
  guarda rules suggest
  guarda rules suggest --since 7d --json

It proposes nothing to which you said no. Give an answer when the question comes next: T for the session, A for always in this folder.")]
pub(in crate::cli) struct SuggestArgs {
    #[command(flatten)]
    pub(in crate::cli) record: ReplayArgs,
}

/// Which part of the record is judged again.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct ReplayArgs {
    /// Only commands since this time: 12h, 7d, 2026-11-21
    #[arg(long, value_name = "WHEN", default_value = "30d", value_parser = crate::cli::audit::args::when)]
    pub(in crate::cli) since: jiff::Timestamp,
    /// The folder of the record, instead of the configured one
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(in crate::cli) folder: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
