//! Writes the lines. Waiting lines are written together, and one `fdatasync` serves all of them.

use tokio::sync::oneshot;

use super::log_file::{LogEntry, Written};
use super::segment_store::SegmentStore;
use crate::line::{RecordEvent, ended};
use crate::trouble::{RecordError, RecordHealth};

/// An order to the writer.
#[derive(Debug)]
pub(crate) enum WriterOrder {
    /// Add a line.
    Write(Write),
    /// Report whether lines of this session can be written; after a failure, try again.
    Ready(String, oneshot::Sender<Result<(), RecordError>>),
    /// Archive the files and begin new ones.
    Turn(oneshot::Sender<Result<(), RecordError>>),
    /// Write waiting lines and end.
    Stop,
}

/// A line to be written.
#[derive(Debug)]
pub(crate) struct Write {
    pub session: String,
    pub event: RecordEvent,
    /// The request's number; `None`: the next free one.
    pub sequence: Option<u64>,
    /// A JSON object.
    pub facts: String,
    /// Whether the reply waits until the line is on disk.
    pub durable: bool,
    /// Who receives the result.
    pub reply: Option<oneshot::Sender<Result<Written, RecordError>>>,
}

/// The highest number of outcomes that are kept while the record cannot be written.
const LATE: usize = 4096;

/// Takes lines from many requests and writes them in batches.
pub(crate) struct Writer {
    segment_store: SegmentStore,
    health: RecordHealth,
    /// Outcomes of deeds that ended while the record could not be written; written as soon as it can be.
    late: Vec<Write>,
}

impl Writer {
    pub fn new(segment_store: SegmentStore, health: RecordHealth) -> Self {
        Self { segment_store, health, late: Vec::new() }
    }

    /// Syncs everything and closes the record.
    pub fn close(mut self) {
        self.chores();
        if let Err(error) = self.segment_store.close() {
            tracing::error!(%error, "the record could not be closed in good order");
        }
    }

    /// Whether a line of this session only needs to be appended: no file must be opened, begun or repaired for it,
    /// which would wait for the disk.
    pub fn only_adds(&self, session: &str) -> bool {
        self.health.is_good() && self.segment_store.is_open(session)
    }

    /// Carries out an order. Lines are added to the batch instead. Returns false for the last order.
    pub fn take(&mut self, message: WriterOrder, batch: &mut Vec<Write>) -> bool {
        // The requester may be gone.
        match message {
            WriterOrder::Write(write) => batch.push(write),
            WriterOrder::Ready(session, reply) => {
                let _ = reply.send(self.ready(&session));
            }
            WriterOrder::Turn(reply) => {
                self.commit(std::mem::take(batch));
                let _ = reply.send(self.segment_store.turn_all());
            }
            WriterOrder::Stop => return false,
        }
        true
    }

    /// Writes a batch, file by file.
    pub fn commit(&mut self, batch: Vec<Write>) {
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
        match self.segment_store.append(session, &entries(&writes), durable) {
            Ok(written) => {
                for (write, written) in writes.into_iter().zip(written) {
                    self.answer(write, written);
                }
            }
            Err(error) => {
                self.health.fail(session, &error);
                for mut write in writes {
                    if let Some(reply) = write.reply.take() {
                        let _ = reply.send(Err(error.clone()));
                    }
                    if write.event == RecordEvent::Outcome && self.late.len() < LATE {
                        self.late.push(write);
                    }
                }
            }
        }
    }

    /// Reports that a line is written. An intent whose requester is gone is closed: nothing will run.
    fn answer(&mut self, write: Write, written: Written) {
        let Some(reply) = write.reply else { return };
        if reply.send(Ok(written)).is_err() && write.event == RecordEvent::Intent {
            let facts = ended(&write.facts, "not_begun");
            let entry =
                LogEntry { event: RecordEvent::Outcome, sequence: Some(written.sequence), facts: &facts };
            if let Err(error) = self.segment_store.append(&write.session, &[entry], false) {
                tracing::warn!(%error, "an intent that nobody waits for could not be closed");
            }
        }
    }

    /// Whether lines of a session can be written. Without a failure, nothing is tried.
    fn ready(&mut self, session: &str) -> Result<(), RecordError> {
        if self.health.is_good() {
            return Ok(());
        }
        self.recover();
        match self.health.of(session) {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }

    /// Periodic work: syncs everything and signs the checkpoints; after a failure, tries again.
    pub fn chores(&mut self) {
        if !self.health.is_good() {
            self.recover();
        }
        if self.health.is_good()
            && let Err(error) = self.segment_store.chores()
        {
            self.health.fail("", &error);
        }
    }

    /// Tries to write again, and notes in each session how long the record could not be written.
    fn recover(&mut self) {
        if let Err(error) = self.segment_store.try_again() {
            self.health.fail("", &error);
            return;
        }
        self.health.mend("");
        for (session, gap) in self.health.gaps() {
            let gap = serde_json::to_string(&gap).unwrap_or_else(|_| "{}".to_owned());
            let mine = |write: &Write| write.session == session;
            let late: Vec<Write> = self.late.extract_if(.., |write| mine(write)).collect();
            let note = LogEntry { event: RecordEvent::Recovered, sequence: Some(0), facts: &gap };
            let lines: Vec<LogEntry<'_>> = std::iter::once(note).chain(entries(&late)).collect();
            match self.segment_store.append(&session, &lines, true) {
                Ok(_) => self.health.mend(&session),
                Err(error) => {
                    self.health.fail(&session, &error);
                    self.late.extend(late);
                }
            }
        }
    }
}

fn entries(writes: &[Write]) -> Vec<LogEntry<'_>> {
    fn entry(write: &Write) -> LogEntry<'_> {
        LogEntry { event: write.event, sequence: write.sequence, facts: &write.facts }
    }
    writes.iter().map(entry).collect()
}
