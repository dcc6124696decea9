//! Kills at every step of a commit, an undo and a recovery: the next start ends with one of the two trees.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use guarda_sandbox::stage::{Note, Recovered, Recovery, Stages};
use uuid::Uuid;

use crate::common::{Service, guarda};
use crate::ground::{Ground, Look, config, look, plain, run, same};

const HOME: &str = "mkdir -p d/e f g/.git/objects; echo one > g/.git/index; echo one > a; echo two > d/b; echo three > d/e/c; echo four > f/g; ln -s a l; \
                    echo old > o; touch -d 2020-01-01 a d/b d/e/c f/g; touch -d 2021-01-01 d/e d f .";
const SCRIPT: &str = "echo new > n; echo more >> a; rm o; mv d/b d/z; rm -r f; mkdir -p q/r; echo x > q/r/s; \
                      rm l; mkdir l; chmod 700 d; ln a h; echo y > d/e/y; rm d/e/c; mkdir d/e/c; \
                      echo two > g/n; mv g/n g/.git/index; echo o > g/.git/objects/o";

type Trees = (BTreeMap<PathBuf, Look>, BTreeMap<PathBuf, Look>);

/// Runs a task in a process that kills itself at a step; true if it finished before.
fn killed(ground: &Ground, task: &str, id: Uuid, at: usize) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kills::kills_itself", "--ignored"])
        .env("KILL_STATE", ground.folder.path().join("state"))
        .env("KILL_HOME", &ground.home)
        .env("KILL_TASK", task)
        .env("KILL_ID", id.to_string())
        .env("KILL_AT", at.to_string())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success() || status.signal() == Some(9), "{task} at {at}: {status}");
    status.success()
}

fn note() -> Note {
    Note {
        session: "s1".to_owned(),
        audit_id: "s1_001".to_owned(),
        what: "make".to_owned(),
        ..Note::default()
    }
}

fn committed_now(id: Uuid) -> Recovery {
    Recovery { what: Recovered::Committed(id), whose: Some(note()) }
}

/// Not a test: started by [`killed`].
#[test]
#[ignore = "started by others"]
fn kills_itself() {
    let Ok(task) = std::env::var("KILL_TASK") else { return };
    let path = |name: &str| PathBuf::from(std::env::var_os(name).unwrap());
    let id: Uuid = std::env::var("KILL_ID").unwrap().parse().unwrap();
    let mut left: usize = std::env::var("KILL_AT").unwrap().parse().unwrap();
    let mut steps = |_: &str| match left.checked_sub(1) {
        Some(less) => left = less,
        None => {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap()
        }
    };
    let stages = Stages::open(config(&path("KILL_STATE"))).unwrap();
    match task.as_str() {
        "commit" => {
            let stage = stages.begin(id, &[path("KILL_HOME")]).unwrap();
            run(&stage, SCRIPT);
            stage.note(&note()).unwrap();
            stage.commit_watched(&mut steps).unwrap();
        }
        "undo" => drop(stages.undo_watched(id, &mut steps).unwrap()),
        "recover" => drop(stages.recover_watched(&mut steps)),
        other => panic!("{other}"),
    }
}

fn trees(home: &Path, clone: &Path) -> Trees {
    (look(home, true), look(clone, false))
}

/// Which of the two trees exists; it must be one of them.
fn is_new(home: &Path, (old, new): &Trees, what: &str) -> bool {
    if look(home, true) == *old {
        return false;
    }
    same(new, &look(home, false), what);
    true
}

fn nothing_is_left(ground: &Ground, held: usize) {
    assert_eq!(ground.stages.recover(), []);
    assert_eq!(ground.stages.held().len(), held);
    let stages = std::fs::read_dir(ground.folder.path().join("state/stages")).unwrap();
    assert_eq!(stages.count(), held + 1, "the probe, and what is held");
}

fn begun() -> (Ground, Trees) {
    let ground = Ground::new(HOME);
    let clone = ground.clone_home("clone");
    plain(&clone, SCRIPT);
    let trees = trees(&ground.home, &clone);
    (ground, trees)
}

#[test]
fn a_commit_ends_whole_or_not_at_all() {
    let mut committed = 0;
    for at in 0.. {
        let (ground, trees) = begun();
        let id = Uuid::now_v7();
        let ended = killed(&ground, "commit", id, at);
        let recovered = ground.stages.recover();
        let new = is_new(&ground.home, &trees, &format!("killed at {at}: {recovered:?}"));
        if ended {
            assert!(new && recovered.is_empty() && at > 15, "{at}: {recovered:?}");
            break;
        }
        let done = recovered.contains(&committed_now(id));
        // Killed behind its mark, it is done; there is nothing to recover.
        assert_eq!(new, done || recovered.is_empty(), "{at}: {recovered:?}");
        committed += usize::from(new);
        nothing_is_left(&ground, usize::from(new));
        if new {
            ground.stages.undo(id).unwrap();
            same(&trees.0, &look(&ground.home, true), &format!("killed at {at}, undone"));
        }
    }
    assert!(committed > 10);
}

#[test]
fn an_undo_ends_whole_or_not_at_all() {
    for at in 0.. {
        let (ground, trees) = begun();
        let id = Uuid::now_v7();
        assert!(killed(&ground, "commit", id, usize::MAX));
        let ended = killed(&ground, "undo", id, at);
        let recovered = ground.stages.recover();
        let new = is_new(&ground.home, &trees, &format!("killed at {at}: {recovered:?}"));
        nothing_is_left(&ground, 1);
        if new {
            ground.stages.undo(id).unwrap();
            same(&trees.0, &look(&ground.home, true), &format!("killed at {at}, undone"));
        } else {
            ground.stages.undo(ground.stages.held()[0].id).unwrap();
            same(&trees.1, &look(&ground.home, false), &format!("killed at {at}, done again"));
        }
        if ended {
            assert!(!new && at > 15, "{at}");
            break;
        }
    }
}

#[test]
fn a_recovery_can_be_killed_too() {
    for at in 0.. {
        let (ground, trees) = begun();
        let id = Uuid::now_v7();
        assert!(!killed(&ground, "commit", id, 10));
        let ended = killed(&ground, "recover", id, at);
        let recovered = ground.stages.recover();
        assert!(is_new(&ground.home, &trees, &format!("killed at {at}: {recovered:?}")));
        nothing_is_left(&ground, 1);
        if ended {
            assert!(recovered.is_empty() && at > 10, "{at}: {recovered:?}");
            break;
        }
    }
}

#[test]
fn a_half_commit_that_cannot_go_on_is_taken_back() {
    // The step of each kill, and a change of the tree before the next start.
    for at in 4..18 {
        for meanwhile in ["rm -rf d/e/c; echo mine > d/e/c", "rm -rf n; echo mine > n"] {
            let (ground, trees) = begun();
            let id = Uuid::now_v7();
            assert!(!killed(&ground, "commit", id, at));
            plain(&ground.home, meanwhile);
            let recovered = ground.stages.recover();
            let now = look(&ground.home, false);
            let old = |path: &str| trees.0.get(Path::new(path)).map(|look| look.content.clone());
            let is = |path: &str| now.get(Path::new(path)).map(|look| look.content.clone());
            let whole = [recovered.contains(&committed_now(id)), is("o").is_none(), is("q").is_some()];
            assert!(whole.iter().all(|it| *it == whole[0]), "{at} {meanwhile}: {recovered:?} {whole:?}");
            if !whole[0] {
                assert_eq!(
                    (is("o"), is("d/b"), is("a")),
                    (old("o"), old("d/b"), old("a")),
                    "{at} {meanwhile}"
                );
                assert_eq!(is("f/g"), old("f/g"), "{at} {meanwhile}");
            }
            let mine = now.values().filter(|look| look.content == b"mine\n").count();
            assert!(mine >= 1, "{at} {meanwhile}: {recovered:?}");
            assert_eq!(ground.stages.recover(), [], "{at} {meanwhile}");
        }
    }
}

#[test]
fn the_start_of_the_service_records_what_it_ended() {
    let mut told = 0;
    for at in 0..30 {
        let (ground, _) = begun();
        let id = Uuid::now_v7();
        if killed(&ground, "commit", id, at) {
            break;
        }
        let state = ground.folder.path().join("state");
        let mut command = guarda(ground.folder.path());
        command.env_remove("GUARDA_CONFIG").args(["serve", "--ready-json"]);
        let mut service = Service::launch(command, tempfile::tempdir().unwrap(), &state);
        service.signal(rustix::process::Signal::TERM);
        assert!(service.end().success());
        let record =
            std::fs::read_to_string(state.join("journal").join("shell_audit_s1.jsonl")).unwrap_or_default();
        let lines = record.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let of: Vec<_> = lines.filter(|line| line["event"] == "recovered").collect();
        // Before the commit begins there is nothing to tell, and after it is marked as done neither.
        let new = ground.home.join("q").exists();
        told += of.len();
        for line in &of {
            let text = |field: &str| line[field].as_str().unwrap_or("null").to_owned();
            assert_eq!((text("command"), line["sequence"].as_u64()), ("make".to_owned(), Some(0)));
            assert!(text("ended").contains(&id.to_string()), "{line}");
            assert_eq!(new, text("phase") == "commit", "{line}");
            assert_eq!((text("status"), text("error")), ("completed".to_owned(), "null".to_owned()));
        }
    }
    assert!(told > 10, "{told}");
}
