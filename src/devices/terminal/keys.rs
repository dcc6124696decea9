//! The bytes that count as keys.

use std::fs::File;
use std::io::Read as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use crate::devices::Key;
use crate::devices::fault::DeviceFault;

/// The quiet before and after a byte that makes it a single key press.
pub(super) const LONE: Duration = Duration::from_millis(50);
/// How often the remaining time is updated.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// Finds bytes that came alone, after the quiet that arms the question.
pub(super) struct LoneBytes {
    arming_delay: Duration,
    pub(super) quiet_since: Instant,
}

impl LoneBytes {
    pub(super) fn new(arming_delay: Duration) -> Self {
        Self { arming_delay, quiet_since: Instant::now() }
    }

    /// Waits a tick for a key that counts.
    pub(super) fn next(&mut self, file: &File) -> Result<Option<Key>, DeviceFault> {
        let Some(first) = self.burst(file, TICK)? else {
            return Ok(None);
        };
        let quiet = self.quiet_since.elapsed();
        self.quiet_since = Instant::now();
        let mut alone = first.len() == 1;
        while self.burst(file, LONE)?.is_some() {
            alone = false;
            self.quiet_since = Instant::now();
        }
        let byte = first.first().copied().filter(|_| alone);
        if byte == Some(3) {
            return Ok(Some(Key::Interrupt));
        }
        if quiet < self.arming_delay.max(LONE) {
            return Ok(None);
        }
        Ok(byte.and_then(|byte| match byte {
            0x1b => Some(Key::Escape),
            b' '..=b'~' => Some(Key::Letter(char::from(byte).to_ascii_lowercase())),
            _ => None,
        }))
    }

    /// The bytes that arrive within this time.
    pub(super) fn burst(&self, file: &File, within: Duration) -> Result<Option<Vec<u8>>, DeviceFault> {
        let timeout = rustix::time::Timespec { tv_sec: 0, tv_nsec: i64::from(within.subsec_nanos()) };
        let mut fds = [PollFd::new(file, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(lost(error.into())),
        }
        let mut bytes = [0; 256];
        let mut input = file;
        match input.read(&mut bytes) {
            Ok(0) => Err(DeviceFault::failed("the terminal was closed")),
            Ok(count) => Ok(Some(bytes.get(..count).unwrap_or_default().to_vec())),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(lost(error)),
        }
    }
}

/// The terminal was closed, or the connection to it ended.
pub(super) fn lost(error: std::io::Error) -> DeviceFault {
    DeviceFault::failed(format!("the terminal has gone: {error}"))
}
