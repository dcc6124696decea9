//! Facts about programs and places, each stored once, in the tables beside this file. `build.rs` reads them. The judge
//! gets the lists of `programs.toml`, the classes of `places.toml` and the tables of tools and services from its
//! [`Policy`](crate::policy::Policy), because a person's layers can change the rules that name them. Previews,
//! sandboxes, cards and frozen files use the arrays here.
//!
//! The reader has its own table of wrappers ([`guarda_shell::wrappers`]), because it works without this crate.

mod deed;
pub mod entry;
mod jobs;
mod meant;
mod misspelt;
pub(crate) mod tools;

pub use deed::{Deed, Done, deed, given};
pub use jobs::ends_own_jobs;
pub use meant::{LIMITS, STATELESS, exchange, fetches, looks_for, without_quiet};
pub use misspelt::{Misspelt, misspelt};

mod packed {
    use super::{FolderReader, HomeTool, ScriptLoader, SubCommands};
    include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));
}

pub use packed::{
    ADMINISTRATORS, AWAY, CACHE, EVALUATORS, FILE_READERS, FILELESS, FOLDER_READERS, FROM_OBJECTS, GENERATED,
    HARMLESS_VARIABLES, HOME_TOOLS, IN_PLACE, LANGUAGES, LEAVES_OUT, NAMES_ONLY, NEEDS_RIGHTS, PACKAGERS,
    QUIET, SCHEDULERS, SCRIPT_LOADERS, SCRIPT_READERS, SEARCHERS, SEARCHING_IF_TOLD, SERVICE_MANAGERS,
    SIGNALS, SOURCES, STAYS, SUB_COMMANDS, TERMINALS, TIDY, UNCONFINED, UNREAD, UNREAD_BUILTINS,
    WITHOUT_NETWORK,
};

/// Programs that execute files found in their folder, and the names of those files (`folders.toml`).
#[derive(Debug)]
pub struct FolderReader {
    /// The programs, by their names alone.
    pub programs: &'static [&'static str],
    /// The names; `*` and `?` stand for letters, `~/` for the home folder.
    pub names: &'static [&'static str],
    /// Whether it also searches the parent folders.
    pub above: bool,
    /// Options that name the folder to search.
    pub folder: &'static [&'static str],
    /// Options that name a file to use instead or in addition.
    pub file: &'static [&'static str],
}

/// What tools need of a home folder, and every cell opens (`home.toml`). Paths are below the home folder.
#[derive(Debug)]
pub struct HomeTool {
    /// Who needs it.
    pub programs: &'static [&'static str],
    /// What is only read.
    pub read: &'static [&'static str],
    /// Folders that are also written to. A held-back run's writes there are thrown away.
    pub write: &'static [&'static str],
}

/// Files that an interpreter loads from the folder of a script (`folders.toml`).
#[derive(Debug)]
pub struct ScriptLoader {
    /// The interpreters, and the endings of the names of scripts that are run by themselves.
    pub named: &'static [&'static str],
    /// The file name extensions of modules.
    pub endings: &'static [&'static str],
    /// Whether it also loads from subfolders.
    pub deep: bool,
}

/// A program's sub-commands, listed whole (`subcommands.toml`).
#[derive(Debug)]
pub struct SubCommands {
    /// The program and its other names.
    pub names: &'static [&'static str],
    /// Every sub-command, sorted.
    pub known: &'static [&'static str],
    /// Options without a value that may stand in front of it.
    pub before: &'static [&'static str],
    /// Folders besides the search path that may hold a program `NAME-WORD`; `None` if such programs are no sub-commands.
    pub plugins: Option<&'static [&'static str]>,
    /// Files that may define further sub-commands.
    pub aliases: &'static [&'static str],
    /// The key in such a file that defines them.
    pub alias_key: &'static str,
}

/// Every row of [`HOME_TOOLS`]: who needs it, its path below the home folder, and whether it is written to.
pub fn home_rows() -> impl Iterator<Item = (&'static [&'static str], &'static str, bool)> {
    HOME_TOOLS.iter().flat_map(|row| {
        let each = |paths: &'static [&'static str], writes| {
            paths.iter().map(move |path| (row.programs, *path, writes))
        };
        each(row.read, false).chain(each(row.write, true))
    })
}

/// The last part of a program's name.
#[must_use]
pub fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a program, by its name or path, is one of these, with or without a version behind its name (`python3.11`).
#[must_use]
pub fn is_one(programs: &[&str], program: &str) -> bool {
    let name = base_name(program);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    programs.contains(&name) || programs.contains(&bare)
}
