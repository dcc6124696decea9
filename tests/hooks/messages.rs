//! Hooks: every client's messages and answers, through the real programs and a real service; every failure is
//! a no.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::common::{Service, UNSTAGED, folder, wait};
use guarda::doors::hook::Client;
use guarda::doors::hook::read::sample;
use rustix::process::Signal;
use serde_json::{Value, json};

const CATASTROPHE: &str = "rm -rf --no-preserve-root /";

/// The two programs that answer: the small one, and the large one with its sub-command.
fn programs() -> [(&'static str, &'static [&'static str]); 2] {
    [(env!("CARGO_BIN_EXE_guarda-hook"), &[]), (env!("CARGO_BIN_EXE_guarda"), &["hook"])]
}

/// Starts a hook as a client would, with this standard input.
fn start(program: (&str, &[&str]), folder: &Path, words: &[&str], input: &[u8]) -> Child {
    let mut command = Command::new(program.0);
    command.args(program.1).args(words).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder);
    command.env("GUARDA_STATE_DIR", folder.join("state")).env("GUARDA_CONFIG", folder.join("config.toml"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A hook may end without reading; that is not a fault of the test.
    let _ = child.stdin.take().unwrap().write_all(input);
    child
}

pub(super) fn run(folder: &Path, words: &[&str], input: &[u8]) -> Output {
    start(programs()[0], folder, words, input).wait_with_output().unwrap()
}

fn hook(service: &Service, client: Client, command: &str) -> Output {
    let event = sample(client, command, service.folder.path().to_str().unwrap());
    run(service.folder.path(), &[client.name()], event.to_string().as_bytes())
}

#[track_caller]
fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap().trim_end().to_owned()
}

/// A no after a failure: the status that every client takes for a no, nothing that could be taken for an
/// answer, and a reason.
#[track_caller]
fn failed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(said.trim().len() > 10, "{output:?}");
    said
}

/// A configuration with these further lines.
fn with(more: &str) -> tempfile::TempDir {
    let folder = folder("", "");
    let file = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, format!("{text}\n{more}\n")).unwrap();
    folder
}

/// The answer in the client's format, as its contract has it.
fn answer(client: Client, decision: &str, reason: &str) -> String {
    let claude = json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason } });
    match (client, decision) {
        (Client::Codex, "allow") => String::new(),
        (Client::Claude | Client::Codex, _) => claude.to_string(),
        (Client::Copilot, _) => {
            json!({ "permissionDecision": decision, "permissionDecisionReason": reason }).to_string()
        }
        (Client::Cursor, "allow") => json!({ "permission": "allow" }).to_string(),
        (Client::Cursor, _) => {
            json!({ "permission": decision, "user_message": reason, "agent_message": reason }).to_string()
        }
        (Client::Gemini | Client::OpenCode | Client::OpenAiAgents, _) => {
            json!({ "decision": decision, "reason": reason }).to_string()
        }
    }
}

/// A service that leaves allowed commands to the client's own shell; tests/hooks/tickets.rs has the other kind.
fn leaving() -> Service {
    Service::on(with("[hooks]\nrun = \"client\""))
}

#[test]
fn every_client_is_answered_in_its_words() {
    let service = leaving();
    for client in Client::ALL {
        let approved = text(&hook(&service, client, "ls"));
        assert_eq!(approved, answer(client, "allow", "guarda: approved (policy)"), "{client}");
        let blocked = text(&hook(&service, client, CATASTROPHE));
        let reason = blocked.split("guarda: ").nth(1).unwrap().split('"').next().unwrap();
        assert!(reason.starts_with("as regras não permitem o pedido de "), "{client} {blocked}");
        assert_eq!(blocked, answer(client, "deny", &format!("guarda: {reason}")), "{client}");
    }
    let advice = service.journal().into_iter().filter(|line| line["event"] == "advice").count();
    let refused = service.journal().into_iter().filter(|line| line["event"] == "refusal").count();
    assert_eq!((advice, refused), (7, 7), "every decision is written down");
    let lines: Vec<Value> = service.journal().into_iter().filter(|line| line["event"] == "refusal").collect();
    for client in Client::ALL {
        let of = |line: &&Value| line["caller"].as_str().unwrap().starts_with(client.name());
        let line = lines.iter().find(of).unwrap();
        assert_eq!((line["door"].as_str(), line["command"].as_str()), (Some("hook"), Some(CATASTROPHE)));
    }
}

#[test]
fn both_programs_say_the_same() {
    let service = leaving();
    for command in ["ls", CATASTROPHE] {
        let event = sample(Client::Claude, command, "/tmp").to_string();
        let [small, large] = programs().map(|program| {
            let child =
                start(program, service.folder.path(), &["claude", "--deadline", "50"], event.as_bytes());
            text(&child.wait_with_output().unwrap())
        });
        assert_eq!(small, large);
    }
}

#[test]
fn a_person_is_asked_and_the_answer_goes_to_the_client() {
    let service = leaving();
    for (said, decision) in [("yes", "allow"), ("no", "deny")] {
        for client in Client::ALL {
            let event = sample(client, "rm -r build", "/tmp").to_string();
            let asking = start(programs()[0], service.folder.path(), &[client.name()], event.as_bytes());
            let question = service.question();
            assert_eq!(service.answer(&question, said).status, 200);
            let heard = text(&asking.wait_with_output().unwrap());
            let reason = match said {
                "yes" => "guarda: approved (person:http)",
                _ => {
                    "guarda: o usuário recusou o pedido de apagar build com tudo dentro; não foi feito; pergunte ao usuário o que \
                     fazer em vez disso, e não mande de novo do mesmo jeito."
                }
            };
            assert_eq!(heard, answer(client, decision, reason), "{client}");
        }
    }
    let by_person: Vec<Value> =
        service.journal().into_iter().filter(|line| line["answered_by"] == "person").collect();
    assert_eq!(by_person.len(), 14);
    assert!(by_person.iter().all(|line| line["channel"] == "http" && line["event"] != "intent"));
}

#[test]
fn nobody_answers_and_it_is_denied() {
    let service = Service::with("", &format!("confirmation_timeout_seconds = 1\n{UNSTAGED}"));
    let heard = text(&hook(&service, Client::Claude, "rm -r build"));
    assert!(heard.contains("\"deny\"") && heard.contains("ninguém respondeu a tempo"), "{heard}");
}

#[test]
fn a_hook_that_goes_away_takes_its_question_back() {
    let service = Service::start();
    let event = sample(Client::Claude, "rm -r build", "/tmp").to_string();
    let late = run(service.folder.path(), &["claude", "--deadline", "1"], event.as_bytes());
    assert!(failed(&late).contains("within 1 s"));
    wait("the question is gone", || service.questions().is_empty().then_some(()));
    let line = wait("the record", || service.journal().into_iter().find(|line| line["event"] == "refusal"));
    assert_eq!(line["user_decision"], "withdrawn", "{line}");
}

#[test]
fn whatever_fails_is_a_no() {
    let service = leaving();
    let here = service.folder.path();
    let good = sample(Client::Claude, "ls", "/tmp").to_string();
    let claude = |change: &dyn Fn(&mut Value)| {
        let mut event = sample(Client::Claude, "ls", "/tmp");
        change(&mut event);
        event.to_string()
    };
    let nested = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    for (words, input) in [
        (&["claude"][..], String::new()),
        (&["claude"], "no JSON".to_owned()),
        (&["claude"], "[]".to_owned()),
        (&["claude"], "{}".to_owned()),
        (&["claude"], good[..good.len() / 2].to_owned()),
        (&["claude"], format!("{good}{good}")),
        (&["claude"], nested),
        (&["claude"], good.replace("\"cwd\"", "\"tool_name\":\"Read\",\"cwd\"")),
        (&["claude"], claude(&|event| event["hook_event_name"] = json!("PostToolUse"))),
        (&["claude"], claude(&|event| event["tool_name"] = json!(7))),
        (&["claude"], claude(&|event| event["tool_input"] = json!("ls"))),
        (&["claude"], claude(&|event| event["tool_input"] = json!({}))),
        (&["claude"], claude(&|event| event["tool_input"]["command"] = json!(["ls"]))),
        (&["claude"], claude(&|event| event["cwd"] = json!("/no/such/folder"))),
        (&["claude"], claude(&|event| event["cwd"] = json!("x".repeat(5000)))),
        (&["gemini"], good.clone()),
        (&["cursor"], good.clone()),
        (&["copilot"], "{\"toolName\":\"bash\"}".to_owned()),
        (&["opencode"], "{\"tool\":\"bash\",\"args\":{}}".to_owned()),
        (&["nobody"], good.clone()),
        (&[], good.clone()),
        (&["claude", "--deadline"], good.clone()),
        (&["claude", "--deadline", "soon"], good.clone()),
        (&["claude", "--deadline", "0"], good.clone()),
    ] {
        for program in programs() {
            let output = start(program, here, words, input.as_bytes()).wait_with_output().unwrap();
            failed(&output);
        }
    }
    assert_eq!(
        text(&run(here, &["claude"], good.as_bytes())),
        answer(Client::Claude, "allow", "guarda: approved (policy)")
    );
}

#[test]
fn an_input_that_does_not_end_is_a_no() {
    let service = Service::start();
    for program in programs() {
        let mut command = Command::new(program.0);
        command
            .args(program.1)
            .args(["claude", "--deadline", "1"])
            .env("GUARDA_STATE_DIR", service.state(""));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let _open = child.stdin.take().unwrap();
        failed(&child.wait_with_output().unwrap());
    }
}

#[test]
fn a_guard_that_is_dead_stuck_or_not_there_is_a_no() {
    let mut service = Service::start();
    let here = service.folder.path().to_owned();
    let event = sample(Client::Claude, "ls", "/tmp").to_string();
    let ask = || run(&here, &["claude", "--deadline", "2"], event.as_bytes());
    text(&ask());
    service.signal(Signal::STOP);
    assert!(failed(&ask()).contains("within 2 s"));
    service.signal(Signal::CONT);
    let asked = sample(Client::Claude, "rm -r build", "/tmp").to_string();
    let asking = start(programs()[0], &here, &["claude"], asked.as_bytes());
    service.question();
    service.signal(Signal::KILL);
    failed(&asking.wait_with_output().unwrap());
    service.end();
    for client in Client::ALL {
        for program in programs() {
            let event = sample(client, "ls", "/tmp").to_string();
            let output =
                start(program, &here, &[client.name()], event.as_bytes()).wait_with_output().unwrap();
            assert!(failed(&output).contains("guarda serve"), "it says what to do: {output:?}");
        }
    }
}

#[test]
fn a_client_may_ask_itself_where_that_is_configured() {
    let service = Service::on(with("[hooks]\nask = \"client\"\nrun = \"client\""));
    for client in [Client::Claude, Client::Gemini, Client::Copilot, Client::Cursor] {
        let heard = text(&hook(&service, client, "rm -r build"));
        assert!(heard.contains("\"ask\""), "{client} {heard}");
        assert!(text(&hook(&service, client, CATASTROPHE)).contains("\"deny\""), "{client}");
    }
    // A client without questions of its own gets the guard's question.
    let event = sample(Client::Codex, "rm -r build", "/tmp").to_string();
    let asking = start(programs()[0], service.folder.path(), &["codex"], event.as_bytes());
    assert_eq!(service.answer(&service.question(), "yes").status, 200);
    assert_eq!(text(&asking.wait_with_output().unwrap()), "");
}

/// An event of Claude's with another tool.
fn tool(name: &str, input: Value) -> String {
    let mut event = sample(Client::Claude, "", "/tmp");
    event["tool_name"] = json!(name);
    event["tool_input"] = input;
    event.to_string()
}

#[test]
fn tools_besides_the_shell_are_judged_by_what_they_do() {
    let service = Service::with("", "confirmation_timeout_seconds = 1");
    let here = service.folder.path();
    for (name, input, decision) in [
        ("Read", json!({"file_path": "/etc/hostname"}), "allow"),
        ("Read", json!({"file_path": here.join(".ssh/id_rsa")}), "deny"),
        ("Read", json!({"file_path": "~/.ssh/id_rsa"}), "deny"),
        ("Read", json!({"file_path": "/proc/self/cwd/../state/approve-token"}), "block"),
        ("Grep", json!({"pattern": "x", "path": "/usr/share/doc"}), "allow"),
        ("Grep", json!({"pattern": "x", "path": here.join("state")}), "block"),
        ("Grep", json!({"pattern": "x", "path": "~/.ssh"}), "deny"),
        ("Grep", json!({"pattern": "x", "glob": ".env"}), "deny"),
        ("Glob", json!({"pattern": "~/.ssh/*"}), "deny"),
        ("Glob", json!({"pattern": "**/*.rs", "path": "/usr/share/doc"}), "allow"),
        ("LS", json!({"path": "/usr/share/doc"}), "allow"),
        ("Write", json!({"file_path": "~/.claude/settings.json", "content": "{}"}), "block"),
        ("Write", json!({"file_path": "/tmp/.claude/settings.local.json", "content": "{}"}), "block"),
        ("Read", json!({"file_path": "~/.claude/settings.json"}), "allow"),
        ("Write", json!({"file_path": here.join("state/token"), "content": "x"}), "deny"),
        ("Edit", json!({"file_path": "/etc/passwd", "old_string": "a", "new_string": "b"}), "deny"),
        ("mcp__db__query", json!({"sql": "select 1"}), "deny"),
        ("mcp__shell__run", json!({"command": "ls"}), "deny"),
        ("TodoWrite", json!({"todos": []}), "pass"),
    ] {
        let heard = text(&run(here, &["claude"], tool(name, input).as_bytes()));
        let expected = match decision {
            "pass" => "{}".to_owned(),
            // No question was asked.
            "block" => "as regras não permitem".to_owned(),
            decision => format!("\"{decision}\""),
        };
        assert!(heard.contains(&expected), "{name}: {heard}");
    }
}

/// What a call does stands once in its input, and nothing beside it that is not known. The answer says what to leave out.
#[test]
fn a_call_that_says_two_things_is_not_understood() {
    let service = Service::with("", "confirmation_timeout_seconds = 1");
    let here = service.folder.path();
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    let wrong = "rm -rf /";
    for (client, tool, input, field) in [
        (Client::Copilot, "write_bash", json!({"command": "ls", "input": wrong}), "input"),
        (Client::Codex, "exec_command", json!({"command": "ls", "cmd": wrong}), "cmd"),
        (Client::OpenAiAgents, "shell", json!({"command": "ls", "commands": [wrong]}), "commands"),
        (Client::Codex, "apply_patch", json!({"command": patch, "patchText": patch}), "patchText"),
        (Client::Cursor, "Shell", json!({"command": "ls", "script": wrong}), "script"),
        (Client::Claude, "Bash", json!({"command": "ls", "argv": ["rm", "-rf", "/"]}), "argv"),
        (Client::Gemini, "run_shell_command", json!({"command": "ls", "text": wrong}), "text"),
        (Client::OpenCode, "bash", json!({"command": "ls", "commandLine": wrong}), "commandLine"),
        (
            Client::Claude,
            "Read",
            json!({"file_path": "/etc/hostname", "other_path": "/etc/shadow"}),
            "other_path",
        ),
        (Client::Claude, "Write", json!({"file_path": "a", "content": "x", "contents": "y"}), "contents"),
    ] {
        let mut sent = sample(client, "ls", here.to_str().unwrap());
        let names = [("tool_name", "tool_input"), ("toolName", "toolArgs"), ("tool", "args")];
        if client == Client::Cursor {
            sent["hook_event_name"] = json!("preToolUse");
            (sent["tool_name"], sent["tool_input"]) = (json!(""), json!({}));
        }
        let (name, place) = names.into_iter().find(|(name, _)| sent.get(name).is_some()).unwrap();
        (sent[name], sent[place]) = (json!(tool), input);
        let said = failed(&run(here, &[client.name()], sent.to_string().as_bytes()));
        assert!(said.contains(field) && said.contains("call the tool with"), "{client} {tool}: {said}");
    }
    // Patterns are patterns, and a view is no write.
    std::fs::write(here.join(".env"), "KEY=x\n").unwrap();
    for (client, event, tool, input) in [
        (Client::Gemini, "BeforeTool", "read_many_files", json!({"include": [".e*"]})),
        (Client::Gemini, "BeforeTool", "read_many_files", json!({"paths": ["~/.ssh/*"]})),
        (
            Client::Claude,
            "PreToolUse",
            "str_replace_editor",
            json!({"command": "view", "path": "~/.ssh/id_rsa"}),
        ),
    ] {
        let sent = json!({"hook_event_name": event, "cwd": here, "tool_name": tool, "tool_input": input});
        let heard = text(&run(here, &[client.name()], sent.to_string().as_bytes()));
        assert!(heard.contains("\"deny\""), "{tool} {input}: {heard}");
    }
}

#[test]
fn a_large_file_is_no_obstacle() {
    let service = Service::with("", "confirmation_timeout_seconds = 1");
    let input = json!({"file_path": "/etc/passwd", "content": "x".repeat(2_000_000)});
    let heard = text(&run(service.folder.path(), &["claude"], tool("Write", input).as_bytes()));
    assert!(heard.contains("deny"), "{heard}");
}

#[test]
fn tools_are_denied_passed_or_asked_as_configured() {
    let lists = "[hooks]\ndenied_tools = [\"WebFetch\", \"mcp__db__*\"]\npassed_tools = [\"mcp__*\"]\nunknown_tools = \"deny\"";
    let service = Service::on(with(lists));
    for (name, input, expected) in [
        ("WebFetch", json!({"url": "https://example.org"}), "denied-tool"),
        ("webfetch", json!({}), "denied-tool"),
        ("mcp__db__query", json!({}), "denied-tool"),
        ("mcp__docs__find", json!({}), "{}"),
        ("NewTool", json!({}), "unknown-tool"),
    ] {
        // An event of a denied tool whose input is not understood is denied before that is seen, or as a failure.
        let output = run(service.folder.path(), &["claude"], tool(name, input).as_bytes());
        if output.status.code() == Some(0) {
            let heard = text(&output);
            assert!(heard.contains(expected), "{name}: {heard}");
        } else {
            failed(&output);
        }
    }
    let rules: Vec<String> = service
        .journal()
        .iter()
        .filter(|line| line["event"] == "refusal")
        .map(|line| line["findings"][0]["rule"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        rules.contains(&"denied-tool".to_owned()) && rules.contains(&"unknown-tool".to_owned()),
        "{rules:?}"
    );
}

#[test]
fn without_a_service_it_judges_by_itself_where_that_is_configured() {
    let folder = with("[hooks]\nwithout_service = \"judge\"");
    let here = folder.path();
    for program in programs() {
        let ask = |command: &str| {
            let event = sample(Client::Claude, command, "/tmp").to_string();
            text(&start(program, here, &["claude"], event.as_bytes()).wait_with_output().unwrap())
        };
        assert_eq!(ask("ls"), answer(Client::Claude, "allow", "guarda: approved (policy)"));
        assert!(ask(CATASTROPHE).contains("\"deny\""));
        assert!(ask("rm -r build").contains("\"deny\""), "nobody can be asked");
    }
    let files = std::fs::read_dir(here.join("state/journal")).unwrap();
    let lines: String =
        files.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default()).collect();
    assert!(lines.contains("without a service") && lines.contains("no-preserve-root"), "{lines}");
    // An action that cannot be recorded is not allowed.
    let journal = here.join("state/journal");
    std::fs::remove_dir_all(&journal).unwrap();
    std::fs::write(&journal, "").unwrap();
    let event = sample(Client::Claude, "ls", "/tmp").to_string();
    failed(&run(here, &["claude"], event.as_bytes()));
}

#[test]
fn a_client_whose_hooks_are_addresses_is_answered_too() {
    let service = leaving();
    let ask =
        |client: &str, event: &Value| service.post(&format!("/v1/hooks/{client}"), event.to_string()).send();
    let event = |command| sample(Client::Claude, command, "/tmp");
    let heard = ask("claude", &event("ls"));
    assert_eq!(
        (heard.status, heard.body.as_str()),
        (200, answer(Client::Claude, "allow", "guarda: approved (policy)").as_str())
    );
    assert!(ask("claude", &event(CATASTROPHE)).body.contains("\"deny\""));
    assert_eq!(ask("nobody", &event("ls")).problem(), "not-found");
    assert_eq!(ask("claude", &json!({})).problem(), "misread");
    let path = "/v1/hooks/claude";
    assert_eq!(
        service.post(path, event("ls").to_string()).token(&service.approve).send().problem(),
        "forbidden"
    );
    assert_eq!(
        service.post(path, event("ls").to_string()).header("Authorization", "").send().problem(),
        "unauthorized"
    );
}

/// Runs `guarda` with a home folder of its own.
fn guarda(folder: &Path, words: &[&str]) -> Output {
    crate::common::guarda(folder).args(words).output().unwrap()
}

const CLAUDE: &str = ".claude/settings.json";

#[test]
fn a_hook_is_installed_tried_and_removed() {
    let service = Service::start();
    let here = service.folder.path();
    for (client, file) in [
        ("claude", CLAUDE),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("copilot", ".copilot/hooks/guarda.json"),
        ("cursor", ".cursor/hooks.json"),
        ("opencode", ".config/opencode/plugin/guarda.js"),
    ] {
        let file = here.join(file);
        let doctor = guarda(here, &["hook", "doctor", client]);
        assert_eq!(doctor.status.code(), Some(1), "{client} is not installed: {doctor:?}");
        let installed = guarda(here, &["hook", "install", client]);
        assert_eq!(installed.status.code(), Some(0), "{installed:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            text.contains("guarda-hook") && text.contains("610"),
            "the deadline is ten minutes and 10 s: {text}"
        );
        let doctor = guarda(here, &["hook", "doctor", client]);
        assert_eq!(doctor.status.code(), Some(0), "{client}: {}", String::from_utf8_lossy(&doctor.stdout));
        guarda(here, &["hook", "install", client]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "a second time changes nothing");
        let removed = guarda(here, &["hook", "remove", client]);
        assert_eq!(removed.status.code(), Some(0), "{removed:?}");
        assert!(!std::fs::read_to_string(&file).unwrap_or_default().contains("guarda"), "{client}");
    }
}

#[test]
fn what_a_client_starts_is_what_was_installed() {
    let service = Service::start();
    let here = service.folder.path();
    guarda(here, &["hook", "install", "claude"]);
    let settings: Value = serde_json::from_str(&std::fs::read_to_string(here.join(CLAUDE)).unwrap()).unwrap();
    let handler = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!((handler["onFailure"].as_str(), handler["timeout"].as_u64()), (Some("block"), Some(615)));
    let program = handler["command"].as_str().unwrap();
    let words: Vec<&str> =
        handler["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let event = sample(Client::Claude, CATASTROPHE, "/tmp").to_string();
    let output = start((program, &[]), here, &words, event.as_bytes()).wait_with_output().unwrap();
    assert!(text(&output).contains("\"deny\""));
    // The others start a line in a shell.
    guarda(here, &["hook", "install", "gemini"]);
    let settings: Value =
        serde_json::from_str(&std::fs::read_to_string(here.join(".gemini/settings.json")).unwrap()).unwrap();
    let handler = &settings["hooks"]["BeforeTool"][0]["hooks"][0];
    assert_eq!(handler["timeout"], 615_000, "Gemini counts in milliseconds");
    let event = sample(Client::Gemini, CATASTROPHE, "/tmp").to_string();
    let line = handler["command"].as_str().unwrap();
    let output = start(("/bin/sh", &["-c"]), here, &[line], event.as_bytes()).wait_with_output().unwrap();
    assert!(text(&output).contains("\"deny\""));
}

#[test]
fn settings_that_cannot_be_read_are_left_alone_and_not_protected() {
    let service = Service::start();
    let here = service.folder.path();
    let file = here.join(CLAUDE);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{ broken").unwrap();
    assert_eq!(guarda(here, &["hook", "install", "claude"]).status.code(), Some(1));
    assert_eq!(guarda(here, &["hook", "remove", "claude"]).status.code(), Some(1));
    assert_eq!(guarda(here, &["hook", "doctor", "claude"]).status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{ broken");
    std::fs::write(&file, "{\"disableAllHooks\": true}").unwrap();
    guarda(here, &["hook", "install", "claude"]);
    let doctor = guarda(here, &["hook", "doctor", "claude"]);
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("disableAllHooks"), "{doctor:?}");
}

#[test]
fn the_plugin_of_opencode_throws_unless_it_hears_a_yes() {
    let mut service = Service::start();
    let here = service.folder.path().to_owned();
    guarda(&here, &["hook", "install", "opencode"]);
    let plugin = here.join(".config/opencode/plugin/guarda.js");
    // Node takes a file for a module by its name.
    let module = here.join("guarda.mjs");
    std::fs::copy(&plugin, &module).unwrap();
    let driver = here.join("driver.mjs");
    let text = "import { Guarda } from './guarda.mjs'\n\
                const session = { get: async ({ path }) => { if (path.id !== 's') throw new Error(path.id); return { data: { title: 'Tidy' } } } }\n\
                const hooks = await Guarda({ client: { session }, directory: process.cwd() })\n\
                const [tool, args] = [process.argv[2], JSON.parse(process.argv[3])]\n\
                try { await hooks['tool.execute.before']({ tool, sessionID: 's', callID: 'c' }, { args }); console.log('runs', args.command) }\n\
                catch (error) { console.log('thrown: ' + error.message) }\n";
    std::fs::write(&driver, text).unwrap();
    let ask = |tool: &str, args: Value| {
        let mut command = Command::new("node");
        command.arg(&driver).args([tool, &args.to_string()]).current_dir(&here).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("GUARDA_STATE_DIR", here.join("state"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let runs = ask("bash", json!({"command": "ls", "description": "x"}));
    assert!(runs.starts_with("runs # ls\n'") && runs.contains("guarda-hook' run "), "{runs}");
    assert_eq!(ask("todowrite", json!({})).trim(), "runs undefined");
    assert!(
        ask("bash", json!({"command": CATASTROPHE})).starts_with("thrown: guarda: as regras não permitem")
    );
    assert!(ask("bash", json!({})).starts_with("thrown: guarda: denied"));
    service.signal(Signal::KILL);
    service.end();
    assert!(ask("bash", json!({"command": "ls"})).starts_with("thrown: guarda: denied"));
}
