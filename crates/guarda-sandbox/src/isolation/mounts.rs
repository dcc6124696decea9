//! Reads the kernel's list of mounts: proc_pid_mountinfo(5).

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;
use rustix::mount::{MountFlags, mount_remount};

/// One mount of this process's namespace.
pub(crate) struct Mount {
    /// The mount point.
    pub(crate) place: PathBuf,
    /// The mount's options, separated by commas.
    pub(crate) options: Vec<u8>,
}

/// Reads all mounts.
///
/// # Errors
/// If the list cannot be read or parsed.
pub(crate) fn all() -> io::Result<Vec<Mount>> {
    // The kernel writes as much as fits.
    let mut text = Vec::with_capacity(1 << 14);
    std::fs::File::open("/proc/self/mountinfo")?.read_to_end(&mut text)?;
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| mount(line).ok_or_else(|| io::ErrorKind::InvalidData.into())).collect()
}

/// Takes rights from a mount of this run. Where its file system lets nothing be executed, the kernel refuses an ordinary user a
/// mount that would.
pub(crate) fn restrict(place: &Path, more: MountFlags) -> io::Result<()> {
    let executes = !rustix::fs::statvfs(place)?.f_flag.contains(StatVfsMountFlags::NOEXEC);
    let kept = if executes { MountFlags::empty() } else { MountFlags::NOEXEC };
    let flags = MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV | kept | more;
    Ok(mount_remount(place, flags, c"")?)
}

/// The fifth and sixth fields of a line.
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let (place, options) = (fields.next()?, fields.next()?);
    Some(Mount { place: unescaped(place), options: options.to_owned() })
}

/// A path without its octal escapes for blanks, tabs, line feeds and backslashes.
fn unescaped(field: &[u8]) -> PathBuf {
    let (mut bytes, mut rest) = (Vec::with_capacity(field.len()), field);
    while let Some((first, others)) = rest.split_first() {
        let octal = others.get(..3).filter(|_| *first == b'\\');
        let number = octal.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        (rest, _) = match number {
            Some(byte) => (others.get(3..).unwrap_or_default(), bytes.push(byte)),
            None => (others, bytes.push(*first)),
        };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn mounts_are_read_as_the_kernel_writes_them() {
        let line = b"36 35 98:0 /mnt1 /mnt/with\\040blank\\134 rw,noatime master:1 - ext3 /dev/root rw";
        let read = mount(line).unwrap();
        assert_eq!(read.place, PathBuf::from("/mnt/with blank\\"));
        assert_eq!(read.options, b"rw,noatime");
        assert!(mount(b"36 35 98:0 /mnt1 /mnt").is_none());
        assert!(all().unwrap().iter().any(|mount| mount.place.as_os_str() == "/"));
    }

    #[test]
    fn a_mounted_path_is_read_as_it_is() {
        for (listed, path) in [
            ("/a", "/a"),
            (r"/a\040b\011c\012d\134e", "/a b\tc\nd\\e"),
            (r"/a\04", r"/a\04"),
            (r"/a\999b", r"/a\999b"),
        ] {
            assert_eq!(unescaped(listed.as_bytes()).as_os_str().as_bytes(), path.as_bytes());
        }
    }
}
