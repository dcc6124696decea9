//! Grants (features N9, N10): what a person said for a turn, a session, a day or always, is not asked again, and nothing else is.

use serde_json::{Value, json};

use crate::common::project::Project;
use crate::common::{guarda, offer, until};

impl Project {
    fn try_to(&self, session: &str, turn: &str, line: &str) -> Value {
        self.act(&json!({
            "action": "RUN_COMMAND", "target": line, "cwd": self.work, "session": session, "turn": turn,
        }))
    }

    /// `guarda grants` with these words: whether it succeeded, and what it said.
    fn grants(&self, words: &[&str]) -> (bool, String) {
        let output = guarda(self.service.folder.path()).arg("grants").args(words).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.success(), text)
    }

    fn granted(&self) -> Vec<Value> {
        let told: Value = serde_json::from_str(&self.grants(&["--json"]).1).unwrap();
        told["grants"].as_array().unwrap().clone()
    }
}

fn again(scene: Project) -> Project {
    let Project { service, work } = scene;
    Project { service: super::trusted::restarted(service), work }
}

/// Nothing listens there, so that it fails, and it is known whether it ran.
const LINE: &str = "curl -sS http://127.0.0.1:1/a";

fn ran(reply: &Value, by: &str) {
    assert_eq!((&reply["decided_by"], &reply["outcome"]), (&json!(by), &json!("done")), "{reply}");
    assert!(reply["output"]["stderr"].as_str().unwrap_or_default().contains("curl"), "it ran: {reply}");
}

#[test]
fn a_yes_for_a_session_is_the_last_question_of_its_kind() {
    let scene = Project::with("workspace", "[language]\ndefault = \"en\"\n");
    let (question, reply) = scene.asked("session", || scene.try_to("a", "one", LINE));
    ran(&reply, "person:http");
    let offered = offer(&question, "session");
    let expected = json!({
        "answer": "session", "covers": "shape", "what": "curl http://127.0.0.1:1/…",
        "text": "yes, and in this session: curl http://127.0.0.1:1/…",
    });
    assert_eq!(offered, expected, "{question}");
    assert!(question["prompt"].as_str().unwrap().contains("for all of http://127.0.0.1:1"), "{question}");
    for line in [
        LINE,
        "curl -sS 'http://127.0.0.1:1/b?c=d'",
        "curl -sS 127.0.0.1:1/c 2>&1 | head -1",
        "cd . && curl -sS http://127.0.0.1:1/",
    ] {
        let reply = scene.try_to("a", "two", line);
        assert_eq!(reply["decided_by"], "grant", "{line}: {reply}");
    }
    // Another session, another port, another flag, or a second thing in the line is another matter.
    for (session, line) in [
        ("b", LINE),
        ("a", "curl -sS http://127.0.0.1:2/a"),
        ("a", "curl -sS -T x http://127.0.0.1:1/a"),
        ("a", "curl -sS http://127.0.0.1:1/a; git push"),
    ] {
        let (_, reply) = scene.asked("no", || scene.try_to(session, "two", line));
        assert_eq!(reply["outcome"], "denied", "{line}: {reply}");
    }
    let listed = scene.granted();
    assert_eq!(listed.len(), 1 + 1, "the grant, and the trusted folder: {listed:?}");
    assert_eq!(
        (&listed[0]["kind"], &listed[0]["uses"], &listed[0]["span"]),
        (&json!("commands"), &json!(4), &json!("session")),
        "{listed:?}"
    );
    let (told, text) = scene.grants(&[]);
    assert!(told && text.contains("curl http://127.0.0.1:1/…") && text.contains("used 4×"), "{text}");
    let id = listed[0]["id"].as_str().unwrap();
    let (ended, text) = scene.grants(&["revoke", &id[..13]]);
    assert!(ended && text.starts_with("Ended: curl"), "{text}");
    let (_, reply) = scene.asked("no", || scene.try_to("a", "two", LINE));
    assert_eq!(reply["outcome"], "denied", "{reply}");
    let lines = scene.service.journal();
    let of = |decision: &str| {
        lines.iter().any(|line| {
            line["event"] == "granted" && line["kind"] == "commands" && line["user_decision"] == decision
        })
    };
    assert!(of("approve") && of("withdrawn"), "{lines:#?}");
}

#[test]
fn a_yes_for_a_turn_ends_with_it_and_one_for_the_day_is_of_the_folder() {
    let scene = Project::with("workspace", "[language]\ndefault = \"en\"\n");
    let (question, _) = scene.asked("turn", || scene.try_to("a", "one", LINE));
    assert_eq!(offer(&question, "turn")["covers"], "shape", "{question}");
    assert_eq!(scene.try_to("a", "one", LINE)["decided_by"], "grant");
    // What it read may have talked it into this, so no yes outlasts that session.
    let (question, _) = scene.asked("no", || scene.try_to("a", "two", LINE));
    assert_eq!(scene.granted().len(), 1, "the turn is over, and the folder is left");
    let spans: Vec<&Value> =
        question["offers"].as_array().unwrap().iter().map(|offer| &offer["answer"]).collect();
    assert_eq!(spans, ["turn", "session"], "{question}");
    let (question, _) = scene.asked("today", || scene.try_to("b", "two", LINE));
    assert_eq!(offer(&question, "today")["covers"], "shape", "{question}");
    assert_eq!(scene.try_to("c", "one", LINE)["decided_by"], "grant", "the day is of every session");
    let other = scene.service.folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let there = json!({"action": "RUN_COMMAND", "target": LINE, "cwd": other, "session": "c"});
    let (question, reply) = scene.asked("no", || scene.act(&there));
    assert_eq!(reply["outcome"], "denied", "{question}");
    let all = scene.grants(&["revoke", "--all"]);
    assert!(all.0, "{}", all.1);
    assert_eq!(scene.granted().len(), 1, "folders stay trusted");
    let (_, reply) = scene.asked("no", || scene.try_to("b", "one", LINE));
    assert_eq!(reply["outcome"], "denied", "{reply}");
}

#[test]
fn always_outlasts_the_service_and_a_session_does_not() {
    let scene = Project::with("workspace", "[language]\ndefault = \"en\"\n");
    let (question, _) = scene.asked("always", || scene.try_to("a", "one", LINE));
    assert_eq!(offer(&question, "always")["covers"], "shape", "{question}");
    let other = "curl -sS http://127.0.0.1:2/";
    let _ = scene.asked("session", || scene.try_to("a", "one", other));
    assert_eq!(scene.try_to("a", "one", other)["decided_by"], "grant");
    let scene = again(scene);
    assert_eq!(scene.try_to("c", "nine", LINE)["decided_by"], "grant");
    let (_, reply) = scene.asked("no", || scene.try_to("a", "one", other));
    assert_eq!(reply["outcome"], "denied", "{reply}");
    let (ended, _) = scene.grants(&["revoke", "--all"]);
    assert!(ended);
    let scene = again(scene);
    let (_, reply) = scene.asked("no", || scene.try_to("c", "nine", LINE));
    assert_eq!(reply["outcome"], "denied", "{reply}");
}

/// What nobody saw is judged as if nobody had said anything: its changes outside of the session's folders are asked about.
#[test]
fn the_changes_of_what_was_granted_are_judged() {
    let scene = Project::with("workspace", "[language]\ndefault = \"en\"\n");
    let fetch = "git fetch -q origin";
    for words in [&["init", "-q"][..], &["remote", "add", "origin", "http://127.0.0.1:1/x"]] {
        assert!(
            std::process::Command::new("git")
                .args(words)
                .current_dir(&scene.work)
                .status()
                .unwrap()
                .success()
        );
    }
    let (question, _) = scene.asked("session", || scene.try_to("a", "one", fetch));
    assert_eq!(offer(&question, "session")["what"], "git fetch origin …", "{question}");
    assert_eq!(scene.try_to("a", "one", fetch)["decided_by"], "grant");
    let (_, reply) = scene.asked("no", || scene.try_to("a", "one", &format!("{fetch}; echo x > ../beside")));
    assert_eq!(reply["outcome"], "denied", "{reply}");
}

/// Sends these lines side by side, answers once the guard has a question for each, and returns the questions and the replies.
fn at_once(scene: &Project, lines: &[&str], answer: &[&str]) -> (Vec<Value>, Vec<Value>) {
    std::thread::scope(|scope| {
        let tries: Vec<_> =
            lines.iter().map(|line| scope.spawn(move || scene.try_to("a", "one", line))).collect();
        until("a question for each", || scene.service.questions().len() == lines.len());
        let open = scene.service.open_questions();
        let id = open[0]["id"].as_str().unwrap();
        let output =
            guarda(scene.service.folder.path()).arg("approve").arg(id).args(answer).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        (open, tries.into_iter().map(|reply| reply.join().unwrap()).collect())
    })
}

#[test]
fn several_questions_of_one_kind_are_one() {
    let scene = Project::with("workspace", "[language]\ndefault = \"en\"\n");
    let lines = [LINE, "curl -sS http://127.0.0.1:1/b", "curl -sS http://127.0.0.1:1/c"];
    let (open, replies) = at_once(&scene, &lines, &["--alike"]);
    let alike = |question: &Value| question["alike"].as_array().map(Vec::len);
    assert!(open.iter().all(|question| alike(question) == Some(2)), "{open:#?}");
    for reply in &replies {
        ran(reply, "person:socket");
    }
    // What else a line does is nobody's yes who was not shown it.
    let lines = [
        "curl -sS http://127.0.0.1:3/a",
        "curl -sS http://127.0.0.1:3/b; rm -f a.txt",
        "curl -sS http://127.0.0.1:3/c > a.txt",
    ];
    let asker = &scene;
    std::thread::scope(|scope| {
        let tries: Vec<_> =
            lines.iter().map(|line| scope.spawn(move || asker.try_to("a", "one", line))).collect();
        until("a question for each", || scene.service.questions().len() == lines.len());
        for question in scene.service.open_questions() {
            assert_eq!(alike(&question), Some(0), "{question:#}");
            scene.service.answer(question["id"].as_str().unwrap(), "no");
        }
        for reply in tries {
            assert_eq!(reply.join().unwrap()["outcome"], "denied");
        }
    });
    // The answer for the session ends what waits for the same, too.
    let lines = ["curl -sS http://127.0.0.1:2/a", "curl -sS http://127.0.0.1:2/b"];
    let (_, replies) = at_once(&scene, &lines, &["--session"]);
    let mut by: Vec<&str> = replies.iter().map(|reply| reply["decided_by"].as_str().unwrap()).collect();
    by.sort_unstable();
    assert_eq!(by, ["grant", "person:socket"], "{replies:#?}");
}

#[test]
fn an_assistant_ends_what_was_granted_and_nothing_else() {
    let scene = Project::with("desktop", "");
    let asks = || {
        let (_, reply) = scene.asked("no", || scene.try_to("a", "one", LINE));
        assert_eq!(reply["outcome"], "denied", "{reply}");
    };
    let _ = scene.asked("session", || scene.try_to("a", "one", LINE));
    assert_eq!(scene.try_to("a", "one", LINE)["decided_by"], "grant");
    let ended = scene.act(&json!({"action": "END_GRANTS", "session": "voice", "language": "pt-BR"}));
    assert_eq!((&ended["outcome"], &ended["decided_by"]), (&json!("done"), &json!("policy")), "{ended}");
    assert!(ended["message"].as_str().unwrap().contains("volto a perguntar"), "{ended}");
    asks();
}
