//! `[services]`: what the tools of agents read and can do, by name (feature P2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::ConfigFault;
use crate::config::sections::hooks::fits;

/// `[services."NAME"]`: the declared tools; `*` stands for any text. A tool that is not declared has every property.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServicesSection(#[serde(deserialize_with = "named")] BTreeMap<String, ServiceSection>);

/// What a service reads and can do. A missing key means yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServiceSection {
    /// Its output may be written by others: web pages, mail, issues.
    pub public_source: Property,
    /// Its output may be secret.
    pub secret_data: bool,
    /// Its input may be read by others.
    pub public_sink: Property,
    /// Its input may cause harm.
    pub dangerous_writes: Property,
}

/// Whether a service has a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// No.
    No,
    /// Yes.
    Yes,
    /// Yes, and therefore the service is never used.
    Forbidden,
}

impl ServiceSection {
    /// Every property: the default for an undeclared tool.
    pub const UNKNOWN: Self = Self {
        public_source: Property::Yes,
        secret_data: true,
        public_sink: Property::Yes,
        dangerous_writes: Property::Yes,
    };

    /// True if it is never used.
    #[must_use]
    pub fn is_forbidden(self) -> bool {
        [self.public_source, self.public_sink, self.dangerous_writes].contains(&Property::Forbidden)
    }

    /// The marks that its output brings to a session.
    #[must_use]
    pub fn brings(self) -> guarda_core::policy::Taint {
        guarda_core::policy::Taint { corruption: self.public_source > Property::No, secret: self.secret_data }
    }

    /// The properties of both.
    fn joined(self, other: Self) -> Self {
        Self {
            public_source: self.public_source.max(other.public_source),
            secret_data: self.secret_data || other.secret_data,
            public_sink: self.public_sink.max(other.public_sink),
            dangerous_writes: self.dangerous_writes.max(other.dangerous_writes),
        }
    }
}

impl Default for ServiceSection {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl ServicesSection {
    /// The declaration of a tool, combined from all matching names; `None` if none matches.
    #[must_use]
    pub fn find(&self, tool: &str) -> Option<ServiceSection> {
        let fitting = self.0.iter().filter(|(pattern, _)| fits(pattern, tool));
        fitting.map(|(_, service)| *service).reduce(ServiceSection::joined)
    }

    /// The number of declared names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no name is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Property {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Switch(bool),
            Word(String),
        }
        match Written::deserialize(from) {
            Ok(Written::Switch(false)) => Ok(Self::No),
            Ok(Written::Switch(true)) => Ok(Self::Yes),
            Ok(Written::Word(word)) if word == "forbidden" => Ok(Self::Forbidden),
            Ok(Written::Word(_)) | Err(_) => Err(ConfigFault::Property.raise()),
        }
    }
}

impl Serialize for Property {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::No => to.serialize_bool(false),
            Self::Yes => to.serialize_bool(true),
            Self::Forbidden => to.serialize_str("forbidden"),
        }
    }
}

fn named<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<String, ServiceSection>, D::Error> {
    let services = BTreeMap::<String, ServiceSection>::deserialize(from)?;
    match services.keys().find(|name| name.trim().is_empty() || name.trim() != name.as_str()) {
        None => Ok(services),
        Some(name) => Err(ConfigFault::ToolName(name.clone()).raise()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn services(text: &str) -> ServicesSection {
        Config::parse(text, "x").unwrap().services
    }

    #[test]
    fn what_is_not_written_holds() {
        let services = services(
            "[services.\"mcp__notes__*\"]\npublic_source = false\nsecret_data = false\npublic_sink = false\n\
             dangerous_writes = false\n[services.mcp__notes__publish]\npublic_source = false\nsecret_data = false\n\
             dangerous_writes = \"forbidden\"\n[services.web]\n",
        );
        assert_eq!(services.find("mcp__other__x"), None);
        assert_eq!(services.find("WEB"), Some(ServiceSection::UNKNOWN));
        let quiet = services.find("mcp__notes__read").unwrap();
        assert!(!quiet.brings().any() && !quiet.is_forbidden());
        let publish = services.find("mcp__notes__publish").unwrap();
        assert_eq!((publish.public_sink, publish.is_forbidden()), (Property::Yes, true));
        assert!(!publish.brings().any());
    }

    #[test]
    fn slips_are_told_with_their_line() {
        for (text, line) in [
            ("[services.a]\npublic_source = \"never\"\n", 2),
            ("[services.a]\n\nsecret_data = \"forbidden\"\n", 3),
            ("[services.a]\nsecret = true\n", 2),
        ] {
            let error = Config::parse(text, "x").unwrap_err();
            assert_eq!(error.line, line, "{error}");
        }
        assert!(Config::parse("[services.\" a\"]\n", "x").is_err());
    }

    #[test]
    fn what_is_shown_can_be_read_again() {
        let text = "[services.a]\npublic_sink = \"forbidden\"\nsecret_data = false\n";
        let config = Config::parse(text, "x").unwrap();
        assert_eq!(Config::parse(&config.to_toml(), "x").unwrap().services, config.services);
    }
}
