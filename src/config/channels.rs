//! `[channels]`: what each way of answering may say yes to. Every way may say no.

use serde::{Deserialize, Serialize};

use super::field;

/// `[channels]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Channels {
    /// Whether questions are put as notifications with buttons as well, where the desktop shows them.
    pub notification: bool,
    /// Whether a question may also be put to the person of the agent's client that asks for it, through MCP (elicitation).
    /// Off: that client answers, and it is the asking side.
    pub mcp: bool,
    /// The ways that may say yes to what needs a password.
    #[serde(deserialize_with = "field::ways")]
    pub password: Vec<String>,
    /// From which risk on each of them cannot say yes.
    pub approve_below: Below,
}

/// For each way of answering the risk, 0 to 1, from which on it can only say no; 2: none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Below {
    /// The trusted keyboard, read by `guarda-keys`.
    #[serde(deserialize_with = "field::risk")]
    pub keyboard: f64,
    /// The keys of the desktop.
    #[serde(deserialize_with = "field::risk")]
    pub keys: f64,
    /// The service's own terminal.
    #[serde(deserialize_with = "field::risk")]
    pub terminal: f64,
    /// The console in a browser.
    #[serde(deserialize_with = "field::risk")]
    pub console: f64,
    /// The approve token, over TCP.
    #[serde(deserialize_with = "field::risk")]
    pub http: f64,
    /// The approve token, over the socket.
    #[serde(deserialize_with = "field::risk")]
    pub socket: f64,
    /// The buttons of a notification.
    #[serde(deserialize_with = "field::risk")]
    pub notification: f64,
    /// What a person said aloud, as the front-end understood it.
    #[serde(deserialize_with = "field::risk")]
    pub spoken: f64,
    /// A form of the asking client (MCP); never above 0.9, and never what needs a password.
    #[serde(deserialize_with = "field::low_risk")]
    pub mcp: f64,
}

/// The names of the ways, as they stand in answers and in the record; those that may say yes to a password.
pub const WAYS: [&str; 8] =
    ["keyboard", "keys", "terminal", "console", "http", "socket", "notification", "spoken"];
/// The way through the asking client.
pub(super) const ASKER: &str = "mcp";

impl Default for Channels {
    fn default() -> Self {
        let all = WAYS.iter().filter(|way| !matches!(**way, "notification" | "spoken"));
        Self {
            notification: true,
            mcp: false,
            password: all.map(|way| (*way).to_owned()).collect(),
            approve_below: Below::default(),
        }
    }
}

impl Default for Below {
    fn default() -> Self {
        Self {
            keyboard: 2.0,
            keys: 2.0,
            terminal: 2.0,
            console: 2.0,
            http: 2.0,
            socket: 2.0,
            notification: 0.7,
            spoken: 0.7,
            mcp: 0.6,
        }
    }
}

impl Below {
    /// Each way with its risk.
    #[must_use]
    pub fn each(&self) -> [(&'static str, f64); 9] {
        let risks = [
            self.keyboard,
            self.keys,
            self.terminal,
            self.console,
            self.http,
            self.socket,
            self.notification,
            self.spoken,
            self.mcp,
        ];
        std::array::from_fn(|place| {
            (WAYS.get(place).copied().unwrap_or(ASKER), risks.get(place).copied().unwrap_or_default())
        })
    }
}
