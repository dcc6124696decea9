//! Parses single values. Every error says where the value is, what is wrong and what is allowed.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};

use super::ConfigFault;
use super::fault::{ExpectedType, Misspelt};

/// A value that is accepted and ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Anything;

impl serde::Serialize for Anything {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Anything {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(from).map(|_| Self)
    }
}

/// An integer from `LOW` to `HIGH`.
pub(super) fn between<'de, D: Deserializer<'de>, const LOW: u64, const HIGH: u64>(
    from: D,
) -> Result<u64, D::Error> {
    let number = i64::deserialize(from)?;
    u64::try_from(number).ok().filter(|number| (LOW..=HIGH).contains(number)).ok_or_else(|| {
        let bound = |bound| i64::try_from(bound).unwrap_or(i64::MAX);
        ConfigFault::WholeNumber { given: number, low: bound(LOW), high: bound(HIGH) }.raise()
    })
}

/// Parses any value whose own error explains what is wrong.
pub(super) fn parsed<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr<Err: Into<ConfigFault>>,
{
    String::deserialize(from)?.parse().map_err(|error: T::Err| error.into().raise())
}

/// Like [`parsed`], for a value that may be missing.
pub(super) fn some_parsed<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr<Err: Into<ConfigFault>>,
{
    parsed(from).map(Some)
}

/// Like [`between`], for a value that may be missing.
pub(super) fn some_between<'de, D: Deserializer<'de>, const LOW: u64, const HIGH: u64>(
    from: D,
) -> Result<Option<u64>, D::Error> {
    between::<D, LOW, HIGH>(from).map(Some)
}

/// An address with a port; `localhost` is 127.0.0.1.
pub(super) fn address<'de, D: Deserializer<'de>>(from: D) -> Result<std::net::SocketAddr, D::Error> {
    let text = String::deserialize(from)?;
    super::place::address(&text).map_err(ConfigFault::raise)
}

/// Absolute folders joined by `:`. A relative or empty one would run programs from the current folder.
pub(super) fn search_path<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.split(':').all(|folder| folder.starts_with('/')) {
        return Ok(text);
    }
    Err(ConfigFault::SearchPath(text).raise())
}

/// An integer from -100 to 100.
pub(super) fn level<'de, D: Deserializer<'de>>(from: D) -> Result<i8, D::Error> {
    let number = i64::deserialize(from)?;
    let level = i8::try_from(number).ok().filter(|number| (-100..=100).contains(number));
    level.ok_or_else(|| ConfigFault::WholeNumber { given: number, low: -100, high: 100 }.raise())
}

/// A share: a number from 0 to 1.
pub(super) fn share<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(from)?;
    if (0.0..=1.0).contains(&number) {
        return Ok(number);
    }
    Err(ConfigFault::Share(number.to_string()).raise())
}

/// The address of a PostgreSQL database.
pub(super) fn postgres<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return Ok(Some(text));
    }
    Err(ConfigFault::Postgres.raise())
}

/// The address of a collector: `http://` and a host, without a path of its own.
pub(super) fn collector<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(from)?;
    let host = url::Url::parse(&text).ok().filter(|url| url.scheme() == "http" && url.has_host());
    if host.is_some_and(|url| url.path() == "/" && url.query().is_none() && url.username().is_empty()) {
        return Ok(Some(text.trim_end_matches('/').to_owned()));
    }
    Err(ConfigFault::Collector(text).raise())
}

/// A risk: a number from 0 up, usually to 1.
pub(super) fn risk<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(from)?;
    if (0.0..=2.0).contains(&number) {
        return Ok(number);
    }
    Err(ConfigFault::Risk(number.to_string()).raise())
}

/// The risk limit of a low-trust channel: never the highest risks.
pub(super) fn low_risk<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(from)?;
    if (0.0..=0.9).contains(&number) {
        return Ok(number);
    }
    Err(ConfigFault::LowRisk(number.to_string()).raise())
}

/// Serialises a value by its `Display`.
pub(super) fn shown<S: serde::Serializer>(value: &impl std::fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// A language; `auto` for that of the session.
pub(super) fn language<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<guarda_core::action::Language>, D::Error> {
    match String::deserialize(from)?.as_str() {
        "auto" => Ok(None),
        tag => tag.parse().map(Some).map_err(|error| ConfigFault::from(error).raise()),
    }
}

/// Serialises a language as the file spells it.
pub(super) fn shown_language<S: serde::Serializer>(
    language: &Option<guarda_core::action::Language>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.serialize_str(language.map_or("auto", guarda_core::action::Language::tag))
}

/// Names in which `*` stands for any text. An empty name would match nothing and must be a mistake.
pub(super) fn patterns<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(from)?;
    match names.iter().find(|name| name.trim().is_empty() || name.trim() != name.as_str()) {
        None => Ok(names),
        Some(name) => Err(ConfigFault::ToolName(name.clone()).raise()),
    }
}

/// Host names, without port or scheme.
pub(super) fn host_names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(from)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    match names.iter().find(|name| name.is_empty() || !name.chars().all(plain)) {
        None => Ok(names.iter().map(|name| name.to_ascii_lowercase()).collect()),
        Some(name) => Err(ConfigFault::HostName(name.clone()).raise()),
    }
}

/// Names of a fixed set.
pub(super) fn known<'a, D: Deserializer<'a>>(
    from: D,
    allowed: impl Iterator<Item = &'static str>,
) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(from)?;
    let allowed: Vec<String> = allowed.map(str::to_owned).collect();
    match names.iter().find(|name| !allowed.contains(name)) {
        None => Ok(names),
        Some(name) => Err(ConfigFault::UnknownValue(Misspelt { given: name.clone(), allowed }).raise()),
    }
}

/// A list of names, or `true` or `false`, which name nothing.
pub(super) fn names_or_switch<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct NamesOrSwitch;
    impl<'de> Visitor<'de> for NamesOrSwitch {
        type Value = Vec<String>;

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(out, "{}", ExpectedType::Names)
        }

        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            let mut names = Vec::new();
            while let Some(name) = items.next_element::<String>()? {
                names.push(name);
            }
            Ok(names)
        }
    }
    from.deserialize_any(NamesOrSwitch)
}

/// The http address of a model server.
pub(super) fn endpoint<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    let wrong = || ConfigFault::Endpoint(text.clone()).raise();
    let url = url::Url::parse(&text).map_err(|_| wrong())?;
    if url.scheme() == "https" {
        return Err(ConfigFault::EndpointHttps.raise());
    }
    if url.scheme() != "http" || url.host().is_none() {
        return Err(wrong());
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(ConfigFault::EndpointKey.raise());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Whether an address names this machine.
pub(super) fn is_loopback(address: &str) -> bool {
    match url::Url::parse(address).ok().and_then(|url| url.host().map(|host| host.to_owned())) {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}
