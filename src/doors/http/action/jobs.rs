//! Running and recently ended actions. A retry gets the reply of the first attempt, and a caller that did not wait can
//! return for it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::task::TaskTracker;

use crate::doors::http::problem::Problem;
use crate::guard::RequestContext;

/// Who asks for a place, as far as the guard knows. No caller may take the places of the others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum JobOwner {
    /// The hook of an agent's client, or the shell in which its line runs: an agent waits for it.
    Hook,
    /// Everybody who holds the token.
    Token,
    /// The container of this name.
    Container(String),
    /// The programs that use the folder of requests.
    Folder,
}

/// A reserved place, free again when it is dropped.
pub(crate) type Place = OwnedSemaphorePermit;

/// How long an ended action is remembered.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// The most ended actions that are remembered.
const KEPT: usize = 512;

/// The response to an action, as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::doors::http) enum Finished {
    /// The reply, as JSON.
    Reply(Bytes),
    /// A problem instead of a reply.
    Problem(Problem),
}

/// How a caller waits for its action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::doors::http) enum WaitMode {
    /// It waits for the end. The action is withdrawn when its last waiting caller leaves.
    Wait,
    /// It will return for the outcome.
    ComeBack,
}

/// One running or ended action.
#[derive(Debug)]
pub(in crate::doors::http) struct Job {
    pub(in crate::doors::http) id: uuid::Uuid,
    owner: JobOwner,
    /// Cancelled when the last waiting caller leaves.
    pub(in crate::doors::http) context: RequestContext,
    born: Instant,
    key: Option<String>,
    waiting: AtomicUsize,
    landed: watch::Sender<Option<Finished>>,
}

/// A waiting caller's hold on an action. Dropping the last hold withdraws the action.
#[derive(Debug)]
pub(in crate::doors::http) struct JobGuard(Arc<Job>);

impl JobGuard {
    fn take(job: &Arc<Job>) -> Self {
        job.waiting.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(job))
    }

    /// The action.
    pub(in crate::doors::http) fn job(&self) -> &Arc<Job> {
        &self.0
    }
}

impl Drop for JobGuard {
    fn drop(&mut self) {
        if self.0.waiting.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.context.withdraw.cancel();
        }
    }
}

impl Job {
    /// The outcome, if the action has ended.
    pub(in crate::doors::http) fn landed(&self) -> Option<Finished> {
        self.landed.borrow().clone()
    }

    /// Waits for the end.
    pub(in crate::doors::http) async fn end(&self) -> Finished {
        let mut landed = self.landed.subscribe();
        let end = landed.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
        end.unwrap_or_else(|| Finished::Problem(Problem::internal("The action was lost; see the log")))
    }
}

/// The result of submitting an action.
#[derive(Debug)]
pub(in crate::doors::http) enum Submission {
    /// A new action, which the caller must start. The permit is held until the action ends.
    New(JobGuard, OwnedSemaphorePermit),
    /// An earlier request with the same key started this action.
    Known(JobGuard),
}

/// All running and recently ended actions, limited in number and age.
#[derive(Debug)]
pub struct Jobs {
    table: Mutex<Table>,
    /// The places of all but containers and the folder of requests.
    shared: Arc<Semaphore>,
    /// The places of hooks, a quarter of all. When they are taken, hooks take others.
    for_hooks: Arc<Semaphore>,
    /// The places of each container and of the folder, which are their own.
    apart: Mutex<HashMap<JobOwner, Arc<Semaphore>>>,
    /// How many places one of them has.
    share: usize,
    tasks: TaskTracker,
}

#[derive(Debug, Default)]
struct Table {
    by_id: HashMap<uuid::Uuid, Arc<Job>>,
    by_key: HashMap<String, ([u8; 32], uuid::Uuid)>,
    /// The ended actions, oldest first.
    ended: VecDeque<uuid::Uuid>,
}

impl Jobs {
    /// Allows at most `under_way` actions to run at a time.
    #[must_use]
    pub fn new(under_way: usize) -> Self {
        Self {
            table: Mutex::default(),
            shared: Arc::new(Semaphore::new(under_way - under_way / 4)),
            for_hooks: Arc::new(Semaphore::new(under_way / 4)),
            apart: Mutex::default(),
            share: (under_way / 4).max(1),
            tasks: TaskTracker::new(),
        }
    }

    /// The actions' tasks. A shutdown waits for all of them.
    #[must_use]
    pub fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }

    /// The number of running actions.
    pub(in crate::doors::http) fn under_way(&self) -> usize {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.by_id.len().saturating_sub(table.ended.len())
    }

    /// Submits a new action, or joins the action with the same key.
    pub(in crate::doors::http) fn submit(
        &self,
        owner: &JobOwner,
        key: Option<String>,
        digest: [u8; 32],
        wish: WaitMode,
    ) -> Result<Submission, Problem> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.forget();
        if let Some(key) = &key
            && let Some((known, id)) = table.by_key.get(key)
            && let Some(job) = table.by_id.get(id)
        {
            if *known != digest {
                return Err(Problem::key_reused(
                    "This Idempotency-Key was used with another body; a new request needs a new key",
                ));
            }
            return Ok(Submission::Known(job_guard(job, wish)));
        }
        let permit = self.place(owner)?;
        let job = Arc::new(Job {
            id: uuid::Uuid::now_v7(),
            owner: owner.clone(),
            context: RequestContext::default(),
            born: Instant::now(),
            key: key.clone(),
            waiting: AtomicUsize::new(0),
            landed: watch::Sender::new(None),
        });
        table.by_id.insert(job.id, Arc::clone(&job));
        if let Some(key) = key {
            table.by_key.insert(key, (digest, job.id));
        }
        Ok(Submission::New(job_guard(&job, wish), permit))
    }

    /// Reserves capacity for work whose caller does not return for an outcome.
    pub(crate) fn place(&self, owner: &JobOwner) -> Result<Place, Problem> {
        let shared = || Arc::clone(&self.shared).try_acquire_owned();
        let place = match owner {
            JobOwner::Token => shared(),
            JobOwner::Hook => Arc::clone(&self.for_hooks).try_acquire_owned().or_else(|_| shared()),
            JobOwner::Container(_) | JobOwner::Folder => {
                let mut apart = self.apart.lock().unwrap_or_else(PoisonError::into_inner);
                let own = apart.entry(owner.clone());
                let own = own.or_insert_with(|| Arc::new(Semaphore::new(self.share)));
                Arc::clone(own).try_acquire_owned()
            }
        };
        place.map_err(|_| {
            Problem::busy("Too many actions are under way (server.waiting_limit); try again later")
                .with(axum::http::header::RETRY_AFTER, "5")
        })
    }

    /// Cancels every running action.
    pub fn call_off(&self) {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        for job in table.by_id.values().filter(|job| job.landed.borrow().is_none()) {
            job.context.cancel.cancel();
        }
    }

    /// The action with this id, if it is this caller's. `None`: for a person, any.
    pub(in crate::doors::http) fn find(&self, owner: Option<&JobOwner>, id: uuid::Uuid) -> Option<Arc<Job>> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.forget();
        table.by_id.get(&id).filter(|job| owner.is_none_or(|owner| job.owner == *owner)).cloned()
    }

    /// Reports the outcome to all waiting callers. `again` means that the action can be retried unchanged, which
    /// releases its key.
    pub(in crate::doors::http) fn finish(&self, job: &Arc<Job>, end: Finished, again: bool) {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if again && let Some(key) = &job.key {
            table.by_key.remove(key);
        }
        table.ended.push_back(job.id);
        job.landed.send_replace(Some(end));
        table.forget();
    }
}

fn job_guard(job: &Arc<Job>, wish: WaitMode) -> JobGuard {
    if wish == WaitMode::ComeBack {
        // This hold is never dropped, so the action continues to its end.
        job.waiting.fetch_add(1, Ordering::SeqCst);
    }
    JobGuard::take(job)
}

impl Table {
    /// Forgets the oldest ended actions while there are too many or they are too old.
    fn forget(&mut self) {
        while let Some(id) = self.ended.front().copied() {
            let old = self.by_id.get(&id).is_none_or(|job| job.born.elapsed() > KEPT_FOR);
            if !old && self.ended.len() <= KEPT {
                return;
            }
            self.ended.pop_front();
            if let Some(job) = self.by_id.remove(&id)
                && let Some(key) = &job.key
                && self.by_key.get(key).is_some_and(|(_, holder)| *holder == id)
            {
                self.by_key.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: JobOwner = JobOwner::Token;

    #[test]
    fn nobody_takes_the_places_of_the_others() {
        let jobs = Jobs::new(8);
        let taken = |owner: &JobOwner| {
            let each: Vec<_> = (0..20).map_while(|_| jobs.place(owner).ok()).collect();
            (each.len(), each)
        };
        let container = |name: &str| JobOwner::Container(name.to_owned());
        let (one, _one) = taken(&container("one"));
        let (other, _other) = taken(&container("other"));
        let (folder, _folder) = taken(&JobOwner::Folder);
        let (programs, own) = taken(&TOKEN);
        let (hooks, _hooks) = taken(&JobOwner::Hook);
        assert_eq!((one, other, folder, programs, hooks), (2, 2, 2, 6, 2));
        drop(own);
        assert_eq!(taken(&JobOwner::Hook).0, 6, "hooks take what others leave");
    }

    #[test]
    fn an_action_is_its_own_callers() {
        let jobs = Jobs::new(9);
        let (own, _permit) = new(jobs.submit(&TOKEN, None, [1; 32], WaitMode::Wait));
        let id = own.job().id;
        assert!(jobs.find(Some(&TOKEN), id).is_some());
        assert!(jobs.find(Some(&JobOwner::Container("one".to_owned())), id).is_none());
    }

    fn key(name: &str) -> Option<String> {
        Some(name.to_owned())
    }

    fn reply(text: &'static str) -> Finished {
        Finished::Reply(Bytes::from_static(text.as_bytes()))
    }

    #[track_caller]
    fn new(boarding: Result<Submission, Problem>) -> (JobGuard, OwnedSemaphorePermit) {
        match boarding {
            Ok(Submission::New(job_guard, permit)) => (job_guard, permit),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn known(boarding: Result<Submission, Problem>) -> JobGuard {
        match boarding {
            Ok(Submission::Known(job_guard)) => job_guard,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn the_same_key_and_body_share_one_action() {
        let jobs = Jobs::new(9);
        let (first, _permit) = new(jobs.submit(&TOKEN, key("k"), [1; 32], WaitMode::Wait));
        let second = known(jobs.submit(&TOKEN, key("k"), [1; 32], WaitMode::Wait));
        assert_eq!(first.job().id, second.job().id);
        assert_eq!(jobs.submit(&TOKEN, key("k"), [2; 32], WaitMode::Wait).unwrap_err().status(), 422);
        jobs.finish(&Arc::clone(first.job()), reply("done"), false);
        assert_eq!(second.job().end().await, reply("done"));
        drop((first, second));
        let third = known(jobs.submit(&TOKEN, key("k"), [1; 32], WaitMode::Wait));
        assert_eq!(third.job().end().await, reply("done"));
        assert_ne!(new(jobs.submit(&TOKEN, None, [1; 32], WaitMode::Wait)).0.job().id, third.job().id);
    }

    #[test]
    fn an_action_is_withdrawn_when_the_last_one_leaves() {
        let jobs = Jobs::new(9);
        let (first, _permit) = new(jobs.submit(&TOKEN, key("k"), [1; 32], WaitMode::Wait));
        let second = known(jobs.submit(&TOKEN, key("k"), [1; 32], WaitMode::Wait));
        let withdraw = first.job().context.withdraw.clone();
        drop(first);
        assert!(!withdraw.is_cancelled());
        drop(second);
        assert!(withdraw.is_cancelled());
    }

    #[test]
    fn who_comes_back_does_not_withdraw_by_leaving() {
        let jobs = Jobs::new(9);
        let (first, _permit) = new(jobs.submit(&TOKEN, key("k"), [1; 32], WaitMode::ComeBack));
        let withdraw = first.job().context.withdraw.clone();
        let id = first.job().id;
        drop(first);
        drop(known(jobs.submit(&TOKEN, key("k"), [1; 32], WaitMode::Wait)));
        assert!(!withdraw.is_cancelled());
        assert!(jobs.find(Some(&TOKEN), id).unwrap().landed().is_none());
        assert_eq!(jobs.under_way(), 1);
    }

    #[test]
    fn too_many_are_told_to_come_back() {
        let jobs = Jobs::new(1);
        let (job_guard, permit) = new(jobs.submit(&TOKEN, None, [1; 32], WaitMode::Wait));
        assert_eq!(jobs.submit(&TOKEN, None, [1; 32], WaitMode::Wait).unwrap_err().status(), 503);
        jobs.finish(job_guard.job(), reply(""), false);
        drop((job_guard, permit));
        assert!(jobs.submit(&TOKEN, None, [1; 32], WaitMode::Wait).is_ok());
    }

    #[test]
    fn what_may_be_tried_again_frees_its_key() {
        let jobs = Jobs::new(9);
        let (job_guard, _permit) = new(jobs.submit(&TOKEN, key("k"), [1; 32], WaitMode::Wait));
        jobs.finish(job_guard.job(), Finished::Problem(Problem::closing("")), true);
        let _ = new(jobs.submit(&TOKEN, key("k"), [2; 32], WaitMode::Wait));
    }

    #[test]
    fn memory_is_bounded() {
        let jobs = Jobs::new(9);
        for number in 0..3 * KEPT {
            let (job_guard, _permit) =
                new(jobs.submit(&TOKEN, key(&number.to_string()), [1; 32], WaitMode::Wait));
            jobs.finish(job_guard.job(), reply(""), number % 3 == 0);
        }
        let table = jobs.table.lock().unwrap();
        assert!(table.by_id.len() <= KEPT && table.by_key.len() <= KEPT && table.ended.len() <= KEPT);
        drop(table);
        assert_eq!(jobs.under_way(), 0);
    }
}
