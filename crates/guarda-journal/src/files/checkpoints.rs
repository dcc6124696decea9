//! The signed table of checkpoints: the length of each file and the hash of its last line. It detects a
//! truncated tail and a missing file.
//!
//! The table protects against anyone who can write to the files but does not have the key. With the key, a
//! new history can be written; a copy of the table elsewhere protects against that.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

pub use super::checkpoint::{Checkpoint, Checkpoints, FileState};
use super::folder::Folder;
use crate::anchor::{self, Anchor, Anchored};
pub use crate::anchor::{KEY, PUBLIC};
use crate::chain::{hex, unhex};
use crate::trouble::{RecordError, RecordFault};

const HEADS: &str = "heads";

/// The table as stored on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointTable {
    /// The version of this format.
    pub version: u32,
    /// When it was written: RFC 3339, UTC.
    pub written: String,
    /// The public key, in hexadecimal.
    pub key: String,
    /// The checkpoints.
    pub heads: Checkpoints,
    /// Whether an anchor is kept beside the key.
    #[serde(default)]
    pub anchored: bool,
}

/// The signing key.
pub(crate) struct CheckpointSigner {
    key: SigningKey,
    /// The folder of the key.
    place: Folder,
    /// True if it was just created: there was no record before.
    pub new: bool,
}

impl std::fmt::Debug for CheckpointSigner {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Seal({})", self.public())
    }
}

impl CheckpointSigner {
    /// Reads the key; creates one at the first start.
    pub fn load(folder: Folder) -> Result<Self, RecordError> {
        let place = folder.path().join(KEY).display().to_string();
        if folder.names()?.iter().any(|name| name == KEY) {
            let file = folder.file(KEY, OFlags::RDONLY)?;
            let text = std::io::read_to_string(file).map_err(|error| RecordError::system(&place, &error))?;
            let bytes = zeroize::Zeroizing::new(
                unhex::<32>(text.trim()).ok_or_else(|| RecordFault::NoKey(place.clone()))?,
            );
            return Ok(Self { key: SigningKey::from_bytes(&bytes), place: folder, new: false });
        }
        let mut bytes = zeroize::Zeroizing::new([0_u8; 32]);
        getrandom::fill(bytes.as_mut_slice()).map_err(|error| RecordFault::NoRandom(error.to_string()))?;
        let checkpoints = Self { key: SigningKey::from_bytes(&bytes), place: folder, new: true };
        checkpoints.place.replace(KEY, format!("{}\n", hex(bytes.as_slice())).as_bytes())?;
        checkpoints.place.replace(PUBLIC, format!("{}\n", checkpoints.public()).as_bytes())?;
        Ok(checkpoints)
    }

    /// The public key, in hexadecimal.
    pub fn public(&self) -> String {
        hex(self.key.verifying_key().as_bytes())
    }

    /// The result of checking the anchor beside the key.
    pub fn anchored(&self) -> Result<Anchored, RecordError> {
        Anchored::of_folder(&self.place, &self.public())
    }

    /// The folder of the key.
    pub fn place(&self) -> &std::path::Path {
        self.place.path()
    }

    /// Signs an anchor of these heads, writes it beside the key, and returns its text.
    pub fn anchor(&self, folder: &Folder, heads: &Checkpoints) -> Result<String, RecordError> {
        let text = Anchor::of(heads, folder.path(), self.place.path()).signed(&self.key)?;
        self.place.replace(anchor::FILE, text.as_bytes())?;
        Ok(text)
    }

    /// Signs the heads and writes them.
    pub fn write(&self, folder: &Folder, heads: &Checkpoints) -> Result<(), RecordError> {
        let table = CheckpointTable {
            version: 1,
            written: format!("{:.6}", jiff::Timestamp::now()),
            key: self.public(),
            heads: heads.clone(),
            anchored: true,
        };
        let text = serde_json::to_string(&table).map_err(|error| RecordError::encoding(&error))?;
        let signature = self.key.sign(text.as_bytes());
        folder.replace(HEADS, format!("{text}\n{}\n", hex(&signature.to_bytes())).as_bytes())
    }
}

/// The result of checking a folder's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TableCheck {
    /// There is no table.
    Nothing,
    /// The signature is valid.
    Signed(CheckpointTable),
    /// It is unsigned or unreadable, for this reason.
    Broken(String),
}

/// Reads the table and checks its signature with a public key in hexadecimal, or else with the key that it
/// names.
pub(crate) fn read(folder: &Folder, key: Option<&str>) -> Result<TableCheck, RecordError> {
    if !folder.names()?.iter().any(|name| name == HEADS) {
        return Ok(TableCheck::Nothing);
    }
    let broken = |why: &str| Ok(TableCheck::Broken(why.to_owned()));
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut folder.file(HEADS, OFlags::RDONLY)?, &mut bytes)
        .map_err(|error| RecordError::system(&folder.path().join(HEADS).display().to_string(), &error))?;
    let Ok(text) = String::from_utf8(bytes) else { return broken("it is no text") };
    let Some((body, signature)) = text.trim_end().rsplit_once('\n') else {
        return broken("it has no signature");
    };
    let table = match serde_json::from_str::<CheckpointTable>(body) {
        Ok(table) => table,
        Err(error) => return broken(&format!("it cannot be read: {error}")),
    };
    let key = key.unwrap_or(&table.key);
    let public = unhex::<32>(key).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    let signature = unhex::<64>(signature).map(|bytes| Signature::from_bytes(&bytes));
    let (Some(public), Some(signature)) = (public, signature) else {
        return broken("its signature or the key cannot be read");
    };
    if public.verify_strict(body.as_bytes(), &signature).is_err() {
        return broken("its signature is not that of the key");
    }
    Ok(TableCheck::Signed(table))
}

/// Renames an invalid table, so that a new one can be begun.
pub(crate) fn put_aside(folder: &Folder) -> Result<(), RecordError> {
    let now = jiff::Timestamp::now().as_second();
    folder.rename(HEADS, folder, &format!("{HEADS}.broken-{now}"))
}

/// Notes that a table was missing. The note stays until a person removes it.
pub(crate) fn note_missing(folder: &Folder) -> Result<(), RecordError> {
    folder.replace(&format!("{HEADS}.missing-{}", jiff::Timestamp::now().as_second()), b"")
}

/// Notes that the record was behind its anchor. The note stays until a person removes it.
pub(crate) fn note_behind(folder: &Folder, why: &str) -> Result<(), RecordError> {
    let name = format!("heads.behind-{}", jiff::Timestamp::now().as_second());
    folder.replace(&name, format!("{why}\n").as_bytes())
}

/// Whether a file is a renamed table, or a note of what was missing.
pub(crate) fn is_put_aside(name: &str) -> bool {
    ["heads.broken-", "heads.missing-", "heads.behind-"].iter().any(|note| name.starts_with(note))
}
