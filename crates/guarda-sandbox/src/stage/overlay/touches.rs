//! What the guard itself did to files. A move changes a file's status time, by which later changes are found, and an old
//! version may be a copy. Each run notes both, so that an undo finds a file as the older deed left it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::stage::entries::entry::{Id, Seen, Time};
use crate::stage::entries::frame;
use crate::stage::fault::Fault;
use crate::stage::run::{Run, StagesConfig, noted};

/// A step of the guard that changed nothing but the status time of an entry, or that copied it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) struct Touch {
    /// The entry after it.
    pub(in crate::stage) id: Id,
    /// The entry before it; another one if this is a copy of it.
    pub(in crate::stage) was: Id,
    pub(in crate::stage) before: Time,
    pub(in crate::stage) after: Time,
}

impl Touch {
    /// That of an entry that was only moved.
    pub(in crate::stage) fn moved(before: &Seen, after: &Seen) -> Self {
        Self { id: after.id, was: before.id, before: before.changed, after: after.changed }
    }
}

/// The steps of all held runs.
#[derive(Debug, Default)]
pub(in crate::stage) struct Touches(HashMap<Id, Vec<Touch>>);

impl Touches {
    pub(in crate::stage) fn read(config: &StagesConfig) -> Self {
        let mut all: HashMap<Id, Vec<Touch>> = HashMap::new();
        for touch in noted(config).iter().flat_map(|(run, _)| of(config, run)) {
            all.entry(touch.id).or_default().push(touch);
        }
        Self(all)
    }

    /// The entry as somebody else than the guard left it, and the time of that change.
    pub(in crate::stage) fn before(&self, seen: &Seen) -> (Id, Time) {
        let (mut id, mut changed) = (seen.id, seen.changed);
        // Times only get earlier, so this ends.
        while let Some(touch) = self
            .0
            .get(&id)
            .and_then(|all| all.iter().find(|touch| touch.after == changed && touch.before < changed))
        {
            (id, changed) = (touch.was, touch.before);
        }
        (id, changed)
    }

    /// Whether this is an entry, or a copy of it.
    pub(in crate::stage) fn is(&self, seen: &Seen, id: Id) -> bool {
        let mut known = seen.id;
        let mut left = self.0.len();
        while known != id {
            let Some(copied) = self.0.get(&known).and_then(|all| all.iter().find(|touch| touch.was != known))
            else {
                return false;
            };
            known = copied.was;
            let Some(less) = left.checked_sub(1) else { return false };
            left = less;
        }
        true
    }
}

fn of(config: &StagesConfig, run: &Run) -> Vec<Touch> {
    frame::read(&config.run(run.id).join("touched")).unwrap_or_default()
}

/// Replaces the notes of a run.
pub(in crate::stage) fn write(config: &StagesConfig, run: &Run, touches: &[Touch]) -> Result<(), Fault> {
    frame::write(&config.run(run.id).join("touched"), &touches)
}

/// Adds to the notes of a run. If that fails, as on a full disk, only older deeds cannot be undone after this one.
pub(in crate::stage) fn add(config: &StagesConfig, run: &Run, touches: Vec<Touch>) {
    if !touches.is_empty() {
        let _ = write(config, run, &[of(config, run), touches].concat());
    }
}
