//! The folders in which a person lets agents change files without a question (feature N16): known by their real path and by the
//! folder that was there, so that another folder in its place is not trusted. Who said so is in the record.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use sha2::{Digest as _, Sha256};

use crate::devices::filesystem::paths;
use guarda_core::policy::{Found, Identity};
use guarda_journal::{TrustedFolder, TrustedFolders, session_of};

/// How long trust for a session holds at most: a caller could name an old session again.
const LONGEST_SESSION: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);

/// Why a folder cannot be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray, thiserror::Error)]
#[strum(serialize_all = "kebab-case")]
pub enum NotTrustable {
    /// There is no such folder.
    #[error("there is no such folder")]
    Missing,
    /// It is the home folder, or a folder above it.
    #[error("it is the home folder, or holds it")]
    Home,
    /// It lies in a hidden folder of the home folder, where programs keep settings.
    #[error("programs keep their settings there")]
    Hidden,
    /// Programs are started from it, or from a folder in it.
    #[error("programs are started from there")]
    OnPath,
    /// It belongs to another user, or others may write to it.
    #[error("other users may write there")]
    Shared,
    /// Its name cannot be written down exactly.
    #[error("its name is not UTF-8, or holds what looks like a secret")]
    Name,
}

/// A folder that can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trustable {
    /// Its real path.
    pub path: String,
    /// The digest of its path and of the folder that is there.
    pub digest: String,
}

/// A trusted folder, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TrustEntry {
    /// Its path.
    pub folder: String,
    /// Since when, in RFC 3339.
    pub since: String,
    /// Through which channel a person said so.
    pub channel: Option<String>,
    /// The session until whose end it is trusted; `None` for one that lasts.
    pub session: Option<String>,
    /// Whether the folder at this path still is the one that the person meant.
    pub stands: bool,
}

impl TrustEntry {
    fn of(path: &Path, known: &TrustedFolder, session: Option<&str>) -> Self {
        Self {
            folder: path.to_string_lossy().into_owned(),
            since: known.since.to_string(),
            channel: known.channel.clone(),
            session: session.map(str::to_owned),
            stands: stands(path, known),
        }
    }

    /// Those that last.
    #[must_use]
    pub fn all(folders: &TrustedFolders) -> Vec<Self> {
        folders.iter().map(|(path, folder)| Self::of(path, folder, None)).collect()
    }
}

/// The trusted folders in force.
#[derive(Debug, Default)]
pub struct Trust {
    known: RwLock<TrustedFolders>,
    /// Those that are trusted until a session ends, by its name in the record.
    sessions: RwLock<BTreeMap<String, TrustedFolders>>,
}

impl Trust {
    /// Those that the record knows.
    #[must_use]
    pub fn of(folders: TrustedFolders) -> Self {
        Self { known: RwLock::new(folders), sessions: RwLock::default() }
    }

    /// The folders trusted in this session that still are what they were, by their real paths.
    #[must_use]
    pub fn standing(&self, session: Option<&str>) -> Vec<PathBuf> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let own = session_of(session).ok().and_then(|session| sessions.get(&session));
        let own = own.into_iter().flatten().filter(|(_, folder)| is_recent(folder));
        let standing = known.iter().chain(own).filter(|(path, folder)| stands(path, folder));
        standing.map(|(path, _)| path.clone()).collect()
    }

    /// All of them, those that last first.
    #[must_use]
    pub fn list(&self) -> Vec<TrustEntry> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let mut all = TrustEntry::all(&known);
        for (session, folders) in &*sessions {
            let recent = folders.iter().filter(|(_, folder)| is_recent(folder));
            all.extend(recent.map(|(path, folder)| TrustEntry::of(path, folder, Some(session))));
        }
        all
    }

    /// Trusts a folder from now on. Returns what was known of that path before.
    pub(crate) fn add(&self, path: PathBuf, folder: TrustedFolder) -> Option<TrustedFolder> {
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(path, folder)
    }

    /// Trusts a folder in this session from now on.
    pub(crate) fn add_for(&self, session: Option<&str>, path: PathBuf, folder: TrustedFolder) {
        let Ok(session) = session_of(session) else { return };
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        // What is too old for its own session is not kept.
        sessions.retain(|_, folders| folders.values().any(is_recent));
        sessions.entry(session).or_default().insert(path, folder);
    }

    /// Trusts the folder at this path no longer, in no session.
    pub(crate) fn remove(&self, path: &Path) -> Option<TrustedFolder> {
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        let passing = sessions.values_mut().filter_map(|folders| folders.remove(path)).last();
        self.known.write().unwrap_or_else(PoisonError::into_inner).remove(path).or(passing)
    }
}

/// Whether trust for a session can still hold.
fn is_recent(folder: &TrustedFolder) -> bool {
    jiff::Timestamp::now().duration_since(folder.since) < LONGEST_SESSION
}

/// Whether the folder at this path is the one that the person meant.
#[must_use]
pub fn stands(path: &Path, folder: &TrustedFolder) -> bool {
    // A link on the way would lead elsewhere, whatever it leads to.
    path.canonicalize().is_ok_and(|real| real == path) && digest(path).is_some_and(|now| now == folder.digest)
}

/// The digest of a path and the folder there. A file system that stores when a folder was made tells it apart on whatever device it
/// is mounted; others by the device.
fn digest(path: &Path) -> Option<String> {
    let Found::Folder(Identity { file: (device, inode), born }) = paths::found(path) else { return None };
    let made = born.map_or_else(|| format!("on {device}"), |(seconds, nanos)| format!("{seconds}.{nanos}"));
    let text = [path.as_os_str().as_encoded_bytes(), format!("\0{inode} {made}").as_bytes()].concat();
    Some(Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Checks whether a person with this home folder may trust a folder. Neither where programs keep settings, nor where they are started
/// from (`programs`), nor a folder that holds such a place.
///
/// # Errors
/// [`NotTrustable`].
pub(super) fn check(
    home: &Path,
    programs: impl Iterator<Item = PathBuf>,
    folder: &Path,
) -> Result<Trustable, NotTrustable> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = folder.canonicalize().map_err(|_| NotTrustable::Missing)?;
    let digest = digest(&path).ok_or(NotTrustable::Missing)?;
    let home = real(home);
    if home.starts_with(&path) {
        return Err(NotTrustable::Home);
    }
    let below = path.strip_prefix(&home).ok().and_then(|below| below.iter().next());
    if below.is_some_and(|first| first.as_encoded_bytes().starts_with(b".")) {
        return Err(NotTrustable::Hidden);
    }
    let mut programs = programs.filter(|place| place.is_absolute()).map(|place| real(&place));
    if programs.any(|place| place.starts_with(&path) || path.starts_with(&place)) {
        return Err(NotTrustable::OnPath);
    }
    if !is_private(&path) {
        return Err(NotTrustable::Shared);
    }
    let path = path.into_os_string().into_string().map_err(|_| NotTrustable::Name)?;
    // The record would hide it, and a later start would not find the folder.
    let readable = guarda_core::output::redact(&path).is_ok_and(|redacted| redacted.text == path);
    if readable { Ok(Trustable { path, digest }) } else { Err(NotTrustable::Name) }
}

/// Whether a folder belongs to this user and nobody else may write to it. A group whose only member is this user is nobody else.
fn is_private(folder: &Path) -> bool {
    let Ok(data) = std::fs::symlink_metadata(folder) else { return false };
    let user = rustix::process::geteuid();
    let alone = || {
        let group = nix::unistd::Group::from_gid(nix::unistd::Gid::from_raw(data.gid())).ok().flatten();
        let own = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(user.as_raw())).ok().flatten();
        let (Some(group), Some(own)) = (group, own) else { return false };
        group.gid == own.gid && group.mem.iter().all(|member| *member == own.name)
    };
    data.uid() == user.as_raw() && data.mode() & 0o002 == 0 && (data.mode() & 0o020 == 0 || alone())
}

#[cfg(test)]
mod tests;
