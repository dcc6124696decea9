//! The clients' file tools, through the real hook and a real service: judged by their changes, shown with
//! differences, kept before the client writes, and undone (features N5, N7).

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::common::project::Project;
use crate::common::{Service, guarda, offer};
use guarda::doors::hook::Client;
use guarda::doors::hook::read::sample;
use serde_json::{Value, json};

const OLD: &str = "one\ntwo\n";

impl Project {
    fn with_config(profile: &str, more: &str) -> Self {
        let scene = Self::with(profile, &format!("[language]\ndefault = \"en\"\n{more}"));
        for name in ["c.txt", "src/b.txt"] {
            scene.write(name, OLD);
        }
        scene
    }

    /// A client's decision about a tool.
    fn ask(&self, client: Client, tool: &str, input: &Value) -> String {
        let mut event = sample(client, "", self.work.to_str().unwrap());
        match client {
            Client::Copilot => {
                event["toolName"] = json!(tool);
                event["toolArgs"] = json!(input.to_string());
            }
            Client::OpenCode | Client::OpenAiAgents => {
                event["tool"] = json!(tool);
                event["args"] = input.clone();
            }
            Client::Claude | Client::Codex | Client::Gemini | Client::Cursor => {
                event["tool_name"] = json!(tool);
                event["tool_input"] = input.clone();
            }
        }
        if client == Client::Cursor {
            event["hook_event_name"] = json!("preToolUse");
        }
        self.hear(client, &event)
    }

    /// The guard's reply to a client's event.
    fn hear(&self, client: Client, event: &Value) -> String {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_guarda-hook"));
        hook.arg(client.name())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.service.folder.path());
        hook.env("GUARDA_STATE_DIR", self.service.state(""));
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = hook.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(event.to_string().as_bytes());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{client} {event}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn allowed(&self, client: Client, tool: &str, input: &Value) {
        let heard = self.ask(client, tool, input);
        // Codex takes silence for a yes.
        let yes = heard.contains("approved") || heard.contains("\"allow\"") || heard.is_empty();
        assert!(yes && !heard.contains("undone"), "{client} {tool} {input}: {heard}");
    }

    /// Undoes a deed of a client's conversation, which takes a yes: no other caller is in it.
    fn undo(&self, id: &Value) -> Value {
        let id = id.as_str().unwrap();
        let body = json!({"cwd": self.work, "session": "claude"}).to_string();
        let undone =
            self.service.approved(&self.service.post(&format!("/v1/actions/{id}/undo"), body)).json();
        assert_ne!(undone["decided_by"], "policy", "{undone}");
        undone
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.work.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// As a client that puts a new file in the place of the old one.
    fn replace(&self, path: &str, text: &str) {
        let (path, new) = (self.work.join(path), self.work.join(".new"));
        std::fs::write(&new, text).unwrap();
        std::fs::set_permissions(&new, std::fs::metadata(&path).unwrap().permissions()).unwrap();
        std::fs::rename(new, path).unwrap();
    }

    /// The lines of the record about this tool's effects.
    fn recorded(&self) -> Vec<Value> {
        self.service.journal().into_iter().filter(|line| line["effects"][0].is_object()).collect()
    }
}

const PATCH: &str = "*** Begin Patch\n*** Add File: deep/new\n+made\n*** Update File: a.txt\n@@\n one\n-two\n+2\n\
                     *** Update File: src/b.txt\n*** Move to: src/moved\n@@\n-one\n+1\n two\n*** Delete File: c.txt\n*** End Patch";

/// Each client's tool call, and its effect on files: path and content, nothing for a deleted file.
#[expect(clippy::type_complexity, reason = "a table is read best as it stands")]
fn tools(work: &str) -> Vec<(Client, &'static str, Value, Vec<(&'static str, Option<&'static str>)>)> {
    let at = |name: &str| format!("{work}/{name}");
    let patched = || {
        vec![
            ("deep/new", Some("made\n")),
            ("a.txt", Some("one\n2\n")),
            ("src/moved", Some("1\ntwo\n")),
            ("src/b.txt", None),
            ("c.txt", None),
        ]
    };
    vec![
        (
            Client::Claude,
            "Write",
            json!({"file_path": at("a.txt"), "content": "new"}),
            vec![("a.txt", Some("new"))],
        ),
        (
            Client::Claude,
            "Write",
            json!({"file_path": at("x/y/z"), "content": "new"}),
            vec![("x/y/z", Some("new"))],
        ),
        (
            Client::Claude,
            "Edit",
            json!({"file_path": at("a.txt"), "old_string": "two", "new_string": "2", "replace_all": false}),
            vec![("a.txt", Some("one\n2\n"))],
        ),
        (
            Client::Claude,
            "MultiEdit",
            json!({"file_path": at("a.txt"), "edits": [{"old_string": "two", "new_string": "2"},
                {"old_string": "one", "new_string": "1"}]}),
            vec![("a.txt", Some("1\n2\n"))],
        ),
        (Client::Codex, "apply_patch", json!({"command": PATCH}), patched()),
        (
            Client::Gemini,
            "write_file",
            json!({"file_path": at("a.txt"), "content": ""}),
            vec![("a.txt", Some(""))],
        ),
        (
            Client::Gemini,
            "replace",
            json!({"file_path": at("a.txt"), "old_string": "one\n", "new_string": "", "instruction": "x"}),
            vec![("a.txt", Some("two\n"))],
        ),
        (Client::Copilot, "create", json!({"path": at("n"), "file_text": "new"}), vec![("n", Some("new"))]),
        (
            Client::Copilot,
            "edit",
            json!({"path": at("a.txt"), "old_str": "one", "new_str": "1"}),
            vec![("a.txt", Some("1\ntwo\n"))],
        ),
        (
            Client::Cursor,
            "Write",
            json!({"file_path": at("a.txt"), "contents": "new"}),
            vec![("a.txt", Some("new"))],
        ),
        (Client::Cursor, "Delete", json!({"file_path": at("c.txt")}), vec![("c.txt", None)]),
        (
            Client::OpenCode,
            "edit",
            json!({"filePath": at("a.txt"), "oldString": "o", "newString": "0", "replaceAll": true}),
            vec![("a.txt", Some("0ne\ntw0\n"))],
        ),
        (
            Client::OpenCode,
            "write",
            json!({"filePath": at("a.txt"), "content": "new"}),
            vec![("a.txt", Some("new"))],
        ),
        (Client::OpenCode, "patch", json!({"patchText": PATCH}), patched()),
        (Client::OpenAiAgents, "apply_patch", json!({"input": PATCH}), patched()),
    ]
}

#[test]
fn what_every_client_writes_in_its_project_is_silent_and_can_be_undone() {
    let scene = Project::with_config("workspace", "");
    let files = ["a.txt", "c.txt", "src/b.txt", "src/moved", "deep", "x", "n"];
    for (client, tool, input, done) in tools(scene.work.to_str().unwrap()) {
        for replaces in [false, true] {
            let what = format!("{client} {tool} {input}");
            let before: Vec<Option<String>> = files.iter().map(|path| scene.read(path)).collect();
            scene.allowed(client, tool, &input);
            let none = scene.held();
            assert_eq!(none, Vec::<Value>::new(), "{what}: nothing was written yet");
            for (path, text) in &done {
                match text {
                    Some(text) if replaces && scene.work.join(path).exists() => scene.replace(path, text),
                    Some(text) => scene.write(path, text),
                    None => std::fs::remove_file(scene.work.join(path)).unwrap(),
                }
            }
            let held = scene.held();
            assert_eq!(held.len(), 1, "{what}: {held:?}");
            assert!(held[0]["what"].as_str().unwrap().starts_with(tool), "{what}: {held:?}");
            assert!(held[0]["audit_id"].as_str().is_some_and(|id| !id.is_empty()), "{held:?}");
            let session = held[0]["session"].as_str().unwrap();
            assert!(session.ends_with("@door.hook"), "{what}: {held:?}");
            let body = json!({"cwd": scene.work, "session": session}).to_string();
            let path = format!("/v1/actions/{}/undo", held[0]["id"].as_str().unwrap());
            assert_eq!(
                scene.service.post(&path, body).send().status,
                403,
                "{what}: the session of another door"
            );
            let undone = scene.undo(&held[0]["id"]);
            assert_eq!(undone["outcome"], "done", "{what}: {undone}");
            let after: Vec<Option<String>> = files.iter().map(|path| scene.read(path)).collect();
            assert_eq!(after, before, "{what}");
            assert!(!scene.work.join("deep").exists() && !scene.work.join("x").exists(), "{what}");
            // The undo is held as well; the next row begins with none.
            let again = scene.held();
            assert_eq!((again.len(), &again[0]["undo"]), (1, &json!(true)), "{what}");
            forget(&scene);
        }
    }
    let lines = scene.recorded();
    let line = lines.iter().find(|line| line["caller"].as_str().unwrap().starts_with("claude")).unwrap();
    assert_eq!(
        (&line["event"], &line["effects"][0]["change"]),
        (&json!("advice"), &json!("changed")),
        "{line}"
    );
    assert_eq!(line["effects"][0]["path"], json!(scene.work.join("a.txt")), "{line}");
    assert!(line["effects_digest"].is_string());
}

/// Discards held changes, so that the next row finds only its own.
fn forget(scene: &Project) {
    for entry in std::fs::read_dir(scene.service.state("stages")).unwrap().flatten() {
        if entry.path().is_dir() {
            std::fs::remove_dir_all(entry.path()).unwrap();
        }
    }
}

#[test]
fn one_step_after_the_other_goes_back() {
    let scene = Project::with_config("workspace", "");
    std::fs::set_permissions(scene.work.join("a.txt"), std::fs::Permissions::from_mode(0o640)).unwrap();
    for (old, new) in [("one", "1"), ("two", "2"), ("1", "I")] {
        let input = json!({"file_path": scene.work.join("a.txt"), "old_string": old, "new_string": new});
        scene.allowed(Client::Claude, "Edit", &input);
        let text = scene.read("a.txt").unwrap().replace(old, new);
        scene.write("a.txt", &text);
    }
    // A call that was allowed but never written is not listed.
    let input = json!({"file_path": scene.work.join("a.txt"), "content": "never"});
    scene.allowed(Client::Claude, "Write", &input);
    assert_eq!(scene.held().len(), 3);
    for text in ["1\n2\n", "1\ntwo\n", OLD] {
        let last = scene.held().into_iter().find(|held| held["undo"] == false);
        let last = scene.undo(&last.unwrap()["id"]);
        assert_eq!(
            (&last["outcome"], scene.read("a.txt").as_deref()),
            (&json!("done"), Some(text)),
            "{last}"
        );
    }
    let mode = std::fs::metadata(scene.work.join("a.txt")).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode, 0o640);
    let none = scene.act(&json!({"action": "UNDO", "cwd": scene.work, "session": "claude"}));
    assert_eq!(none["error"], json!("unavailable"), "{none}");
}

#[test]
fn what_somebody_else_wrote_is_not_undone() {
    let scene = Project::with_config("workspace", "");
    for (tool, input, writes, others, error) in [
        // The client wrote as announced, and another program wrote more.
        ("Write", json!({"content": "new"}), "new", Some("new and more"), "changed"),
        // The client wrote something else than it said.
        ("Write", json!({"content": "new"}), "other", None, "changed"),
        // The content was not announced.
        ("NotebookEdit", json!({"new_source": "x", "cell_id": "1"}), "new", None, "failed"),
        ("Edit", json!({"old_string": "not there", "new_string": "x"}), "new", None, "failed"),
    ] {
        scene.write("a.txt", OLD);
        let mut input = input;
        let name = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
        input[name] = json!(scene.work.join("a.txt"));
        scene.allowed(Client::Claude, tool, &input);
        scene.write("a.txt", writes);
        let held = scene.held();
        others.into_iter().for_each(|text| scene.write("a.txt", text));
        let reply = scene.undo(&held[0]["id"]);
        let stands = others.unwrap_or(writes);
        assert_eq!(
            (&reply["outcome"], &reply["error"]),
            (&json!("failed"), &json!(error)),
            "{tool}: {reply}"
        );
        assert_eq!(scene.read("a.txt").as_deref(), Some(stands), "{tool}");
        if error == "failed" {
            assert!(reply["message"].as_str().unwrap().contains("--beside"), "{reply}");
        }
        let id = held[0]["id"].as_str().unwrap();
        let beside = scene.service.folder.path().join("beside");
        let copied =
            guarda(scene.service.folder.path()).args(["undo", "--beside"]).arg(&beside).arg(id).output();
        assert!(copied.unwrap().status.success(), "{tool}");
        assert_eq!(std::fs::read_to_string(beside.join("work/a.txt")).unwrap(), OLD, "{tool}");
        std::fs::remove_dir_all(beside).unwrap();
        forget(&scene);
    }
    // A change of rights counts, too.
    scene.write("a.txt", OLD);
    scene.allowed(Client::Claude, "Write", &json!({"file_path": scene.work.join("a.txt"), "content": "new"}));
    scene.write("a.txt", "new");
    std::fs::set_permissions(scene.work.join("a.txt"), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(scene.undo(&scene.held()[0]["id"])["error"], json!("changed"));
}

#[test]
fn guarded_places_and_what_lies_outside_are_asked_in_a_workspace() {
    let scene = Project::with_config("workspace", "");
    std::fs::create_dir_all(scene.work.join(".git/hooks")).unwrap();
    let home = std::fs::canonicalize(scene.service.folder.path()).unwrap();
    std::os::unix::fs::symlink(home.join("outside"), scene.work.join("innocent")).unwrap();
    for (path, rule) in [
        (scene.work.join(".git/hooks/pre-commit"), "effects-git"),
        (scene.work.join(".github/workflows/ci.yml"), "effects-pipelines"),
        (scene.work.join("CLAUDE.md"), "effects-agents"),
        (scene.work.join(".envrc"), "effects-opens"),
        (home.join(".bashrc"), "effects-run-later"),
        (home.join("other"), "effects-outside"),
        (scene.work.join("../up"), "effects-outside"),
        (scene.work.join("innocent"), "effects-outside"),
    ] {
        let input = json!({"file_path": path, "content": "x"});
        let (question, heard) = scene.asked("no", || scene.ask(Client::Claude, "Write", &input));
        assert!(heard.contains("\"deny\""), "{heard}");
        let rules: Vec<&str> =
            question["findings"].as_array().unwrap().iter().filter_map(|one| one["rule"].as_str()).collect();
        assert!(rules.contains(&rule), "{path:?}: {rules:?}");
        assert!(question["effects"]["text"].is_string(), "{question}");
    }
    assert_eq!(
        std::fs::read_dir(scene.service.state("stages"))
            .unwrap()
            .flatten()
            .filter(|one| one.path().is_dir())
            .count(),
        0
    );
    let blocked =
        scene.ask(Client::Claude, "Write", &json!({"file_path": home.join("state/x"), "content": "x"}));
    assert!(blocked.contains("do not allow"), "{blocked}");
}

#[test]
fn on_a_desktop_a_tool_is_asked_with_its_differences() {
    let scene = Project::with_config("desktop", "");
    let input = json!({"file_path": scene.work.join("a.txt"), "old_string": "two", "new_string": "2"});
    let (question, heard) = scene.asked("yes", || scene.ask(Client::Claude, "Edit", &input));
    assert!(heard.contains("\"allow\""), "{heard}");
    let change = &question["effects"]["changes"][0];
    assert_eq!((&change["mark"], &change["path"]), (&json!("changed"), &json!("a.txt")), "{question}");
    let diff: Vec<(&str, &str)> = change["diff"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["sign"].as_str().unwrap(), line["text"].as_str().unwrap()))
        .collect();
    assert_eq!(diff[1..], [("same", "one"), ("removed", "two"), ("added", "2")], "{question}");
    assert_eq!((&question["asker"], &question["tool"]), (&json!("claude"), &json!("Edit")), "{question}");
    assert_eq!(question["object"], json!("~/work/a.txt"), "{question}");
    assert_eq!(question["effects"]["undo_days"], json!(7), "{question}");
    scene.write("a.txt", "one\n2\n");
    let id = scene.held()[0]["id"].clone();
    let undone = scene.undo(&id);
    assert_eq!((&undone["outcome"], scene.read("a.txt").as_deref()), (&json!("done"), Some(OLD)), "{undone}");
    // Changes made while the question is open were not shown.
    let (_, heard) = std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let mut event = sample(Client::Claude, "", scene.work.to_str().unwrap());
            event["tool_name"] = json!("Edit");
            event["tool_input"] = input.clone();
            scene.service.post("/v1/hooks/claude", event.to_string()).send()
        });
        let number = scene.service.question();
        scene.write("a.txt", "zero\ntwo\n");
        assert_eq!(scene.service.answer(&number, "yes").status, 200);
        ((), running.join().unwrap())
    });
    assert_eq!((heard.status, heard.problem().as_str()), (409, "changed"), "{heard:?}");
}

#[test]
fn a_tool_is_shown_by_what_it_does_and_its_conversation_by_its_title() {
    let scene = Project::with_config("desktop", "");
    let home = scene.service.folder.path();
    let transcript = home.join("conversation.jsonl");
    let titled = "{\"type\":\"ai-title\",\"aiTitle\":\"Tidy the\\n shell\",\"sessionId\":\"s\"}\n";
    std::fs::write(&transcript, titled).unwrap();
    let event = |tool: &str, input: Value| {
        let mut event = sample(Client::Claude, "", scene.work.to_str().unwrap());
        (event["tool_name"], event["tool_input"]) = (json!(tool), input);
        event["transcript_path"] = json!(transcript);
        event
    };
    for (tool, input, effect, object) in [
        ("Read", json!({"file_path": home.join(".ssh/id_rsa")}), "read id_rsa from .ssh", "~/.ssh/id_rsa"),
        (
            "Write",
            json!({"file_path": home.join(".bashrc"), "content": "x\n"}),
            "write the file .bashrc in your home folder",
            "~/.bashrc",
        ),
        (
            "WebFetch",
            json!({"url": "https://example.org/a?b=c"}),
            "reach example.org over the network",
            "https://example.org/a?b=c",
        ),
        ("Lock", json!({}), "use the tool Lock", "Lock"),
    ] {
        let event = event(tool, input);
        let (question, heard) = scene.asked("no", || scene.hear(Client::Claude, &event));
        assert!(heard.contains("\"deny\""), "{heard}");
        let shown = [&question["tool"], &question["effect"], &question["object"], &question["asker"]];
        assert_eq!(shown, [tool, effect, object, "claude: “Tidy the shell”"], "{question}");
        assert_eq!((&question["runs"], &question["tree"]), (&json!([]), &json!([])), "{question}");
        // No sentence of the question quotes the line that is judged in its place.
        let lines = &question["touches"]["lines"];
        let told = [&question["prompt"], lines, &question["reasons"], &question["effects"]["text"]];
        let told = told.map(Value::to_string).concat();
        for invented in ["tee", "curl", "cat --", &home.display().to_string()] {
            assert!(!told.contains(invented), "{invented}: {told}");
        }
    }
}

#[test]
fn a_standing_yes_to_a_file_holds_and_it_can_be_undone() {
    let scene = Project::with_config("desktop", "");
    let input = |text: &str| json!({"file_path": scene.work.join("a.txt"), "content": text});
    let (question, _) = scene.asked("always", || scene.ask(Client::Claude, "Write", &input("new")));
    assert_eq!(offer(&question, "always")["covers"], "command", "{question}");
    scene.write("a.txt", "new");
    scene.allowed(Client::Claude, "Write", &input("newer"));
    scene.write("a.txt", "newer");
    assert_eq!(scene.held().len(), 2);
    // What runs later is asked about each time, whatever stands in it.
    let file = scene.service.folder.path().join(".bashrc");
    let input = json!({"file_path": file, "content": "alias a=b\n"});
    let (question, _) = scene.asked("no", || scene.ask(Client::Claude, "Write", &input));
    assert!(offer(&question, "always").is_null(), "{question}");
}

#[test]
fn what_cannot_be_kept_is_asked_in_a_workspace_and_said() {
    let scene = Project::with_config("workspace", "[undo]\nmost_mib = 1\n");
    scene.write("large", &"x\n".repeat(1 << 20));
    let input = json!({"file_path": scene.work.join("large"), "content": "small"});
    let (question, heard) = scene.asked("yes", || scene.ask(Client::Claude, "Write", &input));
    assert!(heard.contains("it cannot be undone"), "{heard}");
    assert!(question["effects"]["final_because"].is_string(), "{question}");
    // A new file replaces nothing.
    scene.allowed(Client::Claude, "Write", &json!({"file_path": scene.work.join("n"), "content": "x"}));
    let event = json!({"client": "claude", "tool": "Write", "cwd": scene.work,
        "does": {"files": {"written": [scene.work.join("a.txt")], "planned": [{"path": scene.work.join("a.txt"),
            "content": {"whole": "y"}}]}}});
    let reply = scene.service.post("/v1/events", event.to_string()).send().json();
    assert!(reply["undo"]["until"].is_string(), "{reply}");
}

#[test]
fn what_a_tool_said_outlasts_the_service() {
    let mut scene = Project::with_config("workspace", "");
    let input = json!({"file_path": scene.work.join("a.txt"), "content": "new"});
    scene.allowed(Client::Claude, "Write", &input);
    scene.write("a.txt", "new");
    scene.service.signal(rustix::process::Signal::KILL);
    scene.service.end();
    let Project { mut service, work } = scene;
    let folder = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    let scene = Project { service: Service::on(folder), work };
    let held = scene.held();
    assert_eq!(held.len(), 1, "{held:?}");
    let shown = scene.service.get(&format!("/v1/undo/{}", held[0]["id"].as_str().unwrap())).send().json();
    assert_eq!(shown["effects"]["changes"][0]["change"], json!("changed"), "{shown}");
    assert_eq!(scene.undo(&held[0]["id"])["outcome"], json!("done"));
    assert_eq!(scene.read("a.txt").as_deref(), Some(OLD));
}
