//! UNDO (feature N7): takes back an action's changes exactly, or not at all.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use guarda_core::action::is_named;
use guarda_core::output::{Ended, FailureKind, RawOutput};
use guarda_core::policy::{Profile, Situation};
use guarda_sandbox::stage::{Held, NotUndone, Note};

use crate::hands::deeds::Deed;
use crate::hands::settings::{SettingChange, Settings, same};
use crate::hands::{HandsConfig, desktop::dispatch, staging::stageable, staging::undoable};

/// Adds the facts about an UNDO to the situation: the deed, and whether this session may undo it without a question.
pub(in crate::hands) fn place(
    (config, settings): (&HandsConfig, &Settings),
    profile: Profile,
    of: Option<&str>,
    situation: &mut Situation,
) {
    let session = guarda_journal::session_of(situation.session.as_deref()).unwrap_or_default();
    let held = config.stages.as_ref().and_then(|stages| find(stages.held(), of, &session));
    let changed = setting(settings, of, &session);
    // Without an id, the later one of the two.
    if let Some(changed) = changed.filter(|changed| held.as_ref().is_none_or(|held| held.at <= changed.at)) {
        situation.undoes = Some(changed.id);
        situation.undoes_setting = true;
        return;
    }
    let Some(held) = held else { return };
    situation.roots = stageable::roots(config, profile, situation);
    let own = held.note.as_ref().is_some_and(|note| note.session == session);
    let within = |path: &Path| situation.roots.iter().any(|root| path.starts_with(root));
    situation.undoes_own = own && held.paths.iter().all(|path| within(path));
    situation.undoes = Some(held.id);
}

/// Finds a deed: by its id, by its audit id, or the session's last one that was not undone; without one, that of a session with this
/// name at another place, which is asked about.
fn find(held: Vec<Held>, of: Option<&str>, session: &str) -> Option<Held> {
    let noted = |held: &Held, is: &dyn Fn(&Note) -> bool| held.note.as_ref().is_some_and(is);
    let last = |is: &dyn Fn(&Note) -> bool| held.iter().find(|held| held.undid.is_none() && noted(held, is));
    let found = match of.filter(|of| *of != "last") {
        None => {
            last(&|note| note.session == session).or_else(|| last(&|note| is_named(&note.session, session)))
        }
        Some(of) => match of.parse::<Uuid>() {
            Ok(id) => held.iter().find(|held| held.id == id),
            Err(_) => held.iter().find(|held| noted(held, &|note| note.audit_id == of)),
        },
    };
    found.cloned()
}

/// Finds the change of a setting, likewise.
fn setting(settings: &Settings, of: Option<&str>, session: &str) -> Option<SettingChange> {
    match of.filter(|of| *of != "last") {
        None => settings.find(|changed| !changed.undid && changed.session == session),
        Some(of) => settings.find(|changed| changed.audit_id == of || changed.id.to_string() == of),
    }
}

/// Restores a setting, unless it was changed since.
async fn set_back(deed: &Deed<'_>, changed: &SettingChange) -> RawOutput {
    match dispatch::now(deed, changed.is).await {
        Ok(now) if same(now, changed.is) => {}
        Ok(now) => {
            return deed.quiet(Ended::Failed((FailureKind::SetSince, format!("it is at {now}")).into()));
        }
        Err(fault) => return deed.faulted(fault),
    }
    match dispatch::restore(deed, changed.was).await {
        Ok(is) if same(is, changed.was) => {
            deed.settings.forget(changed.id);
            deed.note_setting(changed.is, is, true);
            deed.message(&is.to_string())
        }
        Ok(is) => deed.quiet(Ended::Failed((FailureKind::Unchanged, format!("it stayed at {is}")).into())),
        Err(fault) => deed.faulted(fault),
    }
}

/// Undoes the judged deed. `of` is the caller's name for it.
pub(in crate::hands) async fn perform(deed: &Deed<'_>, of: &str) -> RawOutput {
    if deed.situation.undoes_setting {
        let changed = deed.settings.find(|changed| Some(changed.id) == deed.situation.undoes);
        return match changed {
            Some(changed) => set_back(deed, &changed).await,
            None => deed
                .quiet(Ended::Unavailable((FailureKind::NothingToUndo, "it was taken back already").into())),
        };
    }
    let (Some(stages), Some(id)) = (deed.config.stages.clone(), deed.situation.undoes) else {
        return deed.quiet(Ended::Unavailable((FailureKind::NothingToUndo, nothing(of)).into()));
    };
    let (note, new) = (deed.note(), deed.run.id);
    let words = crate::wording::words(deed.config.language);
    let undone = tokio::task::spawn_blocking(move || {
        let what = stages.noted(id).map_or_else(|| id.to_string(), |note| note.what);
        let undone = stages.undo_as(id, new)?;
        undoable::keep_note(
            &stages,
            undone.id,
            &Note { what: words.say("undo-of", &[("what", what.into())]), ..note },
        );
        let undo = match &undone.final_because {
            Some(why) => undoable::Undoable::Not(why.clone()),
            None => undoable::Undoable::held(&stages),
        };
        Ok::<_, NotUndone>((undone, undo))
    });
    match undone.await {
        Ok(Ok((undone, undo))) => {
            deed.run.tally.set_undo(Some(undo));
            deed.message(&lines(&undone.paths))
        }
        // The caller gets all of them; a person hears the first.
        Ok(Err(NotUndone::Changed(paths))) => {
            let stderr = format!("{}\n", lines(&paths)).into_bytes();
            let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
            RawOutput { stderr_total: stderr.len() as u64, stderr, ..deed.quiet(Ended::Changed(first)) }
        }
        Ok(Err(error)) => deed.quiet(Ended::Failed(error.to_string().into())),
        Err(panic) => deed.quiet(Ended::Failed(panic.to_string().into())),
    }
}

/// Why there is nothing to undo.
fn nothing(of: &str) -> String {
    match of {
        "" => "nothing of this session is held that could be undone; `guarda undo --list` shows what is"
            .to_owned(),
        of => format!(
            "nothing is held of {of}: it changed nothing, was undone already, or is too old; `guarda undo --list` \
             shows what is held"
        ),
    }
}

fn lines(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join("\n")
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
