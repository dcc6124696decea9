//! Builds the reply for each outcome, and says what is spoken about it.

use crate::guard::reply::{DecidedBy, Outcome, Reply, RunPlan};
use crate::prompt::Prompter;
use crate::wording::describe::effect::homely;
use crate::wording::{FoundText, Left, Message, RefusalNote, ToolUse};
use guarda_core::action::vocabulary::ActionKind;
use guarda_core::action::{Action, Language, Way};
use guarda_core::gate::{Cause, NoAnswer, Refusal};
use guarda_core::judge::Judgement;
use guarda_core::output::{Ended, Output};
use guarda_core::policy::Verdict;
use guarda_journal::{Open, Receipt};
use guarda_shell::script::Fault;

/// The context of every reply, besides the outcome.
#[derive(Clone, Copy)]
pub(in crate::guard) struct Teller<'a> {
    pub(in crate::guard) prompter: &'a Prompter,
    pub(in crate::guard) id: uuid::Uuid,
    /// The reader's language, used if the request names none. `None`: the spoken language.
    pub(in crate::guard) reader: Option<Language>,
}

/// The reply for an action that was not done. The prompter has already spoken about a person's own answer.
pub(in crate::guard) fn refused(
    teller: Teller<'_>,
    refusal: &Refusal,
    (kept, tool): (bool, Option<&ToolUse>),
    receipt: Receipt,
) -> Reply {
    let judgement = refusal.judgement();
    let subject = judgement.subject();
    let person = |channel: &String| DecidedBy::Person(channel.clone());
    let (outcome, decided_by, error, message, aloud) = match refusal.cause() {
        Cause::Policy => {
            let strictest = judgement.findings().first();
            (Outcome::Blocked, DecidedBy::Policy, Some("blocked"), Message::Blocked(strictest), true)
        }
        Cause::NoPassword => {
            (Outcome::Blocked, DecidedBy::Policy, Some("password_needed"), Message::PasswordOff, true)
        }
        Cause::Person { channel, .. } => (Outcome::Denied, person(channel), None, Message::Cancelled, false),
        // Replaced text goes through the pipeline again. It ends here only if the caller runs the action itself.
        Cause::Changed { channel, .. } => (Outcome::Denied, person(channel), None, Message::Cancelled, false),
        Cause::Silence => (Outcome::Expired, DecidedBy::Timeout, Some("no_answer"), Message::TimeOut, false),
        Cause::WrongCodes { .. } => {
            (Outcome::Denied, DecidedBy::Guard, Some("wrong_codes"), Message::WrongCodes, false)
        }
        Cause::Withdrawn { .. } => (Outcome::Withdrawn, DecidedBy::Caller, None, Message::Withdrawn, false),
        Cause::Unasked { .. } if let Action::Unknown { said } = &subject.action => {
            let heard = Some(said.as_str()).filter(|said| *said != ActionKind::Unknown.name());
            let heard = heard.filter(|said| !guarda_core::action::pose::poses_as_guard(said));
            (Outcome::Failed, DecidedBy::Guard, Some("unknown_action"), Message::Unknown(heard), true)
        }
        Cause::Unasked { why: NoAnswer::ToldFirst } => {
            (Outcome::Denied, DecidedBy::Guard, Some("told_first"), Message::ToldFirst, false)
        }
        Cause::Unasked { why: NoAnswer::NoHuman } => {
            (Outcome::Denied, DecidedBy::Guard, Some("nobody_to_ask"), Message::NoHuman, true)
        }
        Cause::Unasked { .. } => {
            (Outcome::Denied, DecidedBy::Guard, Some("nobody_to_ask"), Message::Unasked, true)
        }
        Cause::Mismatch => (Outcome::Denied, DecidedBy::Guard, Some("wrong_answer"), Message::Mismatch, true),
    };
    let reason = match refusal.cause() {
        Cause::Person { reason, .. } => reason.clone(),
        Cause::Withdrawn { why } | Cause::Unasked { why } => Some(why.to_string()),
        Cause::Policy
        | Cause::NoPassword
        | Cause::Changed { .. }
        | Cause::Silence
        | Cause::WrongCodes { .. }
        | Cause::Mismatch => None,
    };
    let message = say(teller, judgement, &message, aloud);
    let modified = refusal.original().and_then(|_| written(judgement));
    let (receipt, words) = (Some(receipt), crate::wording::words(languages(teller, judgement).1));
    let refusal = Some(RefusalNote::new(words, refusal, kept, tool));
    Reply {
        error,
        message,
        reason,
        refusal,
        receipt,
        modified,
        ..bare(teller.id, judgement, outcome, decided_by)
    }
}

/// The reply for an action that cannot be done here, so that nobody was asked about it.
pub(in crate::guard) fn impossible(teller: Teller<'_>, judgement: &Judgement, output: Output) -> Reply {
    let action = &judgement.subject().action;
    let (error, message) = match &output.ended {
        Ended::NotFound(name) => ("not_found", Message::NotFound(action, name)),
        Ended::Unavailable(why) => ("unavailable", Message::Failed(action, Some(why))),
        Ended::Failed(why) => ("failed", Message::Failed(action, Some(why))),
        Ended::Changed(what) => ("changed", Message::Changed(action, what)),
        _ => ("failed", Message::Failed(action, None)),
    };
    let message = say(teller, judgement, &message, true);
    let error = Some(error);
    Reply {
        error,
        message,
        output: Some(output),
        ..bare(teller.id, judgement, Outcome::Failed, DecidedBy::Guard)
    }
}

/// Whether the line names a sub-command that its program does not have.
fn is_misspelt(judgement: &Judgement) -> bool {
    judgement.findings().iter().any(|finding| finding.rule == "misspelt" && finding.verdict == Verdict::Block)
}

/// Whether bash would run no part of this command line.
fn is_broken(action: &Action) -> bool {
    matches!(action, Action::RunCommand { script: Err(unsure), .. } if unsure.fault == Fault::Broken)
}

/// The reply for an action that was done or tried; the caller adds output and receipt.
pub(in crate::guard) fn done(teller: Teller<'_>, open: &Open, output: &Output) -> Reply {
    let (judgement, by) = (open.judgement(), open.by());
    let action = &judgement.subject().action;
    let shown = homely(action, teller.prompter.home());
    let decided_by = DecidedBy::from(by);
    let command = matches!(action, Action::RunCommand { .. });
    let hidden = output.sandbox.as_ref().map_or(&[][..], |held| held.hidden.as_slice());
    let (outcome, error, message) = match (&output.ended, output.exit_code) {
        _ if output.withheld => (Outcome::Failed, Some("redaction_failure"), Message::Withheld(action)),
        (Ended::Finished, _) if let Action::Reply { text } = action => {
            (Outcome::Done, None, Message::Reply(text))
        }
        (Ended::Finished, Some(1..)) if is_broken(action) => {
            (Outcome::Failed, Some("syntax_error"), Message::Broken)
        }
        (Ended::Finished, Some(code @ 1..)) if is_misspelt(judgement) => {
            (Outcome::Failed, Some("no_such_command"), Message::ExitStatus(action, code))
        }
        (Ended::Finished, _) if !hidden.is_empty() => (Outcome::Done, None, Message::Hidden(hidden)),
        (Ended::Finished, None | Some(0)) => {
            // What comes from another machine is not said in the guard's name.
            let here = |_: &FoundText<'_>| judgement.network().is_empty();
            let found = FoundText::of(action, &output.stdout).filter(here);
            let message = match found {
                Some(answer) => Message::Result(answer),
                None => Message::Done(&shown, output.now.as_ref()),
            };
            (Outcome::Done, None, message)
        }
        (Ended::Finished, Some(code)) => (Outcome::Done, None, Message::ExitStatus(action, code)),
        (Ended::NotFound(name), _) if command => {
            (Outcome::Failed, Some("command_not_found"), Message::CommandMissing(name))
        }
        (Ended::NotFound(name), _) => (Outcome::Failed, Some("not_found"), Message::NotFound(action, name)),
        (Ended::TimedOut, _) => (Outcome::Failed, Some("timeout"), Message::TooSlow(action)),
        (Ended::Cancelled, _) => (Outcome::Failed, Some("cancelled"), Message::Stopped(action)),
        (Ended::Signalled(_), _) => (Outcome::Failed, Some("signalled"), Message::Signal(action)),
        (Ended::NoPlayer, _) => (Outcome::Failed, Some("no_player"), Message::NoPlayer),
        (Ended::Unavailable(why), _) => {
            (Outcome::Failed, Some("unavailable"), Message::Failed(action, Some(why)))
        }
        (Ended::Failed(why), _) => (Outcome::Failed, Some("failed"), Message::Failed(action, Some(why))),
        (Ended::Changed(what), _) => (Outcome::Failed, Some("changed"), Message::Changed(action, what)),
    };
    let message = match left(open, output) {
        Some(left) => Message::Left(Box::new(message), left),
        None => message,
    };
    // Policy-approved actions are not announced (feature M5). A person who was asked hears the outcome.
    let asked = by.is_person();
    let refused = matches!(error, Some("syntax_error" | "no_such_command"));
    let failed = outcome != Outcome::Done && !refused;
    let aloud = asked || failed || matches!(message, Message::Reply(_));
    let message = say(teller, judgement, &message, aloud);
    let modified = open.original().and_then(|_| written(judgement));
    Reply { error, message, modified, ..bare(teller.id, judgement, outcome, decided_by) }
}

/// What is left of an action that did not come to its end: by the way in which it ran, not by how it ended.
fn left(open: &Open, output: &Output) -> Option<Left> {
    let judgement = open.judgement();
    let command = matches!(judgement.subject().action, Action::RunCommand { .. });
    match (&output.ended, open.way()) {
        _ if output.withheld => None,
        (Ended::Cancelled | Ended::TimedOut | Ended::Failed(_), Way::Look | Way::Stage) => {
            Some(Left::Nothing)
        }
        // What it changed until then was committed.
        (Ended::Signalled(_), Way::Stage) if judgement.effects().is_some() => Some(Left::Part),
        (Ended::Signalled(_) | Ended::Changed(_), Way::Stage) => Some(Left::Nothing),
        (Ended::Cancelled | Ended::TimedOut | Ended::Signalled(_), Way::Act | Way::None) if command => {
            Some(Left::Part)
        }
        (Ended::Cancelled, _) => Some(Left::Perhaps),
        (Ended::Failed(_), _) if command => Some(Left::Perhaps),
        _ => None,
    }
}

/// The command that a person wrote, for the caller. Its secrets are hidden, because the person did not mean them for
/// it.
fn written(judgement: &Judgement) -> Option<String> {
    let Action::RunCommand { text, .. } = &judgement.subject().action else { return None };
    guarda_core::output::redact(text).ok().map(|redacted| redacted.text)
}

/// Returns the message in the request's language, or in the reader's if the request names none. If `aloud`, also speaks it, in the
/// request's or the prompter's language.
fn say(teller: Teller<'_>, judgement: &Judgement, message: &Message<'_>, aloud: bool) -> String {
    let (spoken, read) = languages(teller, judgement);
    if aloud {
        let told = teller.prompter.tell(message, spoken);
        if read == spoken {
            return told;
        }
    }
    message.text(crate::wording::words(read))
}

/// The language of speech, and that of the reader.
fn languages(teller: Teller<'_>, judgement: &Judgement) -> (Language, Language) {
    let named = judgement.subject().claims.language.as_deref();
    let spoken = teller.prompter.language(named);
    (spoken, teller.reader.filter(|_| named.is_none()).unwrap_or(spoken))
}

/// Reports a decision to the collector, if there is one: its kind, rules and end, and nothing that was asked.
fn report(id: uuid::Uuid, judgement: &Judgement, outcome: Outcome, decided_by: &DecidedBy) {
    // The fields are made only if a collector wants them.
    let rules = || judgement.findings().iter().map(|finding| finding.rule.as_str()).collect::<Vec<_>>();
    let span = tracing::info_span!(
        "decision",
        %id,
        action = judgement.subject().action.kind().entry().name,
        status = judgement.run().verdict.status(),
        outcome = outcome.name(),
        decided_by = decided_by.name(),
        rules = rules().join(" "),
        risk = f64::from(judgement.risk()),
    );
    drop(span);
}

fn bare(id: uuid::Uuid, judgement: &Judgement, outcome: Outcome, decided_by: DecidedBy) -> Reply {
    report(id, judgement, outcome, &decided_by);
    let command = matches!(judgement.subject().action, Action::RunCommand { .. });
    Reply {
        id,
        verdict: judgement.run().verdict,
        run: command.then(|| RunPlan {
            decision: judgement.run(),
            sandbox: None,
            network: std::sync::Arc::clone(judgement.network()),
        }),
        outcome,
        decided_by,
        error: None,
        message: String::new(),
        reason: None,
        refusal: None,
        modified: None,
        findings: judgement.findings().to_vec(),
        risk: judgement.risk(),
        history: judgement.history().cloned(),
        output: None,
        sandbox: None,
        receipt: None,
        effects: None,
        undo: None,
        taint: judgement.taint(),
    }
}
