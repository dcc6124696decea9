//! Y and N on the keyboard of a real display, while a real voice speaks.

use serde_json::{Value, json};

use crate::common::Service;
use crate::common::fingers::{A, Fingers, N, Y};
use crate::common::machine::Machine;

const DESK: &str =
    "[terminal]\nenabled = false\n[server]\nanswer_over_http = true\n[language]\ndefault = \"en\"\n";

/// Posts a command and does something again and again until the reply is there.
fn while_asked(service: &Service, command: &str, mut again: impl FnMut()) -> Value {
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run(command));
        service.question();
        while !reply.is_finished() {
            crate::common::let_pass(2500, "a yes takes two seconds without another key");
            again();
        }
        reply.join().unwrap()
    })
}

#[test]
fn a_held_y_approves_and_a_held_n_denies() {
    let machine = Machine::whole();
    let service = machine.serve(DESK);
    let fingers = Fingers::on(machine.session().get("DISPLAY").unwrap());
    let file = machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = while_asked(&service, &command, || fingers.hold(N));
    assert_eq!(reply["outcome"], "denied", "{reply}");
    assert_eq!(reply["decided_by"], "person:keys");
    assert!(!file.exists());
    let reply = while_asked(&service, &command, || fingers.hold(Y));
    assert_eq!(reply["outcome"], "done", "{reply}");
    assert_eq!(reply["decided_by"], "person:keys");
    assert!(file.exists());
}

#[test]
fn a_press_that_a_program_makes_does_not_count() {
    let machine = Machine::whole();
    let service = machine.serve(DESK);
    let mut presses = 0;
    let reply = while_asked(&service, "rm nothing-there", || {
        presses += 1;
        if presses < 5 {
            machine.ask("xdotool", &["keydown", "y", "sleep", "1.3", "keyup", "y"]);
        } else if let Some(question) = service.open_questions().first() {
            let id = question["id"].as_str().unwrap();
            service.answer_with(id, &json!({ "answer": "no", "reason": "still open" }), &service.approve);
        }
    });
    assert_eq!(reply["reason"], "still open", "{reply}");
}

#[test]
fn a_dead_keyboard_denies() {
    let mut machine = Machine::new().with_bus().with_sound().with_speech().with_display();
    let config = DESK.replace("answer_over_http = true", "answer_over_http = false");
    let service = machine.serve(&config);
    let reply = std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run("rm nothing-there"));
        service.question();
        // The window manager, then the display itself.
        machine.stop_last();
        machine.stop_last();
        reply.join().unwrap()
    });
    assert_ne!(reply["outcome"], "done", "{reply}");
    assert_eq!(reply["output"], Value::Null);
    assert_eq!(service.run("echo still here")["outcome"], "done");
}

#[test]
fn a_held_a_approves_from_then_on() {
    let machine = Machine::whole();
    let service = machine.serve(DESK);
    let fingers = Fingers::on(machine.session().get("DISPLAY").unwrap());
    let file = machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = while_asked(&service, &command, || fingers.hold(A));
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("person:keys")), "{reply}");
    std::fs::remove_file(&file).unwrap();
    let reply = service.run(&command);
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("policy")), "{reply}");
    assert!(file.exists());
    // It holds for this very command, and a question that does not offer it takes no A.
    let mut presses = 0;
    let reply = while_asked(&service, "rm -r nothing-there", || {
        presses += 1;
        if presses < 3 { fingers.hold(A) } else { fingers.hold(N) }
    });
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&json!("denied"), &json!("person:keys")),
        "{reply}"
    );
}
