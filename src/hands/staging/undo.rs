//! UNDO (feature N7): takes back an action's changes, or those of several actions, exactly or not at all.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use guarda_core::action::{Sessions, UndoOf, UndoSince, is_named};
use guarda_core::output::{Ended, FailureKind, RawOutput};
use guarda_core::policy::{Profile, Situation};
use guarda_sandbox::stage::{NotUndone, Note};

use crate::devices::filesystem::paths::{self, Walk};
use crate::hands::deeds::Deed;
use crate::hands::settings::{SettingChange, Settings, same};
use crate::hands::{HandsConfig, desktop::dispatch, staging::stageable, staging::undoable};

/// A deed that can be undone: the changes of files, or of a setting.
struct Standing {
    id: Uuid,
    /// When it was done, in seconds since 1970.
    at: u64,
    note: Note,
    /// The paths that it changed; `None` for a setting.
    paths: Option<Vec<PathBuf>>,
    /// False for the undo of another one.
    stands: bool,
}

/// Adds the facts about an UNDO to the situation: the deeds, and whether this session may undo them without a question.
pub(in crate::hands) fn place(
    (config, settings): (&HandsConfig, &Settings),
    profile: Profile,
    of: &UndoOf,
    claims: &guarda_core::action::Claims,
    situation: &mut Situation,
) {
    let session = guarda_journal::session_of(situation.session.as_deref()).unwrap_or_default();
    situation.undoes_within = of.path().map(|path| real(path, situation));
    let within = situation.undoes_within.clone();
    let mut found = select(all(config, settings), of, &session, claims.turn.as_deref());
    if let Some(within) = &within {
        found.retain(|one| one.paths.iter().flatten().any(|path| path.starts_with(within)));
        found.truncate(1);
    }
    let limited = |path: &&PathBuf| within.as_ref().is_none_or(|within| path.starts_with(within));
    let paths: Vec<&PathBuf> =
        found.iter().filter_map(|one| one.paths.as_ref()).flatten().filter(limited).collect();
    situation.undoes_setting = found.iter().all(|one| one.paths.is_none());
    if !situation.undoes_setting {
        situation.roots = stageable::roots(config, profile, situation);
    }
    let own = found.iter().all(|one| one.paths.is_none() || one.note.session == session);
    let inside = |path: &&PathBuf| situation.roots.iter().any(|root| path.starts_with(root));
    situation.undoes_own = own && paths.iter().all(inside);
    situation.undoes = found.into_iter().map(|one| one.id).collect();
}

/// The real path of what a person or a client names. A link is meant itself.
fn real(path: &str, situation: &Situation) -> PathBuf {
    let written = paths::of_person(path, Path::new(&situation.home), Path::new(&situation.cwd));
    match (written.parent(), written.file_name()) {
        (Some(parent), Some(name)) => Walk::default().follow(parent).real.join(name),
        _ => Walk::default().follow(&written).real,
    }
}

/// Everything that can be undone, the latest first.
fn all(config: &HandsConfig, settings: &Settings) -> Vec<Standing> {
    let held = config.stages.iter().flat_map(|stages| stages.held()).map(|held| Standing {
        id: held.id,
        at: held.at,
        note: held.note.unwrap_or_default(),
        paths: Some(held.paths),
        stands: held.stands,
    });
    let changed = settings.list().into_iter().map(|changed| Standing {
        id: changed.id,
        at: changed.at,
        stands: !changed.undid,
        paths: None,
        note: changed.note(),
    });
    // Of the same second, what was changed in the desktop's settings comes first.
    let mut all: Vec<Standing> = changed.chain(held).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.at));
    all
}

/// Selects what is undone, the latest first. An id may be that of an UNDO of several deeds.
fn select(all: Vec<Standing>, of: &UndoOf, session: &str, turn: Option<&str>) -> Vec<Standing> {
    let chosen: Box<dyn Fn(&Standing) -> bool> = match of {
        UndoOf::Last => {
            let last = |is: &dyn Fn(&Note) -> bool| all.iter().find(|one| one.stands && is(&one.note));
            // Without one of its own, that of a session with this name at another place, which is asked about.
            let last = last(&|note| note.session == session)
                .or_else(|| last(&|note| is_named(&note.session, session)))
                .map(|one| one.id);
            Box::new(move |one| Some(one.id) == last)
        }
        UndoOf::Part { id, .. } if id.eq_ignore_ascii_case("last") => Box::new(|one| one.stands),
        UndoOf::Part { id, .. } => {
            let named = id.parse::<Uuid>().ok();
            Box::new(move |one| Some(one.id) == named || one.note.audit_id == *id)
        }
        UndoOf::Deed(of) => {
            let id = of.parse::<Uuid>().ok();
            let named = move |one: &Standing| {
                id.is_some_and(|id| one.id == id || one.note.group == Some(id)) || one.note.audit_id == *of
            };
            // Whichever part of an UNDO of several is named, all of it is meant.
            let group = all.iter().find(|one| named(one)).and_then(|one| one.note.group);
            Box::new(move |one| named(one) || (group.is_some() && one.note.group == group))
        }
        UndoOf::All { since, of } => {
            let whose = |note: &Note| match of {
                None => note.session == session,
                Some(Sessions::Named(name)) => is_named(&note.session, name),
                Some(Sessions::All) => true,
            };
            let since = match since {
                UndoSince::Session => Since::Ever,
                UndoSince::Time(time) => moment(time).map_or(Since::Never, Since::At),
                UndoSince::Turn => {
                    let last = || all.iter().find(|one| one.stands && whose(&one.note));
                    let turn = turn.map(str::to_owned).or_else(|| last().map(|one| one.note.turn.clone()));
                    turn.filter(|turn| !turn.is_empty()).map_or(Since::Never, Since::Turn)
                }
            };
            Box::new(move |one| {
                let after = match &since {
                    Since::Ever => true,
                    Since::Never => false,
                    Since::At(at) => one.at >= *at,
                    Since::Turn(turn) => one.note.turn == *turn,
                };
                one.stands && after && whose(&one.note)
            })
        }
    };
    let chosen: Vec<bool> = all.iter().map(chosen).collect();
    all.into_iter().zip(chosen).filter_map(|(one, chosen)| chosen.then_some(one)).collect()
}

/// From when on.
enum Since {
    Ever,
    /// Nobody knows.
    Never,
    /// Seconds since 1970.
    At(u64),
    Turn(String),
}

/// Seconds since 1970: of a time in RFC 3339, or of the last time that a clock here showed these hours and minutes.
fn moment(text: &str) -> Option<u64> {
    let at = match text.parse::<jiff::Timestamp>() {
        Ok(at) => at,
        Err(_) => {
            let time = text.parse::<jiff::civil::Time>().ok()?;
            let now = jiff::Zoned::now();
            let today = now.with().time(time).build().ok()?;
            let last = if today > now { today.yesterday().ok()? } else { today };
            last.timestamp()
        }
    };
    u64::try_from(at.as_second()).ok()
}

/// Restores a setting, unless it was changed since.
async fn set_back(deed: &Deed<'_>, changed: &SettingChange) -> Result<String, RawOutput> {
    match dispatch::now(deed, changed.is).await {
        Ok(now) if same(now, changed.is) => {}
        Ok(now) => {
            return Err(deed.quiet(Ended::Failed((FailureKind::SetSince, format!("it is at {now}")).into())));
        }
        Err(fault) => return Err(deed.faulted(fault)),
    }
    match dispatch::restore(deed, changed.was).await {
        Ok(is) if same(is, changed.was) => {
            deed.settings.forget(changed.id);
            deed.note_setting(changed.is, is, true);
            Ok(is.to_string())
        }
        Ok(is) => {
            Err(deed.quiet(Ended::Failed((FailureKind::Unchanged, format!("it stayed at {is}")).into())))
        }
        Err(fault) => Err(deed.faulted(fault)),
    }
}

/// Undoes the judged deeds, the latest first: settings, and then files. If something refuses, the others stay as they are.
pub(in crate::hands) async fn perform(deed: &Deed<'_>, of: &UndoOf) -> RawOutput {
    let (mut settings, mut files) = (Vec::new(), Vec::new());
    for id in &deed.situation.undoes {
        match deed.settings.find(|changed| changed.id == *id) {
            Some(changed) => settings.push(changed),
            None => files.push(*id),
        }
    }
    if deed.situation.undoes.is_empty() || (deed.situation.undoes_setting && settings.is_empty()) {
        return deed.quiet(Ended::Unavailable((FailureKind::NothingToUndo, nothing(of)).into()));
    }
    let mut told = Vec::new();
    let mut done: Vec<&SettingChange> = Vec::new();
    for changed in &settings {
        match set_back(deed, changed).await {
            Ok(is) => told.push(is),
            Err(refused) => {
                again(deed, &done).await;
                return refused;
            }
        }
        done.push(changed);
    }
    match undo_files(deed, files).await {
        Ok(paths) => {
            told.extend(paths);
            deed.message(&told.join("\n"))
        }
        Err(refused) => {
            again(deed, &done).await;
            refused
        }
    }
}

/// Sets settings again as they were before an UNDO that could not be completed.
async fn again(deed: &Deed<'_>, done: &[&SettingChange]) {
    for changed in done.iter().rev() {
        if let Err(fault) = dispatch::restore(deed, changed.is).await {
            tracing::warn!(?fault, "a setting could not be set again");
        }
    }
}

/// Undoes the changes of files. Returns the restored paths.
async fn undo_files(deed: &Deed<'_>, files: Vec<Uuid>) -> Result<Vec<String>, RawOutput> {
    let Some(stages) = deed.config.stages.clone().filter(|_| !files.is_empty()) else {
        return Ok(Vec::new());
    };
    let (note, new) = (deed.note(), deed.run.id);
    let within = deed.situation.undoes_within.clone();
    let words = crate::wording::words(deed.config.language);
    let undone = tokio::task::spawn_blocking(move || {
        let before: Vec<Option<Note>> = files.iter().map(|id| stages.noted(*id)).collect();
        let undone = match (&within, files.as_slice()) {
            (Some(path), [id]) => vec![stages.restore(*id, path, new)?],
            _ => stages.undo_all(&files, new)?,
        };
        let group = (undone.len() > 1).then_some(new);
        for ((undone, id), before) in undone.iter().zip(&files).zip(before) {
            let what = before.as_ref().map_or_else(|| id.to_string(), |before| before.what.clone());
            let what = words.say("undo-of", &[("what", what.into())]);
            // Done again, it followed from the same message as before.
            let turn = before.map(|before| before.turn).unwrap_or_default();
            undoable::keep_note(&stages, undone.id, &Note { what, turn, group, ..note.clone() });
        }
        let undo = match undone.iter().find_map(|undone| undone.final_because.clone()) {
            Some(why) => undoable::Undoable::Not(why),
            None => undoable::Undoable::held(&stages),
        };
        let mut paths: Vec<PathBuf> = undone.into_iter().flat_map(|undone| undone.paths).collect();
        paths.sort();
        paths.dedup();
        Ok::<_, NotUndone>((paths, undo))
    });
    match undone.await {
        Ok(Ok((paths, undo))) => {
            deed.run.tally.set_undo(Some(undo));
            Ok(lines(&paths))
        }
        // The caller gets all of them; a person hears the first.
        Ok(Err(NotUndone::Changed(paths))) => {
            let stderr = format!("{}\n", lines(&paths).join("\n")).into_bytes();
            let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
            Err(RawOutput { stderr_total: stderr.len() as u64, stderr, ..deed.quiet(Ended::Changed(first)) })
        }
        Ok(Err(error)) => Err(deed.quiet(Ended::Failed(error.to_string().into()))),
        Err(panic) => Err(deed.quiet(Ended::Failed(panic.to_string().into()))),
    }
}

/// Why there is nothing to undo.
fn nothing(of: &UndoOf) -> String {
    let list = "`guarda undo --list` shows what is held";
    match of {
        UndoOf::Last | UndoOf::All { since: UndoSince::Session | UndoSince::Time(_), .. } => {
            format!("nothing of this session is held that could be undone; {list}")
        }
        UndoOf::All { since: UndoSince::Turn, .. } => format!(
            "nothing is held of the last message, or this client does not tell its messages apart: name the session, or a time; {list}"
        ),
        UndoOf::Part { id, path } => format!(
            "nothing is held of {path} alone (deed: {id}): it was not changed, or together with the folder that it is in; {list}"
        ),
        UndoOf::Deed(of) => {
            format!("nothing is held of {of}: it changed nothing, was undone already, or is too old; {list}")
        }
    }
}

fn lines(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// A changed setting of the desktop that can be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldSetting {
    /// The id for its undo.
    pub id: Uuid,
    /// The session, and the setting before and after.
    pub note: Note,
    /// When it was changed, in seconds since 1970.
    pub at: u64,
    /// An UNDO has restored it.
    pub undid: bool,
}
