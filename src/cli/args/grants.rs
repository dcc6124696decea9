//! `guarda grants`: what was said beforehand, and how to end it.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_long_help = "\
A question offers to be the last of its kind: until your next message to the agent, in this session, today or always in this folder. \
What is granted is the command as it is shown, word by word; an address that ends with /… stands for every address of that host. \
It is for that agent alone, covers the reasons that you were asked about and nothing else, and ends by itself. Files that the \
command changes are judged as ever. Passwords, secrets and what destroys something are asked about each time.

The list also has the folders that you trust, and single commands that you allowed for good, forbade, or that earned it.

Examples:
  guarda grants
  guarda grants revoke 0192f7a3
  guarda grants revoke --all")]
pub(in crate::cli) struct GrantsArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<GrantsCommand>,
    /// Print the list as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum GrantsCommand {
    /// List what was said beforehand, and how often it was used
    List,
    /// End grants, trust in folders, and what was allowed for good
    Revoke {
        /// Their ids, or the beginnings of ids
        #[arg(value_name = "ID", required_unless_present = "all")]
        ids: Vec<String>,
        /// End all grants and every command allowed for good, but no trust in folders
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}
