//! Finds the hosts that words name.

use super::plan::{NetworkPlan, Remark};
use crate::catalogue::tools::{Operands, Tool, git_sub_command};
use crate::network::{BadHost, Destination, Host, HostPattern, HostRule, Looks, Ports, Protocol, Why};
use crate::policy::Situation;
use guarda_shell::script::{Piece, Run, Word};

/// URL schemes: the name, the usual ports, and the protocol. Plain HTTP usually redirects to HTTPS.
const SCHEMES: &[(&str, &[u16], Protocol)] = &[
    ("http", &[80, 443], Protocol::Web),
    ("https", &[443], Protocol::Web),
    ("ws", &[80, 443], Protocol::Web),
    ("wss", &[443], Protocol::Web),
    ("ssh", &[22], Protocol::Ssh),
    ("sftp", &[22], Protocol::Ssh),
    ("scp", &[22], Protocol::Ssh),
    ("git", &[9418], Protocol::Any),
    ("rsync", &[873], Protocol::Any),
    ("svn", &[3690], Protocol::Any),
    ("ftp", &[21], Protocol::Any),
    ("ftps", &[990, 21], Protocol::Any),
    ("ldap", &[389], Protocol::Any),
    ("ldaps", &[636], Protocol::Any),
    ("postgres", &[5432], Protocol::Any),
    ("postgresql", &[5432], Protocol::Any),
    ("mysql", &[3306], Protocol::Any),
    ("redis", &[6379], Protocol::Any),
    ("rediss", &[6379], Protocol::Any),
    ("mongodb", &[27017], Protocol::Any),
    ("amqp", &[5672], Protocol::Any),
    ("amqps", &[5671], Protocol::Any),
    ("mqtt", &[1883], Protocol::Any),
    ("smtp", &[25, 587], Protocol::Any),
    ("smtps", &[465], Protocol::Any),
    ("imap", &[143], Protocol::Any),
    ("imaps", &[993], Protocol::Any),
    ("tcp", &[], Protocol::Any),
];

/// The meaning of a word.
enum Named {
    /// A host, its ports and the protocol.
    Host(Host, Vec<u16>, Protocol),
    /// No host.
    Nothing,
    /// Possibly a host, but not readable as exactly one.
    Unclear,
}

/// Adds the hosts of a run of a tool.
pub(super) fn of_tool(plan: &mut NetworkPlan, situation: &Situation, tool: &Tool, run: &Run) {
    let own = tool.options(run);
    let port = own.port.as_ref().and_then(|word| text(situation, word)?.parse().ok());
    let usual = port.map_or_else(|| tool.default.to_vec(), |port| vec![port]);
    // An option that names the tool's own server leads nowhere else.
    let own_server = |value: &Option<Word>| {
        let text = value.as_ref().and_then(|word| text(situation, word));
        let named =
            text.filter(|text| text.starts_with("https://")).map(|text| with_url(&text, |_| Named::Nothing));
        matches!(named, Some(Named::Host(host, ports, _)) if tool.rules().any(|rule| {
            rule.host.matches(&host) && rule.ports.include(&Ports::from(ports.clone()))
        }))
    };
    for (option, value) in own.moves.iter().filter(|(_, value)| !own_server(value)) {
        plan.remark(Remark::Moved { tool: tool.name.to_owned(), by: option.clone() });
        if let Some(value) = value {
            address(plan, situation, tool, value);
        }
    }
    for word in &own.hosts {
        add(plan, situation, word, |text| with_url(text, |text| bare(text, &usual, tool.speaks)));
    }
    let read = |text: &str| match tool.operands {
        Operands::Urls => with_url(text, |_| Named::Nothing),
        Operands::Address | Operands::First | Operands::Port => {
            with_url(text, |text| bare(text, &usual, tool.speaks))
        }
        Operands::Remote | Operands::Paths => with_url(text, |text| remote(text, &usual, tool.speaks)),
    };
    if tool.name == "git" {
        repository(plan, situation, &own.operands, read);
        return;
    }
    match tool.operands {
        Operands::Urls | Operands::Address | Operands::Remote | Operands::Paths => {
            own.operands.iter().for_each(|word| add(plan, situation, word, read));
        }
        Operands::First => own.operands.iter().take(1).for_each(|word| add(plan, situation, word, read)),
        Operands::Port => {
            let second = own.operands.get(1).and_then(|word| text(situation, word)?.parse().ok());
            let ports: Vec<u16> = second.into_iter().collect();
            let read = |text: &str| bare(text, &ports, tool.speaks);
            own.operands.iter().take(1).for_each(|word| add(plan, situation, word, read));
        }
    }
}

/// Adds the host in a value that directs a tool to another server.
pub(super) fn address(plan: &mut NetworkPlan, situation: &Situation, tool: &Tool, word: &Word) {
    add(plan, situation, word, |text| {
        with_url(text, |text| match bare(text, tool.default, tool.speaks) {
            // `-o Port=22`, a file, `off`.
            Named::Host(Host::Name(name), ..) if !name.as_str().contains('.') => Named::Nothing,
            Named::Unclear => Named::Nothing,
            named => named,
        })
    });
}

/// Adds the hosts of URLs among the words of a program that no table has.
pub(super) fn urls(plan: &mut NetworkPlan, situation: &Situation, run: &Run) {
    for word in run.words.iter().skip(1) {
        if let Some(text) = text(situation, word) {
            // `--url=https://…`
            let value = text.split_once('=').map_or(text.as_str(), |(option, value)| {
                if option.contains("://") { text.as_str() } else { value }
            });
            if matches!(with_url(value, |_| Named::Nothing), Named::Host(..)) {
                add(plan, situation, word, |_| with_url(value, |_| Named::Nothing));
            }
        }
    }
}

/// Adds the host of the repository that git is given, or of the remotes that it uses by default: the named
/// one, or all of them.
fn repository(
    plan: &mut NetworkPlan,
    situation: &Situation,
    operands: &[&Word],
    read: impl Fn(&str) -> Named,
) {
    let (sub, words) = git_sub_command(operands);
    let remotes = &situation.network.remotes;
    match (sub, words.first()) {
        ("clone", Some(word)) => add(plan, situation, word, read),
        ("submodule" | "remote", _) => {
            words.iter().for_each(|word| add(plan, situation, word, &read));
            remotes.iter().for_each(|remote| add_remote(plan, remote));
        }
        ("fetch" | "pull" | "push" | "ls-remote", Some(word)) => {
            match remotes.iter().find(|(name, _)| word.literal() == Some(name)) {
                Some(remote) => add_remote(plan, remote),
                None => add(plan, situation, word, read),
            }
        }
        ("fetch" | "pull" | "push" | "ls-remote", None) => {
            remotes.iter().for_each(|remote| add_remote(plan, remote));
        }
        _ => {}
    }
}

fn add_remote(plan: &mut NetworkPlan, (name, url): &(String, String)) {
    match with_url(url, |text| remote(text, &[22], Protocol::Ssh)) {
        Named::Host(host, ports, protocol) => {
            let (private, why) = (Looks::of(&host).is_private(), Why::Remote { remote: name.clone() });
            let (host, ports) = (HostPattern::Exact(host), Ports::from(ports));
            plan.hosts.add(HostRule { host, ports, protocol, why, private });
        }
        Named::Nothing => {}
        Named::Unclear => plan.remark(Remark::Unknown { word: name.clone() }),
    }
}

/// A known word, or the known beginning of one if it contains the whole host: `https://example.org/$FILE`. A
/// pattern in a URL stays as written, since it matches no file.
fn text(situation: &Situation, word: &Word) -> Option<String> {
    let known = |piece: &Piece| match piece {
        Piece::Glob(pattern) if word.prefix().contains("://") => Some(pattern.clone()),
        piece => piece.known(&situation.home, &situation.cwd),
    };
    let begin: String = word.pieces.iter().map_while(known).collect();
    let host = begin.split_once("://").map_or(begin.as_str(), |(_, rest)| rest);
    let whole = word.pieces.iter().all(|piece| known(piece).is_some());
    (whole || host.contains(['/', '?', '#'])).then_some(begin)
}

fn add(plan: &mut NetworkPlan, situation: &Situation, word: &Word, read: impl Fn(&str) -> Named) {
    let unknown = |plan: &mut NetworkPlan| plan.remark(Remark::Unknown { word: shown(&word.written()) });
    let Some(text) = text(situation, word) else { return unknown(plan) };
    match read(&text) {
        Named::Nothing => {}
        Named::Unclear => unknown(plan),
        Named::Host(host, ports, protocol) => {
            let private = Looks::of(&host).is_private();
            let why = Why::Word { word: host.to_string(), start: word.span.start };
            let (host, ports) = (HostPattern::Exact(host), Ports::from(ports));
            plan.hosts.add(HostRule { host, ports, protocol, why, private });
        }
    }
}

/// A word without possible secrets: without user information and without everything after the host.
fn shown(word: &str) -> String {
    let (scheme, rest) = word.split_once("://").map_or(("", word), |(scheme, rest)| (scheme, rest));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
}

/// A URL's host, or the result of `other` for text that is not a URL.
fn with_url(text: &str, other: impl Fn(&str) -> Named) -> Named {
    let Some((scheme, rest)) = text.split_once("://") else { return other(text) };
    let scheme = scheme.to_ascii_lowercase();
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    if scheme.is_empty() || !scheme.chars().all(plain) {
        return other(text);
    }
    // In `git+https` and `svn+ssh`, one of the two parts is the protocol on the wire.
    let known = |name: &str| SCHEMES.iter().find(|(known, ..)| *known == name);
    let entry = known(&scheme).or_else(|| scheme.split('+').rev().find_map(known));
    let Some((_, ports, protocol)) = entry else { return Named::Nothing };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // Readers disagree about a backslash after the host, and about a second `@`.
    if authority.contains('\\') || authority.matches('@').count() > 1 {
        return Named::Unclear;
    }
    let authority = authority.rsplit('@').next().unwrap_or_default();
    host_and_ports(authority, ports, *protocol)
}

/// A host with or without a port and a path.
fn bare(text: &str, usual: &[u16], protocol: Protocol) -> Named {
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || authority.matches('@').count() > 1 || authority.contains('\\') {
        return if text.starts_with(['/', '.']) { Named::Nothing } else { Named::Unclear };
    }
    host_and_ports(authority.rsplit('@').next().unwrap_or_default(), usual, protocol)
}

/// `host:path`, `user@host:path`, `host::module`; anything else is a path.
fn remote(text: &str, usual: &[u16], protocol: Protocol) -> Named {
    let Some((head, path)) = split_remote(text) else { return Named::Nothing };
    let host = head.rsplit('@').next().unwrap_or_default();
    if host.is_empty() || head.matches('@').count() > 1 {
        return Named::Unclear;
    }
    // `ext::` and similar transports run a program.
    if path.starts_with(':') && !host.contains('.') && ["ext", "fd"].contains(&host) {
        return Named::Unclear;
    }
    if path.starts_with(':') {
        host_and_ports(host, &[873], Protocol::Any)
    } else {
        host_and_ports(host, usual, protocol)
    }
}

/// The part before the first colon, if no slash precedes it.
fn split_remote(text: &str) -> Option<(&str, &str)> {
    if let Some(rest) = text.find("]:").filter(|_| text.contains('[')) {
        return Some((text.get(..=rest)?, text.get(rest + 2..)?));
    }
    let (head, path) = text.split_once(':')?;
    (!head.contains('/')).then_some((head, path))
}

fn host_and_ports(authority: &str, usual: &[u16], protocol: Protocol) -> Named {
    if authority.is_empty() {
        return Named::Nothing;
    }
    match Destination::authority(authority, None) {
        Ok(Destination { host, port }) => Named::Host(host, vec![port], protocol),
        Err(BadHost::Port) => match Host::parse(authority) {
            Ok(host) => Named::Host(host, usual.to_vec(), protocol),
            Err(_) => Named::Unclear,
        },
        Err(_) => Named::Unclear,
    }
}
