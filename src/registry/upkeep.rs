//! The registry's thread: it opens the store, reopens it after a loss, moves a damaged file aside, and keeps
//! runs that could not be written until they can be.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use guarda_core::policy::History;

use super::backend::RegistryBackend;
use super::driver::StoreError;
use super::evolve::{PolicyChange, Thresholds};
use super::identity::Identity;
use super::run::EndedRun;
use super::store::Store;

/// The registry's status, as shown to others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegistryStatus {
    /// Where it is.
    pub place: String,
    /// Why it is unreliable now; `None` if it is reliable.
    pub lost: Option<String>,
    /// True once it has been used since the start.
    pub tried: bool,
    /// Runs that wait to be written.
    pub waiting: usize,
    /// How often a damaged file was moved aside and replaced.
    pub mended: u64,
    /// Events since the start, one sentence each: damage, a removed file.
    pub notices: Vec<String>,
}

/// The status, shared with its readers.
pub(super) type Shared = Arc<Mutex<RegistryStatus>>;

/// The most runs that wait to be written; beyond it, the oldest are dropped.
const MOST_WAITING: usize = 10_000;
/// Most notices that are kept.
const MOST_NOTICES: usize = 16;
/// How long after a failure the store is not opened or written again.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Upkeep {
    backend: RegistryBackend,
    thresholds: Thresholds,
    /// True if this process may move a damaged file aside.
    mends: bool,
    store: Option<Store>,
    waiting: VecDeque<EndedRun>,
    /// The failure of the last write, and its time.
    unwritten: Option<(StoreError, Instant)>,
    /// The failure of the last opening, and its time.
    unopened: Option<(StoreError, Instant)>,
    status: Shared,
}

impl std::fmt::Debug for Upkeep {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Upkeep").field("backend", &self.backend).finish_non_exhaustive()
    }
}

impl Upkeep {
    pub fn new(backend: RegistryBackend, thresholds: Thresholds, mends: bool, status: Shared) -> Self {
        lock(&status).place = backend.place();
        Self {
            backend,
            thresholds,
            mends,
            store: None,
            waiting: VecDeque::new(),
            unwritten: None,
            unopened: None,
            status,
        }
    }

    /// Opens the store, so that faults are known before the first command.
    pub fn begin(&mut self, now: jiff::Timestamp) {
        let opened = self.try_writing(now);
        self.report(opened.err().map(|error| error.to_string()));
    }

    /// True if it is open and no write is waiting or due for a retry: a look-up then only reads.
    pub fn at_rest(&self) -> bool {
        self.store.is_some() && self.unwritten.is_none() && self.waiting.is_empty()
    }

    /// The history of a command. Never fails: if it is unknown, the history says so.
    pub fn recall(&mut self, identity: &Identity, now: jiff::Timestamp) -> History {
        let writes = self.try_writing(now);
        let history = match self.with(now, |store| store.look(identity)) {
            Ok(known) => History {
                // If nothing can be written, the entry may be outdated: the last run may have failed.
                lost: writes.as_ref().err().map(ToString::to_string),
                ..super::history(known, now, &self.thresholds)
            },
            Err(error) => History::lost(error.to_string()),
        };
        self.report(history.lost.clone());
        history
    }

    /// Counts a run, after the waiting ones.
    ///
    /// # Errors
    /// If it could not be written. It then waits.
    pub fn note(&mut self, run: EndedRun, now: jiff::Timestamp) -> Result<PolicyChange, StoreError> {
        let written = self.write_waiting(now).and_then(|()| {
            let thresholds = self.thresholds.clone();
            self.with(now, |store| store.note(&run, &thresholds))
        });
        if let Err(error) = &written {
            self.unwritten = Some((error.clone(), Instant::now()));
            if self.waiting.len() >= MOST_WAITING {
                self.waiting.pop_front();
            }
            self.waiting.push_back(run);
        } else {
            self.unwritten = None;
        }
        self.report(written.as_ref().err().map(ToString::to_string));
        written
    }

    /// Runs a job on the open store. Opens it first, and reopens it once if it was lost meanwhile.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn with<T>(
        &mut self,
        now: jiff::Timestamp,
        mut work: impl FnMut(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut again = true;
        loop {
            let result = match self.store(now) {
                Ok(store) => work(store),
                Err(error) => return Err(error),
            };
            match result {
                Err(StoreError::Damaged(why)) => {
                    self.store = None;
                    if !(again && self.mends) {
                        return Err(StoreError::Damaged(why));
                    }
                    self.mend(&why, now)?;
                }
                Err(StoreError::Unreachable(why)) => {
                    self.store = None;
                    if !again {
                        return Err(StoreError::Unreachable(why));
                    }
                    self.notice(format!("the registry was lost and is opened anew: {why}"));
                }
                other => return other,
            }
            again = false;
        }
    }

    fn store(&mut self, now: jiff::Timestamp) -> Result<&mut Store, StoreError> {
        if self.store.is_none() {
            if let Some((error, at)) = &self.unopened
                && at.elapsed() < PAUSE
            {
                return Err(error.clone());
            }
            let opened = match self.backend.open() {
                Err(StoreError::Damaged(why)) if self.mends => {
                    self.mend(&why, now).and_then(|()| self.backend.open())
                }
                other => other,
            };
            match opened {
                Ok(store) => {
                    self.unopened = None;
                    // Whether it can be written is tested at once.
                    self.unwritten = Some((StoreError::Other("not tried yet".to_owned()), long_ago()));
                    self.store = Some(store);
                }
                Err(error) => {
                    self.unopened = Some((error.clone(), Instant::now()));
                    return Err(error);
                }
            }
        }
        match &mut self.store {
            Some(store) => Ok(store),
            None => Err(StoreError::Unreachable("it is not open".to_owned())),
        }
    }

    fn mend(&mut self, why: &str, now: jiff::Timestamp) -> Result<(), StoreError> {
        let mended = self.backend.mend(now)?;
        lock(&self.status).mended += 1;
        let rest = if mended.all { "" } else { "; others may be lost" };
        self.notice(format!(
            "the registry was damaged ({why}); it was set aside as {}, and learning starts over. {} restrictions were \
             kept{rest}",
            mended.aside.display(),
            mended.kept
        ));
        Ok(())
    }

    /// Tests whether it can be written: with the waiting runs, or by tidying if there are none.
    fn try_writing(&mut self, now: jiff::Timestamp) -> Result<(), StoreError> {
        // Opening resets what is known about writing.
        self.with(now, |_| Ok(()))?;
        let Some((error, at)) = &self.unwritten else { return Ok(()) };
        if at.elapsed() < PAUSE {
            return Err(error.clone());
        }
        let thresholds = self.thresholds.clone();
        let written = self
            .with(now, |store| store.tidy(now, &thresholds).map(drop))
            .and_then(|()| self.write_waiting(now));
        self.unwritten = written.as_ref().err().map(|error| (error.clone(), Instant::now()));
        written
    }

    fn write_waiting(&mut self, now: jiff::Timestamp) -> Result<(), StoreError> {
        let thresholds = self.thresholds.clone();
        while let Some(run) = self.waiting.pop_front() {
            if let Err(error) = self.with(now, |store| store.note(&run, &thresholds)) {
                self.waiting.push_front(run);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Updates the status; each change is logged once.
    fn report(&mut self, lost: Option<String>) {
        let mut status = lock(&self.status);
        match (&status.lost, &lost) {
            (None, Some(why)) => {
                tracing::warn!(place = status.place, why, "the registry is lost: every command is asked");
            }
            (Some(_), None) => tracing::info!(place = status.place, "the registry is back"),
            _ => {}
        }
        status.lost = lost;
        status.tried = true;
        status.waiting = self.waiting.len();
    }

    fn notice(&mut self, notice: String) {
        tracing::warn!(notice);
        let mut status = lock(&self.status);
        if status.notices.len() >= MOST_NOTICES {
            status.notices.remove(0);
        }
        status.notices.push(notice);
    }
}

fn long_ago() -> Instant {
    Instant::now().checked_sub(PAUSE).unwrap_or_else(Instant::now)
}

pub(super) fn lock(status: &Shared) -> std::sync::MutexGuard<'_, RegistryStatus> {
    status.lock().unwrap_or_else(PoisonError::into_inner)
}
