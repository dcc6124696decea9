//! Reads what is added to a record while it is being written (`guarda audit tail --follow`).

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::files::folder::{Folder, archived, session_of};
use super::files::log_file::ARCHIVE;
use super::line::Opening;
use super::read::{Filter, RecordLine, parse};
use super::trouble::RecordError;

/// Remembers how far each file was read.
#[derive(Debug)]
pub struct Follow {
    folder: PathBuf,
    filter: Filter,
    seen: BTreeMap<String, Seen>,
}

/// A position: the file's number, and the bytes read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    part: u32,
    bytes: u64,
}

impl Follow {
    /// Begins after the existing lines.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn begin(folder: &Path, filter: Filter) -> Result<Self, RecordError> {
        let mut follow = Self { folder: folder.to_path_buf(), filter, seen: BTreeMap::new() };
        follow.added()?;
        Ok(follow)
    }

    /// The lines added since the last call, in the order of writing.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn added(&mut self) -> Result<Vec<RecordLine>, RecordError> {
        let folder = Folder::open(&self.folder)?;
        let mut added = Vec::new();
        for name in folder.names()? {
            let Some(session) = session_of(&name) else { continue };
            if self.filter.session.as_ref().is_some_and(|wanted| wanted != session) {
                continue;
            }
            self.look(&folder, session, &name, &mut added)?;
        }
        added.retain(|line| self.filter.wants(line));
        added.sort_by(|a, b| (&a.place.timestamp, a.place.line).cmp(&(&b.place.timestamp, b.place.line)));
        Ok(added)
    }

    fn look(
        &mut self,
        folder: &Folder,
        session: &str,
        name: &str,
        added: &mut Vec<RecordLine>,
    ) -> Result<(), RecordError> {
        let trouble = |error: std::io::Error| RecordError::system(name, &error);
        // A file that was just archived is missing until the next one is begun.
        let Ok(file) = folder.file(name, OFlags::RDONLY) else { return Ok(()) };
        let mut source = BufReader::new(file);
        let mut first = Vec::new();
        source.read_until(b'\n', &mut first).map_err(trouble)?;
        let Ok(Opening { part, .. }) = serde_json::from_slice(&first) else { return Ok(()) };
        let mut from = 0;
        if let Some(seen) = self.seen.get(session) {
            if seen.part == part {
                from = seen.bytes;
            } else {
                for put_aside in seen.part..part {
                    let skip = if put_aside == seen.part { seen.bytes } else { 0 };
                    rest(folder, session, put_aside, skip, added);
                }
            }
        }
        source.seek(SeekFrom::Start(from)).map_err(trouble)?;
        let bytes = from + lines(source, added);
        self.seen.insert(session.to_owned(), Seen { part, bytes });
        Ok(())
    }
}

/// The lines that were added to a file before it was archived.
fn rest(folder: &Folder, session: &str, part: u32, skip: u64, added: &mut Vec<RecordLine>) {
    let place = format!("{ARCHIVE}/{}", archived(session, part, false));
    let Ok(mut source) = folder.read(&place).or_else(|_| folder.read(&format!("{place}.gz"))) else {
        return;
    };
    if std::io::copy(&mut source.by_ref().take(skip), &mut std::io::sink()).is_ok() {
        lines(source, added);
    }
}

/// Takes every complete line and returns the number of bytes taken.
fn lines(mut source: impl BufRead, added: &mut Vec<RecordLine>) -> u64 {
    let (mut raw, mut bytes) = (Vec::new(), 0);
    while source.read_until(b'\n', &mut raw).is_ok() && raw.ends_with(b"\n") {
        bytes += raw.len() as u64;
        added.extend(parse(&raw));
        raw.clear();
    }
    bytes
}
