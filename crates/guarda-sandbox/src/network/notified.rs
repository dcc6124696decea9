//! A run's network without namespaces: its programs connect nothing themselves.
//!
//! The kernel reports each `connect` to the supervisor (seccomp_unotify(2)). The supervisor reads the address
//! once and connects the program's own socket to a listener of its own, never to that address. The other end
//! goes to the guard together with the address, which is judged there like any other. Programs have no other
//! way to send: the system call filter closes them, and so does Landlock, which permits no connection to them
//! and does not apply to the supervisor.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use guarda_core::output::NotHeld;
use guarda_notify::{Call, Listener};
use nix::sys::uio::RemoteIoVec;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags};

use crate::ipc;

/// The most connections that wait to be accepted.
pub(super) const BACKLOG: i32 = 4096;
/// How long the supervisor waits for its own connection on the loopback interface.
const PATIENCE: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };
/// The pause after a failed receive of a report.
const PAUSE: Duration = Duration::from_millis(50);
/// The lengths of `sockaddr_in` and `sockaddr_in6`. The kernel also accepts the latter without its last
/// field.
const LENGTH_4: usize = 16;
const LENGTH_6: usize = 28;
const LEAST_6: usize = 24;

/// The supervisor's end: it connects for the programs and sends the connections to the guard.
#[derive(Debug)]
pub(crate) struct Door {
    four: TcpListener,
    /// Absent without IPv6.
    six: Option<TcpListener>,
    guard: OwnedFd,
}

impl Door {
    /// Opens it. The second value is the guard's end, where connections arrive ([`ipc::next_connection`]).
    ///
    /// # Errors
    /// Why the supervisor cannot connect for programs on this machine.
    pub(crate) fn open() -> Result<(Self, OwnedFd), NotHeld> {
        let failed = |what: &'static str| move |error: io::Error| NotHeld(format!("{what}: {error}"));
        // From level 2 on, Yama lets only the administrator inspect other processes.
        let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
        if matches!(scope.trim(), "2" | "3") {
            return Err(NotHeld(
                "kernel.yama.ptrace_scope lets no process look into its children".to_owned(),
            ));
        }
        // Containers often refuse this call.
        own_socket(rustix::process::getpid(), 0)
            .map_err(|error| failed("the sockets of programs cannot be taken")(error.into()))?;
        let bind = |address: IpAddr| -> io::Result<TcpListener> {
            let listener = TcpListener::bind((address, 0))?;
            rustix::net::listen(&listener, BACKLOG)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let four = bind(Ipv4Addr::LOCALHOST.into()).map_err(failed("the supervisor cannot listen"))?;
        let (guard, theirs) = ipc::pair().map_err(failed("the supervisor cannot be reached"))?;
        Ok((Self { four, six: bind(Ipv6Addr::LOCALHOST.into()).ok(), guard }, theirs))
    }

    /// Serves the calls of this thread and of everything that it starts from now on. The calling thread must not be
    /// restricted yet; `restrict` restricts it, and installs the listener as its last step.
    ///
    /// # Errors
    /// Those of `restrict`, or if no thread can be started.
    pub(crate) fn attend(self, restrict: impl FnOnce()) -> io::Result<Result<(), NotHeld>> {
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::Builder::new().name("network".into()).spawn(move || {
            if let Ok(calls) = told.recv() {
                self.serve(&calls);
            }
        })?;
        restrict();
        let listens =
            Listener::begin(libc::SYS_connect).and_then(|calls| tell.send(calls).map_err(io::Error::other));
        Ok(listens.map_err(|error| NotHeld(format!("system calls cannot be reported: {error}"))))
    }

    fn serve(&self, calls: &Listener) {
        loop {
            match calls.next() {
                // The caller may have ended in the meantime.
                Ok(call) => drop(calls.answer(&call, self.connect(calls, &call))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    tracing::debug!(%error, "a program's connection was not heard of");
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Connects a program's socket to this door, and sends the other end to the guard.
    fn connect(&self, calls: &Listener, call: &Call) -> rustix::io::Result<()> {
        let [number, place, length, ..] = call.arguments;
        let number = i32::try_from(number & u64::from(u32::MAX)).map_err(|_negative| Errno::BADF)?;
        let process = process_of(call.thread)?;
        let meant = address(call.thread, place, length)?;
        let socket = own_socket(process, number)?;
        // The caller was still waiting, so its memory, process and socket were the ones that were read.
        if !calls.still_waits(call) {
            return Err(Errno::SRCH);
        }
        let kind = rustix::net::sockopt::socket_type(&socket)?;
        let to = match (rustix::net::sockopt::socket_domain(&socket)?, &self.six, meant) {
            _ if kind != SocketType::STREAM => return Err(Errno::PERM),
            (AddressFamily::INET, _, SocketAddr::V4(_)) => self.four.local_addr(),
            (AddressFamily::INET6, Some(six), _) => six.local_addr(),
            (AddressFamily::INET6, None, _) => self.four.local_addr().map(|four| match four {
                SocketAddr::V4(four) => SocketAddr::from((four.ip().to_ipv6_mapped(), four.port())),
                six => six,
            }),
            _ => return Err(Errno::AFNOSUPPORT),
        };
        let to = to.map_err(|_closed| Errno::CONNREFUSED)?;
        // Some programs check in this way whether their connection is established.
        let stands = rustix::net::getpeername(&socket).is_ok();
        let outcome = rustix::net::connect(&socket, &to);
        if stands {
            return outcome;
        }
        // A non-blocking socket has its connection in progress, and the program waits for it as usual.
        if !matches!(outcome, Ok(()) | Err(Errno::INPROGRESS)) {
            return outcome;
        }
        let from: SocketAddr =
            rustix::net::getsockname(&socket)?.try_into().map_err(|_other| Errno::AFNOSUPPORT)?;
        let stream = self.accept(to, from)?;
        let meant = SocketAddr::new(meant.ip().to_canonical(), meant.port());
        ipc::pass_connection(self.guard.as_fd(), meant, stream.as_fd())
            .map_err(|_guard_gone| Errno::CONNREFUSED)?;
        outcome
    }

    /// Accepts the connection from this address. Others come from programs outside the run and are closed.
    fn accept(&self, to: SocketAddr, from: SocketAddr) -> rustix::io::Result<TcpStream> {
        let four = || (&self.four, from.ip().to_canonical());
        let (listener, from_ip) = match &self.six {
            Some(six) if to.is_ipv6() => (six, from.ip()),
            _ => four(),
        };
        loop {
            let ready = rustix::event::poll(&mut [PollFd::new(listener, PollFlags::IN)], Some(&PATIENCE))?;
            if ready == 0 {
                return Err(Errno::TIMEDOUT);
            }
            match listener.accept() {
                Ok((stream, peer)) if (peer.ip(), peer.port()) == (from_ip, from.port()) => {
                    return Ok(stream);
                }
                Ok(_other) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
            }
        }
    }
}

/// The process of a thread: the id of its leader, which is needed to open the process.
fn process_of(thread: Pid) -> rustix::io::Result<Pid> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", thread.as_raw_nonzero()));
    let status = status.map_err(|_gone| Errno::SRCH)?;
    let number = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok());
    number.and_then(Pid::from_raw).ok_or(Errno::SRCH)
}

/// A duplicate of a process's socket.
fn own_socket(process: Pid, number: i32) -> rustix::io::Result<OwnedFd> {
    let process = rustix::process::pidfd_open(process, PidfdFlags::empty())?;
    rustix::process::pidfd_getfd(process, number, PidfdGetfdFlags::empty())
}

/// The address in a thread's memory. It is read once.
fn address(thread: Pid, place: u64, length: u64) -> rustix::io::Result<SocketAddr> {
    let length = usize::try_from(length & u64::from(u32::MAX)).map_err(|_long| Errno::INVAL)?;
    let base = usize::try_from(place).map_err(|_far| Errno::FAULT)?;
    let mut bytes = [0; LENGTH_6];
    let wanted = length.min(LENGTH_6);
    let into = bytes.get_mut(..wanted).ok_or(Errno::INVAL)?;
    let thread = nix::unistd::Pid::from_raw(thread.as_raw_nonzero().get());
    let got = nix::sys::uio::process_vm_readv(
        thread,
        &mut [io::IoSliceMut::new(into)],
        &[RemoteIoVec { base, len: wanted }],
    );
    match got.map_err(|error| Errno::from_raw_os_error(error as i32))? {
        got if got == wanted => parse(bytes.get(..wanted).unwrap_or_default()),
        _ => Err(Errno::FAULT),
    }
}

/// The address in a `sockaddr_in` or `sockaddr_in6`.
fn parse(bytes: &[u8]) -> rustix::io::Result<SocketAddr> {
    let family =
        bytes.first_chunk().map(|family| i32::from(u16::from_ne_bytes(*family))).ok_or(Errno::INVAL)?;
    let field = |at: usize| bytes.get(at..).ok_or(Errno::INVAL);
    let port = field(2)?.first_chunk().map(|port| u16::from_be_bytes(*port)).ok_or(Errno::INVAL)?;
    let four = || Some(Ipv4Addr::from(*bytes.get(4..)?.first_chunk::<4>()?));
    let six = || Some(Ipv6Addr::from(*bytes.get(8..)?.first_chunk::<16>()?));
    let ip: Option<IpAddr> = match family {
        libc::AF_INET if bytes.len() >= LENGTH_4 => four().map(IpAddr::from),
        libc::AF_INET6 if bytes.len() >= LEAST_6 => six().map(IpAddr::from),
        libc::AF_INET | libc::AF_INET6 => None,
        _ => return Err(Errno::AFNOSUPPORT),
    };
    ip.map(|ip| SocketAddr::new(ip, port)).ok_or(Errno::INVAL)
}

/// In addition to the proxy variables: makes the C library resolve names over TCP (resolv.conf(5)), since
/// datagrams are refused.
pub(crate) fn resolver() -> (&'static str, &'static str) {
    ("RES_OPTIONS", "use-vc timeout:5 attempts:2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_the_kernel_reads_it_or_not_at_all() {
        let v4 = |family: i32| {
            [&u16::try_from(family).unwrap().to_ne_bytes()[..], &[1, 187, 192, 0, 2, 9], &[0; 8]].concat()
        };
        let v6 = [
            &u16::try_from(libc::AF_INET6).unwrap().to_ne_bytes()[..],
            &[0, 80, 0, 0, 0, 0],
            &Ipv6Addr::LOCALHOST.octets(),
            &[0; 4],
        ]
        .concat();
        assert_eq!(parse(&v4(libc::AF_INET)), Ok("192.0.2.9:443".parse().unwrap()));
        assert_eq!(parse(&v6), Ok("[::1]:80".parse().unwrap()));
        for (bytes, error) in [
            (&v4(libc::AF_INET)[..15], Errno::INVAL),
            (&v6[..23], Errno::INVAL),
            (&v4(libc::AF_INET6)[..], Errno::INVAL),
            (&v4(libc::AF_UNSPEC)[..], Errno::AFNOSUPPORT),
            (&v4(libc::AF_UNIX)[..], Errno::AFNOSUPPORT),
            (&[2][..], Errno::INVAL),
            (&[][..], Errno::INVAL),
        ] {
            assert_eq!(parse(bytes), Err(error), "{bytes:?}");
        }
    }
}
