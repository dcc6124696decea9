//! The oracle: what real bash runs, and with which words, must be shown by the reader, or the reader must say that it
//! does not know. Half of the scripts run among files and with variables set, as in a shell that has been used.
//!
//! `ORACLE_SCRIPTS` sets how many scripts are made (20,000), `ORACLE_SEED` which ones. A failure names the script's
//! number; the same number makes the same script everywhere.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    dead_code,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

#[path = "oracle/bash.rs"]
mod bash;
#[path = "oracle/chance.rs"]
mod chance;
#[path = "oracle/compare.rs"]
mod compare;
#[path = "oracle/generator.rs"]
mod generator;
#[path = "reader/table.rs"]
mod table;

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use compare::Answer;

/// The number of scripts, unless `ORACLE_SCRIPTS` sets another one.
const SCRIPTS: usize = 20_000;

#[test]
fn every_program_bash_runs_is_shown_or_doubted() {
    let Some(version) = bash::version() else {
        println!("skipped: there is no bash here");
        return;
    };
    if inside_without_network("every_program_bash_runs_is_shown_or_doubted") {
        return;
    }
    let count = number("ORACLE_SCRIPTS", SCRIPTS);
    let seed = number("ORACLE_SEED", 1);
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    let answers = Mutex::new([0_usize; 5]);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let jail = bash::Jail::new();
                let mut tally = [0_usize; 5];
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let number = (seed as u64).wrapping_mul(1 << 32).wrapping_add(index as u64);
                    let (script, needs) = generator::script(number);
                    // These would look like the separators of words in a report.
                    if script.contains("\\x1") {
                        continue;
                    }
                    let mut told = [0, 0];
                    let (answer, hidden) = compare::hidden(&script, || {
                        let outcome = jail.run(&script, needs, index % 2 == 1);
                        told = [!outcome.ran.is_empty(), outcome.late].map(usize::from);
                        outcome.ran
                    });
                    tally[match answer {
                        Answer::Refused => 0,
                        Answer::Doubtful => 1,
                        Answer::Certain => 2,
                    }] += 1;
                    tally[3] += told[0];
                    tally[4] += told[1];
                    if !hidden.is_empty() {
                        faults.lock().expect("no panic").push(format!("{number}: {script:?} ran {hidden:?}"));
                    }
                }
                let mut answers = answers.lock().expect("no panic");
                for (sum, one) in answers.iter_mut().zip(tally) {
                    *sum += one;
                }
            });
        }
    });
    let [refused, doubtful, certain, busy, late] = *answers.lock().expect("no panic");
    println!("{version}");
    println!(
        "{count} scripts, {busy} of which ran something ({late} past the deadline): \
         {certain} known, {doubtful} doubted, {refused} refused"
    );
    let faults = faults.into_inner().expect("no panic");
    assert!(faults.is_empty(), "{} scripts hide a program:\n{}", faults.len(), faults.join("\n"));
    // The comparison is meaningful only if most scripts are read and run something.
    assert!(certain * 4 > count && busy * 3 > certain * 2, "the scripts say too little");
}

#[test]
fn the_tables_lines_hide_nothing_either() {
    if bash::version().is_none() {
        println!("skipped: there is no bash here");
        return;
    }
    if inside_without_network("the_tables_lines_hide_nothing_either") {
        return;
    }
    let jail = bash::Jail::new();
    let mut faults = Vec::new();
    for case in table::cases(include_str!("reader/lines.txt")) {
        // A fork bomb is read and never run.
        if case.category == "bomb" {
            continue;
        }
        let needs = [generator::Needs::Nothing, generator::Needs::Programs];
        for (needs, furnished) in needs.into_iter().flat_map(|needs| [(needs, false), (needs, true)]) {
            let (_, hidden) = compare::hidden(&case.script, || jail.run(&case.script, needs, furnished).ran);
            if !hidden.is_empty() {
                faults.push(format!("lines.txt:{}: {:?} ran {hidden:?}", case.line, case.script));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// How each of the ways in `names.txt` binds a name: the words that a program gets are among those that it can get.
#[test]
fn no_name_keeps_an_old_value() {
    if bash::version().is_none() {
        println!("skipped: there is no bash here");
        return;
    }
    if inside_without_network("no_name_keeps_an_old_value") {
        return;
    }
    let jail = bash::Jail::new();
    let work = jail.work();
    let mut faults = Vec::new();
    let lines = include_str!("oracle/names.txt").lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let script = guarda_shell::read(line, guarda_shell::script::Dialect::Bash);
        let script = script.unwrap_or_else(|unsure| panic!("{line}: {unsure}"));
        let ran = [false, true].map(|furnished| jail.run(line, generator::Needs::Programs, furnished).ran);
        if ran.iter().all(Vec::is_empty) {
            faults.push(format!("{line:?} ran nothing"));
        }
        for argv in ran.iter().flatten() {
            if !script.runs().iter().any(|run| compare::fits_in(&run.words, argv, &work)) {
                faults.push(format!("{line:?} ran {argv:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Reruns this test without a network, if the system permits it; true if that was done.
fn inside_without_network(name: &str) -> bool {
    if std::env::var_os("ORACLE_INSIDE").is_some() {
        return false;
    }
    let possible = unshare().arg("true").output().is_ok_and(|output| output.status.success());
    if !possible {
        println!(
            "no network namespace can be had: the scripts run where there is a network, which none of them names"
        );
        return false;
    }
    let own = std::env::current_exe().expect("our own path");
    let status = unshare()
        .arg(own)
        .args(["--exact", name, "--nocapture"])
        .env("ORACLE_INSIDE", "1")
        .status()
        .expect("the test starts again");
    assert!(status.success(), "see above");
    true
}

#[expect(clippy::disallowed_methods, reason = "a test takes the network away from itself")]
fn unshare() -> Command {
    let mut command = Command::new("unshare");
    command.args(["-rn", "--"]);
    command
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
