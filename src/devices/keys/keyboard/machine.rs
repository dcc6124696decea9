//! The keyboards of this machine, as the kernel has them.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use evdev::raw_stream::RawDevice;
use evdev::{EventType, KeyCode};

use super::origin::About;

/// The keyboards below a folder of nodes: `/dev/input`.
#[derive(Debug, Clone)]
pub struct Machine {
    folder: PathBuf,
}

impl Machine {
    /// Those of `/dev/input`.
    #[must_use]
    pub fn new() -> Self {
        Self { folder: PathBuf::from("/dev/input") }
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Keyboards for Machine {
    fn nodes(&self) -> std::io::Result<Vec<String>> {
        let mut nodes = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let event =
                path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("event"));
            if event && let Some(path) = path.to_str() {
                nodes.push(path.to_owned());
            }
        }
        nodes.sort_unstable_by_key(|node| (node.len(), node.clone()));
        Ok(nodes)
    }

    fn open(&self, node: &str) -> std::io::Result<Option<Opened>> {
        let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW).bits() as i32;
        let file = File::options().read(true).custom_flags(flags).open(node)?;
        let facts = file.metadata()?;
        if !facts.file_type().is_char_device() {
            return Ok(None);
        }
        let place = place(facts.rdev());
        let device = RawDevice::from_fd(OwnedFd::from(file))?;
        let keys = device.supported_keys();
        let wanted = [KeyCode::KEY_ESC, KeyCode::KEY_Y, KeyCode::KEY_N, KeyCode::KEY_4];
        if !keys.is_some_and(|keys| wanted.iter().all(|key| keys.contains(*key))) {
            return Ok(None);
        }
        let id = device.input_id();
        let about = About {
            place: place.unwrap_or_default(),
            bus: id.bus_type().0,
            vendor: id.vendor(),
            product: id.product(),
            name: shown(device.name()),
            serial: shown(device.unique_name()),
            mode: facts.mode(),
            uid: facts.uid(),
            gid: facts.gid(),
        };
        Ok(Some(Opened { about, events: Box::new(Device { device }) }))
    }
}

/// The position of a device in the machine, by its number. The node's name proves nothing.
fn place(number: u64) -> Option<String> {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let link = Path::new("/sys/dev/char").join(format!("{major}:{minor}/device"));
    Some(std::fs::canonicalize(link).ok()?.to_str()?.to_owned())
}

/// A device's description of itself, made safe for one line of display.
fn shown(text: Option<&str>) -> String {
    text.unwrap_or_default().chars().filter(|c| !c.is_control()).take(80).collect()
}

/// The longest plausible delay of an event: the clock may have been set in the meantime.
const LATEST: Duration = Duration::from_secs(10);

struct Device {
    device: RawDevice,
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl Events for Device {
    fn read(&mut self) -> std::io::Result<Vec<Pressed>> {
        let events = match self.device.fetch_events() {
            Ok(events) => events,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let told = events.filter_map(|event| match event.event_type() {
            EventType::KEY => {
                let ago = event.timestamp().elapsed().unwrap_or_default().min(LATEST);
                Some(Pressed::Key(event.code(), event.value(), ago))
            }
            // The kernel's buffer was full.
            EventType::SYNCHRONIZATION if event.code() == evdev::SynchronizationCode::SYN_DROPPED.0 => {
                Some(Pressed::Missed)
            }
            _ => None,
        });
        Ok(told.collect())
    }

    fn held(&self) -> std::io::Result<Vec<u16>> {
        Ok(self.device.get_key_state()?.iter().map(|key| key.code()).collect())
    }

    fn free(&mut self) -> std::io::Result<()> {
        // Only an exclusive grab proves that nobody else holds it.
        self.device.grab()?;
        self.device.ungrab()
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Device({})", self.device.as_fd().as_raw_fd())
    }
}

/// An event of a keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    /// A key by its number: 0 released, 1 pressed, 2 repeating; and how long ago.
    Key(u16, i32, Duration),
    /// Events were lost.
    Missed,
}

/// A keyboard that is read.
pub trait Events: AsFd + Send {
    /// The events since the last call. Does not block.
    ///
    /// # Errors
    /// If the keyboard has gone.
    fn read(&mut self) -> std::io::Result<Vec<Pressed>>;

    /// The keys that are held at the moment.
    ///
    /// # Errors
    /// If the keyboard has gone.
    fn held(&self) -> std::io::Result<Vec<u16>>;

    /// Whether its presses reach every reader.
    ///
    /// # Errors
    /// If another program has grabbed it, or it has gone.
    fn free(&mut self) -> std::io::Result<()>;
}

/// A keyboard that was opened.
pub struct Opened {
    /// The kernel's facts about it.
    pub about: About,
    /// Its events.
    pub events: Box<dyn Events>,
}

/// A source of keyboards: [`super::Machine`], or a test.
pub trait Keyboards: Send + Sync {
    /// The names of all nodes that may be keyboards.
    ///
    /// # Errors
    /// If there is no folder of nodes.
    fn nodes(&self) -> std::io::Result<Vec<String>>;

    /// Opens one; `None` if it is no keyboard.
    ///
    /// # Errors
    /// If it may not be read, or has disappeared.
    fn open(&self, node: &str) -> std::io::Result<Option<Opened>>;
}
