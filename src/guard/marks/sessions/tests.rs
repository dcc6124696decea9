//! Marks survive restarts; if they are unknown, everything counts as marked.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

const SECRET: Taint = Taint { corruption: false, secret: true };
const CORRUPTION: Taint = Taint { corruption: true, secret: false };

fn said(reason: &str) -> MarkCause {
    MarkCause::Said { reason: reason.to_owned() }
}

/// Sessions of four containers, in turn.
fn named(text: &str, number: usize) -> String {
    format!("{text}-{number}@{}", number % 4)
}

fn open(folder: &Path, recorded: &[&str]) -> SessionStore {
    SessionStore::open(folder, || recorded.iter().map(|&name| name.to_owned()).collect())
}

#[test]
fn marks_are_set_once_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = open(folder.path(), &[]);
    assert_eq!(sessions.taint("a"), Taint::NONE);
    assert_eq!(sessions.raise("a", SECRET, &said("first\u{1b}[2J")), SECRET);
    assert_eq!(sessions.raise("a", SECRET, &said("second")), Taint::NONE);
    assert_eq!(sessions.raise("a", Taint::BOTH, &said("third")), CORRUPTION);
    assert_eq!((sessions.taint("a"), sessions.taint("b")), (Taint::BOTH, Taint::NONE));
    let mark = sessions.find("a").unwrap().secret.unwrap();
    assert_eq!((mark.why.as_str(), mark.cause), ("the caller said: first[2J", Some(said("first[2J"))));
    drop(sessions);
    let again = open(folder.path(), &["a", "b", "c"]);
    assert_eq!(
        (again.taint("a"), again.taint("b"), again.taint("c")),
        (Taint::BOTH, Taint::NONE, Taint::NONE)
    );
    assert_eq!(again.trouble(), None);
    assert_eq!(again.find("a").unwrap().corruption.unwrap().cause, Some(said("third")));
    assert_eq!(again.clear("a"), Some(Taint::BOTH));
    assert_eq!(again.clear("nobody"), None);
    assert_eq!(open(folder.path(), &["a"]).taint("a"), Taint::NONE);
    let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_lost_store_marks_what_the_record_knows() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path(), &[]));
    let file = folder.path().join(FILE);
    let damages: [&dyn Fn(); 5] = [
        &|| std::fs::remove_file(&file).unwrap(),
        &|| std::fs::write(&file, "{\"version\":1,\"sess").unwrap(),
        &|| std::fs::write(&file, "{\"version\":2,\"sessions\":{}}").unwrap(),
        &|| std::fs::write(&file, "{\"version\":1,\"sessions\":{\"a\":{\"secret\":null}}}").unwrap(),
        &|| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap(),
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let old = format!("old-{number}");
        damage();
        let sessions = open(folder.path(), &[&old]);
        assert_eq!((sessions.taint(&old), sessions.taint("new")), (Taint::BOTH, Taint::NONE), "{number}");
        assert!(matches!(sessions.trouble(), Some(SessionStoreError::Lost(_))), "{number}");
        // Marks that replace lost ones are kept like all others.
        assert_eq!(open(folder.path(), &[]).taint(&old), Taint::BOTH, "{number}");
    }
    assert!(folder.path().join("sessions.json.damaged").exists());
    // At the first start nothing is lost.
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(open(folder.path(), &[]).trouble(), None);
}

#[test]
fn the_file_of_an_older_version_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    for (overflowed, new) in [(false, Taint::NONE), (true, Taint::BOTH)] {
        drop(open(folder.path(), &[]));
        let mark = "{\"since\":\"2026-11-26T10:00:00Z\",\"why\":\"x\"}";
        let text = format!(
            "{{\"version\":1,\"overflowed\":{overflowed},\"sessions\":{{\"a\":{{\"corruption\":null,\"secret\":{mark},\
             \"seen\":\"2026-11-26T10:00:00Z\"}}}}}}"
        );
        std::fs::write(&file, text).unwrap();
        for start in 0..2 {
            let sessions = open(folder.path(), &["a", "b"]);
            assert_eq!((sessions.taint("a"), sessions.taint("new")), (SECRET, new), "{overflowed} {start}");
            assert!(!matches!(sessions.trouble(), Some(SessionStoreError::Lost(_))), "{overflowed} {start}");
        }
    }
}

#[test]
fn what_cannot_be_written_counts_as_marked() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    std::fs::create_dir(&state).unwrap();
    let sessions = open(&state, &[]);
    std::fs::remove_dir_all(&state).unwrap();
    std::fs::write(&state, "no folder").unwrap();
    assert_eq!(sessions.taint("b"), Taint::NONE);
    sessions.raise("a", CORRUPTION, &said("x"));
    assert!(matches!(sessions.trouble(), Some(SessionStoreError::Unwritten(_))));
    assert_eq!((sessions.taint("a"), sessions.taint("b")), (Taint::BOTH, Taint::BOTH));
    std::fs::remove_file(&state).unwrap();
    std::fs::create_dir(&state).unwrap();
    sessions.save();
    assert_eq!(sessions.trouble(), None);
    assert_eq!((sessions.taint("a"), sessions.taint("b")), (CORRUPTION, Taint::NONE));
    assert_eq!(open(&state, &[]).taint("a"), CORRUPTION);
}

#[test]
fn memory_is_bounded_and_no_mark_is_forgotten_for_it() {
    let sessions = SessionStore::default();
    for number in 0..3 * MOST {
        assert_eq!(sessions.taint(&named("free", number)), Taint::NONE);
    }
    assert_eq!(sessions.list().len(), MOST);
    for number in 0..MOST {
        sessions.raise(&named("marked", number), SECRET, &said("x"));
    }
    assert_eq!((sessions.list().len(), sessions.marked()), (MOST, MOST));
    assert_eq!(sessions.trouble(), Some(SessionStoreError::Full));
    assert_eq!(sessions.taint("one-more@5"), Taint::BOTH);
    // Later free space does not clear the marks that could not be kept.
    sessions.clear("marked-0@0");
    assert_eq!(sessions.taint("one-more@5"), Taint::BOTH);
    assert_eq!(sessions.clear_all(), MOST);
    assert_eq!((sessions.taint("one-more@5"), sessions.trouble()), (Taint::NONE, None));
}

#[test]
fn an_old_marked_session_makes_room_last() {
    let sessions = SessionStore::default();
    for number in 0..MOST {
        sessions.raise(&named("marked", number), SECRET, &said("x"));
    }
    let long_ago = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(31 * 24);
    sessions.inner().known.get_mut("marked-7@3").unwrap().seen = long_ago;
    assert_eq!(sessions.taint("new"), Taint::NONE);
    assert!(sessions.find("marked-7@3").is_none() && sessions.find("marked-8@0").is_some());
}

#[test]
fn no_caller_takes_the_room_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = open(folder.path(), &[]);
    sessions.raise("a", SECRET, &said("x"));
    for number in 0..SHARE + 5 {
        sessions.raise(&format!("{number}@box"), SECRET, &said("x"));
    }
    assert_eq!(sessions.taint("late@box"), Taint::BOTH);
    assert_eq!(sessions.marked(), SHARE + 1);
    for store in [sessions, open(folder.path(), &[])] {
        let marks = ["fresh", "fresh@other", "a", "0@box", "late@box"].map(|name| store.taint(name));
        assert_eq!(marks, [Taint::NONE, Taint::NONE, SECRET, SECRET, Taint::BOTH]);
    }
}
