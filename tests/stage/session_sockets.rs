//! What goes on running in a session is found by the session's other commands at paths, too, and nobody else's sockets are (feature
//! N19). It has a `/tmp` of its own, and logs where its words say.

use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::common::project::Project;
use crate::common::{free_port, until, wait};

/// Answers every connection at a path with a word.
const SERVER: &str = r#"
import os, socket, sys
path, said = sys.argv[1], sys.argv[2]
if os.path.lexists(path):
    os.unlink(path)
door = socket.socket(socket.AF_UNIX)
door.bind(path)
door.listen()
while True:
    client, _ = door.accept()
    client.sendall(said.encode())
    client.close()
"#;

/// Prints what is answered at each path.
const CLIENT: &str = r#"
import socket, sys
for path in sys.argv[1:]:
    client = socket.socket(socket.AF_UNIX)
    try:
        client.connect(path)
        print(client.recv(64).decode())
    except OSError as error:
        print(type(error).__name__)
"#;

impl Project {
    /// One whose home is not in the folder for temporary files, as a person's is not.
    fn at_home() -> Self {
        let scene = Self::within(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")), "workspace", "");
        scene.service.trust(&scene.work);
        scene
    }

    fn with_programs() -> Self {
        let scene = Self::at_home();
        std::fs::write(scene.work.join("server.py"), SERVER).unwrap();
        std::fs::write(scene.work.join("client.py"), CLIENT).unwrap();
        scene
    }

    /// What the client prints in a command of a session.
    fn heard(&self, session: &str, paths: &[&str]) -> Vec<String> {
        let printed = self.unasked(session, &format!("python3 client.py {}", paths.join(" ")));
        printed.lines().map(str::to_owned).collect()
    }

    fn kept(&self, session: &str, line: &str) {
        let (_, reply) = self.asked("yes", || self.line(session, line));
        assert_eq!(reply["outcome"], "done", "{line}: {reply}");
    }
}

/// Whether some process listens at a path that it gave so.
fn listens(path: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lists = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("net/unix")).ok());
    lists.into_iter().any(|list| list.lines().any(|line| line.ends_with(&format!(" {path}"))))
}

/// A socket of the person's own programs, and whether somebody has connected to it.
struct Person(UnixListener);

impl Person {
    fn at(path: &std::path::Path) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn was_reached(&self) -> bool {
        self.0.accept().is_ok()
    }
}

#[test]
fn a_session_reaches_the_sockets_that_it_made_and_no_others() {
    let scene = Project::with_programs();
    let (persons, elsewhere) = (scene.work.join("src/person.sock"), tempfile::tempdir_in("/tmp").unwrap());
    let (person, agent) = (Person::at(&persons), Person::at(&elsewhere.path().join("agent.sock")));
    std::os::unix::fs::symlink(elsewhere.path(), scene.work.join("src/away")).unwrap();
    scene.kept("a", "python3 server.py src/own.sock project &");
    scene.kept("a", "python3 server.py /tmp/own.sock temporary &");
    wait("both", || {
        (scene.heard("a", &["src/own.sock", "/tmp/own.sock"]) == ["project", "temporary"]).then_some(())
    });
    assert!(!std::path::Path::new("/tmp/own.sock").exists(), "it has a /tmp of its own");
    // What a command does there besides is a change of its own.
    scene.unasked("a", "python3 client.py /tmp/own.sock > src/heard; rm src/heard; mkdir -p src/made");
    assert!(scene.work.join("src/made").exists());
    // Nobody else's: not another session's, and not the person's, by whatever name.
    assert!(
        !scene
            .heard("b", &["src/own.sock", "/tmp/own.sock"])
            .iter()
            .any(|said| said == "project" || said == "temporary")
    );
    // From what goes on running itself.
    std::fs::write(scene.work.join("src/log"), "").unwrap();
    let paths = format!("src/person.sock src/away/agent.sock {}/agent.sock", elsewhere.path().display());
    scene.kept("a", &format!("(python3 client.py {paths}; sleep 60) > src/log 2>&1 &"));
    until("it has tried", || scene.read("src/log").unwrap().lines().count() == 3);
    let squat = |path: &str, way: &str| {
        // It listens at that path in its own view only.
        let line = format!("{way}; timeout 9 python3 server.py {path} mine & sleep 6; true");
        std::thread::scope(|scope| {
            let other = scope.spawn(|| scene.line("a", &line));
            until("it listens", || listens(path));
            let reply = scene.line("a", &format!("python3 client.py {path}"));
            other.join().unwrap();
            assert_ne!(reply["output"]["stdout"], "mine\n", "{reply}");
        });
    };
    // What stands at a person's socket cannot be taken away.
    scene.line("a", "timeout 2 python3 server.py src/person.sock mine; true");
    assert!(persons.exists());
    squat("src/away/agent.sock", "rm src/away && mkdir src/away");
    assert!(!person.was_reached() && !agent.was_reached());
}

#[test]
fn what_goes_on_running_logs_where_its_words_say() {
    let scene = Project::at_home();
    let port = free_port();
    let log = format!("/tmp/guarda-test-{port}.log");
    scene.kept("a", &format!("python3 -u -m http.server {port} > {log} 2>&1 &"));
    wait("the server", || {
        let reply = scene.line("a", &format!("curl -s localhost:{port}/a.txt"));
        (reply["output"]["stdout"] == "one\ntwo\n").then_some(())
    });
    let read = scene.unasked("a", &format!("cat {log}"));
    let written = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    assert!(read.contains("GET /a.txt") && written.contains("GET /a.txt"), "{read}");
}

/// A server that detaches itself, as `pg_ctl start` does.
const DAEMON: &str = r#"
import os, socket, sys, time
ready, told = os.pipe()
if os.fork():
    os.read(ready, 1)
    os._exit(0)
os.setsid()
door = socket.create_server(("127.0.0.1", int(sys.argv[1])))
os.write(told, b"x")
time.sleep(300)
"#;

#[test]
fn a_server_that_detaches_itself_is_told_of_and_kept_by_a_line_that_says_so() {
    let scene = Project::at_home();
    let port = free_port();
    std::fs::write(scene.work.join("daemon.py"), DAEMON).unwrap();
    let reply = scene.line("a", &format!("python3 daemon.py {port}"));
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("policy")), "{reply}");
    let told = reply["output"]["stderr"].as_str().unwrap();
    assert!(
        told.contains("ended with its line: python3 daemon.py") && told.contains(&format!("port {port}")),
        "{reply}"
    );
    scene.kept("a", &format!("python3 daemon.py {port} &"));
    assert_eq!(scene.running("a").len(), 1);
    let connects =
        format!("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port})); print(1)'");
    assert_eq!(scene.unasked("a", &connects), "1\n");
    scene.unasked("a", "pkill -f [d]aemon.py");
    until("it has ended", || scene.running("a").is_empty());
}

#[test]
fn a_terminal_is_kept_and_what_is_typed_into_it_is_asked() {
    let scene = Project::at_home();
    scene.kept("a", "tmux new-session -d -s work");
    assert!(scene.unasked("a", "tmux ls").starts_with("work:"));
    let (question, reply) = scene.asked("no", || scene.line("a", "tmux send-keys -t work 'rm -r src' Enter"));
    assert_eq!(reply["outcome"], "denied", "{reply}");
    assert!(question.to_string().contains("types-into-shell"), "{question}");
    let (_, reply) = scene.asked("yes", || scene.line("a", "tmux send-keys -t work 'wc -l a.txt' Enter"));
    assert_eq!(reply["outcome"], "done", "{reply}");
    until("its answer", || scene.unasked("a", "tmux capture-pane -p -t work").contains("2 a.txt"));
    assert!(scene.work.join("src").exists());
    assert!(!scene.line("b", "tmux ls")["output"]["stdout"].to_string().contains("work:"));
    scene.unasked("a", "tmux kill-server");
    until("it has ended", || scene.running("a").is_empty());
}

/// The usual path of an agent that tests against a database: one question, the server's.
#[test]
fn a_database_is_asked_by_port_and_by_path_without_a_question() {
    let scene = Project::at_home();
    let port = free_port();
    let programs = crate::common::postgres::programs();
    let programs = programs.display();
    scene.unasked("a", &format!("{programs}/initdb -D data -U person -E UTF8 >/dev/null"));
    scene.kept("a", &format!("{programs}/postgres -D data -p {port} -k /tmp > data.log 2>&1 &"));
    let query = |at: &str| format!("psql -h {at} -p {port} -U person -d postgres -Atc");
    wait("the database", || {
        let reply = scene.line("a", &format!("{} 'select 40 + 2'", query("localhost")));
        (reply["output"]["stdout"] == "42\n").then_some(())
    });
    let here = query("/tmp");
    scene.unasked("a", &format!("{here} 'create table t (x int)' && {here} 'insert into t values (1), (2)'"));
    assert_eq!(scene.unasked("a", &format!("{here} 'select count(*) from t'")), "2\n");
    // Data is destroyed after a question, wherever it is.
    let (_, reply) = scene.asked("no", || scene.line("a", &format!("{here} 'drop table t'")));
    assert_eq!(reply["outcome"], "denied", "{reply}");
    // One that its session does not keep is asked about.
    let (_, reply) = scene.asked("no", || scene.line("b", &format!("{} 'select 1'", query("localhost"))));
    assert_eq!(reply["outcome"], "denied", "{reply}");
    assert_eq!(scene.service.post("/v1/sessions/a/stop", "").send().good()["stopped"], 1);
    until("it has ended", || scene.running("a").is_empty());
    let log = scene.read("data.log").unwrap();
    assert!(log.contains("database system is shut down"), "it was asked to end, and had the time to: {log}");
}
