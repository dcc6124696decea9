//! An empty home folder over the real one, with the pieces of it that a command may see. The cost depends on the pieces, not on what
//! lies in the home folder.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::mount::{MountFlags, mount, mount_remount};

use crate::isolation::alone::see_through;
use crate::isolation::mounts::restrict;
use crate::isolation::pinned::DetachedMount;
use crate::{folders, spec::Spec};

const EMPTY: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV).union(MountFlags::NOEXEC);

/// The pieces of a home folder.
#[derive(Debug)]
pub(crate) struct Home {
    place: PathBuf,
    /// Folders and files of the real one.
    pieces: Vec<DetachedMount>,
    links: Vec<(PathBuf, PathBuf)>,
}

impl Home {
    /// Holds the pieces that are there; `None` if the whole home folder is seen. A piece in another one is seen with that.
    ///
    /// # Errors
    /// If one of them cannot be copied.
    pub(crate) fn hold(spec: &Spec) -> io::Result<Option<Self>> {
        let Some((place, paths)) = folders::pieces(spec) else { return Ok(None) };
        let mut pieces: Vec<DetachedMount> = Vec::new();
        let mut paths: Vec<&PathBuf> =
            paths.iter().filter(|path| path.starts_with(&place) && **path != place).collect();
        paths.sort_unstable();
        for path in paths {
            if pieces.last().is_some_and(|above| path.starts_with(above.place())) {
                continue;
            }
            let Ok(file) = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else {
                continue;
            };
            let kind = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
            if !matches!(kind, FileType::Directory | FileType::RegularFile) {
                continue;
            }
            pieces.push(DetachedMount::of(&file, path.clone())?);
        }
        Ok(Some(Self { place, pieces, links: spec.links.clone() }))
    }

    /// Covers the home folder with an empty one.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn empty(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.place)?;
        Ok(mount("tmpfs", &self.place, "tmpfs", EMPTY, c"mode=755,size=1m,nr_inodes=4k")?)
    }

    /// Whether a path lies in the home folder.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.place)
    }

    /// The place of each piece, in order.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        self.pieces.iter().map(DetachedMount::place)
    }

    /// Puts a piece into its place, read-only. Other programs' sockets in it are not reached through an overlay.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn put(&self, spec: &Spec, place: &Path) -> io::Result<()> {
        let found = self.pieces.binary_search_by(|piece| piece.place().cmp(place));
        let Some(piece) = found.ok().and_then(|at| self.pieces.get(at)) else { return Ok(()) };
        piece.make_place(place)?;
        piece.put()?;
        restrict(place, MountFlags::RDONLY)?;
        if piece.is_folder() && spec.sockets.keys().any(|socket| socket.starts_with(place)) {
            see_through(spec, place)?;
        }
        Ok(())
    }

    /// Makes the links to pieces.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn link(&self) -> io::Result<()> {
        for (link, goal) in &self.links {
            if link.starts_with(&self.place) && std::fs::symlink_metadata(link).is_err() {
                link.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                std::os::unix::fs::symlink(goal, link)?;
            }
        }
        Ok(())
    }

    /// Lets nothing more be made in it.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn close(&self) -> io::Result<()> {
        Ok(mount_remount(&self.place, EMPTY | MountFlags::RDONLY | MountFlags::BIND, c"")?)
    }
}

/// Gives a cell that can do no harm an empty home folder with its pieces.
///
/// # Errors
/// As the operating system says. What is seen then is no more than what the specification opens.
pub(crate) fn furnish(spec: &Spec) -> io::Result<bool> {
    let Some(home) = Home::hold(spec)? else { return Ok(false) };
    home.empty()?;
    for place in home.places() {
        home.put(spec, place)?;
    }
    home.link()?;
    home.close()?;
    Ok(true)
}
