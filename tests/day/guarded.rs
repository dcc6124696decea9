//! The home with a guard, and its doors: an agent's shell behind its hook, `guarda act`, and MCP.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use guarda::doors::hook::Client;
use guarda::doors::hook::read::sample;
use serde_json::{Value, json};

use crate::common::{Service, guarda, home, offer};
use crate::shell::{Plain, Ran, environment, path, shell};
use crate::tree::{OURS, Tree};

/// How a line reaches the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Hook,
    Act,
    Mcp,
}

/// What an agent is told where it may insist.
pub const TOLD: &str = "run the same line again";

/// Every day writes to the same `/tmp`, so there is one at a time.
static ALONE: Mutex<()> = Mutex::new(());

pub struct Guarded {
    service: Service,
    _alone: MutexGuard<'static, ()>,
    home: PathBuf,
    pub stands: PathBuf,
    /// The newest deed that can be undone and is known.
    newest: Option<String>,
    /// The client's session, a new one for each project.
    pub session: String,
}

impl Guarded {
    pub fn start() -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        // Neither below /tmp, which is a folder of the day, nor in this checkout, which cargo would find.
        let own = std::env::home_dir().unwrap();
        let folder = tempfile::Builder::new().prefix("guarda-day-").tempdir_in(own).unwrap();
        let at = std::fs::canonicalize(folder.path()).unwrap();
        home::furnish(&at, 100);
        let path = path();
        let config = format!(
            "[security]\nprofile = \"workspace\"\nconfirmation_timeout_seconds = 20\nrefusals_per_minute = 0\n\
                      [speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n\
                      [language]\ndefault = \"en\"\n[run]\npath = \"{path}\"\n"
        );
        std::fs::write(at.join("config.toml"), config).unwrap();
        let mut command = guarda(&at);
        command.args(["serve", "--ready-json"]);
        let service = Service::launch(command, folder, &at.join("state"));
        Self { service, _alone: alone, stands: at.clone(), home: at, newest: None, session: String::new() }
    }

    pub fn service(&self) -> &Service {
        &self.service
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn tree(&self) -> Tree {
        Tree::of(&self.home, Path::new("/tmp"))
    }

    /// Takes over what the plain home holds, and where its shell stands.
    pub fn become_like(&mut self, plain: &Plain) {
        let copy = |from: &Path, to: &Path, more: &[&str]| {
            let mut command = Command::new("rsync");
            command.args(["-aH", "--delete", "--checksum"]).args(more);
            let done = command.arg(from.join("")).arg(to).output().unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        copy(&plain.home_seen(), &self.home, &["--exclude=/state", "--exclude=/config.toml"]);
        copy(
            &plain.tmp_seen(),
            Path::new("/tmp"),
            &[
                &format!("--include=/{OURS}*"),
                "--exclude=/*",
                "--omit-dir-times",
                "--no-perms",
                "--no-owner",
                "--no-group",
            ],
        );
        self.stands.clone_from(&plain.stands);
        self.newest = self.held();
        self.service.trust(&self.stands);
    }

    fn held(&self) -> Option<String> {
        let held = self.service.get("/v1/undo").send().good();
        held["deeds"].as_array().unwrap().first().map(|deed| deed["id"].as_str().unwrap().to_owned())
    }

    /// The newest deed, if it was not known yet.
    pub fn new_deed(&mut self) -> Option<String> {
        let held = self.held();
        let new = held.clone().filter(|_| held != self.newest);
        self.newest = held;
        new
    }

    /// True if it was done; questions are answered.
    pub fn undo(&mut self, deed: &str) -> bool {
        let call = self.service.post(
            &format!("/v1/actions/{deed}/undo"),
            json!({ "cwd": self.stands, "session": self.session }).to_string(),
        );
        let answer = self.service.approved(&call);
        let done = answer.status == 200 && answer.json()["outcome"] == "done";
        if !done {
            println!("not undone: {}", answer.json());
        }
        done
    }

    /// Runs a line, and says yes to every question; returns their texts.
    pub fn run(&mut self, line: &str, door: Door) -> (Ran, Vec<String>) {
        self.run_answering(line, door, "yes")
    }

    /// The same with another answer.
    pub fn run_answering(&mut self, line: &str, door: Door, answer: &str) -> (Ran, Vec<String>) {
        self.run_once(line, door, answer, true)
    }

    /// The same; `insists` says whether the agent repeats a line after hearing that a person can be asked.
    pub fn run_once(&mut self, line: &str, door: Door, answer: &str, insists: bool) -> (Ran, Vec<String>) {
        std::thread::scope(|scope| {
            let (home, mut stands, state) = (self.home.clone(), self.stands.clone(), self.service.state(""));
            let session = &self.session;
            let running = scope.spawn(move || {
                let place = Place { home: &home, state: &state, session };
                let ran = match door {
                    // An agent that is told that a person could be asked insists.
                    Door::Hook => match place.by_hook(line, &mut stands) {
                        told if insists && told.err.contains(TOLD) => place.by_hook(line, &mut stands),
                        ran => ran,
                    },
                    Door::Act => place.by_act(line, &stands),
                    Door::Mcp => place.by_mcp(line, &stands),
                };
                (ran, stands)
            });
            let mut asked = Vec::new();
            while !running.is_finished() {
                for question in self.service.open_questions() {
                    let (id, effects) = (question["id"].as_str().unwrap(), &question["effects"]);
                    let lasts = !["yes", "no"].contains(&answer) && offer(&question, answer).is_null();
                    let mut answer = json!({ "answer": if lasts { "yes" } else { answer } });
                    if effects["list"] == true && answer["answer"] != "no" {
                        answer["shown"] = effects["digest"].clone();
                    }
                    if self.service.answer_with(id, &answer, &self.service.approve).status == 200 {
                        let told = effects["text"].as_str().or(question["text"].as_str());
                        let rules: Vec<&str> = question["findings"]
                            .as_array()
                            .unwrap()
                            .iter()
                            .filter_map(|one| one["rule"].as_str())
                            .collect();
                        asked.push(
                            told.map_or_else(|| format!("{rules:?} {}", question["prompt"]), str::to_owned),
                        );
                    }
                }
                crate::common::pause();
            }
            let (ran, stands) = running.join().unwrap();
            self.stands = stands;
            (ran, asked)
        })
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        for entry in std::fs::read_dir("/tmp").unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with(OURS) {
                let _ = std::fs::remove_file(entry.path()).or_else(|_| std::fs::remove_dir_all(entry.path()));
            }
        }
    }
}

/// Where programs of the home find its guard.
struct Place<'a> {
    home: &'a Path,
    state: &'a Path,
    session: &'a str,
}

impl Place<'_> {
    fn program(&self, path: &str, stands: &Path) -> Command {
        let mut command = Command::new(path);
        environment(&mut command, self.home);
        command.env("GUARDA_STATE_DIR", self.state).env("GUARDA_CONFIG", self.home.join("config.toml"));
        command.current_dir(stands).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn told(mut child: Child, text: &str) -> (String, String) {
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    /// As an agent's client: the hook first, then a shell with what it answers.
    fn by_hook(&self, line: &str, stands: &mut PathBuf) -> Ran {
        let mut message = sample(Client::Claude, line, stands.to_str().unwrap());
        message["session_id"] = self.session.into();
        let mut hook = self.program(env!("CARGO_BIN_EXE_guarda-hook"), stands);
        let (out, err) = Self::told(hook.arg("claude").spawn().unwrap(), &message.to_string());
        let answer: Value = serde_json::from_str(&out).unwrap_or_default();
        let said = &answer["hookSpecificOutput"];
        if said["permissionDecision"] != "allow" {
            return Ran { status: 126, out: String::new(), err: format!("not allowed: {answer} {err}") };
        }
        let mut command = self.program("/usr/bin/env", stands);
        command.env("GUARDA_STATE_DIR", self.state);
        shell(command, said["updatedInput"]["command"].as_str().unwrap_or(line), stands)
    }

    fn by_act(&self, line: &str, stands: &Path) -> Ran {
        let mut act = self.program(env!("CARGO_BIN_EXE_guarda"), stands);
        let order =
            json!({ "action": "RUN_COMMAND", "target": line, "cwd": stands, "session": self.session });
        let (out, err) =
            Self::told(act.args(["act", "--json", "--full", "-"]).spawn().unwrap(), &order.to_string());
        Self::replied(&serde_json::from_str(&out).unwrap_or_default(), &err)
    }

    fn by_mcp(&self, line: &str, stands: &Path) -> Ran {
        let mut server = self.program(env!("CARGO_BIN_EXE_guarda"), stands);
        let mut server = server.arg("mcp").spawn().unwrap();
        let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "day", "version": "1" } });
        let order =
            json!({ "action": "RUN_COMMAND", "target": line, "cwd": stands, "session": self.session });
        let mut input = server.stdin.take().unwrap();
        for message in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "desktop_action", "arguments": order } }),
        ] {
            writeln!(input, "{message}").unwrap();
        }
        let answers = BufReader::new(server.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut messages = answers.map(|text| serde_json::from_str::<Value>(&text).unwrap_or_default());
        let answer = messages.find(|message| message["id"] == 2).unwrap_or_default();
        drop(input);
        let _ = server.kill();
        let _ = server.wait();
        Self::replied(&answer["result"]["structuredContent"], &answer.to_string())
    }

    /// A reply of the guard as the end of a program.
    fn replied(reply: &Value, otherwise: &str) -> Ran {
        let output = &reply["output"];
        let text = |name: &str| output[name].as_str().unwrap_or_default().to_owned();
        match output["exit_code"].as_i64() {
            Some(status) => {
                Ran { status: i32::try_from(status).unwrap(), out: text("stdout"), err: text("stderr") }
            }
            None => Ran { status: 126, out: String::new(), err: format!("{reply} {otherwise}") },
        }
    }
}
