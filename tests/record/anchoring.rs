//! A record that was removed, or replaced by an older copy, is behind its anchor.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use guarda_journal::verify::What;
use guarda_journal::{
    Anchors, Journal, JournalConfig, RecordWarning, Retention, VerifyReport, verify_against,
};

use crate::bench::*;

/// The journal in one folder and its key in another, as in the service.
fn config(place: &Path) -> JournalConfig {
    JournalConfig { keys: place.join("keys"), ..JournalConfig::new(place.join("journal")) }
}

fn write(place: &Path, times: usize) -> Vec<RecordWarning> {
    let journal = Journal::open(config(place)).unwrap();
    for _ in 0..times {
        now(journal.advise(&judgement(command("s", "rm x")), &caller())).unwrap();
    }
    journal.shut();
    journal.warnings().to_vec()
}

fn check(place: &Path) -> VerifyReport {
    let keys = place.join("keys");
    let key = guarda_journal::anchor::public(&keys);
    verify_against(&place.join("journal"), key.as_deref(), &Anchors::of(&keys).unwrap()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::DirBuilder::new().mode(0o700).create(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn whatever_sets_a_record_back_is_found() {
    type Attack = fn(&Path);
    let table: [(&str, Attack, Option<What>); 8] = [
        ("nothing", |_| (), None),
        ("the folder removed", |p| std::fs::remove_dir_all(p.join("journal")).unwrap(), Some(What::Missing)),
        (
            "everything in it removed",
            |p| {
                std::fs::remove_dir_all(p.join("journal")).unwrap();
                std::fs::create_dir(p.join("journal")).unwrap();
            },
            Some(What::Missing),
        ),
        (
            "that, and the anchor",
            |p| {
                std::fs::remove_dir_all(p.join("journal")).unwrap();
                std::fs::create_dir(p.join("journal")).unwrap();
                std::fs::remove_file(p.join("keys/journal.anchor")).unwrap();
            },
            Some(What::Missing),
        ),
        ("an older copy put back", |p| copy(&p.join("old"), &p.join("journal")), Some(What::Cut)),
        (
            "that, and the anchor removed",
            |p| {
                copy(&p.join("old"), &p.join("journal"));
                std::fs::remove_file(p.join("keys/journal.anchor")).unwrap();
            },
            Some(What::Missing),
        ),
        (
            "the anchor changed",
            |p| {
                let anchor = p.join("keys/journal.anchor");
                let text = std::fs::read_to_string(&anchor).unwrap().replacen("\"lines\":", "\"lines\":1", 1);
                std::fs::write(anchor, text).unwrap();
            },
            Some(What::Unsigned),
        ),
        (
            "an anchor that lags",
            |p| std::fs::copy(p.join("anchor"), p.join("keys/journal.anchor")).map(drop).unwrap(),
            None,
        ),
    ];
    for (said, attack, found) in table {
        let place = tempfile::tempdir().unwrap();
        let path = place.path();
        assert_eq!(write(path, 3), []);
        copy(&path.join("journal"), &path.join("old"));
        std::fs::copy(path.join("keys/journal.anchor"), path.join("anchor")).unwrap();
        assert_eq!(write(path, 3), [], "{said}");
        attack(path);
        let report = check(path);
        assert_eq!(report.faults.first().map(|fault| fault.what), found, "{said}: {report:?}");
        // A start tells it as well, and does not wash it clean.
        let warnings = write(path, 1);
        assert_eq!(warnings.is_empty(), found.is_none(), "{said}: {warnings:?}");
        write(path, 20);
        let faults = check(path).faults;
        assert_eq!(faults.is_empty(), found.is_none(), "{said}, later: {faults:?}");
    }
}

#[test]
fn what_the_guard_puts_aside_and_deletes_is_no_attack() {
    let place = tempfile::tempdir().unwrap();
    let keeping = Retention { file_bytes: 2_000, delete_above: Some(1_000), ..Retention::default() };
    for _ in 0..4 {
        let journal =
            Journal::open(JournalConfig { keeping: keeping.clone(), ..config(place.path()) }).unwrap();
        assert_eq!(journal.warnings(), Vec::<RecordWarning>::new());
        for _ in 0..12 {
            now(journal.advise(&judgement(command("s", "rm x")), &caller())).unwrap();
        }
        // While it is open the anchor lags behind.
        assert!(check(place.path()).is_sound(), "{:?}", check(place.path()));
        now(journal.turn()).unwrap();
        journal.shut();
        assert!(check(place.path()).is_sound(), "{:?}", check(place.path()));
    }
    let notes = check(place.path()).notes;
    assert!(
        notes.iter().any(|note| note.to_string().contains("was deleted when its time was over")),
        "{notes:?}"
    );
}

#[test]
fn another_folder_is_a_new_record() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), 2);
    let moved = JournalConfig { folder: place.path().join("elsewhere"), ..config(place.path()) };
    let journal = Journal::open(moved).unwrap();
    assert!(matches!(journal.warnings(), [RecordWarning::Moved(_)]), "{:?}", journal.warnings());
    journal.shut();
    let anchors = Anchors::of(&place.path().join("keys")).unwrap();
    let report = verify_against(&place.path().join("elsewhere"), None, &anchors).unwrap();
    assert!(report.is_sound(), "{report:?}");
}

#[test]
fn a_copy_of_the_anchor_elsewhere_tells_where_its_own_was_set_back_too() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    write(path, 3);
    copy(&path.join("journal"), &path.join("old"));
    copy(&path.join("keys"), &path.join("old-keys"));
    let journal = Journal::open(config(path)).unwrap();
    for _ in 0..3 {
        now(journal.advise(&judgement(command("s", "rm x")), &caller())).unwrap();
    }
    journal.shut();
    let (kept, key) = (journal.anchor().unwrap(), journal.key().unwrap());
    drop(journal);
    copy(&path.join("old"), &path.join("journal"));
    copy(&path.join("old-keys"), &path.join("keys"));
    assert!(check(path).is_sound(), "by what lies in the state folder alone nothing is amiss");
    let anchors =
        Anchors::of(&path.join("keys")).unwrap().with("the registry", &key, Ok(Some(kept.to_string())));
    let report = verify_against(&path.join("journal"), Some(&key), &anchors).unwrap();
    assert_eq!(report.faults.first().map(|fault| fault.what), Some(What::Cut), "{report:?}");
    let journal = Journal::open(config(path)).unwrap();
    let told = journal.compare(&kept, "the registry").unwrap().unwrap();
    let told = told.to_string();
    assert!(told.contains("the registry") && told.contains("lines of session s are gone"), "{told}");
    journal.shut();
    assert!(check(path).faults.iter().any(|fault| fault.what == What::PutAside));
}
