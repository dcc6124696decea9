//! How long reading takes, how often it allocates, and how it grows, next to other parsers of the same lines.
//!
//! `cargo bench --bench reader`. `cargo bench --bench report` measures many lines and the whole judgement.
#![allow(missing_docs, clippy::expect_used, reason = "a bench may stop loudly")]

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use guarda_shell::script::Dialect;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// Everyday lines of people and agents.
const EVERYDAY: [&str; 16] = [
    "ls -la",
    "git status --short",
    "cd /tmp && ls -la | head -20",
    "git commit -m \"Mend the parser; closes #12\"",
    "grep -rn 'TODO' src --include='*.rs' | wc -l",
    "find . -name '*.o' -type f -exec rm -f {} +",
    "cat file | sort | uniq -c | sort -rn | head",
    "for f in *.txt; do echo \"$f\"; done",
    "awk '{print $1}' access.log | sort -u",
    "cargo test --lib reader:: 2>&1 | tail -30",
    "sudo apt-get update && sudo apt-get install -y curl",
    "if [ -f x ]; then echo yes; else echo no; fi",
    "x=$(git rev-parse HEAD); echo ${x:0:7}",
    "docker run --rm -it -v \"$PWD:/src\" rust:1 cargo test",
    "bash -lc 'git status && make -j4'",
    "cat <<'EOF' > notes.txt\nNothing $here runs.\nEOF",
];

fn main() {
    divan::main();
}

/// The reader: the whole analysis, wrappers and variables included.
#[divan::bench(args = EVERYDAY)]
fn reader(line: &str) {
    let _ = black_box(guarda_shell::read(black_box(line), Dialect::Bash));
}

/// rable: parsing alone.
#[divan::bench(args = EVERYDAY)]
fn rable(line: &str) {
    let _ = black_box(::rable::parse(black_box(line), false));
}

/// tree-sitter with the grammar of bash: parsing alone.
#[divan::bench(args = EVERYDAY)]
fn tree_sitter(bencher: Bencher<'_, '_>, line: &str) {
    let mut parser = ::tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar fits");
    bencher.bench_local(|| black_box(parser.parse(black_box(line), None)));
}

/// Growth: a line of this many KiB.
#[divan::bench(args = [1, 4, 16, 63])]
fn length(bencher: Bencher<'_, '_>, kib: usize) {
    let unit = "sudo cp \"$HOME/a b\" /tmp/x-1 2>/dev/null && echo $(date) | tee -a log; ";
    let line = unit.repeat(kib * 1024 / unit.len());
    bencher
        .counter(BytesCount::of_str(&line))
        .bench(|| black_box(guarda_shell::read(black_box(&line), Dialect::Bash)));
}
