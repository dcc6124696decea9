//! Finds the scripts that need no shell.

use crate::script::{Piece, Plan, RedirectKind, Run, Step, Uncertainty, Word};

/// Builtins that also exist as programs with the same effect.
const ALSO_PROGRAMS: [&str; 7] = ["echo", "printf", "true", "false", "test", "[", "pwd"];

/// The plan of a script, if every word is known (except for the names that plain patterns match) and only its working
/// folder is specific to the shell.
pub(crate) fn plan(steps: Option<Vec<Step>>, runs: &[Run], doubts: &[Uncertainty]) -> Option<Plan> {
    let steps = steps?;
    if !doubts.is_empty() {
        return None;
    }
    let fits = |id: &usize| runs.get(*id).is_some_and(plain);
    if steps.iter().flat_map(|step| &step.runs).all(fits) { Some(Plan { steps }) } else { None }
}

fn plain(run: &Run) -> bool {
    let Some(first) = run.words.first() else {
        return false;
    };
    let startable = match first.literal() {
        Some(name) => {
            !name.is_empty()
                && (!run.builtin
                    || ALSO_PROGRAMS.contains(&name)
                    || changes_folder(name, run)
                    || kills(name, run))
        }
        None => known(first),
    };
    let assigned =
        run.assigns.iter().all(|assign| crate::syntax::scan::is_name(&assign.name) && known(&assign.value));
    let redirected = run.redirects.iter().all(|redirect| match redirect.kind {
        RedirectKind::Close => true,
        RedirectKind::Duplicate => redirect.target.literal().is_some_and(|text| {
            !text.is_empty() && text.len() < 4 && text.bytes().all(|byte| byte.is_ascii_digit())
        }),
        RedirectKind::Read
        | RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::Text => known(&redirect.target),
    });
    startable && assigned && redirected && run.words.iter().all(|word| known(word) || pattern(word))
}

/// True for `cd FOLDER` without options; not for `cd -`.
fn changes_folder(name: &str, run: &Run) -> bool {
    let [_, goal] = run.words.as_slice() else { return false };
    name == "cd" && known(goal) && !goal.prefix().starts_with('-') && run.assigns.is_empty()
}

/// True for `kill`, except for jobs, which only a shell knows.
fn kills(name: &str, run: &Run) -> bool {
    name == "kill" && !run.words.iter().any(|word| word.prefix().starts_with('%'))
}

/// A word with patterns of only `*` and `?`, which mean the same everywhere.
fn pattern(word: &Word) -> bool {
    word.pieces.iter().all(|piece| match piece {
        Piece::Text(_) | Piece::Home | Piece::Cwd => true,
        Piece::Glob(pattern) => pattern.bytes().all(|byte| matches!(byte, b'*' | b'?')),
        Piece::Unknown(_) => false,
    })
}

fn known(word: &Word) -> bool {
    word.pieces.iter().all(|piece| match piece {
        Piece::Text(_) | Piece::Home | Piece::Cwd => true,
        Piece::Glob(_) | Piece::Unknown(_) => false,
    })
}
