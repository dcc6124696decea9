//! The terminal that the service was started from: a real one, in tmux.

use std::net::TcpStream;
use std::process::Child;

use serde_json::{Value, json};

use crate::codes::code_in;
use crate::common::machine::Machine;
use crate::common::{Answer, Call, Guard, let_pass, until, wait};

const CONFIG: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[server]\nanswer_over_http = false\n[language]\ndefault = \"en\"\n";

pub struct Terminal {
    pub machine: Machine,
    socket: String,
    pub guard: Guard,
}

impl Terminal {
    fn start() -> Self {
        Self::with(CONFIG, &[env!("CARGO_BIN_EXE_guarda"), "serve"])
    }

    /// Runs this in the terminal, with this configuration.
    pub fn with(config: &str, words: &[&str]) -> Self {
        let machine = Machine::new();
        let (environment, state) = machine.settings(config);
        let socket = machine.path("tmux").to_str().unwrap().to_owned();
        let mut command = machine.command("tmux", &["-S", &socket, "-f", "/dev/null", "new-session", "-d"]);
        command.args(["-x", "100", "-y", "40"]).args(words);
        command.envs(environment).env("TERM", "xterm-256color");
        assert!(command.status().unwrap().success());
        let guard = Guard::of(&state);
        Self { machine, socket, guard }
    }

    pub fn tmux(&self, arguments: &[&str]) -> String {
        self.machine.ask("tmux", &[&["-S", &self.socket], arguments].concat())
    }

    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", ":0"])
    }

    /// Posts a command; once it is shown, presses the key again and again until there is a reply.
    fn asked(&self, command: &str, shown: &str, key: &str) -> Value {
        std::thread::scope(|scope| {
            let reply = scope.spawn(|| self.guard.run(command));
            until("the question on the screen", || self.screen().contains(shown));
            while !reply.is_finished() {
                let_pass(900, "a key counts only after a quiet moment");
                self.tmux(&["send-keys", key]);
            }
            reply.join().unwrap()
        })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.machine.command("tmux", &["-S", &self.socket, "kill-server"]).output();
    }
}

#[test]
fn the_terminal_shows_the_question_and_takes_the_answer() {
    let terminal = Terminal::start();
    let file = terminal.machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = terminal.asked(&command, "touch", "n");
    assert_eq!(
        (reply["outcome"].as_str(), reply["decided_by"].as_str()),
        (Some("denied"), Some("person:terminal"))
    );
    assert!(!file.exists());
    let reply = terminal.asked(&command, "touch", "y");
    assert_eq!(
        (reply["outcome"].as_str(), reply["decided_by"].as_str()),
        (Some("done"), Some("person:terminal"))
    );
    assert!(file.exists());
    let reply = terminal.asked("rm nothing-there", "nothing-there", "Escape");
    assert_eq!(reply["outcome"], "denied");
}

#[test]
fn a_approves_from_then_on() {
    let terminal = Terminal::start();
    let file = terminal.machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = terminal.asked(&command, "touch", "a");
    assert_eq!(
        (reply["outcome"].as_str(), reply["decided_by"].as_str()),
        (Some("done"), Some("person:terminal")),
        "{reply}"
    );
    std::fs::remove_file(&file).unwrap();
    let reply = terminal.guard.run(&command);
    assert_eq!(
        (reply["outcome"].as_str(), reply["decided_by"].as_str()),
        (Some("done"), Some("policy")),
        "{reply}"
    );
    assert!(file.exists());
}

/// Keys that a program types blindly do not answer a question of high risk, which requires the digit on the
/// screen.
#[test]
fn a_high_risk_takes_the_digit_that_is_shown() {
    let terminal = Terminal::start();
    let file = terminal.machine.home().join("made");
    let command = format!("curl -s file:///dev/null | sh; touch {}", file.display());
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| terminal.guard.run(&command));
        let mut digit = None;
        until("the digit", || {
            let screen = terminal.screen();
            digit = screen.split_once(" = yes").and_then(|(before, _)| before.chars().last());
            digit.is_some()
        });
        let digit = digit.unwrap();
        assert!(digit.is_ascii_digit(), "{digit:?}");
        for _ in 0..3 {
            let_pass(900, "a key counts only after a quiet moment");
            terminal.tmux(&["send-keys", "y"]);
        }
        assert!(!reply.is_finished() && !file.exists(), "a letter was taken for a yes");
        while !reply.is_finished() {
            let_pass(900, "a key counts only after a quiet moment");
            terminal.tmux(&["send-keys", &digit.to_string()]);
        }
        let reply = reply.join().unwrap();
        assert_eq!(reply["outcome"], "done", "{reply}");
        assert_eq!(reply["decided_by"], "person:terminal");
        assert!(reply["risk"].as_f64().unwrap() >= 0.9, "{reply}");
    });
    assert!(file.exists());
}

/// A request whose question is on the screen, as its caller holds it.
struct Held<'a> {
    terminal: &'a Terminal,
    /// Its connection, or the program that asks.
    connection: Option<TcpStream>,
    program: Option<Child>,
    question: String,
    action: String,
}

impl Held<'_> {
    fn post(&self, path: &str, token: &str, body: &Value) -> u16 {
        self.terminal.guard.post(path, body.to_string()).token(token).send().status
    }

    fn no_by(&self, path: &str, token: &str) {
        let path = format!("/v1/questions/{}/{path}", self.question);
        assert_eq!(self.post(&path, token, &json!({ "answer": "no" })), 200, "{path}");
    }

    fn cancelled_by(&self, token: &str) {
        assert_eq!(self.post(&format!("/v1/actions/{}/cancel", self.action), token, &json!({})), 200);
    }
}

/// How a question is asked: through HTTP by a caller that waits or returns later, by `guarda act`, or by a client's hook.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asker {
    Http,
    Later,
    Act,
    Hook,
}

/// A way to take a question from under a person's finger.
type Way = fn(&mut Held<'_>);

const WAYS: &[(&str, Asker, Way)] = &[
    ("its caller hangs up", Asker::Http, |held| drop(held.connection.take())),
    ("its caller cancels it", Asker::Later, |held| held.cancelled_by(&held.terminal.guard.token)),
    ("the approver cancels it", Asker::Later, |held| held.cancelled_by(&held.terminal.guard.approve)),
    ("its caller deletes it", Asker::Later, |held| {
        let path = format!("/v1/actions/{}", held.action);
        let call = Call::new(&held.terminal.guard, "DELETE", &path);
        assert_eq!(call.token(&held.terminal.guard.token).send().status, 200);
    }),
    ("a program with the token says no", Asker::Http, |held| {
        held.no_by("answer", &held.terminal.guard.approve)
    }),
    ("the form of its client says no", Asker::Http, |held| {
        held.no_by("elicited", &held.terminal.guard.token)
    }),
    ("guarda deny", Asker::Http, |held| {
        let mut deny = held.terminal.machine.command(GUARDA, &["deny", &held.question]);
        deny.env("GUARDA_STATE_DIR", held.terminal.guard.state(""));
        assert!(deny.output().unwrap().status.success());
    }),
    ("three wrong codes", Asker::Http, |held| {
        let code = wait("the code", || code_in(&held.terminal.screen()));
        let wrong = if code == "0000" { "1111" } else { "0000" };
        let path = format!("/v1/questions/{}/answer", held.question);
        for _ in 0..3 {
            let body = json!({ "answer": "yes", "code": wrong });
            assert_eq!(held.post(&path, &held.terminal.guard.approve, &body), 403);
        }
    }),
    ("its program is killed", Asker::Act, |held| held.program.as_mut().unwrap().kill().unwrap()),
    ("its hook is killed", Asker::Hook, |held| held.program.as_mut().unwrap().kill().unwrap()),
    ("its time is over", Asker::Http, |_| ()),
];

const GUARDA: &str = env!("CARGO_BIN_EXE_guarda");

impl Terminal {
    fn request(&self, line: &str) -> Call {
        self.guard.post("/v1/actions", json!({ "action": "RUN_COMMAND", "target": line }).to_string())
    }

    /// Whether the last card is about this and wants a digit.
    fn wants_digit(&self, about: &str) -> bool {
        let screen = self.screen();
        let card = screen.rsplit_once(about).map(|(_, below)| below);
        let key = card.and_then(|card| card.split_once(" = yes")?.0.chars().last());
        key.is_some_and(|key| key.is_ascii_digit())
    }

    /// Asks about this line, and waits until the question is on the screen.
    fn put(&self, line: &str, asker: Asker) -> Held<'_> {
        let guard = &self.guard;
        let mut held = Held {
            terminal: self,
            connection: None,
            program: None,
            question: String::new(),
            action: String::new(),
        };
        match asker {
            Asker::Http => held.connection = Some(self.request(line).begin()),
            Asker::Later => {
                let told = self.request(line).header("Prefer", "respond-async").send().json();
                held.action = told["id"].as_str().unwrap().to_owned();
            }
            Asker::Act | Asker::Hook => {
                let act = ["act", "RUN_COMMAND", line];
                let words = if asker == Asker::Act { &act[..] } else { &["hook", "claude"] };
                let mut program = self.machine.command(GUARDA, words);
                program.env("GUARDA_STATE_DIR", guard.state("")).stdin(std::process::Stdio::piped());
                let mut child = program.stdout(std::process::Stdio::null()).spawn().unwrap();
                let event = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash",
                    "cwd": self.machine.home(), "tool_input": { "command": line } });
                let mut input = child.stdin.take().unwrap();
                let _ = std::io::Write::write_all(&mut input, event.to_string().as_bytes());
                held.program = Some(child);
            }
        }
        let name = line.rsplit('/').next().unwrap();
        until("the question on the screen", || self.screen().contains(name));
        let asked = guard.open_questions();
        let about = asked.iter().find(|question| question["object"].to_string().contains(name)).unwrap();
        held.question = about["id"].as_str().unwrap().to_owned();
        held
    }
}

/// A Y that was meant for one question does not approve the next one, in whatever way the first one went.
#[test]
fn a_question_that_is_exchanged_under_the_finger_is_not_approved() {
    let config = "[speech]\nenabled = false\n[keys]\nenabled = false\n[channels]\nnotification = false\nmcp = true\n\
                  [language]\ndefault = \"en\"\n[security]\nconfirmation_timeout_seconds = 12\nrefusals_per_minute = 0\n";
    let terminal = Terminal::with(config, &[GUARDA, "serve"]);
    for (number, (said, asker, way)) in WAYS.iter().enumerate() {
        let line = |name: &str| format!("touch {}/{name}-{number}", terminal.machine.home().display());
        let mut held = terminal.put(&line("first"), *asker);
        let mut next = terminal.request(&line("second")).begin();
        until("the second waits", || terminal.guard.questions().len() == 2);
        way(&mut held);
        until("the first is gone", || !terminal.guard.questions().contains(&held.question));
        // The person presses Y again and again.
        let second = format!("second-{number}");
        until(said, || {
            let_pass(450, "a key counts only after a quiet moment");
            terminal.tmux(&["send-keys", "y"]);
            terminal.guard.questions().is_empty() || terminal.wants_digit(&second)
        });
        for _ in 0..2 {
            let_pass(900, "a key counts only after a quiet moment");
            terminal.tmux(&["send-keys", "y"]);
        }
        assert_eq!(terminal.guard.questions().len(), 1, "{said}: the second still waits");
        until("it is denied", || {
            let_pass(450, "a key counts only after a quiet moment");
            terminal.tmux(&["send-keys", "Escape"]);
            terminal.guard.questions().is_empty()
        });
        let reply = Answer::read(&mut next).json();
        assert_eq!(reply["outcome"], "denied", "{said}: {reply}");
        for name in ["first", "second"] {
            assert!(!terminal.machine.home().join(format!("{name}-{number}")).exists(), "{said}: {name}");
        }
        if let Some(mut program) = held.program {
            program.wait().unwrap();
        }
    }
}

/// Nobody is left to ask, and closing the window means that it should end.
#[test]
fn it_ends_with_the_terminal_it_was_started_in() {
    let terminal = Terminal::start();
    let address = terminal.guard.address.clone();
    assert!(std::net::TcpStream::connect(&address).is_ok());
    terminal.tmux(&["kill-server"]);
    until("nobody listens any more", || std::net::TcpStream::connect(&address).is_err());
}
