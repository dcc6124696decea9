//! The code of a question: four digits that are shown and spoken where it is asked, and nowhere else. Anyone who answers from
//! another place has to know it, since a program of the same user can read the approve token and cannot see the desk.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::human::pending_questions::NotOpen;
use guarda_core::gate::Number;

/// Wrong codes after which a question is denied.
pub const TRIES: u8 = 3;
/// Wrong codes within an [`HOUR`] after which no code counts for the rest of it: three for each of many questions would
/// otherwise be many guesses.
const MOST_WRONG: usize = 9;
/// The time over which wrong codes are counted.
const HOUR: Duration = Duration::from_secs(3600);
/// The greatest multiple of 10,000 that is below 2³²: what lies above it would make some codes likelier than others.
const EVEN: u32 = 4_294_960_000;

/// Four random digits. Only this room can read them: they are neither printed for debugging nor serialised.
pub struct Code(Zeroizing<[u8; 4]>);

impl Code {
    /// Draws one.
    pub(super) fn draw() -> std::io::Result<Self> {
        Self::of(crate::devices::random::bytes::<4>)
    }

    /// Draws one from these bits; each code is as likely as any other.
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

    /// As it is shown: `4 7 1 9`.
    pub(super) fn shown(&self) -> String {
        self.digits(" ")
    }

    /// As it is spoken, digit by digit: `4, 7, 1, 9`.
    pub(super) fn spoken(&self) -> String {
        self.digits(", ")
    }

    fn digits(&self, between: &str) -> String {
        self.0.map(|digit| char::from(digit).to_string()).join(between)
    }

    /// Whether this is the code, compared in constant time. Spaces are as people write them.
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

/// That who answers from elsewhere may say yes to one question. Only the desk makes one, when the code of the question was
/// right or none is asked for; it is used up by the answer.
#[derive(Debug)]
#[must_use]
pub struct Proof {
    number: Number,
}

impl Proof {
    pub(super) fn new(number: Number) -> Self {
        Self { number }
    }

    /// The question that it is for.
    pub(super) fn number(&self) -> Number {
        self.number
    }
}

/// That a browser may be let into the console. Only the desk makes one.
#[derive(Debug)]
#[must_use]
pub struct Admission {
    /// It was let in by a code from the desk; or else there was no desk that could tell one.
    coded: bool,
}

impl Admission {
    /// Whether a code was given for it.
    pub(super) fn coded(&self) -> bool {
        self.coded
    }

    /// One for the tests of who keeps them.
    #[cfg(test)]
    pub(crate) fn made_up() -> Self {
        Self { coded: true }
    }

    /// One with a code, or without.
    pub(super) fn new(coded: bool) -> Self {
        Self { coded }
    }
}

/// Why an answer from elsewhere may not say yes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoProof {
    /// The question takes no answer.
    #[error(transparent)]
    NotOpen(#[from] NotOpen),
    /// No code was given, and one is needed.
    #[error("a code is needed: it is shown and spoken where the question is asked")]
    Required {
        /// How many codes may be tried.
        left: u8,
    },
    /// The code is another one.
    #[error("this is not the code that is shown and spoken where the question is asked")]
    Wrong {
        /// How many codes may still be tried; with none the question is denied.
        left: u8,
    },
    /// No code can be drawn.
    #[error("no random code can be drawn: {0}")]
    Undrawn(String),
    /// Too many wrong codes have come of late.
    #[error("too many wrong codes have come within an hour: only the desk can say yes now")]
    Guessing,
}

/// What is said to a question from elsewhere. A yes takes a proof, so that no door can forget the code.
#[derive(Debug)]
pub enum Elsewhere {
    /// Yes.
    Yes(Proof),
    /// Yes, now and from now on.
    Always(Proof),
    /// Another command in its place.
    Change {
        /// That it may be written.
        proof: Proof,
        /// The command line as the person wrote it.
        text: String,
    },
    /// No; it needs no code.
    No {
        /// Why, in the person's words.
        reason: Option<String>,
    },
    /// The asker took it back.
    Withdrawn {
        /// Why, in words.
        why: String,
    },
}

/// What an answer over the service takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remote {
    /// None is taken.
    Off,
    /// The approve token and the code of the question.
    Code,
    /// The approve token alone: nothing here can tell a code.
    Token,
    /// The approve token alone: it is configured so.
    TokenChosen,
    /// What nobody can have: a code, and nothing here can tell one.
    Nothing,
}

impl Remote {
    /// Whether anybody can answer so.
    #[must_use]
    pub fn takes_answers(self) -> bool {
        matches!(self, Self::Code | Self::Token | Self::TokenChosen)
    }

    /// What it takes, in words.
    #[must_use]
    pub fn detail(self) -> &'static str {
        match self {
            Self::Off => "switched off (server.answer_over_http)",
            Self::Code => {
                "with the approve token and the code of the question, which is shown and spoken here"
            }
            Self::Token => "with the approve token alone: nothing here can show or speak a code",
            Self::TokenChosen => "with the approve token alone (server.answer_code = \"never\")",
            Self::Nothing => {
                "nobody: it takes a code (server.answer_code = \"always\"), and nothing here can show or speak one"
            }
        }
    }

    /// What a person is to know of it at the start, as a whole sentence.
    #[must_use]
    pub fn notice(self) -> Option<&'static str> {
        match self {
            Self::Token => Some(
                "The approve token alone says yes: nothing here can show or speak the code of a question, so every \
                 program of this user that reads the token can answer (docs/answers.md)",
            ),
            Self::Nothing => Some(
                "Nobody can say yes over the service: it takes a code (server.answer_code = \"always\"), and nothing here \
                 can show or speak one",
            ),
            Self::Off | Self::Code | Self::TokenChosen => None,
        }
    }
}

/// The wrong codes of the last hour.
#[derive(Debug, Default)]
pub(super) struct Wrongs(Mutex<Vec<Instant>>);

impl Wrongs {
    fn of_late(&self, now: Instant) -> MutexGuard<'_, Vec<Instant>> {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.retain(|at| now.duration_since(*at) < HOUR);
        times
    }

    /// Counts one more.
    pub(super) fn note(&self, now: Instant) {
        self.of_late(now).push(now);
    }

    /// Whether there have been so many that no code counts now.
    pub(super) fn too_many(&self, now: Instant) -> bool {
        self.of_late(now).len() >= MOST_WRONG
    }
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
        // What lies above the last whole ten thousand is drawn again.
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
            wrongs.note(now);
        }
        assert!(wrongs.too_many(now + HOUR - Duration::from_secs(1)));
        assert!(!wrongs.too_many(now + HOUR));
    }
}
