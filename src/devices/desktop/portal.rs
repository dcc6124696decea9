//! The desktop's portal (xdg-desktop-portal), for actions that a program cannot do by itself under Wayland.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::StreamExt as _;
use guarda_core::output::FailureKind;
use zbus::{OwnedVariant, Variant};

use crate::devices::desktop::bus;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;

const NAME: &str = "org.freedesktop.portal.Desktop";
const PATH: &str = "/org/freedesktop/portal/desktop";
const SCREENSHOT: &str = "org.freedesktop.portal.Screenshot";
const REQUEST: &str = "org.freedesktop.portal.Request";
const MONITOR: &str = "org.freedesktop.portal.NetworkMonitor";
/// The time limit for the desktop, which may ask the person the first time.
const PATIENCE: Duration = Duration::from_secs(60);

/// True in a Wayland session, where programs reach screen and keys only through the portal.
#[must_use]
pub fn is_wayland(session: &DesktopSession) -> bool {
    session.get("WAYLAND_DISPLAY").is_some() && session.get("DISPLAY").is_none()
        || session.get("XDG_SESSION_TYPE") == Some("wayland")
}

/// The version of the screenshot portal; 0 if there is none.
///
/// # Errors
/// [`DeviceFault::Absent`] if no portal takes screenshots here; [`DeviceFault::Failed`] if it would refuse this program.
pub async fn can_take_pictures(session: &DesktopSession) -> Result<u32, DeviceFault> {
    let connection = bus::of_session(session).await.map_err(|_| missing())?;
    let portal = bus::object(&connection, NAME, PATH, SCREENSHOT).await?;
    let version = portal.get_property("version").await.map_err(|_| missing())?;
    knows_us(&connection).await?;
    Ok(version)
}

/// Whether the portal can identify its caller: it opens the caller's `/proc/PID/root` before every method,
/// and refuses all of them if it cannot. This calls a method without any effect; any other answer is fine.
async fn knows_us(connection: &zbus::Connection) -> Result<(), DeviceFault> {
    let monitor = bus::object(connection, NAME, PATH, MONITOR).await?;
    let told = monitor.call::<_, _, bool>("GetAvailable", &()).await;
    match told.map_err(|error| bus::fault("the screenshot portal", &error)) {
        Err(fault) if fault.failure().kind == FailureKind::NotAllowed => Err(fault),
        _ => Ok(()),
    }
}

fn missing() -> DeviceFault {
    DeviceFault::missing(
        FailureKind::NoPortal,
        "no portal takes pictures of the screen in this Wayland session; install the portal of your desktop \
         (xdg-desktop-portal-gnome, -kde or -wlr)",
    )
}

/// Has the desktop take a picture of the screen. Returns the file.
///
/// # Errors
/// [`DeviceFault::Absent`] without such a portal; [`DeviceFault::Failed`] if the person or the desktop refuses.
pub async fn picture(session: &DesktopSession) -> Result<PathBuf, DeviceFault> {
    can_take_pictures(session).await?;
    let connection = bus::of_session_for(session, PATIENCE).await?;
    let told = |error: zbus::Error| bus::fault("the screenshot portal", &error);
    let token = format!(
        "guarda{}",
        crate::devices::random::hex::<8>().map_err(|error| DeviceFault::failed(error.to_string()))?
    );
    let own = connection.unique_name().map(ToString::to_string).unwrap_or_default();
    let path = format!("{PATH}/request/{}/{token}", own.trim_start_matches(':').replace('.', "_"));
    // Subscribed before the request, so that no answer is lost.
    let request = bus::object(&connection, NAME, &path, REQUEST).await?;
    let mut answers = request.receive_signal("Response").await.map_err(told)?;
    let portal = bus::object(&connection, NAME, PATH, SCREENSHOT).await?;
    let options: HashMap<&str, Variant<'_>> = HashMap::from([
        ("handle_token", Variant::from(token.as_str())),
        ("interactive", Variant::from(false)),
    ]);
    let _: zbus::OwnedObjectPath = portal.call("Screenshot", &("", options)).await.map_err(told)?;
    let answer = tokio::time::timeout(PATIENCE, answers.next()).await.ok().flatten();
    let answer = answer.ok_or_else(|| DeviceFault::failed("the screenshot portal does not answer"))?;
    let (response, results): (u32, HashMap<String, OwnedVariant>) =
        answer.body().deserialize().map_err(told)?;
    match (response, results.get("uri").map(|uri| &**uri)) {
        (0, Some(Variant::Str(uri))) => url::Url::parse(uri.as_str())
            .ok()
            .and_then(|url| url.to_file_path().ok())
            .ok_or_else(|| DeviceFault::failed("the screenshot portal names no file")),
        (1, _) => {
            Err(DeviceFault::broken(FailureKind::Declined, "the screenshot was declined at the desktop"))
        }
        (_, _) => Err(DeviceFault::failed("the screenshot portal could not take the picture")),
    }
}
