//! The server of tools, driven by the Python client in both eras of the protocol, on standard input and over
//! HTTP.

mod elicitation;

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use crate::common::{Service, python, wait};
use serde_json::{Value, json};

const CATASTROPHE: &str = "rm -rf --no-preserve-root /";
/// The eras: with a handshake, and without one.
const MODES: [(&str, &str); 2] = [("legacy", "2025-11-25"), ("auto", "2026-07-28")];

/// How a client reaches the server: by starting it, or by its address.
fn servers(service: &Service) -> [Value; 2] {
    let started = json!({ "command": env!("CARGO_BIN_EXE_guarda"), "args": ["mcp"], "env": {
        "HOME": service.folder.path(), "PATH": "/usr/bin:/bin", "GUARDA_STATE_DIR": service.state("") } });
    let address = json!({ "url": format!("http://{}/mcp", service.address), "token": service.token });
    [started, address]
}

fn start(server: &Value, mode: &str, calls: &Value) -> Child {
    start_with(server, mode, calls, &json!({}))
}

/// With further orders to the driver, such as the person's answers to its forms.
fn start_with(server: &Value, mode: &str, calls: &Value, more: &Value) -> Child {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut command = Command::new(python("bin/python"));
    command.arg(format!("{root}/tests/http/mcp/driver.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut order = json!({ "server": server, "mode": mode, "calls": calls });
    for (name, value) in more.as_object().unwrap() {
        order[name] = value.clone();
    }
    child.stdin.take().unwrap().write_all(order.to_string().as_bytes()).unwrap();
    child
}

fn end(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn drive(server: &Value, mode: &str, calls: &Value) -> Value {
    let told = end(start(server, mode, calls));
    assert!(told.get("failed").is_none(), "{mode} {told}");
    told
}

#[test]
fn both_eras_are_served_on_both_ways() {
    let service = Service::start();
    let calls = json!([
        ["check_command", {"command": "ls"}],
        ["check_command", {"command": CATASTROPHE}],
        ["execute_bash", {"command": "echo olá"}],
        ["execute_bash", {"command": CATASTROPHE}],
        ["desktop_action", {"action": "FORMAT_DISK"}],
        ["list_actions", {}],
        ["get_schema", {"profile": "container"}],
        ["get_stats", {}],
        ["check_command", {"command": 7}],
        ["no_such_tool", {}],
    ]);
    for server in servers(&service) {
        for (mode, era) in MODES {
            let told = drive(&server, mode, &calls);
            assert_eq!(
                (told["protocol"].as_str(), told["server"].as_str()),
                (Some(era), Some("guarda")),
                "{told}"
            );
            let names: Vec<&str> =
                told["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
            assert_eq!(
                names,
                [
                    "execute_bash",
                    "get_validation",
                    "check_command",
                    "desktop_action",
                    "list_actions",
                    "get_schema",
                    "get_stats"
                ]
            );
            for tool in told["tools"].as_array().unwrap() {
                let reads = !matches!(tool["name"].as_str(), Some("execute_bash" | "desktop_action"));
                assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{tool}");
                assert!(tool["outputSchema"]["type"] == "object", "{tool}");
            }
            let result = |number: usize| &told["results"][number];
            let structured = |number: usize| &told["results"][number]["structured"];
            assert_eq!(structured(0)["status"], "approved");
            assert_eq!(structured(1)["status"], "blocked");
            let done = structured(2);
            assert_eq!((&done["success"], &done["stdout"]), (&json!(true), &json!("olá\n")), "{done}");
            assert_eq!(result(2)["text"], "olá\n");
            // The output is in the answer twice: for clients that read structured content, and for those that
            // read text.
            assert_eq!(result(2).to_string().matches("olá").count(), 2, "{}", result(2));
            assert!(done.to_string().len() < 400, "{done}");
            assert_eq!(
                (&result(3)["error"], &structured(3)["status"]),
                (&json!(true), &json!("blocked")),
                "{told}"
            );
            assert_eq!(
                (&result(4)["error"], &structured(4)["outcome"]),
                (&json!(true), &json!("failed")),
                "{told}"
            );
            let desktop = guarda_core::action::grammar::Offer::named("desktop").unwrap();
            assert_eq!(structured(5)["actions"].as_array().unwrap().len(), desktop.entries().count());
            assert!(structured(6)["grammar"].as_str().unwrap().contains("RUN_COMMAND"));
            assert_eq!(structured(7)["profile"], "desktop");
            assert_eq!(result(8)["error"], true);
            assert!(result(9)["refused"].as_str().unwrap().contains("no_such_tool"), "{told}");
        }
    }
    assert!(service.journal().iter().any(|line| line["door"] == "mcp"));
}

#[test]
fn the_user_is_asked_and_hears_a_yes_or_no() {
    let service = Service::start();
    let file = service.folder.path().join("asked.txt");
    for server in servers(&service) {
        for (answer, there) in [("no", true), ("yes", false)] {
            std::fs::write(&file, "x").unwrap();
            let calls = json!([["desktop_action", {"action": "FILE_DELETE", "target": file}]]);
            let asking = start(&server, "auto", &calls);
            assert_eq!(service.answer(&service.question(), answer).status, 200);
            let told = end(asking);
            assert_eq!(
                (&told["results"][0]["error"], file.exists()),
                (&json!(there), there),
                "{answer} {told}"
            );
        }
    }
}

#[test]
fn a_call_that_is_given_up_takes_its_question_back() {
    let service = Service::start();
    std::fs::write(service.folder.path().join("x"), "x").unwrap();
    let [started, _] = servers(&service);
    for (mode, _) in MODES {
        let calls = json!([
            ["cancel:desktop_action", {"action": "FILE_DELETE", "target": "x"}],
            ["get_stats", {}],
        ]);
        let told = drive(&started, mode, &calls);
        assert_eq!(told["results"][0]["cancelled"], true, "{told}");
        wait("the question is gone", || service.questions().is_empty().then_some(()));
    }
}

#[test]
fn a_long_wait_is_told() {
    let service = Service::start();
    std::fs::write(service.folder.path().join("x"), "x").unwrap();
    let [started, _] = servers(&service);
    let asking =
        start(&started, "auto", &json!([["desktop_action", {"action": "FILE_DELETE", "target": "x"}]]));
    let question = service.question();
    crate::common::let_pass(6000, "a wait is told every five seconds");
    service.answer(&question, "no");
    let told = end(asking);
    assert!(told["progress"][0].as_str().is_some_and(|said| said.contains("waiting")), "{told}");
}

#[test]
fn a_guard_that_is_not_there_does_nothing() {
    let mut service = Service::start();
    let [started, _] = servers(&service);
    service.signal(rustix::process::Signal::KILL);
    service.end();
    let told = drive(
        &started,
        "auto",
        &json!([
            ["execute_bash", {"command": "echo x"}],
            ["check_command", {"command": "ls"}],
            ["desktop_action", {"action": "LOCK"}],
        ]),
    );
    for result in told["results"].as_array().unwrap() {
        assert_eq!(result["error"], true, "{told}");
        assert!(result["text"].as_str().unwrap().contains("guarda serve"), "{told}");
    }
}

#[test]
fn the_address_is_closed_to_strangers_and_foreign_pages() {
    let service = Service::start();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    let post =
        || service.post("/mcp", body.to_string()).header("Accept", "application/json, text/event-stream");
    assert_eq!(post().send().status, 200);
    assert_eq!(post().header("Authorization", "").send().problem(), "unauthorized");
    assert_eq!(post().token(&service.approve).send().problem(), "forbidden");
    assert_eq!(post().header("Host", "evil.example:80").send().problem(), "misdirected");
    assert_eq!(post().header("Origin", "https://evil.example").send().problem(), "foreign-origin");
    assert_eq!(post().header("Origin", "null").send().problem(), "foreign-origin");
    assert_eq!(post().header("Origin", &format!("http://{}", service.address)).send().status, 200);
    assert_eq!(post().header("Sec-Fetch-Site", "cross-site").send().problem(), "foreign-origin");
    let mut told = drive(&servers(&service)[1], "auto", &json!([]));
    told["tools"].take();
    let stranger = json!({ "url": format!("http://{}/mcp", service.address) });
    let refused = end(start(&stranger, "auto", &json!([])));
    assert!(refused.get("failed").is_some(), "{refused}");
}
