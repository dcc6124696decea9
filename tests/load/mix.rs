//! Everything mixed: `GUARDA_LOAD_RATE` requests per second for `GUARDA_LOAD_SECONDS`.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::client::{Answer, Target};
use crate::common::{Service, folder, let_pass_async, wait};
use crate::process::{self, Memory};
use crate::rows::{GONE, HEARD, JUDGED, ROWS};
use crate::tally::{End, Tally};

/// Questions that stay open for a whole phase.
const HELD: usize = 8;
/// The phases: no questions; questions without an answer; a person who answers at once.
const PHASES: [&str; 3] = ["quiet", "pending", "asking"];

/// State that the requests share.
#[derive(Clone)]
pub struct Mix {
    pub target: Target,
    pub tally: Arc<Tally>,
    phase: Arc<AtomicUsize>,
    /// While thousands of connections are open, others may find no room.
    pub crowd: Arc<AtomicBool>,
}

impl Mix {
    pub fn phase(&self) -> &'static str {
        PHASES[self.phase.load(Ordering::Relaxed)]
    }

    /// True if a response, or a missing one, means only that there is no room.
    pub fn no_room(&self, answer: &io::Result<Answer>) -> bool {
        match answer {
            Ok(answer) => answer.status == 503,
            Err(error) => self.crowd.load(Ordering::Relaxed) && error.kind() != io::ErrorKind::TimedOut,
        }
    }

    pub fn judge(&self, kind: &'static str, may: &[u16], answer: &io::Result<Answer>) {
        match answer {
            Ok(answer) if may.contains(&answer.status) => self.tally.end(kind, End::Good),
            other if self.no_room(other) => self.tally.end(kind, End::Limit),
            Ok(answer) => {
                self.tally.wrong(format!(
                    "{kind}: {} {}",
                    answer.status,
                    String::from_utf8_lossy(&answer.body)
                ));
            }
            Err(error) => self.tally.wrong(format!("{kind}: {error}")),
        }
    }

    /// One request of the rows.
    async fn turn(self, number: u64) {
        let (mut kind, mut may, mut make) = ROWS[(number % 20) as usize];
        let phase = self.phase();
        if kind.ends_with('?') && phase != "asking" {
            (kind, may, make) = ROWS[1];
        }
        let Ok(_room) = self.target.room.clone().try_acquire_owned() else {
            self.tally.wrong(format!("{kind}: 200 requests are under way: the guard does not keep up"));
            return;
        };
        let bytes = make(&self.target, number);
        let begun = Instant::now();
        let answer = self.target.send(&bytes).await;
        let took = begun.elapsed();
        self.judge(kind, may, &answer);
        let recorded = matches!(kind, "safe command" | "blocked" | "yes?" | "no?" | "tool calls");
        let Ok(answer) = answer else {
            *self.tally.unheard.lock().unwrap() += u64::from(recorded);
            return;
        };
        if answer.status == 200 && phase == self.phase() {
            self.tally.time(phase, kind, took);
        }
        if recorded && answer.status == 200 {
            let reply = answer.json();
            let reply = if kind == "tool calls" { &reply["results"][0]["reply"] } else { &reply };
            let outcome = match kind {
                "blocked" | "tool calls" => "blocked",
                "no?" => "denied",
                _ => "done",
            };
            let id = reply["receipt"]["audit_id"].as_str().unwrap_or_default();
            let new = self.tally.answered.lock().unwrap().insert(id.to_owned());
            if reply["outcome"] != outcome || id.is_empty() || !new {
                self.tally.wrong(format!("{kind}: {reply}"));
            }
        }
    }

    /// Answers every open question that should not stay open: yes or no, as its name says.
    async fn person(self) {
        let target = &self.target;
        loop {
            let_pass_async(30, "a person looks again").await;
            let list = target.request("GET", "/v1/questions", &target.approve, "", "");
            let Ok(answer) = target.send(&list).await else { continue };
            for question in answer.json()["questions"].as_array().into_iter().flatten() {
                let command = question["object"].as_str().unwrap_or_default();
                let says = match command {
                    command if command.starts_with("touch yes") => "yes",
                    command if command.starts_with("touch no") => "no",
                    _ => continue,
                };
                let path = format!("/v1/questions/{}/answer", question["id"].as_str().unwrap_or_default());
                let body = format!("{{\"answer\": \"{says}\"}}");
                let _ = target.send(&target.request("POST", &path, &target.approve, "", &body)).await;
            }
        }
    }

    /// Unanswered questions during the phase; then their callers disconnect.
    async fn held(self, seconds: u64) {
        let mut lines = Vec::new();
        for number in 0..HELD {
            let Ok(mut line) = self.target.open().await else { continue };
            let _ =
                line.write(&self.target.command("/v1/actions", &format!("touch held-{number}"), GONE)).await;
            lines.push(line);
        }
        let_pass_async(seconds * 1000, "the questions stay open as long as the phase").await;
    }
}

/// The record's contents: ends by session, and intents without an end.
fn recorded(service: &Service) -> (BTreeMap<String, Vec<String>>, usize) {
    use guarda_journal::RecordEvent;
    use guarda_journal::read::{Filter, each};
    let (mut ends, mut open) = (BTreeMap::<String, Vec<String>>::new(), std::collections::BTreeSet::new());
    each(&service.state("journal"), &Filter::default(), |line| {
        let (id, session) = (line.place.audit_id.clone(), line.place.session_id.clone());
        match line.place.event {
            RecordEvent::Intent => {
                open.insert(id);
            }
            // A command that changes files records an outcome for its staged run before the outcome that is answered.
            RecordEvent::Outcome if line.facts.phase.as_deref() == Some("staged") => {
                open.remove(&id);
            }
            RecordEvent::Outcome | RecordEvent::Refusal | RecordEvent::Recovered | RecordEvent::Advice => {
                open.remove(&id);
                ends.entry(session).or_default().push(id);
            }
            RecordEvent::Opened
            | RecordEvent::Asked
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
    (ends, open.len())
}

async fn run(mix: Mix, seconds: u64, rate: u64) {
    let begun = tokio::time::Instant::now();
    // Each phase comes at least twice in the short form.
    let phase = (seconds / 6).clamp(2, 10);
    let person = tokio::spawn(mix.clone().person());
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..seconds * rate {
        tokio::time::sleep_until(begun + Duration::from_millis(number * 1000 / rate)).await;
        if number % (phase * rate) == 0 {
            let now = (number / (phase * rate) % 3) as usize;
            mix.phase.store(now, Ordering::Relaxed);
            if PHASES[now] == "pending" {
                tasks.spawn(mix.clone().held(phase));
            }
        }
        if number % (20 * rate) == 9 * rate {
            tasks.spawn(mix.clone().crowd());
        }
        if number % 25 == 3 {
            tasks.spawn(mix.clone().odd(number / 25));
        }
        tasks.spawn(mix.clone().turn(number));
        while tasks.try_join_next().is_some_and(|end| end.is_ok()) {}
    }
    // Callers that still wait for a person get an answer.
    tokio::time::timeout(Duration::from_secs(120), async { while tasks.join_next().await.is_some() {} })
        .await
        .expect("everything ends");
    person.abort();
}

#[test]
fn everything_mixed() {
    crate::make_room();
    let (seconds, rate) = (crate::setting("GUARDA_LOAD_SECONDS", 20), crate::setting("GUARDA_LOAD_RATE", 40));
    let service = Service::on(folder("connection_limit = 400", "refusals_per_minute = 0"));
    let pid = service.child.id();
    // Processes that start with the first command stay.
    assert_eq!(service.act("echo first").send().status, 200);
    let (descriptors, threads) = (process::descriptors(pid), process::threads(pid));
    let mix = Mix {
        target: Target::of(&service),
        tally: Arc::default(),
        phase: Arc::default(),
        crowd: Arc::default(),
    };
    let memory = Arc::new(tokio::sync::Mutex::new(Memory::default()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let watched = Arc::clone(&memory);
        let watch = tokio::spawn(async move { Memory::watch(pid, &watched).await });
        run(mix.clone(), seconds, rate).await;
        watch.abort();
    });
    let tally = &mix.tally;
    let (early, late, most) = memory.blocking_lock().fifths();
    tally.print();
    println!("{seconds} s; resident MiB: second fifth {early:.1}, last fifth {late:.1}, most {most:.1}");

    let wrong = tally.wrong.lock().unwrap();
    let mut kinds = BTreeMap::<&str, usize>::new();
    for what in &*wrong {
        *kinds.entry(what.split(':').next().unwrap_or_default()).or_default() += 1;
    }
    assert!(
        wrong.is_empty(),
        "errors that are no stated limit: {kinds:?}, such as {:#?}",
        &wrong[..wrong.len().min(9)]
    );
    for phase in PHASES {
        assert!(tally.count(phase, "safe command") > 0, "no safe command ended while it was {phase}");
    }
    wait("everything to end", || {
        let status = service.status();
        (status["under_way"] == 0 && status["questions"] == 0).then_some(())
    });

    // Every answer is recorded, and every record was answered, but for those whose callers were cut off.
    let (ends, open) = recorded(&service);
    let (answered, unheard) = (tally.answered.lock().unwrap(), *tally.unheard.lock().unwrap());
    let heard: std::collections::BTreeSet<&String> = ends[HEARD].iter().collect();
    println!(
        "record: {} ends in the session that is heard, {} answers, {unheard} whose answers did not come; {} whose \
         callers went; {} hooks",
        ends[HEARD].len(),
        answered.len(),
        ends.get(GONE).map_or(0, Vec::len),
        ends.get("agent").map_or(0, Vec::len)
    );
    assert_eq!(open, 0, "every intent has an end");
    assert_eq!(heard.len(), ends[HEARD].len(), "no audit id twice");
    let lost: Vec<&String> = answered.iter().filter(|id| !heard.contains(id)).collect();
    assert!(lost.is_empty(), "answered and not recorded: {lost:?}");
    assert!(heard.len() as u64 <= answered.len() as u64 + unheard, "recorded and not answered");
    let judged =
        ["judge", "judge long", "pipelined", "slow writer"].map(|kind| tally.good(kind)).iter().sum::<u64>();
    let advised = ends[JUDGED].len() as u64;
    println!("judged: {judged} answers, {advised} lines");
    assert!(
        (judged..=judged + tally.limits()).contains(&advised),
        "{judged} were judged, and {advised} lines say so"
    );
    let report = guarda_journal::verify(&service.state("journal"), None).unwrap();
    assert!(report.is_sound(), "{:#?}", report.faults);

    println!(
        "descriptors {descriptors} -> {}, threads {threads} -> {}",
        process::descriptors(pid),
        process::threads(pid)
    );
    wait("connections and pipes to be closed", || {
        (process::descriptors(pid) <= descriptors + 12).then_some(())
    });
    // The short form still grows into its tables: 512 ended actions are remembered.
    let room = if seconds >= 300 { 6.0 } else { 24.0 };
    assert!(late < early + room, "resident memory went from {early:.1} to {late:.1} MiB");
}
