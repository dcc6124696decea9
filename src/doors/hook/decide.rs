//! The decision about an event: the lists of tools, then the guard like any other request.

use tokio_util::sync::CancellationToken;

use crate::config::Hooks;
use crate::config::hooks::{Asker, Unknown};
use crate::guard::{Fault, Guard, Leave, Outcome, Permit, Terms};
use crate::policy::{Finding, Verdict};
use crate::record::Caller;

use super::{Decision, Does, Event};

/// Decides about an event. `None` beside the decision where the guard has no say in it, and nothing was written.
///
/// # Errors
/// [`Fault`]: the caller denies.
pub async fn decide(
    guard: &Guard,
    hooks: &Hooks,
    event: &Event,
    caller: &Caller,
    withdraw: &CancellationToken,
) -> Result<(Decision, Option<Permit>), Fault> {
    let Some(findings) = listed(hooks, event) else { return Ok((Decision::Pass, None)) };
    let hand_over = hooks.ask == Asker::Client && event.can_ask;
    let permit = guard.permit(event.request(), Terms { findings, hand_over }, caller, withdraw).await?;
    Ok((decision(&permit), Some(permit)))
}

/// What the lists of tools add to the judgement; `None` where the tool is left to the client.
#[must_use]
pub fn listed(hooks: &Hooks, event: &Event) -> Option<Vec<Finding>> {
    let block = |rule, why| Some(vec![finding(rule, Verdict::Block, 0.9, why)]);
    if hooks.denies(&event.tool) {
        return block("denied-tool", "this tool is on the list of those that are never used");
    }
    if hooks.passes(&event.tool) || event.does == Does::Nothing {
        return None;
    }
    match (&event.does, hooks.unknown_tools) {
        (Does::Unknown(_), Unknown::Pass) => None,
        (Does::Unknown(_), Unknown::Deny) => block("unknown-tool", "the guard does not know this tool"),
        (Does::Unknown(_), Unknown::Ask) => {
            Some(vec![finding("unknown-tool", Verdict::Confirm, 0.5, "the guard does not know this tool")])
        }
        (Does::Run(_) | Does::Files(_) | Does::Fetch(_) | Does::Nothing, _) => Some(Vec::new()),
    }
}

fn finding(rule: &str, verdict: Verdict, risk: f32, why: &str) -> Finding {
    Finding {
        rule: rule.to_owned(),
        layer: "config".to_owned(),
        verdict,
        span: None,
        why: why.to_owned(),
        instead: None,
        risk,
        tags: vec!["tool".to_owned()],
    }
}

/// What the client is told of the end of its request.
#[must_use]
pub fn decision(permit: &Permit) -> Decision {
    let strictest = || reasons(&permit.findings, permit.verdict);
    let said = permit.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    match permit.leave {
        Leave::Granted => {
            Decision::Allow { reason: format!("guarda: approved ({})", permit.decided_by.name()) }
        }
        Leave::HandedOver => Decision::Ask { reason: format!("guarda: {}", strictest()) },
        Leave::Refused(outcome) => {
            let why = match outcome {
                Outcome::Blocked => format!("not allowed: {}", strictest()),
                Outcome::Denied if permit.decided_by.name().starts_with("person") => {
                    format!("the user said no{said}")
                }
                Outcome::Expired => format!("nobody answered in time, so it is not done: {}", strictest()),
                Outcome::Denied | Outcome::Withdrawn | Outcome::Failed | Outcome::Done => {
                    format!("not done{said}")
                }
            };
            Decision::Deny { reason: format!("guarda: {why}") }
        }
    }
}

/// The reasons of the strictest verdict, with what to do instead; each once.
#[must_use]
pub fn reasons(findings: &[Finding], verdict: Verdict) -> String {
    let mut told: Vec<String> = Vec::new();
    for finding in findings.iter().filter(|finding| finding.verdict == verdict).take(3) {
        let instead = finding.instead.as_ref().map(|instead| format!("; instead: {instead}"));
        let text = format!("{} ({}){}", finding.why, finding.rule, instead.unwrap_or_default());
        if !told.contains(&text) {
            told.push(text);
        }
    }
    if told.is_empty() { "no rule allows it".to_owned() } else { told.join("; ") }
}
