//! A password, requested by the real `sudo` of a real user with a real password (feature M6), on its own
//! terminal.
//!
//! The user is created for this test and removed after it, which requires root. Otherwise the test says so
//! and is skipped: nothing can replace `sudo` and its password.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::machine::Machine;
use crate::common::{Guard, let_pass, until};

const USER: &str = "guarda-sudo-test";
const RULE: &str = "/etc/sudoers.d/guarda-sudo-test";
const CONFIG: &str = "[security]\nadvanced_mode = true\n[speech]\nenabled = false\n[keys]\nenabled = false\n[language]\ndefault = \"en\"\n";

/// A user who may run two harmless programs as root, with a fresh password.
struct User {
    password: String,
}

impl User {
    fn new() -> Self {
        Self::remove();
        let password = format!("açaí {:032x}", rand());
        run("useradd", &["--no-create-home", "--shell", "/bin/sh", USER], "");
        run("chpasswd", &[], &format!("{USER}:{password}\n"));
        let rule = format!("{USER} ALL=(root) PASSWD: /usr/bin/id, /usr/bin/touch\n");
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
    guard: Guard,
}

impl Terminal {
    fn start(more: &str) -> Self {
        let mut machine = Machine::new();
        machine.set("USER", USER);
        machine.set("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin");
        let (environment, state) = machine.settings(&format!("{CONFIG}{more}"));
        // Wherever this was built, that user may not be able to read it.
        let (program, keeper) = (machine.path("guarda"), machine.path("guarda-keeper"));
        std::fs::copy(env!("CARGO_BIN_EXE_guarda"), &program).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_guarda-service"), machine.path("guarda-service")).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_guarda-desktop"), machine.path("guarda-desktop")).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_guarda-keeper"), keeper).unwrap();
        run("chown", &["-R", USER, machine.path(".").to_str().unwrap()], "");
        let socket = machine.path("tmux").to_str().unwrap().to_owned();
        let mut command = machine.command("setpriv", &["--reuid", USER, "--regid", USER, "--init-groups"]);
        command.args(["tmux", "-S", &socket]);
        command.args(["-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50"]);
        command.args([program.to_str().unwrap(), "serve"]);
        command.envs(environment).env("TERM", "xterm-256color");
        assert!(command.status().unwrap().success());
        let guard = Guard::of(&state);
        Self { machine, socket, guard }
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        self.machine.ask("tmux", &[&["-S", &self.socket], arguments].concat())
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-200"])
    }

    /// How often the password was requested.
    fn prompts(&self) -> usize {
        self.screen().matches("password for").count()
    }

    fn run(&self, command: &str) -> Value {
        let action = json!({ "action": "RUN_COMMAND", "target": command });
        let answer = self.guard.post("/v1/actions", action.to_string()).send().json();
        println!("{command}: {answer}");
        answer
    }

    /// Posts a command, says yes to it, and types these passwords one after the other as they are requested.
    fn typed(&self, command: &str, passwords: &[&str]) -> Value {
        self.answered(command, passwords, || {
            self.tmux(&["send-keys", "y"]);
        })
    }

    /// The same if `yes` gives the answer.
    fn answered(&self, command: &str, passwords: &[&str], yes: impl Fn() + Sync) -> Value {
        self.tmux(&["clear-history"]);
        std::thread::scope(|scope| {
            let reply = scope.spawn(|| self.run(command));
            until("the question on the screen", || self.screen().contains(command));
            let before = self.prompts();
            until("the question for the password", || {
                yes();
                (0..20).any(|_| {
                    let_pass(100, "a key counts later, or the password is asked for");
                    self.prompts() > before
                })
            });
            for (number, password) in passwords.iter().enumerate() {
                until("the question for the password", || self.prompts() > before + number);
                let_pass(300, "what is typed before the question is thrown away");
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

/// There is one user of that name, and one system bus.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[test]
fn sudo_needs_a_yes_and_then_the_password() {
    if !rustix::process::getuid().is_root() {
        println!("not tried: to make a user with a password takes root");
        return;
    }
    let _alone = alone();
    let user = User::new();
    let terminal = Terminal::start("");

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
    let reply = terminal.typed(command, &["wrong", "wrong again", "and again"]);
    assert_eq!(reply["output"]["exit_code"], 1, "{reply}");
    assert!(!file.exists());

    // The right one counts once: the next command asks again.
    let reply = terminal.typed(command, &["wrong", &user.password]);
    assert_eq!(reply["output"]["exit_code"], 0, "{reply}");
    assert_eq!(std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&file).unwrap()), 0);

    keeps_no(&terminal, &user);
}

/// Nothing that the guard stores or shows contains the password.
fn keeps_no(terminal: &Terminal, user: &User) {
    assert!(!terminal.screen().contains(&user.password));
    let secret = &user.password[user.password.len() - 32..];
    let mut folders = vec![terminal.guard.state("")];
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

/// The processes of this name, with the user that their files in `/proc` belong to.
fn processes(name: &str) -> Vec<(u32, u32)> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let found = entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let comm = std::fs::read_to_string(entry.path().join("comm")).ok()?;
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let asks = environment.split(|byte| *byte == 0).any(|variable| variable == b"GUARDA_ASKPASS=1");
        let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(entry.path().join("mem")).ok()?);
        (comm.trim() == name && asks).then_some((pid, owner))
    });
    found.collect()
}

#[test]
fn pinentry_asks_for_sudo_and_the_asking_process_cannot_be_read() {
    if !rustix::process::getuid().is_root() {
        println!("not tried: to make a user with a password takes root");
        return;
    }
    let _alone = alone();
    let user = User::new();
    let terminal =
        Terminal::start("[password]\nway = \"pinentry\"\npinentry = \"/usr/bin/pinentry-curses\"\n");
    let dialog = || terminal.screen().contains("password for");
    let reply = std::thread::scope(|scope| {
        let reply = scope.spawn(|| terminal.run("sudo id -u"));
        until("the question on the screen", || terminal.screen().contains("sudo id -u"));
        until("the dialog", || {
            if dialog() {
                return true;
            }
            terminal.tmux(&["send-keys", "y"]);
            let_pass(900, "a key counts only after a quiet moment");
            dialog()
        });
        // Root always owns the asking process: no program of this user can read its memory, and it leaves no
        // core.
        let asking = processes("guarda-service");
        assert!(!asking.is_empty() && asking.iter().all(|(_, owner)| *owner == 0), "{asking:?}");
        for (pid, _) in &asking {
            let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
            let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
            assert!(core.split_whitespace().nth(4) == Some("0"), "{core}");
        }
        for password in ["wrong", &user.password] {
            until("the dialog", dialog);
            let_pass(500, "what is typed before the question is thrown away");
            terminal.tmux(&["send-keys", "-l", password]);
            terminal.tmux(&["send-keys", "Enter"]);
            until("the dialog to go", || !dialog());
        }
        reply.join().unwrap()
    });
    assert_eq!(
        (reply["outcome"].as_str(), reply["output"]["stdout"].as_str()),
        (Some("done"), Some("0\n")),
        "{reply}"
    );
    keeps_no(&terminal, &user);
}

#[test]
fn double_verification_wants_the_yes_from_elsewhere() {
    if !rustix::process::getuid().is_root() {
        println!("not tried: to make a user with a password takes root");
        return;
    }
    let _alone = alone();
    let user = User::new();
    let terminal = Terminal::start("[password]\ndouble_verification = true\n");
    let presses = std::sync::atomic::AtomicUsize::new(0);
    let reply = terminal.answered("sudo id -u", &[&user.password], || {
        if presses.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 2 {
            // The password will be typed on the terminal, so a yes from there is not a second proof.
            terminal.tmux(&["send-keys", "y"]);
            return;
        }
        if let Some(id) = terminal.guard.questions().first() {
            let code = crate::codes::code_in(&terminal.tmux(&["capture-pane", "-p"])).unwrap();
            let answer = json!({ "answer": "yes", "code": code });
            terminal.guard.answer_with(id, &answer, &terminal.guard.approve).good();
        }
    });
    assert!(presses.into_inner() > 2, "the terminal alone does not answer it");
    assert_eq!(
        (reply["decided_by"].as_str(), reply["output"]["stdout"].as_str()),
        (Some("person:http"), Some("0\n")),
        "{reply}"
    );
}

/// The real polkit, on the system's own bus: `pkexec` asks no other.
struct Polkit {
    started: Vec<std::process::Child>,
}

const ADMINS: &str = "/etc/polkit-1/rules.d/00-guarda-test.rules";

impl Polkit {
    fn start() -> Self {
        let reached = || std::os::unix::net::UnixStream::connect("/run/dbus/system_bus_socket").is_ok();
        let rule =
            format!("polkit.addAdminRule(function(action, subject) {{ return [\"unix-user:{USER}\"]; }});\n");
        std::fs::write(ADMINS, rule).unwrap();
        run("chmod", &["0644", ADMINS], "");
        let mut started = Vec::new();
        if !reached() {
            std::fs::create_dir_all("/run/dbus").unwrap();
            let mut start = |program: &str, words: &[&str]| {
                let mut command = Command::new(program);
                command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                started.push(command.spawn().unwrap());
            };
            start("/usr/bin/dbus-daemon", &["--system", "--nofork", "--nopidfile"]);
            until("the system bus", reached);
            start("/usr/lib/polkit-1/polkitd", &["--no-debug"]);
        }
        Self { started }
    }
}

impl Drop for Polkit {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(ADMINS);
        for child in self.started.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn pkexec_lets_the_polkit_agent_ask() {
    if !rustix::process::getuid().is_root() {
        println!("not tried: to make a user with a password takes root");
        return;
    }
    let _alone = alone();
    let user = User::new();
    let _polkit = Polkit::start();
    let terminal = Terminal::start("[password]\nway = \"pkexec\"\n");
    // Without an agent the password cannot be requested, and nothing is done.
    let file = terminal.machine.home().join("made-by-root");
    let yes = |command: &str, meanwhile: &dyn Fn()| {
        std::thread::scope(|scope| {
            let reply = scope.spawn(|| terminal.run(command));
            until("the question on the screen", || terminal.screen().contains(command));
            while !reply.is_finished() {
                let_pass(900, "a key counts only after a quiet moment");
                if terminal.screen().lines().any(|line| line.contains(" = yes")) {
                    terminal.tmux(&["send-keys", "-t", "0", "y"]);
                }
                meanwhile();
            }
            reply.join().unwrap()
        })
    };
    let reply = yes("sudo touch made-by-root", &|| {});
    assert_eq!(reply["output"]["exit_code"], 127, "{reply}");
    assert!(!file.exists());
    // The agent of a desktop would have been started at the login; this one asks on a terminal of its own.
    let guard = std::fs::read_to_string(terminal.guard.state("lock")).unwrap();
    let window = ["new-window", "-d", "-n", "agent"];
    // It asks the system's own bus, which tests have no way to elsewhere.
    let system = ["env", "-u", "DBUS_SYSTEM_BUS_ADDRESS"];
    terminal.tmux(&[&window[..], &system, &["pkttyagent", "--process", guard.trim()]].concat());
    let agent = || terminal.tmux(&["capture-pane", "-p", "-t", "agent"]);
    let told = std::sync::atomic::AtomicBool::new(false);
    let mut reply = Value::Null;
    // It takes a moment to make itself known, and says nothing of it.
    for _ in 0..10 {
        reply = yes("sudo touch made-by-root", &|| {
            if agent().contains("Password:") && !told.swap(true, std::sync::atomic::Ordering::Relaxed) {
                terminal.tmux(&["send-keys", "-t", "agent", "-l", &user.password]);
                terminal.tmux(&["send-keys", "-t", "agent", "Enter"]);
            }
        });
        if reply["output"]["exit_code"] != 127 {
            break;
        }
        let_pass(1000, "an agent makes itself known and says nothing of it");
    }
    assert_eq!(reply["output"]["exit_code"], 0, "{reply}");
    // In the folder in which it was judged, and by root.
    assert_eq!(std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&file).unwrap()), 0);
    keeps_no(&terminal, &user);
}
