//! OPEN_APP: finds the desktop entry for a name, and starts it.

use std::path::PathBuf;
use std::time::Duration;

use crate::devices::desktop::apps::{self, Application};
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use crate::devices::process::launch::{self, Launched};
use crate::devices::{desktop::bus, desktop::handlers};
use guarda_core::output::{Ended, FailureKind, RawOutput};
use guarda_core::policy::Program;
use guarda_sandbox::process::{Start, Status};

use crate::hands::deeds::Deed;
use crate::hands::desktop::names;

/// How long an application is watched after its start; one that fails does so soon.
const WATCHED: Duration = Duration::from_millis(250);
/// The most applications that are tried for one name, or for one thing to show.
pub(in crate::hands) const MOST_CANDIDATES: usize = 4;

/// The likeliest application for a name.
pub(in crate::hands) fn find<'a>(
    session: &DesktopSession,
    applications: &'a [Application],
    name: &str,
) -> Option<&'a Application> {
    candidates(session, applications, name).into_iter().next()
}

/// The applications that a name may mean, the likeliest first. A name means one application; a role such as "text
/// editor" means the user's choice, then what has a window of its own, then what needs a terminal. What cannot run in
/// this session comes last.
pub(in crate::hands) fn candidates<'a>(
    session: &DesktopSession,
    applications: &'a [Application],
    name: &str,
) -> Vec<&'a Application> {
    if let Some(named) = names::best(applications, name) {
        return vec![named];
    }
    let Some(role) = names::role(name) else { return Vec::new() };
    let set = role.kind.and_then(|kind| handlers::set(session, applications, kind));
    let says = role.kind.and_then(|kind| handlers::chosen(session, applications, kind));
    let of_category = |app: &&Application| app.shown && app.categories.iter().any(|c| c == role.category);
    let mut found: Vec<&Application> = Vec::new();
    for application in set.into_iter().chain(says).chain(applications.iter().filter(of_category)) {
        if !found.iter().any(|other| other.id == application.id) {
            found.push(application);
        }
    }
    let is_set = |app: &Application| set.is_some_and(|set| set.id == app.id);
    found.sort_by_key(|app| (!runs_here(session, app), !is_set(app), app.in_terminal()));
    found.truncate(MOST_CANDIDATES);
    found
}

/// Whether its program is installed and works with this session's display.
fn runs_here(session: &DesktopSession, application: &Application) -> bool {
    let argv = application.argv(&[], session).unwrap_or_default();
    let Some(program) = argv.first() else { return application.by_bus() };
    let installed = application.by_bus() || apps::find_program(session, program).is_some();
    installed && shows_here(session, program)
}

/// Programs that work under Wayland only.
const WAYLAND_ONLY: &[&str] = &["foot", "footclient"];

fn shows_here(session: &DesktopSession, program: &str) -> bool {
    let base = program.rsplit('/').next().unwrap_or(program);
    !WAYLAND_ONLY.contains(&base) || session.get("WAYLAND_DISPLAY").is_some()
}

/// OPEN_APP.
pub(in crate::hands) async fn open(deed: &Deed<'_>, name: &str) -> RawOutput {
    let session = &deed.config.session;
    let applications = apps::installed(session);
    let mut candidates = candidates(session, &applications, name).into_iter();
    let Some(first) = candidates.next() else {
        return deed.quiet(Ended::NotFound(name.to_owned()));
    };
    // The entry was judged; another one may have taken its place since.
    let judged = match deed.situation.programs.get(name) {
        Some(Program::System(file) | Program::Elsewhere(file)) => Some(file.as_str()),
        Some(Program::Missing) | None => None,
    };
    let entry =
        |app: &Application| crate::devices::filesystem::paths::Walk::default().follow(app.file()).real;
    if judged != entry(first).to_str() {
        return deed.quiet(Ended::Changed(name.to_owned()));
    }
    let mut ended = match start(deed, first, &[]).await {
        Ok(()) => return deed.message(first.name()),
        Err(ended) => ended,
    };
    for next in candidates {
        // Only entries of the system were judged, and only the administrator can change those.
        let file = entry(next).to_str().map(str::to_owned).unwrap_or_default();
        if deed.situation.programs.get(&file) != Some(&Program::System(file.clone())) {
            continue;
        }
        match start(deed, next, &[]).await {
            Ok(()) => return deed.message(next.name()),
            Err(other) => ended = other,
        }
    }
    deed.quiet(ended)
}

/// Starts an application, with files or addresses to show.
pub(in crate::hands) async fn start(
    deed: &Deed<'_>,
    application: &Application,
    targets: &[&str],
) -> Result<(), Ended> {
    let session = &deed.config.session;
    if !session.is_graphic() {
        let why =
            (FailureKind::NoDisplay, format!("{}: there is no display to show it on", application.name()));
        return Err(Ended::Unavailable(why.into()));
    }
    if application.by_bus() {
        match by_bus(session, application, targets).await {
            // An entry may announce a D-Bus service that does not exist; then its `Exec` line is used.
            Err(DeviceFault::Absent(_)) => {}
            Err(DeviceFault::Failed(why)) => return Err(Ended::Failed(why)),
            Ok(()) => return Ok(()),
        }
    }
    let mut argv =
        application.argv(targets, session).map_err(|fault| Ended::Failed(fault.failure().clone()))?;
    if application.in_terminal() {
        argv = terminal(deed, argv)?;
    }
    let (program, arguments) = argv.split_first().ok_or_else(|| Ended::Failed("it has no program".into()))?;
    let file = apps::find_program(session, program).ok_or_else(|| {
        Ended::Failed(
            (
                FailureKind::ProgramMissing,
                format!("{}: its program {program} is not there", application.name()),
            )
                .into(),
        )
    })?;
    let folder = application.folder().filter(|folder| folder.is_dir());
    let start = Start {
        name: program.into(),
        file,
        arguments: arguments.iter().map(Into::into).collect(),
        environment: session.for_applications(),
        folder: folder.unwrap_or_else(|| PathBuf::from(&deed.situation.home)),
        followed: false,
    };
    match launch::launch(start, WATCHED).await {
        Ok(Launched::Running | Launched::Ended(Status::Exited(0))) => Ok(()),
        Ok(Launched::Ended(Status::Exited(code))) => {
            Err(at_once(session, format!("{} ended at once with exit status {code}", application.name())))
        }
        Ok(Launched::Ended(Status::Signalled(signal))) => {
            Err(at_once(session, format!("{} ended at once by signal {signal}", application.name())))
        }
        Err(error) => Err(Ended::Failed(format!("{}: {error}", application.name()).into())),
    }
}

/// An application that has ended right away. On a Wayland desktop without Xwayland, the likely cause is that it needs X11.
fn at_once(session: &DesktopSession, detail: String) -> Ended {
    let no_x11 = session.get("WAYLAND_DISPLAY").is_some() && session.get("DISPLAY").is_none();
    let kind = if no_x11 { FailureKind::EndedWithoutX11 } else { FailureKind::EndedAtOnce };
    Ended::Failed((kind, detail).into())
}

/// The interface of applications that the session bus starts (desktop entry specification, D-Bus activation).
async fn by_bus(
    session: &DesktopSession,
    application: &Application,
    targets: &[&str],
) -> Result<(), DeviceFault> {
    const INTERFACE: &str = "org.freedesktop.Application";
    let id = application.id.as_str();
    let connection = bus::of_session(session).await?;
    if !bus::serves(&connection, id).await? {
        return Err(DeviceFault::missing(FailureKind::NoService, format!("{id} is not on the session bus")));
    }
    let path = format!("/{}", id.replace('.', "/").replace('-', "_"));
    let object = bus::object(&connection, id, &path, INTERFACE).await?;
    let data: std::collections::HashMap<&str, zbus::Variant<'_>> = std::collections::HashMap::new();
    let done = if targets.is_empty() {
        object.call::<_, _, ()>("Activate", &(data,)).await
    } else {
        object.call::<_, _, ()>("Open", &(targets, data)).await
    };
    done.map_err(|error| bus::fault(id, &error))
}

/// Known terminals, and the words between their name and the argument vector that they run. Terminals that take one
/// string for a shell are left out.
const TERMINALS: &[(&str, &[&str])] = &[
    ("xdg-terminal-exec", &[]),
    ("ghostty", &["-e"]),
    ("kitty", &["--"]),
    ("alacritty", &["-e"]),
    ("wezterm", &["start", "--"]),
    ("foot", &["--"]),
    ("ptyxis", &["--"]),
    ("kgx", &["--"]),
    ("gnome-terminal", &["--"]),
    ("konsole", &["-e"]),
    ("xfce4-terminal", &["-x"]),
    ("mate-terminal", &["-x"]),
    ("x-terminal-emulator", &["-e"]),
    ("xterm", &["-e"]),
];

fn terminal(deed: &Deed<'_>, argv: Vec<String>) -> Result<Vec<String>, Ended> {
    let session = &deed.config.session;
    let there = |name: &str| apps::find_program(session, name).is_some() && shows_here(session, name);
    let known = |name: &str| TERMINALS.iter().find(|(other, _)| *other == name).map(|(_, before)| *before);
    let (name, before): (&str, &[&str]) = match deed.config.terminal.as_deref() {
        Some(name) if there(name) => {
            let base = name.rsplit('/').next().unwrap_or(name);
            (name, known(base).unwrap_or(&["-e"]))
        }
        Some(name) => {
            return Err(Ended::Unavailable(
                (FailureKind::NoTerminal, format!("the terminal {name} of config.toml is not there")).into(),
            ));
        }
        None => TERMINALS.iter().copied().find(|(name, _)| there(name)).ok_or_else(|| {
            Ended::Unavailable(
                (
                    FailureKind::NoTerminal,
                    "no terminal is installed; install one, or name yours in config.toml",
                )
                    .into(),
            )
        })?,
    };
    let before = before.iter().map(|word| (*word).to_owned());
    Ok(std::iter::once(name.to_owned()).chain(before).chain(argv).collect())
}

/// The terminal that applications would run in.
pub(in crate::hands) fn terminal_name(session: &DesktopSession, set: Option<&str>) -> Option<String> {
    let names = set.into_iter().chain(TERMINALS.iter().map(|(name, _)| *name).filter(|_| set.is_none()));
    let runs = |name: &&str| apps::find_program(session, name).is_some() && shows_here(session, name);
    names.into_iter().find(runs).map(str::to_owned)
}
