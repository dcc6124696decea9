//! Judging alone: from the text of a request to the judgement.

use std::hint::black_box;
use std::time::Instant;

use guarda_core::action::Proposal;
use guarda_core::policy::{Policy, Profile};

use crate::paper::{Paper, Plot};
use crate::{median, micros, quantile};

/// How often each line is judged. The minimum counts, since the cost of the line itself is wanted.
const TIMES: usize = 25;

pub fn measure(paper: &mut Paper) {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let mut times = judge_all(&policy, &own_lines());
    let count = times.len();
    paper.figure("judge_p50_us", quantile(&mut times, 0.5), &format!("judging, {count} own lines, p50 (µs)"));
    paper.figure("judge_p99_us", quantile(&mut times, 0.99), "judging, own lines, p99 (µs)");
    if let Some(folder) = std::env::var_os("GUARDA_CORPORA") {
        let lines = corpora(&folder);
        let mut times = judge_all(&policy, &lines);
        let count = times.len();
        let name = format!("judging, {count} lines of GUARDA_CORPORA, p50 (µs)");
        paper.figure("corpora_judge_p50_us", quantile(&mut times, 0.5), &name);
        paper.figure("corpora_judge_p99_us", quantile(&mut times, 0.99), "judging, GUARDA_CORPORA, p99 (µs)");
        paper.figure("corpora_judge_max_us", quantile(&mut times, 1.0), "judging, GUARDA_CORPORA, most (µs)");
    }
    lengths(paper, &policy);
    depths(paper, &policy);
    rules(paper);
}

/// The committed lines: everyday ones, and those of the tables in `tests/rules`.
fn own_lines() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules");
    let everyday = include_str!("../lines.txt").lines().filter(|line| !line.starts_with('#'));
    let mut lines: Vec<String> = everyday.map(str::to_owned).collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let table: toml::Table = text.parse().unwrap();
        for section in table.values().filter_map(toml::Value::as_table) {
            lines.extend(section.keys().cloned());
        }
    }
    lines.sort();
    lines
}

fn corpora(folder: &std::ffi::OsStr) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = files
        .filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"))
        .map(|path| std::fs::read_to_string(path).unwrap());
    let lines = texts.flat_map(|text| {
        let rows = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        rows.filter_map(|row| Some(row.get("cmd")?.as_str()?.to_owned())).collect::<Vec<_>>()
    });
    lines.collect()
}

fn judge_all(policy: &Policy, lines: &[String]) -> Vec<f64> {
    lines.iter().filter_map(|line| judge(policy, line, TIMES)).collect()
}

/// The smallest time in microseconds; `None` for a line that is not a request.
fn judge(policy: &Policy, line: &str, times: usize) -> Option<f64> {
    let request = || {
        let request = serde_json::json!({"action": "RUN_COMMAND", "target": line});
        serde_json::from_value::<guarda_core::action::Request>(request).unwrap()
    };
    // The situation requires files, which `serving` measures. Here every program is found.
    let proposal = Proposal::parse(request()).ok()?;
    let guarda_core::action::Action::RunCommand { script, .. } = &proposal.action else { return None };
    let situation = guarda_core::policy::corpus::situation(script);
    let mut least = f64::INFINITY;
    for _ in 0..times {
        let request = request();
        let begun = Instant::now();
        let proposal = Proposal::parse(black_box(request)).ok()?;
        let judgement = guarda_core::judge::judge(policy, proposal, &situation);
        least = least.min(micros(begun.elapsed()));
        let _ = black_box(judgement);
    }
    Some(least)
}

fn lengths(paper: &mut Paper, policy: &Policy) {
    let unit = "cp \"a b\" /tmp/x-1 2>/dev/null && echo $(date) | tee -a log; ";
    let mut points = Vec::new();
    // A command has at most 4096 letters (feature B8); `--bench judge` goes on to 64 KiB.
    for length in [128, 256, 512, 1024, 2048, 4096] {
        let line = unit.repeat(length / unit.len());
        points.push((line.len() as f64, judge(policy, &line, 9).unwrap()));
    }
    paper.plot(Plot { name: "length", title: "judging against length", x: "bytes", y: "µs", points });
}

fn depths(paper: &mut Paper, policy: &Policy) {
    let mut points = Vec::new();
    for depth in [1, 2, 4, 8, 16, 32, 64] {
        let line = format!("{}date{}", "echo $(".repeat(depth), ")".repeat(depth));
        points.push((depth as f64, judge(policy, &line, 9).unwrap()));
    }
    paper.plot(Plot { name: "depth", title: "judging against depth of $(…)", x: "deep", y: "µs", points });
}

/// Own rules on top of the built-in ones.
fn rules(paper: &mut Paper) {
    let mut points = Vec::new();
    for count in [10, 100, 1000, 10_000] {
        let rules: String = (0..count)
            .map(|n| format!("[rules.own{n}]\nprograms = \"prog{n}\"\nverdict = \"confirm\"\nwhy = \"own\"\nmatches = [\"prog{n} a\"]\n"))
            .collect();
        let begun = Instant::now();
        let config = guarda::config::Config::parse(&rules, "bench").unwrap();
        let policy = config.policy("bench").unwrap();
        let loading = begun.elapsed();
        if count == 10_000 {
            paper.figure("load_10000_rules_ms", micros(loading) / 1e3, "reading 10,000 own rules (ms)");
        }
        let lines =
            ["ls -la", "git status --short", "cat a | sort | uniq -c", "sudo apt-get update", "prog5 sub5 x"];
        let mut times: Vec<f64> = lines.iter().filter_map(|line| judge(&policy, line, TIMES)).collect();
        points.push((f64::from(count), median(&mut times)));
    }
    paper.plot(Plot { name: "rules", title: "judging against own rules", x: "rules", y: "µs", points });
}
