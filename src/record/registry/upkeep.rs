//! The thread that owns the place: it opens it, opens it again, sets a damaged one aside, and keeps what could not be
//! written until it can be.

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

/// What is to be known of the registry from outside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegistryStatus {
    /// Where it is.
    pub place: String,
    /// Why it cannot be relied on now; `None` where it can.
    pub lost: Option<String>,
    /// Whether it was looked at since the start.
    pub tried: bool,
    /// Runs that wait to be written.
    pub waiting: usize,
    /// How often a damaged place was set aside and begun again.
    pub mended: u64,
    /// What happened to it since the start, one sentence each: damage, a removed file.
    pub notices: Vec<String>,
}

/// The status, shared with those who look at it.
pub(super) type Shared = Arc<Mutex<RegistryStatus>>;

/// Most runs that wait to be written; then the oldest are given up.
const MOST_WAITING: usize = 10_000;
/// Most notices that are kept.
const MOST_NOTICES: usize = 16;
/// How long a place that could not be opened or written is left alone.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Upkeep {
    backend: RegistryBackend,
    thresholds: Thresholds,
    /// Whether this process is the one that may set a damaged file aside.
    mends: bool,
    store: Option<Store>,
    waiting: VecDeque<EndedRun>,
    /// Why the last write failed, and when.
    unwritten: Option<(StoreError, Instant)>,
    /// Why it could not be opened, and when.
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

    /// Opens the place, so that what is wrong with it is known before the first command.
    pub fn begin(&mut self, now: jiff::Timestamp) {
        let opened = self.try_writing(now);
        self.report(opened.err().map(|error| error.to_string()));
    }

    /// Open, and nothing waits to be written or tried again: a look-up only reads.
    pub fn at_rest(&self) -> bool {
        self.store.is_some() && self.unwritten.is_none() && self.waiting.is_empty()
    }

    /// What is known of a command. Never fails: where it cannot be known, the history says so.
    pub fn recall(&mut self, identity: &Identity, now: jiff::Timestamp) -> History {
        let writes = self.try_writing(now);
        let history = match self.with(now, |store| store.look(identity)) {
            Ok(known) => History {
                // What is read may be old where nothing can be written: the last run may have failed.
                lost: writes.as_ref().err().map(ToString::to_string),
                ..super::history(known, now, &self.thresholds)
            },
            Err(error) => History::lost(error.to_string()),
        };
        self.report(history.lost.clone());
        history
    }

    /// Counts a run, after those that wait.
    ///
    /// # Errors
    /// If it could not be written; it waits then.
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

    /// Does something with the open store; opens it first, and once more where it was lost meanwhile.
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
                    // Whether it can be written is found out at once.
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

    /// Whether it can be written, tried by writing what waits, or by tidying where nothing does.
    fn try_writing(&mut self, now: jiff::Timestamp) -> Result<(), StoreError> {
        // Opening it says that writing was not tried yet.
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

    /// Tells the outside; a change is said once in the log.
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
