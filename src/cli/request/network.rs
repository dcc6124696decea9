//! `guarda network`: shows network traffic, and edits the rules for hosts in the configuration.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use guarda_core::network::{BadHost, Host, HostPattern};
use guarda_core::output::traffic::HostTraffic;
use toml_edit::{Array, DocumentMut, InlineTable, Item};

use crate::app::{CliError, ExitStatus, LoadError, load, paths, terminal};
use crate::config::Config;
use crate::config::place::{self, ConfigPlace};
use crate::config::sections::network::Allowed;
use crate::devices::filesystem::rewrite;
use crate::wording::plain::visible;
use crate::wording::refusal::refusals;
use crate::wording::words::{Words, size};
use guarda_journal::read::Filter;
use guarda_journal::traffic::{RunTraffic, traffic};

use crate::cli::args::{FileArgs, NetworkArgs, NetworkCommand};
use crate::cli::request::client::{As, refused, try_ask};
use crate::cli::request::questions::coded;

pub(in crate::cli) fn network(args: NetworkArgs) -> Result<ExitStatus, CliError> {
    let words = crate::wording::words(load::page_language());
    match args.command {
        None => shown(&args, words)?,
        Some(NetworkCommand::Allow { host, tool, private, file }) => {
            let allowed =
                Allowed::read(&host, tool, private).map_err(|error| no_host(&error.host, error.cause))?;
            changed(&file, &Change::Allow(allowed), words)?;
        }
        Some(NetworkCommand::Deny { host, file }) => {
            changed(&file, &Change::Deny(pattern(&host)?), words)?;
        }
        Some(NetworkCommand::Forget { host, file }) => {
            // As for `allow`, a port may follow.
            let allowed =
                Allowed::read(&host, None, false).map_err(|error| no_host(&error.host, error.cause))?;
            changed(&file, &Change::Forget(allowed.host), words)?;
        }
    }
    Ok(ExitStatus::Good)
}

fn pattern(host: &str) -> Result<HostPattern, CliError> {
    host.parse().map_err(|why: BadHost| no_host(host, why))
}

/// The error for a text that is not a host.
fn no_host(given: &str, why: BadHost) -> CliError {
    let name: &'static str = why.into();
    let why = load::say(&format!("bad-host-{name}"), &[]);
    CliError::say("network-no-host", &[("given", &format!("{given:?}")), ("why", &why)])
}

/// Shows the runs, from the service or, if none is running, from the record.
fn shown(args: &NetworkArgs, words: &Words) -> Result<(), CliError> {
    let mut query = url::form_urlencoded::Serializer::new(String::from("/v1/network?"));
    for (name, value) in [("host", &args.host), ("session", &args.session)] {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    if let Some(since) = args.since {
        query.append_pair("since", &since.to_string());
    }
    let (mut runs, note) = match try_ask(As::Approver, &query.finish(), None)? {
        Ok(told) if told.status == 200 => {
            let runs = told.body.get("runs").cloned().unwrap_or_default();
            (serde_json::from_value::<Vec<RunTraffic>>(runs)?, None)
        }
        Ok(told) => return Err(refused(&told)),
        Err(why) => {
            let loaded = load::load(None)?;
            let folder = paths::record_folder(&loaded.config, &load::state()?);
            let filter = Filter { session: args.session.clone(), since: args.since, ..Filter::default() };
            let runs = match folder.is_dir() {
                true => traffic(&folder, &filter, args.host.as_deref(), args.lines)
                    .map_err(CliError::unreadable)?,
                false => Vec::new(),
            };
            (runs, Some(why.told(words)))
        }
    };
    let live = runs.iter().filter(|run| run.running).count();
    runs.truncate(live.saturating_add(args.lines));
    if args.json {
        let text = serde_json::to_string_pretty(&serde_json::json!({ "runs": runs }))?;
        terminal::out(&format!("{text}\n"));
    } else {
        terminal::out(&page(&runs, words));
    }
    if let Some(why) = note {
        terminal::err(&format!("{}\n", words.say("cli-network-record-only", &[("why", why.into())])));
    }
    Ok(())
}

/// The runs as a page for a person.
fn page(runs: &[RunTraffic], words: &Words) -> String {
    if runs.is_empty() {
        return format!("{}\n", words.say("cli-network-none", &[]));
    }
    let (faint, wary) = (terminal::FAINT, terminal::WARY);
    let mut page = String::new();
    for run in runs {
        let time = run.at.get(..19).unwrap_or_default().replace('T', " ");
        let time = if run.running { words.say("cli-network-running", &[]) } else { format!("{time} UTC") };
        let id = if run.audit_id.is_empty() { &run.session } else { &run.audit_id };
        let _ = writeln!(page, "{}  {faint}{id}  {time}{faint:#}", visible(&run.command));
        for program in &run.whole_network {
            let said = words.say("cli-network-whole", &[("program", visible(program).into())]);
            let _ = writeln!(page, "  {wary}{said}{wary:#}");
        }
        run.hosts.iter().for_each(|host| page.push_str(&line(host, words)));
    }
    page
}

/// A line about a host: name, ports, protocols, bytes, connections, and why it was refused.
fn line(traffic: &HostTraffic, words: &Words) -> String {
    let (bad, faint) = (terminal::BAD, terminal::FAINT);
    let ports: Vec<String> = traffic.ports.iter().map(u16::to_string).collect();
    let spoken: Vec<&str> = traffic.spoken.iter().map(|spoken| spoken.name()).collect();
    let mut line =
        format!("  {:<32} {:<6} {:<5}", traffic.host.to_string(), ports.join(","), spoken.join(","));
    if traffic.connections > 0 {
        let (sent, received) = (size(words, traffic.sent), size(words, traffic.received));
        let _ = write!(line, " ↑ {sent}  ↓ {received}  {faint}×{}{faint:#}", traffic.connections);
    }
    if traffic.refused > 0 {
        let count = [("count", traffic.refused.into())];
        let said = words.say("cli-network-refused", &count);
        let _ =
            write!(line, " {bad}{said}{bad:#} {faint}{}{faint:#}", words.listed(&refusals(words, traffic)));
    }
    line.push('\n');
    line
}

/// A change of the rules for hosts.
#[derive(Debug)]
enum Change {
    Allow(Allowed),
    Deny(HostPattern),
    Forget(HostPattern),
}

/// Writes the changed configuration if it is valid.
fn changed(file: &FileArgs, change: &Change, words: &Words) -> Result<(), CliError> {
    let path: PathBuf = match place::config(file.config.clone(), &load::environment) {
        ConfigPlace::Named(path) | ConfigPlace::Usual(path) => path,
        ConfigPlace::Nowhere => {
            return Err(CliError::say("load-no-home", &[]));
        }
    };
    let old = rewrite::read(&path)?.unwrap_or_default();
    let new = with(&old, change, &path)?;
    let name = path.display().to_string();
    if new == old {
        terminal::out(&format!("{}\n", words.say("cli-network-same", &[("file", name.into())])));
        return Ok(());
    }
    Config::parse(&new, &name).map_err(LoadError::Config)?;
    // A service takes the new rule over at once: a person must have said so if more is then done unasked.
    if change.widens(&old, &path)? && try_ask(As::Approver, "/v1/health", None)?.is_ok() {
        coded(words, "/v1/console/consents", serde_json::json!({}), false, "cli-code-console")?;
    }
    rewrite::write(&path, &new)?;
    let said = if reloaded()? { "cli-network-reloaded" } else { "cli-network-written" };
    terminal::out(&format!("{}\n{}\n", change.told(words), words.say(said, &[("file", name.into())])));
    Ok(())
}

impl Change {
    /// Whether more is done unasked afterwards: a host is allowed, or no longer denied.
    fn widens(&self, old: &str, path: &Path) -> Result<bool, CliError> {
        Ok(match self {
            Self::Allow(_) => true,
            Self::Deny(_) => false,
            Self::Forget(host) => {
                let old = Config::parse(old, &path.display().to_string()).map_err(LoadError::Config)?;
                old.network.deny.contains(host)
            }
        })
    }

    /// The rule in full, including the ports that its short form omits.
    fn told(&self, words: &Words) -> String {
        match self {
            Self::Allow(Allowed { host, ports, program, .. }) => {
                let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
                let whose = if program.is_some() { "cli-network-allowed-for" } else { "cli-network-allowed" };
                let program = program.as_deref().unwrap_or_default();
                let arguments = [
                    ("host", host.to_string().into()),
                    ("count", ports.len().into()),
                    ("ports", ports.join(", ").into()),
                    ("program", program.into()),
                ];
                words.say(whose, &arguments)
            }
            Self::Deny(host) => words.say("cli-network-denied", &[("host", host.to_string().into())]),
            Self::Forget(host) => words.say("cli-network-forgotten", &[("host", host.to_string().into())]),
        }
    }
}

/// Tells the running service to reload its configuration. Returns false if no service is running.
fn reloaded() -> Result<bool, CliError> {
    if try_ask(As::Approver, "/v1/health", None)?.is_err() {
        return Ok(false);
    }
    let holder = std::fs::read_to_string(load::state()?.join("lock"))?;
    let pid = holder.trim().parse().ok().and_then(rustix::process::Pid::from_raw);
    let pid = pid.ok_or_else(|| CliError::say("network-no-service", &[]))?;
    rustix::process::kill_process(pid, rustix::process::Signal::HUP).map_err(CliError::system)?;
    Ok(true)
}

/// The configuration's text with this change. Comments and order are kept.
fn with(old: &str, change: &Change, path: &Path) -> Result<String, CliError> {
    let unfit = |id| CliError::at(path, load::say(id, &[]));
    let mut text: DocumentMut = match old.parse() {
        Ok(text) => text,
        // The configuration's own error has words in every language.
        Err(error) => {
            let own = Config::parse(old, &path.display().to_string());
            return Err(
                own.map_or_else(|fault| LoadError::Config(fault).into(), |_| CliError::at(path, error))
            );
        }
    };
    let host = match change {
        Change::Allow(allowed) => &allowed.host,
        Change::Deny(host) | Change::Forget(host) => host,
    };
    // An older rule for the same host would contradict the new one.
    for (list, goes) in [("hosts", !matches!(change, Change::Allow(_))), ("deny", true)] {
        let there = text
            .get_mut("network")
            .and_then(Item::as_table_like_mut)
            .and_then(|network| network.get_mut(list));
        if let Some(there) = there.and_then(Item::as_array_mut).filter(|_| goes) {
            let is = |value: &toml_edit::Value| {
                let named = value.as_str().or_else(|| value.as_inline_table()?.get("host")?.as_str());
                named.is_some_and(|named| Allowed::read(named, None, false).is_ok_and(|it| it.host == *host))
            };
            there.retain(|value| !is(value));
        }
    }
    let (list, value) = match change {
        Change::Forget(_) => return Ok(text.to_string()),
        Change::Deny(host) => ("deny", toml_edit::Value::from(host.to_string())),
        Change::Allow(allowed) => ("hosts", entry(allowed)),
    };
    let network = text.entry("network").or_insert_with(toml_edit::table);
    let network = network.as_table_like_mut().ok_or_else(|| unfit("network-no-table"))?;
    let list = network.entry(list).or_insert_with(|| Item::Value(Array::new().into()));
    let list = list.as_array_mut().ok_or_else(|| unfit("network-no-list"))?;
    let same = |there: &toml_edit::Value| there.to_string().trim() == value.to_string().trim();
    if !list.iter().any(same) {
        list.push(value);
    }
    Ok(text.to_string())
}

/// An entry of `hosts`, as a string if its short form suffices.
fn entry(allowed: &Allowed) -> toml_edit::Value {
    let Allowed { host, ports, program, private } = allowed;
    let bare = match host {
        HostPattern::Exact(Host::Address(std::net::IpAddr::V6(address))) => format!("[{address}]"),
        other => other.to_string(),
    };
    match (program, private, ports.as_slice()) {
        (None, false, [443]) => return bare.into(),
        (None, false, [port]) => return format!("{bare}:{port}").into(),
        _ => {}
    }
    let mut table = InlineTable::new();
    table.insert("host", host.to_string().into());
    table.insert("ports", ports.iter().map(|port| i64::from(*port)).collect::<Array>().into());
    if let Some(program) = program {
        table.insert("for", program.clone().into());
    }
    if *private {
        table.insert("private", true.into());
    }
    table.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_written_and_comments_stay() {
        let with = |old: &str, change: &Change| with(old, change, Path::new("x")).unwrap();
        let allow = |host: &str, tool: Option<&str>, private| {
            Change::Allow(Allowed::read(host, tool.map(str::to_owned), private).unwrap())
        };
        let deny = |host: &str| Change::Deny(host.parse().unwrap());
        let forget = |host: &str| Change::Forget(host.parse().unwrap());
        let old = "# mine\nprofile = 1 # kept\n";
        for (old, change, new) in [
            ("", allow("a.example", None, false), "[network]\nhosts = [\"a.example\"]\n".to_owned()),
            (old, allow("a.example:22", None, false), format!("{old}\n[network]\nhosts = [\"a.example:22\"]\n")),
            (
                "[network]\nhosts = [\"b.example\"] # why\n",
                allow("db.example:5432", Some("psql"), true),
                "[network]\nhosts = [\"b.example\", { host = \"db.example\", ports = [5432], for = \"psql\", private = true }] # why\n".to_owned(),
            ),
            (
                "[network]\nhosts = [\"a.example\", { host = \"a.example\", for = \"x\" }]\n",
                deny("A.example."),
                "[network]\nhosts = []\ndeny = [\"a.example\"]\n".to_owned(),
            ),
            (
                "[network]\ndeny = [\"a.example\"]\n",
                allow("a.example", None, false),
                "[network]\ndeny = []\nhosts = [\"a.example\"]\n".to_owned(),
            ),
            ("[network]\nhosts = [\"a.example:8080\"]\n", forget("a.example"), "[network]\nhosts = []\n".to_owned()),
            ("[network]\nhosts = [\"[::1]:8080\"]\n", forget("::1"), "[network]\nhosts = []\n".to_owned()),
            ("[network]\ndeny = [\"*.a.example\"]\n", deny("*.a.example"), "[network]\ndeny = [\"*.a.example\"]\n".to_owned()),
        ] {
            assert_eq!(with(old, &change), new, "{change:?}");
        }
        let again = with("[network]\nhosts = [\"a.example\"]\n", &allow("a.example", None, false));
        assert_eq!(again, "[network]\nhosts = [\"a.example\"]\n");
        assert!(super::with("network = 1\n", &deny("a.example"), Path::new("x")).is_err());
        assert!(super::with("[network\n", &deny("a.example"), Path::new("x")).is_err());
    }

    #[test]
    fn a_page_names_who_spoke_to_whom() {
        let run: RunTraffic = serde_json::from_value(serde_json::json!({
            "audit_id": "s_001", "session": "s", "command": "pip install x\u{1b}[2J", "caller": "", "at": "2026-11-24T10:00:00.000000Z",
            "running": false, "whole_network": ["ping"],
            "hosts": [
                { "host": "pypi.org", "ports": [443], "paths": ["tunnel"], "spoken": ["tls"], "sent": 1200, "received": 3_000_000,
                  "connections": 2, "refused": 0, "first": 0, "last": 1 },
                { "host": "evil.example", "ports": [80], "paths": ["name"], "sent": 0, "received": 0, "connections": 0,
                  "refused": 3, "reasons": ["a person said no"],
                  "refusals": [{ "kind": "person", "reason": null }], "first": 0, "last": 1 },
            ],
        }))
        .unwrap();
        for language in guarda_core::action::Language::ALL {
            let words = crate::wording::words(language);
            let page = anstream::adapter::strip_str(&page(std::slice::from_ref(&run), words)).to_string();
            let lines: Vec<&str> = page.lines().collect();
            assert!(lines[0].starts_with("pip install x") && !page.contains('\u{1b}'), "{page}");
            assert!(lines[1].contains("ping"), "{page}");
            assert!(
                lines[2].contains("pypi.org") && lines[2].contains("tls") && lines[2].contains('↓'),
                "{page}"
            );
            let why = crate::wording::refusal::host_refusal(
                words,
                &guarda_core::gate::HostRefusal::Person { reason: None },
            );
            assert!(lines[3].contains("evil.example") && lines[3].contains(&why), "{page}");
        }
        assert!(!page(&[], crate::wording::words(guarda_core::action::Language::English)).is_empty());
    }
}
