//! The descriptors of one command of a plan: pipes, captured streams, and the redirections in their order.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::Path;

use crate::devices::filesystem::files::{self, Held, OpenPurpose};
use guarda_sandbox::process::Streams;
use guarda_shell::script::{Redirect, RedirectKind};

/// The file behind each descriptor.
#[derive(Debug)]
pub(in crate::hands) struct Descriptors {
    table: BTreeMap<u32, OwnedFd>,
}

/// Why a redirection failed.
#[derive(Debug)]
pub(in crate::hands) enum RedirectionError {
    /// The command is not run, as in a shell; the message goes to its standard error.
    Command(String),
    /// A file differs from the one that was judged: nothing more is run.
    Changed(String),
}

/// True if this runner treats the redirection as a shell would. All others need a shell.
pub(in crate::hands) fn known(redirects: &[Redirect]) -> bool {
    let mut open: BTreeMap<u32, ()> = (0..3).map(|fd| (fd, ())).collect();
    for redirect in redirects {
        match redirect.kind {
            RedirectKind::Close => {
                open.remove(&redirect.fd);
            }
            RedirectKind::Duplicate => {
                match redirect.target.literal().and_then(|text| text.parse::<u32>().ok()) {
                    Some(from) if open.contains_key(&from) => {
                        open.insert(redirect.fd, ());
                    }
                    _ => return false,
                }
            }
            RedirectKind::Text => {
                open.insert(redirect.fd, ());
            }
            RedirectKind::Read | RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => {
                // The meaning of these names depends on the opener; some exist only in the shell.
                let text = redirect.target.literal().unwrap_or_default();
                let strange =
                    ["/dev/tcp/", "/dev/udp/", "/proc/self", "/proc/thread-self", "/dev/fd", "/dev/std"];
                if strange.iter().any(|start| text.starts_with(start)) {
                    return false;
                }
                open.insert(redirect.fd, ());
            }
        }
    }
    // A program can be given its three standard streams and nothing else.
    open.into_keys().eq(0..3)
}

/// Whether a redirection opens a file; those to `/dev/null` do not count.
pub(in crate::hands) fn opens(redirect: &Redirect) -> bool {
    match redirect.kind {
        RedirectKind::Text | RedirectKind::Duplicate | RedirectKind::Close => false,
        RedirectKind::Read | RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => {
            redirect.target.literal() != Some("/dev/null")
        }
    }
}

impl Descriptors {
    pub(in crate::hands) fn new(streams: Streams) -> Self {
        Self { table: BTreeMap::from([(0, streams.input), (1, streams.output), (2, streams.error)]) }
    }

    /// Does one redirection to the file at `real`, the judged path, which must be the object in `held`.
    pub(in crate::hands) fn apply(
        &mut self,
        redirect: &Redirect,
        text: &str,
        real: &Path,
        held: Held<'_>,
    ) -> Result<(), RedirectionError> {
        let failed = |error: &dyn std::fmt::Display| RedirectionError::Command(format!("{text}: {error}"));
        let fd = match redirect.kind {
            RedirectKind::Close => {
                self.table.remove(&redirect.fd);
                return Ok(());
            }
            RedirectKind::Duplicate => {
                let from = text.parse().ok().and_then(|number: u32| self.table.get(&number));
                let from = from.ok_or_else(|| failed(&"bad file descriptor"))?;
                from.try_clone().map_err(|error| failed(&error))?
            }
            RedirectKind::Text => {
                files::text(text).map_err(|error| RedirectionError::Command(error.to_string()))?
            }
            RedirectKind::Read => opened(real, held, OpenPurpose::Read, text)?,
            RedirectKind::Write => opened(real, held, OpenPurpose::Write, text)?,
            RedirectKind::Append => opened(real, held, OpenPurpose::Append, text)?,
            RedirectKind::ReadWrite => opened(real, held, OpenPurpose::ReadWrite, text)?,
        };
        self.table.insert(redirect.fd, fd);
        Ok(())
    }

    /// Writes a message to the command's standard error, wherever that leads by now.
    pub(in crate::hands) fn complain(&self, message: &str) {
        use std::io::Write as _;
        if let Some(fd) = self.table.get(&2).and_then(|fd| fd.try_clone().ok()) {
            // As the shell in whose place this runs.
            let _ = writeln!(std::fs::File::from(fd), "bash: line 1: {message}");
        }
    }

    /// The three streams, once all redirections are done.
    pub(in crate::hands) fn streams(mut self) -> Option<Streams> {
        let mut take = |fd| self.table.remove(&fd);
        Some(Streams { input: take(0)?, output: take(1)?, error: take(2)? })
    }
}

fn opened(
    real: &Path,
    held: Held<'_>,
    purpose: OpenPurpose,
    written: &str,
) -> Result<OwnedFd, RedirectionError> {
    files::open(real, purpose, held).map_err(|error| {
        if files::is_changed(&error) {
            return RedirectionError::Changed(written.to_owned());
        }
        RedirectionError::Command(format!("{written}: {}", files::words(&error)))
    })
}
