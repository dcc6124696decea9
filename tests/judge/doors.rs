//! Every door gives the same verdict for the same command, and a dead guard denies.

#[path = "../effects/lines.rs"]
mod lines;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::common::{Service, folder, guarda, let_pass, python, wait};
use guarda::doors::hook::Client;
use guarda::doors::hook::read::sample;
use serde_json::{Value, json};

/// Deeds from harmless to catastrophic, and some that no rule knows.
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

/// Positions of a deed in a line.
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

/// Clients that take another command from the hook whose event [`sample`] is.
const TAKE_A_COMMAND: [Client; 4] = [Client::Claude, Client::Codex, Client::Gemini, Client::Copilot];

fn lines() -> Vec<String> {
    DEEDS.iter().flat_map(|deed| PLACES.iter().map(move |place| place.replace('@', deed))).collect()
}

/// Runs a program with this standard input.
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

fn hook(service: &Service, client: Client, event: &Value) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_guarda-hook"));
    program.arg(client.name()).env_clear().env("HOME", service.folder.path());
    program.env("GUARDA_STATE_DIR", service.state(""));
    feed(&mut program, event.to_string().as_bytes())
}

/// The real client of the server of tools, with these calls; the server is started by it, or asked over HTTP.
fn tool_client(service: &Service, over_http: bool, calls: &Value) -> Child {
    let root = env!("CARGO_MANIFEST_DIR");
    let server = json!({ "command": env!("CARGO_BIN_EXE_guarda"), "args": ["mcp"], "env": {
        "HOME": service.folder.path(), "PATH": "/usr/bin:/bin", "GUARDA_STATE_DIR": service.state("") } });
    let address = json!({ "url": format!("http://{}/mcp", service.address), "token": service.token });
    let server = if over_http { address } else { server };
    let order = json!({ "server": server, "mode": "auto", "calls": calls }).to_string();
    let mut client = Command::new(python("bin/python"));
    client.arg(format!("{root}/tests/http/mcp/driver.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut client = client.spawn().unwrap();
    client.stdin.take().unwrap().write_all(order.as_bytes()).unwrap();
    client
}

fn end_of_tools(client: Child) -> Value {
    let output = client.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn tools(service: &Service, calls: &Value) -> Value {
    end_of_tools(tool_client(service, false, calls))["results"].clone()
}

/// A service with a folder of requests, whose hooks leave a line to their client or run it through the guard, and are judged as
/// every other door is.
fn with_folder(server: &str, runner: &str) -> (Service, PathBuf) {
    let folder = folder(server, "");
    let file = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, format!("{text}\n[hooks]\nprofile = \"desktop\"\nrun = \"{runner}\"\n")).unwrap();
    let ipc = folder.path().join("ipc");
    let service = Service::with_words(folder, &["--ipc", ipc.to_str().unwrap()]);
    (service, ipc)
}

/// Puts a request into the folder.
fn put(ipc: &Path, name: &str, command: &str, cwd: &Path) {
    let text = json!({
        "type": "security:bash_check", "request_id": name, "session": name, "command": command, "cwd": cwd,
    });
    let draft = ipc.join(format!("requests/.{name}"));
    std::fs::write(&draft, text.to_string()).unwrap();
    std::fs::rename(draft, ipc.join(format!("requests/{name}.json"))).unwrap();
}

/// The folder's answers to each line.
fn letters(ipc: &Path, lines: &[String], cwd: &Path) -> Vec<String> {
    let mut decisions = Vec::new();
    for (part, chunk) in lines.chunks(8).enumerate() {
        for (number, line) in chunk.iter().enumerate() {
            put(ipc, &format!("l-{part}-{number}"), line, cwd);
        }
        for number in 0..chunk.len() {
            let file = ipc.join(format!("responses/l-{part}-{number}.json"));
            let text = wait("an answer", || std::fs::read_to_string(&file).ok());
            let answer: Value = serde_json::from_str(&text).unwrap();
            decisions.push(answer["decision"].as_str().unwrap().to_owned());
        }
    }
    decisions
}

/// The place of a container.
pub fn container(service: &Service) -> PathBuf {
    let added = guarda(service.folder.path()).args(["token", "add", "agent"]).output().unwrap();
    assert!(added.status.success(), "{added:?}");
    let place = service.state("containers/agent");
    wait("the socket", || place.join("guarda.sock").exists().then_some(()));
    place
}

/// Posts to a socket, with the token beside it where there is one.
fn post_to(socket: &Path, token: Option<&str>, path: &str, body: &Value) -> std::io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    let (body, bearer) = (body.to_string(), token.map(|token| format!("Authorization: Bearer {token}\r\n")));
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: guarda\r\nConnection: close\r\nContent-Type: application/json\r\n\
         {}Content-Length: {}\r\n\r\n{body}",
        bearer.unwrap_or_default(),
        body.len()
    );
    stream.write_all(request.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

pub fn judged_at(socket: &Path, token: Option<&str>, body: &Value) -> Value {
    let text = post_to(socket, token, "/v1/judge", body).unwrap();
    let body = text.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{text}"))
}

/// A judgement's two statuses: for a caller who runs the line, and if the guard runs it.
fn statuses(judged: &Value) -> (String, String) {
    let [text, run] = [&judged["status"], &judged["run"]["status"]]
        .map(|status| status.as_str().unwrap_or_else(|| panic!("{judged}")).to_owned());
    (text, run)
}

/// True for a line that only changes its shell, and is left to the client's own.
fn only_the_shell(line: &str) -> bool {
    let changes = ["cd", "pushd", "popd", "export", "unset", "alias", "unalias", "umask"];
    let first = line.split_whitespace().next().unwrap_or_default();
    changes.contains(&first) && !line.contains([';', '|', '&', '\n', '$', '`', '<', '>'])
}

/// The event in its own session, without marks from other lines.
fn afresh(mut event: Value, session: &str) -> Value {
    for name in ["session_id", "sessionId", "sessionID", "conversation_id", "session"] {
        if let Some(given) = event.get_mut(name) {
            *given = json!(session);
        }
    }
    event
}

/// The client's decision, as `allow` or `deny`.
fn heard(client: Client, answer: &str) -> &'static str {
    let denies = ["\"deny\"", "\"permission\":\"deny\""].iter().any(|word| answer.contains(word));
    let allows = answer.contains("\"allow\"") || (client == Client::Codex && answer.trim().is_empty());
    match (allows, denies) {
        (true, false) => "allow",
        (false, true) => "deny",
        other => panic!("{client} {other:?} {answer}"),
    }
}

/// Both statuses of a line are the same through every door.
fn every_door_says_the_same(lines: &[String], runner: &str) {
    // No person can be asked, so questions are denied at once; the record tells the two apart.
    let (service, ipc) = with_folder("answer_over_http = false", runner);
    let folder = service.folder.path();
    let place = container(&service);
    let token = std::fs::read_to_string(place.join("token")).unwrap();

    let input: String =
        lines.iter().map(|line| format!("{}\n", json!({ "cmd": line, "cwd": folder }))).collect();
    let output = feed(guarda(folder).args(["check", "--jsonl"]), input.as_bytes());
    let by_line: Vec<(String, String)> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| statuses(&serde_json::from_str(line).unwrap()))
        .collect();
    assert_eq!(by_line.len(), lines.len());
    let mut kinds: BTreeMap<&(String, String), usize> = BTreeMap::new();
    for both in &by_line {
        *kinds.entry(both).or_default() += 1;
    }
    println!("{} lines, hooks run by the {runner}, by status and run.status: {kinds:?}", lines.len());
    let seen: BTreeSet<&str> = by_line.iter().flat_map(|(text, run)| [&**text, &**run]).collect();
    assert_eq!(seen.len(), 4, "all statuses are among them: {kinds:?}");

    let calls: Vec<Value> =
        lines.iter().map(|line| json!(["check_command", { "command": line, "cwd": folder }])).collect();
    let by_tools = tools(&service, &json!(calls));
    let by_letter = letters(&ipc, lines, folder);

    let mut differences = Vec::new();
    let mut same = |door: &dyn std::fmt::Display, line: &str, told: (&str, &str), expected: (&str, &str)| {
        if told != expected {
            differences.push(format!("{door}: {told:?} instead of {expected:?}: {line}"));
        }
    };
    for (number, (line, (text, run))) in lines.iter().zip(&by_line).enumerate() {
        let session = format!("s-{number}");
        let body = json!({ "action": "RUN_COMMAND", "target": line, "cwd": folder, "session": session });
        for (door, judged) in [
            ("HTTP", &service.post("/v1/judge", body.to_string()).send().json()),
            ("socket", &judged_at(&service.state("guarda.sock"), None, &body)),
            ("container", &judged_at(&place.join("guarda.sock"), Some(token.trim()), &body)),
            ("MCP", &by_tools[number]["structured"]),
        ] {
            let (told_text, told_run) = statuses(judged);
            same(&door, line, (&told_text, &told_run), (text, run));
        }
        let decision = |status: &str| if status == "approved" { "allow" } else { "deny" };
        same(&"folder", line, (&by_letter[number], ""), (decision(text), ""));
        let event = json!({ "client": "claude", "tool": "Bash", "does": { "run": line }, "cwd": folder,
            "session": session });
        let by_event = service.post("/v1/events", event.to_string()).send().json();
        same(&"event", line, (by_event["status"].as_str().unwrap(), ""), (text, ""));
        for client in Client::ALL {
            let runs = runner == "guard" && TAKE_A_COMMAND.contains(&client) && !only_the_shell(line);
            let decision = decision(if runs { run } else { text });
            let event = afresh(sample(client, line, folder.to_str().unwrap()), &session);
            let answer = service.post(&format!("/v1/hooks/{client}"), event.to_string()).send();
            assert_eq!(answer.status, 200, "{client}: {line}");
            same(&client, line, (heard(client, &answer.body), ""), (decision, ""));
            // The programs answer the same as the service; a share of the lines shows that.
            if number % 17 == 0 && client == Client::ALL[number % Client::ALL.len()] {
                let output = hook(&service, client, &event);
                let answer = String::from_utf8(output.stdout).unwrap();
                assert_eq!(output.status.code(), Some(0), "{client}: {line}");
                same(&client, line, (heard(client, &answer), "program"), (decision, "program"));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences[..differences.len().min(100)].join("\n")
    );
    let verdicts: BTreeMap<&String, &String> =
        lines.iter().zip(by_line.iter().map(|(text, _)| text)).collect();
    let of_hooks: Vec<Value> = service.journal().into_iter().filter(|line| line["door"] == "hook").collect();
    assert!(of_hooks.len() >= lines.len() * 8, "every event is recorded: {}", of_hooks.len());
    for line in of_hooks {
        let (command, verdict) = (line["command"].as_str().unwrap(), line["verdict"].as_str().unwrap());
        // Where a secret is hidden in the record the line is another one.
        if let Some(status) = verdicts.get(&command.to_owned()) {
            assert_eq!(verdict, **status, "{command}");
        }
    }
}

/// The lines of the tests of effects; or those of the folder `GUARDA_CORPORA`, whose `*.jsonl` files have a `cmd` on each line.
fn collected() -> Vec<String> {
    let Some(folder) = std::env::var_os("GUARDA_CORPORA") else {
        let some = lines::all().into_iter().step_by(12).map(|line| line.text);
        // Of those that need a password there are few.
        return some.chain(["sudo ls".to_owned()]).collect();
    };
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "jsonl"));
    let texts: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let parsed = texts.iter().flat_map(|text| text.lines());
    let parsed = parsed.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines = parsed.filter_map(|line| Some(line["cmd"].as_str()?.to_owned()));
    // These no door takes.
    lines.filter(|line| line.chars().count() <= 4096 && !line.contains('\0')).collect()
}

#[test]
fn five_hundred_commands_get_one_verdict_through_every_door() {
    let lines = lines();
    assert_eq!(lines.len(), 500);
    every_door_says_the_same(&lines, "client");
}

#[test]
fn what_becomes_of_a_line_is_the_same_through_every_door() {
    every_door_says_the_same(&collected(), "guard");
}

/// A door, and how a caller comes through it with a command: whether it was denied, and the answer.
type Door<'a> = (&'static str, Box<dyn Fn(&str) -> (bool, String) + 'a>);

/// Every door of a service, with the check that its caller was refused.
fn doors<'a>(service: &'a Service, ipc: &'a Path, place: &'a Path, token: &'a str) -> Vec<Door<'a>> {
    let action = |command: &str| json!({ "action": "RUN_COMMAND", "target": command });
    let answered = |told: std::io::Result<String>| match told {
        Err(error) => (true, error.to_string()),
        Ok(text) => (!text.contains("\"done\"") && !text.contains("\"approved\""), text),
    };
    let socket = move |socket: PathBuf, token: Option<&'a str>| {
        move |command: &str| answered(post_to(&socket, token, "/v1/actions", &action(command)))
    };
    let tools = move |name: &'static str, over_http: bool| {
        move |command: &str| {
            let arguments = match name {
                "desktop_action" => action(command),
                _ => json!({ "command": command }),
            };
            let told = end_of_tools(tool_client(service, over_http, &json!([[name, arguments]])));
            let failed = told.get("failed").is_some() || told["results"][0].get("refused").is_some();
            (failed || told["results"][0]["error"] == true, told["results"].to_string())
        }
    };
    // The ones whose clients are long in starting come first.
    let mut doors: Vec<Door<'a>> = vec![
        ("MCP execute_bash", Box::new(tools("execute_bash", false))),
        ("MCP desktop_action", Box::new(tools("desktop_action", false))),
        ("MCP over HTTP", Box::new(tools("desktop_action", true))),
        (
            "HTTP",
            Box::new(move |command| {
                let Ok(mut stream) = std::net::TcpStream::connect(&service.address) else {
                    return (true, "refused".to_owned());
                };
                let call =
                    service.post("/v1/actions", action(command).to_string()).header("Connection", "close");
                let mut text = String::new();
                let told = stream.write_all(&call.bytes()).and_then(|()| stream.read_to_string(&mut text));
                answered(told.map(|_| text))
            }),
        ),
        ("socket", Box::new(socket(service.state("guarda.sock"), None))),
        ("container", Box::new(socket(place.join("guarda.sock"), Some(token)))),
        (
            "act",
            Box::new(move |command| {
                let told =
                    guarda(service.folder.path()).args(["act", "RUN_COMMAND", command]).output().unwrap();
                (!told.status.success() && !told.stderr.is_empty(), format!("{told:?}"))
            }),
        ),
        (
            "folder",
            Box::new(move |command| {
                // No answer is a no.
                let name = uuid(command);
                put(ipc, &name, command, service.folder.path());
                let_pass(1000, "its asker gives up by itself");
                let answer = std::fs::read_to_string(ipc.join(format!("responses/{name}.json")));
                answer.map_or((true, "silence".to_owned()), |text| (!text.contains("\"allow\""), text))
            }),
        ),
    ];
    for client in Client::ALL {
        doors.push((
            client.name(),
            Box::new(move |command| {
                let event = sample(client, command, service.folder.path().to_str().unwrap());
                let told = hook(service, client, &event);
                let code = told.status.code();
                (code == Some(2) && told.stdout.is_empty() && !told.stderr.is_empty(), format!("{told:?}"))
            }),
        ));
    }
    doors
}

/// A name for a letter that no other letter has.
fn uuid(command: &str) -> String {
    use std::hash::{BuildHasher as _, RandomState};
    format!("n-{:x}", RandomState::new().hash_one(command))
}

#[test]
fn a_guard_that_is_gone_denies_through_every_door() {
    let (mut service, ipc) = with_folder("", "client");
    let place = container(&service);
    let token = std::fs::read_to_string(place.join("token")).unwrap().trim().to_owned();
    let marker = service.folder.path().join("marker");
    service.signal(rustix::process::Signal::KILL);
    service.end();
    for (door, ask) in doors(&service, &ipc, &place, &token) {
        for command in ["ls".to_owned(), format!("touch {}", marker.display())] {
            let (denied, heard) = ask(&command);
            assert!(denied, "{door}: {command}: {heard}");
        }
    }
    assert!(!marker.exists());
}

#[test]
fn a_guard_that_is_killed_while_it_asks_denies_through_every_door() {
    let (service, ipc) = with_folder("", "client");
    let place = container(&service);
    let token = std::fs::read_to_string(place.join("token")).unwrap().trim().to_owned();
    let marker = service.folder.path().join("marker");
    let command = format!("mkdir {}", marker.display());
    let names: Vec<&str> = doors(&service, &ipc, &place, &token).iter().map(|(door, _)| *door).collect();
    std::thread::scope(|scope| {
        let mut asking = Vec::new();
        // `execute_bash` leaves its question pending and does not wait.
        for door in names.into_iter().filter(|door| *door != "MCP execute_bash") {
            let (service, ipc, place, token, command) = (&service, &ipc, &place, &token, &command);
            let asked = scope.spawn(move || {
                let doors = self::doors(service, ipc, place, token);
                let ask = &doors.iter().find(|(name, _)| *name == door).unwrap().1;
                ask(command)
            });
            asking.push((door, asked));
            // One after the other: a client that is long in starting takes nothing of the time of those that ask.
            let stand = asking.len();
            wait(&format!("{door} asks"), || {
                let ended = asking.iter().position(|(door, asked)| *door != "folder" && asked.is_finished());
                if let Some((door, asked)) = ended.map(|place| asking.swap_remove(place)) {
                    service.signal(rustix::process::Signal::KILL);
                    panic!("{door} ended before the guard did: {:?}", asked.join());
                }
                (service.questions().len() == stand).then_some(())
            });
        }
        service.signal(rustix::process::Signal::KILL);
        for (door, asked) in asking {
            let (denied, heard) = asked.join().unwrap();
            assert!(denied, "{door}: {heard}");
        }
    });
    assert!(!marker.exists());
}
