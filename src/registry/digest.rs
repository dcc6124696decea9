//! Digests of programs' files. A replaced program has another digest and therefore counts as another program.

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use guarda_core::policy::{Program, Situation};

use super::identity::{Digests, hex};

/// A cache of digests. An entry is renewed if the file is another one or was touched: a program cannot set
/// the time of a file's last change (`ctime`).
#[derive(Debug, Default)]
pub struct DigestCache {
    known: Mutex<HashMap<Stamp, String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn settled(&self) -> bool {
        let changed = u64::try_from(self.changed.0).unwrap_or(u64::MAX);
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .is_ok_and(|now| now.as_secs() >= changed.saturating_add(2))
    }
}

/// Larger files are not read, and their commands are not promoted.
const LARGEST: u64 = 512 << 20;
/// The most files in the cache.
const MOST: usize = 4096;

impl DigestCache {
    /// The digests of a situation's programs. An unreadable file has none. The first call reads whole files,
    /// so it must not run on an async thread.
    #[must_use]
    pub fn of(&self, situation: &Situation) -> Digests {
        let paths = situation.programs.values().filter_map(|program| match program {
            Program::System(path) | Program::Elsewhere(path) => Some(path),
            Program::Missing => None,
        });
        paths.filter_map(|path| Some((path.clone(), self.file(Path::new(path))?))).collect()
    }

    /// The same from the cache alone, which only checks each file's metadata. `None` if a file must be read.
    #[must_use]
    pub fn known(&self, situation: &Situation) -> Option<Digests> {
        let mut digests = Digests::new();
        for program in situation.programs.values() {
            let (Program::System(path) | Program::Elsewhere(path)) = program else { continue };
            let stamp = stamp(&std::fs::metadata(path).ok()?)?;
            let digest = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&stamp)?.clone();
            digests.insert(path.clone(), digest);
        }
        Some(digests)
    }

    fn file(&self, path: &Path) -> Option<String> {
        // The type is checked before opening: opening a pipe would wait for a writer.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut file = std::fs::File::open(path).ok()?;
        let stamp = stamp(&file.metadata().ok()?)?;
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&stamp) {
            return Some(known.clone());
        }
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => hasher.update(buffer.get(..count)?),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        let digest = hex(&hasher.finalize());
        // It was touched during reading, so the hash may be of neither the old file nor the new one.
        if self::stamp(&file.metadata().ok()?)? != stamp {
            return None;
        }
        // A file that was just touched may be touched again within the same tick of the clock.
        if !stamp.settled() {
            return Some(digest);
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(stamp, digest.clone());
        Some(digest)
    }
}

fn stamp(facts: &std::fs::Metadata) -> Option<Stamp> {
    if !facts.is_file() || facts.len() > LARGEST {
        return None;
    }
    Some(Stamp {
        device: facts.dev(),
        inode: facts.ino(),
        size: facts.len(),
        modified: (facts.mtime(), facts.mtime_nsec()),
        changed: (facts.ctime(), facts.ctime_nsec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_once_is_remembered() {
        let cache = DigestCache::default();
        let shell = Path::new("/bin/sh");
        let digest = cache.file(shell);
        assert_eq!(digest.as_deref().map(str::len), Some(64));
        assert_eq!(cache.known.lock().unwrap().len(), 1);
        assert_eq!(cache.file(shell), digest);
        assert_eq!(cache.file(Path::new("/dev/zero")), None);
        assert_eq!(cache.file(Path::new("/")), None);
    }

    #[test]
    fn a_replaced_or_rewritten_program_has_another_digest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prog");
        let cache = DigestCache::default();
        let situation = Situation {
            programs: [("prog".to_owned(), Program::Elsewhere(path.display().to_string()))].into(),
            ..Situation::default()
        };
        assert!(cache.of(&situation).is_empty());
        std::fs::write(&path, "one").unwrap();
        let one = cache.of(&situation);
        assert_eq!(one, cache.of(&situation));
        // Same length, same modification time.
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::fs::write(&path, "two").unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        assert_ne!(one, cache.of(&situation));
    }
}
