//! The ports on which this process itself listens: proc_pid_net(5).

use std::collections::HashSet;
use std::io;
use std::net::IpAddr;

use guarda_core::network::AddressClass;

/// `TCP_LISTEN`, as the kernel's table writes it.
const LISTENS: &str = "0A";

/// The TCP ports on which this process listens. No run may reach the guard through them.
///
/// # Errors
/// If the kernel's tables cannot be read.
pub fn listening_ports() -> io::Result<Vec<u16>> {
    let mut own = HashSet::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        // The descriptor of this listing no longer exists.
        let Ok(target) = std::fs::read_link(entry?.path()) else { continue };
        let target = target.to_string_lossy();
        own.extend(
            target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']')).map(str::to_owned),
        );
    }
    let mut ports = Vec::new();
    for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        match std::fs::read_to_string(table) {
            Ok(text) => ports.extend(listening(&text, &own)),
            // A kernel without IPv6.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    ports.retain(|port| !super::publish::is_published(*port));
    ports.sort_unstable();
    ports.dedup();
    Ok(ports)
}

/// True if an address is one of this machine's, of whatever kind: a service on all addresses is reachable by
/// each.
pub(super) fn is_this_machine(address: IpAddr) -> bool {
    let own = || {
        let all = nix::ifaddrs::getifaddrs().ok()?;
        let ip = |address: &nix::sys::socket::SockaddrStorage| {
            let v4 = || address.as_sockaddr_in().map(|address| IpAddr::V4(address.ip()));
            address.as_sockaddr_in6().map(|address| IpAddr::V6(address.ip())).or_else(v4)
        };
        Some(all.filter_map(|interface| ip(&interface.address?)).any(|own| own == address))
    };
    // If the addresses cannot be listed, any of them could be this machine's.
    matches!(AddressClass::of(address), AddressClass::Loopback | AddressClass::Unspecified)
        || own().unwrap_or(true)
}

/// The ports of listening sockets with one of these inodes, from a table's lines.
fn listening(text: &str, own: &HashSet<String>) -> Vec<u16> {
    let port = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        let (_, port) = local.rsplit_once(':')?;
        (*state == LISTENS && own.contains(*inode)).then(|| u16::from_str_radix(port, 16).ok())?
    };
    text.lines().skip(1).filter_map(port).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_this_machine_is_its_own() {
        let own = nix::ifaddrs::getifaddrs().unwrap();
        let own: Vec<IpAddr> =
            own.filter_map(|interface| Some(IpAddr::V4(interface.address?.as_sockaddr_in()?.ip()))).collect();
        assert!(own.contains(&"127.0.0.1".parse().unwrap()));
        assert!(own.iter().all(|address| is_this_machine(*address)), "{own:?}");
        for (address, is) in [("127.9.9.9", true), ("0.0.0.0", true), ("::1", true), ("93.184.216.34", false)]
        {
            assert_eq!(is_this_machine(address.parse().unwrap()), is, "{address}");
        }
    }

    #[test]
    fn a_listener_of_this_process_is_found_and_a_connection_is_not() {
        let listeners =
            ["127.0.0.1:0", "[::]:0"].map(|address| std::net::TcpListener::bind(address).unwrap());
        let client = std::net::TcpStream::connect(listeners[0].local_addr().unwrap()).unwrap();
        let ports = listening_ports().unwrap();
        for listener in &listeners {
            assert!(ports.contains(&listener.local_addr().unwrap().port()));
        }
        assert!(!ports.contains(&client.local_addr().unwrap().port()));
    }
}
