//! Compares files, and computes the difference between texts.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, SeekFrom};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::stage::entries::entry::Seen;
use crate::stage::fault::Fault;

/// The number of bytes that are compared at once.
const BLOCK: u64 = 128 * 1024;
/// The longest text that is compared by lines, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// The most pairs of lines that a comparison may examine.
const PAIRS: usize = 4_000_000;

/// A name in an open folder, and its entry.
#[derive(Clone, Copy)]
pub(in crate::stage) struct SideEntry<'a> {
    pub(in crate::stage) folder: &'a OwnedFd,
    /// Ends in the name; the rest is for messages.
    pub(in crate::stage) path: &'a Path,
    pub(in crate::stage) seen: &'a Seen,
}

impl SideEntry<'_> {
    fn open(self) -> Result<File, Fault> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let name = self.path.file_name().unwrap_or_default();
        // Only the owner may leave the time of access alone.
        let file = rustix::fs::openat(self.folder, name, flags | OFlags::NOATIME, Mode::empty())
            .or_else(|_| rustix::fs::openat(self.folder, name, flags, Mode::empty()));
        Ok(File::from(file.map_err(Fault::at("reading", self.path))?))
    }

    /// The content of a small file.
    fn bytes(self) -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; usize::try_from(self.seen.size).unwrap_or_default()];
        if bytes.is_empty() {
            return Ok(bytes);
        }
        self.open()?.read_exact_at(&mut bytes, 0).map_err(Fault::at("reading", self.path))?;
        Ok(bytes)
    }

    /// The text of a regular file of at most `longest` bytes.
    pub(in crate::stage) fn text(self, longest: u64) -> Option<String> {
        let small = self.seen.kind == FileType::RegularFile && self.seen.size <= longest;
        String::from_utf8(small.then(|| self.bytes().ok()).flatten()?).ok()
    }

    /// The SHA-256 of a file.
    pub(in crate::stage) fn sum(self) -> Result<[u8; 32], Fault> {
        let fault = |error: std::io::Error| Fault::at("reading", self.path)(error);
        let (mut file, mut sum, mut block) = (self.open()?, Sha256::new(), vec![0; BLOCK as usize]);
        loop {
            let read = file.read(&mut block).map_err(fault)?;
            match block.get(..read).filter(|read| !read.is_empty()) {
                Some(read) => sum.update(read),
                None => return Ok(sum.finalize().into()),
            }
        }
    }

    pub(in crate::stage) fn target(self) -> Result<std::path::PathBuf, Fault> {
        use std::os::unix::ffi::OsStringExt as _;
        let name = self.path.file_name().unwrap_or_default();
        let read = rustix::fs::readlinkat(self.folder, name, Vec::new());
        let bytes = read.map_err(Fault::at("reading", self.path))?.into_bytes();
        Ok(std::ffi::OsString::from_vec(bytes).into())
    }
}

/// Whether two regular files hold the same bytes. Holes are skipped, not read.
pub(in crate::stage) fn same_bytes(one: SideEntry<'_>, other: SideEntry<'_>) -> Result<bool, Fault> {
    let size = one.seen.size;
    if size != other.seen.size {
        return Ok(false);
    }
    let (a, b) = (one.open()?, other.open()?);
    let holes = one.seen.stored < size || other.seen.stored < size;
    let fault = |error: std::io::Error| Fault::at("reading", one.path)(error);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < size {
        if holes {
            at = data(&a, at, size)?.min(data(&b, at, size)?);
        }
        let length = usize::try_from(BLOCK.min(size.saturating_sub(at))).unwrap_or_default();
        left.resize(length, 0);
        right.resize(length, 0);
        a.read_exact_at(&mut left, at).map_err(fault)?;
        b.read_exact_at(&mut right, at).map_err(fault)?;
        if left != right {
            return Ok(false);
        }
        at = at.saturating_add(BLOCK);
    }
    Ok(true)
}

/// Whether two names have files with the same bytes, mode, owner and time, or links with the same target.
pub(in crate::stage) fn same_file(one: SideEntry<'_>, other: SideEntry<'_>) -> Result<bool, Fault> {
    let told = |side: SideEntry<'_>| (side.seen.kind, side.seen.mode, side.seen.owner, side.seen.modified);
    if told(one) != told(other) {
        return Ok(false);
    }
    match one.seen.kind {
        FileType::RegularFile => same_bytes(one, other),
        FileType::Symlink => Ok(one.target()? == other.target()?),
        _ => Ok(false),
    }
}

/// The offset of the next stored bytes; the size if there are none.
pub(in crate::stage) fn data(file: &File, at: u64, size: u64) -> Result<u64, Fault> {
    match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(found) => Ok(found.min(size)),
        Err(Errno::NXIO) => Ok(size),
        Err(Errno::INVAL | Errno::NOTSUP) => Ok(at),
        Err(error) => Err(Fault::at("reading", Path::new(""))(error)),
    }
}

/// Whether two regular files hold the same bytes, and otherwise the difference between the texts, at most `most` bytes of
/// it. Small files are read once for both.
pub(in crate::stage) fn contents(
    old: SideEntry<'_>,
    new: SideEntry<'_>,
    most: usize,
) -> Result<(bool, Option<String>), Fault> {
    let longest = old.seen.size.max(new.seen.size);
    let texts = most > 0 && longest <= LONGEST;
    if longest > BLOCK || !texts && old.seen.size != new.seen.size {
        if same_bytes(old, new)? {
            return Ok((true, None));
        }
        if !texts {
            return Ok((false, None));
        }
    }
    let (one, other) = (old.bytes()?, new.bytes()?);
    if one == other || !texts {
        return Ok((one == other, None));
    }
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let diff = match (text(one), text(other)) {
        (Some(one), Some(other)) if !too_far_apart(&one, &other) => unified(&one, &other, most),
        _ => None,
    };
    Ok((false, diff))
}

/// The difference between two texts in unified form, at most `most` bytes of it; `None` if there is none, or it would
/// take too much work to compute.
#[must_use]
pub fn text_diff(old: &str, new: &str, most: usize) -> Option<String> {
    let long = |text: &str| text.len() as u64 > LONGEST || text.contains('\0');
    if long(old) || long(new) || too_far_apart(old, new) { None } else { unified(old, new, most) }
}

fn unified(old: &str, new: &str, most: usize) -> Option<String> {
    let diff = similar::TextDiff::from_lines(old, new);
    let mut text = diff.unified_diff().context_radius(3).to_string();
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        text.truncate(end);
    }
    (!text.is_empty()).then_some(text)
}

/// Whether the differing parts are so long that the shortest difference would take too much work to compute.
fn too_far_apart(old: &str, new: &str) -> bool {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    while old.last().is_some_and(|last| new.last() == Some(last)) {
        old.pop();
        new.pop();
    }
    let same = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    (old.len() - same + 1).saturating_mul(new.len() - same + 1) > PAIRS
}
