use super::super::trial::{self, TestStore};
use super::super::{EndedRun, RowQuery, RunEnd, Store, Thresholds, Which};
use super::*;
use guarda_core::policy::history::{Override, OverrideKind};

fn open(options: &SqliteOptions) -> Store {
    Store::new(Sqlite::open(options).unwrap())
}

fn bench() -> TestStore {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::in_folder(folder.path());
    TestStore { store: open(&options), keep: Box::new(folder) }
}

#[test]
fn it_does_what_a_store_does() {
    trial::all(&mut || bench());
}

/// Runs a statement in the real `sqlite3`, as a person might.
fn sqlite3(path: &Path, sql: &str) -> String {
    let output = trial::program("sqlite3").arg("-batch").arg(path).arg(format!(" {sql}")).output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_printed_queries_of_the_seed_work_as_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::in_folder(folder.path());
    let mut store = open(&options);
    let thresholds = Thresholds { promote_runs: 100, ..Thresholds::default() };
    for number in 0..25 {
        store.note(&trial::run("frobnicate --all", number * 60_000), &thresholds).unwrap();
    }
    let mut risky = trial::run("curl https://api.example.com", 5000);
    risky.risk = 0.8;
    store.note(&risky, &thresholds).unwrap();
    let path = &options.path;

    let at_risk = "SELECT command_text, risk_score, execution_count\nFROM commands_registry\nWHERE risk_score >= 0.7\n\
                   ORDER BY risk_score DESC;";
    let risky_line = sqlite3(path, at_risk);
    assert!(risky_line.starts_with("curl https://api.example.com|0.8"), "{risky_line}");
    assert!(sqlite3(path, "SELECT * FROM promotion_candidates;").contains("frobnicate --all|"));
    let frequent = "SELECT command_text, execution_count,\n       ROUND(CAST(success_count AS FLOAT) / execution_count * \
                    100, 2) as success_rate\nFROM commands_registry\nWHERE execution_count > 10\n\
                    ORDER BY execution_count DESC\nLIMIT 20;";
    assert_eq!(sqlite3(path, frequent), "frobnicate --all|25|100.0\n");
    let hash = sqlite3(path, "SELECT command_hash FROM commands_registry WHERE risk_score >= 0.7");
    let hash = hash.trim();
    let policy = format!(
        "SELECT command_text, current_policy, risk_score\nFROM commands_registry WHERE command_hash = '{hash}';"
    );
    assert!(sqlite3(path, &policy).starts_with("curl https://api.example.com|ask_warning|0.8"));
    sqlite3(
        path,
        &format!(
            "UPDATE commands_registry\nSET user_override = 'always_allow', user_override_reason = 'Validé \
             manuellement'\nWHERE command_hash = '{hash}';"
        ),
    );
    // Overrides that a person writes there apply at once, even while the registry is open.
    let word = store.look(&risky.identity).unwrap().here.unwrap().user_override.unwrap();
    assert_eq!(word.kind, OverrideKind::AlwaysAllow);
    assert_eq!(word.reason.as_deref(), Some("Validé manuellement"));

    assert_eq!(sqlite3(path, "SELECT value FROM schema_metadata WHERE key = 'version'"), "1.0.0\n");
    assert!(sqlite3(path, "SELECT * FROM command_stats").contains("|25|25|0|100.0|"));
    assert!(sqlite3(path, "SELECT * FROM high_risk_commands").contains("curl"));
    assert_eq!(sqlite3(path, "PRAGMA journal_mode"), "wal\n");
    assert_eq!(sqlite3(path, "PRAGMA integrity_check"), "ok\n");
    let stamps =
        sqlite3(path, "SELECT last_100_timestamps FROM commands_registry WHERE execution_count = 25");
    assert_eq!(stamps.trim().split(';').count(), 25);
    for wrong in [
        "UPDATE commands_registry SET user_override = 'maybe'",
        "UPDATE commands_registry SET current_policy = 'unknown'",
        "UPDATE commands_registry SET risk_score = 60",
    ] {
        let output = trial::program("sqlite3").arg(path).arg(wrong).output().unwrap();
        assert!(!output.status.success(), "{wrong}");
    }
}

#[test]
fn a_database_of_the_seeds_own_project_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::in_folder(folder.path());
    sqlite3(&options.path, STEPS[0]);
    sqlite3(
        &options.path,
        "INSERT INTO commands_registry (command_hash, command_text, first_seen, execution_count, created_at, updated_at)
         VALUES ('aa', 'ls /workspace', 1, 3, 1, 1)",
    );
    let mut store = open(&options);
    let rows = store.list(&RowQuery { which: Which::All, most: 0 }).unwrap();
    assert_eq!((rows[0].command_text.as_str(), rows[0].execution_count), ("ls /workspace", 3));
    drop(store);
    // Reopening it changes nothing.
    let store = Sqlite::open(&options).unwrap();
    assert_eq!(version(&store.connection).unwrap(), 2);
}

#[test]
fn statistics_that_are_no_json_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::in_folder(folder.path());
    let mut store = open(&options);
    store.note(&trial::run("ls", 0), &Thresholds::default()).unwrap();
    sqlite3(
        &options.path,
        "UPDATE commands_registry SET typical_exit_codes = '{', common_errors = 'none', last_100_timestamps = 'x;1'",
    );
    store
        .note(&EndedRun { end: RunEnd::Exit(2), ..trial::run("ls", 60_000) }, &Thresholds::default())
        .unwrap();
    let row = store.list(&RowQuery { which: Which::All, most: 0 }).unwrap().remove(0);
    assert_eq!((row.typical_exit_codes.as_str(), row.common_errors.as_str()), (r#"{"2":1}"#, r#"["2"]"#));
    assert_eq!(row.last_100_timestamps.unwrap(), format!("1;{}", trial::at(60_000).as_second()));
}

#[test]
fn a_newer_schema_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::in_folder(folder.path());
    drop(Sqlite::open(&options).unwrap());
    sqlite3(&options.path, "PRAGMA user_version = 99");
    assert_eq!(Sqlite::open(&options).unwrap_err(), StoreError::Newer { found: 99, known: 2 });
}

#[test]
fn the_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::in_folder(&folder.path().join("state"));
    let mut store = open(&options);
    store.note(&trial::run("ls", 0), &Thresholds::default()).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path().join("state")), 0o700);
    for entry in std::fs::read_dir(folder.path().join("state")).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{path:?}");
    }
    drop(store);
    std::fs::set_permissions(&options.path, std::fs::Permissions::from_mode(0o644)).unwrap();
    drop(Sqlite::open(&options).unwrap());
    assert_eq!(mode(&options.path), 0o600);
}

#[test]
fn a_link_or_a_folder_is_not_taken_for_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("other"), "").unwrap();
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(folder.path().join("other"), &link).unwrap();
    for path in [link, folder.path().to_owned()] {
        let options = SqliteOptions { path, patience: Duration::ZERO };
        assert!(matches!(Sqlite::open(&options), Err(StoreError::Unreachable(_))));
    }
}

#[test]
fn a_removed_file_is_noticed_before_anything_is_written_to_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::in_folder(folder.path());
    let mut store = open(&options);
    std::fs::remove_file(&options.path).unwrap();
    let run = trial::run("ls", 0);
    assert!(matches!(store.note(&run, &Thresholds::default()), Err(StoreError::Unreachable(_))));
    assert!(matches!(store.look(&run.identity), Err(StoreError::Unreachable(_))));
}

#[test]
fn another_program_that_holds_it_is_not_waited_for_forever() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        SqliteOptions { patience: Duration::from_millis(20), ..SqliteOptions::in_folder(folder.path()) };
    let mut store = open(&options);
    let run = trial::run("ls", 0);
    store.note(&run, &Thresholds::default()).unwrap();
    let other = Connection::open(&options.path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(store.note(&run, &Thresholds::default()), Err(StoreError::Locked));
    // Meanwhile, reads still work.
    assert_eq!(store.look(&run.identity).unwrap().here.unwrap().runs, 1);
    other.execute_batch("ROLLBACK").unwrap();
    store.note(&run, &Thresholds::default()).unwrap();
    assert_eq!(store.look(&run.identity).unwrap().here.unwrap().runs, 2);
}

#[test]
fn damage_is_known_as_damage_and_moved_aside_whole() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::in_folder(folder.path());
    std::fs::write(&options.path, "this is no database, and long enough to be looked at as one").unwrap();
    assert!(matches!(Sqlite::open(&options), Err(StoreError::Damaged(_))));
    let at: jiff::Timestamp = "2026-11-21T23:15:00Z".parse().unwrap();
    let aside = quarantine(&options.path, at).unwrap();
    assert_eq!(aside.file_name().unwrap(), "command_security.db.damaged-20261121T231500Z");
    assert!(std::fs::read_to_string(&aside).unwrap().starts_with("this is no database"));
    // A second one in the same second does not overwrite the first.
    std::fs::write(&options.path, "again no database").unwrap();
    assert_ne!(quarantine(&options.path, at).unwrap(), aside);
    drop(Sqlite::open(&options).unwrap());
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(48))]

    /// With two writers, each sees at once what the file holds: a cached answer is never outdated.
    #[test]
    fn what_was_looked_up_lately_is_what_the_file_holds(
        deeds in proptest::collection::vec((0_u8..2, 0_u8..6, 0_usize..3), 1..24)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::in_folder(folder.path());
        let mut stores = [open(&options), open(&options)];
        // The first two have the same words in two folders: a restriction of one applies to the other.
        let mut identities = ["ls a", "ls a", "rm b"].map(trial::identity);
        identities[1].command_hash = "1".repeat(64);
        for (time, (who, what, which)) in deeds.into_iter().enumerate() {
            let at = trial::at(i64::try_from(time).unwrap() * 1000);
            let (store, identity) = (&mut stores[usize::from(who)], &identities[which]);
            let word = |standing| Override { kind: standing, reason: None, by: None };
            match what {
                0 | 1 => {
                    let run = EndedRun { identity: identity.clone(), ..trial::run("ls a", at.as_millisecond()) };
                    store.note(&run, &Thresholds::default()).map(drop).unwrap();
                }
                2 => store.say(identity, Some(&word(OverrideKind::Never)), at).unwrap(),
                3 => drop(store.say_of(&identity.command_hash, Some(&word(OverrideKind::AlwaysAsk)), at).unwrap()),
                4 => drop(store.forget(&identity.command_hash).unwrap()),
                _ => drop(store.tidy(at, &Thresholds::default()).unwrap()),
            }
            for identity in &identities {
                let now = stores[0].look_up(identity).unwrap();
                for store in &mut stores {
                    proptest::prop_assert_eq!(&store.look(identity).unwrap(), &now);
                }
            }
        }
    }
}
