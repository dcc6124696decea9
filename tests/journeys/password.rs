//! A password, asked for by the real `sudo` of a real user with a real password (features M6), on a terminal of its own.
//!
//! The user is made for this test and removed after it, which takes root. Where the tests run as somebody else this
//! says so and leaves it: nothing can stand in for `sudo` and its password.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::machine::{Machine, until};
use crate::service::{address_of, settings};

const USER: &str = "guarda-sudo-test";
const RULE: &str = "/etc/sudoers.d/guarda-sudo-test";
const CONFIG: &str = "[security]\nadvanced_mode = true\n[speech]\nenabled = false\n[keys]\nenabled = false\n[language]\ndefault = \"en\"\n";

/// A user who may run two harmless programs as root, with a password that nobody knew before.
struct User {
    password: String,
}

impl User {
    fn new() -> Self {
        Self::remove();
        let password = format!("açaí {:032x}", rand());
        run("useradd", &["--no-create-home", "--shell", "/bin/sh", USER], "");
        run("chpasswd", &[], &format!("{USER}:{password}\n"));
        // The delay after a wrong password is PAM's; the number of tries is ours to shorten.
        let rule = format!(
            "Defaults:{USER} passwd_tries=2\n{USER} ALL=(root) PASSWD: /usr/bin/id, /usr/bin/touch\n"
        );
        std::fs::write(RULE, rule).unwrap();
        run("chmod", &["0440", RULE], "");
        run("visudo", &["-c", "-q", "-f", RULE], "");
        Self { password }
    }

    fn remove() {
        let _ = std::fs::remove_file(RULE);
        let mut command = Command::new("/usr/sbin/userdel");
        command.args(["--force", USER]).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = command.status();
    }
}

impl Drop for User {
    fn drop(&mut self) {
        Self::remove();
    }
}

fn rand() -> u128 {
    let mut bytes = [0; 16];
    std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom").unwrap(), &mut bytes).unwrap();
    u128::from_le_bytes(bytes)
}

fn run(program: &str, arguments: &[&str], input: &str) {
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{program} {arguments:?}");
}

/// The service of that user, in a terminal of that user's.
struct Terminal {
    machine: Machine,
    socket: String,
    state: PathBuf,
}

impl Terminal {
    fn start() -> Self {
        let mut machine = Machine::new();
        machine.set("USER", USER);
        machine.set("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin");
        let (environment, state) = settings(&machine, CONFIG);
        // Wherever this was built, that user may not be able to read it.
        let (program, keeper) = (machine.path("guarda"), machine.path("guarda-keeper"));
        std::fs::copy(env!("CARGO_BIN_EXE_guarda"), &program).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_guarda-service"), machine.path("guarda-service")).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_guarda-keeper"), keeper).unwrap();
        run("chown", &["-R", USER, machine.path(".").to_str().unwrap()], "");
        let socket = machine.path("tmux").to_str().unwrap().to_owned();
        let mut command = machine.command("setpriv", &["--reuid", USER, "--regid", USER, "--init-groups"]);
        command.args(["tmux", "-S", &socket]);
        command.args(["-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50"]);
        command.args([program.to_str().unwrap(), "serve"]);
        command.envs(environment).env_remove("GUARDA_ALLOW_ROOT").env("TERM", "xterm-256color");
        assert!(command.status().unwrap().success());
        address_of(&state);
        Self { machine, socket, state }
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        self.machine.ask("tmux", &[&["-S", &self.socket], arguments].concat())
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-200"])
    }

    /// How often the password has been asked for.
    fn prompts(&self) -> usize {
        self.screen().matches("password for").count()
    }

    fn run(&self, command: &str) -> Value {
        let token = std::fs::read_to_string(self.state.join("token")).unwrap();
        let answer = ureq::post(format!("http://{}/v1/actions", address_of(&self.state)))
            .config()
            .http_status_as_error(false)
            .build()
            .header("authorization", format!("Bearer {}", token.trim()))
            .send_json(json!({ "action": "RUN_COMMAND", "target": command }))
            .unwrap()
            .body_mut()
            .read_json()
            .unwrap();
        println!("{command}: {answer}");
        answer
    }

    /// Posts a command, says yes to it, and types these passwords one after another as they are asked for.
    fn typed(&self, command: &str, passwords: &[&str]) -> Value {
        self.tmux(&["clear-history"]);
        std::thread::scope(|scope| {
            let reply = scope.spawn(|| self.run(command));
            until("the question on the screen", || self.screen().contains(command));
            let before = self.prompts();
            until("the question for the password", || {
                self.tmux(&["send-keys", "y"]);
                (0..20).any(|_| {
                    std::thread::sleep(std::time::Duration::from_millis(100));
                    self.prompts() > before
                })
            });
            for (number, password) in passwords.iter().enumerate() {
                until("the question for the password", || self.prompts() > before + number);
                std::thread::sleep(std::time::Duration::from_millis(300));
                self.tmux(&["send-keys", "-l", password]);
                self.tmux(&["send-keys", "Enter"]);
            }
            reply.join().unwrap()
        })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn sudo_needs_a_yes_and_then_the_password() {
    if !rustix::process::getuid().is_root() {
        println!("not tried: to make a user with a password takes root");
        return;
    }
    let user = User::new();
    let terminal = Terminal::start();

    let reply = terminal.typed("sudo id -u", &[&user.password]);
    assert_eq!(
        (reply["status"].as_str(), reply["outcome"].as_str(), reply["decided_by"].as_str()),
        (Some("requires_password"), Some("done"), Some("person:terminal")),
        "{reply}"
    );
    assert_eq!(reply["output"]["stdout"], "0\n", "{reply}");

    // A yes is not the password: without the right one nothing is done, and sudo's own words come back.
    let file = terminal.machine.home().join("made-by-root");
    let command = "sudo touch made-by-root";
    let reply = terminal.typed(command, &["wrong", "wrong again"]);
    assert_eq!(reply["output"]["exit_code"], 1, "{reply}");
    assert!(!file.exists());

    // The right one counts once: the next command asks again.
    let reply = terminal.typed(command, &["wrong", &user.password]);
    assert_eq!(reply["output"]["exit_code"], 0, "{reply}");
    assert_eq!(std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&file).unwrap()), 0);

    // Nothing that the guard keeps or shows has the password in it.
    assert!(!terminal.screen().contains(&user.password));
    let secret = &user.password[user.password.len() - 32..];
    let mut folders = vec![terminal.state.clone()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let bytes = std::fs::read(entry.path()).unwrap();
                assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{:?}", entry.path());
                files += 1;
            }
        }
    }
    assert!(files >= 3, "the journal, the registry and the tokens were looked through");
}
