//! What a cell that can do no harm may not change.

use seccompiler::SeccompCmpOp;

use super::rule::{CallRules, rule};

/// Calls that change a file's attributes, which Landlock does not cover.
pub(super) const ATTRIBUTES: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // setxattrat and removexattrat (Linux 6.13), not yet named in libc
    463,
    466,
    libc::SYS_truncate,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Netlink queries about addresses, routes and sockets, as `ip` and `ss` make them. Changes through them
/// require administrator rights, and they reach only the kernel.
const NETLINK_READS: [i32; 2] = [libc::NETLINK_ROUTE, libc::NETLINK_SOCK_DIAG];

/// Commands of `fcntl` that libc does not name.
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;

/// For a cell that can do no harm: refuses every outside change that Landlock does not cover.
pub(super) fn unchanged(rules: &mut CallRules) -> Result<(), seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    for call in ATTRIBUTES {
        rules.insert(*call, Vec::new());
    }
    // Truncating a file that is opened for reading: Landlock covers this from ABI 3 on.
    let cut = u64::from(libc::O_TRUNC.unsigned_abs());
    let mode = u64::from(libc::O_ACCMODE.unsigned_abs());
    for (call, flags) in [
        (libc::SYS_openat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1),
    ] {
        rules.entry(call).or_default().push(rule(&[(flags, MaskedEq(mode | cut), cut)])?);
    }
    // A lease delays the next process that opens the file. A folder's change notice can signal another
    // process.
    let leases = [libc::F_SETLEASE, libc::F_NOTIFY, libc::F_SETOWN, F_SETSIG, F_SETOWN_EX];
    let leases = leases.map(|command| rule(&[(1, Eq, u64::from(command.unsigned_abs()))]));
    rules.insert(libc::SYS_fcntl, leases.into_iter().collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_sched_setaffinity, vec![rule(&[(0, Ne, 0)])?]);
    rules.insert(libc::SYS_migrate_pages, vec![rule(&[(0, Ne, 0)])?]);
    rules.insert(libc::SYS_move_pages, vec![rule(&[(0, Ne, 0)])?]);
    let netlink = u64::from(libc::AF_NETLINK.unsigned_abs());
    let mut other = vec![(0, Eq, netlink)];
    other.extend(NETLINK_READS.map(|protocol| (2, Ne, u64::from(protocol.unsigned_abs()))));
    rules.insert(libc::SYS_socket, vec![rule(&[(0, Ne, netlink)])?, rule(&other)?]);
    Ok(())
}
