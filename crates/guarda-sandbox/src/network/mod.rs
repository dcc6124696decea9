//! A network of a run's own, in which only the guard can be reached (feature N8).
//!
//! The supervisor enters a network namespace that has only the loopback interface, opens the guard's
//! listeners in it, and sends them over its socket. Two routes keep every packet inside, and a redirect
//! brings each TCP connection to the guard, whatever its intended address. The redirect is for compatibility.
//! The protection is that nothing else exists: a packet that evades it reaches no machine.

mod inside;
pub(super) mod netlink;
mod notified;
pub(super) mod watch;

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use guarda_core::output::NotHeld;
use nix::sched::CloneFlags;
use nix::sys::socket::{getsockopt, sockopt};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, mount_remount, unmount,
};
use rustix::net::AddressFamily;

pub(crate) use inside::{Inside, MOST as MOST_INSIDE};
use notified::BACKLOG;
pub(crate) use notified::{Door, resolver};

use super::ipc::{self, Report};

/// The guard's port in the cell: for clients that use it as a proxy, and for redirected connections. No
/// program in the cell may bind a port below 1024.
pub const PORT: u16 = 1023;
/// The DNS port.
pub(crate) const DNS: u16 = 53;
/// Sockets and files of services that resolve names for others. They would ask upstream.
const SERVICES: &[&str] =
    &["/run/systemd/resolve", "/run/nscd", "/run/NetworkManager", "/run/resolvconf", "/run/avahi-daemon"];
const RESOLVER: &str = "/etc/resolv.conf";
const SWITCH: &str = "/etc/nsswitch.conf";
/// Where the cell's own files are written; covered by a mount meanwhile.
const ROOM: &str = "/tmp";

/// How a run's connections come to the guard.
#[derive(Debug)]
pub enum Ends {
    /// The guard accepts them in the run's own namespace.
    Own(Listeners),
    /// The supervisor sends them over this socket, without namespaces.
    Notified(OwnedFd),
}

/// The guard's ends of a run's network. They are in the run's own namespace, so every client is in the cell.
#[derive(Debug)]
pub struct Listeners {
    /// Accepts connections. `SO_ORIGINAL_DST` of an accepted one gives its intended address; loopback with
    /// [`PORT`] means the guard itself, as a proxy.
    pub tcp: TcpListener,
    /// Receives name queries as datagrams. Answers go back to the sender's address.
    pub dns: UdpSocket,
    /// Accepts connections for name queries.
    pub dns_tcp: TcpListener,
    /// Unconnected sockets, by which the guard reaches ports of the run.
    pub inside: Vec<OwnedFd>,
}

impl Ends {
    /// Rebuilds the ends from files received over the socket.
    ///
    /// # Errors
    /// If they are neither those of [`Listeners::files`] nor the one socket of [`Ends::Notified`].
    pub(super) fn received(files: Vec<OwnedFd>) -> io::Result<Self> {
        let mut files = files.into_iter();
        match (files.next(), files.next(), files.next()) {
            (Some(only), None, None) => Ok(Self::Notified(only)),
            (Some(tcp), Some(dns), Some(dns_tcp)) => {
                let inside = files.collect();
                Ok(Self::Own(Listeners { tcp: tcp.into(), dns: dns.into(), dns_tcp: dns_tcp.into(), inside }))
            }
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

impl From<Listeners> for Ends {
    fn from(listeners: Listeners) -> Self {
        Self::Own(listeners)
    }
}

impl Listeners {
    /// The files to send to the guard.
    pub(super) fn files(&self) -> Vec<std::os::fd::BorrowedFd<'_>> {
        let inside = self.inside.iter().map(AsFd::as_fd);
        [self.tcp.as_fd(), self.dns.as_fd(), self.dns_tcp.as_fd()].into_iter().chain(inside).collect()
    }

    fn open(address: impl Fn(u16) -> SocketAddr, inside: Vec<OwnedFd>) -> io::Result<Self> {
        let tcp = TcpListener::bind(address(PORT))?;
        // `listen` on a listening socket only changes the backlog.
        rustix::net::listen(&tcp, BACKLOG)?;
        let dns_tcp = TcpListener::bind(address(DNS))?;
        let own = Self { tcp, dns: UdpSocket::bind(address(DNS))?, dns_tcp, inside };
        own.tcp.set_nonblocking(true)?;
        own.dns.set_nonblocking(true)?;
        own.dns_tcp.set_nonblocking(true)?;
        Ok(own)
    }
}

/// The intended address of a connection that [`Listeners::tcp`] accepted.
///
/// # Errors
/// If the connection no longer exists.
pub fn original_destination(connection: &impl AsFd) -> io::Result<SocketAddr> {
    let own: SocketAddr = rustix::net::getsockname(connection)?.try_into()?;
    let own = SocketAddr::new(own.ip().to_canonical(), own.port());
    let meant = match own {
        SocketAddr::V4(_) => getsockopt(connection, sockopt::OriginalDst).map(|meant| {
            let address = Ipv4Addr::from(u32::from_be(meant.sin_addr.s_addr));
            SocketAddr::from((address, u16::from_be(meant.sin_port)))
        }),
        SocketAddr::V6(_) => getsockopt(connection, sockopt::Ip6tOriginalDst).map(|meant| {
            let address = Ipv6Addr::from(meant.sin6_addr.s6_addr);
            SocketAddr::from((address, u16::from_be(meant.sin6_port)))
        }),
    };
    match meant {
        // It was not redirected.
        Err(nix::errno::Errno::ENOENT | nix::errno::Errno::ENOPROTOOPT) => Ok(own),
        meant => Ok(meant?),
    }
}

/// Gives this process a network of its own, with the guard at its other end. Only a single-threaded process may call
/// this.
///
/// `loopback`: ports of this machine's own loopback address that the run may reach instead of its own.
///
/// # Errors
/// The failed step, for people. The process may then already be in an isolated network, and must not get another one.
pub(super) fn make(loopback: &[u16]) -> Result<Listeners, NotHeld> {
    let failed = |what: &'static str| move |error: io::Error| NotHeld(format!("{what}: {error}"));
    enter().map_err(failed("this machine gives no network namespace"))?;
    within(loopback)
}

/// The same inside a new network namespace and mount namespace.
///
/// # Errors
/// As [`make`].
pub(super) fn within(loopback: &[u16]) -> Result<Listeners, NotHeld> {
    let failed = |what: &'static str| move |error: io::Error| NotHeld(format!("{what}: {error}"));
    // A namespace that was granted without its rights (Ubuntu 24.04) fails here.
    netlink::loopback_up().map_err(failed("the loopback interface cannot be brought up"))?;
    let has_ipv6 = UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)).is_ok();
    let mut families = vec![AddressFamily::INET];
    families.extend(has_ipv6.then_some(AddressFamily::INET6));
    for family in families.iter().copied() {
        netlink::route_all_to_loopback(family).map_err(failed("the routes cannot be set"))?;
        netlink::redirect(family, PORT, loopback).map_err(failed("connections cannot be redirected"))?;
    }
    let address = |port| match has_ipv6 {
        true => SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)),
        false => SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)),
    };
    // The guard reaches no other ports of the run.
    let ways = if loopback.is_empty() { &[][..] } else { &families };
    let inside = inside::sockets(ways).map_err(failed("its ports cannot be reached"))?;
    let listeners =
        Listeners::open(address, inside).map_err(failed("the guard's listeners cannot be opened"))?;
    resolve_by_the_guard().map_err(failed("the resolver's files cannot be mounted"))?;
    Ok(listeners)
}

/// Makes the network, sends the guard's ends over the socket at standard input, and executes `program` (its path and
/// arguments) if there is one. Only a single-threaded process may call this.
///
/// # Errors
/// If there is no network, or no such program. Nothing may then be run.
pub(super) fn join(loopback: &str, program: &[OsString]) -> io::Result<()> {
    let stdin = io::stdin();
    let socket = stdin.as_fd();
    // A descriptor that the guard or a library left open must not lead out of the network.
    close_fds::set_fds_cloexec(3, &[]);
    let ports: Result<Vec<u16>, _> =
        loopback.split(',').filter(|port| !port.is_empty()).map(str::parse).collect();
    match ports.map_err(|error| NotHeld(error.to_string())).and_then(|ports| make(&ports)) {
        Ok(listeners) => ipc::report_network(socket, &listeners.files())?,
        Err(NotHeld(why)) => {
            ipc::report(socket, &Report::NoNetwork(why.clone()))?;
            return Err(io::Error::other(why));
        }
    }
    match program.split_first() {
        None => Ok(()),
        Some((file, arguments)) => Err(crate::process::replace(Path::new(file), arguments.iter().cloned())),
    }
}

/// Variables that direct clients to the guard's proxy by host name. Loopback addresses belong to the cell.
pub(super) fn proxy() -> impl Iterator<Item = (&'static str, String)> {
    let proxy = format!("http://127.0.0.1:{PORT}");
    let proxies =
        ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map(|name| (name, proxy.clone()));
    let direct = ["no_proxy", "NO_PROXY"].map(|name| (name, "localhost,127.0.0.1,::1".to_owned()));
    proxies.into_iter().chain(direct)
}

/// Variables that move package caches to the run's temporary folder. The tools fail if they cannot write to
/// the caches in the home folder, and code that one run put there could be executed by another.
pub(super) fn caches(temporary: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> {
    let caches = [("npm_config_cache", "npm"), ("UV_CACHE_DIR", "uv")];
    caches.into_iter().map(|(name, folder)| (name, temporary.join("caches").join(folder)))
}

/// Enters namespaces for the network and the mounts.
fn enter() -> io::Result<()> {
    let own = CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWNS;
    // Root maps the ids of all users if it may; in a container it often may not.
    if !rustix::process::geteuid().is_root() || nix::sched::unshare(own).is_err() {
        crate::isolation::user_namespace::own_user(own)?;
    }
    Ok(())
}

/// Replaces the resolver's configuration files by the cell's own, and hides the services that resolve names.
fn resolve_by_the_guard() -> io::Result<()> {
    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    let resolver = std::fs::canonicalize(RESOLVER).unwrap_or_else(|_absent| RESOLVER.into());
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let tmpfs = |place: &Path| mount("tmpfs", place, "tmpfs", flags, c"mode=755,size=64k,nr_inodes=16");
    for folder in SERVICES.iter().map(Path::new).filter(|folder| folder.is_dir()) {
        tmpfs(folder)?;
        if let Some(above) = resolver.parent().filter(|above| above.starts_with(folder)) {
            std::fs::create_dir_all(above)?;
            std::fs::write(&resolver, "")?;
        }
    }
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    let hosts = format!("127.0.0.1 localhost {host}\n::1 localhost ip6-localhost ip6-loopback\n");
    // Without one of these files a C library uses `/etc/hosts` and the server on 127.0.0.1, which is the
    // guard.
    let files = [
        (resolver, "nameserver 127.0.0.1\noptions timeout:5 attempts:2\n".to_owned()),
        (SWITCH.into(), switch(&std::fs::read_to_string(SWITCH).unwrap_or_default())),
        (PathBuf::from("/etc/hosts"), hosts),
    ];
    // They are in a file system of their own, which is unreachable once it is unmounted.
    tmpfs(Path::new(ROOM))?;
    for (path, text) in files.iter().filter(|(path, _)| path.is_file()) {
        let written = Path::new(ROOM).join(path.file_name().unwrap_or_default());
        std::fs::write(&written, text)?;
        mount_bind(&written, path)?;
        mount_remount(path, flags | MountFlags::BIND | MountFlags::RDONLY, c"")?;
    }
    Ok(unmount(ROOM, UnmountFlags::empty())?)
}

/// nsswitch.conf(5) that resolves hosts only by `/etc/hosts` and DNS, which reach the guard.
fn switch(text: &str) -> String {
    let others = text.lines().filter(|line| !line.trim_start().starts_with("hosts:"));
    let lines = others.chain(["hosts: files dns"]).map(|line| line.to_owned() + "\n");
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_way_to_hosts_is_changed() {
        let text = "passwd: files systemd\n hosts: files mdns4 resolve dns\nservices: db files\n";
        assert_eq!(switch(text), "passwd: files systemd\nservices: db files\nhosts: files dns\n");
        assert_eq!(switch(""), "hosts: files dns\n");
    }
}
