//! What each program of a command line may reach, and its sandboxes: one for each kind of need, created when the first
//! program with that need starts.

use std::collections::BTreeSet;

use guarda_core::action::Way;
use guarda_core::action::custody::SandboxLevel;
use guarda_core::catalogue::entry::names_one;
use guarda_core::catalogue::{SIGNALS, TIDY, UNREAD, UNREAD_BUILTINS, base_name};
use guarda_core::hosts::{NetworkPlan, Part, is_networked};
use guarda_core::network::HostRules;
use guarda_core::policy::{Policy, Program, Situation};
use guarda_sandbox::{Capabilities, Network, Protection};
use guarda_shell::script::{Reach, Redirect, RedirectKind, Run, Script};

use crate::hands::HandsConfig;

/// A program's requirements for its sandbox; programs with the same requirements share one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::hands) struct SandboxNeed {
    pub(in crate::hands) profile: SandboxLevel,
    pub(in crate::hands) network: Network,
    /// With [`Network::Hosts`]: the hosts that it may reach without a question.
    pub(in crate::hands) hosts: HostRules,
    /// With [`Network::Hosts`]: the ports on which others of this machine may reach it.
    pub(super) serves: BTreeSet<u16>,
    /// It must not be able to do harm, whatever it is.
    pub(super) look: bool,
    /// Its changes are held back.
    pub(super) stage: bool,
    /// The program is one of [`TIDY`], and a person approved the command.
    pub(super) tidy: bool,
}

/// The context of a line that determines the needs of its programs.
#[derive(Debug, Clone, Copy)]
pub(in crate::hands) struct NeedsContext<'a> {
    pub(in crate::hands) config: &'a HandsConfig,
    pub(in crate::hands) situation: &'a Situation,
    pub(in crate::hands) policy: &'a Policy,
    /// The hosts of the line, as judged.
    pub(in crate::hands) network: &'a NetworkPlan,
    /// The weakest sandbox that the caller accepts.
    pub(in crate::hands) asked: Option<SandboxLevel>,
    /// The way in which the whole line runs.
    pub(in crate::hands) way: Way,
    /// Its changes are held back although a person approved its words.
    pub(in crate::hands) held: bool,
}

impl SandboxNeed {
    /// Unknown programs get the configured sandbox without a network. A line that nobody was asked about gets a cell
    /// that can do no harm.
    fn usual(terms: NeedsContext<'_>) -> Self {
        let least = terms.asked.unwrap_or(SandboxLevel::None);
        let (look, stage) = (terms.way == Way::Look, terms.way == Way::Stage || terms.held);
        let profile = if terms.way == Way::None { least } else { terms.config.keeping.profile.max(least) };
        let network = if terms.way == Way::None { Network::All } else { Network::None };
        let profile = if stage { SandboxLevel::Isolated } else { profile };
        let serves =
            if terms.way == Way::Act { terms.situation.network.serves.clone() } else { BTreeSet::new() };
        let mut hosts = HostRules::default();
        // What the session keeps running is reached from its cells.
        if stage || !serves.is_empty() {
            hosts.add_own(terms.situation.network.session.as_ref().unwrap_or(&BTreeSet::new()));
        }
        // A server listens in a network of its own.
        let network = if serves.is_empty() && hosts.is_empty() { network } else { Network::Hosts };
        Self { profile, network, hosts, serves, look, stage, tidy: false }
    }

    /// The need of one command of a plan: that of the programs which its wrappers finally start. A wrapper (`nice`,
    /// `timeout`, `xargs`) needs nothing itself and passes nothing on.
    pub(in crate::hands) fn of_run(
        terms: NeedsContext<'_>,
        script: &Script,
        index: usize,
        named: bool,
    ) -> Self {
        if terms.held {
            return Self::of_shell(terms, Some(script));
        }
        let mut need = Self::usual(terms);
        if terms.way != Way::Act {
            return need.fetching(terms);
        }
        let places = ends(script, index);
        let ends: Vec<&Run> = places.iter().filter_map(|place| script.runs().get(*place)).collect();
        let NeedsContext { config, situation, asked, .. } = terms;
        let all = |entries: &[String]| !ends.is_empty() && ends.iter().all(|run| names_one(entries, run));
        let tried = !situation.network.tried.is_empty();
        // Whatever hosts the card names, the run reaches.
        let part = terms.network.part(|place| place == index || places.contains(&place));
        let listed = tried || !part.hosts.is_empty();
        if !ends.is_empty() && (listed || ends.iter().all(|run| is_networked(run, situation))) {
            need = need.reaching(part);
        }
        if ends.iter().all(|run| is_system(situation, run)) && all(&config.keeping.unconfined) {
            need = Self { profile: asked.unwrap_or(SandboxLevel::None), network: Network::All, ..need };
        }
        let tidy = |run: &&Run| run.program().is_some_and(|name| TIDY.contains(&base_name(name)));
        need.tidy =
            named && script.runs().get(index).is_some_and(|run| is_system(situation, run) && tidy(&run));
        need
    }

    /// The need of a text that a shell runs. All its programs share one sandbox. They share the hosts that the line
    /// names (`curl … | sh`). More is granted only if all other programs are known to reach nothing, whatever
    /// they read (`| tail`, `| jq`).
    pub(in crate::hands) fn of_shell(terms: NeedsContext<'_>, script: Option<&Script>) -> Self {
        let need = Self::usual(terms);
        let Some(script) = script.filter(|_| terms.way == Way::Act) else { return need.fetching(terms) };
        let unconfined = |run: &Run| is_unconfined(terms, run);
        if all_or_local(terms, script, unconfined) {
            return Self {
                profile: terms.asked.unwrap_or(SandboxLevel::None),
                network: Network::All,
                ..need
            };
        }
        let networked = |run: &Run| is_networked(run, terms.situation);
        let part = terms.network.part(|_| true);
        // The card names the hosts of the whole line, and each other host is asked about. The whole network is another matter.
        let tried = !terms.situation.network.tried.is_empty();
        let listed = tried || !part.hosts.is_empty();
        let named = !part.whole && (listed || script.runs().iter().any(networked));
        if named || all_or_local(terms, script, networked) { need.reaching(part) } else { need }
    }

    /// The same for a staged line: it reaches other machines only if it merely fetches packages.
    fn fetching(self, terms: NeedsContext<'_>) -> Self {
        let fetches = self.stage && terms.situation.network.fetches;
        if fetches { self.reaching(terms.network.part(|_| true)) } else { self }
    }

    /// The same with the hosts of a plan. Other hosts are asked about while it runs. A tool that does more than connect
    /// to hosts gets the whole network.
    fn reaching(self, part: Part) -> Self {
        if part.whole {
            Self { network: Network::All, ..self }
        } else {
            let mut hosts = self.hosts;
            part.hosts.iter().for_each(|rule| hosts.add(rule.clone()));
            Self { network: Network::Hosts, hosts, ..self }
        }
    }

    /// The protection to expect, from this machine's known abilities.
    pub(in crate::hands) fn foreseen(&self, capabilities: &Capabilities) -> Protection {
        let found = match self.profile {
            _ if self.stage => &capabilities.stage,
            SandboxLevel::Isolated if capabilities.isolated.is_ok() => &capabilities.isolated,
            _ if self.look => &capabilities.look,
            SandboxLevel::None => return Protection::new(SandboxLevel::None, Network::All),
            SandboxLevel::Confined => &capabilities.confined,
            SandboxLevel::Isolated => &capabilities.isolated,
        };
        match found {
            Ok(found) => Protection { network: self.network, ..found.clone() },
            Err(why) => {
                let mut none = Protection::new(self.profile, self.network);
                for measure in guarda_core::output::Measure::of(self.profile) {
                    none.enter(*measure, Err(why.clone()));
                }
                none
            }
        }
    }
}

/// The needs of the programs of a command line, before anybody was asked.
pub(in crate::hands) fn needs(terms: NeedsContext<'_>, script: Option<&Script>) -> Vec<SandboxNeed> {
    let Some((script, plan)) = script.and_then(|script| Some((script, script.plan()?))) else {
        return vec![SandboxNeed::of_shell(terms, script)];
    };
    let started = plan.steps.iter().flat_map(|step| &step.runs);
    started.map(|index| SandboxNeed::of_run(terms, script, *index, false)).collect()
}

/// Whether a line runs without a sandbox (`sandbox.unconfined`): each of its programs is on that list or reaches
/// nothing at all.
pub(in crate::hands) fn unconfined(
    config: &HandsConfig,
    policy: &Policy,
    situation: &Situation,
    script: &Script,
) -> bool {
    let network = &NetworkPlan::default();
    let terms = NeedsContext { config, situation, policy, network, asked: None, way: Way::Act, held: false };
    all_or_local(terms, script, |run| is_unconfined(terms, run))
}

/// Whether a run is one of a system program on that list.
fn is_unconfined(terms: NeedsContext<'_>, run: &Run) -> bool {
    names_one(&terms.config.keeping.unconfined, run)
        && is_system(terms.situation, run)
        && !signals_session(terms.situation, run)
}

/// Whether a run only signals processes, and its session keeps something running: it sees no others than those of the session.
pub(in crate::hands) fn signals_session(situation: &Situation, run: &Run) -> bool {
    situation.network.session.is_some() && names_one(SIGNALS, run)
}

/// Whether some program of the line is of this kind and all others are known to reach nothing.
fn all_or_local(terms: NeedsContext<'_>, script: &Script, listed: impl Fn(&Run) -> bool) -> bool {
    let NeedsContext { situation, policy, .. } = terms;
    let wrappers: BTreeSet<usize> =
        script.runs().iter().filter(|run| is_wrapped(run)).filter_map(|run| run.parent).collect();
    let ends = |index: usize, run: &Run| !run.builtin && !run.words.is_empty() && !wrappers.contains(&index);
    script.runs().iter().enumerate().any(|(index, run)| ends(index, run) && listed(run))
        && policy.are_local(script, situation, |index, run| ends(index, run) && !listed(run))
}

/// Whether every program of a line is one of [`TIDY`].
pub(in crate::hands) fn is_tidy(situation: &Situation, script: &Script) -> bool {
    let tidy = |run: &Run| {
        run.builtin
            || run.program().is_some_and(|name| TIDY.contains(&base_name(name))) && is_system(situation, run)
    };
    script.runs().iter().all(tidy)
}

/// Whether a line only deletes and the like. Its programs read none of the files that they name, and no redirection does, so secrets
/// may be among these.
pub(in crate::hands) fn reads_nothing(situation: &Situation, script: &Script) -> bool {
    let reads = |redirect: &Redirect| matches!(redirect.kind, RedirectKind::Read | RedirectKind::ReadWrite);
    let unread = |run: &Run| match run.program() {
        None => run.words.is_empty(),
        Some(name) if run.builtin => UNREAD_BUILTINS.contains(&name),
        Some(name) => UNREAD.contains(&base_name(name)) && is_system(situation, run),
    };
    script.runs().iter().all(|run| unread(run) && !run.redirects.iter().any(reads))
}

/// The indices of the programs that a run's wrappers finally start; without wrappers, its own.
fn ends(script: &Script, index: usize) -> Vec<usize> {
    let runs = script.runs();
    let wrapped = |parent: usize| {
        let of = move |run: &Run| run.parent == Some(parent) && is_wrapped(run);
        runs.iter().enumerate().filter(move |(_, run)| of(run)).map(|(at, _)| at)
    };
    let (mut open, mut found, mut left) = (vec![index], Vec::new(), runs.len());
    while let Some(at) = open.pop() {
        // The reader returns a tree. A cycle would be a bug of the reader; it adds no need.
        let Some(rest) = left.checked_sub(1) else { return Vec::new() };
        left = rest;
        let before = open.len();
        open.extend(wrapped(at));
        if open.len() == before {
            found.push(at);
        }
    }
    found
}

/// Whether another program starts it.
fn is_wrapped(run: &Run) -> bool {
    matches!(run.reach, Reach::Wrapper(_) | Reach::Text(_))
}

fn is_system(situation: &Situation, run: &Run) -> bool {
    run.program().is_some_and(|name| matches!(situation.programs.get(name), Some(Program::System(_))))
}
