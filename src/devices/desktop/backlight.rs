//! The brightness of built-in screens, through the kernel's files.

use std::path::{Path, PathBuf};

use crate::devices::fault::DeviceFault;
use guarda_core::output::FailureKind;

/// The folder in which Linux lists screens with adjustable brightness.
pub const FOLDER: &str = "/sys/class/backlight";

/// A screen with adjustable brightness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// The kernel's name for it.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The current brightness, in the kernel's units.
    pub value: u32,
    /// The greatest brightness.
    pub most: u32,
}

/// The first screen by name.
///
/// # Errors
/// [`DeviceFault::Absent`] if there is none, as on a desktop machine.
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

/// Writes the brightness to the kernel's file.
///
/// # Errors
/// If the file cannot be written.
pub fn write(screen: &Screen, value: u32) -> std::io::Result<()> {
    std::fs::write(screen.folder.join("brightness"), value.to_string())
}
