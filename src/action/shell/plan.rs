//! Which scripts need no shell.

use crate::action::script::{Doubt, Piece, Plan, RedirectKind, Run, Step, Word};

/// Builtins that are programs too, and do the same there.
const ALSO_PROGRAMS: [&str; 7] = ["echo", "printf", "true", "false", "test", "[", "pwd"];

/// The plan of a script, if every word of it is known and nothing in it is the shell's own business.
pub(super) fn plan(steps: Option<Vec<Step>>, runs: &[Run], doubts: &[Doubt]) -> Option<Plan> {
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
        Some(name) => !name.is_empty() && (!run.builtin || ALSO_PROGRAMS.contains(&name)),
        None => true,
    };
    let assigned =
        run.assigns.iter().all(|assign| super::scan::is_name(&assign.name) && known(&assign.value));
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
    startable && assigned && redirected && run.words.iter().all(known)
}

fn known(word: &Word) -> bool {
    word.pieces.iter().all(|piece| match piece {
        Piece::Text(_) | Piece::Home | Piece::Cwd => true,
        Piece::Glob(_) | Piece::Unknown(_) => false,
    })
}
