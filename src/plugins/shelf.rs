//! What lies in the folder of plugins, and which of it may be believed: files of this user or of root that nobody else can
//! change. What others could have put there is never started, and a reason to ask, since a check that is missing is not
//! noticed otherwise.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Most plugins; each is a program that is started for every action.
pub const MOST: usize = 16;

/// Something in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The name of its file.
    pub name: String,
    /// Where it lies: its path in the folder.
    pub path: PathBuf,
    /// Whether it is asked.
    pub state: State,
}

/// Whether something in the folder is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is asked about every action.
    Good,
    /// It is no plugin: a folder, a hidden file, a file that is not executable. Why.
    Ignored(String),
    /// It must not be believed, so a person is asked about every action. Why.
    Refused(String),
}

/// What lies in the folder, in the order in which it is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shelf {
    /// By name.
    pub found: Vec<Found>,
    /// Why the folder as a whole must not be believed or cannot be read; then a person is asked about every action.
    pub trouble: Option<String>,
}

/// How the folder is: where it changes, it is read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// There is none.
    Absent,
    /// It is this one: device, number, last change in any way.
    There((u64, u64), (i64, i64)),
    /// It cannot be looked at.
    Unknown,
}

impl Look {
    /// How the folder is now.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        match std::fs::symlink_metadata(folder) {
            Ok(about) => Self::There((about.dev(), about.ino()), (about.ctime(), about.ctime_nsec())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::Absent,
            Err(_) => Self::Unknown,
        }
    }

    /// Whether what was read then still holds. A folder that changed a moment ago may change once more within the same tick
    /// of the clock.
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
    /// Reads the folder. One that is not there holds nothing.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        match entries(folder) {
            Ok(found) => Self { found, trouble: None },
            Err(trouble) => Self { found: Vec::new(), trouble: Some(trouble) },
        }
    }

    /// True where nobody is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.iter().all(|found| matches!(found.state, State::Ignored(_)))
    }
}

fn entries(folder: &Path) -> Result<Vec<Found>, String> {
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
        if state == State::Good {
            started += 1;
            if started > MOST {
                state = State::Refused(format!("there are more than {MOST} plugins; put several into one"));
            }
        }
        let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        Found { name, path, state }
    });
    Ok(found.collect())
}

fn judge(folder: &Path, path: &Path, name: &str) -> State {
    if name.starts_with('.') || name.ends_with('~') {
        return State::Ignored("a hidden file or a copy of an editor".to_owned());
    }
    match believe(folder, path) {
        Ok(about) if about.is_dir() => State::Ignored("a folder".to_owned()),
        Ok(about) if about.mode() & 0o111 == 0 => {
            State::Ignored(format!("not executable; if it is a plugin: chmod +x '{}'", path.display()))
        }
        Ok(_) => State::Good,
        Err(why) => State::Refused(why),
    }
}

/// Whether what lies at this path may be believed; what it is. Asked once more before it is started.
///
/// # Errors
/// Why not: it leads out of the folder, belongs to somebody else, or can be changed by others.
pub fn believe(folder: &Path, path: &Path) -> Result<Metadata, String> {
    let failed = |error: std::io::Error| format!("it cannot be looked at: {error}");
    let real = std::fs::canonicalize(path).map_err(failed)?;
    let within = std::fs::canonicalize(folder).map_err(failed)?;
    if !real.starts_with(&within) {
        return Err(format!("it leads out of the folder, to {}", real.display()));
    }
    let about = std::fs::symlink_metadata(&real).map_err(failed)?;
    if !about.is_file() && !about.is_dir() {
        return Err("it is neither a file nor a folder".to_owned());
    }
    owned(&about)?;
    Ok(about)
}

/// Whether nobody but this user and root can have written it.
fn owned(about: &Metadata) -> Result<(), String> {
    let own = crate::devices::own::own_uid();
    if about.uid() != own && about.uid() != 0 {
        return Err(format!("it belongs to user {}, who could change it", about.uid()));
    }
    if about.mode() & 0o022 != 0 {
        return Err(format!("others can write to it (mode {:o}): chmod go-w", about.mode() & 0o777));
    }
    Ok(())
}
