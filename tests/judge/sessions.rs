//! What sessions have seen, through a real service: the marks, the questions that they cause, who may set and
//! clear them, and that they survive the service.

use std::path::Path;

use crate::common::{Answer, Service, folder, guarda, wait};
use crate::doors::{container, judged_at};
use rustix::process::Signal;
use serde_json::{Value, json};

/// A configuration with these further lines, and a home with a secret file.
fn home(profile: &str, more: &str) -> tempfile::TempDir {
    let folder = folder("", &format!("profile = \"{profile}\""));
    let file = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, format!("{text}\n{more}\n")).unwrap();
    std::fs::write(folder.path().join(".env"), "NAME=value\n").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "a\nb\n").unwrap();
    folder
}

fn request(service: &Service, session: &str, action: &str, target: &str) -> Value {
    json!({"action": action, "target": target, "session": session, "cwd": service.folder.path()})
}

fn judge(service: &Service, session: &str, action: &str, target: &str) -> (String, Vec<String>) {
    let answer = service.post("/v1/judge", request(service, session, action, target).to_string()).send();
    let json = answer.json();
    let rules = json["findings"].as_array().unwrap().iter().map(|it| it["rule"].as_str().unwrap().to_owned());
    (json["status"].as_str().unwrap().to_owned(), rules.collect())
}

/// Does a command that a person says yes to.
fn approved(service: &Service, session: &str, command: &str) -> Value {
    let body = request(service, session, "RUN_COMMAND", command).to_string();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| service.post("/v1/actions", body).send());
        assert_eq!(service.answer(&service.question(), "yes").status, 200);
        asked.join().unwrap().json()
    })
}

fn mark(service: &Service, session: &str, body: &Value) -> Answer {
    service.post(&format!("/v1/sessions/{session}/taint"), body.to_string()).send()
}

fn session(service: &Service, name: &str) -> Value {
    service.get(&format!("/v1/sessions/{name}")).send().json()
}

fn taint(corruption: bool, secret: bool) -> Value {
    json!({"corruption": corruption, "secret": secret})
}

/// The command line as a person uses it.
fn cli(folder: &Path, words: &[&str]) -> (i32, String) {
    let output = guarda(folder).args(words).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn a_secret_that_was_read_stays_here() {
    let mut service = Service::on(home("desktop", ""));
    let url = "https://duckduckgo.com/?q=x";
    assert_eq!(judge(&service, "s", "OPEN_URL", url).0, "approved");
    let reply = approved(&service, "s", "cat .env");
    assert_eq!((&reply["outcome"], &reply["taint"]), (&json!("done"), &taint(false, true)), "{reply}");
    let (status, rules) = judge(&service, "s", "OPEN_URL", url);
    assert_eq!(status, "requires_confirmation");
    assert!(rules.contains(&"exfiltration".to_owned()), "{rules:?}");
    // Commands that certainly stay here still run; other sessions are not affected.
    assert_eq!(judge(&service, "s", "RUN_COMMAND", "sort notes.txt | uniq -c").0, "approved");
    assert_eq!(judge(&service, "other", "OPEN_URL", url).0, "approved");
    for line in ["curl https://example.org", "gh pr list"] {
        let (status, rules) = judge(&service, "s", "RUN_COMMAND", line);
        assert_eq!(status, "requires_confirmation", "{line}");
        assert!(rules.contains(&"exfiltration".to_owned()), "{line} {rules:?}");
    }
    assert_eq!(service.status()["marked_sessions"], 1);
    // The record tells it: with the mark, and with every decision after it.
    let lines: Vec<Value> = service.journal().into_iter().filter(|line| line["session_id"] == "s").collect();
    let marked = lines.iter().position(|line| line["event"] == "marked").unwrap();
    let outcome = lines.iter().position(|line| line["event"] == "outcome").unwrap();
    assert!(marked < outcome, "marked before the deed was done");
    assert_eq!(lines[marked]["taint"], json!(["secret"]));
    assert_eq!(lines.last().unwrap()["taint"], json!(["secret"]));
    // It outlives the service, also one that is killed.
    service.signal(rustix::process::Signal::KILL);
    service.end();
    let folder = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    let service = Service::on(folder);
    assert_eq!(session(&service, "s")["taint"], taint(false, true));
    assert_eq!(judge(&service, "s", "OPEN_URL", url).0, "requires_confirmation");
    // Only a person takes it away.
    let clear = |name: &str, token: &str| {
        service.post(&format!("/v1/sessions/{name}/clear"), "{}").token(token).send()
    };
    assert_eq!(clear("s", &service.token).status, 403);
    assert_eq!(clear("*", &service.token).status, 403);
    assert_eq!(clear("nobody", &service.approve).status, 404);
    assert_eq!(clear("s", &service.approve).json(), json!({"cleared": 1}));
    assert_eq!(judge(&service, "s", "OPEN_URL", url).0, "approved");
}

#[test]
fn lost_marks_count_as_marks() {
    let mut service = Service::on(home("desktop", ""));
    judge(&service, "old", "RUN_COMMAND", "ls");
    wait("the line", || service.journal().iter().any(|line| line["session_id"] == "old").then_some(()));
    service.signal(rustix::process::Signal::TERM);
    service.end();
    std::fs::remove_file(service.state("sessions.json")).unwrap();
    let folder = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    let service = Service::on(folder);
    assert_eq!(session(&service, "old")["taint"], taint(true, true));
    assert_eq!(judge(&service, "old", "OPEN_URL", "https://example.org").0, "requires_confirmation");
    assert_eq!(judge(&service, "new", "OPEN_URL", "https://example.org").0, "approved");
    let told = service.status()["degraded"].to_string();
    assert!(told.contains("were lost"), "{told}");
}

#[test]
fn what_waited_while_the_session_was_marked_is_judged_again() {
    let service = Service::on(home("desktop", ""));
    let body = request(&service, "s", "RUN_COMMAND", "curl http://127.0.0.1:1/").to_string();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| service.post("/v1/actions", body.clone()).send());
        let question = service.question();
        assert_eq!(mark(&service, "s", &json!({"secret": true})).status, 200);
        assert_eq!(service.answer(&question, "yes").status, 200);
        assert_eq!(asked.join().unwrap().problem(), "session-marked");
    });
    let ran = service.journal().iter().any(|line| line["event"] == "intent");
    assert!(!ran, "nothing was done");
}

/// The desktop ignores text that others may have written, a container weighs it.
#[test]
fn what_waited_while_the_rules_were_reloaded_runs_by_the_rules_that_judged_it() {
    let service = Service::on(home("desktop", ""));
    let line = "curl --max-time 1 http://127.0.0.1:1/";
    let body = request(&service, "s", "RUN_COMMAND", line).to_string();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| service.post("/v1/actions", body.clone()).send());
        let question = service.question();
        assert_eq!(mark(&service, "s", &json!({"corruption": true})).status, 200);
        let file = service.folder.path().join("config.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("\"desktop\"", "\"container\"")).unwrap();
        service.signal(Signal::HUP);
        wait("the new rules", || service.said().contains("is in force\n").then_some(()));
        assert_eq!(service.answer(&question, "yes").status, 200);
        let reply = asked.join().unwrap().json();
        assert_eq!(reply["outcome"], "done", "{reply}");
    });
    let (_, rules) = judge(&service, "s", "RUN_COMMAND", "gh pr list");
    assert!(rules.contains(&"corrupted-session".to_owned()), "a new request has the new rules: {rules:?}");
}

#[test]
fn an_output_with_a_secret_and_what_comes_from_the_network_leave_their_marks() {
    let service = Service::on(home("desktop", ""));
    let secret = format!("token = \"ghp_{}\"\n", "a1B2".repeat(9));
    std::fs::write(service.folder.path().join("page.txt"), secret).unwrap();
    let read =
        service.post("/v1/actions", request(&service, "out", "RUN_COMMAND", "cat page.txt").to_string());
    let reply = read.send().json();
    assert_eq!((&reply["status"], &reply["taint"]), (&json!("approved"), &taint(false, true)), "{reply}");
    let reply = approved(&service, "net", "curl --max-time 1 http://127.0.0.1:1/");
    assert_eq!(reply["taint"], taint(true, false), "{reply}");
    // A container weighs text that others may have written; the desktop ignores it.
    let weighed = |service: &Service| {
        let (status, rules) = judge(service, "net", "RUN_COMMAND", "gh pr list");
        assert_eq!(status, "requires_confirmation", "only a cell can hold it");
        rules.contains(&"corrupted-session".to_owned())
    };
    assert!(!weighed(&service));
    let container = Service::on(home("container", ""));
    assert!(!weighed(&container));
    assert_eq!(mark(&container, "net", &json!({"corruption": true})).status, 200);
    assert!(weighed(&container));
    assert_eq!(judge(&container, "net", "RUN_COMMAND", "cat notes.txt").0, "approved");
}

#[test]
fn a_model_that_names_its_own_session_keeps_its_marks_where_they_are_shared() {
    let folder = home("desktop\"\nshared_marks = true #", "");
    let service = Service::on(folder);
    assert_eq!(mark(&service, "one", &json!({"secret": true})).status, 200);
    assert_eq!(judge(&service, "another", "OPEN_URL", "https://example.org").0, "requires_confirmation");
    assert_eq!(session(&service, "another")["taint"], taint(false, false));
}

#[test]
fn callers_mark_and_never_clear() {
    let services = "[services.websearch]\nsecret_data = false\n[services.diary]\npublic_source = false\n";
    let service = Service::on(home("desktop", services));
    for (body, marks) in [
        (json!({"service": "websearch"}), taint(true, false)),
        (json!({"service": "diary"}), taint(false, true)),
        (json!({"service": "nobody-declared-it"}), taint(true, true)),
        (json!({"secret": true, "reason": "password: hunter2hunter2"}), taint(false, true)),
    ] {
        let name = format!("s{}", body.to_string().len());
        let answer = mark(&service, &name, &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["taint"], marks, "{body}");
        assert!(!answer.body.contains("hunter2"), "{answer:?}");
    }
    for body in [
        json!({}),
        json!({"secret": false}),
        json!({"corruption": false, "secret": true}),
        json!({"clear": true}),
    ] {
        let answer = mark(&service, "s", &body);
        assert!(matches!(answer.status, 400 | 422), "{body} {answer:?}");
    }
    for name in [".x", "a%2Fb", "a%20b", &"x".repeat(65)] {
        assert!(matches!(mark(&service, name, &json!({"secret": true})).status, 404 | 422), "{name}");
    }
    assert_eq!(service.get("/v1/sessions/s").send().status, 404);
    let bare = service.get("/v1/sessions").header("Authorization", "").send();
    assert_eq!(bare.status, 401);
}

#[test]
fn the_command_line_shows_marks_and_clears() {
    let service = Service::on(home("desktop", ""));
    let run = |words: &[&str]| cli(service.folder.path(), words);
    assert_eq!(run(&["session", "list"]), (0, "no session has been seen since the start\n".to_owned()));
    let (code, told) = run(&["session", "taint", "voice", "--secret", "--reason", "dictated"]);
    assert!(code == 0 && told.contains("the caller said: dictated"), "{told}");
    assert!(run(&["session", "list"]).1.contains("secret"));
    let (_, shown) = run(&["session", "show", "voice", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap()["taint"], taint(false, true));
    assert_eq!(run(&["session", "show", "nobody"]).0, 1);
    assert_eq!(
        run(&["session", "clear", "voice"]),
        (0, "the marks of one session were cleared\n".to_owned())
    );
    assert_eq!(run(&["session", "clear", "--all"]), (0, "there were no marks\n".to_owned()));
    assert_eq!(run(&["session", "clear"]).0, 2);
    // No command of a model does the same.
    assert_eq!(judge(&service, "voice", "RUN_COMMAND", "guarda session clear voice").0, "blocked");
}

/// Names that a caller gives its sessions, one after the other.
const NAMES: &[fn(usize) -> String] = &[
    |number| format!("n-{number}"),
    |number| format!("N-{number}"),
    |number| format!("{number}"),
    |number| format!("{number:060}"),
    |number| format!("{}{number:04}", "x".repeat(60)),
    |number| format!("a.b.{number}"),
    |number| format!("a..{number}."),
    |number| format!("_{number}_"),
    |number| format!("agent.{number}"),
    |number| format!("desk-20261128-{number}"),
    |number| format!("first{number}"),
    |number| format!("-{number}"),
];

/// A caller that names sessions without end loses no mark by it, takes no room of another one's, and gains nothing: what there is no room
/// for counts as marked.
#[test]
fn names_without_end_shake_off_no_mark_and_take_nobodys_room() {
    let service = Service::on(home("desktop", ""));
    let place = container(&service);
    let token = std::fs::read_to_string(place.join("token")).unwrap();
    let url = "https://example.org/";
    let in_container = |session: &str| {
        let body = request(&service, session, "OPEN_URL", url);
        let judged = judged_at(&place.join("guarda.sock"), Some(token.trim()), &body);
        judged["status"].as_str().unwrap_or_else(|| panic!("{judged}")).to_owned()
    };
    assert_eq!(in_container("its-own"), "approved");
    assert_eq!(mark(&service, "first", &json!({"secret": true})).status, 200);
    let all = || (0..40).flat_map(|number| NAMES.iter().map(move |name| name(number)));
    // Names alone: the mark stays, and there is no end of memory.
    for name in all() {
        assert_eq!(judge(&service, &name, "OPEN_URL", url).0, "approved", "{name}");
    }
    let known = || service.get("/v1/sessions").send().json()["sessions"].as_array().unwrap().len();
    assert_eq!(judge(&service, "first", "OPEN_URL", url).0, "requires_confirmation");
    assert!(known() <= 251, "{}", known());
    // Marked ones: each that was marked stays so, and beyond them every new one counts as marked.
    let kept: Vec<String> =
        all().filter(|name| mark(&service, name, &json!({"secret": true})).status == 200).collect();
    assert!(kept.len() > 200 && kept.len() <= 250, "{}", kept.len());
    for name in kept.iter().chain(&["first".to_owned(), "one-more".to_owned(), "N-4000".to_owned()]) {
        assert_eq!(judge(&service, name, "OPEN_URL", url).0, "requires_confirmation", "{name}");
    }
    assert!(known() <= 251, "{}", known());
    assert_eq!(in_container("its-own"), "approved");
    assert_eq!(in_container("its-next"), "approved");
}

#[test]
fn the_tools_of_agents_leave_marks_and_are_weighed() {
    let services = "[services.\"mcp__web__*\"]\nsecret_data = false\ndangerous_writes = false\n\
                    [services.mcp__pay__send]\npublic_source = false\nsecret_data = false\n\
                    [services.mcp__old__x]\npublic_sink = \"forbidden\"\n";
    let service = Service::on(home("desktop", services));
    let event = |tool: &str, session: &str| {
        let body = json!({"client": "claude", "tool": tool, "does": {"unknown": null}, "session": session,
            "cwd": service.folder.path()});
        service.post("/v1/events", body.to_string())
    };
    let decision = |tool: &str, session: &str| event(tool, session).send().json()["decision"].clone();
    assert_eq!(decision("mcp__web__search", "a"), "pass");
    assert_eq!(session(&service, "a@door.hook")["taint"], taint(true, false));
    assert_eq!(decision("mcp__old__x", "a"), "deny");
    let asked = |tool: &str, session: &str, answer: &str| {
        let call = event(tool, session);
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| call.send().json());
            assert_eq!(service.answer(&service.question(), answer).status, 200);
            asked.join().unwrap()
        })
    };
    // Dangerous in any session; a public sink in one that has a mark.
    assert_eq!(asked("mcp__pay__send", "b", "no")["decision"], "deny");
    assert_eq!(asked("mcp__new__x", "c", "yes")["taint"], taint(true, true));
    let told = asked("mcp__web__search", "c", "yes");
    assert_eq!((&told["decision"], &told["taint"]), (&json!("allow"), &taint(true, true)), "{told}");
    // An unknown and undeclared tool sets every mark.
    let told = asked("mcp__new__x", "d", "yes");
    assert_eq!((&told["decision"], &told["taint"]), (&json!("allow"), &taint(true, true)), "{told}");
}

#[test]
fn every_door_heeds_the_marks_of_a_session() {
    let folder = home("desktop", "");
    let ipc = folder.path().join("ipc");
    let service = Service::with_words(folder, &["--ipc", ipc.to_str().unwrap()]);
    let line = "curl --max-time 1 http://127.0.0.1:1/";
    let ask = |door: &str| -> Value {
        let cwd = service.folder.path().to_str().unwrap();
        match door {
            "actions" => service
                .post("/v1/actions", request(&service, "s", "RUN_COMMAND", line).to_string())
                .send()
                .json(),
            "execute" => {
                let body = json!({"command": line, "session": "s", "cwd": cwd});
                service.post("/v1/execute", body.to_string()).send().json()
            }
            "events" => {
                let body = json!({"client": "claude", "tool": "Bash", "does": {"run": line}, "session": "s", "cwd": cwd});
                service.post("/v1/events", body.to_string()).send().json()
            }
            _ => {
                let text = json!({"type": "security:bash_check", "request_id": "r", "command": line, "session": "s"});
                let draft = ipc.join("requests/.r");
                std::fs::write(&draft, text.to_string()).unwrap();
                std::fs::rename(draft, ipc.join("requests/r.json")).unwrap();
                let file = ipc.join("responses/r.json");
                wait("an answer", || file.exists().then_some(()));
                serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
            }
        }
    };
    let marked = |rules: &[String]| rules.contains(&"exfiltration".to_owned());
    assert!(!marked(&judge(&service, "s", "RUN_COMMAND", line).1));
    assert_eq!(mark(&service, "s", &json!({"secret": true})).status, 200);
    // That of another door is another session, which only a person marks from here.
    assert_eq!(mark(&service, "s@door.hook", &json!({"secret": true})).status, 403);
    let by_person = service.post("/v1/sessions/s@door.hook/taint", json!({"secret": true}).to_string());
    assert_eq!(by_person.token(&service.approve).send().status, 200);
    for door in ["actions", "execute", "events", "ipc"] {
        let told = std::thread::scope(|scope| {
            let asked = scope.spawn(|| ask(door));
            let question =
                wait(&format!("a question through {door}"), || service.questions().first().cloned());
            let standing = service.get("/v1/questions").token(&service.approve).send().json();
            let rules = standing["questions"][0]["findings"].as_array().unwrap().iter();
            let rules: Vec<String> =
                rules.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
            assert!(marked(&rules), "{door}: {rules:?}");
            assert_eq!(service.answer(&question, "no").status, 200, "{door}");
            asked.join().unwrap()
        });
        // The question of a request without a waiting caller is removed after the answer; until then it
        // blocks keys.
        if let Some(id) = told["validation_id"].as_str() {
            wait("the validation's end", || {
                let validation = service.get(&format!("/v1/execute/{id}")).send().json();
                (validation["status"] != "pending_validation").then_some(())
            });
        }
        let refused = told["outcome"] == "denied"
            || told["decision"] == "deny"
            || told["status"] == "pending_validation";
        assert!(refused, "{door}: {told}");
    }
}
