//! Decides about an event: first by the configured tool lists, then by the guard, as for any other request.

use std::time::Duration;

use guarda_core::policy::{Origin, Tag};
use tokio_util::sync::CancellationToken;

use crate::config::sections::hooks::{Asker, HookRunner, Unknown};
use crate::config::sections::services::{Property, ServiceSection};
use crate::config::{HooksSection, ServicesSection};
use crate::guard::{Fault, Guard, HookDecision, HookOutcome, HookRules, Undoable};
use guarda_core::gate;
use guarda_core::policy::{Finding, MarkCause, Taint, Verdict};
use guarda_journal::Caller;

use super::{Decision, Does, HookEvent};

/// Decides about an event. `None` means that the guard does not decide; the record then holds at most a mark that the
/// session gets.
///
/// # Errors
/// [`Fault`]: the caller denies.
pub async fn decide(
    guard: &Guard,
    (hooks, services, wait): (&HooksSection, &ServicesSection, Duration),
    event: &HookEvent,
    caller: &Caller,
    withdraw: &CancellationToken,
) -> Result<(Decision, Option<HookOutcome>), Fault> {
    let request = event.request();
    let session = guard.own_session(caller, request.session.as_deref())?;
    if event.does == Does::Ends {
        if let Some(session) = &session {
            guard.running().stop(session, None);
            guard.end_grants_of(session);
        }
        return Ok((Decision::Pass, None));
    }
    // A client asks again about the command that its hook substituted. That command is already decided.
    if let Does::Run(line) = &event.does
        && !hooks.denies(&event.tool)
        && guard.is_issued_line(line, session.as_deref())
    {
        let reason = "guarda: approved, and run by the guard".to_owned();
        return Ok((Decision::Allow { reason }, None));
    }
    let service = services.find(&event.tool);
    let declared =
        service.map(|service| serves(service, guard.taint(session.as_deref()))).unwrap_or_default();
    // Unknown tools have unknown output unless the configuration declares them.
    let unknown = matches!(event.does, Does::Unknown(_)) && !hooks.passes(&event.tool);
    let brings = match service {
        Some(service) => service.brings(),
        None if unknown => ServiceSection::UNKNOWN.brings(),
        None => Taint::NONE,
    };
    let findings = match listed(hooks, event, service.is_some()) {
        Some(mut findings) => {
            findings.extend(declared);
            findings
        }
        None if declared.is_empty() => {
            if brings.any() {
                let why = MarkCause::Tool { name: event.tool.clone() };
                guard.recorder().mark(session.as_deref(), brings, &why, caller).await;
            }
            return Ok((Decision::Pass, None));
        }
        None => declared,
    };
    let hand_over = hooks.ask == Asker::Client && event.can_ask;
    let by = match event.does {
        Does::Files(_) => gate::Runner::Tool,
        _ if hooks.run == HookRunner::Guard && event.can_rewrite => gate::Runner::Guard,
        _ => gate::Runner::Caller,
    };
    let planned = match &event.does {
        Does::Files(files) if !event.elsewhere => files.changes(),
        _ => Vec::new(),
    };
    let (tool, title) = (event.tool_use(), event.title.clone());
    let terms = HookRules {
        findings,
        hand_over,
        brings,
        by,
        tool,
        title,
        planned,
        shell: event.client.shell(),
        wait: Some(wait),
    };
    let permit = guard.permit(request, terms, caller, withdraw).await?;
    Ok((decision(&permit), Some(permit)))
}

/// The findings from the tool lists; `None` if the client decides about the tool. `declared` is true if `[services]`
/// declares the tool.
#[must_use]
pub fn listed(hooks: &HooksSection, event: &HookEvent, declared: bool) -> Option<Vec<Finding>> {
    let block = |rule, why| Some(vec![finding(rule, Verdict::Block, 0.9, why)]);
    if hooks.denies(&event.tool) {
        return block("denied-tool", "this tool is on the list of those that are never used");
    }
    if hooks.passes(&event.tool) || matches!(event.does, Does::Nothing | Does::Ends) {
        return None;
    }
    match (&event.does, hooks.unknown_tools) {
        (Does::Unknown(None), _) if declared => None,
        (Does::Unknown(Some(_)), _) if declared => Some(Vec::new()),
        (Does::Unknown(_), Unknown::Pass) => None,
        (Does::Unknown(_), Unknown::Deny) => block("unknown-tool", "the guard does not know this tool"),
        (Does::Unknown(_), Unknown::Ask) => {
            Some(vec![finding("unknown-tool", Verdict::Confirm, 0.5, "the guard does not know this tool")])
        }
        (Does::Run(_) | Does::Files(_) | Does::Fetch(_) | Does::Nothing | Does::Ends, _) => Some(Vec::new()),
    }
}

/// The findings about the use of a declared service in a session with these marks (the matrix of feature P2).
#[must_use]
pub fn serves(service: ServiceSection, taint: Taint) -> Vec<Finding> {
    if service.is_forbidden() {
        let why = "the configuration says that this service is never used";
        return vec![finding("forbidden-service", Verdict::Block, 0.9, why)];
    }
    let mut findings = Vec::new();
    if service.dangerous_writes > Property::No {
        let why = "what this service is told may do harm";
        findings.push(finding("dangerous-service", Verdict::Confirm, 0.6, why));
    }
    if service.public_sink > Property::No && taint.any() {
        let (rule, verdict, why) = if taint.secret {
            ("exfiltration", Verdict::Confirm, "the session has seen secrets, and this can carry them away")
        } else {
            let why = "the session has read text from outside, which may have given it orders, and this is told others";
            ("corrupted-session", Verdict::Review, why)
        };
        let mut tainted = finding(rule, verdict, 0.8, why);
        tainted.tags.extend([Tag::Taint, Tag::Exfiltration]);
        findings.push(tainted);
    }
    findings
}

fn finding(rule: &str, verdict: Verdict, risk: f32, why: &str) -> Finding {
    Finding { tags: vec![Tag::Tool], ..Finding::new(rule, Origin::Config, verdict, risk, why) }
}

/// Translates the outcome of a request into the client's answer.
#[must_use]
pub fn decision(permit: &HookOutcome) -> Decision {
    let lost = match &permit.undo {
        Some(Undoable::Not(why)) => format!("; it cannot be undone: {why}"),
        Some(Undoable::Until(_)) | None => String::new(),
    };
    let approved = || format!("guarda: approved ({}){lost}", permit.decided_by.name());
    match &permit.decision {
        HookDecision::Granted => Decision::Allow { reason: approved() },
        HookDecision::Through(command) => Decision::Run { command: command.clone(), reason: approved() },
        HookDecision::HandedOver => {
            Decision::Ask { reason: format!("guarda: {}", reasons(&permit.findings, permit.verdict)) }
        }
        HookDecision::Refused(_) => {
            let why = permit.refusal.as_ref().map_or("not done", |refusal| refusal.sentence.as_str());
            Decision::Deny { reason: format!("guarda: {why}") }
        }
    }
}

/// The reasons for the strictest verdict with their alternatives, without duplicates.
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
