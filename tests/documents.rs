//! Documents that are made from the program are what the program says now.
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
    use guarda::action::vocabulary::VOCABULARY;
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/intents.md")).unwrap();
    // Names in code font, in capitals, are actions; each stands there, and no other.
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
