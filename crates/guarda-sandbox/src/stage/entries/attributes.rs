//! The attributes of a file: mode, owner, time of change, extended attributes.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, FileType, Mode, Timespec, Timestamps, UTIME_OMIT, XattrFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::stage::entries::entry::{Seen, Time};
use crate::stage::entries::tree::through;
use crate::stage::fault::Fault;

/// The prefix of the overlay's own attributes where it is mounted with `userxattr`.
const OVERLAY: &[u8] = b"user.overlay.";
/// How the overlay stores a user's own attribute that begins like one of its own.
const ESCAPED: &[u8] = b"user.overlay.overlay.";
/// The attribute of a folder that hides all of the lower one.
const OPAQUE: &str = "user.overlay.opaque";
/// The attribute that marks a file as copied up.
const ORIGIN: &str = "user.overlay.origin";

/// The number under which a user namespace shows every user and group that has none in it.
const UNMAPPED: u32 = 65534;

/// Whether this user owns a file with this owner; the administrator owns all.
pub(in crate::stage) fn is_ours(owner: (u32, u32)) -> bool {
    let own = rustix::process::geteuid();
    own.is_root() || owner.0 == own.as_raw()
}

/// The rights of this user in a folder, as the owner's bits of a mode.
pub(in crate::stage) fn rights(folder: &OwnedFd) -> u32 {
    let may =
        |access| rustix::fs::accessat(CWD, through(folder, OsStr::new("")), access, AtFlags::EACCESS).is_ok();
    let bits = [(Access::READ_OK, 0o400), (Access::WRITE_OK, 0o200), (Access::EXEC_OK, 0o100)];
    bits.into_iter().filter(|(access, _)| may(*access)).map(|(_, bit)| bit).sum()
}

/// Whether two owners, of which one may have been read in a user namespace, can be the same.
fn same_owner(one: (u32, u32), other: (u32, u32)) -> bool {
    change_of(one.0, other.0).is_none() && change_of(one.1, other.1).is_none()
}

/// The number to set; `None` if it is there already, or has no name here.
fn change_of(is: u32, wanted: u32) -> Option<u32> {
    let unmapped = |number| number == UNMAPPED && !rustix::process::geteuid().is_root();
    (is != wanted && !unmapped(is) && !unmapped(wanted)).then_some(wanted)
}

/// Extended attributes, ordered by name.
pub(in crate::stage) type Extended = Vec<(OsString, Vec<u8>)>;

/// Attributes of a file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) struct Attributes {
    pub(in crate::stage) mode: u32,
    pub(in crate::stage) owner: (u32, u32),
    pub(in crate::stage) modified: Time,
    pub(in crate::stage) extended: Extended,
}

impl Attributes {
    /// Reads those of a name in an open folder.
    pub(in crate::stage) fn read(folder: &OwnedFd, path: &Path, seen: &Seen) -> Result<Self, Fault> {
        Self::named(folder, path.file_name().unwrap_or_default(), path, seen)
    }

    /// Reads those of the open descriptor itself: a folder or a pinned file.
    pub(in crate::stage) fn of(folder: &OwnedFd, path: &Path, seen: &Seen) -> Result<Self, Fault> {
        Self::named(folder, OsStr::new(""), path, seen)
    }

    /// Reads them as a run in the overlay sees them: the overlay hides some.
    pub(in crate::stage) fn shown(folder: &OwnedFd, path: &Path, seen: &Seen) -> Result<Self, Fault> {
        let stored = Self::read(folder, path, seen)?;
        Ok(Self { extended: shown(stored.extended), ..stored })
    }

    /// Reads those of an open folder itself as a run in the overlay sees them.
    pub(in crate::stage) fn shown_of(folder: &OwnedFd, path: &Path, seen: &Seen) -> Result<Self, Fault> {
        let stored = Self::of(folder, path, seen)?;
        Ok(Self { extended: shown(stored.extended), ..stored })
    }

    /// Turns the attributes that a run saw back into the real ones. The overlay hides attributes with names like its own, so
    /// a run cannot have changed them; it shows an escaped attribute by its unescaped name.
    pub(in crate::stage) fn unhide(&mut self, real: &Self) {
        let real = real.extended.iter().filter(|(name, _)| name.as_bytes().starts_with(OVERLAY));
        let (renamed, hidden): (Vec<_>, Vec<_>) = real.partition(|(name, _)| own_name(name).is_some());
        for (name, _) in &mut self.extended {
            if let Some((stored, _)) =
                renamed.iter().find(|(stored, _)| own_name(stored).as_ref() == Some(name))
            {
                name.clone_from(stored);
            }
        }
        let missing =
            hidden.into_iter().filter(|(name, _)| !self.extended.iter().any(|(other, _)| other == name));
        let missing: Extended = missing.cloned().collect();
        self.extended.extend(missing);
        self.extended.sort_unstable();
    }

    fn named(folder: &OwnedFd, name: &OsStr, path: &Path, seen: &Seen) -> Result<Self, Fault> {
        let fault = Fault::at("reading the attributes of", path);
        let extended = Spot::new(folder, name).extended(seen, |_| true).map_err(fault)?;
        Ok(Self { mode: seen.mode, owner: seen.owner, modified: seen.modified, extended })
    }

    /// Whether they differ in more than the time.
    pub(in crate::stage) fn differs(&self, other: &Self) -> bool {
        (self.mode, &self.extended) != (other.mode, &other.extended) || !same_owner(self.owner, other.owner)
    }

    /// Takes from `real` what is still as it was `then`.
    pub(in crate::stage) fn unless_changed(&mut self, then: &Self, real: &Self) {
        let then = then.clone();
        if self.mode == then.mode {
            self.mode = real.mode;
        }
        if same_owner(self.owner, then.owner) {
            self.owner = real.owner;
        }
        if self.modified == then.modified {
            self.modified = real.modified;
        }
        if self.extended == then.extended {
            self.extended.clone_from(&real.extended);
        } else {
            self.unhide(real);
        }
    }

    /// Sets the attributes that differ on a name in an open folder, the time last.
    pub(in crate::stage) fn put(&self, folder: &OwnedFd, name: &OsStr, path: &Path) -> Result<(), Fault> {
        let fault = |error: Errno| Fault::at("setting the attributes of", path)(error);
        let seen = Seen::at(folder, name).and_then(|seen| seen.ok_or(Errno::NOENT)).map_err(fault)?;
        let spot = Spot::new(folder, name);
        let user = change_of(seen.owner.0, self.owner.0).map(rustix::fs::Uid::from_raw);
        let group = change_of(seen.owner.1, self.owner.1).map(rustix::fs::Gid::from_raw);
        if user.is_some() || group.is_some() {
            rustix::fs::chownat(CWD, &spot.path, user, group, spot.flags()).map_err(fault)?;
        }
        let now = spot.extended(&seen, |_| true).map_err(fault)?;
        for (name, _) in now.iter().filter(|(name, _)| !self.extended.iter().any(|(other, _)| other == name))
        {
            spot.remove(name).map_err(fault)?;
        }
        for (name, value) in self.extended.iter().filter(|wanted| !now.contains(wanted)) {
            spot.set(name, value).map_err(fault)?;
        }
        // Changing the owner clears the set-id bits, and an access list changes the group's bits.
        let now = Seen::at(folder, name).and_then(|now| now.ok_or(Errno::NOENT)).map_err(fault)?;
        if now.mode != self.mode && seen.kind != FileType::Symlink {
            let mode = Mode::from_raw_mode(self.mode);
            rustix::fs::chmodat(CWD, &spot.path, mode, AtFlags::empty()).map_err(fault)?;
        }
        // The time of a folder of somebody else is that of the last change in it.
        if now.modified == self.modified || !is_ours(now.owner) {
            return Ok(());
        }
        let omitted = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        let times = Timestamps { last_access: omitted, last_modification: self.modified.into() };
        rustix::fs::utimensat(CWD, &spot.path, &times, spot.flags()).map_err(fault)
    }
}

/// Whether this folder hides everything in the lower one.
pub(in crate::stage) fn is_opaque(folder: &OwnedFd, name: &OsStr) -> bool {
    let mut value = [0_u8; 8];
    let read = rustix::fs::lgetxattr(through(folder, name), OPAQUE, &mut value);
    read.is_ok_and(|length| value.get(..length) == Some(b"y"))
}

/// Whether the overlay copied this up from the lower tree.
pub(in crate::stage) fn is_copied_up(folder: &OwnedFd, name: &OsStr) -> bool {
    let mut value = [0_u8; 256];
    rustix::fs::lgetxattr(through(folder, name), ORIGIN, &mut value).is_ok()
}

/// The attributes of an entry that are named like the overlay's own.
pub(in crate::stage) struct Marks {
    /// Any such attribute.
    pub(in crate::stage) any: bool,
    /// The mark of a file that was copied up.
    pub(in crate::stage) copied_up: bool,
    /// Attributes of a user under the names that the overlay gave them.
    pub(in crate::stage) escaped: bool,
}

/// Reads the names of these attributes.
pub(in crate::stage) fn marks(folder: &OwnedFd, name: &OsStr, seen: &Seen) -> Result<Marks, Errno> {
    let names = Spot::new(folder, name).names(seen)?;
    let any = |wanted: &dyn Fn(&OsStr) -> bool| names.iter().any(|name| wanted(name));
    Ok(Marks {
        any: any(&|name| name.as_bytes().starts_with(OVERLAY)),
        copied_up: any(&|name| name == ORIGIN),
        escaped: any(&is_copied),
    })
}

/// The attributes that are named like the overlay's own.
pub(in crate::stage) fn named_alike(folder: &OwnedFd, name: &OsStr, seen: &Seen) -> Result<Extended, Errno> {
    Spot::new(folder, name).extended(seen, |name| name.starts_with(OVERLAY))
}

/// Whether the overlay copies a lower file's attribute that is named like its own.
pub(in crate::stage) fn is_copied(name: &OsStr) -> bool {
    own_name(name).is_some()
}

/// Removes the overlay's own attributes and unescapes those of the user. Attributes with names like the overlay's own get their
/// values from `real`, those of the file that was copied up, as [`Attributes::unhide`] does for folders.
pub(in crate::stage) fn strip(
    folder: &OwnedFd,
    name: &OsStr,
    seen: &Seen,
    real: &Extended,
) -> Result<(), Errno> {
    let spot = Spot::new(folder, name);
    let is_real = |name: &OsString| own_name(name).is_some() && real.iter().any(|(other, _)| other == name);
    let names = spot.names(seen)?.into_iter();
    for name in names.filter(|name| name.as_bytes().starts_with(OVERLAY) && !is_real(name)) {
        if let Some(own) = own_name(&name)
            && let Some(value) = spot.value(&name)?
        {
            spot.set(&own, &value)?;
        }
        spot.remove(&name)?;
    }
    for (name, value) in real.iter().filter(|(name, _)| own_name(name).is_none()) {
        if spot.value(name)?.is_none() {
            spot.set(name, value)?;
        }
    }
    Ok(())
}

/// The extended attributes that a run in the overlay saw.
fn shown(stored: Extended) -> Extended {
    let one = |(name, value): (OsString, Vec<u8>)| match own_name(&name) {
        Some(own) => Some((own, value)),
        None if name.as_bytes().starts_with(OVERLAY) => None,
        None => Some((name, value)),
    };
    let mut shown: Extended = stored.into_iter().filter_map(one).collect();
    shown.sort_unstable();
    shown
}

/// The user's name for an attribute that the overlay stores escaped; `None` if it is not escaped.
fn own_name(stored: &OsStr) -> Option<OsString> {
    let rest = stored.as_bytes().strip_prefix(ESCAPED)?;
    Some(OsString::from_vec([OVERLAY, rest].concat()))
}

/// The target of calls that take a path: a name in an open folder, whose link is not followed, or the open file itself.
struct Spot {
    path: PathBuf,
    itself: bool,
}

impl Spot {
    fn new(folder: &OwnedFd, name: &OsStr) -> Self {
        Self { path: through(folder, name), itself: name.is_empty() }
    }

    fn flags(&self) -> AtFlags {
        if self.itself { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW }
    }

    fn set(&self, name: &OsStr, value: &[u8]) -> Result<(), Errno> {
        let set = if self.itself { rustix::fs::setxattr } else { rustix::fs::lsetxattr };
        set(&self.path, name, value, XattrFlags::empty())
    }

    fn remove(&self, name: &OsStr) -> Result<(), Errno> {
        if self.itself {
            rustix::fs::removexattr(&self.path, name)
        } else {
            rustix::fs::lremovexattr(&self.path, name)
        }
    }

    /// The names of the extended attributes that belong to a user: user attributes and access lists.
    fn names(&self, seen: &Seen) -> Result<Vec<OsString>, Errno> {
        if !matches!(seen.kind, FileType::RegularFile | FileType::Directory) {
            return Ok(Vec::new());
        }
        let list = filled(|room| match self.itself {
            true => rustix::fs::listxattr(&self.path, room),
            false => rustix::fs::llistxattr(&self.path, room),
        })?;
        let list = list.unwrap_or_default();
        let names = list.split(|byte| *byte == 0);
        let own = names.filter(|name| name.starts_with(b"user.") || name.starts_with(b"system.posix_acl_"));
        Ok(own.map(|name| OsString::from_vec(name.to_vec())).collect())
    }

    fn value(&self, name: &OsStr) -> Result<Option<Vec<u8>>, Errno> {
        filled(|room| match self.itself {
            true => rustix::fs::getxattr(&self.path, name, room),
            false => rustix::fs::lgetxattr(&self.path, name, room),
        })
    }

    /// The extended attributes that belong to a user and have such a name.
    fn extended(&self, seen: &Seen, wanted: fn(&[u8]) -> bool) -> Result<Extended, Errno> {
        let mut found = Extended::new();
        for name in self.names(seen)?.into_iter().filter(|name| wanted(name.as_bytes())) {
            if let Some(value) = self.value(&name)? {
                found.push((name, value));
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// Calls with a growing buffer until the result fits; `None` if there is nothing, or it is not supported here.
fn filled(mut call: impl FnMut(&mut [u8]) -> Result<usize, Errno>) -> Result<Option<Vec<u8>>, Errno> {
    const MOST: usize = 1 << 20;
    let mut room = vec![0; 256];
    loop {
        match call(&mut room) {
            Ok(length) => {
                room.truncate(length);
                return Ok(Some(room));
            }
            Err(Errno::RANGE) if room.len() < MOST => room.resize(room.len() * 4, 0),
            Err(Errno::NODATA | Errno::NOTSUP) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}
