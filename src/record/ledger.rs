//! One session's file while it is being written.

use std::fs::File;
use std::io::{BufReader, Write};

use rustix::fs::OFlags;

use super::chain::{NOTHING, hash, hex};
use super::folder::{Folder, file_of};
use super::line::{Event, Next, Opening, VERSION, compose};
use super::scan::{Reach, Rest, follow};
use super::trouble::{RecordError, Trouble};

/// A file that is open for adding lines.
#[derive(Debug)]
pub(super) struct Ledger {
    session: String,
    name: String,
    file: File,
    reach: Reach,
    /// Lines were written that are not yet surely on disk.
    pub unsynced: bool,
}

/// A line to be added.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub event: Event,
    /// The request's number; `None` for the next free one.
    pub sequence: Option<u64>,
    /// A JSON object.
    pub facts: &'a str,
}

/// What was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    pub sequence: u64,
    pub hash: super::chain::Hash,
}

impl Ledger {
    /// Opens a session's file, making it where it is missing. A torn line is cut off and the cut noted.
    pub fn open(folder: &Folder, session: &str) -> Result<Self, RecordError> {
        super::folder::check(session)?;
        let name = file_of(session);
        let file = folder.file(&name, OFlags::RDWR | OFlags::CREATE | OFlags::APPEND)?;
        let read = follow(BufReader::new(&file)).map_err(|error| system(folder, &name, &error))?;
        let (reach, rest) = read;
        let mut ledger = Self { session: session.to_owned(), name, file, reach, unsynced: false };
        match rest {
            Rest::Nothing => {}
            Rest::Torn { bytes, hash } => {
                ledger.cut(folder)?;
                if ledger.reach.lines > 0 {
                    let facts = format!("{{\"cut_bytes\":{bytes},\"cut_hash\":\"{}\"}}", hex(&hash));
                    ledger.append(
                        folder,
                        &[Entry { event: Event::Recovered, sequence: Some(0), facts: &facts }],
                    )?;
                }
            }
            Rest::Broken { line, why } => {
                let place = folder.path().join(&ledger.name);
                let why = format!("{}, line {}: {why}", place.display(), line + 1);
                return Err(RecordError::new(Trouble::Damaged, why));
            }
        }
        if ledger.reach.lines == 0 {
            ledger.reach = Reach::start(1, NOTHING, 0);
            ledger.begin(folder, None)?;
        }
        Ok(ledger)
    }

    /// Writes the first line.
    fn begin(&mut self, folder: &Folder, damage: Option<String>) -> Result<(), RecordError> {
        let open = self.reach.open.iter();
        let open =
            open.filter_map(|(number, facts)| Some((*number, serde_json::from_str(facts).ok()?))).collect();
        let program = concat!("guarda-costas ", env!("CARGO_PKG_VERSION")).to_owned();
        let opening = Opening { version: VERSION, program, part: self.reach.part, damage, open };
        let facts = serde_json::to_string(&opening)
            .map_err(|error| RecordError::new(Trouble::System, error.to_string()))?;
        self.append(folder, &[Entry { event: Event::Opened, sequence: Some(0), facts: &facts }])?;
        self.sync(folder)?;
        folder.sync()
    }

    /// Adds lines in order, all or none. They are in the file when this returns, and on disk after [`Self::sync`].
    pub fn append(&mut self, folder: &Folder, entries: &[Entry<'_>]) -> Result<Vec<Written>, RecordError> {
        folder.still(&self.name, &self.file)?;
        let mut next = self.reach.clone();
        let mut text = String::new();
        let mut written = Vec::with_capacity(entries.len());
        for entry in entries {
            let sequence = entry.sequence.unwrap_or(next.sequence + 1);
            let place = Next {
                prev: &next.head,
                line: next.lines,
                session: &self.session,
                sequence,
                time: jiff::Timestamp::now(),
            };
            let line = compose(place, entry.event, entry.facts);
            next.head = hash(line.as_bytes());
            next.lines += 1;
            next.bytes += line.len() as u64 + 1;
            next.sequence = next.sequence.max(sequence);
            match entry.event {
                Event::Intent => drop(next.open.insert(sequence, entry.facts.to_owned())),
                event if event.closes() => drop(next.open.remove(&sequence)),
                _ => {}
            }
            written.push(Written { sequence, hash: next.head });
            text.push_str(&line);
            text.push('\n');
        }
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            // A part of the text may be in the file: it is taken back, so that the file ends with a whole line.
            self.cut(folder)?;
            return Err(system(folder, &self.name, &error));
        }
        self.reach = next;
        self.unsynced = true;
        Ok(written)
    }

    /// Puts on disk what was added.
    pub fn sync(&mut self, folder: &Folder) -> Result<(), RecordError> {
        if self.unsynced {
            self.file.sync_data().map_err(|error| system(folder, &self.name, &error))?;
            self.unsynced = false;
        }
        Ok(())
    }

    /// Intents without an outcome: their number and facts.
    pub fn open_intents(&self) -> Vec<(u64, String)> {
        self.reach.open.iter().map(|(number, facts)| (*number, facts.clone())).collect()
    }

    /// Cuts off what stands behind the last good line.
    fn cut(&mut self, folder: &Folder) -> Result<(), RecordError> {
        self.file.set_len(self.reach.bytes).map_err(|error| system(folder, &self.name, &error))
    }
}

fn system(folder: &Folder, name: &str, error: &std::io::Error) -> RecordError {
    RecordError::system(&folder.path().join(name).display().to_string(), error)
}
