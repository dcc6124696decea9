//! The network and the sockets of this machine.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::time::Duration;

use guarda_sandbox::{Network, SandboxLevel};
use landlock::{
    ABI, Access as _, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetStatus,
};

use crate::jail::{Jail, none, profiles, program, with_network};

const CONNECT: &str = "import os, socket; s = socket.create_connection((os.environ['host'], int(os.environ['port'])), 5); s.send(b'x')";
const SEND: &str = "import os, socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', int(os.environ['port'])))";
const SPEAK: &str = "import os, socket; s = socket.socket(socket.AF_UNIX); s.connect(os.environ['socket'].replace('@', '\\0')); s.send(b'x')";

#[test]
fn no_connection_leaves() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        for host in ["127.0.0.1", "::1"] {
            let Ok(listener) = TcpListener::bind((host, 0)) else {
                continue;
            };
            listener.set_nonblocking(true).unwrap();
            let port = listener.local_addr().unwrap().port().to_string();
            let variables = [("host", host), ("port", port.as_str())];
            jail.python(&none(&spec), CONNECT, &variables).succeeds();
            listener.accept().unwrap();
            jail.python(&spec, CONNECT, &variables).fails();
            jail.run_with(&spec, "echo x > /dev/tcp/$host/$port", &variables).fails();
            jail.run_with(&spec, "echo x > /dev/udp/$host/$port", &variables).fails();
            assert!(listener.accept().is_err());
        }
    }
}

#[test]
fn no_datagram_leaves_and_no_name_is_looked_up() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let port = socket.local_addr().unwrap().port().to_string();
        let variables = [("port", port.as_str())];
        jail.python(&none(&spec), SEND, &variables).succeeds();
        socket.recv(&mut [0; 9]).unwrap();
        jail.python(&spec, SEND, &variables).fails();
        assert!(socket.recv(&mut [0; 9]).is_err());
        jail.python(&spec, "import socket; socket.getaddrinfo('example.com', 80)", &[]).fails();
        jail.python(&spec, "import socket; socket.socket(socket.AF_INET).listen()", &[]).fails();
    }
}

#[test]
fn no_other_family_of_sockets_is_there() {
    for profile in profiles() {
        let jail = Jail::new();
        for network in [Network::None, Network::All] {
            let spec = with_network(&jail.spec(profile), network);
            for family in
                ["AF_UNIX", "AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH", "AF_CAN", "AF_NETLINK"]
            {
                if family == "AF_NETLINK" && network == Network::All {
                    continue;
                }
                let kind = if family == "AF_PACKET" { "SOCK_RAW" } else { "SOCK_DGRAM" };
                let attempt =
                    format!("import socket; socket.socket(getattr(socket, '{family}', 40), socket.{kind})");
                let done = jail.python(&spec, &attempt, &[]);
                done.fails();
                assert!(done.err.contains("PermissionError"), "{family}: {done:?}");
            }
            let raw = "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)";
            jail.python(&spec, raw, &[]).fails();
            let netfilter = "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)";
            jail.python(&spec, netfilter, &[]).fails();
        }
    }
}

#[test]
fn where_the_network_is_allowed_it_works() {
    for profile in profiles() {
        let jail = Jail::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let all = with_network(&jail.spec(profile), Network::All);
        let to = |listener: &TcpListener| port(listener).to_string();
        let connect = |spec, port: &str| jail.python(spec, CONNECT, &[("host", "127.0.0.1"), ("port", port)]);
        connect(&all, &to(&listener)).succeeds();
        connect(&all, &to(&other)).succeeds();
        let done =
            jail.python(&all, "import socket; print(socket.getaddrinfo('localhost', 80)[0][4][0])", &[]);
        done.succeeds();
    }
}

#[test]
fn the_guards_socket_and_the_sessions_are_out_of_reach() {
    for profile in profiles() {
        let jail = Jail::new();
        let path = jail.at("work/socket");
        let by_path = UnixListener::bind(&path).unwrap();
        let name = format!("guarda-test-{}-{profile:?}", std::process::id());
        let by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        let name = format!("@{name}");
        for (listener, address) in [(&by_path, path.to_str().unwrap()), (&by_name, name.as_str())] {
            listener.set_nonblocking(true).unwrap();
            let variables = [("socket", address)];
            jail.python(&none(&jail.spec(profile)), SPEAK, &variables).succeeds();
            listener.accept().unwrap();
            for network in [Network::None, Network::All] {
                let spec = with_network(&jail.spec(profile), network);
                let done = jail.python(&spec, SPEAK, &variables);
                assert!(done.fails().err.contains("PermissionError"), "{done:?}");
                assert!(listener.accept().is_err());
            }
        }
    }
}

#[test]
fn pairs_of_sockets_work_but_cannot_be_pointed_elsewhere() {
    let jail = Jail::new();
    let path = jail.at("work/log");
    let log = UnixDatagram::bind(&path).unwrap();
    log.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let attempt = "import os, socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', os.environ['socket'])";
    let variables = [("socket", path.to_str().unwrap())];
    jail.python(&none(&jail.spec(SandboxLevel::None)), attempt, &variables).succeeds();
    log.recv(&mut [0; 9]).unwrap();
    for profile in profiles() {
        jail.python(&jail.spec(profile), attempt, &variables).fails();
        assert!(log.recv(&mut [0; 9]).is_err());
        let pair = "import socket; a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'";
        jail.python(&jail.spec(profile), pair, &[]).succeeds();
    }
}

/// Why sockets are refused by a filter of system calls: Landlock's rules for files let a socket file outside of every
/// opened folder be spoken to (up to Linux 7.1).
#[test]
fn landlock_alone_leaves_the_socket_open() {
    let jail = Jail::new();
    let path = jail.outside("socket");
    let listener = UnixListener::bind(&path).unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = path.to_str().unwrap().to_owned();
    let ended = std::thread::spawn(move || {
        let mut ruleset =
            Ruleset::default().handle_access(AccessFs::from_all(ABI::V5)).unwrap().create().unwrap();
        for open in ["/usr", "/lib", "/lib64", "/bin", "/etc", "/dev/null"] {
            if let Ok(open) = PathFd::new(open) {
                let read = AccessFs::from_read(ABI::V5);
                ruleset = ruleset.add_rule(PathBeneath::new(open, read)).unwrap();
            }
        }
        let status = ruleset.restrict_self().unwrap();
        assert_ne!(status.ruleset, RulesetStatus::NotEnforced);
        let python = |text: &str| {
            let output =
                program("/usr/bin/python3").args(["-c", text]).env("socket", &address).output().unwrap();
            output.status.success()
        };
        (python("import os; open(os.environ['socket'] + '/../file')"), python(SPEAK))
    });
    assert_eq!(ended.join().unwrap(), (false, true));
    listener.accept().unwrap();
}

#[test]
fn nothing_of_the_session_is_in_the_environment() {
    for profile in profiles() {
        let jail = Jail::new();
        let session = [
            ("DISPLAY", ":0"),
            ("WAYLAND_DISPLAY", "wayland-0"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
            ("XDG_RUNTIME_DIR", "/run/user/1000"),
            ("SSH_AUTH_SOCK", "/tmp/agent"),
            ("XAUTHORITY", "/tmp/x"),
            ("KEPT", "yes"),
        ];
        let done = jail.run_with(&jail.spec(profile), "env", &session);
        let names: Vec<&str> =
            done.succeeds().out.lines().filter_map(|line| line.split('=').next()).collect();
        assert!(names.contains(&"KEPT") && names.contains(&"TMPDIR"), "{names:?}");
        for (name, _) in session.iter().filter(|(name, _)| *name != "KEPT") {
            assert!(!names.contains(name), "{name}");
        }
        assert!(!names.contains(&"CARGO_MANIFEST_DIR"), "{names:?}");
    }
}
