//! Old versions of files that another program is about to change: an agent announces the change, and makes it once the
//! guard allows it. Nobody reports when the change is complete. The guard therefore notes what was announced, and an
//! undo compares the note with what it finds.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::stage::entries::attributes::Attributes;
use crate::stage::entries::entry::{Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::{Fault, NotKept, NotUndone};
use crate::stage::overlay::watch::FileWatch;
use crate::stage::overlay::{compare, compare::SideEntry};
use crate::stage::run::{Run, StagesConfig, noted};
use crate::stage::vault::commit::weigh;
use crate::stage::vault::keep::Terms;
use crate::stage::vault::plan::{Move, Plan, Progress, State};
use crate::stage::vault::room;
use crate::stage::vault::spots::Fate;
use crate::stage::{entries::frame, note, note::Note};
use guarda_core::effects::native;

/// The announced content of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum After {
    /// Nothing.
    Nothing,
    /// A file with bytes of this SHA-256.
    Bytes([u8; 32]),
    /// A file of unknown content.
    Unknown,
}

impl After {
    /// A file that holds these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::Bytes(Sha256::digest(bytes).into())
    }
}

/// A path, and the change announced for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Announced {
    #[serde(with = "native")]
    path: PathBuf,
    after: After,
}

/// Keeps the files at these paths, and notes the content announced for them.
pub(in crate::stage) fn announce(
    config: &StagesConfig,
    id: Uuid,
    session: &str,
    paths: &[(PathBuf, After)],
) -> Result<(), NotKept> {
    let announced: Vec<Announced> =
        paths.iter().map(|(path, after)| Announced { path: path.clone(), after: *after }).collect();
    keep(config, id, &announced, &Note { session: session.to_owned(), ..Note::default() })
}

fn keep(config: &StagesConfig, id: Uuid, announced: &[Announced], owner: &Note) -> Result<(), NotKept> {
    let spots: Vec<(PathBuf, Fate)> = announced.iter().map(|one| (one.path.clone(), Fate::Copied)).collect();
    let note = |run: &Run| {
        note::write(config, run.id, id, owner)?;
        frame::write(&place(config, run), &announced)
    };
    // A hard link would be visible, and it is unknown when the deed is over and the link could be removed.
    let terms = Terms { state: State::Announced, promises: true, note: &note };
    crate::stage::vault::keep::keep(config, id, &spots, &terms).map(drop)
}

/// An announced deed that was not seen on disk yet. It may never be done.
#[derive(Debug)]
pub(in crate::stage) struct Waiting {
    run: Run,
    announced: Vec<Announced>,
    note: Option<Note>,
}

/// All announced changes that have not been seen on disk yet.
pub(in crate::stage) fn waiting(config: &StagesConfig) -> Vec<Waiting> {
    let one = |(run, progress): (Run, Option<Progress>)| {
        let State::Announced(since) = progress?.state else { return None };
        let waits = touched(config, &run.plan(config)?, since).ok()?.is_empty();
        let (announced, note) = (read(config, &run), note::read(config, run.id, run.id));
        waits.then_some(Waiting { run, announced, note })
    };
    noted(config).into_iter().filter_map(one).collect()
}

/// Keeps the current version of each file that an announced change still concerns and that an undo has just replaced. A
/// file that can no longer be kept is taken off the list and cannot be undone.
pub(in crate::stage) fn keep_again(config: &StagesConfig, waiting: Vec<Waiting>, undone: &[PathBuf]) {
    for Waiting { run, announced, note } in waiting {
        if !announced.iter().any(|one| undone.iter().any(|path| one.path.starts_with(path))) {
            continue;
        }
        // It was done, and a later deed that was undone now had hidden that.
        if is_there(config, &run, &announced).unwrap_or(false) {
            continue;
        }
        let promised = room::has_promise(config, &run);
        let gone = run.remove(config).map_err(NotKept::from);
        let kept = gone.and_then(|()| keep(config, run.id, &announced, &note.unwrap_or_default()));
        if kept.is_ok() && promised {
            let _ = room::promise(config, &run);
        }
    }
}

/// Whether the files are as announced.
fn is_there(config: &StagesConfig, run: &Run, announced: &[Announced]) -> Result<bool, Fault> {
    let Some((plan, progress)) = run.plan(config).zip(run.progress(config)) else { return Ok(false) };
    let State::Announced(since) = progress.state else { return Ok(false) };
    let (moves, mut found) = (touched(config, &plan, since)?, Outcome::default());
    for one in &moves {
        if let Some(look) = Look::of(&plan, one)? {
            look.compare(announced, &mut found)?;
        }
    }
    Ok(!moves.is_empty() && found.check().is_ok())
}

/// How the file compares with the announcement.
#[derive(Debug, Default)]
struct Outcome {
    /// The file differs from the announcement.
    foreign: BTreeSet<PathBuf>,
    /// The content was not announced.
    unknown: BTreeSet<PathBuf>,
}

/// The names that now hold something other than the kept version.
fn touched(config: &StagesConfig, plan: &Plan, since: Time) -> Result<Vec<Move>, Fault> {
    let mut touched = Vec::new();
    for one in &plan.moves {
        let Some(look) = Look::of(plan, one)? else { continue };
        if !look.untouched(one, config, since)? {
            touched.push(Move { new: look.now.map(|seen| seen.id), ..one.clone() });
        }
    }
    Ok(touched)
}

/// The plan of the announced changes that were made so far; `None` if there are none.
pub(in crate::stage) fn so_far(config: &StagesConfig, plan: Plan, progress: &Progress) -> Option<Plan> {
    let State::Announced(since) = progress.state else { return Some(plan) };
    let moves = touched(config, &plan, since).ok()?;
    (!moves.is_empty()).then_some(Plan { moves, ..plan })
}

/// Marks the announced change as done if the file matches it, so that it can be undone like any other deed.
pub(in crate::stage) fn settle(
    config: &StagesConfig,
    run: &Run,
    mut plan: Plan,
    progress: Progress,
) -> Result<(Plan, Progress), NotUndone> {
    let State::Announced(since) = progress.state else { return Ok((plan, progress)) };
    plan.moves = touched(config, &plan, since)?;
    if plan.moves.is_empty() {
        return Err(NotUndone::Unknown(progress.id));
    }
    for folder in &mut plan.folders {
        let Some(root) = plan.roots.get(folder.root) else { continue };
        let opened = Tree::open(&root.path)?.folder(Path::new(""))?;
        let seen = Seen::of(&opened).map_err(Fault::at("looking at", &root.path))?;
        folder.new = Attributes::of(&opened, Path::new(""), &seen)?;
        // Writing a file does not change its folder's mode, so a difference comes from somebody else.
        folder.old = folder.new.clone();
    }
    crate::stage::vault::keep::note_copies(config, run)?;
    let done = Progress { state: State::Done(config.now()?), ..progress };
    // Later writes have a later time, by which they are found.
    let announced = read(config, run);
    let mut found = Outcome::default();
    for one in &plan.moves {
        let Some(look) = Look::of(&plan, one)? else { continue };
        look.compare(&announced, &mut found)?;
        if look.now.map(|seen| seen.id) != one.new {
            found.foreign.insert(plan.path(one));
        }
        weigh(&mut plan.new, look.now.as_ref(), &look.real, &look.name)?;
    }
    found.check()?;
    run.write_plan(config, &plan)?;
    run.write_progress(config, &done)?;
    Ok((plan, done))
}

fn place(config: &StagesConfig, run: &Run) -> PathBuf {
    config.run(run.id).join("announced")
}

fn read(config: &StagesConfig, run: &Run) -> Vec<Announced> {
    frame::read(&place(config, run)).unwrap_or_default()
}

impl Outcome {
    fn check(&self) -> Result<(), NotUndone> {
        let list = |paths: &BTreeSet<PathBuf>| paths.iter().cloned().collect();
        match (self.foreign.is_empty(), self.unknown.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => Err(NotUndone::Unforeseen(list(&self.unknown))),
            (false, _) => Err(NotUndone::Changed(list(&self.foreign))),
        }
    }
}

/// An announced name: its current entry, and the kept one.
struct Look {
    real: Tree,
    store: Tree,
    name: PathBuf,
    now: Option<Seen>,
    kept: Option<Seen>,
}

impl Look {
    fn of(plan: &Plan, one: &Move) -> Result<Option<Self>, Fault> {
        let Some((root, _)) = plan.folder(one) else { return Ok(None) };
        let (real, store, name) =
            (Tree::open(&root.path)?, Tree::open(&root.store)?, PathBuf::from(&one.name));
        let now = real.see(&real.folder(Path::new(""))?, &name)?;
        let kept = store.see(&store.folder(Path::new(""))?, &name)?;
        Ok(Some(Self { real, store, name, now, kept: kept.filter(|_| one.old.is_some()) }))
    }

    /// Whether the file is unchanged. A later change of status alone says nothing.
    fn untouched(&self, one: &Move, config: &StagesConfig, since: Time) -> Result<bool, Fault> {
        if self.now.map(|seen| seen.id) != one.new {
            return Ok(false);
        }
        let Some(now) = &self.now else { return Ok(true) };
        let mut watch = FileWatch::new(config, since);
        // The guard's own files are never kept.
        let _ = watch.look(&self.real, &self.name, now);
        if watch.foreign.is_empty() {
            return Ok(true);
        }
        let Some(kept) = &self.kept else { return Ok(false) };
        let (here, there) = (self.real.folder(Path::new(""))?, self.store.folder(Path::new(""))?);
        let side = |folder, seen| SideEntry { folder, path: &self.name, seen };
        compare::same_file(side(&here, now), side(&there, kept))
    }

    /// Compares the file, or the files of a folder that was created for it, with the announcement.
    fn compare(&self, announced: &[Announced], outcome: &mut Outcome) -> Result<(), Fault> {
        let whole = self.real.path(&self.name);
        let said = |path: &Path| announced.iter().rev().find(|one| one.path == path).map(|one| one.after);
        match &self.now {
            None if said(&whole) == Some(After::Nothing) => {}
            None => drop(outcome.foreign.insert(whole)),
            Some(now) if now.is_folder() => self.real.each(&self.name, |folder, path, seen| {
                let there = self.real.path(path);
                if !seen.is_folder() {
                    return self.compare_file(folder, (path, seen), said(&there), outcome);
                }
                if !announced.iter().any(|one| one.path.starts_with(&there)) {
                    outcome.foreign.insert(there);
                }
                Ok(())
            })?,
            Some(now) => {
                let folder = self.real.folder(Path::new(""))?;
                self.compare_file(&folder, (&self.name, now), said(&whole), outcome)?;
                // A plain write keeps mode and owner, and may replace a link by a file.
                let rights = |seen: &Seen| (seen.mode, seen.owner);
                if self.kept.is_some_and(|kept| kept.kind == now.kind && rights(&kept) != rights(now)) {
                    outcome.foreign.insert(whole);
                }
            }
        }
        Ok(())
    }

    fn compare_file(
        &self,
        folder: &OwnedFd,
        (path, seen): (&Path, &Seen),
        said: Option<After>,
        outcome: &mut Outcome,
    ) -> Result<(), Fault> {
        let regular = seen.kind == FileType::RegularFile;
        match said {
            Some(After::Unknown) if regular => drop(outcome.unknown.insert(self.real.path(path))),
            Some(After::Bytes(sum)) if regular && (SideEntry { folder, path, seen }).sum()? == sum => {}
            _ => drop(outcome.foreign.insert(self.real.path(path))),
        }
        Ok(())
    }
}
