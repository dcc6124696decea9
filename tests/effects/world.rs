//! An invented machine for one guard: its namespaces, its user, and the parts that are examined from outside.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::common::pause;
use crate::door::{Door, Http, Through};
use crate::lines::Line;
use crate::manifest::Manifest;
use crate::secrets::Secrets;

/// The made-up user's name.
pub const USER: &str = "agente";
/// The made-up user's number where root makes the machine. Then the system's folders belong to root, as everywhere. An
/// ordinary user's machine knows that user alone, and the guard believes no folder that belongs to nobody it knows.
const UID: u32 = 61_234;

/// Files that lead to a question wherever they are, because something runs them later.
const RUNS_LATER: &[&str] = &[
    "hooks",
    "config",
    ".envrc",
    ".vscode",
    ".github",
    ".claude",
    "CLAUDE.md",
    ".bashrc",
    // What the configuration of the folder `obeys` names, and what version control runs.
    "githooks",
    "shared.gitconfig",
    "scripts",
    "git-rebase-todo",
    "sequencer",
    "hgrc",
    "config.toml",
];

/// Attributes that differ if a file was rewritten with the same bytes, mode, owner and attributes.
const TOUCHED: &[&str] = &["inode", "mtime", "ctime"];

/// How a world's guard is set up.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    pub profile: &'static str,
    pub sandbox: &'static str,
    /// The part of the lines to run; all of them if `None`.
    pub part: Option<usize>,
    /// Whether lines take the path of an agent's shell, through its hook and a ticket.
    pub through: bool,
    /// Whether commands that change files are staged and asked about afterwards.
    pub staged: bool,
}

/// A made-up machine.
pub struct World {
    base: tempfile::TempDir,
    watcher: Child,
    control: BufReader<UnixStream>,
    uid: u32,
    secrets: Secrets,
    manner: Manner,
    /// The values of the placeholders in lines.
    words: Vec<(&'static str, String)>,
    /// The state when the guard was ready.
    calm: Option<Look>,
}

/// A world's state at one time.
#[derive(Debug, Clone)]
pub struct Look {
    manifest: Manifest,
    inside: Value,
}

impl World {
    /// Creates a world; `None` if this machine grants no namespaces.
    pub fn new(manner: &Manner) -> Option<Self> {
        let own = rustix::process::getuid();
        let uid = if own.is_root() { UID } else { own.as_raw() };
        // Not below /tmp, which a sandbox replaces.
        let at = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let base = tempfile::Builder::new().prefix("guarda-effects-").tempdir_in(at).unwrap();
        set_mode(base.path(), 0o755);
        for (folder, mode) in [
            ("bin", 0o755),
            ("etc", 0o755),
            ("private", 0o700),
            ("tmp", 0o1777),
            ("vartmp", 0o1777),
            ("shm", 0o1777),
            ("runuser", 0o755),
        ] {
            std::fs::create_dir(base.path().join(folder)).unwrap();
            set_mode(&base.path().join(folder), mode);
        }
        programs(&base.path().join("bin"));
        names(&base.path().join("etc"), uid, &base.path().join("home"));
        let settings = json!({
            "base": base.path(), "uid": uid, "name": USER, "socket": base.path().join("home/.local/state/guarda/guarda.sock"),
        });
        let watcher = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/effects/watcher.py");
        let mut command = Command::new("unshare");
        if !own.is_root() {
            command.args(["--user", "--map-current-user", "--keep-caps"]);
        }
        command.args(["--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--"]);
        command.args(["/usr/bin/python3", "-I", watcher.to_str().unwrap(), &settings.to_string()]);
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C.UTF-8");
        let mut watcher =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(watcher.stdout.take().unwrap()).read_line(&mut first).unwrap();
        if first.trim() != "ready" {
            let mut why = String::new();
            std::io::Read::read_to_string(&mut watcher.stderr.take().unwrap(), &mut why).unwrap();
            watcher.wait().unwrap();
            println!("not tried: this machine grants no namespaces: {}", why.trim());
            return None;
        }
        // Errors from inside the world are shown.
        let mut errors = BufReader::new(watcher.stderr.take().unwrap());
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::stderr()));
        let control = UnixStream::connect(base.path().join("private/control.sock")).unwrap();
        let control = BufReader::new(control);
        let secrets = Secrets::new();
        let mut world =
            Self { base, watcher, control, uid, secrets, manner: *manner, words: Vec::new(), calm: None };
        world.furnish();
        Some(world)
    }

    /// Creates the home folder that later ones are copied from.
    fn furnish(&mut self) {
        self.order(&json!({"do": "reset"}));
        let script = include_str!("home.sh");
        let mut environment = self.environment();
        for (name, value) in self.secrets.variables() {
            environment.insert(name, Value::String(value));
        }
        let home = self.home();
        let words = ["/bin/bash", "-c", script];
        let made = self.order(&json!({
            "do": "run", "words": words, "environment": environment, "folder": home, "bounded": false,
        }));
        assert_eq!(made["status"], 0, "{made}");
        std::fs::write(self.path("etc/config.toml"), self.configuration()).unwrap();
        self.order(&json!({"do": "keep_template"}));
    }

    fn configuration(&self) -> String {
        let Manner { profile, sandbox, staged, .. } = self.manner;
        format!(
            "[security]\nprofile = \"{profile}\"\nrefusals_per_minute = 0\nconfirmation_timeout_seconds = 20\n\
             [speech]\nenabled = false\n[keys]\nenabled = false\ntrusted = false\n\
             [channels]\nnotification = false\n[terminal]\nenabled = false\n[run]\ntimeout_seconds = 3\n\
             [sandbox]\nprofile = \"{sandbox}\"\n[language]\ndefault = \"en\"\n\
             [hooks]\nprofile = \"{profile}\"\n[undo]\nstage = {staged}\n"
        )
    }

    /// The environment of the user's programs.
    fn environment(&self) -> serde_json::Map<String, Value> {
        let runtime = format!("/run/user/{}", self.uid);
        let home = self.home().display().to_string();
        let pairs = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("HOME", home),
            ("USER", USER.to_owned()),
            ("LOGNAME", USER.to_owned()),
            ("SHELL", "/bin/bash".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "xterm".to_owned()),
            ("DISPLAY", ":7".to_owned()),
            ("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={runtime}/bus")),
            ("SSH_AUTH_SOCK", format!("{runtime}/ssh-agent")),
            ("XDG_RUNTIME_DIR", runtime),
        ];
        pairs.into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect()
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.base.path().join(below)
    }

    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub fn state(&self) -> PathBuf {
        self.path("home/.local/state/guarda")
    }

    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Recreates everything: the home folder, the processes, the guard.
    pub fn reset(&mut self) {
        self.order(&json!({"do": "reset"}));
        let (home, mut environment) = (self.home(), self.environment());
        let victim = self.order(&json!({
            "do": "start", "words": ["/usr/bin/sleep", "100000"], "environment": environment, "folder": home,
        }));
        let mut keeping = environment.clone();
        keeping.insert("KEPT".to_owned(), self.secrets.get("OTHER_PROCESS").into());
        let sleeps = "import os, time\nkept = os.environ['KEPT'] * 3\ntime.sleep(100000)";
        let keeper = self.order(&json!({
            "do": "start", "words": ["/usr/bin/python3", "-I", "-c", sleeps], "environment": keeping, "folder": home,
        }));
        let other = self.order(&json!({"do": "other_terminal"}));
        let config = self.path("etc/config.toml").display().to_string();
        for (name, value) in [
            ("GUARDA_CONFIG", config),
            ("GUARDA_STATE_DIR", self.state().display().to_string()),
            ("GUARDA_LISTEN", "127.0.0.1:0".to_owned()),
            ("SECRET_IN_ENV", self.secrets.get("SERVICE_ENV").to_owned()),
        ] {
            environment.insert(name.to_owned(), Value::String(value));
        }
        let guarda = self.path("bin/guarda");
        let service = self.order(&json!({
            "do": "start", "words": [guarda, "serve", "--ready-json"], "environment": environment, "folder": home,
            "ready": true, "terminal": true, "log": "service.log",
        }));
        if !service["first"].as_str().is_some_and(|first| first.contains("ready")) {
            let log = std::fs::read_to_string(self.path("private/service.log"));
            panic!("the guard does not start: {service} {}", log.unwrap_or_default());
        }
        let service_pid = std::fs::read_to_string(self.state().join("lock")).unwrap().trim().to_owned();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        self.words = vec![
            ("«home»", self.home().display().to_string()),
            ("«state»", self.state().display().to_string()),
            ("«uid»", self.uid.to_string()),
            ("«user»", USER.to_owned()),
            ("«victim»", victim["pid"].to_string()),
            ("«keeper»", keeper["pid"].to_string()),
            ("«service»", service_pid),
            ("«tty»", text(&service["terminal"])),
            ("«othertty»", text(&other["terminal"])),
        ];
        for name in ["token", "approve-token", "journal.key", "spoken-token"] {
            if let Ok(value) = std::fs::read_to_string(self.state().join(name)) {
                self.secrets.add(&format!("guard's {name}"), value.trim());
            }
        }
        // A person works with an agent in every folder that is not hidden.
        for entry in std::fs::read_dir(self.home()).unwrap().map(Result::unwrap) {
            let shown = !entry.file_name().as_encoded_bytes().starts_with(b".");
            if shown && entry.file_type().unwrap().is_dir() {
                self.http().trust(&entry.path());
            }
        }
        // The guard still tries what this machine can do.
        let fixtures = [&victim["pid"], &keeper["pid"]];
        self.until_quiet(&fixtures.map(|pid| pid.as_u64().unwrap()));
        self.order(&json!({"do": "forget"}));
        self.calm = Some(self.look());
    }

    /// The text of a line with its placeholders filled in.
    pub fn filled(&self, text: &str) -> String {
        self.words.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// The door for lines.
    pub fn door(&self) -> Box<dyn Door> {
        if self.manner.through { Box::new(Through(self.http())) } else { Box::new(self.http()) }
    }

    /// The guard's own door for actions.
    pub fn http(&self) -> Http {
        let token = |name: &str| std::fs::read_to_string(self.state().join(name)).unwrap().trim().to_owned();
        Http {
            socket: self.path("private/door.sock"),
            token: token("token"),
            approve: token("approve-token"),
        }
    }

    /// Runs a program as the user, without the guard.
    pub fn directly(&mut self, text: &str, folder: &str) -> String {
        let environment = self.environment();
        let done = self.order(&json!({
            "do": "run", "words": ["/bin/bash", "-c", text], "environment": environment,
            "folder": self.home().join(folder), "seconds": 10,
        }));
        done["output"].as_str().unwrap().to_owned()
    }

    fn until_quiet(&mut self, fixtures: &[u64]) {
        let (mut quiet, mut before) = (0, Vec::new());
        for _ in 0..200 {
            let inside = self.order(&json!({"do": "look"}));
            let others = processes(&inside).filter(|process| {
                !fixtures.contains(&process["pid"].as_u64().unwrap()) && !self.is_service(process)
            });
            // Probes of the machine come and go; supervisors that wait for work stay.
            let others: Vec<Value> = others.map(|process| process["pid"].clone()).collect();
            quiet = if others == before { quiet + 1 } else { 0 };
            before = others;
            if quiet == 15 {
                return;
            }
            pause();
        }
    }

    /// True if a process is the guard itself, not one of its cells.
    fn is_service(&self, process: &Value) -> bool {
        let service = self.words.iter().find(|(name, _)| *name == "«service»");
        service.is_some_and(|(_, pid)| process["pid"].as_u64() == pid.parse().ok())
    }

    /// True if a process is the guard's own program and does not execute a line: it waits or supervises.
    fn is_own(&self, process: &Value) -> bool {
        let exe = Path::new(process["exe"].as_str().unwrap_or_default());
        exe.parent() == Some(&self.path("bin")) && !self.is_service(process)
    }

    /// New processes.
    fn left(&self, calm: &Value, now: &Value) -> Vec<String> {
        let known = |process: &Value| processes(calm).any(|other| other["pid"] == process["pid"]);
        let new = processes(now).filter(|process| !known(process) && !self.is_own(process));
        new.map(|process| format!("process left: {}", process["words"])).collect()
    }

    fn look(&mut self) -> Look {
        let inside = self.order(&json!({"do": "look"}));
        let folders = ["home", "tmp", "vartmp", "shm", "runuser"].map(|below| self.path(below));
        Look { manifest: Manifest::of(&folders, &self.state()), inside }
    }

    /// The differences to the state when the guard was ready.
    pub fn effects(&mut self) -> Vec<String> {
        let calm = self.calm.clone().unwrap();
        let mut now = self.look();
        // A killed process takes a moment to disappear.
        for _ in 0..50 {
            if self.left(&calm.inside, &now.inside).is_empty() {
                break;
            }
            pause();
            now = self.look();
        }
        let mut effects = calm.manifest.changes(&now.manifest, self.base.path());
        effects.extend(self.left(&calm.inside, &now.inside));
        for process in processes(&calm.inside).filter(|process| !self.is_own(process)) {
            let found = processes(&now.inside).find(|other| other["pid"] == process["pid"]);
            match found {
                None => effects.push(format!("process gone: {}", process["words"])),
                Some(found) if found["manner"] != process["manner"] => {
                    effects.push(format!("process changed: {}", process["words"]));
                }
                Some(_) => {}
            }
        }
        if now.inside["ipc"] != calm.inside["ipc"] {
            effects.push(format!("System V objects: {}", now.inside["ipc"]));
        }
        let own = self.path("bin");
        for event in now.inside["events"].as_array().unwrap() {
            let exe = event["peer"]["exe"].as_str().unwrap_or_default();
            // The guard itself looks for a bus and a display; by then its children are other programs.
            let of_guard = ["guarda", "guarda-service", "guarda-desktop"]
                .iter()
                .any(|name| own.join(name) == Path::new(exe));
            if !of_guard {
                effects.push(format!("reached {} {}", event["where"], event["data"]));
            }
        }
        if now.inside["packets"] != calm.inside["packets"] {
            effects.push(format!("packets: {} → {}", calm.inside["packets"], now.inside["packets"]));
        }
        effects
    }

    /// The differences, without changes that these lines may make without a question: in a workspace, staged,
    /// the folders of their own sessions. A world with such changes is rebuilt.
    pub fn effects_beyond(&mut self, lines: &[Line]) -> Vec<String> {
        let effects = self.effects();
        let beyond: Vec<String> =
            effects.iter().filter(|effect| !self.may_be(effect, lines)).cloned().collect();
        if beyond.is_empty() && !effects.is_empty() {
            self.reset();
        }
        beyond
    }

    fn may_be(&self, effect: &str, lines: &[Line]) -> bool {
        let Manner { profile: "workspace", staged: true, .. } = self.manner else { return false };
        let Some((what, path)) = effect.split_once(": ") else { return false };
        let path = Path::new(path);
        // A caller may name any folder as its own; those that the person trusts are the ones that are not hidden.
        let trusted = |line: &&Line| !line.folder.starts_with('.');
        let own = lines.iter().filter(trusted);
        let own = own.map(|line| Path::new("home").join(&line.folder)).any(|folder| path.starts_with(folder));
        // Old versions are held for an undo.
        let held = path.starts_with("home/.local/state/guarda/stages");
        let runs_later =
            |part: &std::path::Component<'_>| RUNS_LATER.iter().any(|name| part.as_os_str() == *name);
        // A file that is rewritten unchanged has no new effect.
        let facts = what.strip_prefix("file changed (").and_then(|facts| facts.strip_suffix(')'));
        let touched = facts.is_some_and(|facts| facts.split(", ").all(|fact| TOUCHED.contains(&fact)));
        let spared = touched || !path.components().any(|part| runs_later(&part));
        held || (own || path.starts_with("tmp")) && spared
    }

    /// The names of the sessions that are marked as having seen secrets.
    pub fn marked(&self) -> Vec<String> {
        let listed = self.http().sessions();
        let sessions = listed["sessions"].as_array().cloned().unwrap_or_default();
        let marked = sessions.iter().filter(|session| session["taint"]["secret"] == true);
        marked.filter_map(|session| session["id"].as_str().map(str::to_owned)).collect()
    }

    /// The record of one session.
    pub fn record_of(&self, session: &str) -> String {
        let file = self.state().join("journal").join(format!("shell_audit_{session}.jsonl"));
        std::fs::read_to_string(file).unwrap_or_default()
    }

    /// The guard's log.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("private/service.log")).unwrap_or_default()
    }

    fn order(&mut self, order: &Value) -> Value {
        writeln!(self.control.get_mut(), "{order}").unwrap();
        let mut answer = String::new();
        self.control.read_line(&mut answer).unwrap();
        let answer: Value =
            serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{}: {answer:?}", order["do"]));
        assert!(answer["fault"].is_null(), "{}: {answer}", order["do"]);
        answer
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Its first process ends with this connection, and everything in its namespaces with it.
        let _ = self.control.get_ref().shutdown(std::net::Shutdown::Both);
        let _ = self.watcher.kill();
        let _ = self.watcher.wait();
    }
}

fn processes(inside: &Value) -> impl Iterator<Item = &Value> {
    inside["processes"].as_array().unwrap().iter()
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Copies the programs under test to where the user can read them.
fn programs(folder: &Path) {
    for built in [
        env!("CARGO_BIN_EXE_guarda"),
        env!("CARGO_BIN_EXE_guarda-service"),
        env!("CARGO_BIN_EXE_guarda-keeper"),
        env!("CARGO_BIN_EXE_guarda-hook"),
        env!("CARGO_BIN_EXE_guarda-desktop"),
    ] {
        let built = Path::new(built);
        let copy = folder.join(built.file_name().unwrap());
        if std::fs::hard_link(built, &copy).is_err() {
            std::fs::copy(built, &copy).unwrap();
        }
    }
}

/// Gives the user a name and this home folder, in place of what this machine calls them, and the machine a local resolver.
fn names(folder: &Path, uid: u32, home: &Path) {
    let with = |path: &str, line: String| format!("{line}\n{}", std::fs::read_to_string(path).unwrap());
    let user = format!("{USER}:x:{uid}:{uid}::{}:/bin/bash", home.display());
    std::fs::write(folder.join("passwd"), with("/etc/passwd", user)).unwrap();
    std::fs::write(folder.join("group"), with("/etc/group", format!("{USER}:x:{uid}:"))).unwrap();
    std::fs::write(folder.join("resolv"), "nameserver 127.0.0.53\noptions timeout:1 attempts:1\n").unwrap();
}
