//! Desktop settings that a deed changed, so that UNDO can restore them (feature N7). They are kept in a file of the state
//! folder, as long as old versions of files.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::devices::filesystem::own;
use guarda_core::action::Setting;
use guarda_sandbox::stage::{Note, Stages};

/// The most changes that are remembered.
const MOST: usize = 32;

/// Whether both are the same, within the machine's precision.
pub(super) fn same(one: Setting, other: Setting) -> bool {
    match (one, other) {
        (Setting::Volume { percent: a, muted: m }, Setting::Volume { percent: b, muted: n }) => {
            a.abs_diff(b) <= 1 && m == n
        }
        (one, other) => one == other,
    }
}

/// A change of a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingChange {
    pub(super) id: Uuid,
    pub(super) session: String,
    pub(super) audit_id: String,
    /// The message of the person that it followed from; empty if its caller does not say.
    #[serde(default)]
    pub(super) turn: String,
    /// Seconds since 1970.
    pub(super) at: u64,
    pub(super) was: Setting,
    pub(super) is: Setting,
    /// True if it is an undo of another change.
    pub(super) undid: bool,
}

impl SettingChange {
    /// Whose change it was, and what was changed.
    pub(super) fn note(&self) -> Note {
        let Self { session, audit_id, turn, was, is, .. } = self.clone();
        Note { session, audit_id, turn, what: format!("{was} → {is}"), group: None }
    }
}

/// The changed settings, the latest last.
#[derive(Debug, Default)]
pub(super) struct Settings {
    all: Mutex<VecDeque<SettingChange>>,
    /// The file with the changes; with `None` they last as long as the guard runs.
    file: Option<PathBuf>,
}

impl Settings {
    /// Reads the earlier changes that are not older than these stages keep old versions.
    pub(super) fn open(stages: Option<&Stages>) -> Self {
        let Some(stages) = stages else { return Self::default() };
        let file = stages.state().join("settings.json");
        let read = own::read_config(&file).map_err(|error| error.to_string()).and_then(|text| {
            let all = text.map(|text| serde_json::from_str::<VecDeque<SettingChange>>(&text)).transpose();
            all.map_err(|error| error.to_string())
        });
        let mut all = read.unwrap_or_else(|error| {
            tracing::warn!(error, "changes of settings before this start cannot be undone");
            None
        });
        let oldest = now().saturating_sub(stages.kept_for().as_secs());
        if let Some(all) = &mut all {
            all.retain(|changed| changed.at >= oldest);
        }
        Self { all: Mutex::new(all.unwrap_or_default()), file: Some(file) }
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<SettingChange>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves the remembered changes. If that fails, an UNDO works as long as the guard runs.
    fn keep(&self, all: &VecDeque<SettingChange>) {
        let Some(file) = &self.file else { return };
        let text = serde_json::to_vec_pretty(all).map_err(|error| error.to_string());
        let kept = text.and_then(|text| own::write_private(file, &text).map_err(|error| error.to_string()));
        if let Err(error) = kept {
            tracing::warn!(error, "a change of a setting cannot be undone after the next start");
        }
    }

    /// Remembers a change.
    pub(super) fn add(&self, changed: SettingChange) {
        let mut all = self.all();
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back(changed);
        self.keep(&all);
    }

    /// The latest change that matches.
    pub(super) fn find(&self, fits: impl Fn(&SettingChange) -> bool) -> Option<SettingChange> {
        self.all().iter().rev().find(|changed| fits(changed)).cloned()
    }

    /// All remembered changes, the latest first.
    pub(super) fn list(&self) -> Vec<SettingChange> {
        self.all().iter().rev().cloned().collect()
    }

    /// Forgets a change that was undone.
    pub(super) fn forget(&self, id: Uuid) {
        let mut all = self.all();
        all.retain(|changed| changed.id != id);
        self.keep(&all);
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_sandbox::stage::StagesConfig;
    use std::time::Duration;

    fn stages(state: &std::path::Path) -> Stages {
        let keep = Duration::from_secs(1000);
        Stages::open(StagesConfig {
            state: state.to_owned(),
            keep,
            most_bytes: 0,
            extra: None,
            supervisor: None,
        })
        .unwrap()
    }

    fn changed(at: u64) -> SettingChange {
        let (was, is) = (Setting::Volume { percent: 40, muted: true }, Setting::DoNotDisturb(true));
        let (session, audit_id) = ("s".to_owned(), "s:1".to_owned());
        let turn = String::new();
        SettingChange { id: Uuid::now_v7(), session, audit_id, turn, at, was, is, undid: false }
    }

    #[test]
    fn what_was_changed_can_be_undone_after_a_start() {
        let folder = tempfile::tempdir().unwrap();
        let stages = stages(&folder.path().canonicalize().unwrap());
        let (recent, old) = (changed(now()), changed(now() - 2000));
        let settings = Settings::open(Some(&stages));
        settings.add(old);
        settings.add(recent.clone());
        let kept = Settings::open(Some(&stages)).list();
        assert_eq!(kept, std::slice::from_ref(&recent), "the old one is over");
        settings.forget(recent.id);
        assert_eq!(Settings::open(Some(&stages)).list(), []);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_reason_not_to_start() {
        let folder = tempfile::tempdir().unwrap();
        let stages = stages(&folder.path().canonicalize().unwrap());
        std::fs::write(folder.path().join("settings.json"), "[{").unwrap();
        let settings = Settings::open(Some(&stages));
        assert_eq!(settings.list(), []);
        let one = changed(now());
        settings.add(one.clone());
        assert_eq!(Settings::open(Some(&stages)).list(), [one]);
    }
}
