//! Describes what a command line does. If that is uncertain, the command line itself is shown.
//!
//! Descriptions never decide anything. A command is shown as it is if a value is known only at run time, if it runs on
//! another machine, or if its program is not in these tables.

mod things;

use crate::wording::describe::names::{command_line, place, spoken};
use crate::wording::words::Words;
use guarda_core::catalogue::{
    ADMINISTRATORS, Deed, Done, IN_PLACE, PACKAGERS, QUIET, base_name, deed, given,
};
use guarda_shell::given::Given;
use guarda_shell::script::{Reach, RedirectKind, Run, Script, Word};
use things::{NAMES, Summary, form, items, summary, text};

pub(super) use things::named;

/// The longest description, in characters.
const LIMIT: usize = 220;

/// What is done, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// An infinitive, without a full stop.
    pub text: String,
    /// Whether it names all that is done. A command line that is only repeated names nothing.
    pub whole: bool,
}

/// Describes what a command line does; `None` if that is uncertain or the description would be too long.
pub(super) fn effect(words: &Words, script: &Script) -> Option<Described> {
    describe(words, script).filter(|effect| effect.text.chars().count() <= LIMIT)
}

fn describe(words: &Words, script: &Script) -> Option<Described> {
    if !script.doubts().is_empty() {
        return None;
    }
    let runs = script.runs();
    let wraps = |index: usize| {
        let inside =
            |run: &Run| run.parent == Some(index) && matches!(run.reach, Reach::Wrapper(_) | Reach::Text(_));
        runs.iter().any(inside)
    };
    let mut effects: Vec<(Gravity, String)> = Vec::new();
    let mut unnamed: Vec<String> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        if wraps(index) || run.words.is_empty() {
            continue;
        }
        let root = under_root(runs, run)?;
        let named = of_run(words, run);
        if named.is_none() && !QUIET.contains(&base(run)) {
            unnamed.push(command_line(words, &written_words(run)?));
        }
        let written = writes(words, run).map(|effect| (Gravity::Slight, effect));
        for (gravity, effect) in named.into_iter().chain(written) {
            let effect =
                if root { words.say("effect-as-root", &[("effect", effect.into())]) } else { effect };
            if !effects.iter().any(|(_, known)| *known == effect) {
                effects.push((gravity, effect));
            }
        }
    }
    if effects.is_empty() {
        return None;
    }
    let known = unnamed.is_empty();
    // A program that no table knows may do more than a new folder or a log file beside it.
    let mut others = unnamed.len();
    if effects.iter().all(|(gravity, _)| *gravity == Gravity::Slight) {
        others = 0;
        effects.extend(unnamed.into_iter().map(|effect| (Gravity::Some, effect)));
    }
    // The gravest is named first; of equals, the one that comes first in the line.
    effects.sort_by_key(|(gravity, _)| std::cmp::Reverse(*gravity));
    others += effects.len().saturating_sub(2);
    let mut effects = effects.into_iter().map(|(_, effect)| effect);
    let first = effects.next()?;
    let told = match effects.next() {
        Some(second) => words.say("effect-and", &[("first", first.into()), ("second", second.into())]),
        None => first,
    };
    if others == 0 {
        return Some(Described { text: told, whole: known });
    }
    let text = words.say("effect-and-more", &[("effects", told.into()), ("count", others.into())]);
    Some(Described { text, whole: false })
}

/// How grave a described effect is beside the others of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gravity {
    /// It adds something, or changes one named file.
    Slight,
    /// It does something else.
    Some,
    /// It ends, replaces or moves something that exists.
    Grave,
    /// It destroys what cannot be had again.
    Final,
}

impl From<Deed> for Gravity {
    fn from(deed: Deed) -> Self {
        match deed {
            Deed::Delete | Deed::Mirror => Self::Final,
            Deed::Trash | Deed::Move | Deed::Overwrite | Deed::Mode | Deed::Owner => Self::Grave,
            Deed::RemoveFolder | Deed::Change => Self::Some,
            Deed::MakeFolder | Deed::Touch | Deed::Copy => Self::Slight,
        }
    }
}

/// The words of a run as the line has them; `None` if one is known only at run time.
fn written_words(run: &Run) -> Option<String> {
    Some(run.words.iter().map(text).collect::<Option<Vec<_>>>()?.join(" "))
}

/// Whether a run happens on this machine with its files in place, as far as its wrappers are known.
#[must_use]
pub fn runs_here(runs: &[Run], run: &Run) -> bool {
    under_root(runs, run).is_some()
}

/// Whether a run has administrator rights; `None` if it runs elsewhere or its wrapper is unknown.
fn under_root(runs: &[Run], run: &Run) -> Option<bool> {
    let mut root = false;
    let mut current = run;
    // A chain of parents cannot be longer than the list.
    for _ in 0..runs.len() {
        match &current.reach {
            Reach::Plain | Reach::Substitution => {}
            Reach::Wrapper(name) | Reach::Text(name) if ADMINISTRATORS.contains(&name.as_str()) => {
                root = true
            }
            Reach::Wrapper(name) | Reach::Text(name) if IN_PLACE.contains(&name.as_str()) => {}
            Reach::Wrapper(_) | Reach::Text(_) => return None,
        }
        match current.parent.and_then(|parent| runs.get(parent)) {
            Some(parent) => current = parent,
            None => return Some(root),
        }
    }
    None
}

/// The program's name without its folder; empty if it is unknown.
fn base(run: &Run) -> &str {
    base_name(run.program().unwrap_or_default())
}

/// Describes one program, if a table lists it.
fn of_run(words: &Words, run: &Run) -> Option<(Gravity, String)> {
    let program = base(run);
    let given = given(program, run);
    if let Some(done) = deed(program, &given) {
        return Some((done.deed.into(), of_done(words, &done)?));
    }
    let gravity = match program {
        "dd" | "shutdown" | "poweroff" | "halt" | "reboot" => Gravity::Final,
        _ if program.starts_with("mkfs") => Gravity::Final,
        "kill" | "pkill" | "killall" | "systemctl" | "git" => Gravity::Grave,
        _ => Gravity::Some,
    };
    Some((gravity, of_program(words, program, (run, &given))?))
}

/// Describes a program that is known by its name.
fn of_program(words: &Words, program: &str, (run, given): (&Run, &Given<'_>)) -> Option<String> {
    let named = |id: &str, name: &str| Some(words.say(id, &[("name", spoken(name).into())]));
    match program {
        "kill" => kill(words, given),
        "pkill" | "killall" => match given.texts()?.as_slice() {
            [name] => named("effect-kill-named", name),
            _ => None,
        },
        "dd" => {
            let texts = given.texts()?;
            let target = texts.iter().find_map(|text| text.strip_prefix("of="))?;
            written(words, target)
        }
        "shutdown" if given.has('c', "cancel") => None,
        "shutdown" if given.has('r', "reboot") => Some(words.say("effect-restart", &[])),
        "shutdown" | "poweroff" | "halt" => Some(words.say("effect-power-off", &[])),
        "reboot" => Some(words.say("effect-restart", &[])),
        "systemctl" => service(words, given),
        "git" => git(words, run),
        "curl" | "wget" => {
            let texts = given.texts()?;
            let mut hosts =
                texts.iter().filter_map(|text| url::Url::parse(text).ok()?.host_str().map(str::to_owned));
            match (hosts.next(), hosts.next()) {
                (Some(host), None) => named("effect-download", &host),
                _ => None,
            }
        }
        "python" | "python3" | "perl" | "ruby" | "node" | "php" if inline(given) => {
            named("effect-code", language(program))
        }
        _ if program == "mkfs" || program.starts_with("mkfs.") => {
            named("effect-format", given.texts()?.last()?)
        }
        _ => package(words, program, given),
    }
}

/// Describes an operation on files.
fn of_done(words: &Words, done: &Done<'_>) -> Option<String> {
    let id = match done.deed {
        Deed::Delete if done.below => "effect-delete-tree",
        Deed::Delete => "effect-delete",
        Deed::RemoveFolder => "effect-remove-folder",
        Deed::Trash => "effect-trash",
        Deed::Overwrite | Deed::Change | Deed::Touch => "effect-write-file",
        Deed::Mode => "effect-mode",
        Deed::Owner => "effect-owner",
        Deed::MakeFolder => {
            let [folder] = done.files else { return None };
            return Some(words.say("effect-file-mkdir", &[("name", place(words, &text(folder)?).into())]));
        }
        Deed::Mirror => {
            return Some(words.say("effect-mirror", &[("name", place(words, &text(done.to?)?).into())]));
        }
        Deed::Move | Deed::Copy => {
            let id = if done.deed == Deed::Move { "effect-move" } else { "effect-copy" };
            let Summary { count, names, .. } = summary(words, "in-place", done.files)?;
            let told = [
                ("form", form(count).into()),
                ("count", count.into()),
                ("name", names.into()),
                ("to", place(words, &text(done.to?)?).into()),
            ];
            return Some(words.say(id, &told));
        }
    };
    items(words, id, done.files)
}

/// The name of an interpreter's language, as people write it.
fn language(program: &str) -> &str {
    match program {
        "python" | "python3" => "Python",
        "perl" => "Perl",
        "ruby" => "Ruby",
        "node" => "JavaScript",
        "php" => "PHP",
        other => other,
    }
}

/// Whether the command line contains the program's text: `python -c …`, `perl -e …`.
fn inline(given: &Given<'_>) -> bool {
    given.flags.iter().any(|flag| matches!(*flag, "-c" | "-e" | "-E" | "-r" | "-p" | "--eval" | "--print"))
}

/// Describes the files that the run's redirections write.
fn writes(words: &Words, run: &Run) -> Option<String> {
    let writing = |kind| matches!(kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite);
    let real = || {
        let nowhere = |word: &Word| word.literal() == Some("/dev/null");
        run.redirects.iter().filter(move |redirect| writing(redirect.kind) && !nowhere(&redirect.target))
    };
    let targets: Vec<&Word> = real().map(|redirect| &redirect.target).collect();
    if targets.is_empty() {
        return None;
    }
    let appends = real().all(|redirect| redirect.kind == RedirectKind::Append);
    items(words, if appends { "effect-change-file" } else { "effect-write-file" }, &targets)
}

fn written(words: &Words, target: &str) -> Option<String> {
    if target.starts_with("/dev/") {
        return Some(words.say("effect-write-device", &[("name", spoken(target).into())]));
    }
    let word = Word::text(target, guarda_shell::script::Span::default());
    items(words, "effect-write-file", &[&word])
}

fn kill(words: &Words, given: &Given<'_>) -> Option<String> {
    // One option names the signal. A second one may mean something else: `kill -9 -1` hits every process.
    let names_signal =
        |flag: &&str| !matches!(*flag, "-l" | "-L" | "-s" | "-n" | "-q" | "-1") && !flag.starts_with("--");
    if given.flags.len() > 1 || !given.flags.iter().all(names_signal) {
        return None;
    }
    let processes = given.texts()?;
    let first = processes.first()?;
    Some(words.say("effect-kill", &[("count", processes.len().into()), ("name", spoken(first).into())]))
}

fn service(words: &Words, given: &Given<'_>) -> Option<String> {
    const VERBS: &[&str] = &[
        "start",
        "stop",
        "restart",
        "reload",
        "enable",
        "disable",
        "mask",
        "unmask",
        "kill",
        "try-restart",
        "isolate",
    ];
    let texts = given.texts()?;
    match texts.split_first()? {
        (&"poweroff" | &"halt", []) => Some(words.say("effect-power-off", &[])),
        (&"reboot", []) => Some(words.say("effect-restart", &[])),
        (&"suspend", []) => Some(words.say("effect-suspend", &[])),
        (verb, [unit]) if VERBS.contains(verb) => {
            let unit = unit.strip_suffix(".service").unwrap_or(unit);
            Some(words.say("effect-service", &[("verb", (*verb).into()), ("name", spoken(unit).into())]))
        }
        _ => None,
    }
}

fn git(words: &Words, run: &Run) -> Option<String> {
    let texts: Vec<&str> = run.words.iter().skip(1).map(Word::literal).collect::<Option<_>>()?;
    let mut rest = texts.as_slice();
    // Options before the sub-command. These take a value.
    while let Some((option, after)) = rest.split_first().filter(|(first, _)| first.starts_with('-')) {
        let value =
            matches!(*option, "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path");
        rest = if value { after.get(1..)? } else { after };
    }
    let (sub, arguments) = rest.split_first()?;
    let has = |flags: &[&str]| arguments.iter().any(|argument| flags.contains(argument));
    let operands: Vec<&str> =
        arguments.iter().copied().filter(|argument| !argument.starts_with('-')).collect();
    let named = |id: &str, name: &str| Some(words.say(id, &[("name", spoken(name).into())]));
    match *sub {
        "push" => {
            let overwrites = has(&["-f", "--force", "--mirror", "--delete", "-d", "--prune"])
                || arguments.iter().any(|argument| argument.starts_with("--force-"))
                || operands
                    .iter()
                    .skip(1)
                    .any(|refspec| refspec.starts_with('+') || refspec.starts_with(':'));
            let id = if overwrites { "effect-git-force" } else { "effect-git-push" };
            let remote =
                operands.first().map_or_else(|| words.say("remote-default", &[]), |remote| spoken(remote));
            Some(words.say(id, &[("name", remote.into())]))
        }
        "reset" | "rebase" | "clean" | "filter-branch" | "filter-repo" | "checkout" | "restore"
        | "reflog" | "gc" => named("effect-git-history", sub),
        "stash" if has(&["drop", "clear"]) => named("effect-git-history", sub),
        "branch" if has(&["-d", "-D", "--delete"]) => named("effect-git-history", sub),
        "commit" if has(&["--amend"]) => named("effect-git-history", sub),
        _ => named("effect-git", sub),
    }
}

fn package(words: &Words, program: &str, given: &Given<'_>) -> Option<String> {
    if !PACKAGERS.contains(&program) {
        return None;
    }
    let texts = given.texts()?;
    let (verb, names) = texts.split_first()?;
    let id = match *verb {
        "install" | "add" | "i" | "reinstall" => "effect-install",
        "remove" | "uninstall" | "purge" | "erase" | "autoremove" => "effect-uninstall",
        _ => return None,
    };
    if names.is_empty() || names.len() > NAMES {
        return None;
    }
    Some(words.say(id, &[("name", spoken(&names.join(", ")).into())]))
}

#[cfg(test)]
mod tests;
