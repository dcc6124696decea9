//! Resolves paths: follows symbolic links one by one, and notes who could have created them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use guarda_core::policy::{Found, Identity};

/// The number of links that Linux follows (`path_resolution(7)`).
const HOPS: usize = 40;

/// The target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The path without links; a missing rest is appended as written.
    pub real: PathBuf,
    /// The kind of the target.
    pub is: Is,
    /// Whether everything on the way and at the end belongs to the system's administrator and nobody else can change
    /// it.
    pub system: bool,
}

/// The kind of a path's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Is {
    /// Nothing, or nothing visible.
    Nothing,
    /// A folder.
    Folder,
    /// A regular file, and whether it is executable.
    File {
        /// True if an execute bit is set.
        executable: bool,
    },
    /// A device, socket or pipe.
    Other,
}

/// Resolves paths, with a cache.
#[derive(Debug, Default)]
pub struct Walk {
    seen: BTreeMap<OsString, Seen>,
}

#[derive(Debug, Clone)]
struct Seen {
    is: Is,
    found: Found,
    system: bool,
}

impl Walk {
    /// Resolves an absolute path. Nothing is followed below `/proc`, where links differ for each reader.
    pub fn follow(&mut self, path: &Path) -> Target {
        self.follow_telling(path, |_, _| ())
    }

    /// The same, and notes the object at each step, from the first that others than the system's administrator can
    /// change.
    pub fn follow_noting(&mut self, path: &Path, places: &mut BTreeMap<OsString, Found>) -> Target {
        self.follow_telling(path, |step, found| {
            if !places.contains_key(step.as_os_str()) {
                places.insert(step.as_os_str().to_owned(), found.clone());
            }
        })
    }

    fn follow_telling(&mut self, path: &Path, mut tell: impl FnMut(&Path, &Found)) -> Target {
        let mut way = Cow::Borrowed(path);
        let mut real = PathBuf::from("/");
        let mut target = Target { real: PathBuf::new(), is: Is::Folder, system: true };
        let mut hops = 0;
        'way: loop {
            let mut parts = way.components();
            while let Some(part) = parts.next() {
                let part = match part {
                    Component::Normal(name) => name,
                    Component::ParentDir => {
                        real.pop();
                        target.is = Is::Folder;
                        continue;
                    }
                    Component::RootDir | Component::CurDir | Component::Prefix(_) => continue,
                };
                real.push(part);
                if target.is == Is::Nothing || is_in_proc(&real) {
                    target.is = Is::Nothing;
                    continue;
                }
                let seen = self.see(&real);
                target.system &= seen.system;
                if !target.system {
                    tell(&real, &seen.found);
                }
                match seen.found {
                    Found::Nothing | Found::Folder(_) | Found::File(_) | Found::Other(_) => {
                        target.is = seen.is;
                    }
                    Found::Link(_) if hops == HOPS => target.is = Is::Nothing,
                    Found::Link(to) => {
                        hops += 1;
                        real.pop();
                        if to.is_absolute() {
                            real = PathBuf::from("/");
                        }
                        target.is = Is::Folder;
                        way = Cow::Owned(to.join(parts.as_path()));
                        continue 'way;
                    }
                }
            }
            break;
        }
        target.system &= target.is != Is::Nothing;
        target.real = real;
        target
    }

    fn see(&mut self, path: &Path) -> Seen {
        // By bytes, because comparing paths splits them into names.
        if let Some(seen) = self.seen.get(path.as_os_str()) {
            return seen.clone();
        }
        let seen = look_at(path);
        self.seen.insert(path.as_os_str().to_owned(), seen.clone());
        seen
    }
}

/// Whether a path without links leads to `/proc` or below.
fn is_in_proc(real: &Path) -> bool {
    let below = real.as_os_str().as_bytes().strip_prefix(b"/proc");
    below.is_some_and(|below| below.first().is_none_or(|next| *next == b'/'))
}

fn look_at(path: &Path) -> Seen {
    let Ok(data) = std::fs::symlink_metadata(path) else {
        return Seen { is: Is::Nothing, found: Found::Nothing, system: false };
    };
    let kind = data.file_type();
    // A link's mode has no meaning; its folder decides who may change it.
    let guarded =
        kind.is_symlink() || data.mode() & 0o002 == 0 && (data.mode() & 0o020 == 0 || data.gid() == 0);
    let system = data.uid() == 0 && guarded;
    let is = if kind.is_dir() {
        Is::Folder
    } else if kind.is_file() {
        Is::File { executable: data.mode() & 0o111 != 0 }
    } else {
        Is::Other
    };
    let found = if kind.is_symlink() {
        std::fs::read_link(path).map_or(Found::Nothing, Found::Link)
    } else {
        identified(&data)
    };
    let is = if found == Found::Nothing { Is::Nothing } else { is };
    Seen { is, found, system }
}

/// The object at a path; links are not followed.
#[must_use]
pub fn found(path: &Path) -> Found {
    look_at(path).found
}

/// The identity of an open file.
///
/// # Errors
/// An error of the operating system.
pub fn found_in(file: &std::os::fd::OwnedFd) -> std::io::Result<Found> {
    Ok(identified(&std::fs::File::from(file.try_clone()?).metadata()?))
}

/// A time as a pair of numbers; none before 1970.
fn since_1970(time: std::time::SystemTime) -> Option<(u64, u32)> {
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((since.as_secs(), since.subsec_nanos()))
}

fn identified(data: &std::fs::Metadata) -> Found {
    let identity =
        Identity { file: (data.dev(), data.ino()), born: data.created().ok().and_then(since_1970) };
    let kind = data.file_type();
    if kind.is_dir() {
        Found::Folder(identity)
    } else if kind.is_file() {
        Found::File(identity)
    } else {
        Found::Other(identity)
    }
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// The current stamp of a file; `None` if none is visible.
#[must_use]
pub fn stamp(file: &Path) -> Option<guarda_core::policy::Stamp> {
    let data = std::fs::metadata(file).ok()?;
    Some(guarda_core::policy::Stamp {
        file: (data.dev(), data.ino()),
        size: data.size(),
        changed: (data.ctime(), data.ctime_nsec()),
    })
}

/// An absolute path without `.` and `..`; links are not followed.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in parts(path) {
        if part == ".." {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// A path as a person writes it: `~` and `~/…` mean the home folder, relative paths start in `folder`.
#[must_use]
pub fn of_person(text: &str, home: &Path, folder: &Path) -> PathBuf {
    match text.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => folder.join(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_as_the_system_follows_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/file"), "x").unwrap();
        symlink("a/b", root.join("in")).unwrap();
        symlink(root.join("a"), root.join("absolute")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink("/etc/not-there", root.join("dangling")).unwrap();
        let mut walk = Walk::default();
        for (path, real, is) in [
            ("a/b", "a/b", Is::Folder),
            ("in/../file", "a/file", Is::File { executable: false }),
            ("absolute/./file", "a/file", Is::File { executable: false }),
            ("in/new/more", "a/b/new/more", Is::Nothing),
            ("loop", "loop", Is::Nothing),
            ("a/file/below", "a/file/below", Is::Nothing),
        ] {
            let target = walk.follow(&root.join(path));
            assert_eq!((target.real, target.is), (root.join(real), is), "{path}");
            assert!(!target.system, "{path}");
        }
        assert_eq!(walk.follow(&root.join("dangling")).real, Path::new("/etc/not-there"));
        // The library's result for existing paths.
        for path in ["in/..", "absolute/b", "a/../in"] {
            assert_eq!(walk.follow(&root.join(path)).real, root.join(path).canonicalize().unwrap(), "{path}");
        }
    }

    #[test]
    fn only_what_nobody_else_can_change_is_the_systems() {
        let mut walk = Walk::default();
        assert!(walk.follow(Path::new("/usr/bin/env")).system);
        assert!(!walk.follow(Path::new("/tmp/.")).system);
        assert!(!walk.follow(Path::new("/usr/bin/there-is-no-such-program")).system);
        let folder = tempfile::tempdir().unwrap();
        symlink("/usr/bin/env", folder.path().join("ls")).unwrap();
        let target = walk.follow(&folder.path().join("ls"));
        assert_eq!(target.real, Path::new("/usr/bin/env"));
        assert!(!target.system, "a link that anybody could have made");
    }

    #[test]
    fn text_alone() {
        for (path, text) in [("/a/./b/../c", "/a/c"), ("/../x", "/x"), ("/", "/"), ("/a/", "/a")] {
            assert_eq!(plain(Path::new(path)), Path::new(text));
        }
        let (home, cwd) = (Path::new("/h"), Path::new("/c"));
        for (text, path) in
            [("~", "/h"), ("~/x", "/h/x"), ("~other/x", "/c/~other/x"), ("x", "/c/x"), ("/x", "/x")]
        {
            assert_eq!(of_person(text, home, cwd), Path::new(path));
        }
    }
}
