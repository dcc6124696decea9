//! Builds the content of lines from judgements, answers and outcomes. Secrets are hidden here, before anything is
//! written.

mod cleaner;
mod ends;

use cleaner::Cleaner;
pub(super) use ends::{ended_at_start, kept_ended};
use guarda_core::policy::{Origin, Tag};

use guarda_core::action::{Action, Way};
use guarda_core::effects::{Change, Entry};
use guarda_core::gate::{Approved, ApprovedHosts, Cause, Decider, Pending, Refusal};
use guarda_core::judge::Judgement;
use guarda_core::network::{Destination, HostRule, Why};
use guarda_core::output::traffic::HostTraffic;
use guarda_core::output::{Ended, Output, RedactionFailure};
use guarda_core::policy::{Finding, MarkCause, Taint, Verdict};

use crate::carried::{GrantStep, WITHDRAWN};
use crate::chain::hex;
use crate::line::{EFFECTS, EffectFact, Facts, HostFact, LineCause, RecordedReason};
use crate::proof::{Caller, HostStep};

/// The longest part of the output in a line, in characters (feature S11).
const SUMMARY: usize = 200;

/// The facts of a judgement, whatever its outcome.
pub(super) fn judged(
    judgement: &Judgement,
    caller: &Caller,
    policy: Option<&str>,
) -> Result<Facts, RedactionFailure> {
    let mut clean = Cleaner::default();
    let subject = judgement.subject();
    let verdict = judgement.verdict();
    let kind = subject.action.kind();
    let command = match &subject.action {
        Action::RunCommand { text, .. } => text.clone(),
        other => format!("{} {}", kind.name(), other.object()).trim_end().to_owned(),
    };
    let mut findings = Vec::with_capacity(judgement.findings().len());
    for finding in judgement.findings() {
        findings.push(reason(finding, &mut clean)?);
    }
    let mut facts = Facts {
        command: clean.text(&command)?,
        reasoning: clean.text(subject.claims.reasoning.as_deref().unwrap_or_default())?,
        classification: Some(classification(verdict).to_owned()),
        tier_triggered: tier(judgement),
        environment: environment(&subject.action).to_owned(),
        kind: kind.name().to_owned(),
        digest: hex(&crate::chain::hash(subject.action.canonical().as_bytes())),
        verdict: verdict.status().to_owned(),
        risk: judgement.risk(),
        findings,
        door: caller.door.clone(),
        caller: clean.text(&caller.name)?,
        cwd: subject.claims.cwd.as_deref().map(|cwd| clean.text(cwd)).transpose()?,
        policy: policy.map(str::to_owned),
        taint: names(judgement.taint()),
        ..Facts::default()
    };
    let undo = matches!(subject.action, Action::Undo { .. });
    facts.phase = undo.then(|| "undo".to_owned());
    if let Some(effects) = judgement.effects() {
        facts.phase.get_or_insert_with(|| "commit".to_owned());
        let sought = effects.tried.sought.iter().map(|one| clean.text(&one.to_string()));
        facts.tried = sought.collect::<Result<_, _>>()?;
        facts.effects_digest = Some(hex(&effects.digest()));
        let listed = effects.changes.iter().take(EFFECTS).map(|change| effect(change, &mut clean));
        facts.effects = listed.collect::<Result<_, _>>()?;
    }
    let network = judgement.network();
    facts.hosts =
        network.hosts.iter().take(EFFECTS).map(|rule| host(rule, &mut clean)).collect::<Result<_, _>>()?;
    facts.whole_network =
        network.whole.iter().map(|whole| clean.text(&whole.program)).collect::<Result<_, _>>()?;
    clean.note(&mut facts);
    Ok(facts)
}

/// A host that the command may reach.
fn host(rule: &HostRule, clean: &mut Cleaner) -> Result<HostFact, RedactionFailure> {
    let why = match &rule.why {
        Why::Word { .. } => "word".to_owned(),
        Why::Tool { tool } => format!("tool {tool}"),
        Why::Remote { remote } => format!("remote {}", clean.text(remote)?),
        Why::Policy { .. } => "policy".to_owned(),
        Why::Tried => "tried".to_owned(),
        Why::Answer => "answer".to_owned(),
        Why::All => "all".to_owned(),
    };
    Ok(HostFact { host: clean.text(&rule.host.to_string())?, ports: rule.ports.clone().into(), why })
}

/// One change of a staged run.
fn effect(change: &Change, clean: &mut Cleaner) -> Result<EffectFact, RedactionFailure> {
    let below = change.is.as_ref().or(change.was.as_ref()).map_or(0, |entry| entry.below.files);
    Ok(EffectFact {
        path: clean.text(&change.path.to_string_lossy())?,
        change: change.kind().name().to_owned(),
        from: change.from.as_ref().map(|from| clean.text(&from.to_string_lossy())).transpose()?,
        was_bytes: change.was.as_ref().map(Entry::bytes),
        is_bytes: change.is.as_ref().map(Entry::bytes),
        files: below,
    })
}

fn names(taint: Taint) -> Vec<String> {
    taint.names().map(str::to_owned).collect()
}

/// Adds why, in words and as a value.
fn because(facts: &mut Facts, cause: &LineCause, clean: &mut Cleaner) -> Result<(), RedactionFailure> {
    facts.reason = Some(clean.text(&cause.to_string())?);
    facts.cause = clean.value(cause)?;
    Ok(())
}

/// The facts of a change of marks; `now` is the session's marks afterwards.
pub(super) fn marked(now: Taint, why: MarkCause, caller: &Caller) -> Result<Facts, RedactionFailure> {
    let mut clean = Cleaner::default();
    let mut facts = Facts {
        command: format!(
            "session: {}",
            if now.any() { names(now).join(", ") } else { "no marks".to_owned() }
        ),
        door: caller.door.clone(),
        caller: clean.text(&caller.name)?,
        environment: "local".to_owned(),
        taint: names(now),
        ..Facts::default()
    };
    because(&mut facts, &LineCause::Marks(why), &mut clean)?;
    clean.note(&mut facts);
    Ok(facts)
}

/// The facts of a change of what is allowed for good.
pub(super) fn granted(step: &GrantStep<'_>) -> Result<Facts, RedactionFailure> {
    let mut clean = Cleaner::default();
    let kind: &'static str = step.grant.into();
    let by = if step.channel.is_some() { "person" } else { "policy" };
    let mut facts = Facts {
        command: clean.text(if step.command.is_empty() { step.folder } else { step.command })?,
        cwd: Some(clean.text(step.folder)?),
        kind: kind.to_owned(),
        digest: step.command_hash.to_owned(),
        user_decision: Some(if step.given { "approve" } else { WITHDRAWN }.to_owned()),
        answered_by: Some(by.to_owned()),
        channel: step.channel.map(str::to_owned),
        reason: step.reason.map(|reason| clean.text(reason)).transpose()?,
        grant: step.terms.map(|terms| clean.text(terms)).transpose()?,
        environment: "local".to_owned(),
        ..Facts::default()
    };
    clean.note(&mut facts);
    Ok(facts)
}

/// The facts of a wrong code.
pub(super) fn guessed(channel: &str) -> Facts {
    let (channel, environment) = (Some(channel.to_owned()), "local".to_owned());
    Facts { channel, environment, ..Facts::default() }
}

/// The facts of changed rules.
pub(super) fn reloaded(sections: &str, policy: &str) -> Facts {
    Facts {
        command: sections.to_owned(),
        policy: Some(policy.to_owned()),
        environment: "local".to_owned(),
        ..Facts::default()
    }
}

/// Adds that a person is asked.
pub(super) fn asked(mut facts: Facts, pending: &Pending) -> Result<Facts, RedactionFailure> {
    facts.question = Some(pending.question().number.to_string());
    changed(&mut facts, pending.original())?;
    Ok(facts)
}

/// Adds who approved it.
pub(super) fn approved(mut facts: Facts, approved: &Approved) -> Result<Facts, RedactionFailure> {
    facts.question = approved.question().map(|number| number.to_string());
    let command = matches!(approved.judgement().subject().action, Action::RunCommand { .. });
    facts.way = command.then(|| approved.way().name().to_owned());
    if facts.phase.is_none() && command && approved.way() == Way::Stage {
        facts.phase = Some("staged".to_owned());
    }
    match approved.by() {
        Decider::Policy => {
            facts.action = Some("auto_approved".to_owned());
            facts.answered_by = Some("policy".to_owned());
        }
        Decider::Grant { grants } => {
            let numbers: Vec<String> = grants.iter().map(ToString::to_string).collect();
            facts.grant = Some(numbers.join(", "));
            facts.action = Some("auto_approved".to_owned());
            facts.answered_by = Some("grant".to_owned());
        }
        Decider::Person { channel } => {
            facts.action = Some("user_approved".to_owned());
            facts.user_decision = Some("approve".to_owned());
            facts.answered_by = Some("person".to_owned());
            facts.channel = Some(channel.clone());
        }
    }
    changed(&mut facts, approved.original())?;
    if facts.modified_command.is_some() {
        facts.action = Some("user_modified".to_owned());
        facts.user_decision = Some("modify".to_owned());
    }
    Ok(facts)
}

/// If a person replaced the command: adds the requested command and its outcome.
fn changed(facts: &mut Facts, original: Option<&str>) -> Result<(), RedactionFailure> {
    let Some(original) = original else { return Ok(()) };
    let mut clean = Cleaner::default();
    let written = std::mem::replace(&mut facts.command, clean.text(original)?);
    facts.modified_command = Some(written);
    clean.note(facts);
    Ok(())
}

/// Adds why the action is not done.
pub(super) fn refused(mut facts: Facts, refusal: &Refusal) -> Result<Facts, RedactionFailure> {
    let mut clean = Cleaner::default();
    facts.question = refusal.question().map(|number| number.to_string());
    changed(&mut facts, refusal.original())?;
    if facts.phase.as_deref() == Some("commit") {
        facts.phase = Some("discard".to_owned());
    }
    not_done(&mut facts, refusal.cause(), &mut clean)?;
    clean.note(&mut facts);
    Ok(facts)
}

/// Adds who said no, and how.
fn not_done(facts: &mut Facts, cause: &Cause, clean: &mut Cleaner) -> Result<(), RedactionFailure> {
    let (status, error, action, decision, by) = match cause {
        Cause::Policy => ("error", Some("forbidden_command"), None, None, "policy"),
        Cause::NoPassword => ("error", Some("password_not_possible"), None, None, "policy"),
        Cause::Person { channel, reason } => {
            facts.channel = Some(channel.clone());
            facts.reason = reason.as_deref().map(|reason| clean.text(reason)).transpose()?;
            ("denied", None, Some("user_denied"), Some("deny"), "person")
        }
        Cause::Changed { channel, text } => {
            facts.channel = Some(channel.clone());
            facts.modified_command = Some(clean.text(text)?);
            ("denied", None, Some("user_modified"), Some("modify"), "person")
        }
        Cause::Silence => ("denied", None, Some("user_abandoned"), Some("timeout"), "nobody"),
        Cause::WrongCodes { channel } => {
            facts.channel = Some(channel.clone());
            ("denied", None, Some("user_abandoned"), Some("wrong_codes"), "nobody")
        }
        Cause::Withdrawn { why } => {
            because(facts, &LineCause::Question(why.clone()), clean)?;
            ("denied", None, Some("user_abandoned"), Some("withdrawn"), "nobody")
        }
        Cause::Unasked { why } => {
            because(facts, &LineCause::Question(why.clone()), clean)?;
            ("denied", None, Some("user_abandoned"), Some("unasked"), "nobody")
        }
        Cause::Mismatch => ("denied", None, Some("user_abandoned"), Some("mismatch"), "nobody"),
    };
    facts.status = Some(status.to_owned());
    facts.error = error.map(str::to_owned);
    facts.action = action.map(str::to_owned);
    facts.user_decision = decision.map(str::to_owned);
    facts.answered_by = Some(by.to_owned());
    Ok(())
}

/// The facts of a step about hosts that a run wants; `of` are the facts of its intent.
pub(super) fn wanted(
    of: &Facts,
    wanted: &[Destination],
    step: HostStep<'_>,
) -> Result<Facts, RedactionFailure> {
    let mut clean = Cleaner::default();
    let one = |to: &Destination, clean: &mut Cleaner| {
        let host = clean.text(&to.host.to_string())?;
        Ok(HostFact { host, ports: vec![to.port], why: String::new() })
    };
    let mut facts = Facts {
        command: of.command.clone(),
        modified_command: of.modified_command.clone(),
        environment: of.environment.clone(),
        kind: of.kind.clone(),
        digest: of.digest.clone(),
        door: of.door.clone(),
        caller: of.caller.clone(),
        cwd: of.cwd.clone(),
        policy: of.policy.clone(),
        taint: of.taint.clone(),
        hosts: wanted.iter().map(|to| one(to, &mut clean)).collect::<Result<_, _>>()?,
        ..Facts::default()
    };
    match step {
        HostStep::Asked(number) => facts.question = Some(number.to_string()),
        HostStep::Answered(number, answer) => {
            facts.question = Some(number.to_string());
            match answer {
                Ok(approved) => allowed(&mut facts, approved),
                Err(cause) => not_done(&mut facts, cause, &mut clean)?,
            }
        }
        HostStep::Kept(number, approved) => {
            facts.question = Some(number.to_string());
            because(&mut facts, &LineCause::LateYes, &mut clean)?;
            allowed(&mut facts, approved);
        }
        HostStep::Granted(grant, approved) => {
            allowed(&mut facts, approved);
            facts.answered_by = Some("grant".to_owned());
            facts.grant = Some(grant.to_string());
        }
        HostStep::Refused(why) => {
            facts.status = Some("denied".to_owned());
            facts.answered_by = Some("policy".to_owned());
            because(&mut facts, &LineCause::Host(why.clone()), &mut clean)?;
        }
    }
    clean.note(&mut facts);
    Ok(facts)
}

/// A person's yes to hosts.
fn allowed(facts: &mut Facts, approved: &ApprovedHosts) {
    facts.status = Some("completed".to_owned());
    facts.action = Some("user_approved".to_owned());
    facts.user_decision = Some(if approved.all() { "approve_all_hosts" } else { "approve" }.to_owned());
    facts.answered_by = Some("person".to_owned());
    facts.channel = Some(approved.channel().to_owned());
}

/// Adds the outcome.
pub(super) fn done(mut facts: Facts, output: &Output) -> Result<Facts, RedactionFailure> {
    let mut clean = Cleaner::default();
    let shown = if output.stdout.trim().is_empty() { &output.stderr } else { &output.stdout };
    let (status, error, words) = match end(&output.ended) {
        _ if output.withheld => ("error", Some("redaction_failure"), None),
        ended => ended,
    };
    facts.status = Some(status.to_owned());
    facts.error = error.map(str::to_owned);
    facts.ended = words.map(|words| clean.text(words)).transpose()?;
    facts.exit_code = output.exit_code;
    let listed = output.hosts.iter().take(crate::line::HOSTS).map(|host| traffic(host, &mut clean));
    facts.traffic = listed.collect::<Result<_, _>>()?;
    facts.sandbox = output.sandbox.as_ref().map(ToString::to_string);
    facts.output_summary = Some(clean.text(&shown.chars().take(SUMMARY).collect::<String>())?);
    facts.output_truncated = output.metadata.truncation_applied;
    facts.anonymization_applied = output.metadata.anonymization_applied;
    facts.duration_seconds = Some(output.duration.as_secs_f64());
    clean.kinds.extend(output.metadata.redaction_categories.iter().cloned());
    clean.note(&mut facts);
    Ok(facts)
}

/// What a run exchanged with a host. A person's reason for a no may hold a secret.
fn traffic(host: &HostTraffic, clean: &mut Cleaner) -> Result<HostTraffic, RedactionFailure> {
    let reasons = host.reasons.iter().map(|reason| clean.text(reason)).collect::<Result<_, _>>()?;
    let refusals = host.refusals.iter().filter_map(|why| clean.value(why).transpose());
    let refusals = refusals.collect::<Result<_, _>>()?;
    Ok(HostTraffic { reasons, refusals, ..host.clone() })
}

/// Adds the facts of a staged run whose effects wait: there is no status yet.
pub(super) fn held(facts: Facts, output: &Output) -> Result<Facts, RedactionFailure> {
    let facts = done(facts, output)?;
    Ok(Facts { status: None, error: None, ended: None, ..facts })
}

/// Adds why a command could not be run with its changes held back.
pub(super) fn not_staged(facts: Facts, output: &Output, why: &str) -> Result<Facts, RedactionFailure> {
    let mut facts = done(facts, output)?;
    let mut clean = Cleaner::default();
    facts.status = Some("error".to_owned());
    facts.error = Some("not_staged".to_owned());
    facts.ended = Some(clean.text(why)?);
    clean.note(&mut facts);
    Ok(facts)
}

/// Status and error of feature S12, and words for details that these two do not express.
fn end(ended: &Ended) -> (&'static str, Option<&'static str>, Option<&str>) {
    match ended {
        Ended::Finished => ("completed", None, None),
        Ended::NotFound(name) => ("completed", Some("not_found"), Some(name)),
        Ended::TimedOut => ("error", Some("timeout"), None),
        Ended::Cancelled => ("error", Some("cancelled"), None),
        Ended::Signalled(_) => ("error", Some("signalled"), None),
        Ended::NoPlayer => ("error", Some("no_player"), None),
        Ended::Unavailable(why) => ("error", Some("unavailable"), Some(&why.detail)),
        Ended::Failed(why) => ("error", Some("failed"), Some(&why.detail)),
        Ended::Changed(what) => ("error", Some("changed_since_approval"), Some(what)),
    }
}

fn reason(finding: &Finding, clean: &mut Cleaner) -> Result<RecordedReason, RedactionFailure> {
    Ok(RecordedReason {
        rule: finding.rule.clone(),
        layer: finding.origin.name().to_owned(),
        verdict: finding.verdict.to_string(),
        why: clean.text(&finding.why)?,
        risk: finding.risk,
        tags: finding.tags.iter().map(|tag| tag.name().to_owned()).collect(),
    })
}

fn classification(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Block => "FORBIDDEN",
        Verdict::Allow => "SAFE",
        Verdict::Review | Verdict::Confirm | Verdict::Password => "RISKY",
    }
}

/// The tier (feature S2) of the strictest finding.
fn tier(judgement: &Judgement) -> Option<u8> {
    let (first, action) = (judgement.findings().first(), &judgement.subject().action);
    match judgement.verdict() {
        Verdict::Allow => None,
        Verdict::Block => Some(0),
        Verdict::Review | Verdict::Confirm | Verdict::Password => Some(match first {
            None => 1,
            Some(finding) if matches!(finding.origin, Origin::Default | Origin::Reader) => 1,
            Some(finding) if finding.is_about(&Tag::Remote) && environment(action) == AZURE => 2,
            Some(_) => 3,
        }),
    }
}

/// What [`environment`] calls the command line of Azure.
const AZURE: &str = "azure";

/// The environment of the command: feature S11 distinguishes Azure from this machine.
fn environment(action: &Action) -> &'static str {
    let first = match action {
        Action::RunCommand { text, .. } => text.split_whitespace().next().unwrap_or_default(),
        _ => "",
    };
    if first == "az" || first.ends_with("/az") { AZURE } else { "local" }
}
