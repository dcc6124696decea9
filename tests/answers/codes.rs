//! Answers that a program could give: a yes from elsewhere requires the code that only the desktop shows.

use std::process::Output;

use serde_json::{Value, json};

use crate::common::{Call, until};
use crate::terminal::Terminal;

const CONFIG: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[channels]\nnotification = false\nmcp = true\n\
                      [language]\ndefault = \"en\"\n[security]\nconfirmation_timeout_seconds = 120\n";
const GUARDA: &str = env!("CARGO_BIN_EXE_guarda");

/// A service in a terminal, which tells its log to a file, and everything that it ever replied.
struct Desk {
    terminal: Terminal,
    replies: std::sync::Mutex<Vec<String>>,
}

impl Desk {
    fn start() -> Self {
        let serve = format!("GUARDA_LOG=trace exec {GUARDA} serve 2>>log");
        let terminal = Terminal::with(CONFIG, &["sh", "-c", &serve]);
        Self { terminal, replies: std::sync::Mutex::default() }
    }

    fn send(&self, call: &Call) -> (u16, Value) {
        let answer = call.send();
        self.replies.lock().unwrap().push(answer.body.clone());
        (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::String(answer.body)))
    }

    fn get(&self, path: &str) -> (u16, Value) {
        let guard = &self.terminal.guard;
        self.send(&guard.get(path).token(&guard.approve))
    }

    fn answer(&self, id: &str, body: &Value) -> (u16, Value) {
        self.post(&format!("/v1/questions/{id}/answer"), &self.terminal.guard.approve, body)
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> (u16, Value) {
        self.send(&self.terminal.guard.post(path, body.to_string()).token(token))
    }

    /// The number of the question about this command, and the code on its card.
    fn question(&self, command: &str) -> (String, String) {
        let mut found = None;
        until("the card with its code", || {
            let open = self.get("/v1/questions").1;
            let questions = open["questions"].as_array().unwrap();
            let about = questions.iter().find(|question| question["object"] == command);
            let id = about.map(|question| question["id"].as_str().unwrap().to_owned());
            let screen = self.terminal.screen();
            let shown = screen.rsplit_once(command).and_then(|(_, below)| code_in(below));
            found = id.zip(shown);
            found.is_some()
        });
        found.unwrap()
    }

    /// Requests a command and acts while its question is open; returns the reply.
    fn asked(&self, command: &str, then: impl FnOnce(&str, &str)) -> Value {
        std::thread::scope(|scope| {
            let reply = scope.spawn(|| self.terminal.guard.run(command));
            let (id, code) = self.question(command);
            then(&id, &code);
            reply.join().unwrap()
        })
    }

    /// Runs `guarda` as a program of the same user does, without a terminal.
    fn guarda(&self, words: &[&str]) -> Output {
        self.guarda_with(words, "")
    }

    /// The same with this text at its standard input: a code is no argument, which every program could read.
    fn guarda_with(&self, words: &[&str], input: &str) -> Output {
        let mut command = self.terminal.machine.command(GUARDA, words);
        command.env("GUARDA_STATE_DIR", self.terminal.guard.state(""));
        command.env("GUARDA_CONFIG", self.terminal.machine.path("guarda.toml"));
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
        drop(stdin);
        child.wait_with_output().unwrap()
    }
}

/// The four digits in the sentence that tells a code.
pub fn code_in(text: &str) -> Option<String> {
    let told = text.split_once("he code is ")?.1;
    let digits: String = told.get(..7)?.split(' ').collect();
    (digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

fn wrong(code: &str) -> &'static str {
    if code == "0000" { "1111" } else { "0000" }
}

fn kind(reply: &Value) -> &str {
    reply["type"].as_str().unwrap_or_default().rsplit(':').next().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_program_with_only_the_token_cannot_say_yes() {
    let desk = Desk::start();
    let file = desk.terminal.machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = desk.asked(&command, |id, _| {
        assert_eq!(desk.get("/v1/questions").1["questions"][0]["code"], true);
        for body in [
            json!({ "answer": "yes" }),
            json!({ "answer": "always" }),
            json!({ "answer": "modify", "command": "touch other" }),
        ] {
            let (status, told) = desk.answer(id, &body);
            assert_eq!(
                (status, kind(&told), &told["tries_left"]),
                (403, "code-required", &json!(3)),
                "{told}"
            );
            assert!(told["detail"].as_str().unwrap().contains("shown and spoken where"), "{told}");
        }
        // Through the socket, by the command line.
        for words in [&["approve", id][..], &["approve", id, "--always"], &["modify", id, "touch other"]] {
            let output = desk.guarda(words);
            assert_eq!(output.status.code(), Some(1), "{words:?}");
            assert!(said(&output).contains("shown and spoken where"), "{words:?}: {}", said(&output));
        }
        // By the form of the asking client, and by a console of its own.
        let guard = &desk.terminal.guard;
        let path = format!("/v1/questions/{id}/elicited");
        let (status, told) = desk.post(&path, &guard.token, &json!({ "answer": "yes" }));
        assert_eq!((status, kind(&told)), (403, "code-required"), "{told}");
        let path = format!("/console/api/questions/{id}/answer");
        let (status, told) = desk.post(&path, &guard.approve, &json!({ "answer": "yes" }));
        assert_eq!((status, kind(&told)), (403, "forbidden"), "{told}");
        let (status, told) = desk.post("/v1/console/links", &guard.approve, &json!({}));
        assert_eq!((status, kind(&told)), (403, "code-required"), "{told}");
        assert!(!file.exists());
        assert!(desk.guarda(&["deny", id]).status.success(), "a no takes no code");
    });
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&json!("denied"), &json!("person:socket")),
        "{reply}"
    );
    assert!(!file.exists());
}

#[test]
fn the_code_on_the_terminal_says_yes() {
    let desk = Desk::start();
    let file = desk.terminal.machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = desk.asked(&command, |id, code| {
        let (status, told) = desk.answer(id, &json!({ "answer": "yes", "code": wrong(code) }));
        assert_eq!((status, kind(&told), &told["tries_left"]), (403, "code-wrong", &json!(2)), "{told}");
        assert_eq!(desk.answer(id, &json!({ "answer": "yes", "code": code })).0, 200);
    });
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("person:http")), "{reply}");
    std::fs::remove_file(&file).unwrap();
    let reply = desk.asked(&command, |id, code| {
        let output = desk.guarda_with(&["approve", id, "--code"], code);
        assert!(output.status.success(), "{}", said(&output));
    });
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&json!("done"), &json!("person:socket")),
        "{reply}"
    );
    std::fs::remove_file(&file).unwrap();
    // On a terminal the person is asked for it, and once more where it was wrong.
    let reply = desk.asked(&command, |id, code| {
        let tmux = |arguments: &[&str]| desk.terminal.tmux(arguments);
        tmux(&["set-option", "-g", "remain-on-exit", "on"]);
        tmux(&["new-window", "-t", ":1", GUARDA, "approve", id]);
        let other = || tmux(&["capture-pane", "-p", "-t", ":1"]);
        until("it asks for the code", || other().contains("Code (it is shown"));
        tmux(&["send-keys", "-t", ":1", wrong(code), "Enter"]);
        until("it asks again", || other().contains("2 more tries"));
        tmux(&["send-keys", "-t", ":1", code, "Enter"]);
        until("the yes", || other().contains("yes"));
    });
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&json!("done"), &json!("person:socket")),
        "{reply}"
    );
    assert!(file.exists());
}

#[test]
fn three_wrong_codes_deny_and_are_recorded_and_told() {
    let desk = Desk::start();
    let file = desk.terminal.machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = desk.asked(&command, |id, code| {
        for left in [2, 1, 0] {
            let (status, told) = desk.answer(id, &json!({ "answer": "yes", "code": wrong(code) }));
            assert_eq!(
                (status, kind(&told), &told["tries_left"]),
                (403, "code-wrong", &json!(left)),
                "{told}"
            );
        }
        let late = desk.answer(id, &json!({ "answer": "yes", "code": code })).0;
        assert!(matches!(late, 404 | 409), "{late}");
    });
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"], &reply["error"]),
        (&json!("denied"), &json!("guard"), &json!("wrong_codes")),
        "{reply}"
    );
    assert!(!file.exists());
    let journal = desk.terminal.guard.journal();
    let denied = |line: &&Value| line["user_decision"] == "wrong_codes" && line["channel"] == "http";
    assert_eq!(journal.iter().filter(denied).count(), 1, "{journal:?}");
    let guessed = |line: &&Value| line["event"] == "guessed" && line["channel"] == "http";
    assert_eq!(journal.iter().filter(guessed).count(), 3, "{journal:?}");
    until("the desk is told", || desk.terminal.screen().contains("no: three wrong codes"));
}

#[test]
fn the_console_opens_with_the_code_that_the_desk_shows() {
    let desk = Desk::start();
    let file = desk.terminal.machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = desk.asked(&command, |id, _| {
        assert!(!desk.guarda(&["console"]).status.success());
        let mut code = None;
        until("the code for the console", || {
            let screen = desk.terminal.screen();
            code = screen.split_once("open the console. ").and_then(|(_, below)| code_in(below));
            code.is_some()
        });
        let code = code.unwrap();
        assert!(!desk.guarda_with(&["console", "--code"], wrong(&code)).status.success());
        let output = desk.guarda_with(&["console", "--code"], &code);
        assert!(output.status.success(), "{}", said(&output));
        let link = String::from_utf8(output.stdout).unwrap();
        // A page: it exchanges the code for a secret and answers with that, without another code.
        let guard = &desk.terminal.guard;
        let prefix = format!("http://{}/console/#enter=", guard.address);
        let code = json!({ "code": link.trim().strip_prefix(&prefix).unwrap() }).to_string();
        let entered = guard.post("/console/api/enter", code).header("Authorization", "").send();
        let secret = entered.json()["secret"].as_str().unwrap().to_owned();
        let answer = guard.post(&format!("/console/api/questions/{id}/answer"), r#"{"answer": "yes"}"#);
        let answer = answer.header("Authorization", "").header("X-Guarda-Console", &secret);
        assert_eq!(answer.send().status, 200);
    });
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&json!("done"), &json!("person:console")),
        "{reply}"
    );
}

/// A permission for good needs a code, as a single yes does, and is heeded only for what a question would offer it for.
#[test]
fn a_permanent_yes_needs_a_code_and_what_is_never_offered_is_refused() {
    let desk = Desk::start();
    let home = desk.terminal.machine.home().display().to_string();
    let allow = |command: &str| ["registry", "allow", command, "--cwd", &home].map(str::to_owned);
    let run = |words: &[String], input: &str| {
        desk.guarda_with(&words.iter().map(String::as_str).collect::<Vec<_>>(), input)
    };
    for command in ["git push", "git fetch", "curl https://example.org/", "tee .bashrc", "kill 1"] {
        let output = run(&allow(command), "");
        assert!(!output.status.success(), "{command}: {}", said(&output));
    }
    let plain = allow("localedef --list-archive");
    let output = run(&plain, "");
    assert!(!output.status.success() && said(&output).contains("code"), "{}", said(&output));
    let listed = desk.guarda(&["registry", "list", "--said", "--json"]);
    assert!(!String::from_utf8_lossy(&listed.stdout).contains("always_allow"), "{}", said(&listed));
    let network = |words: &[&str]| desk.guarda(&[&["network"], words].concat());
    assert!(network(&["deny", "evil.example"]).status.success());
    for words in [["allow", "example.org"], ["forget", "evil.example"]] {
        let output = network(&words);
        assert!(!output.status.success() && said(&output).contains("code"), "{words:?}: {}", said(&output));
    }
    let same = network(&["deny", "evil.example"]).stdout;
    assert!(String::from_utf8_lossy(&same).contains("already"), "{}", String::from_utf8_lossy(&same));
    // A prohibition needs none; taking it back does.
    let decide = |word: &str| {
        run(&["registry", word, "localedef --list-archive", "--cwd", &home].map(str::to_owned), "")
    };
    assert!(decide("never").status.success());
    for word in ["ask", "reset"] {
        let output = decide(word);
        assert!(!output.status.success() && said(&output).contains("code"), "{word}: {}", said(&output));
    }
    let output = desk.guarda(&["registry", "init", "--force"]);
    assert!(!output.status.success() && said(&output).contains("code"), "{}", said(&output));
    let listed = desk.guarda(&["registry", "list", "--said", "--json"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("\"never\""), "{}", said(&listed));
}

/// What makes more be done unasked at the command line. `HOME` and `HASH` are put in.
const MORE: &[&[&str]] = &[
    &["registry", "allow", "localedef --list-archive", "--cwd", "HOME"],
    &["registry", "allow", "localedef --list-archive", "--cwd", "HOME", "--reason", "it only reads"],
    &["registry", "ask", "HASH"],
    &["registry", "reset", "HASH"],
    &["registry", "init", "--force"],
    &["trust", "add", "HOME/work"],
    &["network", "allow", "example.org"],
    &["network", "allow", "example.org:8443"],
    &["network", "forget", "evil.example"],
    &["session", "clear", "seen"],
    &["session", "clear", "--all"],
    &["console"],
];

/// The same through the service: the path and the body. `ID` is an open question.
const POSTED: &[(&str, &str)] = &[
    (
        "/v1/console/decisions",
        r#"{"word": "always_allow", "command": "localedef --list-archive", "folder": "HOME"}"#,
    ),
    ("/v1/console/decisions", r#"{"word": "always_ask", "hash": "HASH"}"#),
    ("/v1/console/decisions", r#"{"word": "reset", "hash": "HASH"}"#),
    ("/v1/console/consents", "{}"),
    ("/v1/console/trust", r#"{"folder": "HOME/work", "trusted": true}"#),
    ("/v1/console/links", "{}"),
    ("/v1/sessions/seen/clear", "{}"),
    ("/v1/sessions/*/clear", "{}"),
    ("/v1/questions/ID/answer", r#"{"answer": "yes"}"#),
    ("/v1/questions/ID/answer", r#"{"answer": "always"}"#),
    ("/v1/questions/ID/answer", r#"{"answer": "session"}"#),
    ("/v1/questions/ID/elicited", r#"{"answer": "yes"}"#),
    ("/console/api/registry/HASH/word", r#"{"word": "always_allow", "said": null, "seen": null}"#),
    ("/console/api/trust", r#"{"folder": "HOME/work", "trusted": true}"#),
    ("/console/api/sessions/seen/clear", "{}"),
    ("/console/api/questions/ID/answer", r#"{"answer": "always"}"#),
];

/// A code where every program could read it: an argument. `ID` is an open question.
const ARGUMENTS: &[&[&str]] = &[
    &["console", "--code", "6081"],
    &["console", "--code=6081"],
    &["console", "6081"],
    &["approve", "ID", "--code", "6081"],
    &["approve", "ID", "--code=6081"],
    &["approve", "--code=6081", "ID"],
    &["approve", "ID", "6081"],
    &["modify", "ID", "touch other", "--code", "6081"],
    &["modify", "ID", "touch other", "--code=6081"],
    &["registry", "allow", "localedef --list-archive", "--code", "6081"],
    &["trust", "add", "HOME/work", "--code", "6081"],
    &["network", "allow", "example.org", "--code", "6081"],
    &["session", "clear", "--all", "--code", "6081"],
];

/// Whatever makes more be done unasked needs the code that a single yes needs, however it is given; and no code is an argument.
#[test]
fn no_way_to_more_needs_less_than_a_single_yes() {
    let desk = Desk::start();
    let (guard, home) = (&desk.terminal.guard, desk.terminal.machine.home());
    std::fs::create_dir(home.join("work")).unwrap();
    let marked = desk.post("/v1/sessions/seen/taint", &guard.token, &json!({ "secret": true }));
    assert_eq!(marked.0, 200, "{marked:?}");
    let cwd = home.display().to_string();
    let never = desk.guarda(&["registry", "never", "localedef --list-archive", "--cwd", &cwd]);
    assert!(never.status.success(), "{}", said(&never));
    assert!(desk.guarda(&["network", "deny", "evil.example"]).status.success());
    let rows = || -> Value {
        let listed = desk.guarda(&["registry", "list", "--said", "--json"]);
        serde_json::from_slice(&listed.stdout).unwrap()
    };
    let config = || std::fs::read_to_string(desk.terminal.machine.path("guarda.toml")).unwrap();
    let trusted = || String::from_utf8(desk.guarda(&["trust", "--json"]).stdout).unwrap();
    let marks = || desk.get("/v1/sessions/seen").1["taint"].clone();
    let stand = || (rows(), config(), trusted(), marks());
    let (before, hash) = (stand(), rows()[0]["command_hash"].as_str().unwrap().to_owned());
    let command = format!("touch {cwd}/made");
    let reply = desk.asked(&command, |id, code| {
        let put = |text: &str| text.replace("HOME", &cwd).replace("HASH", &hash).replace("ID", id);
        let words = |row: &[&str]| -> Vec<String> { row.iter().map(|word| put(word)).collect() };
        let run = |words: &[String], input: &str| {
            desk.guarda_with(&words.iter().map(String::as_str).collect::<Vec<_>>(), input)
        };
        for row in MORE {
            for input in ["", "\n", "y\nyes\n", &format!("{code}\n")] {
                let output = run(&words(row), input);
                let told = said(&output);
                assert!(
                    output.status.code() == Some(1) && told.contains("code"),
                    "{row:?} {input:?}: {told}"
                );
            }
        }
        for (path, body) in POSTED {
            let body: Value = serde_json::from_str(&put(body)).unwrap();
            // Three wrong codes would end the question.
            let guesses = [json!(""), json!("12345")];
            let guesses = guesses.into_iter().filter(|_| !path.contains("ID")).map(Some);
            for given in [None, Some(json!(null)), Some(json!(1234))].into_iter().chain(guesses) {
                let mut body = body.clone();
                if let Some(given) = given {
                    body["code"] = given;
                }
                for token in [&guard.token, &guard.approve] {
                    let (status, told) = desk.post(&put(path), token, &body);
                    assert!((400..500).contains(&status), "{path} {body}: {status} {told}");
                }
            }
        }
        for row in ARGUMENTS {
            let output = run(&words(row), "");
            assert_eq!(output.status.code(), Some(2), "{row:?}: {}", said(&output));
        }
        for name in ["CODE", "GUARDA_CODE", "GUARDA_APPROVE_CODE"] {
            let mut approve = desk.terminal.machine.command(GUARDA, &["approve", id]);
            approve.env("GUARDA_STATE_DIR", guard.state("")).env(name, code);
            assert_eq!(approve.output().unwrap().status.code(), Some(1), "{name}");
        }
        assert_eq!(stand(), before, "nothing is done unasked that was asked before");
        // While a person types it, no process has it where others read.
        let mut approve = desk.terminal.machine.command(GUARDA, &["approve", id, "--code"]);
        approve.env("GUARDA_STATE_DIR", guard.state("")).stdin(std::process::Stdio::piped());
        let mut approve = approve.spawn().unwrap();
        let mut input = approve.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, code.as_bytes()).unwrap();
        for file in ["cmdline", "environ", "comm"] {
            let text = std::fs::read(format!("/proc/{}/{file}", approve.id())).unwrap();
            assert!(!has(&text, code), "{file}: {}", String::from_utf8_lossy(&text));
        }
        std::io::Write::write_all(&mut input, b"\n").unwrap();
        assert!(approve.wait().unwrap().success());
    });
    assert_eq!(reply["outcome"], "done", "{reply}");
}

/// Whether these bytes have the code in one of the ways in which it would be written.
fn has(bytes: &[u8], code: &str) -> bool {
    let apart = |between: &str| code.chars().map(|digit| digit.to_string()).collect::<Vec<_>>().join(between);
    let finds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    // Within a hash or a longer number the digits mean nothing.
    let alone = bytes.windows(4).enumerate().any(|(at, window)| {
        let beside =
            |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        window == code.as_bytes() && !beside(at.checked_sub(1)) && !beside(Some(at + 4))
    });
    alone || finds(&apart(" ")) || finds(&apart(", ")) || finds(&apart(","))
}

fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            files(&path, found);
        } else if entry.file_type().unwrap().is_file() {
            found.push(path);
        }
    }
}

#[test]
fn a_code_stands_in_no_reply_file_record_or_log() {
    let desk = Desk::start();
    let mut codes = Vec::new();
    for number in 0..4 {
        let command = format!("touch made-{number}");
        let reply = desk.asked(&command, |id, code| {
            codes.push(code.to_owned());
            for path in [
                "/v1/questions".to_owned(),
                "/v1/questions?language=fr".to_owned(),
                format!("/v1/questions/{id}/card?columns=100"),
                "/v1/status".to_owned(),
                "/v1/sessions".to_owned(),
                "/metrics".to_owned(),
                "/console/api/history".to_owned(),
            ] {
                assert_eq!(desk.get(&path).0, 200, "{path}");
            }
            let pending = [
                desk.guarda(&["pending"]),
                desk.guarda(&["pending", id]),
                desk.guarda(&["pending", "--json"]),
            ];
            let told = pending.iter().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            desk.replies.lock().unwrap().extend(told);
            assert_eq!(desk.answer(id, &json!({ "answer": "yes" })).0, 403);
            assert_eq!(desk.answer(id, &json!({ "answer": "yes", "code": wrong(code) })).0, 403);
            let last = if number % 2 == 0 {
                json!({ "answer": "yes", "code": code })
            } else {
                json!({ "answer": "no" })
            };
            assert_eq!(desk.answer(id, &last).0, 200);
        });
        desk.replies.lock().unwrap().push(reply.to_string());
    }
    crate::common::let_pass(200, "the log is written as it comes");
    let mut found = Vec::new();
    files(&desk.terminal.guard.state(""), &mut found);
    files(&desk.terminal.machine.home(), &mut found);
    assert!(found.iter().any(|file| file.ends_with("log")), "{found:?}");
    assert!(found.iter().any(|file| file.extension().is_some_and(|kind| kind == "jsonl")), "{found:?}");
    let replies = desk.replies.lock().unwrap().join("\n");
    let places = found.iter().map(|file| (file.display().to_string(), std::fs::read(file).unwrap()));
    for (name, bytes) in places.chain([("the replies".to_owned(), replies.into_bytes())]) {
        // Four digits may occur somewhere by chance; those of four questions do not.
        let leaked = codes.iter().filter(|code| has(&bytes, code)).count();
        assert!(leaked < 2, "{name} has {leaked} of the codes");
    }
    // The same search finds the codes on the screen that shows them, so it would have found them above.
    let screen = desk.terminal.tmux(&["capture-pane", "-p", "-t", ":0", "-S", "-300"]);
    assert!(codes.iter().all(|code| has(screen.as_bytes(), code)), "{screen}");
}
