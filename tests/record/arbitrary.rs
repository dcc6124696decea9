//! With any file contents, nothing panics, and no edit of a good record goes unnoticed.

use guarda_journal::export::{Format, export};
use guarda_journal::read::{self, Filter};
use guarda_journal::{Journal, JournalConfig, verify};
use proptest::prelude::*;

use crate::bench::*;
use crate::shelf::*;

/// An edit of bytes: its position (as a share of the length), its length, and the new bytes.
#[derive(Debug, Clone)]
enum Edit {
    Flip { at: f64, mask: u8 },
    Remove { at: f64, count: usize },
    Insert { at: f64, bytes: Vec<u8> },
    Repeat { at: f64, count: usize },
    Swap { one: usize, other: usize },
    Cut { lines: usize },
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = || 0.0..1.0_f64;
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..40),
        Just(b"\n".to_vec()),
        Just(b"{\"prev\":\"00\",\"line\":1}\n".to_vec()),
    ];
    prop_oneof![
        (at(), 1..=255_u8).prop_map(|(at, mask)| Edit::Flip { at, mask }),
        (at(), 1..2000_usize).prop_map(|(at, count)| Edit::Remove { at, count }),
        (at(), bytes).prop_map(|(at, bytes)| Edit::Insert { at, bytes }),
        (at(), 1..2000_usize).prop_map(|(at, count)| Edit::Repeat { at, count }),
        (0..8_usize, 0..8_usize).prop_map(|(one, other)| Edit::Swap { one, other }),
        (1..8_usize).prop_map(|lines| Edit::Cut { lines }),
    ]
}

impl Edit {
    fn apply(&self, text: &[u8]) -> Vec<u8> {
        let place = |at: &f64| ((text.len() as f64 * at) as usize).min(text.len() - 1);
        let range = |at: &f64, count: &usize| place(at)..(place(at) + count).min(text.len());
        let mut text = text.to_vec();
        match self {
            Self::Flip { at, mask } => text[place(at)] ^= mask,
            Self::Remove { at, count } => drop(text.drain(range(at, count))),
            Self::Insert { at, bytes } => {
                let at = place(at);
                text.splice(at..at, bytes.iter().copied());
            }
            Self::Repeat { at, count } => {
                let part = text[range(at, count)].to_vec();
                let at = place(at);
                text.splice(at..at, part);
            }
            Self::Swap { one, other } => {
                let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
                let (one, other) = (one % lines.len(), other % lines.len());
                lines.swap(one, other);
                text = lines.concat();
            }
            Self::Cut { lines } => {
                let all: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
                text = all[..all.len().saturating_sub(*lines)].concat();
            }
        }
        text
    }
}

/// Bytes that more or less resemble a record.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..60),
        Just(b"\n".to_vec()),
        Just(
            b"{\"prev\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"line\":0,\
              \"event\":\"opened\",\"session_id\":\"s\",\"sequence\":0,\"audit_id\":\"\",\
              \"timestamp\":\"2026-11-21T00:00:00Z\",\"part\":4294967295,\"last_sequence\":18446744073709551615,\
              \"open\":{\"18446744073709551615\":{}}}\n"
                .to_vec()
        ),
        Just(
            b"{\"prev\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"line\":0,\
              \"event\":\"opened\",\"session_id\":\"s\",\"sequence\":0,\"audit_id\":\"\",\
              \"timestamp\":\"-9999-01-01T00:00:00Z\",\"part\":4294967295,\"open\":{\"18446744073709551615\":{}}}\n"
                .to_vec()
        ),
        Just(b"{\"event\":\"intent\",\"line\":1,\"prev\":\"\xff\"}\n".to_vec()),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_edit_goes_unseen(edits in proptest::collection::vec((0..3_usize, edit()), 1..3)) {
        static WHOLE: std::sync::LazyLock<tempfile::TempDir> = std::sync::LazyLock::new(|| {
            let place = record();
            compressed(place.path());
            place
        });
        let place = copy(WHOLE.path());
        for (number, edit) in &edits {
            let file = &files(place.path())[*number];
            let text = bytes(file);
            if !text.is_empty() {
                write(file, &edit.apply(&text));
            }
        }
        let same = |number: usize| bytes(&files(place.path())[number]) == bytes(&files(WHOLE.path())[number]);
        let untouched = (0..3).all(same);
        let report = verify(place.path(), None).unwrap();
        prop_assert_eq!(report.is_sound(), untouched, "{:?}: {:#?}", edits, report.faults);
    }

    #[test]
    fn arbitrary_files_are_read_without_panic(live in content(), old in content(), heads in content(), all in any::<bool>()) {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("journal");
        if all {
            // With a table that knows the session.
            let journal = journal(&folder);
            now(journal.advise(&judgement(command("s", "ls")), &caller())).unwrap();
            journal.shut();
        }
        std::fs::create_dir_all(folder.join("archive")).unwrap();
        std::fs::write(file(&folder, "s"), &live).unwrap();
        std::fs::write(folder.join("archive/shell_audit_s.000001.jsonl"), &old).unwrap();
        std::fs::write(folder.join("archive/shell_audit_t.000001.jsonl.gz"), &old).unwrap();
        if !all {
            std::fs::write(folder.join("heads"), &heads).unwrap();
        }
        let _ = verify(&folder, None).unwrap();
        let _ = read::stats(&folder, &Filter::default()).unwrap();
        for format in [Format::Csv, Format::Json, Format::Lines] {
            export(&folder, &Filter::default(), format, &mut std::io::sink()).unwrap();
        }
        // A guard appends to this record, and reports the fault.
        if let Ok(journal) = Journal::open(JournalConfig::new(&folder)) {
            now(journal.advise(&judgement(command("s", "ls")), &caller())).unwrap();
            now(journal.advise(&judgement(command("t", "ls")), &caller())).unwrap();
        }
    }
}
