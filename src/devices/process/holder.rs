//! Which process listens on a port of this machine, for the message that it is taken.

use std::net::SocketAddr;

/// The process that listens on this port, as `name (process 4711)`; `None` if it belongs to another user or is not found.
#[must_use]
pub fn of_port(address: SocketAddr) -> Option<String> {
    let inode = find(|line| listener(line, address.port()).map(str::to_owned))?;
    let link = format!("socket:[{inode}]");
    let processes = std::fs::read_dir("/proc").ok()?;
    processes.flatten().find_map(|process| {
        let pid: u32 = process.file_name().to_str()?.parse().ok()?;
        let mut files = std::fs::read_dir(process.path().join("fd")).ok()?.flatten();
        files.find(|file| std::fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == link.as_str()))?;
        let name = std::fs::read_to_string(process.path().join("comm")).ok()?;
        let name: String = name.trim().chars().filter(|c| !c.is_control()).collect();
        Some(format!("{name} (process {pid})"))
    })
}

/// The user whose program holds the other end of a connection on this machine to this port; `None` if it is not found.
#[must_use]
pub fn owner(peer: SocketAddr, port: u16) -> Option<u32> {
    const ESTABLISHED: &str = "01";
    let names = kernel_names(peer);
    find(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (local, remote, state) = (*fields.get(1)?, *fields.get(2)?, *fields.get(3)?);
        let (_, to) = remote.rsplit_once(':')?;
        // The whole address: another user may hold the same port of another one.
        let is = state == ESTABLISHED
            && names.iter().any(|name| name == local)
            && u16::from_str_radix(to, 16) == Ok(port);
        is.then(|| fields.get(7)?.parse().ok()).flatten()
    })
}

/// What the first line of the kernel's tables of connections says for which this says something.
fn find<T>(mut wanted: impl FnMut(&str) -> Option<T>) -> Option<T> {
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        let text = std::fs::read_to_string(table).ok()?;
        text.lines().find_map(&mut wanted)
    })
}

/// How the kernel's tables write an address: its words as numbers of this machine. One of IPv4 may also be in the table of IPv6.
fn kernel_names(address: SocketAddr) -> Vec<String> {
    let words = |octets: &[u8]| -> String {
        let word = |four: &[u8]| four.try_into().map_or(0, u32::from_ne_bytes);
        octets.chunks(4).map(|four| format!("{:08X}", word(four))).collect()
    };
    let named = |octets: &[u8]| format!("{}:{:04X}", words(octets), address.port());
    match address.ip().to_canonical() {
        std::net::IpAddr::V4(ip) => vec![named(&ip.octets()), named(&ip.to_ipv6_mapped().octets())],
        std::net::IpAddr::V6(ip) => vec![named(&ip.octets())],
    }
}

/// The inode of the socket on a line of the kernel's table, if it listens on this port.
fn listener(line: &str, port: u16) -> Option<&str> {
    const LISTEN: &str = "0A";
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
    let (_, of) = local.rsplit_once(':')?;
    (*state == LISTEN && u16::from_str_radix(of, 16) == Ok(port)).then_some(inode)
}

#[cfg(test)]
mod tests {
    use super::{of_port, owner};

    #[test]
    fn a_port_of_this_process_is_held_by_it() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let holder = of_port(address).unwrap();
        assert!(holder.ends_with(&format!("(process {})", std::process::id())), "{holder}");
        drop(listener);
        assert_eq!(of_port(address), None);
    }

    #[test]
    fn the_other_end_of_a_connection_has_a_user() {
        let own = Some(rustix::process::getuid().as_raw());
        // The last one is how a listener for both sees IPv4.
        for (at, from) in [("127.0.0.1:0", "127.0.0.1"), ("[::1]:0", "::1"), ("[::]:0", "127.0.0.1")] {
            let Ok(listener) = std::net::TcpListener::bind(at) else { continue };
            let port = listener.local_addr().unwrap().port();
            let _stream = std::net::TcpStream::connect((from, port)).unwrap();
            assert_eq!(owner(listener.accept().unwrap().1, port), own, "{at}");
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let peer = stream.local_addr().unwrap();
        assert_eq!(owner(peer, port.wrapping_add(1)), None);
        let elsewhere = std::net::SocketAddr::from(([127, 0, 0, 2], peer.port()));
        assert_eq!(owner(elsewhere, port), None, "the same port of another address");
    }
}
