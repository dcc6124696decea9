//! Why a run does not reach a host.

use std::fmt;
use std::net::IpAddr;

use super::{Cause, NoAnswer};
use crate::network::{AddressClass, Host, Protocol, Unfit};

/// Why a connection of a run is refused. As text it is an English clause, which the run's client reads and the record
/// stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostRefusal {
    /// A person said no.
    Person {
        /// The person's reason.
        reason: Option<String>,
    },
    /// A person was asked and did not answer in time.
    Silence,
    /// A person was asked, and the answer had the wrong code.
    WrongCodes,
    /// The question was withdrawn or never put.
    Unasked(NoAnswer),
    /// The answer was not for this question.
    Unapproved,
    /// The answer was about another host.
    OtherHost,
    /// A step of the question could not be recorded: the error.
    Unrecorded(String),
    /// Such hosts are never asked about: only a word of the judged line can admit them.
    Never(NeverAsked),
    /// The configuration denies the host.
    Denied,
    /// It is one of the guard's own ports.
    Own,
    /// The run has wanted too many other hosts.
    TooMany,
    /// The name resolved to an address that the rule does not admit.
    Unfit(Unfit),
    /// The name could not be resolved: the error.
    Unresolved(String),
    /// No address of the host answered: the error.
    Unreachable(String),
    /// The client names another host than the one it was admitted for.
    Named(Host),
    /// The client does not speak the protocol that the rule admits.
    Protocol(Protocol),
    /// The client sends a second request over a connection that was admitted for one.
    SecondRequest,
    /// What the client sends is malformed, or a text of another version.
    Other(String),
}

/// Hosts that nobody is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeverAsked {
    /// A cloud's service that hands out credentials, by its name.
    Credentials,
    /// This computer, by its name.
    ThisComputer,
    /// An address of this kind.
    Address(AddressClass),
}

const PROTOCOLS: [Protocol; 3] = [Protocol::Any, Protocol::Web, Protocol::Ssh];
const PERSON: &str = "a person said no";
const PERSON_BECAUSE: &str = "a person said no: ";
const UNASKED: &str = "nobody could be asked: ";
const UNRECORDED: &str = "the question about it could not be recorded: ";
const NEVER: (&str, &str) = ("it is ", ", and the approved command does not name it");
const CREDENTIALS: &str = "a service that hands out credentials";
const THIS_COMPUTER: &str = "this computer";
const UNRESOLVED: &str = "its name cannot be resolved: ";
const UNREACHABLE: &str = "it cannot be reached: ";
const NAMED: &str = "it names ";
const PROTOCOL: &str = "it does not speak ";

impl HostRefusal {
    /// The variants without values.
    pub const PLAIN: [Self; 9] = [
        Self::Person { reason: None },
        Self::Silence,
        Self::WrongCodes,
        Self::Unapproved,
        Self::OtherHost,
        Self::Denied,
        Self::Own,
        Self::TooMany,
        Self::SecondRequest,
    ];

    /// The refusal after a question about hosts that ended with this cause.
    #[must_use]
    pub fn after(cause: &Cause) -> Self {
        match cause {
            Cause::Person { reason, .. } => Self::Person { reason: reason.clone() },
            Cause::Changed { .. } => Self::Person { reason: None },
            Cause::Silence => Self::Silence,
            Cause::WrongCodes { .. } => Self::WrongCodes,
            Cause::Withdrawn { why } | Cause::Unasked { why } => Self::Unasked(why.clone()),
            Cause::Policy | Cause::NoPassword | Cause::Mismatch => Self::Unapproved,
        }
    }

    /// True if the host was admitted but did not answer.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(self, Self::Unresolved(_) | Self::Unreachable(_))
    }

    /// True if a question about the host ended like this. The question has its own lines in the record.
    #[must_use]
    pub fn ends_a_question(&self) -> bool {
        matches!(
            self,
            Self::Person { .. }
                | Self::Silence
                | Self::WrongCodes
                | Self::Unasked(_)
                | Self::Unapproved
                | Self::OtherHost
                | Self::Unrecorded(_)
        )
    }

    /// Reads a stored text.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let plain = || Self::PLAIN.into_iter().find(|one| one.plain() == Some(text));
        let after = |start: &str, make: fn(String) -> Self| Some(make(text.strip_prefix(start)?.to_owned()));
        plain()
            .or_else(|| after(PERSON_BECAUSE, |reason| Self::Person { reason: Some(reason) }))
            .or_else(|| after(UNASKED, |why| Self::Unasked(NoAnswer::read(&why))))
            .or_else(|| after(UNRECORDED, Self::Unrecorded))
            .or_else(|| after(UNRESOLVED, Self::Unresolved))
            .or_else(|| after(UNREACHABLE, Self::Unreachable))
            .or_else(|| never(text))
            .or_else(|| unfit(text))
            .or_else(|| Host::parse(text.strip_prefix(NAMED)?).ok().map(Self::Named))
            .or_else(|| protocol(text))
            .unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    /// The text of a variant without values.
    fn plain(&self) -> Option<&'static str> {
        match self {
            Self::Person { reason: None } => Some(PERSON),
            Self::Silence => Some(
                "a person was asked, and nobody answered in time; a yes within ten minutes counts when the command is run again",
            ),
            Self::WrongCodes => Some("a person was asked, and the answer had the wrong code"),
            Self::Unapproved => Some("it was not approved"),
            Self::OtherHost => Some("the answer was about another host"),
            Self::Denied => Some("the configuration denies it"),
            Self::Own => Some("it is the guard's own"),
            Self::TooMany => Some("the command wanted too many hosts that were not approved"),
            Self::SecondRequest => Some("a second request on the connection of the first"),
            Self::Person { reason: Some(_) }
            | Self::Unasked(_)
            | Self::Unrecorded(_)
            | Self::Never(_)
            | Self::Unfit(_)
            | Self::Unresolved(_)
            | Self::Unreachable(_)
            | Self::Named(_)
            | Self::Protocol(_)
            | Self::Other(_) => None,
        }
    }
}

fn never(text: &str) -> Option<HostRefusal> {
    let host = match text.strip_prefix(NEVER.0)?.strip_suffix(NEVER.1)? {
        CREDENTIALS => NeverAsked::Credentials,
        THIS_COMPUTER => NeverAsked::ThisComputer,
        class => NeverAsked::Address(class.parse().ok()?),
    };
    Some(HostRefusal::Never(host))
}

fn unfit(text: &str) -> Option<HostRefusal> {
    if text == Unfit::Nowhere.to_string() {
        return Some(HostRefusal::Unfit(Unfit::Nowhere));
    }
    let (address, class) = text.split_once(" is ")?;
    let (address, class) = (address.parse::<IpAddr>().ok()?, class.parse().ok()?);
    Some(HostRefusal::Unfit(Unfit::Address { address, class }))
}

fn protocol(text: &str) -> Option<HostRefusal> {
    let spoken = text.strip_prefix(PROTOCOL)?;
    PROTOCOLS.into_iter().find(|one| one.spoken() == spoken).map(HostRefusal::Protocol)
}

impl From<Unfit> for HostRefusal {
    fn from(unfit: Unfit) -> Self {
        Self::Unfit(unfit)
    }
}

impl From<crate::network::flight::Mismatch> for HostRefusal {
    fn from(mismatch: crate::network::flight::Mismatch) -> Self {
        use crate::network::flight::Mismatch;
        match mismatch {
            Mismatch::Named(host) => Self::Named(host),
            Mismatch::Protocol(protocol) => Self::Protocol(protocol),
            Mismatch::Http(_) | Mismatch::Tls(_) => Self::Other(mismatch.to_string()),
        }
    }
}

impl fmt::Display for HostRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person { reason: Some(reason) } => write!(out, "{PERSON_BECAUSE}{reason}"),
            Self::Unasked(why) => write!(out, "{UNASKED}{why}"),
            Self::Unrecorded(error) => write!(out, "{UNRECORDED}{error}"),
            Self::Never(host) => write!(out, "{}{host}{}", NEVER.0, NEVER.1),
            Self::Unfit(unfit) => unfit.fmt(out),
            Self::Unresolved(error) => write!(out, "{UNRESOLVED}{error}"),
            Self::Unreachable(error) => write!(out, "{UNREACHABLE}{error}"),
            Self::Named(host) => write!(out, "{NAMED}{host}"),
            Self::Protocol(protocol) => write!(out, "{PROTOCOL}{}", protocol.spoken()),
            Self::Other(text) => out.write_str(text),
            plain => out.write_str(plain.plain().unwrap_or_default()),
        }
    }
}

impl fmt::Display for NeverAsked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Credentials => CREDENTIALS,
            Self::ThisComputer => THIS_COMPUTER,
            Self::Address(class) => class.name(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray as _;

    #[test]
    fn what_the_record_stores_is_read_back() {
        let text = |text: &str| text.to_owned();
        let others = [
            HostRefusal::Person { reason: Some(text("not here: no")) },
            HostRefusal::Unasked(NoAnswer::Gone),
            HostRefusal::Unasked(NoAnswer::NoChannel(text("speech: off; http: off"))),
            HostRefusal::Unrecorded(text("the disk is full")),
            HostRefusal::Never(NeverAsked::Credentials),
            HostRefusal::Never(NeverAsked::ThisComputer),
            HostRefusal::Unfit(Unfit::Nowhere),
            HostRefusal::Unresolved(text("no such name: evil.example")),
            HostRefusal::Unreachable(text("timed out")),
            HostRefusal::Named(Host::parse("evil.example").unwrap()),
            HostRefusal::Named(Host::parse("::1").unwrap()),
            HostRefusal::Other(text("the request has two lengths")),
        ];
        let protocols = PROTOCOLS.into_iter().map(HostRefusal::Protocol);
        let classes = AddressClass::VARIANTS.iter().flat_map(|class| {
            let address = IpAddr::from([10, 0, 0, 5]);
            [
                HostRefusal::Never(NeverAsked::Address(*class)),
                HostRefusal::Unfit(Unfit::Address { address, class: *class }),
            ]
        });
        for refusal in HostRefusal::PLAIN.into_iter().chain(others).chain(protocols).chain(classes) {
            assert_eq!(HostRefusal::read(&refusal.to_string()), refusal);
        }
    }

    /// Older records hold these texts.
    #[test]
    fn the_texts_of_records_stay() {
        for (stored, refusal) in [
            ("a person said no", HostRefusal::Person { reason: None }),
            ("nobody could be asked: the caller went away", HostRefusal::Unasked(NoAnswer::Gone)),
            ("it was not approved", HostRefusal::Unapproved),
            ("the configuration denies it", HostRefusal::Denied),
            ("it is the guard's own", HostRefusal::Own),
            (
                "it is loopback, and the approved command does not name it",
                HostRefusal::Never(NeverAsked::Address(AddressClass::Loopback)),
            ),
            (
                "192.168.0.1 is private",
                HostRefusal::Unfit(Unfit::Address {
                    address: IpAddr::from([192, 168, 0, 1]),
                    class: AddressClass::Private,
                }),
            ),
            ("it does not speak TLS or HTTP/1.1", HostRefusal::Protocol(Protocol::Web)),
        ] {
            assert_eq!(HostRefusal::read(stored), refusal, "{stored}");
        }
    }
}
