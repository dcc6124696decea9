//! The output of a staged run, kept until it may be passed on.

use std::sync::{Arc, Mutex, PoisonError};

use guarda_sandbox::capture::{Stream, Tap};

/// The most bytes that are kept for a client's shell; the rest is left out.
const MOST: usize = 64 << 20;

/// The output in order, and its total size in bytes.
#[derive(Debug, Default)]
struct Said {
    length: usize,
    pieces: Vec<(Stream, Vec<u8>)>,
}

/// The output of a run, kept until it may be passed on.
#[derive(Debug)]
pub(in crate::hands) struct HeldBack {
    said: Arc<Mutex<Said>>,
    hearing: tokio::task::JoinHandle<()>,
    to: Tap,
}

impl HeldBack {
    /// Receives the output in place of `to`. The returned tap is for the run.
    pub(in crate::hands) fn new(to: Tap) -> (Tap, Self) {
        let (tap, mut from) = Tap::new();
        let said = Arc::<Mutex<Said>>::default();
        let kept = Arc::clone(&said);
        let hearing = tokio::spawn(async move {
            while let Some((stream, bytes)) = from.recv().await {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.length += bytes.len();
                if kept.length <= MOST {
                    kept.pieces.push((stream, bytes));
                }
            }
        });
        (tap, Self { said, hearing, to })
    }

    /// Adds words of the guard.
    pub(in crate::hands) fn add(&self, words: &[u8]) {
        let mut kept = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        kept.pieces.push((Stream::Err, words.to_vec()));
    }

    /// Passes everything on.
    pub(in crate::hands) async fn say(self) {
        let _ = self.hearing.await;
        let all = std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner));
        for (stream, bytes) in all.pieces {
            self.to.pass(stream, &bytes).await;
        }
    }
}
