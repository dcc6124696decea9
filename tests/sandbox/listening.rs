//! Listeners on this machine, outside of every cell.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

/// A port of TCP, one of UDP, and an abstract name.
pub struct Listening {
    pub tcp: TcpListener,
    udp: UdpSocket,
    by_name: UnixListener,
    places: [(&'static str, String); 3],
}

impl Listening {
    /// Under a name that no other test uses.
    pub fn new(name: &str) -> Self {
        let tcp = TcpListener::bind("0.0.0.0:0").unwrap();
        let udp = UdpSocket::bind("0.0.0.0:0").unwrap();
        let name = format!("guarda-test-{name}-{}", std::process::id());
        let by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        by_name.set_nonblocking(true).unwrap();
        let port = tcp.local_addr().unwrap().port().to_string();
        let datagrams = udp.local_addr().unwrap().port().to_string();
        Self { tcp, udp, by_name, places: [("port", port), ("datagrams", datagrams), ("name", name)] }
    }

    /// Their addresses as variables of a script: `port`, `datagrams` and `name`.
    pub fn variables(&self) -> [(&'static str, &str); 3] {
        self.places.each_ref().map(|(name, value)| (*name, value.as_str()))
    }

    /// How many of them were reached since the last call.
    pub fn reached(&self) -> usize {
        let reached =
            [self.tcp.accept().is_ok(), self.udp.recv(&mut [0; 9]).is_ok(), self.by_name.accept().is_ok()];
        reached.into_iter().filter(|reached| *reached).count()
    }
}
