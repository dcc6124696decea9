//! The real clients of agents, driven against a model on loopback that requests one command: it runs if the
//! guard allows it, and does not if the guard denies it or is broken in any way. `make test-clients` installs
//! them.

mod examples;
mod inspector;
mod model;
mod projects;
mod sessions;

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::Service;
use model::Model;
use rustix::process::Signal;
use serde_json::json;

/// The time limit of one client with one command; a slower client is ended.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where the clients are.
fn clients() -> PathBuf {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/clients/node_modules/.bin");
    assert!(place.exists(), "run scripts/agent-clients first, as `make test-clients` does");
    place
}

/// A fault of the guard or its hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// None: the guard denies.
    Denies,
    /// The service was killed.
    Gone,
    /// The service runs but does not answer.
    Stuck,
    /// Another program answers in its place, with nonsense.
    Nonsense,
    /// The hook's program is missing.
    Missing,
    /// The hook's program crashes.
    Crashes,
    /// The hook's program exits with status 1 and a message.
    Fails,
    /// The hook's program exits with status 2 and prints nothing.
    Silent,
    /// The hook's program does not end.
    Hangs,
}

use Fault::{Crashes, Denies, Fails, Gone, Hangs, Missing, Nonsense, Silent, Stuck};

/// A client: how it is started with a model at this address in this home folder.
struct Agent {
    name: &'static str,
    start: fn(&mut Command, &Path, u16),
    /// Faults after which it runs the tool whatever its settings say. Our hook does not cause them: its own
    /// deadline is shorter than the client's.
    gives_way: &'static [Fault],
}

const AGENTS: [Agent; 5] = [
    Agent { name: "claude", start: claude, gives_way: &[] },
    Agent { name: "codex", start: codex, gives_way: &[Hangs] },
    Agent { name: "gemini", start: gemini, gives_way: &[Hangs] },
    Agent { name: "copilot", start: copilot, gives_way: &[Hangs] },
    Agent { name: "opencode", start: opencode, gives_way: &[] },
];

fn claude(command: &mut Command, _: &Path, port: u16) {
    command.args(["-p", "go", "--dangerously-skip-permissions", "--model", "m"]);
    // Root may skip permissions only in a sandbox; this home folder is one.
    command.env("IS_SANDBOX", "1").env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    command.env("DISABLE_AUTOUPDATER", "1").env("ANTHROPIC_API_KEY", "x");
    command.env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}"));
}

fn codex(command: &mut Command, home: &Path, port: u16) {
    let settings = format!(
        "model = \"m\"\nmodel_provider = \"loopback\"\n[model_providers.loopback]\nname = \"loopback\"\n\
         base_url = \"http://127.0.0.1:{port}/v1\"\nwire_api = \"responses\"\n"
    );
    std::fs::create_dir_all(home.join(".codex")).unwrap();
    std::fs::write(home.join(".codex/config.toml"), settings).unwrap();
    // A person trusts the hook in /hooks; this switch does the same.
    command.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
    command.args(["--dangerously-bypass-approvals-and-sandbox", "go"]);
}

fn gemini(command: &mut Command, home: &Path, port: u16) {
    let file = home.join(".gemini/settings.json");
    let mut settings: serde_json::Value = match std::fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text).unwrap(),
        Err(_) => json!({}),
    };
    settings["security"] = json!({ "auth": { "selectedType": "gemini-api-key" } });
    settings["privacy"] = json!({ "usageStatisticsEnabled": false });
    std::fs::create_dir_all(home.join(".gemini")).unwrap();
    std::fs::write(file, settings.to_string()).unwrap();
    command.args(["-p", "go", "--yolo", "-m", "gemini-2.5-pro"]).env("GEMINI_API_KEY", "x");
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    command.env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"));
}

fn copilot(command: &mut Command, _: &Path, port: u16) {
    command.args(["-p", "go", "--allow-all-tools", "--no-auto-update"]);
    command.env("COPILOT_OFFLINE", "true").env("COPILOT_MODEL", "m").env("COPILOT_PROVIDER_API_KEY", "x");
    command.env("COPILOT_PROVIDER_BASE_URL", format!("http://127.0.0.1:{port}/v1"));
}

fn opencode(command: &mut Command, home: &Path, port: u16) {
    let model = json!({ "name": "m", "tool_call": true, "limit": { "context": 100_000, "output": 1000 } });
    let provider = json!({ "npm": "@ai-sdk/openai-compatible", "name": "loopback", "models": { "m": model },
        "options": { "baseURL": format!("http://127.0.0.1:{port}/v1"), "apiKey": "x" } });
    let settings = json!({ "provider": { "loopback": provider }, "model": "loopback/m", "permission": "allow",
        "autoupdate": false, "share": "disabled" });
    std::fs::create_dir_all(home.join(".config/opencode")).unwrap();
    std::fs::write(home.join(".config/opencode/opencode.json"), settings.to_string()).unwrap();
    command.args(["run", "--model", "loopback/m", "go"]).env("OPENCODE_DISABLE_AUTOUPDATE", "1");
    command.env("OPENCODE_DISABLE_MODELS_FETCH", "1");
}

/// A guard whose programs are in their own folder, where they can be broken.
struct Scene {
    service: Service,
    programs: PathBuf,
}

impl Scene {
    /// A guard with its hook installed that cannot ask a person, so that questions are denied at once.
    fn new(agent: &Agent) -> Self {
        let service = Service::with("answer_over_http = false", "confirmation_timeout_seconds = 1");
        let programs = service.folder.path().join("programs");
        std::fs::create_dir(&programs).unwrap();
        let scene = Self { service, programs };
        scene.mend();
        let mut install = Command::new(scene.programs.join("guarda"));
        scene.settle(&mut install).args(["hook", "install", agent.name]);
        let installed = install.output().unwrap();
        assert!(installed.status.success(), "{installed:?}");
        scene
    }

    fn settle<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let home = self.service.folder.path();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", clients().display());
        command.env_clear().env("HOME", home).env("PATH", path).env("TERM", "dumb").stdin(Stdio::null());
        command.env("GUARDA_STATE_DIR", self.service.state("")).env("GUARDA_CONFIG", home.join("config.toml"))
    }

    /// Puts the real programs in their place.
    fn mend(&self) {
        let built = Path::new(env!("CARGO_BIN_EXE_guarda")).parent().unwrap();
        for name in ["guarda", "guarda-hook"] {
            let (from, to) = (built.join(name), self.programs.join(name));
            let _ = std::fs::remove_file(&to);
            if std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(from, to).unwrap();
            }
        }
    }

    fn replace_hook(&self, script: &str) {
        let hook = self.programs.join("guarda-hook");
        std::fs::remove_file(&hook).unwrap();
        std::fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn break_by(&mut self, fault: Fault) {
        match fault {
            Denies => {}
            Gone => {
                self.service.signal(Signal::KILL);
                self.service.end();
            }
            Stuck => self.service.signal(Signal::STOP),
            Nonsense => {
                self.break_by(Gone);
                let socket = self.service.state("guarda.sock");
                let _ = std::fs::remove_file(&socket);
                let listener = std::os::unix::net::UnixListener::bind(socket).unwrap();
                std::thread::spawn(move || {
                    for stream in listener.incoming() {
                        let answer =
                            b"HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n{\"decision\": \"perhaps\"}";
                        let _ = stream.unwrap().write_all(answer);
                    }
                });
            }
            Missing => std::fs::remove_file(self.programs.join("guarda-hook")).unwrap(),
            Crashes => self.replace_hook("kill -SEGV $$"),
            Fails => self.replace_hook("echo broken >&2; exit 1"),
            Silent => self.replace_hook("exit 2"),
            Hangs => self.replace_hook("exec sleep 100"),
        }
    }

    /// Lets the client do what the model requests; returns the tool's results to the model.
    fn drive(&self, agent: &Agent, asked: &str) -> Vec<String> {
        let model = Model::start(asked);
        let work = self.service.folder.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        let mut command = Command::new(clients().join(agent.name));
        self.settle(&mut command).current_dir(&work);
        (agent.start)(&mut command, self.service.folder.path(), model.port);
        let log = std::fs::File::create(self.service.folder.path().join("client.log")).unwrap();
        command.stdout(log.try_clone().unwrap()).stderr(log);
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                break;
            }
            crate::common::pause();
        }
        model.results()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.service.folder.path().join("client.log")).unwrap_or_default()
    }
}

fn drive(agent: &Agent) {
    // First check that its commands run at all when the guard allows them.
    let scene = Scene::new(agent);
    let work = scene.service.folder.path().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("seen-by-the-model"), "").unwrap();
    let results = scene.drive(agent, "ls");
    assert!(results.iter().any(|result| result.contains("seen-by-the-model")), "{results:?} {}", scene.log());
    assert!(scene.service.journal().iter().any(|line| line["door"] == "hook" && line["command"] == "ls"));
    let mut row = format!("{:<9} allowed: runs", agent.name);
    through(agent, &scene);
    drop(scene);
    row.push_str(" through the guard");
    for fault in [Denies, Gone, Stuck, Nonsense, Missing, Crashes, Fails, Silent, Hangs] {
        let mut scene = Scene::new(agent);
        scene.break_by(fault);
        let marker = scene.service.folder.path().join("work/marker");
        let results = scene.drive(agent, &format!("touch {}", marker.display()));
        let ran = marker.exists();
        row.push_str(&format!(" | {fault:?}: {}", if ran { "RUNS" } else { "not run" }));
        let expected = agent.gives_way.contains(&fault);
        assert_eq!(ran, expected, "{} {fault:?} {results:?} {}", agent.name, scene.log());
        if fault == Denies {
            // A client that never came so far would prove nothing.
            assert!(results.iter().any(|result| result.contains("guarda")), "{results:?} {}", scene.log());
        }
    }
    println!("{row}");
}

/// Approved commands run through the guard with their own output and status, and write nothing.
fn through(agent: &Agent, scene: &Scene) {
    let work = scene.service.folder.path().join("work");
    std::fs::write(work.join("first"), "of the file\n").unwrap();
    let results = scene.drive(agent, "cat first nowhere; echo \"ended $?\"");
    let heard = results.join("\n");
    for part in ["of the file", "nowhere", "ended 1"] {
        assert!(heard.contains(part), "{} {part}: {results:?} {}", agent.name, scene.log());
    }
    assert!(!heard.contains("guarda"), "the output is the program's own: {results:?}");
    // A reader that would write is stopped by the cell.
    let git = |words: &[&str]| {
        let done = Command::new("git").args(words).current_dir(&work).env("HOME", &work).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "first"]);
    let file = std::fs::File::options().write(true).open(work.join("first")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let before = std::fs::read(work.join(".git/index")).unwrap();
    let results = scene.drive(agent, "git status --short");
    assert!(results.iter().any(|result| result.contains("A  first")), "{results:?} {}", scene.log());
    assert!(std::fs::read(work.join(".git/index")).unwrap() == before, "{} wrote", agent.name);
    // The program's own status.
    let results = scene.drive(agent, "grep -c nothing first");
    // OpenCode gives its model only the output, with or without a guard.
    let told = if agent.name == "opencode" { "0" } else { "1" };
    assert!(results.iter().any(|result| result.contains(told)), "{results:?} {}", scene.log());
    let journal = scene.service.journal();
    let ran =
        |command: &str| journal.iter().any(|line| line["command"] == command && line["event"] == "outcome");
    assert!(ran("git status --short") && ran("grep -c nothing first"), "the guard ran them: {journal:?}");
}

macro_rules! agents {
    ($($test:ident: $number:literal),*) => { $(
        #[test]
        #[ignore = "make test-clients installs what it drives"]
        fn $test() {
            drive(&AGENTS[$number]);
        }
    )* };
}
agents!(claude_does_not_run_what_is_denied: 0, codex_does_not_run_what_is_denied: 1,
    gemini_does_not_run_what_is_denied: 2, copilot_does_not_run_what_is_denied: 3,
    opencode_does_not_run_what_is_denied: 4);

/// Codex skips a hook that was not trusted, as the documents say.
#[test]
#[ignore = "make test-clients installs what it drives"]
fn codex_skips_a_hook_that_is_not_trusted() {
    let agent = Agent {
        name: "codex",
        gives_way: &[],
        start: |command, home, port| {
            codex(command, home, port);
            let words: Vec<_> = command.get_args().map(std::ffi::OsStr::to_owned).collect();
            let program = command.get_program().to_owned();
            let mut untrusting = Command::new(program);
            untrusting.args(words.iter().filter(|word| *word != "--dangerously-bypass-hook-trust"));
            for (name, value) in command.get_envs() {
                untrusting.env(name, value.unwrap_or_default());
            }
            untrusting.current_dir(home.join("work")).stdin(Stdio::null());
            *command = untrusting;
        },
    };
    let scene = Scene::new(&agent);
    let marker = scene.service.folder.path().join("work/marker");
    scene.drive(&agent, &format!("touch {}", marker.display()));
    println!("codex     not trusted: {}", if marker.exists() { "RUNS" } else { "not run" });
    assert!(
        marker.exists(),
        "Codex heeds hooks that nobody trusted: the documents say otherwise\n{}",
        scene.log()
    );
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn those_that_cannot_be_driven_are_named() {
    println!(
        "cursor    not driven: npm has @cursor/sdk, whose agent wants an account and a model of Cursor's; its hooks are \
         tested by what its runner sends and reads (tests/hooks/messages.rs)"
    );
    println!("vs code   not driven: its agent has no program without a window; it speaks Claude's hooks");
}
