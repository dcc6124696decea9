//! The registry of commands through the real program: a person's overrides and their effects, the three
//! answers of `execute_bash`, and a database that is dead, locked or damaged.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use crate::common::{Service, folder, guarda, offer, told, until, wait};
use guarda::registry::sqlite::SqliteOptions;
use guarda::registry::{EndedRun, Identity, RegistryBackend, RowQuery, RunEnd, Thresholds, Which};
use serde_json::{Value, json};

/// A harmless system program that the rules do not know.
const ASKED: &str = "sqlite3 :memory: 'select 1'";

/// Requests a command in the background.
fn asking(service: &Service, command: &str) -> std::net::TcpStream {
    service.act(command).begin()
}

fn end(mut stream: std::net::TcpStream) -> Value {
    crate::common::Answer::read(&mut stream).json()
}

/// Requests a command and answers its question.
fn answered(service: &Service, command: &str, answer: &str) -> Value {
    let stream = asking(service, command);
    let question = service.question();
    assert_eq!(service.answer(&question, answer).status, 200);
    end(stream)
}

/// The open question, whole.
fn question(service: &Service) -> Value {
    let id = service.question();
    let all = service.get("/v1/questions").token(&service.approve).send().json();
    all["questions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|question| question["id"] == id.as_str())
        .unwrap()
        .clone()
}

fn rules(value: &Value) -> Vec<String> {
    let findings = value["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

/// `guarda registry …` beside the service: exit status, standard output, standard error.
fn registry(service: &Service, words: &[&str]) -> (i32, String, String) {
    cli(service.folder.path(), words)
}

fn cli(folder: &Path, words: &[&str]) -> (i32, String, String) {
    told(guarda(folder).arg("registry").args(words).env("USER", "ana").output().unwrap())
}

fn rows(folder: &Path) -> Vec<Value> {
    let (code, out, err) = cli(folder, &["list", "--json"]);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str::<Value>(&out).unwrap().as_array().unwrap().clone()
}

#[test]
fn always_is_kept_for_exactly_this_command() {
    let service = Service::unstaged();
    let stream = asking(&service, ASKED);
    let asked = question(&service);
    assert_eq!(offer(&asked, "always")["covers"], "command", "{asked}");
    let id = asked["id"].as_str().unwrap();
    let body = json!({"answer": "always"}).to_string();
    let by_model = service.post(&format!("/v1/questions/{id}/answer"), body).send();
    assert_eq!(by_model.status, 403, "the one who asks says nothing once and for all");
    assert_eq!(service.answer(id, "always").json()["answer"], "always");
    let done = end(stream);
    assert_eq!((&done["outcome"], &done["decided_by"]), (&json!("done"), &json!("person:http")), "{done:#}");

    let again = service.act(ASKED).send().json();
    assert_eq!((&again["status"], &again["decided_by"]), (&json!("approved"), &json!("policy")), "{again:#}");
    assert!(rules(&again).contains(&"always-allow".to_owned()), "{again:#}");
    // Another spelling is the same command; another word is another one, and so is another folder.
    assert_eq!(service.act("sqlite3   ':memory:' \"select 1\"").send().json()["decided_by"], "policy");
    for other in ["sqlite3 :memory: 'select 2'", "cd / && sqlite3 :memory: 'select 1'"] {
        let denied = answered(&service, other, "no");
        assert_eq!(denied["outcome"], "denied", "{other}: {denied:#}");
    }
    let kept = rows(service.folder.path());
    let said: Vec<&Value> = kept.iter().filter(|row| !row["user_override"].is_null()).collect();
    assert_eq!(said.len(), 1, "{kept:#?}");
    assert_eq!(said[0]["user_override"], "always_allow");
    assert!(said[0]["user_override_by"].as_str().unwrap().contains("http"), "{said:#?}");
    assert!(said[0]["user_override_at"].as_i64().unwrap() > 1_700_000_000);
}

#[test]
fn always_is_not_offered_for_what_is_asked_each_time() {
    let service = Service::unstaged();
    std::fs::write(service.folder.path().join("x.py"), "print(1)").unwrap();
    for command in [
        "rm teste.txt",
        "python3 x.py",
        "env A=1 gencat a b",
        "gencat *.txt",
        "gencat $FILE",
        "curl http://127.0.0.1:1/$FILE",
        "npm publish",
        "git push $FILE",
        "bash -c 'gencat a b'",
    ] {
        let stream = asking(&service, command);
        let asked = question(&service);
        assert_eq!(asked["offers"], serde_json::json!([]), "{command}: {asked:#}");
        let id = asked["id"].as_str().unwrap();
        let refused = service.answer(id, "always");
        assert_eq!((refused.status, refused.problem().as_str()), (422, "misread"), "{command}");
        assert_eq!(service.answer(id, "no").status, 200, "it stands until it is answered");
        assert_eq!(end(stream)["outcome"], "denied", "{command}");
    }
}

#[test]
fn a_person_says_it_at_the_command_line_while_the_service_runs() {
    let service = Service::unstaged();
    let cwd = service.folder.path().to_str().unwrap();
    let say = |words: &[&str]| registry(&service, &[words, &["--cwd", cwd]].concat());

    let (code, out, err) = say(&["allow", ASKED, "--reason", "it only reads"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("always allowed") && out.contains(ASKED), "{out}");
    assert_eq!(service.act(ASKED).send().json()["decided_by"], "policy", "from the next command on");
    let row = rows(service.folder.path()).remove(0);
    assert_eq!(
        (&row["user_override_by"], &row["user_override_reason"]),
        (&json!("a person (http)"), &json!("it only reads"))
    );
    // By its hash: always ask, then never, then no override.
    let hash = &row["command_hash"].as_str().unwrap()[..10];
    assert_eq!(registry(&service, &["ask", hash]).0, 0);
    let denied = answered(&service, ASKED, "no");
    assert!(rules(&denied).contains(&"always-ask".to_owned()), "{denied:#}");
    assert_eq!(registry(&service, &["never", hash, "--reason", "too slow"]).0, 0);
    let never = service.act(ASKED).send().json();
    assert_eq!((&never["status"], &never["outcome"]), (&json!("blocked"), &json!("blocked")), "{never:#}");
    assert!(never["message"].as_str().unwrap().contains("proibiu"), "{never:#}");
    // A restriction holds wherever the command runs.
    let body = json!({"action": "RUN_COMMAND", "target": ASKED, "cwd": "/"}).to_string();
    assert_eq!(service.post("/v1/actions", body).send().json()["status"], "blocked");
    assert_eq!(registry(&service, &["reset", hash]).0, 0);
    let denied = answered(&service, ASKED, "no");
    assert_eq!(rules(&denied), ["default"], "{denied:#}");
    // Commands that the rules allow can be forbidden, too.
    assert_eq!(say(&["never", "ls -la"]).0, 0);
    assert_eq!(service.act("ls -la").send().json()["status"], "blocked");
    assert_eq!(service.act("ls").send().json()["status"], "approved");
}

/// Changes the database as any program of the user can.
fn written(folder: &Path, statement: &str) {
    let database = folder.join("state/command_security.db");
    let output = std::process::Command::new("sqlite3").arg(database).arg(statement).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn restarted(service: Service) -> Service {
    Service::on(ended(service))
}

#[test]
fn an_entry_written_into_the_database_allows_nothing_until_a_person_gives_it() {
    let service = Service::unstaged();
    let place = service.folder.path().to_owned();
    let cwd = place.to_str().unwrap();
    let entry =
        "UPDATE commands_registry SET user_override = 'always_allow', user_override_by = 'a person (keys)'";
    let earned = "UPDATE commands_registry SET user_override = NULL, current_policy = 'auto_approve', earned_runs = 99, \
                  earned_successes = 99, execution_count = 99, success_count = 99, last_executed = unixepoch(), \
                  last_executed_ms = 1000 * unixepoch() - 60000";
    for command in [ASKED, "git push"] {
        assert_eq!(registry(&service, &["ask", command, "--cwd", cwd]).0, 0);
        for statement in [entry, earned] {
            written(&place, statement);
            let denied = answered(&service, command, "no");
            assert_eq!(denied["outcome"], "denied", "{command}: {denied:#}");
            assert!(rules(&denied).contains(&"unsealed".to_owned()), "{command}: {denied:#}");
        }
    }
    written(&place, entry);
    let (_, listed, _) = registry(&service, &["list", "--said"]);
    assert_eq!(listed.matches("not in the record").count(), 2, "{listed}");
    assert!(rows(&place).iter().all(|row| row["sealed"] == false));
    assert!(service.status()["degraded"].to_string().contains("guarda registry list --said"));
    // The next start says so, and heeds it as little.
    let service = restarted(service);
    until("the start says so", || service.said().contains("guarda registry list --said"));
    assert_eq!(answered(&service, ASKED, "no")["outcome"], "denied");

    // A person gives it again, once: it counts, and after a restart, too.
    assert_eq!(answered(&service, ASKED, "always")["outcome"], "done");
    assert_eq!(service.act(ASKED).send().json()["decided_by"], "policy");
    let service = restarted(service);
    assert_eq!(service.act(ASKED).send().json()["decided_by"], "policy");
    // What a person took back, no program gives again.
    assert_eq!(registry(&service, &["never", ASKED, "--cwd", cwd]).0, 0);
    written(&place, entry);
    assert_eq!(answered(&service, ASKED, "no")["outcome"], "denied");
}

/// What any program of the user can do to the state folder while the service does not run: `old` is a copy from when a command was allowed
/// for good, `state` is as it was after its person took that back.
type Attack = fn(&Path, &Path);

fn copied(from: &Path, to: &Path) {
    let script = "rm -rf \"$2\" && cp -a \"$1\" \"$2\"";
    let done = std::process::Command::new("sh").args(["-c", script, "sh"]).args([from, to]).status();
    assert!(done.unwrap().success(), "{from:?}");
}

/// Puts these parts of the state folder back from the copy.
fn put_back(old: &Path, state: &Path, parts: &[&str]) {
    for part in parts {
        copied(&old.join(part), &state.join(part));
    }
    if parts.contains(&DATABASE) {
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(state.join(format!("{DATABASE}{end}")));
        }
    }
}

const DATABASE: &str = "command_security.db";

/// The record's files of both states, with their lines.
fn lines_of(state: &Path) -> Vec<(std::path::PathBuf, String)> {
    let files = std::fs::read_dir(state.join("journal")).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|kind| kind == "jsonl"));
    files.map(|file| (file.clone(), std::fs::read_to_string(file).unwrap())).collect()
}

const TAKEN_BACK: &[(&str, Attack)] = &[
    ("nothing", |_, _| ()),
    ("the entry written again", |_, state| {
        written(
            state.parent().unwrap(),
            "UPDATE commands_registry SET user_override = 'always_allow', user_override_by = 'a person (http)'",
        );
    }),
    ("an entry that was earned", |_, state| {
        written(
            state.parent().unwrap(),
            "UPDATE commands_registry SET current_policy = 'auto_approve', earned_runs = 99, earned_successes = 99, \
            execution_count = 99, success_count = 99",
        );
    }),
    ("a trigger that writes it after every run", |_, state| {
        written(
            state.parent().unwrap(),
            "CREATE TRIGGER again AFTER UPDATE ON commands_registry BEGIN UPDATE commands_registry SET \
            user_override = 'always_allow', user_override_by = 'a person (http)' WHERE command_hash = NEW.command_hash AND user_override IS NULL; END; \
            UPDATE commands_registry SET last_executed = last_executed",
        );
    }),
    ("a view in the place of the table", |_, state| {
        written(
            state.parent().unwrap(),
            "ALTER TABLE commands_registry RENAME TO aside; CREATE VIEW commands_registry AS SELECT * FROM aside; \
            UPDATE aside SET user_override = 'always_allow', user_override_by = 'a person (http)'",
        );
    }),
    ("the database of then", |old, state| put_back(old, state, &[DATABASE])),
    ("the database of then and its marks", |old, state| put_back(old, state, &[DATABASE, "sessions.json"])),
    ("the record of then", |old, state| put_back(old, state, &["journal"])),
    ("record and anchor of then", |old, state| put_back(old, state, &["journal", "journal.anchor"])),
    ("record and database of then", |old, state| put_back(old, state, &["journal", DATABASE])),
    ("database and anchor of then", |old, state| put_back(old, state, &["journal.anchor", DATABASE])),
    ("the newest lines cut off", |old, state| {
        put_back(old, state, &[DATABASE]);
        for (file, text) in lines_of(old) {
            std::fs::write(state.join("journal").join(file.file_name().unwrap()), text).unwrap();
        }
    }),
    ("the signed table of then", |old, state| put_back(old, state, &["journal/heads", DATABASE])),
    ("the line of the yes once more, at the end", |old, state| {
        put_back(old, state, &[DATABASE]);
        let (_, text) = lines_of(old).into_iter().find(|(_, text)| text.contains("always")).unwrap();
        let line = text.lines().rfind(|line| line.contains("always")).unwrap().to_owned();
        for (file, text) in lines_of(state) {
            std::fs::write(file, format!("{text}{line}\n")).unwrap();
        }
    }),
    ("a record that begins anew", |old, state| {
        put_back(old, state, &[DATABASE]);
        std::fs::remove_dir_all(state.join("journal")).unwrap();
    }),
];

/// A permanent yes that its person took back does not come back, whatever is written or put back beneath the service.
#[test]
fn what_a_person_took_back_no_copy_gives_again() {
    let service = Service::unstaged();
    assert_eq!(answered(&service, ASKED, "always")["outcome"], "done");
    assert_eq!(service.act(ASKED).send().json()["decided_by"], "policy");
    let mut service = ended(service);
    let [state, old, new] = ["state", "old", "new"].map(|name| service.path().join(name));
    copied(&state, &old);
    let running = Service::on(service);
    let hash = rows(running.folder.path())[0]["command_hash"].as_str().unwrap().to_owned();
    assert_eq!(registry(&running, &["reset", &hash]).0, 0);
    assert_eq!(answered(&running, ASKED, "no")["outcome"], "denied");
    service = ended(running);
    copied(&state, &new);
    let mut wrong = Vec::new();
    for (said, attack) in TAKEN_BACK {
        copied(&new, &state);
        attack(&old, &state);
        let running = Service::on(service);
        let stream = asking(&running, ASKED);
        let reply = std::thread::spawn(move || end(stream));
        // Where the record stands in the way of every deed, nobody is asked.
        wait(said, || {
            for question in running.questions() {
                running.answer(&question, "no");
            }
            reply.is_finished().then_some(())
        });
        let reply = reply.join().unwrap();
        if reply["outcome"] == "done" {
            wrong.push(format!("{said}: by {}", reply["decided_by"]));
        }
        service = ended(running);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // All of it together is the state of then, as docs/record.md says.
    copied(&old, &state);
    assert_eq!(Service::on(service).act(ASKED).send().json()["decided_by"], "policy");
}

/// The folder of a service that has ended in order.
fn ended(mut service: Service) -> tempfile::TempDir {
    service.signal(rustix::process::Signal::TERM);
    service.end();
    std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap())
}

#[test]
fn nobody_allows_once_and_for_all_what_is_asked_each_time() {
    let folder = folder("", "blocked_commands = [\"frobnicate --all\"]\nrequire_confirmation = [\"gencat\"]");
    let cwd = folder.path().to_str().unwrap();
    assert_eq!(cli(folder.path(), &["init"]).0, 0);
    for command in [
        "rm -rf /",
        "frobnicate --all",
        "rm a.txt",
        "sudo ls",
        "python3 x.py",
        "python3",
        "bash",
        "env",
        "xargs",
        "env localedef --list-archive",
        "timeout 5 localedef --list-archive",
        "localedef $X",
        "localedef *.c",
        "localedef $(date)",
        "cat /etc/shadow",
        "find . -exec localedef {} +",
        "for f in a b; do localedef $f; done",
        "A=1 localedef",
        "guarda registry allow ls",
        "gencat a b",
    ] {
        let (code, out, err) = cli(folder.path(), &["allow", command, "--cwd", cwd]);
        assert_eq!(code, 3, "{command}: {out} {err}");
        assert!(err.contains("cannot be allowed"), "{command}: {err}");
    }
    assert_eq!(rows(folder.path()), Vec::<Value>::new());
    let (code, _, err) = cli(folder.path(), &["allow", "localedef", "--cwd", "/nowhere"]);
    assert!(code == 1 && err.contains("/nowhere"), "{err}");
}

#[test]
fn a_changed_program_is_another_command() {
    let service = Service::unstaged();
    let program = service.folder.path().join("tool");
    let write = |text: &str| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("#!/bin/sh\necho one\n");
    let command = format!("{} --list", program.display());
    let cwd = service.folder.path().to_str().unwrap();
    let (code, _, err) = registry(&service, &["allow", &command, "--cwd", cwd]);
    if code == 3 {
        // The rules want a program in such a place asked each time; then there is nothing to change.
        assert!(err.contains("cannot be allowed"), "{err}");
        return;
    }
    assert_eq!(service.act(&command).send().json()["decided_by"], "policy");
    write("#!/bin/sh\necho two\n");
    assert_eq!(answered(&service, &command, "no")["outcome"], "denied");
}

#[test]
fn the_same_command_twice_is_a_question_with_its_own_words() {
    let service = Service::unstaged();
    assert_eq!(answered(&service, ASKED, "yes")["outcome"], "done");
    let stream = asking(&service, ASKED);
    let asked = question(&service);
    assert!(rules(&asked).contains(&"duplicate".to_owned()), "{asked:#}");
    let prompt = asked["prompt"].as_str().unwrap();
    assert!(prompt.contains(" de novo? Foi executado há "), "{prompt}");
    assert!(!prompt.contains("0,0"), "{prompt}");
    assert_eq!(service.answer(asked["id"].as_str().unwrap(), "no").status, 200);
    end(stream);
}

fn execute(service: &Service, body: &Value) -> Value {
    let answer = service.post("/v1/execute", body.to_string()).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// Waits until a person has answered.
fn validated(service: &Service, waiting: &Value) -> Value {
    let id = waiting["validation_id"].as_str().unwrap();
    wait("the validation", || {
        let validation = service.get(&format!("/v1/execute/{id}")).send().json();
        (validation["status"] != "pending_validation").then_some(validation)
    })
}

#[test]
fn force_execute_takes_the_token_of_a_persons_yes() {
    let service = Service::start();
    let cwd = service.folder.path();
    // A command that needs no question runs at once, and the reply has the documented shape.
    let ls = execute(&service, &json!({"command": "echo hi", "cwd": cwd}));
    assert_eq!(
        (&ls["success"], &ls["exit_code"], &ls["stdout"], &ls["policy_used"], &ls["status"]),
        (&json!(true), &json!(0), &json!("hi\n"), &json!("auto_approve"), &json!("executed")),
        "{ls:#}"
    );
    let order = json!({"command": ASKED, "cwd": cwd, "language": "fr"});
    let waiting = execute(&service, &order);
    assert_eq!(
        (&waiting["status"], &waiting["policy"]),
        (&json!("pending_validation"), &json!("ask")),
        "{waiting:#}"
    );
    assert_eq!(waiting["message"], "Cette commande nécessite votre validation.");
    assert_eq!(waiting["command"], ASKED);
    assert!(waiting["risk_score"].as_f64().unwrap() > 0.0);
    // Forcing it without a valid token runs nothing: the same question stays open.
    let forced = |token: Option<&str>, order: &Value| {
        let mut order = order.clone();
        order["force_execute"] = json!(true);
        if let Some(token) = token {
            order["validation_token"] = json!(token);
        }
        execute(&service, &order)
    };
    assert_eq!(forced(None, &order)["validation_id"], waiting["validation_id"]);
    let made_up = forced(Some(&"0".repeat(64)), &order);
    assert_eq!(made_up["status"], "pending_validation");
    assert!(made_up["token_rejected"].is_string(), "{made_up:#}");
    assert_eq!(service.questions().len(), 1);

    assert_eq!(service.answer(&service.question(), "yes").status, 200);
    let granted = validated(&service, &waiting);
    assert_eq!(granted["status"], "validated", "{granted:#}");
    let token = granted["validation_token"].as_str().unwrap();
    // For another command, or in another folder, it counts for nothing.
    for other in
        [json!({"command": format!("{ASKED} 'select 2'"), "cwd": cwd}), json!({"command": ASKED, "cwd": "/"})]
    {
        let refused = forced(Some(token), &other);
        assert_eq!(refused["status"], "pending_validation", "{refused:#}");
        assert_eq!(service.answer(&service.question(), "no").status, 200);
        assert_eq!(validated(&service, &refused)["status"], "refused");
    }
    let done = forced(Some(token), &order);
    assert_eq!((&done["success"], &done["status"]), (&json!(true), &json!("executed")), "{done:#}");
    assert_eq!(done["reply"]["decided_by"], "person:http");
    // Once: the second time it is a duplicate that asks.
    let again = forced(Some(token), &order);
    assert_eq!(again["status"], "duplicate_warning", "{again:#}");
    assert!(again["token_rejected"].is_string() && again["threshold_ms"] == 10_000, "{again:#}");
    let since = again["seconds_since_last"].as_f64().unwrap();
    assert!(since > 0.0 && since < 10.0, "{again:#}");
    assert!(again["message"].as_str().unwrap().contains("il y a"), "{again:#}");
    assert_eq!(service.answer(&service.question(), "no").status, 200);
    let refused = validated(&service, &again);
    assert_eq!(
        (&refused["status"], &refused["outcome"]),
        (&json!("refused"), &json!("denied")),
        "{refused:#}"
    );

    let blocked = forced(Some(token), &json!({"command": "rm -rf /", "cwd": cwd}));
    assert_eq!((&blocked["status"], &blocked["success"]), (&json!("blocked"), &json!(false)), "{blocked:#}");
    for (body, status) in [
        (json!({"command": "ls", "validation_token": "x"}), 422),
        (json!({"command": "x".repeat(4097)}), 422),
        (json!({"command": "ls", "approved": true}), 422),
        (json!({"force_execute": true}), 422),
    ] {
        assert_eq!(service.post("/v1/execute", body.to_string()).send().status, status, "{body}");
    }
    let by_approver = service.post("/v1/execute", order.to_string()).token(&service.approve).send();
    assert_eq!(by_approver.status, 403);
    assert_eq!(service.get("/v1/execute/01a200ab-01d5-7631-bf7b-59e1f275c87a").send().status, 404);
}

fn state_of(service: &Service) -> (String, String, Vec<String>) {
    let status = service.status();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let degraded = status["degraded"].as_array().unwrap().iter().map(text).collect();
    (text(&status["registry"]["state"]), text(&status["registry"]["detail"]), degraded)
}

#[test]
fn a_damaged_registry_is_set_aside_before_the_first_command() {
    let folder = folder("", "");
    let state = folder.path().join("state");
    std::fs::create_dir(&state).unwrap();
    std::fs::write(state.join("command_security.db"), "no database, but a text that somebody put here")
        .unwrap();
    let service = Service::on(folder);
    let (registry, detail, degraded) =
        wait("the registry", || Some(state_of(&service)).filter(|(state, ..)| state != "starting"));
    assert_eq!(registry, "ready", "{detail}");
    assert!(degraded.iter().any(|sentence| sentence.contains("set aside")), "{degraded:?}");
    assert_eq!(service.act("echo hi").send().json()["outcome"], "done");
    let aside = std::fs::read_dir(service.state(""))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("command_security.db.damaged-"));
    assert!(
        std::fs::read_to_string(aside.unwrap()).unwrap().starts_with("no database"),
        "nothing is deleted"
    );
    let banner = wait("the banner", || Some(service.said()).filter(|said| said.contains("guarda-was-here")));
    assert!(banner.contains("remembered commands") && banner.contains("command_security.db"), "{banner}");
}

#[test]
fn a_registry_that_cannot_be_reached_has_everything_asked() {
    let service = Service::start();
    assert_eq!(service.act("echo hi").send().json()["decided_by"], "policy");
    let file = service.state("command_security.db");
    for name in ["command_security.db", "command_security.db-wal", "command_security.db-shm"] {
        let _ = std::fs::remove_file(service.state(name));
    }
    std::fs::create_dir(&file).unwrap();
    let stream = asking(&service, "echo hi");
    let asked = question(&service);
    assert!(rules(&asked).contains(&"registry-lost".to_owned()), "{asked:#}");
    assert!(asked["prompt"].as_str().unwrap().contains("registro de comandos não responde"), "{asked:#}");
    assert!(offer(&asked, "always").is_null(), "{asked}");
    // Forbidden commands are refused as ever, and approved ones run: a lost registry does not stop the
    // service.
    assert_eq!(service.act("rm -rf /").send().json()["outcome"], "blocked");
    assert_eq!(service.answer(asked["id"].as_str().unwrap(), "yes").status, 200);
    assert_eq!(end(stream)["output"]["stdout"], "hi\n");
    let (state, _, degraded) = state_of(&service);
    assert_eq!(state, "failed");
    assert!(degraded.iter().any(|sentence| sentence.contains("every command is asked")), "{degraded:?}");
    std::fs::remove_dir(&file).unwrap();
    wait("the registry is back", || {
        let judged =
            service.post("/v1/judge", json!({"action": "RUN_COMMAND", "target": "echo hi"}).to_string());
        (judged.send().json()["status"] == "approved").then_some(())
    });
    assert_eq!(state_of(&service).0, "ready");
}

#[test]
fn a_removed_registry_is_begun_anew_and_that_is_told() {
    let service = Service::start();
    assert_eq!(service.act("echo hi").send().json()["decided_by"], "policy");
    for name in ["command_security.db", "command_security.db-wal", "command_security.db-shm"] {
        let _ = std::fs::remove_file(service.state(name));
    }
    assert_eq!(service.act("echo hi").send().json()["decided_by"], "policy");
    assert!(service.state("command_security.db").exists());
    let (state, _, degraded) = state_of(&service);
    assert_eq!(
        (state.as_str(), degraded.iter().any(|it| it.contains("opened anew"))),
        ("ready", true),
        "{degraded:?}"
    );
}

#[test]
fn a_locked_registry_has_everything_asked_until_it_is_free() {
    let service = Service::start();
    assert_eq!(service.act("echo hi").send().json()["decided_by"], "policy");
    let other = rusqlite::Connection::open(service.state("command_security.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Reads succeed beside a writer. After this run, the guard knows that it cannot count runs.
    assert_eq!(service.act("echo hi").send().json()["outcome"], "done");
    wait("the loss", || (state_of(&service).0 == "failed").then_some(()));
    let stream = asking(&service, "echo hi");
    let asked = question(&service);
    assert!(rules(&asked).contains(&"registry-lost".to_owned()), "{asked:#}");
    assert_eq!(service.answer(asked["id"].as_str().unwrap(), "no").status, 200);
    assert_eq!(end(stream)["outcome"], "denied");
    other.execute_batch("ROLLBACK").unwrap();
    wait("the registry is back", || {
        let judged =
            service.post("/v1/judge", json!({"action": "RUN_COMMAND", "target": "echo hi"}).to_string());
        (judged.send().json()["status"] == "approved").then_some(())
    });
    let hi = rows(service.folder.path()).into_iter().find(|row| row["command_text"] == "echo hi").unwrap();
    assert_eq!(hi["execution_count"], 2, "what could not be written then was written later: {hi:#}");
}

#[test]
fn the_tables_read_well_and_the_json_is_whole() {
    let service = Service::start();
    for command in ["echo hi", "echo hi", "ls /nowhere-at-all"] {
        assert_eq!(service.act(command).send().status, 200);
    }
    let (code, out, err) = registry(&service, &["list"]);
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains('\u{1b}'), "no colours in a pipe: {out:?}");
    let lines: Vec<&str> = out.lines().collect();
    let column = lines[0].find("COMMAND").unwrap();
    assert!(lines[0].starts_with("HASH") && lines[1][column..].starts_with("echo hi"), "{out}");
    assert!(lines[1].contains("  2  100%") || lines[1].contains(" 2  100%"), "{out}");
    assert!(lines[2].contains("0%") && lines[2][column..].starts_with("ls /nowhere-at-all"), "{out}");
    let hash = lines[1].split_whitespace().next().unwrap();
    for named in [hash, "echo hi"] {
        let (code, out, err) = registry(&service, &["show", named]);
        assert_eq!(code, 0, "{err}");
        for part in ["echo hi", "2 (2 well, 0 not", "because", "risk"] {
            assert!(out.contains(part), "{part} in {out}");
        }
        let (_, out, _) = registry(&service, &["show", named, "--json"]);
        let shown: Value = serde_json::from_str(&out).unwrap();
        assert!(
            shown["execution_count"] == 2 && !shown["findings"].as_array().unwrap().is_empty(),
            "{shown:#}"
        );
    }
    let (_, out, _) = registry(&service, &["stats", "--json"]);
    let stats: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&stats["commands"], &stats["runs"], &stats["successes"]), (&json!(2), &json!(3), &json!(2)));
    assert!(registry(&service, &["stats"]).1.contains("ended well"));
    let (_, out, _) = registry(&service, &["export"]);
    let exported: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(exported.len(), 2);
    assert_eq!(
        registry(&service, &["list", "--containing", "nowhere", "--json"]).1.matches("command_hash").count(),
        1
    );
    assert!(registry(&service, &["candidates"]).1.contains("no command"));
    for (words, says) in [
        (&["show", "echo another"][..], "does not know"),
        (&["reset", "echo another"], "does not know"),
        (&["show", "ffffffffffff"], "does not know"),
    ] {
        let (code, out, err) = registry(&service, words);
        assert!(code == 1 && err.contains(says), "{words:?}: {out} {err}");
    }
    // Anew, while the service runs.
    assert!(registry(&service, &["init"]).1.contains("2 commands"));
    assert!(registry(&service, &["init", "--force"]).1.contains("2 commands forgotten"));
    assert_eq!(rows(service.folder.path()), Vec::<Value>::new());
    assert_eq!(service.act("echo hi").send().json()["decided_by"], "policy");
    assert_eq!(rows(service.folder.path()).len(), 1);
}

#[test]
fn without_a_registry_it_says_what_to_do() {
    let folder = folder("", "");
    let (code, _, err) = cli(folder.path(), &["list"]);
    assert!(code == 1 && err.contains("guarda registry init"), "{err}");
    assert!(!folder.path().join("state/command_security.db").exists(), "looking makes nothing");
    assert!(cli(folder.path(), &["init"]).1.contains("ready"));
    // Damaged while no service runs: init --force moves it aside.
    let file = folder.path().join("state/command_security.db");
    std::fs::write(&file, "no database").unwrap();
    let (code, _, err) = cli(folder.path(), &["list"]);
    assert!(code == 1 && err.contains("init --force"), "{err}");
    let (code, out, err) = cli(folder.path(), &["init", "--force"]);
    assert!(code == 0 && out.contains("damaged-"), "{out} {err}");
    assert_eq!(rows(folder.path()), Vec::<Value>::new());
    // Built without PostgreSQL, or with a server that is not there.
    let text = std::fs::read_to_string(folder.path().join("config.toml")).unwrap();
    let text = format!("{text}[registry]\nurl = \"postgres://guarda:hush@127.0.0.1:1/guarda\"\n");
    std::fs::write(folder.path().join("config.toml"), text).unwrap();
    let (code, _, err) = cli(folder.path(), &["list"]);
    let says = if cfg!(feature = "postgres") { "cannot be reached" } else { "--features postgres" };
    assert!(code == 1 && err.contains(says) && !err.contains("hush"), "{err}");
}

/// The second process of the tests below: counts runs and reports each on a line. Does nothing on its own.
#[test]
fn writer_of_another_process() {
    let Some(file) = std::env::var_os("GUARDA_TEST_DATABASE") else { return };
    let options = SqliteOptions { path: file.into(), patience: std::time::Duration::from_secs(30) };
    let mut store = RegistryBackend::Sqlite(options).open().unwrap();
    for number in 0.. {
        if std::env::var("GUARDA_TEST_RUNS").ok().and_then(|most| most.parse().ok()) == Some(number) {
            break;
        }
        store.note(&run(), &Thresholds::default()).unwrap();
        println!("counted");
    }
}

fn run() -> EndedRun {
    EndedRun {
        identity: Identity {
            command_hash: "ab".repeat(32),
            argv_hash: "cd".repeat(32),
            text: "frobnicate".to_owned(),
            folder: "/".to_owned(),
            profile: "desktop".to_owned(),
            program_digest: String::new(),
        },
        at: jiff::Timestamp::now(),
        end: RunEnd::Exit(0),
        duration: std::time::Duration::from_millis(1),
        risk: 0.1,
        tags: Vec::new(),
        allowed: true,
        held_back: None,
        tainted: false,
    }
}

fn writer(file: &Path, runs: Option<u64>) -> std::process::Child {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["writer_of_another_process", "--exact", "--nocapture"]).env("GUARDA_TEST_DATABASE", file);
    if let Some(runs) = runs {
        command.env("GUARDA_TEST_RUNS", runs.to_string());
    }
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn counted(file: &Path) -> u64 {
    let options = SqliteOptions { path: file.to_owned(), patience: crate::common::PATIENCE };
    let mut store = RegistryBackend::Sqlite(options).open().unwrap();
    store.list(&RowQuery { which: Which::All, most: 1 }).unwrap()[0].execution_count
}

#[test]
fn two_processes_that_write_at_once_lose_nothing() {
    // They make the file at the same time, too: that went wrong once in twenty times.
    for round in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("command_security.db");
        let writers: Vec<_> = (0..3).map(|_| writer(&file, Some(1))).collect();
        let ends = writers.into_iter().map(|mut writer| writer.wait().unwrap().success());
        assert_eq!(ends.filter(|good| *good).count(), 3, "round {round}");
        assert_eq!(counted(&file), 3);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("command_security.db");
    let mut writers: Vec<_> = (0..2).map(|_| writer(&file, Some(150))).collect();
    for writer in &mut writers {
        let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        assert_eq!(lines.map_while(Result::ok).filter(|line| line.ends_with("counted")).count(), 150);
        assert!(writer.wait().unwrap().success());
    }
    assert_eq!(counted(&file), 300);
}

#[test]
fn a_writer_that_is_killed_loses_no_acknowledged_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("command_security.db");
    let mut acknowledged = 0;
    for round in 1..=4 {
        let mut writer = writer(&file, None);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
        // It dies somewhere in the middle of a write, each time after another one.
        for line in lines.by_ref() {
            acknowledged += u64::from(line.ends_with("counted"));
            if acknowledged >= round * 23 {
                break;
            }
        }
        writer.kill().unwrap();
        acknowledged += lines.filter(|line| line.ends_with("counted")).count() as u64;
        writer.wait().unwrap();
        let found = counted(&file);
        assert!(found >= acknowledged, "{acknowledged} acknowledged, {found} found");
        // One more may have been written and not acknowledged any more, in each round.
        assert!(found <= acknowledged + round, "{acknowledged} acknowledged, {found} found");
        acknowledged = found;
    }
    let check =
        std::process::Command::new("sqlite3").arg(&file).arg("PRAGMA integrity_check").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&check.stdout), "ok\n");
}
