//! Rules by host: what a run may reach, and why.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{AddressClass, BadHost, Destination, DomainName, Host, names};

/// The hosts of a rule, written as `example.org`, `*.example.org` or an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum HostPattern {
    /// This host alone.
    Exact(Host),
    /// Every name below this one, but not the name itself.
    Below(DomainName),
}

/// The ports of a rule, written as a list; `[]` means every port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<u16>", into = "Vec<u16>")]
pub enum Ports {
    /// Every port.
    #[default]
    All,
    /// These.
    Of(Vec<u16>),
}

/// The protocols of an admitted connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Any protocol. What looks like TLS or HTTP still has to name the rule's host.
    #[default]
    Any,
    /// TLS whose hello names the host, or HTTP/1.1 whose every request does.
    Web,
    /// SSH: both sides begin with `SSH-`.
    Ssh,
}

impl Protocol {
    /// What a client that the rule admits speaks, in English.
    #[must_use]
    pub fn spoken(self) -> &'static str {
        match self {
            Self::Web => "TLS or HTTP/1.1",
            Self::Ssh => "SSH",
            Self::Any => "what it should",
        }
    }
}

/// Where a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Why {
    /// A word of the judged line.
    Word {
        /// The word as written, without user information and query.
        word: String,
        /// Its position in the line, in bytes.
        start: usize,
    },
    /// The table of a tool that the line runs.
    Tool {
        /// The table: `pip`, `npm`, `cargo` …
        tool: String,
    },
    /// A remote of the repository that the line works in.
    Remote {
        /// Its name: `origin`.
        remote: String,
    },
    /// The configuration or a file of rules.
    Policy {
        /// The entry as a person wrote it.
        entry: String,
    },
    /// The line was tried with its changes held back, and wanted it.
    Tried,
    /// A person's answer about this host, for this run.
    Answer,
    /// A person's answer about a host that approves every host of this run.
    All,
}

/// Permission to reach some hosts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostRule {
    /// Which hosts.
    pub host: HostPattern,
    /// Which TCP ports.
    #[serde(default)]
    pub ports: Ports,
    /// What may be spoken.
    #[serde(default)]
    pub protocol: Protocol,
    /// The source of the rule.
    pub why: Why,
    /// Whether the host may resolve to this machine or the local network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// The hosts that one run may reach. Without rules: none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostRules(Vec<HostRule>);

/// Why no connection may be made to an admitted name: one of its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Unfit {
    /// The rule does not admit addresses of this kind.
    #[error("{address} is {}", class.name())]
    Address {
        /// The address.
        address: IpAddr,
        /// Its kind.
        class: AddressClass,
    },
    /// The name resolved to no address.
    #[error("it has no address")]
    Nowhere,
}

impl HostPattern {
    /// The host, if the pattern matches exactly one.
    #[must_use]
    pub fn exact(&self) -> Option<&Host> {
        match self {
            Self::Exact(host) => Some(host),
            Self::Below(_) => None,
        }
    }

    /// Whether a host is meant.
    #[must_use]
    pub fn matches(&self, host: &Host) -> bool {
        match self {
            Self::Exact(own) => own == host,
            Self::Below(parent) => host.name().is_some_and(|name| name.is_below(parent)),
        }
    }
}

impl Ports {
    /// Whether a port is among them.
    #[must_use]
    pub fn contains(&self, port: u16) -> bool {
        match self {
            Self::All => true,
            Self::Of(ports) => ports.contains(&port),
        }
    }

    /// Whether every one of the others is among them.
    #[must_use]
    pub fn include(&self, others: &Self) -> bool {
        match (self, others) {
            (Self::All, _) => true,
            (Self::Of(_), Self::All) => false,
            (Self::Of(_), Self::Of(others)) => others.iter().all(|port| self.contains(*port)),
        }
    }
}

impl HostRule {
    /// Whether the rule admits a destination.
    #[must_use]
    pub fn admits(&self, to: &Destination) -> bool {
        self.ports.contains(to.port) && self.host.matches(&to.host)
    }

    /// True if a connection may go to an address of this kind. Metadata services and the local link are
    /// reached only if a word of the judged line names the host.
    #[must_use]
    pub fn may_reach(&self, class: AddressClass) -> bool {
        use AddressClass::{
            CarrierNat, LinkLocal, Loopback, Metadata, Multicast, Private, Public, Reserved, UniqueLocal,
            Unspecified,
        };
        match class {
            Public => true,
            Loopback | Private | CarrierNat | UniqueLocal => self.private,
            LinkLocal | Metadata => self.private && matches!(self.why, Why::Word { .. }),
            Multicast | Unspecified | Reserved => false,
        }
    }

    /// Checks every address that a host resolved to. One that is not admitted refuses them all, since it may mean that a false
    /// server answered for the name.
    ///
    /// # Errors
    /// The first address that is not admitted, or that there is none.
    pub fn vet(&self, addresses: &[IpAddr]) -> Result<(), Unfit> {
        let unfit = |address: &IpAddr| {
            let class = AddressClass::of(*address);
            (!self.may_reach(class)).then_some(Unfit::Address { address: *address, class })
        };
        match addresses.iter().find_map(unfit) {
            Some(unfit) => Err(unfit),
            None if addresses.is_empty() => Err(Unfit::Nowhere),
            None => Ok(()),
        }
    }
}

impl HostRules {
    /// The first rule that admits a destination.
    #[must_use]
    pub fn admits(&self, to: &Destination) -> Option<&HostRule> {
        self.0.iter().find(|rule| rule.admits(to))
    }

    /// Adds a rule, unless there is an equal one.
    pub fn add(&mut self, rule: HostRule) {
        if !self.0.contains(&rule) {
            self.0.push(rule);
        }
    }

    /// Adds these ports of this machine, which a person's answer opened.
    pub fn add_own(&mut self, ports: &BTreeSet<u16>) {
        if let (Ok(host), false) = (Host::parse("localhost"), ports.is_empty()) {
            let (host, ports) = (HostPattern::Exact(host), Ports::Of(ports.iter().copied().collect()));
            self.add(HostRule {
                host,
                ports,
                protocol: Protocol::default(),
                why: Why::Answer,
                private: true,
            });
        }
    }

    /// The rules, in the order in which they were added.
    pub fn iter(&self) -> std::slice::Iter<'_, HostRule> {
        self.0.iter()
    }

    /// The admitted ports of this machine's loopback addresses.
    #[must_use]
    pub fn loopback_ports(&self) -> Vec<u16> {
        let local = |rule: &&HostRule| rule.private && rule.host.exact().is_some_and(Host::is_local);
        let mut ports: Vec<u16> =
            self.0.iter().filter(local).flat_map(|rule| Vec::from(rule.ports.clone())).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// True if there are no rules, so that nothing is admitted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<HostRule> for HostRules {
    fn from_iter<I: IntoIterator<Item = HostRule>>(rules: I) -> Self {
        let mut all = Self::default();
        rules.into_iter().for_each(|rule| all.add(rule));
        all
    }
}

impl<'a> IntoIterator for &'a HostRules {
    type Item = &'a HostRule;
    type IntoIter = std::slice::Iter<'a, HostRule>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl FromStr for HostPattern {
    type Err = BadHost;

    /// `*.NAME` needs a name with an owner: what is below `com` or `github.io` belongs to everyone.
    fn from_str(text: &str) -> Result<Self, BadHost> {
        let Some(parent) = text.strip_prefix("*.") else { return Host::parse(text).map(Self::Exact) };
        let parent = DomainName::try_from(parent.to_owned())?;
        if names::is_public_suffix(&parent) { Err(BadHost::Invalid) } else { Ok(Self::Below(parent)) }
    }
}

impl TryFrom<String> for HostPattern {
    type Error = BadHost;

    fn try_from(text: String) -> Result<Self, BadHost> {
        text.parse()
    }
}

impl From<HostPattern> for String {
    fn from(pattern: HostPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(host) => host.fmt(f),
            Self::Below(parent) => write!(f, "*.{parent}"),
        }
    }
}

impl From<Vec<u16>> for Ports {
    fn from(ports: Vec<u16>) -> Self {
        if ports.is_empty() { Self::All } else { Self::Of(ports) }
    }
}

impl From<Ports> for Vec<u16> {
    fn from(ports: Ports) -> Self {
        match ports {
            Ports::All => Self::new(),
            Ports::Of(ports) => ports,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(host: &str, ports: &[u16], private: bool) -> HostRule {
        HostRule {
            host: host.parse().unwrap(),
            ports: Ports::from(ports.to_vec()),
            protocol: Protocol::Any,
            why: Why::Answer,
            private,
        }
    }

    #[test]
    fn rules_admit_what_they_name() {
        let rules: HostRules = [
            rule("example.org", &[443], false),
            rule("*.pythonhosted.org", &[443], false),
            rule("127.0.0.1", &[], true),
        ]
        .into_iter()
        .collect();
        for (to, admitted) in [
            ("example.org:443", true),
            ("EXAMPLE.org.:443", true),
            ("example.org:80", false),
            ("www.example.org:443", false),
            ("evilexample.org:443", false),
            ("example.org.evil.example:443", false),
            ("files.pythonhosted.org:443", true),
            ("pythonhosted.org:443", false),
            ("2130706433:3000", true),
            ("[::ffff:127.0.0.1]:3000", true),
            ("localhost:3000", false),
        ] {
            let to = Destination::authority(to, None).unwrap();
            assert_eq!(rules.admits(&to).is_some(), admitted, "{to}");
        }
        assert!(HostRules::default().admits(&Destination::authority("a.b:1", None).unwrap()).is_none());
    }

    #[test]
    fn every_address_is_vetted() {
        let word = Why::Word { word: "metadata".to_owned(), start: 0 };
        let (asked, private) = (rule("a.example", &[], false), rule("a.example", &[], true));
        let named = HostRule { why: word, ..private.clone() };
        for (addresses, results) in [
            (&["93.184.216.34", "2606:2800::1"][..], [true, true, true]),
            (&["93.184.216.34", "127.0.0.1"], [false, true, true]),
            (&["192.168.1.1"], [false, true, true]),
            (&["fd12::1"], [false, true, true]),
            (&["169.254.169.254"], [false, false, true]),
            (&["fe80::1"], [false, false, true]),
            (&["64:ff9b::a9fe:a9fe"], [false, false, true]),
            (&["0.0.0.0"], [false, false, false]),
            (&["224.0.0.1"], [false, false, false]),
            (&[], [false, false, false]),
        ] {
            let addresses: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
            let results_now = [&asked, &private, &named].map(|rule| rule.vet(&addresses).is_ok());
            assert_eq!(results_now, results, "{addresses:?}");
        }
    }

    #[test]
    fn rules_survive_the_record() {
        let rules: HostRules =
            [rule("*.example.org", &[443], false), rule("::1", &[], true)].into_iter().collect();
        let text = serde_json::to_string(&rules).unwrap();
        assert_eq!(
            text,
            r#"[{"host":"*.example.org","ports":[443],"protocol":"any","why":{"from":"answer"}},"#.to_owned()
                + r#"{"host":"::1","ports":[],"protocol":"any","why":{"from":"answer"},"private":true}]"#
        );
        assert_eq!(serde_json::from_str::<HostRules>(&text).unwrap(), rules);
        for bad in ["*.com", "*.github.io", "*", "*.", "*.127.0.0.1", "a.*.org", ""] {
            assert!(bad.parse::<HostPattern>().is_err(), "{bad}");
        }
    }
}
