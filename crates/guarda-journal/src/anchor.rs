//! The anchor: the extent of the record, kept outside its folder, so that a removed folder or a restored older copy
//! is detected.
//!
//! It is written periodically, after the heads are signed. A record that is ahead of its anchor is sound; one that is
//! behind it is not.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::chain::{Hash, hex, unhex};
use super::files::checkpoint::{Checkpoint, Checkpoints};
use super::files::folder::Folder;
use super::trouble::RecordError;
use super::verify::evidence::Remark;
use super::warning::LostPart;

/// The file name, beside the key.
pub const FILE: &str = "journal.anchor";
/// The key that signs it, beside the guard's tokens.
pub const KEY: &str = "journal.key";
/// The public half of that key.
pub const PUBLIC: &str = "journal.pub";

/// The extent of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The version of this format.
    pub version: u32,
    /// When it was written: RFC 3339, UTC.
    pub written: String,
    /// The folder of the record; relative to the key's folder if it lies below it, so that both can be moved
    /// together.
    pub folder: PathBuf,
    /// The extent of each session's newest file.
    pub ends: BTreeMap<String, FileExtent>,
}

/// The extent of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileExtent {
    /// The file's number within its session.
    pub part: u32,
    /// The number of lines.
    pub lines: u64,
    /// The hash of the last one, in hexadecimal.
    pub hash: String,
}

/// The result of checking an anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchored {
    /// There is no anchor.
    Nothing,
    /// The signature is valid.
    Signed(Anchor),
    /// It is unsigned or unreadable, for this reason.
    Broken(String),
}

/// Everything known about a record from outside its folder.
#[derive(Debug, Clone, Default)]
pub struct Anchors {
    /// Each anchor's check result, and its location.
    pub(super) kept: Vec<(String, Anchored)>,
    /// The folder of the key.
    pub(super) keys: PathBuf,
    /// Whether there is a key, so that there must have been a record.
    pub(super) keyed: bool,
    /// Notices, for example about an anchor that could not be read.
    pub(super) notes: Vec<Remark>,
}

impl Anchor {
    pub(super) fn of(heads: &Checkpoints, folder: &Path, keys: &Path) -> Self {
        let place = absolute(folder);
        let within = place.strip_prefix(absolute(keys)).map(Path::to_owned);
        let mark = |parts: &BTreeMap<u32, Checkpoint>| {
            let (part, head) = parts.iter().next_back()?;
            Some(FileExtent { part: *part, lines: head.lines, hash: head.hash.clone() })
        };
        let ends = heads.iter().filter_map(|(session, parts)| Some((session.clone(), mark(parts)?)));
        Self {
            version: 1,
            written: format!("{:.6}", jiff::Timestamp::now()),
            folder: within.unwrap_or(place),
            ends: ends.collect(),
        }
    }

    /// The text with its signature.
    pub(super) fn signed(&self, key: &SigningKey) -> Result<String, RecordError> {
        let text = serde_json::to_string(self).map_err(|error| RecordError::encoding(&error))?;
        let signature = hex(&key.sign(text.as_bytes()).to_bytes());
        Ok(format!("{text}\n{signature}\n"))
    }

    /// True if it describes the record in this folder; `keys` is the folder of the key.
    #[must_use]
    pub fn is_of(&self, folder: &Path, keys: &Path) -> bool {
        absolute(&keys.join(&self.folder)) == absolute(folder)
    }

    /// The sessions for which these heads are behind the anchor, and how.
    #[must_use]
    pub fn ahead_of(&self, heads: &Checkpoints) -> Vec<LostPart> {
        let short = |(session, mark): (&String, &FileExtent)| {
            let parts = heads.get(session);
            let newest = parts.and_then(|parts| parts.keys().next_back().copied());
            if newest.is_none_or(|newest| newest < mark.part) {
                return Some(LostPart::Part { part: mark.part, session: session.clone() });
            }
            // The file may have been deleted by retention since.
            let head = parts.and_then(|parts| parts.get(&mark.part))?;
            if head.lines < mark.lines {
                let count = mark.lines - head.lines;
                return Some(LostPart::Lines { count, session: session.clone() });
            }
            (head.lines == mark.lines && head.hash != mark.hash).then(|| LostPart::Rewritten(session.clone()))
        };
        self.ends.iter().filter_map(short).collect()
    }
}

impl FileExtent {
    pub(super) fn hash(&self) -> Option<Hash> {
        unhex(&self.hash)
    }
}

impl Anchored {
    /// Reads a signed text by a public key in hexadecimal.
    #[must_use]
    pub fn read(text: &str, key: &str) -> Self {
        let broken = |why: &str| Self::Broken(why.to_owned());
        let Some((body, signature)) = text.trim_end().rsplit_once('\n') else {
            return broken("it has no signature");
        };
        let public = unhex::<32>(key.trim()).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        let signature = unhex::<64>(signature).map(|bytes| Signature::from_bytes(&bytes));
        let (Some(public), Some(signature)) = (public, signature) else {
            return broken("its signature or the key cannot be read");
        };
        if public.verify_strict(body.as_bytes(), &signature).is_err() {
            return broken("its signature is not that of the key");
        }
        match serde_json::from_str(body) {
            Ok(anchor) => Self::Signed(anchor),
            Err(error) => Self::Broken(format!("it cannot be read: {error}")),
        }
    }

    pub(super) fn of_folder(keys: &Folder, key: &str) -> Result<Self, RecordError> {
        if !keys.names()?.iter().any(|name| name == FILE) {
            return Ok(Self::Nothing);
        }
        let text = std::io::read_to_string(keys.file(FILE, OFlags::RDONLY)?);
        Ok(match text {
            Ok(text) => Self::read(&text, key),
            Err(error) => Self::Broken(error.to_string()),
        })
    }
}

impl Anchors {
    /// Reads the anchors in the key's folder.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(keys: &Path) -> Result<Self, RecordError> {
        if !keys.is_dir() {
            return Ok(Self::default());
        }
        let folder = Folder::open(keys)?;
        // An anchor without any key is no sound one.
        let unkeyed = || keys.join(FILE).exists().then(String::new);
        let Some(key) = public(keys).or_else(unkeyed) else { return Ok(Self::default()) };
        let kept = vec![(keys.join(FILE).display().to_string(), Anchored::of_folder(&folder, &key)?)];
        Ok(Self { kept, keys: keys.to_owned(), keyed: true, notes: Vec::new() })
    }

    /// True if there is any evidence of a record.
    #[must_use]
    pub fn speak(&self) -> bool {
        self.keyed
    }

    /// The anchors that name the record in another folder.
    #[must_use]
    pub fn about(mut self, folder: &Path) -> Self {
        let keys = self.keys.clone();
        self.kept.retain(|(_, kept)| matches!(kept, Anchored::Signed(anchor) if anchor.is_of(folder, &keys)));
        Self { keyed: false, ..self }
    }

    /// Adds an anchor from another place: the text that [`super::Journal::anchor`] returned, or why it cannot be
    /// read.
    #[must_use]
    pub fn with(
        mut self,
        place: &str,
        key: &str,
        text: Result<Option<String>, Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        match text {
            Ok(Some(text)) => self.kept.push((place.to_owned(), Anchored::read(&text, key))),
            Ok(None) => self.notes.push(Remark::NoAnchorThere(place.to_owned())),
            Err(why) => {
                self.notes.push(Remark::UnreadAnchor { place: place.to_owned(), why: why.to_string() })
            }
        }
        self
    }
}

fn absolute(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder)
        .or_else(|_| std::path::absolute(folder))
        .unwrap_or_else(|_| folder.to_owned())
}

/// The public key in a folder, in hexadecimal. Its file can be taken away; then the private key says it.
#[must_use]
pub fn public(keys: &Path) -> Option<String> {
    let read = |name| std::fs::read_to_string(keys.join(name)).ok().map(Zeroizing::new);
    let half = || {
        let bytes = Zeroizing::new(unhex::<32>(read(KEY)?.trim())?);
        Some(hex(SigningKey::from_bytes(&bytes).verifying_key().as_bytes()))
    };
    read(PUBLIC).map(|text| text.trim().to_owned()).or_else(half)
}
