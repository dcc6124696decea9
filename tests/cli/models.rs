//! The entrance for models: grammars and schema match the vocabulary, every text that they permit is an
//! action, and tool calls in every form run through the whole service.

use super::recogniser::Grammar;
use crate::common::Service;
use guarda_core::action::grammar::{OFFERS, grammars, schema};
use guarda_core::action::{Action, Proposal, Request};
use serde_json::{Value, json};

/// A committed file that is generated from the program.
fn committed(name: &str, now: &str) {
    let path = format!("{}/grammars/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("GUARDA_WRITE_DOCS").is_some() {
        std::fs::create_dir_all(format!("{}/grammars", env!("CARGO_MANIFEST_DIR"))).unwrap();
        std::fs::write(&path, now).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == now, "grammars/{name} is not up to date: run `make docs`");
}

#[test]
fn grammars_and_schemas_are_the_committed_ones() {
    for (name, text) in grammars() {
        committed(&name, &text);
    }
    for offer in OFFERS {
        let text = format!("{}\n", serde_json::to_string_pretty(&schema(offer)).unwrap());
        committed(&format!("action-{}.schema.json", offer.name), &text);
    }
}

fn grammar(name: &str) -> Grammar {
    Grammar::read(&grammars().into_iter().find(|(other, _)| other == name).unwrap().1)
}

#[test]
fn what_a_person_can_ask_for_can_be_written() {
    let grammar = grammar("actions-desktop.gbnf");
    for (action, target) in [
        ("OPEN_APP", "Calculadora"),
        ("OPEN_APP", "Configurações do Sistema"),
        ("OPEN_FOLDER", "~/Músicas"),
        ("OPEN_FOLDER", "/home/ana/Área de Trabalho"),
        ("OPEN_URL", "https://www.youtube.com/results?search_query=caf%C3%A9+da+manhã&sp=1#t=2"),
        ("OPEN_URL", "https://user:pw@example.org:8080/~ana/a;b?c=[1]&d={x}|y"),
        ("RUN_COMMAND", "grep -E '^(a|b)+$' \"meu arquivo.txt\" | wc -l && echo $HOME"),
        ("RUN_COMMAND", "printf '%s\\n' C:\\\\x"),
        ("KEY_PRESS", "ctrl+shift+tab"),
        ("REPLY", "Não entendi 😀 — quer dizer “abrir”?"),
        ("NOTIFY", "日本語"),
        ("FILE_DELETE", "it's 100% \"done\".txt"),
    ] {
        let text = json!({ "action": action, "target": target }).to_string();
        assert!(grammar.accepts(&text), "{text}");
        let full = json!({ "action": action, "target": target, "confidence": 0.95, "requires_confirmation": true,
            "reasoning": "você pediu" });
        assert!(grammar.accepts(&full.to_string()), "{full}");
        let request: Request = serde_json::from_value(full).unwrap();
        assert!(!matches!(Proposal::parse(request).unwrap().action, Action::Unknown { .. }), "{text}");
    }
    for text in [
        r#"{"action":"VOLUME_UP"}"#,
        r#"{"action":"VOLUME_UP","target":null}"#,
        r#"{"action":"VOLUME_DOWN","target":20}"#,
        r#"{"action":"VOLUME_DOWN","target":"20%"}"#,
        r#"{"action":"BRIGHTNESS","target":"-20"}"#,
        r#"{"action":"BRIGHTNESS","target":"+5%"}"#,
        r#"{ "action" : "VOLUME_SET" , "target" : 40 }"#,
        r#"{"action":"VOLUME_SET","target":"100%"}"#,
        r#"{"action":"BRIGHTNESS","target":"up"}"#,
        r#"{"action":"WIFI","target":"off","confidence":1.0}"#,
        r#"{"action":"FILE_MOVE","target":"a","params":{"destination":"b"}}"#,
        r#"{"action":"MEDIA_SEEK","target":-10}"#,
        r#"{"action":"MEDIA_SEEK","target":999}"#,
        r#"{"action":"MEDIA_REPEAT","target":"track"}"#,
        r#"{"action":"MEDIA_SHUFFLE","target":"off"}"#,
        r#"{"action":"SCREENSHOT"}"#,
        r#"{"action":"UNDO"}"#,
        r#"{"action":"UNDO","target":null}"#,
        r#"{"action":"UNDO","target":"desk-20261122_001"}"#,
        r#"{"action":"DO_NOT_DISTURB","target":"on"}"#,
        r#"{"action":"UNKNOWN"}"#,
    ] {
        assert!(grammar.accepts(text), "{text}");
        let request: Request = serde_json::from_str(text).unwrap();
        Proposal::parse(request).unwrap();
    }
}

#[test]
fn what_is_no_action_cannot_be_written() {
    let grammar = grammar("actions-desktop.gbnf");
    for text in [
        "",
        "{}",
        "null",
        r#"{"action":"FORMAT_DISK"}"#,
        r#"{"action":"open_app","target":"x"}"#,
        r#"{"target":"x","action":"OPEN_APP"}"#,
        r#"{"action":"OPEN_APP"}"#,
        r#"{"action":"OPEN_APP","target":""}"#,
        r#"{"action":"OPEN_APP","target":null}"#,
        r#"{"action":"OPEN_APP","target":"x","extra":1}"#,
        r#"{"action":"OPEN_APP","target":"x"}{"action":"REBOOT"}"#,
        r#"{"action":"OPEN_APP","target":"x"} and more"#,
        r#"{"action":"OPEN_APP","target":"x""#,
        r#"{"action":"OPEN_APP","target":"x"y"}"#,
        r#"{"action":"OPEN_APP","target":"x\"}"#,
        r#"{"action":"OPEN_APP","target":"x\u0000"}"#,
        r#"{"action":"OPEN_APP","target":"x\n"}"#,
        "{\"action\":\"OPEN_APP\",\"target\":\"x\ny\"}",
        "{\"action\":\"OPEN_APP\",\"target\":\"x\u{0}\"}",
        "{\"action\":\"OPEN_APP\",\"target\":\"x\u{1b}[2J\"}",
        "{\"action\":\"OPEN_APP\",\"target\":\"x\u{7f}\"}",
        r#"{"action":"VOLUME_UP","target":"x"}"#,
        r#"{"action":"VOLUME_UP","target":120}"#,
        r#"{"action":"UNDO","target":"a b"}"#,
        r#"{"action":"UNDO","target":""}"#,
        r#"{"action":"VOLUME_SET","target":101}"#,
        r#"{"action":"VOLUME_SET","target":-1}"#,
        r#"{"action":"WIFI","target":"maybe"}"#,
        r#"{"action":"MEDIA_SEEK","target":0}"#,
        r#"{"action":"MEDIA_SEEK","target":"10"}"#,
        r#"{"action":"MEDIA_REPEAT","target":"twice"}"#,
        r#"{"action":"FILE_MOVE","target":"a"}"#,
        r#"{"action":"LOCK","confidence":1.5}"#,
        r#"{"action":"LOCK","requires_confirmation":"no"}"#,
    ] {
        assert!(!grammar.accepts(text), "{text}");
    }
}

#[test]
fn each_offer_has_its_own_actions() {
    for (offer, action, offered) in [
        ("desktop", r#"{"action":"LOCK"}"#, true),
        ("workspace", r#"{"action":"LOCK"}"#, false),
        ("workspace", r#"{"action":"FILE_LIST","target":"src"}"#, true),
        ("container", r#"{"action":"RUN_COMMAND","target":"ls"}"#, true),
        ("container", r#"{"action":"UNDO"}"#, true),
        ("forensics", r#"{"action":"OPEN_APP","target":"x"}"#, false),
    ] {
        assert_eq!(grammar(&format!("actions-{offer}.gbnf")).accepts(action), offered, "{offer} {action}");
    }
    let confirm = grammar("confirm.gbnf");
    for answer in ["yes", "no", "unclear"] {
        assert!(confirm.accepts(&json!({ "answer": answer }).to_string()));
    }
    assert!(!confirm.accepts(r#"{"answer":"maybe"}"#) && !confirm.accepts("yes"));
}

#[test]
fn tool_calls_of_every_shape_are_done() {
    let service = Service::start();
    let post = |body: &Value| service.post("/v1/chat/tool-calls", body.to_string()).send();
    let call = json!({"name": "execute_bash", "arguments": {"command": "echo olá"}});
    for body in [
        json!({"action": "RUN_COMMAND", "target": "echo olá"}),
        json!({"text": format!("<|tool_call|>[{call}]")}),
        json!({"text": format!("<tool_call>\n{call}\n</tool_call>")}),
        json!({"content": format!("```json\n{call}\n```")}),
        json!({"tool_calls": [{"id": "call_1", "type": "function", "function":
            {"name": "RUN_COMMAND", "arguments": "{\"target\": \"echo olá\"}"}}]}),
    ] {
        let answer = post(&body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let result = &answer.json()["results"][0];
        assert_eq!(
            (&result["outcome"], &result["reply"]["output"]["stdout"]),
            (&json!("done"), &json!("olá\n")),
            "{body}"
        );
        assert_eq!(answer.json()["messages"][0]["role"], "tool");
    }
    let blocked = json!({"name": "execute_bash", "arguments": {"command": "rm -rf --no-preserve-root /"}});
    let answer =
        post(&json!({"text": format!("<tool_call>{blocked}</tool_call><tool_call>{call}</tool_call>")}))
            .json();
    let outcomes: Vec<&str> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["blocked", "not_tried"]);
    let before = service.journal().len();
    let half = json!({"text": format!("<tool_call>{call}</tool_call><tool_call>{{\"name\": ")});
    assert_eq!(post(&half).problem(), "misread");
    let wrong =
        json!({"tool_calls": [{"function": call}, {"function": {"name": "OPEN_APP", "arguments": {}}}]});
    assert_eq!(post(&wrong).problem(), "misread");
    assert_eq!(service.journal().len(), before, "nothing is done of what is half understood");
}

#[test]
fn tools_schema_and_grammars_are_served() {
    let service = Service::start();
    let tools = service.get("/v1/tools").send().json();
    assert_eq!(tools["profile"], "desktop");
    let named =
        |name: &str| tools["tools"].as_array().unwrap().iter().any(|tool| tool["function"]["name"] == name);
    assert!(named("OPEN_APP") && named("RUN_COMMAND") && !named("UNKNOWN"));
    let other = service.get("/v1/tools?profile=container").send().json();
    assert_eq!(other["tools"].as_array().unwrap().len(), 3, "RUN_COMMAND, REPLY, UNDO");
    assert_eq!(service.get("/v1/tools?profile=home").send().problem(), "not-found");
    for (name, text) in grammars() {
        let answer = service.get(&format!("/v1/grammars/{name}")).send();
        assert_eq!((answer.status, answer.body), (200, text));
    }
    assert_eq!(service.get("/v1/grammars/..%2Fconfig.toml").send().problem(), "not-found");
    assert_eq!(service.get("/v1/tools").header("Authorization", "").send().problem(), "unauthorized");
}

/// Text that the real llama.cpp writes by each grammar, with a model of random weights.
#[test]
fn what_llama_writes_by_a_grammar_is_an_action() {
    use std::io::Write as _;
    let root = env!("CARGO_MANIFEST_DIR");
    let mut command = std::process::Command::new(crate::common::python("bin/python"));
    command.arg(format!("{root}/tests/common/llama/driver.py"));
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut all: std::collections::BTreeMap<String, String> = grammars().into_iter().collect();
    all.insert("broken".to_owned(), "root ::= no-such-rule".to_owned());
    let order = json!({ "grammars": all, "seeds": 12 });
    child.stdin.take().unwrap().write_all(order.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert!(
        told["broken"][0].as_str().unwrap().starts_with("error"),
        "a grammar that is none is told: {}",
        told["broken"]
    );
    for (name, text) in grammars() {
        let grammar = Grammar::read(&text);
        let written: Vec<&str> = told[&name].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(written.len() >= 6, "{name} comes to an end: {written:?}");
        for text in written {
            assert!(!text.starts_with("error"), "{name} {text}");
            assert!(grammar.accepts(text), "{name} {text}");
            if name == "confirm.gbnf" {
                continue;
            }
            let request: Request =
                serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            let action = request.action.clone();
            match Proposal::parse(request) {
                Ok(_) => {}
                // A random address or chord has the form of an action and means nothing; it is refused as such.
                Err(guarda_core::action::Misread::Value { field: "target", .. })
                    if matches!(action.as_deref(), Some("OPEN_URL" | "KEY_PRESS")) => {}
                Err(misread) => panic!("{misread}: {text}"),
            }
        }
    }
}
