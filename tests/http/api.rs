//! The HTTP door of the real program: what it refuses, and how.

use std::io::{Read, Write};

use crate::common::{Answer, Call, Service, connect, wait};

const MUTE: &str = r#"{"action": "RUN_COMMAND", "target": "echo hi"}"#;

#[test]
fn a_good_request_is_done() {
    let service = Service::start();
    let answer = service.post("/v1/actions", MUTE).send();
    let json = answer.json();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(json["status"], "approved", "{json:#}");
    assert_eq!((&json["outcome"], &json["decided_by"]), (&"done".into(), &"policy".into()), "{json:#}");
    assert_eq!(json["output"]["stdout"], "hi\n");
    assert_eq!(json["output"]["exit_code"], 0);
    assert!(
        json["receipt"]["audit_id"].is_string() && json["findings"].is_array() && json["risk"].is_number()
    );
    assert!(answer.header("access-control-allow-origin").is_none(), "no CORS");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

/// A French terminal of an English service reads French; who names a language means it, and programs that name none read the
/// spoken one.
#[test]
fn a_reply_is_in_the_language_of_its_reader() {
    let service = Service::start();
    let told = |body: &str, reader: Option<&str>| {
        let call = service.post("/v1/actions", body);
        let call = reader.into_iter().fold(call, |call, tag| call.header("Accept-Language", tag));
        call.send().json()["message"].as_str().unwrap().to_owned()
    };
    let quiet = MUTE.replace("echo hi", "true");
    let quiet = quiet.as_str();
    let named = quiet.replace('}', r#", "language": "en"}"#);
    let spoken = told(quiet, None);
    assert_eq!(told(quiet, Some("de")), spoken);
    for (body, reader, message) in [
        (quiet, Some("fr-CA,en;q=0.5"), "Fait : true."),
        (quiet, Some("en"), "Done: true."),
        (named.as_str(), Some("fr"), "Done: true."),
        (r#"{"action": "RUN_COMMAND", "target": "rm -rf /"}"#, Some("fr"), "Je ne l'ai pas permis : "),
        (r#"{"action": "FLY_AWAY"}"#, Some("fr"), "J'ai entendu : FLY_AWAY."),
        (r#"{"action": "UNKNOWN"}"#, Some("fr"), "Je n'ai pas compris la demande."),
    ] {
        assert!(told(body, reader).starts_with(message), "{reader:?}: {}", told(body, reader));
    }
}

/// If bash would run nothing, no question is asked: the caller gets bash's message at once.
#[test]
fn a_broken_line_disturbs_nobody() {
    let service = Service::start();
    for line in
        ["touch made; echo 'open", "touch made; for f in a; do echo $f", "touch made; | cat", "(touch made"]
    {
        let body =
            serde_json::json!({ "action": "RUN_COMMAND", "target": line, "cwd": service.folder.path() });
        let told = service.post("/v1/actions", body.to_string()).send().json();
        let heard = (&told["outcome"], &told["error"], &told["output"]["exit_code"], &told["run"]["way"]);
        let expected = (&"failed".into(), &"syntax_error".into(), &2.into(), &"look".into());
        assert_eq!(heard, expected, "{line}: {told:#}");
        assert!(told["output"]["stderr"].as_str().unwrap().contains("bash: "), "{told:#}");
        // A caller who would run it itself gets the same message, without a question.
        assert_eq!(service.post("/v1/judge", body.to_string()).send().json()["status"], "blocked", "{line}");
    }
    assert!(!service.folder.path().join("made").exists());
    assert!(service.questions().is_empty());
}

/// If a program has no such sub-command, it says so in a cell, without a question.
#[test]
fn a_misspelt_command_disturbs_nobody() {
    let service = Service::start();
    let post = |path: &str| {
        let body = serde_json::json!({ "action": "RUN_COMMAND", "target": "apt-get instal jq", "cwd": service.folder.path() });
        service.post(path, body.to_string()).send().json()
    };
    let told = post("/v1/actions");
    let heard = (&told["outcome"], &told["error"], &told["output"]["exit_code"], &told["run"]["way"]);
    assert_eq!(heard, (&"failed".into(), &"no_such_command".into(), &100.into(), &"look".into()), "{told:#}");
    assert!(told["output"]["stderr"].as_str().unwrap().contains("instal"), "{told:#}");
    let judged = post("/v1/judge");
    let why = judged["findings"][0]["why"].as_str().unwrap();
    assert_eq!(judged["status"], "blocked");
    assert!(why.contains("did you mean \"install\""), "{judged:#}");
    assert!(service.questions().is_empty());
}

#[test]
fn what_is_wrong_is_refused_with_its_own_status() {
    let service = Service::with("body_limit = 2048\nnames = [\"guarda.lan\"]", "");
    let good = || service.post("/v1/judge", MUTE);
    let port = service.address.rsplit(':').next().unwrap().to_owned();
    let own = |host: &str| format!("{host}:{port}");
    let long = format!(r#"{{"action": "REPLY", "target": "{}"}}"#, "x".repeat(3000));
    let deep = format!(r#"{{"action": "X", "args": {}1{}}}"#, "[".repeat(100), "]".repeat(100));
    let deeper = format!("{{\"a\":{}", "[".repeat(2000));
    let chunked = |body: &str| good().header("Transfer-Encoding", "chunked").body(body);
    let rows: Vec<(&str, Call, u16, &str)> = vec![
        ("good", good(), 200, ""),
        // Host and origin.
        ("localhost", good().header("Host", &own("localhost")), 200, ""),
        ("IPv6 loopback", good().header("Host", &own("[::1]")), 200, ""),
        ("a configured name", good().header("Host", &own("Guarda.LAN")), 200, ""),
        ("another host", good().header("Host", &own("evil.example")), 421, "misdirected"),
        ("another port", good().header("Host", "127.0.0.1:1"), 421, "misdirected"),
        ("no port", good().header("Host", "127.0.0.1"), 421, "misdirected"),
        ("no host", good().header("Host", ""), 421, "misdirected"),
        ("two hosts", good().another("Host", "evil.example"), 400, "malformed"),
        ("own origin", good().header("Origin", &format!("http://{}", service.address)), 200, ""),
        ("foreign origin", good().header("Origin", "http://evil.example"), 403, "foreign-origin"),
        (
            "https origin",
            good().header("Origin", &format!("https://{}", service.address)),
            403,
            "foreign-origin",
        ),
        ("other port's origin", good().header("Origin", "http://127.0.0.1:1"), 403, "foreign-origin"),
        ("null origin", good().header("Origin", "null"), 403, "foreign-origin"),
        ("same site", good().header("Sec-Fetch-Site", "same-site"), 403, "foreign-origin"),
        ("cross site", good().header("Sec-Fetch-Site", "cross-site"), 403, "foreign-origin"),
        ("same origin", good().header("Sec-Fetch-Site", "same-origin"), 200, ""),
        ("typed by hand", good().header("Sec-Fetch-Site", "none"), 200, ""),
        (
            "health is checked too",
            Call::new(&service, "GET", "/v1/health").header("Host", "x"),
            421,
            "misdirected",
        ),
        // Tokens.
        ("no token", good().header("Authorization", ""), 401, "unauthorized"),
        ("wrong token", good().token(&"0".repeat(64)), 401, "unauthorized"),
        ("cut token", good().token(&service.token[..63]), 401, "unauthorized"),
        (
            "another scheme",
            good().header("Authorization", &format!("Basic {}", service.token)),
            401,
            "unauthorized",
        ),
        (
            "two tokens",
            good().another("Authorization", &format!("Bearer {}", service.token)),
            401,
            "unauthorized",
        ),
        ("scheme in any case", good().header("Authorization", &format!("bEARER {}", service.token)), 200, ""),
        ("the approving token", good().token(&service.approve), 403, "forbidden"),
        ("act with the approving token", service.act("echo").token(&service.approve), 403, "forbidden"),
        ("questions with the submitting token", service.get("/v1/questions"), 403, "forbidden"),
        (
            "status without a token",
            service.get("/v1/status").header("Authorization", ""),
            401,
            "unauthorized",
        ),
        ("status by the approver", service.get("/v1/status").token(&service.approve), 200, ""),
        ("health without a token", Call::new(&service, "GET", "/v1/health"), 200, ""),
        ("description", Call::new(&service, "GET", "/openapi.json"), 200, ""),
        // Content.
        ("with charset", good().header("Content-Type", "application/json; charset=UTF-8"), 200, ""),
        (
            "other charset",
            good().header("Content-Type", "application/json; charset=utf-16"),
            415,
            "unsupported-media-type",
        ),
        (
            "a form",
            good().header("Content-Type", "application/x-www-form-urlencoded"),
            415,
            "unsupported-media-type",
        ),
        ("text", good().header("Content-Type", "text/plain"), 415, "unsupported-media-type"),
        ("almost JSON", good().header("Content-Type", "application/jsonp"), 415, "unsupported-media-type"),
        ("no type", good().header("Content-Type", ""), 415, "unsupported-media-type"),
        ("two types", good().another("Content-Type", "text/plain"), 400, "malformed"),
        ("compressed", good().header("Content-Encoding", "gzip"), 415, "unsupported-media-type"),
        ("too long", good().body(long.clone()), 413, "too-large"),
        (
            "too long in pieces",
            chunked(&format!("{:x}\r\n{long}\r\n0\r\n\r\n", long.len())),
            413,
            "too-large",
        ),
        (
            "an event too long",
            service.post("/v1/hooks/claude", "{}").header("Content-Length", "16777217"),
            413,
            "too-large",
        ),
        ("in pieces", chunked(&format!("{:x}\r\n{MUTE}\r\n0\r\n\r\n", MUTE.len())), 200, ""),
        ("empty", good().body(""), 400, "malformed"),
        ("no JSON", good().body("{action: 1}"), 400, "malformed"),
        ("two values", good().body(format!("{MUTE}{MUTE}")), 400, "malformed"),
        ("not UTF-8", good().body(b"{\"action\":\"\xff\"}".to_vec()), 400, "malformed"),
        ("a key twice", good().body(r#"{"action":"LOCK","action":"RUN_COMMAND"}"#), 400, "malformed"),
        ("a key twice inside", good().body(r#"{"action":"X","args":{"a":1,"a":2}}"#), 400, "malformed"),
        ("deep", good().body(deep), 400, "malformed"),
        ("deep and unclosed", good().body(deeper), 400, "malformed"),
        ("a list", good().body(format!("[{MUTE}]")), 422, "misread"),
        ("a positional list", good().body(r#"["LOCK",null,null,null]"#), 422, "misread"),
        ("text only", good().body("\"LOCK\""), 422, "misread"),
        ("nothing said", good().body("{}"), 422, "misread"),
        ("an unknown field", good().body(r#"{"action":"LOCK","force":true}"#), 422, "misread"),
        ("a wrong type", good().body(r#"{"action":7}"#), 422, "misread"),
        ("a wrong value", good().body(r#"{"action":"LOCK","confidence":2}"#), 422, "misread"),
        ("two spellings", good().body(r#"{"action":"LOCK","acao":"LOCK"}"#), 422, "misread"),
        // Paths and methods.
        (
            "another method",
            Call::new(&service, "DELETE", "/v1/actions").token(&service.token),
            405,
            "method-not-allowed",
        ),
        ("get what is posted", service.get("/v1/judge"), 405, "method-not-allowed"),
        (
            "options",
            Call::new(&service, "OPTIONS", "/v1/actions").header("Origin", "http://evil.example"),
            403,
            "foreign-origin",
        ),
        ("another path", service.get("/v2/actions"), 404, "not-found"),
        ("up and down", service.get("/v1/../v1/health"), 404, "not-found"),
        (
            "an action that is not there",
            service.get("/v1/actions/01890000-0000-7000-8000-000000000000"),
            404,
            "not-found",
        ),
        ("an id that is none", service.get("/v1/actions/x"), 404, "not-found"),
        (
            "a number that is none",
            service.post("/v1/questions/x/answer", r#"{"answer":"yes"}"#).token(&service.approve),
            404,
            "not-found",
        ),
        (
            "a question that is not there",
            service
                .post(&format!("/v1/questions/{}/answer", "a".repeat(32)), r#"{"answer":"yes"}"#)
                .token(&service.approve),
            404,
            "not-found",
        ),
        (
            "answering as the asker",
            service.post(&format!("/v1/questions/{}/answer", "a".repeat(32)), r#"{"answer":"yes"}"#),
            403,
            "forbidden",
        ),
        (
            "no answer",
            service
                .post(&format!("/v1/questions/{}/answer", "a".repeat(32)), r#"{"answer":"maybe"}"#)
                .token(&service.approve),
            422,
            "misread",
        ),
        (
            "a reason for a yes",
            service
                .post(&format!("/v1/questions/{}/answer", "a".repeat(32)), r#"{"answer":"yes","reason":"x"}"#)
                .token(&service.approve),
            422,
            "misread",
        ),
        // Idempotency keys.
        ("a key with a space", service.act("echo").header("Idempotency-Key", "a b"), 400, "malformed"),
        ("a long key", service.act("echo").header("Idempotency-Key", &"k".repeat(256)), 400, "malformed"),
        (
            "two keys",
            service.act("echo").header("Idempotency-Key", "a").another("Idempotency-Key", "b"),
            400,
            "malformed",
        ),
        ("the longest key", service.act("echo").header("Idempotency-Key", &"k".repeat(255)), 200, ""),
    ];
    for (name, call, status, kind) in rows {
        let answer = call.send();
        assert_eq!(answer.status, status, "{name}: {answer:?}");
        if status >= 400 {
            assert_eq!(answer.problem(), kind, "{name}");
        }
        if status == 401 {
            assert!(
                answer.header("www-authenticate").is_some_and(|value| value.starts_with("bearer")),
                "{name}"
            );
        }
        if status == 405 {
            assert!(answer.header("allow").is_some(), "{name}");
        }
    }
}

#[test]
fn absolute_targets_name_a_host_too() {
    let service = Service::start();
    let ask = |target: &str| {
        let mut stream = connect(&service);
        stream
            .write_all(format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", service.address).as_bytes())
            .unwrap();
        Answer::read(&mut stream).status
    };
    assert_eq!(ask(&format!("http://{}/v1/health", service.address)), 200);
    assert_eq!(ask("http://evil.example/v1/health"), 421);
}

#[test]
fn what_is_no_http_is_answered_or_cut_off() {
    let service = Service::start();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01"[..],
        b"GET\r\n\r\n",
        b"\r\n\r\n\r\n",
        &[0; 64],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = connect(&service);
        stream.write_all(bytes).unwrap();
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{bytes:?}: {said}");
    }
    // A head that is too long.
    let mut stream = connect(&service);
    let _ = stream.write_all(format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(200_000)).as_bytes());
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 431"), "{said}");
    assert_eq!(service.get("/v1/health").send().status, 200);
}

#[test]
fn whoever_is_slow_is_told_so() {
    let service = Service::with("header_timeout_seconds = 1\nbody_timeout_seconds = 1", "");
    let mut head = connect(&service);
    head.write_all(b"POST /v1/actions HTTP/1.1\r\nHost: x\r\n").unwrap();
    assert_eq!(Answer::read(&mut head).status, 408);
    assert_eq!(head.read(&mut [0]).unwrap(), 0, "and the connection ends");

    let mut body = service.post("/v1/actions", MUTE).header("Content-Length", "1000").begin();
    let answer = Answer::read(&mut body);
    assert_eq!((answer.status, answer.problem().as_str()), (408, "timed-out"));
    assert_eq!(body.read(&mut [0]).unwrap(), 0);

    let mut idle = connect(&service);
    assert_eq!(idle.read(&mut [0]).unwrap(), 0, "an idle connection just ends");
}

#[test]
fn a_thousand_random_bodies_break_nothing() {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use serde_json::Value;

    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z ./|&;$()*~-]{0,20}".prop_map(Value::from),
        Just(Value::from("on")),
        Just(Value::from("~/x")),
    ];
    let value = leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map("[a-z_]{1,8}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    let names: Vec<&'static str> =
        guarda_core::action::vocabulary::VOCABULARY.iter().map(|entry| entry.name).collect();
    let field = prop_oneof![
        Just("target"),
        Just("args"),
        Just("params"),
        Just("confidence"),
        Just("requires_confirmation"),
        Just("reasoning"),
        Just("session"),
        Just("cwd"),
        Just("language"),
        Just("acao"),
        Just("x"),
    ];
    let name = prop_oneof![
        4 => proptest::sample::select(names).prop_map(Value::from),
        1 => Just(Value::from("SYSTEM_OP")),
        1 => value.clone(),
    ];
    let body = prop_oneof![
        8 => (name, proptest::collection::btree_map(field, value.clone(), 0..5)).prop_map(|(name, fields)| {
            let mut map: serde_json::Map<String, Value> =
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            map.insert("action".to_owned(), name);
            Value::Object(map).to_string().into_bytes()
        }),
        1 => value.prop_map(|value| value.to_string().into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..200),
    ];

    let service = Service::start();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut stream = connect(&service);
    let mut counts = std::collections::BTreeMap::<u16, u32>::new();
    let mut send = |path: &str, body: &[u8]| {
        stream.write_all(&service.post(path, body).bytes()).unwrap();
        let answer = Answer::read(&mut stream);
        if answer.header("connection") == Some("close") {
            stream = connect(&service);
        }
        answer.status
    };
    for _ in 0..1000 {
        let body = body.new_tree(&mut runner).unwrap().current();
        let shown = String::from_utf8_lossy(&body);
        let status = send("/v1/judge", &body);
        assert!(status == 200 || (400..500).contains(&status), "{status}: {shown}");
        if status != 200 {
            // Valid actions are only judged here; invalid ones are invalid everywhere.
            assert_eq!(send("/v1/actions", &body), status, "{shown}");
        }
        *counts.entry(status).or_default() += 1;
    }
    assert!(counts[&200] > 50 && counts[&400] > 50 && counts[&422] > 50, "{counts:?}");
    assert_eq!(service.get("/v1/health").send().status, 200);
}

#[test]
fn a_person_says_yes_or_no_elsewhere() {
    let service = Service::unstaged();
    let mut asking = service.act("touch made").begin();
    let question = service.question();
    let list = service.get("/v1/questions").token(&service.approve).send().json();
    assert_eq!(list["questions"][0]["object"], "touch made", "{list:#}");
    let one = |path: &str| service.get(path).token(&service.approve).send();
    let alone = one(&format!("/v1/questions/{question}?language=fr")).json();
    assert_eq!((&alone["object"], &alone["language"]), (&"touch made".into(), &"fr".into()), "{alone:#}");
    assert_eq!(alone["effects"], serde_json::Value::Null, "nothing was run yet: {alone:#}");
    assert_eq!(one(&format!("/v1/questions/{}", "a".repeat(32))).status, 404);
    assert_eq!(one(&format!("/v1/questions/{question}?language=xx")).status, 422);
    let submit = service.get(&format!("/v1/questions/{question}")).send();
    assert_eq!(submit.status, 403, "who asks does not read the question");
    assert_eq!(service.answer(&question, "yes").json()["answer"], "yes");
    let reply = Answer::read(&mut asking).json();
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&"done".into(), &"person:http".into()),
        "{reply:#}"
    );
    assert!(service.folder.path().join("made").exists());
    assert_eq!(service.answer(&question, "no").problem(), "settled");

    let mut asking = service.act("touch unmade").begin();
    let path = format!("/v1/questions/{}/answer", service.question());
    let no = service.post(&path, r#"{"answer": "no", "reason": "not there"}"#).token(&service.approve).send();
    assert_eq!(no.status, 200, "{no:?}");
    let reply = Answer::read(&mut asking).json();
    assert_eq!((&reply["outcome"], &reply["reason"]), (&"denied".into(), &"not there".into()), "{reply:#}");
    assert!(!service.folder.path().join("unmade").exists());
}

#[test]
fn what_a_person_writes_instead_is_judged_and_asked_anew() {
    let service = Service::unstaged();
    let modify = |question: &str, body: &str| {
        let path = format!("/v1/questions/{question}/answer");
        service.post(&path, body).token(&service.approve).send()
    };
    let mut asking = service.act("touch first").begin();
    let question = service.question();
    let list = service.get("/v1/questions").token(&service.approve).send().json();
    assert_eq!(list["questions"][0]["draft"], "touch first", "{list:#}");
    for body in [
        r#"{"answer": "modify"}"#,
        r#"{"answer": "modify", "command": "  "}"#,
        r#"{"answer": "modify", "command": "a\u0000b"}"#,
        r#"{"answer": "modify", "command": "touch x", "reason": "y"}"#,
        r#"{"answer": "yes", "command": "touch x"}"#,
        r#"{"answer": "no", "command": "touch x"}"#,
    ] {
        assert_eq!(modify(&question, body).problem(), "misread", "{body}");
    }
    assert_eq!(service.questions(), std::slice::from_ref(&question), "it stands as before");
    // A replacement is not a yes, even if the rules would allow it without a question.
    let said = modify(&question, r#"{"answer": "modify", "command": "echo second"}"#);
    assert_eq!(said.json()["answer"], "modify", "{said:?}");
    assert_eq!(service.answer(&question, "yes").problem(), "settled", "the first question is over");
    let again = service.question();
    assert_ne!(again, question);
    let list = service.get("/v1/questions").token(&service.approve).send().json();
    assert_eq!(list["questions"][0]["object"], "echo second", "{list:#}");
    assert_eq!(modify(&again, r#"{"answer": "modify", "command": "touch third"}"#).status, 200);
    assert_eq!(service.answer(&service.question(), "yes").status, 200);
    let reply = Answer::read(&mut asking).json();
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"], &reply["modified_command"], &reply["execution"]["action"]),
        (&"done".into(), &"person:http".into(), &"touch third".into(), &"user_modified".into()),
        "{reply:#}"
    );
    let made = |name: &str| service.folder.path().join(name).exists();
    assert!(made("third") && !made("first"));
    let lines = service.journal();
    let told = |line: &serde_json::Value| {
        ["event", "command", "modified_command", "action", "user_decision", "status", "channel"]
            .map(|field| line[field].as_str().unwrap_or("-").to_owned())
            .join("|")
    };
    let told: Vec<String> = lines
        .iter()
        .filter(|line| line["command"].is_string() && line["event"] != "asked")
        .map(told)
        .collect();
    assert_eq!(
        told,
        [
            "refusal|touch first|echo second|user_modified|modify|denied|http",
            "refusal|touch first|touch third|user_modified|modify|denied|http",
            "intent|touch first|touch third|user_modified|modify|-|http",
            "outcome|touch first|touch third|user_modified|modify|completed|http",
        ]
    );

    // A person's written change of a command is judged like any other command.
    let mut asking = service.act("touch first").begin();
    assert_eq!(modify(&service.question(), r#"{"answer": "modify", "command": "rm -rf /"}"#).status, 200);
    let reply = Answer::read(&mut asking).json();
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"], &reply["status"], &reply["modified_command"]),
        (&"blocked".into(), &"policy".into(), &"blocked".into(), &"rm -rf /".into()),
        "{reply:#}"
    );

    // It has an end.
    let mut asking = service.act("touch first").begin();
    for round in 0..8 {
        let body = format!(r#"{{"answer": "modify", "command": "touch round-{round}"}}"#);
        assert_eq!(modify(&service.question(), &body).status, 200, "{round}");
        wait("the next", || {
            let list = service.get("/v1/questions").token(&service.approve).send().json();
            (list["questions"][0]["object"] == format!("touch round-{round}")).then_some(())
        });
    }
    let last = service.question();
    let refused = modify(&last, r#"{"answer": "modify", "command": "touch more"}"#);
    assert_eq!(refused.problem(), "misread", "{refused:?}");
    assert_eq!(service.answer(&last, "no").status, 200);
    assert_eq!(Answer::read(&mut asking).json()["outcome"], "denied");

    // Only a command can be written.
    let mut asking =
        service.post("/v1/actions", r#"{"action": "LOCK", "requires_confirmation": true}"#).begin();
    let question = service.question();
    assert_eq!(modify(&question, r#"{"answer": "modify", "command": "touch x"}"#).problem(), "misread");
    assert_eq!(service.answer(&question, "no").status, 200);
    assert_eq!(Answer::read(&mut asking).json()["outcome"], "denied");
}

#[test]
fn silence_is_no() {
    let service = Service::with("", "confirmation_timeout_seconds = 1");
    let reply = service.act("touch unmade").send().json();
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&"expired".into(), &"timeout".into()),
        "{reply:#}"
    );
    assert!(!service.folder.path().join("unmade").exists());
}

#[test]
fn answers_can_be_switched_off() {
    let service = Service::with("answer_over_http = false", "");
    let reply = service.act("touch unmade").send().json();
    assert_eq!(reply["outcome"], "denied", "nobody can be asked: {reply:#}");
    assert_eq!(service.answer(&"a".repeat(32), "yes").problem(), "forbidden");
}

#[test]
fn without_a_desk_the_token_counts_alone_and_everybody_is_told() {
    let service = Service::start();
    let mut asking = service.act("touch made").begin();
    let question = service.question();
    let listed = service.get("/v1/questions").token(&service.approve).send().json();
    assert_eq!(listed["questions"][0]["code"], false, "{listed}");
    assert_eq!(service.answer(&question, "yes").status, 200);
    assert_eq!(Answer::read(&mut asking).json()["outcome"], "done");
    let alone = "The approve token alone says yes";
    // The banner, which goes to standard error here.
    wait("the start tells it", || service.said().contains(alone).then_some(()));
    let status = service.status();
    assert!(status["degraded"].to_string().contains(alone), "{status:#}");
    assert!(status["answers"]["http"]["detail"].as_str().unwrap().contains("token alone"), "{status:#}");
    let doctor = crate::common::guarda(service.folder.path()).arg("doctor").output().unwrap();
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("the approve token alone"), "{doctor}");
}

#[test]
fn a_code_that_nothing_can_tell_is_known_by_nobody() {
    let service = Service::with("answer_code = \"always\"", "");
    let told = "Nobody can say yes over the service";
    wait("the start tells it", || service.said().contains(told).then_some(()));
    let reply = service.act("touch unmade").send().json();
    assert_eq!(
        (&reply["outcome"], &reply["error"]),
        (&"denied".into(), &"nobody_to_ask".into()),
        "{reply:#}"
    );
    let link = service.post("/v1/console/links", "{}").token(&service.approve).send();
    assert_eq!((link.status, link.problem()), (403, "code-required".to_owned()));
    assert_eq!(link.json()["tries_left"], 3);
    // If this is configured, the token alone is not a fault.
    let service = Service::with("answer_code = \"never\"", "");
    let status = service.status();
    assert!(!status["degraded"].to_string().contains("alone says yes"), "{status:#}");
    assert!(status["answers"]["http"]["detail"].as_str().unwrap().contains("never"), "{status:#}");
}

#[test]
fn hanging_up_withdraws() {
    let service = Service::start();
    let asking = service.act("touch unmade").header("Idempotency-Key", "k").begin();
    let question = service.question();
    drop(asking);
    wait("the question is withdrawn", || service.questions().is_empty().then_some(()));
    assert_eq!(service.answer(&question, "yes").problem(), "settled");
    let reply = service.act("touch unmade").header("Idempotency-Key", "k").send().json();
    assert_eq!(
        (&reply["outcome"], &reply["decided_by"]),
        (&"withdrawn".into(), &"caller".into()),
        "{reply:#}"
    );
    assert!(!service.folder.path().join("unmade").exists());
    assert!(service.journal().iter().any(|line| line["event"] == "refusal"));
}

#[test]
fn a_retry_gets_the_first_reply_and_does_nothing_twice() {
    let service = Service::start();
    let call = service.act("mkdir once").header("Idempotency-Key", "once");
    let mut first = call.begin();
    let question = service.question();
    // While it is under way: the same question, the same reply. Who hangs up withdraws nothing, since another waits.
    let second = call.begin();
    let mut third = call.begin();
    wait("all wait for one action", || (service.status()["under_way"] == 1).then_some(()));
    assert_eq!(service.act("mkdir other").header("Idempotency-Key", "once").send().problem(), "key-reused");
    drop(second);
    assert_eq!(service.questions(), std::slice::from_ref(&question));
    assert_eq!(service.answer(&question, "yes").status, 200);
    let (one, three) = (Answer::read(&mut first), Answer::read(&mut third));
    assert_eq!(one.body, three.body);
    assert_eq!(one.json()["outcome"], "done", "{one:?}");
    // Afterwards: the same reply again. A second mkdir would have failed.
    assert_eq!(call.send().body, one.body);
    assert_eq!(service.act("mkdir other").header("Idempotency-Key", "once").send().status, 422);
    let found = service.get(&format!("/v1/actions/{}", one.json()["id"].as_str().unwrap())).send();
    assert_eq!((found.status, found.body), (200, one.body));
}

#[test]
fn who_does_not_wait_comes_back() {
    let service = Service::start();
    let answer = service.act("touch made").header("Prefer", "wait=1, respond-async").send();
    assert_eq!(answer.status, 202, "{answer:?}");
    assert_eq!(answer.header("preference-applied"), Some("respond-async"));
    let place = answer.header("location").unwrap().to_owned();
    assert_eq!(answer.json()["id"], place.strip_prefix("/v1/actions/").unwrap());
    // The connection is gone, but the question is still open.
    let question = service.question();
    assert_eq!(service.get(&place).send().status, 202);
    assert_eq!(service.get(&place).token(&service.approve).send().problem(), "forbidden");
    assert_eq!(service.answer(&question, "yes").status, 200);
    let end = wait("the end", || Some(service.get(&place).send()).filter(|answer| answer.status == 200));
    assert_eq!((&end.json()["outcome"], &end.json()["id"]), (&"done".into(), &answer.json()["id"]));
}

#[test]
fn too_much_at_once_is_told_to_come_back() {
    let service = Service::with("waiting_limit = 2", "");
    let (_one, _two) = (service.act("touch a").begin(), service.act("touch b").begin());
    wait("both wait", || (service.questions().len() == 2).then_some(()));
    let answer = service.act("echo").send();
    assert_eq!((answer.status, answer.problem().as_str()), (503, "busy"));
    assert!(answer.header("retry-after").is_some());
    assert_eq!(service.get("/v1/health").send().status, 200);

    let service = Service::with("connection_limit = 2", "");
    // Idle strangers give way to new clients.
    let (_one, _two) = (connect(&service), connect(&service));
    wait("room for one more", || {
        let mut third = connect(&service);
        let _ = third
            .write_all(format!("GET /v1/health HTTP/1.1\r\nHost: {}\r\n\r\n", service.address).as_bytes());
        let mut said = [0; 12];
        (third.read_exact(&mut said).is_ok() && &said == b"HTTP/1.1 200").then_some(())
    });
}

#[test]
fn the_description_is_the_committed_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/openapi.json");
    let now = guarda::doors::http::openapi();
    if std::env::var_os("GUARDA_WRITE_DOCS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == now, "docs/openapi.json is not up to date: run `make docs`");
}

/// Where nothing need be said, as in a cancel or an undo, a POST without a body is not sent back for its type; where
/// something must, the answer says that the body is missing.
#[test]
fn a_post_without_a_body_needs_no_content_type() {
    let service = Service::start();
    let api: serde_json::Value = serde_json::from_str(include_str!("../../docs/openapi.json")).unwrap();
    let mut tried = 0;
    for (path, methods) in api["paths"].as_object().unwrap() {
        if methods.get("post").is_none() {
            continue;
        }
        let path = path.replace("{id}", "00000000-0000-0000-0000-000000000000").replace("{client}", "claude");
        let path = path.replace("{format}", "openai");
        let answer = service.post(&path, "").header("Content-Type", "").send();
        assert_ne!(answer.status, 415, "{path}");
        tried += 1;
    }
    assert!(tried > 8, "{tried}");
}
