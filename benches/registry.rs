//! What a look-up costs in a registry of a million commands, beside one in an empty registry, and what memory it takes.
//!
//! `cargo bench --bench registry`. The size of the process before and after stands above the table.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench may stop loudly, and prints what it measures"
)]

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use divan::{Bencher, black_box};
use guarda::record::registry::sqlite::{Sqlite, SqliteOptions};
use guarda::record::registry::{End, Identity, Run, Store, Thresholds};

/// Commands in the full registry.
const MANY: u64 = 1_000_000;

/// Where the registries lie; removed at the end.
static PLACE: OnceLock<PathBuf> = OnceLock::new();

thread_local! {
    static EMPTY: RefCell<(Sqlite, Vec<Identity>)> = RefCell::new(registry(0));
    static FULL: RefCell<(Sqlite, Vec<Identity>)> = RefCell::new(registry(MANY));
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    PLACE.get_or_init(|| folder.path().to_owned());
    FULL.with_borrow_mut(|(store, known)| {
        let before = resident();
        for identity in known.iter().cycle().take(200_000) {
            black_box(store.look(identity).expect("it is there"));
        }
        println!("resident after 200,000 look-ups among {MANY}: {} KiB, before: {before} KiB", resident());
    });
    divan::main();
}

/// The physical memory of this process, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// A registry of so many commands, and a thousand identities in it, or what they could be.
fn registry(commands: u64) -> (Sqlite, Vec<Identity>) {
    let folder = PLACE.get().expect("main made it").join(commands.to_string());
    let options = SqliteOptions::in_folder(&folder);
    drop(Sqlite::open(&options).expect("it opens"));
    fill(&options.path, commands);
    let mut known: Vec<Identity> = identities(&options.path);
    known.extend((known.len()..1000).map(|number| Identity {
        command_hash: format!("{number:064x}"),
        argv_hash: format!("{:064x}", number + 7),
        text: "frobnicate".to_owned(),
        folder: "/".to_owned(),
        profile: "desktop".to_owned(),
        program_digest: String::new(),
    }));
    (Sqlite::open(&options).expect("it opens"), known)
}

fn fill(path: &Path, commands: u64) {
    let connection = rusqlite::Connection::open(path).expect("it opens");
    let sql = "WITH RECURSIVE number(n) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
        INSERT INTO commands_registry (command_hash, argv_hash, command_text, folder, profile, first_seen, last_executed,
            last_executed_ms, execution_count, success_count, user_override, created_at, updated_at)
        SELECT lower(hex(randomblob(32))), lower(hex(randomblob(32))), 'frobnicate --number ' || n, '/home/ana', 'desktop',
            1790000000, 1790000000 + n, (1790000000 + n) * 1000, n % 50, n % 50,
            CASE n % 1000 WHEN 0 THEN 'never' END, 1790000000, 1790000000
        FROM number";
    connection.execute(sql, [commands]).expect("it is filled");
}

fn identities(path: &Path) -> Vec<Identity> {
    let connection = rusqlite::Connection::open(path).expect("it opens");
    let sql = "SELECT command_hash, argv_hash FROM commands_registry WHERE rowid % 1009 = 0 LIMIT 1000";
    let mut select = connection.prepare(sql).expect("it is SQL");
    let rows = select.query_map([], |row| {
        Ok(Identity {
            command_hash: row.get(0)?,
            argv_hash: row.get(1)?,
            text: "frobnicate".to_owned(),
            folder: "/".to_owned(),
            profile: "desktop".to_owned(),
            program_digest: String::new(),
        })
    });
    rows.expect("rows").filter_map(Result::ok).collect()
}

/// A look-up by identity: this very command, and the restrictions on its words.
#[divan::bench(args = ["empty", "full"], sample_count = 200, sample_size = 200)]
fn look(bencher: Bencher<'_, '_>, which: &str) {
    let registry = if which == "empty" { &EMPTY } else { &FULL };
    registry.with_borrow_mut(|(store, known)| {
        let mut next = known.iter().cycle();
        bencher.bench_local(|| next.next().map(|identity| black_box(store.look(identity))));
    });
}

/// A look-up of what is not there, which is what a new command costs.
#[divan::bench(args = ["empty", "full"], sample_count = 200, sample_size = 200)]
fn look_in_vain(bencher: Bencher<'_, '_>, which: &str) {
    let registry = if which == "empty" { &EMPTY } else { &FULL };
    registry.with_borrow_mut(|(store, known)| {
        let unknown: Vec<Identity> = known
            .iter()
            .map(|identity| Identity {
                command_hash: identity.command_hash.chars().rev().collect(),
                argv_hash: identity.argv_hash.chars().rev().collect(),
                ..identity.clone()
            })
            .collect();
        let mut next = unknown.iter().cycle();
        bencher.bench_local(|| next.next().map(|identity| black_box(store.look(identity))));
    });
}

/// Counting a run; it ends with the file on the disk.
#[divan::bench(args = ["empty", "full"], sample_count = 50, sample_size = 1)]
fn note(bencher: Bencher<'_, '_>, which: &str) {
    let registry = if which == "empty" { &EMPTY } else { &FULL };
    registry.with_borrow_mut(|(store, known)| {
        let mut next = known.iter().cycle();
        bencher.bench_local(|| {
            let identity = next.next().expect("a thousand").clone();
            let run = Run {
                identity,
                at: jiff::Timestamp::now(),
                end: End::Exit(0),
                duration: std::time::Duration::from_millis(3),
                risk: 0.1,
                tags: Vec::new(),
                allowed: true,
                held_back: None,
                tainted: false,
            };
            black_box(store.note(&run, &Thresholds::default())).expect("it is counted")
        });
    });
}
