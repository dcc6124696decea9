//! Questions about hosts that a running command wants to reach, and the unusual traits of host names.

use crate::wording::describe::effect::program;
use crate::wording::describe::network;
use crate::wording::plain::{audible, visible};
use crate::wording::words::Words;
use guarda_core::action::Action;
use guarda_core::network::{Destination, Looks};

/// The hosts that a running command wants to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedHosts {
    /// One host, or several hosts that are asked about in one question.
    pub to: Vec<Destination>,
    /// The command's program, as it is spoken.
    pub program: String,
}

impl WantedHosts {
    /// The hosts `to` that the run of `action` wants.
    #[must_use]
    pub fn new(action: &Action, to: &[Destination]) -> Self {
        Self { to: to.to_vec(), program: program(action) }
    }
}

/// Describes what a yes allows: "let pip talk to evil.example".
#[must_use]
pub fn effect(words: &Words, wanted: &WantedHosts) -> String {
    let name = wanted.program.clone();
    let [to] = wanted.to.as_slice() else {
        let count = wanted.to.len();
        return words.say("effect-hosts", &[("name", name.into()), ("count", count.into())]);
    };
    let (host, port) = (audible(&to.host.to_string()), to.port.to_string());
    // The ports of the web are what everybody expects.
    let usual = matches!(to.port, 80 | 443);
    let port = if usual { String::new() } else { words.say("effect-host-port", &[("port", port.into())]) };
    words.say("effect-host", &[("name", name.into()), ("host", host.into()), ("port", port.into())])
}

/// Lines about the hosts for display. A single host gets one line for its registered domain, apart from the labels
/// that its owner can choose freely, and one for each unusual trait. Several hosts get one line each, unusual traits
/// included.
#[must_use]
pub fn lines(words: &Words, wanted: &WantedHosts) -> Vec<String> {
    let unusual = |looks: &Looks| -> Vec<String> {
        looks.unusual.iter().map(|unusual| network::looks(words, unusual)).collect()
    };
    if let [to] = wanted.to.as_slice() {
        let looks = Looks::of(&to.host);
        let site = || words.say("host-site", &[("name", visible(&looks.site).into())]);
        let site = (!looks.subdomain.is_empty()).then(site);
        return site.into_iter().chain(unusual(&looks)).collect();
    }
    let line = |to: &Destination| {
        let all = [vec![visible(&to.to_string())], unusual(&Looks::of(&to.host))];
        all.concat().join(", ")
    };
    wanted.to.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::words;
    use guarda_core::action::{Language, Proposal, Request};

    #[test]
    fn a_person_hears_who_wants_what_and_sees_what_is_unusual() {
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some("/usr/bin/pip install foo".to_owned().into()),
            ..Request::default()
        };
        let action = Proposal::parse(request).unwrap().action;
        let to = |text: &str| {
            let to: Vec<_> = text.split(' ').map(|to| Destination::authority(to, None).unwrap()).collect();
            WantedHosts::new(&action, &to)
        };
        let english = words(Language::English);
        let told = effect(english, &to("evil.example.com:443"));
        assert_eq!(told, "let pip talk to evil.example.com");
        assert_eq!(lines(english, &to("evil.example.com:443")), ["the site is example.com"]);
        let many = to("a.example.com:443 93.184.216.34:80");
        assert_eq!(effect(english, &many), "let pip talk to 2 more hosts");
        let told = lines(english, &many);
        assert_eq!(told[0], "a.example.com:443");
        assert!(told[1].starts_with("93.184.216.34:80, "), "{told:?}");
        for language in Language::ALL {
            let words = words(language);
            assert!(effect(words, &many).contains('2'));
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
