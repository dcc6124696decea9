//! The service's surface, tried by others: requests from its own description, web pages in a real browser,
//! and another user of the same machine.

mod described;
mod neighbour;
mod pages;

/// A program of the Python packages of the tests.
fn python(below: &str) -> std::path::PathBuf {
    let place = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python");
    assert!(place.exists(), "run scripts/python-packages first, as `make test` does");
    place.join(below)
}
