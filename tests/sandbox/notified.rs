//! A run without network namespaces: the supervisor connects in the programs' place. The lack is real for the
//! real clients: their user namespace may not create any.

use guarda_sandbox::process::Status;
use guarda_sandbox::{Measure, Network, Protection, SandboxError, SandboxLevel, Spec};

use crate::jail::{Jail, block_on, none, program, run_in, sandbox};
use crate::lacking::{SECCOMP, without};
use crate::listening::Listening;
use crate::relayed::run_within;

/// Set if this machine provides no network namespaces.
pub const NO_NAMESPACES: &str = "GUARDA_TEST_NO_NAMESPACES";

#[track_caller]
pub fn is_notified(protection: &Protection) {
    assert_eq!(protection.network, Network::Hosts, "{protection:#?}");
    assert!(protection.is_whole(), "{protection:#?}");
    let noted = |note: &String| note.starts_with("network without namespaces: ");
    assert!(protection.notes.iter().any(noted), "{protection:#?}");
}

fn notified(jail: &Jail) -> Spec {
    Spec { network: Network::Hosts, notified: true, ..jail.spec(SandboxLevel::Confined) }
}

#[test]
fn real_clients_reach_the_admitted_host_and_no_other_without_namespaces() {
    let own = std::env::current_exe().unwrap();
    let line = "echo 0 > /proc/sys/user/max_net_namespaces && ! unshare -rn true 2> /dev/null && exec \"$0\" --nocapture \"$@\"";
    let relayed = ["each_client", "pip_", "npm_yarn_", "cargo_", "clients_of", "git_", "two_thousand"];
    let tests = relayed.map(|test| format!("relayed::{test}")).into_iter().chain(["built::".to_owned()]);
    let done = program("/usr/bin/unshare")
        .args(["-r", "/bin/bash", "-c", line])
        .arg(own)
        .args(tests)
        .envs(std::env::vars_os())
        .env(NO_NAMESPACES, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && text.contains("10 passed"), "{text}");
}

#[test]
fn a_machine_without_namespaces_is_noticed() {
    let jail = Jail::new();
    let spec = Spec { notified: false, ..notified(&jail) };
    for missing in [libc::SYS_unshare, libc::SYS_mount] {
        is_notified(&without(&[missing], spec.clone(), &jail, "true").unwrap().succeeds().protection);
    }
    // Without filters there are neither.
    let done = without(&[&[libc::SYS_unshare], SECCOMP].concat(), spec, &jail, "true").unwrap();
    assert_eq!(done.protection.network, Network::None, "{done:#?}");
    assert!(!done.protection.holds(Measure::Network), "{done:#?}");
}

/// Without a sandbox each works, or fails for another reason.
#[test]
fn nothing_leads_around_the_guard() {
    let socket = |arguments: &str| format!("import socket; socket.socket({arguments})");
    let option = |level: &str, option: &str, value: &str| {
        format!(
            "import socket; socket.socket(socket.AF_INET6 if '6' in '{level}' else socket.AF_INET).setsockopt({level}, {option}, {value})"
        )
    };
    let connect = |number: &str, rest: &str| {
        format!(
            "import ctypes, socket; s = socket.socket(); t, u = socket.socketpair(); libc = ctypes.CDLL(None, use_errno=True)\nif libc.connect({number}, {rest}) == -1: raise OSError(ctypes.get_errno(), 'call')"
        )
    };
    let refused = "PermissionError";
    let attempts: &[(&str, String, &str)] = &[
        ("a datagram", socket("type=socket.SOCK_DGRAM"), refused),
        ("ICMP", socket("socket.AF_INET, socket.SOCK_DGRAM, 1"), refused),
        ("raw", socket("socket.AF_INET, socket.SOCK_RAW, 255"), refused),
        ("packet", socket("socket.AF_PACKET, socket.SOCK_RAW, 3"), refused),
        ("AF_VSOCK", socket("40, socket.SOCK_STREAM"), refused),
        ("AF_UNIX", socket("socket.AF_UNIX"), refused),
        ("SCTP", socket("socket.AF_INET, socket.SOCK_STREAM, 132"), refused),
        ("MPTCP", socket("socket.AF_INET, socket.SOCK_STREAM, 262"), refused),
        ("a port of its own", "import socket; socket.create_server(('127.0.0.1', 0))".to_owned(), refused),
        ("listening without a port", "import socket; socket.socket().listen()".to_owned(), refused),
        (
            "a scope by an address",
            "import socket; socket.socket(socket.AF_INET6).bind(('::1', 0, 0, 1))".to_owned(),
            refused,
        ),
        (
            "data before a connection",
            format!("import socket; socket.socket().sendto(b'x', {}, ('127.0.0.1', 9))", libc::MSG_FASTOPEN),
            refused,
        ),
        (
            "a message before one",
            format!(
                "import socket; socket.socket().sendmsg([b'x'], [], {}, ('127.0.0.1', 9))",
                libc::MSG_FASTOPEN
            ),
            refused,
        ),
        ("a connection begun later", option("socket.IPPROTO_TCP", "30", "1"), refused),
        ("a source route", option("socket.IPPROTO_IP", "4", "bytes([131, 7, 4, 192, 0, 2, 9, 0])"), refused),
        ("a routing header", option("socket.IPPROTO_IPV6", "57", "bytes(24)"), refused),
        ("options of packets", option("socket.IPPROTO_IPV6", "6", "bytes(24)"), refused),
        ("another interface", option("socket.SOL_SOCKET", "25", "b'lo'"), refused),
        ("another interface by number", option("socket.SOL_SOCKET", "62", "1"), refused),
        ("an option of another level", option("1000", "1", "1"), refused),
        (
            "io_uring",
            format!(
                "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\nif libc.syscall({}, 4, None) == -1: raise OSError(ctypes.get_errno(), 'call')",
                libc::SYS_io_uring_setup
            ),
            refused,
        ),
        ("another family", connect("s.fileno()", "bytes(16), 16"), "Errno 97"),
        ("an address that is not there", connect("s.fileno()", "ctypes.c_void_p(8), 16"), "Errno 14"),
        ("half an address", connect("s.fileno()", "bytes([2]) + bytes(15), 15"), "Errno 22"),
        ("a file", connect("0", "bytes([2]) + bytes(15), 16"), "Errno 88"),
        ("no descriptor", connect("77", "bytes([2]) + bytes(15), 16"), "Errno 9"),
        ("a pair", connect("t.fileno()", "bytes([2]) + bytes(15), 16"), "Errno 97"),
    ];
    let jail = Jail::new();
    for (what, attempt, error) in attempts {
        let done = block_on(async {
            let mut cell = sandbox().open(&notified(&jail)).await.unwrap();
            run_in(&mut cell, jail.python_script(attempt, &[])).await
        });
        assert!(done.fails().err.contains(error), "{what}: {done:#?}");
    }
}

/// Connections go to the guard, whatever their address; here nothing accepts them.
#[test]
fn nothing_of_this_machine_is_reached() {
    let jail = Jail::new();
    let listening = Listening::new("notified");
    let script = "import os, socket
def attempt(work):
    try: work()
    except OSError as error: print(error.errno)
def datagram(): socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(os.environ['datagrams'])))
def named(): socket.socket(socket.AF_UNIX).connect('\\0' + os.environ['name'])
for host in ('127.0.0.1', '0.0.0.0'):
    attempt(lambda: socket.create_connection((host, int(os.environ['port'])), 2).send(b'x'))
attempt(datagram)
attempt(named)";
    let variables = listening.variables();
    let done = block_on(async {
        let mut cell = sandbox().open(&notified(&jail)).await.unwrap();
        run_in(&mut cell, jail.python_script(script, &variables)).await
    });
    done.succeeds();
    assert_eq!(listening.reached(), 0);
    // Without a sandbox each of them arrives.
    jail.python(&none(&jail.spec(SandboxLevel::Confined)), script, &variables).succeeds();
    assert_eq!(listening.reached(), 3);
}

/// Addresses are judged as addresses, names as names, however a program connects.
#[test]
fn a_connection_is_judged_by_what_it_was_meant_for() {
    let rows = [
        ("exec 3<>/dev/tcp/93.184.216.34/80; echo x >&3; cat <&3", "93.184.216.34"),
        ("exec 3<>/dev/tcp/2606:4700::9/80; echo x >&3; cat <&3", "2606:4700::9"),
        ("exec 3<>/dev/tcp/::ffff:93.184.216.35/80; echo x >&3; cat <&3", "93.184.216.35"),
        ("exec 3<>/dev/tcp/169.254.169.254/80; echo x >&3; cat <&3", "169.254.169.254"),
        ("exec 3<>/dev/tcp/127.0.0.1/9; echo x >&3; cat <&3", "127.0.0.1"),
        ("exec 3<>/dev/tcp/evil.example/80; echo x >&3; cat <&3", "evil.example"),
        ("curl -s https://evil.example/", "evil.example"),
        ("curl -s -6 --noproxy '*' http://[2606:4700::8]/", "2606:4700::8"),
        // Without waiting, from another thread than the first, and again on the same socket.
        (
            "/usr/bin/python3 -c '
import asyncio, threading, socket
async def one():
    reader, writer = await asyncio.open_connection(\"93.184.216.36\", 80)
    writer.write(b\"x\"); print(await reader.read())
def run():
    try: asyncio.run(one())
    except OSError: pass
t = threading.Thread(target=run); t.start(); t.join()
s = socket.create_connection((\"93.184.216.36\", 80))
try: s.connect((\"93.184.216.37\", 80))
except OSError as error: print(error.errno)'",
            "93.184.216.36",
        ),
    ];
    let jail = Jail::new();
    for (line, host) in rows {
        let came = run_within(&notified(&jail), &jail, line, 9);
        let seen = came.of(host);
        assert!(seen.refused > 0 && seen.connections == 0 && !came.looked_up(host), "{line}: {seen:#?}");
        let never = ["169.254.169.254", "127.0.0.1"].contains(&host);
        let asked: &[&str] = if never { &[] } else { &[host] };
        assert_eq!(came.asked(), asked, "{line}");
    }
}

#[test]
fn without_a_guard_connections_end() {
    let jail = Jail::new();
    let line = "exec 3<>/dev/tcp/93.184.216.34/80; cat <&3; exec 4<>/dev/tcp/93.184.216.34/80 || exit 7";
    let done = block_on(async {
        let mut cell = sandbox().open(&notified(&jail)).await.unwrap();
        drop(cell.take_network());
        run_in(&mut cell, jail.script(line, &[])).await
    });
    assert!(done.fails().err.contains("refused"), "{done:#?}");
}

#[test]
fn only_a_confined_run_can_have_its_connections_made() {
    let jail = Jail::new();
    let spec = Spec { profile: SandboxLevel::None, ..notified(&jail) };
    let refused = block_on(async { sandbox().open(&spec).await.map(drop) });
    assert!(matches!(refused, Err(SandboxError::Supervisor(_))), "{refused:?}");
    let done = block_on(async {
        let mut cell = sandbox().open(&notified(&jail)).await.unwrap();
        run_in(&mut cell, jail.script("kill -KILL $PPID; exit 3", &[])).await
    });
    assert_eq!(done.status, Status::Exited(3), "{done:#?}");
}
