//! The trusted keyboard: a helper of another user (`guarda-keys`, group `input`) reads the keyboards at the kernel and
//! tells the guard, over a socket, what was answered to a question. It works without a display server, and a press that
//! a program makes never counts: the kernel says from where in the machine a device's events come.
//!
//! What is asked and told is closed: the one who asks learns *yes*, *no*, *always* or *write* for one question, and never which
//! key was pressed; a keyboard is read only while somebody waits for an answer, and no longer than [`LONGEST`].

use serde::{Deserialize, Serialize};

use super::gesture::Gesture;

mod client;
mod layout;
mod machine;
mod origin;
mod presses;
mod serve;
mod terms;

pub use client::{Keyboard, Seen, Watching, ask_once, helper_uid, status};
pub use layout::Layout;
pub use machine::Machine;
pub use origin::{About, judge};
pub use presses::Presses;
pub use serve::{Events, Keyboards, Opened, helper_main, serve};
pub use terms::Terms;

/// Where the helper listens.
pub const SOCKET: &str = "/run/guarda-keys/socket";
/// The user it runs as.
pub const USER: &str = "guarda-keys";
/// Who may ask it, and what it accepts.
pub const TERMS: &str = "/etc/guarda/keys.toml";
/// Longest time for which the keyboards are read for one question, in seconds.
pub const LONGEST: u64 = 600;
/// Longest line of the protocol, in bytes, from the guard.
pub const LINE: usize = 512;

/// What the guard says: one line of JSON, once a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Wish {
    /// Read the keyboards until this question is answered. Hanging up takes it back.
    Ask(Ask),
    /// Say which keyboards there are and which of them count.
    Status,
}

/// A question that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Its number, 32 hexadecimal digits; comes back with the answer.
    pub question: String,
    /// The key that says yes: `Y`, or a digit.
    pub yes: char,
    /// What that key must go through.
    pub gesture: Gesture,
    /// Whether `A` says yes from now on.
    pub always: bool,
    /// Whether `M` says that something is to be written.
    pub write: bool,
    /// Milliseconds without a press before one says no.
    pub quiet_ms: u64,
    /// Seconds for which the keyboards are read at most.
    pub wait_s: u64,
}

impl Ask {
    /// Whether it asks for what may be asked for.
    ///
    /// # Errors
    /// What it may not ask for.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.question.len() != 32 || !self.question.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("the question has no number of 32 hexadecimal digits");
        }
        if self.yes != 'Y' && !self.yes.is_ascii_digit() {
            return Err("only Y or a digit may say yes");
        }
        if !(100..=10_000).contains(&self.quiet_ms) || !(1..=LONGEST).contains(&self.wait_s) {
            return Err("the times are out of their range");
        }
        Ok(())
    }
}

/// What a person has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// Yes.
    Yes,
    /// Yes, now and from now on.
    Always,
    /// No.
    No,
    /// Something is to be written in the place of what is asked: the keyboard is let go of.
    Write,
}

/// What the helper says: lines of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Told {
    /// So many keyboards are read for this question.
    Listening {
        /// The question's number.
        question: String,
        /// How many.
        keyboards: usize,
    },
    /// They cannot be read now; it is tried again: why.
    Busy(String),
    /// No answer can come: why. The last line.
    Unable(String),
    /// The answer. The last line.
    Answer {
        /// The question's number.
        question: String,
        /// What was said.
        word: Word,
    },
    /// Nobody has answered in time. The last line.
    Silence,
    /// The keyboards. The last line.
    Status(Vec<Found>),
}

/// A keyboard that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// Its node, such as `/dev/input/event3`.
    pub node: String,
    /// The name it gives itself; worth nothing as a proof.
    pub name: String,
    /// Where in the machine it is, as the kernel says.
    pub place: String,
    /// Why its presses do not count; `None` where they do.
    pub refused: Option<String>,
    /// The line that enrols it in [`TERMS`], where that is possible.
    pub entry: Option<String>,
}

#[cfg(test)]
mod tests;
