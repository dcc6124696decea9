//! Every change of a record is found, and its first line named.

use std::path::Path;

use guarda_journal::chain::{hash, hex};
use guarda_journal::checkpoints::PUBLIC;
use guarda_journal::verify::{Tampering, What};
use guarda_journal::{Journal, JournalConfig, verify};

use crate::bench::*;
use crate::shelf::*;

fn faults(folder: &Path) -> Vec<Tampering> {
    verify(folder, None).unwrap().faults
}

/// The file, line and kind of the first finding.
#[track_caller]
fn first(folder: &Path, said: &str) -> (String, Option<u64>, What) {
    let faults = faults(folder);
    let fault = faults.first().unwrap_or_else(|| panic!("not found: {said}"));
    (fault.file.clone(), fault.line, fault.what)
}

/// Changes a line's content but not its position.
fn changed(line: &str) -> String {
    line.replacen("\"timestamp\":\"2", "\"timestamp\":\"3", 1)
}

/// The lines from `from` on, with a new chain.
fn chained(lines: &mut [String], from: usize) {
    for index in from.max(1)..lines.len() {
        let before = hex(&hash(lines[index - 1].as_bytes()));
        lines[index] = format!("{{\"prev\":\"{before}{}", &lines[index][9 + 64..]);
    }
}

#[test]
fn a_record_that_nobody_touched_is_sound() {
    let place = record();
    compressed(place.path());
    assert_eq!(files(place.path()).len(), 3);
    let report = verify(place.path(), None).unwrap();
    assert_eq!(report.faults, []);
    assert_eq!((report.files, report.lines, report.open, report.unsealed), (3, 24, 0, 0));
    let key = std::fs::read_to_string(place.path().join(PUBLIC)).unwrap();
    let report = verify(place.path(), Some(key.trim())).unwrap();
    assert!(report.is_sound() && report.notes.is_empty(), "{report:?}");
}

#[test]
fn every_manipulation_is_found_at_every_place() {
    type Manipulation = fn(&mut Vec<String>, usize);
    /// The named line, from 1, and its finding: for line `i` from 0 of `n`.
    type Expected = fn(usize, usize) -> (u64, What);
    let table: [(&str, Manipulation, Expected); 10] = [
        ("changed", |l, i| l[i] = changed(&l[i]), |i, _| (i as u64 + 1, What::Changed)),
        ("made unreadable", |l, i| l[i].truncate(40), |i, _| (i as u64 + 1, What::Changed)),
        (
            "given another number",
            |l, i| l[i] = l[i].replacen(&format!("\"line\":{i},"), "\"line\":77,", 1),
            |i, _| (i as u64 + 1, What::Changed),
        ),
        (
            "removed",
            |l, i| drop(l.remove(i)),
            |i, n| (i as u64 + 1, if i + 1 == n { What::Cut } else { What::Removed }),
        ),
        (
            "put in before it",
            |l, i| l.insert(i, "{\"a\":1}".to_owned()),
            |i, _| (i as u64 + 1, What::Inserted),
        ),
        (
            "a copy put in behind it",
            |l, i| l.insert(i + 1, l[i].clone()),
            |i, _| (i as u64 + 2, What::Inserted),
        ),
        (
            "a forged line put in before it",
            |l, i| {
                let mut forged = changed(&l[i]);
                forged = forged.replace("to look", "to hook");
                l.insert(i, forged);
            },
            |i, _| (i as u64 + 1, What::Inserted),
        ),
        (
            "exchanged with the next",
            |l, i| {
                let next = (i + 1) % l.len();
                l.swap(i, next);
            },
            |i, n| (if i + 1 == n { 1 } else { i as u64 + 1 }, What::Reordered),
        ),
        ("everything from it on cut off", |l, i| l.truncate(i), |i, _| (i as u64 + 1, What::Cut)),
        (
            "changed, and all behind it chained anew",
            |l, i| {
                l[i] = changed(&l[i]);
                chained(l, i + 1);
            },
            // The chain holds: only the sealed end tells.
            |_, n| (n as u64, What::Changed),
        ),
    ];
    let whole = record();
    compressed(whole.path());
    for number in 0..3 {
        let original = read_lines(&files(whole.path())[number]);
        for index in 0..original.len() {
            for (said, manipulate, expected) in table {
                let place = copy(whole.path());
                let file = &files(place.path())[number];
                let mut lines = original.clone();
                manipulate(&mut lines, index);
                write_lines(file, &lines);
                let (line, what) = expected(index, original.len());
                let expected = (name(place.path(), file), Some(line), what);
                let said = format!("line {} of file {number} {said}", index + 1);
                assert_eq!(first(place.path(), &said), expected, "{said}: {:#?}", faults(place.path()));
            }
        }
    }
}

#[test]
fn lines_behind_the_sealed_end_are_found() {
    let whole = record();
    compressed(whole.path());
    for number in 0..3 {
        let file = |place: &tempfile::TempDir| files(place.path())[number].clone();
        let lines = read_lines(&file(&whole));
        let sealed = lines.len() as u64;
        // A line that fits the chain perfectly.
        let place = copy(whole.path());
        let mut longer = lines.clone();
        longer.push(lines.last().unwrap().replacen(
            &format!("\"line\":{}", lines.len() - 1),
            &format!("\"line\":{}", lines.len()),
            1,
        ));
        let last = longer.len() - 1;
        chained(&mut longer, last);
        write_lines(&file(&place), &longer);
        assert_eq!(first(place.path(), "a good line").1, Some(sealed + 1));
        assert_eq!(first(place.path(), "a good line").2, What::Inserted);
        // Half a line.
        let place = copy(whole.path());
        let mut text = bytes(&file(&place));
        text.extend_from_slice(b"{\"prev\":");
        write(&file(&place), &text);
        assert_eq!(first(place.path(), "half a line").2, What::Inserted);
        // The last line without its end.
        let place = copy(whole.path());
        let mut text = bytes(&file(&place));
        text.pop();
        write(&file(&place), &text);
        assert_eq!(
            first(place.path(), "no line feed"),
            (name(place.path(), &file(&place)), Some(sealed), What::Cut)
        );
    }
}

#[test]
fn files_that_are_gone_strange_or_in_the_wrong_place_are_found() {
    let whole = record();
    compressed(whole.path());
    for number in 0..3 {
        let place = copy(whole.path());
        std::fs::remove_file(&files(place.path())[number]).unwrap();
        assert_eq!(first(place.path(), "removed").2, What::Missing, "file {number}");
        let place = copy(whole.path());
        write(&files(place.path())[number], b"");
        assert_eq!(
            (first(place.path(), "emptied").1, first(place.path(), "emptied").2),
            (Some(1), What::Cut)
        );
    }
    // Two files exchanged.
    let place = copy(whole.path());
    let paths = files(place.path());
    let contents = (bytes(&paths[0]), bytes(&paths[1]));
    write(&paths[0], &contents.1);
    write(&paths[1], &contents.0);
    assert!(!faults(place.path()).is_empty());
    // A compressed file with a hole.
    let place = copy(whole.path());
    let path = &files(place.path())[0];
    let mut packed = std::fs::read(path).unwrap();
    let middle = packed.len() / 2;
    packed.truncate(middle);
    std::fs::write(path, packed).unwrap();
    assert!(matches!(first(place.path(), "half").2, What::Unreadable | What::Cut));
    // A session that no guard ever wrote.
    let place = copy(whole.path());
    std::fs::copy(file(place.path(), "s"), file(place.path(), "other")).unwrap();
    assert_eq!(first(place.path(), "a strange session").2, What::Inserted);
    // A file put among those that were put aside.
    let place = copy(whole.path());
    let old = files(place.path())[1].clone();
    std::fs::copy(&old, place.path().join("archive/shell_audit_s.000009.jsonl.gz")).unwrap();
    assert!(!faults(place.path()).is_empty());
}

#[test]
fn the_table_of_heads_is_worth_its_signature() {
    let whole = record();
    let key = std::fs::read_to_string(whole.path().join(PUBLIC)).unwrap();
    let key = Some(key.trim());
    let heads = std::fs::read_to_string(whole.path().join("heads")).unwrap();
    let what = |folder: &Path, key: Option<&str>| {
        verify(folder, key).unwrap().faults.first().map(|fault| fault.what)
    };

    let place = copy(whole.path());
    std::fs::remove_file(place.path().join("heads")).unwrap();
    assert_eq!(what(place.path(), key), Some(What::Missing));

    for text in [heads.replacen("\"lines\":", "\"lines\":1", 1), heads.replace('a', "b"), String::new()] {
        let place = copy(whole.path());
        std::fs::write(place.path().join("heads"), text).unwrap();
        assert_eq!(what(place.path(), key), Some(What::Unsigned));
    }

    // The table of another record, signed by another key, fits only those who do not know the key.
    let other = record();
    let place = copy(other.path());
    assert_eq!(what(place.path(), None), None);
    assert_eq!(what(place.path(), key), Some(What::Unsigned));
}

#[test]
fn a_start_does_not_wash_a_record_clean() {
    type Deed = fn(&Path);
    let table: [(&str, Deed); 6] = [
        ("a line changed", |folder| {
            let path = file(folder, "s");
            let mut lines = read_lines(&path);
            lines[2] = changed(&lines[2]);
            write_lines(&path, &lines);
        }),
        ("a tail cut off", |folder| {
            let path = file(folder, "s");
            let mut lines = read_lines(&path);
            lines.truncate(3);
            write_lines(&path, &lines);
        }),
        ("the file gone", |folder| std::fs::remove_file(file(folder, "s")).unwrap()),
        ("a strange session", |folder| {
            std::fs::copy(file(folder, "s"), file(folder, "t")).unwrap();
        }),
        ("no table", |folder| std::fs::remove_file(folder.join("heads")).unwrap()),
        ("a broken table", |folder| std::fs::write(folder.join("heads"), "x").unwrap()),
    ];
    for (said, manipulate) in table {
        let place = record();
        compressed(place.path());
        manipulate(place.path());
        let journal = Journal::open(JournalConfig::new(place.path())).unwrap();
        let receipt = now(journal.advise(&judgement(command("s", "ls")), &caller())).unwrap();
        // Numbers go on where the sealed ones ended: no audit id is used twice.
        assert_eq!(receipt.audit_id, "s_013", "{said}");
        journal.shut();
        assert!(!faults(place.path()).is_empty(), "{said}");
    }
}

#[test]
fn a_record_can_be_checked_while_it_is_written() {
    let place = tempfile::tempdir().unwrap();
    let journal = Journal::open(small(place.path(), 6_000)).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            now(async {
                for round in 0..150 {
                    let session = format!("s{}", round % 3);
                    let warrant =
                        journal.intend(approved(command(&session, "rm x")), &caller()).await.unwrap();
                    journal.close(warrant.begin(), &output("x")).await.unwrap();
                }
            });
            done.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        let mut checks = 0;
        while !done.load(std::sync::atomic::Ordering::SeqCst) {
            let report = verify(place.path(), None).unwrap();
            assert!(report.is_sound(), "{:#?}", report.faults);
            checks += 1;
        }
        assert!(checks > 0);
    });
    journal.shut();
    let report = verify(place.path(), None).unwrap();
    assert!(report.is_sound() && report.files > 20, "{report:#?}");
}
