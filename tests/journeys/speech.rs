//! The risk is spoken, and heard.

use std::time::Duration;

use serde_json::json;

use crate::machine::{Machine, until};
use crate::service::Service;

fn config(language: &str) -> String {
    format!("[terminal]\nenabled = false\n[keys]\nenabled = false\n[language]\ndefault = \"{language}\"\n")
}

#[test]
fn the_question_is_heard_in_each_language() {
    let machine = Machine::new().with_bus().with_sound().with_speech();
    for language in ["pt-BR", "en", "fr"] {
        let service = Service::start(&machine, &config(language));
        let ears = machine.listen();
        std::thread::scope(|scope| {
            let reply = scope.spawn(|| service.run("rm teste.txt"));
            let id = service.question();
            until(&format!("a spoken question in {language}"), || ears.heard() >= 1.0);
            assert_eq!(service.answer(&id, &json!({ "answer": "no" }), "approve-token"), 200);
            assert_eq!(reply.join().unwrap()["outcome"], "denied");
        });
    }
}

#[test]
fn a_dead_voice_costs_neither_the_question_nor_the_service() {
    let mut machine = Machine::new().with_bus().with_sound().with_speech();
    let service = Service::start(&machine, &config("en"));
    machine.stop_last();
    for _ in 0..2 {
        let reply = std::thread::scope(|scope| {
            let reply = scope.spawn(|| service.run("rm nothing-there"));
            let id = service.question();
            std::thread::sleep(Duration::from_millis(500));
            assert_eq!(service.answer(&id, &json!({ "answer": "yes" }), "approve-token"), 200);
            reply.join().unwrap()
        });
        assert_eq!(reply["decided_by"], "person:http", "{reply}");
        assert_eq!(reply["outcome"], "done", "{reply}");
    }
    until("the status to tell of it", || service.status().to_string().contains("speech"));
}
