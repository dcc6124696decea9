//! The terminal that the service was started from: a real one, in tmux.

use serde_json::Value;

use crate::common::machine::Machine;
use crate::common::{Guard, let_pass, until};

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

/// Nobody is left to ask, and closing the window means that it should end.
#[test]
fn it_ends_with_the_terminal_it_was_started_in() {
    let terminal = Terminal::start();
    let address = terminal.guard.address.clone();
    assert!(std::net::TcpStream::connect(&address).is_ok());
    terminal.tmux(&["kill-server"]);
    until("nobody listens any more", || std::net::TcpStream::connect(&address).is_err());
}
