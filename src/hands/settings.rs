//! Settings of the desktop that a deed changed, so that UNDO sets them back (feature N7). They are remembered as long as the
//! guard runs.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

use super::deeds::Deed;
use guarda_sandbox::stage::Note;

/// How many changes are remembered.
const MOST: usize = 32;

/// A setting, and how it was or is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    /// The default output: how loud, and whether it is silent.
    Volume {
        /// From 0 to 100, or more where it is amplified.
        percent: u32,
        /// Whether it is silent all the same.
        muted: bool,
    },
    /// The brightness of the screen, in percent.
    Brightness(u32),
    /// Whether notifications are held back.
    DoNotDisturb(bool),
}

impl Setting {
    /// Whether both are the same, as exactly as the machine keeps them.
    pub(super) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Volume { percent: a, muted: m }, Self::Volume { percent: b, muted: n }) => {
                a.abs_diff(b) <= 1 && m == n
            }
            (one, other) => one == other,
        }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Volume { percent, muted: false } => write!(out, "volume {percent}%"),
            Self::Volume { percent, muted: true } => write!(out, "volume {percent}%, muted"),
            Self::Brightness(percent) => write!(out, "brightness {percent}%"),
            Self::DoNotDisturb(true) => out.write_str("do not disturb on"),
            Self::DoNotDisturb(false) => out.write_str("do not disturb off"),
        }
    }
}

/// A change of a setting.
#[derive(Debug, Clone)]
pub(super) struct Changed {
    pub(super) id: Uuid,
    pub(super) session: String,
    pub(super) audit_id: String,
    /// Seconds since 1970.
    pub(super) at: u64,
    pub(super) was: Setting,
    pub(super) is: Setting,
    /// It took back another change.
    pub(super) undid: bool,
}

/// What was changed, the latest last.
#[derive(Debug, Default)]
pub(super) struct Settings(Mutex<VecDeque<Changed>>);

impl Settings {
    fn all(&self) -> std::sync::MutexGuard<'_, VecDeque<Changed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a change, where it is one.
    pub(super) fn note(&self, deed: &Deed<'_>, was: Setting, is: Setting, undid: bool) {
        if was.is(is) {
            return;
        }
        let Note { session, audit_id, .. } = deed.note();
        let mut all = self.all();
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back(Changed {
            id: deed.run.id,
            session,
            audit_id,
            at: u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0),
            was,
            is,
            undid,
        });
    }

    /// The latest change that fits.
    pub(super) fn find(&self, fits: impl Fn(&Changed) -> bool) -> Option<Changed> {
        self.all().iter().rev().find(|changed| fits(changed)).cloned()
    }

    /// All that are remembered, the latest first.
    pub(super) fn list(&self) -> Vec<Changed> {
        self.all().iter().rev().cloned().collect()
    }

    /// Forgets a change that was taken back.
    pub(super) fn forget(&self, id: Uuid) {
        self.all().retain(|changed| changed.id != id);
    }
}
