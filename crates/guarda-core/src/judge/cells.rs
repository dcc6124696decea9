//! What decides how a line can run.

use crate::action::{Action, Way};
use crate::policy::strict::daemon::{Asks, asks};
use crate::policy::{Situation, Verdict};

/// Whether the guard asks before it runs an action, and how it runs the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunDecision {
    /// Whether a person is asked first. Never stricter than [`super::Judgement::verdict`], except on a machine without cells.
    pub verdict: Verdict,
    /// The way, after a yes if one is needed; `None` if it is blocked.
    pub way: Option<Way>,
}

/// The facts about a line that determine how it can run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells {
    /// This machine can make cells.
    pub(super) there: bool,
    /// No cell can hold the line, and a person may let it run without one.
    pub(super) unconfined: bool,
    /// The line's questions to services of the system.
    pub(super) asks: Asks,
    /// The line's writes can be held back.
    pub(super) stage: bool,
}

impl Cells {
    pub(super) fn of(action: &Action, situation: &Situation) -> Self {
        let script = match action {
            Action::RunCommand { script: Ok(script), .. } => Some(script),
            _ => None,
        };
        let asks = script.map_or(Asks::Nothing, |script| asks(script, situation));
        let stage = matches!(action, Action::RunCommand { .. }) && !situation.stage.is_empty();
        Self { there: situation.cells, unconfined: situation.unconfined, asks, stage }
    }
}
