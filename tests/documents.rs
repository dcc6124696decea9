//! Generated documents match the program.
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

#[test]
fn the_document_of_intents_knows_every_action() {
    use guarda_core::action::vocabulary::VOCABULARY;
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/intents.md")).unwrap();
    // Code spans in capitals are action names; the document has each of them, and no other.
    let named: std::collections::BTreeSet<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
        .collect();
    let actions: std::collections::BTreeSet<&str> = VOCABULARY.iter().map(|entry| entry.name).collect();
    assert_eq!(named, actions);
}

#[test]
fn the_rules_document_is_the_committed_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md");
    let now = guarda::doors::cli::rules_document();
    assert!(now.contains("erase-system"), "a built-in table is broken");
    if std::env::var_os("GUARDA_WRITE_DOCS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == now, "docs/rules.md is not up to date: run `make docs`");
}

/// Every test that docs/features.md and docs/network.md name exists.
#[test]
fn each_feature_names_tests_that_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let rooms = [
        "tests",
        "tests/sandbox",
        "crates/guarda-shell/tests",
        "crates/guarda-core/tests",
        "crates/guarda-core/src/network",
        "crates/guarda-sandbox/src",
    ];
    let sources = |name: &str| {
        let mut files: Vec<_> = rooms.iter().map(|room| root.join(room).join(format!("{name}.rs"))).collect();
        let folders = rooms.iter().filter_map(|room| std::fs::read_dir(root.join(room).join(name)).ok());
        files.extend(folders.flatten().map(|entry| entry.unwrap().path()));
        files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect::<String>()
    };
    for (document, least) in [("docs/features.md", 60), ("docs/network.md", 40)] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let named: Vec<(&str, &str)> = text.split('`').filter_map(|part| part.split_once("::")).collect();
        assert!(named.len() > least, "{document} names only {} tests", named.len());
        let examples = [("file", "test"), ("ext", "")];
        for (file, test) in named.into_iter().filter(|named| !examples.contains(named)) {
            assert!(sources(file).contains(&format!("fn {test}(")), "{document} names {file}::{test}");
        }
    }
}

/// The walk of one request has at most 25 steps, and every function that it names is in its file.
#[test]
fn the_walk_of_a_request_names_functions_that_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let walk = text.split("## The walk of one request").nth(1).unwrap().split("\n## ").next().unwrap();
    let numbered =
        |line: &&str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
    let steps = walk.lines().filter(numbered).count();
    assert!((20..=25).contains(&steps), "{steps} steps");
    let named: Vec<(&str, &str)> = walk.split('`').filter_map(|part| part.split_once(".rs:")).collect();
    assert!(named.len() > steps, "only {} functions are named", named.len());
    for (file, function) in named {
        let source = std::fs::read_to_string(root.join(format!("{file}.rs"))).unwrap_or_default();
        let there = source
            .match_indices(&format!("fn {function}"))
            .any(|(at, found)| source[at + found.len()..].starts_with(['(', '<']));
        assert!(there, "docs/architecture.md names {file}.rs:{function}");
    }
}

/// The book contains every document once, every link between documents works, and every shown rule is valid.
#[test]
fn the_book_is_whole() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let read = |name: &str| std::fs::read_to_string(docs.join(name)).unwrap();
    let summary = read("SUMMARY.md");
    let files =
        std::fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for file in files.filter(|file| file.ends_with(".md") && file != "SUMMARY.md") {
        assert_eq!(summary.matches(&format!("({file})")).count(), 1, "docs/SUMMARY.md and {file}");
        let text = read(&file);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let known = link.is_empty() || link.contains("://") || docs.join(link).exists();
            assert!(known, "docs/{file} links to {link}");
        }
    }
    let shown = read("writing-rules.md");
    let blocks: Vec<&str> =
        shown.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() > 1);
    for text in blocks {
        let layers = [guarda_core::policy::Layer { name: "docs", text }];
        guarda_core::policy::Policy::load(guarda_core::policy::Profile::Desktop, &layers).unwrap();
    }
}
