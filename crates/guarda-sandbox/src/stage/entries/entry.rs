//! The entry at a name in an open folder, identified by inode and time of birth.

use std::ffi::OsStr;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, FileType, Statx, StatxFlags, StatxTimestamp};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use guarda_core::effects::{Entry, EntryKind};

/// A time as file systems keep it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(in crate::stage) struct Time {
    pub(in crate::stage) seconds: i64,
    pub(in crate::stage) nanos: u32,
}

impl From<StatxTimestamp> for Time {
    fn from(time: StatxTimestamp) -> Self {
        Self { seconds: time.tv_sec, nanos: time.tv_nsec }
    }
}

impl From<Time> for rustix::fs::Timespec {
    fn from(time: Time) -> Self {
        Self { tv_sec: time.seconds, tv_nsec: time.nanos.into() }
    }
}

/// The identity of a file, independent of its name. The time of birth distinguishes a file from an older one with the same
/// inode number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in crate::stage) struct Id {
    inode: u64,
    born: Time,
}

/// The entry at a name.
#[derive(Debug, Clone, Copy)]
pub(in crate::stage) struct Seen {
    pub(in crate::stage) id: Id,
    pub(in crate::stage) kind: FileType,
    pub(in crate::stage) size: u64,
    /// Bytes on the disk, which is less than `size` for a file with holes.
    pub(in crate::stage) stored: u64,
    pub(in crate::stage) mode: u32,
    pub(in crate::stage) owner: (u32, u32),
    pub(in crate::stage) links: u64,
    pub(in crate::stage) accessed: Time,
    pub(in crate::stage) modified: Time,
    pub(in crate::stage) changed: Time,
    pub(in crate::stage) device: (u32, u32),
    pub(in crate::stage) mount: u64,
    rdev: (u32, u32),
}

impl Seen {
    /// The entry at a name; `None` if there is none. Links are not followed; an empty name is the descriptor itself.
    pub(in crate::stage) fn at(folder: impl AsFd, name: &OsStr) -> Result<Option<Self>, Errno> {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH | AtFlags::NO_AUTOMOUNT;
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME | StatxFlags::MNT_ID;
        match rustix::fs::statx(folder, name, flags, wanted) {
            Ok(data) => Ok(Some(Self::from(data))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The entry of an open file or folder.
    pub(in crate::stage) fn of(file: impl AsFd) -> Result<Self, Errno> {
        Self::at(file, OsStr::new(""))?.ok_or(Errno::NOENT)
    }

    /// Its file system's number and its inode number.
    pub(in crate::stage) fn inode(&self) -> ((u32, u32), u64) {
        (self.device, self.id.inode)
    }

    pub(in crate::stage) fn is_folder(&self) -> bool {
        self.kind == FileType::Directory
    }

    /// Whether its owner and group are those of this process, the only ones that have a number in a run's namespace.
    pub(in crate::stage) fn is_common(&self) -> bool {
        let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
        self.owner == (user.as_raw(), group.as_raw())
    }

    /// Whether it is a whiteout: the overlay's mark of a deleted name.
    pub(in crate::stage) fn is_whiteout(&self) -> bool {
        self.kind == FileType::CharacterDevice && self.rdev == (0, 0)
    }

    /// The entry as reported.
    pub(in crate::stage) fn entry(&self, kind: EntryKind) -> Entry {
        let size = if self.is_folder() { 0 } else { self.size };
        Entry {
            kind,
            size,
            mode: self.mode,
            owner: self.owner,
            links: self.links,
            below: guarda_core::effects::Below::default(),
        }
    }
}

impl From<Statx> for Seen {
    fn from(data: Statx) -> Self {
        Self {
            id: Id { inode: data.stx_ino, born: data.stx_btime.into() },
            kind: FileType::from_raw_mode(data.stx_mode.into()),
            size: data.stx_size,
            stored: data.stx_blocks.saturating_mul(512),
            mode: u32::from(data.stx_mode) & 0o7777,
            owner: (data.stx_uid, data.stx_gid),
            links: data.stx_nlink.into(),
            accessed: data.stx_atime.into(),
            modified: data.stx_mtime.into(),
            changed: data.stx_ctime.into(),
            device: (data.stx_dev_major, data.stx_dev_minor),
            mount: data.stx_mnt_id,
            rdev: (data.stx_rdev_major, data.stx_rdev_minor),
        }
    }
}
