//! The thread that writes. What waits is written together, and one `fdatasync` serves all of it.

use std::collections::HashMap;
use std::fs::File;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::folder::{Folder, session_of};
use super::ledger::{Entry, Ledger, Written};
use super::line::{Event, Facts};
use super::trouble::RecordError;

/// What the thread is told.
#[derive(Debug)]
pub(super) enum Message {
    /// Add a line.
    Write(Write),
    /// Write what waits and end.
    Stop,
}

/// A line to be written.
#[derive(Debug)]
pub(super) struct Write {
    pub session: String,
    pub event: Event,
    /// The request's number; `None` for the next free one.
    pub sequence: Option<u64>,
    /// A JSON object.
    pub facts: String,
    /// The answer waits until the line is on disk.
    pub durable: bool,
    /// Who wants to know.
    pub reply: Option<oneshot::Sender<Result<Written, RecordError>>>,
}

/// The trouble the journal is in, seen from outside.
pub(super) type Health = Arc<Mutex<Option<RecordError>>>;

/// Most lines that are written together.
const BATCH: usize = 512;
/// Lines for which nobody waited are on disk after this time.
const SLACK: Duration = Duration::from_secs(1);

pub(super) struct Writer {
    folder: Folder,
    ledgers: HashMap<String, Ledger>,
    health: Health,
    _lock: File,
}

impl Writer {
    /// Opens the folder and closes as unknown what a crash left open.
    pub fn open(folder: Folder, health: Health) -> Result<Self, RecordError> {
        let lock = folder.lock()?;
        let mut writer = Self { folder, ledgers: HashMap::new(), health, _lock: lock };
        let names = writer.folder.names()?;
        for session in names.iter().filter_map(|name| session_of(name)) {
            let mut ledger = Ledger::open(&writer.folder, session)?;
            for (number, facts) in ledger.open_intents() {
                let facts = ended(&facts, "unknown");
                let entry = Entry { event: Event::Recovered, sequence: Some(number), facts: &facts };
                ledger.append(&writer.folder, &[entry])?;
            }
            ledger.sync(&writer.folder)?;
            writer.ledgers.insert(session.to_owned(), ledger);
        }
        Ok(writer)
    }

    /// Writes until it is told to stop or nobody can tell it anything any more.
    pub fn run(mut self, inbox: &Receiver<Message>) {
        let mut chores = Instant::now() + SLACK;
        let mut going = true;
        while going {
            let mut batch = Vec::new();
            match inbox.recv_timeout(chores.saturating_duration_since(Instant::now())) {
                Ok(first) => {
                    let more = std::iter::from_fn(|| inbox.try_recv().ok());
                    for message in std::iter::once(first).chain(more.take(BATCH)) {
                        match message {
                            Message::Write(write) => batch.push(write),
                            Message::Stop => going = false,
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => going = false,
            }
            self.commit(batch);
            if !going || Instant::now() >= chores {
                self.sync_all();
                chores = Instant::now() + SLACK;
            }
        }
    }

    /// Writes a batch, file by file.
    fn commit(&mut self, batch: Vec<Write>) {
        let mut sessions: Vec<(String, Vec<Write>)> = Vec::new();
        for write in batch {
            match sessions.iter_mut().find(|(session, _)| *session == write.session) {
                Some((_, writes)) => writes.push(write),
                None => sessions.push((write.session.clone(), vec![write])),
            }
        }
        for (session, writes) in sessions {
            self.commit_session(&session, writes);
        }
    }

    fn commit_session(&mut self, session: &str, writes: Vec<Write>) {
        let durable = writes.iter().any(|write| write.durable);
        let entries: Vec<Entry<'_>> = writes
            .iter()
            .map(|write| Entry { event: write.event, sequence: write.sequence, facts: &write.facts })
            .collect();
        let result = self.ledger(session).and_then(|(folder, ledger)| {
            let written = ledger.append(folder, &entries)?;
            if durable {
                ledger.sync(folder)?;
            }
            Ok(written)
        });
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = result.as_ref().err().cloned();
        match result {
            Ok(written) => {
                for (write, written) in writes.into_iter().zip(written) {
                    self.answer(write, written);
                }
            }
            Err(error) => {
                for reply in writes.into_iter().filter_map(|write| write.reply) {
                    // Whoever asked may have gone away; there is nobody left to tell.
                    let _ = reply.send(Err(error.clone()));
                }
            }
        }
    }

    /// Says that a line is written. If nobody waits for an intent any more, it is closed: nothing will be done.
    fn answer(&mut self, write: Write, written: Written) {
        let Some(reply) = write.reply else { return };
        if reply.send(Ok(written)).is_err() && write.event == Event::Intent {
            let facts = ended(&write.facts, "not_begun");
            let entry = Entry { event: Event::Outcome, sequence: Some(written.sequence), facts: &facts };
            let result =
                self.ledger(&write.session).and_then(|(folder, ledger)| ledger.append(folder, &[entry]));
            if let Err(error) = result {
                tracing::warn!(%error, "an intent that nobody waits for could not be closed");
            }
        }
    }

    fn ledger(&mut self, session: &str) -> Result<(&Folder, &mut Ledger), RecordError> {
        if !self.ledgers.contains_key(session) {
            let ledger = Ledger::open(&self.folder, session)?;
            self.ledgers.insert(session.to_owned(), ledger);
        }
        let ledger = self.ledgers.get_mut(session).ok_or_else(RecordError::closed)?;
        Ok((&self.folder, ledger))
    }

    fn sync_all(&mut self) {
        for ledger in self.ledgers.values_mut() {
            if let Err(error) = ledger.sync(&self.folder) {
                *self.health.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        }
    }
}

/// The facts of an intent as those of its end: an error of this name.
fn ended(facts: &str, error: &str) -> String {
    let mut facts: Facts = serde_json::from_str(facts).unwrap_or_default();
    facts.status = Some("error".to_owned());
    facts.error = Some(error.to_owned());
    serde_json::to_string(&facts).unwrap_or_else(|_| "{}".to_owned())
}
