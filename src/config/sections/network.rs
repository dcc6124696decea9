//! `[network]`: which hosts commands may reach.

use std::sync::{Arc, PoisonError, RwLock};

use guarda_core::network::{AddressClass, BadHost, Host, HostPattern, HostRule, Ports, Protocol, Why};
use serde::{Deserialize, Serialize};

use crate::config::fault::ExpectedType;
use crate::config::{ConfigFault, field};

/// `[network]`: hosts that approved commands may reach in addition to those of their own words and tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkSection {
    /// Hosts that every approved command with a network may reach, or those of one program.
    pub hosts: Vec<Allowed>,
    /// Hosts that no command reaches, even if its words name them. `*.` and a name denies every name below
    /// it.
    #[serde(deserialize_with = "patterns")]
    pub deny: Vec<HostPattern>,
    /// Tables of tools that fetch packages without a question in a workspace, such as `pypi` and `npm`, and `localhost`.
    #[serde(deserialize_with = "tables")]
    pub allow: Vec<String>,
}

impl Default for NetworkSection {
    fn default() -> Self {
        let allow = guarda_core::hosts::REGISTRIES.map(str::to_owned).to_vec();
        Self { hosts: Vec::new(), deny: Vec::new(), allow }
    }
}

/// Parses the hosts of `deny`.
fn patterns<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<HostPattern>, D::Error> {
    let hosts = Vec::<String>::deserialize(from)?;
    let pattern = |given: String| match given.parse() {
        Ok(pattern) => Ok(pattern),
        Err(cause) => Err(ConfigFault::Host { given, cause }.raise()),
    };
    hosts.into_iter().map(pattern).collect()
}

/// Parses the table names for `allow`.
fn tables<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    field::known(from, guarda_core::hosts::packages())
}

/// The active `[network]` section. All clones see a change.
#[derive(Debug, Clone, Default)]
pub struct NetworkInForce(Arc<RwLock<Arc<NetworkSection>>>);

impl NetworkInForce {
    /// Puts this one in force.
    #[must_use]
    pub fn new(network: NetworkSection) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(network))))
    }

    /// The section in force.
    #[must_use]
    pub fn get(&self) -> Arc<NetworkSection> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Activates another section, also for running commands.
    pub fn set(&self, network: NetworkSection) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(network);
    }
}

/// A host: as text (`example.org`, `example.org:8443`, `*.corp.example`), or as a table with options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Allowed {
    /// The host, or `*.` and a name for all names below it.
    pub host: HostPattern,
    /// TCP ports. Default: 443; an empty list means every port.
    pub ports: Vec<u16>,
    /// The program that may reach it; without one, every program with a network.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Whether it may be on the local network or this machine.
    pub private: bool,
}

/// A host as a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowedTable {
    host: String,
    #[serde(default, deserialize_with = "ports")]
    ports: Option<Vec<u16>>,
    #[serde(rename = "for")]
    program: Option<String>,
    #[serde(default)]
    private: bool,
}

impl Allowed {
    /// Reads a host as people write it, with or without a port, for one program or for all.
    ///
    /// # Errors
    /// If it names no host.
    pub fn read(host: &str, program: Option<String>, private: bool) -> Result<Self, BadEntry> {
        AllowedTable { host: host.to_owned(), ports: None, program, private }.try_into()
    }
}

/// An entry of `hosts` that names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{host:?} is not a host: {cause}")]
pub struct BadEntry {
    /// The entry.
    pub host: String,
    /// What is wrong with it.
    pub cause: BadHost,
}

impl TryFrom<AllowedTable> for Allowed {
    type Error = BadEntry;

    fn try_from(table: AllowedTable) -> Result<Self, BadEntry> {
        let fault = |cause: BadHost| BadEntry { host: table.host.clone(), cause };
        // A single colon precedes a port; an IPv6 address has more than one.
        let port = table.host.rsplit_once(':').filter(|(host, _)| !host.contains(':') || host.ends_with(']'));
        let (host, port) = match port {
            Some((host, port)) => {
                let port: Option<u16> = port.parse().ok().filter(|port| *port != 0);
                (host, Some(port.ok_or_else(|| fault(BadHost::Port))?))
            }
            None => (table.host.as_str(), None),
        };
        let host = host.parse().map_err(fault)?;
        let ports = table.ports.unwrap_or_else(|| vec![port.unwrap_or(443)]);
        Ok(Self { host, ports, program: table.program, private: table.private })
    }
}

/// Parses the ports of an entry.
fn ports<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Vec<u16>>, D::Error> {
    let port = |given: i64| match u16::try_from(given) {
        Ok(port) if port != 0 => Ok(port),
        _ => Err(ConfigFault::WholeNumber { given, low: 1, high: i64::from(u16::MAX) }.raise()),
    };
    Vec::<i64>::deserialize(from)?.into_iter().map(port).collect::<Result<_, _>>().map(Some)
}

impl<'de> Deserialize<'de> for Allowed {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct TextOrTable;
        impl TextOrTable {
            fn allowed<E: serde::de::Error>(table: AllowedTable) -> Result<Allowed, E> {
                let entry = |BadEntry { host, cause }| ConfigFault::Host { given: host, cause }.raise();
                table.try_into().map_err(entry)
            }
        }
        impl<'de> serde::de::Visitor<'de> for TextOrTable {
            type Value = Allowed;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(out, "{}", ExpectedType::Host)
            }

            fn visit_str<E: serde::de::Error>(self, host: &str) -> Result<Allowed, E> {
                let host = host.to_owned();
                Self::allowed(AllowedTable { host, ports: None, program: None, private: false })
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, table: A) -> Result<Allowed, A::Error> {
                let table = serde::de::value::MapAccessDeserializer::new(table);
                Self::allowed(AllowedTable::deserialize(table)?)
            }
        }
        from.deserialize_any(TextOrTable)
    }
}

impl NetworkSection {
    /// True if no command may reach this host.
    #[must_use]
    pub fn denies(&self, host: &Host) -> bool {
        self.deny.iter().any(|denied| denied.matches(host))
    }

    /// The rules for hosts, each with the program that may use it.
    #[must_use]
    pub fn rules(&self) -> Vec<(Option<String>, HostRule)> {
        let rule = |allowed: &Allowed| {
            let own = |host: &Host| {
                host.is_local()
                    || host.address().is_some_and(|at| AddressClass::of(at) != AddressClass::Public)
            };
            let private = allowed.private || allowed.host.exact().is_some_and(own);
            let rule = HostRule {
                host: allowed.host.clone(),
                ports: Ports::from(allowed.ports.clone()),
                protocol: Protocol::Any,
                why: Why::Policy { entry: allowed.host.to_string() },
                private,
            };
            (allowed.program.clone(), rule)
        };
        self.hosts.iter().map(rule).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_as_people_write_them() {
        let text = r#"
            hosts = [
                "example.org", "[::1]:8080", "*.corp.example:8443", "10.0.0.5:5432",
                { host = "db.example", ports = [5432, 5433], for = "psql", private = true },
                { host = "any.example", ports = [] },
            ]
            deny = ["*.tracker.example", "10.0.0.6"]
            allow = ["pypi", "npm", "crates.io", "go"]
        "#;
        let network: NetworkSection = toml::from_str(text).unwrap();
        let rules = network.rules();
        let said = |(program, rule): &(Option<String>, HostRule)| {
            let ports = Vec::from(rule.ports.clone());
            format!("{program:?} {} {ports:?} {}", rule.host, rule.private)
        };
        assert_eq!(
            rules.iter().map(said).collect::<Vec<_>>(),
            [
                "None example.org [443] false",
                "None ::1 [8080] true",
                "None *.corp.example [8443] false",
                "None 10.0.0.5 [5432] true",
                "Some(\"psql\") db.example [5432, 5433] true",
                "None any.example [] false",
            ]
        );
        let again: NetworkSection = toml::from_str(&toml::to_string(&network).unwrap()).unwrap();
        assert_eq!(again, network);
        for wrong in [
            "hosts = [\"*.com\"]",
            "hosts = [\"a b\"]",
            "hosts = [\"a.example:x\"]",
            "hosts = [\"a.example:0\"]",
            "hosts = [{ host = \"a.example\", port = 1 }]",
            "hosts = [{ host = \"a.example\", ports = [0] }]",
            "hosts = [{ port = 1 }]",
            "hosts = [1]",
            "allow = [\"git\"]",
            "allow = [\"*\"]",
            "deny = [\"*.com\"]",
            "other = 1",
        ] {
            assert!(toml::from_str::<NetworkSection>(wrong).is_err(), "{wrong}");
        }
    }
}
