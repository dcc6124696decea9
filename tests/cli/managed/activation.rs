//! Socket activation with systemd's own `systemd-socket-activate`: the first caller starts the guard.

use std::io::Read as _;
use std::net::TcpStream;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use crate::common::{Answer, PATIENCE, folder, free_port, guarda, wait};

/// The sockets are open, but the guard has not been started.
struct Waiting {
    child: Child,
    place: tempfile::TempDir,
    address: String,
}

impl Waiting {
    /// `sockets` are further ones.
    fn open(server: &str, address: &str, sockets: &[&str]) -> Self {
        let place = folder(server, "");
        let state = place.path().join("state");
        std::fs::DirBuilder::new().mode(0o700).create(&state).unwrap();
        let own = guarda(place.path());
        let mut command = Command::new("systemd-socket-activate");
        for (name, value) in own.get_envs() {
            let value = value.unwrap().to_str().unwrap();
            // The configured address differs from the address of the socket that is handed over.
            command.arg(format!("--setenv={}={value}", name.to_str().unwrap()));
        }
        command.arg(format!("--listen={address}"));
        command.args(sockets.iter().map(|socket| format!("--listen={socket}")));
        command.arg(format!("--listen={}", state.join("guarda.sock").display()));
        command.arg(env!("CARGO_BIN_EXE_guarda")).args(["serve", "--ready-json"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let child = child.expect("systemd-socket-activate, of the package systemd");
        let waiting = Self { child, place, address: address.to_owned() };
        // The last one of them.
        wait("the sockets", || waiting.state("guarda.sock").exists().then_some(()));
        waiting
    }

    fn state(&self, name: &str) -> std::path::PathBuf {
        self.place.path().join("state").join(name)
    }

    /// Connects to an address, and reads until the end.
    fn refused(mut self, address: &str) -> String {
        let _knock = TcpStream::connect(address).unwrap();
        let status = wait("the guard to end", || self.child.try_wait().unwrap());
        assert_eq!(status.code(), Some(1));
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(stream: &mut (impl std::io::Read + std::io::Write), request: &str) -> Answer {
    stream.write_all(request.as_bytes()).unwrap();
    Answer::read(stream)
}

#[test]
fn the_first_caller_starts_the_guard_and_is_answered() {
    let mut waiting = Waiting::open("", &format!("127.0.0.1:{}", free_port()), &[]);
    assert!(!waiting.state("token").exists(), "nobody is there yet");
    let mut first = TcpStream::connect(&waiting.address).unwrap();
    first.set_read_timeout(Some(PATIENCE)).unwrap();
    let health = format!("GET /v1/health HTTP/1.1\r\nHost: {}\r\n\r\n", waiting.address);
    assert_eq!(ask(&mut first, &health).status, 200);
    let told = wait("the address", || std::fs::read_to_string(waiting.state("address")).ok());
    assert_eq!(told.trim(), waiting.address, "the address that was handed over, and not the configured one");

    // The socket is the one in the state folder, and identifies its user. Children inherit none of the
    // sockets.
    let mut second = UnixStream::connect(waiting.state("guarda.sock")).unwrap();
    let body = r#"{"action": "RUN_COMMAND", "target": "ls -l /proc/self/fd"}"#;
    let length = body.len();
    let reply = ask(
        &mut second,
        &format!(
            "POST /v1/actions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ),
    );
    let reply = reply.json();
    let shown = reply["output"]["stdout"].as_str().unwrap();
    assert!(reply["outcome"] == "done" && !shown.contains("socket:"), "{reply:#}");

    // The sockets are not the guard's to take away: the next caller starts it again.
    let pid = rustix::process::Pid::from_child(&waiting.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(wait("the end", || waiting.child.try_wait().unwrap()).code(), Some(0));
    assert!(waiting.state("guarda.sock").exists() && waiting.state("address").exists());
}

#[test]
fn what_is_handed_over_must_be_allowed() {
    let (open, other) = (free_port(), free_port());
    let waiting = Waiting::open("", &format!("0.0.0.0:{open}"), &[]);
    let said = waiting.refused(&format!("127.0.0.1:{open}"));
    assert!(said.contains("LISTEN_FDS") && said.contains("allow_remote"), "{said}");

    let address = format!("127.0.0.1:{}", free_port());
    let waiting = Waiting::open("", &address, &[&format!("127.0.0.1:{other}")]);
    let said = waiting.refused(&address);
    assert!(said.contains("two sockets of one kind") && said.contains("guarda.socket"), "{said}");

    let address = format!("127.0.0.1:{}", free_port());
    let said = Waiting::open("socket = false", &address, &[]).refused(&address);
    assert!(said.contains("server.socket"), "{said}");
}

#[test]
fn the_unit_of_the_sockets_is_sound() {
    let unit = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/guarda.socket");
    let text = std::fs::read_to_string(unit).unwrap();
    for line in ["ListenStream=127.0.0.1:4827", "SocketMode=0600", "WantedBy=sockets.target"] {
        assert!(text.lines().any(|other| other == line), "{line}");
    }
    // Beside its service, which systemd looks for, with a program that is there.
    let folder = tempfile::tempdir().unwrap();
    let service = include_str!("../../../packaging/guarda.service");
    let built = std::path::Path::new(env!("CARGO_BIN_EXE_guarda")).parent().unwrap();
    std::fs::write(
        folder.path().join("guarda.service"),
        service.replace("@BINDIR@", built.to_str().unwrap()),
    )
    .unwrap();
    let socket = folder.path().join("guarda.socket");
    std::fs::copy(unit, &socket).unwrap();
    let output =
        Command::new("systemd-analyze").args(["--user", "--man=no", "verify"]).arg(&socket).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let ours: Vec<&str> = said.lines().filter(|line| line.contains("guarda")).collect();
    assert!(ours.is_empty(), "{said}");
}
