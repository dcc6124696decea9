//! A refusal as the caller is told it, in one sentence: what would have been done, who refused, why, and what to do instead.

use guarda_core::gate::{Cause, NoAnswer, Refusal};
use guarda_core::policy::{Origin, Verdict};

use crate::wording::describe::effect::effect;
use crate::wording::describe::staged::Staged;
use crate::wording::describe::tool::ToolUse;
use crate::wording::plain::visible;
use crate::wording::reason;
use crate::wording::refusal::no_answer;
use crate::wording::words::Words;

/// The most rules that a refusal names.
const RULES: usize = 3;

/// A refusal, for a program or a model.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = Refusal)]
pub struct RefusalNote {
    /// Who refused: `person`, `time` (nobody answered), `nobody` (nobody could be asked), `rules`, `limit` (too many refusals
    /// in a minute), `caller` (it was taken back), or `guard` (the answer did not count).
    #[schema(value_type = String, example = "person")]
    pub by: RefusedBy,
    /// What would have been done: for a command that was held back, what it would have changed.
    pub would: String,
    /// Why: a person's own words, the rules, or what prevented the question.
    pub why: Option<String>,
    /// What to do instead.
    pub instead: String,
    /// All of it in one sentence, in the language of the message.
    pub sentence: String,
}

/// Who refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr, strum::EnumIter)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RefusedBy {
    /// A person.
    Person,
    /// Nobody answered in time.
    Time,
    /// Nobody could be asked.
    Nobody,
    /// The rules.
    Rules,
    /// The session was refused too often within a minute.
    Limit,
    /// The caller took it back.
    Caller,
    /// The guard: the answer did not count.
    Guard,
    /// A cell, and nobody was asked yet.
    Cell,
}

impl RefusalNote {
    /// Describes a refusal. `kept`: a late yes is kept for the same request. `tool`: the client's own tool that would have run.
    #[must_use]
    pub fn new(words: &Words, refusal: &Refusal, kept: bool, tool: Option<&ToolUse>) -> Self {
        let plain = |id: &str| words.say(id, &[]);
        let answer = |why: &NoAnswer| Some(no_answer(words, why));
        let (by, why, instead) = match refusal.cause() {
            Cause::Policy => {
                let (why, instead) = by_rules(words, refusal);
                (RefusedBy::Rules, why, instead)
            }
            Cause::NoPassword => {
                (RefusedBy::Rules, Some(plain("refused-password")), plain("refused-do-password"))
            }
            Cause::Person { reason: Some(reason), .. } => {
                (RefusedBy::Person, Some(visible(reason)), plain("refused-do-reason"))
            }
            Cause::Person { .. } | Cause::Changed { .. } => {
                (RefusedBy::Person, None, plain("refused-do-other"))
            }
            Cause::Silence if kept => (RefusedBy::Time, None, plain("refused-do-late")),
            Cause::Silence => (RefusedBy::Time, None, plain("refused-do-later")),
            Cause::WrongCodes { .. } => {
                (RefusedBy::Guard, Some(plain("refused-codes")), plain("refused-do-later"))
            }
            Cause::Withdrawn { why } => (RefusedBy::Caller, answer(why), plain("refused-do-again")),
            Cause::Unasked { why: why @ NoAnswer::Refused { seconds, .. } } => {
                let instead = words.say("refused-do-limit", &[("seconds", (*seconds).into())]);
                (RefusedBy::Limit, answer(why), instead)
            }
            Cause::Unasked {
                why: why @ (NoAnswer::Muted { .. } | NoAnswer::Silenced | NoAnswer::QuietHours { .. }),
            } => (RefusedBy::Nobody, answer(why), plain("refused-do-quiet")),
            Cause::Unasked { why: NoAnswer::ToldFirst } => {
                let tried = refusal.judgement().findings().iter().find(|one| one.origin == Origin::Hands);
                let why = tried.map(|finding| reason::why(words, finding));
                (RefusedBy::Cell, why, plain("refused-do-insist"))
            }
            Cause::Unasked { why: why @ NoAnswer::NoHuman } => {
                (RefusedBy::Nobody, answer(why), plain("refused-do-alone"))
            }
            Cause::Unasked { why: why @ NoAnswer::UnknownAction } => {
                (RefusedBy::Guard, answer(why), plain("refused-do-known"))
            }
            Cause::Unasked { why } => (RefusedBy::Nobody, answer(why), plain("refused-do-reach")),
            Cause::Mismatch => (RefusedBy::Guard, None, plain("refused-do-again")),
        };
        let (what, would) = would(words, refusal, tool);
        let name: &'static str = by.into();
        let who = words.say(&format!("refused-{name}"), &[("what", what.into())]);
        let told = [("who", who.into()), ("instead", instead.clone().into())];
        let sentence = match &why {
            None => words.say("refused", &told),
            Some(why) => {
                let [who, instead] = told;
                let why = why.trim().trim_end_matches('.').to_owned();
                words.say("refused-because", &[who, ("why", why.into()), instead])
            }
        };
        Self { by, would, why, instead, sentence }
    }
}

/// What the rules say against it, and what they suggest.
fn by_rules(words: &Words, refusal: &Refusal) -> (Option<String>, String) {
    let blocking = refusal.judgement().findings().iter().filter(|finding| finding.verdict == Verdict::Block);
    let (mut reasons, mut instead) = (Vec::new(), Vec::new());
    for finding in blocking {
        let reason = format!("{} ({})", reason::why(words, finding), visible(&finding.rule));
        let suggested = reason::suggested(words, finding);
        if reasons.len() < RULES && !reasons.contains(&reason) {
            reasons.push(reason);
            instead.extend(suggested.filter(|suggested| !instead.contains(suggested)));
        }
    }
    let instead = if instead.is_empty() { words.say("refused-do-rules", &[]) } else { instead.join("; ") };
    ((!reasons.is_empty()).then(|| reasons.join("; ")), instead)
}

/// What would have been done: as the object of a sentence, and by itself.
fn would(words: &Words, refusal: &Refusal, tool: Option<&ToolUse>) -> (String, String) {
    let judgement = refusal.judgement();
    let subject = judgement.subject();
    let cwd = subject.claims.cwd.as_deref().unwrap_or_default();
    let staged = judgement
        .effects()
        .and_then(|effects| Staged { effects, undo_days: None, home: "", cwd }.changes(words));
    match staged {
        Some(changes) => (words.say("refused-what-staged", &[("what", changes.clone().into())]), changes),
        None => {
            let of_tool = tool.map(|tool| tool.effect(words, "", cwd));
            let effect = of_tool.unwrap_or_else(|| effect(words, &subject.action));
            (words.say("refused-what", &[("effect", effect.clone().into())]), effect)
        }
    }
}

#[cfg(test)]
mod tests {
    use guarda_core::action::{Language, Proposal, Request};
    use guarda_core::gate::{Number, Passage, Runner, Says};
    use guarda_core::policy::{Policy, Profile, Situation};

    use super::*;
    use crate::wording::words::words;

    /// The refusal of a question about this line that gets this answer.
    fn refusal(line: &str, says: Says) -> Refusal {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(line.to_owned().into()),
            ..Request::default()
        };
        let policy = Policy::load(Profile::Desktop, &[]).unwrap();
        let judgement =
            guarda_core::judge::judge(&policy, Proposal::parse(request).unwrap(), &Situation::default());
        match guarda_core::gate::enter(judgement, Runner::Caller, Number([1; 16]), false) {
            Passage::Ask(pending) => {
                let answer = pending.question().answer(says);
                pending.settle(answer).unwrap_err()
            }
            Passage::Shut(refusal) => refusal,
            Passage::Clear(_) => panic!("{line} is not asked about"),
        }
    }

    #[test]
    fn every_refusal_says_who_what_why_and_what_instead_in_every_language() {
        let (channel, reason) = ("http".to_owned(), Some("not\u{1b}[2J this".to_owned()));
        let muted = NoAnswer::Muted { seconds: 9 };
        let refused = NoAnswer::Refused { times: 10, seconds: 9 };
        let lacks = NoAnswer::NoChannel { lacks: "keys: off".to_owned() };
        for (line, says, by, why) in [
            ("rm a", Says::No { channel: channel.clone(), reason: None }, RefusedBy::Person, false),
            ("rm a", Says::No { channel: channel.clone(), reason }, RefusedBy::Person, true),
            ("rm a", Says::Silence, RefusedBy::Time, false),
            ("rm a", Says::WrongCodes { channel }, RefusedBy::Guard, true),
            ("rm a", Says::Withdrawn { why: NoAnswer::Gone }, RefusedBy::Caller, true),
            ("rm a", Says::Unasked { why: muted }, RefusedBy::Nobody, true),
            ("rm a", Says::Unasked { why: refused }, RefusedBy::Limit, true),
            ("rm a", Says::Unasked { why: lacks }, RefusedBy::Nobody, true),
            ("rm -rf /", Says::Silence, RefusedBy::Rules, true),
        ] {
            let refusal = refusal(line, says.clone());
            for language in Language::ALL {
                let words = words(language);
                let note = RefusalNote::new(words, &refusal, false, None);
                assert_eq!((note.by, note.why.is_some()), (by, why), "{language}: {says:?}");
                assert!(!note.sentence.contains("refused-") && !note.sentence.contains('\u{1b}'), "{note:?}");
                assert!(note.sentence.contains(&note.instead), "{note:?}");
                assert!(note.would.len() > 3 && note.sentence.contains(&note.would), "{note:?}");
                assert!(!note.sentence.trim_end_matches('.').contains(". "), "one sentence: {note:?}");
            }
        }
        let late = RefusalNote::new(words(Language::English), &refusal("rm a", Says::Silence), true, None);
        assert!(late.instead.contains("ten minutes"), "{late:?}");
    }
}
