//! Pages with an open console. A link that works once lets a page in, and a secret in a header keeps it signed in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::prompt::Admission;

/// How long a link is valid.
pub(super) const LINK_LIFE: Duration = Duration::from_secs(120);
/// How long an unused console stays open.
pub(super) const IDLE: Duration = Duration::from_secs(12 * 3600);
/// The most unused links, and the most consoles. Beyond it, the oldest is dropped.
const MOST: usize = 16;

/// The consoles of one service, which end with it. Secrets are stored only as hashes.
#[derive(Debug, Default)]
pub struct ConsoleSessions {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    links: Vec<Ticket>,
    open: Vec<Ticket>,
}

#[derive(Debug)]
struct Ticket {
    hash: [u8; 32],
    /// When the link was created, or the console was last used.
    at: Instant,
    /// How the browser was let in.
    admission: Arc<Admission>,
}

impl ConsoleSessions {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a code that opens the console once, within [`LINK_LIFE`]: 256 random bits in hex.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub(super) fn link(&self, admission: Admission, now: Instant) -> std::io::Result<String> {
        let code = crate::devices::random::hex::<32>()?;
        admit(&mut self.inner().links, &code, Arc::new(admission), now);
        Ok(code)
    }

    /// Redeems a code and returns the secret of a new console; `None` if the code is unknown, used or expired.
    ///
    /// # Errors
    /// If the system provides no random numbers; the code is then used up as well.
    pub(super) fn enter(&self, code: &str, now: Instant) -> std::io::Result<Option<String>> {
        let mut inner = self.inner();
        inner.links.retain(|link| now.duration_since(link.at) <= LINK_LIFE);
        let Some(place) = find(&inner.links, code) else { return Ok(None) };
        let admission = inner.links.remove(place).admission;
        let secret = crate::devices::random::hex::<32>()?;
        admit(&mut inner.open, &secret, admission, now);
        Ok(Some(secret))
    }

    /// How the console with this secret was let in; `None` if it is not open. The call counts as use.
    pub(super) fn known(&self, secret: &str, now: Instant) -> Option<Arc<Admission>> {
        let mut inner = self.inner();
        inner.open.retain(|session| now.duration_since(session.at) <= IDLE);
        let place = find(&inner.open, secret)?;
        let session = inner.open.get_mut(place)?;
        session.at = now;
        Some(Arc::clone(&session.admission))
    }

    /// Closes a console.
    pub(super) fn leave(&self, secret: &str) {
        let mut inner = self.inner();
        if let Some(place) = find(&inner.open, secret) {
            inner.open.remove(place);
        }
    }
}

fn admit(tickets: &mut Vec<Ticket>, text: &str, admission: Arc<Admission>, at: Instant) {
    if tickets.len() == MOST {
        tickets.remove(0);
    }
    tickets.push(Ticket { hash: Sha256::digest(text).into(), at, admission });
}

/// Compares with every ticket in constant time.
fn find(tickets: &[Ticket], text: &str) -> Option<usize> {
    let given: [u8; 32] = Sha256::digest(text).into();
    let mut found = None;
    for (place, ticket) in tickets.iter().enumerate() {
        if bool::from(given.ct_eq(&ticket.hash)) {
            found = Some(place);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_once_and_not_for_long() {
        let (sessions, now) = (ConsoleSessions::default(), Instant::now());
        let code = sessions.link(Admission::made_up(), now).unwrap();
        assert!(sessions.enter("", now).unwrap().is_none());
        let secret = sessions.enter(&code, now).unwrap().unwrap();
        assert!(sessions.enter(&code, now).unwrap().is_none(), "used");
        assert!(sessions.known(&secret, now).is_some() && sessions.known(&code, now).is_none());
        let late = sessions.link(Admission::made_up(), now).unwrap();
        assert!(sessions.enter(&late, now + LINK_LIFE + Duration::from_secs(1)).unwrap().is_none());
    }

    #[test]
    fn a_console_closes_by_itself_and_by_hand() {
        let (sessions, now) = (ConsoleSessions::default(), Instant::now());
        let open =
            |at| sessions.enter(&sessions.link(Admission::made_up(), at).unwrap(), at).unwrap().unwrap();
        let (one, two) = (open(now), open(now));
        assert!(sessions.known(&one, now + IDLE).is_some());
        assert!(sessions.known(&two, now + IDLE + Duration::from_secs(1)).is_none(), "unused");
        assert!(sessions.known(&one, now + IDLE + IDLE).is_some(), "used in between");
        sessions.leave(&one);
        assert!(sessions.known(&one, now + IDLE + IDLE).is_none());
        let first = open(now);
        for _ in 0..MOST {
            open(now);
        }
        assert!(sessions.known(&first, now).is_none(), "there are never more than a few");
    }
}
