//! `guarda undo`: restores what an action changed.

use std::path::PathBuf;

use clap::{Args, ValueHint};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda undo                          undo the last action that changed files
  guarda undo --turn                   undo everything since your last message to the agent
  guarda undo --session                undo everything that the agent's conversation changed
  guarda undo --since 14:30            undo everything done since 14:30, by anyone
  guarda undo -- src/main.rs           put this file alone back as it was before its last change
  guarda undo 0193e7d2 -- src          only what this action changed in src
  guarda undo --list                   list what can be undone, until when, and the space it takes
  guarda undo --show 0193e7d2          show what this undo would change, path by path
  guarda undo 0193e7d2-5b0e-7c3a-9f1e-2a4b6c8d0e1f
  guarda undo --beside old 0193e7d2    copy the old versions into the folder old

An undo is judged, asked about if the profile requires it, and recorded, like any other action. It restores everything that the \
action, or all of them, changed, or nothing. If a path was changed since, the undo names it and changes nothing. An undo can itself \
be undone by its id.

Exit status: 0 done; 1 failed, or something was changed since; 2 not understood; 3 blocked by the rules; \
5 denied by a person, unanswered, or withdrawn.")]
pub(in crate::cli) struct UndoArgs {
    /// The action: its id, the beginning of its id, or its audit id; default: the last one that was not undone
    pub(in crate::cli) id: Option<String>,
    /// List what can be undone
    #[arg(long, conflicts_with_all = ["id", "show", "beside"])]
    pub(in crate::cli) list: bool,
    /// Show what an undo would change, without changing it
    #[arg(long, conflicts_with = "beside")]
    pub(in crate::cli) show: bool,
    /// Copy the old versions into this folder, which must be empty; change nothing else
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(in crate::cli) beside: Option<PathBuf>,
    /// Undo everything since your last message in the conversation
    #[arg(long, conflicts_with_all = ["id", "list", "show", "beside", "since"])]
    pub(in crate::cli) turn: bool,
    /// Undo everything since this time: 14:30, 30m, 2h, 2026-11-21, or 2026-11-21T18:00:00Z
    #[arg(long, value_name = "WHEN", value_parser = since, conflicts_with_all = ["id", "list", "show", "beside"])]
    pub(in crate::cli) since: Option<String>,
    /// Undo everything that this session (conversation) changed; default: the last one that changed something. With --turn or
    /// --since, only what it did
    #[arg(long, num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["id", "list", "show", "beside"])]
    pub(in crate::cli) session: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Put back this path alone, as it was before the action; default: before the last one that changed it
    #[arg(last = true, value_name = "PATH", value_hint = ValueHint::AnyPath,
        conflicts_with_all = ["list", "show", "beside", "turn", "since", "session"])]
    pub(in crate::cli) path: Option<PathBuf>,
}

/// A time as an `UNDO` names it: hours and minutes as they are, everything else in RFC 3339.
fn since(text: &str) -> Result<String, crate::cli::audit::args::NoTime> {
    if text.len() == 5 && text.parse::<jiff::civil::Time>().is_ok() {
        return Ok(text.to_owned());
    }
    Ok(crate::cli::audit::args::when(text)?.to_string())
}
