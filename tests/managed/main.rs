//! The guard and its managers: sockets from a service manager, metrics for Prometheus, a telemetry collector.
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

#[path = "../running/mod.rs"]
mod running;

mod activation;
mod collector;
mod prometheus;

/// A program of the Python packages of the tests.
fn python(below: &str) -> std::path::PathBuf {
    let place = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python");
    assert!(place.exists(), "run scripts/python-packages first, as `make test` does");
    place.join(below)
}
