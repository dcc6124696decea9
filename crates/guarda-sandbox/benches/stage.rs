//! The cost of a staged run: reading its effects, committing, undoing. `cargo bench -p guarda-sandbox --bench
//! stage`. A commit syncs twice, which depends on other pending writes; the steps in between are measured
//! separately.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts real programs, and ends where something is amiss"
)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use guarda_sandbox::stage::{Budget, Stages, StagesConfig};
use uuid::Uuid;

/// What is measured, the home, the run, the number of changed paths, and of repetitions.
const CASES: &[(&str, &str, &str, u32, usize)] = &[
    ("one file", "mkdir d; echo x > d/0", "echo y > d/0", 1, 30),
    (
        "100 files changed",
        "mkdir d; cd d; for i in {1..100}; do echo x > $i; done",
        "sed -i s/x/y/ d/*",
        100,
        10,
    ),
    (
        "10,000 files changed",
        "mkdir d; cd d; for i in {1..10000}; do echo x > $i; done",
        "cd d; for i in {1..10000}; do echo y > $i; done",
        10_000,
        3,
    ),
    ("10,000 new in a folder", "true", "mkdir d; cd d; for i in {1..10000}; do echo x > $i; done", 10_000, 3),
    ("10,000 removed", "mkdir d; cd d; for i in {1..10000}; do echo x > $i; done", "rm -r d", 10_000, 3),
];

struct Times {
    effects: Duration,
    plan: Duration,
    apply: Duration,
    syncs: Duration,
    commit: Duration,
    undo: Duration,
    turn_back: Duration,
}

fn main() {
    if rustix::process::geteuid().is_root() {
        let status = Command::new("setpriv")
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"])
            .arg(std::env::current_exe().unwrap())
            .current_dir("/tmp")
            .status();
        assert!(status.unwrap().success());
        return;
    }
    println!(
        "{:<24}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}",
        "ms", "effects", "plan", "apply", "syncs", "commit", "undo", "turned back"
    );
    for (name, home, script, paths, rounds) in CASES {
        let mut all: Vec<Times> = (0..*rounds).map(|_| once(home, script)).collect();
        let mut middle = |of: fn(&Times) -> Duration| {
            all.sort_by_key(of);
            all.get(all.len() / 2).map_or(0.0, |times| of(times).as_secs_f64() * 1e3)
        };
        let effects = middle(|it| it.effects);
        let apply = middle(|it| it.apply);
        println!(
            "{name:<24}{effects:>10.2}{:>10.2}{apply:>10.2}{:>10.2}{:>10.2}{:>10.2}{:>12.2}",
            middle(|it| it.plan),
            middle(|it| it.syncs),
            middle(|it| it.commit),
            middle(|it| it.undo),
            middle(|it| it.turn_back),
        );
        let each = |ms: f64| ms * 1e3 / f64::from(*paths);
        println!("{:<24}{:>10.1}{:>10}{:>10.1}", "  µs a path", each(effects), "", each(apply));
    }
}

fn once(home: &str, script: &str) -> Times {
    let folder = tempfile::tempdir().unwrap();
    let (root, state) = (folder.path().join("home"), folder.path().join("state"));
    std::fs::create_dir(&root).unwrap();
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert!(Command::new("bash").args(["-c", home]).current_dir(&root).status().unwrap().success());
    let keep = Duration::from_secs(3600);
    let config = StagesConfig { state, keep, most_bytes: 1 << 30, extra: None, supervisor: None };
    let stages = Stages::open(config).unwrap();
    let id = Uuid::now_v7();
    let stage = stages.begin(id, &[root]).unwrap();
    let one = stage.roots().first().unwrap();
    let shown = |path: &PathBuf| path.display().to_string();
    let (root, up, wk) = (shown(&one.root), shown(&one.upper), shown(&one.work));
    let mount = format!(
        "mount -t overlay overlay -o lowerdir={root},upperdir={up},workdir={wk},userxattr,volatile {root} && cd {root} && {script}"
    );
    assert!(Command::new("unshare").args(["-Urm", "bash", "-c", &mount]).status().unwrap().success());

    let begun = Instant::now();
    stage.effects(Budget::default()).unwrap();
    let effects = begun.elapsed();
    let mut marks = Vec::new();
    let begun = Instant::now();
    stage.commit_watched(&mut |step| marks.push((step.to_owned(), Instant::now()))).unwrap();
    let commit = begun.elapsed();
    let end = begun + commit;
    let (plan, apply, syncs) = parts(begun, &marks, end);
    marks.clear();
    let begun = Instant::now();
    stages.undo_watched(id, &mut |step| marks.push((step.to_owned(), Instant::now()))).unwrap();
    let undo = begun.elapsed();
    let (_, turn_back, _) = parts(begun, &marks, begun + undo);
    Times { effects, plan, apply, syncs, commit, undo, turn_back }
}

/// The parts before the first sync, the moves, and the syncs.
fn parts(begun: Instant, marks: &[(String, Instant)], end: Instant) -> (Duration, Duration, Duration) {
    let at = |name: &str| marks.iter().position(|(step, _)| step == name);
    let time = |place: usize| marks.get(place).map_or(end, |(_, time)| *time);
    let first = at("move").or(at("folder")).unwrap_or(marks.len());
    let done = at("done").unwrap_or(marks.len());
    let synced = at("sync").unwrap_or(marks.len());
    let last = marks.iter().rposition(|(step, _)| step == "sync").unwrap_or(marks.len());
    let syncs = (time(first) - time(synced)) + (end - time(last));
    (time(synced) - begun, time(done) - time(first), syncs)
}
