//! The guard and its managers: sockets from a service manager, metrics for Prometheus, a telemetry collector.

mod activation;
mod collector;
mod prometheus;

/// A program of the Python packages of the tests.
fn python(below: &str) -> std::path::PathBuf {
    let place = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python");
    assert!(place.exists(), "run scripts/python-packages first, as `make test` does");
    place.join(below)
}
