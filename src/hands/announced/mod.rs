//! The changes that a client's tool has announced: computed beforehand, so that they can be judged, and with the old versions
//! kept, so that they can be undone. The client writes, not the guard; only its announcement is known.

mod content;

pub use content::{Content, Edit, Planned};

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use guarda_core::effects::Effects;
use guarda_core::effects::{Change, Entry, EntryKind, NO_ROOM};
use guarda_core::policy::{Profile, Situation};
use guarda_sandbox::stage::{After, Budget, NotKept, Note, Stages, standing, text_diff};

use crate::devices::filesystem::paths::{self, Walk};
use crate::hands::staging::undoable::{Undoable, keep_note, sweep};
use crate::hands::{Hands, staging::stageable};
use guarda_journal::chain::unhex;

/// The longest file, in bytes, whose old content is read to compute the new one.
const MOST_READ: u64 = 16 << 20;

/// A tool's announced changes, and their old versions.
#[derive(Debug, Clone)]
pub struct Announced {
    /// The changes.
    pub effects: Arc<Effects>,
    /// The stored old versions, if there are any.
    held: Option<Held>,
}

#[derive(Debug, Clone)]
struct Held {
    stages: Stages,
    id: uuid::Uuid,
}

/// The change to one path.
#[derive(Debug)]
struct Spot {
    was: Option<Entry>,
    /// The old content; `None` if there is no file, or it was not read.
    old: Option<Vec<u8>>,
    now: Now,
    /// The previous path of a moved file.
    from: Option<PathBuf>,
    /// The tool's announcement as text, if the future content is unknown.
    said: Option<String>,
    /// The link through which the path was reached, if any; the client may replace it.
    link: Option<PathBuf>,
}

/// The state of a path after the change.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Now {
    Nothing,
    Bytes(Vec<u8>),
    Sum([u8; 32], u64),
    Unknown,
}

impl Hands {
    /// Computes a tool's changes and keeps the current versions. Also adds the session's own folders to the
    /// own.
    pub async fn announce(
        &self,
        id: uuid::Uuid,
        planned: &[Planned],
        (profile, session): (Profile, Option<&str>),
        situation: &mut Situation,
    ) -> Announced {
        let (home, cwd) = (PathBuf::from(&situation.home), PathBuf::from(&situation.cwd));
        situation.roots = stageable::roots(&self.config, profile, situation);
        let (planned, stages) = (planned.to_vec(), self.config.stages.clone());
        let session = guarda_journal::session_of(session).unwrap_or_default();
        let work = move || {
            let spots = spots(&planned, &home, &cwd);
            let mut effects = effects(&spots);
            let held = hold(stages, (id, &session), &spots);
            // If nothing is lost, nothing has to be held for an undo.
            let held = held.map_err(|why| effects.final_because = Some(why)).ok().flatten();
            Announced { effects: Arc::new(effects), held }
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| Announced {
            effects: Arc::new(Effects { final_because: Some(panic.to_string()), ..Effects::default() }),
            held: None,
        })
    }
}

impl Announced {
    /// Notes the deed's owner, and returns whether the deed can be undone; `None` if nothing changes. If no person was `asked`,
    /// that is a promise.
    pub async fn hold(self, note: Note, asked: bool) -> Option<Undoable> {
        let Self { effects, held } = self;
        if let Some(why) = &effects.final_because {
            return Some(Undoable::Not(why.clone()));
        }
        let Held { stages, id } = held?;
        let until = Undoable::held(&stages);
        let holding = tokio::task::spawn_blocking(move || {
            keep_note(&stages, id, &note);
            if !asked && let Err(error) = stages.promise(id) {
                tracing::warn!(%error, "old versions may give way to later ones");
            }
            stages
        });
        match holding.await {
            Ok(stages) => drop(tokio::task::spawn_blocking(move || sweep(&stages))),
            Err(panic) => return Some(Undoable::Not(panic.to_string())),
        }
        Some(until)
    }

    /// Drops the kept versions, because the change is not made.
    pub async fn withdraw(self) {
        let Some(Held { stages, id }) = self.held else { return };
        let gone = tokio::task::spawn_blocking(move || stages.withdraw(id)).await;
        if let Ok(Err(error)) = gone {
            tracing::warn!(%error, "what was kept for a tool could not be removed");
        }
    }
}

/// Keeps the current versions; `None` if nothing changes.
fn hold(
    stages: Option<Stages>,
    (id, session): (uuid::Uuid, &str),
    spots: &BTreeMap<PathBuf, Spot>,
) -> Result<Option<Held>, String> {
    let mut paths: Vec<(PathBuf, After)> = Vec::new();
    for (path, spot) in spots.iter().filter(|(_, spot)| spot.changes()) {
        let after = match &spot.now {
            Now::Nothing => After::Nothing,
            Now::Bytes(bytes) => After::of(bytes),
            Now::Sum(sum, _) => After::Bytes(*sum),
            Now::Unknown => After::Unknown,
        };
        paths.extend(spot.link.clone().map(|link| (link, after)));
        paths.push((path.clone(), after));
    }
    if paths.is_empty() {
        return Ok(None);
    }
    let stages = stages.ok_or("there is no folder for old versions")?;
    stages.announce(id, session, &paths).map_err(|error| match error {
        NotKept::TooMuch(_) => NO_ROOM.to_owned(),
        other => other.to_string(),
    })?;
    Ok(Some(Held { stages, id }))
}

/// The change to each path, from the tool's steps in order.
fn spots(planned: &[Planned], home: &Path, cwd: &Path) -> BTreeMap<PathBuf, Spot> {
    let mut spots = BTreeMap::new();
    for one in planned {
        let gone = one.content == Content::Gone;
        let (real, link) = place(&one.path, (home, cwd), gone);
        let from = one.from.as_deref().map(|from| place(from, (home, cwd), true).0);
        // A moved file may also change.
        let (now, was) = {
            let source: &mut Spot = spots
                .entry(from.clone().unwrap_or_else(|| real.clone()))
                .or_insert_with_key(|path| Spot::of(path));
            let now = source.after(&one.content);
            let was = source.text().map(<[u8]>::to_vec);
            if from.is_some() {
                source.now = Now::Nothing;
            }
            (now, was)
        };
        let spot: &mut Spot = spots.entry(real.clone()).or_insert_with_key(|path| Spot::of(path));
        spot.said = if now == Now::Unknown { one.content.said() } else { None };
        spot.link = link;
        if from.is_some() && was.is_some_and(|was| now == Now::Bytes(was)) {
            spot.from = from;
        }
        spot.now = now;
    }
    spots
}

/// The real path of a client's path, and the link that it is, if it is one. A deletion affects the link itself.
fn place(path: &str, (home, cwd): (&Path, &Path), gone: bool) -> (PathBuf, Option<PathBuf>) {
    let written = paths::of_person(path, home, cwd);
    let mut walk = Walk::default();
    let named = match (written.parent(), written.file_name()) {
        (Some(folder), Some(name)) => walk.follow(folder).real.join(name),
        _ => walk.follow(&written).real,
    };
    if gone {
        return (named, None);
    }
    let real = walk.follow(&written).real;
    let link = Some(named).filter(|named| *named != real);
    (real, link)
}

/// The changes, ordered by path.
fn effects(spots: &BTreeMap<PathBuf, Spot>) -> Effects {
    let mut left = Budget::default().diff_bytes;
    let mut changes = Vec::new();
    for (path, spot) in spots.iter().filter(|(_, spot)| spot.changes()) {
        let diff = spot.diff(left);
        left = left.saturating_sub(diff.as_ref().map_or(0, String::len));
        let (was, is) = (spot.was.clone(), spot.is());
        changes.push(Change {
            path: path.clone(),
            was,
            is,
            from: spot.from.clone(),
            same: spot.from.is_some(),
            diff,
            ..Change::default()
        });
    }
    Effects { changes, ..Effects::default() }
}

impl Spot {
    /// The current state of a path.
    fn of(path: &Path) -> Self {
        let was = standing(path);
        let file = was.as_ref().is_some_and(|was| was.kind == EntryKind::File && was.size <= MOST_READ);
        let old = if file { read(path) } else { None };
        let now = match (&was, &old) {
            (None, _) => Now::Nothing,
            (_, Some(old)) => Now::Bytes(old.clone()),
            (Some(_), None) => Now::Unknown,
        };
        Self { was, old, now, from: None, said: None, link: None }
    }

    /// The content after the steps so far, if it is known.
    fn text(&self) -> Option<&[u8]> {
        match &self.now {
            Now::Bytes(bytes) => Some(bytes),
            Now::Nothing | Now::Sum(..) | Now::Unknown => None,
        }
    }

    /// The state after one more step.
    fn after(&self, content: &Content) -> Now {
        let is_file = self.was.as_ref().is_none_or(|was| was.kind == EntryKind::File);
        match content {
            Content::Gone => Now::Nothing,
            _ if !is_file => Now::Unknown,
            Content::Whole(text) => Now::Bytes(text.clone().into_bytes()),
            Content::Long { sha256, size } => unhex(sha256).map_or(Now::Unknown, |sum| Now::Sum(sum, *size)),
            Content::Edits(_) | Content::Patch(_) => {
                let old = match &self.now {
                    Now::Nothing => Some(String::new()),
                    Now::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
                    Now::Sum(..) | Now::Unknown => None,
                };
                let new = old.and_then(|old| content.applied(&old));
                new.map_or(Now::Unknown, |new| Now::Bytes(new.into_bytes()))
            }
            Content::Unknown => Now::Unknown,
        }
    }

    fn changes(&self) -> bool {
        match &self.now {
            Now::Nothing => self.was.is_some(),
            Now::Bytes(bytes) => self.old.as_ref() != Some(bytes),
            Now::Sum(..) | Now::Unknown => true,
        }
    }

    /// The resulting entry. A writer leaves a file's mode and names unchanged; without an announced size, the old one stays.
    fn is(&self) -> Option<Entry> {
        let was = self.was.as_ref().filter(|was| was.kind == EntryKind::File);
        let size = match &self.now {
            Now::Nothing => return None,
            Now::Bytes(bytes) => bytes.len() as u64,
            Now::Sum(_, size) => *size,
            Now::Unknown => was.map_or(0, |was| was.size),
        };
        let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        Some(Entry {
            kind: EntryKind::File,
            size,
            mode: was.map_or(0o644, |was| was.mode),
            owner: was.map_or((user, group), |was| was.owner),
            // An undo gives this name another file; further names of the old file keep the tool's content.
            links: 1,
            below: guarda_core::effects::Below::default(),
        })
    }

    fn diff(&self, most: usize) -> Option<String> {
        if most == 0 {
            return None;
        }
        if let Some(said) = &self.said {
            let end =
                (0..=most.min(said.len())).rev().find(|at| said.is_char_boundary(*at)).unwrap_or_default();
            return said.get(..end).filter(|said| !said.is_empty()).map(str::to_owned);
        }
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        // All lines of a new file are new.
        let old = if self.was.is_none() { Some(String::new()) } else { text(self.old.as_deref()?) };
        text_diff(&old?, &text(self.text()?)?, most)
    }
}

/// A file's content. It is opened without blocking, so that a pipe cannot delay it.
fn read(path: &Path) -> Option<Vec<u8>> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    let flags = i32::try_from(flags.bits()).ok()?;
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST_READ + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST_READ).then_some(bytes)
}

/// A tool and the files that it names, for the list of what can be undone.
#[must_use]
pub fn summary(tool: &str, planned: &[Planned]) -> String {
    let mut paths: Vec<&str> = planned.iter().map(|one| one.path.as_str()).collect();
    paths.dedup();
    let text = format!("{tool} {}", paths.join(" "));
    guarda_core::output::redact(&text).map(|clean| clean.text).unwrap_or_default()
}

#[cfg(test)]
mod tests;
