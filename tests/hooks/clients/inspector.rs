//! The MCP Inspector's command line and the protocol's conformance suite, against our server of tools.

use std::process::{Command, Output};

use serde_json::Value;

use super::clients;
use crate::common::{Service, folder};

fn node(program: &str) -> Command {
    let mut command = Command::new(clients().join("node"));
    command.arg(clients().join(program).canonicalize().unwrap());
    command
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Runs the Inspector against the server: on standard input and output, or over HTTP.
fn inspect(service: &Service, over_http: bool, words: &[&str]) -> Value {
    let mut command = node("inspector");
    command.arg("--cli");
    if over_http {
        command.arg(format!("http://{}/mcp", service.address));
        command.args([
            "--transport",
            "http",
            "--header",
            &format!("Authorization: Bearer {}", service.token),
        ]);
    } else {
        command.args([env!("CARGO_BIN_EXE_guarda"), "mcp"]);
        command.args(["-e", &format!("GUARDA_STATE_DIR={}", service.state("").display())]);
    }
    let output = command.args(words).env("HOME", service.folder.path()).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?} {}", text(&output)))
}

#[test]
#[ignore = "make test-clients installs what it drives"]
fn the_inspector_lists_and_calls_the_tools() {
    let service = Service::with("", "confirmation_timeout_seconds = 1");
    for over_http in [false, true] {
        let tools = inspect(&service, over_http, &["--method", "tools/list"]);
        let names: Vec<&str> =
            tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"execute_bash") && names.contains(&"check_command"), "{names:?}");
        let call = |tool: &str, argument: &str| {
            inspect(
                &service,
                over_http,
                &["--method", "tools/call", "--tool-name", tool, "--tool-arg", argument],
            )
        };
        let status = |answer: &Value| answer["structuredContent"]["status"].as_str().map(str::to_owned);
        let approved = call("check_command", "command=ls");
        assert_eq!(status(&approved).as_deref(), Some("approved"), "{approved}");
        let blocked = call("execute_bash", "command=rm -rf --no-preserve-root /");
        assert_eq!((status(&blocked).as_deref(), &blocked["isError"]), (Some("blocked"), &Value::Bool(true)));
        let executed = call("execute_bash", "command=echo olá");
        assert_eq!(executed["structuredContent"]["stdout"], "olá\n", "{executed}");
    }
    println!("inspector lists and calls on both ways");
}

/// The scenarios that every server supports; the others require the suite's own tools.
const SCENARIOS: [&str; 7] = [
    "server-initialize",
    "ping",
    "tools-list",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "input-required-result-unsupported-methods",
];
/// Scenarios about sessions, which exist if the client's person may be asked.
const OF_SESSIONS: [&str; 3] =
    ["server-session-lifecycle", "server-sse-multiple-streams", "server-sse-polling"];

#[test]
#[ignore = "make test-clients installs what it drives"]
fn the_conformance_suite_is_content() {
    // With and without forms: with them clients with a handshake have sessions.
    for forms in [false, true] {
        let folder = folder("", "confirmation_timeout_seconds = 1");
        let file = folder.path().join("config.toml");
        let settings = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, format!("{settings}\n[channels]\nmcp = {forms}\n")).unwrap();
        let service = Service::on(folder);
        for scenario in SCENARIOS.iter().chain(OF_SESSIONS.iter().filter(|_| forms)) {
            let mut command = node("conformance");
            command.args(["server", "--url", &format!("http://{}/mcp", service.address)]);
            command.args(["--scenario", scenario]).current_dir(service.folder.path());
            let preload =
                concat!("--require=", env!("CARGO_MANIFEST_DIR"), "/tests/hooks/clients/bearer.cjs");
            command.env("NODE_OPTIONS", preload).env("GUARDA_TOKEN", &service.token);
            let output = command.output().unwrap();
            let said = text(&output);
            let last = said.lines().rfind(|line| line.contains("assed")).unwrap_or_default();
            println!("conformance, forms {forms}: {scenario}: {last}");
            assert!(output.status.success(), "{scenario} {said}");
        }
    }
}
