//! A second opinion on what a line runs: another parser of bash, asked about the same lines.
//!
//! Each program that it names and the reader does not is a disagreement, and must be explained by the table below.
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

#[path = "oracle/chance.rs"]
mod chance;
#[path = "oracle/generator.rs"]
mod generator;
#[path = "reader/table.rs"]
mod table;

use std::collections::BTreeSet;

use guarda_shell::script::{Dialect, Uncertainty};
use rable::ast::{Node, NodeKind};

/// How many generated lines are shown to both.
const LINES: u64 = 20_000;
/// Brackets nested deeper than this are not shown to the other parser, whose stack they may use up.
const DEPTH: usize = 50;

/// Text in a line for which the other parser names a program that bash does not start, with the reason.
const EXPLAINED: &[(&str, &str)] = &[
    (
        ";))",
        "`((…;))` is arithmetic to bash, if wrong arithmetic; the other parser takes it for two subshells",
    ),
    (
        "\nE \n",
        "a delimiter with a blank behind it ends a here-document for the other parser, and not for bash",
    ),
];

#[test]
fn disagreements_with_another_parser_are_explained() {
    let lines = (0..LINES)
        .map(|seed| generator::script(seed).0)
        .chain(table::cases(include_str!("reader/lines.txt")).into_iter().map(|case| case.script));
    // Its recursion is not bounded: a thread with room of its own.
    let work =
        std::thread::Builder::new().stack_size(256 << 20).spawn(move || compare(lines)).expect("a thread");
    let (asked, faults) = work.join().expect("both parsers return");
    println!("{asked} lines read by both, {} disagreements without an explanation", faults.len());
    assert!(asked > 5_000, "both must read most lines, or the comparison says nothing");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn compare(lines: impl Iterator<Item = String>) -> (usize, Vec<String>) {
    let (mut asked, mut faults) = (0, Vec::new());
    for line in lines {
        if nesting(&line) > DEPTH {
            continue;
        }
        // Where the reader is in doubt, a person is asked; nothing can be hidden there.
        let Ok(script) = guarda_shell::read(&line, Dialect::Bash) else { continue };
        // That data could be run is another matter.
        if !script.doubts().iter().all(Uncertainty::may_run_data) {
            continue;
        }
        let Ok(nodes) = rable::parse(&line, false) else { continue };
        asked += 1;
        let ours: BTreeSet<&str> = script.runs().iter().filter_map(|run| run.program()).collect();
        let mut theirs = BTreeSet::new();
        nodes.iter().for_each(|node| name(node, &mut theirs));
        let more: Vec<&String> = theirs.iter().filter(|name| !ours.contains(name.as_str())).collect();
        if !more.is_empty() && !EXPLAINED.iter().any(|(sign, _)| line.contains(sign)) {
            faults.push(format!("{line:?}: it names {more:?}, we {ours:?}"));
        }
    }
    (asked, faults)
}

fn nesting(line: &str) -> usize {
    line.bytes().filter(|byte| matches!(byte, b'(' | b'{' | b'[' | b'`')).count()
}

/// Adds the sentinels that stand as names of commands below a node.
fn name(node: &Node, names: &mut BTreeSet<String>) {
    let mut all = |nodes: &[Node]| nodes.iter().for_each(|node| name(node, names));
    match &node.kind {
        NodeKind::Command { assignments, words, redirects } => {
            all(assignments);
            all(words);
            all(redirects);
            if let Some(NodeKind::Word { value, .. }) = words.first().map(|word| &word.kind)
                && generator::PROGRAMS.contains(&value.as_str())
            {
                names.insert(value.clone());
            }
        }
        NodeKind::Word { parts, .. } => all(parts),
        NodeKind::Pipeline { commands, .. } => all(commands),
        NodeKind::List { items } => items.iter().for_each(|item| name(&item.command, names)),
        NodeKind::If { condition, then_body, else_body, redirects } => {
            all(redirects);
            name(condition, names);
            name(then_body, names);
            if let Some(body) = else_body {
                name(body, names);
            }
        }
        NodeKind::While { condition, body, redirects } | NodeKind::Until { condition, body, redirects } => {
            all(redirects);
            name(condition, names);
            name(body, names);
        }
        NodeKind::For { words, body, redirects, .. } | NodeKind::Select { words, body, redirects, .. } => {
            all(words.as_deref().unwrap_or(&[]));
            all(redirects);
            name(body, names);
        }
        NodeKind::Case { word, patterns, redirects } => {
            all(redirects);
            name(word, names);
            for clause in patterns {
                clause.patterns.iter().chain(&clause.body).for_each(|node| name(node, names));
            }
        }
        NodeKind::Subshell { body, redirects }
        | NodeKind::BraceGroup { body, redirects }
        | NodeKind::ForArith { body, redirects, .. }
        | NodeKind::ConditionalExpr { body, redirects } => {
            all(redirects);
            name(body, names);
        }
        NodeKind::Function { body: inner, .. }
        | NodeKind::Coproc { command: inner, .. }
        | NodeKind::CommandSubstitution { command: inner, .. }
        | NodeKind::ProcessSubstitution { command: inner, .. }
        | NodeKind::Negation { pipeline: inner }
        | NodeKind::Time { pipeline: inner, .. }
        | NodeKind::Redirect { target: inner, .. }
        | NodeKind::UnaryTest { operand: inner, .. }
        | NodeKind::CondNot { operand: inner }
        | NodeKind::CondParen { inner } => name(inner, names),
        NodeKind::BinaryTest { left, right, .. }
        | NodeKind::CondAnd { left, right }
        | NodeKind::CondOr { left, right } => {
            name(left, names);
            name(right, names);
        }
        NodeKind::Array { elements } => all(elements),
        // Texts that it keeps as they are.
        _ => {}
    }
}
