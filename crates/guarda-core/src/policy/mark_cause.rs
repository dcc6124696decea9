//! Why a session got its marks.

use std::fmt;

/// The cause of a session's marks. As text it is an English clause, which the record stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkCause {
    /// An action that may have read from the network or read secrets. Its words may hold a secret and are left out.
    Action {
        /// Whether it may have read from the network.
        network: bool,
        /// Whether it may have read secrets.
        secret: bool,
        /// The kind of action: `RUN_COMMAND`.
        kind: String,
    },
    /// A command received data from these hosts.
    Hosts(String),
    /// A caller gave a reason.
    Said(String),
    /// A caller gave none.
    Caller,
    /// A caller used this service.
    Service(String),
    /// A text of an older version.
    Other(String),
}

const NETWORK: &str = "it read from the network";
const SECRET: &str = "it read what may be secret";
const BOTH: &str = "it read from the network, and it read what may be secret";
const HOSTS: &str = "it read from ";
const SAID: &str = "the caller said: ";
const CALLER: &str = "the caller said so";
const SERVICE: (&str, &str) = ("the service ", " was used");

impl MarkCause {
    /// Reads a stored text.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let action = |clause: &str| text.strip_prefix(clause)?.strip_prefix(" (")?.strip_suffix(')');
        for (clause, network, secret) in [(BOTH, true, true), (NETWORK, true, false), (SECRET, false, true)] {
            if let Some(kind) = action(clause) {
                return Self::Action { network, secret, kind: kind.to_owned() };
            }
        }
        let service = text.strip_prefix(SERVICE.0).and_then(|rest| rest.strip_suffix(SERVICE.1));
        if text == CALLER {
            Self::Caller
        } else if let Some(reason) = text.strip_prefix(SAID) {
            Self::Said(reason.to_owned())
        } else if let Some(hosts) = text.strip_prefix(HOSTS) {
            Self::Hosts(hosts.to_owned())
        } else if let Some(name) = service {
            Self::Service(name.to_owned())
        } else {
            Self::Other(text.to_owned())
        }
    }
}

impl fmt::Display for MarkCause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action { network: true, secret: true, kind } => write!(out, "{BOTH} ({kind})"),
            Self::Action { network: false, secret: true, kind } => write!(out, "{SECRET} ({kind})"),
            Self::Action { secret: false, kind, .. } => write!(out, "{NETWORK} ({kind})"),
            Self::Hosts(hosts) => write!(out, "{HOSTS}{hosts}"),
            Self::Said(reason) => write!(out, "{SAID}{reason}"),
            Self::Caller => out.write_str(CALLER),
            Self::Service(name) => write!(out, "{}{name}{}", SERVICE.0, SERVICE.1),
            Self::Other(text) => out.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MarkCause;

    #[test]
    fn what_the_record_stores_is_read_back() {
        let kind = || "RUN_COMMAND".to_owned();
        for cause in [
            MarkCause::Action { network: true, secret: true, kind: kind() },
            MarkCause::Action { network: true, secret: false, kind: kind() },
            MarkCause::Action { network: false, secret: true, kind: kind() },
            MarkCause::Hosts("example.org, 10.0.0.5".to_owned()),
            MarkCause::Said("a password was dictated (twice)".to_owned()),
            MarkCause::Caller,
            MarkCause::Service("websearch".to_owned()),
            MarkCause::Other("it was there before".to_owned()),
        ] {
            assert_eq!(MarkCause::read(&cause.to_string()), cause);
        }
    }
}
