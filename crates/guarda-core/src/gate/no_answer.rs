//! Why a question got no answer.

use serde::{Deserialize, Serialize};

/// Why a question was withdrawn, or was never put to a person. The record has it as a value, and as an English clause for
/// people.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumIter,
    thiserror::Error,
)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum NoAnswer {
    /// The caller went away.
    #[error("the caller went away")]
    Gone,
    /// The caller cancelled the request.
    #[error("it was called off")]
    CalledOff,
    /// The client that asked its own person withdrew the question.
    #[error("its asker took it back")]
    TakenBack,
    /// A grant that was given while it was open covers it.
    #[error("a grant that was given meanwhile covers it")]
    Granted,
    /// The command went on without waiting for the answer.
    #[error("the command did not wait for the answer")]
    NotAwaited,
    /// A person muted all questions while this one was open.
    #[error("silence was asked for")]
    Silenced,
    /// The guard is shutting down.
    #[error("the guard is shutting down")]
    Closing,
    /// The guard was ended while the question was open.
    #[error("the guard was ended while the question stood")]
    Ended,
    /// The guard runs without a person.
    #[error("the guard runs without a person, so nobody is asked")]
    NoHuman,
    /// The asker is told first: it may do without. A person is asked if it sends the same again.
    #[error("the asker is told first; a person is asked when it sends the same again")]
    ToldFirst,
    /// A yes would do nothing, because no such action exists.
    #[error("the action is not in the vocabulary")]
    UnknownAction,
    /// The task of the question failed.
    #[error("nobody could be asked: the question was lost")]
    Lost,
    /// An open question already has its number.
    #[error("a question with this number is open already")]
    Twice,
    /// Questions are muted.
    #[error("silence was asked for; it lasts {seconds} more seconds")]
    Muted {
        /// For how many more seconds.
        seconds: u64,
    },
    /// A person refused this session too often within a minute.
    #[error("{times} questions of this session were refused within a minute; ask again in {seconds} seconds")]
    Refused {
        /// How many questions were refused.
        times: usize,
        /// After how many seconds the session may ask again.
        seconds: u64,
    },
    /// The system gave no random digit for it.
    #[error("no random digit can be asked for: {error}")]
    NoDigit {
        /// The system's error.
        error: String,
    },
    /// The system gave no random code for it.
    #[error("no random code can be asked for: {error}")]
    NoCode {
        /// The system's error.
        error: String,
    },
    /// The question could not be recorded.
    #[error("the question could not be recorded: {error}")]
    Unrecorded {
        /// The error of the record.
        error: String,
    },
    /// It is in the quiet hours, and nothing but the voice could have told of the question.
    #[error("{lacks}")]
    QuietHours {
        /// What each way of asking lacks, as `NAME: LACK; NAME: LACK`.
        lacks: String,
    },
    /// No way of asking could reach a person.
    #[error("{lacks}")]
    NoChannel {
        /// What each way of asking lacks, as `NAME: LACK; NAME: LACK`.
        lacks: String,
    },
}

#[cfg(test)]
mod tests {
    use super::NoAnswer;
    use strum::IntoEnumIterator as _;

    #[test]
    fn what_the_record_stores_is_read_back() {
        let muted = NoAnswer::Muted { seconds: 12 };
        assert_eq!(
            serde_json::to_value(&muted).unwrap(),
            serde_json::json!({"kind": "muted", "seconds": 12})
        );
        for cause in NoAnswer::iter().chain([muted]) {
            let stored = serde_json::to_string(&cause).unwrap();
            assert_eq!(serde_json::from_str::<NoAnswer>(&stored).unwrap(), cause, "{stored}");
        }
    }

    /// People read these texts in the record.
    #[test]
    fn the_texts_of_records_stay() {
        for (cause, told) in [
            (NoAnswer::Gone, "the caller went away"),
            (NoAnswer::CalledOff, "it was called off"),
            (NoAnswer::TakenBack, "its asker took it back"),
            (NoAnswer::NotAwaited, "the command did not wait for the answer"),
            (NoAnswer::Silenced, "silence was asked for"),
            (NoAnswer::Muted { seconds: 7 }, "silence was asked for; it lasts 7 more seconds"),
            (
                NoAnswer::Refused { times: 2, seconds: 9 },
                "2 questions of this session were refused within a minute; ask again in 9 seconds",
            ),
            (NoAnswer::NoHuman, "the guard runs without a person, so nobody is asked"),
            (NoAnswer::Closing, "the guard is shutting down"),
            (NoAnswer::Ended, "the guard was ended while the question stood"),
            (NoAnswer::UnknownAction, "the action is not in the vocabulary"),
            (NoAnswer::Unrecorded { error: "full".to_owned() }, "the question could not be recorded: full"),
        ] {
            assert_eq!(cause.to_string(), told);
        }
    }
}
