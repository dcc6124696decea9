//! The unsafe code of the project: receives a system call of other programs and answers it in the kernel's place
//! (seccomp_unotify(2)), and starts a program whose folder can be asked for ([`following`]).
//!
//! No well-kept crate wraps these calls. Safe code elsewhere decides about a call, and what is started.

pub mod following;

use std::io;
use std::os::fd::{AsFd as _, FromRawFd as _, OwnedFd};

use rustix::ioctl::{Opcode, Setter, Updater};
use rustix::thread::Pid;

/// The offsets in `seccomp_data` of the call's number and of its architecture.
const NUMBER: u32 = 0;
const TABLE: u32 = 4;
/// `AUDIT_ARCH_…` of this processor.
#[cfg(target_arch = "x86_64")]
const THIS_TABLE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const THIS_TABLE: u32 = 0xC000_00B7;
#[cfg(target_arch = "riscv64")]
const THIS_TABLE: u32 = 0xC000_00F3;

const RECEIVE: Opcode = libc::SECCOMP_IOCTL_NOTIF_RECV as Opcode;
const SEND: Opcode = libc::SECCOMP_IOCTL_NOTIF_SEND as Opcode;
const IS_VALID: Opcode = libc::SECCOMP_IOCTL_NOTIF_ID_VALID as Opcode;

/// Receives the calls of a filtered thread and of everything that it starts. When it is closed, they fail
/// with `ENOSYS`.
#[derive(Debug)]
pub struct Listener(OwnedFd);

/// A system call that waits for its answer.
#[derive(Debug)]
pub struct Call {
    id: u64,
    /// The thread that made it.
    pub thread: Pid,
    /// Its arguments. Pointers lead to the thread's memory, which can change at any time.
    pub arguments: [u64; 6],
}

impl Listener {
    /// From now on, this system call of the calling thread, and of everything that it starts, is reported here instead of executed.
    /// Programs with another architecture's system calls get `EPERM` for each.
    ///
    /// # Errors
    /// If the kernel has no such notification, the thread may gain privileges (`no_new_privs` is not set), or there is
    /// another listener already.
    #[expect(unsafe_code, reason = "there is no safe function for seccomp(2) with a listener")]
    pub fn begin(call: i64) -> io::Result<Self> {
        let number = u32::try_from(call).map_err(io::Error::other)?;
        let step = |code: u32, otherwise: u8, k: u32| {
            let code = u16::try_from(code).unwrap_or(u16::MAX);
            libc::sock_filter { code, jt: 0, jf: otherwise, k }
        };
        let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        let is = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
        let end = libc::BPF_RET | libc::BPF_K;
        let mut steps = [
            step(load, 0, TABLE),
            step(is, 3, THIS_TABLE),
            step(load, 0, NUMBER),
            step(is, 2, number),
            step(end, 0, libc::SECCOMP_RET_USER_NOTIF),
            step(end, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs()),
            step(end, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: 7, filter: steps.as_mut_ptr() };
        let listen = |flags: libc::c_ulong| {
            // SAFETY: seccomp(2) reads `program` and the steps that it points to, and keeps neither. Both
            // outlive the call.
            let listener = unsafe {
                libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
            };
            match i32::try_from(listener) {
                Ok(listener @ 0..) => Ok(listener),
                _ => Err(io::Error::last_os_error()),
            }
        };
        // Signals must not restart a call while it is answered; before Linux 5.19 they could.
        let killable = libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
        let listener = match listen(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | killable) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                listen(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER)
            }
            listener => listener,
        }?;
        // SAFETY: the kernel has just created this descriptor for us, and no other code knows its number.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(listener) }))
    }

    /// Waits for the next call.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if the thread ended meanwhile; waiting can continue. Any other error means that no
    /// more calls come.
    #[expect(unsafe_code, reason = "there is no safe function for this request")]
    pub fn next(&self) -> io::Result<Call> {
        let mut heard = libc::seccomp_notif {
            id: 0,
            pid: 0,
            flags: 0,
            data: libc::seccomp_data { nr: 0, arch: 0, instruction_pointer: 0, args: [0; 6] },
        };
        // SAFETY: the request fills in a `seccomp_notif`, which has to be zero before.
        let request = unsafe { Updater::<RECEIVE, _>::new(&mut heard) };
        // SAFETY: as above; the descriptor is a listener of seccomp.
        unsafe { rustix::ioctl::ioctl(&self.0, request) }?;
        let thread = i32::try_from(heard.pid).ok().and_then(Pid::from_raw);
        // A thread outside this process's namespace has no id here.
        let thread = thread.ok_or(io::ErrorKind::NotFound)?;
        Ok(Call { id: heard.id, thread, arguments: heard.data.args })
    }

    /// True if the call still waits, so that everything read of its thread in the meantime belonged to that
    /// thread.
    #[expect(unsafe_code, reason = "there is no safe function for this request")]
    pub fn still_waits(&self, call: &Call) -> bool {
        // SAFETY: the request reads a number of 64 bits.
        let request = unsafe { Setter::<IS_VALID, u64>::new(call.id) };
        // SAFETY: as above; the descriptor is a listener of seccomp.
        unsafe { rustix::ioctl::ioctl(&self.0, request) }.is_ok()
    }

    /// Completes a call with success or with this error.
    ///
    /// # Errors
    /// If the call no longer waits.
    #[expect(unsafe_code, reason = "there is no safe function for this request")]
    pub fn answer(&self, call: &Call, outcome: rustix::io::Result<()>) -> io::Result<()> {
        let error = outcome.err().map_or(0, |error| error.raw_os_error().wrapping_neg());
        // No flags: the kernel never continues the call itself.
        let mut answer = libc::seccomp_notif_resp { id: call.id, val: 0, error, flags: 0 };
        // SAFETY: the request reads a `seccomp_notif_resp`.
        let request = unsafe { Updater::<SEND, _>::new(&mut answer) };
        // SAFETY: as above; the descriptor is a listener of seccomp.
        Ok(unsafe { rustix::ioctl::ioctl(self.0.as_fd(), request) }?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail loudly")]
mod tests {
    use super::*;

    /// `uname` has no relevant arguments, and the tests' own threads do not call it.
    #[test]
    fn a_call_is_reported_and_gets_the_answer_that_was_given() {
        let (tell, told) = std::sync::mpsc::channel();
        let (done, end) = std::sync::mpsc::channel::<()>();
        let caller = std::thread::spawn(move || {
            rustix::thread::set_no_new_privs(true).unwrap();
            let me = rustix::thread::gettid();
            tell.send((me, Listener::begin(libc::SYS_setpriority).unwrap())).unwrap();
            let error = || rustix::process::setpriority_user(rustix::process::Uid::ROOT, 0);
            let outcomes = [error(), error()];
            end.recv().unwrap();
            outcomes
        });
        let (thread, listener) = told.recv().unwrap();
        for outcome in [Ok(()), Err(rustix::io::Errno::NOTSUP)] {
            let call = listener.next().unwrap();
            assert_eq!((call.thread, call.arguments[0]), (thread, 2));
            assert!(listener.still_waits(&call));
            listener.answer(&call, outcome).unwrap();
            assert!(!listener.still_waits(&call));
            assert!(listener.answer(&call, Ok(())).is_err());
        }
        done.send(()).unwrap();
        assert_eq!(caller.join().unwrap(), [Ok(()), Err(rustix::io::Errno::NOTSUP)]);
    }

    #[test]
    fn nothing_listens_twice() {
        std::thread::spawn(|| {
            rustix::thread::set_no_new_privs(true).unwrap();
            let _first = Listener::begin(libc::SYS_acct).unwrap();
            assert_eq!(Listener::begin(libc::SYS_acct).unwrap_err().raw_os_error(), Some(libc::EBUSY));
        })
        .join()
        .unwrap();
    }
}
