//! Plugins through a real service: two samples, every kind of failure, and that every door runs them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::common::{Service, folder, guarda, wait};
use serde_json::{Value, json};

const SHELL: &str = include_str!("../../docs/examples/plugins/10-production");
const PYTHON: &str = include_str!("../../docs/examples/plugins/20-no-push-to-main.py");
const PASS: &str = "#!/bin/sh\necho '{\"decision\": \"pass\"}'\n";

/// Puts an executable into the plugin folder.
fn put(home: &Path, name: &str, text: &str) {
    let folder = home.join("plugins");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Under another name first: a plugin that is half written would be asked too.
    let draft = folder.join(format!(".{name}"));
    std::fs::write(&draft, text).unwrap();
    std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(draft, folder.join(name)).unwrap();
}

fn home(more: &str) -> tempfile::TempDir {
    let folder = folder("", "");
    let file = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, format!("{text}\n{more}\n")).unwrap();
    folder
}

fn judge(service: &Service, command: &str) -> Value {
    let body = json!({"action": "RUN_COMMAND", "target": command, "cwd": service.folder.path()});
    let answer = service.post("/v1/judge", body.to_string()).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// The findings of plugins: which plugin, and its text.
fn told(judgement: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let findings = judgement["findings"].as_array().unwrap().iter();
    let theirs = findings.filter(|finding| text(&finding["layer"]).starts_with("plugin:"));
    theirs.map(|finding| (text(&finding["rule"]), text(&finding["why"]))).collect()
}

#[test]
fn the_samples_do_what_they_say() {
    let folder = home("");
    put(folder.path(), "10-production", SHELL);
    put(folder.path(), "20-no-push-to-main.py", PYTHON);
    let service = Service::on(folder);
    for (command, status, rule) in [
        ("ls", "approved", None),
        ("ls prod-db", "requires_confirmation", Some("plugin-asks")),
        ("git push origin topic", "requires_confirmation", None),
        ("cd x && /usr/bin/git -C y push origin HEAD:main", "blocked", Some("plugin-denies")),
        ("git push origin $BRANCH", "requires_confirmation", Some("plugin-asks")),
        ("rm -rf --no-preserve-root /", "blocked", None),
    ] {
        let judgement = judge(&service, command);
        assert_eq!(judgement["status"], status, "{command}: {judgement}");
        let rules: Vec<String> = told(&judgement).into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(rules.first().map(String::as_str), rule, "{command}: {judgement}");
    }
    let judgement = judge(&service, "git push origin main");
    assert!(
        judgement["findings"][0]["why"].as_str().unwrap().contains("nothing is pushed to the main branch")
    );
    assert_eq!(judgement["findings"][0]["layer"], "plugin:20-no-push-to-main.py");
    let status = service.status();
    assert_eq!(status["plugins"]["10-production"]["state"], "ready", "{status}");
    // Other kinds of actions pass through it, too, and the record shows it.
    put(
        service.folder.path(),
        "30-quiet",
        "#!/bin/sh\ngrep -q '\"action\":\"VOLUME_UP\"' && \
        echo '{\"decision\":\"deny\",\"reason\":\"it is night\"}' || echo '{\"decision\":\"pass\"}'\n",
    );
    let reply = service.post("/v1/actions", json!({"action": "VOLUME_UP"}).to_string()).send().json();
    assert_eq!((&reply["outcome"], &reply["status"]), (&json!("blocked"), &json!("blocked")), "{reply}");
    let line = service.journal().into_iter().find(|line| line["event"] == "refusal").unwrap();
    assert_eq!(line["findings"][0]["rule"], "plugin-denies", "{line}");
}

#[test]
fn every_door_hears_them() {
    let folder = home("");
    put(
        folder.path(),
        "no-ls",
        "#!/bin/sh\ngrep -q '\"ls' && echo '{\"decision\":\"deny\",\"reason\":\"no ls\"}' || \
        echo '{\"decision\":\"pass\"}'\n",
    );
    let ipc = folder.path().join("ipc");
    let service = Service::with_words(folder, &["--ipc", ipc.to_str().unwrap()]);
    let cwd = service.folder.path().to_str().unwrap().to_owned();
    assert_eq!(judge(&service, "ls")["status"], "blocked");
    assert_eq!(service.act("ls").send().json()["outcome"], "blocked");
    assert_eq!(service.act("pwd").send().json()["outcome"], "done");
    let executed =
        service.post("/v1/execute", json!({"command": "ls", "cwd": cwd}).to_string()).send().json();
    assert!(executed.to_string().contains("plugin-denies"), "{executed}");
    let event = json!({"client": "claude", "tool": "Bash", "does": {"run": "ls"}, "cwd": cwd});
    assert_eq!(service.post("/v1/events", event.to_string()).send().json()["decision"], "deny");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "check_command", "arguments": {"command": "ls"}}});
    let mcp = service.post("/mcp", call.to_string());
    let mcp = mcp
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2025-06-18");
    let mut stream = mcp.begin();
    let mut heard = Vec::new();
    let mut part = [0; 4096];
    while !String::from_utf8_lossy(&heard).contains("blocked") {
        let read = std::io::Read::read(&mut stream, &mut part).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&heard));
        heard.extend_from_slice(&part[..read]);
    }
    let text = json!({"type": "security:bash_check", "request_id": "r", "command": "ls"}).to_string();
    std::fs::write(ipc.join("requests/.r"), text).unwrap();
    std::fs::rename(ipc.join("requests/.r"), ipc.join("requests/r.json")).unwrap();
    let file = ipc.join("responses/r.json");
    wait("an answer", || file.exists().then_some(()));
    assert!(std::fs::read_to_string(file).unwrap().contains("\"deny\""));
}

#[test]
fn whatever_fails_is_a_question_that_names_the_plugin() {
    let service = Service::on(home("[plugins]\ntimeout_ms = 1500"));
    for (text, why) in [
        ("#!/bin/sh\nexit 3\n", "ended with status 3"),
        ("#!/bin/sh\necho '{\"decision\":\"pass\"}'; exit 1\n", "ended with status 1"),
        ("#!/bin/sh\nkill -9 $$\n", "signal 9"),
        ("#!/bin/sh\necho allow\n", "its answer is not"),
        ("#!/bin/sh\necho '{\"decision\":\"allow\"}'\n", "its answer is not"),
        ("#!/bin/sh\ntrue\n", "it said nothing"),
        ("#!/bin/sh\nhead -c 300000 /dev/zero\n", "longer than 64 KiB"),
        ("#!/bin/sh\nsleep 600\n", "did not answer within 1500 ms"),
        ("#!/nonexistent/interpreter\n", "could not be started"),
        ("#!/bin/sh\nexec python3 -c 'x = bytearray(8 << 30)'\n", "ended with status"),
    ] {
        put(service.folder.path(), "bad", text);
        let judgement = judge(&service, "ls");
        assert_eq!(judgement["status"], "requires_confirmation", "{text:?} {judgement}");
        let [(rule, said)] = told(&judgement).try_into().unwrap();
        assert_eq!(rule, "plugin-failed");
        assert!(said.contains("the plugin bad failed") && said.contains(why), "{text:?} {said}");
    }
    let degraded = service.status()["degraded"].to_string();
    assert!(degraded.contains("The plugin bad fails"), "{degraded}");
    put(service.folder.path(), "bad", PASS);
    assert_eq!(judge(&service, "ls")["status"], "approved");
    let degraded = service.status()["degraded"].to_string();
    assert!(!degraded.contains("bad"), "{degraded}");
}

#[test]
fn what_others_could_have_written_is_not_started() {
    let service = Service::on(home(""));
    assert_eq!(judge(&service, "ls")["status"], "approved");
    put(service.folder.path(), "mine", PASS);
    assert_eq!(judge(&service, "ls")["status"], "approved");
    let file = service.folder.path().join("plugins/mine");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o777)).unwrap();
    let judgement = judge(&service, "ls");
    assert!(told(&judgement)[0].1.contains("others can write to it"), "{judgement}");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/bin/true", &file).unwrap();
    let judgement = judge(&service, "ls");
    assert!(told(&judgement)[0].1.contains("leads out of the folder"), "{judgement}");
    let plugins = service.folder.path().join("plugins");
    std::fs::set_permissions(&plugins, std::fs::Permissions::from_mode(0o777)).unwrap();
    let judgement = judge(&service, "ls");
    assert_eq!(judgement["status"], "requires_confirmation");
    assert!(told(&judgement)[0].1.contains("the plugins cannot be asked"), "{judgement}");
    // A command of the model does not get at them.
    std::fs::set_permissions(&plugins, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(judge(&service, "rm plugins/mine")["status"], "blocked");
    assert_eq!(judge(&service, "ls")["status"], "approved");
}

#[test]
fn they_are_asked_in_order_and_kept_in() {
    let folder = home("");
    let secret = folder.path().join("state/token");
    let probe = format!(
        "#!/bin/sh\ncat >/dev/null\nreached=\nfor file in {secret} {home}/config.toml; do\n\
         head -c 1 \"$file\" >/dev/null 2>&1 && reached=\"$reached $file\"\ndone\n\
         touch {home}/plugins/made {home}/made 2>/dev/null && reached=\"$reached writes\"\n\
         (exec 3<>/dev/tcp/127.0.0.1/PORT) 2>/dev/null && reached=\"$reached network\"\nsleep 600 &\n\
         echo \"{{\\\"decision\\\":\\\"ask\\\",\\\"reason\\\":\\\"reached:$reached\\\"}}\"\n",
        secret = secret.display(),
        home = folder.path().display(),
    );
    let service = Service::on(folder);
    let port = service.address.rsplit(':').next().unwrap();
    let probe = probe.replace("PORT", port).replace("#!/bin/sh", "#!/bin/bash");
    put(service.folder.path(), "10-probe", &probe);
    put(
        service.folder.path(),
        "20-deny",
        "#!/bin/sh\necho '{\"decision\":\"deny\",\"reason\":\"second\"}'\n",
    );
    put(service.folder.path(), "30-late", "#!/bin/sh\necho '{\"decision\":\"deny\",\"reason\":\"third\"}'\n");
    let told = told(&judge(&service, "ls"));
    let told: Vec<(&str, &str)> = told.iter().map(|(rule, why)| (rule.as_str(), why.as_str())).collect();
    assert_eq!(
        told,
        [
            ("plugin-denies", "the plugin 20-deny says: second"),
            ("plugin-asks", "the plugin 10-probe says: reached:"),
        ]
    );
    assert!(!service.folder.path().join("plugins/made").exists());
}

#[test]
fn the_command_line_lists_and_tries_them() {
    let folder = home("");
    let run = |words: &[&str]| {
        let output = guarda(folder.path()).args(words).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    assert!(run(&["plugin", "list"]).1.contains("there is no plugin"));
    assert_eq!(run(&["plugin", "try", "ls"]).0, 1);
    put(folder.path(), "20-no-push-to-main.py", PYTHON);
    put(folder.path(), "30-noisy", "#!/bin/sh\necho to whom it concerns >&2\nexit 7\n");
    std::fs::write(folder.path().join("plugins/notes.txt"), "x").unwrap();
    let (code, list) = run(&["plugin", "list"]);
    assert!(code == 0 && list.contains("not executable") && list.contains("ready"), "{list}");
    let (code, told) = run(&["plugin", "try", "--plugin", "20-no-push-to-main.py", "git push origin main"]);
    assert!(code == 3 && told.contains("nothing is pushed"), "{told}");
    assert_eq!(run(&["plugin", "try", "--plugin", "20-no-push-to-main.py", "ls"]).0, 0);
    let (code, told) = run(&["plugin", "try", "--event", "ls"]);
    assert!(code == 4 && told.contains("to whom it concerns") && told.contains("status 7"), "{told}");
    assert!(told.contains("\"event\":\"before_action\""), "{told}");
    assert_eq!(run(&["plugin", "try", "--plugin", "nothing", "ls"]).0, 1);
    let (_, doctor) = run(&["doctor", "--json"]);
    assert!(doctor.contains("plugin 20-no-push-to-main.py"), "{doctor}");
}
