//! Starts a real service of the real program with its own port and state folder, and talks to it.

pub mod fingers;
pub mod home;
pub mod machine;
pub mod postgres;
pub mod project;
pub mod scripted;
pub mod voice;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for anything; no test measures it.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Channels that all tests switch off.
const SILENT: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n";

/// For tests of questions before a run: commands that change files are asked about by their words.
pub const UNSTAGED: &str = "[undo]\nstage = false\n";

/// The command with its own environment, without the tester's desktop.
pub fn guarda(folder: &Path) -> Command {
    program(folder, env!("CARGO_BIN_EXE_guarda"))
}

/// Any program in that environment.
#[expect(clippy::disallowed_methods, reason = "starts the program under test")]
pub fn program(folder: &Path, name: &str) -> Command {
    let mut command = Command::new(name);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).current_dir(folder);
    command.env("GUARDA_STATE_DIR", folder.join("state")).env("GUARDA_CONFIG", folder.join("config.toml"));
    command.env("GUARDA_LISTEN", "127.0.0.1:0");
    command.stdin(Stdio::null());
    command
}

/// How a program ended: its exit status, standard output and standard error.
pub fn told(output: std::process::Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A program of the Python packages of the tests.
pub fn python(below: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python");
    assert!(place.exists(), "run scripts/python-packages first, as `make test` does");
    place.join(below)
}

/// Starts a service that must not start; returns its message.
pub fn refused(folder: &Path, change: impl FnOnce(&mut Command) -> &mut Command) -> String {
    let mut command = guarda(folder);
    command.args(["serve", "--ready-json"]);
    change(&mut command);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A home with this configuration. `server` and `security` are the texts of those sections.
pub fn folder(server: &str, security: &str) -> tempfile::TempDir {
    folder_in(&std::env::temp_dir(), server, security)
}

/// The same in another place.
pub fn folder_in(place: &Path, server: &str, security: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir_in(place).unwrap();
    home::furnish(folder.path(), 5);
    let text = format!("[server]\n{server}\n[security]\n{security}\n{SILENT}");
    std::fs::write(folder.path().join("config.toml"), text).unwrap();
    folder
}

/// A running service as its clients see it, wherever it was started.
pub struct Guard {
    pub address: String,
    pub token: String,
    pub approve: String,
    state: PathBuf,
}

/// A service that this test started, by default without speech, keys or terminal; killed on drop.
pub struct Service {
    guard: Guard,
    pub child: Child,
    pub folder: tempfile::TempDir,
    /// Everything that the service has printed to standard error.
    said: std::sync::Arc<std::sync::Mutex<String>>,
}

impl std::ops::Deref for Service {
    type Target = Guard;

    fn deref(&self) -> &Guard {
        &self.guard
    }
}

impl Service {
    pub fn start() -> Self {
        Self::with("", "")
    }

    /// A service that asks before a command changes files instead of afterwards.
    pub fn unstaged() -> Self {
        Self::with("", UNSTAGED)
    }

    pub fn with(server: &str, security: &str) -> Self {
        Self::on(folder(server, security))
    }

    pub fn on(folder: tempfile::TempDir) -> Self {
        Self::by(guarda(folder.path()), folder)
    }

    /// A service of root, which no person starts: for the tests of `tests/as-root`.
    pub fn of_root(folder: tempfile::TempDir) -> Self {
        let mut command = guarda(folder.path());
        command.env("GUARDA_ALLOW_ROOT", "1");
        Self::by(command, folder)
    }

    /// A service that another program starts, such as `prlimit --fsize=1000`.
    pub fn under(folder: tempfile::TempDir, words: &[&str]) -> Self {
        let (first, rest) = words.split_first().unwrap();
        let mut command = program(folder.path(), first);
        command.args(rest).arg(env!("CARGO_BIN_EXE_guarda"));
        Self::by(command, folder)
    }

    /// A service from another copy of the program.
    pub fn of(folder: tempfile::TempDir, copy: &Path) -> Self {
        Self::by(program(folder.path(), copy.to_str().unwrap()), folder)
    }

    /// A service with further arguments.
    pub fn with_words(folder: tempfile::TempDir, words: &[&str]) -> Self {
        Self::by_words(guarda(folder.path()), folder, words)
    }

    fn by(command: Command, folder: tempfile::TempDir) -> Self {
        Self::by_words(command, folder, &[])
    }

    fn by_words(mut command: Command, folder: tempfile::TempDir, words: &[&str]) -> Self {
        command.args(["serve", "--ready-json"]).args(words);
        let state = folder.path().join("state");
        Self::launch(command, folder, &state)
    }

    /// Runs this command and waits until it is ready. `folder` is kept as long as the service.
    pub fn launch(mut command: Command, folder: tempfile::TempDir, state: &Path) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let (heard, errors) = (std::sync::Arc::clone(&said), child.stderr.take().unwrap());
        let listening = std::thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                heard.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let ready: serde_json::Value = serde_json::from_str(&first).unwrap_or_else(|_| {
            listening.join().unwrap();
            panic!("not ready: {first:?} {}", said.lock().unwrap())
        });
        Self { guard: Guard::new(ready["address"].as_str().unwrap(), state), child, folder, said }
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

    /// A request for a command in the service's folder.
    pub fn act(&self, target: &str) -> Call {
        let body = serde_json::json!({"action": "RUN_COMMAND", "target": target, "cwd": self.folder.path()});
        self.post("/v1/actions", body.to_string())
    }
}

impl Guard {
    fn new(address: &str, state: &Path) -> Self {
        let read = |name: &str| std::fs::read_to_string(state.join(name)).unwrap().trim().to_owned();
        let (token, approve) = (read("token"), read("approve-token"));
        Self { address: address.to_owned(), token, approve, state: state.to_owned() }
    }

    /// The service of this state folder, which another program has started; waited for.
    pub fn of(state: &Path) -> Self {
        let address = wait("the service", || std::fs::read_to_string(state.join("address")).ok());
        Self::new(address.trim(), state)
    }

    /// Trusts a folder, or does so no longer, as `guarda trust` does.
    pub fn decide_trust(&self, folder: &Path, trusted: bool) -> Answer {
        let body = serde_json::json!({ "folder": folder, "trusted": trusted });
        self.post("/v1/console/trust", body.to_string()).token(&self.approve).send()
    }

    #[track_caller]
    pub fn trust(&self, folder: &Path) {
        let answer = self.decide_trust(folder, true);
        assert_eq!(answer.status, 200, "{folder:?}: {answer:?}");
    }

    pub fn state(&self, name: &str) -> PathBuf {
        self.state.join(name)
    }

    /// A request with the submitting token, a valid `Host` and JSON.
    pub fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Call {
        Call::new(self, "POST", path).token(&self.token).header("Content-Type", "application/json").body(body)
    }

    pub fn get(&self, path: &str) -> Call {
        Call::new(self, "GET", path).token(&self.token)
    }

    /// Posts an action and waits for its end.
    #[track_caller]
    pub fn perform(&self, action: &serde_json::Value) -> serde_json::Value {
        self.post("/v1/actions", action.to_string()).send().good()
    }

    /// Posts a command and waits for its end.
    #[track_caller]
    pub fn run(&self, command: &str) -> serde_json::Value {
        self.perform(&serde_json::json!({ "action": "RUN_COMMAND", "target": command }))
    }

    #[track_caller]
    pub fn judge(&self, action: &serde_json::Value) -> serde_json::Value {
        self.post("/v1/judge", action.to_string()).send().good()
    }

    pub fn status(&self) -> serde_json::Value {
        self.get("/v1/status").send().json()
    }

    /// The open questions.
    pub fn open_questions(&self) -> Vec<serde_json::Value> {
        let answer = self.get("/v1/questions").token(&self.approve).send().good();
        answer["questions"].as_array().unwrap().clone()
    }

    /// The numbers of the open questions.
    pub fn questions(&self) -> Vec<String> {
        let number = |question: &serde_json::Value| question["id"].as_str().unwrap().to_owned();
        self.open_questions().iter().map(number).collect()
    }

    /// Waits for a question. In vain, it shows what the record says instead.
    #[track_caller]
    pub fn question(&self) -> String {
        let begun = Instant::now();
        loop {
            if let Some(found) = self.questions().first() {
                return found.clone();
            }
            let waited = begun.elapsed() >= PATIENCE;
            assert!(!waited, "waited in vain: a question; {:#?} {:#}", self.journal().last(), self.status());
            pause();
        }
    }

    pub fn answer(&self, question: &str, answer: &str) -> Answer {
        self.answer_with(question, &serde_json::json!({ "answer": answer }), &self.approve)
    }

    pub fn answer_with(&self, question: &str, answer: &serde_json::Value, token: &str) -> Answer {
        self.post(&format!("/v1/questions/{question}/answer"), answer.to_string()).token(token).send()
    }

    /// Answers a question as a person does who has read it: a list is shown before its yes. Returns the question as it was shown, and
    /// whether the answer counted.
    pub fn read_and_answer(&self, question: &str, answer: &str) -> (serde_json::Value, Answer) {
        let shown = self.get(&format!("/v1/questions/{question}")).token(&self.approve).send().json();
        let mut body = serde_json::json!({ "answer": answer });
        if answer == "yes" && shown["effects"]["list"] == true {
            body["shown"] = shown["effects"]["digest"].clone();
        }
        let answered = self.answer_with(question, &body, &self.approve);
        (shown, answered)
    }

    /// Sends a request, and says yes to every question until it is answered.
    pub fn approved(&self, call: &Call) -> Answer {
        let mut stream = call.begin();
        std::thread::scope(|scope| {
            let reply = scope.spawn(move || Answer::read(&mut stream));
            meanwhile(reply, || {
                for question in self.questions() {
                    self.read_and_answer(&question, "yes");
                }
            })
        })
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

/// A port that nobody uses.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until `look` returns something.
#[track_caller]
pub fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
        pause();
    }
}

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, mut there: impl FnMut() -> bool) {
    wait(what, || there().then_some(()));
}

/// The same beside other tasks.
pub async fn until_async(what: &str, mut there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Between two looks at something.
pub fn pause() {
    std::thread::sleep(Duration::from_millis(20));
}

/// Does something again and again until `running` ends.
pub fn meanwhile<T>(running: std::thread::ScopedJoinHandle<'_, T>, mut each: impl FnMut()) -> T {
    while !running.is_finished() {
        each();
        pause();
    }
    running.join().unwrap()
}

/// What a question offers for a lasting yes of this name; null if it offers none.
pub fn offer(question: &serde_json::Value, answer: &str) -> serde_json::Value {
    let offers = question["offers"].as_array().into_iter().flatten();
    offers.into_iter().find(|offer| offer["answer"] == answer).cloned().unwrap_or_default()
}

/// Lets time pass where that is what a test is about, and says why; what can be waited for has [`wait`] and [`until`].
pub fn let_pass(milliseconds: u64, _why: &str) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

/// The same beside other tasks.
pub async fn let_pass_async(milliseconds: u64, _why: &str) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

/// A request, byte by byte as it is sent.
#[derive(Clone)]
pub struct Call {
    address: String,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Call {
    pub fn new(guard: &Guard, method: &str, path: &str) -> Self {
        let address = guard.address.clone();
        let headers = vec![("Host".to_owned(), address.clone())];
        Self { address, method: method.to_owned(), path: path.to_owned(), headers, body: Vec::new() }
    }

    /// Sets a header; an empty value removes it.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        if !value.is_empty() {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Adds another header with the same name.
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

    /// Sends it on a new connection, which is returned.
    pub fn begin(&self) -> TcpStream {
        let mut stream = connect_to(&self.address);
        stream.write_all(&self.bytes()).unwrap();
        stream
    }

    pub fn send(&self) -> Answer {
        let mut stream = self.begin();
        Answer::read(&mut stream)
    }
}

pub fn connect(guard: &Guard) -> TcpStream {
    connect_to(&guard.address)
}

fn connect_to(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
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

    /// The body of a response with status 200.
    #[track_caller]
    pub fn good(&self) -> serde_json::Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
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
