//! Runs an action within its time limit: a command, an operation on files, an undo, or a deed of the desktop.

use std::collections::BTreeSet;

use guarda_core::action::Action;
use guarda_core::output::{Ended, RawOutput};

use super::deeds::Deed;
use crate::hands::{commands::command, desktop::dispatch, files, staging::keeping, staging::undo};

/// Runs one action within its time limit.
pub(super) async fn perform(
    deed: &Deed<'_>,
    action: &Action,
    cancel: impl Future<Output = ()> + Send,
) -> RawOutput {
    if let Some(file) = deed.changed(&BTreeSet::new()) {
        return deed.quiet(Ended::Changed(file));
    }
    if let Action::RunCommand { text, script } = action {
        let kept = keeping::of_command(deed, action).await;
        // On the heap, as everything large that waits: the stack of a worker holds all of a request's frames.
        let output = Box::pin(command::run(deed, text, script, cancel)).await;
        if let Some(kept) = kept {
            kept.end(deed).await;
        }
        return output;
    }
    // Copying has no time limit.
    let long = matches!(action, Action::File(_) | Action::Undo { .. });
    let time = if long { deed.config.command_timeout } else { deed.config.desktop_timeout };
    tokio::select! {
        output = Box::pin(other(deed, action)) => output,
        () = tokio::time::sleep(time) => deed.quiet(Ended::TimedOut),
        () = cancel => deed.quiet(Ended::Cancelled),
    }
}

async fn other(deed: &Deed<'_>, action: &Action) -> RawOutput {
    match action {
        Action::File(operation) => files::operate(deed, operation).await,
        Action::Undo { of } => undo::perform(deed, of).await,
        other => dispatch::act(deed, other).await,
    }
}
