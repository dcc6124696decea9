use super::*;
use crate::chain::hash;
use crate::{Journal, JournalConfig};
use std::path::PathBuf;

fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
}

fn open(place: &Path) -> Journal {
    private(place);
    Journal::open(JournalConfig { keys: place.to_owned(), ..JournalConfig::new(place.join("journal")) })
        .unwrap()
}

async fn give(journal: &Journal, command_hash: &str, grant: Grant, given: bool) {
    let step = GrantStep {
        command_hash,
        command: "touch x",
        folder: "/",
        grant,
        given,
        channel: Some("keys"),
        reason: None,
        terms: None,
    };
    journal.grant(&step).await.unwrap();
}

fn granted(place: &Path) -> Vec<String> {
    let journal = open(place);
    let mut known: Vec<String> = journal.carried().grants.iter().map(|(hash, _)| hash.clone()).collect();
    known.sort();
    known
}

fn file(place: &Path) -> PathBuf {
    place.join("journal").join(file_of(SESSION))
}

/// Adds a line that follows the chain, as any program of the user can.
fn forge(place: &Path, command_hash: &str) {
    let text = std::fs::read_to_string(file(place)).unwrap();
    let last = text.lines().last().unwrap();
    let mut fields: serde_json::Value = serde_json::from_str(last).unwrap();
    fields["prev"] = super::super::chain::hex(&hash(last.as_bytes())).into();
    fields["line"] = text.lines().count().into();
    fields["event"] = "granted".into();
    fields["kind"] = "always_allow".into();
    fields["user_decision"] = "approve".into();
    fields["digest"] = command_hash.into();
    std::fs::write(file(place), format!("{text}{fields}\n")).unwrap();
}

/// The record as a killed guard leaves it, with everything signed.
fn killed(place: &Path, journal: &Journal) -> tempfile::TempDir {
    let lines = || std::fs::read_to_string(file(place)).unwrap().lines().count() as u64;
    let signed = || {
        let table =
            super::super::files::checkpoints::read(&Folder::open(journal.folder()).unwrap(), None).unwrap();
        let super::super::files::checkpoints::TableCheck::Signed(table) = table else { return 0 };
        table.heads.get(SESSION).and_then(|parts| parts.values().last()).map_or(0, |head| head.lines)
    };
    while signed() < lines() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let copy = tempfile::tempdir().unwrap();
    std::fs::create_dir(copy.path().join("journal")).unwrap();
    for name in ["journal.key", "journal.pub", "journal.anchor"] {
        let _ = std::fs::copy(place.join(name), copy.path().join(name));
    }
    for entry in std::fs::read_dir(journal.folder()).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), copy.path().join("journal").join(entry.file_name())).unwrap();
        }
    }
    private(&copy.path().join("journal"));
    copy
}

#[tokio::test]
async fn what_was_given_and_not_withdrawn_counts_after_a_restart() {
    let place = tempfile::tempdir().unwrap();
    let journal = open(place.path());
    give(&journal, "aa", Grant::AlwaysAllow, true).await;
    give(&journal, "bb", Grant::AlwaysAllow, true).await;
    give(&journal, "bb", Grant::AlwaysAllow, false).await;
    give(&journal, "cc", Grant::AutoApprove, true).await;
    journal.guessed("http").unwrap();
    journal.turn().await.unwrap();
    give(&journal, "dd", Grant::AlwaysAllow, true).await;
    journal.shut();
    drop(journal);
    let again = open(place.path());
    let carried = again.carried();
    assert_eq!(carried.grants.len(), 3);
    assert!(carried.grants.contains(&("cc".to_owned(), Grant::AutoApprove)), "of a file that is archived");
    assert_eq!((carried.loose.len(), carried.wrong_codes.len()), (0, 1));
    drop(again);
    // Nothing signed says so any more.
    std::fs::remove_file(place.path().join("journal/heads")).unwrap();
    assert_eq!(granted(place.path()), Vec::<String>::new());
}

#[tokio::test]
async fn trust_for_a_session_carries_nothing_and_takes_nothing_away() {
    let place = tempfile::tempdir().unwrap();
    let journal = open(place.path());
    give(&journal, "aa", Grant::TrustedFolder, true).await;
    // One word for the session that is not signed, and one that is withdrawn, about the same folder.
    give(&journal, "aa", Grant::SessionFolder, true).await;
    give(&journal, "bb", Grant::SessionFolder, true).await;
    give(&journal, "aa", Grant::SessionFolder, false).await;
    journal.shut();
    drop(journal);
    for _ in 0..2 {
        let again = open(place.path());
        let carried = again.carried();
        assert!(carried.grants.is_empty() && carried.loose.is_empty(), "{carried:?}");
        assert_eq!(carried.folders.keys().collect::<Vec<_>>(), [Path::new("/")]);
    }
}

#[tokio::test]
async fn a_line_that_nobody_signed_counts_neither_at_the_next_start_nor_later() {
    let place = tempfile::tempdir().unwrap();
    let journal = open(place.path());
    give(&journal, "aa", Grant::AlwaysAllow, true).await;
    // After kill -9: the file is open, and a line that follows is taken for one of the last second.
    let copy = killed(place.path(), &journal);
    forge(copy.path(), "ee");
    for start in 0..3 {
        assert_eq!(granted(copy.path()), ["aa"], "start {start}");
    }
    // After an orderly end, an added line makes the file foreign as a whole.
    drop(journal);
    forge(place.path(), "ee");
    for start in 0..3 {
        assert_eq!(granted(place.path()), Vec::<String>::new(), "start {start}");
    }
    // A file that nobody has begun.
    let place = tempfile::tempdir().unwrap();
    drop(open(place.path()));
    std::fs::copy(file(copy.path()), file(place.path())).unwrap();
    for start in 0..3 {
        assert_eq!(granted(place.path()), Vec::<String>::new(), "start {start}");
    }
}

#[tokio::test]
async fn an_older_copy_brings_nothing_back() {
    let place = tempfile::tempdir().unwrap();
    let journal = open(place.path());
    give(&journal, "aa", Grant::AlwaysAllow, true).await;
    let copy = killed(place.path(), &journal);
    give(&journal, "aa", Grant::AlwaysAllow, false).await;
    drop(journal);
    // The record alone is put back; its anchor beside the key has seen more.
    std::fs::remove_dir_all(place.path().join("journal")).unwrap();
    std::fs::rename(copy.path().join("journal"), place.path().join("journal")).unwrap();
    assert_eq!(granted(place.path()), Vec::<String>::new());
}
