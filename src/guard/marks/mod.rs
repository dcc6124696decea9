//! The marks of sessions: set by their actions and callers, and cleared by a person.

pub mod sessions;

use std::sync::Arc;

use guarda_core::policy::Taint;

use guarda_journal::session_of;
use sessions::SessionStore;

/// The marks of sessions, and whether those of one session apply to all of the day.
#[derive(Debug, Clone)]
pub(super) struct Marks {
    pub(super) sessions: Arc<SessionStore>,
    shared: bool,
}

impl Marks {
    pub(super) fn new(sessions: SessionStore, shared: bool) -> Self {
        Self { sessions: Arc::new(sessions), shared }
    }

    /// The marks of a session; requests without a session have those of the day's session. An invalid name counts as
    /// marked.
    pub(super) fn taint(&self, session: Option<&str>) -> Taint {
        let named = session_of(session).map_or(Taint::BOTH, |session| self.sessions.taint(&session));
        match self.day(session) {
            Some(day) => named.joined(self.sessions.taint(&day)),
            None => named,
        }
    }

    /// The day's session, if its marks are shared with the named one.
    pub(super) fn day(&self, session: Option<&str>) -> Option<String> {
        session.filter(|_| self.shared).and_then(|_| session_of(None).ok())
    }
}
