//! How a line is divided between the client's shell and the guard, and where it ends.

use std::path::{Path, PathBuf};

use crate::devices::filesystem::paths;
use guarda_core::action::Action;
use guarda_core::gate::Number;
use guarda_shell::script::{Reach, Run, Script, Word};

/// The builtins that change only the shell they run in, and are left to the client's shell.
const OF_THE_SHELL: &[&str] = &["cd", "pushd", "popd", "export", "unset", "alias", "unalias", "umask"];

/// The line for a client's shell that replaces the original one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::guard) struct Replaced {
    /// The part that the client's shell runs itself, before the ticket: `cd sub && `, or nothing.
    pub(in crate::guard) prefix: String,
    /// The folder of the client's shell after that part; the ticket is redeemed there.
    pub(in crate::guard) folder: PathBuf,
    /// Whether the rest may end in another folder, to which the client's shell then changes.
    pub(in crate::guard) moves: bool,
}

/// How a line is divided between the client's shell and the guard. The guard runs the whole line, from the folder in
/// which it was judged; the client's shell first runs a leading `cd` or `export`.
///
/// `free`: the runs that may be left to the client's shell, because nothing speaks against them or a person said yes.
pub(in crate::guard) fn replaced(
    action: &Action,
    cwd: &Path,
    home: &Path,
    free: impl Fn(&Run) -> bool,
) -> Replaced {
    let mut folder = cwd.to_owned();
    let none = |moves| Replaced { prefix: String::new(), folder: cwd.to_owned(), moves };
    let Action::RunCommand { script: Ok(script), .. } = action else { return none(true) };
    let mut end = 0;
    for run in script.runs().iter().take_while(|run| of_the_shell(run) && free(run)) {
        let Some(next) = leads(script, end, run) else { break };
        if run.program() == Some("cd") {
            let Some(goal) = goal(run, &folder, home) else { break };
            folder = goal;
        }
        end = next;
    }
    match script.source().get(..end) {
        Some(prefix) if end > 0 => {
            let rest = |run: &Run| run.builtin && run.span.start >= end;
            let moves = !script.doubts().is_empty() || script.runs().iter().any(rest);
            Replaced { prefix: prefix.to_owned(), folder, moves }
        }
        _ => none(script.may_move()),
    }
}

/// Whether a line only changes the shell that runs it: then the client's own shell runs it.
pub(in crate::guard) fn only_the_shell(action: &Action) -> bool {
    let Action::RunCommand { script: Ok(script), .. } = action else { return false };
    // Arithmetic, for one, is no run, and can start programs.
    !script.runs().is_empty() && script.doubts().is_empty() && script.runs().iter().all(of_the_shell)
}

/// A builtin that changes only its shell, with literal words.
fn of_the_shell(run: &Run) -> bool {
    run.builtin
        && run.reach == Reach::Plain
        && run.parent.is_none()
        && !run.piped
        && run.redirects.is_empty()
        && run.assigns.is_empty()
        && run.program().is_some_and(|name| OF_THE_SHELL.contains(&name))
        && run.words.iter().all(Word::is_fixed)
}

/// The offset of the rest of the line, if this run begins at `from` and the rest depends on its success.
fn leads(script: &Script, from: usize, run: &Run) -> Option<usize> {
    let source = script.source();
    if !source.get(from..run.span.start)?.trim().is_empty() {
        return None;
    }
    let rest = source.get(run.span.end..)?.trim_start();
    let after = rest.strip_prefix("&&")?.trim_start();
    source.len().checked_sub(after.len())
}

/// The folder that `cd WORD` leads to.
fn goal(run: &Run, folder: &Path, home: &Path) -> Option<PathBuf> {
    let [_, word] = run.words.as_slice() else { return None };
    let text = word.known(&home.to_string_lossy(), &folder.to_string_lossy());
    let text = text.filter(|text| !text.starts_with('-'))?;
    std::fs::canonicalize(folder.join(text)).ok()
}

/// The folders to which a line changes, as it writes them.
#[derive(Debug)]
pub struct LinePath {
    from: PathBuf,
    goals: Vec<String>,
    may_move: bool,
}

/// Where the client's shell should stand after a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandsIn {
    /// Where it is.
    Here,
    /// In this folder.
    Folder(PathBuf),
    /// Not known, or the folder is gone.
    Unknown,
}

impl LinePath {
    /// The path of a line that begins in the folder `from`.
    pub(super) fn of(action: &Action, home: &str, from: PathBuf) -> Self {
        let script = match action {
            Action::RunCommand { script: Ok(script), .. } => Some(script),
            _ => None,
        };
        let goals = script.into_iter().flat_map(|script| script.runs()).filter_map(|run| {
            let [name, word] = run.words.as_slice() else { return None };
            if !run.builtin || name.literal() != Some("cd") {
                return None;
            }
            word.known(home, "").filter(|text| !text.starts_with('-'))
        });
        Self { from, goals: goals.collect(), may_move: script.is_none_or(Script::may_move) }
    }

    /// Where the client's shell should stand, if the line ended in this folder. `shown` is the name under which that shell
    /// knows its own folder; the other folder is named as the line names it, if that is the same folder.
    #[must_use]
    pub fn end(&self, stood: Option<&Path>, shown: Option<&str>) -> StandsIn {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        match stood {
            Some(stood) if stood == self.from => StandsIn::Here,
            None if !self.may_move => StandsIn::Here,
            Some(stood) if real(stood).as_deref() == Some(stood) && stood.is_dir() => {
                let own = shown.map(PathBuf::from).filter(|own| real(own).as_ref() == Some(&self.from));
                let own = own.unwrap_or_else(|| self.from.clone());
                let named = self.goals.iter().fold(own, |folder, goal| paths::plain(&folder.join(goal)));
                let same = real(&named).as_deref() == Some(stood);
                StandsIn::Folder(if same { named } else { stood.to_owned() })
            }
            Some(_) | None => StandsIn::Unknown,
        }
    }
}

/// The shell of a client that runs a substituted line.
#[derive(Debug, Clone, Copy, Default)]
pub struct ShellOfClient {
    /// Its folder counts for the next line, too.
    pub stays: bool,
    /// It takes comments, whatever their text is.
    pub comments: bool,
}

/// The line that runs a ticket and then changes to the folder in which the command ended. `guarda run` writes this folder to
/// the file that is its standard input, because it opens no other; its output goes where that of the line goes.
pub(super) fn followed(runner: &str, number: Number) -> String {
    format!(
        "{{ guarda_cd=$({runner} run {number} --folder <&1 >&3); guarda_is=$?; }} 3>&1; \
         [ -z \"$guarda_cd\" ] || cd -- \"$guarda_cd\"; (exit \"$guarda_is\")"
    )
}

/// The most characters of a command in a comment.
const LONGEST_COMMENT: usize = 4000;

/// The command as a comment above the line, so that people see it in the client's transcript.
pub(super) fn comment(action: &Action) -> String {
    let Action::RunCommand { text, .. } = action else { return String::new() };
    let short: String = text.chars().take(LONGEST_COMMENT).collect();
    let more = if short.len() < text.len() { "# …\n" } else { "" };
    // A line feed is the only character that ends a comment.
    let lines = short.trim_end().split('\n').map(|line| {
        let shown: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("# {shown}\n")
    });
    lines.collect::<String>() + more
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::{Proposal, Request};

    fn action(line: &str) -> Action {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(line.into()),
            ..Request::default()
        };
        Proposal::parse(request).unwrap().action
    }

    #[test]
    fn what_changes_only_the_shell_is_left_to_it() {
        for (line, only) in [
            ("cd sub", true),
            ("export A=b", true),
            ("cd sub && export A=b", true),
            ("cd sub && ls", false),
            ("cd $X", false),
            ("export A=$(id)", false),
            ("ls", false),
        ] {
            assert_eq!(only_the_shell(&action(line)), only, "{line}");
        }
        let folder = tempfile::tempdir().unwrap();
        let cwd = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(cwd.join("sub/deep")).unwrap();
        for (line, prefix, goal) in [
            ("ls", "", ""),
            ("cd sub && ls", "cd sub && ", "sub"),
            ("cd sub && cd deep && ls | wc", "cd sub && cd deep && ", "sub/deep"),
            ("export A=b && make", "export A=b && ", ""),
            ("export PATH=./x && make", "", ""),
            ("  cd sub &&\n make", "  cd sub &&\n ", "sub"),
            ("cd sub && for f in *; do cat $f; done", "cd sub && ", "sub"),
            // The folder is unknown or missing, or the rest does not depend on it.
            ("cd $X && ls", "", ""),
            ("cd nowhere && ls", "", ""),
            ("cd - && ls", "", ""),
            ("cd sub; ls", "", ""),
            ("cd sub || ls", "", ""),
            ("cd sub | ls", "", ""),
            ("(cd sub && ls)", "", ""),
            ("ls && cd sub", "", ""),
            ("cd sub > x && ls", "", ""),
        ] {
            let folder = if goal.is_empty() { cwd.clone() } else { cwd.join(goal) };
            let free = |run: &Run| !run.words.iter().any(|word| word.prefix().starts_with("PATH="));
            let divided = replaced(&action(line), &cwd, &cwd, free);
            assert_eq!((divided.prefix, divided.folder), (prefix.to_owned(), folder), "{line}");
        }
    }
}
