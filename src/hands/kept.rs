//! How far each program of a command line is kept in, and the sandboxes that stand for it: one for each kind of need,
//! made when the first program with that need is started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::action::custody::Profile;
use crate::action::script::{Run, Script, Word};
use crate::devices::process::{Start, Status, Streams};
use crate::devices::sandbox::{Capabilities, Cell, Network, NoCell, Protection, Spec};
use crate::policy::{Program, Situation};

use super::HandsConfig;
use super::deeds::Deed;

/// Programs that do to what they are given what their name says, and nothing else.
const TIDY: &[&str] = &[
    "rm", "rmdir", "unlink", "mv", "cp", "mkdir", "touch", "ln", "tee", "truncate", "install", "chmod",
    "shred",
];

/// What a program needs of its sandbox; programs with the same need share one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Need {
    pub(super) profile: Profile,
    pub(super) network: Network,
    /// The program is one of [`TIDY`], and a person approved what it does.
    tidy: bool,
}

impl Need {
    /// What is not known is kept in as the configuration says, without the network.
    fn usual(config: &HandsConfig, asked: Option<Profile>) -> Self {
        let profile = config.keeping.profile.max(asked.unwrap_or(Profile::None));
        Self { profile, network: Network::None, tidy: false }
    }

    /// What one command of a plan needs.
    pub(super) fn of_run(
        config: &HandsConfig,
        situation: &Situation,
        asked: Option<Profile>,
        script: &Script,
        run: &Run,
        by_person: bool,
    ) -> Self {
        let mut need = Self::usual(config, asked);
        let system = run
            .program()
            .is_some_and(|name| matches!(situation.programs.get(name), Some(Program::System(_))));
        // What it starts in its turn (`timeout 5 curl …`) is in the list of runs, below the run that starts it.
        let mut inner = script.runs().iter().filter(|run| run.parent.is_some());
        let network = names_one(&config.keeping.network, run)
            || inner.any(|inner| names_one(&config.keeping.network, inner));
        if network {
            need.network = Network::All;
        }
        if system && names_one(&config.keeping.unconfined, run) {
            need = Self { profile: asked.unwrap_or(Profile::None), network: Network::All, tidy: false };
        }
        need.tidy = by_person && system && run.program().is_some_and(|name| TIDY.contains(&base(name)));
        need
    }

    /// What a text needs that a shell runs.
    pub(super) fn of_shell(config: &HandsConfig, asked: Option<Profile>, script: Option<&Script>) -> Self {
        let mut need = Self::usual(config, asked);
        let runs = script.map(Script::runs).unwrap_or_default();
        if runs.iter().any(|run| names_one(&config.keeping.network, run)) {
            need.network = Network::All;
        }
        need
    }

    /// What would hold, by what this machine was found to be able to.
    pub(super) fn foreseen(&self, capabilities: &Capabilities) -> Protection {
        let found = match self.profile {
            Profile::None => return Protection::new(Profile::None, Network::All),
            Profile::Confined => &capabilities.confined,
            Profile::Isolated => &capabilities.isolated,
        };
        match found {
            Ok(found) => Protection { network: self.network.clone(), ..found.clone() },
            Err(why) => {
                let mut none = Protection::new(self.profile, self.network.clone());
                for measure in crate::output::Measure::of(self.profile) {
                    none.enter(*measure, Err(why.clone()));
                }
                none
            }
        }
    }
}

/// What the programs of a command line need, before anybody was asked.
pub(super) fn needs(
    config: &HandsConfig,
    situation: &Situation,
    asked: Option<Profile>,
    script: Option<&Script>,
) -> Vec<Need> {
    let Some((script, plan)) = script.and_then(|script| Some((script, script.plan()?))) else {
        return vec![Need::of_shell(config, asked, script)];
    };
    let started = plan.steps.iter().flat_map(|step| &step.runs);
    let runs = started.filter_map(|index| script.runs().get(*index));
    runs.map(|run| Need::of_run(config, situation, asked, script, run, false)).collect()
}

/// Whether one of these entries (`curl`, `git push`) means a run: its program, and the entry's other words among its own.
fn names_one(entries: &[String], run: &Run) -> bool {
    let Some(program) = run.program() else { return false };
    let short = base(program);
    // Nearly all entries name other programs; their words need not be told apart.
    let near = |entry: &&String| {
        let entry = entry.trim_start();
        entry.starts_with(short) || entry.starts_with(program)
    };
    entries.iter().filter(near).any(|entry| {
        let mut words = entry.split_whitespace();
        let named = words.next().is_some_and(|name| name == program || name == short);
        named
            && words.all(|wanted| {
                run.words
                    .iter()
                    .skip(1)
                    .filter_map(Word::literal)
                    .any(|word| word == wanted || (wanted.starts_with('-') && word.starts_with(wanted)))
            })
    })
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Where one program runs: in which sandbox, under which number there.
pub(super) type Number = (usize, usize);

/// Why a program was not started.
#[derive(Debug)]
pub(super) enum NoStart {
    /// There is no sandbox for it.
    NoCell(NoCell),
    /// The operating system refused.
    Refused(std::io::Error),
}

/// The sandboxes of one command line. When this is dropped, everything in them is killed.
pub(super) struct Cells<'a> {
    deed: &'a Deed<'a>,
    open: Vec<(Need, Cell)>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(deed: &'a Deed<'a>) -> Self {
        Self { deed, open: Vec::new() }
    }

    /// Starts a program in the sandbox for this need.
    pub(super) async fn start(
        &mut self,
        need: &Need,
        start: Start,
        streams: Streams,
    ) -> Result<Number, NoStart> {
        let place = match self.open.iter().position(|(other, _)| other == need) {
            Some(place) => place,
            None => {
                let spec = self.spec(need).await;
                let cell = self.deed.config.sandbox.open(&spec).await.map_err(NoStart::NoCell)?;
                self.open.push((need.clone(), cell));
                self.open.len() - 1
            }
        };
        let gone = || NoStart::Refused(std::io::ErrorKind::NotFound.into());
        let (_, cell) = self.open.get_mut(place).ok_or_else(gone)?;
        cell.start(start, streams).await.map(|number| (place, number)).map_err(NoStart::Refused)
    }

    /// Waits for a program's end.
    pub(super) async fn status(&self, (place, number): Number) -> std::io::Result<Status> {
        let (_, cell) = self.open.get(place).ok_or(std::io::ErrorKind::NotFound)?;
        cell.status(number).await
    }

    /// Ends whatever runs, and waits until nothing is left.
    pub(super) async fn end(&mut self, grace: Duration) {
        for (_, cell) in &mut self.open {
            if let Err(error) = cell.end(grace).await {
                tracing::warn!(%error, "a sandbox did not end by itself");
            }
        }
    }

    /// What held, taken together.
    pub(super) fn protection(&self) -> Option<Protection> {
        let each = self.open.iter().map(|(_, cell)| cell.protection().clone());
        each.reduce(|one, other| one.joined(&other))
    }

    async fn spec(&self, need: &Need) -> Spec {
        let (config, situation) = (self.deed.config, self.deed.situation);
        let folder = Path::new(&situation.cwd);
        let home = PathBuf::from(&situation.home);
        let mut spec = Spec::new(need.profile, Some(home.clone()), folder);
        let guards: Vec<PathBuf> = situation.guard.iter().map(PathBuf::from).collect();
        // Without namespaces nothing new can be made directly in a folder with something hidden below it.
        let mixed = home.starts_with(folder)
            || guards.iter().any(|guard| guard.starts_with(folder) && guard != folder);
        if mixed && need.profile == Profile::Confined && self.deed.named && !need.tidy {
            let isolated = &self.deed.capabilities().await.isolated;
            if isolated.as_ref().is_ok_and(Protection::is_whole) {
                spec.profile = Profile::Isolated;
            }
        }
        let own = config.keeping.writable.iter();
        spec.writable.extend(own.map(|path| crate::devices::paths::of_person(path, &home, &home)));
        let named = || situation.named.iter().map(PathBuf::from);
        spec.readable.extend(named());
        if self.deed.named {
            spec.named.extend(named());
        }
        spec.hidden = guards;
        spec.tidy = need.tidy;
        spec.network = need.network.clone();
        spec.require = config.keeping.require_sandbox;
        spec
    }
}
