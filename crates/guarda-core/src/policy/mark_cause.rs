//! Why a session got its marks.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The cause of a change of a session's marks. The record and the file of sessions have it as a value, and as an English
/// clause for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum MarkCause {
    /// An action that may have read from the network or read secrets. Its words may hold a secret and are left out.
    Action {
        /// Whether it may have read from the network.
        network: bool,
        /// Whether it may have read secrets.
        secret: bool,
        /// The name of the action: `RUN_COMMAND`.
        action: String,
    },
    /// A command received data from hosts.
    Hosts {
        /// Their names, joined by commas.
        hosts: String,
    },
    /// The output of a command held secrets.
    Cleaned {
        /// What they were, joined by commas.
        secrets: String,
    },
    /// A caller gave a reason.
    Said {
        /// The reason.
        reason: String,
    },
    /// A caller gave none.
    Caller,
    /// A caller used a service.
    Service {
        /// Its name.
        name: String,
    },
    /// A client used a tool of its own.
    Tool {
        /// Its name.
        name: String,
    },
    /// The file of the marks was lost.
    Lost,
    /// The session could not be kept, because too many were marked.
    NoRoom,
    /// A person took the marks away.
    Removed,
    /// A person took the marks of all sessions away.
    AllRemoved,
}

impl MarkCause {
    /// The text of others in it: names, and what a caller said.
    pub fn text(&mut self) -> Option<&mut String> {
        match self {
            Self::Action { action: text, .. }
            | Self::Hosts { hosts: text }
            | Self::Cleaned { secrets: text }
            | Self::Said { reason: text }
            | Self::Service { name: text }
            | Self::Tool { name: text } => Some(text),
            Self::Caller | Self::Lost | Self::NoRoom | Self::Removed | Self::AllRemoved => None,
        }
    }
}

impl fmt::Display for MarkCause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action { network: true, secret: true, action } => {
                write!(out, "it read from the network, and it read what may be secret ({action})")
            }
            Self::Action { network: false, secret: true, action } => {
                write!(out, "it read what may be secret ({action})")
            }
            Self::Action { secret: false, action, .. } => write!(out, "it read from the network ({action})"),
            Self::Hosts { hosts } => write!(out, "it read from {hosts}"),
            Self::Cleaned { secrets } => write!(out, "its output had to be cleaned: {secrets}"),
            Self::Said { reason } => write!(out, "the caller said: {reason}"),
            Self::Caller => out.write_str("the caller said so"),
            Self::Service { name } => write!(out, "the service {name} was used"),
            Self::Tool { name } => write!(out, "the tool {name} was used"),
            Self::Lost => out.write_str("its marks were lost"),
            Self::NoRoom => out.write_str("there was no room to keep its marks"),
            Self::Removed => out.write_str("a person took the marks away"),
            Self::AllRemoved => out.write_str("a person took the marks of all sessions away"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MarkCause;

    #[test]
    fn what_the_record_stores_is_read_back() {
        let text = |text: &str| text.to_owned();
        for cause in [
            MarkCause::Action { network: true, secret: true, action: text("RUN_COMMAND") },
            MarkCause::Action { network: true, secret: false, action: text("RUN_COMMAND") },
            MarkCause::Action { network: false, secret: true, action: text("RUN_COMMAND") },
            MarkCause::Hosts { hosts: text("example.org, 10.0.0.5") },
            MarkCause::Cleaned { secrets: text("password, token") },
            MarkCause::Said { reason: text("a password was dictated (twice)") },
            MarkCause::Caller,
            MarkCause::Service { name: text("websearch") },
            MarkCause::Tool { name: text("browser") },
            MarkCause::Lost,
            MarkCause::NoRoom,
            MarkCause::Removed,
            MarkCause::AllRemoved,
        ] {
            let stored = serde_json::to_string(&cause).unwrap();
            assert_eq!(serde_json::from_str::<MarkCause>(&stored).unwrap(), cause, "{stored}");
        }
    }
}
