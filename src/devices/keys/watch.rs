//! Keys that are watched while a question is open, and what is seen of them.

use tokio::sync::{mpsc, oneshot};

use crate::devices::keys::gesture::KeyAnswer;

/// What a watcher of keys receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyEvent {
    /// Presses are being watched.
    Listening,
    /// They cannot be watched at the moment, for this reason.
    Busy(String),
    /// They cannot be watched, for this reason.
    Unable(String),
    /// A press that counts.
    Pressed(KeyAnswer),
    /// A press that does not count, with the reason.
    Ignored(String),
}

/// Watched keys. Dropping this gives them back; [`KeyWatch::seen`] ends once that is done.
#[derive(Debug)]
pub struct KeyWatch {
    /// The reports.
    pub seen: mpsc::UnboundedReceiver<KeyEvent>,
    stop: Option<oneshot::Sender<()>>,
}

impl KeyWatch {
    /// A watch, with what its task needs: where to report, and when to stop.
    pub(super) fn new() -> (Self, mpsc::UnboundedSender<KeyEvent>, oneshot::Receiver<()>) {
        let (sender, seen) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        (Self { seen, stop: Some(stop) }, sender, stopped)
    }

    /// Gives the keys back, and waits until that is done.
    pub async fn end(mut self) {
        drop(self.stop.take());
        while self.seen.recv().await.is_some() {}
    }
}
