//! The way to the writer: through its queue, or past it where nothing waits and nothing has to be put on disk.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use super::trouble::RecordError;
use super::writer::{Message, Write, Writer};

/// Most lines that are written together.
const BATCH: usize = 512;
/// Lines for which nobody waited are on disk, and the heads signed, after this time.
const SLACK: Duration = Duration::from_secs(1);

/// Where lines are handed in; shared by all requests.
#[derive(Clone)]
pub(super) struct Queue {
    orders: Sender<Message>,
    shared: Arc<Shared>,
}

/// What the requests and the thread share.
struct Shared {
    /// `None` when the record is closed.
    writer: Mutex<Option<Writer>>,
    /// How many orders the thread has yet to do; one more while it is at work.
    waiting: AtomicUsize,
}

/// The thread's end of the queue.
pub(super) struct Orders {
    orders: Receiver<Message>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Queue").field("waiting", &self.shared.waiting).finish_non_exhaustive()
    }
}

/// How often a lock is tried for. Those who only add a line or look something up are done before that.
const TRIES: usize = 32;

/// The lock, where anyone who has it is done with it in some microseconds; `None` where that may be waiting for the disk, which
/// nothing that serves requests may do, or has ended by a panic.
pub(super) fn soon<T>(lock: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Ok(held) => return Some(held),
            Err(TryLockError::Poisoned(_)) => return None,
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

/// A queue before this writer, and the end of it that a thread is to keep.
pub(super) fn queue(writer: Writer) -> (Queue, Orders) {
    let (sender, receiver) = channel();
    let shared = Arc::new(Shared { writer: Mutex::new(Some(writer)), waiting: AtomicUsize::new(0) });
    (Queue { orders: sender, shared: Arc::clone(&shared) }, Orders { orders: receiver, shared })
}

impl Queue {
    /// Hands a line in. Where the thread has nothing to do, and the line only has to be in the file, it is written here and
    /// now: waking the thread would take longer, and a guard that is killed could leave the line in the queue.
    ///
    /// # Errors
    /// If the record is closed.
    pub fn write(&self, write: Write) -> Result<(), RecordError> {
        // What waits came first.
        if !write.durable
            && self.shared.waiting.load(Ordering::Acquire) == 0
            && let Some(mut writer) = soon(&self.shared.writer)
            && let Some(writer) = writer.as_mut().filter(|writer| writer.only_adds(&write.session))
        {
            writer.commit(vec![write]);
            return Ok(());
        }
        self.send(Message::Write(write))
    }

    /// Tells the thread something.
    ///
    /// # Errors
    /// If the record is closed.
    pub fn send(&self, message: Message) -> Result<(), RecordError> {
        self.shared.waiting.fetch_add(1, Ordering::AcqRel);
        self.orders.send(message).map_err(|_| RecordError::closed())
    }
}

impl Orders {
    /// Does what is handed in until it is told to stop or nobody can hand in anything any more, and closes the record.
    pub fn work(self) {
        let mut chores = Instant::now() + SLACK;
        let mut going = true;
        while going {
            let first = self.orders.recv_timeout(chores.saturating_duration_since(Instant::now()));
            self.shared.waiting.fetch_add(1, Ordering::AcqRel);
            // A writer that panicked left nobody knows what: nothing is written any more.
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
