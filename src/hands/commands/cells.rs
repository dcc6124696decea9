//! The open sandboxes of one line: each is made when its first program needs it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use guarda_core::action::custody::SandboxLevel;
use guarda_core::action::{Action, Way};
use guarda_core::output::{RawOutput, traffic::HostTraffic};
use guarda_sandbox::process::{Start, Status, Streams};
use guarda_sandbox::relay::{Outside, Relay};
use guarda_sandbox::{Limits, Protection, Sandbox, SandboxError, SandboxHandle, Spec};

use crate::hands::commands::own_ports::OwnPorts;
use crate::hands::commands::sandbox_plan::SandboxNeed;
use crate::hands::commands::sessions::{RunningLine, Stay, session};
use crate::hands::deeds::Deed;
use crate::hands::facts::view::{self, Ground, View};
use crate::hands::facts::{guarded, hidden::Hidden};
use crate::hands::staging::{git_folders, stageable};

/// The most paths that are looked for in what a line said.
const MOST_TOLD: usize = 64;

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

/// What stays hidden of a hidden path beside what is opened: of a folder that holds some of that, its other entries.
fn around(hidden: PathBuf, opened: &[PathBuf]) -> Vec<PathBuf> {
    if opened.iter().any(|path| hidden.starts_with(path)) {
        return Vec::new();
    }
    if !opened.iter().any(|path| path.starts_with(&hidden)) {
        return vec![hidden];
    }
    let entries = std::fs::read_dir(hidden).into_iter().flatten().flatten();
    entries.flat_map(|entry| around(entry.path(), opened)).collect()
}

/// The sandboxes of one command line. When this is dropped, everything in them is killed.
pub(in crate::hands) struct Cells<'a> {
    deed: &'a Deed<'a>,
    /// Where they are made: in the session's cell, if it has one.
    sandbox: Sandbox,
    /// The line's place among those that its session keeps running.
    place: Option<Stay>,
    open: Vec<Standing>,
    /// What was hidden.
    hidden: Hidden,
    /// What was opened of the home folder; `None` where the home folder is open as ever.
    view: Option<View>,
    /// A program was started.
    begun: bool,
    /// The files that redirections have opened. They were already checked, and may be new or emptied now.
    pub(in crate::hands) opened: BTreeSet<PathBuf>,
}

impl<'a> Cells<'a> {
    /// No sandboxes yet. A line that a person lets go on running takes its place in its session.
    ///
    /// # Errors
    /// If there is none for it.
    pub(in crate::hands) async fn new(deed: &'a Deed<'a>) -> std::io::Result<Self> {
        let (hidden, config) = (Hidden::default(), deed.config);
        let subject = deed.open.judgement().subject();
        let session = session(subject);
        let place = match &subject.action {
            Action::RunCommand { text, .. } if deed.runs_on() && deed.capabilities().await.stage.is_ok() => {
                let (line, ports) = (text.clone(), deed.situation.network.serves.clone());
                let line = RunningLine { id: deed.run.id, line, since: jiff::Timestamp::now(), ports };
                Some(config.sessions.enter(&session, line, &config.sandbox)?)
            }
            _ => None,
        };
        let own =
            place.as_ref().map(|place| Arc::clone(&place.cell)).or_else(|| config.sessions.cell(&session));
        let sandbox = match own {
            Some(cell) => config.sandbox.within(cell),
            None => config.sandbox.clone(),
        };
        let opened = if place.is_some() { deed.make_ready() } else { BTreeSet::new() };
        Ok(Self { deed, sandbox, place, open: Vec::new(), hidden, view: None, begun: false, opened })
    }

    /// Waits until somebody has stopped the line.
    pub(in crate::hands) fn stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        let stopped = self.place.as_ref().map(|place| place.stopped.clone());
        async move {
            match stopped {
                Some(mut stopped) => drop(stopped.wait_for(|stopped| *stopped).await),
                None => std::future::pending().await,
            }
        }
    }

    /// Lets what the line left running go on, if a person said so, and something still runs after `settling`. Returns whether it does.
    pub(in crate::hands) async fn keep_running(&mut self, settling: Duration) -> bool {
        if self.place.is_none() || tokio::time::timeout(settling, self.linger(Duration::MAX)).await.is_ok() {
            return false;
        }
        let Some(place) = self.place.take() else { return false };
        place.keep(self.open.drain(..).map(|standing| (standing.cell, standing.relay)).collect());
        true
    }

    /// Waits a little for what a held-back line leaves running, so that a question can say what it does.
    pub(in crate::hands) async fn linger(&self, most: Duration) {
        for Standing { cell, .. } in &self.open {
            // One that is gone has nothing to show.
            let _ = cell.linger(most).await;
        }
    }

    /// Returns the index of the sandbox for this need; creates it if necessary.
    pub(in crate::hands) async fn cell_for(&mut self, need: &SandboxNeed) -> Result<usize, SandboxError> {
        if let Some(place) = self.open.iter().position(|standing| standing.need == *need) {
            return Ok(place);
        }
        let spec = Box::pin(self.spec(need)).await?;
        let cell = self.sandbox.open(&spec).await?;
        self.keep(need, cell)?;
        Ok(self.open.len() - 1)
    }

    /// Keeps a sandbox for the rest of the line, and serves its network.
    fn keep(&mut self, need: &SandboxNeed, mut cell: SandboxHandle) -> std::io::Result<()> {
        let relay = match (cell.take_network(), self.deed.run.outside) {
            (Some(listeners), Some(outside)) => {
                // What nobody was asked about reaches what its session keeps running, and asks for no more.
                let own = need.stage && !self.deed.situation.network.fetches && self.deed.way == Way::Stage;
                let closed = || Arc::new(OwnPorts(Arc::clone(outside))) as Arc<dyn Outside>;
                let outside = &if own { closed() } else { Arc::clone(outside) };
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
        let place = self.cell_for(need).await.map_err(NoStart::NoSandbox)?;
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
        let (cell, started) = self.sandbox.begin(&spec, start, streams).await.map_err(NoStart::NoSandbox)?;
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

    /// What was hidden from the line or not opened for it, and named where it complained: the system says that a program could not
    /// open a file, but not to the guard.
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
        let met = if exact.is_empty() { named } else { exact }.into_iter().cloned();
        met.chain(failed.then(|| self.missed(raw)).into_iter().flatten()).collect()
    }

    /// What is there in the home folder, was not opened, and is named by its whole path in what a failed line said.
    fn missed(&self, raw: &RawOutput) -> Vec<PathBuf> {
        let Some(view) = &self.view else { return Vec::new() };
        let (situation, policy) = (self.deed.situation, self.deed.secrets.policy);
        let home = &situation.home;
        let mut missed = BTreeSet::new();
        for text in [&raw.stderr, &raw.stdout] {
            for at in memchr::memmem::find_iter(text, home.as_bytes()).take(MOST_TOLD) {
                let rest = text.get(at..).unwrap_or_default();
                let ends = |byte: &u8| byte.is_ascii_control() || b" '\"`:,;()<>[]".contains(byte);
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                let path = PathBuf::from(OsStr::from_bytes(rest.get(..length).unwrap_or_default()));
                if path.starts_with(home)
                    && path != Path::new(home)
                    && !view.shows(&path)
                    && path.symlink_metadata().is_ok()
                {
                    // A yes opens the secret as a whole: a key is of no use without its neighbours.
                    let below = path.ancestors().take_while(|above| *above != Path::new(home));
                    let secret = |path: &&Path| policy.secret(&path.to_string_lossy(), situation);
                    missed.insert(below.filter(secret).last().unwrap_or(&path).to_owned());
                }
            }
        }
        missed.into_iter().collect()
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
            _ => self.usual(need).await?,
        };
        let named = || self.deed.situation.named.iter().map(PathBuf::from);
        let home = stageable::real_home(self.deed.situation);
        // Of the home folder, the view has what is named and may be read.
        spec.readable.extend(named().filter(|path| self.view.is_none() || !path.starts_with(&home)));
        // What goes on running has the session's folder there.
        spec.readable.retain(|path| spec.live.is_empty() || path != Path::new(stageable::TEMPORARY));
        let mut own: Vec<PathBuf> = self.deed.situation.guard.iter().map(PathBuf::from).collect();
        // Old versions may be stored beside a folder.
        let staged = self.deed.run.staged.iter().map(|staged| staged.root.clone());
        let folders = named().chain(staged).chain([PathBuf::from(&self.deed.situation.cwd)]);
        own.extend(guarda_sandbox::stage::beside(folders));
        spec.hidden.extend(own.iter().cloned());
        spec.own = own;
        spec.kept.extend(self.deed.situation.settings.iter().map(PathBuf::from));
        spec.network = need.network;
        spec.stays = self.deed.situation.goes_on && !spec.staged.is_empty();
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
        let mut spec = Spec::look(profile, Some(home), folder);
        self.hide(&mut spec).await?;
        Ok(spec)
    }

    /// Opens what the line needs of the home folder, and hides the secrets in what is open.
    async fn hide(&mut self, spec: &mut Spec) -> Result<(), SandboxError> {
        let Deed { config, situation, secrets, .. } = self.deed;
        let claimed = self.deed.open.judgement().subject().claims.search_path.as_deref();
        let ground = Ground::of(situation, config, claimed);
        let view = match self.deed.way {
            // A person knows what the line is about, and its tools find their settings.
            Way::Act | Way::None => View { whole: Some(view::Why::Approved), ..View::default() },
            Way::Look | Way::Stage => View::of(secrets.policy, situation, &ground, &view::real()),
        };
        if spec.staged.is_empty() || !self.deed.reads_nothing() {
            self.hidden = secrets.below(&view, &ground.home, &spec.staged).await?;
            spec.hidden.extend(self.hidden.secrets.iter().chain(&self.hidden.closed).cloned());
        }
        // A commit compares the overlay with the folder below it, so the overlay must hold all of it. What is not open is covered.
        let held = |root: &&PathBuf| spec.staged.iter().any(|staged| staged.root == **root);
        let committed: Vec<&PathBuf> =
            situation.stage.iter().filter(held).filter(|root| root.starts_with(&ground.home)).collect();
        spec.hidden.extend(committed.iter().flat_map(|root| view.closed_in(root)));
        if view.whole.is_none() && !committed.contains(&&ground.home) {
            let below = committed.into_iter().cloned();
            spec.pieces = Some(view.opened.iter().map(|opened| opened.path.clone()).chain(below).collect());
            spec.links.clone_from(&view.links);
        }
        self.view = Some(view);
        Ok(())
    }

    /// A cell whose changes are held back. Programs that only delete what their words say may also delete files that look like
    /// secrets, since they read none of them.
    async fn stage(&mut self) -> Result<Spec, SandboxError> {
        let situation = self.deed.situation;
        if self.deed.run.staged.is_empty() {
            return Err(SandboxError::Lacking(
                "there is nothing that its writes could be held back in".to_owned(),
            ));
        }
        let (folder, home) = (PathBuf::from(&situation.cwd), PathBuf::from(&situation.home));
        let mut spec = Spec::stage(Some(home), folder, self.deed.run.staged.to_vec());
        self.hide(&mut spec).await?;
        // After a yes to its words it reads what that yes named, and runs as long as it likes.
        if self.deed.way == Way::Act {
            self.reveal(&mut spec);
            spec.limits = Limits::default();
        }
        Ok(spec)
    }

    /// Opens the secrets that a person was asked about: by the words of the line, or because it failed for want of them.
    fn reveal(&self, spec: &mut Spec) {
        let situation = self.deed.situation;
        let guards: Vec<PathBuf> = situation.guard.iter().map(PathBuf::from).collect();
        let named = situation.named.iter().filter(|path| self.deed.secrets.policy.secret(path, situation));
        let named = named.filter(|_| self.deed.named).map(PathBuf::from);
        let apart =
            |path: &PathBuf| !guards.iter().any(|guard| path.starts_with(guard) || guard.starts_with(path));
        spec.opened = situation.opened.iter().cloned().chain(named).filter(apart).collect();
        let hidden = std::mem::take(&mut spec.hidden).into_iter();
        spec.hidden = hidden.flat_map(|path| around(path, &spec.opened)).collect();
    }

    async fn usual(&mut self, need: &SandboxNeed) -> Result<Spec, SandboxError> {
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
        spec.writable.extend(situation.project.as_deref().and_then(git_folders::of));
        if self.deed.named {
            spec.named.extend(situation.named.iter().map(PathBuf::from));
        }
        // Where nothing is mounted, a folder with something hidden or kept in it could not be written to any more.
        let can = self.deed.capabilities().await.stage.is_ok();
        if can && !need.tidy && need.profile != SandboxLevel::None {
            let (policy, situation) = (Arc::clone(self.deed.secrets.policy), situation.clone());
            let roots = spec.writable.clone();
            let found = move || guarded::below(&policy, &situation, &roots);
            let found = tokio::task::spawn_blocking(found).await.map_err(std::io::Error::other)?;
            spec.kept.extend(found);
            self.hide(&mut spec).await?;
        }
        if self.place.is_some() {
            let tree = situation.project.as_deref().map_or(folder, Path::new);
            if situation.project.is_some() {
                // Where a name is not there yet, no mount can cover it, so what goes on running makes none in the folder itself.
                spec.writable.retain(|path| !folder.starts_with(path));
                spec.writable.extend(self.deed.entries().chain(std::mem::take(&mut spec.named)));
                spec.readable.push(folder.to_owned());
            }
            let apart = |path: &&PathBuf| guarda_sandbox::is_own(path) && !path.starts_with(tree);
            let apart = spec.writable.iter().filter(apart).cloned();
            spec.live = apart.chain([tree.to_owned()]).collect();
            // It lives as long as its session, so it takes no more of the machine's processes than a held-back run.
            spec.limits.processes = Limits::STAGE.processes;
            spec.profile = SandboxLevel::Isolated;
        }
        self.reveal(&mut spec);
        spec.tidy = need.tidy;
        spec.require = config.keeping.require_sandbox;
        Ok(spec)
    }
}
