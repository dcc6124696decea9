//! The time of a look-up in a registry of a million commands, and its memory: next to an empty registry for
//! unknown commands, and next to one of a thousand commands for known ones.
//!
//! `cargo bench --bench registry`. The process's size before and after is printed above the table.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench may stop loudly, and prints what it measures"
)]

mod filled;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::OnceLock;

use divan::{Bencher, black_box};
use guarda::registry::{EndedRun, Identity, RunEnd, Store, Thresholds};

use filled::ASKED;

/// Commands in the full registry.
const MANY: u64 = 1_000_000;

/// The folder of the registries, removed at the end.
static PLACE: OnceLock<PathBuf> = OnceLock::new();

thread_local! {
    static EMPTY: RefCell<(Store, Vec<Identity>)> = RefCell::new(registry(0));
    static SMALL: RefCell<(Store, Vec<Identity>)> = RefCell::new(registry(ASKED as u64));
    static FULL: RefCell<(Store, Vec<Identity>)> = RefCell::new(registry(MANY));
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

fn registry(commands: u64) -> (Store, Vec<Identity>) {
    filled::registry(PLACE.get().expect("main made it"), commands)
}

/// A look-up by identity: this command, and the restrictions on its words.
#[divan::bench(args = ["small", "full"], sample_count = 200, sample_size = 200)]
fn look(bencher: Bencher<'_, '_>, which: &str) {
    let registry = if which == "small" { &SMALL } else { &FULL };
    registry.with_borrow_mut(|(store, known)| {
        for identity in known.iter() {
            black_box(store.look(identity).expect("it is there"));
        }
        let mut next = known.iter().cycle();
        bencher.bench_local(|| next.next().map(|identity| black_box(store.look(identity))));
    });
}

/// A look-up of an unknown command, as every new command causes.
#[divan::bench(args = ["empty", "small", "full"], sample_count = 200, sample_size = 200)]
fn look_in_vain(bencher: Bencher<'_, '_>, which: &str) {
    let registry = match which {
        "empty" => &EMPTY,
        "small" => &SMALL,
        _ => &FULL,
    };
    registry.with_borrow_mut(|(store, known)| {
        let unknown = filled::others(known);
        for identity in &unknown {
            black_box(store.look(identity).expect("it is looked for"));
        }
        let mut next = unknown.iter().cycle();
        bencher.bench_local(|| next.next().map(|identity| black_box(store.look(identity))));
    });
}

/// Counting a run, which ends with the file on disk.
#[divan::bench(args = ["empty", "full"], sample_count = 50, sample_size = 1)]
fn note(bencher: Bencher<'_, '_>, which: &str) {
    let registry = if which == "empty" { &EMPTY } else { &FULL };
    registry.with_borrow_mut(|(store, known)| {
        let mut next = known.iter().cycle();
        bencher.bench_local(|| {
            let identity = next.next().expect("a thousand").clone();
            let run = EndedRun {
                identity,
                at: jiff::Timestamp::now(),
                end: RunEnd::Exit(0),
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
