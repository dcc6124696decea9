//! The known sessions and their marks (feature P1). A mark survives restarts and stays until a person clears it. If
//! marks are lost, every session that they could belong to counts as marked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use guarda_core::action::AT;
use guarda_core::network::Host;
use guarda_core::policy::{MarkCause, Taint};

/// The file name in the state folder.
pub const FILE: &str = "sessions.json";
/// The greatest number of sessions; unmarked ones are dropped first.
const MOST: usize = 1000;
/// The greatest number of sessions of one owner.
const SHARE: usize = 250;
/// In the list of those for whom there was no room: it may have been anybody, as files of version 0.1.0 do not say.
const EVERYBODY: &str = "";
/// A marked session that made no request for this long may be dropped if there is no room.
const OLD: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The most hosts that are kept for one session.
const MOST_HOSTS: usize = 200;
/// The longest text in the cause of a mark, in characters.
const LONGEST_WHY: usize = 200;
/// How often writing is retried after a failure.
const AGAIN: Duration = Duration::from_secs(1);

/// One mark of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionMark {
    /// When the mark was set.
    #[serde(with = "written")]
    pub since: jiff::Timestamp,
    /// The cause, as an English clause.
    pub why: String,
    /// The cause, as a value. `None` in files of version 0.1.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<MarkCause>,
}

/// The state of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionState {
    /// Set if the session has seen content that others may have written.
    pub corruption: Option<SessionMark>,
    /// Set if the session has seen secrets.
    pub secret: Option<SessionMark>,
    /// The hosts from which its commands have received data.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hosts: BTreeSet<Host>,
    /// When the session made its last request.
    #[serde(with = "written")]
    pub seen: jiff::Timestamp,
}

/// Whose a session is, by its name: that of its place, or theirs who hold the token.
fn owner(session: &str) -> &str {
    session.find(AT).and_then(|at| session.get(at..)).unwrap_or("token")
}

impl SessionState {
    fn new(now: jiff::Timestamp) -> Self {
        Self { corruption: None, secret: None, hosts: BTreeSet::new(), seen: now }
    }

    /// The session's marks.
    #[must_use]
    pub fn taint(&self) -> Taint {
        Taint { corruption: self.corruption.is_some(), secret: self.secret.is_some() }
    }

    /// Sets marks and returns those that are new.
    fn raise(&mut self, taint: Taint, why: &MarkCause, now: jiff::Timestamp) -> Taint {
        let new = taint.without(self.taint());
        let mark = || Some(SessionMark { since: now, why: why.to_string(), cause: Some(why.clone()) });
        if new.corruption {
            self.corruption = mark();
        }
        if new.secret {
            self.secret = mark();
        }
        new
    }
}

/// A fault of the store of marks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionStoreError {
    /// The marks cannot be written and would be lost at a restart, so every session counts as marked.
    #[error("The marks of sessions cannot be written, so every session counts as having seen secrets: {0}")]
    Unwritten(String),
    /// Too many sessions are marked, so that no further one can be kept: new ones count as marked.
    #[error(
        "More than {MOST} sessions are marked, so every new one counts as having seen secrets; take all marks away with \
         `guarda session clear --all`"
    )]
    Full,
    /// The marks were lost, and every session in the record was marked. Reported until the next start.
    #[error(
        "The marks of sessions were lost ({0}), so every session of the record was marked; look at them with `guarda \
         session list`"
    )]
    Lost(String),
}

/// The sessions and their marks.
#[derive(Debug, Default)]
pub struct SessionStore {
    file: Option<PathBuf>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    known: BTreeMap<String, SessionState>,
    /// Set while a change is not on disk: the cause, and the time of the last attempt.
    unwritten: Option<(String, std::time::Instant)>,
    lost: Option<String>,
    /// The owners for whose sessions there was no room once: their unknown sessions count as marked from then on.
    crowded: BTreeSet<String>,
}

/// The file's content.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Store {
    version: u32,
    #[serde(default)]
    crowded: BTreeSet<String>,
    /// In files of version 0.1.0: there was no room for somebody's session.
    #[serde(default, skip_serializing)]
    overflowed: bool,
    sessions: BTreeMap<String, SessionState>,
}

impl SessionStore {
    /// Reads the marks in this folder. If they are missing or unreadable, the sessions in `recorded` (those that the
    /// record knows) get both marks, and an unreadable file is renamed to `sessions.json.damaged`.
    #[must_use]
    pub fn open(folder: &Path, recorded: impl FnOnce() -> Vec<String>) -> Self {
        let file = folder.join(FILE);
        let now = jiff::Timestamp::now();
        let mut inner = Inner::default();
        match read(&file) {
            Ok(Some(store)) => {
                (inner.known, inner.crowded) = (store.sessions, store.crowded);
                inner.crowded.extend(store.overflowed.then(|| EVERYBODY.to_owned()));
            }
            Ok(None) => inner.lose(recorded(), "there is no file of them", now),
            Err(why) => {
                let aside = file.with_extension("json.damaged");
                if let Err(error) = std::fs::rename(&file, &aside) {
                    tracing::error!(%error, "the damaged file of marks cannot be put aside");
                }
                inner.lose(recorded(), &format!("{}: {why}", aside.display()), now);
            }
        }
        let sessions = Self { file: Some(file), inner: Mutex::new(inner) };
        sessions.write(&mut sessions.inner());
        sessions
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The marks of a session. Also notes that the session made a request.
    #[must_use]
    pub fn taint(&self, session: &str) -> Taint {
        let mut inner = self.inner();
        if let Some((_, tried)) = &inner.unwritten
            && tried.elapsed() >= AGAIN
        {
            self.write(&mut inner);
        }
        let now = jiff::Timestamp::now();
        let writable = inner.unwritten.is_none();
        let Some(known) = inner.entry(session, now) else {
            self.write(&mut inner);
            return Taint::BOTH;
        };
        known.seen = now;
        if writable { known.taint() } else { Taint::BOTH }
    }

    /// Sets marks and returns the new ones. They are on disk when this returns, or [`SessionStore::trouble`] says so.
    pub fn raise(&self, session: &str, taint: Taint, why: &MarkCause) -> Taint {
        let mut inner = self.inner();
        let now = jiff::Timestamp::now();
        let mut why = why.clone();
        if let Some(text) = why.text() {
            *text = text.chars().filter(|c| !c.is_control()).take(LONGEST_WHY).collect();
        }
        let Some(known) = inner.entry(session, now) else { return Taint::NONE };
        let new = known.raise(taint, &why, now);
        if new.any() {
            self.write(&mut inner);
        }
        new
    }

    /// Notes that a session's commands have received data from these hosts, and returns the new ones.
    pub(in crate::guard) fn add_hosts(&self, session: &str, hosts: BTreeSet<&Host>) -> Vec<Host> {
        let mut inner = self.inner();
        let Some(known) = inner.entry(session, jiff::Timestamp::now()) else { return Vec::new() };
        let room = MOST_HOSTS.saturating_sub(known.hosts.len());
        let new: Vec<Host> =
            hosts.into_iter().filter(|host| !known.hosts.contains(*host)).take(room).cloned().collect();
        known.hosts.extend(new.iter().cloned());
        if !new.is_empty() {
            self.write(&mut inner);
        }
        new
    }

    /// Clears the marks of a session and returns the previous ones. Only for a person.
    pub fn clear(&self, session: &str) -> Option<Taint> {
        let mut inner = self.inner();
        let known = inner.known.get_mut(session)?;
        let had = known.taint();
        *known = SessionState::new(known.seen);
        if had.any() {
            self.write(&mut inner);
        }
        Some(had)
    }

    /// Clears the marks of all sessions and returns how many had one. Only for a person.
    pub fn clear_all(&self) -> usize {
        let mut inner = self.inner();
        let had = inner.marked();
        for known in inner.known.values_mut() {
            *known = SessionState::new(known.seen);
        }
        inner.crowded.clear();
        inner.lost = None;
        self.write(&mut inner);
        had
    }

    /// The state of a session.
    #[must_use]
    pub fn find(&self, session: &str) -> Option<SessionState> {
        self.inner().known.get(session).cloned()
    }

    /// All known sessions, the latest request first.
    #[must_use]
    pub fn list(&self) -> Vec<(String, SessionState)> {
        let mut all: Vec<(String, SessionState)> =
            self.inner().known.iter().map(|(name, known)| (name.clone(), known.clone())).collect();
        all.sort_by_key(|(_, known)| std::cmp::Reverse(known.seen));
        all
    }

    /// The number of marked sessions.
    #[must_use]
    pub fn marked(&self) -> usize {
        self.inner().marked()
    }

    /// The fault of the marks, if any.
    #[must_use]
    pub fn trouble(&self) -> Option<SessionStoreError> {
        let inner = self.inner();
        if let Some((why, _)) = &inner.unwritten {
            return Some(SessionStoreError::Unwritten(why.clone()));
        }
        if !inner.crowded.is_empty() || inner.marked() >= MOST {
            return Some(SessionStoreError::Full);
        }
        inner.lost.clone().map(SessionStoreError::Lost)
    }

    /// Writes the marked sessions. Also called at the end, to keep the times of the last requests.
    pub fn save(&self) {
        self.write(&mut self.inner());
    }

    fn write(&self, inner: &mut Inner) {
        let Some(file) = &self.file else { return };
        let marked = inner.known.iter().filter(|(_, known)| known.taint().any());
        let sessions = marked.map(|(name, known)| (name.clone(), known.clone())).collect();
        let written = serde_json::to_vec_pretty(&Store {
            version: 1,
            crowded: inner.crowded.clone(),
            overflowed: false,
            sessions,
        })
        .map_err(|error| error.to_string())
        .and_then(|text| {
            crate::devices::filesystem::own::write_private(file, &text).map_err(|error| error.to_string())
        });
        inner.unwritten = match written {
            Ok(()) => None,
            Err(why) => {
                if inner.unwritten.is_none() {
                    tracing::error!(why, "the marks of sessions cannot be written");
                }
                Some((why, std::time::Instant::now()))
            }
        };
    }
}

impl Inner {
    fn marked(&self) -> usize {
        self.known.values().filter(|known| known.taint().any()).count()
    }

    fn lose(&mut self, recorded: Vec<String>, why: &str, now: jiff::Timestamp) {
        if recorded.is_empty() {
            return;
        }
        for name in recorded.into_iter().take(MOST) {
            let known = self.known.entry(name).or_insert_with(|| SessionState::new(now));
            known.raise(Taint::BOTH, &MarkCause::Lost, now);
        }
        self.lost = Some(why.to_owned());
    }

    /// The session's entry; `None` if there is no room for a new one of its owner.
    fn entry(&mut self, session: &str, now: jiff::Timestamp) -> Option<&mut SessionState> {
        if !self.known.contains_key(session) {
            let owned = |name: &str| owner(name) == owner(session);
            let own = self.known.keys().filter(|name| owned(name)).count();
            let full = own >= SHARE && !self.make_room(now, owned)
                || self.known.len() >= MOST && !self.make_room(now, |_| true);
            if full {
                self.crowded.insert(owner(session).to_owned());
                return None;
            }
            let mut new = SessionState::new(now);
            if self.crowded.contains(owner(session)) || self.crowded.contains(EVERYBODY) {
                new.raise(Taint::BOTH, &MarkCause::NoRoom, now);
            }
            self.known.insert(session.to_owned(), new);
        }
        self.known.get_mut(session)
    }

    /// Drops the one of these sessions with the oldest request: an unmarked one, or one that is old enough. False if there is none.
    fn make_room(&mut self, now: jiff::Timestamp, of: impl Fn(&str) -> bool) -> bool {
        let old =
            |known: &SessionState| known.seen < now && now.duration_since(known.seen).unsigned_abs() > OLD;
        let may_go = |known: &SessionState| !known.taint().any() || old(known);
        let found = self.known.iter().filter(|(name, known)| of(name) && may_go(known));
        // Those without marks first.
        let found = found.min_by_key(|(_, known)| (known.taint().any(), known.seen));
        let Some(name) = found.map(|(name, _)| name.clone()) else { return false };
        self.known.remove(&name).is_some()
    }
}

/// The file's content; `None` if there is no file.
fn read(file: &Path) -> Result<Option<Store>, String> {
    let text = crate::devices::filesystem::own::read_config(file).map_err(|error| error.fault.to_string())?;
    let Some(text) = text else { return Ok(None) };
    let store: Store = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if store.version != 1 {
        return Err(format!("its version is {}", store.version));
    }
    if store.sessions.len() > MOST {
        return Err(format!("it holds more than {MOST} sessions"));
    }
    Ok(Some(store))
}

/// Formats a time: RFC 3339, UTC.
mod written {
    use serde::de::{Deserialize as _, Deserializer, Error as _};
    use serde::ser::Serializer;

    pub(in crate::guard) fn serialize<S: Serializer>(
        time: &jiff::Timestamp,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(time)
    }

    pub(in crate::guard) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<jiff::Timestamp, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
