//! What decides how a line can run.

use crate::action::{Action, Way};
use crate::hosts::NetworkPlan;
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
    /// The line's writes can be held back, and it needs no other machine.
    pub(super) stage: bool,
    /// The line's writes can be held back after a yes to its words.
    pub(super) held: bool,
}

impl Cells {
    pub(super) fn of(action: &Action, situation: &Situation, plan: &NetworkPlan) -> Self {
        let script = match action {
            Action::RunCommand { script: Ok(script), .. } => Some(script),
            _ => None,
        };
        let asks = script.map_or(Asks::Nothing, |script| asks(script, situation));
        let network = &situation.network;
        let can = matches!(action, Action::RunCommand { .. }) && !situation.stage.is_empty();
        // What would reach other machines and names none works on this one alone (`git clone ../x`, which makes hard links, as no overlay
        // can).
        let nowhere = network.reaches && plan.is_empty();
        // What goes on running works on the files themselves: nobody could say when its changes are complete.
        let (stage, held) = (can && !network.reaches, can && !situation.runs_on() && !nowhere);
        Self { there: situation.cells, unconfined: situation.unconfined, asks, stage, held }
    }
}
