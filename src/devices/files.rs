//! Opening files by the path that was judged: no link is followed on the way, whoever may have put one there since.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, FileType, MemfdFlags, Mode, OFlags, ResolveFlags};

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To read it.
    Read,
    /// To empty or make it, and write.
    Write,
    /// To make it if need be, and write at its end.
    Append,
    /// To make it if need be, and read and write.
    ReadWrite,
}

/// Opens a file by its real path.
///
/// # Errors
/// One that [`is_link`] knows where a part of the path is a symbolic link (it was none when it was looked at);
/// `Unsupported` for named pipes and sockets, which could hold the guard up; otherwise as the operating system says.
pub fn open(real: &Path, purpose: Purpose) -> std::io::Result<OwnedFd> {
    let how = match purpose {
        Purpose::Read => OFlags::RDONLY,
        Purpose::Write => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
        Purpose::Append => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
        Purpose::ReadWrite => OFlags::RDWR | OFlags::CREATE,
    };
    let mode = if purpose == Purpose::Read { Mode::empty() } else { Mode::from_raw_mode(0o666) };
    // Non-blocking until it is known to be no named pipe: opening one would wait for its other end.
    let flags = how | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let fd =
        rustix::fs::openat2(CWD, real, flags, mode, ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS)?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode);
    match kind {
        FileType::RegularFile | FileType::CharacterDevice | FileType::BlockDevice | FileType::Directory => {}
        FileType::Fifo | FileType::Socket | FileType::Symlink | FileType::Unknown => {
            return Err(std::io::Error::from(std::io::ErrorKind::Unsupported));
        }
    }
    let set = rustix::fs::fcntl_getfl(&fd)?;
    rustix::fs::fcntl_setfl(&fd, set.difference(OFlags::NONBLOCK))?;
    Ok(fd)
}

/// True for the error that says that a link stands in the way.
#[must_use]
pub fn is_link(error: &std::io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

/// The system's words for an error, without Rust's number behind them: `No such file or directory`.
#[must_use]
pub fn words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// A file without a name that holds `text`, to be read from its beginning.
///
/// # Errors
/// If memory is short.
pub fn text(text: &str) -> std::io::Result<OwnedFd> {
    let fd = rustix::fs::memfd_create("text", MemfdFlags::CLOEXEC)?;
    let mut file = File::from(fd);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file.into())
}

/// What swallows everything and gives nothing.
///
/// # Errors
/// If there is no `/dev/null`.
pub fn nothing() -> std::io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    Ok(rustix::fs::open("/dev/null", flags, Mode::empty())?)
}
