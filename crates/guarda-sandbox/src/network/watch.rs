//! Watches what a run tries to reach in its empty network, by the kernel's own answers. A connection to a
//! closed port is answered by a reset from the intended address, and a name query is a datagram.
//!
//! The run does not notice: the watch answers nothing. Every address is local to the namespace, so that a
//! packet to anywhere stays in it and is refused at once.

use std::collections::HashSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::num::NonZeroU32;
use std::os::fd::OwnedFd;

use guarda_core::effects::{Sought, Tried};
use guarda_core::network::Host;
use guarda_core::network::dns::Query;
use rustix::net::{AddressFamily, Protocol, RecvFlags, SocketFlags, SocketType};
use socket2::{SockFilter, SockRef};

use super::netlink;

/// `ETH_P_ALL`: packets of every protocol.
const EVERY_PROTOCOL: u16 = 3;
/// How much of a packet is examined: enough for a query for the longest name after the longest headers.
const SNAP: usize = 512;
const TCP: u8 = 6;
const UDP: u8 = 17;
/// TCP flags of a refused connection.
const RESET_AND_ACKNOWLEDGED: u8 = 0x14;
const DNS: u16 = 53;

/// A packet socket in a network namespace.
#[derive(Debug)]
pub(crate) struct PacketWatch(OwnedFd);

/// What one packet says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    /// A connection to this address was refused.
    Refused(SocketAddr),
    /// The address of this name was queried.
    Asked(Host),
    /// A datagram was sent to this address.
    Sent(SocketAddr),
}

impl PacketWatch {
    /// Watches this process's network namespace, which must be empty except for the loopback interface.
    ///
    /// # Errors
    /// The kernel's: [`io::ErrorKind::PermissionDenied`] if a container withholds `CAP_NET_RAW` from its administrator.
    pub(crate) fn begin() -> io::Result<Self> {
        let every = NonZeroU32::new(u32::from(EVERY_PROTOCOL.to_be())).map(Protocol::from_raw);
        // Without a link header, so that a packet begins with that of IP.
        let (family, kind) = (AddressFamily::PACKET, SocketType::DGRAM);
        let socket = rustix::net::socket_with(family, kind, SocketFlags::CLOEXEC, every)?;
        SockRef::from(&socket).attach_filter(&filter())?;
        netlink::route_all_to_loopback(AddressFamily::INET)?;
        if UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)).is_ok() {
            netlink::route_all_to_loopback(AddressFamily::INET6)?;
        }
        Ok(Self(socket))
    }

    /// The attempts so far: the number of refused connections to other machines, and the destinations, each
    /// once and in order. If the socket's buffer overflows, later attempts are missing.
    pub(crate) fn seen(&self) -> (u64, Vec<Sought>) {
        let (mut refused, mut sought, mut known) = (0, Vec::new(), HashSet::new());
        let mut packet = [0; SNAP];
        while let Ok((length, _whole)) = rustix::net::recv(&self.0, &mut packet[..], RecvFlags::DONTWAIT) {
            let one = match read(packet.get(..length).unwrap_or_default()) {
                Some(Seen::Refused(at)) => {
                    refused += u64::from(!at.ip().is_loopback());
                    Sought { host: Host::Address(at.ip()), port: Some(at.port()) }
                }
                Some(Seen::Sent(to)) => Sought { host: Host::Address(to.ip()), port: Some(to.port()) },
                Some(Seen::Asked(name)) => Sought { host: name, port: None },
                None => continue,
            };
            if sought.len() < Tried::MOST_SOUGHT && known.insert(one.clone()) {
                sought.push(one);
            }
        }
        (refused, sought)
    }
}

/// Reads a packet; `None` if it is irrelevant.
fn read(packet: &[u8]) -> Option<Seen> {
    let version = packet.first()? >> 4;
    let (protocol, from, to, inner): (u8, IpAddr, IpAddr, usize) = match version {
        4 => {
            let address = |at: usize| Some(Ipv4Addr::from(*packet.get(at..)?.first_chunk::<4>()?).into());
            (*packet.get(9)?, address(12)?, address(16)?, usize::from(packet.first()? & 0xf) * 4)
        }
        6 => {
            let address = |at: usize| {
                Some(Ipv6Addr::from(*packet.get(at..)?.first_chunk::<16>()?)).map(|one| one.to_canonical())
            };
            (*packet.get(6)?, address(8)?, address(24)?, 40)
        }
        _ => return None,
    };
    let inner = packet.get(inner..)?;
    let port = |at: usize| Some(u16::from_be_bytes(*inner.get(at..)?.first_chunk::<2>()?));
    match protocol {
        // The reset that answers a first packet has sequence number 0.
        TCP if *inner.get(13)? == RESET_AND_ACKNOWLEDGED && inner.get(4..8)? == [0; 4] => {
            Some(Seen::Refused(SocketAddr::new(from, port(0)?)))
        }
        UDP if port(2)? == DNS => {
            Query::read(inner.get(8..)?).ok()?.name.map(|name| Seen::Asked(Host::Name(name)))
        }
        UDP if !to.is_loopback() => Some(Seen::Sent(SocketAddr::new(to, port(2)?))),
        _ => None,
    }
}

/// Passes only packets that [`read`] may need, so that a run that talks to itself does not fill the buffer:
/// resets, and datagrams that leave the machine or query a name. Each packet passes once, on arrival.
fn filter() -> Vec<SockFilter> {
    const LOAD_WORD: u16 = 0x20;
    const LOAD_HALF: u16 = 0x28;
    const LOAD_BYTE: u16 = 0x30;
    const LOAD_HALF_BEHIND: u16 = 0x48;
    const LOAD_BYTE_BEHIND: u16 = 0x50;
    const HEADER_LENGTH: u16 = 0xb1;
    const AND: u16 = 0x54;
    const IS: u16 = 0x15;
    const RETURN: u16 = 0x06;
    /// `SKF_AD_OFF + SKF_AD_PKTTYPE`, and `PACKET_OUTGOING`.
    const DIRECTION: u32 = 0xffff_f004;
    const OUTGOING: u32 = 4;
    const TAKE: u8 = 25;
    const DROP: u8 = 26;
    let [tcp, udp, reset] = [TCP, UDP, RESET_AND_ACKNOWLEDGED].map(u32::from);
    let (dns, snap) = (u32::from(DNS), u32::try_from(SNAP).unwrap_or(0));
    // Instruction and operand; for a comparison, also the step that follows if it holds, and if it does not.
    let steps: [(u16, u32, u8, u8); 27] = [
        (LOAD_BYTE, DIRECTION, 0, 0),
        (IS, OUTGOING, DROP, 2),
        (LOAD_BYTE, 0, 0, 0),
        (AND, 0xf0, 0, 0),
        (IS, 0x40, 6, 5),
        (IS, 0x60, 16, DROP),
        (HEADER_LENGTH, 0, 0, 0),
        (LOAD_BYTE, 9, 0, 0),
        (IS, tcp, 14, 9),
        (IS, udp, 10, DROP),
        (LOAD_BYTE, 16, 0, 0),
        (IS, 127, 12, TAKE),
        (LOAD_HALF_BEHIND, 2, 0, 0),
        (IS, dns, TAKE, DROP),
        (LOAD_BYTE_BEHIND, 13, 0, 0),
        (IS, reset, TAKE, DROP),
        (LOAD_BYTE, 6, 0, 0),
        (IS, tcp, 23, 18),
        (IS, udp, 19, DROP),
        (LOAD_WORD, 24, 0, 0),
        (IS, 0, 21, TAKE),
        (LOAD_HALF, 42, 0, 0),
        (IS, dns, TAKE, DROP),
        (LOAD_BYTE, 53, 0, 0),
        (IS, reset, TAKE, DROP),
        (RETURN, snap, 0, 0),
        (RETURN, 0, 0, 0),
    ];
    // The kernel counts jumps from the following step.
    (1..)
        .zip(steps)
        .map(|(next, (code, number, then, otherwise))| match code {
            IS => SockFilter::new(code, then.saturating_sub(next), otherwise.saturating_sub(next), number),
            _ => SockFilter::new(code, 0, 0, number),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An IPv4 or IPv6 header and what follows it.
    fn packet(from: IpAddr, to: IpAddr, protocol: u8, inner: &[u8]) -> Vec<u8> {
        match (from, to) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let head =
                    [&[0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocol, 0, 0][..], &from.octets(), &to.octets()];
                [&head.concat(), inner].concat()
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let head = [&[0x60, 0, 0, 0, 0, 0, protocol, 64][..], &from.octets(), &to.octets()];
                [&head.concat(), inner].concat()
            }
            _ => unreachable!(),
        }
    }

    fn tcp(from: u16, number: u32, flags: u8) -> Vec<u8> {
        let rest = [0, 0, 0, 1, 0x50, flags, 0, 0, 0, 0, 0, 0];
        [&from.to_be_bytes()[..], &[0x9c, 0x40], &number.to_be_bytes(), &rest].concat()
    }

    fn udp(to: u16, content: &[u8]) -> Vec<u8> {
        [&[0x9c, 0x40][..], &to.to_be_bytes(), &[0, 0, 0, 0], content].concat()
    }

    #[test]
    fn packets_say_what_was_sought() {
        let [local, away]: [IpAddr; 2] = ["127.0.0.1", "192.0.2.1"].map(|one| one.parse().unwrap());
        let [local6, away6]: [IpAddr; 2] = ["::1", "2001:db8::1"].map(|one| one.parse().unwrap());
        let name = |labels: &[&[u8]]| {
            let length = |label: &[u8]| vec![u8::try_from(label.len()).unwrap()];
            let labels: Vec<u8> = labels.iter().flat_map(|label| [&length(label), *label].concat()).collect();
            [&[7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], &labels, &[0, 0, 1, 0, 1]].concat()
        };
        let asked = name(&[b"Registry", b"npmjs", b"org"]);
        let refused = |at: IpAddr, port| Some(Seen::Refused(SocketAddr::new(at, port)));
        let host = || Some(Seen::Asked(Host::parse("registry.npmjs.org").unwrap()));
        for (packet, seen) in [
            (packet(away, local, TCP, &tcp(443, 0, 0x14)), refused(away, 443)),
            (packet(away6, local6, TCP, &tcp(443, 0, 0x14)), refused(away6, 443)),
            (packet(local, local, TCP, &tcp(5432, 0, 0x14)), refused(local, 5432)),
            // The end of an established connection.
            (packet(local, local, TCP, &tcp(5432, 1, 0x14)), None),
            (packet(local, local, TCP, &tcp(5432, 0, 0x04)), None),
            (packet(local, local, TCP, &tcp(5432, 0, 0x12)), None),
            (packet(local, local, UDP, &udp(53, &asked)), host()),
            (packet(local, away, UDP, &udp(53, &asked)), host()),
            (packet(local6, away6, UDP, &udp(53, &asked)), host()),
            (packet(local, away, UDP, &udp(53, &name(&[b"\x1b[31m", b"example"]))), None),
            (packet(local, away, UDP, &udp(53, b"?")), None),
            (packet(local, away, UDP, &udp(123, b"")), Some(Seen::Sent(SocketAddr::new(away, 123)))),
            (packet(local, local, UDP, &udp(8125, b"")), None),
            (vec![0x45], None),
            (Vec::new(), None),
        ] {
            assert_eq!(read(&packet), seen, "{packet:?}");
            for cut in 0..packet.len() {
                let _no_panic = read(&packet[..cut]);
            }
        }
    }
}
