//! The registry as the guard uses it: look-ups that never fail, and runs that are counted. One thread owns the store,
//! so that a slow disk or a remote server delays nothing else.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use guarda_core::policy::History;
use guarda_core::policy::history::Override;

use super::backend::RegistryBackend;
use super::driver::StoreError;
use super::evolve::{PolicyChange, Thresholds};
use super::identity::Identity;
use super::rows::{Row, RowQuery, Totals};
use super::run::EndedRun;
use super::store::Store;
use super::token::OneTimeTokens;
use super::upkeep::{RegistryStatus, Shared, Upkeep, lock};

type Job = Box<dyn FnOnce(&mut Upkeep) + Send>;

/// The registry; shared by all requests.
#[derive(Debug)]
pub struct Registry {
    desk: Option<SyncSender<Job>>,
    thread: Option<std::thread::JoinHandle<()>>,
    status: Shared,
    thresholds: Thresholds,
    /// Permissions for one run.
    tokens: OneTimeTokens,
    /// The store itself, if a look-up in it never waits: then the request reads it directly.
    near: Option<Arc<Mutex<Upkeep>>>,
}

/// The greatest number of jobs that wait for the thread; further callers see the registry as lost.
const MOST_JOBS: usize = 1024;
/// How long a look-up may take before the command is judged without it.
const PATIENCE: Duration = Duration::from_secs(3);

impl Registry {
    /// Starts the thread. A faulty store is not an error here: every command then requires a question, and
    /// [`Registry::status`] says why. `mends`: whether this process may rename a damaged file; only one process may.
    #[must_use]
    pub fn start(backend: RegistryBackend, thresholds: Thresholds, mends: bool) -> Self {
        let (desk, jobs) = sync_channel(MOST_JOBS);
        let status = Shared::default();
        let near = backend.is_near();
        let upkeep = Upkeep::new(backend, thresholds.clone(), mends, Shared::clone(&status));
        let upkeep = Arc::new(Mutex::new(upkeep));
        let near = near.then(|| Arc::clone(&upkeep));
        let thread =
            std::thread::Builder::new().name("registry".to_owned()).spawn(move || work(&upkeep, &jobs));
        if let Err(error) = &thread {
            lock(&status).lost = Some(error.to_string());
        }
        Self {
            desk: Some(desk),
            thread: thread.ok(),
            status,
            thresholds,
            tokens: OneTimeTokens::default(),
            near,
        }
    }

    /// The history of a command, for the judge. If the registry is unavailable, the history says so.
    pub async fn recall(&self, identity: &Identity, now: jiff::Timestamp) -> History {
        // If the thread is busy or something is wrong, the thread does the look-up, so that no disk delays
        // the requests.
        if let Some(mut upkeep) = self.near.as_ref().and_then(|near| guarda_journal::lock_briefly(near))
            && upkeep.at_rest()
        {
            return upkeep.recall(identity, now);
        }
        let identity = identity.clone();
        let asked = self.ask(move |upkeep| upkeep.recall(&identity, now));
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(history)) => history,
            Ok(Err(error)) => self.lost(&error.to_string()),
            Err(_) => self.lost("it did not answer in time"),
        }
    }

    /// Counts a run. After `Ok`, the run is on disk.
    ///
    /// # Errors
    /// [`StoreError`]: it is not counted yet, but will be once the store can be written again.
    pub async fn note(&self, run: EndedRun) -> Result<PolicyChange, StoreError> {
        let at = run.at;
        self.ask(move |upkeep| upkeep.note(run, at)).await?
    }

    /// Sets or removes a person's override for a command.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was stored.
    pub async fn say(
        &self,
        identity: &Identity,
        word: Option<Override>,
        now: jiff::Timestamp,
    ) -> Result<(), StoreError> {
        let identity = identity.clone();
        self.with(now, move |store| store.say(&identity, word.as_ref(), now)).await
    }

    /// Rows for display.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn list(&self, wanted: RowQuery, now: jiff::Timestamp) -> Result<Vec<Row>, StoreError> {
        self.with(now, move |store| store.list(&wanted)).await
    }

    /// Totals over everything.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn totals(&self, now: jiff::Timestamp) -> Result<Totals, StoreError> {
        self.with(now, |store| store.totals()).await
    }

    /// Runs a job on the store's thread. It may run twice, if the store was lost in between.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn with<T: Send + 'static>(
        &self,
        now: jiff::Timestamp,
        work: impl Fn(&mut Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(move |upkeep| upkeep.with(now, work)).await?
    }

    /// The current state.
    #[must_use]
    pub fn status(&self) -> RegistryStatus {
        lock(&self.status).clone()
    }

    /// The one-time tokens.
    #[must_use]
    pub fn tokens(&self) -> &OneTimeTokens {
        &self.tokens
    }

    /// The thresholds in force.
    #[must_use]
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// Ends the thread after its queued jobs, and waits for it: not for an async thread.
    pub fn close(mut self) {
        self.desk = None;
        if let Some(thread) = self.thread.take() {
            // The waiting callers have already been told of a panic there.
            let _ = thread.join();
        }
    }

    async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Upkeep) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |upkeep| {
            // The caller may have given up.
            let _ = reply.send(job(upkeep));
        });
        let ended = || StoreError::Unreachable("its thread has ended; restart guarda".to_owned());
        match self.desk.as_ref().map(|desk| desk.try_send(job)) {
            Some(Ok(())) => answer.await.map_err(|_| ended()),
            Some(Err(TrySendError::Full(_))) => {
                Err(StoreError::Unreachable("too much waits for it".to_owned()))
            }
            Some(Err(TrySendError::Disconnected(_))) | None => Err(ended()),
        }
    }

    fn lost(&self, why: &str) -> History {
        let mut status = lock(&self.status);
        if status.lost.is_none() {
            tracing::warn!(place = status.place, why, "the registry is lost: every command is asked");
            status.lost = Some(why.to_owned());
        }
        History::lost(why)
    }
}

fn work(upkeep: &Mutex<Upkeep>, jobs: &Receiver<Job>) {
    upkeep.lock().unwrap_or_else(PoisonError::into_inner).begin(jiff::Timestamp::now());
    while let Ok(job) = jobs.recv() {
        job(&mut upkeep.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests;
