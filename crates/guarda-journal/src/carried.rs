//! What a start takes over from the record: what is allowed for good, and the wrong codes of late. Both have lines in a
//! session of their own, because any program of the user can write the registry's database.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::files::checkpoints::{Checkpoint, FileState};
use super::files::folder::{Folder, archived, file_of};
use super::files::log_file::ARCHIVE;
use super::line::{Facts, RecordEvent};
use super::read::{Filter, RecordLine, each, parse};
use super::trouble::RecordError;

/// The session of these lines.
pub const SESSION: &str = "guarda";
/// What a line says of a permission that holds no longer.
pub(super) const WITHDRAWN: &str = "withdrawn";

/// A permission for good.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::EnumString, strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Grant {
    /// A person gave it.
    AlwaysAllow,
    /// The command earned it by its runs.
    AutoApprove,
}

/// Permissions for good: the hash of each command, and who allowed it.
pub type Grants = HashSet<(String, Grant)>;

/// What a start takes over.
#[derive(Debug, Clone, Default)]
pub struct Carried {
    /// Permissions whose lines were signed.
    pub grants: Grants,
    /// Permissions whose lines were added after the last signature, which any program of the user can do. They do not
    /// count, and the start withdraws them.
    pub loose: Grants,
    /// When wrong codes were given.
    pub wrong_codes: Vec<jiff::Timestamp>,
}

/// A change of what is allowed for good.
#[derive(Debug)]
pub struct GrantStep<'a> {
    /// The hash of the command in the registry.
    pub command_hash: &'a str,
    /// The command line.
    pub command: &'a str,
    /// Its folder.
    pub folder: &'a str,
    /// Which permission.
    pub grant: Grant,
    /// Whether it is given or withdrawn.
    pub given: bool,
    /// Where a person said so; `None` if the command earned or lost it.
    pub channel: Option<&'a str>,
    /// The person's reason.
    pub reason: Option<&'a str>,
}

/// What the record in this folder says is allowed for good, signed or not: for display.
///
/// # Errors
/// If the record cannot be read.
pub fn grants(folder: &Path) -> Result<Grants, RecordError> {
    all(folder).map(|(grants, _)| grants)
}

/// What a start takes over; `sealed` is the session's part of the signed table.
pub(super) fn read(folder: &Folder, sealed: &BTreeMap<u32, Checkpoint>) -> Result<Carried, RecordError> {
    let (all, wrong_codes) = all(folder.path())?;
    let mut signed = Grants::new();
    for (part, head) in sealed {
        for line in signed_lines(folder, *part, head) {
            take(&mut signed, &line);
        }
    }
    let loose = all.difference(&signed).cloned().collect();
    // What was withdrawn after the last signature stays withdrawn.
    let grants = signed.intersection(&all).cloned().collect();
    Ok(Carried { grants, loose, wrong_codes })
}

fn all(folder: &Path) -> Result<(Grants, Vec<jiff::Timestamp>), RecordError> {
    let (mut grants, mut wrong) = (Grants::new(), Vec::new());
    let events = vec![RecordEvent::Granted, RecordEvent::Guessed];
    let filter = Filter { session: Some(SESSION.to_owned()), events, ..Filter::default() };
    each(folder, &filter, |line| {
        if line.place.event == RecordEvent::Guessed {
            wrong.extend(line.place.timestamp.parse::<jiff::Timestamp>());
        }
        take(&mut grants, &line);
        Ok(())
    })?;
    Ok((grants, wrong))
}

/// Applies a line to what was allowed before it.
fn take(grants: &mut Grants, line: &RecordLine) {
    if line.place.event != RecordEvent::Granted {
        return;
    }
    let Facts { kind, digest, user_decision, .. } = &line.facts;
    let Ok(grant) = kind.parse::<Grant>() else { return };
    let known = (digest.clone(), grant);
    if user_decision.as_deref() == Some(WITHDRAWN) {
        grants.remove(&known);
    } else {
        grants.insert(known);
    }
}

/// The lines of a file that the table has signed; none if the file is not as it was signed.
fn signed_lines(folder: &Folder, part: u32, head: &Checkpoint) -> Vec<RecordLine> {
    let live = matches!(head.state, FileState::Open | FileState::Closed).then(|| file_of(SESSION));
    let aside = format!("{ARCHIVE}/{}", archived(SESSION, part, false));
    let places = live.into_iter().chain([aside.clone(), format!("{aside}.gz")]);
    let lines = places.filter_map(|place| {
        let mut text = Vec::new();
        folder.read(&place).ok()?.read_to_end(&mut text).ok()?;
        let sealed = Some((head.lines, head.hash()?));
        let (_, _, as_sealed) = super::files::scan::follow(text.as_slice(), sealed).ok()?;
        let most = usize::try_from(head.lines).ok()?;
        as_sealed.then(|| text.split(|byte| *byte == b'\n').take(most).filter_map(parse).collect())
    });
    lines.into_iter().next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
