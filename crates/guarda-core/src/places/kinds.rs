//! Sets of classes of places.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// The classes of a place, together with the properties that the judge adds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds(u64);

impl Kinds {
    /// No class at all.
    pub const NONE: Self = Self(0);
    /// One of the guard's own files, or a path in one of its folders.
    pub const GUARD: Self = Self(1 << 63);
    /// The same, or a folder above one.
    pub const ABOVE_GUARD: Self = Self(1 << 62);
    /// A file that only a person changes.
    pub const SETTINGS: Self = Self(1 << 61);
    /// A file whose contents may be secret.
    pub const SECRET: Self = Self(1 << 60);
    /// A part of it is unknown, and the known part may lead to the guard's own files.
    pub const TOWARDS_GUARD: Self = Self(1 << 59);
    /// No place: the word is empty, or relative to an unknown folder.
    pub const NOWHERE: Self = Self(1 << 58);
    /// Outside the folders to which the configuration confines commands.
    pub const OUTSIDE: Self = Self(1 << 57);
    /// In a folder that the configuration protects.
    pub const PROTECTED: Self = Self(1 << 56);
    /// The capacity of a set.
    const MOST: usize = 56;

    /// The class of this number; `None` if there are more classes than a set can hold.
    #[must_use]
    pub fn numbered(at: usize) -> Option<Self> {
        (at < Self::MOST).then_some(Self(1 << at))
    }

    /// True if the set is empty.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// True if the sets intersect.
    #[must_use]
    pub fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True if the set contains all of `other`.
    pub(crate) fn covers(self, other: Self) -> bool {
        self & other == other
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Kinds {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for Kinds {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Not for Kinds {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}
