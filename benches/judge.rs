//! The cost of judging, next to other parsers of the same lines and next to `/bin/true`, all in one run:
//! `cargo bench --bench judge`. `GUARDA_BENCH_LINES=FILE:FILE` adds files of lines, or of JSON lines with
//! `cmd`.
//!
//! Compare ratios, not times: machines differ, and so does their load. `docs/benchmarks.md` explains how to
//! read them.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a bench prints, may stop loudly, and starts the program that it measures"
)]

use guarda_core::policy::{Policy, Profile, corpus};
use guarda_shell::script::Dialect;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let policy = Policy::builtin(Profile::Desktop).expect("the built-in rules are sound");
    let lines = lines();
    println!("# Report\n\n{} lines\n", lines.len());
    beside(&policy, &lines);
    growth(&policy);
    start();
}

/// The committed lines, and those of `GUARDA_BENCH_LINES`.
fn lines() -> Vec<String> {
    let mut lines: Vec<String> =
        include_str!("lines.txt").lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    for file in
        std::env::var("GUARDA_BENCH_LINES").unwrap_or_default().split(':').filter(|file| !file.is_empty())
    {
        let text = std::fs::read_to_string(file).expect("a file of lines");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let json = serde_json::from_str::<serde_json::Value>(line).ok();
            let cmd = json.as_ref().and_then(|json| json.get("cmd")).and_then(serde_json::Value::as_str);
            lines.push(cmd.unwrap_or(line).to_owned());
        }
    }
    lines
}

/// The median time of one run.
fn time(runs: usize, mut work: impl FnMut()) -> Duration {
    work();
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// One column of the table: each line's time, and its number of allocations.
fn column(name: &str, lines: &[String], mut work: impl FnMut(&str)) {
    let mut times: Vec<Duration> = lines.iter().map(|line| time(9, || work(line))).collect();
    let mut counts: Vec<u64> =
        lines.iter().map(|line| allocation_counter::measure(|| work(line)).count_total).collect();
    times.sort_unstable();
    counts.sort_unstable();
    let at = |part: usize, all: usize| (all * part / 1000).min(all - 1);
    let micro = |part| times[at(part, times.len())].as_nanos() as f64 / 1000.0;
    println!(
        "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {} | {} |",
        micro(500),
        micro(900),
        micro(990),
        micro(1000),
        counts[at(500, counts.len())],
        counts[at(990, counts.len())],
    );
}

fn beside(policy: &Policy, lines: &[String]) {
    println!("| µs for a line | median | p90 | p99 | most | allocations, median | p99 |");
    println!("|---|---|---|---|---|---|---|");
    column("read", lines, |line| {
        let _ = black_box(guarda_shell::read(black_box(line), Dialect::Bash));
    });
    column("read and judge", lines, |line| {
        let script = guarda_shell::read(black_box(line), Dialect::Bash);
        black_box(policy.judge_script(&script, &corpus::situation(&script)));
    });
    column("rable, parse alone", lines, |line| {
        let _ = black_box(rable::parse(black_box(line), false));
    });
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar fits");
    // It allocates in C, where allocations are not counted.
    column("tree-sitter-bash, parse alone", lines, |line| {
        let _ = black_box(parser.parse(black_box(line), None));
    });
}

/// Lines that are hard to read, repeated to a length. Opened constructs are never closed.
const SHAPES: [(&str, &str); 15] = [
    ("commands", "sudo cp \"$HOME/a b\" /tmp/x 2>/dev/null && echo $(date); "),
    ("open substitutions", "$("),
    ("open groups", "{ "),
    ("open parentheses", "("),
    ("quotes", "\"a'b\"'c\"d'"),
    ("braces", "{a,b}"),
    ("nested braces", "{a,"),
    ("variables", "x=$x$x; "),
    ("assignments and functions", "a=1; f() { $a; }; "),
    ("here-documents", "cat <<A\nx\nA\n"),
    ("pipes of wrappers", "env nice timeout 5 ls | xargs "),
    ("unknown reads", "cat $a$b \"$c\"; "),
    ("loops", "while read -r line; do echo \"$line\"; done < notes; "),
    ("loops over words", "for i in a b c; do rm -r $i; done; "),
    ("what find starts", "find . -name '*.o' -exec rm {} ; "),
];

fn growth(policy: &Policy) {
    println!("\n| ms to read and judge | 1 KiB | 4 KiB | 16 KiB | 64 KiB | 64 / 16 |");
    println!("|---|---|---|---|---|---|");
    for (name, unit) in SHAPES {
        let times: Vec<f64> = [1usize, 4, 16, 64]
            .iter()
            .map(|kib| {
                let mut line = unit.repeat(kib * 1024 / unit.len());
                line.truncate(64 * 1024 - 1);
                let took = time(3, || {
                    let script = guarda_shell::read(black_box(&line), Dialect::Bash);
                    black_box(policy.judge_script(&script, &corpus::situation(&script)));
                });
                took.as_secs_f64() * 1000.0
            })
            .collect();
        let last = times[3] / times[2].max(0.001);
        println!(
            "| {name} | {:.3} | {:.3} | {:.3} | {:.3} | {last:.1} |",
            times[0], times[1], times[2], times[3]
        );
    }
}

/// A cold process without input or output, alternating with `/bin/true`.
fn start() {
    let guarda = env!("CARGO_BIN_EXE_guarda");
    let run = |program: &str, words: &[&str]| {
        let begun = Instant::now();
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = command.status().expect("it starts");
        begun.elapsed()
    };
    let programs: [(&str, &[&str]); 4] = [
        ("/bin/true", &[]),
        (guarda, &["--version"]),
        (guarda, &["check", "ls"]),
        (guarda, &["check", "sudo rm -rf / | sh"]),
    ];
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); programs.len()];
    for _ in 0..60 {
        for (place, (program, words)) in programs.iter().enumerate() {
            times[place].push(run(program, words));
        }
    }
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|times| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64() * 1000.0
        })
        .collect();
    println!("\n| ms for a process | median | beside /bin/true |\n|---|---|---|");
    for ((program, words), median) in programs.iter().zip(&medians) {
        let name = program.rsplit('/').next().unwrap_or(program);
        println!("| {name} {} | {median:.2} | {:.1} |", words.join(" "), median / medians[0]);
    }
    let load = time(50, || {
        let _ = black_box(Policy::builtin(Profile::Desktop));
    });
    println!("\nThe rules are ready in {:.0} µs.", load.as_secs_f64() * 1e6);
}
