//! Commands through the whole service: confined, ended with everything that they started, cancelled, reported
//! step by step, in turn, and as in the error table of Safe-Exec Shell.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;

use crate::common::{Answer, Call, Service, UNSTAGED, guarda, meanwhile, wait};
use serde_json::{Value, json};

/// A service with this text for `[sandbox]` and its folder of work.
fn service(sandbox: &str, security: &str) -> (Service, PathBuf) {
    let service = Service::with("", &format!("{security}\n[sandbox]\n{sandbox}\n{UNSTAGED}"));
    let work = std::fs::canonicalize(service.folder.path()).unwrap().join("work");
    std::fs::create_dir(&work).unwrap();
    (service, work)
}

fn command(service: &Service, body: Value) -> Call {
    let mut whole = json!({"action": "RUN_COMMAND"});
    whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    service.post("/v1/actions", whole.to_string())
}

/// Runs a command; every question is answered with yes.
fn approved(service: &Service, body: Value) -> Value {
    service.approved(&command(service, body)).good()
}

/// Processes that sleep for a time with this mark in it.
fn left(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    lines.filter(|line| line.contains(mark) && line.starts_with("sleep")).collect()
}

/// Ways out. Each prints ESCAPED if it succeeds, as it does without a sandbox, except for the last ones.
const WAYS_OUT: &[(&str, bool)] = &[
    ("(exec 3<>/dev/tcp/127.0.0.1/$PORT) && echo ESCAPED", true),
    (
        "python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ[\"STATE\"]+\"/guarda.sock\"); \
         print(\"ESCAPED\")'",
        true,
    ),
    ("cat $STATE/token && echo ESCAPED", true),
    ("cat $STATE/approve-token && echo ESCAPED", true),
    ("ls $STATE/journal && echo ESCAPED", true),
    ("for f in $STATE/journal/*.jsonl; do head -c 1 $f && echo ESCAPED; done", true),
    ("for f in $STATE/journal/*.jsonl; do : >> $f && echo ESCAPED; done", true),
    ("head -c 1 $STATE/command_security.db && echo ESCAPED", true),
    ("touch $STATE/new && echo ESCAPED", true),
    ("ln -s $STATE/token here && cat here && echo ESCAPED", true),
    ("ln $STATE/token here2 && cat here2 && echo ESCAPED", true),
    ("cp $CONFIG copy && echo ESCAPED", true),
    ("cat /proc/$GUARD/root$STATE/token && echo ESCAPED", true),
    ("cat /proc/$GUARD/environ > /dev/null && echo ESCAPED", true),
    ("head -c 1 /proc/$GUARD/maps && echo ESCAPED", true),
    ("readlink /proc/$GUARD/fd/0 && echo ESCAPED", true),
    ("kill -0 $GUARD && echo ESCAPED", true),
    (
        "python3 -c 'import ctypes,os; c=ctypes.CDLL(None); c.ptrace.argtypes=[ctypes.c_long]*4; \
         print(\"ESCAPED\" if c.ptrace(0x4206,int(os.environ[\"GUARD\"]),0,0)==0 else \"no\")'",
        true,
    ),
    ("cat $HOME/.ssh/id && echo ESCAPED", true),
    ("echo x >> $HOME/.bashrc && echo ESCAPED", true),
    ("touch $OUTSIDE/new && echo ESCAPED", true),
    (
        "for f in /proc/self/fd/*; do case $(readlink $f) in *state*|*socket*) echo ESCAPED;; esac; done",
        false,
    ),
    ("env | grep -E 'DISPLAY|DBUS|SSH_|GUARDA' && echo ESCAPED", false),
    ("grep -q '^NoNewPrivs:.1' /proc/self/status || echo ESCAPED", true),
];

#[test]
fn nothing_leads_out() {
    // Each with a service of its own, at the same time: most of a run is waiting.
    std::thread::scope(|scope| {
        for (profile, in_home) in
            [("none", false), ("confined", false), ("confined", true), ("isolated", false)]
        {
            scope.spawn(move || no_way_leads_out(profile, in_home));
        }
    });
}

fn no_way_leads_out(profile: &str, in_home: bool) {
    let (service, work) = service(&format!("profile = \"{profile}\""), "");
    let home = service.folder.path();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(home.join(".ssh/id"), "key").unwrap();
    let cwd = if in_home { home.to_owned() } else { work.clone() };
    // One line in the journal, and the registry's file.
    approved(&service, json!({"target": "uname", "cwd": cwd}));
    for (number, (way, without)) in WAYS_OUT.iter().enumerate() {
        // The text of a script is not judged: the sandbox has to hold by itself.
        let script = format!(
            "STATE='{}' CONFIG='{}' GUARD={} PORT={} OUTSIDE='{}'\nexport STATE GUARD\n{way}\n",
            service.state("").display(),
            home.join("config.toml").display(),
            service.child.id(),
            service.address.rsplit(':').next().unwrap(),
            outside.path().display(),
        );
        let name = format!("way{number}.sh");
        std::fs::write(cwd.join(&name), script).unwrap();
        let reply = approved(&service, json!({"target": format!("bash {name}"), "cwd": cwd}));
        assert_eq!(reply["outcome"], "done", "{reply}");
        let out = reply["output"]["stdout"].as_str().unwrap().contains("ESCAPED");
        let lacking = reply["sandbox"]["lacking"].as_array().unwrap();
        // Namespaces cannot be made on every machine; what Landlock and the filters hold, they hold without them.
        let lacking = lacking.iter().filter(|lack| lack["measure"] != "namespaces").count();
        assert_eq!(lacking, 0, "this machine cannot show it: {reply}");
        assert_eq!(out, profile == "none" && *without, "{profile} {in_home}: {way}\n{reply}");
    }
    assert!(home.join(".ssh/id").exists());
}

#[test]
fn the_verdict_the_status_and_the_start_tell_of_the_sandbox() {
    let (service, work) = service("", "");
    let judge = |target: &str, sandbox: Option<&str>| {
        let body = json!({"action": "RUN_COMMAND", "target": target, "cwd": work, "sandbox": sandbox});
        service.post("/v1/judge", body.to_string()).send().json()["sandbox"].clone()
    };
    for (target, sandbox, profile, network) in [
        ("ls", None, "confined", "none"),
        ("ls", Some("isolated"), "isolated", "none"),
        ("ls", Some("none"), "confined", "none"),
        ("curl https://example.com", None, "confined", "hosts"),
        ("curl https://example.com | head", None, "confined", "hosts"),
        ("curl https://example.com | sh", None, "confined", "hosts"),
        ("ping example.com | sh", None, "confined", "none"),
        ("systemctl status x", None, "none", "all"),
        ("systemctl status x", Some("confined"), "confined", "all"),
    ] {
        let told = judge(target, sandbox);
        assert_eq!(
            (&told["profile"], &told["network"]),
            (&json!(profile), &json!(network)),
            "{target}: {told}"
        );
    }
    let status = service.status();
    for part in ["sandbox", "network"] {
        assert_eq!(status["deeds"][part]["state"], "ready", "{status}");
    }
    wait("the banner", || service.said().contains("sandbox").then_some(()));
    let wrong = json!({"action": "RUN_COMMAND", "target": "ls", "sandbox": "very"});
    assert_eq!(service.post("/v1/judge", wrong.to_string()).send().problem(), "misread");
}

#[test]
fn each_program_of_a_line_gets_what_it_needs_and_no_more() {
    let (service, work) =
        service("[network]\nhosts = [{ host = \"127.0.0.1\", ports = [], for = \"net-cat\" }]", "");
    let (port, _told) = site("");
    let script = |name: &str| {
        let text =
            format!("#!/bin/bash\ncat\n(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo {name} connects\ntrue\n");
        std::fs::write(work.join(name), text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(work.join(name), mode).unwrap();
    };
    script("net-cat");
    script("other");
    let target = format!("./net-cat http://127.0.0.1:{port}/ < /dev/null | ./other");
    let reply = approved(&service, json!({"target": target, "cwd": work}));
    assert_eq!(reply["output"]["stdout"], "net-cat connects\n", "{reply}");
}

#[test]
fn what_is_left_behind_ends() {
    let (service, work) = service("", "");
    let clinging = |mark: &str, end: &str| {
        let text = format!(
            "(trap '' TERM HUP; sleep {mark}1 & sleep {mark}2 | sleep {mark}3) &\nsetsid sleep {mark}4 &\n\
             setsid setsid nohup sleep {mark}5 &\n{end}\n"
        );
        std::fs::write(work.join("cling.sh"), text).unwrap();
        json!({"target": "bash cling.sh", "cwd": work})
    };
    // The command's own end.
    let reply = approved(&service, clinging("4801.", "echo done"));
    assert_eq!(reply["output"]["stdout"], "done\n", "{reply}");
    assert!(left("4801.").is_empty(), "{:?}", left("4801."));
    // Called off.
    let mut connection = command(&service, {
        let mut body = clinging("4802.", "sleep 4802.9");
        body["session"] = json!("off");
        body
    })
    .header("Prefer", "respond-async")
    .begin();
    let id = Answer::read(&mut connection).json()["id"].as_str().unwrap().to_owned();
    service.answer(&service.question(), "yes");
    wait("it runs", || (!left("4802.9").is_empty()).then_some(()));
    let reply = service.post(&format!("/v1/actions/{id}/cancel"), "").send().json();
    assert_eq!((&reply["outcome"], &reply["error"]), (&json!("failed"), &json!("cancelled")), "{reply}");
    assert!(left("4802.").is_empty(), "{:?}", left("4802."));
    // The caller hangs up: the command runs to its end and leaves no process behind.
    let connection = command(&service, clinging("4803.", "sleep 1; echo end > end")).begin();
    service.answer(&service.question(), "yes");
    wait("it runs", || (!left("4803.").is_empty()).then_some(()));
    drop(connection);
    wait("its end", || work.join("end").exists().then_some(()));
    wait("nothing is left", || left("4803.").is_empty().then_some(()));
}

#[test]
fn a_question_is_taken_back_by_calling_off_or_leaving_the_stream() {
    let (service, work) = service("", "");
    let ask = || command(&service, json!({"target": "rm x", "cwd": work}));
    let mut connection = ask().header("Prefer", "respond-async").begin();
    let id = Answer::read(&mut connection).json()["id"].as_str().unwrap().to_owned();
    service.question();
    let delete =
        |token: &str| Call::new(&service, "DELETE", &format!("/v1/actions/{id}")).token(token).send();
    assert_eq!(delete("").status, 401);
    let reply = delete(&service.approve);
    assert_eq!(reply.json()["outcome"], "withdrawn", "{reply:?}");
    assert!(service.questions().is_empty());
    assert_eq!(delete(&service.token).body, reply.body, "an end stays as it is");
    let unknown = format!("/v1/actions/{}/cancel", uuid::Uuid::now_v7());
    assert_eq!(service.post(&unknown, "").send().problem(), "not-found");

    let stream = ask().header("Accept", "text/event-stream").begin();
    service.question();
    drop(stream);
    wait("the question is gone", || service.questions().is_empty().then_some(()));
}

/// The events of a stream: their names and data.
fn events(call: &Call, mut meanwhile: impl FnMut(&str)) -> Vec<(String, Value)> {
    let mut lines = BufReader::new(call.begin()).lines().map(Result::unwrap);
    let (mut events, mut name) = (Vec::new(), String::new());
    for line in &mut lines {
        if let Some(word) = line.strip_prefix("event: ") {
            name = word.to_owned();
        }
        if let Some(data) = line.strip_prefix("data: ") {
            meanwhile(&name);
            events.push((name.clone(), serde_json::from_str(data).unwrap()));
            if ["done", "problem"].contains(&name.as_str()) {
                return events;
            }
        }
    }
    panic!("no end: {events:?}");
}

#[test]
fn an_action_is_told_step_by_step() {
    let (service, work) = service("", "");
    let names = |events: &[(String, Value)]| {
        events.iter().map(|(name, _)| name.clone()).filter(|name| name != "output").collect::<Vec<_>>()
    };
    let stream = |body: Value| command(&service, body).header("Accept", "text/event-stream");
    let told = events(&stream(json!({"target": "uname -s", "cwd": work})), |_| ());
    assert_eq!(names(&told), ["judged", "started", "done"]);
    assert_eq!(told[0].1["status"], "approved");
    assert_eq!(told[0].1["sandbox"]["profile"], "confined");
    assert_eq!(told.last().unwrap().1["output"]["stdout"], "Linux\n");

    std::fs::write(
        work.join("slow.sh"),
        "echo token=ghp_0123456789abcdefghijABCDEFGHIJ012345; sleep 1; echo x\n",
    )
    .unwrap();
    let told = events(&stream(json!({"target": "bash slow.sh", "cwd": work})), |name| {
        if name == "asked" {
            service.answer(&service.question(), "yes");
        }
    });
    assert_eq!(names(&told), ["judged", "asked", "answered", "started", "done"]);
    let output: Vec<_> = told.iter().filter(|(name, _)| name == "output").collect();
    assert!(output.iter().any(|(_, data)| data["stdout_bytes"].as_u64().unwrap() > 40), "{told:?}");
    assert!(!format!("{told:?}").contains("ghp_0123456789"), "no secret on the way: {told:?}");

    let told = events(&stream(json!({"target": "rm x", "cwd": work})), |name| {
        if name == "asked" {
            service.answer(&service.question(), "no");
        }
    });
    assert_eq!(names(&told), ["judged", "asked", "answered", "done"]);
    assert_eq!(told.last().unwrap().1["outcome"], "denied");
    let told = events(&stream(json!({"target": ""})), |_| ());
    assert_eq!(names(&told), ["problem"]);
    assert_eq!(told[0].1["type"], "urn:guarda:problem:empty-command");
}

#[test]
fn approved_commands_run_in_their_turn_and_safe_ones_beside_them() {
    let (service, work) = service("", "");
    std::fs::write(
        work.join("a.sh"),
        "echo a1 >> log; while [ ! -e go ]; do sleep 0.05; done; echo a2 >> log\n",
    )
    .unwrap();
    std::fs::write(work.join("b.sh"), "echo b >> log\n").unwrap();
    let begin =
        |name: &str| command(&service, json!({"target": format!("bash {name}"), "cwd": work})).begin();
    let log = || std::fs::read_to_string(work.join("log")).unwrap_or_default();
    let mut first = begin("a.sh");
    service.answer(&service.question(), "yes");
    wait("the first runs", || log().contains("a1").then_some(()));
    let mut second = begin("b.sh");
    service.answer(&service.question(), "yes");
    let safe = command(&service, json!({"target": "uname", "cwd": work})).send();
    assert_eq!(safe.json()["outcome"], "done");
    assert_eq!(log(), "a1\n");
    std::fs::write(work.join("go"), "").unwrap();
    assert_eq!(Answer::read(&mut first).json()["outcome"], "done");
    assert_eq!(Answer::read(&mut second).json()["outcome"], "done");
    assert_eq!(log(), "a1\na2\nb\n");
}

#[test]
fn what_changed_between_question_and_answer_is_not_run() {
    let (service, work) = service("", "");
    let program = work.join("tool");
    for target in ["./tool", "bash tool", "true && ./tool", "timeout 5 ./tool"] {
        std::fs::write(&program, "#!/bin/bash\necho judged\n").unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut connection = command(&service, json!({"target": target, "cwd": work})).begin();
        let question = service.question();
        // Another file in its place, as a program that was approved just before could put there.
        std::fs::write(work.join("new"), "#!/bin/bash\necho exchanged > proof\n").unwrap();
        std::fs::set_permissions(work.join("new"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        std::fs::rename(work.join("new"), &program).unwrap();
        service.answer(&question, "yes");
        let reply = Answer::read(&mut connection).json();
        assert_eq!(
            (&reply["outcome"], &reply["error"]),
            (&json!("failed"), &json!("changed")),
            "{target}: {reply}"
        );
        assert!(!work.join("proof").exists(), "{target}");
    }
}

/// The most memory the service has ever had, in KiB.
fn most_memory(service: &Service) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_hundred_mebibytes_of_output_cost_less_than_thirty_of_memory() {
    let (service, work) = service("", "");
    approved(&service, json!({"target": "uname", "cwd": work}));
    let before = most_memory(&service);
    for text in ["head -c 104857600 /dev/zero", "yes 'a line of text, not too long' | head -c 104857600"] {
        let reply = approved(&service, json!({"target": text, "cwd": work}));
        assert_eq!(reply["outcome"], "done", "{reply}");
        assert_eq!(reply["output"]["output_metadata"]["total_bytes"], 104_857_600, "{reply}");
        assert!(reply["output"]["stdout"].as_str().unwrap().len() <= 64 * 1024);
    }
    let cost = most_memory(&service) - before;
    println!("100 MiB of output, twice: {cost} KiB more than before ({before} KiB)");
    assert!(cost < 30 * 1024, "{cost} KiB");
}

/// A row of the error table: the request, the answer to a question, and the reported end.
struct Row {
    target: &'static str,
    answer: Option<&'static str>,
    /// `execution` has these fields.
    execution: Value,
    /// The exit status of `guarda act`.
    end: i32,
}

/// What a program printed stands in a reply once.
#[test]
fn a_reply_holds_its_output_once() {
    let (service, work) = service("", "");
    let reply = approved(&service, json!({"target": "seq 48300 48400", "cwd": work})).to_string();
    assert_eq!(reply.matches("48317").count(), 1, "{reply}");
}

#[test]
fn the_error_table_row_by_row() {
    let (service, work) = service("", "confirmation_timeout_seconds = 3\n");
    std::fs::write(work.join("slow.sh"), "sleep 4804.1\n").unwrap();
    let rows = [
        Row {
            target: "rm -rf /",
            answer: None,
            execution: json!({"status": "error", "error": "forbidden_command", "classification": "FORBIDDEN",
                              "action": null, "exit_code": null, "duration_seconds": null}),
            end: 3,
        },
        Row {
            target: "ls /there/is/nothing",
            answer: None,
            execution: json!({"status": "completed", "error": null, "classification": "SAFE", "action": "auto_approved",
                              "exit_code": 2}),
            end: 2,
        },
        Row {
            target: "no-such-program-here x",
            answer: Some("yes"),
            execution: json!({"status": "completed", "error": null, "classification": "RISKY", "action": "user_approved",
                              "exit_code": 127}),
            end: 127,
        },
        Row {
            target: "rm x",
            answer: Some("no"),
            execution: json!({"status": "denied", "error": null, "classification": "RISKY", "action": "user_denied",
                              "exit_code": null}),
            end: 5,
        },
        Row {
            target: "rm x",
            answer: None,
            execution: json!({"status": "denied", "error": null, "action": "user_abandoned", "exit_code": null}),
            end: 5,
        },
    ];
    for row in &rows {
        let body = json!({"target": row.target, "cwd": work});
        let mut connection = command(&service, body).begin();
        if let Some(answer) = row.answer {
            service.answer(&service.question(), answer);
        }
        let reply = Answer::read(&mut connection);
        assert_eq!(reply.status, 200, "{reply:?}");
        row.fits(&reply.json());

        let mut client = guarda(service.folder.path());
        client.args(["act", "RUN_COMMAND", row.target, "--cwd", work.to_str().unwrap(), "--json"]);
        let client = client.stdout(std::process::Stdio::piped()).spawn().unwrap();
        if let Some(answer) = row.answer {
            service.answer(&service.question(), answer);
        }
        let output = client.wait_with_output().unwrap();
        row.fits(&serde_json::from_slice(&output.stdout).unwrap());
        assert_eq!(output.status.code(), Some(row.end), "{}", row.target);
    }
    // An empty command is not even judged.
    for target in ["", "  \n "] {
        assert_eq!(command(&service, json!({"target": target})).send().problem(), "empty-command");
        let output =
            guarda(service.folder.path()).args(["act", "RUN_COMMAND", target, "--json"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("urn:guarda:problem:empty-command"),
            "{output:?}"
        );
    }
    // Longer than 4096 characters, or with a NUL.
    for target in [format!("echo {}", "ç".repeat(4092)), "echo a\0b".to_owned()] {
        assert_eq!(command(&service, json!({"target": target})).send().problem(), "misread");
    }
    let longest = format!("echo {}", "ç".repeat(4091));
    assert_eq!(command(&service, json!({"target": longest, "cwd": work})).send().json()["outcome"], "done");
}

impl Row {
    #[track_caller]
    fn fits(&self, reply: &Value) {
        for (name, value) in self.execution.as_object().unwrap() {
            assert_eq!(&reply["execution"][name], value, "{} {name}: {reply}", self.target);
        }
        assert!(reply["execution"]["audit_id"].is_string(), "{reply}");
        if reply["execution"]["exit_code"] == 127 {
            assert_eq!(
                reply["output"]["stderr"], "bash: line 1: no-such-program-here: command not found\n",
                "{reply}"
            );
        }
    }
}

#[test]
fn a_command_that_takes_too_long_is_ended_and_told_so() {
    let folder = crate::common::folder("", "");
    let file = folder.path().join("config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}\n[run]\ntimeout_seconds = 1\n")).unwrap();
    let service = Service::on(folder);
    let reply = approved(
        &service,
        json!({"target": "setsid sleep 4805.1 & sleep 4805.2", "cwd": service.folder.path()}),
    );
    assert_eq!(reply["execution"]["status"], "error", "{reply}");
    assert_eq!(reply["execution"]["error"], "timeout", "{reply}");
    assert!(reply["execution"]["duration_seconds"].as_f64().unwrap() >= 1.0, "{reply}");
    assert!(left("4805.").is_empty(), "{:?}", left("4805."));
}

#[test]
fn too_many_actions_are_told_to_come_back() {
    let service = Service::with("waiting_limit = 2", UNSTAGED);
    let ask = || command(&service, json!({"target": "rm x", "cwd": service.folder.path()}));
    let _one = ask().begin();
    let _two = ask().begin();
    wait("both wait", || (service.questions().len() == 2).then_some(()));
    let refused = ask().send();
    assert_eq!(refused.problem(), "busy");
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
}

/// A machine that cannot confine anything: its supervisor ends at once.
#[test]
fn what_must_be_kept_in_and_cannot_be_is_refused_before_anybody_is_asked() {
    for require in [true, false] {
        let folder = crate::common::folder("", &format!("[sandbox]\nrequire_sandbox = {require}\n"));
        // This `supervisor` does not work: nothing can be confined.
        let bin = folder.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_guarda"), bin.join("guarda")).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_guarda-service"), bin.join("guarda-service")).unwrap();
        std::os::unix::fs::symlink("/bin/false", bin.join("guarda-keeper")).unwrap();
        let service = Service::of(folder, &bin.join("guarda"));
        let status = service.status();
        assert_eq!(status["deeds"]["sandbox"]["state"], "failed", "{status}");
        let told = status["degraded"].to_string();
        assert!(told.contains("sandbox"), "{status}");
        // Questions get no answer here.
        let command = |body| command(&service, body).header("Prefer", "wait=1");
        let safe = command(json!({"target": "uname", "cwd": service.folder.path()})).send();
        if require {
            assert_eq!((safe.status, safe.problem().as_str()), (501, "sandbox-lacking"));
            let asked = command(json!({"target": "rm x", "cwd": service.folder.path()})).send();
            assert_eq!(asked.problem(), "sandbox-lacking");
            assert!(service.questions().is_empty());
        } else {
            // Where nothing can be run so that it could do no harm, policy alone lets nothing run.
            let reply = safe.json();
            assert_eq!(
                (&reply["status"], &reply["findings"][0]["rule"]),
                (&json!("requires_confirmation"), &json!("no-cell"))
            );
            // The same for commands that only a cell makes harmless; and a broken line causes no question
            // here either.
            let looks = json!({"target": "for f in a; do echo $f; done", "cwd": service.folder.path()});
            let reply = command(looks).send().json();
            let rules = reply["findings"].as_array().unwrap().iter().map(|finding| &finding["rule"]);
            assert_eq!(reply["status"], "requires_confirmation", "{reply}");
            assert!(rules.into_iter().any(|rule| rule == "no-cell"), "{reply}");
            let broken = json!({"target": "echo 'open", "cwd": service.folder.path()});
            assert_eq!(command(broken).send().json()["status"], "blocked");
        }
    }
}

/// Answers requests with a page or a redirect. Returns the list of requested paths.
fn site(elsewhere: &'static str) -> (u16, std::sync::mpsc::Receiver<String>) {
    use std::io::Write as _;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let Some(first) = lines.next() else { continue };
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let answer = if first.contains("/away") {
                format!("HTTP/1.1 302 Found\r\nLocation: {elsewhere}\r\nContent-Length: 0\r\n\r\n")
            } else {
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned()
            };
            let _ = stream.write_all(answer.as_bytes());
            let _ = tell.send(first);
        }
    });
    (port, told)
}

#[test]
fn an_approved_command_reaches_the_hosts_that_it_names_and_asks_for_others() {
    let (port, told) = site("http://elsewhere.example/secret");
    let (service, work) = service("", "");
    let reply =
        approved(&service, json!({"target": format!("curl -s http://localhost:{port}/"), "cwd": work}));
    assert_eq!(reply["output"]["stdout"], "hello", "{reply:#}");
    assert!(told.recv().unwrap().contains("GET"));

    let target = format!("curl -sL --max-time 60 http://localhost:{port}/away");
    let mut connection = command(&service, json!({"target": target, "cwd": work})).begin();
    let first = service.question();
    service.answer(&first, "yes");
    // The other host is asked about while the command runs.
    let second = wait("a question about the other host", || {
        service.questions().into_iter().find(|question| *question != first)
    });
    let questions = service.get("/v1/questions").token(&service.approve).send().json();
    assert!(questions.to_string().contains("elsewhere.example"), "{questions:#}");
    service.answer(&second, "no");
    let reply = Answer::read(&mut connection).json();
    assert!(told.recv().unwrap().contains("/away"));
    assert_eq!(reply["outcome"], "done", "{reply:#}");
    assert!(!reply["output"]["stdout"].as_str().unwrap().contains("hello"), "{reply:#}");
    let lines = service.journal();
    assert!(lines.iter().any(|line| line["traffic"].to_string().contains("elsewhere.example")), "{lines:#?}");
    // The question and its answer are lines of their own, beside the intent.
    let hosts: Vec<&Value> = lines.iter().filter(|line| line["event"] == "host").collect();
    let of = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let said: Vec<[String; 4]> = hosts
        .iter()
        .map(|line| ["user_decision", "answered_by", "channel", "status"].map(|name| of(line, name)))
        .collect();
    let none = String::new;
    let expected = [
        [none(), none(), none(), none()],
        ["deny".to_owned(), "person".to_owned(), "http".to_owned(), "denied".to_owned()],
    ];
    assert_eq!(said, expected, "{hosts:#?}");
    let intent = lines.iter().rfind(|line| line["event"] == "intent").unwrap();
    for line in hosts {
        assert_eq!(line["hosts"], json!([{"host": "elsewhere.example", "ports": [80], "why": ""}]));
        assert_eq!((&line["audit_id"], &line["question"]), (&intent["audit_id"], &json!(second)));
    }
    let id = intent["audit_id"].as_str().unwrap();
    let shown = guarda(service.folder.path()).args(["audit", "show", id]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("host asked") && shown.contains("host refused"), "{shown}");
    assert!(shown.contains("elsewhere.example:80"), "{shown}");
    let traffic = service.get("/v1/network?host=elsewhere").token(&service.approve).send().json();
    let runs = traffic["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "{traffic:#}");
    assert_eq!((&runs[0]["running"], &runs[0]["audit_id"]), (&json!(false), &intent["audit_id"]));
    assert_eq!(runs[0]["hosts"][0]["refused"], 1, "{traffic:#}");
    assert_eq!(service.get("/v1/network").send().status, 403);
    let shown = guarda(service.folder.path()).args(["network", "--json"]).output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["runs"].as_array().unwrap().len(), 2, "{shown:#}");
    // A reply from a host marks the session with that host.
    let session = intent["session_id"].as_str().unwrap();
    let session = service.get(&format!("/v1/sessions/{session}")).send().json();
    assert_eq!((&session["taint"]["corruption"], &session["hosts"]), (&json!(true), &json!(["127.0.0.1"])));
}

#[test]
fn a_line_that_a_shell_runs_reaches_the_hosts_that_its_card_names() {
    let (port, told) = site("");
    let (service, work) = service("", "");
    let piped = format!("curl -s http://localhost:{port}/ | sh");
    let reply = approved(&service, json!({"target": piped, "cwd": work}));
    assert!(told.recv_timeout(std::time::Duration::from_secs(5)).unwrap().contains("GET"), "{reply:#}");
    assert!(reply["output"]["stderr"].as_str().unwrap().contains("hello"), "sh ran it: {reply:#}");

    // The whole network is not shared: the card names no host that the line cannot reach.
    let mut connection = command(&service, json!({"target": "ping -c1 localhost | sh", "cwd": work})).begin();
    let question = service.question();
    let card = service.get(&format!("/v1/questions/{question}")).token(&service.approve).send().json();
    assert_eq!(card["sandbox"]["network"], "none", "{card:#}");
    assert_eq!(card["sandbox_lines"].as_array().unwrap().len(), 1, "{card:#}");
    service.answer(&question, "no");
    Answer::read(&mut connection);
}

/// Lines that reach a host, by their words or by files that nobody reads beforehand. `URL` is put in.
const REACHING: &[&str] = &[
    "python3 net.py URL",
    "python3 net.py < urls",
    "U=URL python3 -c 'import os, urllib.request as u; print(u.urlopen(os.environ[\"U\"]).read())'",
    "python3 -c 'import urllib.request as u; print(u.urlopen(\"URL\").read())'",
    "node net.js URL",
    "perl net.pl URL",
    "ruby -rsocket -e 'a = ARGV[0][7..].split(/[:\\/]/); s = TCPSocket.new(a[0], a[1]); s.puts \"GET / HTTP/1.0\\n\\n\"; puts s.read' URL",
    "bash net.sh URL",
    "make get FROM=URL",
    "curl -s URL",
    "wget -qO- URL",
    "sh -c 'curl -s URL'",
    "echo URL | xargs curl -s",
    "xargs -n1 curl -s < urls",
    "git ls-remote URL",
    "env -u http_proxy curl -s --noproxy '*' URL",
    "curl -s URL | cat",
    "timeout 9 curl -s URL > out; cat out",
];

/// A question lists exactly the hosts that its run can reach: whoever says yes to one gets it, and nobody else's yes opens one.
#[test]
fn a_question_lists_the_hosts_that_its_run_reaches_and_no_others() {
    let (port, told) = site("");
    let (service, work) = service("", "");
    let url = format!("http://127.0.0.1:{port}/");
    for (name, text) in [
        (
            "net.py",
            "import sys, urllib.request as u\nprint(u.urlopen((sys.argv[1:] or [sys.stdin.readline().strip()])[0]).read())\n",
        ),
        ("net.js", "fetch(process.argv[2]).then(async (answer) => console.log(await answer.text()))\n"),
        (
            "net.pl",
            "use IO::Socket::INET; my ($h, $p) = $ARGV[0] =~ m{//(.*):(\\d+)}; my $s = IO::Socket::INET->new(\"$h:$p\") or die; print $s \"GET / HTTP/1.0\\r\\n\\r\\n\"; print <$s>;\n",
        ),
        ("net.sh", "curl -s \"$1\"\n"),
        ("Makefile", "get:\n\t@curl -s $(FROM)\n"),
        ("urls", &format!("{url}\n")),
    ] {
        std::fs::write(work.join(name), text).unwrap();
    }
    let mut wrong = Vec::new();
    let mut reached = 0;
    for line in REACHING {
        let target = line.replace("URL", &url);
        let mut connection = command(&service, json!({"target": target, "cwd": work})).begin();
        let question = service.question();
        let card = service.get(&format!("/v1/questions/{question}")).token(&service.approve).send().json();
        let listed = card["run"]["network"]["hosts"].to_string() + &card["sandbox_lines"].to_string();
        let listed = listed.contains(&port.to_string()) || listed.contains("127.0.0.1");
        // A later question would be about a host that this one did not list.
        let reading = std::thread::spawn(move || Answer::read(&mut connection).json());
        service.answer(&question, "yes");
        wait(line, || {
            for later in service.questions().into_iter().filter(|later| *later != question) {
                service.answer(&later, "no");
            }
            reading.is_finished().then_some(())
        });
        let reply = reading.join().unwrap();
        let heard = told.try_iter().count() > 0;
        reached += usize::from(heard);
        if heard != listed {
            wrong.push(format!(
                "{target}: listed {listed}, reached {heard}: {} {reply}",
                card["sandbox_lines"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(reached >= 5, "{reached}");
}

/// The lines about hosts: the decision and the reason.
fn host_lines(service: &Service) -> Vec<[String; 3]> {
    let lines = service.journal();
    let of = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let hosts = lines.iter().filter(|line| line["event"] == "host");
    hosts.map(|line| ["user_decision", "reason", "channel"].map(|name| of(line, name))).collect()
}

#[test]
fn a_yes_that_comes_late_counts_for_the_next_run_of_that_command_and_no_other() {
    let (port, _told) = site("http://elsewhere.example/secret");
    let (service, work) = service("", "");
    let line = |seconds: u8| format!("curl -sL --max-time {seconds} http://localhost:{port}/away");
    // curl gives up while its second host is asked about, and not before it came to that on a busy machine.
    let mut connection = command(&service, json!({"target": line(4), "cwd": work})).begin();
    let first = service.question();
    service.answer(&first, "yes");
    let reply = Answer::read(&mut connection).json();
    assert_eq!(reply["output"]["exit_code"], 28, "curl's own time-out: {reply:#}");
    let late = wait("a late question", || {
        let open = service.get("/v1/questions").token(&service.approve).send().json();
        let late = open["questions"].as_array().unwrap().iter().find(|question| question["late"] == true);
        late.map(|question| (question["id"].as_str().unwrap().to_owned(), question.clone()))
    });
    let (id, question) = late;
    assert_eq!((&question["offers"], &question["about_hosts"]), (&json!([]), &json!(true)));
    assert!(question["prompt"].as_str().unwrap().contains("elsewhere.example"), "{question:#}");
    let said = guarda(service.folder.path()).args(["approve", &id]).output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        ["run the command again", "execute o comando de novo"].iter().any(|told| said.contains(told)),
        "{said}"
    );
    let approved = wait("the yes in the record", || {
        let lines = host_lines(&service);
        lines.iter().any(|[decision, ..]| decision == "approve").then_some(lines)
    });
    assert_eq!(approved.len(), 4, "asked, not waited for, asked late, yes: {approved:#?}");
    let run = |seconds: u8| {
        let mut connection = command(&service, json!({"target": line(seconds), "cwd": work})).begin();
        service.answer(&service.question(), "yes");
        (wait_for_end_or_question(&service, &mut connection), host_lines(&service))
    };
    // A yes to one command leaves other commands to be asked about.
    let (asked, _) = run(59);
    assert!(asked, "the yes was for another command");
    let (asked, lines) = run(4);
    assert!(!asked, "{lines:#?}");
    let kept = lines.iter().find(|[_, reason, _]| reason.contains("an earlier run")).unwrap();
    assert_eq!((kept[0].as_str(), kept[2].as_str()), ("approve", "socket"));
    let (asked, _) = run(4);
    assert!(asked, "one yes, one run");
}

/// Whether the command asks about a host; it is answered with no. Otherwise the command has ended.
fn wait_for_end_or_question(service: &Service, connection: &mut std::net::TcpStream) -> bool {
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| Answer::read(connection));
        let mut asked = false;
        meanwhile(reply, || {
            let open = service.get("/v1/questions").token(&service.approve).send().json();
            for question in open["questions"].as_array().unwrap() {
                if question["about_hosts"] == true && question["late"] == false {
                    asked = true;
                    service.answer(question["id"].as_str().unwrap(), "no");
                }
            }
        });
        asked
    })
}

#[test]
fn a_yes_to_all_hosts_lasts_as_long_as_the_run_and_reaches_nothing_local() {
    let (one, _) = site("http://elsewhere.example/");
    let (two, _) = site("http://other.example/");
    let (three, _) = site("http://169.254.169.254/latest");
    let (service, work) = service("", "");
    let each = [one, two, three].map(|port| format!("curl -sL --max-time 60 http://localhost:{port}/away"));
    let target = each.join("; ");
    let run = |answer: &str| {
        let connection = command(&service, json!({"target": target, "cwd": work})).begin();
        let first = service.question();
        service.answer(&first, "yes");
        let second = wait("a question about a host", || {
            service.questions().into_iter().find(|question| *question != first)
        });
        assert_eq!(service.answer(&second, answer).status, 200);
        (connection, second)
    };
    let (mut connection, second) = run("always");
    let reply = Answer::read(&mut connection).json();
    let traffic = service.get("/v1/network").token(&service.approve).send().json();
    let hosts = &traffic["runs"][0]["hosts"];
    let refused = |host: &str| {
        let found = hosts.as_array().unwrap().iter().find(|traffic| traffic["host"] == host);
        found.unwrap_or_else(|| panic!("{host}: {hosts:#}"))["reasons"].to_string()
    };
    for host in ["elsewhere.example", "other.example"] {
        assert!(refused(host).contains("cannot be resolved"), "it was looked up: {host} {reply:#}");
    }
    assert!(refused("169.254.169.254").contains("does not name it"));
    let lines = host_lines(&service);
    assert_eq!(lines[1][0], "approve_all_hosts", "{lines:#?}");
    assert_eq!(lines.len(), 3, "asked, all, and the refusal of what is never reached: {lines:#?}");
    // The next run asks again.
    let (mut connection, again) = run("no");
    assert_ne!(second, again);
    let third = wait("a question about the other host", || {
        service.questions().into_iter().find(|question| *question != again)
    });
    service.answer(&third, "no");
    assert_eq!(Answer::read(&mut connection).status, 200);
}

#[test]
fn what_no_question_is_asked_about_is_recorded_with_its_reason() {
    let (port, _told) = site("http://169.254.169.254/latest");
    let (service, work) = service("", "");
    let target = format!("curl -sL --max-time 60 http://localhost:{port}/away");
    let reply = approved(&service, json!({"target": target, "cwd": work}));
    assert!(
        reply["output"]["stderr"].as_str().unwrap().contains("guarda: 169.254.169.254:80: it is"),
        "{reply:#}"
    );
    let lines = service.journal();
    let hosts: Vec<&Value> = lines.iter().filter(|line| line["event"] == "host").collect();
    assert_eq!(hosts.len(), 1, "{hosts:#?}");
    assert_eq!((&hosts[0]["answered_by"], &hosts[0]["status"]), (&json!("policy"), &json!("denied")));
    assert!(hosts[0]["reason"].as_str().unwrap().contains("does not name it"), "{hosts:#?}");
}

#[test]
fn without_a_record_no_other_host_is_asked_about() {
    use std::io::Write as _;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (service, work) = service("", "");
    let target = format!("curl -sL --max-time 60 http://localhost:{port}/away");
    let mut connection = command(&service, json!({"target": target, "cwd": work})).begin();
    service.answer(&service.question(), "yes");
    let (mut stream, _) = listener.accept().unwrap();
    let (journal, aside) = (service.state("journal"), service.state("aside"));
    std::fs::rename(&journal, &aside).unwrap();
    // A folder in its place would be taken into use within a second.
    std::fs::write(&journal, "").unwrap();
    let elsewhere = "HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n";
    stream.write_all(elsewhere.as_bytes()).unwrap();
    drop(stream);
    // curl ends by itself, without a question whether it may go on.
    let answer = Answer::read(&mut connection);
    assert_ne!(answer.status, 200, "{answer:?}");
    assert!(service.questions().is_empty());
    std::fs::remove_file(&journal).unwrap();
    std::fs::rename(&aside, &journal).unwrap();
    let lines = service.journal();
    assert!(!lines.iter().any(|line| line["event"] == "host"), "{lines:#?}");
}

#[test]
fn after_a_secret_the_hosts_that_the_command_names_are_asked_about_too() {
    use std::io::Write as _;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (service, work) = service("", "");
    let target = format!("curl -sL --max-time 60 http://localhost:{port}/");
    let mut connection = command(&service, json!({"target": target, "cwd": work, "session": "wary"})).begin();
    let first = service.question();
    service.answer(&first, "yes");
    let (mut stream, _) = listener.accept().unwrap();
    let marked = json!({"secret": true}).to_string();
    assert_eq!(service.post("/v1/sessions/wary/taint", marked).send().status, 200);
    let again = "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    stream.write_all(again.as_bytes()).unwrap();
    drop(stream);
    let second = wait("a question about the named host", || {
        service.questions().into_iter().find(|question| *question != first)
    });
    // `guarda network` shows a run while it is under way.
    let shown = guarda(service.folder.path()).args(["network"]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains(&target) && shown.contains("running"), "{shown}");
    assert!(shown.lines().any(|line| line.contains("127.0.0.1") && line.contains('↓')), "{shown}");
    service.answer(&second, "yes");
    let (mut stream, _) = listener.accept().unwrap();
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").unwrap();
    drop(stream);
    let reply = Answer::read(&mut connection).json();
    assert_eq!(reply["output"]["stdout"], "hello", "{reply:#}");
}

#[test]
fn a_rule_for_a_host_is_written_and_taken_at_once() {
    let (port, told) = site("http://elsewhere.example/");
    let (service, work) = service("", "");
    let network = |words: &[&str]| {
        let done = guarda(service.folder.path()).arg("network").args(words).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    let line = format!("curl -s --max-time 60 http://localhost:{port}/");
    let change = |words: &[&str]| {
        let count = service.said().matches("read again").count();
        let said = network(words);
        wait("the reload", || (service.said().matches("read again").count() > count).then_some(()));
        said
    };
    change(&["deny", "localhost"]);
    change(&["deny", "127.0.0.1"]);
    assert!(network(&["deny", "127.0.0.1"]).contains("says so already"));
    let refused = approved(&service, json!({"target": line, "cwd": work}));
    assert_eq!(refused["output"]["exit_code"], 7, "curl: could not connect: {refused:#}");
    assert!(told.try_recv().is_err());
    assert!(refused["run"]["network"].to_string().contains("denied"), "{refused:#}");
    change(&["forget", "localhost"]);
    assert!(change(&["forget", "127.0.0.1"]).contains("names 127.0.0.1"));
    let said = change(&["allow", "example.org", "--for", "pip"]);
    // A program of the user can write the file too: each change is recorded, with its section.
    let reloads = service.journal().into_iter().filter(|line| line["event"] == "reloaded");
    let sections: Vec<String> = reloads.map(|line| line["command"].as_str().unwrap().to_owned()).collect();
    assert_eq!(sections, ["[network]"; 5]);
    assert!(said.contains("pip may reach example.org on port 443"), "{said}");
    let reached = approved(&service, json!({"target": line, "cwd": work}));
    assert_eq!(reached["output"]["stdout"], "hello", "{reached:#}");
    let bad = guarda(service.folder.path()).args(["network", "allow", "*.com"]).output().unwrap();
    assert!(!bad.status.success());
}

/// Two connections of a run, with and without the proxy, are open when its guard is killed.
fn connections_end_with_the_guard(service: &mut Service, network: &str) {
    let told = service.get("/v1/status?language=en").send().json()["deeds"]["network"].clone();
    assert!(told["detail"].as_str().unwrap().contains(network), "{told}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mark = format!("600.{port}");
    let line = format!(
        "curl -s http://localhost:{port}/ & curl -s --noproxy '*' http://localhost:{port}/ & sleep {mark}"
    );
    let body = json!({"target": line, "cwd": service.folder.path()});
    let _caller = command(service, body).begin();
    service.answer(&service.question(), "yes");
    let mut standing: Vec<_> = (0..2).map(|_| listener.accept().unwrap().0).collect();
    for stream in &mut standing {
        stream.set_read_timeout(Some(crate::common::PATIENCE)).unwrap();
        assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
    }
    wait("the program runs", || (!left(&mark).is_empty()).then_some(()));
    service.child.kill().unwrap();
    for mut stream in standing {
        // No other process holds an end of it. A reset counts as an end; a time-out does not.
        let end = stream.read(&mut [0; 5]).map_err(|error| error.kind());
        assert!(matches!(end, Ok(0) | Err(std::io::ErrorKind::ConnectionReset)), "{end:?}");
    }
    wait("the end of the program", || left(&mark).is_empty().then_some(()));
}

#[test]
fn connections_end_with_a_guard_that_is_killed() {
    let mut own = service("", "").0;
    connections_end_with_the_guard(&mut own, "a network of its own");
    let own = rustix::process::geteuid().as_raw();
    let without = format!(
        "echo 0 > /proc/sys/user/max_net_namespaces && exec unshare --map-user={own} --map-group={own} -- \"$@\""
    );
    let words = ["unshare", "-r", "bash", "-c", &without, "bash"];
    let mut notified = Service::under(crate::common::folder("", UNSTAGED), &words);
    connections_end_with_the_guard(&mut notified, "without namespaces");
}
