//! The clients whose hooks are supported.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::guard::ShellOfClient;

/// A client, or a toolkit for agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Client {
    /// Claude Code. VS Code's agents use the same format.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// GitHub Copilot CLI.
    Copilot,
    /// Cursor.
    Cursor,
    /// OpenCode, through our plugin.
    #[serde(rename = "opencode")]
    #[strum(serialize = "opencode")]
    OpenCode,
    /// The OpenAI Agents SDK, and any other program that calls the hook itself.
    #[serde(rename = "openai-agents")]
    #[strum(serialize = "openai-agents")]
    OpenAiAgents,
}

impl Client {
    /// Every client.
    pub const ALL: [Self; 7] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Copilot,
        Self::Cursor,
        Self::OpenCode,
        Self::OpenAiAgents,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The shell in which it runs a command. The other clients start a new one in a folder of their own for each. Cursor's
    /// may be an interactive zsh, which takes no comments; Gemini looks for substitutions in the text.
    #[must_use]
    pub fn shell(self) -> ShellOfClient {
        ShellOfClient {
            stays: matches!(self, Self::Claude | Self::Copilot | Self::Cursor),
            comments: !matches!(self, Self::Cursor | Self::Gemini),
        }
    }

    /// The hook's default deadline. It is shorter than the client's own, since most clients run a tool whose hook
    /// timed out.
    #[must_use]
    pub fn patience(self) -> Duration {
        Duration::from_secs(match self {
            Self::Claude | Self::Codex => 590,
            Self::Gemini | Self::Cursor => 55,
            Self::Copilot => 25,
            Self::OpenCode | Self::OpenAiAgents => 120,
        })
    }
}

impl std::fmt::Display for Client {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

/// A name that no client has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no client that is known; known are {}", Client::ALL.map(Client::name).join(", "))]
pub struct UnknownClient {
    /// The name.
    pub name: String,
}

impl std::str::FromStr for Client {
    type Err = UnknownClient;

    fn from_str(name: &str) -> Result<Self, UnknownClient> {
        let found = Self::ALL.into_iter().find(|client| client.name() == name);
        found.ok_or_else(|| UnknownClient { name: name.to_owned() })
    }
}
