//! The brightness of built-in screens, as the kernel shows it in files.

use std::path::{Path, PathBuf};

use super::fault::DeviceFault;
use guarda_core::output::FailureKind;

/// Where Linux shows the screens whose brightness it can set.
pub const FOLDER: &str = "/sys/class/backlight";

/// A screen whose brightness can be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// The kernel's name for it.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The brightness now, in the kernel's units.
    pub value: u32,
    /// The greatest brightness.
    pub most: u32,
}

/// The first screen by name.
///
/// # Errors [`DeviceFault::Absent`] if there is none, as on a desktop machine.
pub fn screen(folder: &Path) -> Result<Screen, DeviceFault> {
    let absent = || {
        DeviceFault::missing(
            FailureKind::NoBacklight,
            "no screen whose brightness can be set; external monitors have their own buttons",
        )
    };
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(folder).map_err(|_| absent())?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders.into_iter().find_map(read).ok_or_else(absent)
}

fn read(folder: PathBuf) -> Option<Screen> {
    let number = |name: &str| std::fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u32>().ok();
    let (value, most) = (number("brightness")?, number("max_brightness").filter(|&most| most > 0)?);
    let name = folder.file_name()?.to_str()?.to_owned();
    Some(Screen { name, folder, value, most })
}

/// Writes the brightness where the file lets us.
///
/// # Errors
/// If it does not.
pub fn write(screen: &Screen, value: u32) -> std::io::Result<()> {
    std::fs::write(screen.folder.join("brightness"), value.to_string())
}
