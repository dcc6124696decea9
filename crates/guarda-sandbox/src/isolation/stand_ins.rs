//! Stands in for the sockets of other programs in a held-back run, so that an attempt to reach one is known. A connection is
//! closed at once: the run gets no answer, and fails if it needs one.

use std::collections::BTreeSet;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::Access;
use rustix::mount::mount_bind;

use crate::isolation::pinned::is_fresh;
use crate::{folders, spec::Spec};

/// The most sockets for which something stands in.
const MOST: usize = 64;
/// Services that the C library of nearly every program asks, which does without their answer.
const ASKED_BY_ALL: [&str; 3] = ["/run/avahi-daemon", "/run/nscd", "/run/systemd"];
/// Where those lie that a mount puts into their places.
const APART: &str = "/run/guarda-costas";

/// The sockets of other programs that this user can connect to. To be asked before they are covered.
pub(crate) fn served(spec: &Spec) -> Vec<PathBuf> {
    let served =
        spec.sockets.iter().filter(|(path, served)| **served && path.is_absolute()).map(|(path, _)| path);
    // `/var/run` is a link to `/run`.
    let real = served
        .map(|path| path.strip_prefix("/var/run").map_or(path.clone(), |rest| Path::new("/run").join(rest)));
    let needed = real.filter(|path| !ASKED_BY_ALL.iter().any(|service| path.starts_with(service)));
    needed.filter(|path| rustix::fs::access(path, Access::WRITE_OK).is_ok()).take(MOST).collect()
}

/// The listening sockets in the places of others.
#[derive(Debug, Default)]
pub(crate) struct StandIns {
    listening: Vec<(PathBuf, UnixListener)>,
    /// Those that were connected to.
    pub(crate) reached: BTreeSet<PathBuf>,
}

impl StandIns {
    /// Takes the places of these sockets: in folders that are empty now, and over those that can still be seen. A place that
    /// cannot be taken stays as it is: without an answer. In a staged folder nothing is made, since it would count as a change
    /// of the run.
    pub(crate) fn of(served: Vec<PathBuf>, spec: &Spec) -> Self {
        let mut stand_ins = Self::default();
        for (number, path) in served.into_iter().enumerate() {
            let seen = path.exists();
            let place = if seen { Path::new(APART).join(number.to_string()) } else { path.clone() };
            let listen = || {
                let empty = place.starts_with("/run")
                    || is_fresh(&place) && !spec.changes(&place) && spec.live.is_empty()
                    || is_emptied(spec, &place);
                std::fs::create_dir_all(place.parent().filter(|_| empty)?).ok()?;
                let listener = UnixListener::bind(&place).ok()?;
                listener.set_nonblocking(true).ok()?;
                (!seen || mount_bind(&place, &path).is_ok()).then_some(listener)
            };
            stand_ins.listening.extend(listen().map(|listener| (path, listener)));
        }
        stand_ins
    }

    /// What becomes ready when somebody connects.
    pub(crate) fn watched(&self) -> impl Iterator<Item = PollFd<'_>> {
        self.listening.iter().map(|(_, listener)| PollFd::new(listener, PollFlags::IN))
    }

    /// Closes every waiting connection, and notes where it led.
    pub(crate) fn answer(&mut self) {
        for (path, listener) in &self.listening {
            while listener.accept().is_ok() {
                self.reached.insert(path.clone());
            }
        }
    }
}

/// Whether a path lies in an empty home folder, and in none of its pieces.
fn is_emptied(spec: &Spec, path: &Path) -> bool {
    let within = |folder: &PathBuf| path.starts_with(folder);
    folders::pieces(spec)
        .is_some_and(|(home, pieces)| within(&home) && !pieces.iter().any(within) && !spec.changes(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::StagedRoot;

    /// Between the look at the sockets and this, their owner may have ended and cleared its folder away.
    #[test]
    fn the_place_of_a_socket_that_is_gone_is_made_in_no_staged_folder() {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let gone = folder.path().join("their/x.sock");
        let staged = StagedRoot {
            root: folder.path().into(),
            upper: folder.path().join("upper"),
            work: folder.path().join("work"),
        };
        for (roots, taken) in [(vec![staged], false), (Vec::new(), true)] {
            let spec = Spec::stage(None, "/srv", roots);
            StandIns::of(vec![gone.clone()], &spec);
            assert_eq!(gone.exists(), taken);
        }
    }
}
