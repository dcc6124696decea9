//! The way to the writer: through its queue, or past it if nothing waits and no fsync is needed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use super::writer::{Write, Writer, WriterOrder};
use crate::trouble::RecordError;

/// The highest number of lines that are written together.
const BATCH: usize = 512;
/// The time after which unsynced lines are on disk and the heads are signed.
const SLACK: Duration = Duration::from_secs(1);

/// Accepts lines; shared by all requests.
#[derive(Clone)]
pub(crate) struct Queue {
    orders: Sender<WriterOrder>,
    shared: Arc<Shared>,
}

/// What the requests and the thread share.
struct Shared {
    /// `None` once the record is closed.
    writer: Mutex<Option<Writer>>,
    /// The number of orders that the thread has yet to do, plus one while it is working.
    waiting: AtomicUsize,
}

/// The thread's end of the queue.
pub(crate) struct Orders {
    orders: Receiver<WriterOrder>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Queue").field("waiting", &self.shared.waiting).finish_non_exhaustive()
    }
}

/// How often a lock is tried. Holders that only add a line or look something up release it sooner.
const TRIES: usize = 32;

/// Tries to take a lock that is usually held for microseconds. `None` if the holder may be waiting for the
/// disk, which no request may do, or has panicked.
pub fn lock_briefly<T>(lock: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Ok(held) => return Some(held),
            Err(TryLockError::Poisoned(_)) => return None,
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

/// Creates a queue for this writer, and the end that its thread keeps.
pub(crate) fn queue(writer: Writer) -> (Queue, Orders) {
    let (sender, receiver) = channel();
    let shared = Arc::new(Shared { writer: Mutex::new(Some(writer)), waiting: AtomicUsize::new(0) });
    (Queue { orders: sender, shared: Arc::clone(&shared) }, Orders { orders: receiver, shared })
}

impl Queue {
    /// Accepts a line. If the thread is idle and no fsync is needed, the calling request appends the line itself:
    /// waking the thread would take longer, and a killed guard could lose the line in the queue.
    ///
    /// # Errors
    /// If the record is closed.
    pub fn write(&self, write: Write) -> Result<(), RecordError> {
        // Lines that wait go first.
        if !write.durable
            && self.shared.waiting.load(Ordering::Acquire) == 0
            && let Some(mut writer) = lock_briefly(&self.shared.writer)
            && let Some(writer) = writer.as_mut().filter(|writer| writer.only_adds(&write.session))
        {
            writer.commit(vec![write]);
            return Ok(());
        }
        self.send(WriterOrder::Write(write))
    }

    /// Sends an order to the thread.
    ///
    /// # Errors
    /// If the record is closed.
    pub fn send(&self, message: WriterOrder) -> Result<(), RecordError> {
        self.shared.waiting.fetch_add(1, Ordering::AcqRel);
        self.orders.send(message).map_err(|_| RecordError::closed())
    }
}

impl Orders {
    /// Carries out orders until it is told to stop or the last sender is gone, and closes the record.
    pub fn work(self) {
        let mut chores = Instant::now() + SLACK;
        let mut going = true;
        while going {
            let first = self.orders.recv_timeout(chores.saturating_duration_since(Instant::now()));
            self.shared.waiting.fetch_add(1, Ordering::AcqRel);
            // A writer that panicked left an unknown state: nothing more is written.
            let Ok(mut held) = self.shared.writer.lock() else { return };
            let Some(writer) = held.as_mut() else { return };
            let mut batch = Vec::new();
            let mut taken = 0;
            match first {
                Ok(first) => {
                    let more = std::iter::from_fn(|| self.orders.try_recv().ok());
                    for message in std::iter::once(first).chain(more.take(BATCH)) {
                        taken += 1;
                        going &= writer.take(message, &mut batch);
                    }
                    writer.commit(batch);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => going = false,
            }
            if Instant::now() >= chores {
                writer.chores();
                chores = Instant::now() + SLACK;
            }
            drop(held);
            self.shared.waiting.fetch_sub(1 + taken, Ordering::AcqRel);
        }
        let writer = self.shared.writer.lock().ok().and_then(|mut writer| writer.take());
        if let Some(writer) = writer {
            writer.close();
        }
    }
}
