//! The netlink messages that set up a run's network: rtnetlink(7) for the loopback interface and its routes,
//! nf_tables for the redirect. They are few and fixed, so they are written out here.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType};

/// The loopback interface's number in every network namespace.
const LOOPBACK: u32 = 1;
/// The table and the chain of the redirect.
const NAME: &[u8] = b"guarda\0";

const REQUEST: u16 = 0x1;
const ACKNOWLEDGE: u16 = 0x4;
const CREATE: u16 = 0x400;
const APPEND: u16 = 0x800;
const NESTED: u16 = 0x8000;
/// `NLMSG_ERROR`, which also carries the acknowledgement (error 0).
const ERROR: u16 = 2;

/// A message under construction: nlmsghdr, the family's own header, attributes.
struct Message(Vec<u8>);

impl Message {
    fn new(kind: u16, flags: u16, header: &[u8]) -> Self {
        let mut bytes = vec![0; 4];
        bytes.extend(kind.to_ne_bytes());
        bytes.extend((REQUEST | flags).to_ne_bytes());
        // Sequence and port number, which are not used.
        bytes.extend([0; 8]);
        bytes.extend(header);
        Self(bytes)
    }

    fn with(mut self, kind: u16, value: &[u8]) -> Self {
        attribute(&mut self.0, kind, value);
        self
    }

    fn finish(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.splice(..4, length.to_ne_bytes());
        self.0
    }
}

/// Appends an attribute, padded to four bytes.
fn attribute(bytes: &mut Vec<u8>, kind: u16, value: &[u8]) {
    let length = u16::try_from(value.len().saturating_add(4)).unwrap_or(u16::MAX);
    bytes.extend(length.to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

fn attributes(each: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, value) in each {
        attribute(&mut bytes, *kind, value);
    }
    bytes
}

/// Sends messages in one piece (to rtnetlink by default) and waits until the kernel has acknowledged
/// `answers` of them.
fn send(protocol: Option<Protocol>, messages: &[u8], answers: usize) -> io::Result<()> {
    let socket: OwnedFd =
        rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, protocol)?;
    rustix::net::sendto(&socket, messages, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut left = answers;
    let mut buffer = [0; 8192];
    while left > 0 {
        let (got, _whole) = rustix::net::recv(socket.as_fd(), &mut buffer[..], RecvFlags::empty())?;
        let mut rest = buffer.get(..got).unwrap_or_default();
        while let Some((answer, others)) = next(rest) {
            rest = others;
            match answer {
                Some(0) => left = left.saturating_sub(1),
                Some(error) => return Err(io::Error::from_raw_os_error(error)),
                None => {}
            }
        }
    }
    Ok(())
}

/// The error number in the first of these answers (0 for an acknowledgement, `None` for other messages), and
/// the rest.
fn next(bytes: &[u8]) -> Option<(Option<i32>, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let kind = u16::from_ne_bytes(*rest.first_chunk::<2>()?);
    let length = usize::try_from(u32::from_ne_bytes(*length)).ok().filter(|length| *length >= 16)?;
    let number = bytes.get(16..).and_then(|body| body.first_chunk::<4>());
    let number = number.filter(|_| kind == ERROR).map(|number| i32::from_ne_bytes(*number).saturating_neg());
    Some((number, bytes.get(length.next_multiple_of(4)..).unwrap_or_default()))
}

/// Brings up the loopback interface of this network namespace (`RTM_NEWLINK`, `IFF_UP`).
///
/// # Errors
/// The kernel's: [`io::ErrorKind::PermissionDenied`] if the namespace grants no rights.
pub(crate) fn loopback_up() -> io::Result<()> {
    let (new_link, up) = (16, 1_u32);
    let header = [[0; 4], LOOPBACK.to_ne_bytes(), up.to_ne_bytes(), up.to_ne_bytes()].concat();
    send(None, &Message::new(new_link, ACKNOWLEDGE, &header).finish(), 1)
}

/// Makes every address local, so that a packet to anywhere stays in the namespace (`RTM_NEWROUTE`,
/// `RTN_LOCAL`).
///
/// An existing route is left as it is.
///
/// # Errors
/// The kernel's.
pub(super) fn route_all_to_loopback(family: AddressFamily) -> io::Result<()> {
    let new_route = 24;
    let (local_table, boot, host, local) = (255, 3, 254, 2);
    let header = [family_number(family), 0, 0, 0, local_table, boot, host, local, 0, 0, 0, 0];
    let interface = 4;
    let message = Message::new(new_route, ACKNOWLEDGE | CREATE, &header);
    match send(None, &message.with(interface, &LOOPBACK.to_ne_bytes()).finish(), 1) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        sent => sent,
    }
}

fn family_number(family: AddressFamily) -> u8 {
    u8::try_from(family.as_raw()).unwrap_or(0)
}

/// The number of the netfilter subsystem nf_tables.
const NFTABLES: u8 = 10;

/// Redirects TCP connections of programs in the namespace to `port`: those to any address but loopback, except for
/// DNS, and those to these loopback ports.
///
/// # Errors
/// The kernel's: it may lack nf_tables.
pub(super) fn redirect(family: AddressFamily, port: u16, loopback: &[u16]) -> io::Result<()> {
    let batch = |kind: u16| Message::new(kind, 0, &[0, 0, 0, NFTABLES]).finish();
    let header = [family_number(family), 0, 0, 0];
    let message = |kind: u16, flags| Message::new((u16::from(NFTABLES) << 8) | kind, flags | CREATE, &header);
    let (new_table, new_chain, new_rule) = (0, 3, 6);

    let table = message(new_table, ACKNOWLEDGE).with(1, NAME);
    let (local_out, before_destination_nat) = (3_u32.to_be_bytes(), (-100_i32).to_be_bytes());
    let hook = attributes(&[(1, &local_out), (2, &before_destination_nat)]);
    let chain =
        message(new_chain, ACKNOWLEDGE).with(1, NAME).with(3, NAME).with(NESTED | 4, &hook).with(7, b"nat\0");
    let mut sent = [batch(0x10), table.finish(), chain.finish()].concat();

    let away = [is_tcp(), is_to_loopback(family, NOT_EQUAL), is_to_port(53, NOT_EQUAL), goes_to(port)];
    let named = loopback
        .iter()
        .map(|named| [is_tcp(), is_to_loopback(family, EQUAL), is_to_port(*named, EQUAL), goes_to(port)])
        .map(|rule| [&[is_not_the_guards()][..], &rule].concat());
    for rule in std::iter::once(away.to_vec()).chain(named) {
        let message = message(new_rule, ACKNOWLEDGE | APPEND).with(1, NAME).with(2, NAME);
        sent.extend(message.with(NESTED | 4, &rule.concat()).finish());
    }
    sent.extend(batch(0x11));
    send(Some(netlink::NETFILTER), &sent, loopback.len().saturating_add(3))
}

const EQUAL: u32 = 0;
const NOT_EQUAL: u32 = 1;
/// The register that holds every value.
const REGISTER: [u8; 4] = 1_u32.to_be_bytes();

/// An expression of a rule, by its nf_tables name.
fn expression(name: &[u8], parts: &[(u16, &[u8])]) -> Vec<u8> {
    attributes(&[(NESTED | 1, &attributes(&[(1, name), (NESTED | 2, &attributes(parts))]))])
}

fn compare(operator: u32, value: &[u8]) -> Vec<u8> {
    let data = attributes(&[(1, value)]);
    expression(b"cmp\0", &[(1, &REGISTER), (2, &operator.to_be_bytes()), (NESTED | 3, &data)])
}

/// Loads a field of the packet's network (1) or transport (2) header.
fn field(header: u32, offset: u32, length: u32) -> Vec<u8> {
    let [header, offset, length] = [header, offset, length].map(u32::to_be_bytes);
    expression(b"payload\0", &[(1, &REGISTER), (2, &header), (3, &offset), (4, &length)])
}

/// That a packet does not come from a socket by which the guard reaches the run itself.
fn is_not_the_guards() -> Vec<u8> {
    let mark = 3_u32;
    let read = expression(b"meta\0", &[(1, &REGISTER), (2, &mark.to_be_bytes())]);
    [read, compare(NOT_EQUAL, &super::inside::MARK.to_ne_bytes())].concat()
}

fn is_tcp() -> Vec<u8> {
    let (protocol, tcp) = (16_u32, 6_u8);
    let read = expression(b"meta\0", &[(1, &REGISTER), (2, &protocol.to_be_bytes())]);
    [read, compare(EQUAL, &[tcp])].concat()
}

/// Compares the destination with 127.0.0.0/8 or `::1`.
fn is_to_loopback(family: AddressFamily, operator: u32) -> Vec<u8> {
    match family {
        AddressFamily::INET6 => {
            let loopback = std::net::Ipv6Addr::LOCALHOST.octets();
            [field(1, 24, 16), compare(operator, &loopback)].concat()
        }
        _ => [field(1, 16, 1), compare(operator, &[127])].concat(),
    }
}

fn is_to_port(port: u16, operator: u32) -> Vec<u8> {
    [field(2, 2, 2), compare(operator, &port.to_be_bytes())].concat()
}

fn goes_to(port: u16) -> Vec<u8> {
    let data = attributes(&[(1, &port.to_be_bytes())]);
    let load = expression(b"immediate\0", &[(1, &REGISTER), (NESTED | 2, &data)]);
    [load, expression(b"redir\0", &[(1, &REGISTER)])].concat()
}
