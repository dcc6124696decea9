//! An agent's shell runs commands through the guard (feature N3): a real service, a real hook, and a shell
//! that runs the hook's replacement.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use crate::common::{Call, Service, UNSTAGED, folder, free_port, wait};
use guarda::doors::hook::Client;
use guarda::doors::hook::read::sample;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// A service with a folder to work in: two files and a folder.
struct Scene {
    service: Service,
    work: PathBuf,
}

impl Scene {
    fn new() -> Self {
        Self::with("")
    }

    fn with(more: &str) -> Self {
        Self::patient(20, more)
    }

    /// A service whose questions stay open for this many seconds.
    fn patient(seconds: u64, more: &str) -> Self {
        // In a workspace, changes of the project are not asked about.
        let hooks = if more.contains("[hooks]") { "" } else { "[hooks]\nprofile = \"desktop\"" };
        Self::secured(&format!("confirmation_timeout_seconds = {seconds}"), &format!("{hooks}\n{more}"))
    }

    fn secured(security: &str, more: &str) -> Self {
        let folder = folder("", security);
        let file = folder.path().join("config.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, format!("{text}\n{more}\n")).unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir_all(work.join("sub")).unwrap();
        std::fs::write(work.join("a.txt"), "one\ntwo\n").unwrap();
        std::fs::write(work.join("sub/b.txt"), "three\n").unwrap();
        Self { service: Service::on(folder), work: std::fs::canonicalize(work).unwrap() }
    }

    fn hook(&self, words: &[&str], event: &Value) -> Child {
        let here = self.service.folder.path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_guarda-hook"));
        command.args(words).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", here);
        command.env("GUARDA_STATE_DIR", here.join("state")).env("GUARDA_CONFIG", here.join("config.toml"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        child
    }

    fn claude(&self, line: &str) -> Value {
        sample(Client::Claude, line, self.work.to_str().unwrap())
    }

    /// A hook's answer as JSON.
    #[track_caller]
    fn heard(asking: Child) -> Value {
        let output = asking.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// The line that Claude Code's shell runs instead of this approved one.
    #[track_caller]
    fn replaced(&self, line: &str) -> String {
        replaced(&Self::heard(self.hook(&["claude"], &self.claude(line))))
    }

    /// The same for a line that a person approves first.
    #[track_caller]
    fn approved(&self, line: &str) -> String {
        let asking = self.hook(&["claude"], &self.claude(line));
        assert_eq!(self.service.answer(&self.service.question(), "yes").status, 200);
        replaced(&Self::heard(asking))
    }

    /// A shell as a client starts it, with this line.
    fn shell(&self, line: &str) -> Command {
        let here = self.service.folder.path();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).current_dir(&self.work).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("HOME", here).env("GUARDA_STATE_DIR", here.join("state"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The output of an approved line, run through the guard.
    #[track_caller]
    fn run(&self, line: &str) -> Output {
        self.shell(&self.replaced(line)).output().unwrap()
    }
}

#[track_caller]
fn replaced(answer: &Value) -> String {
    let said = &answer["hookSpecificOutput"];
    assert_eq!(said["permissionDecision"], "allow", "{answer}");
    assert_eq!(
        said["updatedInput"]["description"], "Say what it does",
        "the rest of the input stays: {answer}"
    );
    let line = said["updatedInput"]["command"].as_str().unwrap().to_owned();
    assert!(line.contains("guarda-hook' run "), "{line}");
    line
}

#[track_caller]
fn refused(output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(126), 0), "{output:?}");
    assert!(said.starts_with("guarda: ") && said.lines().count() == 1, "{said}");
}

#[test]
fn output_and_status_are_the_programs_own() {
    let scene = Scene::new();
    let work = scene.work.display();
    for (line, status, out) in [
        ("cat a.txt", 0, "one\ntwo\n".to_owned()),
        ("cat a.txt | wc -l", 0, "2\n".to_owned()),
        ("for f in *.txt; do wc -l < $f; done", 0, "2\n".to_owned()),
        ("grep three a.txt", 1, String::new()),
        ("exit 7", 7, String::new()),
        ("cd sub && pwd", 0, format!("{work}/sub\n")),
        ("cd sub && cat b.txt", 0, "three\n".to_owned()),
    ] {
        let output = scene.run(line);
        let heard = (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned());
        assert_eq!(heard, (Some(status), out), "{line} {output:?}");
    }
    let both = scene.run("ls a.txt nowhere");
    assert_eq!((both.status.code(), both.stdout.as_slice()), (Some(2), b"a.txt\n".as_slice()));
    let said = String::from_utf8_lossy(&both.stderr);
    assert!(said.contains("nowhere") && !said.contains("guarda"), "{said}");
}

#[test]
fn a_cd_leads_the_clients_own_shell() {
    let scene = Scene::new();
    let line = format!("{}; pwd", scene.replaced("cd sub && cat b.txt"));
    let output = scene.shell(&line).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("three\n{}/sub\n", scene.work.display()));
}

#[test]
fn what_the_rules_approve_writes_nothing() {
    let scene = Scene::new();
    let git = |words: &[&str]| {
        let done = Command::new("git")
            .args(words)
            .current_dir(&scene.work)
            .env("HOME", &scene.work)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "a.txt"]);
    let index = || std::fs::read(scene.work.join(".git/index")).unwrap();
    let again = std::fs::File::options().write(true).open(scene.work.join("a.txt")).unwrap();
    again.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let before = index();
    // It only reads, but would write down what it saw.
    let output = scene.run("git status --short");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("A  a.txt"), "{output:?}");
    assert!(index() == before, "it was written");
    git(&["status", "--short"]);
    assert!(index() != before, "nothing would have been written anyway");
}

#[test]
fn what_changes_files_is_asked_about_while_it_runs() {
    let scene = Scene::new();
    for (answer, status, said, left) in [("no", 126, "", true), ("yes", 0, "removed 'a.txt'\n", false)] {
        let line = scene.replaced("rm -v a.txt");
        assert!(scene.service.questions().is_empty(), "the hook asks nobody");
        let child = scene.shell(&line).spawn().unwrap();
        let question = scene.service.question();
        assert!(scene.work.join("a.txt").exists(), "nothing counts before the answer");
        assert_eq!(scene.service.answer(&question, answer).status, 200);
        let output = child.wait_with_output().unwrap();
        let heard = (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned());
        assert_eq!(heard, (Some(status), said.to_owned()), "{answer}: {output:?}");
        assert_eq!(scene.work.join("a.txt").exists(), left, "{answer}");
    }
    // A line that changes nothing needs no commit at its end.
    let output = scene.run("python3 -c 'import sys; print(6 * 7); sys.exit(3)'");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), b"42\n".as_slice()), "{output:?}");
    assert!(scene.service.questions().is_empty());
}

#[test]
fn what_a_person_approved_is_done() {
    let scene = Scene::with(UNSTAGED);
    let line = scene.approved("rm a.txt");
    assert!(scene.work.join("a.txt").exists(), "the hook does nothing");
    let output = scene.shell(&line).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!scene.work.join("a.txt").exists());
}

#[test]
fn a_ticket_counts_once_and_where_it_was_given() {
    let scene = Scene::with(UNSTAGED);
    let line = scene.replaced("cat a.txt");
    assert_eq!(scene.shell(&line).output().unwrap().status.code(), Some(0));
    refused(&scene.shell(&line).output().unwrap());
    let line = scene.approved("rm a.txt");
    refused(&scene.shell(&format!("cd sub && {line}")).output().unwrap());
    refused(&scene.shell(&line).output().unwrap());
    let (program, _) = line.rsplit_once(' ').unwrap();
    refused(&scene.shell(&format!("{program} {}", "0".repeat(32))).output().unwrap());
    assert!(scene.work.join("a.txt").exists());
}

#[test]
fn a_client_that_asks_again_about_a_ticket_is_let_through_once() {
    let scene = Scene::patient(1, "");
    let line = scene.replaced("cat a.txt");
    let again = |line: &str, session: &str| {
        let mut event = sample(Client::Codex, line, scene.work.to_str().unwrap());
        (event["hook_event_name"], event["session_id"]) = (json!("PermissionRequest"), json!(session));
        let answer = Scene::heard(scene.hook(&["codex"], &event));
        answer["hookSpecificOutput"]["decision"]["behavior"].as_str().unwrap().to_owned()
    };
    let own = scene.claude("")["session_id"].as_str().unwrap().to_owned();
    let asked = || scene.service.journal().len();
    let before = asked();
    assert_eq!(again(&line, &own), "allow");
    assert_eq!(asked(), before, "nobody is asked, and it is on record already");
    assert_eq!(again(&line, "another"), "deny");
    for other in
        [format!("rm a.txt; {line}"), format!("LD_PRELOAD=x {line}"), format!("{line} "), format!("{line}\n")]
    {
        assert_eq!(again(&other, &own), "deny", "{other}");
    }
    // The part that stays with the client's shell in front belongs to the line that was handed out.
    let behind = scene.replaced("export A=b && cat a.txt");
    assert!(behind.contains("\nexport A=b && "), "{behind}");
    let (_, alone) = behind.rsplit_once(" && ").unwrap();
    assert_eq!((again(&behind, &own).as_str(), again(alone, &own).as_str()), ("allow", "deny"));
    let cursor = json!({"hook_event_name": "beforeShellExecution", "session_id": own, "cwd": scene.work, "command": line});
    assert_eq!(Scene::heard(scene.hook(&["cursor"], &cursor)), json!({"permission": "allow"}));
    assert_eq!(scene.shell(&line).output().unwrap().status.code(), Some(0));
    assert_eq!(again(&line, &own), "deny", "it was used");
}

/// The processes whose command line has this in it.
fn processes(with: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(with))
        .collect()
}

#[test]
fn ending_it_ends_the_command() {
    let scene = Scene::new();
    std::fs::write(scene.work.join("followed-by-nobody-else"), "begun\n").unwrap();
    for ended in [Signal::TERM, Signal::INT, Signal::KILL] {
        // A shell starts background processes with this signal ignored, including these tests.
        if guarda::devices::process::ending::is_ignored(ended.as_raw()) {
            continue;
        }
        let line = scene.replaced("tail -f followed-by-nobody-else");
        let line = format!("exec {}", line.lines().last().unwrap());
        let mut child = scene.shell(&line).spawn().unwrap();
        let mut first = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
        assert_eq!(&first, b"begun\n");
        let tail = "tail -f followed-by-nobody-else";
        assert!(!processes(tail).is_empty());
        kill_process(Pid::from_child(&child), ended).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(ended.as_raw()));
        wait("the command ends", || processes(tail).is_empty().then_some(()));
    }
}

/// A session of an agent: it starts a server with one question, in the background of its client or of the line, asks it, edits, asks
/// again, and ends it by its number, by its name, or with the conversation. What it changes on the way needs no question.
#[test]
fn an_agent_starts_asks_and_ends_a_server_with_one_question() {
    let scene = Scene::with("[hooks]\nprofile = \"workspace\"\n");
    scene.service.trust(&scene.work);
    let ask = |port: u16| scene.run(&format!("curl -s localhost:{port}/a.txt"));
    std::fs::write(scene.work.join(".env"), "KEY=value\n").unwrap();
    for ended_by in ["kill", "client", "conversation"] {
        std::fs::write(scene.work.join("a.txt"), "one\n").unwrap();
        let port = free_port();
        let line = match ended_by {
            "kill" | "conversation" => format!("python3 -u -m http.server {port} & echo $!"),
            _ => format!("python3 -m http.server {port}"),
        };
        let mut running = Some(scene.shell(&scene.replaced(&line)).spawn().unwrap());
        let (question, answer) = scene.service.read_and_answer(&scene.service.question(), "yes");
        assert_eq!(answer.status, 200, "{question}");
        let prompt = question["prompt"].to_string();
        assert!(prompt.contains(&port.to_string()) && prompt.contains(".env"), "{question}");
        let pid = (ended_by != "client").then(|| {
            let output = running.take().unwrap().wait_with_output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            said.lines().next().unwrap().parse::<u32>().unwrap()
        });
        wait("the server's port", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        let answered = || Some(ask(port)).filter(|output| output.status.success());
        assert_eq!(wait("the server", answered).stdout, b"one\n");
        assert!(scene.run("echo two >> a.txt").status.success());
        assert_eq!(ask(port).stdout, b"one\ntwo\n");
        match pid {
            Some(_) if ended_by == "conversation" => {
                let own = scene.claude("ls")["session_id"].clone();
                let over = json!({ "hook_event_name": "SessionEnd", "session_id": own, "reason": "other" });
                assert_eq!(Scene::heard(scene.hook(&["claude"], &over)), json!({}));
            }
            Some(pid) => assert!(scene.run(&format!("kill {pid}")).status.success()),
            None => assert!(scene.run("pkill -f [h]ttp.server").status.success()),
        }
        let ended = || std::net::TcpStream::connect(("127.0.0.1", port)).is_err().then_some(());
        wait("the server's end", ended);
        if let Some(mut client) = running {
            assert!(!client.wait().unwrap().success(), "its client is told");
        }
        assert!(scene.service.questions().is_empty());
    }
}

#[test]
fn output_passes_unharmed() {
    let scene = Scene::new();
    let every: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    std::fs::write(scene.work.join("binary"), &every).unwrap();
    assert_eq!(scene.run("cat binary").stdout, every);
    let lines: String = (0..700_000).map(|number| format!("{number}\n")).collect();
    std::fs::write(scene.work.join("long"), &lines).unwrap();
    let output = scene.run("cat long");
    assert!(output.stdout == lines.as_bytes(), "{} of {} bytes", output.stdout.len(), lines.len());
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn secrets_in_the_output_are_hidden() {
    let scene = Scene::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    std::fs::write(scene.work.join("notes"), format!("before {token} after\n")).unwrap();
    let output = scene.run("cat notes");
    let heard = String::from_utf8_lossy(&output.stdout);
    assert!(heard.contains("before") && heard.contains("after") && !heard.contains(&token), "{output:?}");
}

/// Names and values of a client's shell's environment that lead a run that acts elsewhere, and that a cell may have.
const LEADING: [(&str, &str); 14] = [
    ("DOCKER_CONFIG", "d"),
    ("GIT_EXEC_PATH", "sub"),
    ("GIT_DIR", "sub"),
    ("GIT_TRACE", "sub/x"),
    ("GIT_SSH_COMMAND", "./x"),
    ("XDG_CONFIG_HOME", "sub"),
    ("TMPDIR", "/tmp/x"),
    ("npm_config_registry", "http://evil.example"),
    ("PIP_INDEX_URL", "http://evil.example"),
    ("CARGO_HOME", "sub"),
    ("KUBECONFIG", "k"),
    ("AWS_CONFIG_FILE", "a"),
    ("SSL_CERT_FILE", "c"),
    ("https_proxy", "http://evil.example"),
];

#[test]
fn the_environment_passes_by_name() {
    let scene = Scene::with(UNSTAGED);
    let set = |line: &str| {
        let mut shell = scene.shell(line);
        shell.env("CI", "1").env("FORCE_COLOR", "0").env("GIT_AUTHOR_NAME", "Ana").env("PAGER", "cat");
        shell.env("LD_PRELOAD", "libm.so.6").env("BASH_ENV", "/dev/null").env("GITHUB_TOKEN", "x1");
        shell.envs(LEADING).output().unwrap()
    };
    let (looked, acted) =
        (set(&scene.replaced("echo \"$CARGO_HOME\"; env")), set(&scene.approved("env; rm -f nothing")));
    let heard = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let (looked, acted) = (heard(&looked), heard(&acted));
    let has = |heard: &str, name: &str| heard.lines().any(|line| line.split('=').next() == Some(name));
    for name in ["CI", "FORCE_COLOR", "GIT_AUTHOR_NAME", "PAGER", "PATH", "HOME"] {
        assert!(has(&looked, name) && has(&acted, name), "{name}: {looked}\n{acted}");
    }
    for (name, value) in LEADING {
        let passed = acted.lines().any(|line| line.strip_prefix(name) == Some(&format!("={value}")));
        assert!(!passed, "{name}: {acted}");
    }
    assert!(looked.starts_with("sub\n"), "{looked}");
    for name in ["LD_PRELOAD", "BASH_ENV", "GITHUB_TOKEN", "GUARDA_STATE_DIR"] {
        assert!(!has(&looked, name) && !has(&acted, name), "{name}: {looked}\n{acted}");
    }
}

#[test]
fn what_the_line_does_not_name_is_not_found_in_the_project() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::with(UNSTAGED);
    let helper = scene.work.join("sub/helper");
    std::fs::write(&helper, "#!/bin/sh\necho helped\n").unwrap();
    std::fs::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    for line in
        ["h=helper; $h; rm -f nothing", "find . -maxdepth 0 -exec sh -c 'help''er' \\; ; rm -f nothing"]
    {
        for path in ["/usr/bin:/bin:SUB", "SUB:/usr/bin:/bin", "/usr/bin::sub:/bin:./sub:SUB/../sub"] {
            let ticket = scene.approved(line);
            let path = path.replace("SUB", helper.parent().unwrap().to_str().unwrap());
            let output = scene.shell(&ticket).env("PATH", &path).output().unwrap();
            let heard = String::from_utf8_lossy(&output.stdout);
            assert!(!heard.contains("helped"), "{line}, {path}: {output:?}");
        }
    }
}

/// In every way: a name that now means another file than the judged one is refused.
#[test]
fn a_program_is_the_one_that_was_judged() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::with(UNSTAGED);
    let other = scene.work.join("sub/wc");
    std::fs::write(&other, "#!/bin/sh\necho other\n").unwrap();
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", other.parent().unwrap().display());
    for ticket in [scene.replaced("wc -l a.txt"), scene.approved("wc -l a.txt; rm -f nothing")] {
        let output = scene.shell(&ticket).env("PATH", &path).output().unwrap();
        assert!(!String::from_utf8_lossy(&output.stdout).contains("other"), "{output:?}");
        refused(&output);
    }
    // Two entries: one could be compared, and the other used.
    let ticket = scene.replaced("wc -l a.txt");
    let ticket = ticket.rsplit(' ').next().unwrap().trim();
    let twice = json!({"cwd": scene.work, "environment": [["PATH", "/usr/bin:/bin"], ["PATH", path]]});
    let answer = scene.service.post(&format!("/v1/tickets/{ticket}/run"), twice.to_string()).send();
    assert_eq!(answer.status, 400, "{}", answer.problem());
}

#[test]
fn the_client_runs_what_the_guard_does_not() {
    let scene = Scene::with("[hooks]\nrun = \"client\"");
    let answer = |line: &str| Scene::heard(scene.hook(&["claude"], &scene.claude(line)));
    let plain = |answer: &Value| answer["hookSpecificOutput"].get("updatedInput").is_none();
    let own = answer("cat a.txt");
    assert!(own["hookSpecificOutput"]["permissionDecision"] == "allow" && plain(&own), "{own}");
    let scene = Scene::new();
    let answer = |line: &str| Scene::heard(scene.hook(&["claude"], &scene.claude(line)));
    // It only leads the client's own shell.
    let shell = answer("cd sub");
    assert!(shell["hookSpecificOutput"]["permissionDecision"] == "allow" && plain(&shell), "{shell}");
    let blocked = answer("rm -rf --no-preserve-root /");
    assert!(blocked["hookSpecificOutput"]["permissionDecision"] == "deny" && plain(&blocked), "{blocked}");
}

#[test]
fn a_service_that_is_gone_runs_nothing() {
    let mut scene = Scene::new();
    let line = scene.replaced("cat a.txt");
    scene.service.signal(Signal::KILL);
    scene.service.end();
    refused(&scene.shell(&line).output().unwrap());
}

/// The client's shell stands where a line ended, as if it had run the line itself. Each line runs in a session and a tree of
/// its own, plainly and through the guard.
#[test]
fn the_clients_shell_stands_where_the_line_ended() {
    let scene = Scene::with("[hooks]\nrun = \"guard\"");
    let stands = |line: &str, folder: &std::path::Path| {
        let told = folder.join(".told");
        let script = format!("eval \"$1\"; is=$?; pwd > '{}'; exit $is", told.display());
        let mut shell = scene.shell("exec /bin/bash -c \"$1\" bash \"$2\"");
        let output =
            shell.args(["sh", &script, line]).current_dir(folder).env("PWD", folder).output().unwrap();
        let place = std::fs::read_to_string(&told).unwrap_or_default();
        let place = place.trim_end_matches('\n').replace(folder.to_str().unwrap(), ".");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), place)
    };
    for (place, (line, end)) in [
        ("ls; cd c; ls", "./c"),
        ("cd c && ls && cd ..", "."),
        ("pushd c > /dev/null; ls", "./c"),
        ("f() { cd c; }; f", "./c"),
        ("(cd c && ls)", "."),
        ("cd c | cat", "."),
        ("cd c & wait", "."),
        ("ls; cd c; env -C deep true", "./c"),
        ("ls; cd c; false", "./c"),
        ("ls; cd nowhere; echo no", "."),
        ("true && cd c && cat <<EOF\nhi\nEOF", "./c"),
        ("ls; cd link", "./link"),
        ("cd 'a b'; ls", "./a b"),
        ("cd \"$(echo c)\"; ls # there", "./c"),
        ("if true; then cd c; fi", "./c"),
    ]
    .into_iter()
    .enumerate()
    {
        let tree = |of: &str| {
            let folder = scene.work.join(format!("{of}{place}"));
            for part in ["c/deep", "a b", "real"] {
                std::fs::create_dir_all(folder.join(part)).unwrap();
            }
            std::os::unix::fs::symlink("real", folder.join("link")).unwrap();
            folder
        };
        let (plain, guarded) = (tree("plain"), tree("guarded"));
        let mut event = sample(Client::Claude, line, guarded.to_str().unwrap());
        event["session_id"] = json!(format!("s{place}"));
        let line_of_guard = replaced(&Scene::heard(scene.hook(&["claude"], &event)));
        let shown: String = line.lines().map(|line| format!("# {line}\n")).collect();
        assert!(line_of_guard.starts_with(&shown), "people see what runs: {line_of_guard}");
        let (as_plain, as_guarded) = (stands(line, &plain), stands(&line_of_guard, &guarded));
        assert_eq!(as_guarded, as_plain, "{line}: {line_of_guard}");
        assert_eq!(as_guarded.2, end, "{line}");
    }
}

/// Runs a held-back deletion whose question gets this answer, and returns the outcome with the refusal as JSON.
fn refused_run(scene: &Scene, answer: Option<&Value>) -> (Output, Value) {
    let line = scene.replaced("rm a.txt");
    let child = scene.shell(&format!("{line} --json")).spawn().unwrap();
    if let Some(answer) = answer {
        let question = scene.service.question();
        assert_eq!(scene.service.answer_with(&question, answer, &scene.service.approve).status, 200);
    }
    let output = child.wait_with_output().unwrap();
    let refusal = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output, refusal)
}

/// An agent is told who refused and why, what would have been done, and what to do instead, in one sentence and as JSON.
#[test]
fn an_agent_is_told_who_refused_what_why_and_what_to_do_instead() {
    let security = |more: &str| format!("confirmation_timeout_seconds = 20\n{more}");
    let desktop = "[hooks]\nprofile = \"desktop\"";
    let no = |reason: Value| json!({"answer": "no", "reason": reason});
    let scene = Scene::secured(&security(""), desktop);
    let silent = Scene::secured("confirmation_timeout_seconds = 1", desktop);
    let limited = Scene::secured(&security("refusals_per_minute = 1"), desktop);
    refused_run(&limited, Some(&no(Value::Null)));
    let keep = no("deixa esse".into());
    for (scene, answer, by, why) in [
        (&scene, Some(no(Value::Null)), "person", None),
        (&scene, Some(keep), "person", Some("deixa esse")),
        (&silent, None, "time", None),
        (&limited, None, "limit", Some("recusada")),
    ] {
        let (output, refusal) = refused_run(scene, answer.as_ref());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(126), "{output:?}");
        assert_eq!(refusal["by"], by, "{output:?}");
        let told = refusal["why"].as_str();
        assert!(
            told.is_none() == why.is_none() && told.unwrap_or_default().contains(why.unwrap_or_default())
        );
        assert!(refusal["would"].as_str().unwrap().contains("apaga a.txt"), "{refusal}");
        let sentence = refusal["sentence"].as_str().unwrap();
        assert_eq!(said, format!("guarda: {sentence}\n"));
        for part in [told.unwrap_or_default(), "a.txt", refusal["instead"].as_str().unwrap()] {
            assert!(sentence.contains(part), "{sentence} lacks {part}");
        }
        assert!(scene.work.join("a.txt").exists());
    }
    let blocked = scene.service.run("rm -rf --no-preserve-root /");
    assert_eq!(blocked["refusal"]["by"], "rules", "{blocked}");
    let sentence = blocked["refusal"]["sentence"].as_str().unwrap();
    let denied = Scene::heard(scene.hook(&["claude"], &scene.claude("rm -rf --no-preserve-root /")));
    let denied = denied["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert_eq!(denied, format!("guarda: {sentence}"));
}

/// A yes after the time is kept for the same line, and for no other change.
#[test]
fn a_late_yes_counts_when_the_agent_sends_the_line_again() {
    let scene = Scene::patient(1, "");
    let (_, refusal) = refused_run(&scene, None);
    assert!(refusal["instead"].as_str().unwrap().contains("dez minutos"), "{refusal}");
    let late = wait("the late question", || {
        scene.service.open_questions().into_iter().find(|question| question["late"] == true)
    });
    assert_eq!(scene.service.answer(late["id"].as_str().unwrap(), "yes").status, 200);
    wait("it is kept", || {
        scene
            .service
            .journal()
            .iter()
            .any(|line| line["phase"] == "handed" && line["channel"] == "http")
            .then_some(())
    });
    let output = scene.run("rm a.txt");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!scene.work.join("a.txt").exists());
    std::fs::write(scene.work.join("a.txt"), "another content\n").unwrap();
    let output = scene.run("rm a.txt");
    assert_eq!(output.status.code(), Some(126), "one yes, one run: {output:?}");
}

/// What is said of an action that did not come to its end depends on what it could do until then.
#[test]
fn what_is_left_of_an_action_is_said_by_what_happened() {
    for (more, line, left) in
        [(UNSTAGED, "touch p; sleep 30", "ficou feito"), ("", "sleep 30; touch p", "Nada mudou")]
    {
        let scene = Scene::with(more);
        let service = &scene.service;
        let begun = service.act(line).header("Prefer", "respond-async").send();
        assert_eq!(begun.status, 202);
        let id = begun.json()["id"].as_str().unwrap().to_owned();
        if more == UNSTAGED {
            assert_eq!(service.answer(&service.question(), "yes").status, 200);
            wait("it has begun", || service.folder.path().join("p").exists().then_some(()));
        } else {
            wait("it has begun", || (!processes("sleep 30").is_empty()).then_some(()));
        }
        let ended =
            Call::new(service, "DELETE", &format!("/v1/actions/{id}")).token(&service.token).send().json();
        let message = ended["message"].as_str().unwrap();
        assert!(message.contains(left), "{line}: {message}");
        assert_eq!(service.folder.path().join("p").exists(), more == UNSTAGED, "{line}");
    }
}
