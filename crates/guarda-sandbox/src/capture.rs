//! Reads a program's output up to a limit: keeps the beginning and the end, and counts the middle.

use std::collections::VecDeque;
use std::io::PipeReader;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt as _;

/// The output of one stream, up to a limit.
#[derive(Debug)]
pub struct CapturedOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl CapturedOutput {
    /// Keeps at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: limit / 2, total: 0 }
    }

    /// Adds bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = self.half.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(self.half)..).unwrap_or_default();
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..surplus.min(self.tail.len()));
        self.tail.extend(rest);
    }

    /// The total number of bytes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The kept bytes, with a line that says how much was left out. Never longer than the whole output.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        let kept = (self.head.len() + self.tail.len()) as u64;
        if self.total <= kept {
            self.head.extend(self.tail);
            return self.head;
        }
        // The line replaces at least as many kept bytes, so the result is never longer than the whole output.
        let gap = self.total - kept;
        let room = mark(u64::MAX).len().min(self.tail.len());
        self.tail.drain(..room);
        self.head.extend_from_slice(mark(gap + room as u64).as_bytes());
        self.head.extend(self.tail);
        self.head
    }
}

fn mark(bytes: u64) -> String {
    format!("\n[… {bytes} bytes left out …]\n")
}

/// A live copy of a program's output.
#[derive(Debug, Clone)]
pub struct Tap {
    to: tokio::sync::mpsc::Sender<(Stream, Vec<u8>)>,
}

/// One of a program's two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl Tap {
    /// A tap and its receiver. If the receiver is full, the program waits.
    #[must_use]
    pub fn new() -> (Self, tokio::sync::mpsc::Receiver<(Stream, Vec<u8>)>) {
        let (to, from) = tokio::sync::mpsc::channel(16);
        (Self { to }, from)
    }

    /// Passes bytes on. Without a receiver they are still kept.
    pub async fn pass(&self, stream: Stream, bytes: &[u8]) {
        let _ = self.to.send((stream, bytes.to_vec())).await;
    }
}

/// The number of bytes that a command has written so far, for progress.
#[derive(Debug, Default)]
pub struct Volume {
    /// To standard output.
    pub stdout: Arc<AtomicU64>,
    /// To standard error.
    pub stderr: Arc<AtomicU64>,
}

/// A stream that is read in the background.
#[derive(Debug)]
pub struct Capture {
    kept: Arc<Mutex<CapturedOutput>>,
    reading: Option<tokio::task::JoinHandle<()>>,
    /// Ends the live copy.
    leave: Option<tokio::sync::oneshot::Sender<()>>,
}

impl Capture {
    /// Begins to read `pipe` until its end, keeping at most `limit` bytes. Each read is added to `count` and copied to
    /// `tap`.
    ///
    /// # Errors
    /// If the pipe cannot be watched.
    pub fn begin(
        pipe: PipeReader,
        limit: usize,
        count: Arc<AtomicU64>,
        tap: Option<(Stream, Tap)>,
    ) -> std::io::Result<Self> {
        let pipe = std::os::fd::OwnedFd::from(pipe);
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let mut pipe = tokio::net::unix::pipe::Receiver::from_owned_fd(pipe)?;
        let kept = Arc::new(Mutex::new(CapturedOutput::new(limit)));
        let shared = Arc::clone(&kept);
        let mut tap = tap;
        let (leave, mut left) = tokio::sync::oneshot::channel();
        let reading = tokio::spawn(async move {
            let mut buffer = vec![0; 64 * 1024];
            loop {
                let read = tokio::select! {
                    read = pipe.read(&mut buffer) => read,
                    _ = &mut left, if tap.is_some() => {
                        tap = None;
                        continue;
                    }
                };
                let Ok(read) = read else { break };
                let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
                    break;
                };
                count.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                shared.lock().unwrap_or_else(PoisonError::into_inner).take(bytes);
                if let Some((stream, tap)) = &tap {
                    tap.pass(*stream, bytes).await;
                }
            }
        });
        Ok(Self { kept, reading: Some(reading), leave: Some(leave) })
    }

    /// The bytes read after this time. What comes later is read and dropped, so that programs which run on can write.
    pub async fn leave(mut self, after: std::time::Duration) -> CapturedOutput {
        self.wait(after).await;
        // Its copy may have ended already.
        let _ = self.leave.take().map(|leave| leave.send(()));
        self.reading = None;
        self.take()
    }

    /// The bytes read. Waits at most `patience` for the end of the stream: a surviving process may hold it
    /// open for ever.
    pub async fn end(mut self, patience: std::time::Duration) -> CapturedOutput {
        self.wait(patience).await;
        self.reading.take().inspect(tokio::task::JoinHandle::abort);
        self.take()
    }

    async fn wait(&mut self, patience: std::time::Duration) {
        if let Some(reading) = &mut self.reading {
            let _ = tokio::time::timeout(patience, reading).await;
        }
    }

    fn take(&self) -> CapturedOutput {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *kept, CapturedOutput::new(0))
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.reading.take().inspect(tokio::task::JoinHandle::abort);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut kept = CapturedOutput::new(200);
        kept.take(b"first line\n");
        kept.take(&[b'x'; 5000]);
        kept.take(b"\nlast line");
        let bytes = kept.into_bytes();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with("first line\n"), "{text}");
        assert!(text.ends_with("\nlast line"), "{text}");
        assert!(text.contains("bytes left out"), "{text}");
        assert!(text.len() < 300);
    }

    proptest! {
        #[test]
        fn what_fits_is_kept_whole_and_the_rest_is_bounded(
            chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 0..20),
            limit in 0..2000_usize,
        ) {
            let mut kept = CapturedOutput::new(limit);
            let all: Vec<u8> = chunks.concat();
            for chunk in &chunks {
                kept.take(chunk);
            }
            prop_assert_eq!(kept.total(), all.len() as u64);
            let bytes = kept.into_bytes();
            if all.len() <= (limit / 2) * 2 {
                prop_assert_eq!(bytes, all);
            } else {
                prop_assert!(bytes.len() <= limit + mark(u64::MAX).len());
            }
        }
    }
}
