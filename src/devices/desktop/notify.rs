//! Notifications, by the desktop's standard interface on the session bus.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use zbus::Connection;
use zbus::proxy::SignalStream;

use crate::devices::DeviceState;
use crate::devices::desktop::bus;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use guarda_core::output::FailureKind;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// The application name of the guard's own notifications.
const OWN: &str = "guarda-costas";
/// How long a daemon may take to show a question.
const LATE: Duration = Duration::from_secs(20);
/// How long the daemon's properties are cached.
const FRESH: Duration = Duration::from_secs(2);

/// Shows a notification of another program under the name of its `sender`; returns its number. The body is plain
/// text: if the desktop would interpret markup in it, it is escaped.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is no notification daemon.
pub async fn show(
    connection: &Connection,
    sender: &str,
    title: &str,
    body: &str,
) -> Result<u32, DeviceFault> {
    let can = capabilities(connection).await?;
    send(connection, sender, title, &plain(body, &can), &[], HashMap::new(), -1).await
}

async fn capabilities(connection: &Connection) -> Result<Vec<String>, DeviceFault> {
    let daemon = bus::object(connection, NAME, PATH, NAME).await?;
    daemon.call("GetCapabilities", &()).await.map_err(told)
}

fn plain(body: &str, can: &[String]) -> String {
    if can.iter().any(|what| what == "body-markup") { escaped(body) } else { body.to_owned() }
}

fn told(error: zbus::Error) -> DeviceFault {
    bus::fault("a notification daemon", &error)
}

async fn send(
    connection: &Connection,
    sender: &str,
    title: &str,
    body: &str,
    actions: &[&str],
    hints: HashMap<&str, zbus::Variant<'_>>,
    expires: i32,
) -> Result<u32, DeviceFault> {
    let daemon = bus::object(connection, NAME, PATH, NAME).await?;
    let words = (sender, 0_u32, "dialog-information", title, body, actions, hints, expires);
    daemon.call("Notify", &words).await.map_err(told)
}

/// The daemon's name and version.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is none.
pub async fn daemon(connection: &Connection) -> Result<String, DeviceFault> {
    let daemon = bus::object(connection, NAME, PATH, NAME).await?;
    let told: Result<(String, String, String, String), _> = daemon.call("GetServerInformation", &()).await;
    told.map(|(name, _, version, _)| format!("{name} {version}"))
        .map_err(|error| bus::fault("a notification daemon", &error))
}

/// The part of dunst's interface that pauses notifications (`dunstctl set-paused`).
const DUNST: &str = "org.dunstproject.cmd0";

/// Whether notifications are paused.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is no daemon, or it cannot be paused from here.
pub async fn held_back(connection: &Connection) -> Result<bool, DeviceFault> {
    let daemon = daemon(connection).await?;
    let dunst = bus::object(connection, NAME, PATH, DUNST).await?;
    dunst.get_property("paused").await.map_err(|_| cannot_hold(&daemon))
}

/// Pauses notifications, or shows them again, including those that arrived in the meantime.
///
/// # Errors
/// As for [`held_back`]; [`DeviceFault::Failed`] if the daemon refuses.
pub async fn hold_back(connection: &Connection, on: bool) -> Result<(), DeviceFault> {
    let dunst = bus::object(connection, NAME, PATH, DUNST).await?;
    let done = dunst.set_property("paused", on).await;
    match done {
        Ok(()) => Ok(()),
        Err(error) => match daemon(connection).await {
            Ok(name) if held_back(connection).await.is_err() => Err(cannot_hold(&name)),
            Ok(_) => Err(bus::fault("the notification daemon", &error.into())),
            Err(fault) => Err(fault),
        },
    }
}

fn cannot_hold(daemon: &str) -> DeviceFault {
    DeviceFault::missing(
        FailureKind::NoService,
        format!("{daemon} cannot be told from here to hold notifications back; dunst can"),
    )
}

/// Notifications with buttons. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Notifier {
    session: DesktopSession,
    found: Arc<Mutex<(DeviceState, Option<Instant>)>>,
}

/// A visible notification.
pub struct ShownNotification {
    connection: Connection,
    number: u32,
    presses: SignalStream<'static>,
    closings: SignalStream<'static>,
}

/// What happened to a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotificationPress {
    /// The button with this name was pressed.
    Button(String),
    /// It was closed, or the bus is gone.
    Gone,
}

impl Notifier {
    /// The notifications of this session; looks for the daemon at once. Needs a running tokio runtime.
    #[must_use]
    pub fn start(session: DesktopSession) -> Self {
        let notifier = Self { session, found: Arc::new(Mutex::new((DeviceState::Starting, None))) };
        let _ = notifier.state();
        notifier
    }

    /// The last known state; refreshed afterwards.
    #[must_use]
    pub fn state(&self) -> DeviceState {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let stale = found.1.is_none_or(|at| at.elapsed() > FRESH);
        if stale && tokio::runtime::Handle::try_current().is_ok() {
            found.1 = Some(Instant::now());
            let notifier = self.clone();
            tokio::spawn(async move {
                let state = notifier.look().await;
                notifier.found.lock().unwrap_or_else(PoisonError::into_inner).0 = state;
            });
        }
        found.0.clone()
    }

    async fn look(&self) -> DeviceState {
        let found = async {
            let connection = bus::of_session(&self.session).await?;
            buttons(&capabilities(&connection).await?)?;
            daemon(&connection).await
        };
        match found.await {
            Ok(detail) => DeviceState::Ready { detail },
            Err(fault) => DeviceState::Absent { why: fault.failure().clone() },
        }
    }

    /// Shows a message for as long as the desktop shows such messages.
    ///
    /// # Errors
    /// [`DeviceFault::Absent`] if there is no daemon.
    pub async fn tell(&self, title: &str, body: &str) -> Result<(), DeviceFault> {
        let connection = bus::of_session(&self.session).await?;
        show(&connection, OWN, title, body).await.map(|_number| ())
    }

    /// Shows a question with buttons, each with its name and label, until it is closed.
    ///
    /// # Errors
    /// [`DeviceFault::Absent`] if there is no daemon, or it does not support buttons.
    pub async fn ask(
        &self,
        title: &str,
        body: &str,
        labels: &[(&str, &str)],
    ) -> Result<ShownNotification, DeviceFault> {
        // A busy daemon is slow. If this stopped before the number is known, the notification could not be closed.
        let connection = bus::of_session_for(&self.session, LATE).await?;
        let can = capabilities(&connection).await?;
        buttons(&can)?;
        let daemon = bus::object(&connection, NAME, PATH, NAME).await?;
        // Subscribed before it is shown, so that no press is lost. Only the daemon itself is heard.
        let presses = daemon.receive_signal("ActionInvoked").await.map_err(told)?;
        let closings = daemon.receive_signal("NotificationClosed").await.map_err(told)?;
        let actions: Vec<&str> = labels.iter().flat_map(|(name, label)| [*name, *label]).collect();
        let hints = HashMap::from([("urgency", zbus::Variant::from(2_u8))]);
        let number = send(&connection, OWN, title, &plain(body, &can), &actions, hints, 0).await?;
        Ok(ShownNotification { connection, number, presses, closings })
    }
}

fn buttons(can: &[String]) -> Result<(), DeviceFault> {
    if can.iter().any(|what| what == "actions") {
        return Ok(());
    }
    Err(DeviceFault::absent("this desktop's notifications have no buttons"))
}

impl ShownNotification {
    /// Waits for the next event.
    pub async fn pressed(&mut self) -> NotificationPress {
        loop {
            tokio::select! {
                biased;
                press = self.presses.next() => {
                    let Some(press) = press else { return NotificationPress::Gone };
                    if let Ok((number, name)) = press.body().deserialize::<(u32, String)>()
                        && number == self.number
                    {
                        return NotificationPress::Button(name);
                    }
                }
                closing = self.closings.next() => {
                    let Some(closing) = closing else { return NotificationPress::Gone };
                    if let Ok((number, _)) = closing.body().deserialize::<(u32, u32)>()
                        && number == self.number
                    {
                        return NotificationPress::Gone;
                    }
                }
            }
        }
    }

    /// Closes it.
    pub async fn close(self) {
        let daemon = bus::object(&self.connection, NAME, PATH, NAME).await;
        if let Ok(daemon) = daemon {
            // It may be closed already.
            let _: Result<(), _> = daemon.call("CloseNotification", &self.number).await;
        }
    }
}

/// Escapes text for readers of markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn markup_stays_text() {
        assert_eq!(super::escaped("<b>a & b</b>"), "&lt;b&gt;a &amp; b&lt;/b&gt;");
    }
}
