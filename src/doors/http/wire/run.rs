//! How a command is run if the guard runs it.

use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::RunPlan;
use crate::human::Impact;
use guarda_core::output::Protection;
use guarda_core::policy::Verdict;

/// What becomes of a command if the guard runs it. The judgement's own `status` is for a caller who would run it itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Run {
    /// `look` (in a cell that can do no harm), `stage`, `act` (in a sandbox that opens what was approved) or `none` (without
    /// a sandbox); null where it is blocked.
    #[schema(example = "look")]
    way: Option<&'static str>,
    /// Whether a person is asked before: `approved`, `requires_confirmation`, `requires_password` or `blocked`.
    #[schema(example = "approved")]
    status: &'static str,
    /// What it may reach of the network: `none`, `ports` or `all`.
    #[schema(example = "none")]
    network: &'static str,
    /// What its sandbox promises and this machine cannot give.
    lacks: Vec<&'static str>,
}

impl Run {
    /// Without a service: the decision alone. What the machine gives is found out by running.
    #[must_use]
    pub fn decided(decision: guarda_core::judge::RunDecision) -> Self {
        let network = if decision.way == Some(guarda_core::action::Way::None) { "all" } else { "none" };
        Self {
            way: decision.way.map(guarda_core::action::Way::name),
            status: decision.verdict.status(),
            network,
            lacks: Vec::new(),
        }
    }

    /// As a person who is asked sees it.
    pub(in crate::doors::http) fn asked(impact: &Impact) -> Option<Self> {
        let way = impact.way?;
        let (network, lacks) = held(impact.sandbox.as_ref());
        Some(Self { way: Some(way.name()), status: Verdict::Confirm.status(), network, lacks })
    }
}

fn held(sandbox: Option<&Protection>) -> (&'static str, Vec<&'static str>) {
    let Some(held) = sandbox else { return ("none", Vec::new()) };
    (super::network(held), held.lacking.iter().map(|lack| lack.measure.name()).collect())
}

impl From<&RunPlan> for Run {
    fn from(run: &RunPlan) -> Self {
        let (network, lacks) = held(run.sandbox.as_ref());
        Self {
            way: run.decision.way.map(guarda_core::action::Way::name),
            status: run.decision.verdict.status(),
            network,
            lacks,
        }
    }
}
