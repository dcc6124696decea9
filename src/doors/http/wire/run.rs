//! The JSON of how the guard runs a command.

use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::RunPlan;
use crate::human::Impact;
use guarda_core::output::Protection;
use guarda_core::policy::Verdict;

/// What happens if the guard runs a command. The judgement's own `status` is for a caller who would run it itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Run {
    /// `look` (in a cell that can do no harm), `stage` (with its changes held back), `act` (in a sandbox that opens
    /// what was approved) or `none` (without a sandbox); null for a blocked command.
    #[schema(example = "look")]
    way: Option<&'static str>,
    /// Whether a person is asked first: `approved`, `requires_confirmation`, `requires_password` or `blocked`.
    #[schema(example = "approved")]
    status: &'static str,
    /// Its network access: `none`, `ports` or `all`.
    #[schema(example = "none")]
    network: &'static str,
    /// The measures that its sandbox promises but this machine cannot provide.
    lacks: Vec<&'static str>,
}

impl Run {
    /// Without a service: the decision alone. Only a run shows what the machine can provide.
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
