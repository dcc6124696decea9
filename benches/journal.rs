//! How many deeds per second the record can write with every line on disk before its caller is told, next to
//! the disk's own limit: lines of the same size, each followed by `fdatasync`.
//!
//! `cargo bench --bench journal`; `GUARDA_BENCH_FOLDER` names a folder on the disk to measure.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench prints, and may stop loudly"
)]

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use guarda_core::gate::{Number, Passage, Says, enter};
use guarda_core::judge::judge;
use guarda_core::output::{Ended, RawOutput, clean};
use guarda_core::policy::{Policy, Profile, Situation};
use guarda_journal::{Caller, Journal, JournalConfig};

/// How long each row is measured.
const TIME: Duration = Duration::from_secs(3);

fn main() {
    let place = std::env::var_os("GUARDA_BENCH_FOLDER").unwrap_or_else(|| "target".into());
    let place = tempfile::tempdir_in(place).expect("a folder to write to");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let size = runtime.block_on(line_size(&place.path().join("sample")));
    println!("lines of {size} bytes; {} s a row", TIME.as_secs());
    println!("{:<34} {:>12} {:>14}", "", "lines/s", "deeds/s");
    let bare = bare(&place.path().join("bare"), size);
    println!("{:<34} {bare:>12.0} {:>14.0}", "bare write + fdatasync, one by one", bare / 2.0);
    for clients in [1, 8, 64, 256] {
        let folder = place.path().join(format!("journal-{clients}"));
        let deeds = runtime.block_on(journal(&folder, clients));
        println!("{:<34} {:>12.0} {deeds:>14.0}", format!("journal, {clients} at once"), deeds * 2.0);
    }
    let again = self::bare(&place.path().join("bare"), size);
    println!("{:<34} {again:>12.0} {:>14.0}", "bare, again", again / 2.0);
}

fn bare(path: &Path, size: usize) -> f64 {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("a file");
    let line = vec![b'x'; size];
    let (begun, mut lines) = (Instant::now(), 0_u32);
    while begun.elapsed() < TIME {
        file.write_all(&line).and_then(|()| file.sync_data()).expect("a write");
        lines += 1;
    }
    f64::from(lines) / begun.elapsed().as_secs_f64()
}

/// One deed from intent to outcome, both on disk.
async fn deed(journal: &Journal, policy: &Policy) {
    let request = serde_json::json!({"action": "RUN_COMMAND", "target": "rm notes.txt", "session": "bench",
        "reasoning": "you said: delete my notes"});
    let request = serde_json::from_value(request).expect("a request");
    let proposal = guarda_core::action::Proposal::parse(request).expect("a proposal");
    let judgement = judge(policy, proposal, &Situation::default());
    let Passage::Ask(pending) = enter(judgement, guarda_core::gate::Runner::Caller, Number([7; 16]), true)
    else {
        return;
    };
    let yes = pending.question().answer(Says::Yes { channel: "keys".to_owned() });
    let approved = pending.settle(yes).expect("an approval");
    let warrant = journal.intend(approved, &Caller::default()).await.expect("an intent");
    let output = clean(RawOutput::quiet(Ended::Finished, Duration::from_millis(1)));
    journal.close(warrant.begin(), &output).await.expect("an outcome");
}

async fn line_size(folder: &Path) -> usize {
    let journal = Journal::open(JournalConfig::new(folder)).expect("a journal");
    let policy = Policy::builtin(Profile::Desktop).expect("a policy");
    deed(&journal, &policy).await;
    journal.shut();
    let text = std::fs::read_to_string(folder.join("shell_audit_bench.jsonl")).expect("a file");
    text.lines().last().map_or(0, |line| line.len() + 1)
}

async fn journal(folder: &Path, clients: usize) -> f64 {
    let journal = Journal::open(JournalConfig::new(folder)).expect("a journal");
    let policy = Arc::new(Policy::builtin(Profile::Desktop).expect("a policy"));
    let deeds = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..clients {
        let (journal, policy, deeds) = (journal.clone(), Arc::clone(&policy), Arc::clone(&deeds));
        tasks.spawn(async move {
            while begun.elapsed() < TIME {
                deed(&journal, &policy).await;
                deeds.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    while tasks.join_next().await.is_some() {}
    #[expect(clippy::cast_precision_loss, reason = "a count of deeds")]
    let deeds = deeds.load(Ordering::Relaxed) as f64;
    deeds / begun.elapsed().as_secs_f64()
}
