//! The meaning of names: the shell's builtins, programs that start others, and variables that change what runs.

use foldhash::HashMap;
use std::sync::LazyLock;

use crate::meaning::wrappers::table;
use crate::script::Dialect;

/// How a command's name is followed to what it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A builtin that starts nothing and changes nothing.
    Quiet,
    /// Any other builtin.
    Builtin,
    /// A program that rows of the table describe.
    Rows,
    Shell,
    Env,
    Find,
    Fd,
    Xargs,
    Parallel,
    Ssh,
    Git,
    Tar,
    Applets,
    Watch,
    Time,
    Scheduled,
}

/// Builtins that start nothing and change nothing that the reader relies on.
#[rustfmt::skip]
const QUIET: &[&str] = &[
    ":", "bg", "break", "caller", "continue", "dirs", "disown", "echo", "exit", "false", "fg", "help", "kill", "logout",
    "pwd", "return", "suspend", "times", "true", "type", "ulimit", "umask", "unalias",
];

/// The other builtins.
#[rustfmt::skip]
const FOLLOWED: &[&str] = &[
    ".", "[", "alias", "bind", "builtin", "cd", "command", "compgen", "complete", "compopt", "declare", "enable", "eval",
    "exec", "export", "fc", "getopts", "hash", "history", "jobs", "let", "local", "mapfile", "popd", "printf", "pushd",
    "read", "readarray", "readonly", "set", "shift", "shopt", "source", "test", "trap", "typeset", "unset", "wait",
];

/// Builtins of bash that dash lacks; there, the names mean programs or nothing.
#[rustfmt::skip]
const ONLY_BASH: &[&str] = &[
    "bind", "builtin", "caller", "compgen", "complete", "compopt", "declare", "dirs", "disown", "enable", "fc", "help",
    "history", "let", "logout", "mapfile", "popd", "pushd", "readarray", "shopt", "source", "suspend", "typeset",
];

/// Programs that the table of wrappers does not describe well enough.
#[rustfmt::skip]
const SPECIAL: &[(&str, Meaning)] = &[
    ("env", Meaning::Env), ("find", Meaning::Find), ("gfind", Meaning::Find), ("fd", Meaning::Fd),
    ("fdfind", Meaning::Fd), ("xargs", Meaning::Xargs), ("gxargs", Meaning::Xargs), ("parallel", Meaning::Parallel),
    ("ssh", Meaning::Ssh), ("autossh", Meaning::Ssh), ("git", Meaning::Git), ("tar", Meaning::Tar),
    ("gtar", Meaning::Tar), ("bsdtar", Meaning::Tar), ("busybox", Meaning::Applets), ("toybox", Meaning::Applets),
    ("watch", Meaning::Watch), ("time", Meaning::Time), ("at", Meaning::Scheduled), ("batch", Meaning::Scheduled),
    ("crontab", Meaning::Scheduled),
];

/// Shells.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "rbash",
    "dash",
    "ash",
    "zsh",
    "ksh",
    "ksh93",
    "mksh",
    "lksh",
    "pdksh",
    "oksh",
    "yash",
    "posh",
    "fish",
    "csh",
    "tcsh",
    "elvish",
    "xonsh",
    "nu",
    "pwsh",
    "powershell",
    "rc",
    "es",
    "osh",
    "ysh",
    "hush",
    "rksh",
    "rzsh",
    "sash",
    "-bash",
    "-sh",
];

static NAMES: LazyLock<HashMap<&'static str, Meaning>> = LazyLock::new(|| {
    let rows = table::ROWS.iter().flat_map(|row| row.names).map(|name| (*name, Meaning::Rows));
    let shells = SHELLS.iter().map(|name| (*name, Meaning::Shell));
    let quiet = QUIET.iter().map(|name| (*name, Meaning::Quiet));
    let followed = FOLLOWED.iter().map(|name| (*name, Meaning::Builtin));
    rows.chain(shells).chain(SPECIAL.iter().copied()).chain(quiet).chain(followed).collect()
});

/// Every program that starts another one, with its sub-commands.
pub(crate) fn starters() -> impl Iterator<Item = String> {
    let rows = table::ROWS.iter().flat_map(|row| row.names.iter().map(|name| (*name, row.sub)));
    let others = SHELLS.iter().chain(SPECIAL.iter().map(|(name, _)| name)).map(|name| (*name, [].as_slice()));
    rows.chain(others).map(|(name, sub)| sub.iter().fold(name.to_owned(), |words, sub| words + " " + sub))
}

/// True for a builtin, and for a reserved word that may be the name of a run.
pub(crate) fn is_builtin(name: &str) -> bool {
    matches!(NAMES.get(name), Some(Meaning::Quiet | Meaning::Builtin | Meaning::Time))
        || matches!(name, "[[" | "((" | "coproc")
}

/// The names of shells.
pub(crate) fn shells() -> impl Iterator<Item = &'static str> {
    SHELLS.iter().copied()
}

/// What a command's name means to the shell (`Some` builtin) or as a program, path taken off.
pub(crate) fn meaning(name: &str, dialect: Dialect) -> Option<Meaning> {
    let base = name.rsplit('/').next().unwrap_or(name);
    let meaning = NAMES.get(base).copied()?;
    let builtin = matches!(meaning, Meaning::Quiet | Meaning::Builtin);
    let missing =
        builtin && (base.len() != name.len() || (dialect == Dialect::Sh && ONLY_BASH.contains(&base)));
    if missing { None } else { Some(meaning) }
}

/// True for names whose arguments the reader follows as a builtin's: a function of that name would mislead it.
pub(crate) fn has_meaning(name: &str) -> bool {
    NAMES.get(name) == Some(&Meaning::Builtin)
}
