//! Undo through a real service (feature N7): on the command line and over HTTP, exact or not at all.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::time::{Duration, SystemTime};

use crate::common::project::Project;
use crate::common::{guarda, told};
use serde_json::{Value, json};

/// How a command line ended.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    err: String,
}

impl Project {
    /// A service with these additional lines in the section `[undo]`.
    fn with_undo(profile: &str, undo: &str) -> Self {
        Self::with(profile, &format!("[language]\ndefault = \"en\"\n[undo]\n{undo}"))
    }

    /// Runs a line in the project, and its id.
    fn run(&self, line: &str) -> String {
        let reply = self.act_line(line);
        assert_eq!(
            (&reply["outcome"], &reply["run"]["way"]),
            (&json!("done"), &json!("stage")),
            "{line}: {reply}"
        );
        reply["id"].as_str().unwrap().to_owned()
    }

    /// `guarda undo` with these words, in the project.
    fn guarda(&self, words: &[&str]) -> Ended {
        let mut command = guarda(self.service.folder.path());
        let (code, out, err) =
            told(command.arg("undo").args(words).current_dir(&self.work).output().unwrap());
        let ended = Ended { code, out, err };
        println!("guarda undo {words:?}: {ended:?}");
        ended
    }

    /// The lines of the record of this phase that tell of an end.
    fn recorded(&self, phase: &str) -> Vec<Value> {
        let lines = self.service.journal().into_iter();
        lines.filter(|line| line["phase"] == phase && !line["status"].is_null()).collect()
    }
}

#[test]
fn what_was_deleted_comes_back_exactly_and_goes_again() {
    let scene = Project::with_undo("workspace", "");
    let path = scene.work.join("a.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::new(1_234_567_890, 123_456_789);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    let was = std::fs::metadata(&path).unwrap();
    let id = scene.run("rm a.txt");
    assert_eq!(scene.read("a.txt"), None);
    let held = scene.held();
    assert_eq!(
        (held.len(), &held[0]["id"], &held[0]["what"]),
        (1, &json!(id), &json!("rm a.txt")),
        "{held:?}"
    );
    assert_eq!((&held[0]["count"], &held[0]["paths"]), (&json!(1), &json!([path])));

    let undone = scene.guarda(&[]);
    assert_eq!(undone.code, 0, "{undone:?}");
    let is = std::fs::metadata(&path).unwrap();
    assert_eq!(scene.read("a.txt").as_deref(), Some("one\ntwo\n"));
    assert_eq!((is.mode(), is.modified().unwrap(), is.ino()), (was.mode(), old, was.ino()));
    let lines = scene.recorded("undo");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(
        (&lines[0]["effects"][0]["path"], &lines[0]["effects"][0]["change"]),
        (&json!(path), &json!("created"))
    );

    let mut audit = guarda(scene.service.folder.path());
    let shown = audit.args(["audit", "show", lines[0]["audit_id"].as_str().unwrap()]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let effect = format!("created {} (8 B)", path.display());
    assert!(shown.contains(&effect) && shown.contains("phase                  undo"), "{shown}");

    // The undo of the undo, by its id.
    let held = scene.held();
    assert_eq!(
        (held.len(), &held[0]["undo"], &held[0]["what"]),
        (1, &json!(true), &json!("undone: rm a.txt"))
    );
    let again = scene.guarda(&[held[0]["id"].as_str().unwrap()]);
    assert_eq!((again.code, scene.read("a.txt")), (0, None), "{again:?}");
}

#[test]
fn what_can_be_undone_is_listed_and_shown_with_and_without_a_service() {
    let mut scene = Project::with_undo("workspace", "");
    let none = scene.guarda(&["--list"]);
    assert_eq!((none.code, none.out.trim()), (0, "nothing to undo"));
    assert_eq!(scene.guarda(&["--show"]).code, 1);
    let first = scene.run("sed -i s/one/1/ a.txt && chmod 600 src/b.txt && echo x > new");
    let second = scene.run("mkdir -p deep/er && echo y > deep/er/c");
    let look = |scene: &Project| {
        let list = scene.guarda(&["--list"]);
        assert_eq!(list.code, 0, "{list:?}");
        let at = |text: &str| list.out.find(text).unwrap_or_else(|| panic!("{text} is not in {}", list.out));
        assert!(at("_002 ") < at("_001 ") && !list.out.contains(&second), "the latest first: {}", list.out);
        assert!(
            list.out.contains("mkdir -p deep/er") && list.out.contains("2 deeds can be undone"),
            "{}",
            list.out
        );
        let listed: Value = serde_json::from_str(&scene.guarda(&["--list", "--json"]).out).unwrap();
        assert_eq!(
            (&listed["deeds"][1]["id"], &listed["deeds"][1]["count"]),
            (&json!(first), &json!(3)),
            "{listed}"
        );
        let shown = scene.guarda(&["--show", &first]);
        assert_eq!(shown.code, 0, "{shown:?}");
        let told: Vec<(&str, &str)> =
            shown.out.lines().filter_map(|line| line.trim().split_once("  ")).collect();
        for (word, path) in [("restored", "a.txt"), ("deleted", "new"), ("restored", "src/b.txt")] {
            let path = scene.work.join(path).display().to_string();
            assert!(told.iter().any(|(said, rest)| *said == word && rest.ends_with(&path)), "{}", shown.out);
        }
        let detail: Value = serde_json::from_str(&scene.guarda(&["--show", &first, "--json"]).out).unwrap();
        let kinds: Vec<&Value> =
            detail["effects"]["changes"].as_array().unwrap().iter().map(|one| &one["change"]).collect();
        assert_eq!(
            kinds,
            ["changed", "deleted", "attributes"].map(|kind| json!(kind)).iter().collect::<Vec<_>>()
        );
    };
    look(&scene);
    scene.service.signal(rustix::process::Signal::TERM);
    assert!(scene.service.end().success());
    look(&scene);
    let dead = scene.guarda(&[]);
    assert_eq!((dead.code, dead.err.contains("no guard answers")), (1, true), "{dead:?}");
}

#[test]
fn what_was_changed_since_is_named_and_copied_beside() {
    let scene = Project::with_undo("workspace", "");
    let id = scene.run("sed -i s/one/1/ a.txt && rm src/b.txt");
    std::fs::write(scene.work.join("a.txt"), "somebody else\n").unwrap();
    let refused = scene.guarda(&[&id]);
    assert_eq!(refused.code, 1, "{refused:?}");
    let path = scene.work.join("a.txt").display().to_string();
    assert!(
        refused.out.contains(&path) && refused.out.contains(&format!("--beside FOLDER {id}")),
        "{refused:?}"
    );
    assert_eq!((scene.read("a.txt").as_deref(), scene.read("src/b.txt")), (Some("somebody else\n"), None));
    let reply = scene.act(&json!({"action": "UNDO", "target": id, "cwd": scene.work}));
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("changed")), "{reply}");
    assert_eq!(reply["output"]["stderr"], json!(format!("{path}\n")), "{reply}");

    let full = scene.guarda(&["--beside", "src/..", &id]);
    assert_eq!((full.code, full.err.contains("is not empty")), (1, true), "{full:?}");
    let copied = scene.guarda(&["--beside", "old", &id]);
    assert_eq!(copied.code, 0, "{copied:?}");
    assert!(copied.out.starts_with("2 old versions are in "), "{copied:?}");
    assert_eq!(scene.read("old/work/a.txt").as_deref(), Some("one\ntwo\n"));
    assert_eq!(scene.read("old/work/src/b.txt").as_deref(), Some("three\n"));
    assert_eq!(scene.held().len(), 1, "it is held as before");
}

#[test]
fn one_file_of_a_deed_goes_back_alone() {
    let scene = Project::with_undo("workspace", "");
    let id =
        scene.run("sed -i s/one/1/ a.txt && rm src/b.txt && echo x > new && mkdir whole && echo y > whole/c");
    let state = |scene: &Project| ["a.txt", "src/b.txt", "new", "whole/c"].map(|path| scene.read(path));
    let some = |texts: [Option<&str>; 4]| texts.map(|text| text.map(str::to_owned));
    let after = some([Some("1\ntwo\n"), None, Some("x\n"), Some("y\n")]);
    assert_eq!(state(&scene), after);

    let undone = scene.guarda(&["--", "a.txt"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(state(&scene), some([Some("one\ntwo\n"), None, Some("x\n"), Some("y\n")]));
    let undone = scene.guarda(&[&id, "--", "src"]);
    assert_eq!((undone.code, scene.read("src/b.txt").as_deref()), (0, Some("three\n")), "{undone:?}");
    let undone = scene.guarda(&[&id, "--", "./new"]);
    assert_eq!((undone.code, scene.read("new")), (0, None), "{undone:?}");
    assert_eq!(scene.recorded("undo").len(), 3, "each is a deed on the record");
    // A file that came with its folder does not go alone, and what was changed since stays.
    let refused = scene.guarda(&["--", "whole/c"]);
    assert!(refused.code == 1 && refused.out.contains("whole/c"), "{refused:?}");
    assert_eq!(scene.held().len(), 1 + 3, "the deed and its three parts");

    // Each part can be undone, and then the whole.
    for part in &scene.held()[..3] {
        let undone = scene.guarda(&[part["id"].as_str().unwrap()]);
        assert_eq!(undone.code, 0, "{undone:?}");
    }
    assert_eq!(state(&scene), after);
    std::fs::write(scene.work.join("a.txt"), "somebody else\n").unwrap();
    let refused = scene.guarda(&["--", "a.txt"]);
    assert!(refused.code == 1 && refused.out.contains("a.txt"), "{refused:?}");
    assert_eq!(scene.read("a.txt").as_deref(), Some("somebody else\n"));
    let undone = scene.guarda(&[&id, "--", "src/b.txt"]);
    assert_eq!((undone.code, scene.read("src/b.txt").as_deref()), (0, Some("three\n")), "{undone:?}");
}

#[test]
fn an_action_is_undone_over_http() {
    let scene = Project::with_undo("workspace", "");
    let id = scene.run("rm a.txt");
    let undo = |id: &str, body: &str| scene.service.post(&format!("/v1/actions/{id}/undo"), body).send();
    let wrong = undo(&id, "{\"colour\": \"red\"}");
    assert_eq!((wrong.status, &wrong.json()["type"]), (422, &json!("urn:guarda:problem:misread")));
    assert_eq!(undo("..%2Fx", "{}").status, 422);
    let forbidden = scene.service.post(&format!("/v1/actions/{id}/undo"), "{}").token(&scene.service.approve);
    assert_eq!(forbidden.send().status, 403);
    let shown = scene.service.get(&format!("/v1/undo/{id}")).send().json();
    assert_eq!(shown["effects"]["changes"][0]["change"], "created", "{shown}");
    assert_eq!(shown["effects"]["changes"][0]["is"]["bytes"], 8, "{shown}");
    assert_eq!(scene.service.get("/v1/undo/nothing").send().status, 404);

    let reply = undo(&id, &json!({"cwd": scene.work}).to_string()).json();
    assert_eq!((&reply["outcome"], &reply["decided_by"]), (&json!("done"), &json!("policy")), "{reply}");
    assert_eq!(reply["effects"], shown["effects"], "{reply}");
    assert!(reply["undo"]["until"].is_string(), "{reply}");
    assert_eq!(scene.read("a.txt").as_deref(), Some("one\ntwo\n"));
    // The undo has an id of its own, as every action; where its caller says to work changes nothing.
    let again = undo(reply["id"].as_str().unwrap(), "").json();
    assert_eq!((&again["outcome"], &again["decided_by"]), (&json!("done"), &json!("policy")), "{again}");
    assert_eq!(scene.read("a.txt"), None);
}

#[test]
fn on_a_desktop_an_undo_is_asked_with_its_exact_effects() {
    let scene = Project::with_undo("desktop", "");
    let body = json!({"action": "RUN_COMMAND", "target": "rm a.txt; echo x > new", "cwd": scene.work});
    let (_, reply) = scene.asked("yes", || scene.act(&body));
    assert_eq!((&reply["outcome"], scene.read("a.txt")), (&json!("done"), None), "{reply}");
    let (question, denied) = scene.asked("no", || scene.guarda(&[]));
    assert_eq!((denied.code, scene.read("a.txt")), (5, None), "{denied:?}");
    let told = question["effects"]["text"].as_str().unwrap();
    assert!(told.starts_with("This undoes what was done: it deletes new and creates a.txt."), "{told}");
    let marks: Vec<(&str, &str)> = question["effects"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["mark"].as_str().unwrap(), one["path"].as_str().unwrap()))
        .collect();
    assert_eq!(marks, [("deleted", "new"), ("created", "a.txt")], "{question}");
    let (_, undone) = scene.asked("yes", || scene.guarda(&[]));
    assert_eq!(
        (undone.code, scene.read("a.txt").as_deref(), scene.read("new")),
        (0, Some("one\ntwo\n"), None)
    );
    let ends: Vec<Value> = scene.recorded("undo").iter().map(|line| line["status"].clone()).collect();
    assert_eq!(ends, [json!("denied"), json!("completed")]);
}

/// An undo that something stands in the way of is refused at once, and nobody is asked in vain.
#[test]
fn an_undo_that_cannot_be_done_is_not_asked() {
    let scene = Project::with_undo("desktop", "");
    let body =
        json!({"action": "RUN_COMMAND", "target": "mkdir box; echo x > box/y; rm a.txt", "cwd": scene.work});
    scene.asked("yes", || scene.act(&body));
    let body = json!({"action": "RUN_COMMAND", "target": "rm -r box", "cwd": scene.work});
    scene.asked("yes", || scene.act(&body));
    std::fs::create_dir(scene.work.join("box")).unwrap();
    // Nobody answers.
    let refused = scene.guarda(&[]);
    assert!(
        refused.code == 1 && refused.out.contains("box") && refused.out.contains("--beside"),
        "{refused:?}"
    );
    std::fs::remove_dir(scene.work.join("box")).unwrap();
    // The number at the end of its name in the record is enough.
    let held = scene.held();
    let name = held[0]["audit_id"].as_str().unwrap();
    let list = scene.guarda(&["--list"]).out;
    assert!(list.contains(name) && !list.contains(held[0]["id"].as_str().unwrap()), "{list}");
    let number = name.rsplit_once('_').unwrap().1;
    let (_, undone) = scene.asked("yes", || scene.guarda(&[number]));
    assert_eq!((undone.code, scene.read("box/y").as_deref()), (0, Some("x\n")), "{undone:?}");
}

#[test]
fn the_deed_of_another_session_is_asked_in_a_workspace() {
    let scene = Project::with_undo("workspace", "");
    let line = json!({"action": "RUN_COMMAND", "target": "rm a.txt", "cwd": scene.work, "session": "one"});
    let id = scene.act(&line)["id"].clone();
    let undo = |session: &str, target: Value| json!({"action": "UNDO", "target": target, "cwd": scene.work, "session": session});
    let (_, denied) = scene.asked("no", || scene.act(&undo("two", id.clone())));
    assert_eq!((&denied["outcome"], scene.read("a.txt")), (&json!("denied"), None), "{denied}");
    // Without an id the last deed of its own session is meant, and there is none.
    let none = scene.act(&undo("two", Value::Null));
    assert_eq!((&none["outcome"], &none["error"]), (&json!("failed"), &json!("unavailable")), "{none}");
    let done = scene.act(&undo("one", Value::Null));
    assert_eq!((&done["outcome"], &done["decided_by"]), (&json!("done"), &json!("policy")), "{done}");
    assert_eq!(scene.read("a.txt").as_deref(), Some("one\ntwo\n"));
}

/// A session of several messages goes back as a whole, by message and by time; somebody's change in between stops all of it.
#[test]
fn what_a_session_did_is_undone_as_one() {
    let scene = Project::with_undo("workspace", "");
    let act = |session: &str, turn: &str, line: &str| {
        let body = json!({"action": "RUN_COMMAND", "target": line, "cwd": scene.work, "session": session, "turn": turn});
        assert_eq!(scene.act(&body)["outcome"], "done", "{line}");
    };
    let undo = |target: &str| {
        scene.act(&json!({"action": "UNDO", "target": target, "cwd": scene.work, "session": "s"}))
    };
    let before = tree(&scene.work);
    act("s", "1", "echo three >> a.txt; mkdir made");
    act("s", "1", "mv src/b.txt made/c.txt");
    act("other", "9", "echo other > other.txt");
    let between = tree(&scene.work);
    act("s", "2", "sed -i s/one/1/ a.txt; echo new > made/new.txt");
    act("s", "2", "rm -r made");
    let after = tree(&scene.work);
    // Of the last message alone, and again.
    let undone = undo("turn");
    assert_eq!((&undone["outcome"], &undone["decided_by"]), (&json!("done"), &json!("policy")), "{undone}");
    assert_eq!(tree(&scene.work), between);
    let again = undo(undone["id"].as_str().unwrap());
    assert_eq!(again["outcome"], "done", "{again}");
    assert_eq!(tree(&scene.work), after);
    // By the name that the command line prints, every part of it is meant.
    let undone = undo("turn");
    let id = undone["receipt"]["audit_id"].as_str().unwrap();
    assert!(scene.guarda(&["--show", id]).out.contains("made"), "{undone}");
    assert_eq!((&undo(id)["outcome"], tree(&scene.work)), (&json!("done"), after.clone()));
    let part = scene.held().into_iter().find(|deed| deed["undo"] == false && deed["turn"] == "2").unwrap();
    assert_eq!(
        (&undo(part["audit_id"].as_str().unwrap())["outcome"], tree(&scene.work)),
        (&json!("done"), between.clone())
    );
    assert_eq!(
        (&undo(scene.held()[0]["id"].as_str().unwrap())["outcome"], tree(&scene.work)),
        (&json!("done"), after.clone())
    );
    // What another one changed since is named, and nothing is undone.
    std::fs::write(scene.work.join("src/b.txt"), "mine\n").unwrap();
    let refused = undo("session");
    assert_eq!((&refused["outcome"], &refused["error"]), (&json!("failed"), &json!("changed")), "{refused}");
    assert!(refused.to_string().contains("src/b.txt"), "{refused}");
    assert_eq!(std::fs::read_to_string(scene.work.join("src/b.txt")).unwrap(), "mine\n");
    std::fs::remove_file(scene.work.join("src/b.txt")).unwrap();
    assert_eq!(tree(&scene.work), after);
    let undone = undo("session");
    assert_eq!(undone["outcome"], "done", "{undone}");
    let mut expected = before.clone();
    expected.insert(scene.work.join("other.txt"), b"other\n".to_vec());
    assert_eq!(tree(&scene.work), expected);
    let line = scene.recorded("undo").pop().unwrap();
    assert!(
        line["effects"]
            .as_array()
            .unwrap()
            .iter()
            .any(|effect| effect["path"].as_str().unwrap().ends_with("a.txt")),
        "{line}"
    );
    // Of everybody, on the command line, by the person's own clock: of another session it is asked.
    let (question, ended) = scene.asked("yes", || scene.guarda(&["--since", "1h"]));
    assert!(question.to_string().contains("other.txt"), "{question}");
    assert_eq!((ended.code, tree(&scene.work)), (0, before), "{ended:?}");
    let nothing = undo("turn");
    assert_eq!(
        (&nothing["outcome"], &nothing["error"]),
        (&json!("failed"), &json!("unavailable")),
        "{nothing}"
    );
}

#[test]
fn the_rights_of_a_folder_alone_come_back() {
    let scene = Project::with_undo("workspace", "");
    let mode = || std::fs::metadata(scene.work.join("src")).unwrap().mode() & 0o7777;
    let was = mode();
    let id = scene.run("chmod 700 src");
    let held = scene.held();
    assert_eq!(
        (&held[0]["id"], &held[0]["paths"]),
        (&json!(id), &json!([scene.work.join("src")])),
        "{held:?}"
    );
    let reply = scene.act(&json!({"action": "UNDO", "cwd": scene.work}));
    assert_eq!((&reply["outcome"], mode()), (&json!("done"), was), "{reply}");
    let change = &reply["effects"]["changes"][0];
    assert_eq!((&change["change"], &change["was"]["mode"]), (&json!("attributes"), &json!("700")), "{reply}");
    assert_eq!(change["is"]["mode"], json!(format!("{was:o}")), "{reply}");
}

#[test]
fn where_nothing_is_held_it_says_so_and_nobody_is_asked() {
    for profile in ["workspace", "desktop"] {
        let scene = Project::with_undo(profile, "");
        let reply = scene.act(&json!({"action": "UNDO", "language": "en"}));
        assert_eq!(
            (&reply["outcome"], &reply["error"]),
            (&json!("failed"), &json!("unavailable")),
            "{reply}"
        );
        // The message is spoken; what to type next is in the detail.
        assert!(reply["message"].as_str().unwrap().contains("Nothing to undo"), "{reply}");
        assert!(reply["output"]["detail"].as_str().unwrap().contains("guarda undo --list"), "{reply}");
        let id = "0193e7d2-5b0e-7c3a-9f1e-2a4b6c8d0e1f";
        let named = scene.guarda(&[id]);
        assert_eq!(
            (named.code, named.out.contains("undo an earlier action. Nothing to undo")),
            (1, true),
            "{named:?}"
        );
    }
}

/// Files, and what a line leaves of them.
type Left = &'static [(&'static str, Option<&'static str>)];

/// A line that is not staged, what it leaves of its files, and whether it can be undone.
const UNSTAGED: &[(&str, Left, bool)] = &[
    ("rm a.txt", &[("a.txt", None)], true),
    ("rm -r src", &[("src/b.txt", None)], true),
    ("rm *.txt", &[("a.txt", None)], true),
    ("mv a.txt src/b.txt", &[("a.txt", None), ("src/b.txt", Some("one\ntwo\n"))], true),
    ("mv src moved", &[("src/b.txt", None), ("moved/b.txt", Some("three\n"))], true),
    ("cp a.txt src/b.txt", &[("src/b.txt", Some("one\ntwo\n"))], true),
    ("echo x > a.txt", &[("a.txt", Some("x\n"))], true),
    ("echo x >> new", &[("new", Some("x\n"))], true),
    ("mkdir -p deep/er && echo x > deep/er/c", &[("deep/er/c", Some("x\n"))], true),
    ("chmod 600 a.txt", &[("a.txt", Some("one\ntwo\n"))], true),
    ("truncate -s 0 a.txt", &[("a.txt", Some(""))], true),
    // Written to before it is replaced, or taken away.
    ("echo x > a.txt; mv src/b.txt a.txt", &[("a.txt", Some("three\n")), ("src/b.txt", None)], true),
    ("echo x > src/b.txt; rm -r src", &[("src/b.txt", None)], true),
    // An unknown program's effects are unknown; paths that the line names are kept nevertheless.
    ("sh -c 'echo y > b2'; rm a.txt", &[("a.txt", None), ("b2", Some("y\n"))], true),
    ("perl -e 'open F, q(>>a.txt)'; rm a.txt", &[("a.txt", None)], false),
];

#[test]
fn what_is_not_staged_is_kept_as_far_as_its_words_name_it() {
    for (line, left, whole) in UNSTAGED {
        let scene = Project::with_undo("workspace", "stage = false\n");
        let old = |path: &str| {
            [("a.txt", "one\ntwo\n"), ("src/b.txt", "three\n")]
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, text)| (*text).to_owned())
        };
        let mode = || std::fs::metadata(scene.work.join("a.txt")).map(|found| found.mode() & 0o7777).ok();
        let was = mode();
        let body = json!({"action": "RUN_COMMAND", "target": line, "cwd": scene.work});
        let (_, reply) = scene.asked("yes", || scene.act(&body));
        assert_eq!(
            (&reply["outcome"], &reply["run"]["way"]),
            (&json!("done"), &json!("act")),
            "{line}: {reply}"
        );
        for (path, text) in *left {
            assert_eq!(scene.read(path).as_deref(), *text, "{line}: {path}");
        }
        assert_eq!(
            (reply["undo"]["until"].is_string(), reply["undo"]["why_not"].is_null()),
            (*whole, *whole),
            "{line}: {reply}"
        );
        let held = scene.held();
        assert_eq!(
            (held.len(), &held[0]["id"], &held[0]["what"]),
            (1, &reply["id"], &json!(line)),
            "{held:?}"
        );
        let undone = scene.guarda(&[]);
        assert_eq!(undone.code, 0, "{line}: {undone:?}");
        for (path, _) in *left {
            assert_eq!(scene.read(path), old(path), "{line}: {path} is as before");
        }
        assert_eq!((scene.read("a.txt"), mode()), (old("a.txt"), was), "{line}");
        assert!(!scene.work.join("deep").exists() && !scene.work.join("moved").exists(), "{line}");
    }
}

/// Only the rights and times are noted: the files are the same ones afterwards, and none takes room.
#[test]
fn other_rights_and_times_come_back_without_a_copy() {
    let scene = Project::with_undo("workspace", "stage = false\nmost_mib = 1\n");
    std::fs::write(scene.work.join("src/large"), vec![b'x'; 2 << 20]).unwrap();
    let look = || {
        ["a.txt", "src", "src/b.txt", "src/large"].map(|path| {
            let found = std::fs::metadata(scene.work.join(path)).unwrap();
            (found.mode(), found.ino(), found.mtime(), found.mtime_nsec(), found.nlink())
        })
    };
    let before = look();
    for line in ["chmod -R 700 src", "touch -d 2001-01-01 a.txt", "chmod 600 a.txt && chmod -R o= src"] {
        let body = json!({"action": "RUN_COMMAND", "target": line, "cwd": scene.work});
        let (question, reply) = scene.asked("yes", || scene.act(&body));
        assert!(question["touches"]["lines"].to_string().contains("other permissions"), "{question}");
        assert!(reply["undo"]["until"].is_string(), "{line}: {reply}");
        assert_eq!(scene.held()[0]["bytes"], 0, "{line}");
        assert_ne!(look(), before, "{line}");
        let undone = scene.guarda(&[]);
        assert_eq!((undone.code, look()), (0, before), "{line}: {undone:?}");
    }
}

/// Three lines that nobody is asked about: the last would take the room of the first.
#[test]
fn what_was_done_unasked_stays_undoable() {
    let scene = Project::with_undo("workspace", "most_mib = 1\n");
    for name in ["doc1.txt", "doc2.txt", "other.bin"] {
        std::fs::write(scene.work.join(name), vec![b'x'; 300_000]).unwrap();
    }
    std::fs::write(scene.work.join("doc1.txt"), vec![b'x'; 100_000]).unwrap();
    let first = scene.run("rm -f doc*.txt");
    scene.run("head -c 1048576 /dev/urandom > fill");
    let body = |line: &str| json!({"action": "RUN_COMMAND", "target": line, "cwd": scene.work});
    let (question, _) = scene.asked("yes", || scene.act(&body("rm fill")));
    assert!(question["effects"]["final_because"].is_string(), "{question}");
    let (question, _) = scene.asked("no", || scene.act(&body("rm other.bin")));
    assert!(question["effects"]["final_because"].is_string(), "{question}");
    let undone = scene.guarda(&[&first]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(scene.read("doc2.txt").map(|text| text.len()), Some(300_000));
}

/// Deeds of several sessions, by number, that together do not fit into a vault of 1 MiB: deletions, moves, overwrites and truncations in
/// different orders and sizes. Each file has 300,000 bytes, but for `small-*` (60,000) and `large` (900,000).
const PUSHED: &[(&str, &[(u8, &str)])] = &[
    ("one after the other", &[(1, "rm a1"), (1, "rm a2"), (1, "rm a3"), (1, "rm a4"), (1, "rm a5")]),
    ("each in a session of its own", &[(1, "rm a1"), (2, "rm a2"), (3, "rm a3"), (4, "rm a4"), (5, "rm a5")]),
    ("the large one last", &[(1, "rm small-1"), (1, "rm small-2"), (1, "rm a1"), (2, "rm large")]),
    ("the large one first", &[(1, "rm large"), (2, "rm small-1 small-2"), (3, "rm small-3"), (3, "rm a1")]),
    (
        "moves over others",
        &[(1, "mv a1 a2"), (1, "mv a3 a4"), (2, "mv a5 a6"), (2, "mv small-1 a7"), (3, "mv a8 a2")],
    ),
    (
        "copies over others",
        &[(1, "cp small-1 a1"), (1, "cp small-2 a2"), (2, "cp small-3 a3"), (2, "cp small-1 a4")],
    ),
    (
        "truncations",
        &[
            (1, ": > a1"),
            (2, "truncate -s 9 a2"),
            (1, "cat /dev/null > a3"),
            (2, "> a4"),
            (1, "truncate -s 0 large"),
        ],
    ),
    (
        "programs that write",
        &[
            (1, "python3 -c 'open(\"a1\", \"w\")'"),
            (1, "sed -i s/x/y/g a2"),
            (2, "perl -pi -e s/x/z/g a3"),
            (2, "dd if=/dev/zero of=a4 bs=9 count=1"),
            (2, "node -e 'require(\"fs\").writeFileSync(\"a5\", \"\")'"),
        ],
    ),
    (
        "what was made a moment ago",
        &[
            (1, "rm a1"),
            (1, "head -c 1048576 /dev/zero > fill"),
            (1, "rm fill"),
            (1, "head -c 700000 /dev/zero > more"),
            (2, "rm more"),
        ],
    ),
    (
        "the same name again and again",
        &[
            (1, "cp a2 a1"),
            (1, "cp large a1"),
            (2, "cp small-1 a1"),
            (2, "cp a3 a1"),
            (1, "rm a1"),
            (3, "cp a4 a1"),
        ],
    ),
    (
        "links in place of files",
        &[(1, "ln -sf small-1 a1"), (2, "ln -f small-2 a2"), (2, "ln -sf x a3"), (3, "ln -sf x large")],
    ),
    (
        "folders as wholes",
        &[(1, "rm -r d1"), (2, "mv d2 d3/"), (2, "rm -r d3"), (3, "find d4 -delete"), (3, "rm -rf d5 d6")],
    ),
    (
        "together with what is made",
        &[
            (1, "mkdir n && mv a1 n/ && rm n/a1"),
            (2, "tar cf t.tar a2 && rm a2"),
            (2, "gzip -1 a3 a4"),
            (1, "split -b 100000 a5 s- && rm a5"),
            (1, "cat a6 a7 > b && rm a6 a7"),
        ],
    ),
    (
        "an undo between",
        &[(1, "rm a1 a2"), (1, "UNDO"), (2, "rm large"), (1, "rm a1 a2"), (3, "rm a3"), (1, "rm a4")],
    ),
];

/// The files of a folder with their contents.
fn tree(folder: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(tree(&path));
        } else if kind.is_symlink() {
            let to = std::fs::read_link(&path).unwrap();
            found.insert(path, to.into_os_string().into_encoded_bytes());
        } else {
            found.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    found
}

/// Whatever a session does unasked stays undoable, whoever does what after it, and whatever a person says to what is asked.
#[test]
fn no_order_of_deeds_pushes_an_unasked_one_out() {
    for ((said, deeds), answer) in PUSHED.iter().zip(["no", "yes"].into_iter().cycle()) {
        let scene = Project::with_undo("workspace", "most_mib = 1\n");
        let write = |name: &str, size: usize| {
            let path = scene.work.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let noise = name
                .bytes()
                .cycle()
                .zip(0_u32..)
                .map(|(byte, at)| byte ^ (at.wrapping_mul(2_654_435_761) >> 24) as u8);
            std::fs::write(path, noise.take(size).collect::<Vec<u8>>()).unwrap();
        };
        for number in 1..=8 {
            write(&format!("a{number}"), 300_000);
            write(&format!("small-{number}"), 60_000);
            write(&format!("d{number}/file"), 300_000);
        }
        write("large", 900_000);
        let (mut unasked, mut asked) = (Vec::new(), 0);
        for (session, line) in *deeds {
            let session = format!("s{session}");
            let mut body =
                json!({"action": "RUN_COMMAND", "target": line, "cwd": scene.work, "session": session});
            if *line == "UNDO" {
                body = json!({"action": "UNDO", "cwd": scene.work, "session": session});
            }
            let before = tree(&scene.work);
            let reply = std::thread::scope(|scope| {
                let running = scope.spawn(|| scene.act(&body));
                crate::common::meanwhile(running, || {
                    for question in scene.service.questions() {
                        scene.service.answer(&question, answer);
                    }
                })
            });
            if reply["decided_by"] != "policy" {
                asked += 1;
                continue;
            }
            assert_eq!(reply["outcome"], "done", "{said}: {line}: {reply}");
            if *line == "UNDO" {
                unasked.pop();
            } else {
                unasked.push((reply["id"].clone(), session, *line, before));
            }
        }
        assert!(asked > 0 && !unasked.is_empty(), "{said}: {asked} asked, {} not", unasked.len());
        let held: Vec<Value> = scene.held().iter().map(|deed| deed["id"].clone()).collect();
        for (id, _, line, _) in &unasked {
            assert!(held.contains(id), "{said}: {line} cannot be undone any more");
        }
        // What a person said yes to may stand in the way of an undo; what was refused does not.
        for (id, session, line, before) in unasked.into_iter().rev().filter(|_| answer == "no") {
            let undone =
                scene.act(&json!({"action": "UNDO", "target": id, "cwd": scene.work, "session": session}));
            assert_eq!(undone["outcome"], "done", "{said}: {line}: {undone}");
            assert!(tree(&scene.work) == before, "{said}: {line} is not as before");
        }
    }
}

#[test]
fn what_has_nothing_to_keep_or_too_much_says_so() {
    let scene = Project::with_undo("workspace", "stage = false\nmost_mib = 1\n");
    let asked = |line: &str| {
        let body = json!({"action": "RUN_COMMAND", "target": line, "cwd": scene.work});
        scene.asked("yes", || scene.act(&body))
    };
    let run = |line: &str| asked(line).1;
    std::fs::write(scene.work.join("large"), vec![b'x'; 2 << 20]).unwrap();
    // The question says before the yes what the reply says afterwards.
    let (question, large) = asked("rm large");
    assert!(large["undo"]["why_not"].as_str().unwrap().contains("MiB"), "{large}");
    let no_room = "It cannot be undone: 2 MB are too much to keep.";
    assert!(question["touches"]["lines"].as_array().unwrap().contains(&json!(no_room)), "{question}");
    assert!(question["prompt"].as_str().unwrap().contains(no_room), "{question}");
    // It fails, and nothing is different.
    for line in ["rm none", "mv none other"] {
        let nothing = run(line);
        assert!(nothing["undo"].is_null(), "{nothing}");
    }
    assert_eq!(scene.held(), Vec::<Value>::new());
    // Nothing of a file that was left alone stays behind.
    let some = run("rm a.txt; rmdir src");
    assert!(some["undo"]["until"].is_string(), "{some}");
    assert_eq!(std::fs::metadata(scene.work.join("src/b.txt")).unwrap().nlink(), 1);
    let (question, partly) = asked("touch new; perl -e 1");
    assert!(partly["undo"]["why_not"].as_str().unwrap().contains("its words name"), "{partly}");
    let named = "What its words name can be undone for 7 days; it may change more.";
    assert!(question["touches"]["lines"].as_array().unwrap().contains(&json!(named)), "{question}");
}

/// Who changed a file is told from the record: by which command, of whom, and who said yes.
#[test]
fn who_changed_a_file_is_told() {
    let scene = Project::with_undo("workspace", "");
    let run = |session: &str, line: &str| {
        let body = json!({"action": "RUN_COMMAND", "target": line, "cwd": scene.work, "session": session});
        assert_eq!(scene.act(&body)["outcome"], "done", "{line}");
    };
    run("one", "echo three >> a.txt");
    run("two", "mv a.txt src/named.txt");
    run("two", "touch other");
    let blame = |words: &[&str]| {
        let mut command = guarda(scene.service.folder.path());
        let ended = told(command.arg("blame").args(words).current_dir(&scene.work).output().unwrap());
        assert_eq!(ended.0, 0, "{ended:?}");
        ended.1
    };
    let found: Vec<Value> = serde_json::from_str(&blame(&["--json", "src/named.txt"])).unwrap();
    let of = |name: &str| found.iter().map(|deed| deed[name].clone()).collect::<Vec<Value>>();
    assert_eq!(of("what"), ["mv a.txt src/named.txt", "echo three >> a.txt"], "{found:?}");
    assert_eq!(
        (of("session"), of("decided_by")),
        (vec![json!("two"), json!("one")], vec![json!("policy"); 2])
    );
    let page = blame(&["src/named.txt"]);
    for part in ["mv a.txt src/named.txt", "the rules", "guarda undo two_001", "guarda history one_001"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("Changed since") && blame(&["Cargo.toml"]).contains("knows no change"), "{page}");
    // A folder is told of by what is in it, and a person's own change is said.
    assert!(blame(&["src"]).contains("mv a.txt"));
    let later = SystemTime::now() + Duration::from_secs(60);
    std::fs::File::options()
        .write(true)
        .open(scene.work.join("src/named.txt"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    assert!(blame(&["src/named.txt"]).starts_with("Changed since then"));
}
