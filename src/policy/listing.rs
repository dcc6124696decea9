//! Programs that no table knows, told to list or show something: `PROG list`, `PROG plugins list`, `PROG --list`,
//! `PROG info FILE`. Nobody can write a table for every program there is, and these words mean the same in nearly all
//! of them. The reading is closed: every word is literal, every option is in a list, no address and no secret stands
//! in it, the program lies in a folder of the system, and it is none of those whose first word is a task, a file, a
//! machine or a command (`@doers`). A program that some rule speaks of is left to that rule.

use crate::action::script::Run;
use crate::policy::scene::{Scene, base_name};
use crate::policy::{Policy, Program, closed};

/// Options that ask for something to be shown, alone or with one name behind them.
const ASKING: &[&str] = &[
    "--list",
    "--info",
    "--status",
    "--version",
    "--help",
    "--usage",
    "--about",
    "--check",
    "--show",
    "--print",
    "--query",
    "--search",
    "--stats",
    "--summary",
    "-version",
    "-help",
    "-list",
    "-info",
    "-V",
];
/// Of the verbs and options, those that are believed of a program that tables know, too.
const PLAIN: &[&str] = &[
    "list",
    "ls",
    "status",
    "info",
    "version",
    "help",
    "--list",
    "--version",
    "-version",
    "-help",
    "show",
    "search",
];
/// Parts of an option's name that may write, start, fetch, send or let out something.
const RISKY: &[&str] = &[
    "out",
    "file",
    "exec",
    "cmd",
    "command",
    "run",
    "conf",
    "write",
    "save",
    "export",
    "import",
    "delete",
    "remove",
    "force",
    "yes",
    "url",
    "host",
    "server",
    "proxy",
    "script",
    "hook",
    "plug",
    "edit",
    "pager",
    "browser",
    "load",
    "dir",
    "path",
    "install",
    "update",
    "upgrade",
    "set",
    "add",
    "fix",
    "apply",
    "shell",
    "eval",
    "lib",
    "mod",
    "template",
    "open",
    "web",
    "connect",
    "socket",
    "address",
    "remote",
    "push",
    "pull",
    "sync",
    "clean",
    "reset",
    "kill",
    "stop",
    "start",
    "follow",
    "watch",
    "interactive",
    "root",
    "user",
    "store",
    "create",
    "move",
    "rename",
    "change",
    "daemon",
    "purge",
    "erase",
    "wipe",
    "drop",
    "flush",
    "enable",
    "disable",
    "unlock",
    "send",
    "post",
    "commit",
    "destroy",
    "rotate",
    "restore",
    "rebuild",
    "repair",
    "replace",
    "register",
    "deploy",
    "publish",
    "record",
    "listen",
    "forward",
    "transfer",
];
/// Beginnings of such options.
const ASKING_HEADS: &[&str] = &["--list-", "--show-", "--print-", "--help-", "--version-", "-list-"];
/// Words behind `--show-` and the like that are no harmless wish.
const PRIVATE: &[&str] =
    &["secret", "token", "passw", "credential", "key", "cookie", "auth", "env", "private"];

impl Policy {
    /// True if the run only asks a program that no table knows to list or show something.
    pub(super) fn only_lists(&self, scene: &Scene<'_>, index: usize, run: &Run, known: bool) -> bool {
        let Some(program) = run.program() else { return false };
        let name = base_name(program);
        // What is not there does nothing, and is looked for again before it runs.
        let trusted = match scene.situation.programs.get(program) {
            Some(Program::System(_)) => true,
            Some(Program::Missing) => !program.contains('/'),
            Some(Program::Elsewhere(_)) | None => false,
        };
        if run.builtin || !trusted || self.listed("doers", name) || scene.starts_something(index) {
            return false;
        }
        let Some(words) = run.words.iter().skip(1).map(|word| word.literal()).collect::<Option<Vec<&str>>>()
        else {
            return false;
        };
        if words.is_empty() || words.len() > 10 || !words.iter().all(|word| harmless(word)) {
            return false;
        }
        let places = run.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
        if places.filter_map(|word| scene.place(index, word, 0)).any(|place| {
            self.secret_place(&place, scene.situation) || self.guard_place(&place, scene.situation, false)
        }) {
            return false;
        }
        // Of a program that tables know, only what has the same meaning everywhere, and no option that they left out.
        let strange = |word: &&str| word.starts_with('-') && !PLAIN.contains(word);
        if words == ["-h"] {
            return true;
        }
        if known && (!words.iter().any(|word| PLAIN.contains(word)) || words.iter().any(strange)) {
            return false;
        }
        match words.as_slice() {
            ["help" | "version"] => true,
            _ => self.asks_by_option(&words) || self.asks_by_verb(&words),
        }
    }

    fn asks_by_option(&self, words: &[&str]) -> bool {
        let asking = |word: &str| {
            ASKING.contains(&word)
                || ASKING_HEADS.iter().any(|head| {
                    word.strip_prefix(head).is_some_and(|rest| !rest.is_empty() && closed::plain_name(rest))
                })
        };
        let (asked, rest): (Vec<&str>, Vec<&str>) = words.iter().copied().partition(|word| asking(word));
        (1..=2).contains(&asked.len())
            && self.without_flags(&rest).is_some_and(|operands| operands.len() <= 1)
    }

    fn asks_by_verb(&self, words: &[&str]) -> bool {
        let Some(operands) = self.without_flags(words) else { return false };
        let shows = |word: &str| {
            self.listed("showing-verbs", word)
                || word.strip_prefix("list-").is_some_and(|rest| !rest.is_empty() && closed::plain_name(rest))
        };
        let gets = |word: &str| {
            let rest = word.strip_prefix("get-").or_else(|| word.strip_prefix("show-"));
            rest.is_some_and(|rest| !rest.is_empty() && closed::plain_name(rest))
        };
        let noun = |word: &str| {
            self.listed("shown-nouns", word)
                || word.strip_suffix('s').is_some_and(|one| self.listed("shown-nouns", one))
                || word.strip_suffix("ies").is_some_and(|one| self.listed("shown-nouns", &format!("{one}y")))
        };
        match operands.as_slice() {
            [verb] if gets(verb) => true,
            [verb, rest @ ..] if shows(verb) => rest.len() <= 2,
            [of, verb, rest @ ..] if noun(of) && shows(verb) => rest.len() <= 1,
            _ => false,
        }
    }

    /// The words that are no options, if every option is one that changes only what is shown, or a long one without a
    /// risky part in its name whose value is a plain word.
    fn without_flags<'w>(&self, words: &[&'w str]) -> Option<Vec<&'w str>> {
        let mut operands = Vec::new();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            if !word.starts_with('-') {
                operands.push(word);
                continue;
            }
            if self.listed("showing-flags", word) {
                continue;
            }
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let long = name.strip_prefix("--").filter(|name| name.len() > 2)?;
            if RISKY.iter().any(|part| long.contains(part)) {
                return None;
            }
            // The word behind a long option is its value, or an operand: it is looked at as both.
            if !value
                .or_else(|| words.peek().copied())
                .is_none_or(|value| value.starts_with('-') || plain(value))
            {
                return None;
            }
            if value.is_none()
                && !operands.is_empty()
                && words.peek().is_some_and(|word| !word.starts_with('-'))
            {
                words.next();
            }
        }
        Some(operands)
    }
}

/// True for a value that names no file and no address.
fn plain(word: &str) -> bool {
    !word.starts_with(['/', '~', '.']) && word.len() < 80
}

/// True for a word that is no address, sets nothing and asks for nothing private.
fn harmless(word: &str) -> bool {
    let sets = word.contains('=') && !word.starts_with("--");
    let strange = word.contains("://") || word.contains(['\n', '`', '$', '!', '|', ';']);
    let refers = word.starts_with(['@', '+']);
    let private = || {
        let small = word.to_ascii_lowercase();
        PRIVATE.iter().any(|part| small.contains(part))
    };
    word.len() < 256 && !sets && !strange && !refers && !private()
}
