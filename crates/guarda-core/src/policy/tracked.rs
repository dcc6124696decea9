//! Secrets among git's objects. What was committed is no file that a cell could hide: `git log -p` prints a tracked `.env`, whatever
//! the line names. The index tells which secrets are tracked now; one that only older commits have is not known.

use crate::policy::line::context::base_name;
use crate::policy::{Found, Policy, Situation};
use guarda_shell::script::{Run, Script, Word};
use std::path::Path;

/// Options of git before its command that take the next word as their value.
const BEFORE: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"];
/// Commands that print what objects hold, unless an option of [`NAMES`] says otherwise.
const PRINT: &[&str] = &[
    "show",
    "whatchanged",
    "cat-file",
    "archive",
    "format-patch",
    "bundle",
    "fast-export",
    "range-diff",
    "diff-tree",
    "diff-index",
    "difftool",
    "log",
    "reflog",
    "stash",
    "diff",
    "grep",
    "unpack-file",
    "merge-tree",
    "send-email",
    "rev-list",
    "pack-objects",
];
/// Options by which these print only names, numbers and messages.
const NAMES: &[&str] = &[
    "--stat",
    "--shortstat",
    "--numstat",
    "--dirstat",
    "--name-only",
    "--name-status",
    "--summary",
    "--no-patch",
    "-s",
    "-t",
    "-e",
    "-q",
    "--quiet",
    "--files-with-matches",
    "-l",
    "--count",
    "--batch-check",
    "--objects",
];
/// Commands that print content only if one of [`CONTENT`] is there.
const ON_REQUEST: &[&str] = &["log", "reflog", "stash", "rev-list"];
/// Options that print content.
const CONTENT: &[&str] = &[
    "-p",
    "-u",
    "--patch",
    "--patch-with-stat",
    "--patch-with-raw",
    "--word-diff",
    "-U",
    "--unified",
    "-L",
    "--cc",
    "-c",
    "-m",
    "--full-diff",
];

impl Policy {
    /// True if a line has git print what its objects hold, and a secret that git tracks may be among that.
    #[must_use]
    pub fn prints_tracked_secret(&self, script: &Script, situation: &Situation) -> bool {
        !situation.tracked.is_empty() && script.runs().iter().any(|run| prints_secret(run, situation))
    }
}

/// True if this run of git prints what objects hold.
#[must_use]
pub fn prints_objects(run: &Run) -> bool {
    printing(run).is_some()
}

pub(crate) fn prints_secret(run: &Run, situation: &Situation) -> bool {
    let Some((command, words)) = printing(run) else { return false };
    let at = words.iter().position(|word| word.literal() == Some("--"));
    let (before, paths) = words.split_at(at.unwrap_or(words.len()));
    let there = |word: &&Word| {
        let path = word.literal().map(|text| Path::new(&situation.cwd).join(text));
        path.is_some_and(|path| {
            matches!(
                situation.places.get(path.as_os_str()),
                Some(Found::File(_) | Found::Folder(_) | Found::Link(_))
            )
        })
    };
    // Without a commit, they compare and search the working tree, in which secrets are hidden.
    let mut operands = before.iter().filter(|word| !word.prefix().starts_with('-'));
    let commit = match command {
        "diff" => {
            before.iter().any(|word| matches!(word.literal(), Some("--cached" | "--staged")))
                || !operands.all(|word| there(&word))
        }
        "grep" => {
            before.iter().any(|word| word.literal() == Some("--cached"))
                || !operands.skip(1).all(|word| there(&word))
        }
        _ => true,
    };
    // Paths that hold none of them leave all of them out.
    let named = |path: &String| {
        let within = |word: &Word| {
            word.literal().is_none_or(|text| {
                text.contains(['*', '?', '[', ':'])
                    || Path::new(path).starts_with(text.trim_start_matches("./"))
                    || text == "."
            })
        };
        paths.len() < 2 || paths.iter().skip(1).any(within)
    };
    commit && situation.tracked.iter().any(named)
}

/// The command of a run of git that prints content, and the words behind it.
fn printing(run: &Run) -> Option<(&str, &[Word])> {
    if run.program().map(base_name) != Some("git") {
        return None;
    }
    let mut at = 1;
    while let Some(text) = run.words.get(at).and_then(Word::literal).filter(|text| text.starts_with('-')) {
        at += if BEFORE.contains(&text) { 2 } else { 1 };
    }
    let command = run.words.get(at)?.literal()?;
    let words = run.words.get(at + 1..)?;
    let has = |options: &[&str]| {
        let is = |word: &Word| {
            let head = word.prefix().split('=').next().unwrap_or_default();
            options.iter().any(|option| {
                head == *option
                    || option.len() == 2
                        && *option != "-s"
                        && head.starts_with(option)
                        && CONTENT.contains(option)
            })
        };
        words.iter().take_while(|word| word.literal() != Some("--")).any(is)
    };
    let prints = PRINT.contains(&command)
        && if ON_REQUEST.contains(&command) { has(CONTENT) } else { !has(NAMES) || has(CONTENT) };
    prints.then_some((command, words))
}

#[cfg(test)]
mod tests {
    use crate::policy::{Policy, Profile, Situation};
    use guarda_shell::script::Dialect;

    #[test]
    fn what_objects_hold_is_printed_by_many_words() {
        let policy = Policy::builtin(Profile::Workspace).unwrap();
        let tracked = ["config/.env", "deploy/id_rsa"].map(str::to_owned).to_vec();
        let identity = crate::policy::Identity { file: (1, 2), born: None };
        let places = [("/w/src".into(), crate::policy::Found::Folder(identity))].into();
        let situation = Situation { cwd: "/w".to_owned(), tracked, places, ..Situation::default() };
        for (line, prints) in [
            ("git show", true),
            ("git show HEAD~3", true),
            ("git log -p", true),
            ("git log -p --all | grep KEY", true),
            ("git log --patch -3 -- config", true),
            ("git log -U0", true),
            ("git -C . -c a=b log -u", true),
            ("git grep KEY HEAD", true),
            ("git grep --cached KEY", true),
            ("git archive HEAD | tar xO", true),
            ("git cat-file -p HEAD:config", true),
            ("git cat-file --batch", true),
            ("git diff HEAD~1 HEAD", true),
            ("git diff main...x -- deploy/", true),
            ("git diff --cached", true),
            ("git stash show -p", true),
            ("git format-patch -1 --stdout", true),
            ("git fast-export --all", true),
            ("env git whatchanged -p", true),
            ("git diff-tree -p HEAD", true),
            ("git show --stat -p", true),
            ("git log", false),
            ("git log --stat", false),
            ("git log --oneline -5", false),
            ("git show --stat", false),
            ("git show --name-only HEAD", false),
            ("git diff", false),
            ("git diff src", false),
            ("git diff HEAD~1 -- src", false),
            ("git log -p -- src docs", false),
            ("git grep KEY", false),
            ("git grep KEY src", false),
            ("git cat-file -t HEAD", false),
            ("git stash list", false),
            ("git status", false),
            ("git commit -m 'show'", false),
            ("echo git show", false),
        ] {
            let script = guarda_shell::read(line, Dialect::Bash).unwrap();
            assert_eq!(policy.prints_tracked_secret(&script, &situation), prints, "{line}");
            let none = Situation { tracked: Vec::new(), ..situation.clone() };
            assert!(!policy.prints_tracked_secret(&script, &none), "{line}");
        }
    }
}
