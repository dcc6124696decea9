//! Undo: what a deed changed is put back.

use std::path::PathBuf;

use clap::{Args, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda undo                          undo the last deed that changed files
  guarda undo --list                   what can be undone, until when, and how much it takes
  guarda undo --show 0193e7d2          what an undo of this one would change, path by path
  guarda undo 0193e7d2-5b0e-7c3a-9f1e-2a4b6c8d0e1f
  guarda undo --beside old 0193e7d2    copy its old versions into the folder old; nothing else is touched

An undo goes the whole way: it is judged, you are asked where the profile asks, and it is recorded. It puts back all that
the deed changed, or nothing; what was changed since is named, and stays as it is. An undo can be undone itself, by its id.

Exit status: 0 done, 1 it failed, or something was changed since, 2 not understood, 3 blocked by the rules,
5 a person said no, nobody answered, or it was withdrawn.")]
pub(in crate::doors::cli) struct UndoArgs {
    /// The deed: its id, its number in the record, or the beginning of its id; the last one that was not undone if left out
    pub(in crate::doors::cli) id: Option<String>,
    /// List what can be undone
    #[arg(long, conflicts_with_all = ["id", "show", "beside"])]
    pub(in crate::doors::cli) list: bool,
    /// Show what an undo would change; nothing is changed
    #[arg(long, conflicts_with = "beside")]
    pub(in crate::doors::cli) show: bool,
    /// Copy the old versions into this folder, which has to be empty; nothing else is changed
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(in crate::doors::cli) beside: Option<PathBuf>,
    /// The conversation that it belongs to; only its own deeds are meant then
    #[arg(long)]
    pub(in crate::doors::cli) session: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    pub(in crate::doors::cli) json: bool,
}
