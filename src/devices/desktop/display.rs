//! An X display: its windows, its picture, and its screen's power.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::errors::{ConnectionError, ReplyError};
use x11rb::protocol::dpms::{ConnectionExt as _, DPMSMode};
use x11rb::protocol::screensaver::ConnectionExt as _;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, ImageFormat, ImageOrder, ScreenSaver,
    Window,
};
use x11rb::rust_connection::RustConnection;

use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use guarda_core::output::FailureKind;

/// How long an application has to close its windows.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often to check whether they are closed.
const PAUSE: Duration = Duration::from_millis(50);

/// Asks an application's windows to close, as a click on the close button does. Returns their number. `names` are the
/// application's names in lower case, which are compared with a window's class.
///
/// # Errors
/// [`DeviceFault::Absent`] without an X display or a window manager, or if the application has no window;
/// [`DeviceFault::Failed`] if a window stays open, perhaps with a question about unsaved work.
pub fn close(session: &DesktopSession, names: &[String]) -> Result<usize, DeviceFault> {
    let display = SessionDisplay::open(session)?;
    let own = |display: &SessionDisplay| -> Result<Vec<Window>, DeviceFault> {
        let windows = display.windows()?;
        Ok(windows.into_iter().filter(|window| display.is_of(*window, names)).collect())
    };
    let found = own(&display)?;
    if found.is_empty() {
        return Err(DeviceFault::missing(FailureKind::NotOpen, "it has no open window"));
    }
    for window in &found {
        display.ask_to_close(*window)?;
    }
    let until = Instant::now() + PATIENCE;
    loop {
        let left = own(&display)?.into_iter().filter(|window| found.contains(window)).count();
        if left == 0 {
            return Ok(found.len());
        }
        if Instant::now() >= until {
            return Err(DeviceFault::broken(
                FailureKind::StillOpen,
                format!("{left} of its windows stay open; perhaps it asks about work that is not saved"),
            ));
        }
        std::thread::sleep(PAUSE);
    }
}

/// True if an application has an open window; `names` as for [`close`].
///
/// # Errors
/// [`DeviceFault::Absent`] without an X display or a window manager.
pub fn has_window(session: &DesktopSession, names: &[String]) -> Result<bool, DeviceFault> {
    let display = SessionDisplay::open(session)?;
    Ok(display.windows()?.into_iter().any(|window| display.is_of(window, names)))
}

/// Checks that the display answers.
///
/// # Errors
/// [`DeviceFault::Absent`] without an X display.
pub fn answers(session: &DesktopSession) -> Result<(), DeviceFault> {
    SessionDisplay::open(session).map(|_display| ())
}

/// Saves a picture of the whole screen as a new PNG file in the folder, readable for this user alone. Returns the file.
///
/// # Errors
/// [`DeviceFault::Absent`] without an X display; [`DeviceFault::Failed`] if the picture cannot be taken or written.
pub fn picture(session: &DesktopSession, folder: &Path, name: &str) -> Result<PathBuf, DeviceFault> {
    let display = SessionDisplay::open(session)?;
    let (width, height, pixels) = display.pixels()?;
    let (path, file) = new_file(folder, name)
        .map_err(|error| DeviceFault::failed(format!("{}: {error}", folder.display())))?;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), u32::from(width), u32::from(height));
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&pixels)?;
        writer.finish()
    });
    written.map_err(|error| DeviceFault::failed(format!("{}: {error}", path.display())))?;
    Ok(path)
}

/// Creates a file that did not exist before: nothing is overwritten, and no link is followed.
fn new_file(folder: &Path, name: &str) -> std::io::Result<(PathBuf, std::fs::File)> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut last = None;
    for number in 1..100 {
        let name = if number == 1 { format!("{name}.png") } else { format!("{name} ({number}).png") };
        let path = folder.join(name);
        match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| std::io::Error::other("no name is free")))
}

/// Turns the screen dark until there is input: off if possible, otherwise blank. Returns which of the two.
///
/// # Errors
/// [`DeviceFault::Absent`] without an X display; [`DeviceFault::Failed`] if it stays lit.
pub fn darken(session: &DesktopSession) -> Result<&'static str, DeviceFault> {
    let display = SessionDisplay::open(session)?;
    let connection = &display.connection;
    let capable = connection.dpms_capable().ok().and_then(|asked| asked.reply().ok());
    if capable.is_some_and(|told| told.capable) {
        connection.dpms_enable()?;
        connection.dpms_force_level(DPMSMode::OFF)?;
        let info = connection.dpms_info()?.reply()?;
        return if info.power_level == DPMSMode::OFF {
            Ok("off")
        } else {
            Err(DeviceFault::broken(FailureKind::Unchanged, "the screen stays lit"))
        };
    }
    connection.force_screen_saver(ScreenSaver::ACTIVE)?;
    let info = connection.screensaver_query_info(display.root)?;
    match info.reply() {
        // 1 is "on" (MIT screen saver extension).
        Ok(info) if info.state != 1 => {
            Err(DeviceFault::broken(FailureKind::Unchanged, "the screen stays lit"))
        }
        Ok(_) | Err(_) => Ok("blank"),
    }
}

/// Keeps a picture that a portal took: in the desktop's own folder for pictures, or as a new file in `folder`.
///
/// # Errors
/// [`DeviceFault::Failed`] if it cannot be read or written.
pub fn keep_picture(taken: &Path, folder: &Path, name: &str) -> Result<PathBuf, DeviceFault> {
    if taken.starts_with(folder) {
        return Ok(taken.to_owned());
    }
    let failed = |error: std::io::Error| DeviceFault::failed(format!("{}: {error}", taken.display()));
    let mut from = std::fs::File::open(taken).map_err(failed)?;
    let (path, mut to) = new_file(folder, name)
        .map_err(|error| DeviceFault::failed(format!("{}: {error}", folder.display())))?;
    std::io::copy(&mut from, &mut to).map_err(failed)?;
    // A picture of the whole screen must not stay where others can see it.
    let _ = std::fs::remove_file(taken);
    Ok(path)
}

impl From<ConnectionError> for DeviceFault {
    fn from(error: ConnectionError) -> Self {
        Self::failed(format!("the display: {error}"))
    }
}

impl From<ReplyError> for DeviceFault {
    fn from(error: ReplyError) -> Self {
        Self::failed(format!("the display: {error}"))
    }
}

/// A connection to the session's display.
pub(super) struct SessionDisplay {
    pub(super) connection: RustConnection,
    pub(super) root: Window,
    size: (u16, u16),
}

impl SessionDisplay {
    pub(super) fn open(session: &DesktopSession) -> Result<Self, DeviceFault> {
        if session.get("WAYLAND_DISPLAY").is_some() {
            return Err(DeviceFault::missing(
                FailureKind::OnlyX11,
                "this works under X11 only; this is a Wayland session",
            ));
        }
        let name = session
            .get("DISPLAY")
            .ok_or_else(|| DeviceFault::missing(FailureKind::NoDisplay, "no display: DISPLAY is not set"))?;
        let (connection, screen) = RustConnection::connect(Some(name))
            .map_err(|error| DeviceFault::missing(FailureKind::NoDisplay, format!("no display: {error}")))?;
        let screen = connection
            .setup()
            .roots
            .get(screen)
            .ok_or_else(|| DeviceFault::missing(FailureKind::NoDisplay, "the display has no screen"))?;
        let (root, size) = (screen.root, (screen.width_in_pixels, screen.height_in_pixels));
        Ok(Self { connection, root, size })
    }

    fn atom(&self, name: &str) -> Result<Atom, DeviceFault> {
        Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }

    /// The windows that the window manager lists.
    fn windows(&self) -> Result<Vec<Window>, DeviceFault> {
        let list = self.atom("_NET_CLIENT_LIST")?;
        let asked = self.connection.get_property(false, self.root, list, AtomEnum::WINDOW, 0, 4096);
        let told = asked?.reply()?;
        let windows = told.value32().ok_or_else(|| {
            DeviceFault::missing(FailureKind::NoService, "no window manager that lists windows")
        })?;
        Ok(windows.collect())
    }

    /// True if a window's class or instance is one of these names.
    fn is_of(&self, window: Window, names: &[String]) -> bool {
        let asked =
            self.connection.get_property(false, window, AtomEnum::WM_CLASS, AtomEnum::STRING, 0, 256).ok();
        let Some(told) = asked.and_then(|asked| asked.reply().ok()) else { return false };
        let classes =
            told.value.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).to_lowercase());
        classes.filter(|class| !class.is_empty()).any(|class| names.contains(&class))
    }

    fn ask_to_close(&self, window: Window) -> Result<(), DeviceFault> {
        let close = self.atom("_NET_CLOSE_WINDOW")?;
        // The second number marks it as a person's wish, sent through a program such as a pager.
        let event = ClientMessageEvent::new(32, window, close, [x11rb::CURRENT_TIME, 2, 0, 0, 0]);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        Ok(self.connection.send_event(false, self.root, mask, event)?.check()?)
    }

    /// Width, height, and red, green and blue of each pixel.
    fn pixels(&self) -> Result<(u16, u16, Vec<u8>), DeviceFault> {
        let (width, height) = self.size;
        let asked =
            self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, width, height, u32::MAX);
        let image = asked?.reply()?;
        let setup = self.connection.setup();
        let format = setup.pixmap_formats.iter().find(|format| format.depth == image.depth);
        let four_bytes = format.is_some_and(|format| format.bits_per_pixel == 32);
        if !four_bytes || !matches!(image.depth, 24 | 32) {
            return Err(DeviceFault::failed(format!(
                "its pictures are of another kind ({} bits)",
                image.depth
            )));
        }
        let swapped = setup.image_byte_order == ImageOrder::MSB_FIRST;
        let rgb = image.data.chunks_exact(4).flat_map(|pixel| match (pixel, swapped) {
            ([_, red, green, blue], true) | ([blue, green, red, _], false) => [*red, *green, *blue],
            _ => [0; 3],
        });
        Ok((width, height, rgb.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/null", folder.path().join("a.png")).unwrap();
        assert_eq!(new_file(folder.path(), "a").unwrap().0, folder.path().join("a (2).png"));
        assert_eq!(new_file(folder.path(), "a").unwrap().0, folder.path().join("a (3).png"));
    }
}
