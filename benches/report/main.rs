//! The guard's costs, each next to its baseline in the same run: `make bench`, or `cargo bench --profile
//! release --bench report`. Writes `target/bench/report.json`, `report.md` and plots.
//!
//! `GUARDA_CORPORA` names a folder whose `*.jsonl` files (`{"cmd": …}` per line) are judged as well;
//! `GUARDA_BENCH_ROUNDS` makes it longer or shorter (20).
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a bench starts programs, prints, rounds, and may stop loudly"
)]

#[path = "../registry/filled.rs"]
mod filled;
mod growing;
mod judging;
mod paper;
mod serving;
mod starting;

use std::time::Duration;

/// A number from the environment.
fn setting(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

/// The quantile of the values at this share.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(((values.len() as f64 - 1.0) * share).round() as usize).copied().unwrap_or(f64::NAN)
}

fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn main() {
    let rounds = setting("GUARDA_BENCH_ROUNDS", 20);
    let mut paper = paper::Paper::default();
    judging::measure(&mut paper);
    starting::measure(&mut paper, rounds);
    growing::measure(&mut paper);
    paper.write();
}
