//! Compares the changes of a run with the rules.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::at::{At, NamedPlace};
use super::example::example;
use super::fact::Fact;
use super::rule::{CHANGES, EffectRule};
use crate::effects::{Change, ChangeKind, Effects, Entry, EntryKind};
use crate::places::{Atlas, Kinds, Place};
use crate::policy::rules::examples::try_lines;
use crate::policy::{Policy, RuleError, Situation, Verdict};

/// The bits by which a program runs with the rights of its owner or group.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;
/// The class of places to which a link may lead, since only the administrator changes them.
const SETTLED: &str = "programs-of-the-system";

/// The folder for temporary files.
const TEMPORARY: &str = "/tmp";

/// The context in which the changes of one run are compared with rules.
#[derive(Debug)]
pub struct Scene<'a> {
    policy: &'a Policy,
    situation: &'a Situation,
    roots: &'a [PathBuf],
    is_final: bool,
    moved: BTreeSet<&'a Path>,
}

/// A change, prepared for comparison with rules.
#[derive(Debug)]
pub struct Subject<'a> {
    change: &'a Change,
    kind: ChangeKind,
    place: Option<Place>,
}

impl<'a> Scene<'a> {
    /// The scene of a run.
    #[must_use]
    pub fn new(
        policy: &'a Policy,
        effects: &'a Effects,
        situation: &'a Situation,
        roots: &'a [PathBuf],
    ) -> Self {
        let moved = effects.changes.iter().filter_map(|change| change.from.as_deref()).collect();
        Self { policy, situation, roots, is_final: effects.final_because.is_some(), moved }
    }

    /// A change of this run.
    #[must_use]
    pub fn subject(&self, change: &'a Change) -> Subject<'a> {
        Subject { change, kind: change.kind(), place: self.place(&change.path) }
    }

    fn place(&self, path: &Path) -> Option<Place> {
        // A place uses these three characters for patterns; in a file name they are ordinary characters.
        let git = self.situation.git.iter().find_map(|git| {
            let below = path.strip_prefix(git).ok()?;
            Some(git.with_file_name(".git").join(below))
        });
        let path = git.as_deref().unwrap_or(path);
        let text = path.to_string_lossy().replace(['\u{1}', '\u{2}', '\u{3}'], "\u{fffd}");
        Place::from_text(&text, None, &self.situation.home)
    }

    /// True if the line works there: in the tree of its working folder, in that tree's git folder, among the temporary files, or,
    /// outside of a tree, in what its folder shows.
    fn works_at(&self, path: &Path) -> bool {
        let Situation { cwd, home, stage, git, .. } = self.situation;
        let (cwd, home) = (Path::new(cwd), Path::new(home));
        let is_tree = |root: &&PathBuf| cwd.starts_with(root) && !home.starts_with(root);
        let shown = |below: &Path| !below.as_os_str().as_encoded_bytes().starts_with(b".");
        match stage.iter().find(is_tree) {
            Some(tree) if path.starts_with(tree) => true,
            None if path.strip_prefix(cwd).is_ok_and(shown) => true,
            _ => git.iter().any(|git| path.starts_with(git)) || path.starts_with(TEMPORARY),
        }
    }

    /// True if the path lies in a folder of the session. The folder itself counts only if it stays.
    fn inside(&self, change: &Change, kind: ChangeKind) -> bool {
        self.roots.iter().any(|root| {
            change.path.starts_with(root) && (change.path != *root || kind == ChangeKind::Attributes)
        })
    }
}

impl Subject<'_> {
    /// Whether it was a folder, and whether it is one.
    fn folders(&self) -> (bool, bool) {
        let folder = |entry: &Option<Entry>| entry.as_ref().is_some_and(Entry::is_folder);
        (folder(&self.change.was), folder(&self.change.is))
    }

    /// True for a folder that was there before and still is.
    fn stays(&self) -> bool {
        self.folders() == (true, true)
    }

    /// True for a folder that was created, deleted or replaced with everything in it.
    fn whole(&self) -> bool {
        let (was, is) = self.folders();
        was != is
    }
}

impl EffectRule {
    /// True if the rule applies to this change.
    #[must_use]
    pub fn meets(&self, scene: &Scene<'_>, subject: &Subject<'_>) -> bool {
        let named = |name: &&str| {
            let is = CHANGES.iter().any(|(known, kind)| known == name && *kind == subject.kind);
            is && (**name != *"lost" || !scene.moved.contains(subject.change.path.as_path()))
        };
        // Files of a class matter by their content and mode, not by their times.
        if self.at.class.is_some() && subject.change.touched {
            return false;
        }
        (self.changes.is_empty() || self.changes.iter().any(named))
            && self.when.is_none_or(|fact| fact.holds(scene, subject))
            && self.at.meets(scene, subject)
    }

    /// Whether a person's yes to the words of the line speaks for this change, so that the rule does not ask again: the words named
    /// the rule's place, or the rule is about no place of its own and the line works there.
    #[must_use]
    pub fn was_answered(&self, scene: &Scene<'_>, subject: &Subject<'_>) -> bool {
        let situation = scene.situation;
        let asks = self.verdict > Verdict::Allow && self.verdict < Verdict::Block;
        if !situation.approved || !asks || self.when.is_some_and(|fact| !fact.is_of_place()) {
            return false;
        }
        let path = subject.change.path.as_path();
        let named = || situation.named.iter().map(Path::new).filter(|named| path.starts_with(named));
        match self.singles_out() {
            true => named().any(|named| named == path || self.at.is_of(scene, named)),
            false => named().next().is_some() || scene.works_at(path),
        }
    }

    /// Tries its examples.
    ///
    /// # Errors
    /// [`RuleError`], for the first that fails.
    pub fn try_examples(&self, policy: &Policy) -> Result<(), RuleError> {
        try_lines(&self.id, &self.text, |line| self.matches(policy, line))
    }

    fn matches(&self, policy: &Policy, line: &str) -> Result<bool, RuleError> {
        let effects = example(line).map_err(|error| RuleError::Unreadable {
            rule: self.id.clone(),
            line: line.to_owned(),
            why: error.to_string(),
        })?;
        let situation = crate::policy::corpus::situation(&guarda_shell::read(
            "true",
            guarda_shell::script::Dialect::Bash,
        ));
        let roots = [PathBuf::from(&situation.cwd)];
        let scene = Scene::new(policy, &effects, &situation, &roots);
        let met: Vec<&Change> =
            effects.changes.iter().filter(|change| self.meets(&scene, &scene.subject(change))).collect();
        let (files, bytes) = amount(met.iter().copied());
        Ok(!met.is_empty() && self.reached(files, bytes))
    }
}

impl At {
    /// True if a place is of its class.
    fn is_of(&self, scene: &Scene<'_>, path: &Path) -> bool {
        let home = scene.situation.home.as_str();
        let protects = self.named.contains(&NamedPlace::Protected);
        scene.place(path).is_some_and(|place| {
            self.class.as_ref().is_some_and(|class| !class.has(&place, home).is_none())
                || protects && scene.policy.lists.kinds_of(&place, home).any(Kinds::PROTECTED)
        })
    }

    pub(super) fn meets(&self, scene: &Scene<'_>, subject: &Subject<'_>) -> bool {
        if !self.any {
            return true;
        }
        let (policy, situation, change) = (scene.policy, scene.situation, subject.change);
        let whole = subject.whole();
        let gone = change.was.is_some() && !subject.stays();
        // A path that cannot be compared counts as every place.
        let at = |test: &dyn Fn(&Place) -> bool| subject.place.as_ref().is_none_or(test);
        let home = situation.home.as_str();
        let in_class = |class: &Option<Atlas>| {
            class.as_ref().is_some_and(|class| at(&|place| !class.has(place, home).is_none()))
        };
        let guard = if gone { Kinds::ABOVE_GUARD } else { Kinds::GUARD };
        let is = |kind: Kinds| at(&|place| policy.kinds_of(place, situation).any(kind));
        in_class(&self.class)
            || whole && !change.inert && in_class(&self.above)
            || self.named.iter().any(|named| match named {
                NamedPlace::Guard => is(guard),
                NamedPlace::Settings => {
                    is(Kinds::SETTINGS)
                        || gone && at(&|place| situation.settings.iter().any(|file| place.holds(file)))
                }
                NamedPlace::Protected => {
                    at(&|place| policy.lists.kinds_of(place, home).any(Kinds::PROTECTED))
                }
                NamedPlace::ConfinedAway => at(&|place| policy.lists.outside(place, home)),
                NamedPlace::Inside => scene.inside(change, subject.kind),
                NamedPlace::Outside => !scene.inside(change, subject.kind),
                NamedPlace::GitNamed => situation.git_named.iter().any(|named| {
                    change.path.starts_with(named)
                        || whole && !change.inert && named.starts_with(&change.path)
                }),
            })
    }
}

impl Fact {
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

/// The numbers of files and bytes that these changes affected, as they were before.
pub fn amount<'a>(changes: impl Iterator<Item = &'a Change>) -> (u64, u64) {
    let before = changes.filter_map(|change| change.was.as_ref());
    before.fold((0, 0), |(files, bytes), was| (files + was.files(), bytes + was.bytes()))
}

impl Policy {
    /// The rules about changes that are in force, by id.
    pub fn effect_rules(&self) -> &[EffectRule] {
        self.rule_set.effects(self.profile)
    }
}
