//! `guarda check`, which judges without a service, next to `/bin/true`.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::paper::Paper;
use crate::{median, micros};

/// `guarda check` judges without a service; it must not load what only the service needs.
pub fn measure(paper: &mut Paper, rounds: usize) {
    let rounds = rounds * 5;
    let home = tempfile::tempdir().unwrap();
    let (mut plain, mut version, mut check) = (Vec::new(), Vec::new(), Vec::new());
    let start = |words: &[&str]| {
        run(Command::new(env!("CARGO_BIN_EXE_guarda")).env("HOME", home.path()).args(words), "")
    };
    for _ in 0..rounds {
        plain.push(run(&mut Command::new("/bin/true"), ""));
        version.push(start(&["--version"]));
        check.push(start(&["check", "--json", "ls -la"]));
    }
    let base = median(&mut plain);
    let check = median(&mut check);
    // The cost of a program that does nothing but start: its pages, libraries and arguments.
    let page_in = median(&mut version) - base;
    paper.figure("check_cold_us", check, "`guarda check --json 'ls -la'`, median (µs)");
    paper.figure("check_cold_ratio", check / base, "`guarda check --json 'ls -la'` beside `/bin/true`");
    paper.figure("page_in_us", page_in, "`guarda --version` beyond `/bin/true`: the binary's page-in (µs)");
    paper.figure(
        "check_own_ratio",
        (check - page_in) / base,
        "`check_cold_us` without the page-in, beside `/bin/true`",
    );
    for (key, program) in [
        ("libraries", env!("CARGO_BIN_EXE_guarda")),
        ("service_libraries", env!("CARGO_BIN_EXE_guarda-service")),
    ] {
        let listed =
            Command::new("ldd").arg(program).output().map(|output| output.stdout).unwrap_or_default();
        let count = listed.iter().filter(|byte| **byte == b'\n').count();
        paper.figure(key, count as f64, &format!("shared libraries that {} loads", program_name(program)));
    }
}

fn program_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Runs it with this standard input to its end (µs).
fn run(command: &mut Command, input: &str) -> f64 {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
    micros(begun.elapsed())
}
