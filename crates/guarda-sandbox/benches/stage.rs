//! The cost of a staged run: reading its effects, committing, undoing. `cargo bench -p guarda-sandbox --bench
//! stage [-- CASE]`. A commit syncs twice, which depends on other pending writes; the steps in between are measured
//! separately. One thread reads the effects: beside the elapsed time stand its processor time, and that of the system
//! calls alone that comparing two files takes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts real programs, and ends where something is amiss"
)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use guarda_sandbox::stage::{Budget, StagedRoot, Stages, StagesConfig};
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
    /// Of the effects, in this thread.
    processor: Duration,
    /// Of the calls that comparing takes, without anything else; zero where there is nothing to compare.
    calls: Duration,
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
            .args(std::env::args().skip(1))
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
        if std::env::args().skip(1).any(|only| !only.starts_with('-') && !name.contains(&only)) {
            continue;
        }
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
        let (processor, calls) = (middle(|it| it.processor), middle(|it| it.calls));
        println!(
            "{:<24}{:>10.1}, {:.1} of the calls alone",
            "  of the processor",
            each(processor),
            each(calls)
        );
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

    let (begun, spent) = (Instant::now(), spent());
    stage.effects(Budget::default()).unwrap();
    let (effects, processor) = (begun.elapsed(), self::spent() - spent);
    let calls = calls(&stage.roots().first().unwrap().clone());
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
    Times { effects, processor, calls, plan, apply, syncs, commit, undo, turn_back }
}

/// The time of the processor that this thread has used.
fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}

/// The calls that it takes to compare the files in `d` of both trees, and nothing more: both are looked at, opened, read and closed.
fn calls(root: &StagedRoot) -> Duration {
    use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags, openat, statx};
    let folder = |path: &Path| rustix::fs::open(path, OFlags::PATH, Mode::empty()).unwrap();
    let Ok(list) = std::fs::read_dir(root.upper.join("d")) else { return Duration::ZERO };
    let names: Vec<std::ffi::CString> = list
        .map(|entry| std::ffi::CString::new(entry.unwrap().file_name().into_encoded_bytes()).unwrap())
        .collect();
    if !root.root.join("d").exists() {
        return Duration::ZERO;
    }
    let sides = [folder(&root.upper.join("d")), folder(&root.root.join("d"))];
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME | StatxFlags::MNT_ID;
    let begun = spent();
    for name in &names {
        for side in &sides {
            statx(side, name, AtFlags::SYMLINK_NOFOLLOW, wanted).unwrap();
        }
        for side in &sides {
            let file = openat(side, name, OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty()).unwrap();
            rustix::io::pread(&file, &mut [0_u8; 2], 0).unwrap();
        }
    }
    spent() - begun
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
