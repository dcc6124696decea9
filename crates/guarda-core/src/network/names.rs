//! What a person should see of a host's name: the registered site apart from its subdomain, and anything
//! unusual.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

use super::{AddressClass, DomainName, Host};

/// How a host looks to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looks {
    /// The registered part (`example.co.uk`); empty for an address and for a name without a public suffix.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub site: String,
    /// The part before the site, without the dot in between.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subdomain: String,
    /// What is unusual about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unusual: Vec<Unusual>,
}

/// Something about a host that a person should know before approving it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unusual {
    /// Letters beyond ASCII: the name as it would be displayed, beside its punycode.
    Punycode(String),
    /// A label so long or so random that it can carry data.
    RandomLabel(String),
    /// The name or address of a cloud's metadata service.
    Metadata,
    /// An address instead of a name, with its kind.
    Address(AddressClass),
    /// A name of this machine or of the local network.
    Local,
}

/// Endings of names that no public server has.
const LOCAL: [&str; 12] = [
    "localhost",
    "local",
    "internal",
    "lan",
    "home",
    "corp",
    "localdomain",
    "intranet",
    "private",
    "domain",
    "workgroup",
    "arpa",
];
/// Labels of at least this many bytes can carry data.
const LONG_LABEL: usize = 32;
/// In labels of at least this many bytes, letters mixed with digits look random.
const MIXED_LABEL: usize = 12;

impl Looks {
    /// How a host looks.
    #[must_use]
    pub fn of(host: &Host) -> Self {
        let name = match host {
            Host::Address(address) => {
                let class = AddressClass::of(*address);
                let mut unusual = vec![Unusual::Address(class)];
                unusual.extend((class == AddressClass::Metadata).then_some(Unusual::Metadata));
                return Self { site: String::new(), subdomain: String::new(), unusual };
            }
            Host::Name(name) => name,
        };
        let site = site(name).unwrap_or_default();
        let before = name.as_str().strip_suffix(site).unwrap_or_default();
        let subdomain = if site.is_empty() { "" } else { before.trim_end_matches('.') };
        Self { site: site.to_owned(), subdomain: subdomain.to_owned(), unusual: unusual(name) }
    }

    /// True if the host clearly belongs to this machine or to a network that is not open to everybody.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.unusual.iter().any(|unusual| match unusual {
            Unusual::Local | Unusual::Metadata => true,
            Unusual::Address(class) => *class != AddressClass::Public,
            Unusual::Punycode(_) | Unusual::RandomLabel(_) => false,
        })
    }
}

/// The site of a name: the public suffix and one label before it. `None` if the name is a public suffix itself, or ends in none.
#[must_use]
pub fn site(name: &DomainName) -> Option<&str> {
    let domain = psl::domain(name.as_str().as_bytes())?;
    if !domain.suffix().is_known() {
        return None;
    }
    std::str::from_utf8(domain.as_bytes()).ok()
}

/// True if anyone can register a name directly below this one (`com`, `co.uk`, `github.io`).
#[must_use]
pub fn is_public_suffix(name: &DomainName) -> bool {
    psl::suffix(name.as_str().as_bytes())
        .is_some_and(|suffix| suffix.is_known() && suffix.as_bytes() == name.as_str().as_bytes())
}

/// Names of clouds' metadata services.
#[must_use]
pub fn is_metadata(name: &DomainName) -> bool {
    let name = name.as_str();
    const NAMES: [&str; 6] = [
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data",
        "instance-data.ec2.internal",
        "metadata.azure.internal",
    ];
    NAMES.contains(&name)
}

fn unusual(name: &DomainName) -> Vec<Unusual> {
    let mut found = Vec::new();
    if name.labels().any(|label| label.starts_with("xn--")) {
        found.push(Unusual::Punycode(idna::domain_to_unicode(name.as_str()).0));
    }
    if is_metadata(name) {
        found.push(Unusual::Metadata);
    }
    let last = name.labels().last().unwrap_or_default();
    if LOCAL.contains(&last) || !name.as_str().contains('.') {
        found.push(Unusual::Local);
    }
    let random = name.labels().filter(|label| !label.starts_with("xn--") && looks_random(label));
    found.extend(random.map(|label| Unusual::RandomLabel(label.to_owned())));
    found
}

/// Sites below which everybody has names for every address, in several spellings (`7f000001.nip.io`, `0--1.sslip.io`), or where all names
/// are this machine's.
const ANY_ADDRESS: [&str; 9] = [
    "nip.io",
    "sslip.io",
    "xip.io",
    "traefik.me",
    "localtest.me",
    "lvh.me",
    "vcap.me",
    "lacolhost.com",
    "local.gd",
];

/// True if a host may lead to this machine or to a network that is not open to everybody, as far as it can be read: also a name with
/// such an address in it, which public services resolve to that address (`10.0.0.1.nip.io`, `app-127-0-0-1.sslip.io`).
#[must_use]
pub fn may_be_private(host: &Host) -> bool {
    let embedded = |name: &DomainName| {
        let parts: Vec<&str> = name.as_str().split(['.', '-']).collect();
        let address = |four: &[&str]| four.join(".").parse::<Ipv4Addr>().ok();
        let mut inside = parts.windows(4).filter_map(address);
        inside.any(|address| AddressClass::of(address.into()) != AddressClass::Public)
    };
    let below = |name: &DomainName| {
        let mut before = ANY_ADDRESS.iter().filter_map(|site| name.as_str().strip_suffix(site));
        before.any(|before| before.is_empty() || before.ends_with('.'))
    };
    Looks::of(host).is_private() || host.name().is_some_and(|name| embedded(name) || below(name))
}

/// True if a label is long enough for data, or mixes letters and digits as no word does.
fn looks_random(label: &str) -> bool {
    let kinds: Vec<bool> =
        label.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.is_ascii_digit()).collect();
    let changes = kinds.windows(2).filter(|pair| pair.first() != pair.last()).count();
    label.len() >= LONG_LABEL || label.len() >= MIXED_LABEL && changes >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_is_shown_of_a_name() {
        let looks = |text: &str| Looks::of(&Host::parse(text).unwrap());
        let random = |label: &str| Unusual::RandomLabel(label.to_owned());
        for (text, site, subdomain, unusual) in [
            ("example.org", "example.org", "", vec![]),
            ("files.pythonhosted.org", "pythonhosted.org", "files", vec![]),
            ("a.b.example.co.uk", "example.co.uk", "a.b", vec![]),
            ("ana.github.io", "ana.github.io", "", vec![]),
            ("pypi.org.evil.example.com", "example.com", "pypi.org.evil", vec![]),
            ("static.crates.io", "crates.io", "static", vec![]),
            ("s3-us-west-2.example.com", "example.com", "s3-us-west-2", vec![]),
            ("gооgle.com", "xn--ggle-55da.com", "", vec![Unusual::Punycode("gооgle.com".to_owned())]),
            ("localhost", "", "", vec![Unusual::Local]),
            ("nas.local", "", "", vec![Unusual::Local]),
            ("intranet", "", "", vec![Unusual::Local]),
            ("metadata.google.internal", "", "", vec![Unusual::Metadata, Unusual::Local]),
            ("router.home.arpa", "router.home.arpa", "", vec![Unusual::Local]),
            ("10.0.0.1", "", "", vec![Unusual::Address(AddressClass::Private)]),
            ("169.254.169.254", "", "", vec![Unusual::Address(AddressClass::Metadata), Unusual::Metadata]),
            ("4f3a9b1c8d2e.example.com", "example.com", "4f3a9b1c8d2e", vec![random("4f3a9b1c8d2e")]),
            (
                "aGVsbG8gd29ybGQgdGhpcyBpcyBkYXRh.example.com",
                "example.com",
                "agvsbg8gd29ybgqgdghpcybpcybkyxrh",
                vec![random("agvsbg8gd29ybgqgdghpcybpcybkyxrh")],
            ),
        ] {
            let wanted = Looks { site: site.to_owned(), subdomain: subdomain.to_owned(), unusual };
            assert_eq!(looks(text), wanted, "{text}");
        }
    }

    #[test]
    fn public_suffixes() {
        let name = |text: &str| DomainName::try_from(text.to_owned()).unwrap();
        for suffix in ["com", "co.uk", "github.io"] {
            assert!(is_public_suffix(&name(suffix)), "{suffix}");
        }
        for other in ["example.com", "corp", "internal", "nas.local"] {
            assert!(!is_public_suffix(&name(other)), "{other}");
        }
    }
}
