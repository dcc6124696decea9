//! UNDO (feature N7): what a deed changed is put back, exactly, or not at all.

use std::path::Path;

use uuid::Uuid;

use crate::devices::stage::{Held, NotUndone, Note, Stages};
use crate::output::{Ended, RawOutput};
use crate::policy::{Effects, Profile, Situation};

use super::deeds::Deed;
use super::settings::{Changed, Setting, Settings};
use super::{Hands, HandsConfig, machine, screen, sound, stage};

/// Says in the situation what an UNDO means, and whether this session may take it back by itself.
pub(super) fn place(
    (config, settings): (&HandsConfig, &Settings),
    profile: Profile,
    (of, session): (Option<&str>, Option<&str>),
    situation: &mut Situation,
) {
    let session = crate::record::session_of(session).unwrap_or_default();
    let held = config.stages.as_ref().and_then(|stages| find(stages, of, &session));
    let changed = setting(settings, of, &session);
    // Without a number, the later of both is meant.
    if let Some(changed) = changed.filter(|changed| held.as_ref().is_none_or(|held| held.at <= changed.at)) {
        situation.undoes = Some(changed.id);
        situation.undoes_setting = true;
        return;
    }
    let (Some(stages), Some(Held { id, paths, .. })) = (&config.stages, held) else { return };
    situation.roots = stage::roots(profile, Path::new(&situation.cwd), Path::new(&situation.home));
    let own = stages.noted(id).is_some_and(|note| note.session == session);
    let within = |path: &Path| situation.roots.iter().any(|root| path.starts_with(root));
    situation.undoes_own = own && paths.iter().all(|path| within(path));
    situation.undoes = Some(id);
}

/// The deed that is meant: by its id, by its number in the record, or the last one of the session that was not undone.
fn find(stages: &Stages, of: Option<&str>, session: &str) -> Option<Held> {
    let held = stages.held();
    let noted = |id: Uuid, is: &dyn Fn(&Note) -> bool| stages.noted(id).is_some_and(|note| is(&note));
    let found = match of.filter(|of| *of != "last") {
        None => {
            held.iter().find(|held| held.undid.is_none() && noted(held.id, &|note| note.session == session))
        }
        Some(of) => match of.parse::<Uuid>() {
            Ok(id) => held.iter().find(|held| held.id == id),
            Err(_) => held.iter().find(|held| noted(held.id, &|note| note.audit_id == of)),
        },
    };
    found.cloned()
}

/// The change of a setting that is meant.
fn setting(settings: &Settings, of: Option<&str>, session: &str) -> Option<Changed> {
    match of.filter(|of| *of != "last") {
        None => settings.find(|changed| !changed.undid && changed.session == session),
        Some(of) => settings.find(|changed| changed.audit_id == of || changed.id.to_string() == of),
    }
}

/// Sets a setting back, unless it was changed since.
async fn set_back(deed: &Deed<'_>, changed: &Changed) -> RawOutput {
    let now = match changed.is {
        Setting::Volume { .. } => sound::now(deed).await,
        Setting::Brightness(_) => machine::bright(deed),
        Setting::DoNotDisturb(_) => screen::is_quiet(deed).await,
    };
    match now {
        Ok(now) if now.is(changed.is) => {}
        Ok(_) => return deed.quiet(Ended::Changed("it was set to something else since".to_owned())),
        Err(fault) => return deed.faulted(fault),
    }
    let done = match changed.was {
        Setting::Volume { percent, muted } => sound::set_back(deed, percent, muted).await,
        Setting::Brightness(percent) => machine::set_back(deed, percent).await,
        Setting::DoNotDisturb(on) => screen::set_back(deed, on).await,
    };
    match done {
        Ok(is) if is.is(changed.was) => {
            deed.settings.forget(changed.id);
            deed.settings.note(deed, changed.is, is, true);
            deed.told(&format!("{is:?}"))
        }
        Ok(is) => deed.quiet(Ended::Failed(format!("it stayed at {is:?}"))),
        Err(fault) => deed.faulted(fault),
    }
}

/// Undoes what was judged.
pub(super) async fn perform(deed: &Deed<'_>, session: Option<&str>, audit_id: String) -> RawOutput {
    if deed.situation.undoes_setting {
        let changed = deed.settings.find(|changed| Some(changed.id) == deed.situation.undoes);
        return match changed {
            Some(changed) => set_back(deed, &changed).await,
            None => deed.quiet(Ended::Unavailable("it was taken back already".to_owned())),
        };
    }
    let (Some(stages), Some(id)) = (deed.config.stages.clone(), deed.situation.undoes) else {
        let why = "nothing is kept that could be undone; `guarda undo --list` shows what is";
        return deed.quiet(Ended::Unavailable(why.to_owned()));
    };
    let session = crate::record::session_of(session).unwrap_or_default();
    let undone = tokio::task::spawn_blocking(move || {
        let undone = stages.undo(id)?;
        let note = Note { session, audit_id, what: format!("UNDO {id}") };
        if let Err(error) = stages.note(undone.id, &note) {
            tracing::warn!(%error, "whose undo it was could not be noted");
        }
        Ok::<_, NotUndone>(undone)
    });
    match undone.await {
        Ok(Ok(undone)) => {
            let paths = undone.paths.iter().map(|path| path.display().to_string());
            let lines: Vec<String> = std::iter::once(format!("undo {}", undone.id)).chain(paths).collect();
            deed.told(&lines.join("\n"))
        }
        Ok(Err(error @ NotUndone::Changed(_))) => deed.quiet(Ended::Changed(error.to_string())),
        Ok(Err(error)) => deed.quiet(Ended::Failed(error.to_string())),
        Err(panic) => deed.quiet(Ended::Failed(panic.to_string())),
    }
}

impl Hands {
    /// What an UNDO would change, for the person who is asked.
    pub async fn undoing(&self, situation: &Situation) -> Option<Effects> {
        let (stages, id) = (self.config.stages.clone()?, situation.undoes?);
        tokio::task::spawn_blocking(move || stages.undoing(id)).await.ok().flatten()
    }
}
