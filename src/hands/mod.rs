//! Gathers facts before the judgement, and runs the approved action after it. Nothing is parsed a second time.

mod commands;
mod config;
mod desktop;
mod facts;
mod staging;
pub mod announced;
mod deeds;
mod perform;
mod files;
mod settings;
pub mod trust;

use commands::{sandbox_plan, sessions};
use desktop::status;
use facts::{freeze, hidden, look, possible, preview, tracked, view};
use staging::{keeping, repository, stageable, undo, undoable};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use commands::sessions::{KeptSessions, RunningLine};
pub use commands::shell::ClientShell;
pub use config::{HandsConfig, SEARCH_PATH};
pub use desktop::status::BackendStatus;
pub use facts::look::LookError;
pub use facts::view::{View, ViewEntry, Why};
pub use staging::stage::{NotKept, NotStaged, StageEnd, StagedRun};
pub use staging::undo::HeldSetting;
pub use staging::undoable::Undoable;

use guarda_core::output::RawOutput;
use guarda_core::policy::{Profile, Situation};
use guarda_sandbox::capture::Volume;
use guarda_sandbox::{Capabilities, Protection};

/// How long a question waits for the preview of its action.
const PREVIEW_PATIENCE: Duration = Duration::from_secs(2);

/// How long [`freeze`] may take.
const FREEZE_PATIENCE: Duration = Duration::from_secs(10);

/// Gathers facts and runs actions.
#[derive(Debug)]
pub struct Hands {
    config: HandsConfig,
    /// The abilities of this machine's sandbox, probed once.
    capabilities: tokio::sync::OnceCell<Capabilities>,
    /// A cache of the secrets in folders.
    found: hidden::FoundBelow,
    /// Desktop settings that were changed.
    settings: settings::Settings,
}

/// The context of a run.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// Counts the bytes that a command has written so far.
    pub volume: &'a Arc<Volume>,
    /// The client's shell that it replaces.
    pub shell: Option<&'a ClientShell>,
    /// Asks about hosts that were not approved. `None`: nobody can be asked, and no command gets a network of its own.
    pub outside: Option<&'a Arc<dyn guarda_sandbox::relay::Outside>>,
}

impl Hands {
    /// Hands with these settings.
    #[must_use]
    pub fn new(mut config: HandsConfig) -> Self {
        for path in config.guard.iter_mut().chain(&mut config.settings) {
            *path = crate::devices::filesystem::paths::plain(path);
        }
        let settings = settings::Settings::open(config.stages.as_ref());
        Self {
            config,
            capabilities: tokio::sync::OnceCell::new(),
            found: hidden::FoundBelow::default(),
            settings,
        }
    }

    /// The folders that a person trusts.
    #[must_use]
    pub fn trust(&self) -> &trust::Trust {
        &self.config.trust
    }

    /// Checks whether a person may trust this folder.
    ///
    /// # Errors
    /// [`trust::NotTrustable`]: why not.
    pub fn trustable(&self, folder: &std::path::Path) -> Result<trust::Trustable, trust::NotTrustable> {
        let HandsConfig { home, session, search_path, .. } = &self.config;
        let login = session.get("PATH").unwrap_or_default();
        trust::check(home, std::env::split_paths(login).chain(search_path.iter().cloned()), folder)
    }

    /// The working tree of a folder; `None` for the home folder and shared folders.
    pub(crate) fn tree(&self, folder: &std::path::Path) -> Option<PathBuf> {
        let real = |path: &std::path::Path| path.canonicalize().ok();
        stageable::project(&real(folder)?, &real(&self.config.home)?)
    }

    /// The working tree that a person could trust, so that changes in it need no question; `None` if it is trusted, or never
    /// can be. Adds what it covers to the session's folders.
    pub(crate) fn proposed(&self, profile: Profile, situation: &mut Situation) -> Option<trust::Trustable> {
        let tree = situation.project.clone()?;
        let known = situation.roots.iter().any(|root| tree.starts_with(root));
        if profile != Profile::Workspace || known {
            return None;
        }
        let proposed = self.trustable(&tree).ok()?;
        situation.roots.extend(staging::git_folders::of(&tree));
        situation.roots.push(tree);
        Some(proposed)
    }

    /// Gathers the facts that the judge may use, once.
    ///
    /// # Errors
    /// If the action cannot be looked at: its folder does not exist, or it names more paths than are looked up.
    pub fn look(
        &self,
        proposal: &guarda_core::action::Proposal,
        question_open: bool,
    ) -> Result<Situation, LookError> {
        look::look(&self.config, proposal, question_open, true)
    }

    /// Like [`Hands::look`], if nothing will be done: the folder to run in may be missing.
    ///
    /// # Errors
    /// If it names more paths than are looked up.
    pub fn survey(&self, proposal: &guarda_core::action::Proposal) -> Result<Situation, LookError> {
        look::look(&self.config, proposal, false, false)
    }

    /// What a cell for a line opens of the home folder.
    #[must_use]
    pub fn view(&self, policy: &guarda_core::policy::Policy, situation: &Situation) -> View {
        View::of(policy, situation, &view::Ground::of(situation, &self.config, None), &view::real())
    }

    /// Pins everything else that a person's yes will rest on, so that none of it can be exchanged before the action runs.
    /// Called between the judgement and the question.
    ///
    /// # Errors
    /// If the action rests on too many files, or the file system does not answer in time.
    pub async fn freeze(
        &self,
        proposal: &Arc<guarda_core::action::Proposal>,
        situation: Situation,
    ) -> Result<Situation, LookError> {
        let proposal = Arc::clone(proposal);
        let gathering = tokio::task::spawn_blocking(move || freeze::freeze(&proposal, situation));
        match tokio::time::timeout(FREEZE_PATIENCE, gathering).await {
            Ok(Ok(frozen)) => frozen,
            Ok(Err(_)) | Err(_) => Err(LookError::Slow),
        }
    }

    /// Why the action cannot be done here, as far as that is known in advance. Nobody is asked about such an action.
    pub async fn impossible(
        &self,
        proposal: &guarda_core::action::Proposal,
        situation: &Situation,
    ) -> Option<guarda_core::output::Ended> {
        possible::impossible(&self.config, &proposal.action, situation).await
    }

    /// The paths that the action would touch, for the question. Counted with a bounded amount of work; nothing is run. If
    /// the file system does not answer in time, the preview says so.
    pub async fn preview(
        &self,
        proposal: &Arc<guarda_core::action::Proposal>,
        situation: &Situation,
    ) -> crate::devices::filesystem::touch::Preview {
        let (proposal, home) = (Arc::clone(proposal), PathBuf::from(&situation.home));
        let folder = PathBuf::from(&situation.cwd);
        let counting =
            tokio::task::spawn_blocking(move || preview::preview(&proposal.action, &home, &folder));
        let unknown = || crate::devices::filesystem::touch::Preview { open: true, ..Default::default() };
        // The count is bounded, but a file server that hangs would delay the question for ever.
        match tokio::time::timeout(PREVIEW_PATIENCE, counting).await {
            Ok(Ok(preview)) => preview,
            Ok(Err(_)) | Err(_) => unknown(),
        }
    }

    /// Whether the files that an unstaged command deletes or overwrites by its words can be kept for an undo; `None` if there
    /// are none.
    pub async fn keeping(
        &self,
        proposal: &Arc<guarda_core::action::Proposal>,
        situation: &Situation,
    ) -> Option<crate::wording::Keeping> {
        let stages = self.config.stages.clone()?;
        let (proposal, situation) = (Arc::clone(proposal), situation.clone());
        let foreseeing =
            tokio::task::spawn_blocking(move || keeping::foreseen(&stages, &proposal.action, &situation));
        match tokio::time::timeout(PREVIEW_PATIENCE, foreseeing).await {
            Ok(Ok(keeping)) => keeping,
            Ok(Err(_)) | Err(_) => Some(crate::wording::Keeping::Unknown),
        }
    }

    /// Runs the approved action, as it was judged in `situation`. Ends early when `cancel` does. `policy` says which files are
    /// secret. A command's output is counted while it runs, and passed to a client's shell as it is written. Also returns
    /// whether its changes to files can be undone by the `id` of its request; `None` if that is unknown.
    pub async fn act(
        &self,
        id: uuid::Uuid,
        warrant: guarda_journal::Warrant,
        (situation, policy): (&Situation, &Arc<guarda_core::policy::Policy>),
        cancel: impl Future<Output = ()> + Send,
        around: RunContext<'_>,
    ) -> (guarda_journal::Open, RawOutput, Option<Undoable>) {
        let open = warrant.begin();
        let subject = Arc::clone(open.judgement().subject());
        let tally = undoable::Tally::default();
        let RunContext { volume, shell, outside } = around;
        let tap = shell.map(|shell| &shell.output);
        let run = deeds::RunSpec { id, staged: &[], tap, tally: &tally, begun: Instant::now(), outside };
        let deed = self.deed(&open, (situation, policy), (volume, shell), run);
        let output = Box::pin(perform::perform(&deed, &subject.action, cancel)).await;
        (open, output, tally.into_undo())
    }

    /// The context of a deed that has begun, for every hand.
    fn deed<'a>(
        &'a self,
        open: &'a guarda_journal::Open,
        (situation, policy): (&'a Situation, &'a Arc<guarda_core::policy::Policy>),
        (volume, shell): (&'a Arc<Volume>, Option<&'a ClientShell>),
        run: deeds::RunSpec<'a>,
    ) -> deeds::Deed<'a> {
        let (by_person, way) = (open.by_consent(), open.way());
        let subject = open.judgement().subject();
        let word = open.judgement().history().and_then(|history| history.user_override.as_ref());
        let always =
            word.is_some_and(|word| word.kind == guarda_core::policy::history::OverrideKind::AlwaysAllow);
        deeds::Deed {
            settings: &self.settings,
            open,
            config: &self.config,
            situation,
            way,
            secrets: hidden::Secrets { found: &self.found, policy, situation },
            by_person,
            named: by_person || always,
            asked: subject.claims.sandbox,
            known: &self.capabilities,
            shell,
            run,
            volume,
        }
    }

    /// The store of old versions; `None` if nothing can be undone.
    #[must_use]
    pub fn stages(&self) -> Option<&guarda_sandbox::stage::Stages> {
        self.config.stages.as_ref()
    }

    /// The user's home folder.
    #[must_use]
    pub fn home(&self) -> String {
        self.config.home.display().to_string()
    }

    /// The settings that can be restored, latest first.
    #[must_use]
    pub fn held_settings(&self) -> Vec<HeldSetting> {
        let held = |changed: settings::SettingChange| {
            let note = changed.note();
            HeldSetting { id: changed.id, note, at: changed.at, undid: changed.undid }
        };
        self.settings.list().into_iter().map(held).collect()
    }

    /// The changes that an UNDO would make, for the question.
    pub async fn undoing(&self, situation: &Situation) -> Option<guarda_core::effects::Effects> {
        // Most requests are not an UNDO and should cost nothing here.
        let ids =
            Some(situation.undoes.clone()).filter(|ids| !ids.is_empty() && !situation.undoes_setting)?;
        let stages = self.config.stages.clone()?;
        let within = situation.undoes_within.clone();
        tokio::task::spawn_blocking(move || stages.undoing_all(&ids, within.as_deref())).await.ok()
    }

    /// The abilities of this machine's sandbox.
    pub async fn capabilities(&self) -> &Capabilities {
        self.capabilities.get_or_init(|| self.config.sandbox.probe()).await
    }

    /// The program that redeems tickets, as a word of a command line: `guarda-hook` beside this program, which starts fastest.
    #[must_use]
    pub fn runner(&self) -> String {
        let running = std::env::current_exe().unwrap_or_else(|_unknown| "guarda".into());
        let path = running.with_file_name("guarda-hook").to_string_lossy().into_owned();
        format!("'{}'", path.replace('\'', "'\\''"))
    }

    /// Adds the facts that depend on the rules: whether no cell can hold the line, and, if its writes may be held back
    /// (`stage`), the folders concerned.
    pub fn weigh(
        &self,
        policy: &guarda_core::policy::Policy,
        proposal: &guarda_core::action::Proposal,
        situation: &mut Situation,
        stage: bool,
    ) {
        let script = match &proposal.action {
            guarda_core::action::Action::RunCommand { script, .. } => script.as_ref().ok(),
            guarda_core::action::Action::Undo { of } => {
                let store = (&self.config, &self.settings);
                return undo::place(store, policy.profile(), of, &proposal.claims, situation);
            }
            _ => return,
        };
        situation.network.session = self.config.sessions.ports(&sessions::session(proposal));
        situation.goes_on = script.is_some_and(|script| stageable::goes_on(script, situation));
        let unconfined = |script| sandbox_plan::unconfined(&self.config, policy, situation, script);
        situation.unconfined = script.is_some_and(unconfined);
        situation.tracked =
            script.map(|script| tracked::gather(policy, script, situation)).unwrap_or_default();
        let home = stageable::real_home(situation);
        let tree = situation.project.as_deref();
        situation.git_named = tree.into_iter().flat_map(|tree| repository::named(tree, &home)).collect();
        let can = match self.capabilities.get() {
            Some(can) => can.stage.is_ok() && self.config.stages.is_some(),
            // Nothing will be run.
            None => guarda_sandbox::may_stage(),
        };
        if stage && can && self.config.staging {
            stageable::place(&self.config, policy, situation, script);
        }
    }

    /// The secrets of the project that a line could read which goes on running after a yes, and so cannot be asked about when it fails.
    pub async fn in_reach(
        &self,
        judgement: &guarda_core::judge::Judgement,
        policy: &Arc<guarda_core::policy::Policy>,
        situation: &Situation,
    ) -> Vec<PathBuf> {
        let acts = judgement.run().way == Some(guarda_core::action::Way::Act);
        let Some(tree) = situation.project.clone().filter(|_| situation.runs_on() && acts) else {
            return Vec::new();
        };
        let home = stageable::real_home(situation);
        let secrets = hidden::Secrets { found: &self.found, policy, situation };
        match secrets.below(&view::View::of_tree(tree.clone()), &home, &[]).await {
            Ok(found) => found.secrets.into_iter().filter(|path| path.starts_with(&tree)).collect(),
            // They stay hidden.
            Err(_) => Vec::new(),
        }
    }

    /// What goes on running in the sessions.
    #[must_use]
    pub fn sessions(&self) -> &Arc<KeptSessions> {
        &self.config.sessions
    }

    /// The rules for hosts in force.
    #[must_use]
    pub fn network(&self) -> &crate::config::sections::network::NetworkInForce {
        &self.config.network
    }

    /// Whether this machine can make a cell that can change, send and reach nothing.
    pub async fn can_look(&self) -> bool {
        self.capabilities().await.look.is_ok()
    }

    /// The protection around a command that is run in this way, as far as it is known in advance; `None` if it is not a
    /// command. With several programs, the weakest one.
    pub async fn foresee(
        &self,
        judgement: &guarda_core::judge::Judgement,
        (situation, policy): (&Situation, &guarda_core::policy::Policy),
        way: guarda_core::action::Way,
    ) -> Option<Protection> {
        let proposal = judgement.subject();
        let guarda_core::action::Action::RunCommand { script, .. } = &proposal.action else { return None };
        let (asked, network) = (proposal.claims.sandbox, &**judgement.network());
        let held = judgement.is_held_back();
        let terms =
            sandbox_plan::NeedsContext { config: &self.config, situation, policy, network, asked, way, held };
        let needs = sandbox_plan::needs(terms, script.as_ref().ok());
        let capabilities = self.capabilities().await;
        let each = needs.iter().map(|need| need.foreseen(capabilities));
        each.reduce(|one, other| one.joined(&other))
    }

    /// Whether a command is refused if this machine cannot confine it as required.
    #[must_use]
    pub fn requires_sandbox(&self) -> bool {
        self.config.keeping.require_sandbox
    }

    /// The state of the back-ends that deeds need. Queries each with its own deadline.
    pub async fn status(&self) -> Vec<BackendStatus> {
        let mut all = status::all(&self.config).await;
        all.insert(0, status::sandbox(&self.config, self.capabilities().await));
        all.push(status::stage(&self.config, self.capabilities().await));
        all.push(status::network(&self.config, self.capabilities().await));
        all
    }
}
