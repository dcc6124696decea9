//! What goes on running in a session (feature N19): a server stays after one question, the session's other commands reach and end it,
//! and nothing of it meets what else runs on this machine.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::common::project::Project;
use crate::common::{guarda, until, wait};

/// A port that nobody uses.
fn free() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// What a server on this machine answers, for a person's browser.
fn fetched(port: u16) -> Option<String> {
    let mut client = std::net::TcpStream::connect(("127.0.0.1", port)).ok()?;
    client.write_all(b"GET /a.txt HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = String::new();
    client.read_to_string(&mut answer).ok()?;
    answer.contains("one").then_some(answer)
}

impl Project {
    fn line(&self, session: &str, line: &str) -> Value {
        self.act(&json!({"action": "RUN_COMMAND", "target": line, "cwd": self.work, "session": session}))
    }

    /// A line that nobody is asked about, and what it printed.
    fn unasked(&self, session: &str, line: &str) -> String {
        let reply = self.line(session, line);
        assert_eq!(
            (&reply["outcome"], &reply["decided_by"]),
            (&json!("done"), &json!("policy")),
            "{line}: {reply}"
        );
        reply["output"]["stdout"].as_str().unwrap().to_owned()
    }

    fn running(&self, session: &str) -> Vec<Value> {
        let told = self.service.get(&format!("/v1/sessions/{session}")).send().good();
        told["running"].as_array().unwrap().clone()
    }

    /// Starts a server on a port that stays, with one question.
    fn serve(&self, session: &str, port: u16) -> (Value, Value) {
        let line = format!("python3 -m http.server {port} >log.txt 2>&1 &");
        self.asked("yes", || self.line(session, &line))
    }
}

#[test]
fn a_server_stays_after_one_question_and_its_session_reaches_and_ends_it() {
    let scene = Project::new("workspace");
    let port = free();
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
}

#[test]
fn what_is_kept_is_stopped_by_its_person_and_ends_with_the_service() {
    let scene = Project::new("workspace");
    let (one, other) = (free(), free());
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
    assert!(fetched(other).is_some());
    scene.service.signal(rustix::process::Signal::KILL);
    until("nothing lives on", || fetched(other).is_none() && !lives(other));
}

/// Whether a process of a server on this port lives.
fn lives(port: u16) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).any(|line| {
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains("http.server") && line.contains(&port.to_string()) && !line.contains("until")
    })
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
    let port = free();
    let line = format!("python3 -m http.server {port} >log.txt 2>&1 &");
    let (_, reply) = scene.asked("no", || scene.line("a", &line));
    assert_eq!(reply["outcome"], "denied", "{reply}");
    assert!(fetched(port).is_none() && !lives(port) && !scene.work.join("log.txt").exists());
}
