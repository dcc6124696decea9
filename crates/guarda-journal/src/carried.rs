//! What a start takes over from the record: what is allowed for good, the folders that a person trusts, and the wrong codes of
//! late. They have lines in a session of their own, because any program of the user can write the registry's database.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

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
    /// A person trusts a folder: changes in it are made without a question.
    TrustedFolder,
    /// A person trusts a folder for the rest of a session. Nothing of it is carried over a restart.
    SessionFolder,
    /// A person granted commands of a shape. Carried over a restart if it was for always.
    Commands,
    /// A person granted hosts. Nothing of it is carried over a restart.
    Hosts,
}

/// Permissions for good: the hash of each command, and who allowed it.
pub type Grants = HashSet<(String, Grant)>;

/// The folders that a person trusts, by their real paths.
pub type TrustedFolders = BTreeMap<PathBuf, TrustedFolder>;

/// The terms of granted commands, as JSON, by their numbers.
pub type GrantTerms = BTreeMap<String, String>;

/// What the record says of a trusted folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedFolder {
    /// The digest of its path and of the folder that was there. Another folder at the same path has another one.
    pub digest: String,
    /// Since when.
    pub since: jiff::Timestamp,
    /// Where a person said so.
    pub channel: Option<String>,
}

/// What a start takes over.
#[derive(Debug, Clone, Default)]
pub struct Carried {
    /// Permissions of commands whose lines were signed.
    pub grants: Grants,
    /// Trusted folders whose lines were signed.
    pub folders: TrustedFolders,
    /// The terms of granted commands whose lines were signed, by their numbers.
    pub terms: GrantTerms,
    /// Permissions whose lines were added after the last signature, which any program of the user can do. They do not
    /// count, and the start withdraws them.
    pub loose: Grants,
    /// When wrong codes were given.
    pub wrong_codes: Vec<jiff::Timestamp>,
}

/// A change of what is allowed for good.
#[derive(Debug)]
pub struct GrantStep<'a> {
    /// The hash of the command in the registry, or the digest of a trusted folder.
    pub command_hash: &'a str,
    /// The command line; empty for a folder, which is recorded in its place.
    pub command: &'a str,
    /// Its folder, or the trusted one.
    pub folder: &'a str,
    /// Which permission.
    pub grant: Grant,
    /// Whether it is given or withdrawn.
    pub given: bool,
    /// Where a person said so; `None` if the command earned or lost it.
    pub channel: Option<&'a str>,
    /// The person's reason, or for how long it is given.
    pub reason: Option<&'a str>,
    /// The terms of granted commands that outlast the service, as JSON.
    pub terms: Option<&'a str>,
}

/// What the record in this folder says of commands that are allowed for good, signed or not: for display.
///
/// # Errors
/// If the record cannot be read.
pub fn grants(folder: &Path) -> Result<Grants, RecordError> {
    all(folder).map(|(given, _)| given.of_commands())
}

/// The folders that the record in this folder says are trusted, signed or not: for display.
///
/// # Errors
/// If the record cannot be read.
pub fn trusted_folders(folder: &Path) -> Result<TrustedFolders, RecordError> {
    all(folder).map(|(given, _)| given.folders)
}

/// What a start takes over; `sealed` is the session's part of the signed table.
pub(super) fn read(folder: &Folder, sealed: &BTreeMap<u32, Checkpoint>) -> Result<Carried, RecordError> {
    let (all, wrong_codes) = all(folder.path())?;
    let mut signed = Given::default();
    for (part, head) in sealed {
        for line in signed_lines(folder, *part, head) {
            signed.take(&line);
        }
    }
    let loose = all.grants.difference(&signed.grants).cloned().collect();
    // What was withdrawn after the last signature stays withdrawn.
    let both = |one: &(String, Grant)| signed.grants.contains(one);
    let Given { mut grants, mut folders, mut terms } = all;
    grants.retain(both);
    folders.retain(|_, folder| both(&(folder.digest.clone(), Grant::TrustedFolder)));
    terms.retain(|number, text| {
        both(&(number.clone(), Grant::Commands)) && signed.terms.get(number) == Some(text)
    });
    let given = Given { grants, ..Given::default() };
    Ok(Carried { grants: given.of_commands(), folders, terms, loose, wrong_codes })
}

fn all(folder: &Path) -> Result<(Given, Vec<jiff::Timestamp>), RecordError> {
    let (mut given, mut wrong) = (Given::default(), Vec::new());
    let events = vec![RecordEvent::Granted, RecordEvent::Guessed];
    let filter = Filter { session: Some(SESSION.to_owned()), events, ..Filter::default() };
    each(folder, &filter, |line| {
        if line.place.event == RecordEvent::Guessed {
            wrong.extend(line.place.timestamp.parse::<jiff::Timestamp>());
        }
        given.take(&line);
        Ok(())
    })?;
    Ok((given, wrong))
}

/// What lines say is allowed.
#[derive(Debug, Default)]
struct Given {
    grants: Grants,
    folders: TrustedFolders,
    terms: GrantTerms,
}

impl Given {
    /// Applies a line to what was allowed before it.
    fn take(&mut self, line: &RecordLine) {
        if line.place.event != RecordEvent::Granted {
            return;
        }
        let Facts { kind, digest, user_decision, cwd, channel, grant: terms, .. } = &line.facts;
        // What was for a session ended with the service.
        let Some(grant) = kind.parse().ok() else { return };
        let ends = match grant {
            Grant::AlwaysAllow | Grant::AutoApprove | Grant::TrustedFolder => false,
            Grant::SessionFolder | Grant::Hosts => true,
            Grant::Commands => terms.is_none() && user_decision.as_deref() != Some(WITHDRAWN),
        };
        if ends {
            return;
        }
        let known = (digest.clone(), grant);
        if user_decision.as_deref() == Some(WITHDRAWN) {
            self.grants.remove(&known);
            self.folders.retain(|_, folder| folder.digest != *digest);
            self.terms.remove(digest);
            return;
        }
        if let (Grant::TrustedFolder, Some(path)) = (grant, cwd) {
            // A line without a readable time counts as from the beginning.
            let since = line.place.timestamp.parse().unwrap_or_default();
            let folder = TrustedFolder { digest: digest.clone(), since, channel: channel.clone() };
            self.folders.insert(path.into(), folder);
        }
        if let Some(terms) = terms {
            self.terms.insert(digest.clone(), terms.clone());
        }
        self.grants.insert(known);
    }

    fn of_commands(self) -> Grants {
        let of_commands = |grant: Grant| matches!(grant, Grant::AlwaysAllow | Grant::AutoApprove);
        self.grants.into_iter().filter(|(_, grant)| of_commands(*grant)).collect()
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
