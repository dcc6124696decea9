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
