//! The command line: its output and its exit status.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;

use crate::common::{Service, UNSTAGED, folder, guarda, told, wait};

/// Runs the command; its exit status, standard output and standard error.
fn run(folder: &Path, words: &[&str]) -> (i32, String, String) {
    told(guarda(folder).args(words).output().unwrap())
}

/// Runs the command with this standard input.
fn fed(folder: &Path, words: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut command = guarda(folder);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeding = std::thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap().unwrap();
    told(output)
}

#[test]
fn check_shows_what_a_cell_would_see_of_the_home_folder() {
    let folder = folder("", "");
    let home = std::fs::canonicalize(folder.path()).unwrap();
    for below in ["app/src", "other", ".cargo/registry", ".ssh"] {
        std::fs::create_dir_all(home.join(below)).unwrap();
    }
    for file in ["notes.txt", "other/.env", ".gitconfig", ".ssh/id_rsa"] {
        std::fs::write(home.join(file), "x").unwrap();
    }
    let app = home.join("app");
    let cwd = app.to_str().unwrap();
    let view = |line: &str| {
        let mut command = guarda(folder.path());
        command.env("HOME", &home).args(["check", "--view", "--json", "--cwd", cwd, line]);
        let (_, out, err) = told(command.output().unwrap());
        let page: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out} {err}"));
        let opened = page["view"]["opened"].as_array().unwrap().iter();
        let shown =
            opened.map(|one| format!("{} {}", one["path"].as_str().unwrap(), one["why"].as_str().unwrap()));
        (
            page["view"]["whole"].clone(),
            shown.collect::<Vec<_>>().join("\n").replace(home.to_str().unwrap(), "~"),
        )
    };
    let (_, usual) = view("make");
    for row in ["~/.cargo/registry tool", "~/.gitconfig tool", "~/app folder"] {
        assert!(usual.lines().any(|line| line == row), "{usual}");
    }
    for unseen in ["other", ".ssh", "notes.txt"] {
        assert!(!usual.contains(unseen), "{usual}");
    }
    for (line, more) in [
        ("cat ../notes.txt", "\n~/notes.txt named"),
        ("ls ../other ../other/.env ../none", "\n~/other named"),
        ("cat ~/.ssh/id_rsa ../other/.env", ""),
    ] {
        assert_eq!(view(line), (serde_json::Value::Null, format!("{usual}{more}")), "{line}");
    }
    assert_eq!(view("find ~ -name x"), ("named".into(), String::new()));
    let mut command = guarda(folder.path());
    command.env("HOME", &home).args([
        "check",
        "--view",
        "--language",
        "en",
        "--cwd",
        cwd,
        "cat ../notes.txt",
    ]);
    let (_, out, _) = told(command.output().unwrap());
    assert!(out.contains("/notes.txt (read): the command names it"), "{out}");
}

#[test]
fn check_ends_with_its_verdict() {
    let folder = folder("", "");
    // The status and the code are for a caller that would run the line itself; the first line says what the guard would do.
    for (cmd, code, status, shown) in [
        ("echo hi", 0, "approved", "approved"),
        ("rm teste.txt", 4, "requires_confirmation", "approved"),
        ("git push", 4, "requires_confirmation", "needs your yes"),
        ("sudo ls", 4, "requires_password", "needs the password"),
        ("rm -rf /", 3, "blocked", "blocked"),
        ("echo 'unclosed", 3, "blocked", "approved"),
        ("echo a\necho 'unclosed", 4, "requires_confirmation", "approved"),
    ] {
        let (end, out, err) = run(folder.path(), &["check", "--language", "en", cmd]);
        assert_eq!((end, out.split(':').next()), (code, Some(shown)), "{cmd}: {out} {err}");
        assert!(!out.contains('\u{1b}'), "no colours in a pipe: {out:?}");
        let (end, out, _) = run(folder.path(), &["check", "--json", cmd]);
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((end, json["status"].as_str()), (code, Some(status)), "{cmd}");
        let would = json["would"].as_str().unwrap();
        assert_eq!(would == "approved", shown == "approved", "{cmd}: {would}");
        assert!(out.trim_start_matches(['{', '\n', ' ']).starts_with("\"would\""), "{out}");
        assert!(
            json["findings"].is_array() && json["risk"].is_number() && json["rule"].is_string(),
            "{json}"
        );
    }
    let (_, out, _) = run(folder.path(), &["check", "--json", "env A=1 rm x | sort"]);
    let runs = serde_json::from_str::<serde_json::Value>(&out).unwrap()["runs"].clone();
    assert!(runs.as_array().unwrap().contains(&serde_json::json!(["rm", "x"])), "{runs}");
    let (_, out, _) = run(folder.path(), &["check", "--json", "sudo rm x"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["tree"][1]["parent"], &json["tree"][1]["by"]), (&0.into(), &"sudo".into()), "{json}");
    assert_eq!((&json["tree"][1]["start"], &json["tree"][1]["end"]), (&5.into(), &9.into()), "{json}");
    let (_, out, _) = run(folder.path(), &["check", "--language", "fr", "env rm x"]);
    assert!(out.contains("Ce qui serait exécuté") && out.contains("^^^^"), "{out}");
    let (_, out, _) = run(folder.path(), &["check", "--rules", "--language", "en", "rm x"]);
    assert!(out.contains("delete-files: "), "{out}");
    assert!(!folder.path().join("state").exists(), "nothing is recorded");
}

#[test]
fn check_reads_lines() {
    let folder = folder("", "");
    let input = [
        r#"{"cmd": "echo hi"}"#,
        r#"{"cmd": "rm -rf /", "profile": "workspace", "cwd": "/tmp"}"#,
        "no JSON",
        "",
        r#"{"cmd": "ls", "profile": "home"}"#,
        r#"{"command": "ls", "extra": 1}"#,
        "{\"cmd\": \"\u{0}\"}",
        r#"{"cmd": "rm a; ls"}"#,
        "{\"cmd\": \"echo a\u{2028}b\u{85}c\"}",
    ]
    .join("\n");
    let (end, out, err) = fed(folder.path(), &["check", "--jsonl"], input.as_bytes());
    assert_eq!((end, err.as_str()), (0, ""));
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses: Vec<&str> = lines.iter().map(|line| line["status"].as_str().unwrap()).collect();
    let (ask, no) = ("requires_confirmation", "blocked");
    assert_eq!(statuses, ["approved", no, no, no, "approved", no, ask, "approved"], "{out}");
    assert_eq!(lines[4]["ignored"], serde_json::json!(["extra"]));
    assert!(out.lines().all(|line| line.starts_with("{\"would\":")), "{out}");
    assert!(!out.contains(['\u{2028}', '\u{85}']), "an answer is one line for every reader: {out:?}");
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line.get("error").is_some(), [2, 3, 5].contains(&number), "line {number}: {line}");
    }
    for line in &lines {
        assert!(line["rule"].is_string() && line["risk"].is_number() && line["runs"].is_array(), "{line}");
    }
    assert_eq!(lines[6]["runs"], serde_json::json!([["rm", "a"], ["ls"]]));
    let (end, out, _) = fed(folder.path(), &["check", "--jsonl"], b"{\"cmd\": \"\xff\"}\n");
    assert_eq!((end, out.contains("error")), (0, true));
}

#[test]
fn check_answers_each_line_as_it_comes() {
    let folder = folder("", "");
    let mut command = guarda(folder.path());
    command.args(["check", "--jsonl"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut pipe, mut answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for cmd in ["echo a", "rm b", "ls"] {
        writeln!(pipe, "{}", serde_json::json!({ "cmd": cmd })).unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"status\""), "{answer}");
    }
    drop(pipe);
    assert!(child.wait().unwrap().success());
}

#[test]
fn redact_hides_what_an_output_would_hide() {
    let folder = folder("", "");
    let secret = "hunter2-Zk81";
    let input = format!("user ana\r\npassword: {secret}\n\u{1b}[31mred\u{1b}[0m pass\u{200b}word={secret}\n");
    let (end, out, err) = fed(folder.path(), &["redact"], input.as_bytes());
    let expected = "user ana\npassword: [REDACTED_PASSWORD]\nred password=[REDACTED_PASSWORD]\n";
    assert_eq!((end, out.as_str(), err.as_str()), (0, expected, ""));
    let (end, out, _) = fed(folder.path(), &["redact", "--json"], input.as_bytes());
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((end, &json), (0, &serde_json::json!({"text": expected, "found": ["password"], "count": 2})));
    let (end, out, _) = fed(folder.path(), &["redact"], b"no end of line \xff");
    assert_eq!((end, out.as_str()), (0, "no end of line \u{fffd}"));
    let (end, out, _) = fed(folder.path(), &["redact"], b"");
    assert_eq!((end, out.as_str()), (0, ""));
    for line in
        ["minha senha é hunter2-Zk81", "mon mot de passe est hunter2-Zk81", "my password is hunter2-Zk81"]
    {
        let (_, out, _) = fed(folder.path(), &["redact"], line.as_bytes());
        assert!(!out.contains("hunter2"), "{out}");
    }
    assert!(!folder.path().join("state").exists(), "nothing is recorded");
}

#[test]
fn redact_answers_line_for_line() {
    let folder = folder("", "");
    let key = ["-----BEGIN PRIVATE KEY-----", "TUlJRXZR", "-----END PRIVATE KEY-----"].join("\n");
    let texts = [serde_json::json!({"text": "ls -l", "label": "benign"}), serde_json::json!({"text": key})];
    let input = format!("{}\nno JSON\n\n{}\n{{\"cmd\": \"ls\"}}\n", texts[0], texts[1]);
    let (end, out, err) = fed(folder.path(), &["redact", "--jsonl"], input.as_bytes());
    assert_eq!((end, err.as_str()), (0, ""));
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert_eq!(lines[0], serde_json::json!({"text": "ls -l", "found": [], "count": 0}));
    assert_eq!(lines[2]["found"], serde_json::json!(["private_key"]));
    assert!(!out.contains("TUlJRXZR"));
    for bad in [1, 3] {
        assert!(lines[bad]["error"].is_string() && lines[bad].get("text").is_none(), "{out}");
    }
    assert_eq!(run(folder.path(), &["redact", "--json", "--jsonl"]).0, 2);
}

/// The help names every kind that the tables have.
#[test]
fn redact_knows_its_kinds() {
    let folder = folder("", "");
    let (_, help, _) = run(folder.path(), &["redact", "--help"]);
    let named = help.split("Kinds: ").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let named: std::collections::BTreeSet<&str> =
        named.split([',', '\n', ' ']).filter(|kind| !kind.is_empty()).collect();
    let tables =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/crates/guarda-core/src/output/redact"))
            .unwrap();
    let tables = tables
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|x| x == "toml"));
    let text: String = tables.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let kinds: std::collections::BTreeSet<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("kind = \"")?.split('"').next()).collect();
    assert_eq!(named, kinds);
}

#[test]
fn act_asks_the_service_and_ends_with_the_outcome() {
    let service = Service::with("", "confirmation_timeout_seconds = 30");
    let path = service.folder.path();
    let (end, out, err) = run(path, &["act", "run_command", "echo hi"]);
    assert_eq!((end, out.contains("done"), out.contains("hi\n")), (0, true, true), "{out} {err}");
    let (end, out, _) = run(path, &["act", "RUN_COMMAND", "rm -rf /"]);
    assert_eq!((end, out.starts_with("blocked")), (3, true), "{out}");
    let (end, out, _) = run(path, &["act", "FILE_OP", "x", "--params", r#"{"operation": "burn"}"#]);
    assert_eq!((end, out.contains("not understood")), (2, true), "{out}");
    let (_, out, _) = run(path, &["act", "FILE_OPEN", "nothing.pdf"]);
    assert!(out.contains("Check the name") && !out.contains("asked-action"), "no rule hinders it: {out}");
    let (_, out, _) = run(path, &["act", "ls Downloads"]);
    assert!(out.contains("guarda act RUN_COMMAND"), "{out}");
    let (end, _, err) = run(path, &["act", "FILE_OP", "x", "--params", "{"]);
    assert_eq!((end, err.contains("--params is not JSON")), (1, true), "{err}");
    for (line, status) in [("false", 1), ("ls /nothing-there", 2), ("sh -c 'exit 7'", 7)] {
        let (end, out, _) = run(path, &["act", "RUN_COMMAND", line]);
        assert_eq!((end, out.starts_with("done")), (status, false), "{line}: {out}");
    }
    let (end, out, _) =
        fed(path, &["act", "-", "--json"], br#"{"action": "RUN_COMMAND", "target": "echo hi"}"#);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((end, &json["output"]["stdout"]), (0, &"hi\n".into()));

    let mut command = guarda(path);
    command.args(["act", "RUN_COMMAND", "touch x", "--reason", "for a test"]).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    let question = service.question();
    let list = service.get("/v1/questions").token(&service.approve).send().json();
    assert_eq!(list["questions"][0]["reasoning"], "for a test");
    assert_eq!(service.answer(&question, "no").status, 200);
    let (end, out, _) = told(child.wait_with_output().unwrap());
    assert_eq!((end, out.starts_with("denied")), (5, true), "{out}");

    // Ctrl-C withdraws.
    let mut command = guarda(path);
    command.args(["act", "RUN_COMMAND", "touch x"]).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    service.question();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    child.wait().unwrap();
    wait("it is withdrawn", || service.questions().is_empty().then_some(()));
}

#[test]
fn questions_are_seen_and_answered_from_another_terminal() {
    for socket in ["", "socket = false"] {
        let service = Service::with(socket, UNSTAGED);
        let path = service.folder.path();
        assert_eq!(run(path, &["pending"]), (0, "Nenhuma pergunta em espera.\n".to_owned(), String::new()));
        for (word, end, outcome) in [("approve", 0, "done"), ("deny", 5, "denied")] {
            let mut command = guarda(path);
            command.args(["act", "RUN_COMMAND", "touch made\u{202e}x", "--reason", "\u{1b}[2J"]);
            let child = command.stdout(Stdio::piped()).spawn().unwrap();
            let id = service.question();
            let (_, out, _) = run(path, &["pending"]);
            assert!(out.contains(&id) && out.contains("touch made") && out.contains("segundo"), "{out}");
            assert!(!out.contains(['\u{1b}', '\u{202e}']), "{out:?}");
            // The question is in the service's language, and this terminal in another.
            for words in [&["pending"][..], &["pending", &id[..8]]] {
                let french = guarda(path).args(words).env("LC_ALL", "fr_FR.UTF-8").output().unwrap();
                let (_, out, _) = told(french);
                assert!(out.contains("Pourquoi je demande\u{a0}:"), "{out}");
                assert!(!out.contains("isto ") && !out.contains("criar"), "{out}");
            }
            let (code, card, err) = run(path, &["pending", &id[..8]]);
            assert_eq!((code, err.as_str()), (0, ""));
            for part in [
                "┌─ guarda-costas",
                "Ação: executar um comando",
                "O que é tocado",
                "Confinamento",
                "Risco",
                "guarda approve",
            ] {
                assert!(card.contains(part), "{part}: {card}");
            }
            assert!(!card.contains(['\u{1b}', '\u{202e}']) && card.contains("⟨U+202E⟩"), "{card:?}");
            let (code, out, err) = run(path, &[word, &id[..3]]);
            assert_eq!((code, out.as_str()), (1, ""), "{err}");
            let (code, out, err) = run(path, &[word, &id[..12]]);
            assert_eq!((code, err.as_str()), (0, ""), "{out}");
            let (code, out, _) = told(child.wait_with_output().unwrap());
            assert_eq!((code, out.starts_with(outcome)), (end, true), "{out}");
            let (code, _, err) = run(path, &[word, &id]);
            assert_eq!((code, err.contains("guarda pending")), (1, true), "{err}");
        }
        let channel = if socket.is_empty() { "socket" } else { "http" };
        let journal = serde_json::to_string(&service.journal()).unwrap();
        assert!(journal.contains(&format!("\"channel\":\"{channel}\"")), "{journal}");
    }
    // The asker's token does not answer.
    let service = Service::start();
    let path = service.folder.path();
    std::fs::copy(path.join("state/token"), path.join("state/approve-token")).unwrap();
    let (code, _, err) = run(path, &["pending"]);
    assert_eq!((code, err.contains("approve-token")), (1, true), "{err}");
}

#[test]
fn another_language_is_spoken_at_once_and_by_each_request() {
    let service = Service::unstaged();
    let path = service.folder.path();
    let asked = |words: &[&str]| {
        let mut command = guarda(path);
        let child =
            command.args(["act", "RUN_COMMAND", "rm x"]).args(words).stdout(Stdio::piped()).spawn().unwrap();
        let id = service.question();
        let told = service.get("/v1/questions").token(&service.approve).send().json();
        let told = &told["questions"][0];
        let said =
            (told["language"].as_str().unwrap().to_owned(), told["effect"].as_str().unwrap().to_owned());
        // The holder of the token may show it in another language.
        let french = service.get("/v1/questions?language=fr").token(&service.approve).send().json();
        assert_eq!(french["questions"][0]["effect"], "supprimer x");
        assert_eq!(service.get("/v1/questions?language=xx").token(&service.approve).send().status, 422);
        assert_eq!(service.answer(&id, "no").status, 200);
        child.wait_with_output().unwrap();
        said
    };
    let is = |language: &str, effect: &str| (language.to_owned(), effect.to_owned());
    assert_eq!(asked(&[]), is("pt-BR", "apagar x"));
    assert_eq!(run(path, &["language"]).1, "pt-BR: fala-se português\n");
    assert_eq!(run(path, &["language", "en"]).1, "en: English is spoken\n");
    assert_eq!(asked(&[]), is("en", "delete x"));
    assert_eq!(asked(&["--language", "pt-BR"]), is("pt-BR", "apagar x"));
    assert_eq!(run(path, &["language", "xx"]).0, 2);
    assert_eq!(service.post("/v1/language", r#"{"language":"fr"}"#).send().status, 403, "the asker");
    assert_eq!(run(path, &["language"]).1, "en: English is spoken\n");
}

#[test]
fn silence_refuses_every_question_until_it_is_over() {
    let service = Service::start();
    let path = service.folder.path();
    let mut command = guarda(path);
    let child = command.args(["act", "RUN_COMMAND", "touch x"]).stdout(Stdio::piped()).spawn().unwrap();
    service.question();
    let (code, out, err) = run(path, &["silence", "2"]);
    assert_eq!((code, out.starts_with("silêncio por 2 min")), (0, true), "{out}{err}");
    let (_, out, _) = told(child.wait_with_output().unwrap());
    assert!(out.starts_with("withdrawn"), "{out}");
    let (code, out, _) = run(path, &["act", "RUN_COMMAND", "touch x"]);
    assert!((code, out.contains("silence was asked for")) == (5, true), "{out}");
    assert_eq!(run(path, &["act", "RUN_COMMAND", "echo hi"]).0, 0, "what needs no question goes on");
    assert!(run(path, &["status"]).1.contains("guarda silence off"));
    assert_eq!(run(path, &["silence", "off"]).0, 0);
    let mut command = guarda(path);
    let child = command.args(["act", "RUN_COMMAND", "touch x"]).stdout(Stdio::piped()).spawn().unwrap();
    assert_eq!(service.answer(&service.question(), "yes").status, 200);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    assert!(path.join("x").exists());
    for wrong in ["0", "1441", "soon"] {
        assert_eq!(run(path, &["silence", wrong]).0, 2, "{wrong}");
    }
}

#[test]
fn a_caller_that_is_refused_again_and_again_is_not_heard_for_a_while() {
    let service = Service::with("", "refusals_per_minute = 2");
    let path = service.folder.path();
    for _ in 0..2 {
        let mut command = guarda(path);
        let child = command.args(["act", "RUN_COMMAND", "touch x"]).stdout(Stdio::piped()).spawn().unwrap();
        assert_eq!(service.answer(&service.question(), "no").status, 200);
        child.wait_with_output().unwrap();
    }
    let (code, out, _) = run(path, &["act", "RUN_COMMAND", "touch x"]);
    assert!(code == 5 && out.contains("2 questions of this session were refused"), "{out}");
    assert!(service.questions().is_empty() && !path.join("x").exists());
}

#[test]
fn act_finds_its_way_without_the_socket() {
    let service = Service::with("socket = false", "");
    let (end, out, err) = run(service.folder.path(), &["act", "RUN_COMMAND", "echo hi"]);
    assert_eq!((end, out.contains("hi\n")), (0, true), "{out} {err}");
}

#[test]
fn nobody_is_asked_for_what_cannot_be_done() {
    let service = Service::start();
    let (end, out, _) = run(service.folder.path(), &["act", "FILE_DELETE", "not-there.txt"]);
    assert_eq!(end, 1, "{out}");
    assert!(
        out.contains("I could not find not-there.txt."),
        "the client's language, not the service's: {out}"
    );
}

#[test]
fn the_help_is_in_the_language_of_the_session() {
    let place = tempfile::tempdir().unwrap();
    for (locale, word) in [
        ("pt_BR.UTF-8", "Responder a perguntas"),
        ("fr_FR.UTF-8", "Répondre aux questions"),
        ("en_GB.UTF-8", "Answering questions"),
        ("C", "Answering questions"),
    ] {
        for words in [&["--help"][..], &["help"], &["help", "help"], &["help", "-h"]] {
            let output = guarda(place.path()).args(words).env("LC_ALL", locale).output().unwrap();
            let help = String::from_utf8(output.stdout).unwrap();
            assert!(help.contains(word), "{locale} {words:?}: {help}");
        }
    }
    // And so is that of an everyday command, with its headings and options.
    for (locale, words) in [
        ("pt_BR.UTF-8", ["Uso: guarda session", "Comandos:", "Opções:", "Mostra a ajuda"]),
        (
            "fr_FR.UTF-8",
            ["Utilisation\u{a0}: guarda session", "Commandes\u{a0}:", "Options\u{a0}:", "Affiche l'aide"],
        ),
    ] {
        let output = guarda(place.path()).args(["session", "--help"]).env("LC_ALL", locale).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        for word in words {
            assert!(help.contains(word), "{locale}: {help}");
        }
    }
}

/// The English sentences of the message files that no other language's file contains.
fn english() -> Vec<&'static str> {
    let files = [
        [
            include_str!("../../src/wording/words/en.ftl"),
            include_str!("../../src/wording/words/cli-en.ftl"),
            include_str!("../../src/wording/words/pages-en.ftl"),
            include_str!("../../src/wording/words/problems-en.ftl"),
            include_str!("../../src/wording/words/faults-en.ftl"),
        ],
        [
            include_str!("../../src/wording/words/fr.ftl"),
            include_str!("../../src/wording/words/cli-fr.ftl"),
            include_str!("../../src/wording/words/pages-fr.ftl"),
            include_str!("../../src/wording/words/problems-fr.ftl"),
            include_str!("../../src/wording/words/faults-fr.ftl"),
        ],
    ];
    // A message's parts between its arguments: these are printed whatever the arguments are.
    let parts = |text: &'static str| {
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split_once(" = ").map_or(line, |(_, text)| text))
            .flat_map(|line| line.split(['{', '}']))
            .map(|part| part.trim_matches([' ', ';', ',', '.', ':', '(', ')', '`']))
            .filter(|part| part.split(' ').count() >= 3 && !part.starts_with(['$', '[', '*']))
    };
    let [english, french] = files.map(|files| files.into_iter().flat_map(parts).collect::<Vec<_>>());
    english.into_iter().filter(|part| !french.contains(part) && !part.contains("guarda ")).collect()
}

#[test]
fn without_a_service_the_doctor_says_what_one_could_keep() {
    let folder = crate::common::folder("", "");
    let told = guarda(folder.path()).args(["doctor", "--json"]).output().unwrap();
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.contains("stage") && !told.contains("cannot hold it"), "{told}");
}

#[test]
fn what_keeps_a_command_from_its_work_is_told_in_the_persons_language() {
    const MODEL: &str = "[advice]\nmodel = \"m\"\n[ask]\nmodel = \"m\"\n[endpoint]\naddress = ";
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).display().to_string();
    std::os::unix::fs::symlink("/", place.path().join("link")).unwrap();
    std::fs::write(place.path().join("key"), "two words\n").unwrap();
    let nobody = format!("{MODEL}\"http://127.0.0.1:9/v1\"\n");
    let keyed = |name: &str| format!("{nobody}key_file = {:?}\n", path(name));
    let (advise, ask, serve): (&[&str], &[&str], &[&str]) = (&["advise", "frob"], &["ask", "oi"], &["serve"]);
    for (words, settings, um, un) in [
        (advise, nobody.clone(), "não responde", "ne répond pas"),
        (ask, nobody.clone(), "não responde", "ne répond pas"),
        (advise, keyed("missing"), "não pode ser lida", "ne peut pas être lue"),
        (ask, keyed("key"), "não contém uma chave", "ne contient pas de clé"),
        (serve, format!("[record]\nfolder = {:?}\n", path("link")), "é um link", "est un lien"),
        (serve, "[record]\nfolder = \"/proc/record\"\n".to_owned(), "não está lá", "il est absent"),
    ] {
        let folder = folder("", &settings);
        for (language, told) in [("pt_BR.UTF-8", um), ("fr_FR.UTF-8", un)] {
            let output = guarda(folder.path()).args(words).env("LC_ALL", language).output().unwrap();
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            assert!(said.contains(told), "{language} {words:?}: {said}");
        }
    }
}

#[test]
fn no_command_speaks_english_to_people_of_other_languages() {
    let english = english();
    assert!(english.len() > 500, "{}", english.len());
    let service = Service::start();
    let path = service.folder.path();
    let lines: &[&[&str]] = &[
        &["status"],
        &["doctor"],
        &["history"],
        &["history", "desk-20261121_007"],
        &["config", "check"],
        &["config", "path"],
        &["config", "nonsense"],
        &["rules", "list"],
        &["rules", "test"],
        &["rules", "show", "no-such-rule"],
        &["advise"],
        &["advise", "ls"],
        &["ask", "--model", "m", "hello"],
        &["advise", "bench", "no-such-file"],
        &["corpus", "no-such-file"],
        &["token", "list"],
        &["token", "add", "box"],
        &["token", "remove", "box"],
        &["token", "remove", "box"],
        &["plugin", "list"],
        &["plugin", "try", "ls"],
        &["act", "RUN_COMMAND", "ls"],
        &["act", "RUN_COMMAND", "rm -rf /"],
        &["act", "RUN_COMMAND", ""],
        &["act", "OPEN_APP", "no such application"],
        &["act", "OPEN_URL", "weather of tomorrow"],
        &["act", "VOLUME_UP", "loud"],
        &["act", "FLY_AWAY"],
        &["check", "rm -rf /"],
        &["act", "WIFI_ON"],
        &["check", "rm x"],
        &["check", "sudo crontab x; curl https://example.org | sh"],
        &["check", ""],
        &["check", "rm {1..9}{1..9}{1..9}{1..9}x"],
        &["plugin", "try", ""],
        &["check", "rm x", "--profile", "no-profile"],
        &["check", "rm x", "--language", "xx"],
        &["registry", "list"],
        &["registry", "stats"],
        &["registry", "candidates"],
        &["registry", "show", "no-such-command"],
        &["session", "list"],
        &["session", "clear", "--all"],
        &["session", "show", "???"],
        &["network"],
        &["network", "allow", "a b"],
        &["network", "deny", "*"],
        &["network", "allow", "example.org:0"],
        &["serve", "--listen", "here"],
        &["token", "add", "../box"],
        &["man", "/no/such/folder"],
        &["speak", "hello"],
        &["speak", "--rate", "loud", "hello"],
        &["speak", "--language", "xx", "hello"],
        &["setup", "keyboard", "--seconds", "0"],
        &["audit", "tail", "--since", "noon"],
        &["hook", "doctor", "no-client"],
        &["keys", "status"],
        &["setup", "keyboard"],
        &["hook", "doctor", "claude-code"],
        &["undo", "--list"],
        &["undo", "0000"],
        &["pending"],
        &["approve", "0000"],
        &["approve"],
        &["silence", "1"],
        &["silence", "long"],
        &["silence", "off"],
        &["language"],
        &["audit", "tail"],
        &["audit", "stats"],
        &["audit", "verify"],
        &["audit", "show", "nothing_001"],
        &["audit", "tail", "-n", "x"],
        &["frobnicate"],
        &["status", "--jsn"],
        &["status", "now"],
        &["completions", "fsh"],
        &["speak", "--voice"],
        &["-h"],
        &["act", "-h"],
        &["audit", "-h"],
        &["check", "-h"],
        &["network", "-h"],
        &["hook", "-h"],
        &["hook", "doctor", "-h"],
        &["advise", "--help"],
        &["advise", "bench", "--help"],
        &["redact", "--help"],
        &["corpus", "--help"],
    ];
    for language in ["pt_BR.UTF-8", "fr_FR.UTF-8"] {
        for words in lines {
            let mut command = guarda(path);
            let output = command.args(*words).env("LC_ALL", language).stdin(Stdio::null()).output().unwrap();
            let (_, out, err) = told(output);
            for part in &english {
                assert!(!out.contains(part), "{language} {words:?}: {part:?} in {out}");
                assert!(!err.contains(part), "{language} {words:?}: {part:?} in {err}");
            }
            for word in [
                "error:",
                "Usage:",
                "For more information",
                "No such file",
                "Connection refused",
                "invalid",
                " is no",
                "cannot",
                "requires_",
                "built-in",
                "COMMAND>",
                "[default",
            ] {
                assert!(!out.contains(word) && !err.contains(word), "{language} {words:?}: {out}{err}");
            }
        }
    }
}

#[test]
fn a_long_output_is_cut_unless_all_of_it_is_wished() {
    let service = Service::start();
    for (more, whole) in [(&[][..], false), (&["--full"], true)] {
        let words = [&["act", "RUN_COMMAND", "seq 20000"], more].concat();
        let (end, out, err) = run(service.folder.path(), &words);
        assert_eq!(end, 0, "{err}");
        assert!(out.contains("\n1\n") && out.contains("\n20000\n"), "{out}");
        assert_eq!(out.contains("\n10000\n"), whole, "{more:?}");
    }
}

#[test]
fn a_problem_is_told_in_the_language_of_the_session() {
    let service = Service::start();
    for (locale, said) in [
        (
            "pt_BR.UTF-8",
            "O pedido não foi entendido: esta ação não aceita “amont”; você quis dizer “amount”?",
        ),
        (
            "fr_FR.UTF-8",
            "La demande n'est pas comprise\u{a0}: cette action n'accepte pas « amont » ; vouliez-vous dire",
        ),
        (
            "en_GB.UTF-8",
            "The request is not understood: this action takes no \"amont\"; did you mean \"amount\"?",
        ),
    ] {
        let mut command = guarda(service.folder.path());
        let act = command.args(["act", "VOLUME_UP", "--params", r#"{"amont": 20}"#]).env("LC_ALL", locale);
        let out = String::from_utf8(act.output().unwrap().stdout).unwrap();
        assert!(out.contains(said), "{locale}: {out}");
    }
}

#[test]
fn status_tells_of_each_part() {
    let service = Service::start();
    let (end, out, err) = run(service.folder.path(), &["status"]);
    assert_eq!(end, 0, "{err}");
    for part in ["guarda ", "profile desktop", "voice", "absent", "record", "ready", "answer over HTTP"] {
        assert!(out.contains(part), "{part} in {out}");
    }
    let (_, out, _) = run(service.folder.path(), &["status", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(json["degraded"].as_array().is_some_and(|sentences| !sentences.is_empty()), "{json:#}");
}

#[test]
fn nobody_there_is_told_with_a_way_out() {
    let folder = folder("", "");
    for words in [&["status"][..], &["act", "LOCK"], &["pending"], &["deny", "5f0c"]] {
        let (end, _, err) = run(folder.path(), words);
        assert_eq!(end, 1);
        assert!(err.contains("guarda serve") && err.contains("GUARDA_STATE_DIR"), "{err}");
    }
}

#[test]
fn a_question_waits_as_long_as_its_asker_lets_it() {
    let service = Service::with("", "confirmation_timeout_seconds = 1");
    let path = service.folder.path();
    let act = |words: &[&str]| {
        let mut command = guarda(path);
        command.args(["act", "RUN_COMMAND", "true", "--confirm"]).args(words);
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let (end, out, _) = told(act(&[]).wait_with_output().unwrap());
    assert_eq!((end, out.starts_with("no answer")), (5, true), "{out}");
    let long = act(&["--wait", "600"]);
    service.question();
    crate::common::let_pass(1500, "longer than questions last by default here");
    let question = service.question();
    assert_eq!(service.answer(&question, "yes").status, 200);
    assert_eq!(told(long.wait_with_output().unwrap()).0, 0);
}

/// A socket that a unit holds and no process serves, as after a mix-up of a foreground service and its socket
/// unit.
#[test]
fn a_door_that_is_held_and_not_served_is_told() {
    let folder = folder("", "");
    std::fs::create_dir_all(folder.path().join("state")).unwrap();
    let _held = std::os::unix::net::UnixListener::bind(folder.path().join("state/guarda.sock")).unwrap();
    std::thread::scope(|scope| {
        for words in
            [&["act", "RUN_COMMAND", "ls"][..], &["pending"], &["status"], &["console"], &["undo", "--list"]]
        {
            let folder = folder.path();
            scope.spawn(move || {
                let (end, out, err) = run(folder, words);
                let said = format!("{out}{err}");
                let pid = format!("process {}", std::process::id());
                assert!(
                    end == 1 && said.contains("does not serve it") && said.contains(&pid),
                    "{words:?}: {said}"
                );
            });
        }
    });
}

/// A program that is no guard at the guard's socket.
#[test]
fn another_program_at_the_door_is_told_as_that() {
    let folder = folder("", "");
    std::fs::create_dir_all(folder.path().join("state")).unwrap();
    let held = std::os::unix::net::UnixListener::bind(folder.path().join("state/guarda.sock")).unwrap();
    std::thread::spawn(move || {
        for mut stream in held.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"220 mail.example ready\r\n");
        }
    });
    for (locale, said) in [
        ("en_GB.UTF-8", "what answers in place of the guard is another program (invalid"),
        ("pt_BR.UTF-8", "o que responde no lugar do guarda-costas é outro programa (invalid"),
        ("fr_FR.UTF-8", "ce qui répond à la place du garde du corps est un autre programme (invalid"),
    ] {
        for words in [&["pending"][..], &["status"], &["act", "LOCK"]] {
            let mut command = guarda(folder.path());
            let (end, out, err) = told(command.args(words).env("LC_ALL", locale).output().unwrap());
            assert!(end == 1 && err.contains(said), "{locale} {words:?}: {out}{err}");
        }
    }
}

#[test]
fn a_configuration_that_cannot_be_used_is_told_in_the_persons_language() {
    use std::os::unix::fs::PermissionsExt as _;
    let rule = "\n[rules.a]\nprograms = \"x\"\nverdict = \"block\"\nmatches = [\"ls\"]\n";
    for (text, mode, said, dit) in [
        (
            "[security]\nprofile = \"dektop\"\n",
            0o600,
            "config.toml, linha 2: “dektop” não é um valor aceito aqui; você quis dizer “desktop”?",
            "config.toml, ligne 2 : « dektop » n'est pas une valeur admise ici ; vouliez-vous dire « desktop » ?",
        ),
        (
            rule,
            0o600,
            "config.toml, linha 2: a regra “a” deveria valer para `ls` e não vale",
            "config.toml, ligne 2 : la règle « a » devrait s'appliquer à `ls`, et elle ne s'y applique pas",
        ),
        (
            "",
            0o666,
            "config.toml: qualquer usuário pode alterá-lo: rode `chmod o-w` nesse arquivo",
            "config.toml : tout le monde peut le modifier : lancez `chmod o-w` sur ce fichier",
        ),
    ] {
        let folder = folder("", "");
        let file = folder.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        for (locale, told_so) in [("pt_BR.UTF-8", said), ("fr_FR.UTF-8", dit)] {
            for words in
                [&["serve"][..], &["check", "ls"], &["config", "check"], &["doctor"], &["rules", "list"]]
            {
                let mut command = guarda(folder.path());
                let (end, out, err) = told(command.args(words).env("LC_ALL", locale).output().unwrap());
                // French sets no-break spaces.
                let all = format!("{out}{err}").replace('\u{a0}', " ");
                assert!(end != 0 && all.contains(told_so), "{locale} {words:?}: {all}");
            }
            // A program reads English.
            let mut command = guarda(folder.path());
            let out = command.args(["doctor", "--json"]).env("LC_ALL", locale).output().unwrap().stdout;
            let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
            let detail = json["checks"][0]["detail"].as_str().unwrap();
            assert!(detail.is_ascii() && detail.contains("config.toml"), "{detail}");
        }
    }
}

/// A command that can only fail is not named as the way to the trusted keyboard.
#[test]
fn the_keyboards_missing_service_is_to_be_installed_first() {
    if Path::new("/usr/local/lib/systemd/system/guarda-keys.service").exists() {
        eprintln!("the service of the trusted keyboard is installed here");
        return;
    }
    let folder = folder("", "");
    let (end, out, err) = run(folder.path(), &["setup", "keyboard"]);
    assert_eq!(end, 1, "{out}{err}");
    assert!(out.contains("sudo make install") && !out.contains("systemctl enable"), "{out}{err}");
}

#[test]
fn config_is_checked_shown_and_found() {
    let folder = folder("names = [\"guarda.lan\"]", "");
    let path = folder.path();
    let (end, out, err) = run(path, &["config", "check"]);
    assert_eq!((end, out.contains("good:")), (0, true), "{out}{err}");
    let (end, out, _) = run(path, &["config", "show"]);
    assert_eq!((end, out.contains("guarda.lan"), out.contains("[security]")), (0, true, true), "{out}");
    let (end, out, _) = run(path, &["config", "path"]);
    assert!(end == 0 && out.contains("config.toml") && out.contains("state"), "{out}");
    std::fs::write(path.join("other.toml"), "[audio]\n[llm]\n").unwrap();
    let (end, out, _) = run(path, &["config", "check", "--config", "other.toml"]);
    assert!(end == 0 && out.contains("[audio] is the assistant's own section"), "{out}");
    std::fs::write(path.join("other.toml"), "[security]\nprofile = 'x'\n").unwrap();
    let (end, _, err) = run(path, &["config", "check", "--config", "other.toml"]);
    assert!(
        end == 1 && err.contains("other.toml, line 2: \"x\" is not a value here; allowed here: desktop"),
        "{err}"
    );
    std::fs::write(path.join("other.toml"), "[security]\nprofile = 'x'\n[foo]\na = 1\n[run]\nb = 2\n")
        .unwrap();
    let (end, _, err) = run(path, &["config", "check", "other.toml"]);
    assert!(end == 1 && [2, 3, 6].iter().all(|line| err.contains(&format!("line {line}: "))), "{err}");
}

#[test]
fn wrong_usage_is_told_apart() {
    let folder = folder("", "");
    for words in [
        &["chek"][..],
        &["check"],
        &["act"],
        &["serve", "--port", "1"],
        &["check", "--profile", "x", "ls"],
        &[],
    ] {
        assert_eq!(run(folder.path(), words).0, 2, "{words:?}");
    }
    let (end, out, _) = run(folder.path(), &["--help"]);
    assert_eq!(end, 0);
    for part in ["Examples:", "Exit status:", "GUARDA_CONFIG", "guarda act OPEN_APP firefox"] {
        assert!(out.contains(part), "{part} in {out}");
    }
    assert!(!out.contains("__speech"), "hidden commands are hidden: {out}");
}

#[test]
fn completions_and_manual_are_made() {
    let folder = folder("", "");
    for shell in ["bash", "zsh", "fish"] {
        let (end, out, _) = run(folder.path(), &["completions", shell]);
        assert!(end == 0 && out.contains("guarda") && out.contains("jsonl"), "{shell}");
        // The script for fish completes options only.
        for value in
            ["workspace", "pt-BR", "azerty"].iter().chain(["VOLUME_SET"].iter().filter(|_| shell != "fish"))
        {
            assert!(out.contains(value), "{shell}: {value}");
        }
    }
    let (end, out, _) = run(folder.path(), &["man"]);
    assert!(end == 0 && out.contains(".TH guarda") && out.contains("GUARDA_STATE_DIR"), "{out}");
    let (end, _, _) = run(folder.path(), &["man", "."]);
    assert_eq!(end, 0);
    for page in ["guarda.1", "guarda-serve.1", "guarda-check.1", "guarda-act.1", "guarda-config-show.1"] {
        assert!(folder.path().join(page).exists(), "{page}");
    }
}

#[test]
fn audit_shows_checks_and_hands_out_the_record() {
    let mut service = Service::start();
    let body = |target: &str| serde_json::json!({"action": "RUN_COMMAND", "target": target, "session": "s", "reasoning": "to see"});
    for target in ["ls", "rm -rf /"] {
        assert_eq!(service.post("/v1/actions", body(target).to_string()).send().status, 200);
    }
    // It works beside a running guard and without one.
    for _ in 0..2 {
        let path = service.folder.path();
        let (end, out, err) = run(path, &["audit", "tail"]);
        assert_eq!(end, 0, "{err}");
        let rows: Vec<&str> = out.lines().filter(|row| row.contains("s_00")).collect();
        assert_eq!(rows.len(), 2, "one row a request: {out}");
        assert!(rows[0].contains("done") && rows[0].ends_with(" ls"), "{out}");
        assert!(rows[1].contains("blocked") && rows[1].ends_with("rm -rf /"), "{out}");
        let (_, out, _) = run(path, &["audit", "tail", "--status", "completed", "--since", "1h", "--json"]);
        let line: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(line["audit_id"], "s_001");
        let (_, out, _) = run(path, &["audit", "show", "s_002"]);
        for part in ["refusal", "rm -rf /", "to see", "erase-system", "FORBIDDEN"] {
            assert!(out.contains(part), "{part} in {out}");
        }
        let (_, out, _) = run(path, &["audit", "stats"]);
        assert!(out.starts_with("2 requests in 1 session"), "{out}");
        let (_, out, _) = run(path, &["audit", "export", "--csv"]);
        assert!(out.starts_with("timestamp,session_id,sequence"), "{out}");
        let (_, out, _) = run(path, &["audit", "export", "--json"]);
        let list: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(list.as_array().unwrap().len(), 4);
        let (end, out, _) = run(path, &["audit", "verify"]);
        assert!(end == 0 && out.starts_with("sound; 4 lines in 1 file"), "{out}");
        if service.child.try_wait().unwrap().is_none() {
            service.signal(rustix::process::Signal::TERM);
            service.end();
        }
    }
    let path = service.folder.path();
    let file = path.join("state/journal/shell_audit_s.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("to see", "to sea", 1)).unwrap();
    let (end, out, _) = run(path, &["audit", "verify"]);
    assert!(end == 1 && out.starts_with("changed shell_audit_s.jsonl, line 2:"), "{end} {out}");
    let kept: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, kept).unwrap();
    let (end, out, _) = run(path, &["audit", "verify", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (end, &report["faults"][0]["what"], &report["faults"][0]["line"]),
        (1, &"cut".into(), &4.into())
    );
    let other_key = "0".repeat(64);
    assert_eq!(run(path, &["audit", "verify", "--key", &other_key]).0, 1);
    assert_eq!(run(path, &["audit", "show", "s_009"]).0, 1);
    assert_eq!(run(path, &["audit", "tail", "--since", "yesterday"]).0, 2);
    let (end, _, err) = run(path, &["audit", "tail", "--folder", "nowhere"]);
    assert!(end == 1 && err.contains("there is no record yet"), "{err}");
}

#[test]
fn the_trusted_keyboard_is_set_up_and_told_of() {
    let place = folder("", "");
    let (end, _, why) = run(place.path(), &["keys", "status"]);
    assert_eq!(end, 1);
    assert!(why.contains("guarda-keys"), "what is missing: {why}");
    let terms = place.path().join("etc/keys.toml");
    let named = terms.to_str().unwrap();
    for words in [
        &["--user", "ana"][..],
        &["--layout", "azerty"],
        &["--keyboard", "0005:046d:b342 d4:5d:64:01:02:03 K380"],
        &["--user", "ana"],
    ] {
        let (end, _, why) = run(place.path(), &[&["keys", "enroll", "--terms", named], words].concat());
        assert_eq!(end, 0, "{why}");
    }
    let said = guarda::devices::keys::keyboard::KeyboardTerms::read(&terms).unwrap();
    assert_eq!(said.users, ["ana"], "once");
    assert_eq!(said.layout, guarda::devices::keys::keyboard::Layout::Azerty);
    assert_eq!(said.enrolled, ["0005:046d:b342 d4:5d:64:01:02:03 K380"]);
    let (end, _, why) = run(place.path(), &["keys", "enroll", "--terms", named, "--layout", "colemak"]);
    assert!(end == 1 && why.contains("qwertz"), "{why}");
}
