//! Git's configuration files, as far as they are in plain form: which settings can make git start a program, or send
//! something elsewhere than before, and which files they name. Only settings known to be harmless pass.

use std::path::{Component, Path, PathBuf};

/// The longest configuration that is read, in bytes.
pub const LONGEST: u64 = 64 * 1024;

/// Settings that start nothing: each section with its keys.
const HARMLESS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "quotepath",
            "abbrev",
        ],
    ),
    ("remote", &["url", "fetch", "pushurl", "tagopt", "prune"]),
    ("branch", &["remote", "merge", "rebase", "description"]),
    ("user", &["name", "email"]),
    ("submodule", &["url", "active"]),
    ("init", &["defaultbranch"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote"]),
    ("extensions", &["objectformat"]),
];

/// Sections whose settings say where git fetches from and pushes to.
const ELSEWHERE: [&str; 2] = ["remote", "submodule"];

/// A setting in plain form.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting<'a> {
    /// As git compares it: `branch`, and `main` of `[Branch "main"]`.
    section: (String, &'a str),
    key: &'a str,
    value: &'a str,
}

impl Setting<'_> {
    fn kind(&self) -> &str {
        &self.section.0
    }

    fn is_harmless(&self) -> bool {
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let known = HARMLESS.iter().find(|(section, _)| *section == self.kind());
        known.is_some_and(|(_, keys)| keys.iter().any(|key| same(key, self.key)))
            && !(same(self.key, "bare") && self.value != "false")
            && !(same(self.key, "url") && self.value.contains("::"))
    }
}

/// The settings of a configuration; `None` if it is not in plain form, one to a line.
fn settings(text: &str) -> Option<Vec<Setting<'_>>> {
    let (mut section, mut settings) = (None, Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = Some(heading(name)?);
        } else {
            let (key, value) = line.split_once('=').filter(|_| !line.ends_with('\\'))?;
            settings.push(Setting {
                section: section.clone()?,
                key: key.trim_end(),
                value: value.trim_start(),
            });
        }
    }
    Some(settings)
}

/// The section and its part in quotes: `branch "main"`. Git ignores the case of the first.
fn heading(text: &str) -> Option<(String, &str)> {
    let (name, part) = text.split_once([' ', '\t']).unwrap_or((text, "\"\""));
    let part = part.trim().strip_prefix('"')?.strip_suffix('"')?;
    let plain = !part.contains(['"', '\\', ']']) && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain.then(|| (name.to_ascii_lowercase(), part))
}

/// True if a repository with this configuration starts nothing because of it.
///
/// ```
/// use guarda_core::git_config::starts_nothing;
///
/// assert!(starts_nothing("[core]\n\tbare = false\n"));
/// assert!(!starts_nothing("[core]\n\tpager = sh -c id\n"));
/// ```
#[must_use]
pub fn starts_nothing(text: &str) -> bool {
    settings(text).is_some_and(|all| all.iter().all(Setting::is_harmless))
}

/// True if, with another configuration in place of this one (`None`: in a new repository), git starts nothing that it did not
/// start before, and known remotes and branches lead where they led.
#[must_use]
pub fn keeps_its_ways(was: Option<&str>, is: &str) -> bool {
    let Some((old, new)) = settings(was.unwrap_or_default()).zip(settings(is)) else { return false };
    let has = |settings: &[Setting<'_>], section: &(String, &str)| {
        settings.iter().any(|one| one.section == *section)
    };
    let comes = |one: &&Setting<'_>| !old.contains(one);
    let goes = |one: &&Setting<'_>| !new.contains(one);
    let leads = |one: &Setting<'_>| {
        let follows = one.kind() == "branch" && one.key.eq_ignore_ascii_case("remote");
        let known = was.is_some() && has(&old, &one.section);
        let remotes = if was.is_some() { &old } else { &new };
        let to_known = one.value == "." || has(remotes, &("remote".to_owned(), one.value));
        !(known && (follows || ELSEWHERE.contains(&one.kind()))) && (!follows || to_known)
    };
    new.iter().filter(comes).all(|one| one.is_harmless() && leads(one))
        && old.iter().filter(goes).all(|one| one.is_harmless() && !ELSEWHERE.contains(&one.kind()))
}

/// The paths that the settings of a configuration name, apart from those known to be harmless: whole values, and each word of a
/// command. A relative path counts from each of `folders`. A configuration that is not in plain form is taken word by word.
///
/// ```
/// use std::path::{Path, PathBuf};
///
/// use guarda_core::git_config::named;
///
/// let text = "[core]\n\thooksPath = tools/hooks\n[alias]\n\tx = \"!sh ./x.sh\"\n";
/// let named = named(text, &[Path::new("/a")], Path::new("/home/ana"));
/// assert!(["/a/tools/hooks", "/a/x.sh"].iter().all(|path| named.contains(&PathBuf::from(path))));
/// ```
#[must_use]
pub fn named(text: &str, folders: &[&Path], home: &Path) -> Vec<PathBuf> {
    let lines = || text.lines().map(|line| line.split_once('=').map_or(line, |(_, value)| value)).collect();
    let values: Vec<&str> = settings(text)
        .map_or_else(lines, |all| all.iter().filter(|one| !one.is_harmless()).map(|one| one.value).collect());
    let apart = |part: char| part.is_whitespace() || "\"'`;|&()<>=!$,".contains(part);
    let words = values.iter().flat_map(|value| {
        let whole = value.trim_matches(|part| matches!(part, '"' | '\'' | '!')).trim();
        value.split(apart).chain([whole])
    });
    let from = |word: &str| match word.strip_prefix("~/") {
        Some(below) => vec![home.join(below)],
        None => folders.iter().map(|folder| folder.join(word)).collect(),
    };
    words.filter(|word| !word.is_empty()).flat_map(from).map(|path| plain(&path)).collect()
}

/// The path without `.` and `..`.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// What a configuration is continued by, as it writes it, if it is in plain form: further configurations, and the folder of hooks.
#[must_use]
pub fn continued(text: &str) -> Vec<&str> {
    let leads = |one: &Setting<'_>| match one.kind() {
        "include" | "includeif" => true,
        "core" => one.key.eq_ignore_ascii_case("hookspath"),
        _ => false,
    };
    let all = settings(text).unwrap_or_default().into_iter();
    all.filter(leads).map(|one| one.value.trim_matches('"')).collect()
}

/// True if what an interrupted rebase or cherry-pick has yet to do starts no program: each line is one of the steps that only
/// move commits.
///
/// ```
/// use guarda_core::git_config::todo_starts_nothing;
///
/// assert!(todo_starts_nothing("pick 1234abc exec\n# x\n"));
/// assert!(!todo_starts_nothing("pick 1234abc a\nexec make\n"));
/// ```
#[must_use]
pub fn todo_starts_nothing(text: &str) -> bool {
    const STEPS: &[&str] = &[
        "pick",
        "p",
        "reword",
        "r",
        "edit",
        "e",
        "squash",
        "s",
        "fixup",
        "f",
        "drop",
        "d",
        "label",
        "l",
        "reset",
        "t",
        "merge",
        "m",
        "break",
        "b",
        "noop",
        "update-ref",
        "u",
        "revert",
    ];
    let step = |line: &str| {
        line.split_whitespace().next().is_none_or(|word| word.starts_with('#') || STEPS.contains(&word))
    };
    text.lines().all(step)
}

/// The last value of a setting, if the configuration is in plain form and the value needs no quotes.
#[must_use]
pub fn value<'a>(text: &'a str, section: &str, key: &str) -> Option<&'a str> {
    let all = settings(text)?;
    let named =
        |one: &&Setting<'_>| one.section == (section.to_owned(), "") && one.key.eq_ignore_ascii_case(key);
    let found = all.iter().rev().find(named)?.value;
    Some(found).filter(|value| !value.contains(['"', '\\', '#', ';']))
}

#[cfg(test)]
mod tests {
    use super::{keeps_its_ways, starts_nothing, value};

    const PLAIN: &str =
        "[core]\n\tbare = false\n\tfilemode = true\n[remote \"origin\"]\n\turl = git@example.org:a/b\n";

    #[test]
    fn only_the_plainest_configuration_starts_nothing() {
        for (text, harmless) in [
            (PLAIN.to_owned(), true),
            (String::new(), true),
            ("# nothing\n[user]\n\tname = Ana\n".to_owned(), true),
            (format!("{PLAIN}[core]\n\tfsmonitor = ./x\n"), false),
            ("[core] fsmonitor = ./x\n".to_owned(), false),
            ("[CORE]\n\tFSMonitor = ./x\n".to_owned(), false),
            ("[core]\n\tbare = true\n".to_owned(), false),
            ("[core]\n\tbare\n".to_owned(), false),
            ("[core]\n\teol = lf\\\n\tfsmonitor = x\n".to_owned(), false),
            ("[include]\n\tpath = x\n".to_owned(), false),
            ("[alias]\n\tx = !id\n".to_owned(), false),
            ("[diff \"x\"]\n\ttextconv = id\n".to_owned(), false),
            ("[submodule \"x\"]\n\tupdate = !id\n".to_owned(), false),
            ("[remote \"x\"]\n\turl = ext::sh -c id\n".to_owned(), false),
            ("fsmonitor = x\n".to_owned(), false),
        ] {
            assert_eq!(starts_nothing(&text), harmless, "{text}");
        }
    }

    #[test]
    fn a_changed_configuration_keeps_its_ways_or_is_asked_about() {
        let with = |more: &str| format!("{PLAIN}{more}");
        for (was, is, keeps) in [
            (None, with("[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"), true),
            (None, with("[core]\n\thooksPath = x\n"), false),
            (None, "[branch \"main\"]\n\tremote = https://example.net/x\n".to_owned(), false),
            (Some(with("")), with("[branch \"t\"]\n\tremote = origin\n"), true),
            (Some(with("")), with("[branch \"t\"]\n\tremote = .\n"), true),
            (Some(with("[branch \"t\"]\n\tremote = origin\n")), with(""), true),
            (Some(with("")), with("[user]\n\temail = a@b\n"), true),
            (Some(with("")), with("[remote \"fork\"]\n\turl = ../x\n"), true),
            (Some(with("[alias]\n\tx = !id\n")), with("[alias]\n\tx = !id\n[user]\n\tname = A\n"), true),
            (Some(with("")), with("[ user ]\n\temail = a@b\n"), false),
            (Some(with("")), with("[Remote \"origin\"]\n\turl = x\n"), false),
            (Some(with("")), with("[remote   \"origin\"]\n\turl = x\n"), false),
            (Some(with("")), with("[remote.origin]\n\turl = x\n"), false),
            (Some(with("")), with("[remote \"ori\\gin\"]\n\turl = x\n"), false),
            // What leads elsewhere, starts something, or takes away what held something back.
            (Some(with("")), PLAIN.replace("example.org", "example.net"), false),
            (Some(with("")), with("[remote \"origin\"]\n\tpushurl = x\n"), false),
            (Some(with("")), with("[branch \"t\"]\n\tremote = https://example.net/x\n"), false),
            (Some(with("")), with("[remote \"fork\"]\n\turl = x\n[branch \"t\"]\n\tremote = fork\n"), false),
            (
                Some(with("[remote \"fork\"]\n\turl = x\n[branch \"t\"]\n\tremote = origin\n")),
                with("[remote \"fork\"]\n\turl = x\n[branch \"t\"]\n\tremote = fork\n"),
                false,
            ),
            (Some(with("")), "[core]\n\tbare = false\n\tfilemode = true\n".to_owned(), false),
            (Some(with("[transfer]\n\tfsckObjects = true\n")), with(""), false),
            (Some(with("")), with("[alias]\n\tx = !id\n"), false),
            (Some(with("")), with("[filter \"a\"]\n\tclean = id\n"), false),
            (Some(with("")), with("[include]\n\tpath = x\n"), false),
            (Some(with("[core] x = y\n")), with(""), false),
        ] {
            assert_eq!(keeps_its_ways(was.as_deref(), &is), keeps, "{was:?} {is}");
        }
    }

    #[test]
    fn the_last_value_counts() {
        let text = with_worktree();
        assert_eq!(value(&text, "core", "Worktree"), Some("../b"));
        assert_eq!(value(&text, "core", "bare"), Some("false"));
        assert_eq!(value(&text, "user", "name"), None);
        assert_eq!(value("[core]\n\tworktree = \"a b\"\n", "core", "worktree"), None);
    }

    fn with_worktree() -> String {
        format!("{PLAIN}[core]\n\tworktree = ../a\n\tworktree = ../b\n")
    }
}
