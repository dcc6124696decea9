//! Server-sent events for the console. An event says that something has changed; the page then requests it again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use tokio::sync::watch;

use super::super::AppState;
use super::super::scope::Approver;

/// How often a silent connection sends a keep-alive, so that the page knows the guard is running.
const BEAT: Duration = Duration::from_secs(10);

pub(super) async fn live(
    _: Approver,
    State(app): State<Arc<AppState>>,
) -> Sse<impl futures_util::Stream<Item = Result<Event, Infallible>>> {
    let changes = app.guard.prompter().changes();
    let stream = Changes { changes, begun: false };
    Sse::new(stream.events()).keep_alive(KeepAlive::new().interval(BEAT).text("here"))
}

/// Changes of the questions: one event whenever something may have changed.
struct Changes {
    changes: watch::Receiver<u64>,
    begun: bool,
}

impl Changes {
    fn events(self) -> impl futures_util::Stream<Item = Result<Event, Infallible>> {
        futures_util::stream::unfold(self, |mut changes| async move {
            if changes.begun {
                // The prompter has ended, and so has the guard.
                changes.changes.changed().await.ok()?;
            }
            changes.begun = true;
            let number = *changes.changes.borrow_and_update();
            Some((Ok(Event::default().event("changed").data(number.to_string())), changes))
        })
    }
}
