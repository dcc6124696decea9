//! A real service of the real binary, on a port and a state folder of its own, without speech, keys or terminal.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod project;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for anything; nothing here is measured by it.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// What all tests switch off.
const SILENT: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n";

/// For tests of questions that come before a run: what changes files is asked about by its words.
pub const UNSTAGED: &str = "[undo]\nstage = false\n";

/// The command with an environment of its own: nothing of the desktop of whoever runs the tests.
pub fn guarda(folder: &Path) -> Command {
    program(folder, env!("CARGO_BIN_EXE_guarda"))
}

/// Any program in that environment.
#[expect(clippy::disallowed_methods, reason = "starts the program under test")]
pub fn program(folder: &Path, name: &str) -> Command {
    let mut command = Command::new(name);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).current_dir(folder);
    command.env("GUARDA_STATE_DIR", folder.join("state")).env("GUARDA_CONFIG", folder.join("config.toml"));
    command.env("GUARDA_ALLOW_ROOT", "1").env("GUARDA_LISTEN", "127.0.0.1:0");
    command.stdin(Stdio::null());
    command
}

/// A folder with this configuration. `server` and `security` are the texts of those sections.
pub fn folder(server: &str, security: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("[server]\n{server}\n[security]\n{security}\n{SILENT}");
    std::fs::write(folder.path().join("config.toml"), text).unwrap();
    folder
}

pub struct Service {
    pub child: Child,
    pub address: String,
    pub folder: tempfile::TempDir,
    pub token: String,
    pub approve: String,
    /// Everything that the service has printed to standard error.
    said: std::sync::Arc<std::sync::Mutex<String>>,
}

impl Service {
    pub fn start() -> Self {
        Self::with("", "")
    }

    /// One that asks before a command changes files, and not afterwards.
    pub fn unstaged() -> Self {
        Self::with("", UNSTAGED)
    }

    pub fn with(server: &str, security: &str) -> Self {
        Self::on(folder(server, security))
    }

    pub fn on(folder: tempfile::TempDir) -> Self {
        Self::by(guarda(folder.path()), folder)
    }

    /// Started by another program, such as `prlimit --fsize=1000`.
    pub fn under(folder: tempfile::TempDir, words: &[&str]) -> Self {
        let (first, rest) = words.split_first().unwrap();
        let mut command = program(folder.path(), first);
        command.args(rest).arg(env!("CARGO_BIN_EXE_guarda"));
        Self::by(command, folder)
    }

    /// Another copy of the program.
    pub fn of(folder: tempfile::TempDir, copy: &Path) -> Self {
        Self::by(program(folder.path(), copy.to_str().unwrap()), folder)
    }

    /// With further words on its command line.
    pub fn with_words(folder: tempfile::TempDir, words: &[&str]) -> Self {
        Self::by_words(guarda(folder.path()), folder, words)
    }

    fn by(command: Command, folder: tempfile::TempDir) -> Self {
        Self::by_words(command, folder, &[])
    }

    fn by_words(mut command: Command, folder: tempfile::TempDir, words: &[&str]) -> Self {
        command.args(["serve", "--ready-json"]).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let said = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let (heard, errors) = (std::sync::Arc::clone(&said), child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                heard.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let ready: serde_json::Value = serde_json::from_str(&first).unwrap_or_else(|_| {
            std::thread::sleep(Duration::from_millis(200));
            panic!("not ready: {first:?} {}", said.lock().unwrap())
        });
        let read = |name: &str| std::fs::read_to_string(folder.path().join("state").join(name)).unwrap();
        Self {
            address: ready["address"].as_str().unwrap().to_owned(),
            token: read("token").trim().to_owned(),
            approve: read("approve-token").trim().to_owned(),
            child,
            folder,
            said,
        }
    }

    pub fn state(&self, name: &str) -> PathBuf {
        self.folder.path().join("state").join(name)
    }

    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end of the process.
    pub fn end(&mut self) -> std::process::ExitStatus {
        wait("the service ends", || self.child.try_wait().unwrap())
    }

    /// A request with the submitting token, a good `Host` and JSON.
    pub fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Call<'_> {
        Call::new(self, "POST", path).token(&self.token).header("Content-Type", "application/json").body(body)
    }

    /// A request for an action.
    pub fn act(&self, target: &str) -> Call<'_> {
        let body = serde_json::json!({"action": "RUN_COMMAND", "target": target, "cwd": self.folder.path()});
        self.post("/v1/actions", body.to_string())
    }

    pub fn get(&self, path: &str) -> Call<'_> {
        Call::new(self, "GET", path).token(&self.token)
    }

    /// The numbers of the open questions.
    pub fn questions(&self) -> Vec<String> {
        let answer = self.get("/v1/questions").token(&self.approve).send();
        assert_eq!(answer.status, 200, "{answer:?}");
        let questions = answer.json()["questions"].as_array().unwrap().clone();
        questions.iter().map(|question| question["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits for a question.
    pub fn question(&self) -> String {
        wait("a question", || self.questions().first().cloned())
    }

    pub fn answer(&self, question: &str, answer: &str) -> Answer {
        let path = format!("/v1/questions/{question}/answer");
        self.post(&path, format!("{{\"answer\": \"{answer}\"}}")).token(&self.approve).send()
    }

    /// The lines of the journal, as JSON.
    pub fn journal(&self) -> Vec<serde_json::Value> {
        let folder = self.state("journal");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let texts = files.filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
        let texts: Vec<String> = texts.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        texts.iter().flat_map(|text| text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until there is something.
#[track_caller]
pub fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A request, byte by byte as it is sent.
#[derive(Clone)]
pub struct Call<'a> {
    service: &'a Service,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl<'a> Call<'a> {
    pub fn new(service: &'a Service, method: &str, path: &str) -> Self {
        let headers = vec![("Host".to_owned(), service.address.clone())];
        Self { service, method: method.to_owned(), path: path.to_owned(), headers, body: Vec::new() }
    }

    /// Sets a header; an empty value takes it away.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        if !value.is_empty() {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Adds a header to one of the same name.
    pub fn another(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        let length = ("Content-Length".to_owned(), self.body.len().to_string());
        let given =
            self.headers.iter().any(|(name, _)| name == "Content-Length" || name == "Transfer-Encoding");
        for (name, value) in self.headers.iter().chain((!given).then_some(&length)) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        [head.as_bytes(), &self.body].concat()
    }

    /// Sends it on a connection of its own, which is given back.
    pub fn begin(&self) -> TcpStream {
        let mut stream = connect(self.service);
        stream.write_all(&self.bytes()).unwrap();
        stream
    }

    pub fn send(&self) -> Answer {
        let mut stream = self.begin();
        Answer::read(&mut stream)
    }
}

pub fn connect(service: &Service) -> TcpStream {
    let stream = TcpStream::connect(&service.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// Reads one answer from a connection.
    pub fn read(stream: &mut impl Read) -> Self {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read(&mut byte) {
                Ok(1) => head.push(byte[0]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => panic!("no answer: {other:?} after {:?}", String::from_utf8_lossy(&head)),
            }
        }
        let head = String::from_utf8(head).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
        let mut body = vec![0; length.parse().unwrap()];
        stream.read_exact(&mut body).unwrap();
        Self { status, head, body: String::from_utf8(body).unwrap() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The kind of the problem.
    #[track_caller]
    pub fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let json = self.json();
        assert_eq!(json["status"], self.status);
        for name in ["title", "detail", "instance"] {
            assert!(json[name].as_str().is_some_and(|text| !text.is_empty()), "{json}");
        }
        json["type"].as_str().unwrap().strip_prefix("urn:guarda:problem:").unwrap().to_owned()
    }
}
