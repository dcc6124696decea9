//! The language model's server dies and returns in the middle of use. Only the model's words come from a
//! double: service, command line, connections and refusals are real. advice.rs and ask.rs use the real
//! server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::scripted::{Reaction, Scripted};
use crate::common::{Answer, Service, UNSTAGED, folder, guarda, wait};
use crate::machine::{add, sound};

/// A command that the rules leave open, so that a second opinion may settle it.
const OPEN: &str = "getopt ab";

fn service(model: &Scripted) -> Service {
    let place = folder("", UNSTAGED);
    let address = &model.address;
    add(
        place.path(),
        &format!(
            "[endpoint]\naddress = \"{address}\"\n[ask]\nmodel = \"tiny\"\n[advice]\nenabled = true\n\
             model = \"tiny\"\nsettle = true\ntimeout_seconds = 2\nfailures = 2\npause_seconds = 1\n"
        ),
    );
    Service::on(place)
}

fn judged(service: &Service, command: &str) -> Value {
    let body = json!({"action": "RUN_COMMAND", "target": command, "cwd": service.folder.path()});
    service.post("/v1/judge", body.to_string()).send().json()
}

#[test]
fn a_model_that_dies_has_asked_what_it_settled_until_it_is_back() {
    let mut model = Scripted::new(|body| {
        let text = body["messages"][1]["content"].as_str().unwrap();
        if text.contains("breaks") { Reaction::BreaksOff } else { Reaction::clear() }
    });
    let service = service(&model);
    for round in 0..2 {
        let known = format!("{OPEN} known{round}");
        wait("an opinion", || (judged(&service, &known)["status"] == "approved").then_some(()));
        let reply = service.act(&format!("{OPEN} well{round}")).send().json();
        assert_eq!(
            (&reply["outcome"], &reply["decided_by"]),
            (&json!("done"), &json!("policy")),
            "{reply:#}"
        );
        // It dies in the middle of an answer, then altogether: commands that it could have settled lead to
        // questions.
        assert_eq!(judged(&service, &format!("{OPEN} breaks{round}"))["status"], "requires_confirmation");
        model.die();
        let mut asking = service.act(&format!("{OPEN} gone{round}")).begin();
        let question = service.question();
        // Meanwhile, commands that need no opinion run, and forbidden ones stay forbidden.
        assert_eq!(service.act("echo hi").send().json()["decided_by"], "policy");
        assert_eq!(service.act("rm -rf /").send().json()["outcome"], "blocked");
        assert_eq!(service.answer(&question, "yes").status, 200);
        let reply = Answer::read(&mut asking).json();
        assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("person:http")));
        assert!(reply["findings"].to_string().contains("advice-unclear"), "{reply:#}");
        // Its earlier answers are cached.
        assert_eq!(judged(&service, &known)["status"], "approved");
        let status = service.status();
        assert_eq!(status["advice"]["state"], "failed", "{status:#}");
        assert!(status["degraded"].to_string().contains("no second opinion"), "{status:#}");
        model.come_back();
    }
    wait("an opinion", || (judged(&service, &format!("{OPEN} back"))["status"] == "approved").then_some(()));
    wait("the status", || {
        let status = service.status();
        (status["advice"]["state"] == "ready").then_some(())
    });
    sound(&service);
}

#[test]
fn a_conversation_outlives_the_model_that_dies() {
    let mut model = Scripted::new(|_| {
        Reaction::Writes(json!({"action": "RUN_COMMAND", "target": "uname -s"}).to_string())
    });
    let service = service(&model);
    let mut command = guarda(service.folder.path());
    command.arg("ask").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut until = |word: &str| {
        let mut line = String::new();
        while !line.contains(word) {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "it ends without {word}");
        }
    };
    writeln!(said, "que sistema é este?").unwrap();
    until("Linux");
    model.die();
    let before = service.journal().len();
    writeln!(said, "e agora?").unwrap();
    let mut line = String::new();
    while !line.contains("ollama serve") {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "it does not say what to do");
    }
    assert_eq!(service.journal().len(), before, "nothing was guessed, and nothing asked of the service");
    // A single sentence is refused, and says so by its end.
    let alone = guarda(service.folder.path()).args(["ask", "que sistema é este?"]).output().unwrap();
    assert_eq!(alone.status.code(), Some(1), "{alone:?}");
    model.come_back();
    writeln!(said, "e depois?").unwrap();
    until("Linux");
    drop(said);
    assert!(child.wait().unwrap().success());
    let mut rest = String::new();
    errors.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "one failure, told once");
}
