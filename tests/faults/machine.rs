//! Faults of the machine: its clock, descriptors, memory, database, language model, signals. Each test checks
//! what still works, what is refused, and that the guard recovers by itself.

use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use crate::common::{Answer, PATIENCE, Service, folder, let_pass, wait};
use rustix::process::Signal;
use serde_json::{Value, json};

/// Posts a command, says yes where it is asked, and waits for the end.
fn approved(service: &Service, command: &str) -> Value {
    service.approved(&service.act(command)).json()
}

#[track_caller]
pub fn sound(service: &Service) {
    let report = guarda_journal::verify(&service.state("journal"), None).unwrap();
    assert!(report.is_sound(), "{:#?}", report.faults);
}

pub fn add(place: &Path, more: &str) {
    let config = place.join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}{more}")).unwrap();
}

/// A service's clock, shifted by libfaketime: the wall clock, not the monotonic one, as if someone had set
/// it.
struct Clock(std::path::PathBuf);

impl Clock {
    fn service(place: tempfile::TempDir) -> (Service, Self) {
        let installed = ["x86_64", "aarch64"]
            .map(|kind| format!("/usr/lib/{kind}-linux-gnu/faketime/libfaketimeMT.so.1"));
        let library = installed.iter().find(|path| Path::new(path).exists()).expect("install libfaketime");
        let clock = Self(place.path().join("clock"));
        clock.turn("+0");
        let words = [
            "env",
            &format!("LD_PRELOAD={library}"),
            &format!("FAKETIME_TIMESTAMP_FILE={}", clock.0.display()),
            "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "DONT_FAKE_MONOTONIC=1",
        ];
        (Service::under(place, &words), clock)
    }

    fn turn(&self, by: &str) {
        let draft = self.0.with_extension("new");
        std::fs::write(&draft, format!("{by}\n")).unwrap();
        std::fs::rename(draft, &self.0).unwrap();
    }
}

#[test]
fn a_clock_that_jumps_neither_answers_questions_nor_spoils_the_record() {
    let (mut service, clock) = Clock::service(folder("", "confirmation_timeout_seconds = 6"));
    assert_eq!(service.act("echo before").send().json()["outcome"], "done");
    for (number, by) in ["-1d", "+400d", "-3d", "+0"].into_iter().enumerate() {
        // A question stays open for its full time: a jump of the clock neither ends nor extends it.
        let mut asking = service.act(&format!("touch made-{number}")).begin();
        let question = service.question();
        clock.turn(by);
        let_pass(300, "the jump would count");
        assert_eq!(service.questions(), std::slice::from_ref(&question), "{by}");
        assert_eq!(service.answer(&question, "yes").status, 200);
        assert_eq!(Answer::read(&mut asking).json()["outcome"], "done", "{by}");
        assert_eq!(service.act("rm -rf /").send().json()["outcome"], "blocked");
        assert_eq!(service.act(&format!("echo {by}")).send().json()["outcome"], "done");
        sound(&service);
    }
    let mut asking = service.act("touch unmade").begin();
    service.question();
    clock.turn("-10d");
    assert_eq!(Answer::read(&mut asking).json()["outcome"], "expired");
    assert!(!service.folder.path().join("unmade").exists());

    // Without libfaketime the clock is ten days ahead of the last line, and the record has lines from the
    // future.
    clock.turn("+5d");
    assert_eq!(service.act("echo ahead").send().json()["outcome"], "done");
    service.signal(Signal::TERM);
    assert_eq!(service.end().code(), Some(0));
    let place = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    let service = Service::on(place);
    assert_eq!(service.act("echo back").send().json()["outcome"], "done");
    sound(&service);
}

#[test]
fn a_token_of_tomorrow_or_of_yesterday_is_none() {
    for (by, good) in [("+1m", true), ("-1h", false), ("+1d", false)] {
        let (service, clock) = Clock::service(folder("", ""));
        let order = json!({"command": "touch made", "cwd": service.folder.path()});
        let waiting = service.post("/v1/execute", order.to_string()).send().json();
        assert_eq!(service.answer(&service.question(), "yes").status, 200);
        let path = format!("/v1/execute/{}", waiting["validation_id"].as_str().unwrap());
        let token = wait("the token", || {
            service.get(&path).send().json()["validation_token"].as_str().map(str::to_owned)
        });
        clock.turn(by);
        let mut forced = order.clone();
        forced["force_execute"] = json!(true);
        forced["validation_token"] = json!(token);
        let end = service.post("/v1/execute", forced.to_string()).send().json();
        let expected = if good { "executed" } else { "pending_validation" };
        assert_eq!(end["status"], expected, "{by}: {end:#}");
        assert_eq!(service.folder.path().join("made").exists(), good, "{by}");
    }
}

#[test]
fn signals_that_mean_nothing_do_nothing() {
    let service = Service::start();
    let mut asking = service.act("touch made").begin();
    let question = service.question();
    for signal in [Signal::PIPE, Signal::USR1, Signal::USR2, Signal::HUP, Signal::XFSZ] {
        service.signal(signal);
        let_pass(50, "the signal would count");
        assert_eq!(service.questions(), std::slice::from_ref(&question), "{signal:?}");
    }
    assert_eq!(service.answer(&question, "yes").status, 200);
    assert_eq!(Answer::read(&mut asking).json()["outcome"], "done");
}

#[test]
fn whoever_says_it_twice_does_not_wait_for_deeds() {
    for signals in [[Signal::TERM, Signal::TERM], [Signal::INT, Signal::INT], [Signal::TERM, Signal::INT]] {
        let mut service = Service::with("shutdown_timeout_seconds = 300", "");
        std::thread::scope(|scope| {
            let mut asking = service.act("sleep 310").begin();
            let deed = scope.spawn(move || Answer::read(&mut asking).json());
            wait("its intent", || {
                service.journal().iter().any(|line| line["event"] == "intent").then_some(())
            });
            service.signal(signals[0]);
            wait("no further caller", || TcpStream::connect(&service.address).err());
            let_pass(200, "a deed may end, and one signal would end it");
            assert!(!deed.is_finished(), "a deed may end");
            service.signal(signals[1]);
            let reply = deed.join().unwrap();
            assert_ne!(reply["output"]["exit_code"], 0, "{reply:#}");
        });
        assert_eq!(service.end().code(), Some(0));
        let lines = service.journal();
        assert!(lines.iter().any(|line| line["event"] == "outcome"), "its end is recorded: {lines:?}");
        let left = Command::new("pgrep").args(["-f", "^sleep 310"]).output().unwrap();
        assert!(left.stdout.is_empty(), "it is ended");
    }
}

#[test]
fn a_deed_for_which_no_descriptor_is_left_is_not_done_and_says_so() {
    let service = Service::under(folder("connection_limit = 5000", ""), &["prlimit", "--nofile=120:1024"]);
    assert_eq!(approved(&service, "touch first")["outcome"], "done");
    let mut asking = TcpStream::connect(&service.address).unwrap();
    asking.set_read_timeout(Some(PATIENCE)).unwrap();
    // All that is left is taken, but for the connections that are there.
    let pid = service.child.id();
    let open = || std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    wait("the connection", || service.get("/v1/health").send().status.eq(&200).then_some(()));
    let now = open();
    let limit =
        Command::new("prlimit").args(["--pid", &pid.to_string(), &format!("--nofile={now}:1024")]).status();
    assert!(limit.unwrap().success());
    let body = json!({"action": "RUN_COMMAND", "target": "ls", "cwd": service.folder.path()});
    std::io::Write::write_all(&mut asking, &service.post("/v1/actions", body.to_string()).bytes()).unwrap();
    let answer = Answer::read(&mut asking);
    let reply = answer.json();
    let undone = answer.status >= 500 || reply["outcome"] == "failed" || reply["output"]["exit_code"] != 0;
    assert!(undone, "{answer:?}");
    assert!(answer.body.contains("oo many open files") || answer.body.contains("os error 24"), "{answer:?}");
    // Judging needs none.
    std::io::Write::write_all(
        &mut asking,
        &service.post("/v1/judge", r#"{"action": "RUN_COMMAND", "target": "rm -rf /"}"#).bytes(),
    )
    .unwrap();
    assert_eq!(Answer::read(&mut asking).json()["status"], "blocked");
    let limit = Command::new("prlimit").args(["--pid", &pid.to_string(), "--nofile=1024:1024"]).status();
    assert!(limit.unwrap().success());
    wait("deeds again", || (service.act("ls").send().json()["outcome"] == "done").then_some(()));
    sound(&service);
}

#[test]
fn without_memory_nothing_is_done_that_is_not_recorded() {
    let mut service = Service::start();
    assert_eq!(approved(&service, "touch first")["outcome"], "done");
    let pid = service.child.id();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let size: u64 = size.trim().trim_end_matches(" kB").parse().unwrap();
    // Nothing more than it has, and output of many commands at once to keep.
    let limit = format!("--as={}:unlimited", size * 1024);
    assert!(Command::new("prlimit").args(["--pid", &pid.to_string(), &limit]).status().unwrap().success());
    // It may refuse or finish: every deed that it reports is recorded.
    let one = || {
        let mut stream = TcpStream::connect(&service.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        std::io::Write::write_all(
            &mut stream,
            &service.act("seq 1 150000").header("Connection", "close").bytes(),
        )
        .ok()?;
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(&mut stream, 4_000_000), &mut text).ok()?;
        String::from_utf8_lossy(&text).contains("\"outcome\":\"done\"").then_some(())
    };
    let said_done: usize = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..12).map(|_| scope.spawn(|| (0..4).filter_map(|_| one()).count())).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).sum()
    });
    let ended = service.child.try_wait().unwrap();
    println!("{said_done} of 48 done; ended: {ended:?}");
    if ended.is_none() {
        let unlimited = ["--pid", &pid.to_string(), "--as=unlimited:unlimited"];
        assert!(Command::new("prlimit").args(unlimited).status().unwrap().success());
        wait("it goes on", || (service.act("ls").send().json()["outcome"] == "done").then_some(()));
        service.child.kill().unwrap();
        service.child.wait().unwrap();
    }
    let place = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    let service = Service::on(place);
    assert_eq!(service.act("ls").send().json()["outcome"], "done");
    sound(&service);
    let ends = service.journal().iter().filter(|line| line["event"] == "outcome").count();
    assert!(ends >= said_done + 2, "{ends} ends are written, {said_done} were told");
}

#[test]
fn a_postgresql_that_dies_has_everything_asked_until_it_is_back() {
    if !cfg!(feature = "postgres") {
        return;
    }
    let mut server = crate::common::postgres::Postgres::start();
    let place = folder("", "");
    add(place.path(), &format!("[registry]\nurl = \"{}\"\n", server.url()));
    let service = Service::on(place);
    let judged = |command: &str| {
        let body = json!({"action": "RUN_COMMAND", "target": command});
        service.post("/v1/judge", body.to_string()).send().json()["status"].as_str().unwrap().to_owned()
    };
    for round in 0..2 {
        wait("the registry", || (judged("echo hi") == "approved").then_some(()));
        assert_eq!(service.act(&format!("echo {round}")).send().json()["decided_by"], "policy");
        server.go_away();
        // Commands that otherwise need no question lead to one, forbidden ones stay forbidden, and approved
        // ones run.
        let reply = approved(&service, &format!("echo without {round}"));
        assert_eq!(
            (&reply["outcome"], &reply["decided_by"]),
            (&json!("done"), &json!("person:http")),
            "{reply:#}"
        );
        assert!(reply["findings"].to_string().contains("registry-lost"), "{reply:#}");
        assert_eq!(judged("rm -rf /"), "blocked");
        let status = service.status();
        assert_eq!(status["registry"]["state"], "failed", "{status:#}");
        server.go_on();
    }
    wait("the registry", || (judged("echo hi") == "approved").then_some(()));
    sound(&service);
}
