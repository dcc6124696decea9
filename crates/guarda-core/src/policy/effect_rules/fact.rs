//! Facts about one change that a rule can ask for.

use std::path::{Component, Path, PathBuf};

use super::{Scene, Subject};
use crate::effects::{Entry, EntryKind};
use crate::places::Place;
use crate::policy::RuleError;

/// The bits by which a program runs with the rights of its owner or group.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;
/// The class of places to which a link may lead, since only the administrator changes them.
const SETTLED: &str = "programs-of-the-system";

/// A fact about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Fact {
    /// The run cannot be undone.
    Final,
    /// A program has a set-id bit that it did not have.
    SetId,
    /// A device has appeared.
    Device,
    /// A link leads out of the folders of the session, and did not before.
    LeadsOut,
    /// A file was written by one of its names, and others keep the old content.
    HardLink,
    /// It was a folder.
    WasFolder,
    /// It is, or was, anything but a folder, and git did not make it by itself.
    Pointer,
    /// It is not known to start nothing: see [`crate::effects::Change::inert`].
    MayStart,
    /// The run wrote it, and did not only have git bring it from its own objects.
    Written,
}

impl Fact {
    pub(super) fn named(name: &str) -> Result<Self, RuleError> {
        name.parse().map_err(|_| RuleError::NoFact(name.to_owned()))
    }

    /// True if it concerns the changed file itself and not the whole run.
    pub(super) fn singles_out(self) -> bool {
        matches!(self, Self::SetId | Self::Device | Self::LeadsOut)
    }

    pub(super) fn holds(self, scene: &Scene<'_>, subject: &Subject<'_>) -> bool {
        let (was, is) = (subject.change.was.as_ref(), subject.change.is.as_ref());
        match self {
            Self::MayStart => !subject.change.inert,
            Self::Written => !scene.situation.from_objects,
            Self::Final => scene.is_final,
            Self::SetId => is.is_some_and(|is| sets_id(is) & !was.map_or(0, sets_id) != 0),
            Self::Device => {
                is.is_some_and(|is| is.kind == EntryKind::Device)
                    && was.is_none_or(|was| was.kind != EntryKind::Device)
            }
            Self::LeadsOut => {
                is.is_some_and(|is| leads_out(scene, &subject.change.path, is))
                    && was.map(|was| &was.kind) != is.map(|is| &is.kind)
            }
            Self::HardLink => subject.change.parted,
            Self::WasFolder => was.is_some_and(Entry::is_folder),
            Self::Pointer => {
                let apart = |entry: &Entry| entry.kind != EntryKind::Folder;
                !scene.situation.from_objects && (was.or(is).is_some_and(apart) || is.is_some_and(apart))
            }
        }
    }
}

/// The set-id bits that count. On a folder, set-group-id only sets the group of new files; on a file that is not executable, it
/// is a kind of lock.
fn sets_id(entry: &Entry) -> u32 {
    match entry.kind {
        EntryKind::File if entry.mode & 0o010 != 0 => entry.mode & (SET_USER | SET_GROUP),
        EntryKind::File => entry.mode & SET_USER,
        _ => 0,
    }
}

fn leads_out(scene: &Scene<'_>, path: &Path, entry: &Entry) -> bool {
    let EntryKind::Link(target) = &entry.kind else { return false };
    let Some(real) = resolved(path, target) else { return true };
    let home = &scene.situation.home;
    let settled = || {
        let place = real.to_str().and_then(|text| Place::from_text(text, None, home));
        let names = scene.policy.names();
        place
            .zip(names.class(SETTLED).ok())
            .is_some_and(|(place, class)| names.atlas().has(&place, home).any(class))
    };
    !scene.roots.iter().any(|root| real.starts_with(root)) && !settled()
}

/// The target of a link, by its text alone.
fn resolved(path: &Path, target: &Path) -> Option<PathBuf> {
    let mut real = PathBuf::from("/");
    for part in path.parent()?.join(target).components() {
        match part {
            Component::Normal(name) => real.push(name),
            Component::ParentDir => {
                real.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Some(real)
}
