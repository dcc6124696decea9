//! What is in a home and in `/tmp`: content, mode, links, hard links, owner, group, and times that a program set.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::SystemTime;

/// Files in /tmp that belong to the day.
pub const OURS: &str = "dia";

/// Folders whose contents belong to the guard or to nobody's day. What a held-back run puts into the caches of package tools is
/// not kept.
const LEFT_OUT: &[&str] = &[
    "state",
    "config.toml",
    "projetos/loja/node_modules",
    ".local/state",
    ".npm",
    ".cache",
    ".gnupg",
    ".cargo/.global-cache",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".local/share/pnpm",
    "go",
];

/// What programs write differently in every run: only its presence is compared.
const FLEETING: &[&str] = &[
    "/.git/",
    "/target/",
    "/__pycache__/",
    "/.ninja_",
    "/.pytest_cache/",
    "/node_modules/.",
    ".db-",
    "/.venv/",
    ".zip",
];

/// Parts of repositories that have other names in every run.
const HASHED: &[&str] = &["/.git/objects/", "/.git/modules/", "/target/debug/", "/.venv/", "/target/.rustc"];

static BEGUN: LazyLock<SystemTime> = LazyLock::new(SystemTime::now);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    mode: u32,
    owner: (u32, u32),
    content: Vec<u8>,
    /// The first path of the same file.
    first: PathBuf,
    /// The time of change, if it was set to the past.
    set: Option<SystemTime>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree(BTreeMap<PathBuf, Entry>);

impl Tree {
    pub fn of(home: &Path, tmp: &Path) -> Self {
        LazyLock::force(&BEGUN);
        let mut tree = Self::default();
        tree.gather(home, Path::new(""), &mut BTreeMap::new());
        let mut seen = BTreeMap::new();
        for entry in std::fs::read_dir(tmp).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with(OURS) {
                tree.add(&entry.path(), &Path::new("/tmp").join(entry.file_name()), &mut seen);
            }
        }
        tree
    }

    fn gather(&mut self, at: &Path, below: &Path, seen: &mut BTreeMap<u64, PathBuf>) {
        let Ok(entries) = std::fs::read_dir(at) else { return };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            self.add(&entry.path(), &below.join(entry.file_name()), seen);
        }
    }

    fn add(&mut self, at: &Path, name: &Path, seen: &mut BTreeMap<u64, PathBuf>) {
        let text = format!("/{}", name.display());
        if LEFT_OUT.iter().any(|left_out| name == Path::new(left_out))
            || HASHED.iter().any(|part| text.contains(part))
        {
            return;
        }
        let Ok(facts) = at.symlink_metadata() else { return };
        let fleeting = FLEETING.iter().any(|part| text.contains(part));
        let content = match () {
            () if facts.is_symlink() => {
                let target = std::fs::read_link(at).unwrap();
                target.into_os_string().into_encoded_bytes()
            }
            () if facts.is_file() && !fleeting => {
                std::fs::read(at).unwrap_or_else(|error| error.to_string().into_bytes())
            }
            () => Vec::new(),
        };
        let first = if facts.is_file() && !fleeting {
            seen.entry(facts.ino()).or_insert_with(|| name.to_owned()).clone()
        } else {
            PathBuf::new()
        };
        let old = facts.modified().ok().filter(|time| {
            !facts.is_dir() && !fleeting && *time + std::time::Duration::from_secs(60) < *BEGUN
        });
        let entry = Entry { mode: facts.mode(), owner: (facts.uid(), facts.gid()), content, first, set: old };
        self.0.insert(name.to_owned(), entry);
        if facts.is_dir() {
            self.gather(at, name, seen);
        }
    }

    /// In words, how another tree differs.
    pub fn difference(&self, other: &Self) -> String {
        let mut told = Vec::new();
        for (path, entry) in &self.0 {
            match other.0.get(path) {
                None => told.push(format!("{} is missing", path.display())),
                Some(found) if found != entry => {
                    told.push(format!("{} {}", path.display(), entry.told(found)))
                }
                Some(_) => {}
            }
        }
        told.extend(
            other
                .0
                .keys()
                .filter(|path| !self.0.contains_key(*path))
                .map(|path| format!("{} is new", path.display())),
        );
        told.truncate(8);
        if told.is_empty() { "the trees are alike, but it was refused".to_owned() } else { told.join("; ") }
    }
}

impl Entry {
    fn told(&self, other: &Self) -> String {
        let mut told = Vec::new();
        if self.mode != other.mode {
            told.push(format!("has mode {:o} instead of {:o}", other.mode, self.mode));
        }
        if self.owner != other.owner {
            told.push(format!("belongs to {:?} instead of {:?}", other.owner, self.owner));
        }
        if self.content != other.content {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(120).collect::<String>();
            told.push(format!("holds {:?} instead of {:?}", text(&other.content), text(&self.content)));
        }
        if self.first != other.first {
            told.push(format!("is the same file as {:?} instead of {:?}", other.first, self.first));
        }
        if self.set != other.set {
            told.push(format!("is of {:?} instead of {:?}", other.set, self.set));
        }
        told.join(", ")
    }
}
