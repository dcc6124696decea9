//! The real binary, serving on a private machine, and a client for it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::machine::{Machine, until};

/// A running guard.
pub struct Service {
    child: Child,
    pub address: String,
    pub state: PathBuf,
}

impl Service {
    /// Starts it with this configuration and waits until it is ready.
    pub fn start(machine: &Machine, config: &str) -> Self {
        let (mut command, state) = prepare(machine, config);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        assert_eq!(ready["ready"], true);
        Self { child, address: ready["address"].as_str().unwrap().to_owned(), state }
    }

    pub fn token(&self, name: &str) -> String {
        std::fs::read_to_string(self.state.join(name)).unwrap().trim().to_owned()
    }

    fn call(&self, method: &str, path: &str, token: &str, body: Option<&Value>) -> (u16, Value) {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(90)))
            .build()
            .into();
        let url = format!("http://{}{path}", self.address);
        let bearer = format!("Bearer {token}");
        let mut response = match (method, body) {
            ("POST", Some(body)) => agent.post(&url).header("authorization", &bearer).send_json(body),
            _ => agent.get(&url).header("authorization", &bearer).call(),
        }
        .unwrap();
        let text = response.body_mut().read_to_string().unwrap();
        (response.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Posts an action and waits for its end.
    pub fn act(&self, action: &Value) -> Value {
        let (status, reply) = self.call("POST", "/v1/actions", &self.token("token"), Some(action));
        assert_eq!(status, 200, "{reply}");
        reply
    }

    /// Posts an action that may not be done; the HTTP status.
    pub fn try_act(&self, action: &Value) -> u16 {
        self.call("POST", "/v1/actions", &self.token("token"), Some(action)).0
    }

    /// Posts a command and waits for its end.
    pub fn run(&self, command: &str) -> Value {
        self.act(&json!({ "action": "RUN_COMMAND", "target": command }))
    }

    /// Judges an action.
    pub fn judge(&self, action: &Value) -> Value {
        let (status, reply) = self.call("POST", "/v1/judge", &self.token("token"), Some(action));
        assert_eq!(status, 200, "{reply}");
        reply
    }

    /// How the service is doing.
    pub fn status(&self) -> Value {
        self.call("GET", "/v1/status", &self.token("token"), None).1
    }

    /// The open questions.
    pub fn questions(&self) -> Vec<Value> {
        let (status, reply) = self.call("GET", "/v1/questions", &self.token("approve-token"), None);
        assert_eq!(status, 200, "{reply}");
        reply["questions"].as_array().or(reply.as_array()).unwrap().clone()
    }

    /// The id of the only open question, waited for.
    pub fn question(&self) -> String {
        let mut found = None;
        until("a question", || {
            found = self.questions().first().map(|question| question["id"].as_str().unwrap().to_owned());
            found.is_some()
        });
        found.unwrap()
    }

    /// Answers a question with a token; the HTTP status.
    pub fn answer(&self, id: &str, answer: &Value, token: &str) -> u16 {
        self.call("POST", &format!("/v1/questions/{id}/answer"), &self.token(token), Some(answer)).0
    }

    /// Every line of the journal.
    pub fn journal(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        let folder = std::fs::read_dir(self.state.join("journal")).unwrap();
        for file in folder.map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == "jsonl") {
                let text = std::fs::read_to_string(file).unwrap();
                lines.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
            }
        }
        lines
    }

    /// Ends it as a service manager would, and waits for the end.
    pub fn terminate(&mut self) -> std::process::ExitStatus {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        for _ in 0..100 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command that serves, with its configuration and state in place; without a terminal.
fn prepare(machine: &Machine, config: &str) -> (Command, PathBuf) {
    let (environment, state) = settings(machine, config);
    let mut command = machine.command(env!("CARGO_BIN_EXE_guarda"), &["serve", "--ready-json"]);
    command.envs(environment);
    if std::env::var_os("JOURNEY_LOUD").is_none() {
        command.stderr(Stdio::null());
    }
    (command, state)
}

/// The environment of a service on this machine, and its state folder.
pub fn settings(machine: &Machine, config: &str) -> (Vec<(String, String)>, PathBuf) {
    let (file, state) = (machine.path("guarda.toml"), machine.path("state"));
    // Most journeys are about questions that come before a run; those about staged runs have a section of their own.
    let undo = if config.contains("[undo]") { "" } else { "[undo]\nstage = false\n" };
    std::fs::write(&file, format!("{config}\n{undo}")).unwrap();
    let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
    let environment = vec![
        ("GUARDA_CONFIG".to_owned(), text(&file)),
        ("GUARDA_STATE_DIR".to_owned(), text(&state)),
        ("GUARDA_LISTEN".to_owned(), "127.0.0.1:0".to_owned()),
        ("GUARDA_ALLOW_ROOT".to_owned(), "1".to_owned()),
    ];
    (environment, state)
}

/// Waits for a service that was started elsewhere.
pub fn address_of(state: &std::path::Path) -> String {
    let file = state.join("address");
    until("the service", || file.exists());
    let mut text = String::new();
    std::fs::File::open(file).unwrap().read_to_string(&mut text).unwrap();
    text.trim().to_owned()
}
