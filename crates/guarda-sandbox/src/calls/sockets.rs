//! The sockets that a cell may make, and what it may do with them.

use seccompiler::SeccompCmpOp;

use super::rule::{CallRules, has, rule};
use crate::spec::Sockets;

/// The bits of a socket's second argument that give its type; the others are flags.
const KIND: u64 = 0xf;
/// The old way to a packet socket, deprecated in libc.
const SOCK_PACKET: i32 = 10;
/// Socket types besides streams and datagrams.
const OTHER_KINDS: &[i32] =
    &[libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP, SOCK_PACKET];

pub(super) fn sockets(rules: &mut CallRules, network: Sockets) -> Result<(), seccompiler::BackendError> {
    use SeccompCmpOp::Ne;
    let family = |family: i32| u64::from(family.unsigned_abs());
    let [local, ip4, ip6, netlink] =
        [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(family);
    let alone = matches!(network, Sockets::Own { local: true } | Sockets::All { local: true });
    // Without local sockets, a second comparison with the same family changes nothing.
    let own = (0, Ne, if alone { local } else { netlink });
    let refused = match network {
        // An empty list of conditions refuses every socket.
        Sockets::None => Vec::new(),
        // Everything that neither the redirect nor the supervisor covers is refused. Netlink only shows
        // programs the cell's interfaces; changing them requires rights that no program here has.
        Sockets::Own { .. } | Sockets::Notified => {
            let elsewhere = (0, Ne, netlink);
            let kind = |kind: i32| {
                let kind = (1, SeccompCmpOp::MaskedEq(KIND), u64::from(kind.unsigned_abs()));
                rule(&[elsewhere.clone(), own.clone(), kind])
            };
            let [tcp, udp] = [libc::IPPROTO_TCP, libc::IPPROTO_UDP].map(|one| u64::from(one.unsigned_abs()));
            let mut refused = vec![
                rule(&[(0, Ne, ip4), (0, Ne, ip6), (0, Ne, netlink), own.clone()])?,
                rule(&[elsewhere.clone(), (2, Ne, 0), (2, Ne, tcp), (2, Ne, udp)])?,
                rule(&[(0, SeccompCmpOp::Eq, netlink), (2, Ne, 0)])?,
            ];
            let datagrams = (network == Sockets::Notified).then_some(&libc::SOCK_DGRAM);
            for other in OTHER_KINDS.iter().chain(datagrams) {
                refused.push(kind(*other)?);
            }
            refused
        }
        // Netlink only for addresses and routes, which name resolution queries.
        Sockets::All { .. } => vec![
            rule(&[(0, Ne, ip4), (0, Ne, ip6), (0, Ne, netlink), own.clone()])?,
            rule(&[(0, SeccompCmpOp::Eq, netlink), (2, Ne, 0)])?,
        ],
    };
    rules.insert(libc::SYS_socket, refused);
    let mut pairs = vec![rule(&[(0, Ne, local)])?];
    // Socket pairs connect only to each other, unless their type can be redirected (datagrams).
    for kind in if alone { [].as_slice() } else { &[libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM] } {
        let kind = *kind;
        pairs.push(rule(&[(1, SeccompCmpOp::MaskedEq(KIND), u64::from(kind.unsigned_abs()))])?);
    }
    rules.insert(libc::SYS_socketpair, pairs);
    Ok(())
}

/// Socket options that programs may set if the supervisor makes their connections, by level. Others could
/// route a connection through another machine (source routes), out of another interface, or open it later
/// without a report (`TCP_FASTOPEN_CONNECT`).
const OPTIONS: &[(i32, &[i32])] = &[
    (
        libc::SOL_SOCKET,
        &[
            libc::SO_REUSEADDR,
            libc::SO_SNDBUF,
            libc::SO_RCVBUF,
            libc::SO_KEEPALIVE,
            libc::SO_OOBINLINE,
            libc::SO_LINGER,
            libc::SO_REUSEPORT,
            libc::SO_PASSCRED,
            libc::SO_RCVLOWAT,
            libc::SO_RCVTIMEO,
            libc::SO_SNDTIMEO,
        ],
    ),
    (
        libc::IPPROTO_TCP,
        &[
            libc::TCP_NODELAY,
            libc::TCP_MAXSEG,
            libc::TCP_CORK,
            libc::TCP_KEEPIDLE,
            libc::TCP_KEEPINTVL,
            libc::TCP_KEEPCNT,
            libc::TCP_SYNCNT,
            libc::TCP_LINGER2,
            libc::TCP_WINDOW_CLAMP,
            libc::TCP_QUICKACK,
            libc::TCP_CONGESTION,
            libc::TCP_USER_TIMEOUT,
            libc::TCP_NOTSENT_LOWAT,
        ],
    ),
    (libc::IPPROTO_IP, &[libc::IP_TOS, libc::IP_TTL, libc::IP_RECVERR]),
    (
        libc::IPPROTO_IPV6,
        &[libc::IPV6_V6ONLY, libc::IPV6_TCLASS, libc::IPV6_UNICAST_HOPS, libc::IPV6_RECVERR],
    ),
    (libc::SOL_NETLINK, &[libc::NETLINK_EXT_ACK, libc::NETLINK_GET_STRICT_CHK]),
];
/// The length of a netlink address. Internet addresses are longer.
const NETLINK_ADDRESS: u64 = 12;

/// For sockets that the supervisor connects: no ports are taken, nothing is sent before the connection, and
/// nothing redirects it.
pub(super) fn connected_elsewhere(rules: &mut CallRules) -> Result<(), seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, Gt, Ne};
    let number = |option: i32| u64::from(option.unsigned_abs());
    rules.insert(libc::SYS_listen, Vec::new());
    rules.insert(libc::SYS_bind, vec![rule(&[(2, Gt, NETLINK_ADDRESS)])?]);
    let early = number(libc::MSG_FASTOPEN);
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        rules.insert(call, vec![rule(&[has(flags, early)])?]);
    }
    let other_level: Vec<_> = OPTIONS.iter().map(|(level, _)| (1, Ne, number(*level))).collect();
    let mut refused = vec![rule(&other_level)?];
    for (level, options) in OPTIONS {
        let mut other = vec![(1, Eq, number(*level))];
        other.extend(options.iter().map(|option| (2, Ne, number(*option))));
        refused.push(rule(&other)?);
    }
    rules.insert(libc::SYS_setsockopt, refused);
    Ok(())
}
