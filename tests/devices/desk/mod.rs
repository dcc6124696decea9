//! The prompter with real parts: speech-dispatcher and PulseAudio, an X server, a terminal.

mod daemon;
mod keys;
mod speech;
mod terminal;
mod whole;

use std::path::PathBuf;
use std::time::Duration;

use crate::common::until_async as until;

/// The program under test: it speaks and listens.
fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_guarda-desktop"))
}

/// Waits for the end of something, patiently.
async fn end<T>(what: &str, future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(Duration::from_secs(60), future).await;
    ended.unwrap_or_else(|_| panic!("{what} does not end"))
}
