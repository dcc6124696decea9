//! The room for old versions. A deed that was let through because it can be undone keeps its old versions until they expire: if they no
//! longer fit, it is the new deed that cannot be undone, and a person is asked about it. What a person approved gives way to new deeds,
//! the oldest first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::stage::entries::entry::{Seen, Time};
use crate::stage::entries::frame;
use crate::stage::entries::tree::Tree;
use crate::stage::fault::Fault;
use crate::stage::note;
use crate::stage::run::{Run, StagesConfig, noted, seconds};
use crate::stage::vault::plan::{Progress, Side, State};

/// The part of the room that the promises to one session may take: one half.
const SHARE: u64 = 2;
/// Folders of what is fetched or built again. Old versions of it are kept as long as there is room, without a promise.
const BUILT: &[&str] = &[
    "node_modules",
    "bower_components",
    ".pnpm-store",
    "site-packages",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    "__pycache__",
    "target",
    ".next",
    ".nuxt",
    ".gradle",
    "Pods",
];
/// The file in a run's folder by which it is known as promised.
const MARK: &str = "promised";

/// What is promised already on the file system of a run's old versions, in bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::stage) struct Room {
    most: u64,
    promised: u64,
    to_session: u64,
}

impl Room {
    /// The room beside all other runs. The run's note says whose session it is.
    pub(in crate::stage) fn of(config: &StagesConfig, run: &Run) -> Self {
        let mut room = Self { most: config.most_bytes, promised: 0, to_session: 0 };
        let (device, session) = (device(run), session(config, run));
        for (other, progress) in noted(config) {
            let counts = |progress: &Progress| {
                other.id != run.id && is_promised(config, &other, progress) && self::device(&other) == device
            };
            let Some(progress) = progress.filter(counts) else { continue };
            let bytes = other.plan(config).map_or(0, |plan| plan.held(progress.side).bytes);
            room.promised = room.promised.saturating_add(bytes);
            if self::session(config, &other) == session {
                room.to_session = room.to_session.saturating_add(bytes);
            }
        }
        room
    }

    /// Whether old versions of this size fit beside what is promised.
    pub(in crate::stage) fn holds(&self, bytes: u64) -> bool {
        bytes <= self.most.saturating_sub(self.promised)
    }

    /// Whether they can be promised to the session.
    pub(in crate::stage) fn may_promise(&self, bytes: u64) -> bool {
        self.holds(bytes) && self.to_session.saturating_add(bytes) <= self.most / SHARE
    }
}

/// Promises that a run's old versions are kept until they expire.
pub(in crate::stage) fn promise(config: &StagesConfig, run: &Run) -> Result<(), Fault> {
    frame::write(&config.run(run.id).join(MARK), &())
}

/// Takes a promise back: a person approved the run.
pub(in crate::stage) fn give_way(config: &StagesConfig, run: &Run) -> Result<(), Fault> {
    crate::stage::vault::wipe::wipe(&config.run(run.id).join(MARK))
}

/// Whether a run was promised.
pub(in crate::stage) fn has_promise(config: &StagesConfig, run: &Run) -> bool {
    config.run(run.id).join(MARK).exists()
}

/// Whether a run holds what was promised: until it expires, or was undone.
pub(in crate::stage) fn is_promised(config: &StagesConfig, run: &Run, progress: &Progress) -> bool {
    let stands = matches!(progress.state, State::Done(_) | State::Announced(_)) && progress.side == Side::New;
    let kept = progress.at.saturating_add(config.keep.as_secs()) >= seconds();
    stands && kept && has_promise(config, run)
}

fn device(run: &Run) -> Option<(u32, u32)> {
    let store = run.roots.first().and_then(|root| Tree::open(&root.upper).ok());
    store.and_then(|tree| Seen::of(&tree).ok()).map(|seen| seen.device)
}

fn session(config: &StagesConfig, run: &Run) -> String {
    note::read(config, run.id, run.id).unwrap_or_default().session
}

/// What earlier deeds of a session made, by path, each with the end of the deed. Its later versions are the session's own, and are
/// kept without a promise.
#[derive(Debug, Default)]
pub(in crate::stage) struct OwnMade(HashMap<PathBuf, Time>);

impl OwnMade {
    /// Those of the session of this run.
    pub(in crate::stage) fn of(config: &StagesConfig, run: &Run) -> Self {
        let (session, mut made) = (session(config, run), HashMap::new());
        for (other, progress) in noted(config) {
            let Some(Progress { side: Side::New, state: State::Done(end), .. }) = progress else { continue };
            if other.id == run.id || self::session(config, &other) != session {
                continue;
            }
            let Some(plan) = other.plan(config) else { continue };
            for one in plan.moves.iter().filter(|one| one.new.is_some()) {
                let known = made.entry(plan.path(one)).or_insert(end);
                *known = (*known).max(end);
            }
        }
        Self(made)
    }

    /// Whether an entry is somebody else's: no earlier deed of the session made it as it is, and it is not built again either.
    pub(in crate::stage) fn is_of_others(&self, path: &Path, changed: Time) -> bool {
        let built = path.components().any(|part| BUILT.iter().any(|built| part.as_os_str() == *built));
        let own = |above: &Path| self.0.get(above).is_some_and(|end| changed <= *end);
        !built && !path.ancestors().any(own)
    }
}
