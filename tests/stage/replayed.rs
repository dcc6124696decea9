//! `guarda rules try` and `guarda rules suggest`: what the record says about other rules and lasting answers.

use serde_json::{Value, json};

use crate::common::project::Project;
use crate::common::{guarda, told};

const CONFIG: &str = "[language]\ndefault = \"en\"\n[rules.no-wget]\nprograms = \"wget\"\nverdict = \"block\"\nwhy = \"not here\"\n\
                      [rules.no-date]\nprograms = \"date\"\nverdict = \"confirm\"\nwhy = \"asks the time\"\n";

impl Project {
    /// `guarda rules` with these words, in the project: its exit status, and what it printed.
    fn rules(&self, words: &[&str]) -> (i32, String) {
        let mut command = guarda(self.service.folder.path());
        let (code, out, err) =
            told(command.arg("rules").args(words).current_dir(&self.work).output().unwrap());
        (code, out + &err)
    }

    fn rules_json(&self, words: &[&str]) -> (i32, Value) {
        let (code, text) = self.rules(&[words, &["--json"]].concat());
        (code, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
    }
}

#[test]
fn the_record_tells_which_answers_would_have_saved_questions_and_what_other_rules_would_do() {
    let scene = Project::with("workspace", CONFIG);
    let run = |session: &str, line: &str| {
        scene.act(&json!({"action": "RUN_COMMAND", "target": line, "cwd": scene.work, "session": session}))
    };
    for (session, line) in [
        ("a", "curl -sS http://127.0.0.1:1/a"),
        ("a", "curl -sS http://127.0.0.1:1/b"),
        ("a", "curl -sS http://127.0.0.1:1/c | head -1"),
        ("b", "curl -sS http://127.0.0.1:1/a"),
        ("b", "curl -sS http://127.0.0.1:2/once"),
    ] {
        let (_, reply) = scene.asked("yes", || run(session, line));
        assert_eq!(reply["outcome"], "done", "{reply}");
    }
    let denied = scene.asked("no", || run("b", "curl -sS http://127.0.0.1:3/x")).1;
    assert_eq!(denied["outcome"], "denied", "{denied}");
    let _ = scene.asked("yes", || run("a", "curl -sS http://127.0.0.1:3/y"));
    // A rule of the person's own that is asked about by its changes.
    assert_eq!(scene.asked("yes", || run("a", "date")).1["outcome"], "done");
    assert_eq!(run("a", "wget http://127.0.0.1:1/")["outcome"], "blocked");
    assert_eq!(run("a", "cat a.txt")["decided_by"], "policy");

    let (code, told) = scene.rules_json(&["suggest"]);
    let counts = |name: &str| told[name].as_u64().unwrap();
    assert_eq!((code, counts("asked"), counts("refused"), counts("each_time")), (0, 8, 2, 1), "{told:#}");
    let shapes: Vec<(&str, u64, u64, u64)> = told["suggestions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let number = |name: &str| one[name].as_u64().unwrap();
            let shape = one["shape"].as_str().unwrap();
            (shape, number("asked"), number("fewer_by_session"), number("fewer_by_always"))
        })
        .collect();
    assert_eq!(shapes, [("curl http://127.0.0.1:1/…", 4, 2, 3)], "{told:#}");
    let (_, page) = scene.rules(&["suggest"]);
    assert!(page.contains("asked 4×, in 2 sessions and one folder"), "{page}");

    // The grant that is proposed, tried: three different commands of four requests are not asked about any more.
    let (code, tried) = scene.rules_json(&["try", "--grant", "curl -sS http://127.0.0.1:1/zzz"]);
    let number = |name: &str| tried[name].as_u64().unwrap();
    assert_eq!((code, number("asked"), number("would_ask")), (0, 7, 3), "{tried:#}");
    assert_eq!(tried["gone"].as_array().unwrap().len(), 3, "{tried:#}");
    let (code, page) = scene.rules(&["try", "--grant", "cat a.txt"]);
    assert!(code == 1 && page.contains("cannot be granted"), "{page}");

    // Another configuration: what is blocked now would be asked about, and that is said by the exit status.
    let other = scene.service.folder.path().join("other.toml");
    std::fs::write(&other, "[security]\nprofile = \"workspace\"\n").unwrap();
    let (code, tried) = scene.rules_json(&["try", other.to_str().unwrap()]);
    assert_eq!(code, 1, "{tried:#}");
    assert_eq!(tried["pass"][0]["command"], "wget http://127.0.0.1:1/", "{tried:#}");
    let (code, page) = scene.rules(&["try", other.to_str().unwrap(), "--since", "1s"]);
    assert!(page.contains("requests of the record"), "{code} {page}");
}
