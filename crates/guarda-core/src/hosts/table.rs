//! `catalogue/hosts.toml`, as `build.rs` reads it.

use crate::catalogue::entry::names_one;
use crate::catalogue::tools::{self, TOOLS, Tool, of};
use crate::catalogue::{NEEDS_RIGHTS, base_name};
use crate::network::{HostPattern, HostRule, Ports, Protocol, Why};
use crate::policy::Situation;
use guarda_shell::script::{Run, Script, Word};

impl Tool {
    /// The rules for hosts that the tool reaches without being told.
    pub(super) fn rules(&self) -> impl Iterator<Item = HostRule> {
        let rule = |host: &&str| {
            let host: HostPattern = host.parse().ok()?;
            let private = host.exact().is_some_and(crate::network::Host::is_local);
            let (ports, why) = (Ports::Of(self.ports.to_vec()), Why::Tool { tool: self.name.to_owned() });
            Some(HostRule { host, ports, protocol: Protocol::Web, why, private })
        };
        self.hosts.iter().filter_map(rule)
    }
}

/// The name by which `[network] allow` admits that `curl` and `wget` take text from this machine's own servers.
pub(super) const LOCALHOST: &str = "localhost";

/// The names that `[network] allow` accepts: those of tools that fetch packages, of hosts without a tool, and this machine.
pub fn packages() -> impl Iterator<Item = &'static str> {
    let registry =
        |tool: &&Tool| (!tool.fetches.is_empty() || tool.runs.is_empty()) && !tool.hosts.is_empty();
    TOOLS.iter().filter(registry).map(|tool| tool.name).chain([LOCALHOST])
}

/// What `[network] allow` names unless it is configured: the registries of the tools of projects, and where everybody keeps code. Not
/// this machine: its servers are the person's own.
pub const REGISTRIES: [&str; 8] =
    ["pypi", "npm", "crates.io", "go", "rubygems", "packagist", "maven", "forges"];

/// Whether text may be taken from a host because one of these tables has it: packages come from there anyway.
pub(super) fn is_source(tables: &[String], rule: &HostRule) -> bool {
    let by = |known: HostRule| {
        rule.host.exact().is_some_and(|host| known.host.matches(host)) && known.ports.include(&rule.ports)
    };
    TOOLS.iter().filter(|tool| tables.iter().any(|name| name == tool.name)).any(|tool| tool.rules().any(by))
}

impl Tool {
    /// Whether a run of the tool only takes something from other machines, and every option of it is known.
    pub(super) fn fetches(&self, run: &Run) -> bool {
        let option = |word: &&Word| word.prefix().starts_with('-') || word.prefix().is_empty();
        let mut options = run.words.iter().skip(1).filter(option);
        names_one(self.fetches, run)
            && options.all(|word| {
                word.literal().is_some_and(|text| !self.asked.iter().any(|asked| is_option(asked, text)))
            })
    }
}

/// Whether a word may be this option: shortened, with its value, or bundled with others.
fn is_option(option: &str, word: &str) -> bool {
    match option.strip_prefix("--") {
        Some(_) => {
            let name = word.split('=').next().unwrap_or_default();
            name.len() > 2 && (name.starts_with(option) || option.starts_with(name))
        }
        None => {
            !word.starts_with("--") && option.strip_prefix('-').is_some_and(|letter| word.contains(letter))
        }
    }
}

/// True if the run's program is a tool that speaks to other machines, or has hosts in the configuration.
#[must_use]
pub fn is_networked(run: &Run, situation: &Situation) -> bool {
    let program = run.program().map(base_name);
    of(run).is_some()
        || situation.network.allowed.iter().any(|(of, _)| of.is_some() && of.as_deref() == program)
}

pub(super) fn needs(run: &Run, situation: &Situation) -> bool {
    let refused = !situation.administrator && names_one(NEEDS_RIGHTS, run);
    let missing = run.program().is_some_and(|name| situation.lacks(name));
    is_networked(run, situation) && tools::needs(run) && !refused && !missing
}

/// The settings that can direct a tool of a line to another server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// The tool.
    pub tool: &'static str,
    /// Files: from the root, below `~`, or below the working folder.
    pub files: &'static [&'static str],
    /// Words that give such a file away; without any, its existence is enough.
    pub keys: &'static [&'static str],
    /// The tool's own servers, which a settings file may name.
    pub hosts: &'static [&'static str],
}

impl Kept {
    /// Whether a settings file with this text can lead the tool to another server than its own.
    #[must_use]
    pub fn leads_elsewhere(&self, text: &str) -> bool {
        let has_key = |part: &str| {
            let part = part.to_ascii_lowercase();
            self.keys.iter().any(|key| part.contains(&key.to_ascii_lowercase()))
        };
        // A value may continue on the next, indented line.
        let continued = |line: &str| line.starts_with([' ', '\t']) && line.contains("//");
        let own = |line: &str| self.hosts.iter().any(|host| names_only(line, host, has_key));
        text.lines().any(has_key) && text.lines().any(|line| (has_key(line) || continued(line)) && !own(line))
    }
}

/// Whether a line of settings has nothing but a tool's own server for its value, or none at all, or is about how to sign in there.
fn names_only(line: &str, host: &str, has_key: impl Fn(&str) -> bool) -> bool {
    let plain = |path: &str| path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let value = line.split_once('=').or_else(|| line.split_once(": ")).map(|(_, value)| value);
    let address = value.map(|value| value.trim().trim_matches(['"', '\'']));
    // `omit-lockfile-registry-resolved=true` names no server.
    if matches!(address, Some("true" | "false")) {
        return true;
    }
    let rest = address.and_then(|address| address.strip_prefix("https://")?.strip_prefix(host));
    rest.is_some_and(|path| path.is_empty() || path.starts_with('/') && plain(path))
        || line
            .trim()
            .strip_prefix("//")
            .and_then(|line| line.strip_prefix(host))
            .is_some_and(|rest| !has_key(rest))
}

/// The settings files to check for a line.
#[must_use]
pub fn kept(script: &Script) -> Vec<Kept> {
    let used =
        |tool: &&Tool| !tool.files.is_empty() && script.runs().iter().any(|run| names_one(tool.runs, run));
    let of = |tool: &Tool| Kept { tool: tool.name, files: tool.files, keys: tool.keys, hosts: tool.hosts };
    TOOLS.iter().filter(used).map(of).collect()
}
