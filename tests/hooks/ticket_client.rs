//! `guarda run TICKET` with a double of the service, whose answers each test chooses: what it sends, what it
//! prints and how it ends. tickets.rs does the same with the real service.

use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const TICKET: &str = "0123456789abcdef0123456789abcdef";

/// The two programs that redeem tickets.
fn programs() -> [&'static str; 2] {
    [env!("CARGO_BIN_EXE_guarda-hook"), env!("CARGO_BIN_EXE_guarda")]
}

/// Answers the health check that precedes a request to an address.
fn well(mut stream: impl std::io::Read + std::io::Write) {
    let mut head = vec![0; 8192];
    let count = stream.read(&mut head).unwrap();
    assert!(head[..count].starts_with(b"GET /v1/health "), "{}", String::from_utf8_lossy(&head[..count]));
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").unwrap();
}

/// A double of the service: takes one request and answers as configured.
struct Double {
    folder: tempfile::TempDir,
    heard: Receiver<(String, Value)>,
    answering: std::thread::JoinHandle<()>,
}

impl Double {
    fn new(answer: impl FnOnce(&mut UnixStream) + Send + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("state")).unwrap();
        let listener = UnixListener::bind(folder.path().join("state/guarda.sock")).unwrap();
        let (tell, heard) = channel();
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            drop(listener);
            tell.send(request(&mut stream)).unwrap();
            answer(&mut stream);
        });
        Self { folder, heard, answering }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(["run", TICKET]).current_dir(self.folder.path()).env_clear();
        command.env("HOME", self.folder.path()).env("GUARDA_STATE_DIR", self.folder.path().join("state"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// The head of a request, and its body.
fn request(stream: &mut UnixStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let mut more = [0; 4096];
        let count = stream.read(&mut more).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&more[..count]);
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let Some((head, _)) = text.split_once("\r\n\r\n") else { continue };
        let length: usize =
            head.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
        if bytes.len() >= head.len() + 4 + length {
            return (head.to_owned(), serde_json::from_slice(&bytes[head.len() + 4..]).unwrap());
        }
    }
}

const HEAD: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.guarda.frames\r\nTransfer-Encoding: chunked\r\n\r\n";

fn frame(letter: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&[letter], length.as_slice(), payload].concat()
}

fn end(value: &Value) -> Vec<u8> {
    frame(b'x', value.to_string().as_bytes())
}

fn done(status: i32) -> Vec<u8> {
    end(&json!({"exit_code": status, "signal": null, "outcome": "done", "message": ""}))
}

/// Bytes as one chunk. A reader that is gone is ignored.
fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// A response of these bytes, in chunks whose lengths differ from the frames'.
fn frames(bytes: Vec<u8>) -> impl FnOnce(&mut UnixStream) + Send {
    move |stream| {
        stream.write_all(HEAD.as_bytes()).unwrap();
        for piece in bytes.chunks(7001) {
            stream.write_all(&chunk(piece)).unwrap();
        }
        stream.write_all(b"0\r\n\r\n").unwrap();
    }
}

fn ran(program: &str, bytes: Vec<u8>) -> Output {
    let double = Double::new(frames(bytes));
    double.command(program).output().unwrap()
}

/// Nothing was run: status 126, no standard output, and one line with the reason.
#[track_caller]
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(126), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(said.starts_with("guarda: ") && said.len() > 20 && said.lines().count() == 1, "{said:?}");
    said
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn what_a_command_prints_and_how_it_ends_are_its_own() {
    let every: Vec<u8> = (0..=255).collect();
    for program in programs() {
        let bytes = [
            frame(b'o', &every),
            frame(b'e', b"trouble \xff\n"),
            frame(b'o', b""),
            frame(b'o', b"no line's end"),
            done(7),
        ];
        let output = ran(program, bytes.concat());
        assert_eq!(output.status.code(), Some(7));
        assert_eq!(output.stdout, [every.as_slice(), b"no line's end"].concat());
        assert_eq!(output.stderr, b"trouble \xff\n");
        for ended in [Signal::TERM, Signal::KILL, Signal::SEGV] {
            let last = json!({"exit_code": null, "signal": ended.as_raw(), "outcome": "done", "message": ""});
            let output = ran(program, [frame(b'o', b"x"), end(&last)].concat());
            assert_eq!(
                (output.status.signal(), output.stdout.as_slice()),
                (Some(ended.as_raw()), b"x".as_slice())
            );
        }
    }
}

#[test]
fn much_output_comes_whole_and_in_order() {
    let lines: String = (0..700_000).map(|number| format!("{number}\n")).collect();
    let mut bytes: Vec<u8> = lines.as_bytes().chunks(65_536).flat_map(|part| frame(b'o', part)).collect();
    bytes.extend(done(0));
    let output = ran(programs()[0], bytes);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout == lines.as_bytes(), "{} of {} bytes", output.stdout.len(), lines.len());
}

#[test]
fn the_service_is_told_where_it_stands() {
    let double = Double::new(frames(done(0)));
    let folder = double.folder.path().to_owned();
    std::fs::create_dir(folder.join("sub")).unwrap();
    let mut command = double.command(programs()[0]);
    command
        .current_dir(folder.join("sub"))
        .env("FOO", "bar")
        .env("ODD", std::ffi::OsStr::from_bytes(b"\xff"));
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let (head, body) = double.heard.recv().unwrap();
    assert!(head.starts_with(&format!("post /v1/tickets/{TICKET}/run http/1.1\r\n")), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert_eq!(body["cwd"].as_str(), std::fs::canonicalize(folder.join("sub")).unwrap().to_str());
    let environment = body["environment"].as_array().unwrap();
    assert!(environment.contains(&json!(["FOO", "bar"])), "{body}");
    assert!(!environment.iter().any(|pair| pair[0] == "ODD"), "what is no UTF-8 cannot be told: {body}");
}

#[test]
fn what_a_command_prints_comes_at_once() {
    let (go, wait) = channel();
    let double = Double::new(move |stream| {
        stream.write_all(HEAD.as_bytes()).unwrap();
        stream.write_all(&chunk(&frame(b'o', b"first"))).unwrap();
        wait.recv().unwrap();
        stream.write_all(&chunk(&done(0))).unwrap();
        stream.write_all(b"0\r\n\r\n").unwrap();
    });
    let mut child = double.command(programs()[0]).spawn().unwrap();
    let mut first = [0; 5];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"first");
    go.send(()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_refusal_is_one_line_that_says_what_to_do() {
    let problem = |status: &str, body: &str| {
        let (length, kind) = (body.len(), "application/problem+json");
        let text =
            format!("HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}");
        move |stream: &mut UnixStream| stream.write_all(text.as_bytes()).unwrap()
    };
    for (status, body, said) in [
        (
            "404",
            r#"{"title": "Not found", "detail": "used: send the command\nagain"}"#,
            "used: send the command again",
        ),
        ("409", r#"{"title": "Another folder"}"#, "Another folder: let the agent send"),
        ("401", "{}", "refused with 401: let the agent send"),
        ("503", "no JSON", "refused with 503: let the agent send"),
    ] {
        let double = Double::new(problem(status, body));
        let output = double.command(programs()[0]).output().unwrap();
        let heard = refused(&output);
        assert!(heard.contains(said), "{heard}");
    }
    // Another service, which takes the request for something else.
    let page = |stream: &mut UnixStream| {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
            .unwrap();
    };
    assert!(refused(&Double::new(page).command(programs()[0]).output().unwrap()).contains("guarda serve"));
}

#[test]
fn what_is_not_done_is_told() {
    for (outcome, status) in [("denied", json!(null)), ("failed", json!(null)), ("blocked", json!(0))] {
        let last = json!({"exit_code": status, "signal": null, "outcome": outcome, "message": "it changed since then"});
        assert_eq!(refused(&ran(programs()[0], end(&last))), "guarda: it changed since then\n");
    }
    let last =
        json!({"exit_code": 127, "signal": null, "outcome": "done", "message": "there is no program x"});
    let output = ran(programs()[0], end(&last));
    assert_eq!(output.status.code(), Some(127));
    assert_eq!(output.stderr, b"guarda: there is no program x\n");
}

#[test]
fn an_answer_that_is_cut_or_no_answer_is_an_error() {
    for bytes in
        [b"garbage".to_vec(), frame(b'x', b"{}"), [done(0), frame(b'o', b"more")].concat(), Vec::new()]
    {
        refused(&ran(programs()[0], bytes));
    }
    // The connection ends in the middle of a frame, and of a chunk.
    let double = Double::new(|stream| {
        stream.write_all(HEAD.as_bytes()).unwrap();
        stream.write_all(&chunk(&frame(b'o', b"so far"))).unwrap();
        stream.write_all(b"100\r\no").unwrap();
    });
    let output = double.command(programs()[0]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(126), b"so far".as_slice()));
    refused(&Double::new(|_| {}).command(programs()[0]).output().unwrap());
}

#[test]
fn without_a_service_a_ticket_or_a_folder_nothing_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = Command::new(programs()[0]);
        command.args(words).env_clear().env("GUARDA_STATE_DIR", folder.path()).current_dir(folder.path());
        refused(&command.output().unwrap())
    };
    assert!(run(&["run", TICKET]).contains("guarda serve"));
    for words in [&["run"][..], &["run", ""], &["run", "../../x"], &["run", TICKET, "x"]] {
        run(words);
    }
    let gone = folder.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let line = format!("rmdir {}; exec {} run {TICKET}", gone.display(), programs()[0]);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &line]).env("GUARDA_STATE_DIR", folder.path()).current_dir(&gone);
    assert!(refused(&command.output().unwrap()).contains("cd into another"));
    let mut command = Command::new(programs()[0]);
    command.args(["run", TICKET]).env("GUARDA_STATE_DIR", folder.path());
    (0..10).for_each(|number| {
        command.env(format!("LARGE{number}"), "x".repeat(120_000));
    });
    assert!(refused(&command.output().unwrap()).contains("environment"));
}

/// Answers with this much, reports it, and waits until the reader is gone.
fn until_gone(
    bytes: Vec<u8>,
    told: std::sync::mpsc::Sender<&'static str>,
) -> impl FnOnce(&mut UnixStream) + Send {
    move |stream| {
        if !bytes.is_empty() {
            stream.write_all(HEAD.as_bytes()).unwrap();
            let _ = stream.write_all(&chunk(&bytes));
        }
        told.send("answered").unwrap();
        let gone = stream.read(&mut [0]);
        assert!(!matches!(gone, Ok(1)), "nothing more is sent to the service");
        told.send("gone").unwrap();
    }
}

#[test]
fn a_signal_ends_the_connection_and_then_it() {
    for program in programs() {
        for ended in [Signal::TERM, Signal::INT, Signal::HUP] {
            // If the tests run under `nohup`, the signal is ignored here, too.
            if guarda::devices::process::ending::is_ignored(ended.as_raw()) {
                continue;
            }
            // Before the answer, and in the middle of it.
            for bytes in [Vec::new(), frame(b'o', b"so far")] {
                let (told, tell) = channel();
                let wants = bytes.is_empty();
                let double = Double::new(until_gone(bytes, told));
                let mut child = double.command(program).spawn().unwrap();
                assert_eq!(tell.recv().unwrap(), "answered");
                if !wants {
                    let mut first = [0; 6];
                    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
                }
                signal(&child, ended);
                assert_eq!(tell.recv().unwrap(), "gone");
                let output = child.wait_with_output().unwrap();
                assert_eq!(output.status.signal(), Some(ended.as_raw()), "{output:?}");
                assert!(output.stderr.is_empty(), "{output:?}");
            }
        }
    }
}

#[test]
fn a_signal_is_heard_where_nobody_reads() {
    let (told, tell) = channel();
    let much: Vec<u8> = (0..64).flat_map(|_| frame(b'o', &[b'x'; 65_536])).collect();
    let double = Double::new(move |stream| {
        stream.write_all(HEAD.as_bytes()).unwrap();
        told.send("begun").unwrap();
        let _ = stream.write_all(&chunk(&much));
    });
    let mut child = double.command(programs()[0]).spawn().unwrap();
    assert_eq!(tell.recv().unwrap(), "begun");
    // Its first bytes are there, and then the pipe is full.
    let mut first = [0; 1];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn a_signal_that_is_ignored_stays_so() {
    let (go, wait) = channel();
    let double = Double::new(move |stream| {
        wait.recv().unwrap();
        frames([frame(b'o', b"x"), done(0)].concat())(stream);
    });
    let line = format!("trap '' HUP; exec {} run {TICKET}", programs()[0]);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &line]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.current_dir(double.folder.path()).env("GUARDA_STATE_DIR", double.folder.path().join("state"));
    let child = command.spawn().unwrap();
    double.heard.recv().unwrap();
    signal(&child, Signal::HUP);
    go.send(()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"x".as_slice()));
}

#[test]
fn where_nobody_takes_what_is_printed_it_ends() {
    for program in programs() {
        let (told, tell) = channel();
        let (go, wait) = channel();
        let double = Double::new(move |stream| {
            wait.recv().unwrap();
            until_gone(frame(b'o', b"for nobody"), told)(stream);
        });
        let mut child = double.command(program).spawn().unwrap();
        drop(child.stdout.take());
        go.send(()).unwrap();
        assert_eq!(tell.recv().unwrap(), "answered");
        assert_eq!(tell.recv().unwrap(), "gone");
        assert_eq!(child.wait().unwrap().signal(), Some(Signal::PIPE.as_raw()));
    }
}

/// What an agent waits for is sent without a check before it. That nobody answers is found out all the same.
#[test]
fn a_socket_that_nobody_serves_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let _held = UnixListener::bind(folder.path().join("guarda.sock")).unwrap();
    let event = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/tmp", "tool_name": "Bash",
                        "tool_use_id": "t", "tool_input": { "command": "ls" } });
    std::thread::scope(|scope| {
        for (words, status) in [(&["run", TICKET][..], 126), (&["claude"], 2)] {
            let (folder, event) = (folder.path(), event.to_string());
            scope.spawn(move || {
                let mut command = Command::new(programs()[0]);
                command.args(words).env_clear().env("GUARDA_STATE_DIR", folder).current_dir("/tmp");
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let mut child = command.spawn().unwrap();
                child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
                let output = child.wait_with_output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(
                    output.status.code() == Some(status) && said.contains("does not serve it"),
                    "{words:?}: {output:?}"
                );
            });
        }
    });
}

#[test]
fn a_folder_for_state_with_an_address_alone_will_do() {
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::fs::write(folder.path().join("address"), &address).unwrap();
    let token = "ab".repeat(32);
    std::fs::write(folder.path().join("token"), &token).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(folder.path().join("token"), mode).unwrap();
    let answering = std::thread::spawn(move || {
        well(listener.accept().unwrap().0);
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = vec![0; 8192];
        let count = stream.read(&mut head).unwrap();
        let bytes = [HEAD.as_bytes().to_vec(), chunk(&done(3)), b"0\r\n\r\n".to_vec()].concat();
        stream.write_all(&bytes).unwrap();
        String::from_utf8_lossy(&head[..count]).to_lowercase()
    });
    let mut command = Command::new(programs()[0]);
    command.args(["run", TICKET]).env_clear().env("GUARDA_STATE_DIR", folder.path());
    let output = command.current_dir(Path::new("/tmp")).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let head = answering.join().unwrap();
    assert!(head.contains(&format!("authorization: bearer {token}")), "{head}");
}
