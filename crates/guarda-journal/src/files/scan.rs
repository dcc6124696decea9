//! Reads a file of the record from its beginning and follows the hash chain.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use super::checkpoints::{Checkpoint, FileState};
use crate::chain::{Hash, NOTHING, hash, hex, unhex};
use crate::line::{LinePosition, Opening, RecordEvent};

/// The most files of a session: file names have no more numbers.
const MOST_PARTS: u32 = 999_999;

/// The state at the end of a file, from which the next line continues.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScanEnd {
    /// The number of this file among those of its session.
    pub part: u32,
    /// The number of lines.
    pub lines: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The hash of the last line.
    pub head: Hash,
    /// The highest request number.
    pub sequence: u64,
    /// Intents and questions without an end: their number and their facts as JSON.
    pub open: BTreeMap<u64, String>,
    /// When the file was created, in seconds since 1970.
    pub begun: i64,
}

impl ScanEnd {
    /// A new file without lines, after one whose last hash is `head`.
    pub fn start(part: u32, head: Hash, sequence: u64) -> Self {
        let begun = jiff::Timestamp::now().as_second();
        Self { part, lines: 0, bytes: 0, head, sequence, open: BTreeMap::new(), begun }
    }

    /// The position of the file for the table of checkpoints.
    pub fn head(&self, state: FileState) -> Checkpoint {
        let time = match state {
            FileState::Open | FileState::Closed => self.begun,
            FileState::Archived | FileState::Damaged | FileState::Pruned => {
                jiff::Timestamp::now().as_second()
            }
        };
        let (lines, bytes, sequence) = (self.lines, self.bytes, self.sequence);
        Checkpoint { state, lines, bytes, hash: hex(&self.head), sequence, time }
    }

    /// Appends a line. `size` excludes the line feed; `facts` are those of an intent.
    pub fn advance(&mut self, event: RecordEvent, sequence: u64, head: Hash, size: usize, facts: &str) {
        self.head = head;
        self.lines += 1;
        self.bytes += size as u64 + 1;
        self.sequence = self.sequence.max(sequence);
        match event {
            RecordEvent::Asked | RecordEvent::Intent => drop(self.open.insert(sequence, facts.to_owned())),
            RecordEvent::Outcome | RecordEvent::Recovered | RecordEvent::Refusal | RecordEvent::Advice => {
                drop(self.open.remove(&sequence));
            }
            RecordEvent::Opened
            | RecordEvent::Marked
            | RecordEvent::Ended
            | RecordEvent::Granted
            | RecordEvent::Guessed
            | RecordEvent::Reloaded
            | RecordEvent::Host => {}
        }
    }
}

/// What follows the last valid line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nothing.
    Nothing,
    /// A line that was being written when the machine or the guard stopped.
    Torn {
        /// Its length in bytes.
        bytes: u64,
        /// The hash of these bytes.
        hash: Hash,
    },
    /// A line that does not follow the one before it.
    Broken {
        /// Its number, from 0.
        line: u64,
        /// The fault.
        why: String,
    },
}

/// Follows a file from its first line as far as the chain holds. `known` is a number of lines and the hash that the
/// last of them must have; the third value says whether it has.
pub(crate) fn follow(
    mut source: impl BufRead,
    known: Option<(u64, Hash)>,
) -> io::Result<(ScanEnd, Rest, bool)> {
    let mut reach = ScanEnd::start(1, NOTHING, 0);
    let mut as_known = known.is_none();
    let mut raw = Vec::new();
    loop {
        as_known |= known == Some((reach.lines, reach.head));
        raw.clear();
        if source.read_until(b'\n', &mut raw)? == 0 {
            return Ok((reach, Rest::Nothing, as_known));
        }
        let whole = raw.last() == Some(&b'\n');
        let line = raw.strip_suffix(b"\n").unwrap_or(&raw);
        let place = serde_json::from_slice::<LinePosition>(line);
        let why = match &place {
            Ok(place) if whole && follows(&mut reach, place, line) => {
                let facts = std::str::from_utf8(line).unwrap_or("{}");
                reach.advance(place.event, place.sequence, hash(line), line.len(), facts);
                continue;
            }
            Ok(_) => "it does not follow the line before it".to_owned(),
            Err(error) => format!("it cannot be read: {error}"),
        };
        let mut rest = raw.clone();
        source.read_to_end(&mut rest)?;
        let torn = !whole || (place.is_err() && !rest.split(|byte| *byte == b'\n').any(is_line));
        let rest = if torn {
            Rest::Torn { bytes: rest.len() as u64, hash: hash(&rest) }
        } else {
            Rest::Broken { line: reach.lines, why }
        };
        return Ok((reach, rest, as_known));
    }
}

/// Whether a line continues the chain. The first line names the hash that the chain starts from.
fn follows(reach: &mut ScanEnd, place: &LinePosition, line: &[u8]) -> bool {
    if place.line != reach.lines {
        return false;
    }
    if reach.lines > 0 {
        return unhex(&place.prev) == Some(reach.head);
    }
    match serde_json::from_slice::<Opening>(line) {
        Ok(opening) if place.event == RecordEvent::Opened && (1..=MOST_PARTS).contains(&opening.part) => {
            reach.part = opening.part;
            reach.sequence = opening.last_sequence;
            reach.open =
                opening.open.into_iter().map(|(number, facts)| (number, facts.to_string())).collect();
            reach.begun = place.timestamp.parse().map_or(reach.begun, jiff::Timestamp::as_second);
            true
        }
        _ => false,
    }
}

fn is_line(text: &[u8]) -> bool {
    serde_json::from_slice::<LinePosition>(text).is_ok()
}
