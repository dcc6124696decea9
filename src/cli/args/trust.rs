//! `guarda trust`: the folders in which agents may change files without a question. `guarda grants`: all that was said beforehand.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
In a workspace, files in a trusted folder are changed without a question, and every change can be undone. Everywhere else you are \
asked first, whatever folder an agent claims to work in. Secrets, and files that git, editors or servers run by themselves, are asked \
about in trusted folders too.

A folder is known by its path and by itself: if it is moved or replaced, it is not trusted any more. Neither your home folder nor \
hidden folders in it, nor folders from which programs are started, can be trusted.

Examples:
  guarda trust
  guarda trust add ~/projects/site
  guarda trust remove ~/projects/site")]
pub(in crate::cli) struct TrustArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<TrustCommand>,
    /// Print the folders as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TrustCommand {
    /// List the trusted folders, and since when
    List,
    /// Trust a folder from now on
    Add {
        /// The folder; default: the current one
        #[arg(value_hint = ValueHint::DirPath, default_value = ".")]
        folder: PathBuf,
    },
    /// Trust a folder no longer
    Remove {
        /// The folder; default: the current one
        #[arg(value_hint = ValueHint::DirPath, default_value = ".")]
        folder: PathBuf,
    },
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
A question offers to be the last of its kind: until your next message to the agent, in this session, today or always in this folder. \
What is granted is the command as it is shown, word by word; an address that ends with /… stands for every address of that host. \
It is for that agent alone, covers the reasons that you were asked about and nothing else, and ends by itself. Files that the \
command changes are judged as ever. Passwords, secrets and what destroys something are asked about each time.

The list also has the folders that you trust, and single commands that you allowed for good, forbade, or that earned it.

Examples:
  guarda grants
  guarda grants revoke 5f0c6b6e
  guarda grants revoke --all
  guarda grants import                 what your agents' own rules allow, and which of it to grant here")]
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
    /// Show what the rules of Claude Code, Codex, Gemini and OpenCode allow, and grant of it what you take
    Import(ImportArgs),
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

#[derive(Debug, Args)]
#[command(after_long_help = "\
It reads the clients' own files, of your home folder and of the current folder, and shows each rule with its breadth. Nothing is taken \
unseen: a rule that names one command can be granted here as that command; of one that names only a beginning, the commands of the record \
that begin so. Each is for that client, in this folder, for 90 days.

Examples:
  guarda grants import
  guarda grants import --json")]
pub(in crate::cli) struct ImportArgs {
    /// The home folder to look in, instead of yours
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(in crate::cli) home: Option<PathBuf>,
    /// Print the rules as JSON, and grant nothing
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
