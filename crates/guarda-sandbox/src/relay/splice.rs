//! Moves bytes between connections through a pipe, splice(2): the kernel passes pages on without copying.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The most pipes at once. Each takes two descriptors and up to [`SIZE`] of kernel memory.
const MOST: usize = 32;
/// The size of a pipe in bytes, which every user may set (`/proc/sys/fs/pipe-max-size`).
const SIZE: usize = 1 << 20;

static PIPES: Semaphore = Semaphore::const_new(MOST);

/// A pipe that counts towards [`MOST`].
pub(super) struct Pipe {
    out: OwnedFd,
    into: OwnedFd,
    size: usize,
    _place: SemaphorePermit<'static>,
}

impl Pipe {
    /// A pipe; `None` if there are too many or the kernel provides none.
    pub(super) fn new() -> Option<Self> {
        let place = PIPES.try_acquire().ok()?;
        let (out, into) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).ok()?;
        // A user with too many large pipes gets the default size.
        let size = fcntl_setpipe_size(&into, SIZE).unwrap_or(1 << 16);
        Some(Self { out, into, size, _place: place })
    }

    /// Forwards everything until the end of `from`.
    pub(super) async fn pass(&self, from: &TcpStream, to: &TcpStream, count: &AtomicU64) -> io::Result<()> {
        let flags = SpliceFlags::MOVE | SpliceFlags::NONBLOCK;
        loop {
            // The pipe is empty, so only the connection can have data.
            let take = || Ok(splice(from, None, &self.into, None, self.size, flags)?);
            let mut left = from.async_io(Interest::READABLE, take).await?;
            if left == 0 {
                return Ok(());
            }
            while left > 0 {
                let give = || Ok(splice(&self.out, None, to, None, left, flags)?);
                let given = to.async_io(Interest::WRITABLE, give).await?;
                if given == 0 {
                    return Err(io::ErrorKind::WriteZero.into());
                }
                left = left.saturating_sub(given);
                count.fetch_add(given as u64, Ordering::Relaxed);
            }
        }
    }
}
