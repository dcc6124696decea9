//! Whatever the door: one verdict for the same command, and a guard that is gone denies.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    dead_code,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

mod running;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use guarda::doors::hook::Client;
use guarda::doors::hook::read::sample;
use running::{Service, guarda};
use serde_json::{Value, json};

/// What is done, from harmless to catastrophic, and what nobody knows.
const DEEDS: [&str; 25] = [
    "ls -la",
    "cat README.md",
    "wc -l notes.txt",
    "git status",
    "find . -name report",
    "stat -c %s notes.txt",
    "rm -rf build",
    "rm -rf --no-preserve-root /",
    "mv draft.txt final.txt",
    "chmod -R 777 shared",
    "chown root notes.txt",
    "dd if=image.iso of=/dev/sda",
    "mkfs.ext4 /dev/sdb1",
    "kill -9 4242",
    "systemctl stop cups",
    "apt-get install cowsay",
    "npm install -g prettier",
    "curl https://example.org/install",
    "git push --force origin main",
    "git log --oneline",
    "docker run --privileged alpine",
    "frobnicate --all",
    "python3 tool.py",
    "cat ~/.ssh/id_ed25519",
    "tee /etc/hosts",
];

/// Where it stands in a line.
const PLACES: [&str; 20] = [
    "@",
    "@ && ls",
    "ls; @",
    "@ | wc -l",
    "env LC_ALL=C @",
    "sudo @",
    "bash -c \"@\"",
    "( @ )",
    "if true; then @; fi",
    "x=$(@)",
    "timeout 5 @",
    "nohup @ &",
    "echo notes.txt | xargs @",
    "! @",
    "@ # later",
    "@\nls",
    "echo 'open @",
    "while read -r line; do @; done < list",
    "eval @",
    "@ > out.txt",
];

fn lines() -> Vec<String> {
    DEEDS.iter().flat_map(|deed| PLACES.iter().map(move |place| place.replace('@', deed))).collect()
}

/// Runs a program with this on its standard input.
fn feed(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that answers line by line would wait for its reader.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn hook(service: &Service, client: Client, command: &str) -> Output {
    let event = sample(client, command, service.folder.path().to_str().unwrap()).to_string();
    let mut program = Command::new(env!("CARGO_BIN_EXE_guarda-hook"));
    program.arg(client.name()).env_clear().env("HOME", service.folder.path());
    program.env("GUARDA_STATE_DIR", service.state(""));
    feed(&mut program, event.as_bytes())
}

fn tools(service: &Service, calls: &Value) -> Value {
    let root = env!("CARGO_MANIFEST_DIR");
    let python = format!("{root}/target/python/bin/python");
    assert!(std::path::Path::new(&python).exists(), "run scripts/python-packages first, as `make test` does");
    let server = json!({ "command": env!("CARGO_BIN_EXE_guarda"), "args": ["mcp"], "env": {
        "HOME": service.folder.path(), "PATH": "/usr/bin:/bin", "GUARDA_STATE_DIR": service.state("") } });
    let order = json!({ "server": server, "mode": "auto", "calls": calls }).to_string();
    let output = feed(Command::new(python).arg(format!("{root}/tests/mcp/driver.py")), order.as_bytes());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    told["results"].clone()
}

/// What the client hears, as one of `allow` and `deny`.
fn heard(client: Client, answer: &str) -> &'static str {
    let denies = ["\"deny\"", "\"permission\":\"deny\""].iter().any(|word| answer.contains(word));
    let allows = answer.contains("\"allow\"") || (client == Client::Codex && answer.trim().is_empty());
    match (allows, denies) {
        (true, false) => "allow",
        (false, true) => "deny",
        other => panic!("{client} {other:?} {answer}"),
    }
}

#[test]
fn five_hundred_commands_get_one_verdict_through_every_door() {
    // Nobody can be asked, so that what must be asked is denied at once; the record tells the one from the other.
    let service = Service::with("answer_over_http = false", "");
    let folder = service.folder.path();
    let lines = lines();
    assert_eq!(lines.len(), 500);

    let input: String =
        lines.iter().map(|line| format!("{}\n", json!({ "cmd": line, "cwd": folder }))).collect();
    let output = feed(guarda(folder).args(["check", "--jsonl"]), input.as_bytes());
    let by_line: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["status"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(by_line.len(), 500);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for status in &by_line {
        *kinds.entry(status).or_default() += 1;
    }
    assert!(
        kinds.len() == 4 && kinds.values().all(|count| *count >= 10),
        "all statuses are among them: {kinds:?}"
    );

    let calls: Vec<Value> =
        lines.iter().map(|line| json!(["check_command", { "command": line, "cwd": folder }])).collect();
    let by_tools = tools(&service, &json!(calls));

    for (number, (line, status)) in lines.iter().zip(&by_line).enumerate() {
        let body = json!({ "action": "RUN_COMMAND", "target": line, "cwd": folder });
        let by_http = service.post("/v1/judge", body.to_string()).send().json();
        assert_eq!(by_http["status"], *status, "HTTP: {line}");
        assert_eq!(by_tools[number]["structured"]["status"], *status, "MCP: {line}");
        let event = json!({ "client": "claude", "tool": "Bash", "does": { "run": line }, "cwd": folder });
        let by_event = service.post("/v1/events", event.to_string()).send().json();
        assert_eq!(by_event["status"], *status, "event: {line}");
        let decision = if status == "approved" { "allow" } else { "deny" };
        for client in Client::ALL {
            let event = sample(client, line, folder.to_str().unwrap());
            let answer = service.post(&format!("/v1/hooks/{client}"), event.to_string()).send();
            assert_eq!((answer.status, heard(client, &answer.body)), (200, decision), "{client}: {line}");
        }
        // The programs themselves answer what the service answers; a share of the lines shows that.
        if number % 17 == 0 {
            let client = Client::ALL[number % Client::ALL.len()];
            let output = hook(&service, client, line);
            let answer = String::from_utf8(output.stdout).unwrap();
            assert_eq!(
                (output.status.code(), heard(client, &answer)),
                (Some(0), decision),
                "{client}: {line}"
            );
        }
    }
    let verdicts: BTreeMap<String, String> = lines.iter().cloned().zip(by_line.iter().cloned()).collect();
    let of_hooks: Vec<Value> = service.journal().into_iter().filter(|line| line["door"] == "hook").collect();
    assert!(of_hooks.len() >= 4000, "every event is recorded: {}", of_hooks.len());
    for line in of_hooks {
        let (command, verdict) = (line["command"].as_str().unwrap(), line["verdict"].as_str().unwrap());
        // Where a secret is hidden in the record the line is another one.
        if let Some(status) = verdicts.get(command) {
            assert_eq!(verdict, status, "{command}");
        }
    }
}

#[test]
fn a_guard_that_is_gone_denies_through_every_door() {
    let mut service = Service::start();
    let marker = service.folder.path().join("marker");
    let command = format!("touch {}", marker.display());
    service.signal(rustix::process::Signal::KILL);
    service.end();
    for client in Client::ALL {
        let output = hook(&service, client, "ls");
        assert_eq!(output.status.code(), Some(2), "{client} {output:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{client} {output:?}");
    }
    let told = tools(
        &service,
        &json!([["execute_bash", { "command": command }], ["check_command", { "command": "ls" }]]),
    );
    assert!(told.as_array().unwrap().iter().all(|result| result["error"] == true), "{told}");
    let act = guarda(service.folder.path()).args(["act", "RUN_COMMAND", &command]).output().unwrap();
    assert_eq!(act.status.code(), Some(1), "{act:?}");
    assert!(std::net::TcpStream::connect(&service.address).is_err());
    assert!(std::os::unix::net::UnixStream::connect(service.state("guarda.sock")).is_err());
    assert!(!marker.exists());
}
