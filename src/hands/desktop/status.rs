//! The state of the desktop's parts, for `/v1/status`, `guarda status` and the banner.

use crate::devices::DeviceState;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use crate::devices::sound::sink::Sink;
use crate::devices::terminal::askpass::PromptPlace;
use crate::devices::{
    desktop::apps, desktop::backlight, desktop::bus, desktop::handlers, desktop::input, desktop::login,
    desktop::mpris, desktop::notify, desktop::portal, desktop::radio,
};
use guarda_core::action::custody::SandboxLevel;
use guarda_core::output::{Failure, FailureKind};
use guarda_sandbox::{Capabilities, NetworkWay};

use super::machine;
use crate::hands::HandsConfig;

/// The state of a part of the machine that deeds need.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct BackendStatus {
    /// Its purpose: `applications`, `browser`, `volume`, `keys` …
    pub name: &'static str,
    /// Its state. *failed* means that it exists but does not fully work.
    #[serde(flatten)]
    pub state: DeviceState,
}

/// Queries every part, in the order of the action vocabulary.
pub(in crate::hands) async fn all(config: &HandsConfig) -> Vec<BackendStatus> {
    let session = &config.session;
    let (keys, sound, applications, players, notifications, login, wifi, bluetooth) = tokio::join!(
        keys(session),
        sound(config.sound()),
        applications(config),
        of("media", players(session)),
        of("notifications", notifications(session)),
        of("power", power(session)),
        of("wifi", wifi(session)),
        of("bluetooth", bluetooth(session)),
    );
    let screen = backlight::screen(&config.backlight).map(|screen| format!("screen {}", screen.name));
    let mut all = applications;
    let windows = if portal::is_wayland(session) {
        let portal = async {
            portal::can_take_pictures(session).await.map(|version| format!("xdg-desktop-portal {version}"))
        };
        of("screen", portal).await
    } else {
        BackendStatus { name: "screen", state: keys.state.clone() }
    };
    all.extend([sound, of(machine::BACKLIGHT, std::future::ready(screen)).await, players, keys, windows]);
    all.extend([login, wifi, bluetooth, notifications, password(config)]);
    all
}

/// The state of the password prompt.
fn password(config: &HandsConfig) -> BackendStatus {
    if !config.advanced_mode {
        return absent(
            "password",
            (FailureKind::SwitchedOff, "what needs a password is refused (security.advanced_mode = false)"),
        );
    }
    match &config.password {
        Err(fault) => absent("password", fault.failure().clone()),
        Ok(route) => {
            let place = match route.place {
                PromptPlace::Terminal => "on the service's terminal",
                PromptPlace::Desktop => "in a window",
            };
            let way =
                route.environment.iter().find(|(name, _)| name == crate::devices::terminal::askpass::WAY);
            let way = way.filter(|(_, way)| way == "pinentry").map_or("", |_| ", by pinentry");
            ready("password", format!("{} asks {place}{way}", if route.pkexec { "pkexec" } else { "sudo" }))
        }
    }
}

/// The measures that can confine commands.
pub(in crate::hands) fn sandbox(config: &HandsConfig, can: &Capabilities) -> BackendStatus {
    let found = match config.keeping.profile {
        SandboxLevel::None => {
            return absent(
                "sandbox",
                (FailureKind::SwitchedOff, "switched off (sandbox.profile = \"none\")"),
            );
        }
        SandboxLevel::Confined => &can.confined,
        SandboxLevel::Isolated => &can.isolated,
    };
    match found {
        Ok(protection) if protection.is_whole() => ready("sandbox", protection.profile.name()),
        Ok(protection) => failed("sandbox", (FailureKind::NoCell, protection.to_string())),
        Err(why) => failed("sandbox", (FailureKind::NoCell, why.to_string())),
    }
}

/// How a command reaches approved hosts.
pub(in crate::hands) fn network(config: &HandsConfig, can: &Capabilities) -> BackendStatus {
    let why = match (config.keeping.profile, &can.network) {
        (SandboxLevel::None, _) => {
            let off = "switched off (sandbox.profile = \"none\")";
            return absent("network", (FailureKind::SwitchedOff, off));
        }
        (_, Ok(NetworkWay::Own)) => return ready("network", "own"),
        (SandboxLevel::Confined, Ok(NetworkWay::Notified)) => return ready("network", "notified"),
        (SandboxLevel::Isolated, Ok(NetworkWay::Notified)) => {
            "without namespaces only the profile confined has one"
        }
        (_, Err(why)) => &why.0,
    };
    absent("network", (FailureKind::NoNetwork, format!("commands get no network: {why}")))
}

/// Whether a command's changes can be held back.
pub(in crate::hands) fn stage(config: &HandsConfig, can: &Capabilities) -> BackendStatus {
    match &can.stage {
        _ if !config.staging => {
            absent("stage", (FailureKind::SwitchedOff, "switched off (undo.stage = false)"))
        }
        Ok(_) if config.stages.is_none() => {
            absent("stage", (FailureKind::NoStage, "the state folder cannot hold it"))
        }
        Ok(_) if let Some((folder, why)) = config.stages.as_ref().and_then(|stages| stages.stuck().pop()) => {
            failed(
                "stage",
                (
                    FailureKind::StageStuck,
                    format!(
                        "a change could be neither finished nor taken back: {why}; {} holds it",
                        folder.display()
                    ),
                ),
            )
        }
        Ok(_) => ready("stage", "what a command changes is judged before it counts, and can be undone"),
        Err(why) => absent(
            "stage",
            (
                FailureKind::NoStage,
                format!("{why}; commands that change files are asked by their words, and cannot be undone"),
            ),
        ),
    }
}

fn ready(name: &'static str, detail: impl Into<String>) -> BackendStatus {
    BackendStatus { name, state: DeviceState::Ready { detail: detail.into() } }
}

fn failed(name: &'static str, why: impl Into<Failure>) -> BackendStatus {
    BackendStatus { name, state: DeviceState::Failed { why: why.into() } }
}

fn absent(name: &'static str, why: impl Into<Failure>) -> BackendStatus {
    BackendStatus { name, state: DeviceState::Absent { why: why.into() } }
}

async fn of(name: &'static str, answer: impl Future<Output = Result<String, DeviceFault>>) -> BackendStatus {
    match answer.await {
        Ok(detail) => ready(name, detail),
        Err(DeviceFault::Absent(why)) => absent(name, why),
        Err(DeviceFault::Failed(why)) => failed(name, why),
    }
}

async fn keys(session: &DesktopSession) -> BackendStatus {
    let asked = session.clone();
    let answers = tokio::task::spawn_blocking(move || input::answers(&asked)).await.unwrap_or(false);
    match input::display(session) {
        Ok(display) if answers => ready("keys", format!("X11 {display}")),
        Ok(display) => {
            absent("keys", (FailureKind::NoDisplay, format!("no X server answers at DISPLAY={display}")))
        }
        Err(fault) => absent("keys", fault.failure().clone()),
    }
}

async fn sound(sound: crate::devices::sound::output::SessionSound) -> BackendStatus {
    let sink = tokio::task::spawn_blocking(move || sound.sink()).await;
    match sink.unwrap_or_else(|_panic| Err(DeviceFault::failed("the sound server went away"))) {
        Ok(sink) if sink.audible() => ready("volume", describe(&sink)),
        Ok(sink) => {
            failed("volume", (FailureKind::Inaudible, format!("{}: nothing would be heard", describe(&sink))))
        }
        Err(DeviceFault::Absent(why)) => absent("volume", why),
        Err(DeviceFault::Failed(why)) => failed("volume", why),
    }
}

fn describe(sink: &Sink) -> String {
    let muted = if sink.muted { ", muted" } else { "" };
    format!("{}, {}%{muted}", sink.description, sink.percent)
}

async fn applications(config: &HandsConfig) -> Vec<BackendStatus> {
    let config = config.clone();
    let look = move || {
        let session = &config.session;
        let applications = apps::installed(session);
        let shown = applications.iter().filter(|application| application.shown).count();
        let count = shown.to_string();
        let programs = match (shown, session.is_graphic()) {
            (0, _) => {
                absent("applications", (FailureKind::NoApplication, "no desktop entries in the data folders"))
            }
            (_, false) => failed(
                "applications",
                (FailureKind::NoDisplay, format!("{count}, but no display to show them on")),
            ),
            (_, true) => ready("applications", count),
        };
        let chosen = |name, kind, hint: &str| match handlers::chosen(session, &applications, kind) {
            Some(application) => ready(name, application.name()),
            None => absent(name, (FailureKind::NoApplication, hint.to_owned())),
        };
        let terminal = match crate::hands::desktop::apps::terminal_name(session, config.terminal.as_deref()) {
            Some(name) => ready("terminal", name),
            None => absent("terminal", (FailureKind::NoTerminal, "no known terminal is installed")),
        };
        vec![
            programs,
            chosen("browser", "x-scheme-handler/https", "no application opens web addresses"),
            chosen("file-manager", "inode/directory", "no application shows folders"),
            terminal,
        ]
    };
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

async fn players(session: &DesktopSession) -> Result<String, DeviceFault> {
    let players = mpris::players(&bus::of_session(session).await?).await?;
    let names: Vec<String> = players.into_iter().map(|player| player.name).collect();
    Ok(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
}

async fn notifications(session: &DesktopSession) -> Result<String, DeviceFault> {
    notify::daemon(&bus::of_session(session).await?).await
}

async fn power(session: &DesktopSession) -> Result<String, DeviceFault> {
    let connection = bus::of_system(session).await?;
    let mut can = Vec::new();
    for what in ["Suspend", "Reboot", "PowerOff"] {
        can.push(format!("{what}: {}", login::can(&connection, what).await?));
    }
    Ok(format!("login manager; {}", can.join(", ")))
}

async fn wifi(session: &DesktopSession) -> Result<String, DeviceFault> {
    let on = radio::wifi(&bus::of_system(session).await?).await?;
    Ok(format!("NetworkManager; {}", if on { "on" } else { "off" }))
}

async fn bluetooth(session: &DesktopSession) -> Result<String, DeviceFault> {
    let adapters = radio::bluetooth(&bus::of_system(session).await?).await?;
    let on = adapters.iter().any(|(_, on)| *on);
    Ok(format!("BlueZ, {} adapter(s); {}", adapters.len(), if on { "on" } else { "off" }))
}
