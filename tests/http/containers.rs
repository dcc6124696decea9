//! A container's socket, used from an unprivileged user namespace that has nothing else of the machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{Service, UNSTAGED, guarda, wait};
use serde_json::{Value, json};

/// Adds a container while the service runs, and waits for its socket.
fn add(service: &Service, name: &str) -> PathBuf {
    let output = guarda(service.folder.path()).args(["token", "add", name]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let place = service.state("containers").join(name);
    assert!(String::from_utf8_lossy(&output.stdout).contains(place.to_str().unwrap()), "{output:?}");
    let socket = place.join("guarda.sock");
    wait("the socket", || socket.exists().then_some(()));
    place
}

fn token(place: &Path) -> String {
    std::fs::read_to_string(place.join("token")).unwrap().trim().to_owned()
}

/// Runs a shell script in a container: its own user, process and network namespaces, no privileges, and only
/// the programs and this folder of the host. `None` if this machine has no user namespaces.
fn inside(place: &Path, script: &str) -> Option<Output> {
    let mut command = Command::new("bwrap");
    command.args([
        "--unshare-all",
        "--uid",
        "1000",
        "--gid",
        "1000",
        "--cap-drop",
        "ALL",
        "--die-with-parent",
    ]);
    for folder in ["/usr", "/etc/ssl", "/bin", "/lib", "/lib64"] {
        command.args(["--ro-bind-try", folder, folder]);
    }
    let guarda = Path::new(env!("CARGO_BIN_EXE_guarda")).parent().unwrap();
    command.arg("--ro-bind").arg(guarda).arg("/opt/guarda");
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    command.arg("--ro-bind").arg(place).args(["/run/guarda", "--clearenv"]);
    command.args(["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp"]);
    command.args(["--setenv", "GUARDA_STATE_DIR", "/run/guarda", "sh", "-c", script]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("Operation not permitted") || said.contains("No permissions") {
        eprintln!("not tried: this machine has no user namespaces ({said})");
        return None;
    }
    Some(output)
}

/// One request from within: its status and its body.
fn call(place: &Path, token: &str, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
    let body = body.map_or_else(String::new, |body| {
        format!("-H 'Content-Type: application/json' -d '{}'", body.to_string().replace('\'', "'\\''"))
    });
    let script = format!(
        "curl -s -m 50 -X {method} -H 'Authorization: Bearer {token}' {body} -w '\\n%{{http_code}}' \
         --unix-socket /run/guarda/guarda.sock 'http://guarda{path}'"
    );
    let output = inside(place, &script)?;
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let (body, status) = text.rsplit_once('\n').unwrap_or_else(|| panic!("{output:?}"));
    Some((status.parse().unwrap(), serde_json::from_str(body).unwrap_or(Value::Null)))
}

fn run(target: &str) -> Value {
    json!({ "action": "RUN_COMMAND", "target": target })
}

#[test]
fn a_container_asks_and_judges_and_nothing_else() {
    let service = Service::unstaged();
    let place = add(&service, "builder");
    let own = token(&place);
    let asked =
        |method: &str, path: &str, body: Option<Value>| call(&place, &own, method, path, body.as_ref());
    let Some((status, judged)) = asked("POST", "/v1/judge", Some(run("ls"))) else { return };
    assert_eq!((status, judged["status"].as_str()), (200, Some("approved")), "{judged}");
    let (status, done) = asked("POST", "/v1/actions", Some(run("echo olá"))).unwrap();
    assert_eq!((status, done["output"]["stdout"].as_str()), (200, Some("olá\n")), "{done}");
    let line = service.journal().into_iter().rfind(|line| line["event"] == "intent").unwrap();
    assert_eq!(
        (line["door"].as_str(), line["caller"].as_str()),
        (Some("container"), Some("builder")),
        "{line}"
    );

    // Its agent's hook and its own requests share the container's session, named or not.
    for session in [None, Some("x")] {
        let event = json!({"client": "claude", "tool": "Bash", "does": {"run": "ls"}, "session": session, "cwd": "/"});
        let (status, told) = asked("POST", "/v1/events", Some(event)).unwrap();
        assert_eq!(status, 200, "{told}");
        let mut act = run("echo olá");
        act["session"] = json!(session);
        let (status, done) = asked("POST", "/v1/actions", Some(act)).unwrap();
        assert_eq!((status, done["outcome"].as_str()), (200, Some("done")), "{done}");
        let own = format!("{}@builder", session.unwrap_or("desk"));
        let is_it = |line: &Value| {
            line["event"] == "intent" && line["session_id"] == own && line["command"] == "echo olá"
        };
        assert!(service.journal().iter().any(is_it), "{own}");
    }
    // Nobody outside acts in it.
    let mut act = run("ls");
    act["session"] = json!("x@builder");
    assert_eq!(service.post("/v1/actions", act.to_string()).send().problem(), "forbidden");

    // A question waits for a person outside; no token or path of the container answers it.
    let waiting =
        service.post("/v1/actions", run("rm -r build").to_string()).header("Prefer", "respond-async");
    assert_eq!(waiting.send().status, 202);
    let question = service.question();
    let answer = json!({ "answer": "yes" });
    for (method, path, body) in [
        ("POST", format!("/v1/questions/{question}/answer"), Some(&answer)),
        ("POST", format!("/v1/questions/{question}/elicited"), Some(&answer)),
        ("GET", "/v1/questions".to_owned(), None),
        ("POST", "/v1/silence".to_owned(), Some(&answer)),
        ("GET", "/v1/status".to_owned(), None),
        ("GET", "/metrics".to_owned(), None),
        ("POST", "/v1/console/links".to_owned(), Some(&answer)),
        ("GET", "/console/api/history".to_owned(), None),
        ("GET", "/console/api/verify".to_owned(), None),
        ("POST", "/mcp".to_owned(), Some(&answer)),
    ] {
        for token in [&own, &service.approve, &service.token] {
            let (status, body) = call(&place, token, method, &path, body).unwrap();
            assert_eq!(status, 403, "{method} {path} {body}");
        }
    }
    assert_eq!(service.questions(), [question.as_str()], "it still waits");
    service.answer(&question, "no");

    // Nothing of the state folder is there but its own place.
    let seen = inside(&place, "ls /run/guarda; ls / | grep -c home; touch /run/guarda/x").unwrap();
    let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert_eq!(seen.split_whitespace().collect::<Vec<_>>(), ["guarda.sock", "token", "0"], "{seen}");
}

/// What another one asked for is neither read, answered, cancelled nor undone from a container, whatever it is called.
#[test]
fn a_container_has_no_hand_in_what_another_one_asked_for() {
    let service = Service::unstaged();
    let (one, two) = (add(&service, "one"), add(&service, "two"));
    let (first, second) = (token(&one), token(&two));
    let mut act = run("touch a");
    act["session"] = json!("s");
    if call(&two, &second, "GET", "/v1/health", None).is_none() {
        return;
    }
    // One question of those with the token, and one of another container.
    let waiting = service.post("/v1/actions", act.to_string()).header("Prefer", "respond-async").send();
    let of_token = waiting.json()["id"].as_str().unwrap().to_owned();
    let question = service.question();
    let other = json!({"action": "RUN_COMMAND", "target": "touch b", "session": "s"});
    let quickly = format!(
        "curl -s -m 1 -H 'Authorization: Bearer {first}' -H 'Content-Type: application/json' -H 'Prefer: respond-async' \
         -d '{other}' --unix-socket /run/guarda/guarda.sock http://guarda/v1/actions"
    );
    let waiting = inside(&one, &quickly).unwrap();
    let waiting: Value = serde_json::from_slice(&waiting.stdout).unwrap();
    let of_container = waiting["id"].as_str().unwrap().to_owned();
    wait("both questions", || (service.questions().len() == 2).then_some(()));
    for id in [&of_token, &of_container, &question] {
        for (method, path, body) in [
            ("GET", format!("/v1/actions/{id}"), None),
            ("DELETE", format!("/v1/actions/{id}"), None),
            ("POST", format!("/v1/actions/{id}/cancel"), Some(json!({}))),
            ("POST", format!("/v1/actions/{id}/undo"), Some(json!({"session": "s"}))),
            ("POST", format!("/v1/actions/{id}/undo"), Some(json!({"session": "s@one"}))),
            ("POST", format!("/v1/actions/{id}/answer"), Some(json!({"answer": "yes"}))),
            ("POST", format!("/v1/questions/{id}/answer"), Some(json!({"answer": "no"}))),
            ("GET", format!("/v1/undo/{id}"), None),
            ("GET", format!("/v1/actions/./{id}"), None),
            ("GET", format!("/v1/actions/{id}/events"), None),
            ("GET", format!("/v1/actions/%2e%2e/actions/{id}"), None),
            ("POST", "/v1/actions/last/cancel".to_owned(), Some(json!({}))),
        ] {
            let (status, told) = call(&two, &second, method, &path, body.as_ref()).unwrap();
            let undone = path.ends_with("/undo") && told["outcome"] == "failed";
            assert!((400..500).contains(&status) || undone, "{method} {path}: {status} {told}");
            assert!(!told.to_string().contains("touch"), "{method} {path}: {told}");
        }
    }
    assert_eq!(service.questions().len(), 2, "both still wait");
    // In a session of another one it does not act; by its own names it has its own.
    for (path, name, body) in [
        ("/v1/actions", "one.s", run("ls")),
        ("/v1/judge", "one.desk", run("ls")),
        ("/v1/events", "s", json!({"client": "claude", "tool": "Bash", "does": {"run": "ls"}, "cwd": "/"})),
    ] {
        let mut body = body;
        body["session"] = json!(name);
        let (status, told) = call(&two, &second, "POST", path, Some(&body)).unwrap();
        assert_eq!(status, 200, "{path} {name}: {told}");
        body["session"] = json!("s@one");
        let (status, told) = call(&two, &second, "POST", path, Some(&body)).unwrap();
        // In the name that a hook's client gives, any other character becomes a hyphen.
        let refused = if path == "/v1/events" { 200 } else { 403 };
        let by_token = service.post(path, body.to_string()).send().status;
        assert_eq!((status, by_token), (refused, refused), "{path}: {told}");
    }
    let owners: Vec<String> = service.get("/v1/sessions").send().json()["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect();
    for name in ["one.s@two", "one.desk@two", "s@two", "s@one", "s"] {
        assert!(owners.iter().any(|owner| owner == name), "{name}: {owners:?}");
    }
    for question in service.questions() {
        service.answer(&question, "no");
    }
}

/// A container's agent chooses the names of its conversations, which gives it no further questions.
#[test]
fn a_container_that_is_refused_is_not_heard_under_other_names() {
    let service =
        Service::with("", &format!("refusals_per_minute = 2\nconfirmation_timeout_seconds = 20\n{UNSTAGED}"));
    let place = add(&service, "box");
    let own = token(&place);
    if call(&place, &own, "GET", "/v1/health", None).is_none() {
        return;
    }
    let ask = |number: usize| {
        let session = format!("conversation-{number}");
        let by_hook = json!({"client": "claude", "tool": "Bash", "does": {"run": format!("rm -r x{number}")}, "session": session, "cwd": "/"});
        let mut by_action = run(&format!("rm -r x{number}"));
        by_action["session"] = json!(session);
        let (path, body) =
            if number.is_multiple_of(2) { ("/v1/events", by_hook) } else { ("/v1/actions", by_action) };
        call(&place, &own, "POST", path, Some(&body)).unwrap()
    };
    for number in 0..6 {
        let begun = std::time::Instant::now();
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| ask(number));
            if number < 2 {
                service.answer(&service.question(), "no");
            }
            asked.join().unwrap();
        });
        // Nobody answers: a question would have been open for twenty seconds.
        assert!(begun.elapsed().as_secs() < 10, "{number}");
    }
}

#[test]
fn a_token_counts_on_its_own_socket_alone_and_until_it_is_removed() {
    let service = Service::start();
    let (one, two) = (add(&service, "one"), add(&service, "two"));
    let (first, second) = (token(&one), token(&two));
    let judge = |place: &Path, token: &str| {
        call(place, token, "POST", "/v1/judge", Some(&run("ls"))).map(|(status, _)| status)
    };
    if judge(&one, &first).is_none() {
        return;
    }
    for (place, token, status) in [
        (&one, first.as_str(), 200),
        (&two, second.as_str(), 200),
        (&one, &second, 401),
        (&two, &first, 401),
        (&one, &service.token, 401),
        (&one, &service.approve, 401),
        (&one, "", 401),
        (&one, &first[..63], 401),
    ] {
        assert_eq!(judge(place, token), Some(status), "{place:?} {token}");
    }
    // Elsewhere it is none.
    assert_eq!(
        service.post("/v1/judge", run("ls").to_string()).token(&first).send().problem(),
        "unauthorized"
    );
    // Neither does a key of one give the reply to another.
    let output = guarda(service.folder.path()).args(["token", "list"]).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(listed.contains("one") && listed.contains("two") && !listed.contains(&first), "{listed}");
    assert_eq!(guarda(service.folder.path()).args(["token", "add", "one"]).status().unwrap().code(), Some(1));
    assert!(guarda(service.folder.path()).args(["token", "remove", "one"]).status().unwrap().success());
    assert!(!one.exists());
    assert_eq!(
        guarda(service.folder.path()).args(["token", "remove", "one"]).status().unwrap().code(),
        Some(1)
    );
    assert_eq!(judge(&two, &second), Some(200));
    // Added again it has another token and a socket again.
    let again = add(&service, "one");
    assert_eq!((judge(&again, &token(&again)), judge(&again, &first)), (Some(200), Some(401)));
}

#[test]
fn the_programs_ask_from_within_and_a_guard_that_is_gone_denies() {
    let mut service = Service::start();
    let place = add(&service, "agent");
    let event = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "cwd": "/",
        "tool_input": { "command": "ls" } });
    let script = format!("echo '{event}' | /opt/guarda/guarda-hook claude --deadline 20");
    let Some(allowed) = inside(&place, &script) else { return };
    assert!(String::from_utf8_lossy(&allowed.stdout).contains("\"allow\""), "{allowed:?}");
    let acted = inside(&place, "/opt/guarda/guarda act RUN_COMMAND 'echo olá' --cwd /").unwrap();
    assert!(acted.status.success(), "{acted:?}");
    service.signal(rustix::process::Signal::KILL);
    service.end();
    let denied = inside(&place, &script).unwrap();
    assert!(
        denied.status.code() == Some(2) && denied.stdout.is_empty() && !denied.stderr.is_empty(),
        "{denied:?}"
    );
}
