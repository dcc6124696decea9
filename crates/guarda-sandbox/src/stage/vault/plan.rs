//! The plan of a commit, written down before it starts: which file goes where, and how each is identified.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::stage::entries::attributes::Attributes;
use crate::stage::entries::entry::{Id, Time};
use crate::stage::git;
use guarda_core::effects::{Below, native};

/// One of the two versions of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) enum Side {
    /// As it was before the run.
    Old,
    /// As the run left it.
    New,
}

impl Side {
    pub(in crate::stage) fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }
}

/// The exchanges between roots and stores.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) struct Plan {
    pub(in crate::stage) roots: Vec<Root>,
    /// The folders, each after its parent.
    pub(in crate::stage) folders: Vec<Folder>,
    pub(in crate::stage) moves: Vec<Move>,
    /// The content of the stores while the new version is at the roots.
    pub(in crate::stage) old: Below,
    /// The content of the stores while the old version is at the roots.
    pub(in crate::stage) new: Below,
}

/// A root and the store of its other version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) struct Root {
    #[serde(with = "native")]
    pub(in crate::stage) path: PathBuf,
    #[serde(with = "native")]
    pub(in crate::stage) store: PathBuf,
}

/// A folder that stays and in which something changes, or an entry that stays and whose attributes change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) struct Folder {
    pub(in crate::stage) root: usize,
    /// The path from the root.
    #[serde(with = "native")]
    pub(in crate::stage) path: PathBuf,
    /// The path from the store; `None` if it is the same.
    #[serde(with = "native")]
    pub(in crate::stage) store: Option<PathBuf>,
    pub(in crate::stage) id: Id,
    pub(in crate::stage) old: Attributes,
    pub(in crate::stage) new: Attributes,
}

impl Folder {
    pub(in crate::stage) fn stored(&self) -> &Path {
        self.store.as_deref().unwrap_or(&self.path)
    }

    pub(in crate::stage) fn attributes(&self, side: Side) -> &Attributes {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }
}

/// A name at which the two trees differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) struct Move {
    /// The folder of the name, as an index into [`Plan::folders`].
    pub(in crate::stage) folder: usize,
    pub(in crate::stage) name: OsString,
    /// The name in the store; `None` if it is the same.
    pub(in crate::stage) stored: Option<OsString>,
    pub(in crate::stage) old: Option<Id>,
    pub(in crate::stage) new: Option<Id>,
}

impl Move {
    pub(in crate::stage) fn stored(&self) -> &OsStr {
        self.stored.as_deref().unwrap_or(&self.name)
    }

    /// The entry at the root while this side is in place. The other one is then in the store.
    pub(in crate::stage) fn at(&self, side: Side) -> Option<Id> {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }
}

impl Plan {
    /// The folder of a move, whose index [`Plan::is_sound`] has checked.
    pub(in crate::stage) fn folder(&self, one: &Move) -> Option<(&Root, &Folder)> {
        let folder = self.folders.get(one.folder)?;
        Some((self.roots.get(folder.root)?, folder))
    }

    /// The real path of a move.
    pub(in crate::stage) fn path(&self, one: &Move) -> PathBuf {
        let folder = self.folder(one);
        folder.map_or_else(PathBuf::new, |(root, folder)| root.path.join(&folder.path).join(&one.name))
    }

    /// Entries that stay and get other attributes, with their paths. A time that differs only because of moves in the folder
    /// does not count.
    pub(in crate::stage) fn redressed(&self) -> Vec<(&Folder, PathBuf)> {
        let moved: HashSet<usize> = self.moves.iter().map(|one| one.folder).collect();
        let differs = |(at, folder): &(usize, &Folder)| {
            let (old, new) = (&folder.old, &folder.new);
            (old.mode, old.owner, &old.extended) != (new.mode, new.owner, &new.extended)
                || old.modified != new.modified && !moved.contains(at)
        };
        let folders = self.folders.iter().enumerate().filter(differs);
        let path = |folder: &Folder| Some(self.roots.get(folder.root)?.path.join(&folder.path));
        // The path of the root itself gets no trailing slash.
        folders.filter_map(|(_, folder)| Some((folder, path(folder)?.components().collect()))).collect()
    }

    /// Puts the moves in the order that git needs; those in one folder stay together, so that it is opened once.
    pub(in crate::stage) fn put_in_order(&mut self) {
        let whole: Vec<bool> = self.roots.iter().map(|root| git::is_repository(&root.path)).collect();
        let mut moves = std::mem::take(&mut self.moves);
        let turn = |one: &Move| {
            let folder = self.folders.get(one.folder)?;
            let whole = whole.get(folder.root) == Some(&true);
            Some(git::GitRank::of(&folder.path.join(&one.name), whole))
        };
        moves.sort_by_cached_key(|one| (turn(one), one.folder));
        self.moves = moves;
    }

    /// Whether programs rewrite the file even when they only read, so that a change means nothing.
    pub(in crate::stage) fn is_derived(&self, one: &Move) -> bool {
        self.folder(one).is_some_and(|(root, folder)| git::is_derived(&root.path, &folder.path, &one.name))
    }

    /// The content of the stores while this side is at the roots.
    pub(in crate::stage) fn held(&self, side: Side) -> Below {
        match side {
            Side::Old => self.new,
            Side::New => self.old,
        }
    }

    /// Whether every index and path is valid; for plans that were read from a file.
    pub(in crate::stage) fn is_sound(&self) -> bool {
        let plain = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        let name = |name: &OsStr| {
            let mut parts = Path::new(name).components();
            matches!((parts.next(), parts.next()), (Some(Component::Normal(only)), None) if only == name)
        };
        self.roots.iter().all(|root| root.path.is_absolute() && root.store.is_absolute())
            && self
                .folders
                .iter()
                .all(|folder| folder.root < self.roots.len() && plain(&folder.path) && plain(folder.stored()))
            && self
                .moves
                .iter()
                .all(|one| one.folder < self.folders.len() && name(&one.name) && name(one.stored()))
    }
}

/// The progress of a plan: a small file that is rewritten at each step of its life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) struct Progress {
    /// The deed that is held: the run itself, or the last undo of it.
    pub(in crate::stage) id: Uuid,
    /// When it was done, in seconds since 1970.
    pub(in crate::stage) at: u64,
    /// The side that is, or will be, at the roots.
    pub(in crate::stage) side: Side,
    pub(in crate::stage) state: State,
    /// Earlier deeds on the same plan, which were undone.
    pub(in crate::stage) before: Vec<Uuid>,
}

/// The state of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) enum State {
    /// In progress: some names may be on one side, some on the other. Changes after this time were made by somebody else.
    Turning(Time),
    /// Done; changes after this time were made by somebody else.
    Done(Time),
    /// Old versions are kept for another program's deed, which may already be done.
    Keeping(Time),
    /// Keeps old versions for a change that another program announced. At the time of an undo, the files show whether
    /// the change was made: an unchanged entry has an earlier time.
    Announced(Time),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stage::entries::frame;

    fn plan(folders: Vec<(usize, String)>, moves: Vec<(usize, String)>) -> Plan {
        let id: Id = postcard::from_bytes(&[0, 0, 0]).unwrap();
        let attributes =
            Attributes { mode: 0o755, owner: (1, 2), modified: Time::default(), extended: Vec::new() };
        let folder = |(root, path): (usize, String)| Folder {
            root,
            path: path.into(),
            store: None,
            id,
            old: attributes.clone(),
            new: attributes.clone(),
        };
        let one = |(folder, name): (usize, String)| Move {
            folder,
            name: name.into(),
            stored: None,
            old: None,
            new: Some(id),
        };
        Plan {
            roots: vec![Root { path: "/r".into(), store: "/s".into() }],
            folders: folders.into_iter().map(folder).collect(),
            moves: moves.into_iter().map(one).collect(),
            old: Below::default(),
            new: Below::default(),
        }
    }

    #[test]
    fn paths_that_lead_out_are_not_sound() {
        let folder = |path: &str| plan(vec![(0, path.to_owned())], Vec::new()).is_sound();
        let name = |name: &str| plan(vec![(0, String::new())], vec![(0, name.to_owned())]).is_sound();
        assert!(folder("") && folder("a/b") && name("a") && name("..a") && name("\n"));
        for path in ["..", "a/../b", "/a", "a/.."] {
            assert!(!folder(path), "{path}");
        }
        for path in ["", ".", "..", "a/b", "/", "a/", "/a"] {
            assert!(!name(path), "{path}");
        }
        assert!(!plan(vec![(1, "a".into())], Vec::new()).is_sound());
        assert!(!plan(Vec::new(), vec![(0, "a".into())]).is_sound());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(folders: Vec<(usize, String)>, moves: Vec<(usize, String)>) {
            let plan = plan(folders, moves);
            prop_assert_eq!(frame::decode::<Plan>(&frame::encode(&plan)), Some(plan));
        }

        #[test]
        fn no_bytes_are_believed_without_their_sum(bytes: Vec<u8>, at: usize, bit in 0..8_u32) {
            prop_assert_eq!(frame::decode::<Plan>(&bytes), None);
            let mut written = frame::encode(&plan(vec![(0, "a".into())], vec![(0, "b".into())]));
            let at = at % written.len();
            if let Some(byte) = written.get_mut(at) {
                *byte ^= 1 << bit;
            }
            prop_assert_eq!(frame::decode::<Plan>(&written), None);
            written.truncate(at);
            prop_assert_eq!(frame::decode::<Plan>(&written), None);
        }

        #[test]
        fn no_bytes_break_the_reader(bytes: Vec<u8>) {
            // Even past the checksum: anyone who can write the file can write the sum.
            if let Ok(plan) = postcard::from_bytes::<Plan>(&bytes) {
                let _ = plan.is_sound();
                plan.moves.iter().for_each(|one| drop((plan.path(one), plan.is_derived(one))));
            }
            let _ = postcard::from_bytes::<Progress>(&bytes);
        }
    }
}
