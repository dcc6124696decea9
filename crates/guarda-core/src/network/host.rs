//! Hosts and destinations, each parsed once into one spelling.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest domain name, in bytes of its ASCII form without the trailing dot (RFC 1035, section 2.3.4).
pub const LONGEST_NAME: usize = 253;
/// The longest label of a name, in bytes.
const LONGEST_LABEL: usize = 63;

/// A domain name in its canonical spelling: ASCII (punycode where needed), lower case, no trailing dot. Never
/// an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DomainName(String);

/// A host: a domain name or an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Host {
    /// A name, not resolved.
    Name(DomainName),
    /// An address. An IPv4 address in IPv6 form is stored as IPv4.
    Address(IpAddr),
}

/// A host and a TCP port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Destination {
    /// The host.
    pub host: Host,
    /// The port, never 0.
    pub port: u16,
}

/// Why text is not a host or a destination.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BadHost {
    /// There is no text, or a label is empty.
    #[error("an empty host or label")]
    Empty,
    /// A label has more than 63 bytes, or the name more than 253.
    #[error("the host name is too long")]
    Long,
    /// A character that no host name has: a control byte, a space, `@`, `#`, `%`, `/` or a similar one, or
    /// bytes that are not text.
    #[error("a character that no host name has")]
    Character,
    /// The name is not valid by IDNA, or ends in a number without being an address.
    #[error("not a valid host name")]
    Invalid,
    /// The port is missing, 0, above 65535 or not a number.
    #[error("not a valid port")]
    Port,
}

impl DomainName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if this name is below `other` (`a.example.org` is below `example.org`, which is not below itself).
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        self.0.strip_suffix(other.as_str()).is_some_and(|head| head.ends_with('.'))
    }

    /// The labels, left to right.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.0.split('.')
    }
}

impl Host {
    /// Parses a host as clients write it: a name in any case and script, with or without a trailing dot; an IPv4 address in every
    /// form that `inet_aton` takes (decimal, octal, hexadecimal, short); an IPv6 address with or without brackets.
    ///
    /// ```
    /// use guarda_core::network::Host;
    ///
    /// assert_eq!(Host::parse("EXAMPLE.com.")?, Host::parse("example.com")?);
    /// assert_eq!(Host::parse("0x7f.1")?, Host::parse("127.0.0.1")?);
    /// assert!(Host::parse("example.com@evil.example").is_err());
    /// # Ok::<(), guarda_core::network::BadHost>(())
    /// ```
    ///
    /// # Errors
    /// If it is not exactly one host. A name that a resolver and a client could read differently is an error.
    pub fn parse(text: &str) -> Result<Self, BadHost> {
        let bracketed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        if let Some(inner) = bracketed.or_else(|| text.contains(':').then_some(text)) {
            let address: Ipv6Addr = inner.parse().map_err(|_| BadHost::Invalid)?;
            return Ok(Self::Address(IpAddr::V6(address).to_canonical()));
        }
        let text = text.strip_suffix('.').unwrap_or(text);
        if text.is_empty() {
            return Err(BadHost::Empty);
        }
        // Long text is refused before it costs time. A character has at most four bytes, and punycode is not
        // shorter.
        if text.len() > 4 * LONGEST_NAME {
            return Err(BadHost::Long);
        }
        // The URL standard decodes `%`; resolvers do not.
        let strange =
            |c: char| c.is_control() || c.is_whitespace() || "@#%/\\?:[]<>^|\"'`{}*,;!$&()=+~".contains(c);
        if text.contains(strange) {
            return Err(BadHost::Character);
        }
        match url::Host::parse(text).map_err(|_| BadHost::Invalid)? {
            url::Host::Ipv4(address) => Ok(Self::Address(address.into())),
            url::Host::Ipv6(address) => Ok(Self::Address(IpAddr::V6(address).to_canonical())),
            url::Host::Domain(name) => DomainName::checked(name).map(Self::Name),
        }
    }

    /// Parses a host from bytes of the wire.
    ///
    /// # Errors
    /// As [`Host::parse`]; bytes that are not ASCII are an error, since no protocol here carries others.
    pub fn from_wire(bytes: &[u8]) -> Result<Self, BadHost> {
        match std::str::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => Self::parse(text),
            _ => Err(BadHost::Character),
        }
    }

    /// The name, if it is one.
    #[must_use]
    pub fn name(&self) -> Option<&DomainName> {
        match self {
            Self::Name(name) => Some(name),
            Self::Address(_) => None,
        }
    }

    /// The address, if it is one.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Name(_) => None,
            Self::Address(address) => Some(*address),
        }
    }

    /// True if it means this machine whatever it resolves to: `localhost`, a name below it, or a loopback
    /// address.
    #[must_use]
    pub fn is_local(&self) -> bool {
        match self {
            Self::Name(name) => name.labels().last() == Some("localhost"),
            Self::Address(address) => address.is_loopback(),
        }
    }
}

impl DomainName {
    /// Checks what DNS and this guard require of a name that has passed IDNA.
    fn checked(name: String) -> Result<Self, BadHost> {
        if name.len() > LONGEST_NAME {
            return Err(BadHost::Long);
        }
        for label in name.split('.') {
            match label.len() {
                0 => return Err(BadHost::Empty),
                1..=LONGEST_LABEL => {}
                _ => return Err(BadHost::Long),
            }
        }
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte);
        if name.bytes().all(plain) { Ok(Self(name)) } else { Err(BadHost::Character) }
    }
}

impl Destination {
    /// Parses an authority: `host:port`, `[v6]:port`, or a host alone if there is a usual port. User information
    /// (`user@`) is an error.
    ///
    /// # Errors
    /// If the host or the port is invalid, or there is no port at all.
    pub fn authority(text: &str, usual: Option<u16>) -> Result<Self, BadHost> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if host.ends_with(']') || !host.contains(':') => (host, Some(port)),
            // `[::1]` or a bare IPv6 address.
            _ => (text, None),
        };
        let port = match port {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok(),
            Some(_) => None,
            None => usual,
        };
        let host = Host::parse(host)?;
        Self::new(host, port.unwrap_or(0))
    }

    /// Combines a host and a port.
    ///
    /// # Errors
    /// If the port is 0.
    pub fn new(host: Host, port: u16) -> Result<Self, BadHost> {
        if port == 0 { Err(BadHost::Port) } else { Ok(Self { host, port }) }
    }
}

impl FromStr for Host {
    type Err = BadHost;

    fn from_str(text: &str) -> Result<Self, BadHost> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Host {
    type Error = BadHost;

    fn try_from(text: String) -> Result<Self, BadHost> {
        Self::parse(&text)
    }
}

impl TryFrom<String> for DomainName {
    type Error = BadHost;

    fn try_from(text: String) -> Result<Self, BadHost> {
        match Host::parse(&text)? {
            Host::Name(name) => Ok(name),
            Host::Address(_) => Err(BadHost::Invalid),
        }
    }
}

impl From<Host> for String {
    fn from(host: Host) -> Self {
        host.to_string()
    }
}

impl From<DomainName> for String {
    fn from(name: DomainName) -> Self {
        name.0
    }
}

impl fmt::Display for DomainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Address(address) => address.fmt(f),
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
            host => write!(f, "{host}:{}", self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        for (text, host) in [
            ("example.org", "example.org"),
            ("EXAMPLE.Org.", "example.org"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("_dmarc.example.org", "_dmarc.example.org"),
            ("localhost", "localhost"),
            ("ex。ample.org", "ex.ample.org"),
            // IDNA maps fullwidth letters to plain ones.
            ("ｅｘａｍｐｌｅ.org", "example.org"),
            ("127.0.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("0177.0.0.01", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("10.65535", "10.0.255.255"),
            ("0", "0.0.0.0"),
            ("１２７.0.0.1", "127.0.0.1"),
            ("::1", "::1"),
            ("[::1]", "::1"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
            ("[::ffff:7f00:1]", "127.0.0.1"),
            ("64:ff9b::7f00:1", "64:ff9b::7f00:1"),
        ] {
            let parsed = Host::parse(text).map(|host| host.to_string());
            assert_eq!(parsed.as_deref(), Ok(host), "{text}");
            assert_eq!(Host::parse(host).map(|host| host.to_string()).as_deref(), Ok(host));
        }
    }

    #[test]
    fn what_is_not_exactly_one_host_is_refused() {
        for text in [
            "",
            ".",
            "..",
            "a..b",
            ".a",
            "evil\0.google.com",
            "evil.com#.google.com",
            "google.com@evil.com",
            "a%00b",
            "a%2eb",
            "a b",
            "a\r\nb",
            "a\tb",
            "a/b",
            "a\\b",
            "a?b",
            "*.example.org",
            "1.2.3.4.5",
            "256.1.1.1",
            "1.2.3.08",
            "a.1",
            "fe80::1%eth0",
            "[::1",
            "::1]",
            "[127.0.0.1]",
            "a:b",
            "xn--a",
            "xn--",
            "a\u{202e}b.org",
            "a\u{7f}b",
        ] {
            assert!(Host::parse(text).is_err(), "{text:?}: {:?}", Host::parse(text));
        }
        let label = "a".repeat(63);
        assert!(Host::parse(&format!("{label}.org")).is_ok());
        assert_eq!(Host::parse(&format!("{label}a.org")), Err(BadHost::Long));
        let long = [label.as_str(); 4].join(".");
        assert_eq!((long.len(), Host::parse(&long)), (255, Err(BadHost::Long)));
        assert!(Host::parse(&format!("{label}.{label}.{label}.{}", "a".repeat(61))).is_ok());
        assert_eq!(Host::parse(&"ü".repeat(5000)), Err(BadHost::Long));
        assert_eq!(Host::from_wire(b"b\xc3\xbccher.example"), Err(BadHost::Character));
        assert_eq!(Host::from_wire(b"evil\0.google.com"), Err(BadHost::Character));
    }

    #[test]
    fn authorities() {
        for (text, usual, wanted) in [
            ("example.org:443", None, Ok("example.org:443")),
            ("Example.org", Some(80), Ok("example.org:80")),
            ("[::1]:8080", None, Ok("[::1]:8080")),
            ("[::1]", Some(80), Ok("[::1]:80")),
            ("::1", Some(80), Ok("[::1]:80")),
            ("2130706433:80", None, Ok("127.0.0.1:80")),
            ("example.org", None, Err(BadHost::Port)),
            ("example.org:", Some(80), Err(BadHost::Port)),
            ("example.org:0", None, Err(BadHost::Port)),
            ("example.org:+80", None, Err(BadHost::Port)),
            ("example.org:65536", None, Err(BadHost::Port)),
            ("example.org:80:80", None, Err(BadHost::Invalid)),
            ("google.com@evil.example:443", None, Err(BadHost::Character)),
            ("a:b@evil.example:443", None, Err(BadHost::Invalid)),
            (":443", None, Err(BadHost::Empty)),
        ] {
            let parsed = Destination::authority(text, usual).map(|to| to.to_string());
            assert_eq!(parsed.as_deref(), wanted.as_ref().map(|text| *text), "{text}");
        }
    }

    #[test]
    fn below_goes_by_labels() {
        let name = |text: &str| DomainName::try_from(text.to_owned()).unwrap();
        assert!(name("a.b.example.org").is_below(&name("example.org")));
        assert!(!name("example.org").is_below(&name("example.org")));
        assert!(!name("evilexample.org").is_below(&name("example.org")));
        assert!(DomainName::try_from("127.1".to_owned()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_parsed_host_is_parsed_to_itself(text in "\\PC{0,40}|[a-zA-Z0-9.:\\[\\]xX-]{0,20}") {
            if let Ok(host) = Host::parse(&text) {
                proptest::prop_assert_eq!(Host::parse(&host.to_string()), Ok(host));
            }
        }
    }
}
