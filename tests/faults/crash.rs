//! The guard is killed at random moments while it works, and keeps every promise. `GUARDA_KILLS` is the
//! number of kills, `GUARDA_SEED` repeats a run.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::common::{Service, folder};
use guarda_journal::RecordEvent;
use guarda_journal::read::{Filter, each};
use serde_json::{Value, json};

/// One exchange; `None` if the guard ended before the response was complete.
fn exchange(address: &str, token: &str, method: &str, path: &str, body: &str) -> Option<Value> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

/// How many guards are killed in parallel.
const LANES: u64 = 4;

/// The replies that clients received.
#[derive(Default)]
struct Seen {
    /// Audit ids of answers that said that something was done or refused, and how it ended.
    answered: Mutex<Vec<(String, String)>>,
    number: AtomicU64,
}

/// A small generator of numbers (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
}

/// Posts deeds until the guard is gone. Each creates a file with its own name, which shows who was served.
fn client(service: &Service, session: &str, seen: &Seen, going: &AtomicBool) {
    let marks = service.folder.path().join("marks");
    while going.load(Ordering::Relaxed) {
        let number = seen.number.fetch_add(1, Ordering::Relaxed);
        let command = match number % 5 {
            0 => "ls".to_owned(),
            1 => "rm -rf /".to_owned(),
            _ => format!("touch mark-{number:06}"),
        };
        let body = json!({"action": "RUN_COMMAND", "target": command, "cwd": marks, "session": session});
        let reply = exchange(&service.address, &service.token, "POST", "/v1/actions", &body.to_string());
        let Some(reply) = reply else { continue };
        if let Some(id) = reply["receipt"]["audit_id"].as_str().filter(|id| !id.is_empty()) {
            let outcome = reply["outcome"].as_str().unwrap_or_default().to_owned();
            seen.answered.lock().unwrap().push((id.to_owned(), outcome));
        }
    }
}

/// Says yes to every question.
fn person(service: &Service, going: &AtomicBool) {
    while going.load(Ordering::Relaxed) {
        let (address, token) = (&service.address, &service.approve);
        let Some(open) = exchange(address, token, "GET", "/v1/questions", "") else { continue };
        for question in open["questions"].as_array().into_iter().flatten() {
            let path = format!("/v1/questions/{}/answer", question["id"].as_str().unwrap_or_default());
            exchange(address, token, "POST", &path, "{\"answer\": \"yes\"}");
        }
        crate::common::pause();
    }
}

/// The record's contents: marks with an intent, and requests with a recorded outcome.
fn recorded(folder: &Path) -> (BTreeSet<String>, BTreeSet<String>, usize) {
    let (mut intents, mut ends, mut open) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    each(folder, &Filter::default(), |line| {
        let id = line.place.audit_id.clone();
        match line.place.event {
            RecordEvent::Intent => {
                open.insert(id);
                intents.extend(line.facts.command.strip_prefix("touch ").map(str::to_owned));
            }
            RecordEvent::Outcome | RecordEvent::Refusal | RecordEvent::Recovered => {
                open.remove(&id);
                ends.insert(id);
            }
            RecordEvent::Opened
            | RecordEvent::Asked
            | RecordEvent::Advice
            | RecordEvent::Marked
            | RecordEvent::Ended
            | RecordEvent::Granted
            | RecordEvent::Guessed
            | RecordEvent::Reloaded
            | RecordEvent::Host => {}
        }
        Ok(())
    })
    .unwrap();
    (intents, ends, open.len())
}

fn integrity(file: &Path) -> String {
    let database = rusqlite::Connection::open(file).unwrap();
    database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

/// Everything that must hold after a guard has restarted.
fn check(service: &Service, seen: &Seen, round: u64) {
    let journal = service.state("journal");
    let report = guarda_journal::verify(&journal, None).unwrap();
    assert!(report.is_sound(), "after kill {round}: {:#?}", report.faults);
    let (intents, ends, open) = recorded(&journal);
    assert_eq!(open, 0, "after kill {round}: every intent has an end");
    for entry in std::fs::read_dir(service.folder.path().join("marks")).unwrap() {
        let mark = entry.unwrap().file_name().into_string().unwrap();
        assert!(intents.contains(&mark), "after kill {round}: {mark} was made without an intent");
    }
    for (id, outcome) in seen.answered.lock().unwrap().iter() {
        assert!(
            ends.contains(id),
            "after kill {round}: {id} was answered with {outcome} and is not recorded"
        );
    }
    assert!(!service.said().contains("put aside"), "{}", service.said());
}

/// The result of a series of kills.
#[derive(Default)]
struct Tally {
    answered: usize,
    done: usize,
    marks: usize,
}

/// Kills the guard of one folder this many times.
fn kill_often(kills: u64, seed: u64) -> Tally {
    let mut chance = Chance(seed);
    let seen = Seen::default();
    let mut place = folder("", "");
    std::fs::create_dir(place.path().join("marks")).unwrap();
    let config = place.path().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    // Small files, so that they are put aside and compressed while the guard is killed.
    std::fs::write(&config, format!("{text}[record]\nrotate_mib = 1\n")).unwrap();
    for round in 0..=kills {
        let mut service = Service::on(place);
        // A check costs more with every kill; the last one sees everything.
        if round % 10 == 0 || round == kills {
            check(&service, &seen, round);
        }
        if round < kills {
            let going = AtomicBool::new(true);
            std::thread::scope(|scope| {
                for session in ["one", "one", "two", "three"] {
                    let (service, seen, going) = (&service, &seen, &going);
                    scope.spawn(move || client(service, session, seen, going));
                }
                scope.spawn(|| person(&service, &going));
                let before = seen.answered.lock().unwrap().len();
                // Mostly when it is at work, sometimes while it begins.
                let begun = std::time::Instant::now();
                let at_work = chance.next(8) > 0;
                while at_work
                    && seen.answered.lock().unwrap().len() == before
                    && begun.elapsed() < Duration::from_secs(20)
                {
                    crate::common::pause();
                }
                crate::common::let_pass(chance.next(500), "it is killed at a random moment");
                service.signal(rustix::process::Signal::KILL);
                going.store(false, Ordering::Relaxed);
            });
        }
        service.child.kill().unwrap();
        service.child.wait().unwrap();
        if round % 10 == 0 {
            assert_eq!(integrity(&service.state("command_security.db")), "ok", "after kill {round}");
        }
        place = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    }
    let answered = seen.answered.into_inner().unwrap();
    let done = answered.iter().filter(|(_, outcome)| outcome == "done").count();
    let marks = std::fs::read_dir(place.path().join("marks")).unwrap().count();
    Tally { answered: answered.len(), done, marks }
}

#[test]
fn nothing_promised_is_lost_when_the_guard_is_killed() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let kills = number("GUARDA_KILLS").unwrap_or(200);
    let seed = number("GUARDA_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("GUARDA_SEED={seed}");
    let lanes: Vec<_> = (0..LANES)
        .map(|lane| {
            std::thread::spawn(move || kill_often(kills.div_ceil(LANES), seed.wrapping_add(lane << 32)))
        })
        .collect();
    let mut all = Tally::default();
    for lane in lanes {
        let Tally { answered, done, marks } = lane.join().unwrap();
        all = Tally { answered: all.answered + answered, done: all.done + done, marks: all.marks + marks };
    }
    let Tally { answered, done, marks } = all;
    println!("{kills} kills, {answered} requests answered, {done} of them done, {marks} marks");
    assert!(done as u64 > kills / 4, "too little was done between the kills to say anything");
}

#[test]
fn questions_that_stood_when_the_guard_was_killed_are_denied() {
    let mut service = Service::start();
    let commands = ["touch unmade-one", "touch unmade-two"];
    let _asking: Vec<TcpStream> = commands.iter().map(|command| service.act(command).begin()).collect();
    let numbers = crate::common::wait("both questions", || {
        let numbers = service.questions();
        (numbers.len() == 2).then_some(numbers)
    });
    for _ in 0..2 {
        service.signal(rustix::process::Signal::KILL);
        service.child.wait().unwrap();
        let place = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
        service = Service::on(place);
        assert!(service.questions().is_empty(), "they do not stand again");
        for number in &numbers {
            assert_eq!(
                service.answer(number, "yes").status,
                404,
                "an answer that comes late counts for nothing"
            );
            let lines: Vec<Value> =
                service.journal().into_iter().filter(|line| line["question"] == number.as_str()).collect();
            let events: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
            assert_eq!(events, ["asked", "refusal"], "once, however often it starts: {lines:#?}");
            assert_eq!(lines[0]["audit_id"], lines[1]["audit_id"]);
            let end = &lines[1];
            assert_eq!(
                (end["status"].as_str(), end["user_decision"].as_str(), end["answered_by"].as_str()),
                (Some("denied"), Some("restart"), Some("nobody")),
                "{end:#}"
            );
            assert!(end["reason"].as_str().is_some_and(|reason| reason.contains("while the question stood")));
        }
        let report = guarda_journal::verify(&service.state("journal"), None).unwrap();
        assert!(report.is_sound() && report.open == 0, "{report:#?}");
    }
    for command in commands {
        assert!(!service.folder.path().join(command.split_once(' ').unwrap().1).exists(), "{command}");
    }
    let mut audit = crate::common::guarda(service.folder.path());
    let audit = audit.args(["audit", "tail"]).output().unwrap();
    let page = String::from_utf8_lossy(&audit.stdout).into_owned();
    let left = page.lines().filter(|line| line.contains(" no answer ") && line.contains(" nobody "));
    assert_eq!(left.count(), 2, "{page}");
    assert!(!page.contains(" waiting "), "a question that was settled has no row of its own: {page}");
}
