//! How fast output is redacted, and how long parsing the rules takes.
//!
//! `cargo bench --bench output`
#![allow(
    missing_docs,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a bench has no documentation, says what it measured, and may stop loudly"
)]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};

/// Text as programs write it; the last one consists of names of secrets.
const UNITS: [(&str, &str); 4] = [
    ("log", "2026-05-01T12:00:00Z INFO request id=4f1c path=/v1/items status=200 took 12ms agent curl\n"),
    ("code", "    let value = self.items.get(index).map(|item| item.name.clone()).unwrap_or_default();\n"),
    ("secrets", "API_TOKEN=abc123def456 PASSWORD=hunter2 KEY: value\n"),
    ("names", "token key secret password auth access private session cookie login pass pw "),
];

fn main() {
    // The first text causes the rules to be parsed; later ones do not pay for it.
    let start = std::time::Instant::now();
    let _ = black_box(guarda_core::output::redact("password=hunter2"));
    eprintln!("the first text, with the rules: {:?}", start.elapsed());
    divan::main();
}

/// Redaction of this many MiB. The rate should stay the same.
#[divan::bench(args = [1, 2, 4], consts = [0, 1, 2, 3], sample_count = 5)]
fn redact<const UNIT: usize>(bencher: Bencher<'_, '_>, mib: usize) {
    let (_, unit) = UNITS[UNIT];
    let text = unit.repeat(mib * 1024 * 1024 / unit.len());
    bencher.counter(BytesCount::of_str(&text)).bench(|| guarda_core::output::redact(black_box(&text)));
}
