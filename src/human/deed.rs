//! What a command line does, in words, where its programs are known: "delete 3 files in Downloads". Told from the same
//! reading that was judged; what is not known here is told by the command line itself.

use crate::action::script::{Piece, Reach, RedirectKind, Run, Script, Word};
use crate::human::effect::{place, spoken};
use crate::human::words::Words;

/// Programs of which nothing is said beside others.
const QUIET: &[&str] =
    &["cd", "pushd", "popd", "true", ":", "set", "test", "[", "[[", "sleep", "echo", "printf"];
/// Wrappers that give their command the administrator's powers.
const RAISING: &[&str] = &["sudo", "doas", "pkexec", "su", "run0"];

/// The effect of a whole script; `None` where no program of it is known, or something in it is not.
pub(super) fn effect(words: &Words, script: &Script) -> Option<String> {
    if !script.doubts().is_empty() {
        return None;
    }
    let runs = script.runs();
    let starts_another = |index: usize| {
        let wrapped =
            |run: &Run| matches!(run.reach, Reach::Wrapper(_) | Reach::Text(_)) && run.parent == Some(index);
        runs.iter().any(wrapped)
    };
    let mut told = Vec::new();
    let mut untold = 0usize;
    for (index, run) in runs.iter().enumerate() {
        if starts_another(index) {
            continue;
        }
        match of_run(words, run) {
            Some(effect) if raised(runs, run) => {
                told.push(words.say("effect-as-root", &[("effect", effect.into())]))
            }
            Some(effect) => told.push(effect),
            None if QUIET.contains(&base(run)) => {}
            None => untold += 1,
        }
    }
    let mut told = told.into_iter();
    let first = told.next()?;
    let both = match told.next() {
        None => first,
        Some(second) => words.say("effect-and", &[("first", first.into()), ("second", second.into())]),
    };
    match told.count() + untold {
        0 => Some(both),
        more => Some(words.say("effect-and-more", &[("effects", both.into()), ("count", more.into())])),
    }
}

/// The program without its folder; empty where it is not known.
fn base(run: &Run) -> &str {
    let program = run.program().unwrap_or_default();
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a wrapper around it gives it the administrator's powers.
fn raised(runs: &[Run], run: &Run) -> bool {
    let mut at = run.parent;
    // A parent stands before its child, so this comes to an end.
    while let Some(parent) = at.and_then(|index| runs.get(index)) {
        if RAISING.contains(&base(parent)) {
            return true;
        }
        at = parent.parent;
    }
    false
}

/// The words of a run after the program.
struct Arguments<'a> {
    flags: Vec<&'a str>,
    /// As they are told: `~/x` for what is below the home folder, a pattern as it is written.
    operands: Vec<String>,
    /// Some operand is a pattern.
    pattern: bool,
}

impl<'a> Arguments<'a> {
    /// `None` where some word is not known.
    fn of(run: &'a Run) -> Option<Self> {
        let mut arguments = Self { flags: Vec::new(), operands: Vec::new(), pattern: false };
        let mut only_operands = false;
        for word in run.words.iter().skip(1) {
            match word.literal() {
                Some("--") if !only_operands => only_operands = true,
                Some(flag) if !only_operands && flag.len() > 1 && flag.starts_with('-') => {
                    arguments.flags.push(flag)
                }
                _ => {
                    arguments.operands.push(text(word)?);
                    arguments.pattern |= word.glob();
                }
            }
        }
        Some(arguments)
    }

    /// Whether a flag is there, short (also in a bundle) or long.
    fn has(&self, short: &[char], long: &str) -> bool {
        self.flags.iter().any(|flag| match flag.strip_prefix("--") {
            Some(name) => name == long,
            None => flag.contains(short),
        })
    }
}

fn text(word: &Word) -> Option<String> {
    let mut text = String::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(part) | Piece::Glob(part) => text.push_str(part),
            Piece::Home => text.push('~'),
            Piece::Cwd => text.push('.'),
            Piece::Unknown(_) => return None,
        }
    }
    Some(text)
}

fn of_run(words: &Words, run: &Run) -> Option<String> {
    let program = base(run);
    let arguments = Arguments::of(run)?;
    let operands = arguments.operands.as_slice();
    let named = |id: &str, name: &str| words.say(id, &[("name", spoken(name).into())]);
    let joined = |names: &[String]| names.join(", ");
    let told = match (program, operands) {
        ("rm" | "unlink" | "rmdir" | "shred", [_, ..]) if arguments.pattern => {
            let (name, folder) = split(operands.first()?);
            (operands.len() == 1).then(|| {
                let place = within(words, folder);
                words.say("effect-delete-like", &[("name", spoken(name).into()), ("where", place.into())])
            })?
        }
        ("rm" | "unlink" | "rmdir" | "shred", [_, ..]) => {
            let tree = program == "rm" && arguments.has(&['r', 'R'], "recursive");
            counted(words, if tree { "effect-delete-tree" } else { "effect-delete" }, operands)
        }
        ("mv" | "cp", [from @ .., to]) if !from.is_empty() && !arguments.has(&['t'], "target-directory") => {
            let id = if program == "mv" { "effect-move" } else { "effect-copy" };
            let name = place(words, from.first()?);
            let to = place(words, to);
            words.say(id, &[("count", from.len().into()), ("name", name.into()), ("to", to.into())])
        }
        ("chmod", [_, files @ ..]) if !files.is_empty() => counted(words, "effect-mode", files),
        ("chown" | "chgrp", [_, files @ ..]) if !files.is_empty() => counted(words, "effect-owner", files),
        ("kill", [first, ..]) => {
            words.say("effect-kill", &[("count", operands.len().into()), ("name", spoken(first).into())])
        }
        ("pkill" | "killall", [_, ..]) => named("effect-kill-named", &joined(operands)),
        ("reboot", _) => words.say("effect-restart", &[]),
        ("shutdown", _) if arguments.has(&['r'], "reboot") => words.say("effect-restart", &[]),
        ("shutdown" | "poweroff" | "halt", _) => words.say("effect-power-off", &[]),
        ("dd", _) => {
            let target = operands.iter().find_map(|operand| operand.strip_prefix("of="))?;
            if target.starts_with("/dev/") {
                named("effect-write-device", target)
            } else {
                counted(words, "effect-write-file", &[target.to_owned()])
            }
        }
        (format, [.., device]) if format == "mkfs" || format.starts_with("mkfs.") => {
            named("effect-format", device)
        }
        ("touch" | "tee" | "truncate", [_, ..]) => counted(words, "effect-write-file", operands),
        ("mkdir", [folder]) => words.say("effect-file-mkdir", &[("name", place(words, folder).into())]),
        ("git", [verb, rest @ ..]) => git(words, &arguments, verb, rest),
        (
            "apt" | "apt-get" | "dnf" | "yum" | "snap" | "flatpak" | "brew" | "npm" | "pip" | "pip3"
            | "cargo" | "gem",
            [verb, names @ ..],
        ) if !names.is_empty() => match verb.as_str() {
            "install" | "add" | "i" => named("effect-install", &joined(names)),
            "remove" | "uninstall" | "purge" | "rm" => named("effect-uninstall", &joined(names)),
            _ => return None,
        },
        ("systemctl" | "service", [verb, names @ ..]) if !names.is_empty() => {
            let (verb, name) = (spoken(verb), spoken(&joined(names)));
            words.say("effect-service", &[("verb", verb.into()), ("name", name.into())])
        }
        ("curl" | "wget", [.., address]) => named("effect-download", address),
        ("ssh", [host, ..]) => named("effect-remote", host),
        _ => return written(words, run),
    };
    Some(told)
}

fn git(words: &Words, arguments: &Arguments<'_>, verb: &str, rest: &[String]) -> String {
    let named = |id: &str, name: &str| words.say(id, &[("name", spoken(name).into())]);
    match verb {
        "push" => {
            let remote = rest.first().cloned().unwrap_or_else(|| words.say("remote-default", &[]));
            let force = arguments.has(&['f'], "force") || arguments.has(&[], "force-with-lease");
            named(if force { "effect-git-force" } else { "effect-git-push" }, &remote)
        }
        "reset" | "rebase" | "clean" | "checkout" | "restore" | "filter-branch" | "reflog" | "stash" => {
            named("effect-git-history", verb)
        }
        _ => named("effect-git", verb),
    }
}

/// A program that is told only by the file it is made to write.
fn written(words: &Words, run: &Run) -> Option<String> {
    let writes = |kind| matches!(kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite);
    let targets =
        run.redirects.iter().filter(|redirect| writes(redirect.kind)).map(|redirect| text(&redirect.target));
    let files: Vec<String> = targets.flatten().filter(|file| file != "/dev/null").collect();
    (!files.is_empty() && QUIET.contains(&base(run))).then(|| counted(words, "effect-write-file", &files))
}

/// A message about one thing by its name, or several by their number, and the folder they share.
fn counted(words: &Words, id: &str, paths: &[String]) -> String {
    let parts: Vec<(&str, &str)> = paths.iter().map(|path| split(path)).collect();
    let (name, folder) = parts.first().copied().unwrap_or_default();
    let shared = parts.iter().all(|(_, other)| *other == folder);
    let place = if shared { within(words, folder) } else { String::new() };
    let name = if matches!(name, "~" | "") {
        self::place(words, paths.first().map_or("", String::as_str))
    } else {
        spoken(name)
    };
    words.say(id, &[("count", paths.len().into()), ("name", name.into()), ("where", place.into())])
}

/// A path's last part and the folder before it.
fn split(path: &str) -> (&str, &str) {
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        Some((folder, name)) => (name, if folder.is_empty() { "/" } else { folder }),
        None => (path, ""),
    }
}

/// " in that folder", or nothing.
fn within(words: &Words, folder: &str) -> String {
    if matches!(folder, "" | ".") {
        return String::new();
    }
    words.say("in-place", &[("place", place(words, folder).into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Language;
    use crate::action::script::Dialect;

    fn told(line: &str, language: Language) -> String {
        let script = crate::action::shell::read(line, Dialect::Bash).unwrap();
        effect(crate::human::words::words(language), &script).unwrap_or_else(|| "-".to_owned())
    }

    #[test]
    fn the_effect_is_told_not_the_spelling() {
        for (line, expected) in [
            ("rm Downloads/a.zip Downloads/b.zip Downloads/c.zip", "apagar 3 arquivos em Downloads"),
            ("rm teste.txt", "apagar teste.txt"),
            ("/bin/rm -f -- ~/Downloads/a.zip", "apagar a.zip em Downloads"),
            ("rm *.tmp", "apagar tudo o que corresponde a *.tmp"),
            ("mv a.txt ~/docs", "mover a.txt para docs"),
            ("mvn test", "-"),
            ("cat psudo.md", "-"),
            ("rm $FILE", "-"),
        ] {
            assert_eq!(told(line, Language::Portuguese), expected, "{line}");
        }
        for (line, expected) in [
            ("rm -r build", "delete build, with everything in them"),
            ("sudo reboot", "restart the computer, as administrator"),
            ("cd x && rm a b", "delete 2 files"),
            ("rm a; make", "delete a and 1 more command"),
            ("git push --force origin", "overwrite the git history on origin"),
            ("git push", "send git commits to the server"),
            ("dd if=x of=/dev/sdb", "write directly to /dev/sdb"),
            ("echo hi > ~/notes.txt", "write to notes.txt in your home folder"),
            ("chmod 600 a b", "change the permissions of 2 items"),
            ("pkill firefox", "end every process named firefox"),
        ] {
            assert_eq!(told(line, Language::English), expected, "{line}");
        }
    }
}
