//! Counts the files at and below a path, for the question about an action on it.
//!
//! Only folders are opened, no links are followed, and nothing is run. The work is limited by a number of
//! entries, not by a clock, so that the same tree always gives the same result.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

/// How many more entries may be examined. One budget is shared by everything that is counted for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fuel(pub usize);

impl Default for Fuel {
    /// 20,000 entries: a few tens of milliseconds if the system has them in memory.
    fn default() -> Self {
        Self(20_000)
    }
}

impl Fuel {
    fn burn(&mut self) -> bool {
        let left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        left
    }
}

/// The files at and below paths, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, utoipa::ToSchema)]
pub struct Census {
    /// Regular files. One with several names is counted under each of them.
    pub files: u64,
    /// Folders, including the named one.
    pub folders: u64,
    /// Symbolic links; their targets are not counted.
    pub links: u64,
    /// Devices, sockets and pipes.
    pub others: u64,
    /// The size of the regular files in bytes.
    pub bytes: u64,
    // Seconds since 1970.
    /// When the newest file was written; on the wire RFC 3339, UTC.
    #[serde(serialize_with = "as_time")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub newest: Option<i64>,
    /// Folders that cannot be read, or whose path is too long.
    pub unreadable: u64,
    /// True if there is more than was counted.
    pub unfinished: bool,
}

fn as_time<S: serde::Serializer>(seconds: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    let time = seconds.and_then(|at| jiff::Timestamp::from_second(at).ok());
    serde::Serialize::serialize(&time.map(|time| time.to_string()), serializer)
}

impl Census {
    /// True if nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files + self.folders + self.links + self.others == 0
    }

    /// Adds another one.
    pub fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.folders += other.folders;
        self.links += other.links;
        self.others += other.others;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.newest = self.newest.max(other.newest);
        self.unreadable += other.unreadable;
        self.unfinished |= other.unfinished;
    }

    fn note(&mut self, stat: &rustix::fs::Stat) -> FileType {
        let kind = FileType::from_raw_mode(stat.st_mode);
        match kind {
            FileType::RegularFile => {
                self.files += 1;
                self.bytes = self.bytes.saturating_add(u64::try_from(stat.st_size).unwrap_or_default());
                self.newest = self.newest.max(Some(stat.st_mtime));
            }
            FileType::Directory => self.folders += 1,
            FileType::Symlink => self.links += 1,
            _ => self.others += 1,
        }
        kind
    }
}

/// Counts the entry at `path` and, if it is a folder, everything below it. A link at the end of `path` counts
/// as a link. A missing path gives an empty census.
#[must_use]
pub fn count(path: &Path, fuel: &mut Fuel) -> Census {
    let mut census = Census::default();
    let look =
        || rustix::fs::statat(rustix::fs::CWD, path, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT);
    let Ok(stat) = look() else { return census };
    if !fuel.burn() {
        census.unfinished = true;
        return census;
    }
    if census.note(&stat) != FileType::Directory {
        return census;
    }
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        match look_into(&folder, fuel, &mut census, &mut open) {
            Ok(()) => {}
            Err(Stop::Unreadable) => census.unreadable += 1,
            Err(Stop::Empty) => {
                census.unfinished = true;
                return census;
            }
        }
    }
    census
}

/// Why the count of a folder stops early.
enum Stop {
    Unreadable,
    Empty,
}

fn look_into(
    folder: &Path,
    fuel: &mut Fuel,
    census: &mut Census,
    open: &mut Vec<PathBuf>,
) -> Result<(), Stop> {
    // A folder that was replaced by a link since it was listed is not followed.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::open(folder, flags, Mode::empty()).map_err(|_| Stop::Unreadable)?;
    let entries = rustix::fs::Dir::read_from(&file).map_err(|_| Stop::Unreadable)?;
    for entry in entries {
        let Ok(entry) = entry else { return Err(Stop::Unreadable) };
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if !fuel.burn() {
            return Err(Stop::Empty);
        }
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        // It was deleted in the meantime, so it does not count.
        let Ok(stat) = rustix::fs::statat(&file, name, flags) else { continue };
        if census.note(&stat) == FileType::Directory {
            open.push(folder.join(std::ffi::OsStr::from_bytes(name.to_bytes())));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn all(path: &Path) -> Census {
        count(path, &mut Fuel::default())
    }

    #[test]
    fn files_folders_links_and_bytes_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("a/b/c")).unwrap();
        for (name, size) in [("one", 10), ("a/two", 20), ("a/b/.three", 30)] {
            std::fs::write(root.join(name), vec![0; size]).unwrap();
        }
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        for name in ["one", "a/two", "a/b/.three"] {
            std::fs::File::open(root.join(name)).unwrap().set_modified(old).unwrap();
        }
        symlink("/etc", root.join("a/out")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), Mode::RUSR).unwrap();
        let census = all(root);
        assert_eq!(
            (census.files, census.folders, census.links, census.others, census.bytes),
            (3, 4, 1, 1, 60),
            "{census:?}"
        );
        assert_eq!(census.newest, Some(1_000_000));
        assert!(!census.unfinished && census.unreadable == 0);
        assert_eq!(all(&root.join("one")).bytes, 10);
        assert_eq!(all(&root.join("a/out")), Census { links: 1, ..Census::default() });
        assert!(all(&root.join("not-there")).is_empty());
    }

    #[test]
    fn links_in_a_circle_are_counted_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("in")).unwrap();
        symlink("..", root.join("in/up")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink(root, root.join("whole")).unwrap();
        assert_eq!(all(root), Census { folders: 2, links: 3, ..Census::default() });
    }

    #[test]
    fn a_huge_tree_stops_at_the_same_place_each_time() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..300 {
            std::fs::write(folder.path().join(format!("{number}")), "x").unwrap();
        }
        for budget in [0, 1, 7, 299, 300] {
            let mut fuel = Fuel(budget);
            let census = count(folder.path(), &mut fuel);
            assert!(census.unfinished, "{budget}");
            assert_eq!(census.files + census.folders, budget as u64);
            assert_eq!(fuel, Fuel(0));
        }
        let mut fuel = Fuel(301);
        assert!(!count(folder.path(), &mut fuel).unfinished);
        assert_eq!(fuel, Fuel(0), "what follows has nothing left");
        assert!(count(folder.path(), &mut fuel).unfinished);
    }

    #[test]
    fn a_deep_tree_neither_overflows_nor_fails() {
        let folder = tempfile::tempdir().unwrap();
        // Longer than any path may be, so it is created from inside, level by level.
        let mut at = rustix::fs::open(folder.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
        let name = "d".repeat(200);
        for _ in 0..40 {
            rustix::fs::mkdirat(&at, name.as_str(), Mode::RWXU).unwrap();
            at = rustix::fs::openat(&at, name.as_str(), OFlags::DIRECTORY, Mode::empty()).unwrap();
        }
        let census = all(folder.path());
        assert_eq!(census.unreadable, 1, "{census:?}");
        assert!(census.folders >= 18, "{census:?}");
    }

    #[test]
    fn a_closed_folder_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let closed = folder.path().join("closed");
        std::fs::create_dir(&closed).unwrap();
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
        let census = all(folder.path());
        assert_eq!(census.folders, 2);
        // Root may look everywhere.
        let may_look = std::fs::read_dir(&closed).is_ok();
        assert_eq!(census.unreadable, u64::from(!may_look));
    }
}
