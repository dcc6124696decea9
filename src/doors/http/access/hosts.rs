//! The names by which this service may be called.

use std::net::{IpAddr, SocketAddr};

/// The host names of this service. In a DNS rebinding attack, a page's own name resolves to this address, and the
/// request then names that foreign host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    allowed: Vec<String>,
}

impl Hosts {
    /// The names of the bound address, and the configured names.
    #[must_use]
    pub fn new(bound: SocketAddr, names: &[String]) -> Self {
        let port = bound.port();
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        let own = match bound.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        if !bound.ip().is_unspecified() && !hosts.contains(&own) {
            hosts.push(own);
        }
        hosts.extend(names.iter().cloned());
        let mut allowed: Vec<String> = hosts.iter().map(|host| format!("{host}:{port}")).collect();
        if port == 80 {
            allowed.extend(hosts);
        }
        Self { allowed }
    }

    /// Whether a `Host` header names this service.
    #[must_use]
    pub fn allow(&self, host: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
    }

    /// The names, for an error.
    pub(super) fn names(&self) -> &[String] {
        &self.allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_answered() {
        let hosts = Hosts::new("127.0.0.1:4827".parse().unwrap(), &["guarda.lan".to_owned()]);
        for host in ["127.0.0.1:4827", "localhost:4827", "LOCALHOST:4827", "[::1]:4827", "guarda.lan:4827"] {
            assert!(hosts.allow(host), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "localhost",
            "localhost:80",
            "evil.example:4827",
            "127.0.0.1:4827.evil.example",
            "localhost.:4827",
            "0.0.0.0:4827",
            "[::]:4827",
            "127.1:4827",
            "user@localhost:4827",
            "localhost:04827",
        ] {
            assert!(!hosts.allow(host), "{host}");
        }
        let wide = Hosts::new("0.0.0.0:80".parse().unwrap(), &[]);
        assert!(wide.allow("localhost") && wide.allow("127.0.0.1:80") && !wide.allow("0.0.0.0"));
        assert!(Hosts::new("192.0.2.7:1".parse().unwrap(), &[]).allow("192.0.2.7:1"));
    }
}
