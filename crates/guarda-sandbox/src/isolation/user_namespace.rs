//! A user namespace, in which an ordinary user may make the others.

use std::io;

use nix::sched::CloneFlags;

/// Enters new namespaces, including a user namespace in which this process is privileged and keeps its user and group ids.
///
/// # Errors
/// If this user gets none on this machine.
pub(crate) fn own_user(others: CloneFlags) -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    nix::sched::unshare(others | CloneFlags::CLONE_NEWUSER)?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}
