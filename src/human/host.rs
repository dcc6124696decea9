//! A question about a host that a run wants: what is asked, and what a person should see of the name.

use crate::human::message::program;
use crate::human::network;
use crate::human::plain::{audible, visible};
use crate::human::words::Words;
use guarda_core::action::Action;
use guarda_core::network::{Destination, Looks};

/// A host that a run under way wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedHost {
    /// Where the run wants to connect to.
    pub to: Destination,
    /// The program of the command, as it is spoken.
    pub program: String,
}

impl WantedHost {
    /// What the run of an action wants.
    #[must_use]
    pub fn new(action: &Action, to: &Destination) -> Self {
        Self { to: to.clone(), program: program(action) }
    }
}

/// What a yes leads to: "let pip talk to evil.example (port 443)".
#[must_use]
pub fn effect(words: &Words, wanted: &WantedHost) -> String {
    let host = audible(&wanted.to.host.to_string());
    let (name, port) = (wanted.program.clone(), wanted.to.port.to_string());
    words.say("effect-host", &[("name", name.into()), ("host", host.into()), ("port", port.into())])
}

/// The site apart from what its owner can put before it, and what is unusual, a line for each.
#[must_use]
pub fn lines(words: &Words, wanted: &WantedHost) -> Vec<String> {
    let looks = Looks::of(&wanted.to.host);
    let mut lines = Vec::new();
    if !looks.subdomain.is_empty() {
        lines.push(words.say("host-site", &[("name", visible(&looks.site).into())]));
    }
    lines.extend(looks.unusual.iter().map(|unusual| network::looks(words, unusual)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::words;
    use guarda_core::action::{Language, Proposal, Request};

    #[test]
    fn a_person_hears_who_wants_what_and_sees_what_is_unusual() {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some("/usr/bin/pip install foo".to_owned().into()),
            ..Request::default()
        };
        let action = Proposal::parse(request).unwrap().action;
        let to = |text: &str| WantedHost::new(&action, &Destination::authority(text, None).unwrap());
        let english = words(Language::English);
        let told = effect(english, &to("evil.example.com:443"));
        assert_eq!(told, "let pip talk to evil.example.com (port 443)");
        assert_eq!(lines(english, &to("evil.example.com:443")), ["the site is example.com"]);
        for language in Language::ALL {
            let words = words(language);
            for host in [
                "xn--bcher-kva.com:1",
                "93.184.216.34:1",
                "nas.local:1",
                "metadata:1",
                "a1b2c3d4e5f6g7.com:1",
            ] {
                assert!(!lines(words, &to(host)).is_empty(), "{language} {host}");
            }
            assert!(effect(words, &to("evil.example:443")).contains("evil.example"));
        }
    }
}
