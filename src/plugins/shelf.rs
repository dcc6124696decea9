//! The content of the plugin folder, and which files may be trusted: files of this user or of root that nobody else
//! can change. Other files are never started and are a reason to ask, because a missing check would otherwise go
//! unnoticed.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The greatest number of plugins; each is started for every action.
pub const MOST: usize = 16;

/// An entry of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginEntry {
    /// The file name.
    pub name: String,
    /// The path of the file in the folder.
    pub path: PathBuf,
    /// Whether it is used.
    pub state: PluginState,
}

/// Whether an entry is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginState {
    /// It runs on every action.
    Good,
    /// It is not a plugin: a folder, a hidden file, a file that is not executable. Holds the reason.
    Ignored(String),
    /// It must not be trusted, so a person is asked about every action.
    Refused(Distrust),
}

/// Why a file in the folder must not be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// The system does not say what it is.
    #[error("it cannot be looked at: {0}")]
    Unseen(String),
    /// It is a link to this path outside of the folder.
    #[error("it leads out of the folder, to {}", .0.display())]
    Outside(PathBuf),
    /// It is a device, a socket or a pipe.
    #[error("it is neither a file nor a folder")]
    Special,
    /// It was a file when the folder was read, but is not one when it is started.
    #[error("it is no file any more")]
    NoFile,
    /// It belongs to this other user.
    #[error("it belongs to user {0}, who could change it")]
    Foreign(u32),
    /// Others may write to it; holds its mode.
    #[error("others can write to it (mode {0:o}): chmod go-w")]
    Writable(u32),
    /// The folder holds more than [`MOST`] plugins.
    #[error("there are more than {MOST} plugins; put several into one")]
    TooMany,
}

/// The content of the folder, in the order in which the plugins run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shelf {
    /// By name.
    pub found: Vec<PluginEntry>,
    /// Why the whole folder is untrusted or unreadable; then a person is asked about every action.
    pub trouble: Option<String>,
}

/// The state of the folder: if it changes, the folder is read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// The folder is missing.
    Absent,
    /// The folder exists: device, inode, time of the last change.
    There((u64, u64), (i64, i64)),
    /// The folder cannot be examined.
    Unknown,
}

impl Look {
    /// The folder's current state.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        match std::fs::symlink_metadata(folder) {
            Ok(about) => Self::There((about.dev(), about.ino()), (about.ctime(), about.ctime_nsec())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::Absent,
            Err(_) => Self::Unknown,
        }
    }

    /// Whether the earlier reading is still valid. A folder that changed a moment ago may change once more within the
    /// same tick of the clock.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        let now = jiff::Timestamp::now().as_second();
        match self {
            Self::Absent => true,
            Self::There(_, (second, _)) => now.abs_diff(*second) > 1,
            Self::Unknown => false,
        }
    }
}

impl Shelf {
    /// Reads the folder. A missing folder is empty.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        match entries(folder) {
            Ok(found) => Self { found, trouble: None },
            Err(trouble) => Self { found: Vec::new(), trouble: Some(trouble) },
        }
    }

    /// Whether there is no plugin to run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.iter().all(|found| matches!(found.state, PluginState::Ignored(_)))
    }
}

fn entries(folder: &Path) -> Result<Vec<PluginEntry>, String> {
    let shown = folder.display();
    let about = match std::fs::symlink_metadata(folder) {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{shown}: {error}")),
    };
    if !about.is_dir() {
        return Err(format!("{shown} is no folder of its own (a link or a file)"));
    }
    owned(&about).map_err(|why| format!("{shown}: {why}"))?;
    let unread = |error: std::io::Error| format!("{shown}: {error}");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unread)? {
        names.push(entry.map_err(unread)?.file_name());
    }
    names.sort();
    let mut started = 0;
    let found = names.into_iter().map(|name| {
        let path = folder.join(&name);
        let name = name.to_string_lossy().into_owned();
        let mut state = judge(folder, &path, &name);
        if state == PluginState::Good {
            started += 1;
            if started > MOST {
                state = PluginState::Refused(Distrust::TooMany);
            }
        }
        let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        PluginEntry { name, path, state }
    });
    Ok(found.collect())
}

fn judge(folder: &Path, path: &Path, name: &str) -> PluginState {
    if name.starts_with('.') || name.ends_with('~') {
        return PluginState::Ignored("a hidden file or a copy of an editor".to_owned());
    }
    match believe(folder, path) {
        Ok(about) if about.is_dir() => PluginState::Ignored("a folder".to_owned()),
        Ok(about) if about.mode() & 0o111 == 0 => {
            PluginState::Ignored(format!("not executable; if it is a plugin: chmod +x '{}'", path.display()))
        }
        Ok(_) => PluginState::Good,
        Err(why) => PluginState::Refused(why),
    }
}

/// Checks whether the file at this path may be trusted. Repeated before it is started.
///
/// # Errors
/// [`Distrust`]: it leads out of the folder, belongs to somebody else, or can be changed by others.
pub fn believe(folder: &Path, path: &Path) -> Result<Metadata, Distrust> {
    let failed = |error: std::io::Error| Distrust::Unseen(error.to_string());
    let real = std::fs::canonicalize(path).map_err(failed)?;
    let within = std::fs::canonicalize(folder).map_err(failed)?;
    if !real.starts_with(&within) {
        return Err(Distrust::Outside(real));
    }
    let about = std::fs::symlink_metadata(&real).map_err(failed)?;
    if !about.is_file() && !about.is_dir() {
        return Err(Distrust::Special);
    }
    owned(&about)?;
    Ok(about)
}

/// Whether only this user and root can have written it.
fn owned(about: &Metadata) -> Result<(), Distrust> {
    let own = crate::devices::filesystem::own::own_uid();
    if about.uid() != own && about.uid() != 0 {
        return Err(Distrust::Foreign(about.uid()));
    }
    if about.mode() & 0o022 != 0 {
        return Err(Distrust::Writable(about.mode() & 0o777));
    }
    Ok(())
}
