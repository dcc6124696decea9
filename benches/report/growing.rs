//! Stores that grow: commands in the registry, lines in the record, open questions.

use std::hint::black_box;
use std::time::Instant;

use guarda::registry::{Identity, Store};
use guarda_core::action::Proposal;
use guarda_core::policy::{Policy, Profile, Situation};
use guarda_journal::{Caller, Journal, JournalConfig};

use crate::filled::{self, ASKED};
use crate::paper::{Paper, Plot};
use crate::serving::Service;
use crate::{median, micros};

/// How often each constant cost is measured.
const TIMES: usize = 500;

pub fn measure(paper: &mut Paper) {
    registry(paper);
    journal(paper);
    questions(paper);
}

/// Look-ups by identity: of a thousand known commands, and of a thousand unknown ones, repeatedly.
fn registry(paper: &mut Paper) {
    let place = tempfile::tempdir().unwrap();
    let (mut known, mut vain) = (Vec::new(), Vec::new());
    let (mut empty, identities) = filled::registry(place.path(), 0);
    let nothing = look_up(&mut empty, &identities);
    for commands in [ASKED as u64, 100_000, 1_000_000] {
        let (mut store, identities) = filled::registry(place.path(), commands);
        known.push((commands as f64, look_up(&mut store, &identities)));
        vain.push((commands as f64, look_up(&mut store, &filled::others(&identities))));
    }
    let (few, many) = (known[0].1, known[known.len() - 1].1);
    paper.figure("registry_known_ratio", many / few, "a look-up among 1,000,000 commands beside 1,000");
    let vainly = vain[vain.len() - 1].1;
    paper.figure(
        "registry_vain_ratio",
        vainly / nothing,
        "one in vain among 1,000,000 beside an empty registry",
    );
    let title = "a look-up against the commands in the registry";
    paper.plot(Plot { name: "registry", title, x: "commands", y: "µs", points: known });
    let title = "a look-up in vain against the commands in the registry";
    paper.plot(Plot { name: "registry_vain", title, x: "commands", y: "µs", points: vain });
}

/// The median in microseconds after a first look-up of each.
fn look_up(store: &mut Store, identities: &[Identity]) -> f64 {
    let mut times = Vec::new();
    for round in 0..4 {
        for identity in identities {
            let begun = Instant::now();
            black_box(store.look(identity).unwrap());
            if round > 0 {
                times.push(micros(begun.elapsed()));
            }
        }
    }
    median(&mut times)
}

/// A line of advice, appended to a file of this many lines; files are archived at 16 MiB.
fn journal(paper: &mut Paper) {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let request = serde_json::json!({"action": "RUN_COMMAND", "target": "ls -la", "session": "bench"});
    let proposal = Proposal::parse(serde_json::from_value(request).unwrap()).unwrap();
    let judgement = guarda_core::judge::judge(&policy, proposal, &Situation::default());
    let (config, caller) = (JournalConfig::new(place.path()), Caller::default());
    let mut lines = 0;
    let mut points = Vec::new();
    for goal in [100, 1_000, 10_000, 100_000] {
        let journal = Journal::open(config.clone()).unwrap();
        let mut times = Vec::new();
        while lines < goal {
            let begun = Instant::now();
            runtime.block_on(journal.advise_soon(&judgement, &caller)).unwrap();
            times.push(micros(begun.elapsed()));
            lines += 1;
        }
        let last = times.len().saturating_sub(TIMES);
        points.push((f64::from(goal), median(&mut times[last..])));
        journal.shut();
    }
    let begun = Instant::now();
    Journal::open(config).unwrap().shut();
    paper.figure("journal_open_ms", micros(begun.elapsed()) / 1e3, "opening a record of 100,000 lines (ms)");
    let title = "a line of advice against the lines in the record";
    paper.plot(Plot { name: "journal", title, x: "lines", y: "µs", points });
}

/// A judgement over HTTP while this many questions are open.
fn questions(paper: &mut Paper) {
    let guard = Service::start("");
    let body = r#"{"action": "RUN_COMMAND", "target": "ls -la Downloads", "session": "bench"}"#;
    let judged = guard.request("/v1/judge", body);
    let mut client = guard.connect();
    let mut points = Vec::new();
    let mut standing = 0;
    for goal in [1, 4, 16] {
        guard.put_questions(standing..goal);
        standing = goal;
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let begun = Instant::now();
            client.ask(&judged);
            times.push(micros(begun.elapsed()));
        }
        points.push((goal as f64, median(&mut times)));
    }
    let title = "POST /v1/judge against the questions that stand";
    paper.plot(Plot { name: "pending", title, x: "questions", y: "µs", points });
}
