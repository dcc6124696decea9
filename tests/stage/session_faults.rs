//! What goes wrong around what a session keeps running (feature N19): whatever dies, nothing lives on unseen, and other sessions go on.

use std::path::Path;

use rustix::process::{Pid, Signal};
use serde_json::json;

use super::session_cell::{fetched, lives};
use crate::common::project::Project;
use crate::common::{free_port, until, wait};

/// The parent of a process.
fn parent(pid: &str) -> Option<String> {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    Some(line.trim().to_owned())
}

fn kill(pid: &str) {
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
}

/// From the outside, as the kernel's killer of processes would.
#[test]
fn whichever_process_of_a_server_is_killed_the_rest_ends_with_it() {
    let scene = Project::new("workspace");
    for steps in 0..3 {
        let port = free_port();
        scene.serve("a", port);
        until("it answers", || fetched(port).is_some());
        let mut pid = lives(port).unwrap();
        for _ in 0..steps {
            pid = parent(&pid).unwrap();
        }
        kill(&pid);
        until("nothing of it is left", || fetched(port).is_none() && lives(port).is_none());
        until("it is not listed", || scene.running("a").is_empty());
        until("its end is recorded", || scene.ends().len() == steps + 1);
        assert_eq!(scene.unasked("a", "cat a.txt"), "one\ntwo\n");
    }
}

/// Starts processes as fast as it can. It keeps itself to 400 at a time, and says how many it would be let have.
const BOMB: &str = r#"
import os, resource, time
print("begun", *resource.getrlimit(resource.RLIMIT_NPROC), flush=True)
while True:
    try:
        if len(os.listdir("/proc")) < 400 and os.fork() > 0:
            continue
    except OSError:
        pass
    time.sleep(0.2)
"#;

#[test]
fn a_fork_bomb_is_bounded_takes_nobody_with_it_and_is_stopped_by_a_word() {
    let scene = Project::new("workspace");
    std::fs::write(scene.work.join("bomb.py"), BOMB).unwrap();
    let (_, reply) = scene.asked("yes", || scene.line("a", "python3 bomb.py > bomb.log 2>&1 &"));
    assert_eq!(reply["outcome"], "done", "{reply}");
    until("it has begun", || bombs() > 200);
    assert_eq!(scene.read("bomb.log").as_deref(), Some("begun 8192 8192\n"));
    // Another session's commands, and the guard, go on.
    assert_eq!(scene.unasked("b", "cat a.txt | tr a-z A-Z"), "ONE\nTWO\n");
    assert_eq!(scene.service.post("/v1/sessions/a/stop", "").send().good()["stopped"], 1);
    until("nothing of it is left", || scene.running("a").is_empty() && bombs() == 0);
    assert_eq!(scene.unasked("a", "cat a.txt"), "one\ntwo\n");
}

fn bombs() -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.starts_with(b"python3\0bomb.py")).count()
}

#[test]
fn two_clients_in_one_tree_share_its_files_and_nothing_else() {
    let scene = Project::new("workspace");
    let (one, other) = (free_port(), free_port());
    scene.serve("a", one);
    let line = format!("python3 -m http.server {other} >other.txt 2>&1 &");
    scene.asked("yes", || scene.line("b", &line));
    until("both answer", || fetched(one).is_some() && fetched(other).is_some());
    // What one writes, the other reads and serves.
    scene.unasked("a", "echo from a > shared.txt");
    assert_eq!(
        scene.unasked("b", &format!("cat shared.txt; curl -s localhost:{other}/shared.txt")),
        "from a\nfrom a\n"
    );
    // Neither ends, or reaches unasked, what the other has running.
    scene.unasked("b", "pkill -f [h]ttp.server.*other || true");
    for (session, port) in [("a", other), ("b", one)] {
        let (_, reply) =
            scene.asked("no", || scene.line(session, &format!("curl -s -X POST localhost:{port}/a.txt")));
        assert_eq!(reply["outcome"], "denied", "{reply}");
    }
    // A port that the other one has published is said to be taken.
    let line = format!("python3 -m http.server {one} >third.txt 2>&1 &");
    let (_, reply) = scene.asked("yes", || scene.line("b", &line));
    let told = reply["output"].to_string();
    assert!(told.contains(&one.to_string()), "{reply}");
    assert_eq!(scene.service.post("/v1/sessions/b/stop", "").send().good()["outcome"], json!(null));
    until("only its own have ended", || fetched(other).is_none() && scene.running("b").is_empty());
    assert!(fetched(one).is_some() && scene.running("a").len() == 1);
}

#[test]
fn many_sessions_with_servers_are_told_apart_and_end_with_the_service() {
    let scene = Project::new("workspace");
    let sessions: Vec<(String, u16)> = (0..12).map(|number| (format!("s{number}"), free_port())).collect();
    for (session, port) in &sessions {
        scene.serve(session, *port);
    }
    for (session, port) in &sessions {
        wait("its answer", || fetched(*port));
        assert_eq!(scene.unasked(session, &format!("curl -s localhost:{port}/a.txt")), "one\ntwo\n");
        assert_eq!(scene.running(session).len(), 1);
    }
    scene.service.signal(Signal::KILL);
    until("nothing lives on", || {
        sessions.iter().all(|(_, port)| fetched(*port).is_none() && lives(*port).is_none())
    });
}
