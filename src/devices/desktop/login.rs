//! The login manager on the system bus: power, screen lock, and brightness without write access to the
//! kernel's file.

use std::time::Duration;

use zbus::Connection;

use crate::devices::desktop::bus;
use crate::devices::fault::DeviceFault;
use guarda_core::output::FailureKind;

const LOGIN: &str = "org.freedesktop.login1";
const MANAGER_PATH: &str = "/org/freedesktop/login1";
const MANAGER: &str = "org.freedesktop.login1.Manager";
/// The caller's own session.
const SESSION_PATH: &str = "/org/freedesktop/login1/session/auto";
const SESSION: &str = "org.freedesktop.login1.Session";

/// Whether the machine supports a power change: `what` is `Suspend`, `Reboot` or `PowerOff`. The answer is the login
/// manager's: `yes`, `challenge` (it would require a password), `no` or `na` (unsupported).
///
/// # Errors
/// If there is no login manager.
pub async fn can(connection: &Connection, what: &str) -> Result<String, DeviceFault> {
    let manager = bus::object(connection, LOGIN, MANAGER_PATH, MANAGER).await?;
    manager.call(format!("Can{what}").as_str(), &()).await.map_err(|error| bus::fault(LOGIN, &error))
}

/// Suspends, restarts or switches off: `Suspend`, `Reboot`, `PowerOff`. Never asks for a password.
///
/// # Errors
/// If there is no login manager, or it refuses (another user is logged in, something inhibits it …).
pub async fn power(connection: &Connection, what: &str) -> Result<(), DeviceFault> {
    let manager = bus::object(connection, LOGIN, MANAGER_PATH, MANAGER).await?;
    manager.call(what, &(false,)).await.map_err(|error| bus::fault(LOGIN, &error))
}

/// Asks the session's screen locker to lock, and waits for its confirmation.
///
/// # Errors
/// [`DeviceFault::Absent`] without a login manager; [`DeviceFault::Failed`] without a confirmation.
pub async fn lock(connection: &Connection) -> Result<(), DeviceFault> {
    let session = bus::object(connection, LOGIN, SESSION_PATH, SESSION).await?;
    let () = session.call("Lock", &()).await.map_err(|error| bus::fault(LOGIN, &error))?;
    for _ in 0..20 {
        if session.get_property::<bool>("LockedHint").await.unwrap_or(false) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(DeviceFault::broken(
        FailureKind::Unchanged,
        "the screen was asked to lock, but nothing says that it is locked",
    ))
}

/// Sets a screen's brightness, by the kernel's name and in its units.
///
/// # Errors
/// If there is no login manager, or no such screen.
pub async fn set_brightness(connection: &Connection, screen: &str, value: u32) -> Result<(), DeviceFault> {
    let session = bus::object(connection, LOGIN, SESSION_PATH, SESSION).await?;
    session
        .call("SetBrightness", &("backlight", screen, value))
        .await
        .map_err(|error| bus::fault(LOGIN, &error))
}

/// Bus name, object path and interface of the desktop environments' screen lockers.
const LOCKERS: &[(&str, &str, &str)] = &[
    ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver"),
    ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"),
    ("org.freedesktop.ScreenSaver", "/ScreenSaver", "org.freedesktop.ScreenSaver"),
    ("org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver", "org.cinnamon.ScreenSaver"),
    ("org.mate.ScreenSaver", "/org/mate/ScreenSaver", "org.mate.ScreenSaver"),
    ("org.xfce.ScreenSaver", "/org/xfce/ScreenSaver", "org.xfce.ScreenSaver"),
];

/// Locks the screen with the desktop environment's own locker on the session bus.
///
/// # Errors
/// [`DeviceFault::Absent`] if no desktop environment has one.
pub async fn lock_by_desktop(connection: &Connection) -> Result<(), DeviceFault> {
    for (name, path, interface) in LOCKERS {
        if !bus::serves(connection, name).await? {
            continue;
        }
        let locker = bus::object(connection, name, path, interface).await?;
        match locker.call::<_, _, ()>("Lock", &()).await.map_err(|error| bus::fault(name, &error)) {
            Ok(()) => return Ok(()),
            Err(DeviceFault::Absent(_)) => {}
            Err(fault) => return Err(fault),
        }
    }
    Err(DeviceFault::missing(FailureKind::NoService, "no screen locker on the session bus"))
}
