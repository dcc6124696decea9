use super::super::sqlite::SqliteOptions;
use super::super::trial::{at, identity, program, run};
use super::*;
use guarda_core::policy::history::OverrideKind;
use std::path::Path;

fn options(folder: &Path) -> SqliteOptions {
    SqliteOptions { patience: Duration::from_millis(50), ..SqliteOptions::in_folder(folder) }
}

fn start(folder: &Path) -> Registry {
    Registry::start(RegistryBackend::Sqlite(options(folder)), Thresholds::default(), true)
}

fn word(standing: OverrideKind) -> Option<Override> {
    Some(Override { kind: standing, reason: None, by: Some("ana".to_owned()) })
}

/// Waits until the store is tried again.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(1100)).await;
}

/// Writes over every page but the first ones, as a failing disk would.
fn damage(path: &Path) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let pages = file.metadata().unwrap().len() / 4096;
    assert!(pages > 2);
    for page in 1..pages {
        file.write_all_at(&[0x5a; 4096], page * 4096).unwrap();
    }
}

#[tokio::test]
async fn runs_are_counted_and_recalled() {
    let folder = tempfile::tempdir().unwrap();
    let registry = start(folder.path());
    assert_eq!(registry.recall(&identity("frob"), at(0)).await, History::default());
    registry.note(run("frob", 0)).await.unwrap();
    let history = registry.recall(&identity("frob"), at(1200)).await;
    assert_eq!((history.runs, history.successes, history.lost), (1, 1, None));
    assert_eq!(history.duplicate.unwrap().since.as_millis(), 1200);
    registry.say(&identity("frob"), word(OverrideKind::Never), at(0)).await.unwrap();
    let said = registry.recall(&identity("frob"), at(0)).await.user_override.unwrap();
    assert_eq!(said.kind, OverrideKind::Never);
    assert_eq!(registry.totals(at(0)).await.unwrap().runs, 1);
    assert_eq!(registry.status().lost, None);
    tokio::task::spawn_blocking(|| registry.close()).await.unwrap();
}

#[tokio::test]
async fn a_locked_registry_asks_and_counts_later() {
    let folder = tempfile::tempdir().unwrap();
    let registry = start(folder.path());
    registry.note(run("frob", 0)).await.unwrap();
    let other = rusqlite::Connection::open(options(folder.path()).path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(registry.note(run("frob", 20_000)).await, Err(StoreError::Locked));
    let history = registry.recall(&identity("frob"), at(40_000)).await;
    assert!(history.lost.unwrap().contains("locked"));
    assert_eq!(registry.status().waiting, 1);
    other.execute_batch("ROLLBACK").unwrap();
    pause().await;
    let history = registry.recall(&identity("frob"), at(40_000)).await;
    assert_eq!((history.lost, history.runs), (None, 2));
    let status = registry.status();
    assert_eq!((status.waiting, status.lost), (0, None));
}

#[tokio::test]
async fn a_damaged_file_is_set_aside_and_restrictions_survive() {
    let folder = tempfile::tempdir().unwrap();
    let path = options(folder.path()).path;
    let registry = start(folder.path());
    for number in 0..20 {
        registry.note(run("frob", number * 60_000)).await.unwrap();
    }
    registry.say(&identity("gone"), word(OverrideKind::Never), at(0)).await.unwrap();
    registry.say(&identity("fine"), word(OverrideKind::AlwaysAllow), at(0)).await.unwrap();
    assert_eq!(
        registry.recall(&identity("frob"), at(1_300_000)).await.learned,
        guarda_core::policy::history::Learned::AutoApprove
    );
    tokio::task::spawn_blocking(|| registry.close()).await.unwrap();
    // The index of the words is broken; the table is intact.
    let ruin = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'registry_words_said';";
    let broken = program("sqlite3").arg(&path).arg(ruin).output().unwrap();
    assert!(broken.status.success(), "{}", String::from_utf8_lossy(&broken.stderr));

    let registry = start(folder.path());
    let never = registry.recall(&identity("gone"), at(0)).await;
    assert_eq!(
        never.user_override.map(|word| word.kind),
        Some(OverrideKind::Never),
        "{:?}",
        registry.status()
    );
    assert_eq!(registry.recall(&identity("frob"), at(0)).await, History::default());
    assert_eq!(registry.recall(&identity("fine"), at(0)).await, History::default());
    let status = registry.status();
    assert_eq!(status.lost, None);
    assert!(status.notices.iter().any(|notice| notice.contains("set aside")), "{status:?}");
    registry.note(run("frob", 0)).await.unwrap();
    assert_eq!(registry.recall(&identity("frob"), at(0)).await.runs, 1);
}

#[tokio::test]
async fn a_file_that_is_damaged_while_it_is_open_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = options(folder.path()).path;
    let registry = start(folder.path());
    for number in 0..300 {
        registry.note(run(&format!("frob {number}"), 0)).await.unwrap();
    }
    let checkpoint = rusqlite::Connection::open(&path).unwrap();
    checkpoint.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(checkpoint);
    damage(&path);
    // Whatever the cached pages contain, the answer is never a permission, and the file is soon repaired.
    for number in 0..300 {
        let text = format!("frob {number}");
        registry.recall(&identity(&text), at(60_000)).await;
        let _ = registry.note(run(&text, 60_000)).await;
    }
    let status = registry.status();
    assert_eq!(status.lost, None, "{status:?}");
    assert!(status.notices.iter().any(|notice| notice.contains("set aside")), "{status:?}");
    let aside = std::fs::read_dir(folder.path()).unwrap().filter_map(Result::ok).any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.contains(".damaged-") && name.ends_with('Z')
    });
    assert!(aside);
    let check = program("sqlite3").arg(&path).arg("PRAGMA integrity_check").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&check.stdout), "ok\n");
}

#[tokio::test]
async fn only_the_one_that_may_sets_a_damaged_file_aside() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    std::fs::write(&options.path, "no database at all, but a text that somebody put here").unwrap();
    let registry = Registry::start(RegistryBackend::Sqlite(options.clone()), Thresholds::default(), false);
    assert!(registry.recall(&identity("frob"), at(0)).await.lost.unwrap().contains("damaged"));
    assert!(std::fs::read_to_string(&options.path).unwrap().starts_with("no database"));
}

#[tokio::test]
async fn a_removed_file_is_begun_anew_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = options(folder.path()).path;
    let registry = start(folder.path());
    registry.note(run("frob", 0)).await.unwrap();
    std::fs::remove_file(&path).unwrap();
    registry.note(run("frob", 60_000)).await.unwrap();
    assert_eq!(registry.recall(&identity("frob"), at(120_000)).await.runs, 1);
    assert!(path.exists());
    assert_eq!(registry.status().notices.len(), 1);
}

#[tokio::test]
async fn a_place_that_is_none_asks_everything_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = options(folder.path()).path;
    std::fs::create_dir(&path).unwrap();
    let registry = start(folder.path());
    for _ in 0..3 {
        assert!(registry.recall(&identity("frob"), at(0)).await.lost.is_some());
    }
    assert!(registry.note(run("frob", 0)).await.is_err());
    assert!(registry.status().lost.is_some());
    std::fs::remove_dir(&path).unwrap();
    pause().await;
    let history = registry.recall(&identity("frob"), at(60_000)).await;
    assert_eq!((history.lost, history.runs), (None, 1));
}

#[tokio::test]
async fn a_full_disk_asks_everything_but_restrictions_hold() {
    let folder = tempfile::tempdir().unwrap();
    let registry = start(folder.path());
    registry.say(&identity("gone"), word(OverrideKind::Never), at(0)).await.unwrap();
    registry.say(&identity("fine"), word(OverrideKind::AlwaysAllow), at(0)).await.unwrap();
    // A trigger refuses writes as a full disk or a read-only folder would. It is in the file, so it also
    // holds after the registry is reopened.
    let refuse = "CREATE TRIGGER full BEFORE UPDATE ON commands_registry BEGIN SELECT RAISE(ABORT, 'disk full'); END; \
                  CREATE TRIGGER full2 BEFORE INSERT ON commands_registry BEGIN SELECT RAISE(ABORT, 'disk full'); END;";
    let path = options(folder.path()).path;
    assert!(program("sqlite3").arg(&path).arg(refuse).output().unwrap().status.success());
    assert!(registry.note(run("frob", 0)).await.is_err());
    let fine = registry.recall(&identity("fine"), at(0)).await;
    assert!(fine.lost.unwrap().contains("disk full"));
    let gone = registry.recall(&identity("gone"), at(0)).await;
    assert_eq!(gone.user_override.unwrap().kind, OverrideKind::Never);
    let mend = "DROP TRIGGER full; DROP TRIGGER full2";
    assert!(program("sqlite3").arg(&path).arg(mend).output().unwrap().status.success());
    pause().await;
    let history = registry.recall(&identity("frob"), at(60_000)).await;
    assert_eq!((history.lost, history.runs), (None, 1));
}

#[tokio::test]
async fn many_at_once_are_all_counted() {
    let folder = tempfile::tempdir().unwrap();
    let registry = std::sync::Arc::new(start(folder.path()));
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let registry = std::sync::Arc::clone(&registry);
            tokio::spawn(async move {
                for number in 0..25 {
                    registry.note(run("frob", number)).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(registry.recall(&identity("frob"), at(0)).await.runs, 200);
}
