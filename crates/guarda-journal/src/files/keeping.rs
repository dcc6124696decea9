//! Retention of files: when a new one is begun, when old ones are compressed, and when they are deleted.

use std::io::{BufReader, Write};
use std::time::Duration;

use rustix::fs::OFlags;

use super::checkpoints::{Checkpoint, Checkpoints, FileState};
use super::folder::{Folder, archived, part_of};
use super::log_file::ARCHIVE;
use crate::trouble::RecordError;

/// When files of the record are archived, and when they are deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// The size from which a file is archived, in bytes.
    pub file_bytes: u64,
    /// The age from which a file is archived.
    pub file_age: Duration,
    /// The age from which archived files are deleted; `None` keeps them.
    pub delete_after: Option<Duration>,
    /// The total size of archived files beyond which the oldest are deleted, in compressed bytes; `None`: no limit.
    pub delete_above: Option<u64>,
}

impl Default for Retention {
    /// 16 MiB or 30 days per file; one year; no size limit.
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        Self { file_bytes: 16 << 20, file_age: 30 * DAY, delete_after: Some(365 * DAY), delete_above: None }
    }
}

/// Compresses archived files. Returns those that could not be compressed.
pub(crate) fn compress(folder: &Folder) -> Result<(), RecordError> {
    if !folder.names()?.iter().any(|name| name == ARCHIVE) {
        return Ok(());
    }
    let archive = folder.below(ARCHIVE)?;
    for name in archive.names()? {
        if name.ends_with(".new") {
            archive.remove(&name)?;
        } else if part_of(&name).is_some() && !name.ends_with(".gz") {
            compress_file(&archive, &name)?;
        }
    }
    Ok(())
}

fn compress_file(archive: &Folder, name: &str) -> Result<(), RecordError> {
    let trouble =
        |error: std::io::Error| RecordError::system(&archive.path().join(name).display().to_string(), &error);
    let small = format!("{name}.gz");
    let draft = format!("{small}.new");
    archive.remove(&draft)?;
    let mut source = BufReader::new(archive.file(name, OFlags::RDONLY)?);
    let target = archive.file(&draft, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
    let mut packer = flate2::write::GzEncoder::new(target, flate2::Compression::fast());
    std::io::copy(&mut source, &mut packer).map_err(trouble)?;
    let mut target = packer.finish().map_err(trouble)?;
    target.flush().and_then(|()| target.sync_data()).map_err(trouble)?;
    archive.rename(&draft, archive, &small)?;
    archive.remove(name)?;
    archive.sync()
}

/// Deletes expired files, and notes it in the table of checkpoints. Returns true if any was deleted.
pub(crate) fn prune(
    folder: &Folder,
    keeping: &Retention,
    heads: &mut Checkpoints,
) -> Result<bool, RecordError> {
    if !folder.names()?.iter().any(|name| name == ARCHIVE) {
        return Ok(false);
    }
    let archive = folder.below(ARCHIVE)?;
    let names = archive.names()?;
    let now = jiff::Timestamp::now().as_second();
    // Oldest first: time, file and size.
    let mut old: Vec<(i64, String, u32, String, u64)> = Vec::new();
    for name in &names {
        let Some((session, part, _)) = part_of(name) else { continue };
        let Some(head) = heads.get(session).and_then(|parts| parts.get(&part)) else { continue };
        if head.state == FileState::Pruned {
            // It expired while it was being compressed.
            archive.remove(name)?;
            continue;
        }
        let size = archive.file(name, OFlags::RDONLY)?.metadata().map_or(0, |facts| facts.len());
        old.push((head.time, session.to_owned(), part, name.clone(), size));
    }
    old.sort();
    let mut total: u64 = old.iter().map(|(.., size)| size).sum();
    let mut pruned = false;
    for (time, session, part, name, size) in old {
        let age = u64::try_from(now - time).unwrap_or(0);
        let aged = keeping.delete_after.is_some_and(|most| age >= most.as_secs());
        let above = keeping.delete_above.is_some_and(|most| total > most);
        if !aged && !above {
            continue;
        }
        archive.remove(&name)?;
        total -= size;
        if let Some(head) = heads.get_mut(&session).and_then(|parts| parts.get_mut(&part)) {
            head.state = FileState::Pruned;
            head.time = now;
        }
        pruned = true;
    }
    heads.values_mut().for_each(forget);
    Ok(pruned)
}

/// Of a session's consecutive deleted files, only the last is noted: the next file follows it.
fn forget(parts: &mut std::collections::BTreeMap<u32, Checkpoint>) {
    let pruned: Vec<u32> =
        parts.iter().filter(|(_, head)| head.state == FileState::Pruned).map(|(part, _)| *part).collect();
    parts.retain(|part, _| !(pruned.contains(part) && pruned.contains(&(part + 1))));
}

/// Archives the idle file of a session.
pub(crate) fn put_aside(folder: &Folder, session: &str, part: u32) -> Result<(), RecordError> {
    let archive = folder.below(ARCHIVE)?;
    folder.rename(&super::folder::file_of(session), &archive, &archived(session, part, false))
}
