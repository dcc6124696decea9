//! The trusted keyboard: a helper of another user (`guarda-keys`, group `input`) reads the keyboards at the kernel and
//! tells the guard, over a socket, the answer to a question. It works without a display server, and a press that
//! a program makes never counts: the kernel reports where in the machine a device's events come from.
//!
//! The protocol is closed: the guard learns *yes*, *no*, *always* or *write* for one question, and never which
//! key was pressed. A keyboard is read only while an answer is awaited, and no longer than [`LONGEST`].

use serde::{Deserialize, Serialize};

use crate::devices::keys::gesture::{KeyAnswer, KeyGesture, Press};

mod client;
mod layout;
mod machine;
mod origin;
mod presses;
mod serve;
mod terms;

pub use client::{Keyboard, ask_once, helper_uid, status};
pub use layout::Layout;
pub use machine::{Events, Keyboards, Machine, Opened};
pub use origin::{About, judge};
pub use presses::KeyboardPresses;
pub use serve::{helper_main, serve};
pub use terms::KeyboardTerms;

/// Where the helper listens.
pub const SOCKET: &str = "/run/guarda-keys/socket";
/// The user it runs as.
pub const USER: &str = "guarda-keys";
/// The file that says who may ask it, and what it accepts.
pub const TERMS: &str = "/etc/guarda/keys.toml";
/// Longest time for which the keyboards are read for one question, in seconds.
pub const LONGEST: u64 = 600;
/// Longest line of the protocol, in bytes, from the guard.
pub const LINE: usize = 512;

/// A request of the guard: one line of JSON per connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum HelperRequest {
    /// Read the keyboards until this question is answered. Disconnecting withdraws it.
    Ask(KeyboardQuestion),
    /// List the keyboards, and which of them count.
    Status,
}

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyboardQuestion {
    /// Its id, 32 hexadecimal digits; the answer repeats it.
    pub question: String,
    /// The keys that answer.
    pub signs: Vec<KeyGesture>,
    /// Milliseconds of quiet before an answer counts; two seconds at least.
    pub quiet_ms: u64,
    /// The most seconds for which the keyboards are read.
    pub wait_s: u64,
}

impl KeyboardQuestion {
    /// Checks that the request is within its bounds.
    ///
    /// # Errors
    /// The bound that it exceeds.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.question.len() != 32 || !self.question.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("the question has no number of 32 hexadecimal digits");
        }
        let known = |sign: &KeyGesture| match (sign.press, sign.says) {
            (Press::Chord(chord), KeyAnswer::Yes | KeyAnswer::No) => sign.key == chord.letter,
            (Press::Hold, KeyAnswer::Yes) => sign.key == 'Y' || sign.key.is_ascii_digit(),
            (Press::Hold, KeyAnswer::No) => sign.key == 'N',
            (Press::Hold, KeyAnswer::Always) => sign.key == 'A',
            (Press::Hold, KeyAnswer::Session) => sign.key == 'T',
            (Press::Hold, KeyAnswer::Write) => sign.key == 'M',
            (_, KeyAnswer::Spell)
            | (Press::Chord(_), KeyAnswer::Always | KeyAnswer::Session | KeyAnswer::Write) => false,
        };
        let repeated =
            |sign: &KeyGesture| self.signs.iter().filter(|other| other.says == sign.says).count() > 1;
        if !self.signs.iter().all(known) || self.signs.iter().any(repeated) {
            return Err(
                "only Y or a digit may say yes, N no, A always, T for the session and M write, or a chord",
            );
        }
        if !(100..=10_000).contains(&self.quiet_ms) || !(1..=LONGEST).contains(&self.wait_s) {
            return Err("the times are out of their range");
        }
        Ok(())
    }
}

/// The helper's messages: lines of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum HelperMessage {
    /// This many keyboards are read for this question.
    Listening {
        /// The question's number.
        question: String,
        /// The number of keyboards.
        keyboards: usize,
    },
    /// They cannot be read at the moment, for this reason. The helper retries.
    Busy(String),
    /// No answer can come, for this reason. The last line.
    Unable(String),
    /// The answer. The last line.
    Answer {
        /// The question's number.
        question: String,
        /// The answer.
        word: KeyAnswer,
    },
    /// Nobody answered in time. The last line.
    Silence,
    /// The keyboards. The last line.
    Status(Vec<FoundKeyboard>),
}

/// A keyboard that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundKeyboard {
    /// Its node, such as `/dev/input/event3`.
    pub node: String,
    /// The name that it reports itself; it proves nothing.
    pub name: String,
    /// Its position in the machine, from the kernel.
    pub place: String,
    /// Why its presses do not count; `None` if they do.
    pub refused: Option<String>,
    /// The line that enrols it in [`TERMS`], where that is possible.
    pub entry: Option<String>,
}

#[cfg(test)]
mod tests;
