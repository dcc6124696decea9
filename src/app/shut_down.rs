//! Ends the service at a signal, in order: no new requests, then those under way, then the record.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use super::service::Service;
use super::{load, terminal};

/// Ends the service, within this time for each step.
pub(super) async fn shut_down(service: Service, signals: &mut Signals, limit: Duration) {
    // This also closes the containers' sockets.
    service.containers.abort();
    finish_jobs(&service, signals, limit).await;
    service.anchoring.abort();
    let _ = timeout(limit, service.guard.store_anchor()).await;
    if let Some(telemetry) = service.telemetry {
        // This waits for the collector; nothing else does.
        let _ = timeout(limit, tokio::task::spawn_blocking(|| telemetry.end())).await;
    }
    service.folder.leave(&service.own_sockets);
}

/// Ends what is under way. A second signal calls it off.
async fn finish_jobs(service: &Service, signals: &mut Signals, limit: Duration) {
    let (guard, jobs) = (&service.guard, &service.state.jobs);
    guard.close();
    jobs.tasks().close();
    let mut closing = std::pin::pin!(async {
        service.listener.close(limit).await;
        let _ = timeout(limit, jobs.tasks().wait()).await;
    });
    tokio::select! {
        () = &mut closing => {}
        () = signals.again() => {
            terminal::note(&load::say("serve-twice", &[]));
            jobs.call_off();
            closing.await;
        }
    }
    guard.journal().shut();
}

/// The signals that a service handles.
pub(super) struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    /// True if there was a terminal at the start.
    on_terminal: bool,
    /// Without a handler, reaching the file size limit would end the process. With one, the write fails with an error.
    _file_size: tokio::signal::unix::Signal,
    /// Signals to ignore. Without a handler, they would end the process and leave actions without an outcome.
    _nothing: [tokio::signal::unix::Signal; 2],
}

impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            on_terminal: crate::devices::terminal::is_there(),
            _file_size: signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?,
            _nothing: [signal(SignalKind::user_defined1())?, signal(SignalKind::user_defined2())?],
        })
    }

    /// Waits for a second signal to end.
    async fn again(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Waits for the signal to end. Calls `reload` at every earlier SIGHUP, unless that signals the loss of the
    /// terminal in which the service was started.
    pub(super) async fn end(&mut self, mut reload: impl FnMut()) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                // Ctrl-C in an editor that has the terminal is meant for the editor.
                _ = self.interrupt.recv() => if !crate::devices::terminal::editor::lent() { return },
                _ = self.hang_up.recv() => if self.on_terminal && !crate::devices::terminal::is_there() { return } else { reload() },
            }
        }
    }
}
