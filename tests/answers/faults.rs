//! Voice, sound server, bus and display die and return while the guard works. A dead part costs only what it
//! carried, and a returned one is used again without a restart.

use serde_json::{Value, json};

use crate::common::fingers::{Fingers, N};
use crate::common::machine::Machine;
use crate::common::{Service, until};

const QUIET: &str = "[speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n";

/// A question that is answered with no by the approve token; the reply.
fn denied(service: &Service, meanwhile: impl FnOnce()) -> Value {
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run("rm nothing-there"));
        let id = service.question();
        meanwhile();
        assert_eq!(service.answer_with(&id, &json!({ "answer": "no" }), &service.approve).status, 200);
        reply.join().unwrap()
    })
}

#[test]
fn a_voice_that_returns_speaks_again() {
    let mut machine = Machine::new().with_bus().with_sound().with_speech();
    // On a busy machine the voice may need longer than a question usually lives.
    let config = "[terminal]\nenabled = false\n[keys]\nenabled = false\n[language]\ndefault = \"en\"\n\
                  [security]\nconfirmation_timeout_seconds = 120\n";
    let service = machine.serve(config);
    let ears = machine.listen();
    denied(&service, || until("a spoken question", || ears.heard() >= 1.0));
    machine.stop_last();
    let reply = denied(&service, || {});
    assert_eq!(reply["decided_by"], "person:http", "{reply}");
    until("the status to tell of it", || service.status()["speech"]["state"] != "ready");
    machine = machine.with_speech();
    until("the voice", || service.status()["speech"]["state"] == "ready");
    let before = ears.heard();
    denied(&service, || until("a spoken question again", || ears.heard() - before >= 1.0));
    drop(machine);
}

#[test]
fn a_sound_server_that_returns_is_heard_again() {
    let mut machine = Machine::new().with_bus().with_sound();
    let service = machine.serve(QUIET);
    let set = |volume: &str| service.perform(&json!({ "action": "VOLUME_SET", "target": volume }));
    for (volume, other) in [("30", "35"), ("60", "65")] {
        until("the volume", || set(volume)["outcome"] == "done");
        let shown = machine.ask("pactl", &["get-sink-volume", "@DEFAULT_SINK@"]);
        assert!(shown.contains(&format!("{volume}%")), "{shown}");
        machine.stop_last();
        let reply = set(other);
        assert_eq!(reply["outcome"], "failed", "{reply}");
        assert!(reply["error"].as_str().is_some_and(|error| !error.is_empty()), "{reply}");
        assert_eq!(service.run("echo still here")["outcome"], "done");
        machine = machine.with_sound();
    }
    until("the volume", || set("45")["outcome"] == "done");
}

#[test]
fn a_bus_that_returns_is_used_again() {
    let mut machine = Machine::new().with_bus();
    let service = machine.serve(QUIET);
    let next = || service.perform(&json!({ "action": "MEDIA_NEXT" }));
    let there = next();
    assert_eq!((&there["outcome"], &there["error"]), (&json!("failed"), &json!("no_player")), "{there}");
    for _ in 0..2 {
        machine.stop_last();
        let gone = next();
        assert_eq!(gone["outcome"], "failed", "{gone}");
        assert_ne!(gone["error"], "no_player", "nothing is said of players by one who cannot look: {gone}");
        assert_eq!(service.run("echo still here")["outcome"], "done");
        machine = machine.with_bus();
        until("the bus", || next()["error"] == "no_player");
    }
}

#[test]
fn a_display_that_returns_has_its_keys_again() {
    // Keys are watched once a question is heard, so there is a voice; the display comes last, since it dies.
    let mut machine = Machine::new().with_bus().with_sound().with_speech().with_display();
    let display = machine.session().get("DISPLAY").unwrap().to_owned();
    let config = "[terminal]\nenabled = false\n[language]\ndefault = \"en\"\n";
    let service = machine.serve(config);
    let keys = || service.status()["answers"]["keys"]["state"].as_str().unwrap_or_default().to_owned();
    until("the keys", || keys() == "ready");
    // The window manager, then the display itself.
    machine.stop_last();
    machine.stop_last();
    let reply = denied(&service, || {});
    assert_eq!(reply["decided_by"], "person:http", "{reply}");
    until("the status to tell of it", || keys() != "ready");
    machine.start("Xvfb", &[&display, "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"]);
    until("the display", || !machine.ask("xdpyinfo", &[]).is_empty());
    machine.start("openbox", &[]);
    until("the keys again", || keys() == "ready");
    let fingers = Fingers::on(&display);
    let reply = std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run("rm nothing-there"));
        service.question();
        while !reply.is_finished() {
            crate::common::let_pass(2500, "a no takes two seconds without another key");
            fingers.hold(N);
        }
        reply.join().unwrap()
    });
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&json!("denied"), &json!("person:keys")),
        "{reply}"
    );
}
