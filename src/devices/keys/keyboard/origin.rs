//! Decides whether only a hand can press a keyboard. Pure.

/// The kernel's facts about a device and its node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Its position in the machine: its folder below `/sys`, without symbolic links. No program can choose this.
    pub place: String,
    /// The kind of its bus, such as 3 for USB and 5 for Bluetooth.
    pub bus: u16,
    /// Its vendor id.
    pub vendor: u16,
    /// Its product id.
    pub product: u16,
    /// Its name, as it reports itself.
    pub name: String,
    /// Its address or serial number, as it reports itself.
    pub serial: String,
    /// The permissions of its node.
    pub mode: u32,
    /// The owner of its node.
    pub uid: u32,
    /// The group of its node.
    pub gid: u32,
}

impl About {
    /// The key of its enrolment.
    #[must_use]
    pub fn entry(&self) -> String {
        let Self { bus, vendor, product, serial, name, .. } = self;
        format!("{bus:04x}:{vendor:04x}:{product:04x} {serial} {name}")
    }

    /// Whether enrolment would help: a Bluetooth keyboard is below `uhid`, which only root can write to.
    #[must_use]
    pub fn enrollable(&self) -> bool {
        self.place.starts_with("/sys/devices/virtual/misc/uhid/")
    }
}

/// Why the presses of a device do not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTrusted {
    /// Programs of this user may write to its node.
    #[error(
        "every program of user {0} can press its keys: take the user out of the group of the node (gpasswd -d)"
    )]
    Writable(u32),
    /// The kernel does not report its position in the machine.
    #[error("the kernel does not say where it is")]
    Nowhere,
    /// A program or another machine makes its presses.
    #[error("{0}")]
    Made(&'static str),
    /// The same, as far as the kernel knows. A Bluetooth keyboard looks like this until it is enrolled.
    #[error("{0}, as far as the kernel knows; where it is your Bluetooth keyboard: sudo guarda keys enroll")]
    NotEnrolled(&'static str),
}

/// The places of devices made by programs, with the mechanism.
const MADE: [(&str, &str); 3] = [
    ("/sys/devices/virtual/", "a program makes its presses"),
    ("/sys/devices/platform/vhci_hcd", "it comes over the network (USB/IP)"),
    ("/sys/devices/platform/dummy_hcd", "a program makes its presses (USB gadget)"),
];

/// Whether the presses of this device count for a user who is in these groups.
///
/// # Errors
/// [`NotTrusted`], if they do not.
pub fn judge(about: &About, enrolled: &[String], user: u32, groups: &[u32]) -> Result<(), NotTrusted> {
    // Anyone who may write to the node can put presses into a real keyboard.
    let writes = about.mode & 0o002 != 0
        || (about.mode & 0o200 != 0 && about.uid == user)
        || (about.mode & 0o020 != 0 && groups.contains(&about.gid));
    if writes {
        return Err(NotTrusted::Writable(user));
    }
    if !about.place.starts_with("/sys/devices/") || about.place.contains("/../") {
        return Err(NotTrusted::Nowhere);
    }
    let Some((_, why)) = MADE.iter().find(|(place, _)| about.place.starts_with(place)) else { return Ok(()) };
    if !about.enrollable() {
        return Err(NotTrusted::Made(why));
    }
    if enrolled.iter().any(|entry| *entry == about.entry()) {
        return Ok(());
    }
    Err(NotTrusted::NotEnrolled(why))
}
