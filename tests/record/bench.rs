//! Tools for the record's tests: real judgements, taken through the real gate.

use std::path::{Path, PathBuf};

use guarda_core::gate::{Approved, Number, Passage, Refusal, Says, enter};
use guarda_core::judge::{Judgement, judge};
use guarda_core::output::{Ended, Output, RawOutput, clean};
use guarda_core::policy::{Policy, Profile, Situation};
use guarda_journal::{Caller, Journal, JournalConfig};
use serde_json::Value;

pub fn caller() -> Caller {
    Caller { door: "http".to_owned(), name: "uid 1000".to_owned(), container: None }
}

pub fn judgement(request: Value) -> Judgement {
    let request = serde_json::from_value(request).unwrap();
    let proposal = guarda_core::action::Proposal::parse(request).unwrap();
    judge(&Policy::builtin(Profile::Desktop).unwrap(), proposal, &Situation::default())
}

/// A request that the rules or a person approve.
pub fn approved(request: Value) -> Approved {
    match enter(judgement(request), guarda_core::gate::Runner::Caller, Number([7; 16]), true) {
        Passage::Clear(approved) => approved,
        Passage::Ask(pending) => {
            let yes = pending.question().answer(Says::Yes { channel: "keys".to_owned() });
            pending.settle(yes).unwrap()
        }
        Passage::Shut(refusal) => panic!("{refusal:?}"),
    }
}

/// A request that a person refuses.
pub fn refusal(request: Value, says: Says) -> Refusal {
    match enter(judgement(request), guarda_core::gate::Runner::Caller, Number([7; 16]), true) {
        Passage::Ask(pending) => {
            let answer = pending.question().answer(says);
            pending.settle(answer).unwrap_err()
        }
        Passage::Shut(refusal) => refusal,
        Passage::Clear(approved) => panic!("{approved:?}"),
    }
}

pub fn command(session: &str, line: &str) -> Value {
    serde_json::json!({ "action": "RUN_COMMAND", "target": line, "session": session, "reasoning": "to look" })
}

pub fn volume(session: &str) -> Value {
    serde_json::json!({ "action": "VOLUME_UP", "session": session })
}

pub fn output(stdout: &str) -> Output {
    let mut raw = RawOutput::quiet(Ended::Finished, std::time::Duration::from_millis(12));
    raw.stdout = stdout.as_bytes().to_vec();
    raw.stdout_total = stdout.len() as u64;
    raw.exit_code = Some(0);
    clean(raw)
}

pub fn config(folder: &Path) -> JournalConfig {
    JournalConfig::new(folder)
}

pub fn journal(folder: &Path) -> Journal {
    Journal::open(config(folder)).unwrap()
}

pub fn file(folder: &Path, session: &str) -> PathBuf {
    folder.join(format!("shell_audit_{session}.jsonl"))
}

pub fn lines(folder: &Path, session: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(file(folder, session)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn now<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}
