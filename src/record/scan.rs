//! Reading a file of the record from its beginning, following the chain.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use super::chain::{Hash, NOTHING, hash, unhex};
use super::line::{Event, Opening, Place};

/// How far a file goes: what the next line must know.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reach {
    /// The number of this file among those of its session.
    pub part: u32,
    /// How many lines it has.
    pub lines: u64,
    /// How many bytes they take.
    pub bytes: u64,
    /// The hash of the last one.
    pub head: Hash,
    /// The greatest number of a request.
    pub sequence: u64,
    /// Intents without an outcome: their number and their facts as JSON.
    pub open: BTreeMap<u64, String>,
}

impl Reach {
    /// A file that has no line yet and follows one that ended with `head`.
    pub fn start(part: u32, head: Hash, sequence: u64) -> Self {
        Self { part, lines: 0, bytes: 0, head, sequence, open: BTreeMap::new() }
    }

    /// Takes in the next line. `raw` holds it without its line feed.
    pub fn advance(&mut self, place: &Place, raw: &[u8]) {
        self.head = hash(raw);
        self.lines += 1;
        self.bytes += raw.len() as u64 + 1;
        self.sequence = self.sequence.max(place.sequence);
        match place.event {
            Event::Intent => {
                let facts = String::from_utf8_lossy(raw).into_owned();
                self.open.insert(place.sequence, facts);
            }
            Event::Outcome | Event::Recovered if place.sequence != 0 => {
                self.open.remove(&place.sequence);
            }
            Event::Opened | Event::Outcome | Event::Recovered | Event::Refusal | Event::Advice => {}
        }
    }
}

/// What stands behind the last good line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing.
    Nothing,
    /// A line that was being written when the machine or the guard stopped.
    Torn {
        /// How many bytes.
        bytes: u64,
        /// Their hash.
        hash: Hash,
    },
    /// A line that does not follow the one before it.
    Broken {
        /// Its number, from 0.
        line: u64,
        /// What is wrong.
        why: String,
    },
}

/// Follows a file from its first line as far as the chain holds.
pub(super) fn follow(mut source: impl BufRead) -> io::Result<(Reach, Rest)> {
    let mut reach = Reach::start(1, NOTHING, 0);
    let mut raw = Vec::new();
    loop {
        raw.clear();
        if source.read_until(b'\n', &mut raw)? == 0 {
            return Ok((reach, Rest::Nothing));
        }
        let whole = raw.last() == Some(&b'\n');
        let line = raw.strip_suffix(b"\n").unwrap_or(&raw);
        let place = serde_json::from_slice::<Place>(line);
        let why = match &place {
            Ok(place) if whole && follows(&mut reach, place, line) => {
                reach.advance(place, line);
                continue;
            }
            Ok(_) => "it does not follow the line before it".to_owned(),
            Err(error) => format!("it cannot be read: {error}"),
        };
        let mut rest = raw.clone();
        source.read_to_end(&mut rest)?;
        let torn = !whole || (place.is_err() && !rest.split(|byte| *byte == b'\n').any(is_line));
        let bytes = rest.len() as u64;
        let rest = if torn {
            Rest::Torn { bytes, hash: hash(&rest) }
        } else {
            Rest::Broken { line: reach.lines, why }
        };
        return Ok((reach, rest));
    }
}

/// Whether a line continues the chain. The first one says where the chain comes from.
fn follows(reach: &mut Reach, place: &Place, line: &[u8]) -> bool {
    if place.line != reach.lines {
        return false;
    }
    if reach.lines > 0 {
        return unhex(&place.prev) == Some(reach.head);
    }
    match serde_json::from_slice::<Opening>(line) {
        Ok(opening) if place.event == Event::Opened && opening.part > 0 => {
            reach.part = opening.part;
            reach.open =
                opening.open.into_iter().map(|(number, facts)| (number, facts.to_string())).collect();
            reach.sequence = reach.open.keys().copied().max().unwrap_or(0);
            true
        }
        _ => false,
    }
}

fn is_line(text: &[u8]) -> bool {
    serde_json::from_slice::<Place>(text).is_ok()
}
