//! Why a question got no answer.

use std::fmt;

/// Why a question was withdrawn, or was never put to a person. As text it is an English clause, which the record stores.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum NoAnswer {
    /// The caller went away.
    Gone,
    /// The caller cancelled the request.
    CalledOff,
    /// The client that asked its own person withdrew the question.
    TakenBack,
    /// The command went on without waiting for the answer.
    NotAwaited,
    /// A person muted all questions while this one was open.
    Silenced,
    /// The guard is shutting down.
    Closing,
    /// The guard was ended while the question was open.
    Ended,
    /// A yes would do nothing, because no such action exists.
    UnknownAction,
    /// The task of the question failed.
    Lost,
    /// An open question already has its number.
    Twice,
    /// Questions are muted.
    Muted {
        /// For how many more seconds.
        seconds: u64,
    },
    /// A person refused this session too often within a minute.
    Refused {
        /// How many questions were refused.
        times: usize,
        /// After how many seconds the session may ask again.
        seconds: u64,
    },
    /// The system gave no random digit for it: its error.
    NoDigit(String),
    /// The system gave no random code for it: its error.
    NoCode(String),
    /// The question could not be recorded: the error.
    Unrecorded(String),
    /// It is in the quiet hours, and nothing but the voice could have told of the question: what each way of asking
    /// lacks.
    QuietHours(String),
    /// No way of asking could reach a person: what each lacks, as `NAME: LACK; NAME: LACK`.
    NoChannel(String),
    /// A text of another version.
    Other(String),
}

const MUTED: (&str, &str) = ("silence was asked for; it lasts ", " more seconds");
const REFUSED: (&str, &str) =
    (" questions of this session were refused within a minute; ask again in ", " seconds");
const NO_DIGIT: &str = "no random digit can be asked for: ";
const NO_CODE: &str = "no random code can be asked for: ";
const UNRECORDED: &str = "the question could not be recorded: ";
/// The beginning of what the voice lacks in the quiet hours.
const QUIET: &str = "speech: quiet hours (";

impl NoAnswer {
    /// The variants without values.
    pub const PLAIN: [Self; 10] = [
        Self::Gone,
        Self::CalledOff,
        Self::TakenBack,
        Self::NotAwaited,
        Self::Silenced,
        Self::Closing,
        Self::Ended,
        Self::UnknownAction,
        Self::Lost,
        Self::Twice,
    ];

    /// Reads a stored text.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let plain = || Self::PLAIN.into_iter().find(|one| one.plain() == Some(text));
        let after = |start: &str, make: fn(String) -> Self| Some(make(text.strip_prefix(start)?.to_owned()));
        plain()
            .or_else(|| muted(text))
            .or_else(|| refused(text))
            .or_else(|| after(NO_DIGIT, Self::NoDigit))
            .or_else(|| after(NO_CODE, Self::NoCode))
            .or_else(|| after(UNRECORDED, Self::Unrecorded))
            .or_else(|| text.starts_with(QUIET).then(|| Self::QuietHours(text.to_owned())))
            .or_else(|| names_a_channel(text).then(|| Self::NoChannel(text.to_owned())))
            .unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    /// The text of a variant without values.
    fn plain(&self) -> Option<&'static str> {
        match self {
            Self::Gone => Some("the caller went away"),
            Self::CalledOff => Some("it was called off"),
            Self::TakenBack => Some("its asker took it back"),
            Self::NotAwaited => Some("the command did not wait for the answer"),
            Self::Silenced => Some("silence was asked for"),
            Self::Closing => Some("the guard is shutting down"),
            Self::Ended => Some("the guard was ended while the question stood"),
            Self::UnknownAction => Some("the action is not in the vocabulary"),
            Self::Lost => Some("nobody could be asked: the question was lost"),
            Self::Twice => Some("a question with this number is open already"),
            Self::Muted { .. }
            | Self::Refused { .. }
            | Self::NoDigit(_)
            | Self::NoCode(_)
            | Self::Unrecorded(_)
            | Self::QuietHours(_)
            | Self::NoChannel(_)
            | Self::Other(_) => None,
        }
    }
}

fn muted(text: &str) -> Option<NoAnswer> {
    let seconds = text.strip_prefix(MUTED.0)?.strip_suffix(MUTED.1)?.parse().ok()?;
    Some(NoAnswer::Muted { seconds })
}

fn refused(text: &str) -> Option<NoAnswer> {
    let (times, seconds) = text.strip_suffix(REFUSED.1)?.split_once(REFUSED.0)?;
    Some(NoAnswer::Refused { times: times.parse().ok()?, seconds: seconds.parse().ok()? })
}

/// True if a text begins with the name of a way of asking, as in `speech: no daemon; http: off`.
fn names_a_channel(text: &str) -> bool {
    let name = text.split_once(": ").map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase()))
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Muted { seconds } => write!(out, "{}{seconds}{}", MUTED.0, MUTED.1),
            Self::Refused { times, seconds } => {
                write!(out, "{times}{}{seconds}{}", REFUSED.0, REFUSED.1)
            }
            Self::NoDigit(error) => write!(out, "{NO_DIGIT}{error}"),
            Self::NoCode(error) => write!(out, "{NO_CODE}{error}"),
            Self::Unrecorded(error) => write!(out, "{UNRECORDED}{error}"),
            Self::QuietHours(text) | Self::NoChannel(text) | Self::Other(text) => out.write_str(text),
            plain => out.write_str(plain.plain().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NoAnswer;

    #[test]
    fn what_the_record_stores_is_read_back() {
        let text = |text: &str| text.to_owned();
        let others = [
            NoAnswer::Muted { seconds: 59 },
            NoAnswer::Refused { times: 3, seconds: 58 },
            NoAnswer::NoDigit(text("no entropy: yet")),
            NoAnswer::NoCode(text("no entropy")),
            NoAnswer::Unrecorded(text("the disk is full")),
            NoAnswer::QuietHours(text("speech: quiet hours (22:00-07:00, speech.quiet_hours); http: off")),
            NoAnswer::NoChannel(text("speech: no daemon; http: off")),
            NoAnswer::Other(text("no screen")),
            NoAnswer::Other(text("nobody was there: today")),
        ];
        for cause in NoAnswer::PLAIN.into_iter().chain(others) {
            assert_eq!(NoAnswer::read(&cause.to_string()), cause);
        }
    }

    /// Older records hold these texts.
    #[test]
    fn the_texts_of_records_stay() {
        for (stored, cause) in [
            ("the caller went away", NoAnswer::Gone),
            ("it was called off", NoAnswer::CalledOff),
            ("its asker took it back", NoAnswer::TakenBack),
            ("the command did not wait for the answer", NoAnswer::NotAwaited),
            ("silence was asked for", NoAnswer::Silenced),
            ("silence was asked for; it lasts 7 more seconds", NoAnswer::Muted { seconds: 7 }),
            (
                "2 questions of this session were refused within a minute; ask again in 9 seconds",
                NoAnswer::Refused { times: 2, seconds: 9 },
            ),
            ("the guard is shutting down", NoAnswer::Closing),
            ("the guard was ended while the question stood", NoAnswer::Ended),
            ("the action is not in the vocabulary", NoAnswer::UnknownAction),
            ("the question could not be recorded: full", NoAnswer::Unrecorded("full".to_owned())),
        ] {
            assert_eq!(NoAnswer::read(stored), cause, "{stored}");
        }
    }
}
