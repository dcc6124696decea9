//! Describes the hosts that a command reaches.

use crate::wording::describe::names;
use crate::wording::localize::told_with;
use crate::wording::plain::visible;
use crate::wording::words::Words;
use guarda_core::hosts::NetworkPlan;
use guarda_core::hosts::{Remark, Whole};
use guarda_core::network::{AddressClass, HostRule, Unusual, Why};

/// How many hosts are spoken by name. More are counted.
const SPOKEN: usize = 2;

/// One line for each host, each program that needs the whole network, and each unusual trait.
#[must_use]
pub fn lines(words: &Words, plan: &NetworkPlan) -> Vec<String> {
    let whole = plan.whole.iter().map(|whole| needs_all(words, whole));
    let hosts = plan.hosts.iter().map(|rule| host(words, rule));
    let unusual = plan.unusual.iter().map(|remark| said(words, remark));
    whole.chain(hosts).chain(unusual).collect()
}

/// The name of a host without its scheme.
#[must_use]
pub fn bare(host: &str) -> &str {
    host.split_once("://").map_or(host, |(_, name)| name)
}

/// The sentence after the question: the hosts that it does not name itself, and settings that redirect a tool. Those that a tool always
/// needs are shown only. `None` if there is nothing to say.
#[must_use]
pub fn spoken(words: &Words, plan: &NetworkPlan, asked: &str) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for rule in plan.hosts.iter().filter(|rule| !matches!(rule.why, Why::Tool { .. })) {
        let name = visible(&rule.host.to_string());
        if !names.contains(&name) && !asked.contains(&name) {
            names.push(name);
        }
    }
    let left = names.len().saturating_sub(SPOKEN);
    names.truncate(SPOKEN);
    let reaches = match (plan.whole.first(), names.is_empty()) {
        (Some(whole), _) => Some(format!("{}.", needs_all(words, whole))),
        (None, true) => None,
        (None, false) => {
            let hosts = if left == 0 { names::listed(words, &names) } else { names.join(", ") };
            Some(words.say("network-reaches", &[("hosts", hosts.into()), ("more", left.into())]))
        }
    };
    let strange = |remark: &&Remark| match remark {
        Remark::Moved { .. } | Remark::File { .. } | Remark::Denied { .. } => true,
        Remark::Looks { unusual, .. } => unusual.iter().any(|unusual| *unusual != Unusual::Local),
        Remark::Unknown { .. } => false,
    };
    let strange = plan.unusual.iter().find(strange).map(|remark| format!("{}.", said(words, remark)));
    let both: Vec<String> = reaches.into_iter().chain(strange).collect();
    (!both.is_empty()).then(|| both.join(" "))
}

fn needs_all(words: &Words, whole: &Whole) -> String {
    let why = words.say(&format!("network-whole-{}", whole.why), &[]);
    words.say("network-whole", &[("program", visible(&whole.program).into()), ("why", why.into())])
}

fn host(words: &Words, rule: &HostRule) -> String {
    let why = match &rule.why {
        Why::Word { .. } => words.say("network-why-word", &[]),
        Why::Tool { tool } => words.say("network-why-tool", &[("tool", tool.as_str().into())]),
        Why::Remote { remote } => words.say("network-why-remote", &[("remote", visible(remote).into())]),
        Why::Policy { .. } => words.say("network-why-policy", &[]),
        Why::Tried => words.say("network-why-tried", &[]),
        Why::Answer => words.say("network-why-answer", &[]),
        Why::All => words.say("network-why-all", &[]),
    };
    let ports: Vec<String> = Vec::from(rule.ports.clone()).iter().map(u16::to_string).collect();
    let host = visible(&rule.host.to_string());
    let arguments = [("host", host.into()), ("ports", ports.join(", ").into()), ("why", why.into())];
    words.say(if ports.is_empty() { "network-host-every" } else { "network-host" }, &arguments)
}

fn said(words: &Words, remark: &Remark) -> String {
    let unusual = if let Remark::Looks { unusual, .. } = remark { unusual.as_slice() } else { &[] };
    let what: Vec<String> = unusual.iter().map(|unusual| looks(words, unusual)).collect();
    told_with(words, "network", remark, &[("what", what.join(", "))])
}

/// Describes an unusual trait of a host.
pub(super) fn looks(words: &Words, unusual: &Unusual) -> String {
    match unusual {
        Unusual::Punycode(name) => words.say("network-unusual-punycode", &[("name", visible(name).into())]),
        Unusual::RandomLabel(_) => words.say("network-unusual-random", &[]),
        Unusual::Metadata => words.say("network-unusual-metadata", &[]),
        Unusual::Address(AddressClass::Public) => words.say("network-unusual-address", &[]),
        Unusual::Address(_) => words.say("network-unusual-own-address", &[]),
        Unusual::Local => words.say("network-unusual-local", &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::words::words;
    use guarda_core::action::Language;
    use guarda_core::policy::corpus;
    use guarda_shell::script::Dialect;

    fn plan(line: &str) -> NetworkPlan {
        let script = guarda_shell::read(line, Dialect::Bash);
        let mut situation = corpus::situation(&script);
        situation.network.remotes = vec![("origin".to_owned(), "git@git.example:a".to_owned())];
        situation.network.moved = vec![("npm".to_owned(), "~/.npmrc".to_owned())];
        NetworkPlan::of(&script.unwrap(), &situation)
    }

    #[test]
    fn hosts_are_told_and_spoken() {
        let english = words(Language::English);
        for (line, shown, aloud) in [
            ("ls", &[][..], None),
            (
                "curl https://example.org",
                &["example.org, port 443: the command names it"],
                Some("It talks to example.org."),
            ),
            (
                "cargo fetch",
                &[
                    "index.crates.io, port 443: crates.io needs it",
                    "static.crates.io, port 443: crates.io needs it",
                    "crates.io, port 443: crates.io needs it",
                ],
                None,
            ),
            (
                "git push",
                &["git.example, port 22: the repository's remote origin"],
                Some("It talks to git.example."),
            ),
            (
                "curl -x a.example:1 https://b.example",
                &[
                    "a.example, port 1: the command names it",
                    "b.example, port 443: the command names it",
                    "-x leads curl to another server",
                ],
                Some("It talks to a.example and b.example. -x leads curl to another server."),
            ),
            (
                "ping a.example",
                &["ping needs the whole network: it sends more than TCP"],
                Some("ping needs the whole network: it sends more than TCP."),
            ),
        ] {
            assert_eq!(lines(english, &plan(line)), shown, "{line}");
            assert_eq!(spoken(english, &plan(line), "").as_deref(), aloud, "{line}");
        }
    }

    #[test]
    fn everything_has_words_in_each_language() {
        let all = plan(
            "npm i; curl https://$X; curl https://gооgle.com http://169.254.169.254; git pull; pip -i x.example install y; \
             socat a b; dig x; ip a; nc aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example 1",
        );
        for language in Language::ALL {
            let told = lines(words(language), &all);
            assert!(told.len() > 12, "{told:?}");
            assert!(told.iter().all(|line| !line.contains("network-")), "{told:?}");
        }
    }
}
