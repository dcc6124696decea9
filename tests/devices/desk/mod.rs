//! The prompter with real parts: speech-dispatcher and PulseAudio, an X server, a terminal.

mod daemon;
mod keys;
mod speech;
mod terminal;
mod whole;

use std::path::PathBuf;
use std::time::Duration;

/// The program under test: it speaks and listens.
fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_guarda-desktop"))
}

/// Waits for something, patiently.
async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let begun = tokio::time::Instant::now();
    while !there() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} does not come");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits for the end of something, patiently.
async fn end<T>(what: &str, future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(Duration::from_secs(60), future).await;
    ended.unwrap_or_else(|_| panic!("{what} does not end"))
}
