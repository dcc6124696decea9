//! What goes on running in a session (feature N19): a server stays after one question, the session's other commands reach and end it,
//! and nothing of it meets what else runs on this machine.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::common::project::Project;
use crate::common::{free_port, guarda, until, wait};

/// What a server on this machine answers, for a person's browser.
pub fn fetched(port: u16) -> Option<String> {
    let mut client = std::net::TcpStream::connect(("127.0.0.1", port)).ok()?;
    client.write_all(b"GET /a.txt HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = String::new();
    client.read_to_string(&mut answer).ok()?;
    answer.contains("one").then_some(answer)
}

impl Project {
    pub fn line(&self, session: &str, line: &str) -> Value {
        self.act(&json!({"action": "RUN_COMMAND", "target": line, "cwd": self.work, "session": session}))
    }

    /// A line that nobody is asked about, and what it printed.
    pub fn unasked(&self, session: &str, line: &str) -> String {
        let reply = self.line(session, line);
        assert_eq!(
            (&reply["outcome"], &reply["decided_by"]),
            (&json!("done"), &json!("policy")),
            "{line}: {reply}"
        );
        reply["output"]["stdout"].as_str().unwrap().to_owned()
    }

    pub fn running(&self, session: &str) -> Vec<Value> {
        let told = self.service.get(&format!("/v1/sessions/{session}")).send().good();
        told["running"].as_array().unwrap().clone()
    }

    /// How what the sessions kept has ended, as the record tells.
    pub fn ends(&self) -> Vec<String> {
        let lines = guarda(self.service.folder.path()).args(["audit", "export"]).output().unwrap();
        let lines = String::from_utf8(lines.stdout).unwrap();
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let ended = lines.filter(|line| line["event"] == "ended");
        ended.map(|line| line["reason"].as_str().unwrap().to_owned()).collect()
    }

    /// Starts a server on a port that stays, with one question.
    pub fn serve(&self, session: &str, port: u16) -> (Value, Value) {
        let line = format!("python3 -m http.server {port} >log.txt 2>&1 &");
        self.asked("yes", || self.line(session, &line))
    }
}

#[test]
fn a_server_stays_after_one_question_and_its_session_reaches_and_ends_it() {
    let scene = Project::new("workspace");
    let port = free_port();
    let (question, reply) = scene.serve("a", port);
    assert_eq!(reply["outcome"], "done", "{reply}");
    let prompt = question["prompt"].to_string();
    assert!(prompt.contains(&port.to_string()) && question.to_string().contains("http.server"), "{question}");
    // The person's browser, and the session's own commands.
    let answer = wait("the server's answer", || fetched(port));
    assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
    assert_eq!(scene.unasked("a", &format!("curl -s localhost:{port}/a.txt")), "one\ntwo\n");
    std::fs::write(scene.work.join("a.txt"), "one\nedited\n").unwrap();
    assert_eq!(scene.unasked("a", &format!("curl -s http://127.0.0.1:{port}/a.txt")), "one\nedited\n");
    let script = format!(
        "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://localhost:{port}/a.txt\").read())' > got; cat got"
    );
    assert_eq!(scene.unasked("a", &script), "b'one\\nedited\\n'\n");
    let [line] = scene.running("a").try_into().unwrap();
    assert_eq!(
        (&line["ports"], line["line"].as_str().unwrap().contains("http.server")),
        (&json!([port]), true),
        "{line}"
    );
    assert!(scene.unasked("a", "pgrep -f http.server | wc -l").trim() != "0");
    // Another session sees none of it.
    assert_eq!(scene.unasked("b", "pgrep -f http.server$ | wc -l"), "0\n");
    // Its supervisor is no target, nor is everything.
    for line in
        ["kill -9 $PPID", "python3 -c 'import os; os.kill(-1, 9)'", "python3 -c 'import os; os.kill(1, 9)'"]
    {
        let reply = scene.line("a", line);
        assert_ne!(reply["output"]["ended"], "signalled", "{line}: {reply}");
    }
    assert!(fetched(port).is_some());
    // It is ended by its name, as every agent does.
    scene.unasked("a", "pkill -f [h]ttp.server");
    until("the server has ended", || fetched(port).is_none() && scene.running("a").is_empty());
    until("its end is recorded", || scene.ends() == ["by-itself"]);
}

#[test]
fn what_is_kept_is_stopped_by_its_person_and_ends_with_the_service() {
    let scene = Project::new("workspace");
    let (one, other) = (free_port(), free_port());
    scene.serve("a", one);
    scene.serve("a", other);
    until("both answer", || fetched(one).is_some() && fetched(other).is_some());
    let mut command = guarda(scene.service.folder.path());
    let output = command.args(["session", "list"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains(&format!("localhost:{one}")) && text.contains(&format!("localhost:{other}")),
        "{text}"
    );
    let [first, _] = scene.running("a").try_into().unwrap();
    let mut command = guarda(scene.service.folder.path());
    let id = first["id"].as_str().unwrap();
    assert!(command.args(["session", "stop", "a", "--line", id]).output().unwrap().status.success());
    until("one has ended", || fetched(one).is_none() && scene.running("a").len() == 1);
    until("its end is recorded", || scene.ends() == ["stopped"]);
    assert!(fetched(other).is_some());
    scene.service.signal(rustix::process::Signal::KILL);
    until("nothing lives on", || fetched(other).is_none() && lives(other).is_none());
}

/// A living process of a server on this port.
pub fn lives(port: u16) -> Option<String> {
    let serves = |pid: &String| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains("http.server") && line.contains(&port.to_string())
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|entry| entry.file_name().into_string().ok()).find(serves)
}

#[test]
fn what_was_not_asked_to_stay_ends_with_its_line_and_is_told() {
    let scene = Project::new("workspace");
    let reply = scene.line("a", "sleep 300 & touch made");
    assert_eq!(reply["outcome"], "done", "{reply}");
    let told = reply["output"]["stderr"].as_str().unwrap();
    assert!(told.contains("ended with its line: sleep 300") && told.contains("`sleep 300 &`"), "{reply}");
    assert!(scene.work.join("made").exists());
    // A no leaves nothing running.
    let port = free_port();
    let line = format!("python3 -m http.server {port} >log.txt 2>&1 &");
    let (_, reply) = scene.asked("no", || scene.line("a", &line));
    assert_eq!(reply["outcome"], "denied", "{reply}");
    assert!(fetched(port).is_none() && lives(port).is_none() && !scene.work.join("log.txt").exists());
}

/// Serves, and writes what it is asked to.
const SERVER: &str = r#"
import http.server as h, os, sys
class Door(h.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path[1:]
        try:
            if path.startswith("mkdir/"):
                os.mkdir(path[6:])
            else:
                open(path, "a").write("written\n")
            said = b"ok"
        except OSError as error:
            said = type(error).__name__.encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(said)
open("made.log", "a").write("begun\n")
os.makedirs("made.d", exist_ok=True)
h.HTTPServer(("127.0.0.1", int(sys.argv[1])), Door).serve_forever()
"#;

/// What goes on running writes in the project's folders and what it made, and makes nothing beside what others run by themselves: where
/// a name is not there yet, no mount could cover it.
#[test]
fn a_server_writes_in_the_project_and_makes_no_guarded_place() {
    let scene = Project::new("workspace");
    let port = free_port();
    std::fs::write(scene.work.join("server.py"), SERVER).unwrap();
    std::fs::create_dir_all(scene.work.join(".git/hooks")).unwrap();
    std::fs::create_dir_all(scene.work.join(".github/workflows")).unwrap();
    std::fs::write(scene.work.join(".github/workflows/ci.yml"), "old\n").unwrap();
    // The server can read it, which marks the session, and its own commands go on unasked.
    std::fs::write(scene.work.join(".env"), "KEY=value\n").unwrap();
    let line = format!("python3 server.py {port} >/dev/null 2>&1 & echo started $!");
    let (_, reply) = scene.asked("yes", || scene.line("a", &line));
    assert!(reply["output"]["stdout"].as_str().unwrap().starts_with("started"), "{reply}");
    let ask = |path: &str| scene.unasked("a", &format!("curl -s 'localhost:{port}/{path}'"));
    wait("the server", || (ask("a.txt") == "ok").then_some(()));
    for (path, said) in [
        ("src/new.rs", "ok"),
        ("mkdir/src/deep", "ok"),
        ("src/deep/x", "ok"),
        ("made.log", "ok"),
        ("made.d/x", "ok"),
        ("CLAUDE.md", "Error"),
        ("AGENTS.md", "Error"),
        ("mkdir/.vscode", "Error"),
        ("mkdir/.claude", "Error"),
        (".mcp.json", "Error"),
        (".git/hooks/pre-commit", "Error"),
        (".git/config", "Error"),
        (".github/workflows/ci.yml", "Error"),
        ("later.txt", "Error"),
    ] {
        let answer = ask(path);
        assert!(answer.ends_with(said), "{path}: {answer}");
    }
    assert_eq!(scene.read(".github/workflows/ci.yml").as_deref(), Some("old\n"));
    for missing in
        ["CLAUDE.md", "AGENTS.md", ".vscode", ".claude", ".mcp.json", ".git/hooks/pre-commit", ".git/config"]
    {
        assert!(!scene.work.join(missing).exists(), "{missing}");
    }
    assert_eq!(scene.service.get("/v1/sessions/a").send().good()["taint"]["secret"], true);
    assert_eq!(scene.service.post("/v1/sessions/a/stop", "").send().good()["stopped"], 1);
    until("it has ended", || scene.running("a").is_empty());
}

/// Tries to reach from one command of a session into the processes of another one, and prints what succeeded.
const PROBE: &str = r#"
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    result = libc.syscall(number, *args)
    if result < 0:
        raise OSError(ctypes.get_errno(), "call")
    return result
def read(path):
    with open(path, "rb") as file:
        if not file.read(64):
            raise OSError("empty")
def write(path, text):
    with open(path, "w") as file:
        file.write(text)
def memory(pid):
    buffer = ctypes.create_string_buffer(8)
    class Vec(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    ours = Vec(ctypes.addressof(buffer), 8)
    theirs = Vec(int(open("/proc/self/maps").read().split("-")[0], 16), 8)
    call(310, pid, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
def enter(pid, kind):
    call(308, os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY), 0)
def steal(pid):
    for number in range(8):
        try:
            return call(438, os.pidfd_open(pid), number, 0)
        except OSError as error:
            last = error
    raise last
tries = {
    "environ": lambda pid: read(f"/proc/{pid}/environ"),
    "maps": lambda pid: read(f"/proc/{pid}/maps"),
    "mem": lambda pid: open(f"/proc/{pid}/mem", "rb"),
    "mem-write": lambda pid: open(f"/proc/{pid}/mem", "r+b"),
    "auxv": lambda pid: read(f"/proc/{pid}/auxv"),
    "stack": lambda pid: read(f"/proc/{pid}/stack"),
    "syscall": lambda pid: read(f"/proc/{pid}/syscall"),
    "pagemap": lambda pid: open(f"/proc/{pid}/pagemap", "rb"),
    "io": lambda pid: read(f"/proc/{pid}/io"),
    "cwd": lambda pid: os.listdir(f"/proc/{pid}/cwd"),
    "cwd-write": lambda pid: write(f"/proc/{pid}/cwd/evil", "x"),
    "cwd-delete": lambda pid: os.unlink(f"/proc/{pid}/cwd/a.txt"),
    "cwd-link": lambda pid: os.symlink("/etc/passwd", f"/proc/{pid}/cwd/evil-link"),
    "root": lambda pid: os.listdir(f"/proc/{pid}/root"),
    "root-write": lambda pid: write(f"/proc/{pid}/root{os.getcwd()}/evil", "x"),
    "root-home": lambda pid: os.listdir(f"/proc/{pid}/root{os.environ['HOME']}/.ssh"),
    "exe": lambda pid: open(f"/proc/{pid}/exe", "rb"),
    "fd": lambda pid: os.readlink(f"/proc/{pid}/fd/0"),
    "fd-0": lambda pid: open(f"/proc/{pid}/fd/0", "rb"),
    "fdinfo": lambda pid: os.listdir(f"/proc/{pid}/fdinfo"),
    "map-files": lambda pid: os.listdir(f"/proc/{pid}/map_files"),
    "ns": lambda pid: os.readlink(f"/proc/{pid}/ns/mnt"),
    "enter-mnt": lambda pid: enter(pid, "mnt"),
    "enter-net": lambda pid: enter(pid, "net"),
    "enter-user": lambda pid: enter(pid, "user"),
    "enter-pid": lambda pid: enter(pid, "pid"),
    "enter-pidfd": lambda pid: call(308, os.pidfd_open(pid), 0x20000),
    "attach": lambda pid: call(101, 16, pid, 0, 0),
    "seize": lambda pid: call(101, 0x4206, pid, 0, 0),
    "vm-read": memory,
    "steal": steal,
    "limits": lambda pid: call(302, pid, 7, (ctypes.c_ulong * 2)(1, 1), 0),
    "kcmp": lambda pid: call(312, os.getpid(), pid, 0, 0, 0),
    "oom": lambda pid: write(f"/proc/{pid}/oom_score_adj", "1000"),
    "comm": lambda pid: write(f"/proc/{pid}/comm", "x"),
    "clear-refs": lambda pid: write(f"/proc/{pid}/clear_refs", "1"),
    "uid-map": lambda pid: write(f"/proc/{pid}/uid_map", "0 0 1"),
    "setgroups": lambda pid: write(f"/proc/{pid}/setgroups", "allow"),
    "timerslack": lambda pid: write(f"/proc/{pid}/timerslack_ns", "1"),
    "madvise": lambda pid: call(440, os.pidfd_open(pid), 0, 0, 8, 0),
    "move-pages": lambda pid: call(279, pid, 1, (ctypes.c_void_p * 1)(4096), None, (ctypes.c_int * 1)(), 0),
}
once = {
    "shared-memory": lambda: call(29, 0x6775, 8, 0o600),
    "messages": lambda: call(68, 0x6775, 0o600),
    "mount": lambda: call(165, b"none", b"/mnt", b"tmpfs", 0, None),
    "unshare": lambda: call(272, 0x10000000 | 0x20000),
    "umount": lambda: call(166, b"/proc", 2),
    "ptys": lambda: open("/dev/pts/0", "rb"),
    "init": lambda: os.kill(1, 9) or read("/proc/1/environ"),
}
for pid in map(int, sys.argv[1:]):
    for name, attempt in tries.items():
        try:
            attempt(pid)
            print(name, pid)
        except (OSError, ValueError):
            pass
for name, attempt in once.items():
    try:
        attempt()
        print(name)
    except (OSError, ValueError):
        pass
"#;

#[test]
fn a_command_does_not_reach_into_its_neighbour_nor_into_the_server() {
    let scene = Project::new("workspace");
    let port = free_port();
    std::fs::write(scene.work.join("probe.py"), PROBE).unwrap();
    let server = format!(
        "import http.server as h; h.HTTPServer((\"127.0.0.1\", {port}), h.SimpleHTTPRequestHandler).serve_forever()"
    );
    std::fs::write(scene.work.join("server.py"), server).unwrap();
    scene.asked("yes", || scene.line("a", "python3 server.py >/dev/null 2>&1 &"));
    wait("the server's answer", || fetched(port));
    let found = scene.unasked(
        "a",
        "pgrep -f [s]erver.py; ps -e -o pid=,args= | grep '[g]uarda-keeper\\|[_]_confine' | awk '{print $1}'",
    );
    let pids: Vec<&str> = found.split_whitespace().collect();
    assert!(pids.len() > 1, "the server and a supervisor: {found:?}");
    let reply = scene.line("a", &format!("python3 probe.py {}", pids.join(" ")));
    assert_eq!(reply["output"]["stdout"], "", "{reply}");
    assert!(fetched(port).is_some() && scene.read("a.txt").is_some() && !scene.work.join("evil").exists());
}
