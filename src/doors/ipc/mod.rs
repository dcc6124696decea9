//! A folder of requests, for agents in containers that reach nothing else on the host (feature P7). A file in
//! `requests` makes a request, and a file in `responses` answers it. The requester must take a missing answer for a
//! no.

mod message;

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::devices::exchange::inbox::{Inbox, Letter};
use crate::devices::filesystem::own::FileError;
use crate::doors::http::{AppState, JobOwner};
use crate::guard::{HookDecision, HookRules};

use message::{IpcAnswer, IpcRequest};

/// How often the folder is read without a notification.
const ROUND: Duration = Duration::from_secs(2);
/// How many answered requests are remembered, to answer none of them twice.
const REMEMBERED: usize = 10_000;

/// The door.
#[derive(Debug)]
pub struct IpcFolder {
    door: Arc<AppState>,
    inbox: Inbox,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Seen {
    /// Returns true if this id is new, and remembers it.
    fn first(&mut self, id: &str) -> bool {
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

impl IpcFolder {
    /// Opens the folder. Creates it and its two subfolders if they are missing.
    ///
    /// # Errors
    /// If one of these folders is a link, belongs to another user, or is writable by others.
    pub fn open(door: Arc<AppState>, path: &Path) -> Result<Arc<Self>, FileError> {
        let inbox = Inbox::open(path)?;
        Ok(Arc::new(Self { door, inbox, seen: Mutex::default() }))
    }

    /// The folder's path.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.inbox.path().to_owned()
    }

    /// Answers requests while the service runs.
    pub async fn serve(self: Arc<Self>) {
        loop {
            match self.inbox.letters() {
                Ok(letters) => letters.into_iter().for_each(|letter| Arc::clone(&self).take(letter)),
                Err(error) => tracing::error!(%error, "the folder of requests cannot be read"),
            }
            let _ = tokio::time::timeout(ROUND, self.inbox.changed()).await;
        }
    }

    /// Answers one request in a separate task.
    fn take(self: Arc<Self>, letter: Letter) {
        let tasks = self.door.jobs.tasks().clone();
        tasks.spawn(async move {
            let inner = Arc::clone(&self);
            let name = letter.name.clone();
            // In a separate task, even a panic leads to an answer.
            let answer = tokio::spawn(async move { inner.answer(letter).await }).await;
            let answer =
                answer.unwrap_or_else(|_| Some(IpcAnswer::deny(&name, "the guard failed at this request")));
            let Some(answer) = answer else { return };
            if let Err(error) = self.inbox.put(&answer.name(), answer.text().as_bytes()) {
                tracing::error!(%error, "an answer cannot be written; its asker must take that for a no");
            }
        });
    }

    /// `None` if the request has been answered already: the first answer counts.
    async fn answer(&self, letter: Letter) -> Option<IpcAnswer> {
        let Letter { name, text } = letter;
        let first = |id: &str| self.seen.lock().unwrap_or_else(PoisonError::into_inner).first(id);
        let asked = match &text {
            Ok(text) => IpcRequest::read(&name, text).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if !first(&name) || self.inbox.answered(&name) {
            tracing::warn!(request = name, "a request was sent twice; the first answer stands");
            return None;
        }
        let asked = match asked {
            Ok(asked) => asked,
            Err(why) => return Some(IpcAnswer::deny(&name, &why)),
        };
        let Ok(_place) = self.door.jobs.place(&JobOwner::Folder) else {
            return Some(IpcAnswer::deny(&name, "too many requests are under way; try again later"));
        };
        let caller = guarda_journal::Caller {
            door: "ipc".to_owned(),
            name: self.inbox.path().display().to_string(),
            container: None,
        };
        let withdraw = tokio_util::sync::CancellationToken::new();
        let permit = self.door.guard.permit(asked.request(), HookRules::default(), &caller, &withdraw).await;
        Some(match permit {
            Err(fault) => IpcAnswer::deny(&name, &fault.to_string()),
            Ok(permit) => {
                let decision = crate::doors::hook::decide::decision(&permit);
                match (&permit.decision, decision) {
                    (HookDecision::Granted, crate::doors::hook::Decision::Allow { reason }) => {
                        IpcAnswer::allow(&name, &reason)
                    }
                    (_, crate::doors::hook::Decision::Deny { reason }) => IpcAnswer::deny(&name, &reason),
                    (_, _) => IpcAnswer::deny(&name, "not done"),
                }
            }
        })
    }
}
