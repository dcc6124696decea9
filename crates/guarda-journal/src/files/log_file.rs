//! One session's file while it is being written.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Write};

use rustix::fs::OFlags;

use super::checkpoints::{Checkpoint, FileState};
use super::folder::{Folder, archived, file_of};
use super::scan::{Rest, ScanEnd, follow};
use crate::chain::{Hash, NOTHING, hash, hex};
use crate::line::{Next, Opening, RecordEvent, VERSION, compose};
use crate::trouble::RecordError;

/// The folder of archived files, below that of the record.
pub(crate) const ARCHIVE: &str = "archive";

/// The most lines of a file that the table of checkpoints does not list yet: the opening line and the note of
/// a cut.
pub(crate) const BEGINNING: u64 = 2;

/// A file that is open for appending.
#[derive(Debug)]
pub(crate) struct LogFile {
    session: String,
    name: String,
    file: File,
    reach: ScanEnd,
    /// Whether an incomplete line may follow the last valid one.
    ragged: bool,
    /// Whether written lines are not yet synced.
    pub unsynced: bool,
    /// Whether a failure closed the file to further lines.
    pub damage: Option<String>,
    /// The previous file, if the table of checkpoints does not yet list it as archived.
    pub previous: Option<(u32, Checkpoint)>,
    /// The time of the last write.
    pub used: std::time::Instant,
}

/// A line to append.
#[derive(Debug)]
pub(crate) struct LogEntry<'a> {
    pub event: RecordEvent,
    /// The request's number; `None` for the next free one.
    pub sequence: Option<u64>,
    /// A JSON object.
    pub facts: &'a str,
}

/// The appended lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    pub sequence: u64,
    pub hash: Hash,
}

/// The known state of a session before its file is opened.
#[derive(Debug, Default)]
pub(crate) struct KnownSession<'a> {
    /// The number of its newest file and that file's checkpoint.
    pub last: Option<(u32, &'a Checkpoint)>,
    /// Whether the table of checkpoints would list the file if it existed.
    pub complete: bool,
    /// Open intents, in case the file is missing.
    pub open: BTreeMap<u64, String>,
}

impl LogFile {
    /// Opens a session's file, and creates it if missing. A torn line is cut off and the cut noted. A file that
    /// was changed is marked as damaged, and the next one must be begun.
    pub fn open(folder: &Folder, session: &str, known: KnownSession<'_>) -> Result<Self, RecordError> {
        super::folder::check(session)?;
        let name = file_of(session);
        let file = folder.file(&name, OFlags::RDWR | OFlags::CREATE | OFlags::APPEND)?;
        let size = file.metadata().map_err(|error| system(folder, &name, &error))?.len();
        let mut log_file = Self {
            session: session.to_owned(),
            name,
            file,
            reach: ScanEnd::start(1, NOTHING, 0),
            ragged: false,
            unsynced: false,
            damage: None,
            previous: None,
            used: std::time::Instant::now(),
        };
        if size == 0 {
            log_file.begin_after(folder, known)?;
            return Ok(log_file);
        }
        let sealed = known.last.and_then(|(_, head)| Some((head.lines, head.hash()?)));
        let read = follow(BufReader::new(&log_file.file), sealed);
        let (reach, rest, as_sealed) = read.map_err(|error| system(folder, &log_file.name, &error))?;
        log_file.reach = reach;
        let strange = log_file.strange(folder, &known, as_sealed);
        let last = known.last;
        let greatest = last.map_or(0, |(_, head)| head.sequence);
        match rest {
            Rest::Broken { line, why } => log_file.damage = Some(format!("line {}: {why}", line + 1)),
            Rest::Torn { .. } | Rest::Nothing if strange.is_some() => log_file.damage = strange,
            Rest::Nothing => {}
            Rest::Torn { bytes, hash } => {
                log_file.cut(folder)?;
                if log_file.reach.lines == 0 {
                    log_file.begin_after(folder, known)?;
                }
                let facts = format!("{{\"cut_bytes\":{bytes},\"cut_hash\":\"{}\"}}", hex(&hash));
                let entry = LogEntry { event: RecordEvent::Recovered, sequence: Some(0), facts: &facts };
                log_file.append(folder, &[entry])?;
            }
        }
        if let (Some(_), Some((part, head))) = (&log_file.damage, last) {
            // It is archived under the expected number, whatever its own lines claim.
            let unfinished = matches!(head.state, FileState::Open | FileState::Closed);
            log_file.reach.part = if unfinished { part } else { part + 1 };
        } else if log_file.damage.is_some() {
            log_file.reach.part = 1;
        }
        log_file.reach.sequence = log_file.reach.sequence.max(greatest);
        Ok(log_file)
    }

    /// Why the file differs from the table of checkpoints; `None` if it does not.
    fn strange(&mut self, folder: &Folder, known: &KnownSession<'_>, as_sealed: bool) -> Option<String> {
        let Some((part, head)) = known.last else {
            let begun = !known.complete || self.reach.lines <= BEGINNING;
            return (!begun).then(|| "no such file was ever sealed".to_owned());
        };
        let unfinished = matches!(head.state, FileState::Open | FileState::Closed);
        if self.reach.part == part + 1 && self.reach.lines <= BEGINNING {
            if unfinished {
                let before = aside(folder, &self.session, part, head)?;
                self.previous = Some((part, before.head(FileState::Archived)));
            }
            return None;
        }
        if !unfinished || self.reach.part != part {
            return Some(format!("part {part} was to be here, or the one behind it"));
        }
        if !as_sealed {
            return Some(format!("its first {} lines are not those that were sealed", head.lines));
        }
        let grown = head.state == FileState::Closed && self.reach.lines != head.lines;
        grown.then(|| format!("lines were added after the {} that were sealed at the end", head.lines))
    }

    /// Begins the file after the newest known one.
    fn begin_after(&mut self, folder: &Folder, known: KnownSession<'_>) -> Result<(), RecordError> {
        let Some((part, head)) = known.last else {
            self.reach = ScanEnd { open: known.open, ..ScanEnd::start(1, NOTHING, 0) };
            return self.begin(folder, None);
        };
        let unfinished = matches!(head.state, FileState::Open | FileState::Closed);
        if let Some(before) = aside(folder, &self.session, part, head) {
            if unfinished {
                self.previous = Some((part, before.head(FileState::Archived)));
            }
            self.reach =
                ScanEnd { open: before.open, ..ScanEnd::start(part + 1, before.head, before.sequence) };
            return self.begin(folder, None);
        }
        let damage = unfinished.then(|| format!("part {part} with its {} lines is missing", head.lines));
        let start = ScanEnd::start(part + 1, head.hash().unwrap_or(NOTHING), head.sequence);
        self.reach = ScanEnd { open: known.open, ..start };
        self.begin(folder, damage)
    }

    /// Writes the first line.
    fn begin(&mut self, folder: &Folder, damage: Option<String>) -> Result<(), RecordError> {
        let open = self.reach.open.iter();
        let open =
            open.filter_map(|(number, facts)| Some((*number, serde_json::from_str(facts).ok()?))).collect();
        let program = concat!("guarda-costas ", env!("CARGO_PKG_VERSION")).to_owned();
        let (part, last_sequence) = (self.reach.part, self.reach.sequence);
        let opening = Opening { version: VERSION, program, part, last_sequence, damage, open };
        let facts = serde_json::to_string(&opening).map_err(|error| RecordError::encoding(&error))?;
        self.append(folder, &[LogEntry { event: RecordEvent::Opened, sequence: Some(0), facts: &facts }])?;
        self.sync(folder)?;
        folder.sync()
    }

    /// Archives the file and begins the next one, which carries the open intents. Returns the
    /// checkpoint of the old one. After an error, the session's file must be reopened.
    pub fn turn(mut self, folder: &Folder) -> Result<(Self, u32, Checkpoint), RecordError> {
        let state = if self.damage.is_some() { FileState::Damaged } else { FileState::Archived };
        if state == FileState::Archived {
            self.sync(folder)?;
        }
        let (part, old) = (self.reach.part, self.reach.head(state));
        let archive = folder.below(ARCHIVE)?;
        folder.rename(&self.name, &archive, &archived(&self.session, part, state == FileState::Damaged))?;
        self.file = folder.file(&self.name, OFlags::RDWR | OFlags::CREATE | OFlags::APPEND | OFlags::EXCL)?;
        let next = ScanEnd::start(part + 1, self.reach.head, self.reach.sequence);
        self.reach = ScanEnd { open: std::mem::take(&mut self.reach.open), ..next };
        self.ragged = false;
        let damage = self.damage.take();
        self.begin(folder, damage)?;
        Ok((self, part, old))
    }

    /// Appends lines in order, all or none. They are in the file when this returns, and on disk after [`Self::sync`].
    pub fn append(&mut self, folder: &Folder, entries: &[LogEntry<'_>]) -> Result<Vec<Written>, RecordError> {
        self.hold(folder)?;
        if self.ragged {
            self.cut(folder)?;
        }
        let (mut head, mut number, mut last) = (self.reach.head, self.reach.lines, self.reach.sequence);
        let mut text = String::new();
        let mut written = Vec::with_capacity(entries.len());
        let mut sizes = Vec::with_capacity(entries.len());
        for entry in entries {
            let sequence = entry.sequence.unwrap_or(last.saturating_add(1));
            let time = jiff::Timestamp::now();
            let next = Next { prev: &head, line: number, session: &self.session, sequence, time };
            let line = compose(next, entry.event, entry.facts);
            head = hash(line.as_bytes());
            number += 1;
            last = last.max(sequence);
            sizes.push(line.len());
            written.push(Written { sequence, hash: head });
            text.push_str(&line);
            text.push('\n');
        }
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            // A part of the text may be in the file. It is removed, so that the file ends with a whole line.
            self.ragged = true;
            let _ = self.cut(folder);
            return Err(system(folder, &self.name, &error));
        }
        for ((entry, written), size) in entries.iter().zip(&written).zip(sizes) {
            self.reach.advance(entry.event, written.sequence, written.hash, size, entry.facts);
        }
        self.unsynced = true;
        self.used = std::time::Instant::now();
        Ok(written)
    }

    /// Checks that the file is still the one in the folder. An identical copy in its place is accepted.
    fn hold(&mut self, folder: &Folder) -> Result<(), RecordError> {
        let Err(gone) = folder.still(&self.name, &self.file) else { return Ok(()) };
        if !folder.is_reachable() {
            return Err(gone);
        }
        let Ok(file) = folder.file(&self.name, OFlags::RDWR | OFlags::APPEND) else { return Err(gone) };
        let read = follow(BufReader::new(&file), None);
        let (reach, rest, _) = read.map_err(|error| system(folder, &self.name, &error))?;
        if rest != Rest::Nothing || (reach.lines, reach.head) != (self.reach.lines, self.reach.head) {
            return Err(gone);
        }
        self.file = file;
        self.unsynced = true;
        Ok(())
    }

    /// Syncs the appended lines. After a failure the content of the disk is unknown, so the file is no longer used.
    pub fn sync(&mut self, folder: &Folder) -> Result<(), RecordError> {
        if self.unsynced {
            if let Err(error) = self.file.sync_data() {
                self.damage = Some(format!("it could not be put on disk: {error}"));
                return Err(system(folder, &self.name, &error));
            }
            self.unsynced = false;
        }
        Ok(())
    }

    /// Intents without an outcome: their number and facts.
    pub fn open_intents(&self) -> &BTreeMap<u64, String> {
        &self.reach.open
    }

    /// Its checkpoint. A file with open intents is not closed.
    pub fn head(&self, state: FileState) -> Checkpoint {
        let open = state == FileState::Closed && !self.reach.open.is_empty();
        self.reach.head(if open { FileState::Open } else { state })
    }

    /// The number of the file among those of its session.
    pub fn part(&self) -> u32 {
        self.reach.part
    }

    /// Whether its size or age calls for the next file.
    pub fn is_full(&self, most: u64, age: std::time::Duration) -> bool {
        let now = jiff::Timestamp::now().as_second();
        let old = u64::try_from(now - self.reach.begun).is_ok_and(|seconds| seconds >= age.as_secs());
        self.reach.lines > 1 && (self.reach.bytes >= most || old)
    }

    /// Cuts off everything after the last valid line.
    fn cut(&mut self, folder: &Folder) -> Result<(), RecordError> {
        self.file.set_len(self.reach.bytes).map_err(|error| system(folder, &self.name, &error))?;
        self.ragged = false;
        Ok(())
    }
}

/// The checkpoint of a file that was archived before the table listed it; `None` if there is none, or if it does
/// not contain the signed lines.
fn aside(folder: &Folder, session: &str, part: u32, head: &Checkpoint) -> Option<ScanEnd> {
    let name = archived(session, part, false);
    let sealed = Some((head.lines, head.hash()?));
    [format!("{ARCHIVE}/{name}"), format!("{ARCHIVE}/{name}.gz")].iter().find_map(|place| {
        let (reach, rest, as_sealed) = follow(folder.read(place).ok()?, sealed).ok()?;
        (rest == Rest::Nothing && as_sealed).then_some(reach)
    })
}

fn system(folder: &Folder, name: &str, error: &std::io::Error) -> RecordError {
    RecordError::system(&folder.path().join(name).display().to_string(), error)
}
