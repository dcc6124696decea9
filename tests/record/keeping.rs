//! Files are archived, compressed and deleted; after crashes and full disks the record continues.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use guarda_journal::checkpoints::PUBLIC;
use guarda_journal::read::{self, Filter};
use guarda_journal::{Journal, JournalConfig, Retention, verify};
use serde_json::Value;

use crate::bench::*;
use crate::shelf::*;

fn advise(journal: &Journal, session: &str, times: usize) {
    for _ in 0..times {
        now(journal.advise(&judgement(command(session, "rm x")), &caller())).unwrap();
    }
}

#[test]
fn a_file_that_is_full_is_put_aside_and_the_next_one_follows_it() {
    let place = tempfile::tempdir().unwrap();
    let journal = Journal::open(small(place.path(), 3_000)).unwrap();
    advise(&journal, "s", 20);
    journal.shut();
    compressed(place.path());
    let files = files(place.path());
    assert!(files.len() > 3, "{files:?}");
    let mut before = String::new();
    for (number, file) in files.iter().enumerate() {
        let lines = read_lines(file);
        let opening: Value = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!(opening["event"], "opened");
        assert_eq!(opening["part"], number + 1);
        if number > 0 {
            assert_eq!(opening["prev"], before.as_str());
        }
        before = guarda_journal::chain::hex(&guarda_journal::chain::hash(lines.last().unwrap().as_bytes()));
    }
    // Readers see one record.
    let advice = read::tail(place.path(), &Filter { text: Some("rm".to_owned()), ..Filter::default() }, 100);
    let ids: Vec<String> = advice.unwrap().into_iter().map(|line| line.place.audit_id).collect();
    let expected: Vec<String> = (1..=20).map(|number| format!("s_{number:03}")).collect();
    assert_eq!(ids, expected);
    assert!(verify(place.path(), None).unwrap().is_sound());
}

#[test]
fn a_file_that_is_old_is_put_aside() {
    let place = tempfile::tempdir().unwrap();
    let keeping = Retention { file_age: Duration::ZERO, ..Retention::default() };
    let journal = Journal::open(JournalConfig { keeping, ..config(place.path()) }).unwrap();
    advise(&journal, "s", 3);
    journal.shut();
    assert!(files(place.path()).len() >= 3, "{:?}", files(place.path()));
    assert!(verify(place.path(), None).unwrap().is_sound());
}

#[test]
fn a_deed_may_end_in_another_file_than_it_began() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    now(async {
        let open = journal.intend(approved(command("s", "rm x")), &caller()).await.unwrap().begin();
        journal.turn().await.unwrap();
        assert_eq!(verify(place.path(), None).unwrap().open, 1);
        journal.close(open, &output("x")).await.unwrap();
    });
    journal.shut();
    let report = verify(place.path(), None).unwrap();
    assert!(report.is_sound() && report.open == 0, "{report:?}");
    let lines = lines(place.path(), "s");
    assert_eq!(lines[0]["open"]["1"]["command"], "rm x");
    assert_eq!(lines[1]["audit_id"], "s_001");
}

#[test]
fn what_is_past_its_time_is_deleted_and_the_rest_still_holds() {
    let place = tempfile::tempdir().unwrap();
    let keeping = Retention { file_bytes: 3_000, delete_above: Some(3_000), ..Retention::default() };
    let journal = Journal::open(JournalConfig { keeping, ..config(place.path()) }).unwrap();
    for _ in 0..6 {
        advise(&journal, "s", 6);
        now(journal.turn()).unwrap();
        compressed(place.path());
    }
    journal.shut();
    let report = verify(place.path(), None).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    assert!(
        report.notes.iter().any(|note| note.to_string().contains("deleted when its time was over")),
        "{report:?}"
    );
    let kept: u64 = files(place.path()).iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
    assert!(kept < 9_000, "{kept}");
    // A number is not used again, though its file is gone.
    let journal = Journal::open(config(place.path())).unwrap();
    let receipt = now(journal.advise(&judgement(command("s", "ls")), &caller())).unwrap();
    assert_eq!(receipt.audit_id, "s_037");
}

#[test]
fn after_a_crash_open_intents_are_closed_as_unknown() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    let open = now(journal.intend(approved(command("s", "rm x")), &caller())).unwrap().begin();
    let after = copy(place.path());
    let again = Journal::open(JournalConfig::new(after.path())).unwrap();
    assert!(again.warnings().is_empty(), "{:?}", again.warnings());
    let last = lines(after.path(), "s").pop().unwrap();
    assert_eq!((last["event"].as_str(), last["error"].as_str()), (Some("recovered"), Some("unknown")));
    assert_eq!(last["command"], "rm x");
    again.shut();
    let report = verify(after.path(), None).unwrap();
    assert!(report.is_sound() && report.open == 0, "{report:?}");
    now(journal.close(open, &output(""))).unwrap();
}

#[test]
fn a_torn_line_is_cut_off_and_noted() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    advise(&journal, "s", 2);
    let whole = std::fs::read(file(place.path(), "s")).unwrap();
    for size in [whole.len() - 1, whole.len() - 40] {
        let after = copy(place.path());
        // Signed lines are on disk before the signature: only a later line can be torn.
        std::fs::write(after.path().join("heads"), std::fs::read(place.path().join("heads")).unwrap())
            .unwrap();
        std::fs::write(file(after.path(), "s"), &whole[..size]).unwrap();
        let again = Journal::open(JournalConfig::new(after.path())).unwrap();
        if again.warnings().is_empty() {
            let last = lines(after.path(), "s").pop().unwrap();
            assert_eq!(last["event"], "recovered");
            assert!(last["cut_bytes"].as_u64().unwrap() > 0);
            again.shut();
            assert!(verify(after.path(), None).unwrap().is_sound());
        }
    }
}

#[test]
fn the_key_is_private_and_made_once() {
    let place = tempfile::tempdir().unwrap();
    let keys = tempfile::tempdir().unwrap();
    let config = || JournalConfig { keys: keys.path().join("state"), ..config(place.path()) };
    let read = |name: &str| std::fs::read_to_string(keys.path().join("state").join(name)).unwrap();
    Journal::open(config()).unwrap().shut();
    let (private, public) = (read("journal.key"), read(PUBLIC));
    let facts = std::fs::metadata(keys.path().join("state/journal.key")).unwrap();
    assert_eq!(facts.permissions().mode() & 0o777, 0o600);
    Journal::open(config()).unwrap().shut();
    assert_eq!((private, public), (read("journal.key"), read(PUBLIC)));
    std::fs::write(keys.path().join("state/journal.key"), "no key").unwrap();
    assert!(Journal::open(config()).unwrap_err().why.to_string().contains("is no key"));
}

#[test]
fn a_file_that_is_replaced_stops_deeds_until_it_is_back() {
    let place = tempfile::tempdir().unwrap();
    let journal = journal(place.path());
    advise(&journal, "s", 1);
    let (live, away) = (file(place.path(), "s"), place.path().join("away"));
    let intend = || now(async { journal.intend(approved(command("s", "rm x")), &caller()).await.map(drop) });
    for replace in [false, true] {
        std::fs::rename(&live, &away).unwrap();
        if replace {
            std::fs::write(&live, "something else\n").unwrap();
        }
        for _ in 0..2 {
            assert_eq!(intend().unwrap_err().trouble().name(), "gone");
        }
        assert!(journal.trouble().is_some());
        if replace {
            assert_eq!(std::fs::read_to_string(&live).unwrap(), "something else\n", "it is left as it is");
        }
        std::fs::rename(&away, &live).unwrap();
        now(journal.ready(&judgement(command("s", "rm x")))).unwrap();
        intend().unwrap();
        assert_eq!(journal.trouble(), None);
    }
    // A copy is as good, if it is the same line for line.
    std::fs::copy(&live, &away).unwrap();
    std::fs::remove_file(&live).unwrap();
    std::fs::rename(&away, &live).unwrap();
    // The journal's own thread may have looked while nothing was there.
    now(journal.ready(&judgement(command("s", "rm x")))).unwrap();
    intend().unwrap();
    journal.shut();
    let report = verify(place.path(), None).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    let gaps: Vec<Value> =
        lines(place.path(), "s").into_iter().filter(|l| l["interrupted"] == "gone").collect();
    assert_eq!(gaps.len(), 2);
}

#[test]
fn a_folder_that_is_taken_away_is_found_again() {
    for anew in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let (folder, away) = (place.path().join("journal"), place.path().join("away"));
        let keys = place.path().join("state");
        let journal = Journal::open(JournalConfig { keys, ..config(&folder) }).unwrap();
        advise(&journal, "s", 2);
        let intend = || now(journal.intend(approved(command("s", "rm x")), &caller()));
        let open = intend().unwrap().begin();
        std::fs::rename(&folder, &away).unwrap();
        assert_eq!(intend().unwrap_err().trouble().name(), "gone");
        // The deed that was being done ends meanwhile.
        now(journal.close(open, &output("x"))).unwrap_err();
        assert!(!folder.exists(), "it is not made again behind somebody's back");
        if anew {
            std::fs::create_dir(&folder).unwrap();
        } else {
            std::fs::rename(&away, &folder).unwrap();
        }
        now(journal.ready(&judgement(command("s", "rm x")))).unwrap();
        drop(intend().unwrap());
        assert_eq!(journal.trouble(), None);
        journal.shut();
        let lines = lines(&folder, "s");
        let of = |id: &str| lines.iter().filter(|line| line["audit_id"] == id).count();
        assert_eq!(of("s_003"), if anew { 1 } else { 2 }, "the outcome came late: {lines:#?}");
        let report = verify(&folder, None).unwrap();
        assert_eq!(report.is_sound(), !anew, "what is missing is missing: {:?}", report.faults);
        assert_eq!(report.open, 0);
        if anew {
            assert_eq!(lines[0]["damage"], "part 1 with its 4 lines is missing");
        }
    }
}
