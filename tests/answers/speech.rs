//! The risk is spoken and audible.

use serde_json::json;

use crate::common::machine::Machine;
use crate::common::{let_pass, until};

fn config(language: &str) -> String {
    format!("[terminal]\nenabled = false\n[keys]\nenabled = false\n[language]\ndefault = \"{language}\"\n")
}

#[test]
fn the_question_is_heard_in_each_language() {
    let machine = Machine::new().with_bus().with_sound().with_speech();
    let file = machine.home().join("teste.txt");
    std::fs::write(&file, "one\n").unwrap();
    // Questions before a run, and about its changes.
    let ways = [false, true].into_iter().flat_map(|staged| ["pt-BR", "en", "fr"].map(|way| (staged, way)));
    for (staged, language) in ways {
        let undo = format!("[undo]\nstage = {staged}\n");
        let service = machine.serve(&format!("{}{undo}", config(language)));
        until("the voice", || service.status()["speech"]["state"] == "ready");
        let ears = machine.listen();
        std::thread::scope(|scope| {
            let reply = scope.spawn(|| service.run("rm teste.txt"));
            let id = service.question();
            assert_eq!(service.open_questions()[0]["effects"].is_object(), staged);
            until(&format!("a spoken question in {language}"), || ears.heard() >= 1.0);
            assert_eq!(service.answer_with(&id, &json!({ "answer": "no" }), &service.approve).status, 200);
            assert_eq!(reply.join().unwrap()["outcome"], "denied");
            assert!(file.exists());
        });
    }
}

#[test]
fn a_dead_voice_costs_neither_the_question_nor_the_service() {
    let mut machine = Machine::new().with_bus().with_sound().with_speech();
    // A dead voice speaks no code.
    let config = format!("{}[server]\nanswer_code = \"never\"\n", config("en"));
    let service = machine.serve(&config);
    machine.stop_last();
    for _ in 0..2 {
        let reply = std::thread::scope(|scope| {
            let reply = scope.spawn(|| service.run("rm nothing-there"));
            let id = service.question();
            let_pass(500, "a dead voice would have its time");
            assert_eq!(service.answer_with(&id, &json!({ "answer": "yes" }), &service.approve).status, 200);
            reply.join().unwrap()
        });
        assert_eq!(reply["decided_by"], "person:http", "{reply}");
        assert_eq!(reply["outcome"], "done", "{reply}");
    }
    until("the status to tell of it", || service.status().to_string().contains("speech"));
}

#[test]
fn the_voice_stops_when_the_answer_comes() {
    let machine = Machine::new().with_bus().with_sound().with_speech();
    let service = machine.serve(&config("en"));
    until("the voice", || service.status()["speech"]["state"] == "ready");
    // About ten seconds, if it were said to its end.
    let command =
        format!("mv {} elsewhere", "a-name-of-a-file-that-takes-a-long-time-to-say ".repeat(2).trim());
    let command = command.replace("say a", "say-which-is-twice-as-long-as-one-likes a");
    let ears = machine.listen();
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run(&command));
        let id = service.question();
        until("the voice", || ears.heard() >= 0.3);
        assert_eq!(service.answer_with(&id, &json!({ "answer": "no" }), &service.approve).status, 200);
        assert_eq!(reply.join().unwrap()["outcome"], "denied");
    });
    let mut heard = 0.0;
    until("silence", || {
        let before = std::mem::replace(&mut heard, ears.heard());
        let_pass(1500, "silence is heard for a while");
        heard - before < 0.05
    });
    assert!(heard < 4.0, "{heard} s were heard: the question, which was broken off, and what came of it");
}

#[test]
fn the_voice_and_the_sound_can_be_tried() {
    let machine = Machine::new().with_bus().with_sound().with_speech();
    let (environment, _) = machine.settings(&config("en"));
    let speak = |words: &[&str]| {
        let mut command = machine.command(env!("CARGO_BIN_EXE_guarda"), &[&["speak"], words].concat());
        let output = command.envs(environment.clone()).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (least, words) in [
        (0.1, &["--sound"][..]),
        (0.8, &["--language", "fr", "Bonjour, tout va bien ici."]),
        (0.8, &["--lang", "pt-BR", "--rate", "-30", "--volume", "50", "Bom dia, tudo certo por aqui."]),
    ] {
        let ears = machine.listen();
        assert_eq!(speak(words), (true, String::new()), "{words:?}");
        until(&format!("{words:?}"), || ears.heard() >= least);
    }
    machine.ask("pactl", &["set-sink-mute", "guard", "1"]);
    let (heard, why) = speak(&["nobody hears this"]);
    assert!(!heard && why.contains("muted"), "{why}");
    assert!(!speak(&["--rate", "101", "too fast"]).0 && !speak(&[]).0);
}

#[test]
fn quiet_hours_say_nothing_and_ask_all_the_same() {
    let machine = Machine::new().with_bus().with_sound().with_speech();
    let hour: u32 = machine.ask("date", &["+%H"]).trim().parse().unwrap();
    let now = format!("{:02}:00-{:02}:00", (hour + 23) % 24, (hour + 2) % 24);
    for (hours, quiet) in [(now.as_str(), true), ("", false)] {
        let config = format!("{}[speech]\nquiet_hours = \"{hours}\"\nsound = \"always\"\n", config("en"));
        let service = machine.serve(&config);
        let ears = machine.listen();
        std::thread::scope(|scope| {
            let reply = scope.spawn(|| service.run("rm nothing-there"));
            let id = service.question();
            if quiet {
                let_pass(2000, "what is said in quiet hours would be heard");
                assert!(ears.heard() < 0.1, "{} s were heard", ears.heard());
            } else {
                until("the question", || ears.heard() > 0.5);
            }
            assert_eq!(service.answer_with(&id, &json!({ "answer": "no" }), &service.approve).status, 200);
            assert_eq!(reply.join().unwrap()["outcome"], "denied");
        });
        assert_eq!(service.status()["speech"].to_string().contains("quiet hours"), quiet);
    }
}

/// The time from a request to the first sound, next to `spd-say`: printed, but not judged. `GUARDA_MEASURE`
/// sets the number of rounds.
#[test]
fn the_first_sound_is_measured() {
    let rounds = std::env::var("GUARDA_MEASURE").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let machine = Machine::new().with_bus().with_sound().with_speech();
    let service = machine.serve(&config("en"));
    until("the voice", || service.status()["speech"]["state"] == "ready");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let ears = machine.listen();
        theirs.push(
            ears.first(|| drop(machine.ask("spd-say", &["-l", "en", "Do you want to delete one file?"]))),
        );
        drop(ears);
        let_pass(2000, "the voice ends before the next measurement");
        let ears = machine.listen();
        std::thread::scope(|scope| {
            let mut reply = None;
            ours.push(ears.first(|| reply = Some(scope.spawn(|| service.run("rm teste.txt")))));
            let id = service.question();
            assert_eq!(service.answer_with(&id, &json!({ "answer": "no" }), &service.approve).status, 200);
            reply.unwrap().join().unwrap();
        });
        drop(ears);
        let_pass(2000, "the voice ends before the next measurement");
    }
    for (name, times) in [("guarda, from the request", &mut ours), ("spd-say, from its start", &mut theirs)] {
        times.sort_unstable();
        println!("{name}: median {:?}, of {:?}", times[times.len() / 2], times);
    }
}
