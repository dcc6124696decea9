//! Notifications, by the desktop's standard interface on the session bus.

use std::collections::HashMap;

use zbus::Connection;

use super::bus;
use super::fault::Fault;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// Shows a notification; its number. The body is plain text: where the desktop would read markup in it, it is escaped.
///
/// # Errors
/// [`Fault::Absent`] where nobody shows notifications.
pub async fn show(connection: &Connection, title: &str, body: &str) -> Result<u32, Fault> {
    let told = |error: zbus::Error| bus::fault("a notification daemon", &error);
    let daemon = bus::object(connection, NAME, PATH, NAME).await?;
    let can: Vec<String> = daemon.call("GetCapabilities", &()).await.map_err(told)?;
    let body = if can.iter().any(|what| what == "body-markup") { escaped(body) } else { body.to_owned() };
    let actions: Vec<&str> = Vec::new();
    let hints: HashMap<&str, zbus::Variant<'_>> = HashMap::new();
    daemon
        .call(
            "Notify",
            &("guarda-costas", 0_u32, "dialog-information", title, body.as_str(), actions, hints, -1_i32),
        )
        .await
        .map_err(told)
}

/// Who shows notifications: name and version.
///
/// # Errors
/// [`Fault::Absent`] where nobody does.
pub async fn daemon(connection: &Connection) -> Result<String, Fault> {
    let daemon = bus::object(connection, NAME, PATH, NAME).await?;
    let told: Result<(String, String, String, String), _> = daemon.call("GetServerInformation", &()).await;
    told.map(|(name, _, version, _)| format!("{name} {version}"))
        .map_err(|error| bus::fault("a notification daemon", &error))
}

/// Text that stays text where markup is read.
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
