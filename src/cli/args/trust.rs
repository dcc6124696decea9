//! `guarda trust`: the folders in which agents may change files without a question.

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
