//! Judges actions that are not command lines: the safe list of feature M5 and its exceptions.

use crate::action::object::Risk;
use crate::action::vocabulary::resembled;
use crate::action::{Action, FileOperation};
use crate::network::{Host, Looks, Unusual, may_be_private};
use crate::policy::{Finding, Found, Policy, Profile, Situation, Verdict};
use crate::policy::{Origin, Tag};
use guarda_shell::script::Script;
use std::path::Path;

/// The findings for an action that is not a command line. Never empty.
pub(super) fn findings(policy: &Policy, action: &Action, situation: &Situation) -> Vec<Finding> {
    let mut findings = vec![match action {
        Action::Undo { .. } => undo(policy.profile(), situation),
        other => listed(other),
    }];
    match action {
        Action::OpenUrl { url } => address(policy, url, situation, &mut findings),
        Action::OpenStrangeUrl { .. } => findings.push(found(
            "url-scheme",
            Verdict::Block,
            0.8,
            "only http and https addresses are opened, and mailto: ones that name no file",
            &[Tag::Url],
        )),
        Action::Notify { title, body } => words(&format!("{title}\n{body}"), &mut findings),
        Action::Reply { text } => words(text, &mut findings),
        Action::File(operation) => files(policy, operation, situation, &mut findings),
        _ => {}
    }
    findings
}

fn found(rule: &str, verdict: Verdict, risk: f32, why: &str, tags: &[Tag]) -> Finding {
    Finding { tags: tags.to_vec(), ..Finding::new(rule, Origin::BuiltIn, verdict, risk, why) }
}

/// The vocabulary's verdict on this kind of action.
fn listed(action: &Action) -> Finding {
    let entry = action.kind().entry();
    let (risk, tags): (f32, &[Tag]) = match entry.risk {
        Risk::Safe => {
            let why = "it is on the list of safe actions";
            return found("safe-action", Verdict::Allow, 0.0, why, &[Tag::Desktop]);
        }
        Risk::Sleep => (0.5, &[Tag::Power, Tag::Suspend]),
        Risk::Power => (0.5, &[Tag::Power]),
        Risk::Radio => (0.3, &[Tag::Radio]),
        // Unsaved work may be lost, although the application is only told to close its windows.
        Risk::Closes => (0.4, &[Tag::Process]),
        // It would also mute the guard's own questions and warnings.
        Risk::Mutes => (0.4, &[]),
        // Everything on the screen would be in a file that the next action could send away.
        Risk::Screen => (0.4, &[Tag::Screen]),
        Risk::Keys => (0.5, &[Tag::Keys]),
        Risk::Deletes => (0.6, &[Tag::Destructive, Tag::Files]),
        Risk::Opens => (0.4, &[Tag::Files, Tag::Open]),
        Risk::Files => (0.4, &[Tag::Files]),
        Risk::Judged | Risk::Unknown => (0.5, &[Tag::Unknown]),
    };
    let (rule, why) = match entry.risk {
        Risk::Unknown => ("unknown-action", "the action is not in the vocabulary".to_owned()),
        Risk::Mutes => ("do-not-disturb", format!("it {}", entry.does)),
        _ => ("asked-action", format!("it {}", entry.does)),
    };
    let instead = match action {
        Action::Unknown { said } => resembled(said).map(str::to_owned),
        _ => None,
    };
    Finding { instead, ..found(rule, Verdict::Confirm, risk, &why, tags) }
}

/// An undo overwrites the current state, so a person is asked. An agent may undo its own changes in its own folders,
/// because it may change everything there.
fn undo(profile: Profile, situation: &Situation) -> Finding {
    if situation.undoes.is_empty() {
        // Nobody is asked if a yes could not be carried out.
        return found(
            "undo-nothing",
            Verdict::Allow,
            0.0,
            "nothing is held that it could undo",
            &[Tag::Files],
        );
    }
    if situation.undoes_setting {
        let why = "it sets a setting of the desktop back to what it was";
        return found("undo-setting", Verdict::Allow, 0.05, why, &[Tag::Desktop]);
    }
    match profile {
        Profile::Workspace | Profile::Container if situation.undoes_own => {
            let why = "it undoes what this session itself changed in its own folders";
            found("undo-own", Verdict::Allow, 0.05, why, &[Tag::Files])
        }
        Profile::Desktop | Profile::Workspace | Profile::Forensics | Profile::Container => {
            found("undo", Verdict::Confirm, 0.4, "it undoes what a run changed", &[Tag::Files])
        }
    }
}

/// Objects to a model's text that a person could take for the guard's.
fn words(text: &str, findings: &mut Vec<Finding>) {
    if crate::action::pose::poses_as_guard(text) {
        findings.push(found(
            "poses-as-guard",
            Verdict::Confirm,
            0.6,
            "the words could pass for a question of the guard's",
            &[Tag::Screen, Tag::SelfApproval],
        ));
    }
}

/// The longest path of an address that is opened unasked, in bytes, and the longest part of a name before its site.
const LONGEST_PATH: usize = 100;
const LONGEST_PREFIX: usize = 40;

/// Asks about addresses that are not what they seem, that lead to this computer or its network, or that could carry data away.
fn address(policy: &Policy, url: &url::Url, situation: &Situation, findings: &mut Vec<Finding>) {
    let mut ask = |rule: &str, risk: f32, why: &str| {
        findings.push(found(rule, Verdict::Confirm, risk, why, &[Tag::Url]));
    };
    if url.scheme() == "mailto" {
        ask("url-letter", 0.4, "it opens a new message in the mail program, with this address and text");
        return;
    }
    if !url.username().is_empty() || url.password().is_some() {
        ask("url-user", 0.6, "the address carries a user name, which can hide the real host");
    }
    let Ok(host) = Host::parse(url.host_str().unwrap_or_default()) else {
        ask("url-lookalike", 0.6, "the host is not one that every program reads alike");
        return;
    };
    if let Some(domain) = url.domain() {
        let (shown, valid) = idna::domain_to_unicode(domain);
        if valid.is_err() || !shown.chars().all(familiar) {
            ask("url-lookalike", 0.6, "the host is written with letters that can look like others");
        }
    }
    if may_be_private(&host) {
        ask("url-local", 0.6, "the address leads to a service on this computer or its local network");
    }
    let looks = Looks::of(&host);
    let random = looks.unusual.iter().any(|odd| matches!(odd, Unusual::RandomLabel(_)))
        || host.name().is_some_and(|name| name.as_str().len() - looks.site.len() > LONGEST_PREFIX);
    let carries = url.query().is_some() || url.fragment().is_some() || url.path().len() > LONGEST_PATH;
    if random || carries && !policy.is_known(url, host, situation) {
        ask("url-carries", 0.4, "the address has more in it than a page, which its host would be told");
    }
}

/// Letters of Portuguese, English and French; any other letter can imitate one of them.
fn familiar(c: char) -> bool {
    c.is_ascii() || ('à'..='ÿ').contains(&c) || c == 'œ'
}

/// Judges a file operation by the rules for the command that would do the same.
fn files(policy: &Policy, operation: &FileOperation, situation: &Situation, findings: &mut Vec<Finding>) {
    let (argv, paths): (&[&str], Vec<&str>) = match operation {
        FileOperation::Open(path) => (&["cat", "--"], vec![path]),
        FileOperation::List(path) => (&["ls", "--"], vec![path]),
        FileOperation::Copy { from, to } => (&["cp", "-r", "--"], vec![from, to]),
        FileOperation::Move { from, to } => (&["mv", "--"], vec![from, to]),
        FileOperation::Delete(path) if is_one_file(path, situation) => (&["rm", "--"], vec![path]),
        FileOperation::Delete(path) => (&["rm", "-r", "--"], vec![path]),
        FileOperation::MakeFolder(path) => (&["mkdir", "--"], vec![path]),
    };
    let script = Script::of_argv(argv, &paths);
    let more = policy.judge_script(&Ok(script), situation);
    findings.extend(more.into_iter().map(|finding| Finding { span: None, ..finding }));
}

/// Whether a path leads to one file, or to a link, which is deleted itself. False if it was not looked up. The hands
/// refuse to delete what has taken its place since.
fn is_one_file(path: &str, situation: &Situation) -> bool {
    let whole = match path.strip_prefix("~/") {
        Some(rest) => Path::new(&situation.home).join(rest.trim_start_matches('/')),
        None => Path::new(&situation.home).join(path),
    };
    matches!(situation.places.get(whole.as_os_str()), Some(Found::File(_) | Found::Link(_)))
}

#[cfg(test)]
mod tests {
    use super::{Action, FileOperation, Found, Policy, Profile, Situation, Verdict};
    use crate::action::UndoOf;
    use crate::policy::Identity;

    #[test]
    fn an_unknown_action_names_the_one_that_it_resembles() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        for (said, meant) in [
            ("WIFI_ON", Some("WIFI")),
            ("bluetooth_off", Some("BLUETOOTH")),
            ("OPEN_AP", Some("OPEN_APP")),
            ("VOLUME_SET_40", Some("VOLUME_SET")),
            ("WIFI_", Some("WIFI")),
            ("tool Lock", None),
            ("DANCE", None),
        ] {
            let findings =
                super::findings(&policy, &Action::Unknown { said: said.to_owned() }, &Situation::default());
            assert_eq!(findings[0].rule, "unknown-action");
            assert_eq!(findings[0].instead.as_deref(), meant, "{said}");
        }
    }

    #[test]
    fn only_an_agent_undoes_its_own_unasked() {
        for (profile, undoes_own, verdict) in [
            (Profile::Desktop, true, Verdict::Confirm),
            (Profile::Forensics, true, Verdict::Confirm),
            (Profile::Workspace, true, Verdict::Allow),
            (Profile::Container, true, Verdict::Allow),
            (Profile::Workspace, false, Verdict::Confirm),
            (Profile::Container, false, Verdict::Confirm),
        ] {
            let policy = Policy::builtin(profile).unwrap();
            let undoes = vec![uuid::Uuid::nil()];
            let situation = Situation { undoes, undoes_own, ..Situation::default() };
            for of in [UndoOf::Last, UndoOf::Deed("desk-20261122_001".to_owned())] {
                let findings = super::findings(&policy, &Action::Undo { of }, &situation);
                assert_eq!(findings.iter().map(|finding| finding.verdict).max(), Some(verdict), "{profile}");
            }
            let findings =
                super::findings(&policy, &Action::Undo { of: UndoOf::Last }, &Situation::default());
            assert_eq!(findings.len(), 1, "{profile}");
            assert_eq!((findings[0].rule.as_str(), findings[0].verdict), ("undo-nothing", Verdict::Allow));
        }
    }

    #[test]
    fn only_what_may_be_a_folder_is_deleted_as_a_tree() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let one = Identity { file: (1, 2), born: None };
        for (path, found, tree) in [
            ("~/Downloads/c", Found::File(one), false),
            ("/home/ana/Downloads/c", Found::File(one), false),
            ("Downloads/c", Found::Link("/etc".into()), false),
            ("Downloads/c", Found::Folder(one), true),
            ("Downloads/c", Found::Nothing, true),
            ("Downloads/c/", Found::Folder(one), true),
            ("Downloads/other", Found::File(one), true),
        ] {
            let places = [("/home/ana/Downloads/c".into(), found.clone())].into();
            let home = || "/home/ana".to_owned();
            let situation = Situation { home: home(), cwd: home(), places, ..Situation::default() };
            let action = Action::File(FileOperation::Delete(path.to_owned()));
            let rules: Vec<_> = super::findings(&policy, &action, &situation)
                .into_iter()
                .map(|finding| finding.rule)
                .collect();
            assert!(rules.contains(&"delete-files".to_owned()), "{path} {found:?}: {rules:?}");
            assert_eq!(rules.contains(&"delete-trees".to_owned()), tree, "{path} {found:?}: {rules:?}");
        }
    }

    fn open(address: &str) -> Vec<String> {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let url = url::Url::parse(address).unwrap();
        let mut situation = Situation::default();
        let entry = |host: &str| crate::network::HostRule {
            host: host.parse().unwrap(),
            ports: crate::network::Ports::All,
            protocol: crate::network::Protocol::Any,
            why: crate::network::Why::Policy { entry: host.to_owned() },
            private: false,
        };
        situation.network.allowed =
            vec![(None, entry("known.example")), (Some("curl".to_owned()), entry("curls.example"))];
        let mut findings = Vec::new();
        super::address(&policy, &url, &situation, &mut findings);
        findings.into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn addresses_that_are_not_what_they_seem_are_asked() {
        for (address, rules) in [
            ("https://example.org/a", vec![]),
            ("https://doc.rust-lang.org/std/collections/struct.HashMap.html", vec![]),
            ("http://93.184.216.34/", vec![]),
            ("https://açaí.com.br/", vec![]),
            ("https://google.com@evil.example/", vec!["url-user"]),
            ("https://gооgle.com/", vec!["url-lookalike"]), // Cyrillic о
            ("https://ɡoogle.com/", vec!["url-lookalike"]),
            ("mailto:ana@example.org?subject=Oi", vec!["url-letter"]),
        ] {
            assert_eq!(open(address), rules, "{address}");
        }
    }

    /// Whatever the spelling.
    #[test]
    fn addresses_of_this_computer_and_its_network_are_asked() {
        for host in [
            "localhost",
            "localhost.",
            "LOCALHOST:11434",
            "api.localhost",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "１２７.0.0.1",
            "0",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::a00:1]",
            "[2002:7f00:1::]",
            "[fe80::1]",
            "[fd12:3456::1]",
            "[fec0::1]",
            "[fd00:ec2::254]",
            "10.0.0.1",
            "172.16.0.1:8080",
            "192.168.1.1",
            "100.64.0.1",
            "100.100.100.200",
            "169.254.169.254",
            "168.63.129.16",
            "224.0.0.251",
            "metadata",
            "metadata.google.internal",
            "metadata.goog",
            "router",
            "router.local",
            "fritz.home",
            "nas.lan.",
            "wiki.corp",
            "db.internal",
            "gw.home.arpa",
            "127.0.0.1.nip.io",
            "app-10-0-0-1.sslip.io",
        ] {
            for scheme in ["http", "https"] {
                assert_eq!(open(&format!("{scheme}://{host}/x")), ["url-local"], "{host}");
            }
        }
    }

    /// A search where everybody searches, and what the person allowed, tell nobody else.
    #[test]
    fn what_an_address_could_carry_away_is_asked() {
        let long = format!("https://example.org/{}", "a/".repeat(60));
        for (address, asked) in [
            ("https://www.google.com/search?q=receitas+de+bolo&hl=pt", false),
            ("https://duckduckgo.com/?q=x", false),
            ("https://www.youtube.com/results?search_query=caf%C3%A9#t=2", false),
            ("https://known.example/?q=x", false),
            ("https://known.example:8443/#a", false),
            ("https://example.org/?q=x", true),
            ("https://example.org/?", true),
            ("https://example.org/#x", true),
            (long.as_str(), true),
            ("https://aGVsbG8gd29ybGQgdGhpcyBpcyBkYXRh.example.org/", true),
            ("https://4f3a9b1c8d2e.example.org/", true),
            ("https://www.google.com/url?q=https://evil.example/", true),
            ("https://www.google.com/search/../url?q=x", true),
            ("https://www.google.com.evil.example/search?q=x", true),
            ("http://www.google.com/search?q=x", true),
            ("https://www.google.com:8443/search?q=x", true),
            ("https://google.com.evil.example/search?q=x", true),
            ("https://sites.google.com/search?q=x", true),
            ("https://curls.example/?q=x", true),
            ("https://below.known.example/?q=x", true),
        ] {
            let rules = open(address);
            assert_eq!(rules, if asked { vec!["url-carries"] } else { vec![] }, "{address}");
        }
    }
}
