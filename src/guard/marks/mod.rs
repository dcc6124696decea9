//! The marks of sessions: set by their actions and callers, and cleared by a person.

pub mod sessions;

use std::sync::Arc;

use guarda_core::action::AT;
use guarda_core::policy::Taint;

use guarda_journal::{Caller, session_of};
use sessions::SessionStore;

/// The door of hooks, in the record.
pub const HOOK_DOOR: &str = "hook";

/// A session of another caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the session {0:?} belongs to another caller, so nothing was done; name another one, or none")]
pub struct ForeignSession(pub String);

/// The door of MCP, in the record.
pub const MCP_DOOR: &str = "mcp";

/// Where a caller's sessions are: its container, or the door at which an agent's client names conversations, or a model does. Others
/// with the token name sessions of their own. No container's name has a dot.
fn place(caller: &Caller) -> Option<String> {
    match (&caller.container, caller.door.as_str()) {
        (Some(container), _) => Some(container.clone()),
        (None, door @ (HOOK_DOOR | MCP_DOOR)) => Some(format!("door.{door}")),
        (None, _) => None,
    }
}

/// Whose refusals count together: those of an agent's conversation, which its client names, or else of all at a place. What a container
/// calls a conversation is a name like any other.
pub(super) fn counted(caller: &Caller, session: Option<&str>) -> String {
    match (session, place(caller)) {
        (Some(session), _) if caller.container.is_none() && caller.door == HOOK_DOOR => session.to_owned(),
        (_, Some(place)) => format!("{AT}{place}"),
        (_, None) => AT.to_string(),
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

    /// The session that a caller means by a name, if it is its own. Its place stands behind the name; a container has a session also
    /// without one, so that it shares none with anybody else.
    ///
    /// # Errors
    /// [`ForeignSession`], if it is another caller's.
    pub(super) fn own(&self, caller: &Caller, named: Option<&str>) -> Result<Option<String>, ForeignSession> {
        if let Some(named) = named.filter(|named| named.contains(AT)) {
            return Err(ForeignSession(named.to_owned()));
        }
        let named = named.or(caller.container.as_ref().map(|_| "desk"));
        let Some(place) = place(caller) else { return Ok(named.map(str::to_owned)) };
        Ok(named.map(|named| format!("{named}{AT}{place}")))
    }

    /// The day's session, if its marks are shared with the named one.
    pub(super) fn day(&self, session: Option<&str>) -> Option<String> {
        session.filter(|_| self.shared).and_then(|_| session_of(None).ok())
    }
}

#[cfg(test)]
mod tests;
