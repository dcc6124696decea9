//! `[channels]`: what each channel of an answer may approve. Every channel may say no.

use serde::{Deserialize, Deserializer, Serialize};

use crate::config::field;

/// `[channels]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChannelsSection {
    /// Whether questions are also put as notifications with buttons, if the desktop supports them.
    pub notification: bool,
    /// Whether a question may also be put to the person at the requesting client, through MCP (elicitation). Off by
    /// default: the client that requests the action also sends the answer.
    pub mcp: bool,
    /// The channels that may approve actions that need a password.
    #[serde(deserialize_with = "ways")]
    pub password: Vec<String>,
    /// The risk limit of each channel for a yes.
    pub approve_below: Below,
}

/// For each channel, the risk (0 to 1) from which it can only say no; 2 means no limit.
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
    /// A person's spoken answer, as the front-end understood it.
    #[serde(deserialize_with = "field::risk")]
    pub spoken: f64,
    /// A form of the requesting client (MCP); never above 0.9, and never for actions that need a password.
    #[serde(deserialize_with = "field::low_risk")]
    pub mcp: f64,
}

/// The channels that may approve a password, by their names in answers and in the record.
pub const WAYS: [&str; 8] =
    ["keyboard", "keys", "terminal", "console", "http", "socket", "notification", "spoken"];
/// The channel through the requesting client.
pub(in crate::config) const ASKER: &str = "mcp";

/// Names of channels that may approve a password.
fn ways<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    field::known(from, WAYS.into_iter())
}

impl Default for ChannelsSection {
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
