//! A service's life: how it starts, what it leaves on disk, how it reloads its configuration, how it ends.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::common::{Answer, Service, folder, guarda, refused, wait};
use rustix::process::Signal;

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_in_the_state_folder_is_private() {
    let service = Service::start();
    assert_eq!(mode(&service.state("")), 0o700);
    for name in ["token", "approve-token", "guarda.sock", "address", "lock"] {
        assert_eq!(mode(&service.state(name)), 0o600, "{name}");
    }
    assert_ne!(service.token, service.approve);
    for token in [&service.token, &service.approve] {
        assert!(
            token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "256 bits in hexadecimal"
        );
    }
    let address = std::fs::read_to_string(service.state("address")).unwrap();
    assert_eq!(address.trim(), service.address);
}

#[test]
fn the_banner_tells_what_there_is_and_a_line_that_works() {
    let service = Service::start();
    let sample = "act RUN_COMMAND 'touch guarda-was-here'";
    let banner = wait("the banner", || Some(service.said()).filter(|said| said.contains(sample)));
    for part in ["Works:", "Missing:", "guarda doctor", "record", "token for requests:", "configuration:"] {
        assert!(banner.contains(part), "{part} in {banner}");
    }
    // The test of the package waits for this line.
    let waiting = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/deb/inside")).unwrap();
    let (first, _) = sample.split_once(' ').unwrap();
    assert!(waiting.contains(&format!("'^guarda {first} '")) && waiting.contains("guarda-was-here"));
    // The line is for a shell, and leads to a question.
    let line = banner.lines().find(|line| line.ends_with(sample)).unwrap();
    let mut shell = std::process::Command::new("sh");
    let mut shell = shell.args(["-c", line]).current_dir(service.folder.path()).spawn().unwrap();
    service.question();
    shell.kill().unwrap();
    shell.wait().unwrap();
}

#[test]
fn the_status_is_told_in_the_language_of_the_request() {
    let service = Service::start();
    for (query, detail) in [
        ("", "what needs a password is refused (security.advanced_mode = false)"),
        ("?language=pt-BR", "Está desligado na configuração."),
        ("?language=fr", "C'est désactivé dans la configuration."),
    ] {
        let status = service.get(&format!("/v1/status{query}")).send().json();
        let password = &status["deeds"]["password"];
        assert_eq!(
            (&password["detail"], &password["cause"]),
            (&detail.into(), &"switched-off".into()),
            "{status:#}"
        );
    }
    assert_eq!(service.get("/v1/status?language=de").send().status, 422);
    // A browser at the address is redirected to the console; a program gets the list of paths.
    let browser = service.get("/").header("accept", "text/html,*/*").send();
    assert_eq!((browser.status, browser.header("location")), (303, Some("/console/")));
    assert_eq!(service.get("/").send().status, 404);
}

#[test]
fn a_port_that_is_taken_is_told_with_its_holder() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = folder("", "");
    let address = taken.local_addr().unwrap().to_string();
    let said = refused(folder.path(), |command| command.env("GUARDA_LISTEN", &address));
    assert!(said.contains(&format!("process {}", std::process::id())) && said.contains("--listen"), "{said}");
}

#[test]
fn two_guards_do_not_share_a_state() {
    let service = Service::start();
    let said = refused(service.folder.path(), |command| command);
    assert!(
        said.contains(&format!("process {}", service.child.id())) && said.contains("GUARDA_STATE_DIR"),
        "{said}"
    );
    assert_eq!(service.get("/v1/health").send().status, 200);
}

#[test]
fn a_crash_does_not_keep_the_next_one_from_starting() {
    let mut service = Service::start();
    let token = service.token.clone();
    service.child.kill().unwrap();
    service.child.wait().unwrap();
    assert!(service.state("guarda.sock").exists(), "left behind");
    let folder = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    let next = Service::on(folder);
    assert_eq!(next.token, token, "the token stays");
    assert_eq!(next.get("/v1/health").send().status, 200);
}

#[test]
fn what_must_not_start_does_not() {
    let good = || folder("", "");
    type Row = (&'static str, Box<dyn Fn(&Path)>, &'static [&'static str]);
    let rows: Vec<Row> = vec![
        (
            "an unknown key",
            Box::new(|path| {
                std::fs::write(path.join("config.toml"), "[security]\n\nlog_al = true\n").unwrap()
            }),
            &["config.toml, line 3", "unknown key \"log_al\"", "log_all_commands"],
        ),
        (
            "a broken rule",
            Box::new(|path| {
                std::fs::write(path.join("config.toml"), "\n[rules.x]\nverdict = \"maybe\"\n").unwrap()
            }),
            &["config.toml, line 2", "there is no verdict"],
        ),
        (
            "no file",
            Box::new(|path| std::fs::remove_file(path.join("config.toml")).unwrap()),
            &["no such file"],
        ),
        (
            "a configuration that everybody can write",
            Box::new(|path| {
                let everybody = std::fs::Permissions::from_mode(0o666);
                std::fs::set_permissions(path.join("config.toml"), everybody).unwrap();
            }),
            &["everybody can write", "chmod o-w"],
        ),
        (
            "a token that others can read",
            Box::new(|path| {
                std::fs::create_dir(path.join("state")).unwrap();
                std::fs::write(path.join("state/token"), "a".repeat(64)).unwrap();
                let others = std::fs::Permissions::from_mode(0o644);
                std::fs::set_permissions(path.join("state/token"), others).unwrap();
            }),
            &["token", "others can read it"],
        ),
        (
            "a state folder that is a link",
            Box::new(|path| {
                std::fs::create_dir(path.join("elsewhere")).unwrap();
                std::os::unix::fs::symlink(path.join("elsewhere"), path.join("state")).unwrap();
            }),
            &["symbolic link"],
        ),
    ];
    for (name, spoil, words) in rows {
        let folder = good();
        spoil(folder.path());
        let said = refused(folder.path(), |command| command);
        for word in words {
            assert!(said.contains(word), "{name}: {said}");
        }
    }
}

#[test]
fn an_address_that_others_reach_must_be_meant() {
    let closed = folder("", "");
    for listen in ["0.0.0.0:0", "[::]:0"] {
        let said = refused(closed.path(), |command| command.env("GUARDA_LISTEN", listen));
        assert!(said.contains("GUARDA_LISTEN") && said.contains("allow_remote"), "{said}");
    }
    let said = refused(closed.path(), |command| command.env("GUARDA_LISTEN", "somewhere"));
    assert!(said.contains("\"somewhere\" is not an address"), "{said}");
    let said = refused(closed.path(), |command| command.args(["--listen", "0.0.0.0:0"]));
    assert!(said.contains("--listen") && said.contains("allow_remote"), "{said}");

    let open = folder("allow_remote = true\nlisten = \"0.0.0.0:0\"", "");
    let mut command = guarda(open.path());
    command.env_remove("GUARDA_LISTEN").args(["serve", "--ready-json"]).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 64];
    let read = child.stdout.as_mut().unwrap().read(&mut first).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(String::from_utf8_lossy(&first[..read]).contains("0.0.0.0:"));
}

#[test]
fn root_must_be_meant() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let said = refused(folder("", "").path(), |command| command);
    assert!(said.contains("GUARDA_ALLOW_ROOT=1"), "{said}");
    let service = Service::of_root(folder("", ""));
    wait("the warning", || service.said().contains("running as root").then_some(()));
}

#[test]
fn the_socket_knows_its_user() {
    let service = Service::start();
    let ask = |request: String| {
        let mut stream = UnixStream::connect(service.state("guarda.sock")).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        Answer::read(&mut stream)
    };
    let body = r#"{"action": "RUN_COMMAND", "target": "echo hi"}"#;
    let head = format!("Content-Type: application/json\r\nContent-Length: {}", body.len());
    let post = |more: &str| format!("POST /v1/actions HTTP/1.1\r\nHost: x\r\n{head}\r\n{more}\r\n{body}");
    assert_eq!(ask(post("")).json()["outcome"], "done", "no token is needed");
    assert_eq!(ask(post("Authorization: Bearer wrong\r\n")).problem(), "unauthorized");
    assert_eq!(ask(post("Origin: null\r\n")).problem(), "foreign-origin");
    let questions = |more: &str| ask(format!("GET /v1/questions HTTP/1.1\r\nHost: x\r\n{more}\r\n"));
    assert_eq!(questions("").problem(), "forbidden", "answering needs the token here too");
    let bearer = format!("Authorization: Bearer {}\r\n", service.approve);
    assert_eq!(questions(&bearer).status, 200);
    assert!(service.journal().iter().any(|line| line.to_string().contains("socket")), "the door is recorded");
}

#[test]
fn no_socket_where_none_is_wanted() {
    let service = Service::with("socket = false", "");
    assert!(!service.state("guarda.sock").exists());
}

#[test]
fn rules_are_read_again_or_the_old_ones_stay() {
    let service = Service::start();
    let judge = || {
        let body = r#"{"action": "RUN_COMMAND", "target": "uname"}"#;
        service.post("/v1/judge", body).send().json()["status"].as_str().unwrap().to_owned()
    };
    let before = judge();
    assert_ne!(before, "blocked");
    let path = service.folder.path().join("config.toml");
    let good = std::fs::read_to_string(&path).unwrap();

    std::fs::write(&path, format!("{good}\n[bash]\ndenied_commands = [\"uname\"]\n[spech]\n")).unwrap();
    service.signal(Signal::HUP);
    let said = wait("the fault", || Some(service.said()).filter(|said| said.contains("stays in force")));
    assert!(said.contains("unknown key \"spech\"") && said.contains(", line "), "{said}");
    assert_eq!(judge(), before);

    std::fs::write(&path, format!("{good}\n[bash]\ndenied_commands = [\"uname\"]\n")).unwrap();
    service.signal(Signal::HUP);
    wait("the new rules", || service.said().contains("is in force\n").then_some(()));
    assert_eq!(judge(), "blocked");

    std::fs::write(&path, format!("{good}\n[run]\ntimeout_seconds = 7\n")).unwrap();
    service.signal(Signal::HUP);
    wait("what needs a restart is said", || {
        service.said().contains("[run] from the next start on").then_some(())
    });
    assert_eq!(judge(), before);
}

#[test]
fn a_shutdown_denies_what_waits_and_records_it() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut service = Service::start();
        let mut asking = service.act("touch unmade").begin();
        service.question();
        service.signal(signal);
        let reply = Answer::read(&mut asking).json();
        assert_eq!(reply["outcome"], "withdrawn", "{reply:#}");
        assert_eq!(service.end().code(), Some(0));
        assert!(service.journal().iter().any(|line| line["event"] == "refusal"), "recorded");
        assert!(!service.folder.path().join("unmade").exists());
        for name in ["address", "guarda.sock"] {
            assert!(!service.state(name).exists(), "{name} is gone");
        }
    }
}

#[test]
fn a_shutdown_lets_a_deed_end() {
    let mut service = Service::with("", "");
    let mut asking = service.act("sleep 2").begin();
    // `sleep` may be asked or allowed; in both cases it is under way when the signal comes.
    let intended = || service.journal().iter().any(|line| line["event"] == "intent");
    wait("it is under way", || (!service.questions().is_empty() || intended()).then_some(()));
    if let Some(question) = service.questions().first() {
        assert_eq!(service.answer(question, "yes").status, 200);
    }
    wait("its intent is recorded", || {
        service.journal().iter().any(|line| line["event"] == "intent").then_some(())
    });
    service.signal(Signal::TERM);
    let reply = Answer::read(&mut asking).json();
    assert_eq!(reply["outcome"], "done", "{reply:#}");
    assert_eq!(service.end().code(), Some(0));
    assert!(service.journal().iter().any(|line| line["event"] == "outcome"));
}

#[test]
fn what_is_said_aloud_answers_only_where_it_may() {
    // Off by default: the token does not exist.
    let service = Service::start();
    assert!(!service.state("spoken-token").exists());
    let mut service = Service::with("spoken_answers = true", "");
    let token = std::fs::read_to_string(service.state("spoken-token")).unwrap().trim().to_owned();
    let say = |service: &Service, question: &str, body: &str| {
        let path = format!("/v1/questions/{question}/answer");
        service.post(&path, body.to_owned()).token(&token).send().status
    };
    // It sees questions and answers them, and may do nothing else.
    assert_eq!(service.get("/v1/questions").token(&token).send().status, 200);
    assert_eq!(service.post("/v1/silence", "{\"silence_ms\": 1000}").token(&token).send().status, 403);
    assert_eq!(service.post("/v1/console/links", "{}").token(&token).send().status, 403);
    let deed = "{\"action\": \"RUN_COMMAND\", \"target\": \"ls\"}";
    assert_eq!(service.post("/v1/actions", deed).token(&token).send().status, 403);
    let mut asking = service.act("touch made").begin();
    let question = service.question();
    // A yes is the words that a voice says, and here is none.
    for refused in
        ["{\"answer\": \"yes\"}", "{\"answer\": \"always\"}", "{\"answer\": \"modify\", \"command\": \"ls\"}"]
    {
        assert_eq!(say(&service, &question, refused), 403, "{refused}");
    }
    let heard = serde_json::json!({ "heard": "words", "words": ["sapato", "cometa"], "margin": 9, "voice_ms": 500, "explained": 0,
        "began": "2026-01-01T00:00:00Z" });
    let path = format!("/v1/questions/{question}/heard");
    assert_eq!(service.post(&path, heard.to_string()).token(&token).send().status, 403);
    assert_eq!(say(&service, &question, "{\"answer\": \"no\"}"), 200);
    let reply = Answer::read(&mut asking).json();
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&"denied".into(), &"person:spoken".into()),
        "{reply:#}"
    );
    assert!(service.journal().iter().any(|line| line["channel"] == "spoken"));
    assert_eq!(say(&service, &question, "{\"answer\": \"no\"}"), 409, "an answer counts once");
    // From its risk on it can only say no.
    let _asking = service.act("curl -s file:///dev/null | sh").begin();
    let question = service.question();
    assert_eq!(say(&service, &question, "{\"answer\": \"yes\"}"), 403);
    assert_eq!(say(&service, &question, "{\"answer\": \"no\"}"), 200);
    service.signal(Signal::TERM);
    service.end();
}

#[test]
fn nobody_but_the_person_answers() {
    let mut service = Service::start();
    let mut asking = service.act("touch unmade").begin();
    let question = service.question();
    let path = format!("/v1/questions/{question}/answer");
    let yes = || service.post(&path, "{\"answer\": \"yes\"}");
    for (name, call, status) in [
        ("the asker's token", yes(), 403),
        ("no token", yes().header("Authorization", ""), 401),
        ("a wrong token", yes().token(&"0".repeat(64)), 401),
        (
            "a page of another origin",
            yes().token(&service.approve).header("Origin", "http://evil.example"),
            403,
        ),
        ("a page without one", yes().token(&service.approve).header("Origin", "null"), 403),
        (
            "a frame of another site",
            yes().token(&service.approve).header("Sec-Fetch-Site", "cross-site"),
            403,
        ),
        ("another name of this machine", yes().token(&service.approve).header("Host", "evil.example"), 421),
    ] {
        assert_eq!(call.send().status, status, "{name}");
    }
    let guessed = format!("/v1/questions/{}/answer", "0".repeat(32));
    let guess = service.post(&guessed, "{\"answer\": \"yes\"}").token(&service.approve).send();
    assert_eq!(guess.status, 404, "a number that was guessed");
    assert_eq!(service.questions(), std::slice::from_ref(&question), "it stands");
    assert_eq!(service.answer(&question, "no").status, 200);
    assert_eq!(Answer::read(&mut asking).json()["outcome"], "denied");
    assert_eq!(service.answer(&question, "yes").status, 409, "a number that is used again");
    assert!(!service.folder.path().join("unmade").exists());
    service.signal(Signal::TERM);
    service.end();
}

/// Without a person nothing waits: what would be asked is refused at once, with its reason, and reported at the end.
#[test]
fn without_a_person_what_needs_a_yes_is_refused_and_reported() {
    let folder = folder(
        "",
        "confirmation_timeout_seconds = 600\nprofile = \"workspace\"\n[language]\ndefault = \"en\"",
    );
    let mut service = Service::with_words(folder, &["--no-human"]);
    let (work, waits) = (service.folder.path().join("work"), std::time::Instant::now());
    std::fs::create_dir(&work).unwrap();
    service.trust(&work);
    let act = |line: &str| {
        let body = serde_json::json!({"action": "RUN_COMMAND", "target": line, "cwd": work});
        service.post("/v1/actions", body.to_string()).send().good()
    };
    assert_eq!(act("echo made > made.txt")["outcome"], "done");
    for _ in 0..12 {
        // However often it is tried, the reason stays the same.
        let refused = act("git push https://git.example.org/x main");
        assert_eq!(
            (&refused["outcome"], &refused["decided_by"], &refused["refusal"]["by"]),
            (&serde_json::json!("denied"), &serde_json::json!("guard"), &serde_json::json!("nobody")),
            "{refused}"
        );
        assert!(refused["refusal"]["sentence"].as_str().unwrap().contains("without a person"), "{refused}");
    }
    assert_eq!(act("rm -rf /")["outcome"], "blocked");
    // A client that could ask its own person is refused, too.
    let event = serde_json::json!({
        "session_id": "s", "prompt_id": "p1", "cwd": work, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "git push https://git.example.org/x main" }, "tool_use_id": "t"
    });
    let answer = service.post("/v1/hooks/claude", event.to_string()).send().good();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
    assert!(service.open_questions().is_empty() && waits.elapsed().as_secs() < 300);
    let degraded = service.status()["prompter"]["degraded"].to_string() + &service.status().to_string();
    assert!(degraded.contains("--no-human"), "{degraded}");
    service.signal(rustix::process::Signal::TERM);
    assert!(service.end().success());
    let report = service.said();
    for part in [
        "1 done, 13 refused because nobody could say yes, 1 forbidden, 0 failed",
        "git push",
        "13 times",
        "guarda trust add",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}
