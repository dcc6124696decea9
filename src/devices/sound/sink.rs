//! The default output as a value, and where its server is.

use guarda_core::output::FailureKind;

use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;

/// The default output.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sink {
    /// The server's name for it. PulseAudio calls *no output at all* `auto_null`.
    pub name: String,
    /// The name for people.
    pub description: String,
    /// The volume of its loudest channel in percent; above 100 if it is amplified.
    pub percent: u32,
    /// True if it is muted, whatever the volume.
    pub muted: bool,
}

impl Sink {
    /// True if a played sound would be audible.
    #[must_use]
    pub fn audible(&self) -> bool {
        !self.muted && self.percent > 0 && self.name != "auto_null"
    }
}

/// A change of the default output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum OutputChange {
    /// The volume in percent, 0 to 100.
    Percent(u32),
    /// Silent or not.
    Muted(bool),
}

/// The address of a session's sound server.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is none.
pub fn server(session: &DesktopSession) -> Result<String, DeviceFault> {
    let named = session.get("PULSE_SERVER").map(str::to_owned);
    let server = named.or_else(|| {
        let socket = std::path::Path::new(session.get("XDG_RUNTIME_DIR")?).join("pulse/native");
        socket.exists().then(|| format!("unix:{}", socket.display()))
    });
    server.ok_or_else(|| {
        DeviceFault::missing(
            FailureKind::NoSound,
            "no sound server: neither PulseAudio nor PipeWire runs in this session",
        )
    })
}
