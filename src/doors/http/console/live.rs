//! Server-sent events for the console. An event says only that something changed; the page then requests it again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use tokio::sync::watch;

use crate::doors::http::access::scope::Approver;
use crate::doors::http::state::AppState;

/// The interval of keep-alives on a silent connection. They tell the page that the guard is running.
const BEAT: Duration = Duration::from_secs(10);

pub(super) async fn live(
    _: Approver,
    State(app): State<Arc<AppState>>,
) -> Sse<impl futures_util::Stream<Item = Result<Event, Infallible>>> {
    let changes = app.guard.prompter().changes();
    let stream = Changes { changes, begun: false };
    Sse::new(stream.events()).keep_alive(KeepAlive::new().interval(BEAT).text("here"))
}

/// A stream with one event whenever the questions may have changed.
struct Changes {
    changes: watch::Receiver<u64>,
    begun: bool,
}

impl Changes {
    fn events(self) -> impl futures_util::Stream<Item = Result<Event, Infallible>> {
        futures_util::stream::unfold(self, |mut changes| async move {
            if changes.begun {
                // The prompter has ended, so the guard is shutting down.
                changes.changes.changed().await.ok()?;
            }
            changes.begun = true;
            let number = *changes.changes.borrow_and_update();
            Some((Ok(Event::default().event("changed").data(number.to_string())), changes))
        })
    }
}
