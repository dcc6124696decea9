//! Starts a program: its variables, its temporary folder, its limits.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use guarda_core::output::NotHeld;
use rustix::process::{Pid, Resource, Rlimit};
use tempfile::TempDir;

use crate::network;
use crate::process::{Start, Streams};
use crate::session::{SessionVariable, session_variable};
use crate::spec::{Limits, Network, SandboxLevel, Spec};

/// Lets git take a covered file for the one that it knows.
const GIT: [(&str, &str); 5] = [
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "core.checkStat"),
    ("GIT_CONFIG_VALUE_0", "minimal"),
    ("GIT_CONFIG_KEY_1", "core.trustctime"),
    ("GIT_CONFIG_VALUE_1", "false"),
];

/// The setting of pnpm's store, as older and newer versions read it.
const PNPM_STORE: [&str; 2] = ["npm_config_store_dir", "pnpm_config_store_dir"];

/// pnpm's usual store, if it is staged and the command names pnpm: npm warns of settings that it does not know. pnpm takes a project in
/// an overlay for one on another drive, where it would make another store.
fn pnpm_store(spec: &Spec, start: &Start) -> Option<PathBuf> {
    start.arguments.iter().chain([&start.name]).find(|word| word.to_string_lossy().contains("pnpm"))?;
    let home = spec.staged.iter().map(|staged| &staged.root).find(|root| root.ends_with(".local/share/pnpm"));
    home.map(|home| home.join("store"))
}

/// What a program finds around it, besides its specification.
#[derive(Clone, Copy, Default)]
pub(super) struct Surroundings<'a> {
    /// Its folder for temporary files.
    pub(super) temporary: Option<&'a Path>,
    /// Files are covered that git knows.
    pub(super) covered: bool,
    /// Something stands in for the sockets to which variables of the session lead.
    pub(super) leads: bool,
}

#[expect(clippy::disallowed_methods, reason = "this is where a sandbox's programs are started")]
pub(super) fn launch(
    start: Start,
    streams: Streams,
    spec: &Spec,
    Surroundings { temporary, covered, leads }: Surroundings<'_>,
) -> io::Result<Pid> {
    let store = pnpm_store(spec, &start);
    let mut command = Command::new(start.file);
    command.args(start.arguments).env_clear();
    // A staged run writes to a copy of the home folder that is discarded.
    let own = temporary.filter(|_| spec.network == Network::Hosts && !spec.is_within());
    command.envs(own.into_iter().flat_map(network::caches));
    if let Some(store) = store {
        let unset = |name: &&str| start.environment.iter().all(|(known, _)| known != *name);
        command.envs(PNPM_STORE.into_iter().filter(unset).map(|name| (name, &store)));
    }
    if covered {
        // A covered file has its size and time, but is another one.
        command.envs(GIT);
    }
    let own = start.environment.iter().any(|(name, value)| {
        name == "TMPDIR" && spec.writable.iter().any(|root| Path::new(value).starts_with(root))
    });
    let kept = |name: &str| match session_variable(name) {
        None => true,
        Some(variable) => spec.profile == SandboxLevel::None || leads && variable == SessionVariable::StandIn,
    };
    command.envs(start.environment.into_iter().filter(|(name, _)| kept(name)));
    match temporary {
        // What a held-back run makes for a while is there for the next command, as after a plain run.
        Some(_) if spec.keeps_temporary() && own => {}
        Some(_) if spec.keeps_temporary() => drop(command.env_remove("TMPDIR")),
        Some(temporary) => drop(command.env("TMPDIR", temporary)),
        None => {}
    }
    if spec.network == Network::Hosts {
        command.env_remove("ALL_PROXY").env_remove("all_proxy").envs(network::proxy());
    }
    if spec.notified {
        command.envs([network::resolver()]);
    }
    if start.followed {
        std::env::set_current_dir(start.folder)?;
        let Streams { input, output, error } = streams;
        return guarda_notify::following::start(
            &command,
            &start.name,
            [&input, &output, &error].map(|it| it.as_fd()),
        );
    }
    command.arg0(start.name).current_dir(start.folder).process_group(0);
    command.stdin(streams.input).stdout(streams.output).stderr(streams.error);
    let child = command.spawn()?;
    Ok(Pid::from_child(&child))
}

/// Sets the limits of this process, which its children inherit.
pub(super) fn limit(limits: &Limits) -> Result<(), NotHeld> {
    let wanted = [
        (Resource::Core, Some(0)),
        (Resource::Nproc, limits.processes),
        (Resource::Data, limits.memory),
        (Resource::Fsize, limits.file_size),
        (Resource::Nofile, limits.open_files),
        (Resource::Cpu, limits.cpu_seconds),
    ];
    for (resource, most) in wanted {
        let Some(most) = most else { continue };
        // A lower limit stays.
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |now| now.min(most));
        let both = Rlimit { current: Some(most), maximum: Some(most) };
        rustix::process::setrlimit(resource, both)
            .map_err(|error| NotHeld(format!("{resource:?}: {error}")))?;
    }
    Ok(())
}

/// Creates a temporary folder for a specification; removed with its contents, where links are not followed. A staged run's usual
/// one may be missing on this machine or covered by something readable; another one is then used. Its name is random: one that a
/// killed supervisor has left behind is in nobody's way.
pub(super) fn temporary(spec: &Spec) -> io::Result<TempDir> {
    let own: &[&str] = if !spec.is_within() { &[] } else { &["/dev/shm", "/tmp"] };
    let mut others = own.iter().map(Path::new);
    let make =
        |below: &Path| tempfile::Builder::new().prefix("guarda-").tempdir_in(std::fs::canonicalize(below)?);
    make(&spec.temporary).or_else(|error| others.find_map(|other| make(other).ok()).ok_or(error))
}
