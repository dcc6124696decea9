//! The code of a question: four digits, shown and spoken only with the question. An answer from elsewhere must include
//! the code, because a program of the same user can read the approve token but cannot see the prompt.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

pub(super) mod login;
pub mod spoken;

use crate::wording::known::Known;
use crate::wording::words::Words;
use guarda_core::gate::{NoAnswer, Number, Question, Span};
use guarda_journal::Journal;

/// The number of wrong codes after which a question is denied.
pub const TRIES: u8 = 3;
/// After this many wrong codes within an [`HOUR`], no code is accepted until the hour is over. Three tries for each of
/// many questions would otherwise add up to many guesses.
const MOST_WRONG: usize = 9;
/// The period over which wrong codes are counted.
const HOUR: Duration = Duration::from_secs(3600);
/// The greatest multiple of 10,000 below 2³². Random values from here up are discarded, since they would make some
/// codes likelier than others.
const EVEN: u32 = 4_294_960_000;

/// Four random digits. Only this room can read them; the type can be neither printed for debugging nor serialised.
pub struct Code(Zeroizing<[u8; 4]>);

impl Code {
    /// Draws a code.
    pub(super) fn draw() -> std::io::Result<Self> {
        Self::of(crate::devices::random::bytes::<4>)
    }

    /// Derives a code from a source of random bits. All codes are equally likely.
    pub(super) fn of(mut random: impl FnMut() -> std::io::Result<[u8; 4]>) -> std::io::Result<Self> {
        let number = loop {
            let drawn = u32::from_le_bytes(random()?);
            if drawn < EVEN {
                break drawn % 10_000;
            }
        };
        let digit = |power: u32| b'0' + u8::try_from(number / power % 10).unwrap_or_default();
        Ok(Self(Zeroizing::new([digit(1000), digit(100), digit(10), digit(1)])))
    }

    /// The code as shown: `4 7 1 9`.
    pub(super) fn shown(&self) -> String {
        self.digits(" ")
    }

    /// The code as spoken, digit by digit: `4, 7, 1, 9`.
    pub(super) fn spoken(&self) -> String {
        self.digits(", ")
    }

    fn digits(&self, between: &str) -> String {
        self.0.map(|digit| char::from(digit).to_string()).join(between)
    }

    /// Compares a given code in constant time. Spaces are ignored.
    pub(super) fn is(&self, given: &str) -> bool {
        let given: Zeroizing<Vec<u8>> =
            Zeroizing::new(given.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect());
        self.0.as_slice().ct_eq(&given).into()
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Code")
    }
}

/// The proof that an answer from elsewhere brings.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// The question's code.
    pub code: Option<&'a str>,
    /// The digest of the changes that the person has seen, in hexadecimal.
    pub shown: Option<&'a str>,
}

/// Permission for an answer from elsewhere to say yes to one question, with how much of the question was shown there.
/// Only the prompter creates one, after the right code or where no code is required. The answer consumes it.
#[derive(Debug)]
#[must_use]
pub struct Proof {
    number: Number,
    known: Known,
}

impl Proof {
    pub(super) fn new(number: Number, known: Known) -> Self {
        Self { number, known }
    }

    /// How much of the question was shown.
    pub(super) fn known(&self) -> Known {
        self.known
    }

    /// The question that this proof is for.
    pub(super) fn number(&self) -> Number {
        self.number
    }
}

/// Permission for a browser to enter the console. Only the prompter creates one.
#[derive(Debug)]
#[must_use]
pub struct Admission {
    /// True if a code was given; false if nothing could show or speak a code.
    coded: bool,
}

impl Admission {
    /// Whether a code was given.
    pub(super) fn coded(&self) -> bool {
        self.coded
    }

    /// A proof for tests.
    #[cfg(test)]
    pub(crate) fn made_up() -> Self {
        Self { coded: true }
    }

    /// A proof with a code, or without.
    pub(super) fn new(coded: bool) -> Self {
        Self { coded }
    }
}

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOpen {
    /// The question never existed, or was settled long ago.
    #[error("there is no question with this number")]
    Unknown,
    /// It was answered, was withdrawn, or has expired.
    #[error("the question is settled already")]
    Settled,
    /// The question does not offer *always*, because the answer cannot be remembered.
    #[error("this question takes yes or no: what is asked cannot be allowed once and for all")]
    NotOffered,
    /// Its command cannot be replaced.
    #[error("this question takes yes or no, and no other command")]
    Fixed,
    /// This channel may not say yes to it (`[channels]`). It may say no.
    #[error("this way of answering may not say yes to a question of this risk; it may say no")]
    Rank,
    /// The answering channel has not shown or spoken everything that a yes requires.
    #[error(
        "its changes must be read in full before a yes: in the terminal, in the console, or with `guarda approve`"
    )]
    Unread,
    /// The replacement is not a command.
    #[error(transparent)]
    Misread(#[from] guarda_core::action::Misread),
}

/// Why an answer from elsewhere may not say yes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoProof {
    /// The question does not accept this answer.
    #[error(transparent)]
    NotOpen(#[from] NotOpen),
    /// A code is needed, and none was given.
    #[error("a code is needed: it is shown and spoken where the question is asked")]
    Required {
        /// How many attempts are left.
        left: u8,
    },
    /// The code is wrong.
    #[error("this is not the code that is shown and spoken where the question is asked")]
    Wrong {
        /// How many attempts are left; at 0 the question is denied.
        left: u8,
    },
    /// The system provided no random bytes for a code.
    #[error("no random code can be drawn: {0}")]
    Undrawn(String),
    /// There were too many wrong codes recently.
    #[error("too many wrong codes within an hour: only a direct answer at the prompt can say yes now")]
    Guessing,
}

/// An answer from elsewhere. A yes requires a [`Proof`], so a door cannot skip the check of the code.
#[derive(Debug)]
pub enum Elsewhere {
    /// Yes.
    Yes(Proof),
    /// Yes, now and for this long.
    Lasting(Proof, Span),
    /// Replace the command.
    Change {
        /// The proof for this question.
        proof: Proof,
        /// The command line as the person wrote it.
        text: String,
    },
    /// No. It needs no code.
    No {
        /// The reason, in the person's words.
        reason: Option<String>,
    },
    /// The caller withdrew the request.
    Withdrawn {
        /// The reason.
        why: NoAnswer,
    },
}

/// What an answer over the service must include.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remote {
    /// No answer is accepted.
    Off,
    /// The approve token and the question's code.
    Code,
    /// The approve token alone, because nothing here can show or speak a code.
    Token,
    /// The approve token alone, by configuration.
    TokenChosen,
    /// A code is required but nothing here can show or speak one, so no answer is possible.
    Nothing,
}

impl Remote {
    /// Whether an answer is possible.
    #[must_use]
    pub fn takes_answers(self) -> bool {
        matches!(self, Self::Code | Self::Token | Self::TokenChosen)
    }

    /// The requirement in words.
    #[must_use]
    pub fn detail(self, words: &Words) -> String {
        match self {
            Self::Off => words.say("status-off", &[("key", "server.answer_over_http".into())]),
            Self::Code => words.say("ready-http-code", &[]),
            Self::Token => words.say("ready-http-token", &[]),
            Self::TokenChosen => words.say("ready-http-chosen", &[]),
            Self::Nothing => words.say("ready-http-nothing", &[]),
        }
    }

    /// The id of the message that notifies a person of this at the start; `None` if there is nothing to notify.
    #[must_use]
    pub fn notice(self) -> Option<&'static str> {
        match self {
            Self::Token => Some("degraded-token"),
            Self::Nothing => Some("degraded-code"),
            Self::Off | Self::Code | Self::TokenChosen => None,
        }
    }
}

/// The wrong codes of the last hour. The record has them, so that a restart forgets none.
#[derive(Debug, Default)]
pub(super) struct Wrongs {
    times: Mutex<Vec<Instant>>,
    record: OnceLock<Journal>,
}

impl Wrongs {
    fn of_late(&self, now: Instant) -> MutexGuard<'_, Vec<Instant>> {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.retain(|at| now.duration_since(*at) < HOUR);
        times
    }

    /// Counts the wrong codes of this record, and records those that follow. A time ahead of the clock counts as now.
    pub(super) fn kept_in(&self, record: &Journal, now: Instant) {
        let clock = jiff::Timestamp::now();
        let ages = record.carried().wrong_codes.iter().map(|at| clock.duration_since(*at));
        let times = ages.filter_map(|age| now.checked_sub(Duration::try_from(age).unwrap_or_default()));
        self.of_late(now).extend(times);
        // Once: there is one record.
        let _ = self.record.set(record.clone());
    }

    /// Counts a wrong code that came through this channel.
    pub(super) fn note(&self, now: Instant, channel: &str) {
        self.of_late(now).push(now);
        if let Some(Err(error)) = self.record.get().map(|record| record.guessed(channel)) {
            tracing::warn!(%error, "a wrong code could not be recorded");
        }
    }

    /// Whether too many wrong codes were counted, so that no code is accepted now.
    pub(super) fn too_many(&self, now: Instant) -> bool {
        self.of_late(now).len() >= MOST_WRONG
    }
}

/// A random digit from 2 to 9 for a question of high risk: a letter, unlike the digit, could be pressed blindly.
pub(super) fn digit_of(
    question: &Question,
    from_risk: f32,
    random: impl FnOnce() -> std::io::Result<[u8; 4]>,
) -> std::io::Result<Option<char>> {
    let risk = question.findings.iter().map(|finding| finding.risk).fold(0.0, f32::max);
    if risk < from_risk { Ok(None) } else { digit(random).map(Some) }
}

/// A digit that nobody can foresee.
pub(super) fn digit(random: impl FnOnce() -> std::io::Result<[u8; 4]>) -> std::io::Result<char> {
    let digit = char::from_digit(2 + u32::from_le_bytes(random()?) % 8, 10);
    digit.ok_or_else(|| std::io::Error::other("no digit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(number: u32) -> Code {
        Code::of(|| Ok(number.to_le_bytes())).unwrap()
    }

    #[test]
    fn each_code_is_as_likely_and_none_is_foretold() {
        for (number, shown) in [(0, "0 0 0 0"), (4719, "4 7 1 9"), (14_719, "4 7 1 9"), (EVEN - 1, "9 9 9 9")]
        {
            assert_eq!(fixed(number).shown(), shown);
        }
        // Values of [`EVEN`] and above are discarded and drawn again.
        let mut drawn = [EVEN, u32::MAX, 42].into_iter();
        let code = Code::of(|| Ok(drawn.next().unwrap().to_le_bytes())).unwrap();
        assert_eq!((code.shown().as_str(), drawn.next()), ("0 0 4 2", None));
        assert!(Code::of(|| Err(std::io::Error::other("the well is dry"))).is_err());
        assert_eq!(EVEN % 10_000, 0);
        assert_eq!((u32::MAX - EVEN) / 10_000, 0);
    }

    #[test]
    fn only_the_four_digits_are_the_code() {
        let code = fixed(4719);
        for (given, right) in [
            ("4719", true),
            (" 4 7 1 9\n", true),
            ("", false),
            ("471", false),
            ("47190", false),
            ("04719", false),
            ("4718", false),
            ("4,7,1,9", false),
            ("٤٧١٩", false),
        ] {
            assert_eq!(code.is(given), right, "{given:?}");
        }
        assert_eq!(format!("{code:?}"), "Code");
        assert_eq!(code.spoken(), "4, 7, 1, 9");
    }

    #[test]
    fn nine_wrong_codes_within_an_hour_are_enough() {
        let (wrongs, now) = (Wrongs::default(), Instant::now());
        for _ in 0..MOST_WRONG {
            assert!(!wrongs.too_many(now));
            wrongs.note(now, "http");
        }
        assert!(wrongs.too_many(now + HOUR - Duration::from_secs(1)));
        assert!(!wrongs.too_many(now + HOUR));
    }

    #[test]
    fn a_restart_forgets_no_wrong_code() {
        let place = tempfile::tempdir().unwrap();
        let open =
            || Journal::open(guarda_journal::JournalConfig::new(place.path().join("journal"))).unwrap();
        for start in 0..3 {
            let (record, wrongs, now) = (open(), Wrongs::default(), Instant::now());
            wrongs.kept_in(&record, now);
            assert!(!wrongs.too_many(now), "{start}");
            for _ in 0..MOST_WRONG / 3 {
                wrongs.note(now, "http");
            }
            record.shut();
        }
        let (record, wrongs, now) = (open(), Wrongs::default(), Instant::now());
        wrongs.kept_in(&record, now);
        assert!(wrongs.too_many(now) && wrongs.too_many(now + HOUR - Duration::from_secs(60)));
        assert!(!wrongs.too_many(now + HOUR));
    }
}
