//! A listener follows the questions of a real voice, and passes on what a person says. The words of a yes are known to the prompter's own
//! tests alone: here they are said, and nobody who asks learns them.

use std::io::{BufRead as _, BufReader};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::common::machine::Machine;
use crate::common::{Service, let_pass, until, wait};

/// The events of the stream so far.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<(String, Value)>>>);

impl Events {
    fn follow(service: &Service, token: &str) -> Self {
        let stream = service.get("/v1/questions/events").token(token).begin();
        let events = Self::default();
        let seen = events.clone();
        std::thread::spawn(move || {
            let mut name = String::new();
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if let Some(event) = line.strip_prefix("event: ") {
                    event.clone_into(&mut name);
                } else if let Some(data) = line.strip_prefix("data: ") {
                    seen.0.lock().unwrap().push((name.clone(), serde_json::from_str(data).unwrap()));
                }
            }
        });
        events
    }

    fn all(&self) -> Vec<(String, Value)> {
        self.0.lock().unwrap().clone()
    }

    /// Waits for the event of this name, the nth of its question.
    fn wait(&self, question: &str, name: &str, nth: usize) -> Value {
        wait(&format!("{name} of {question}"), || {
            let of = |(event, data): &(String, Value)| event == name && data["id"] == question;
            self.all().into_iter().filter(of).nth(nth).map(|(_, data)| data)
        })
    }
}

fn time(text: &Value) -> SystemTime {
    SystemTime::from(text.as_str().unwrap().parse::<jiff::Timestamp>().unwrap())
}

/// What a listener passes on that heard these words just now.
fn words(first: &str, second: &str) -> Value {
    let began = jiff::Timestamp::try_from(SystemTime::now() - Duration::from_millis(500)).unwrap();
    json!({ "heard": "words", "words": [first, second], "margin": 3, "began": began.to_string(), "voice_ms": 450,
        "explained": 0.05 })
}

#[test]
fn a_listener_follows_the_voice_and_its_words_are_weighed() {
    let machine = Machine::new().with_bus().with_sound().with_speech();
    let service = machine.serve(
        "[terminal]\nenabled = false\n[keys]\nenabled = false\n[server]\nspoken_answers = true\n[language]\ndefault = \"en\"\n",
    );
    until("the voice", || service.status()["speech"]["state"] == "ready");
    let token = std::fs::read_to_string(service.state("spoken-token")).unwrap().trim().to_owned();
    let events = Events::follow(&service, &token);
    let ears = machine.listen();
    let say = |id: &str, body: &Value| {
        service.post(&format!("/v1/questions/{id}/heard"), body.to_string()).token(&token).send()
    };
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run("rm nothing-there"));
        let id = service.question();
        // While the guard speaks, what is heard may be the guard.
        until("the voice", || ears.heard() >= 0.5);
        let early = say(&id, &words("apple", "river")).good();
        assert_eq!((&early["result"], &early["why"]), (&json!("not_heard"), &json!("too_early")));
        let listen = events.wait(&id, "listen", 0);
        assert_eq!(listen["words"].as_array().unwrap().len(), 20);
        let after = time(&listen["from"]).duration_since(ears.last()).unwrap();
        println!("the window opens {} ms after the last sound", after.as_millis());
        let_pass(900, "a person says something");
        let echo = say(
            &id,
            &json!({ "heard": "words", "words": ["apple", "river"], "margin": 3, "voice_ms": 450,
            "began": words("", "")["began"], "explained": 0.9 }),
        );
        assert_eq!(echo.good()["why"], "echo");
        // Two equal words are never drawn, so these are other ones.
        assert_eq!(say(&id, &words("apple", "apple")).good()["result"], "again");
        events.wait(&id, "listen", 1);
        let_pass(900, "a person says something");
        assert_eq!(say(&id, &words("apple", "apple")).good()["result"], "no");
        let reply = reply.join().unwrap();
        assert_eq!(
            (&reply["outcome"], &reply["decided_by"]),
            (&json!("denied"), &json!("person:spoken")),
            "{reply}"
        );
        assert_eq!(events.wait(&id, "settled", 0)["answer"], "no");
        assert_eq!(say(&id, &words("apple", "river")).status, 409);
    });
    // A no needs nothing, and counts while the guard speaks.
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| service.run("rm nothing-here"));
        let id = service.question();
        let yes = service.answer_with(&id, &json!({ "answer": "yes" }), &token);
        assert_eq!(yes.status, 403, "{yes:?}");
        assert_eq!(say(&id, &json!({ "heard": "no" })).good()["result"], "no");
        assert_eq!(reply.join().unwrap()["decided_by"], "person:spoken");
    });
    // What is asked by who may not ask.
    assert_eq!(service.get("/v1/questions/events").send().status, 403, "the asker");
    let all = format!("{:?}", events.all());
    assert!(!all.contains("Or say"), "{all}");
}
