//! UNDO (feature N7): what a deed changed is put back, exactly, or not at all.

use std::path::Path;

use uuid::Uuid;

use crate::devices::stage::{NotUndone, Note, Stages};
use crate::output::{Ended, RawOutput};
use crate::policy::{Effects, Profile, Situation};

use super::deeds::Deed;
use super::{Hands, HandsConfig, stage};

/// Says in the situation what an UNDO means, and whether this session may take it back by itself.
pub(super) fn place(
    config: &HandsConfig,
    profile: Profile,
    (of, session): (Option<&str>, Option<&str>),
    situation: &mut Situation,
) {
    let Some(stages) = &config.stages else { return };
    let session = crate::record::session_of(session).unwrap_or_default();
    let Some(id) = find(stages, of, &session) else { return };
    situation.roots = stage::roots(profile, Path::new(&situation.cwd), Path::new(&situation.home));
    let own = stages.noted(id).is_some_and(|note| note.session == session);
    let within = |path: &Path| situation.roots.iter().any(|root| path.starts_with(root));
    let held = stages.held().into_iter().find(|held| held.id == id);
    situation.undoes_own = own && held.is_some_and(|held| held.paths.iter().all(|path| within(path)));
    situation.undoes = Some(id);
}

/// The deed that is meant: by its id, by its number in the record, or the last one of the session that was not undone.
fn find(stages: &Stages, of: Option<&str>, session: &str) -> Option<Uuid> {
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
    found.map(|held| held.id)
}

/// Undoes what was judged.
pub(super) async fn perform(deed: &Deed<'_>, session: Option<&str>, audit_id: String) -> RawOutput {
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
