//! The contents of the folders that a user can write to, and their changes.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// Files of the guard that change while it works. No other file of its state folder may.
const RECORD: &[&str] = &[
    "journal/",
    "journal.anchor",
    "command_security.db",
    "sessions.json",
    "stages/probe",
    "guarda.sock",
    "address",
    "lock",
    "containers",
];

/// A file's entry in a manifest, in words that can be compared and shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    kind: &'static str,
    /// Names and values to compare.
    facts: Vec<(&'static str, String)>,
}

/// What lies there.
#[derive(Debug, Clone, Default)]
pub struct Manifest {
    entries: BTreeMap<PathBuf, Entry>,
}

impl Manifest {
    /// Reads these folders. `state` is the guard's own.
    pub fn of(folders: &[PathBuf], state: &Path) -> Self {
        let mut manifest = Self::default();
        for folder in folders {
            manifest.enter(folder, state, true);
        }
        manifest
    }

    fn enter(&mut self, path: &Path, state: &Path, root: bool) {
        let Ok(metadata) = std::fs::symlink_metadata(path) else { return };
        let own = path.strip_prefix(state).ok().map(|below| below.to_string_lossy().into_owned());
        let of_record = own.as_ref().is_some_and(|own| RECORD.iter().any(|name| own.starts_with(name)));
        // What the guard keeps on a file system where it has no other place.
        let of_vault =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".guarda-costas-"));
        if of_record || of_vault {
            return;
        }
        let kind = kind(&metadata);
        let mut facts = vec![
            ("mode", format!("{:o}", metadata.mode())),
            ("owner", format!("{}:{}", metadata.uid(), metadata.gid())),
        ];
        // Where the guard makes files of its own, the folder's times are its doing.
        let own_folder = kind == "folder" && (own.is_some() || (root && !state.starts_with(path)));
        if !own_folder {
            facts.push(("links", metadata.nlink().to_string()));
            facts.push(("inode", metadata.ino().to_string()));
            facts.push(("size", metadata.size().to_string()));
            facts.push(("mtime", format!("{}.{:09}", metadata.mtime(), metadata.mtime_nsec())));
            facts.push(("ctime", format!("{}.{:09}", metadata.ctime(), metadata.ctime_nsec())));
        }
        facts.push(("attributes", attributes(path)));
        match kind {
            "file" => facts.push(("content", content(path))),
            "link" => {
                facts.push(("leads to", std::fs::read_link(path).unwrap_or_default().display().to_string()));
            }
            _ => {}
        }
        // Each of the guard's cells has a folder. Files that remain in one count.
        let of_cell = kind == "folder" && path.parent().is_some_and(|parent| parent.ends_with("tmp"));
        let of_cell =
            of_cell && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("guarda-"));
        if !of_cell {
            self.entries.insert(path.to_owned(), Entry { kind, facts });
        }
        if kind == "folder" {
            let children = std::fs::read_dir(path).into_iter().flatten().flatten();
            for child in children {
                self.enter(&child.path(), state, false);
            }
        }
    }

    /// The differences to another manifest, one per line.
    pub fn changes(&self, now: &Self, base: &Path) -> Vec<String> {
        let short = |path: &Path| path.strip_prefix(base).unwrap_or(path).display().to_string();
        let mut changes = Vec::new();
        for (path, entry) in &now.entries {
            match self.entries.get(path) {
                None => changes.push(format!("{} made: {}", entry.kind, short(path))),
                Some(old) if old == entry => {}
                Some(old) => {
                    let facts = entry.facts.iter().filter(|fact| !old.facts.contains(fact));
                    let names: Vec<&str> = facts.map(|(name, _)| *name).collect();
                    changes.push(format!("{} changed ({}): {}", entry.kind, names.join(", "), short(path)));
                }
            }
        }
        let gone = self.entries.iter().filter(|(path, _)| !now.entries.contains_key(*path));
        changes.extend(gone.map(|(path, entry)| format!("{} gone: {}", entry.kind, short(path))));
        changes
    }
}

fn kind(metadata: &std::fs::Metadata) -> &'static str {
    let kind = metadata.file_type();
    match () {
        () if kind.is_dir() => "folder",
        () if kind.is_symlink() => "link",
        () if kind.is_fifo() => "pipe",
        () if kind.is_socket() => "socket",
        () if kind.is_file() => "file",
        () => "device",
    }
}

fn attributes(path: &Path) -> String {
    let mut names = vec![0; 4096];
    let Ok(length) = rustix::fs::llistxattr(path, &mut names) else { return String::new() };
    let mut all = String::new();
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; 4096];
        let length = rustix::fs::lgetxattr(path, name, &mut value).unwrap_or(0);
        all.push_str(&format!("{}={:?};", String::from_utf8_lossy(name), &value[..length]));
    }
    all
}

fn content(path: &Path) -> String {
    let Ok(bytes) = std::fs::read(path) else { return "unreadable".to_owned() };
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    format!("{:x}", hasher.finish())
}
