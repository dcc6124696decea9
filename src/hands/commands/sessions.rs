//! What goes on running in the sessions (feature N19): each session that keeps something has a cell, in which its other commands
//! run, too.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use guarda_core::action::Proposal;
use guarda_journal::{Journal, KeptEnd};
use guarda_sandbox::relay::Relay;
use guarda_sandbox::{Sandbox, SandboxHandle, SessionCell};
use tokio::sync::watch;
use uuid::Uuid;

/// The most lines that one session keeps, and all together.
const MOST: (usize, usize) = (8, 64);
/// How long a session may be without a command before what it keeps is ended.
const IDLE: Duration = Duration::from_secs(8 * 3600);
/// How often that is looked at.
const LOOK: Duration = Duration::from_secs(60);
/// How long a program has to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// A line that goes on running.
#[derive(Debug, Clone)]
pub struct RunningLine {
    /// The id of its request.
    pub id: Uuid,
    /// Its text.
    pub line: String,
    /// When it was started.
    pub since: jiff::Timestamp,
    /// The ports of this machine on which others reach it.
    pub ports: BTreeSet<u16>,
}

/// The session of a proposal, as the record calls it.
pub(in crate::hands) fn session(proposal: &Proposal) -> String {
    guarda_journal::session_of(proposal.claims.session.as_deref()).unwrap_or_default()
}

/// An open sandbox, and the guard's end of its network.
pub(super) type Open = (SandboxHandle, Option<Relay>);

#[derive(Debug)]
struct Kept {
    cell: Arc<SessionCell>,
    used: Instant,
    lines: BTreeMap<Uuid, (RunningLine, watch::Sender<bool>)>,
}

/// The sessions that keep something.
#[derive(Debug, Default)]
pub struct KeptSessions {
    /// Where each of them has its `/tmp`, and where their ends are recorded; `None`: nothing is kept.
    place: Option<(PathBuf, Journal)>,
    kept: Mutex<BTreeMap<String, Kept>>,
}

/// A line's place among those that its session keeps, while it is held.
#[derive(Debug)]
pub(super) struct Stay {
    sessions: Arc<KeptSessions>,
    session: String,
    id: Uuid,
    /// True once somebody has stopped the line.
    pub(super) stopped: watch::Receiver<bool>,
    /// The cell of the session.
    pub(super) cell: Arc<SessionCell>,
}

impl KeptSessions {
    /// No sessions yet. Their folders for temporary files are made in `folder`, which holds nothing else: what a killed service left
    /// there is removed. `journal` gets the ends of what they keep.
    #[must_use]
    pub fn within(folder: PathBuf, journal: Journal) -> Self {
        if let Err(error) = guarda_sandbox::stage::wipe(&folder) {
            tracing::warn!(%error, "what a session had in its /tmp could not be removed");
        }
        Self { place: Some((folder, journal)), kept: Mutex::default() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cell of a session; `None` if it keeps nothing.
    pub(in crate::hands) fn cell(&self, session: &str) -> Option<Arc<SessionCell>> {
        let mut kept = self.kept();
        let own = kept.get_mut(session).filter(|own| own.cell.stands())?;
        own.used = Instant::now();
        Some(Arc::clone(&own.cell))
    }

    /// The ports on which what a session keeps is reached; `None` if it keeps nothing.
    #[must_use]
    pub fn ports(&self, session: &str) -> Option<BTreeSet<u16>> {
        let kept = self.kept();
        let own = kept.get(session)?;
        Some(own.lines.values().flat_map(|(line, _)| line.ports.iter().copied()).collect())
    }

    /// What a session keeps, oldest first.
    #[must_use]
    pub fn of(&self, session: &str) -> Vec<RunningLine> {
        let kept = self.kept();
        let lines = kept.get(session).into_iter().flat_map(|own| own.lines.values());
        let mut lines: Vec<RunningLine> = lines.map(|(line, _)| line.clone()).collect();
        lines.sort_by_key(|line| line.since);
        lines
    }

    /// Stops what a session keeps: one line, or all. Returns how many.
    pub fn stop(&self, session: &str, id: Option<Uuid>) -> usize {
        let kept = self.kept();
        let lines = kept.get(session).into_iter().flat_map(|own| &own.lines);
        let meant = lines.filter(|(of, _)| id.is_none_or(|id| id == **of));
        meant.filter(|(_, (_, stop))| stop.send(true).is_ok()).count()
    }

    /// Makes room for a line that is to go on running, and a cell for its session.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn enter(
        self: &Arc<Self>,
        session: &str,
        line: RunningLine,
        sandbox: &Sandbox,
    ) -> std::io::Result<Stay> {
        let mut kept = self.kept();
        if kept.values().map(|own| own.lines.len()).sum::<usize>() >= MOST.1 {
            return Err(std::io::Error::other(format!("{} lines are running already", MOST.1)));
        }
        if kept.get(session).is_none_or(|own| !own.cell.stands()) {
            let (folder, _) = self.place.as_ref().ok_or(std::io::ErrorKind::NotFound)?;
            std::fs::DirBuilder::new().mode(0o700).recursive(true).create(folder)?;
            let (cell, used) = (Arc::new(sandbox.session(folder)?), Instant::now());
            kept.insert(session.to_owned(), Kept { cell, used, lines: BTreeMap::new() });
        }
        let own = kept.get_mut(session).ok_or(std::io::ErrorKind::NotFound)?;
        if own.lines.len() >= MOST.0 {
            let why =
                format!("this session has {} lines running; stop one first (`guarda session stop`)", MOST.0);
            return Err(std::io::Error::other(why));
        }
        let (stop, stopped) = watch::channel(false);
        let (id, cell) = (line.id, Arc::clone(&own.cell));
        own.lines.insert(id, (line, stop));
        Ok(Stay { sessions: Arc::clone(self), session: session.to_owned(), id, stopped, cell })
    }

    fn is_idle(&self, session: &str) -> bool {
        self.kept().get(session).is_none_or(|own| own.used.elapsed() > IDLE)
    }
}

impl Stay {
    /// Lets a line go on after its shell has ended: until nothing of it runs, somebody stops it, or its session is idle.
    pub(super) fn keep(self, mut open: Vec<Open>) {
        let mut stopped = self.stopped.clone();
        tokio::spawn(async move {
            let how = tokio::select! {
                () = over(&open) => KeptEnd::ByItself,
                _ = stopped.wait_for(|stopped| *stopped) => KeptEnd::Stopped,
                () = self.idle() => KeptEnd::Idle,
            };
            for (cell, _) in &mut open {
                if let Err(error) = cell.end(GRACE).await {
                    tracing::warn!(%error, "what a session kept did not end by itself");
                }
            }
            self.record(how);
        });
    }

    /// Writes down how the line ended.
    fn record(&self, how: KeptEnd) {
        let of = self.sessions.of(&self.session);
        let line = of.iter().find(|line| line.id == self.id);
        if let (Some(line), Some((_, journal))) = (line, &self.sessions.place)
            && let Err(error) = journal.kept_ended(&self.session, &line.line, how)
        {
            tracing::warn!(%error, "the end of what a session kept is not in the record");
        }
    }

    async fn idle(&self) {
        while !self.sessions.is_idle(&self.session) {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Waits until nothing runs in any of these.
async fn over(open: &[Open]) {
    for (cell, _) in open {
        // One whose supervisor is gone has ended.
        let _ = cell.linger(Duration::MAX).await;
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut kept = self.sessions.kept();
        if let Some(own) = kept.get_mut(&self.session) {
            own.lines.remove(&self.id);
            if own.lines.is_empty() {
                kept.remove(&self.session);
            }
        }
    }
}
