//! Hides the structure of a network: each address keeps its pseudonym within a session (feature S10, opt-in).

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::{Captures, Regex};

use super::redact::RedactionFailure;

/// The pseudonyms of one session. Cheap to create; keep one for each session.
#[derive(Debug, Default)]
pub struct Anonymiser {
    names: Mutex<Names>,
    own: Vec<String>,
}

#[derive(Debug, Default)]
struct Names {
    known: HashMap<(&'static str, String), usize>,
    counts: HashMap<&'static str, usize>,
}

struct Rule {
    name: &'static str,
    form: Regex,
}

/// Longer forms first, so that a subnet is not taken for an address.
static RULES: LazyLock<Result<Vec<Rule>, regex::Error>> = LazyLock::new(|| {
    let rules = [
        ("AZURE_RESOURCE", r"/subscriptions/[0-9A-Za-z-]+(?:/[0-9A-Za-z_.()-]+)*"),
        ("CLOUD_RESOURCE", r"\barn:aws[a-z-]*:[0-9A-Za-z_.:/*+=,@-]+"),
        (
            "CLOUD_RESOURCE",
            r"\b(?:i|vpc|subnet|sg|eni|vol|ami|igw|nat|rtb|eipalloc|tgw|acl|fs|lt|snap)-[0-9a-f]{8,17}\b",
        ),
        ("CLOUD_RESOURCE", r"\bprojects/[a-z][a-z0-9-]{4,28}[a-z0-9](?:/[0-9A-Za-z_.-]+)*"),
        ("INTERNAL_SUBNET", r"\b(?:\d{1,3}\.){3}\d{1,3}/\d{1,2}\b"),
        ("INTERNAL_SUBNET", r"(?i)\b(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):[0-9a-f:]{1,38}/\d{1,3}\b"),
        ("INTERNAL_IP", r"\b(?:\d{1,3}\.){3}\d{1,3}\b"),
        ("INTERNAL_IP", r"(?i)\b(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):[0-9a-f:]{1,38}(?:%\w{1,16})?"),
        (
            "INTERNAL_HOST",
            r"(?i)\b(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.){1,8}(?:local|lan|internal|corp|intra|intranet|localdomain|private|home\.arpa|home)\b",
        ),
    ];
    rules.into_iter().map(|(name, form)| Ok(Rule { name, form: Regex::new(form)? })).collect()
});

impl Anonymiser {
    /// Pseudonyms for a session on this machine. The machine's `own` names are hidden wherever they appear as
    /// a word.
    #[must_use]
    pub fn new(own: &[&str]) -> Self {
        let own =
            own.iter().filter(|name| name.len() >= 3 && **name != "localhost").map(|name| (*name).to_owned());
        Self { names: Mutex::default(), own: own.collect() }
    }

    /// Replaces addresses of private networks, their subnets, internal host names and the ids of cloud resources by
    /// `[INTERNAL_IP_1]` and so on. Returns how many were replaced.
    ///
    /// ```
    /// use guarda_core::output::Anonymiser;
    ///
    /// let (text, count) = Anonymiser::new(&[]).hide("ping 10.0.0.7")?;
    /// assert_eq!((text.as_str(), count), ("ping [INTERNAL_IP_1]", 1));
    /// # Ok::<(), guarda_core::output::RedactionFailure>(())
    /// ```
    ///
    /// # Errors
    /// If the patterns cannot be compiled: then no part of the text may be shown.
    pub fn hide(&self, text: &str) -> Result<(String, usize), RedactionFailure> {
        let rules = RULES.as_ref().map_err(|_| RedactionFailure)?;
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = text.to_owned();
        let mut count = 0;
        for rule in rules {
            let replaced = rule.form.replace_all(&text, |found: &Captures<'_>| {
                let name = found.get(0).map_or("", |found| found.as_str());
                if !is_internal(rule.name, name) {
                    return name.to_owned();
                }
                count += 1;
                names.stand_in(rule.name, name)
            });
            text = replaced.into_owned();
        }
        for own in &self.own {
            let mut hidden = String::with_capacity(text.len());
            let mut rest = text.as_str();
            while let Some(at) = rest.find(own.as_str()) {
                let (before, found) = rest.split_at(at);
                let after = found.get(own.len()..).unwrap_or_default();
                let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
                hidden.push_str(before);
                if hidden.chars().next_back().is_some_and(letter) || after.chars().next().is_some_and(letter)
                {
                    hidden.push_str(own);
                } else {
                    count += 1;
                    hidden.push_str(&names.stand_in("INTERNAL_HOST", own));
                }
                rest = after;
            }
            hidden.push_str(rest);
            text = hidden;
        }
        Ok((text, count))
    }

    /// How many names have a pseudonym (feature S10, `anonymization_mappings_count`).
    #[must_use]
    pub fn known(&self) -> usize {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).known.len()
    }
}

impl Names {
    fn stand_in(&mut self, kind: &'static str, name: &str) -> String {
        let next = self.counts.entry(kind).or_insert(0);
        let number = *self.known.entry((kind, name.to_ascii_lowercase())).or_insert_with(|| {
            *next += 1;
            *next
        });
        format!("[{kind}_{number}]")
    }
}

/// True if an address belongs to a private network. Other addresses reveal nothing about this network.
fn is_internal(kind: &str, name: &str) -> bool {
    if !matches!(kind, "INTERNAL_IP" | "INTERNAL_SUBNET") || name.contains(':') {
        return true;
    }
    let (address, bits) = name.split_once('/').unwrap_or((name, "32"));
    let Ok(address) = address.parse::<std::net::Ipv4Addr>() else {
        return false;
    };
    let shared = matches!(address.octets(), [100, second, ..] if (64..128).contains(&second));
    bits.parse::<u8>().is_ok_and(|bits| bits <= 32)
        && (address.is_private() || address.is_link_local() || shared)
}
