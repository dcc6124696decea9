//! The marks of sessions: set by their actions and callers, and cleared by a person.

pub mod sessions;

use std::sync::Arc;

use guarda_core::action::OF_CONTAINER;
use guarda_core::policy::Taint;

use guarda_journal::{Caller, session_of};
use sessions::SessionStore;

/// The door of hooks, in the record.
pub const HOOK_DOOR: &str = "hook";

/// A session of another caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the session {0:?} belongs to another caller, so nothing was done; name another one, or none")]
pub struct ForeignSession(pub String);

/// Whose refusals count together: those of an agent's conversation, which its client names, or else of all who share a token. What a
/// container calls a conversation is a name like any other.
pub(super) fn counted(caller: &Caller, session: Option<&str>) -> String {
    match (&caller.container, session) {
        (None, Some(session)) if caller.door == HOOK_DOOR => format!("{HOOK_DOOR} {session}"),
        (None, _) => "token".to_owned(),
        (Some(container), _) => format!("container {container}"),
    }
}

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

    /// The session that a caller means by a name, if it is its own. Those of a container end with its name, also without one, so that
    /// it shares none with anybody else.
    ///
    /// # Errors
    /// [`ForeignSession`], if it is another caller's.
    pub(super) fn own(&self, caller: &Caller, named: Option<&str>) -> Result<Option<String>, ForeignSession> {
        if let Some(named) = named.filter(|named| named.contains(OF_CONTAINER)) {
            return Err(ForeignSession(named.to_owned()));
        }
        Ok(match &caller.container {
            Some(container) => Some(format!("{}{OF_CONTAINER}{container}", named.unwrap_or("desk"))),
            None => named.map(str::to_owned),
        })
    }

    /// The day's session, if its marks are shared with the named one.
    pub(super) fn day(&self, session: Option<&str>) -> Option<String> {
        session.filter(|_| self.shared).and_then(|_| session_of(None).ok())
    }
}

#[cfg(test)]
mod tests;
