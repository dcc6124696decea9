//! What each program of a command line may reach, and its sandboxes: one for each kind of need, created when the first
//! program with that need starts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use guarda_core::action::Way;
use guarda_core::action::custody::SandboxLevel;
use guarda_core::catalogue::entry::names_one;
use guarda_core::catalogue::{TIDY, base_name};
use guarda_core::hosts::NetworkPlan;
use guarda_core::hosts::{Part, is_networked};
use guarda_core::network::HostRules;
use guarda_core::output::{RawOutput, traffic::HostTraffic};
use guarda_core::policy::{Policy, Program, Situation};
use guarda_sandbox::process::{Start, Status, Streams};
use guarda_sandbox::relay::Relay;
use guarda_sandbox::{Capabilities, Network, Protection, SandboxError, SandboxHandle, Spec};
use guarda_shell::script::{Reach, Run, Script};

use crate::hands::deeds::Deed;
use crate::hands::facts::hidden::Hidden;
use crate::hands::{HandsConfig, staging::git_folders, staging::stageable};

/// A program's requirements for its sandbox; programs with the same requirements share one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::hands) struct SandboxNeed {
    pub(in crate::hands) profile: SandboxLevel,
    pub(in crate::hands) network: Network,
    /// With [`Network::Hosts`]: the hosts that it may reach without a question.
    pub(in crate::hands) hosts: HostRules,
    /// With [`Network::Hosts`]: the ports on which others of this machine may reach it.
    serves: BTreeSet<u16>,
    /// It must not be able to do harm, whatever it is.
    look: bool,
    /// Its changes are held back.
    stage: bool,
    /// The program is one of [`TIDY`], and a person approved the command.
    tidy: bool,
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
}

impl SandboxNeed {
    /// Unknown programs get the configured sandbox without a network. A line that nobody was asked about gets a cell
    /// that can do no harm.
    fn usual(terms: NeedsContext<'_>) -> Self {
        let least = terms.asked.unwrap_or(SandboxLevel::None);
        let (look, stage) = (terms.way == Way::Look, terms.way == Way::Stage);
        let profile = if terms.way == Way::None { least } else { terms.config.keeping.profile.max(least) };
        let network = if terms.way == Way::None { Network::All } else { Network::None };
        let profile = if stage { SandboxLevel::Isolated } else { profile };
        let serves =
            if terms.way == Way::Act { terms.situation.network.serves.clone() } else { BTreeSet::new() };
        // A server listens in a network of its own.
        let network = if serves.is_empty() { network } else { Network::Hosts };
        Self { profile, network, hosts: HostRules::default(), serves, look, stage, tidy: false }
    }

    /// The need of one command of a plan: that of the programs which its wrappers finally start. A wrapper (`nice`,
    /// `timeout`, `xargs`) needs nothing itself and passes nothing on.
    pub(in crate::hands) fn of_run(
        terms: NeedsContext<'_>,
        script: &Script,
        index: usize,
        named: bool,
    ) -> Self {
        let mut need = Self::usual(terms);
        if terms.way != Way::Act {
            return need.fetching(terms);
        }
        let places = ends(script, index);
        let ends: Vec<&Run> = places.iter().filter_map(|place| script.runs().get(*place)).collect();
        let NeedsContext { config, situation, asked, .. } = terms;
        let all = |entries: &[String]| !ends.is_empty() && ends.iter().all(|run| names_one(entries, run));
        let tried = !situation.network.tried.is_empty();
        if !ends.is_empty() && (tried || ends.iter().all(|run| is_networked(run, situation))) {
            need = need.reaching(terms.network.part(|place| place == index || places.contains(&place)));
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
        let named = !part.whole && (tried || script.runs().iter().any(networked));
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
            Self { network: Network::Hosts, hosts: part.hosts, ..self }
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
    let terms = NeedsContext { config, situation, policy, network, asked: None, way: Way::Act };
    all_or_local(terms, script, |run| is_unconfined(terms, run))
}

/// Whether a run is one of a system program on that list.
fn is_unconfined(terms: NeedsContext<'_>, run: &Run) -> bool {
    names_one(&terms.config.keeping.unconfined, run) && is_system(terms.situation, run)
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

/// A started program: its sandbox, and its number there.
pub(in crate::hands) type Number = (usize, usize);

/// Why a program was not started.
#[derive(Debug)]
pub(in crate::hands) enum NoStart {
    /// There is no sandbox for it.
    NoSandbox(SandboxError),
    /// A file is no longer the judged one.
    Changed(String),
    /// The operating system refused.
    Refused(std::io::Error),
}

/// An open sandbox, and the guard's end of its network.
struct Standing {
    need: SandboxNeed,
    cell: SandboxHandle,
    relay: Option<Relay>,
}

/// Whether a text has a file's name as a word of a path.
pub(in crate::hands) fn names(text: &[u8], name: &[u8]) -> bool {
    let inside = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    memchr::memmem::find_iter(text, name).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        !inside(before) && !inside(text.get(at + name.len()))
    })
}

/// The sandboxes of one command line. When this is dropped, everything in them is killed.
pub(in crate::hands) struct Cells<'a> {
    deed: &'a Deed<'a>,
    open: Vec<Standing>,
    /// What was hidden.
    hidden: Hidden,
    /// A program was started.
    begun: bool,
    /// The files that redirections have opened. They were already checked, and may be new or emptied now.
    pub(in crate::hands) opened: BTreeSet<PathBuf>,
}

impl<'a> Cells<'a> {
    pub(in crate::hands) fn new(deed: &'a Deed<'a>) -> Self {
        Self { deed, open: Vec::new(), hidden: Hidden::default(), begun: false, opened: BTreeSet::new() }
    }

    /// Returns the index of the sandbox for this need; creates it if necessary.
    pub(in crate::hands) async fn stand(&mut self, need: &SandboxNeed) -> Result<usize, SandboxError> {
        if let Some(place) = self.open.iter().position(|standing| standing.need == *need) {
            return Ok(place);
        }
        let spec = Box::pin(self.spec(need)).await?;
        let cell = self.deed.config.sandbox.open(&spec).await?;
        self.keep(need, cell)?;
        Ok(self.open.len() - 1)
    }

    /// Keeps a sandbox for the rest of the line, and serves its network.
    fn keep(&mut self, need: &SandboxNeed, mut cell: SandboxHandle) -> std::io::Result<()> {
        let relay = match (cell.take_network(), self.deed.run.outside) {
            (Some(listeners), Some(outside)) => {
                let mut relay = Relay::begin(listeners, need.hosts.clone(), Arc::clone(outside))?;
                relay.publish(&need.serves)?;
                Some(relay)
            }
            // Without a relay, nothing can be reached.
            _ => None,
        };
        self.open.push(Standing { need: need.clone(), cell, relay });
        Ok(())
    }

    /// Starts a program in the sandbox for this need.
    pub(in crate::hands) async fn start(
        &mut self,
        need: &SandboxNeed,
        start: Start,
        streams: Streams,
    ) -> Result<Number, NoStart> {
        if (need.look || need.stage) && self.open.is_empty() {
            return self.begin(need, start, streams).await;
        }
        let place = self.stand(need).await.map_err(NoStart::NoSandbox)?;
        // The last moment before the start. Later, the line itself may have changed something (`make && ./x`).
        self.unchanged()?;
        let gone = || NoStart::Refused(std::io::ErrorKind::NotFound.into());
        let standing = self.open.get_mut(place).ok_or_else(gone)?;
        standing.cell.start(start, streams).await.map(|number| (place, number)).map_err(NoStart::Refused)
    }

    /// Before the first program: checks that everything the yes rests on is unchanged.
    fn unchanged(&mut self) -> Result<(), NoStart> {
        let first = !std::mem::replace(&mut self.begun, true);
        match first.then(|| self.deed.changed(&self.opened)).flatten() {
            Some(what) => Err(NoStart::Changed(what)),
            None => Ok(()),
        }
    }

    /// Creates the first sandbox of a line that can do no harm and starts a program in it in one step.
    async fn begin(&mut self, need: &SandboxNeed, start: Start, streams: Streams) -> Result<Number, NoStart> {
        let spec = Box::pin(self.spec(need)).await.map_err(NoStart::NoSandbox)?;
        self.unchanged()?;
        let (cell, started) =
            self.deed.config.sandbox.begin(&spec, start, streams).await.map_err(NoStart::NoSandbox)?;
        self.keep(need, cell).map_err(|error| NoStart::NoSandbox(error.into()))?;
        started.map(|number| (0, number)).map_err(NoStart::Refused)
    }

    /// Waits for a program's end.
    pub(in crate::hands) async fn status(&self, (place, number): Number) -> std::io::Result<Status> {
        let standing = self.open.get(place).ok_or(std::io::ErrorKind::NotFound)?;
        standing.cell.status(number).await
    }

    /// Ends all processes and waits until none is left.
    pub(in crate::hands) async fn end(&mut self, grace: Duration) {
        for Standing { cell, .. } in &mut self.open {
            match cell.end(grace).await {
                Ok(over) => {
                    let tally = self.deed.run.tally;
                    tally.strays.fetch_add(over.strays, Ordering::Relaxed);
                    tally.add_tried(over.tried);
                    if let Some(shell) = self.deed.shell {
                        shell.stands(over.folder);
                    }
                }
                Err(error) => tracing::warn!(%error, "a sandbox did not end by itself"),
            }
        }
    }

    /// The joint protection of all sandboxes.
    pub(in crate::hands) fn protection(&self) -> Option<Protection> {
        let each = self.open.iter().map(|standing| standing.cell.protection().clone());
        each.reduce(|one, other| one.joined(&other))
    }

    /// What was hidden from the line, and named where it complained: the system says that a program could not open a file,
    /// but not to the guard.
    pub(in crate::hands) fn met(&self, raw: &RawOutput) -> Vec<PathBuf> {
        let failed = raw.exit_code.is_some_and(|code| code != 0);
        let cwd = Path::new(&self.deed.situation.cwd);
        let told =
            |name: &str| names(&raw.stderr, name.as_bytes()) || failed && names(&raw.stdout, name.as_bytes());
        let by_name = |path: &&PathBuf| path.file_name().is_some_and(|name| told(&name.to_string_lossy()));
        let named: Vec<&PathBuf> =
            self.hidden.secrets.iter().chain(&self.hidden.closed).filter(by_name).collect();
        // A program in a folder of the tree names a file from there.
        let exact = |path: &&&PathBuf| told(&path.strip_prefix(cwd).unwrap_or(path).to_string_lossy());
        let exact: Vec<&PathBuf> = named.iter().filter(exact).copied().collect();
        (if exact.is_empty() { named } else { exact }).into_iter().cloned().collect()
    }

    /// The same after the end of the line, with the hidden files that it met.
    pub(in crate::hands) fn protection_after(&self, mut met: Vec<PathBuf>) -> Option<Protection> {
        let mut protection = self.protection()?;
        let cwd = Path::new(&self.deed.situation.cwd);
        let shown = |path: &PathBuf| path.strip_prefix(cwd).unwrap_or(path).to_string_lossy().into_owned();
        // What was not searched in its own folder is told in any case.
        let own = |path: &&PathBuf| path.starts_with(cwd);
        for path in self.hidden.closed.iter().filter(own) {
            if !met.contains(path) {
                met.push(path.clone());
            }
        }
        protection.hidden = met.iter().map(shown).collect();
        if !self.hidden.closed.is_empty() {
            let shown: Vec<String> = self.hidden.closed.iter().map(shown).collect();
            let why =
                "holds more than is searched for secrets; a command that names a folder in it may use that";
            protection.notes.push(format!("closed: {} ({why})", shown.join(", ")));
        }
        Some(protection)
    }

    /// The line's traffic with other machines.
    pub(in crate::hands) fn traffic(&self) -> Vec<HostTraffic> {
        self.open.iter().filter_map(|standing| standing.relay.as_ref()).flat_map(Relay::traffic).collect()
    }

    async fn spec(&mut self, need: &SandboxNeed) -> Result<Spec, SandboxError> {
        let mut spec = match need {
            SandboxNeed { stage: true, .. } => self.stage().await?,
            SandboxNeed { look: true, .. } => self.look(need).await?,
            _ => self.usual(need).await,
        };
        let named = || self.deed.situation.named.iter().map(PathBuf::from);
        spec.readable.extend(named());
        let mut own: Vec<PathBuf> = self.deed.situation.guard.iter().map(PathBuf::from).collect();
        // Old versions may be stored beside a folder.
        let staged = self.deed.run.staged.iter().map(|staged| staged.root.clone());
        let folders = named().chain(staged).chain([PathBuf::from(&self.deed.situation.cwd)]);
        own.extend(folders.flat_map(|folder| guarda_sandbox::stage::beside(&folder)));
        spec.hidden.extend(own.iter().cloned());
        spec.own = own;
        spec.kept.extend(self.deed.situation.settings.iter().map(PathBuf::from));
        spec.network = need.network;
        // The guard finds the run's own servers there first.
        spec.loopback = need.hosts.loopback_ports();
        spec.loopback.extend(&need.serves);
        Ok(spec)
    }

    /// A cell that can do no harm. It also hides files in the working folder that look like secrets.
    async fn look(&mut self, need: &SandboxNeed) -> Result<Spec, SandboxError> {
        let situation = self.deed.situation;
        let (folder, home) = (PathBuf::from(&situation.cwd), PathBuf::from(&situation.home));
        let isolated =
            need.profile == SandboxLevel::Isolated && self.deed.capabilities().await.isolated.is_ok();
        let profile = if isolated { SandboxLevel::Isolated } else { SandboxLevel::Confined };
        let mut spec = Spec::look(profile, Some(home.clone()), folder.clone());
        self.hide(&mut spec, folder, &home).await?;
        Ok(spec)
    }

    async fn hide(&mut self, spec: &mut Spec, folder: PathBuf, home: &Path) -> Result<(), SandboxError> {
        self.hidden = self.deed.secrets.below(folder, home, &spec.staged).await?;
        spec.hidden.extend(self.hidden.secrets.iter().chain(&self.hidden.closed).cloned());
        Ok(())
    }

    /// A cell whose changes are held back. Programs that do only what their words say may also move and delete files
    /// that look like secrets.
    async fn stage(&mut self) -> Result<Spec, SandboxError> {
        let situation = self.deed.situation;
        if self.deed.run.staged.is_empty() {
            return Err(SandboxError::Lacking(
                "there is nothing that its writes could be held back in".to_owned(),
            ));
        }
        let (folder, home) = (PathBuf::from(&situation.cwd), PathBuf::from(&situation.home));
        let mut spec = Spec::stage(Some(home.clone()), folder.clone(), self.deed.run.staged.to_vec());
        if !self.deed.is_tidy() {
            self.hide(&mut spec, folder, &home).await?;
        }
        Ok(spec)
    }

    async fn usual(&self, need: &SandboxNeed) -> Spec {
        let (config, situation) = (self.deed.config, self.deed.situation);
        let folder = Path::new(&situation.cwd);
        let home = PathBuf::from(&situation.home);
        let mut spec = Spec::new(need.profile, Some(home.clone()), folder);
        let guards: Vec<PathBuf> = situation.guard.iter().map(PathBuf::from).collect();
        // Without namespaces, nothing can be created directly in a folder that has a hidden entry.
        let mixed = home.starts_with(folder)
            || guards.iter().any(|guard| guard.starts_with(folder) && guard != folder);
        if mixed && need.profile == SandboxLevel::Confined && self.deed.named && !need.tidy {
            let isolated = &self.deed.capabilities().await.isolated;
            if isolated.as_ref().is_ok_and(Protection::is_whole) {
                spec.profile = SandboxLevel::Isolated;
            }
        }
        let own = config.keeping.writable.iter();
        spec.writable
            .extend(own.map(|path| crate::devices::filesystem::paths::of_person(path, &home, &home)));
        spec.writable.extend(stageable::project(folder, &home).as_deref().and_then(git_folders::of));
        if self.deed.named {
            spec.named.extend(situation.named.iter().map(PathBuf::from));
        }
        // The secrets that a person was asked about: by the words of the line, or because it failed for want of them.
        let named = situation.named.iter().filter(|path| self.deed.secrets.policy.secret(path, situation));
        let named = named.filter(|_| self.deed.named).map(PathBuf::from);
        let apart =
            |path: &PathBuf| !guards.iter().any(|guard| path.starts_with(guard) || guard.starts_with(path));
        spec.opened = situation.opened.iter().cloned().chain(named).filter(apart).collect();
        spec.tidy = need.tidy;
        spec.require = config.keeping.require_sandbox;
        spec
    }
}
