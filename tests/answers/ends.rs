//! Every way in which a request can end, through HTTP, on a machine without voice, display and terminal.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::machine::Machine;
use crate::common::{Answer, Service, until};

/// No person is at this computer: questions wait for the holder of the approve token.
const REMOTE: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n";

fn service(machine: &Machine, security: &str) -> Service {
    machine.serve(&format!("[security]\n{security}\n{REMOTE}"))
}

/// Posts a command while the person with the approve token answers; the reply.
fn answered(service: &Service, command: &str, answer: &Value) -> Value {
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run(command));
        let id = service.question();
        assert_eq!(service.answer_with(&id, answer, &service.approve).status, 200);
        reply.join().unwrap()
    })
}

fn ends(reply: &Value) -> [&str; 3] {
    ["status", "outcome", "decided_by"].map(|field| reply[field].as_str().unwrap())
}

#[test]
fn approved_runs_at_once_and_says_what_came_out() {
    let machine = Machine::new();
    let service = service(&machine, "");
    let reply = service.run("echo olá");
    assert_eq!(ends(&reply), ["approved", "done", "policy"], "{reply}");
    assert_eq!(reply["output"]["stdout"], "olá\n");
    assert_eq!(reply["output"]["exit_code"], 0);
}

#[test]
fn yes_does_it_and_no_does_not() {
    let machine = Machine::new();
    let service = service(&machine, "");
    let file = machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = answered(&service, &command, &json!({ "answer": "no", "reason": "not now" }));
    assert_eq!(ends(&reply), ["requires_confirmation", "denied", "person:http"], "{reply}");
    assert_eq!(reply["reason"], "not now");
    assert!(!file.exists());
    let reply = answered(&service, &command, &json!({ "answer": "yes" }));
    assert_eq!(ends(&reply), ["requires_confirmation", "done", "person:http"], "{reply}");
    assert!(file.exists());

    // The record has the intent before the outcome, under one id.
    let journal = service.journal();
    let events: Vec<&str> = journal.iter().filter_map(|line| line["event"].as_str()).collect();
    let intent = events.iter().position(|event| *event == "intent").unwrap();
    assert_eq!(events[intent..intent + 2], ["intent", "outcome"]);
    assert_eq!(journal[intent]["audit_id"], reply["receipt"]["audit_id"]);
    assert_eq!(journal[intent + 1]["hash"], Value::Null, "the hash of a line stands in the line after it");
    assert!(events.contains(&"refusal"));
}

#[test]
fn silence_denies() {
    let machine = Machine::new();
    let service = service(&machine, "confirmation_timeout_seconds = 1");
    let reply = service.run("rm nothing-there");
    assert_eq!(ends(&reply), ["requires_confirmation", "expired", "timeout"], "{reply}");
    assert_eq!(reply["message"], "Ninguém respondeu. Não fiz.");
    assert!(service.questions().is_empty());
}

#[test]
fn a_password_is_not_asked_for_where_the_advanced_mode_is_off() {
    let machine = Machine::new();
    let service = service(&machine, "");
    let reply = service.run("sudo touch /root/guarda-test");
    assert_eq!(ends(&reply), ["requires_password", "blocked", "policy"], "{reply}");
    assert_eq!(reply["error"], "password_needed");
}

#[test]
fn what_is_blocked_has_no_question() {
    let machine = Machine::new();
    let service = service(&machine, "");
    for command in ["rm -fr /", "sudo rm -rf /", "true; mkfs.ext4 /dev/sda1", ":(){ :|:& };:"] {
        let reply = service.run(command);
        assert_eq!(ends(&reply), ["blocked", "blocked", "policy"], "{reply}");
    }
    assert!(service.journal().iter().all(|line| line["event"] != "intent"));
}

#[test]
fn the_asker_cannot_answer() {
    let machine = Machine::new();
    let service = service(&machine, "");
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run("rm nothing-there"));
        let id = service.question();
        assert_eq!(service.answer_with(&id, &json!({ "answer": "yes" }), &service.token).status, 403);
        assert_eq!(
            service.answer_with(&"0".repeat(32), &json!({ "answer": "yes" }), &service.approve).status,
            404
        );
        assert_eq!(service.questions().len(), 1);
        assert_eq!(service.answer_with(&id, &json!({ "answer": "no" }), &service.approve).status, 200);
        assert_eq!(reply.join().unwrap()["outcome"], "denied");
        // Answered once is answered.
        assert!(matches!(
            service.answer_with(&id, &json!({ "answer": "yes" }), &service.approve).status,
            404 | 409
        ));
    });
}

#[test]
fn a_caller_that_hangs_up_withdraws_its_question() {
    let machine = Machine::new();
    let service = service(&machine, "");
    let body = r#"{"action":"RUN_COMMAND","target":"rm nothing-there"}"#;
    let mut stream = std::net::TcpStream::connect(&service.address).unwrap();
    write!(
        stream,
        "POST /v1/actions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        service.address,
        service.token.clone(),
        body.len(),
    )
    .unwrap();
    service.question();
    drop(stream);
    until("the withdrawal", || service.questions().is_empty());
    until("the record of it", || service.journal().iter().any(|line| line["user_decision"] == "withdrawn"));
}

#[test]
fn a_shutdown_denies_what_is_pending_and_records_it() {
    let machine = Machine::new();
    let mut service = service(&machine, "");
    let action = json!({ "action": "RUN_COMMAND", "target": "rm nothing-there" });
    let mut caller = service.post("/v1/actions", action.to_string()).begin();
    service.question();
    service.signal(rustix::process::Signal::TERM);
    assert!(service.end().success());
    let reply = Answer::read(&mut caller).good();
    assert_eq!(reply["outcome"], "withdrawn", "{reply}");
    let journal = std::fs::read_dir(service.state("journal")).unwrap().map(|entry| entry.unwrap().path());
    let text: String = journal.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    assert!(text.contains("\"refusal\""), "{text}");
}

#[test]
fn where_nobody_can_be_asked_the_answer_is_no_at_once() {
    let machine = Machine::new();
    let service = machine.serve(&format!("[server]\nanswer_over_http = false\n{REMOTE}"));
    let begun = std::time::Instant::now();
    let reply = service.run("rm nothing-there");
    assert_eq!(ends(&reply), ["requires_confirmation", "denied", "guard"], "{reply}");
    assert_eq!(reply["error"], "nobody_to_ask");
    assert!(begun.elapsed() < Duration::from_secs(25), "the question must not stand until its time is up");
}

/// Channels that could answer a question stay until it is answered; the others do not wait.
#[test]
fn a_question_holds_up_only_what_could_answer_it() {
    // Without a display no key can be pressed, so there would be no question.
    let machine = Machine::new().with_display();
    let service = &service(&machine, "");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| service.run("rm nothing-there"));
        let id = service.question();
        for line in
            ["python3 -c 'print(6 * 7)'", "perl -e 'print 6 * 7'", "ls", "for i in 1 2; do echo $i; done"]
        {
            let judged = service.judge(&json!({ "action": "RUN_COMMAND", "target": line }));
            assert_ne!(judged["status"], "blocked", "{line}: {judged}");
        }
        assert_eq!(service.run("echo still here")["outcome"], "done");
        let waiting: Vec<_> = [
            json!({ "action": "KEY_PRESS", "target": "y" }),
            json!({ "action": "RUN_COMMAND", "target": "xdotool key y" }),
            json!({ "action": "RUN_COMMAND", "target": "true; env ydotool key 21:1 21:0" }),
            json!({ "action": "RUN_COMMAND", "target": "tmux send-keys y" }),
        ]
        .into_iter()
        .map(|action| scope.spawn(move || service.perform(&action)))
        .collect();
        until("all to be in line", || service.questions().len() == 1 + waiting.len());
        assert_eq!(service.answer_with(&id, &json!({ "answer": "no" }), &service.approve).status, 200);
        first.join().unwrap();
        for question in service.open_questions() {
            let id = question["id"].as_str().unwrap();
            assert_eq!(service.answer_with(id, &json!({ "answer": "no" }), &service.approve).status, 200);
        }
        for reply in waiting {
            assert_eq!(reply.join().unwrap()["outcome"], "denied");
        }
    });
}

#[test]
fn the_true_end_of_a_command_is_told() {
    let machine = Machine::new();
    let service = service(&machine, "");
    let reply = answered(&service, "programa-inexistente", &json!({ "answer": "yes" }));
    assert_eq!(reply["outcome"], "failed", "{reply}");
    assert_eq!(reply["error"], "command_not_found");
    assert_eq!(reply["output"]["exit_code"], 127);
    let reply = service.run("ls /nothing-there");
    assert_eq!(reply["outcome"], "done", "{reply}");
    assert_eq!(reply["output"]["exit_code"], 2);
    assert!(reply["output"]["stderr"].as_str().unwrap().contains("/nothing-there"));
    let reply = service.perform(&json!({ "action": "explodir_computador" }));
    assert_eq!(reply["error"], "unknown_action", "{reply}");
}

#[test]
fn judging_does_nothing() {
    let machine = Machine::new();
    let service = service(&machine, "");
    let file = machine.home().join("made");
    let action = json!({ "action": "RUN_COMMAND", "target": format!("touch {}", file.display()) });
    assert_eq!(service.judge(&action)["status"], "requires_confirmation");
    assert!(!file.exists() && service.questions().is_empty());
}

#[test]
fn what_needs_a_shell_and_only_reads_is_run_unasked() {
    let machine = Machine::new();
    let service = service(&machine, "");
    let reply = service.run("for i in 1 2; do echo $i; done");
    assert_eq!(ends(&reply), ["approved", "done", "policy"], "{reply}");
    assert_eq!(reply["run"]["way"], "look");
    assert_eq!(reply["output"]["stdout"], "1\n2\n");
    // The same twice in a row is not a reason to ask for what only reads.
    for _ in 0..3 {
        assert_eq!(service.run("echo again")["status"], "approved");
    }
}
