//! Connections that have not shown a token yet. When there is no room, the longest idle one of them is closed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// The connections that may be closed.
#[derive(Debug, Clone, Default)]
pub(in crate::doors::http) struct Lobby(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    /// Idle connections, the longest idle first.
    idle: BTreeMap<u64, CancellationToken>,
    turns: u64,
}

/// One connection.
#[derive(Debug)]
pub(in crate::doors::http) struct Guest {
    lobby: Lobby,
    state: Mutex<State>,
    sent_away: CancellationToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Idle since this turn.
    Idle(u64),
    /// A request is being handled.
    Heard,
    /// It has shown a token, so it stays open.
    Known,
}

/// Marks a response to a caller that showed a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::doors::http) struct Authenticated;

/// Marks a request on a connection reserved for a person and for health checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::doors::http) struct Narrow;

impl Lobby {
    /// Adds a connection, idle at first.
    pub fn enter(&self) -> Arc<Guest> {
        let sent_away = CancellationToken::new();
        let state = Mutex::new(State::Idle(self.wait(&sent_away)));
        Arc::new(Guest { lobby: self.clone(), state, sent_away })
    }

    /// Closes the longest idle connection. Returns false if there is none.
    pub fn make_room(&self) -> bool {
        let first = self.waiting().idle.pop_first();
        first.is_some_and(|(_, guest)| {
            guest.cancel();
            true
        })
    }

    fn wait(&self, guest: &CancellationToken) -> u64 {
        let mut waiting = self.waiting();
        waiting.turns += 1;
        let turn = waiting.turns;
        waiting.idle.insert(turn, guest.clone());
        turn
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guest {
    /// A request has arrived.
    pub fn heard(&self) {
        let mut state = self.state();
        if let State::Idle(turn) = *state {
            self.lobby.waiting().idle.remove(&turn);
            *state = State::Heard;
        }
    }

    /// The request was answered.
    pub fn answered(&self, admitted: bool) {
        let mut state = self.state();
        if admitted {
            *state = State::Known;
        } else if *state == State::Heard {
            *state = State::Idle(self.lobby.wait(&self.sent_away));
        }
    }

    /// Waits until the connection must close.
    pub async fn sent_away(&self) {
        self.sent_away.cancelled().await;
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let State::Idle(turn) = *self.state() {
            self.lobby.waiting().idle.remove(&turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_idle_goes_and_who_is_known_or_heard_stays() {
        let lobby = Lobby::default();
        let [known, heard, first, second] = [(); 4].map(|()| lobby.enter());
        known.heard();
        known.answered(true);
        heard.heard();
        first.heard();
        first.answered(false);
        let gone = |guest: &Guest| guest.sent_away.is_cancelled();
        assert!(lobby.make_room() && gone(&second) && !gone(&first));
        let third = lobby.enter();
        assert!(lobby.make_room() && gone(&first) && !gone(&third));
        drop(third);
        assert!(!lobby.make_room() && !gone(&known) && !gone(&heard));
        heard.answered(false);
        assert!(lobby.make_room() && gone(&heard));
    }
}
