//! What a supervisor prepares before its order arrives, and the restrictions that it applies to itself.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use guarda_core::output::{Measure, NotHeld, Protection};

use super::launch::{Surroundings, launch};
use super::started::Started;
use crate::ipc::Report;
use crate::process::{Start, Streams};
use crate::spec::{SandboxLevel, Sockets, Spec};
use crate::{calls, files, folders, isolation::namespaces, privileges};

/// The steps that do not depend on the command and can be done in advance: rules for the system's folders,
/// dropping privileges, and the system call filter.
pub(super) struct Beforehand {
    pub(super) sockets: Sockets,
    /// The paths that the rules already open. Something hidden in them rules this preparation out.
    opened: Vec<(PathBuf, folders::Access)>,
    rules: files::Rules,
    /// The system paths that are still to be opened.
    system: folders::System,
    privileges: Result<(), NotHeld>,
    /// Whether Landlock was expected to have scopes: if not, the filter replaces them.
    scoped: bool,
    filter: Result<calls::Filter, NotHeld>,
}

impl Beforehand {
    /// The preparation of a supervisor before its order arrives.
    pub(super) fn of(how: Started, mounts: bool) -> Result<Option<Self>, Report> {
        match how {
            Started::Now | Started::Mounted | Started::Networked | Started::Look { waits: false } => Ok(None),
            Started::Look { waits: true } => {
                rehearse();
                let made = Self::take(Sockets::None, true);
                // The filter refuses mounts, which are made for each command.
                let filter = if mounts { made.filter } else { made.filter.and_then(calls::Filter::enforce) };
                Ok(Some(Self { filter, ..made }))
            }
            Started::Within { waits } => {
                if waits {
                    rehearse();
                }
                namespaces::prepare().map_err(|error| Report::Refused(error.to_string()))?;
                Ok(Some(Self::take(Sockets::All { local: true }, false)))
            }
        }
    }

    /// Drops the calling thread's rights and makes the rest.
    pub(super) fn take(sockets: Sockets, look: bool) -> Self {
        let mut system = folders::System::open();
        let whole = system.split_whole();
        let rules = files::Rules::new(sockets).open(whole.all().map(|(_path, grant)| grant));
        let opened = whole.all().map(|(path, grant)| (path.to_owned(), grant.access)).collect();
        let privileges = privileges::drop();
        let scoped = files::scoped();
        let untouchable = (!scoped || sockets.share_processes()).then(|| calls::Untouchable {
            supervisor: rustix::process::getpid().as_raw_nonzero().get(),
            guard: rustix::process::getppid().map_or(1, |pid| pid.as_raw_nonzero().get()),
        });
        let filter = calls::Filter::new(sockets, untouchable, look);
        Self { sockets, opened, rules, system, privileges, scoped, filter }
    }
}

/// Makes and discards a cell, so that its code and tables are in memory when they are needed.
fn rehearse() {
    let spec = Spec::look(SandboxLevel::Confined, Some("/tmp".into()), "/");
    let said = serde_json::to_vec(&spec).unwrap_or_default();
    if let Ok(spec) = serde_json::from_slice::<Spec>(&said) {
        let mut wishes = folders::wishes(&spec, None, rustix::process::geteuid().is_root());
        // Faults are found and reported by the real run.
        let _ = files::Rules::new(spec.sockets(false)).open_all(&mut wishes, folders::System::open());
        let null = || std::fs::File::open("/dev/null").map(OwnedFd::from);
        if let (Ok(input), Ok(output), Ok(error)) = (null(), null(), null()) {
            let (environment, arguments) = (vec![("A".to_owned(), "b".to_owned())], Vec::new());
            // A folder cannot be executed: everything but the program itself is prepared.
            let start = Start {
                file: "/".into(),
                name: "/".into(),
                arguments,
                environment,
                folder: "/".into(),
                followed: false,
            };
            let _ = launch(start, Streams { input, output, error }, &spec, Surroundings::default());
        }
    }
}

/// Applies every missing restriction of the profile to the calling thread.
pub(super) fn restrict(
    look: bool,
    mut wishes: folders::Wishes,
    beforehand: Beforehand,
    protection: &mut Protection,
) {
    let Beforehand { sockets, opened, rules, system, privileges, scoped, filter } = beforehand;
    let (rules, system) = match opened.iter().all(|(path, access)| wishes.leaves_whole(path, *access)) {
        true => (rules, system),
        false => (files::Rules::new(sockets), folders::System::open()),
    };
    let rules = rules.open_all(&mut wishes, system);
    protection.notes.append(&mut wishes.notes);
    protection.enter(Measure::Privileges, privileges);
    files::restrict(rules, look, protection);
    let filtered = match filter.and_then(calls::Filter::enforce) {
        Ok(_) if scoped && !protection.holds(Measure::Scopes) => Err(NotHeld(
            "the filter of system calls was made for a kernel whose Landlock has scopes".to_owned(),
        )),
        filtered => filtered.map(drop),
    };
    for measure in [Measure::Network, Measure::Sockets, Measure::Calls] {
        // What Landlock could not provide is still missing.
        if filtered.is_err() || !protection.lacking.iter().any(|lack| lack.measure == measure) {
            protection.enter(measure, filtered.clone());
        }
    }
}
