//! The lines of one file of the record: reads them, and explains the first one that was changed.

use std::io::BufRead;

use super::evidence::Evidence;
use super::report::What;
use crate::chain::{Hash, NOTHING, hash, unhex};
use crate::files::checkpoints::{Checkpoint, FileState};
use crate::line::{LinePosition, Opening, RecordEvent};

/// The parts of a line that locate it in the chain.
pub(super) struct Found {
    pub(super) own: Hash,
    pub(super) prev: Option<Hash>,
    pub(super) number: Option<u64>,
}

/// The content of a file.
pub(super) struct Lines {
    pub(super) found: Vec<Found>,
    pub(super) opening: Option<Opening>,
    /// Intents and questions without an outcome.
    pub(super) open: usize,
    /// Whether an incomplete line follows the last one.
    pub(super) torn: bool,
    pub(super) error: Option<std::io::Error>,
}

/// Reads a file of the record.
pub(super) fn read(mut source: impl BufRead) -> Lines {
    let mut lines = Lines { found: Vec::new(), opening: None, open: 0, torn: false, error: None };
    let mut open = std::collections::BTreeSet::new();
    let mut raw = Vec::new();
    loop {
        raw.clear();
        match source.read_until(b'\n', &mut raw) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                lines.error = Some(error);
                break;
            }
        }
        let Some(line) = raw.strip_suffix(b"\n") else {
            lines.torn = true;
            break;
        };
        let place = serde_json::from_slice::<LinePosition>(line).ok();
        match place.as_ref().map(|place| (place.event, place.sequence)) {
            Some((RecordEvent::Opened, _)) if lines.found.is_empty() => {
                lines.opening = serde_json::from_slice::<Opening>(line).ok();
                open.extend(lines.opening.iter().flat_map(|opening| opening.open.keys().copied()));
            }
            Some((RecordEvent::Asked | RecordEvent::Intent, sequence)) => drop(open.insert(sequence)),
            Some((
                RecordEvent::Outcome | RecordEvent::Recovered | RecordEvent::Refusal | RecordEvent::Advice,
                sequence,
            )) => {
                open.remove(&sequence);
            }
            Some((
                RecordEvent::Opened
                | RecordEvent::Marked
                | RecordEvent::Ended
                | RecordEvent::Granted
                | RecordEvent::Guessed
                | RecordEvent::Reloaded
                | RecordEvent::Host,
                _,
            ))
            | None => {}
        }
        let prev = place.as_ref().and_then(|place| unhex(&place.prev));
        lines.found.push(Found { own: hash(line), prev, number: place.map(|place| place.line) });
    }
    lines.open = open.len();
    lines
}

/// The number of the first changed line, from 1. `before` is the last hash of the previous file.
pub(super) fn first_fault(
    found: &[Found],
    head: Option<&Checkpoint>,
    before: Option<Hash>,
) -> Option<(u64, What, Evidence)> {
    let sealed = head.and_then(|head| Some((head.lines, head.hash()?)));
    let first = found.first();
    // A whole file in another's place is reported elsewhere.
    let own = first.filter(|first| before.is_none() || first.number == Some(0)).and_then(|first| first.prev);
    let mut last = own.or(before).unwrap_or(NOTHING);
    for (index, line) in found.iter().enumerate() {
        if line.number != Some(index as u64) || line.prev != Some(last) {
            let known = index > 0 || before.is_some();
            return Some(classify(found, index, last, known, sealed));
        }
        last = line.own;
    }
    let (head, (count, hash)) = (head?, sealed?);
    let lines = found.len() as u64;
    if lines < count {
        return Some((lines + 1, What::Cut, Evidence::CutOff { gone: count - lines, lines: count }));
    }
    let at_seal = usize::try_from(count).ok()?.checked_sub(1)?;
    if found.get(at_seal).map(|line| line.own) != Some(hash) {
        // The chain holds, so only its end can differ: a changed last line, or a rewritten chain.
        return Some((count, What::Changed, Evidence::UnlikeHead));
    }
    if lines > count && head.state != FileState::Open {
        return Some((count + 1, What::Inserted, Evidence::AddedLater));
    }
    None
}

/// Explains the first line that breaks the chain. `last` is the hash that it should carry, if `known`;
/// `sealed` is the number of lines of the file and the hash of its last one.
fn classify(
    found: &[Found],
    index: usize,
    last: Hash,
    known: bool,
    sealed: Option<(u64, Hash)>,
) -> (u64, What, Evidence) {
    let (at, expected) = (index as u64 + 1, index as u64);
    let Some(line) = found.get(index) else { return (at, What::Unreadable, Evidence::NoLine) };
    let rest = found.get(index + 1..).unwrap_or_default();
    let genuine = |line: &Found| {
        found.get(1..).is_some_and(|rest| rest.iter().any(|next| next.prev == Some(line.own)))
            || sealed.is_some_and(|(_, hash)| hash == line.own)
    };
    let follows = |line: &Found| line.prev == Some(last) && line.number == Some(expected);
    // The expected line comes later.
    if let Some(later) = rest.iter().position(follows) {
        let between = found.get(index..=index + later).unwrap_or_default();
        let alone = |line: &Found| found.iter().filter(|other| other.own == line.own).count() == 1;
        let moved = between
            .iter()
            .any(|line| line.number.is_some_and(|number| number > expected) && genuine(line) && alone(line));
        return if moved {
            (at, What::Reordered, Evidence::Moved(at + later as u64 + 1))
        } else {
            (at, What::Inserted, Evidence::PutIn)
        };
    }
    let prior = index.checked_sub(1).and_then(|before| found.get(before));
    // Its twin comes before it, and the following lines continue from this one: the twin was inserted.
    let twin = prior.filter(|prior| prior.prev == line.prev && prior.number == line.number);
    let behind = sealed.is_some_and(|(count, _)| count <= expected);
    let within = twin.is_some_and(|twin| !behind || twin.own != line.own);
    if within && genuine(line) {
        return (at - 1, What::Inserted, Evidence::PutIn);
    }
    match line.number {
        None if sealed.is_some_and(|(count, hash)| count == expected && hash == last) => {
            (at, What::Inserted, Evidence::PutBehind)
        }
        None => (at, What::Changed, Evidence::Garbled),
        Some(number) if number > expected && (!known || line.prev != Some(last)) => {
            (at, What::Removed, Evidence::TakenOut(number - expected))
        }
        Some(number) if number < expected && line.prev != Some(last) => {
            (at, What::Inserted, Evidence::NumberOf(number + 1))
        }
        Some(number) if number == expected && prior.is_some() && genuine(line) => {
            (at - 1, What::Changed, Evidence::OtherHash)
        }
        Some(_) => (at, What::Changed, Evidence::OtherLine),
    }
}
