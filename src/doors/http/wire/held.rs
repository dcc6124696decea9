//! The JSON of actions that can be undone. It never contains file contents.

use serde::Serialize;
use utoipa::ToSchema;

use super::changes::Changes;
use crate::hands::HeldSetting;
use guarda_core::effects::Effects;
use guarda_sandbox::stage::{Held, Note, Stages};

/// The greatest number of listed actions.
const MOST: usize = 1000;
/// The greatest number of listed paths per action.
const NAMED: usize = 10;

/// What can be undone.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct HeldDeeds {
    /// The actions, the latest first; at most 1000.
    deeds: Vec<HeldDeed>,
    /// The number of further actions.
    more: usize,
    /// The disk space of all old versions, in bytes.
    bytes: u64,
}

/// An action that can be undone.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeldDeed {
    /// The id of the action, which an undo must name.
    #[schema(value_type = String, format = "uuid")]
    id: uuid::Uuid,
    /// Its audit id; null if none was stored.
    audit_id: Option<String>,
    /// The session of the action; empty if it has none.
    session: Option<String>,
    /// The message of the person that it followed from; null if its caller does not say.
    turn: Option<String>,
    /// What was done, with secrets hidden.
    #[schema(example = "rm a.txt")]
    what: Option<String>,
    /// When it was done: RFC 3339, UTC.
    #[schema(format = DateTime)]
    at: String,
    /// The end of the time for an undo: RFC 3339, UTC. Null for a desktop setting, which can be restored while the
    /// guard runs.
    #[schema(format = DateTime)]
    until: Option<String>,
    /// Whether it was itself an undo.
    undo: bool,
    /// The number of paths that it created, changed or deleted; a whole folder counts once.
    count: usize,
    /// The first ten of these paths.
    paths: Vec<String>,
    /// The number of stored files.
    files: u64,
    /// Their disk space in bytes.
    bytes: u64,
}

/// An action, and what its undo would change.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeldDetail {
    /// The action.
    deed: HeldDeed,
    /// What the undo would change.
    effects: Changes,
}

impl HeldDeeds {
    /// The actions that can be undone now.
    #[must_use]
    pub fn of(stages: Option<&Stages>, settings: Vec<HeldSetting>) -> Self {
        let held = stages.map(Stages::held).unwrap_or_default();
        let bytes = held.iter().fold(0_u64, |sum, held| sum.saturating_add(held.old.bytes));
        let settings = settings.into_iter().map(|held| (held.at, HeldDeed::from(held)));
        let mut deeds: Vec<_> =
            held.iter().map(|held| (held.at, HeldDeed::from(held))).chain(settings).collect();
        deeds.sort_by_key(|(at, deed)| std::cmp::Reverse((*at, deed.id)));
        let more = deeds.len().saturating_sub(MOST);
        Self { deeds: deeds.into_iter().map(|(_, deed)| deed).take(MOST).collect(), more, bytes }
    }
}

impl HeldDetail {
    /// What an undo of this action would change; `None` if it cannot be undone.
    #[must_use]
    pub fn of(stages: Option<&Stages>, settings: Vec<HeldSetting>, id: &str) -> Option<Self> {
        let meant = |own: uuid::Uuid, note: Option<&Note>| {
            id.parse() == Ok(own) || note.is_some_and(|note| note.audit_id == id)
        };
        if let Some(held) = settings.into_iter().find(|held| meant(held.id, Some(&held.note))) {
            return Some(Self { deed: held.into(), effects: (&Effects::default()).into() });
        }
        let stages = stages?;
        let held = stages.held().into_iter().find(|held| meant(held.id, held.note.as_ref()))?;
        Some(Self {
            deed: (&held).into(),
            effects: (&stages.undoing_all(&stages.together(&held), None)).into(),
        })
    }
}

/// Formats seconds since 1970.
fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|at| jiff::Timestamp::from_second(at).ok());
    time.unwrap_or(jiff::Timestamp::MAX).to_string()
}

impl HeldDeed {
    fn new(id: uuid::Uuid, at: u64, note: Option<Note>) -> Self {
        let of = |field: fn(Note) -> String| note.clone().map(field);
        let (session, audit_id) = (of(|note| note.session), of(|note| note.audit_id));
        let (what, turn) = (of(|note| note.what), of(|note| note.turn).filter(|turn| !turn.is_empty()));
        Self {
            id,
            audit_id,
            session,
            turn,
            what,
            at: time(at),
            until: None,
            undo: false,
            count: 0,
            paths: Vec::new(),
            files: 0,
            bytes: 0,
        }
    }
}

impl From<HeldSetting> for HeldDeed {
    fn from(held: HeldSetting) -> Self {
        Self { undo: held.undid, ..Self::new(held.id, held.at, Some(held.note)) }
    }
}

impl From<&Held> for HeldDeed {
    fn from(held: &Held) -> Self {
        Self {
            until: Some(time(held.until)),
            undo: !held.stands,
            count: held.paths.len(),
            paths: held.paths.iter().take(NAMED).map(|path| path.to_string_lossy().into_owned()).collect(),
            files: held.old.files,
            bytes: held.old.bytes,
            ..Self::new(held.id, held.at, held.note.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_held_as_long_as_the_guard_runs() {
        let held = |at, what: &str| {
            let note = Note { audit_id: format!("desk_{at}"), what: what.to_owned(), ..Note::default() };
            HeldSetting { id: uuid::Uuid::from_u128(u128::from(at)), note, at, undid: at == 1 }
        };
        let settings =
            || vec![held(1, "volume 30% → 40%"), held(2, "do not disturb off → do not disturb on")];
        let sent = serde_json::to_value(HeldDeeds::of(None, settings())).unwrap();
        let (first, second) = (&sent["deeds"][0], &sent["deeds"][1]);
        assert_eq!(
            (first["what"].as_str(), second["undo"].as_bool()),
            (Some("do not disturb off → do not disturb on"), Some(true))
        );
        assert_eq!(
            (&first["until"], &first["at"]),
            (&serde_json::Value::Null, &"1970-01-01T00:00:02Z".into())
        );
        let one = serde_json::to_value(HeldDetail::of(None, settings(), "desk_1")).unwrap();
        assert_eq!((&one["deed"]["count"], &one["effects"]["changes"]), (&0.into(), &serde_json::json!([])));
        assert!(HeldDetail::of(None, settings(), "desk_3").is_none());
    }
}
