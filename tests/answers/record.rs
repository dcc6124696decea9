//! A record that cannot be written is announced aloud, once.

use serde_json::json;

use crate::common::machine::Machine;
use crate::common::{let_pass, until};

#[test]
fn a_record_that_is_gone_is_heard_once_until_it_is_back() {
    let machine = Machine::new().with_bus().with_sound().with_speech();
    let config = "[terminal]\nenabled = false\n[keys]\nenabled = false\n[language]\ndefault = \"en\"\n";
    let service = machine.serve(config);
    let (journal, away) = (service.state("journal"), service.state("away"));
    let deed = json!({ "action": "RUN_COMMAND", "target": "ls" });
    let ears = machine.listen();
    // The seconds heard once the speech ends.
    let all_heard = || {
        let mut heard = 0.0;
        until("silence", || {
            let before = heard;
            let_pass(2000, "silence is heard for a while");
            heard = ears.heard();
            heard > 0.5 && heard - before < 0.1
        });
        heard
    };
    assert_eq!(service.post("/v1/actions", deed.to_string()).send().status, 200);
    std::fs::rename(&journal, &away).unwrap();
    assert_eq!(service.post("/v1/actions", deed.to_string()).send().status, 500);
    let once = all_heard();
    for _ in 0..3 {
        assert_eq!(service.post("/v1/actions", deed.to_string()).send().status, 500);
    }
    let_pass(2000, "what is said twice would be heard");
    assert!(all_heard() - once < 0.3, "it is said once");
    // After a recovery, new trouble is announced again.
    std::fs::rename(&away, &journal).unwrap();
    until("the record", || service.post("/v1/actions", deed.to_string()).send().status == 200);
    std::fs::rename(&journal, &away).unwrap();
    assert_eq!(service.post("/v1/actions", deed.to_string()).send().status, 500);
    until("it to be said again", || ears.heard() - once > 0.5);
}

#[test]
fn a_registry_that_is_lost_is_heard_once() {
    let machine = Machine::new().with_bus().with_sound().with_speech();
    let config = "[terminal]\nenabled = false\n[keys]\nenabled = false\n[language]\ndefault = \"en\"\n";
    let service = machine.serve(config);
    assert_eq!(service.run("echo hi")["decided_by"], "policy");
    let ears = machine.listen();
    let judged = || service.judge(&json!({ "action": "RUN_COMMAND", "target": "echo hi" }));
    judged();
    let_pass(1000, "what is said where all is well would be heard");
    assert!(ears.heard() < 0.2, "nothing is said where all is well");
    for name in ["command_security.db", "command_security.db-wal", "command_security.db-shm"] {
        let _ = std::fs::remove_file(service.state(name));
    }
    std::fs::create_dir(service.state("command_security.db")).unwrap();
    // A judgement causes no question, so nothing else is spoken.
    until("the registry to be lost", || judged()["status"] == "requires_confirmation");
    until("it to be said", || ears.heard() > 1.0);
    let mut heard = 0.0;
    until("silence", || {
        let before = std::mem::replace(&mut heard, ears.heard());
        let_pass(1000, "silence is heard for a while");
        heard - before < 0.05
    });
    judged();
    let_pass(2000, "what is said twice would be heard");
    assert!(ears.heard() - heard < 0.3, "it is said once");
}
