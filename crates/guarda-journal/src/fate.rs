//! What became of a request, from its last line. The history, the lists and the counts all ask here, so that one line is
//! called the same everywhere.

use serde::{Deserialize, Serialize};

use super::line::{Facts, LinePosition, RecordEvent};

/// The phase of a permission that was handed to a client's shell, or is kept for the next time: a run of the guard may follow.
pub const HANDED: &str = "handed";

/// What became of a request.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RequestFate {
    /// Done, and nobody was asked: by the rules, or because its held-back changes were harmless.
    DoneUnasked,
    /// Done after a person's yes.
    DoneApproved,
    /// A person said no, or wrote another command instead.
    Denied,
    /// A person was asked, and no valid answer came.
    Expired,
    /// The caller gave the question up.
    Withdrawn,
    /// It needed a yes, and nobody could be asked.
    DeniedUnasked,
    /// The rules forbid it.
    Blocked,
    /// It was tried and did not succeed, or could not be begun.
    Failed,
    /// Its changes could not be held back, so it was asked about by its words, as another request.
    NotHeldBack,
    /// The client may run it itself; the guard does not see the outcome.
    LeftToClient,
    /// It was judged only.
    Judged,
    /// A question waits for its answer.
    Waiting,
    /// It has begun and has no outcome yet.
    Begun,
}

impl RequestFate {
    /// What became of the request of this line, as far as the line tells. `None` for lines that are not about a request
    /// as a whole: those of the record itself, of marks, and of a running command's hosts.
    #[must_use]
    pub fn of(place: &LinePosition, facts: &Facts) -> Option<Self> {
        if place.sequence == 0 {
            return None;
        }
        Some(match place.event {
            RecordEvent::Opened
            | RecordEvent::Marked
            | RecordEvent::Ended
            | RecordEvent::Granted
            | RecordEvent::Guessed
            | RecordEvent::Reloaded
            | RecordEvent::Host => return None,
            // The run that follows has lines of its own.
            RecordEvent::Advice if facts.phase.as_deref() == Some(HANDED) => return None,
            RecordEvent::Asked => Self::Waiting,
            RecordEvent::Intent => Self::Begun,
            RecordEvent::Advice if facts.answered_by.is_some() => Self::LeftToClient,
            RecordEvent::Advice => Self::Judged,
            RecordEvent::Outcome | RecordEvent::Recovered | RecordEvent::Refusal => Self::ended(facts),
        })
    }

    fn ended(facts: &Facts) -> Self {
        match (facts.status.as_deref(), facts.error.as_deref()) {
            // A staged run whose changes wait to be judged.
            (None, _) => Self::Waiting,
            (Some("completed"), None) if facts.answered_by.as_deref() == Some("person") => Self::DoneApproved,
            (Some("completed"), None) => Self::DoneUnasked,
            (Some("denied"), _) => match (facts.answered_by.as_deref(), facts.user_decision.as_deref()) {
                (Some("person"), _) => Self::Denied,
                (_, Some("unasked")) => Self::DeniedUnasked,
                (_, Some("withdrawn")) => Self::Withdrawn,
                _ => Self::Expired,
            },
            (_, Some("forbidden_command")) => Self::Blocked,
            (_, Some("not_staged")) => Self::NotHeldBack,
            _ => Self::Failed,
        }
    }

    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// True if nothing more will become of the request.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Waiting | Self::Begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(event: RecordEvent, facts: [Option<&str>; 4]) -> (LinePosition, Facts) {
        let [status, error, answered_by, user_decision] = facts.map(|text| text.map(str::to_owned));
        let place = LinePosition {
            prev: String::new(),
            line: 1,
            event,
            session_id: "s".to_owned(),
            sequence: 1,
            audit_id: "s_001".to_owned(),
            timestamp: String::new(),
        };
        // What the words alone would require is no part of what became of it.
        let verdict = "requires_confirmation".to_owned();
        (place, Facts { verdict, status, error, answered_by, user_decision, ..Facts::default() })
    }

    #[test]
    fn a_line_tells_what_became_of_its_request() {
        use RecordEvent::{Advice, Asked, Host, Intent, Marked, Opened, Outcome, Recovered, Refusal};
        use RequestFate as Fate;
        let (done, no, error) = (Some("completed"), Some("denied"), Some("error"));
        let (policy, person, nobody) = (Some("policy"), Some("person"), Some("nobody"));
        for (event, status, why, by, decision, fate) in [
            (Outcome, done, None, policy, None, Some(Fate::DoneUnasked)),
            (Outcome, done, None, person, Some("approve"), Some(Fate::DoneApproved)),
            (Outcome, done, None, person, Some("modify"), Some(Fate::DoneApproved)),
            (Outcome, done, Some("not_found"), person, Some("approve"), Some(Fate::Failed)),
            (Outcome, error, Some("timeout"), policy, None, Some(Fate::Failed)),
            (Outcome, error, Some("not_staged"), policy, None, Some(Fate::NotHeldBack)),
            (Outcome, None, None, policy, None, Some(Fate::Waiting)),
            (Recovered, error, Some("unknown"), person, Some("approve"), Some(Fate::Failed)),
            (Refusal, error, Some("forbidden_command"), policy, None, Some(Fate::Blocked)),
            (Refusal, error, Some("password_not_possible"), policy, None, Some(Fate::Failed)),
            (Refusal, no, None, person, Some("deny"), Some(Fate::Denied)),
            (Refusal, no, None, person, Some("modify"), Some(Fate::Denied)),
            (Refusal, no, None, nobody, Some("timeout"), Some(Fate::Expired)),
            (Refusal, no, None, nobody, Some("restart"), Some(Fate::Expired)),
            (Refusal, no, None, nobody, Some("wrong_codes"), Some(Fate::Expired)),
            (Refusal, no, None, nobody, Some("withdrawn"), Some(Fate::Withdrawn)),
            (Refusal, no, None, nobody, Some("unasked"), Some(Fate::DeniedUnasked)),
            (Asked, None, None, None, None, Some(Fate::Waiting)),
            (Intent, None, None, policy, None, Some(Fate::Begun)),
            (Advice, None, None, None, None, Some(Fate::Judged)),
            (Advice, None, None, person, Some("approve"), Some(Fate::LeftToClient)),
            (Host, no, None, policy, None, None),
            (Marked, None, None, None, None, None),
            (Opened, None, None, None, None, None),
        ] {
            let (place, facts) = line(event, [status, why, by, decision]);
            assert_eq!(
                RequestFate::of(&place, &facts),
                fate,
                "{event:?} {status:?} {why:?} {by:?} {decision:?}"
            );
        }
        let (place, facts) = line(Advice, [None, None, person, Some("approve")]);
        let handed = Facts { phase: Some(HANDED.to_owned()), ..facts };
        assert_eq!(RequestFate::of(&place, &handed), None, "its run is listed instead");
        let (place, facts) = line(Recovered, [done, None, None, None]);
        let place = LinePosition { sequence: 0, ..place };
        assert_eq!(RequestFate::of(&place, &facts), None, "a line of the record itself");
    }
}
