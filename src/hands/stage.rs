//! Staged runs (feature N4): which folders are held back, the run itself, and what becomes of its effects.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::action::script::{Script, Word};
use crate::devices::capture::{Stream, Tap, Volume as Output};
use crate::devices::sandbox::{Staged, is_own};
use crate::devices::stage::{
    Budget, Committed, NotCommitted, Note, Stage, StageError, StagedRoot, Stages, Volume,
};
use crate::judge::effects::stands_out;
use crate::output::{Ended, RawOutput};
use crate::policy::effects::Change;
use crate::policy::{Effects, Policy, Profile, Situation};
use crate::record::{Open, Warrant};

use super::deeds::Run;
use super::sandbox_plan::names_one;
use super::{ClientShell, Hands, HandsConfig, deeds};

/// What stays until it is ended: nobody waits for its effects.
const STAYS: &[&str] = &[
    "npm start",
    "npm run dev",
    "npm run start",
    "npm run serve",
    "npm run watch",
    "pnpm dev",
    "pnpm start",
    "yarn dev",
    "yarn start",
    "bun dev",
    "vite",
    "next dev",
    "nodemon",
    "webpack serve",
    "ng serve",
    "flask run",
    "uvicorn",
    "gunicorn",
    "rails server",
    "rails s",
    "jekyll serve",
    "hugo server",
    "mkdocs serve",
    "cargo watch",
    "trunk serve",
    "watch",
    "tail -f",
    "tail -F",
    "inotifywait -m",
    "entr",
    "top",
    "htop",
    "tmux",
    "screen",
    "nohup",
    "setsid",
];
/// What the lists of programs with a network name as a whole, and what of it does its work without one as a rule.
const WITHOUT_NETWORK: &[&str] = &[
    "cargo build",
    "cargo check",
    "cargo test",
    "cargo clippy",
    "cargo fmt",
    "cargo run",
    "cargo bench",
    "cargo doc",
    "cargo clean",
    "cargo metadata",
    "cargo tree",
    "cargo new",
    "cargo init",
    "cargo nextest",
    "npm test",
    "npm t",
    "npm run",
    "npm ls",
    "npm pkg",
    "npm version",
    "npm init",
    "npm pack",
    "pnpm test",
    "pnpm run",
    "pnpm exec",
    "yarn test",
    "yarn run",
    "bun test",
    "bun run",
    "deno test",
    "deno fmt",
    "deno lint",
    "deno run",
    "deno check",
    "go build",
    "go test",
    "go vet",
    "go fmt",
    "go run",
    "go list",
    "go generate",
    "go mod tidy",
    "go mod init",
    "gem list",
    "gem build",
    "bundle exec",
    "poetry run",
    "poetry check",
    "uv run",
    "pip list",
    "pip show",
    "pip freeze",
    "pip check",
    "pip3 list",
    "pip3 show",
    "pip3 freeze",
    "git remote",
    "openssl",
    "composer validate",
    "composer dump-autoload",
    "mvn -o",
    "gradle --offline",
    "terraform fmt",
    "terraform validate",
    "helm lint",
    "helm template",
];
/// Where programs keep what they can fetch or make again. A run may use it and write there; what it wrote is thrown away, so
/// that no run leaves anything for another one.
const CACHES: &[&str] = &[
    ".cache",
    ".cargo",
    ".npm",
    ".gradle",
    ".m2",
    ".ivy2",
    ".gem",
    ".bundle",
    ".nuget",
    ".yarn",
    ".pnpm-store",
    ".bun",
    ".deno",
    ".ccache",
    ".stack",
    ".cabal",
    "go",
    ".local/share/pnpm",
    ".local/share/uv",
    ".local/share/virtualenv",
    ".local/state",
    ".terraform.d",
];
/// Folders that everybody writes to, and nobody keeps anything in.
const TEMPORARY: &str = "/tmp";
/// How much of what a staged run says is held back for a client's shell, in bytes; the rest is left out.
const HELD: usize = 64 << 20;

/// Says in the situation which folders are held back while a line runs, and which are the session's own.
pub(super) fn place(config: &HandsConfig, profile: Profile, situation: &mut Situation, script: &Script) {
    if stays(script) || reaches(config, script) {
        return;
    }
    // Roots are known by their real paths, and a home folder may be reached through a link (`/home` is one on some systems).
    let home = PathBuf::from(&situation.home);
    let home = std::fs::canonicalize(&home).unwrap_or(home);
    let cwd = PathBuf::from(&situation.cwd);
    let named = |root: &Path| situation.named.iter().any(|path| Path::new(path).starts_with(root));
    let project = project(&cwd, &home);
    let mut stage: Vec<PathBuf> = Vec::new();
    let within_home = project.as_ref().is_none_or(|project| project.starts_with(&home));
    let besides = situation.named.iter().map(Path::new).any(|path| {
        path.starts_with(&home) && project.as_ref().is_none_or(|project| !path.starts_with(project))
    });
    if is_own(&home) && (besides || project.is_none() && cwd.starts_with(&home)) {
        stage.push(home.clone());
    }
    if let Some(project) = project.as_ref().filter(|_| !(within_home && stage.contains(&home))) {
        stage.push(project.clone());
    }
    let temporary = PathBuf::from(TEMPORARY);
    let own = |root: &PathBuf| root.starts_with(&temporary);
    let apart = !home.starts_with(&temporary);
    if (cwd == temporary || named(&temporary)) && !stage.iter().any(own) && apart {
        stage.push(temporary.clone());
    }
    situation.roots = roots(profile, &cwd, &home);
    situation.stage = stage;
}

/// The folders in which a session that works here may change files unasked.
pub(super) fn roots(profile: Profile, cwd: &Path, home: &Path) -> Vec<PathBuf> {
    match profile {
        Profile::Workspace | Profile::Container => {
            let temporary = Some(PathBuf::from(TEMPORARY)).filter(|temporary| !home.starts_with(temporary));
            project(cwd, home).into_iter().chain(temporary).collect()
        }
        Profile::Desktop | Profile::Forensics => Vec::new(),
    }
}

/// The working tree that a folder belongs to: the nearest one with a repository, or the folder itself. `None` for the home
/// folder, what lies above it, and folders that are nobody's own.
fn project(cwd: &Path, home: &Path) -> Option<PathBuf> {
    let own = |folder: &&Path| !home.starts_with(folder) && is_own(folder);
    let above = cwd.ancestors().take_while(|folder| own(folder));
    let tree = above.clone().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok());
    tree.or_else(|| above.into_iter().next()).map(Path::to_owned)
}

/// Whether the line starts what goes on running.
fn stays(script: &Script) -> bool {
    let watches = |word: &Word| matches!(word.literal(), Some("--watch" | "--follow" | "--serve"));
    script.source().trim_end().ends_with('&')
        || script.runs().iter().any(|run| names_one(STAYS, run) || run.words.iter().skip(1).any(watches))
}

/// Whether some program of the line does its work only outside of a cell.
fn reaches(config: &HandsConfig, script: &Script) -> bool {
    script.runs().iter().any(|run| {
        names_one(&config.keeping.unconfined, run)
            || names_one(&config.keeping.network, run) && !names_one(WITHOUT_NETWORK, run)
    })
}

/// The caches that lie outside of what is staged.
fn caches(home: &Path, roots: &[PathBuf]) -> Vec<PathBuf> {
    let apart = |path: &PathBuf| !roots.iter().any(|root| path.starts_with(root) || root.starts_with(path));
    let there = CACHES.iter().map(|cache| home.join(cache)).filter(apart);
    there.filter(|path| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())).collect()
}

/// A run that is over, and whose effects wait for a word.
#[derive(Debug)]
pub struct StagedRun {
    stage: Stage,
    held: Option<HeldBack>,
    /// What it changed.
    pub effects: Arc<Effects>,
}

/// What became of a run whose writes were held back. Until it is committed, nothing is changed.
#[derive(Debug)]
pub enum StageEnd {
    /// It came to its end, and its effects wait.
    Ran(Box<StagedRun>),
    /// It was called off, or could not be begun: its output says why.
    Over,
    /// It has to be asked about by its words after all.
    Not(NotStaged),
}

/// Why a line has to be asked about by its words after all. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStaged {
    /// The writes could not be held back.
    #[error("its writes could not be held back: {0}")]
    Unheld(String),
    /// It wrote more than is held back.
    #[error("it was tried where nothing counts, and wrote more than can be held back")]
    TooMuch,
    /// It took longer than is waited for.
    #[error("it was tried where nothing counts, and went on for {} seconds", .0.as_secs())]
    TooLong(Duration),
    /// It failed, and had tried to reach another machine.
    #[error("it was tried where no other machine can be reached, and failed for want of one")]
    Network,
}

/// Why the effects of a run do not count. Nothing of them is left, unless the next start has to see to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// Somebody else changed the same meanwhile.
    #[error("{0}")]
    Changed(String),
    /// It could not be done.
    #[error("{0}")]
    Failed(String),
}

impl From<&NotCommitted> for NotKept {
    fn from(error: &NotCommitted) -> Self {
        match error {
            NotCommitted::Conflict(_) => Self::Changed(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

/// How long a line may take whose writes are held back, in the place of a client's shell, which has its own time-out.
pub(super) const WITH_CLIENT: Duration = Duration::from_secs(600);
/// How much may be held back, in bytes and in files, and how often it is looked.
const MOST: Volume = Volume { files: 300_000, bytes: 4 << 30 };
const LOOK: Duration = Duration::from_secs(1);

/// What the sandboxes of a line told at their end.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) strays: AtomicU32,
    pub(super) tried: AtomicU64,
    /// Whether what a deed that is not staged changed can be undone.
    pub(super) held: Mutex<Option<Held>>,
}

/// Whether a change can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// The old versions are kept.
    Kept,
    /// They are not, and why.
    Not(String),
}

impl Hands {
    /// Runs what was approved with its writes held back. Its output is held back, too.
    pub async fn stage(
        &self,
        id: uuid::Uuid,
        warrant: Warrant,
        terms: (&Situation, &Arc<Policy>),
        cancel: impl Future<Output = ()> + Send,
        (volume, shell): (&Arc<Output>, Option<&ClientShell>),
    ) -> (Open, RawOutput, StageEnd) {
        let open = warrant.begin();
        let begun = Instant::now();
        let quiet = |ended| RawOutput::quiet(ended, begun.elapsed());
        let (stage, staged) = match self.hold_back(id, terms.0).await {
            Ok((stage, staged)) => (stage, staged),
            Err(why) => {
                let raw = quiet(Ended::Unavailable(why.clone()));
                return (open, raw, StageEnd::Not(NotStaged::Unheld(why)));
            }
        };
        let (tap, held) = shell.map(|shell| HeldBack::new(shell.output.clone())).unzip();
        let tally = Tally::default();
        let run = Run { id, staged: &staged, tap: tap.as_ref(), tally: &tally, begun };
        let deed = self.deed(&open, terms, (volume, shell), run);
        let subject = Arc::clone(open.judgement().subject());
        let raw = tokio::select! {
            raw = deeds::perform(&deed, &subject.action, cancel) => Some(raw),
            () = too_much(&stage) => None,
        };
        drop(deed);
        drop(tap);
        let tried = tally.tried.load(Ordering::Relaxed);
        let not = match &raw {
            None => Some(NotStaged::TooMuch),
            Some(raw) if raw.ended == Ended::TimedOut => Some(NotStaged::TooLong(begun.elapsed())),
            Some(raw) if tried > 0 && raw.exit_code != Some(0) => Some(NotStaged::Network),
            Some(_) => None,
        };
        let raw = raw.unwrap_or_else(|| quiet(Ended::Cancelled));
        if let Some(not) = not {
            throw_away(stage).await;
            return (open, raw, StageEnd::Not(not));
        }
        if !matches!(raw.ended, Ended::Finished | Ended::Signalled(_) | Ended::NotFound(_)) {
            throw_away(stage).await;
            return (open, raw, StageEnd::Over);
        }
        let (policy, situation) = (Arc::clone(terms.1), terms.0.clone());
        let read = move || {
            stage.end_scratch()?;
            let roots = situation.roots.clone();
            let single = |change: &Change| stands_out(&policy, change, &situation, &roots);
            stage.effects_with(Budget::default(), &single).map(|effects| (stage, effects))
        };
        match blocking(read).await {
            Ok((stage, mut effects)) => {
                effects.strays = tally.strays.load(Ordering::Relaxed);
                let run = StagedRun { stage, held, effects: Arc::new(effects) };
                (open, raw, StageEnd::Ran(Box::new(run)))
            }
            Err(why) => (open, raw, StageEnd::Not(NotStaged::Unheld(why))),
        }
    }

    /// Makes the folders that take the writes of a run: those that count after a yes, and those of caches.
    async fn hold_back(&self, id: uuid::Uuid, situation: &Situation) -> Result<(Stage, Vec<Staged>), String> {
        let stages = self.config.stages.clone().ok_or("there is no folder for it")?;
        let (roots, home) = (situation.stage.clone(), PathBuf::from(&situation.home));
        blocking(move || {
            let stage = stages.begin(id, &roots)?;
            let scratch = stage.scratch(&caches(&home, &roots))?;
            let overlay = |root: &StagedRoot| {
                let StagedRoot { root, upper, work } = root.clone();
                Staged { root, upper, work }
            };
            let staged = stage.roots().iter().chain(&scratch).map(overlay).collect();
            Ok::<_, StageError>((stage, staged))
        })
        .await
    }

    /// Lets count what a run changed, and says what it said; where that is not possible, nothing of it counts.
    pub async fn commit(&self, warrant: Warrant, run: StagedRun) -> (Open, Result<Committed, NotKept>) {
        let open = warrant.begin();
        let StagedRun { stage, held, effects } = run;
        // The yes was to these very effects.
        if !open.judgement().effects().is_some_and(|judged| Arc::ptr_eq(judged, &effects)) {
            throw_away(stage).await;
            return (open, Err(NotKept::Failed("what was approved is another run".to_owned())));
        }
        let note = note(&open);
        let stages = self.config.stages.clone();
        let done = tokio::task::spawn_blocking(move || {
            let id = stage.id();
            let done = stage.commit()?;
            if let Some(Err(error)) = stages.map(|stages| stages.note(id, &note)) {
                tracing::warn!(%error, "whose deed it was could not be noted");
            }
            Ok(done)
        })
        .await;
        let done = match done {
            Ok(done) => done.map_err(|error| NotKept::from(&error)),
            Err(panic) => Err(NotKept::Failed(panic.to_string())),
        };
        if let (Ok(_), Some(held)) = (&done, held) {
            held.say().await;
        }
        if let Some(stages) = self.config.stages.clone() {
            // Nobody waits for what is too old to go.
            tokio::task::spawn_blocking(move || {
                let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0);
                if let Err(error) = stages.sweep(now) {
                    tracing::warn!(%error, "old versions could not be removed");
                }
            });
        }
        (open, done)
    }

    /// Ends a run that changed nothing, and says what it said.
    pub async fn release(&self, run: StagedRun) {
        throw_away(run.stage).await;
        if let Some(held) = run.held {
            held.say().await;
        }
    }

    /// Throws away what a run changed, and what it said.
    pub async fn discard(&self, run: StagedRun) {
        throw_away(run.stage).await;
    }
}

impl Hands {
    /// For how many days what is committed can be undone.
    #[must_use]
    pub fn kept_days(&self) -> u32 {
        let keep = self.config.stages.as_ref().map_or(Duration::ZERO, Stages::kept_for);
        u32::try_from(keep.as_secs() / (24 * 3600)).unwrap_or(u32::MAX)
    }

    /// Until when what is committed now can be undone.
    #[must_use]
    pub fn kept_until(&self) -> jiff::Timestamp {
        let keep = self.config.stages.as_ref().map_or(Duration::ZERO, Stages::kept_for);
        jiff::Timestamp::now().checked_add(keep).unwrap_or(jiff::Timestamp::MAX)
    }
}

/// Whose deed it is, for the list of what can be undone.
fn note(open: &Open) -> Note {
    let subject = open.judgement().subject();
    let what = match &subject.action {
        crate::action::Action::RunCommand { text, .. } => text.clone(),
        other => format!("{} {}", other.kind().name(), other.object()),
    };
    Note {
        session: crate::record::session_of(subject.claims.session.as_deref()).unwrap_or_default(),
        audit_id: open.audit_id(),
        what: crate::output::redact(&what).map(|clean| clean.text).unwrap_or_default(),
    }
}

/// Ends when a run has written more than is held back.
async fn too_much(stage: &Stage) {
    loop {
        tokio::time::sleep(LOOK).await;
        let written = stage.written();
        if written.files > MOST.files || written.bytes > MOST.bytes {
            return;
        }
    }
}

async fn throw_away(stage: Stage) {
    if let Err(error) = blocking(move || stage.discard()).await {
        tracing::warn!(error, "what a run had changed could not be removed; the next start tries again");
    }
}

async fn blocking<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(panic) => Err(panic.to_string()),
    }
}

/// What a run says, kept until it may be heard.
#[derive(Debug)]
pub(super) struct HeldBack {
    said: Arc<Mutex<(usize, Vec<(Stream, Vec<u8>)>)>>,
    hearing: tokio::task::JoinHandle<()>,
    to: Tap,
}

impl HeldBack {
    /// Hears in the place of `to`; the tap is for the run.
    pub(super) fn new(to: Tap) -> (Tap, Self) {
        let (tap, mut from) = Tap::new();
        let said = Arc::new(Mutex::new((0, Vec::new())));
        let kept = Arc::clone(&said);
        let hearing = tokio::spawn(async move {
            while let Some((stream, bytes)) = from.recv().await {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let (length, all) = &mut *kept;
                *length += bytes.len();
                if *length <= HELD {
                    all.push((stream, bytes));
                }
            }
        });
        (tap, Self { said, hearing, to })
    }

    /// Says it all.
    async fn say(self) {
        let _ = self.hearing.await;
        let all = std::mem::take(&mut self.said.lock().unwrap_or_else(PoisonError::into_inner).1);
        for (stream, bytes) in all {
            self.to.pass(stream, &bytes).await;
        }
    }
}
