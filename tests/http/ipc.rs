//! The folder of requests, as a program in a container uses it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Service, folder, wait};
use serde_json::{Value, json};

/// A service with a folder of requests.
fn service() -> (Service, PathBuf) {
    let folder = folder("", "");
    let ipc = folder.path().join("ipc");
    let service = Service::with_words(folder, &["--ipc", ipc.to_str().unwrap()]);
    (service, ipc)
}

/// Adds a request as the protocol requires: first under another name.
fn put(ipc: &Path, name: &str, text: &str) {
    let draft = ipc.join(format!("requests/.{name}"));
    std::fs::write(&draft, text).unwrap();
    std::fs::rename(draft, ipc.join(format!("requests/{name}.json"))).unwrap();
}

fn request(name: &str, command: &str) -> String {
    json!({ "type": "security:bash_check", "request_id": name, "command": command }).to_string()
}

fn answer(ipc: &Path, name: &str) -> Value {
    let file = ipc.join(format!("responses/{name}.json"));
    wait("an answer", || file.exists().then_some(()));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn requests_are_answered_once() {
    let (service, ipc) = service();
    put(&ipc, "a-1", &request("a-1", "ls"));
    assert_eq!(
        answer(&ipc, "a-1"),
        json!({ "type": "security:bash_check", "request_id": "a-1", "decision": "allow",
            "reason": "guarda: approved (policy)" })
    );
    put(&ipc, "a-2", &request("a-2", "rm -rf --no-preserve-root /"));
    assert_eq!(answer(&ipc, "a-2")["decision"], "deny");
    put(&ipc, "a-3", &request("a-3", "rm -r build"));
    service.answer(&service.question(), "yes");
    assert_eq!(answer(&ipc, "a-3")["decision"], "allow");
    assert!(std::fs::read_dir(ipc.join("requests")).unwrap().next().is_none(), "what was taken is gone");
    // A request that was answered is not answered again, whatever it says now.
    std::fs::remove_file(ipc.join("responses/a-2.json")).unwrap();
    put(&ipc, "a-2", &request("a-2", "ls"));
    put(&ipc, "a-4", &request("a-4", "ls"));
    answer(&ipc, "a-4");
    assert!(!ipc.join("responses/a-2.json").exists());
    let lines =
        service.journal().into_iter().filter(|line| line["door"] == "ipc" && line["event"] != "asked");
    let lines: Vec<Value> = lines.collect();
    assert_eq!(lines.len(), 4, "every decision is written down");
}

#[test]
fn what_is_not_understood_is_denied() {
    let (service, ipc) = service();
    let outside = service.folder.path().join("outside.json");
    std::fs::write(&outside, request("link", "ls")).unwrap();
    std::os::unix::fs::symlink(&outside, ipc.join("requests/link.json")).unwrap();
    std::fs::hard_link(&outside, ipc.join("requests/hard.json")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        ipc.join("requests/pipe.json"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    for (name, text) in [
        ("empty", String::new()),
        ("half", request("half", "ls")[..20].to_owned()),
        ("other", request("another", "ls")),
        ("kind", json!({ "type": "x", "request_id": "kind", "command": "ls" }).to_string()),
        (
            "more",
            json!({ "type": "security:bash_check", "request_id": "more", "command": "ls", "allow": true })
                .to_string(),
        ),
        (
            "twice",
            r#"{"type":"security:bash_check","request_id":"twice","command":"ls","command":"rm x"}"#
                .to_owned(),
        ),
        ("long", request("long", &"x".repeat(70_000))),
        (
            "cwd",
            json!({ "type": "security:bash_check", "request_id": "cwd", "command": "ls", "cwd": "/no/such" })
                .to_string(),
        ),
    ] {
        put(&ipc, name, &text);
    }
    for name in ["link", "hard", "pipe", "empty", "half", "other", "kind", "more", "twice", "long", "cwd"] {
        let answer = answer(&ipc, name);
        assert_eq!(answer["decision"], "deny", "{name} {answer}");
        assert!(answer["reason"].as_str().unwrap().len() > 10, "{name} {answer}");
    }
    assert!(outside.exists(), "what a link leads to is left alone");
    // Files whose names could lead elsewhere are not requests.
    std::fs::write(ipc.join("requests/..x.json"), request("..x", "ls")).unwrap();
    std::fs::write(ipc.join("requests/a b.json"), request("a b", "ls")).unwrap();
    put(&ipc, "last", &request("last", "ls"));
    assert_eq!(answer(&ipc, "last")["decision"], "allow");
    assert!(ipc.join("requests/a b.json").exists());
}

#[test]
fn answers_go_through_no_link() {
    let (service, ipc) = service();
    let outside = service.folder.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::rename(ipc.join("responses"), ipc.join("before")).unwrap();
    std::os::unix::fs::symlink(&outside, ipc.join("responses")).unwrap();
    put(&ipc, "a", &request("a", "ls"));
    wait("it was judged", || service.journal().iter().any(|line| line["door"] == "ipc").then_some(()));
    wait("the log", || service.said().contains("an answer cannot be written").then_some(()));
    // Once it is a folder again, it is answered there.
    std::fs::remove_file(ipc.join("responses")).unwrap();
    std::fs::rename(ipc.join("before"), ipc.join("responses")).unwrap();
    put(&ipc, "b", &request("b", "ls"));
    assert_eq!(answer(&ipc, "b")["decision"], "allow");
    assert!(std::fs::read_dir(&outside).unwrap().next().is_none(), "something was written through the link");
}

#[test]
fn a_folder_in_the_place_of_a_request_is_denied_once_and_moved_aside() {
    let (service, ipc) = service();
    std::fs::create_dir(ipc.join("requests/dir.json")).unwrap();
    std::fs::write(ipc.join("requests/dir.json/inside"), "x").unwrap();
    put(&ipc, "after", &request("after", "ls"));
    assert_eq!(answer(&ipc, "dir")["decision"], "deny");
    assert_eq!(answer(&ipc, "after")["decision"], "allow");
    // At the next look there is nothing left to find.
    put(&ipc, "later", &request("later", "ls"));
    answer(&ipc, "later");
    assert!(!ipc.join("requests/dir.json").exists());
    assert!(!service.said().contains("sent twice"), "{}", service.said());
}

#[test]
fn a_program_in_a_user_namespace_is_answered() {
    let (_service, ipc) = service();
    let script = "mv \"$1/draft\" \"$1/requests/ns.json\" && while [ ! -e \"$1/responses/ns.json\" ]; do sleep 0.05; done; \
                  cat \"$1/responses/ns.json\"";
    std::fs::write(ipc.join("draft"), request("ns", "ls")).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script, "sh"]).arg(&ipc);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("Operation not permitted") {
        eprintln!("not tried: this machine has no user namespaces ({said})");
        return;
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["decision"], "allow", "{answer}");
}

#[test]
fn a_folder_that_others_can_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder("", "");
    let ipc = folder.path().join("ipc");
    std::fs::create_dir(&ipc).unwrap();
    std::fs::set_permissions(&ipc, std::fs::Permissions::from_mode(0o777)).unwrap();
    let said = crate::common::refused(folder.path(), |command| command.arg("--ipc").arg(&ipc));
    assert!(said.contains("this user alone"), "{said}");
}
