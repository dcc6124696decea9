//! Hostile callers (many, slow, half gone, too long, guessing), and the counters and log lines about them.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::common::{Answer, Call, Service, UNSTAGED, connect, folder, guarda, let_pass, wait};
use serde_json::{Value, json};

const MUTE: &str = r#"{"action": "RUN_COMMAND", "target": "echo hi"}"#;

fn healthy(service: &Service) {
    assert_eq!(service.get("/v1/health").send().status, 200);
}

/// Descriptors for this process: the tests of many connections need more than the usual 1024.
fn make_room() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

#[test]
fn two_thousand_connections_find_a_bound() {
    make_room();
    let service = Service::with("connection_limit = 64\nheader_timeout_seconds = 300", "");
    let mut held: Vec<TcpStream> = Vec::new();
    for number in 0..2000 {
        match TcpStream::connect(&service.address) {
            Ok(stream) => held.push(stream),
            Err(error) => panic!("connection {number}: {error}; this test needs 2,000 descriptors"),
        }
    }
    // The service sends a reply on connections that it closes, longest idle ones first. All share half a
    // minute: the kernel may have dropped a connection on a busy machine.
    let until = Instant::now() + Duration::from_secs(30);
    let told = held.iter_mut().take(1900).filter(|stream| {
        let mut said = Vec::new();
        let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(10));
        stream.set_read_timeout(Some(left)).unwrap();
        let _ = Read::take(&**stream, 12).read_to_end(&mut said);
        said == b"HTTP/1.1 503"
    });
    assert!(told.count() > 1800);
    // A new client is served, whatever the others did.
    healthy(&service);
    drop(held);
    wait("room again", || {
        let mut stream = connect(&service);
        let _ = stream.write_all(&service.get("/v1/health").bytes());
        let mut said = [0; 12];
        (stream.read_exact(&mut said).is_ok() && &said == b"HTTP/1.1 200").then_some(())
    });
}

#[test]
fn half_open_requests_shut_nobody_out() {
    make_room();
    let service = Service::with("connection_limit = 64\nheader_timeout_seconds = 300", "");
    let mut held: Vec<TcpStream> = Vec::new();
    for number in 0..600 {
        let mut stream = TcpStream::connect(&service.address).unwrap();
        let _ = stream.write_all(b"GET /v1/health HTTP/1.1\r\nHost: ");
        held.push(stream);
        if number % 50 == 0 {
            healthy(&service);
        }
    }
    healthy(&service);
    assert_eq!(service.post("/v1/actions", MUTE).send().json()["outcome"], "done");
}

#[test]
fn callers_who_wait_shut_out_no_person() {
    make_room();
    let service = Service::with("connection_limit = 40\nwaiting_limit = 300", UNSTAGED);
    let ask = r#"{"action": "RUN_COMMAND", "target": "rm -r build"}"#;
    let held: Vec<TcpStream> = (0..300)
        .filter_map(|_| {
            let mut stream = TcpStream::connect(&service.address).ok()?;
            stream.write_all(&service.post("/v1/actions", ask).bytes()).ok()?;
            Some(stream)
        })
        .collect();
    wait("the questions", || (service.questions().len() >= 30).then_some(()));
    // Every ordinary place is taken; the reserved ones are for a person and for health checks.
    healthy(&service);
    let question = service.questions().remove(0);
    let other = wait("busy", || {
        let answer = service.get("/v1/status").send();
        (answer.status == 503).then_some(answer)
    });
    assert_eq!(other.json()["type"].as_str().map(|kind| kind.contains("busy")), Some(true), "{other:?}");
    service.answer(&question, "no");
    drop(held);
    healthy(&service);
}

/// A caller's door: its socket, if that is not the port, and its token.
struct Door {
    socket: Option<PathBuf>,
    token: String,
}

impl Door {
    fn container(service: &Service, name: &str) -> Self {
        let added = guarda(service.folder.path()).args(["token", "add", name]).output().unwrap();
        assert!(added.status.success(), "{added:?}");
        let place = service.state("containers").join(name);
        let socket = place.join("guarda.sock");
        wait("the socket", || socket.exists().then_some(()));
        Self {
            socket: Some(socket),
            token: std::fs::read_to_string(place.join("token")).unwrap().trim().to_owned(),
        }
    }

    /// Sends a request and does not wait for its answer.
    fn begin(&self, service: &Service, path: &str, body: &Value) -> Box<dyn Stream> {
        let call = service.post(path, body.to_string()).token(&self.token).header("Connection", "close");
        let mut stream: Box<dyn Stream> = match &self.socket {
            Some(socket) => Box::new(UnixStream::connect(socket).unwrap()),
            None => Box::new(TcpStream::connect(&service.address).unwrap()),
        };
        let host = if self.socket.is_some() { call.header("Host", "guarda") } else { call };
        stream.write_all(&host.bytes()).unwrap();
        stream
    }

    /// The status of a request that ends by itself.
    fn status(&self, service: &Service, path: &str, body: &Value) -> String {
        let mut text = String::new();
        self.begin(service, path, body).read_to_string(&mut text).unwrap();
        text.get(9..12).unwrap_or_default().to_owned()
    }
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

fn event(line: &str, number: usize) -> Value {
    json!({"client": "claude", "tool": "Bash", "does": {"run": line}, "session": format!("e{number}"), "cwd": "/"})
}

/// The body of a caller's request of this number.
type Numbered = fn(usize) -> Value;

/// Who fills the house, and with what: a path and a body, or a file in the folder of requests.
const FILLERS: &[(&str, &str, Numbered)] = &[
    (
        "container",
        "/v1/actions",
        |number| json!({"action": "RUN_COMMAND", "target": format!("rm -r x{number}")}),
    ),
    (
        "container",
        "/v1/actions",
        |number| json!({"action": "FILE_MKDIR", "target": format!("/var/tmp/x{number}")}),
    ),
    (
        "container",
        "/v1/actions",
        |number| json!({"action": "RUN_COMMAND", "target": "rm -r x", "session": format!("s{number}")}),
    ),
    ("container", "/v1/events", |number| event(&format!("rm -r x{number}"), number)),
    ("container", "/v1/hooks/claude", |number| {
        json!({"hook_event_name": "PreToolUse", "session_id": format!("c{number}"), "tool_name": "Bash", "cwd": "/",
            "tool_input": {"command": format!("rm -r x{number}")}})
    }),
    ("container", "/v1/execute", |number| json!({"command": format!("rm -r x{number}"), "cwd": "/"})),
    (
        "container",
        "/v1/actions",
        |number| json!({"action": "RUN_COMMAND", "target": format!("sleep 60 # {number}"), "requires_confirmation": true}),
    ),
    (
        "folder",
        "",
        |number| json!({"type": "security:bash_check", "request_id": format!("f{number}"), "command": format!("rm -r x{number}")}),
    ),
    ("folder", "", |number| {
        json!({"type": "security:bash_check", "request_id": format!("f{number}"), "command": "rm -r x",
            "session": format!("s{number}")})
    }),
    ("token", "/v1/actions", |number| json!({"action": "RUN_COMMAND", "target": format!("rm -r x{number}")})),
    ("token", "/v1/execute", |number| json!({"command": format!("rm -r x{number}"), "cwd": "/"})),
];

/// However one caller fills its places, every other one is served, and so is a person.
#[test]
fn one_caller_fills_no_places_of_the_others() {
    make_room();
    for (filler, path, body) in FILLERS {
        let home = folder("waiting_limit = 16\nconnection_limit = 400", UNSTAGED);
        let ipc = home.path().join("ipc");
        let service = Service::with_words(home, &["--ipc", ipc.to_str().unwrap()]);
        let (full, other) = (Door::container(&service, "full"), Door::container(&service, "other"));
        let token = Door { socket: None, token: service.token.clone() };
        let letter = |name: &str, text: &Value| {
            let draft = ipc.join(format!("requests/.{name}"));
            std::fs::write(&draft, text.to_string()).unwrap();
            std::fs::rename(draft, ipc.join(format!("requests/{name}.json"))).unwrap();
        };
        let mut held = Vec::new();
        for number in 0..150 {
            match *filler {
                "folder" => letter(&format!("f{number}"), &body(number)),
                "container" => held.push(full.begin(&service, path, &body(number))),
                _ => held.push(token.begin(&service, path, &body(number))),
            }
        }
        wait("its questions", || (service.questions().len() >= 4).then_some(()));
        let said = format!("{filler} by {path} {}", body(0));
        let echo = json!({"action": "RUN_COMMAND", "target": "echo hi"});
        // Both kinds of places are short, so that a second and a third one find some, too.
        for number in 0..3 {
            assert_eq!(token.status(&service, "/v1/events", &event("ls", number)), "200", "a hook, {said}");
            for (whose, path, body) in [
                ("action", "/v1/actions", &echo),
                ("event", "/v1/events", &event("ls", number)),
                ("execute", "/v1/execute", &json!({"command": "echo hi", "cwd": "/"})),
            ] {
                assert_eq!(other.status(&service, path, body), "200", "another container's {whose}, {said}");
            }
            if *filler != "token" {
                assert_eq!(token.status(&service, "/v1/actions", &echo), "200", "a program, {said}");
                let asked = json!({"command": format!("rm -r y{number}"), "cwd": "/"});
                assert_eq!(token.status(&service, "/v1/execute", &asked), "200", "a question, {said}");
            }
            if *filler != "folder" {
                let name = format!("o{number}");
                let text = json!({"type": "security:bash_check", "request_id": name, "command": "ls"});
                letter(&name, &text);
                let file = ipc.join(format!("responses/{name}.json"));
                let answer = wait("an answer", || std::fs::read_to_string(&file).ok());
                assert!(answer.contains("\"allow\""), "the folder, {said}: {answer}");
            }
        }
        healthy(&service);
        let question = service.question();
        assert_eq!(service.answer(&question, "no").status, 200, "a person, {said}");
    }
}

#[test]
fn no_descriptor_left_is_a_pause_and_no_end() {
    make_room();
    let service = Service::under(folder("connection_limit = 5000", ""), &["prlimit", "--nofile=400:400"]);
    let held: Vec<TcpStream> = (0..900).filter_map(|_| TcpStream::connect(&service.address).ok()).collect();
    assert!(held.len() > 400);
    let_pass(300, "more would be accepted than there are descriptors");
    drop(held);
    healthy(&service);
    assert_eq!(service.post("/v1/actions", MUTE).send().json()["outcome"], "done");
}

#[test]
fn whoever_sends_byte_by_byte_is_cut_off_and_holds_up_nobody() {
    let service =
        Service::with("header_timeout_seconds = 1\nbody_timeout_seconds = 1\nconnection_limit = 40", "");
    let bytes = service.post("/v1/actions", MUTE).bytes();
    let mut slow: Vec<TcpStream> = (0..30).map(|_| connect(&service)).collect();
    for byte in bytes.iter().take(40) {
        for stream in &mut slow {
            let _ = stream.write_all(&[*byte]);
        }
        let_pass(30, "byte by byte");
        if *byte == b'\n' {
            healthy(&service);
        }
    }
    for stream in &mut slow {
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        assert!(said.is_empty() || said.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&said));
    }
    healthy(&service);
    assert!(service.journal().is_empty(), "nothing of them was an action");
}

#[test]
fn whoever_reads_slowly_or_not_at_all_holds_up_nobody() {
    let service = Service::start();
    // A long answer, asked for again and again, and never read.
    let mut deaf: Vec<TcpStream> = (0..8).map(|_| connect(&service)).collect();
    for stream in &mut deaf {
        stream.set_nonblocking(true).unwrap();
        let many = service.get("/openapi.json").bytes().repeat(500);
        let _ = stream.write(&many);
    }
    for _ in 0..20 {
        healthy(&service);
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let service = Service::start();
    let mut stream = connect(&service);
    let requests: Vec<Call> =
        (0..50).map(|n| service.get("/v1/health").header("X-Request-Id", &format!("n{n}"))).collect();
    let bytes: Vec<u8> = requests.iter().flat_map(Call::bytes).collect();
    stream.write_all(&bytes).unwrap();
    for n in 0..50 {
        let answer = Answer::read(&mut stream);
        assert_eq!((answer.status, answer.header("x-request-id")), (200, Some(format!("n{n}").as_str())));
    }
    // Two in one: the second is refused as malformed, and nothing of it is read into the first.
    let two = [service.post("/v1/judge", MUTE).bytes(), b"GARBAGE\r\n\r\n".to_vec()].concat();
    let mut stream = connect(&service);
    stream.write_all(&two).unwrap();
    assert_eq!(Answer::read(&mut stream).status, 200);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&rest));
}

#[test]
fn lengths_that_disagree_are_no_request() {
    let service = Service::start();
    for (name, value) in [("Transfer-Encoding", "chunked"), ("Content-Length", "3")] {
        let call = service.post("/v1/judge", MUTE).header("Content-Length", &MUTE.len().to_string());
        let mut stream = connect(&service);
        stream.write_all(&call.another(name, value).bytes()).unwrap();
        let mut said = Vec::new();
        stream.shutdown(Shutdown::Write).unwrap();
        let _ = stream.read_to_end(&mut said);
        assert!(said.starts_with(b"HTTP/1.1 400"), "{name}: {}", String::from_utf8_lossy(&said));
    }
}

#[test]
fn who_hangs_up_half_way_is_not_answered_as_if_all_had_come() {
    let service = Service::start();
    for whole in [true, false] {
        let bytes = service.post("/v1/judge", MUTE).bytes();
        let mut stream = connect(&service);
        stream.write_all(&bytes[..if whole { bytes.len() } else { bytes.len() - 5 }]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        // A client that closes its half may count as disconnected.
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 200") == whole, "{said}");
    }
    healthy(&service);
}

#[test]
fn ten_mebibytes_are_refused_before_they_are_read() {
    let service = Service::start();
    let mut stream = connect(&service);
    let head = service.post("/v1/actions", "").header("Content-Length", &(10 << 20).to_string()).bytes();
    stream.write_all(&head).unwrap();
    assert_eq!(Answer::read(&mut stream).problem(), "too-large");
    // In pieces, without a length.
    let mut stream = connect(&service);
    let head = service.post("/v1/actions", "").header("Transfer-Encoding", "chunked").bytes();
    stream.write_all(&head).unwrap();
    let piece = [b"10000\r\n".to_vec(), vec![b' '; 65536], b"\r\n".to_vec()].concat();
    let sent = (0..160).take_while(|_| stream.write_all(&piece).is_ok()).count();
    assert!(sent < 160, "all ten MiB were taken");
    healthy(&service);
}

#[test]
fn guessing_is_slowed_down_and_locks_nobody_out() {
    let service = Service::start();
    let guess = |n: usize| service.post("/v1/judge", MUTE).token(&format!("{n:064x}")).send();
    for n in 0..10 {
        assert_eq!(guess(n).problem(), "unauthorized");
    }
    let late = guess(10);
    assert_eq!((late.status, late.problem().as_str()), (429, "guessing"));
    assert_eq!(late.header("retry-after"), Some("60"));
    assert_eq!(service.post("/v1/judge", MUTE).send().status, 200, "the owner is let in");
    assert!(service.said().contains("wrong tokens"), "{}", service.said());
}

#[test]
fn two_guards_started_at_once_are_one() {
    let place = folder("", "");
    let children: Vec<_> = (0..6)
        .map(|_| {
            let mut command = guarda(place.path());
            command.args(["serve", "--ready-json"]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut children = children;
    let alive = wait("all but one to end", || {
        let alive: Vec<usize> =
            (0..children.len()).filter(|n| children[*n].try_wait().unwrap().is_none()).collect();
        (alive.len() == 1).then_some(alive)
    });
    let_pass(300, "it would end as well");
    assert!(children[alive[0]].try_wait().unwrap().is_none(), "one stays");
    for (number, mut child) in children.into_iter().enumerate() {
        let _ = child.kill();
        let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
        assert!(number == alive[0] || said.contains("another guard"), "{said}");
    }
}

#[test]
fn what_is_counted_says_nothing_of_what_was_asked() {
    let service = Service::start();
    let answer = service.get("/metrics").header("Authorization", "").send();
    assert_eq!(answer.problem(), "unauthorized");
    service.post("/v1/actions", r#"{"action": "RUN_COMMAND", "target": "echo secretword"}"#).send();
    service.post("/v1/judge", r#"{"action": "RUN_COMMAND", "target": "rm -rf /"}"#).send();
    service.get("/v1/actions/one-secretword").send();
    service.get("/two-secretword").send();
    let answer = service.get("/metrics").send();
    assert!(answer.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    let page = answer.body;
    assert!(!page.contains("secretword"), "{page}");
    for line in [
        "guarda_actions_total{outcome=\"done\",decided_by=\"policy\"} 1",
        "guarda_judgements_total{status=\"blocked\"} 1",
        "guarda_http_request_seconds_count{path=\"/v1/actions\",status=\"200\"} 1",
        "guarda_http_request_seconds_count{path=\"/v1/actions/{id}\",status=\"404\"} 1",
        "guarda_http_request_seconds_count{path=\"other\",status=\"404\"} 1",
        "guarda_record_writable 1",
        "guarda_questions_open 0",
    ] {
        assert!(page.lines().any(|other| other == line), "{line} is not in\n{page}");
    }
    // Every line is a comment or a name, labels and a number.
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let (name, number) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("guarda_") && number.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn lines_of_the_log_are_json_and_name_their_request() {
    let place = folder("", "");
    let service = Service::under(place, &["env", "GUARDA_LOG=info", "GUARDA_LOG_FORMAT=json"]);
    let answer = service.post("/v1/actions", r#"{"action": "RUN_COMMAND", "target": "echo secretword"}"#);
    let answer = answer.header("X-Request-Id", "mine-1").send();
    assert_eq!(answer.header("x-request-id"), Some("mine-1"));
    let other = service.get("/v1/health").header("X-Request-Id", "no good\u{e9}").send();
    assert!(other.header("x-request-id").is_some_and(|id| id.len() >= 10 && !id.contains(' ')));
    let lines = wait("the line", || {
        let lines: Vec<serde_json::Value> =
            service.said().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        lines
            .iter()
            .any(|line| line["message"] == "answered" && line["span"]["request_id"] == "mine-1")
            .then_some(lines)
    });
    let mine: Vec<_> = lines.iter().filter(|line| line["span"]["request_id"] == "mine-1").collect();
    assert!(
        mine.iter().any(|line| line["message"] == "an action ended" && line["outcome"] == "done"),
        "{mine:?}"
    );
    assert!(
        mine.iter().any(|line| line["status"] == 200 && line["span"]["path"] == "/v1/actions"),
        "{mine:?}"
    );
    assert!(!service.said().contains("secretword"), "{}", service.said());
}

#[test]
fn the_guards_own_tokens_come_back_nowhere() {
    let service = Service::start();
    for token in [&service.token, &service.approve] {
        let hex: String = token.bytes().map(|byte| format!("{byte:02x}")).collect();
        for said in [token.clone(), token.to_uppercase(), format!("x{}y", &token[10..40]), hex] {
            let call =
                serde_json::json!({ "action": "RUN_COMMAND", "target": format!("echo {said}") }).to_string();
            let answer = service.post("/v1/actions", call).send().json().to_string();
            assert!(answer.contains("[REDACTED_TOKEN]") && !answer.contains(&said), "{said}: {answer}");
        }
    }
    let journal = format!("{:?}", service.journal());
    assert!(!journal.contains(&service.approve) && !journal.contains(&service.token));
}
