//! Why a run does not reach a host.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Cause, NoAnswer};
use crate::network::{AddressClass, Host, Protocol, Unfit};

/// Why a connection of a run is refused. The record has it as a value, and as an English clause for people, which the run's
/// client reads, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error, strum::IntoStaticStr)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum HostRefusal {
    /// A person said no.
    #[error("a person said no{}", reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    Person {
        /// The person's reason.
        reason: Option<String>,
    },
    /// A person was asked and did not answer in time.
    #[error(
        "a person was asked, and nobody answered in time; a yes within ten minutes counts when the command is run again"
    )]
    Silence,
    /// A person was asked, and the answer had the wrong code.
    #[error("a person was asked, and the answer had the wrong code")]
    WrongCodes,
    /// The question was withdrawn or never put.
    #[error("nobody could be asked: {why}")]
    Unasked {
        /// Why.
        why: NoAnswer,
    },
    /// The answer was not for this question.
    #[error("it was not approved")]
    Unapproved,
    /// The answer was about another host.
    #[error("the answer was about another host")]
    OtherHost,
    /// A step of the question could not be recorded.
    #[error("the question about it could not be recorded: {error}")]
    Unrecorded {
        /// The error of the record.
        error: String,
    },
    /// Such hosts are never asked about: only a word of the judged line can admit them.
    #[error("it is {host}, and the approved command does not name it")]
    Never {
        /// What the host is.
        host: NeverAsked,
    },
    /// The configuration denies the host.
    #[error("the configuration denies it")]
    Denied,
    /// It is one of the guard's own ports.
    #[error("it is the guard's own")]
    Own,
    /// The run has wanted too many other hosts.
    #[error("the command wanted too many hosts that were not approved")]
    TooMany,
    /// The name resolved to an address that the rule does not admit.
    #[error("{address}")]
    Unfit {
        /// Which.
        address: Unfit,
    },
    /// The name could not be resolved.
    #[error("its name cannot be resolved: {error}")]
    Unresolved {
        /// The resolver's error.
        error: String,
    },
    /// No address of the host answered.
    #[error("it cannot be reached: {error}")]
    Unreachable {
        /// The last error.
        error: String,
    },
    /// The client names another host than the one it was admitted for.
    #[error("it names {host}")]
    Named {
        /// The host that it names.
        host: Host,
    },
    /// The client does not speak the protocol that the rule admits.
    #[error("it does not speak {}", protocol.spoken())]
    Protocol {
        /// The protocol of the rule.
        protocol: Protocol,
    },
    /// The client sends a second request over a connection that was admitted for one.
    #[error("a second request on the connection of the first")]
    SecondRequest,
    /// What the client sends is malformed.
    #[error("{error}")]
    Malformed {
        /// What is wrong with it.
        error: String,
    },
}

/// Hosts that nobody is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NeverAsked {
    /// A cloud's service that hands out credentials, by its name.
    Credentials,
    /// This computer, by its name.
    ThisComputer,
    /// An address of this kind.
    Address(AddressClass),
}

impl HostRefusal {
    /// The refusal after a question about hosts that ended with this cause.
    #[must_use]
    pub fn after(cause: &Cause) -> Self {
        match cause {
            Cause::Person { reason, .. } => Self::Person { reason: reason.clone() },
            Cause::Changed { .. } => Self::Person { reason: None },
            Cause::Silence => Self::Silence,
            Cause::WrongCodes { .. } => Self::WrongCodes,
            Cause::Withdrawn { why } | Cause::Unasked { why } => Self::Unasked { why: why.clone() },
            Cause::Policy | Cause::NoPassword | Cause::Mismatch => Self::Unapproved,
        }
    }

    /// True if the host was admitted but did not answer.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(self, Self::Unresolved { .. } | Self::Unreachable { .. })
    }

    /// True if a question about the host ended like this. The question has its own lines in the record.
    #[must_use]
    pub fn ends_a_question(&self) -> bool {
        matches!(
            self,
            Self::Person { .. }
                | Self::Silence
                | Self::WrongCodes
                | Self::Unasked { .. }
                | Self::Unapproved
                | Self::OtherHost
                | Self::Unrecorded { .. }
        )
    }
}

impl From<Unfit> for HostRefusal {
    fn from(address: Unfit) -> Self {
        Self::Unfit { address }
    }
}

impl From<crate::network::flight::Mismatch> for HostRefusal {
    fn from(mismatch: crate::network::flight::Mismatch) -> Self {
        use crate::network::flight::Mismatch;
        match mismatch {
            Mismatch::Named(host) => Self::Named { host },
            Mismatch::Protocol(protocol) => Self::Protocol { protocol },
            Mismatch::Http(_) | Mismatch::Tls(_) => Self::Malformed { error: mismatch.to_string() },
        }
    }
}

impl fmt::Display for NeverAsked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Credentials => "a service that hands out credentials",
            Self::ThisComputer => "this computer",
            Self::Address(class) => class.name(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;
    use strum::VariantArray as _;

    #[test]
    fn what_the_record_stores_is_read_back() {
        let text = |text: &str| text.to_owned();
        let named = |host: &str| HostRefusal::Named { host: Host::parse(host).unwrap() };
        let refusals = [
            HostRefusal::Person { reason: None },
            HostRefusal::Person { reason: Some(text("not here: no")) },
            HostRefusal::Silence,
            HostRefusal::WrongCodes,
            HostRefusal::Unasked { why: NoAnswer::Gone },
            HostRefusal::Unasked { why: NoAnswer::NoChannel { lacks: text("speech: off; http: off") } },
            HostRefusal::Unapproved,
            HostRefusal::OtherHost,
            HostRefusal::Unrecorded { error: text("the disk is full") },
            HostRefusal::Never { host: NeverAsked::Credentials },
            HostRefusal::Never { host: NeverAsked::ThisComputer },
            HostRefusal::Denied,
            HostRefusal::Own,
            HostRefusal::TooMany,
            HostRefusal::Unfit { address: Unfit::Nowhere },
            HostRefusal::Unresolved { error: text("no such name: evil.example") },
            HostRefusal::Unreachable { error: text("timed out") },
            named("evil.example"),
            named("::1"),
            HostRefusal::Protocol { protocol: Protocol::Any },
            HostRefusal::Protocol { protocol: Protocol::Web },
            HostRefusal::Protocol { protocol: Protocol::Ssh },
            HostRefusal::SecondRequest,
            HostRefusal::Malformed { error: text("the request has two lengths") },
        ];
        let classes = AddressClass::VARIANTS.iter().flat_map(|class| {
            let address = Unfit::Address { address: IpAddr::from([10, 0, 0, 5]), class: *class };
            [HostRefusal::Never { host: NeverAsked::Address(*class) }, HostRefusal::Unfit { address }]
        });
        for refusal in refusals.into_iter().chain(classes) {
            let stored = serde_json::to_string(&refusal).unwrap();
            assert_eq!(serde_json::from_str::<HostRefusal>(&stored).unwrap(), refusal, "{stored}");
        }
    }

    /// People read these texts in the record, and clients in their error messages.
    #[test]
    fn the_texts_of_records_stay() {
        let private =
            Unfit::Address { address: IpAddr::from([192, 168, 0, 1]), class: AddressClass::Private };
        for (refusal, told) in [
            (HostRefusal::Person { reason: None }, "a person said no"),
            (HostRefusal::Person { reason: Some("not here".to_owned()) }, "a person said no: not here"),
            (HostRefusal::Unasked { why: NoAnswer::Gone }, "nobody could be asked: the caller went away"),
            (HostRefusal::Unapproved, "it was not approved"),
            (HostRefusal::Denied, "the configuration denies it"),
            (HostRefusal::Own, "it is the guard's own"),
            (
                HostRefusal::Never { host: NeverAsked::Address(AddressClass::Loopback) },
                "it is loopback, and the approved command does not name it",
            ),
            (HostRefusal::Unfit { address: private }, "192.168.0.1 is private"),
            (HostRefusal::Protocol { protocol: Protocol::Web }, "it does not speak TLS or HTTP/1.1"),
        ] {
            assert_eq!(refusal.to_string(), told);
        }
    }
}
