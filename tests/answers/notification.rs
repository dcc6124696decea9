//! Questions as notifications with buttons, shown by a real daemon.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde_json::json;

use crate::common::machine::Machine;
use crate::common::until;

/// The daemon opens its menu at some point, which on a busy machine may take longer than a question usually
/// stays open.
const QUIET: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n\
                     [language]\ndefault = \"en\"\n[security]\nconfirmation_timeout_seconds = 120\n";

/// A machine with dunst. A program answers its menu of buttons with the one named in the file `press`.
fn machine() -> Machine {
    machine_that(false)
}

/// A dunst rule that writes the text of each notification to the file `shown`.
fn written_down(machine: &Machine) -> String {
    let (script, shown) = (machine.path("write-down"), machine.path("shown"));
    let text = format!("#!/bin/sh\nprintf '%s\\n' \"$DUNST_BODY\" >>'{}'\n", shown.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("[all]\nsummary = \"*\"\nscript = {}\n", script.display())
}

/// The same; if it `writes`, the shown text can be read from a file.
fn machine_that(writes: bool) -> Machine {
    with_dunst(Machine::new().with_bus().with_display(), writes)
}

fn with_dunst(mut machine: Machine, writes: bool) -> Machine {
    let (menu, settings) = (machine.path("menu"), machine.path("config/dunstrc"));
    let words = machine.path("press").display().to_string();
    let opened = machine.path("opened").display().to_string();
    std::fs::write(
        &menu,
        format!("#!/bin/sh\ngrep -m1 -f '{words}'\nended=$?\necho . >>'{opened}'\nexit $ended\n"),
    )
    .unwrap();
    std::fs::set_permissions(&menu, std::fs::Permissions::from_mode(0o755)).unwrap();
    let rules = format!("[global]\nmarkup = full\ndmenu = {}\n", menu.display());
    std::fs::write(
        &settings,
        format!("{rules}{}", if writes { written_down(&machine) } else { String::new() }),
    )
    .unwrap();
    machine.start_dunst(settings.to_str().unwrap());
    machine
}

/// Presses the button with this text on the current notification. Returns when the menu has been answered:
/// dunst opens it at some point, and a late press would hit the next question. It opens none while it still
/// clears the previous one, so each press comes a moment after the one before.
fn press(machine: &Machine, button: &str) {
    crate::common::let_pass(700, "no menu opens while the previous one is being cleared");
    let shown = || machine.ask("dunstctl", &["count", "displayed"]) != "0";
    let opened = || std::fs::read_to_string(machine.path("opened")).unwrap_or_default().len();
    if !shown() {
        return;
    }
    let before = opened();
    std::fs::write(machine.path("press"), format!("{button}\n")).unwrap();
    machine.ask("dunstctl", &["context"]);
    let begun = std::time::Instant::now();
    while opened() == before && begun.elapsed() < Duration::from_secs(if shown() { 5 } else { 2 }) {
        crate::common::pause();
    }
}

#[test]
fn a_button_says_yes_and_another_says_no() {
    yes_and_no(&machine());
}

#[test]
fn they_do_under_wayland_too_where_no_key_says_yes() {
    yes_and_no(&with_dunst(Machine::new().with_bus().with_wayland(), false));
}

fn yes_and_no(machine: &Machine) {
    let service = machine.serve(QUIET);
    until("the channel", || service.status()["answers"]["notification"]["state"] == "ready");
    let file = machine.home().join("made");
    let command = format!("touch {}", file.display());
    for (button, outcome, made) in [("No", "denied", false), ("Yes", "done", true)] {
        let reply = std::thread::scope(|scope| {
            let reply = scope.spawn(|| service.run(&command));
            service.question();
            while !reply.is_finished() {
                press(machine, button);
            }
            reply.join().unwrap()
        });
        assert_eq!(
            (&reply["outcome"], &reply["decided_by"]),
            (&json!(outcome), &json!("person:notification")),
            "{button}: {reply}"
        );
        assert_eq!(file.exists(), made);
        until("it is taken away", || machine.ask("dunstctl", &["count", "displayed"]) == "0");
    }
    // Nothing of a question stays on the screen.
    until("it is taken away", || machine.ask("dunstctl", &["count", "displayed"]) == "0");
}

#[test]
fn its_text_has_the_code_of_the_question() {
    let mut machine = machine_that(true);
    let service = machine.serve(QUIET);
    until("the channel", || service.status()["answers"]["notification"]["state"] == "ready");
    let file = machine.home().join("made");
    let reply = std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run(&format!("touch {}", file.display())));
        let id = service.question();
        assert_eq!(service.answer_with(&id, &json!({ "answer": "yes" }), &service.approve).status, 403);
        let mut code = None;
        until("the notification with its code", || {
            let shown = std::fs::read_to_string(machine.path("shown")).unwrap_or_default();
            code = crate::codes::code_in(&shown);
            code.is_some()
        });
        assert_eq!(
            service.answer_with(&id, &json!({ "answer": "yes", "code": code }), &service.approve).status,
            200
        );
        reply.join().unwrap()
    });
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("person:http")), "{reply}");
    assert!(file.exists());
    // Ending the daemon does not remove the code. Without a display and a window manager, the bus starts no other.
    for _ in 0..3 {
        machine.stop_last();
    }
    until("it is gone", || service.status()["answers"]["notification"]["state"] == "absent");
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run("touch made-too"));
        let id = service.question();
        assert_eq!(service.answer_with(&id, &json!({ "answer": "yes" }), &service.approve).status, 403);
        assert_eq!(service.answer_with(&id, &json!({ "answer": "no" }), &service.approve).status, 200);
        assert_eq!(reply.join().unwrap()["outcome"], "denied");
    });
}

#[test]
fn what_is_above_its_rank_has_no_yes_there() {
    let machine = machine();
    let service = machine.serve(&format!("{QUIET}[channels]\napprove_below = {{ notification = 0.1 }}\n"));
    until("the channel", || service.status()["answers"]["notification"]["state"] == "ready");
    let file = machine.home().join("made");
    let command = format!("touch {}", file.display());
    let reply = std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run(&command));
        service.question();
        for _ in 0..3 {
            press(&machine, "Yes");
        }
        assert!(!reply.is_finished() && service.questions().len() == 1, "it stands");
        while !reply.is_finished() {
            press(&machine, "No");
        }
        reply.join().unwrap()
    });
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("denied"), &json!("person:notification")));
    assert!(!file.exists());
}

#[test]
fn without_a_daemon_it_shows_itself_absent() {
    let machine = Machine::new().with_bus();
    let service = machine.serve(QUIET);
    until("it was looked for", || service.status()["answers"]["notification"]["state"] != "starting");
    let told = &service.status()["answers"]["notification"];
    assert_eq!(told["state"], "absent", "{told}");
    assert!(told["detail"].as_str().unwrap().contains("notification daemon"), "{told}");
}
