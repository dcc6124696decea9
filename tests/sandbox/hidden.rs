//! What is hidden from a run fails to open: it is not read as empty, and nothing is written to nowhere.

use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::PathBuf;

use guarda_sandbox::{SandboxLevel, Spec};

use crate::jail::{Done, Jail, profiles, program, run};
use crate::stage::staged;

/// A jail whose working folder has secrets, and their paths.
fn jail() -> (Jail, Vec<PathBuf>) {
    let jail = Jail::new();
    std::fs::create_dir_all(jail.at("work/sub/keys")).unwrap();
    for file in ["work/.env", "work/sub/.env", "work/sub/keys/key"] {
        std::fs::write(jail.at(file), "KEY=SECRET\n").unwrap();
    }
    let hidden = ["work/.env", "work/sub/.env", "work/sub/keys"].map(|path| jail.at(path)).to_vec();
    (jail, hidden)
}

/// A line in each kind of cell that hides secrets.
fn each(jail: &Jail, hidden: &[PathBuf], number: usize, line: &str) -> Vec<Done> {
    let look = |profile| Spec::look(profile, Some(jail.at("")), jail.at("work"));
    let specs = profiles().into_iter().map(look).chain([staged(jail, "work", &number.to_string())]);
    let each = specs.map(|mut spec| {
        spec.hidden.extend_from_slice(hidden);
        run(&spec, jail.script(line, &[]))
    });
    each.collect()
}

#[test]
fn whatever_meets_a_hidden_file_fails_and_says_so() {
    let (jail, hidden) = jail();
    for (number, line) in [
        "cat .env",
        "head -c1 sub/.env",
        "python3 -c 'open(\".env\").read()'",
        "python3 -c 'open(\".env\", \"a\").write(\"X=1\")'",
        "echo X=1 >> .env",
        "echo X=1 > .env",
        ": <> .env",
        "truncate -s 0 .env",
        "chmod 600 .env && cat .env",
        "mv .env other",
        "rm -f .env",
        "ln .env other && cat other",
        "cp .env $TMPDIR/copy",
        "cp -r . $TMPDIR/copy",
        "tar cf $TMPDIR/x.tar .",
        "ls sub/keys | grep .",
        "cat sub/keys/key",
        "rm -rf sub",
        "cat /proc/self/cwd/.env",
        "cat /proc/self/root$work/.env",
    ]
    .into_iter()
    .enumerate()
    {
        for done in each(&jail, &hidden, number, line) {
            done.fails();
            assert!(
                !done.out.contains("SECRET") && !done.err.is_empty() || line.contains("grep"),
                "{line}: {done:#?}"
            );
        }
        assert_eq!(std::fs::read_to_string(jail.at("work/.env")).unwrap(), "KEY=SECRET\n", "{line}");
    }
}

#[test]
fn what_lies_beside_a_hidden_file_is_there_however_much_it_is() {
    let (jail, hidden) = jail();
    for number in 0..6000 {
        std::fs::write(jail.at(&format!("work/file{number}")), "x").unwrap();
    }
    // Without mounts, each is opened by a rule of its own.
    let mut act = jail.spec(SandboxLevel::Confined);
    act.hidden.extend_from_slice(&hidden);
    let done = run(&act, jail.script("cat file0 file5999 && echo y > file5999 && ! cat .env", &[]));
    assert_eq!(done.succeeds().out, "xx", "{done:#?}");
    std::fs::write(jail.at("work/file5999"), "x").unwrap();
    for done in each(&jail, &hidden, 0, "cat file0 file5999 && ls | wc -l && test -e .env && test ! -r .env")
    {
        assert_eq!(done.succeeds().out, "xx6002\n", "{done:#?}");
    }
}

#[test]
fn git_takes_a_hidden_file_for_the_one_that_it_knows() {
    let (jail, hidden) = jail();
    let git = |line: &str| {
        let home = jail.at("");
        let mut command = program("/bin/sh");
        command.args(["-c", line]).current_dir(jail.at("work")).env("HOME", home);
        assert!(command.status().unwrap().success(), "{line}");
    };
    let old = filetime();
    git(&format!("git init -q . && touch -d @{old} .env file && git add -f .env file"));
    git("git -c user.name=a -c user.email=a@b commit -qm one");
    for done in each(&jail, &hidden, 0, "git status --porcelain -uno") {
        assert_eq!(done.succeeds().out, "", "{done:#?}");
    }
    let line = "echo more >> file && git -c user.name=a -c user.email=a@b commit -qam two && git show --stat";
    let mut spec = staged(&jail, "work", "commit");
    spec.hidden.extend_from_slice(&hidden);
    let done = run(&spec, jail.script(line, &[]));
    assert!(done.succeeds().out.contains("1 file changed"), "{done:#?}");
}

/// A time that no file of this second has.
fn filetime() -> u64 {
    1_700_000_000
}

#[test]
fn a_held_back_run_makes_sockets_and_terminals_of_its_own() {
    let jail = Jail::new();
    for (number, text) in [
        "import multiprocessing; m = multiprocessing.Manager(); assert m.list([1])[0] == 1",
        "import pty, os, tty; m, s = pty.openpty(); tty.setraw(s); os.write(m, b'x'); assert os.read(s, 1) == b'x'",
        "import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.send(b'x'); assert b.recv(1) == b'x'",
        "import multiprocessing.shared_memory as m; s = m.SharedMemory(create=True, size=64); s.close(); s.unlink()",
        "
import socket, os, tempfile
for path in ['./x.sock', os.environ['HOME'] + '/work/sub.sock', tempfile.mkdtemp() + '/x', '\\0abstract']:
    server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen()
    client = socket.socket(socket.AF_UNIX); client.connect(path); client.send(b'x')
    assert server.accept()[0].recv(1) == b'x'
",
    ]
    .into_iter()
    .enumerate()
    {
        let spec = staged(&jail, "work", &number.to_string());
        jail.python(&spec, text, &[]).succeeds();
    }
    let done = run(&staged(&jail, "work", "script"), jail.script("script -qec 'echo yes' /dev/null", &[]));
    assert!(done.succeeds().out.contains("yes"), "{done:#?}");
}

#[test]
fn no_socket_of_anybody_else_is_reached_at_a_path() {
    let jail = Jail::new();
    std::fs::create_dir_all(jail.at(".docker/run")).unwrap();
    let mut paths: Vec<PathBuf> =
        ["work/their.sock", ".docker/run/docker.sock", "Documents/x.sock", ".gnupg/S.gpg-agent"]
            .map(|path| jail.at(path))
            .to_vec();
    paths.push(jail.outside("x.sock"));
    // Where this user may make one, also at the usual places.
    let user =
        format!("/run/user/{}/guarda-test-{}.sock", rustix::process::getuid().as_raw(), std::process::id());
    let usual = [
        user,
        format!("/run/guarda-test-{}.sock", std::process::id()),
        format!("/dev/shm/guarda-test-{}.sock", std::process::id()),
        format!("/var/tmp/guarda-test-{}.sock", std::process::id()),
        format!("/srv/guarda-test-{}.sock", std::process::id()),
    ];
    let listeners: Vec<(PathBuf, UnixListener)> = paths
        .into_iter()
        .chain(usual.map(PathBuf::from))
        .filter_map(|path| UnixListener::bind(&path).ok().map(|listener| (path, listener)))
        .collect();
    let datagrams = jail.at("Documents/datagrams");
    let datagram = UnixDatagram::bind(&datagrams).unwrap();
    datagram.set_nonblocking(true).unwrap();
    let abstracted = format!("guarda-test-{}", std::process::id());
    let address = <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(
        &abstracted,
    )
    .unwrap();
    let hidden_away = UnixListener::bind_addr(&address).unwrap();
    hidden_away.set_nonblocking(true).unwrap();
    let mut targets: Vec<String> = listeners.iter().map(|(path, _)| path.display().to_string()).collect();
    targets.extend(
        [
            "/run/dbus/system_bus_socket",
            "/run/docker.sock",
            "/var/run/docker.sock",
            "/dev/log",
            "/run/systemd/private",
        ]
        .map(str::to_owned),
    );
    let text = format!(
        "
import os, socket
reached = []
for path in {targets:?} + [chr(0) + {abstracted:?}]:
    for way in [path, '/proc/self/root' + path]:
        try:
            one = socket.socket(socket.AF_UNIX); one.settimeout(5); one.connect(way)
            # What stands in closes the connection; anything else answers, or lets it wait.
            if one.recv(1): reached.append(way)
        except TimeoutError: reached.append(way)
        except OSError: pass
try:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', {datagrams:?}); reached.append('datagram')
except OSError: pass
print(reached)
"
    );
    for (number, root) in ["work", ""].into_iter().enumerate() {
        let done = jail.python(&staged(&jail, root, &number.to_string()), &text, &[]);
        assert_eq!(done.succeeds().out, "[]\n", "{root:?}");
    }
    for (path, listener) in &listeners {
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "{}", path.display());
        let _ = std::fs::remove_file(path);
    }
    assert!(hidden_away.accept().is_err());
    assert!(datagram.recv(&mut [0; 1]).is_err());
}
