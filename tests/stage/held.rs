//! Held versions: refusals, other folders, sweeping, and deeds that were not staged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use guarda_sandbox::stage::{
    Budget, Fate, Left, NotCommitted, NotKept, NotUndone, Note, Recovered, StageError, Stages, StagesConfig,
};
use uuid::Uuid;

use crate::common::{let_pass, until};
use crate::ground::{Ground, Look, config, look, plain, run, same};

const HOME: &str = "mkdir -p d/e .git; echo one > a; echo two > d/b; echo three > d/e/c; echo index > .git/index; \
                    echo four > z; touch -d 2020-01-01 a d/b d/e/c; touch -d 2021-01-01 d/e d .";

/// The run's action, another one before its effects were read, and where they meet.
const DURING: &[(&str, &str, &[&str])] = &[
    ("rm d/b", "mv d old; mv other d", &["d"]),
    ("echo more >> d/b", "mv d old; cp -a other d", &["d"]),
    ("echo x > d/e/n", "mv d old; mv other d", &["d"]),
    ("echo x > d/e/n", "mv d/e old; mv other/e d/e", &["d/e"]),
    ("chmod 700 d", "mv d old; mv other d", &["d"]),
    ("chmod 700 d", "chmod 711 d", &["d"]),
    ("rm d/b", "chmod 711 d", &["d"]),
    ("rm a", "cd ..; mv home old; cp -a old home", &[""]),
    ("echo x > n", "cd ..; mv home old; mkdir home", &[""]),
    ("rm d/b", "touch d/other", &[]),
    ("echo x > d/e/n", "touch other/n; touch mine", &[]),
];

#[test]
fn another_folder_in_its_place_during_the_run_is_seen() {
    for (script, meanwhile, expected) in DURING {
        for read in [false, true] {
            let ground = Ground::new(&format!("{HOME}; mkdir -p other/e; echo precious > other/b"));
            let stage = ground.staged(script);
            plain(&ground.home, meanwhile);
            let before = look(&ground.home, true);
            if read {
                stage.effects(Budget::default()).unwrap();
            }
            let expected: Vec<PathBuf> = expected.iter().map(|path| ground.home.join(path)).collect();
            match stage.commit() {
                Ok(_) => assert!(expected.is_empty(), "{script} / {meanwhile}"),
                Err(NotCommitted::Conflict(paths)) => {
                    let seen = expected.iter().all(|path| paths.contains(path));
                    assert!(seen && !expected.is_empty(), "{script} / {meanwhile}: {paths:?}");
                    same(&before, &look(&ground.home, true), script);
                }
                Err(other) => panic!("{script} / {meanwhile}: {other}"),
            }
        }
    }
}

#[test]
fn what_a_discard_cannot_remove_is_removed_at_the_next_start() {
    let ground = Ground::new(HOME);
    let before = look(&ground.home, true);
    let stage = ground.staged("rm -r d; mkdir -p n/m; chmod 0 n/m n");
    let id = stage.id();
    let own = ground.folder.path().join("state/stages").join(id.to_string());
    plain(&own, "chmod 500 .");
    assert!(stage.discard().is_err());
    assert!(own.join("run").exists(), "where its folders lie is still known");
    assert!(
        matches!(ground.stages.recover()[..], [ref one] if matches!(one.what, Recovered::Stuck(stuck, _) if stuck == id))
    );
    plain(&own, "chmod 700 .");
    let recovered: Vec<Recovered> = ground.stages.recover().into_iter().map(|one| one.what).collect();
    assert_eq!(recovered, [Recovered::Removed(id)]);
    assert!(!own.exists() && ground.stages.recover().is_empty());
    same(&before, &look(&ground.home, true), "discarded");
}

/// Paths below the home folder and their fates, and whether they can be kept.
const KEPT: &[(&str, Fate, bool)] = &[
    ("a", Fate::Copied, true),
    ("d", Fate::Written, true),
    ("d", Fate::Removed, true),
    ("none/at/all", Fate::Copied, true),
    ("a", Fate::Dressed { below: true }, true),
    // Nobody may read it, but another name of it can be made.
    ("closed", Fate::Copied, false),
    ("closed", Fate::Removed, true),
    ("large", Fate::Copied, false),
    ("large", Fate::Removed, false),
    ("large", Fate::Dressed { below: false }, true),
];

#[test]
fn whether_it_can_be_kept_is_known_beforehand_and_leaves_nothing_behind() {
    let ground =
        Ground::new(&format!("{HOME}; echo x > closed; chmod 0 closed; head -c 3M /dev/zero > large"));
    let state = ground.folder.path().join("state");
    let stages = Stages::open(StagesConfig { most_bytes: 1 << 20, ..config(&state) }).unwrap();
    let before = look(&ground.home, true);
    for (path, fate, expected) in KEPT {
        let paths = [(ground.home.join(path), *fate)];
        let may = stages.may_keep(&paths);
        assert_eq!(may.is_ok(), *expected, "{path} {fate:?}: {may:?}");
        assert_eq!(
            std::fs::read_dir(state.join("stages"))
                .unwrap()
                .flatten()
                .filter(|one| one.path().is_dir())
                .count(),
            0
        );
        same(&before, &look(&ground.home, true), path);
        let kept = stages.keep(uuid::Uuid::new_v4(), &paths);
        assert_eq!(kept.is_ok(), *expected, "{path} {fate:?}: {kept:?}");
        if let Ok(kept) = kept {
            assert_eq!(kept.done().unwrap(), Left::Unchanged, "{path} {fate:?}");
        }
    }
}

#[test]
fn what_another_program_writes_to_is_left_alone() {
    for (script, file, write, expected) in [
        ("echo more >> a", "a", true, true),
        ("sed -i s/one/1/ a", "a", true, true),
        ("rm a", "a", true, true),
        ("rm -r d", "d/e/c", true, true),
        ("chmod 600 a", "a", true, true),
        ("echo more >> a", "a", false, false),
        ("echo more >> a", "z", true, false),
        ("echo x > d/n", "d/b", true, false),
    ] {
        let ground = Ground::new(HOME);
        let path = ground.home.join(file);
        let open = std::fs::File::options().read(true).write(write).open(&path).unwrap();
        let effects = ground.staged(script).effects(Budget::default());
        let told = matches!(&effects, Err(StageError::Open { path: told, .. }) if *told == path);
        assert_eq!((told, effects.is_err()), (expected, expected), "{script} / {file}: {effects:?}");
        let stage = ground.staged(script);
        let id = stage.id();
        let conflict = Err(NotCommitted::Conflict(vec![path.clone()]));
        let done = stage.commit();
        assert_eq!(done.is_err(), expected, "{script} / {file}: {done:?}");
        drop(open);
        if expected {
            assert_eq!(done, conflict, "{script}");
            continue;
        }
        // The new version is written to.
        let changed = ground.home.join(if script.ends_with('a') { "a" } else { "d/n" });
        let open = std::fs::File::options().append(true).open(&changed).unwrap();
        assert_eq!(ground.stages.undo(id), Err(NotUndone::Changed(vec![changed])), "{script}");
        drop(open);
        // A program that a test beside this one starts holds a copy of the open file until it is another program.
        until("it is undone", || ground.stages.undo(id).is_ok());
    }
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

/// The run's action, another one at the same time, and where they meet.
const CONFLICTS: &[(&str, &str, &[&str])] = &[
    ("echo more >> a", "echo mine >> a", &["a"]),
    ("echo more >> a", "chmod 600 a", &["a"]),
    ("echo more >> a", "rm a", &["a"]),
    ("echo more >> a", "rm a; echo mine > a", &["a"]),
    ("rm a", "echo mine >> a", &["a"]),
    ("rm -r d", "echo mine >> d/e/c", &["d/e/c"]),
    ("rm -r d", "echo mine > d/e/new", &["d/e", "d/e/new"]),
    ("rm -r d; mkdir d", "echo mine >> d/e/c", &["d/e/c"]),
    ("echo x > n", "echo mine > n", &["n"]),
    ("mkdir n", "mkdir n", &["n"]),
    ("echo x > d/e/n", "rm -r d/e", &["d/e"]),
    ("mv a d/a", "echo mine > d/a", &["d/a"]),
    // Links, folders and files in each other's place, and names that no list of lines could hold.
    ("rm a", "rm a; ln -s d/b a", &["a"]),
    ("echo more >> a", "mv a q; ln -s q a", &["a"]),
    ("echo more >> a", "rm a; mkdir a", &["a"]),
    ("echo more >> a", "ln -f z a", &["a"]),
    ("mkdir n; echo x > n/x", "ln -s d n", &["n"]),
    ("rm -r d", "mv d q; ln -s q d", &["d"]),
    ("rm -r d", "rm d/e/c; ln -s ../../z d/e/c", &["d/e", "d/e/c"]),
    ("echo x > d/e/n", "mv d/e q; ln -s ../q d/e", &["d", "d/e"]),
    ("chmod 700 d/e", "mv d/e q; ln -s ../q d/e", &["d", "d/e"]),
    ("rm d/b", "mv d q; echo mine > d", &["d"]),
    ("echo x > $'n\\n'", "echo mine > $'n\\n'", &["n\n"]),
    ("rm a", "rm a", &[]),
    ("echo more >> a", "echo mine >> z", &[]),
    ("rm a", "touch d/other", &[]),
    ("mv a q", "touch other", &[]),
];

#[test]
fn what_somebody_else_changed_is_not_overwritten() {
    for (script, meanwhile, expected) in CONFLICTS {
        let ground = Ground::new(HOME);
        let stage = ground.staged(script);
        plain(&ground.home, meanwhile);
        let before = look(&ground.home, true);
        let expected: Vec<PathBuf> = expected.iter().map(|path| ground.home.join(path)).collect();
        match stage.commit() {
            Ok(_) => assert!(expected.is_empty(), "{script} / {meanwhile}"),
            Err(NotCommitted::Conflict(paths)) => {
                assert_eq!(paths, expected, "{script} / {meanwhile}");
                same(&before, &look(&ground.home, true), script);
                assert_eq!(ground.stages.held(), []);
                assert_eq!(ground.stages.recover(), []);
            }
            Err(other) => panic!("{script} / {meanwhile}: {other}"),
        }
    }
}

/// The run's action, the folder that was exchanged for a shown one, and where they meet.
const EXCHANGED: &[(&str, &str, &[&str])] = &[
    ("rm d/b", "mv d old; mv other d", &["d"]),
    ("echo more >> d/b", "mv d old; cp -a other d", &["d"]),
    ("echo x > d/e/n", "mv d old; mv other d", &["d", "d/e"]),
    ("chmod 700 d", "mv d old; mv other d", &["d"]),
    ("rm d/b", "chmod 700 d", &["d"]),
    ("rm d/b", "echo mine > other/b; mv z d/z", &[]),
    ("rm -r d/e", "touch d/other", &[]),
];

#[test]
fn what_was_shown_of_a_folder_is_not_done_in_another_one() {
    for (script, meanwhile, expected) in EXCHANGED {
        let ground = Ground::new(&format!(
            "{HOME}; mkdir -p other/e; echo precious > other/b; touch -d 2020-01-01 other/b"
        ));
        let stage = ground.staged(script);
        stage.effects(Budget::default()).unwrap();
        plain(&ground.home, meanwhile);
        let before = look(&ground.home, true);
        let expected: Vec<PathBuf> = expected.iter().map(|path| ground.home.join(path)).collect();
        match stage.commit() {
            Ok(_) => assert!(expected.is_empty(), "{script} / {meanwhile}"),
            Err(NotCommitted::Conflict(paths)) => {
                assert!(
                    !expected.is_empty() && expected.iter().all(|path| paths.contains(path)),
                    "{paths:?}"
                );
                same(&before, &look(&ground.home, true), script);
            }
            Err(other) => panic!("{script} / {meanwhile}: {other}"),
        }
    }
}

/// The run's action, later ones, and an undo's answer.
const SINCE: &[(&str, &str, &[&str])] = &[
    ("echo more >> a", "echo mine >> a", &["a"]),
    ("echo more >> a", "touch a", &["a"]),
    ("echo more >> a", "rm a", &["a"]),
    ("rm a", "echo mine > a", &["a"]),
    ("mkdir n; echo x > n/x", "echo mine > n/y", &["n"]),
    ("mkdir -p n/m; echo x > n/m/x", "echo mine >> n/m/x", &["n"]),
    ("chmod 700 d", "chmod 711 d", &["d"]),
    ("echo x > d/e/n", "rm -r d/e", &["d/e"]),
    ("rm a", "ln -s z a", &["a"]),
    ("echo more >> a", "mv a q; ln -s q a", &["a"]),
    ("echo more >> a", "cp -a a q; mv q a", &["a"]),
    ("echo more >> a", "rm a; mkdir a", &["a"]),
    ("mkdir n; echo x > n/x", "mv n q; ln -s q n", &["n"]),
    ("mkdir n; echo x > n/x", "mv n/x q; ln -s ../q n/x", &["n"]),
    ("echo x > d/e/n", "mv d/e q; ln -s ../q d/e", &["d/e"]),
    ("chmod 700 d", "mv d q; ln -s q d", &["d"]),
    ("echo more >> a", "echo mine >> z", &[]),
    ("echo x > d/n", "echo mine > d/mine", &[]),
    ("echo new > .git/index; rm a", "echo refreshed > i; mv i .git/index", &[]),
];

#[test]
fn what_was_changed_since_is_not_undone() {
    for (script, since, expected) in SINCE {
        let ground = Ground::new(HOME);
        let stage = ground.staged(script);
        let id = stage.id();
        stage.commit().unwrap();
        plain(&ground.home, since);
        let before = look(&ground.home, true);
        let expected: Vec<PathBuf> = expected.iter().map(|path| ground.home.join(path)).collect();
        match ground.stages.undo(id) {
            Ok(_) => assert!(expected.is_empty(), "{script} / {since}"),
            Err(NotUndone::Changed(paths)) => {
                assert_eq!(paths, expected, "{script} / {since}");
                same(&before, &look(&ground.home, true), script);
                assert_eq!(ground.stages.held().len(), 1, "it is held as before");
            }
            Err(other) => panic!("{script} / {since}: {other}"),
        }
    }
    let ground = Ground::new(HOME);
    let stage = ground.staged("echo new > .git/index; echo x > d/n");
    let id = stage.id();
    stage.commit().unwrap();
    plain(&ground.home, "echo refreshed > i; mv i .git/index; echo mine > d/mine");
    ground.stages.undo(id).unwrap();
    assert_eq!(std::fs::read(ground.home.join(".git/index")).unwrap(), b"index\n");
    assert_eq!(std::fs::read(ground.home.join("d/mine")).unwrap(), b"mine\n");
    assert!(!ground.home.join("d/n").exists());
}

#[test]
fn effects_say_what_they_are_asked() {
    let ground = Ground::new(HOME);
    let stage = ground.staged(
        "sed -i s/one/eins/ a; rm -r d; mkdir -p n/m; printf 12345 > n/m/x; printf 12 > n/y; ln -s a n/l",
    );
    let effects = stage.effects(Budget::default()).unwrap();
    let find = |name: &str| effects.changes.iter().find(|it| it.path == ground.home.join(name)).unwrap();
    assert_eq!(find("a").diff.as_deref(), Some("@@ -1 +1 @@\n-one\n+eins\n"));
    assert!(!find("a").same);
    let below = find("d").was.as_ref().unwrap().below;
    assert_eq!((below.files, below.folders, below.bytes), (2, 1, 10));
    let below = find("n").is.as_ref().unwrap().below;
    assert_eq!((below.files, below.folders, below.bytes), (3, 1, 7));
    assert_eq!(effects.final_because, None);
    assert_eq!(find("a").was.as_ref().unwrap().owner.0, rustix::process::geteuid().as_raw());
    assert!(matches!(
        stage.effects(Budget { entries: 2, diff_bytes: 0, asked: false }),
        Err(StageError::TooMany(2))
    ));
    let written = stage.written();
    assert!(written.files >= 6 && written.bytes >= 5, "{written:?}");
    stage.discard().unwrap();
    assert_eq!(ground.stages.recover(), []);
}

#[test]
fn only_another_time_is_a_touch() {
    for (script, touched) in [
        ("touch a", true),
        ("cp -a a n; echo more >> a; mv n a; touch a", true),
        ("chmod 600 a", false),
        ("attr a user.note changed", false),
        ("echo more >> a", false),
        ("touch -h l", false),
        // A write to one name would be visible at the other.
        ("ln a n", false),
        ("cp -a a n; ln -f n a", false),
    ] {
        let ground = Ground::new("echo one > a; attr a user.note first; ln -s a l");
        let stage = ground.staged(script);
        let effects = stage.effects(Budget::default()).unwrap();
        let changed: Vec<_> = effects.changes.iter().filter(|change| change.was.is_some()).collect();
        assert_eq!(changed.len(), 1, "{script}: {changed:?}");
        assert_eq!(changed[0].touched, touched, "{script}: {changed:?}");
    }
}

#[test]
fn names_of_one_file_stay_together() {
    const HOME: &str = "echo one > a; mkdir d e; ln a d/b; ln a e/c; touch -d 2020-01-01T00:00:00.5 a; touch -d 2020-01-01 d e .; echo x > apart; \
                        touch ../kept; echo y > far; ln far ../far";
    for (script, changed, parted) in [
        ("echo more >> a", &["a", "d/b", "e/c"][..], &[][..]),
        ("echo more >> d/b; rm a", &["a", "d/b", "e/c"], &[]),
        ("echo more >> a; cat d/b > n", &["a", "d/b", "e/c", "n"], &[]),
        ("touch -d 2021-01-01 a", &["a", "d/b", "e/c"], &[]),
        ("test a -ef e/c && cat a > n", &["n"], &[]),
        ("ln a d/n; rm a", &["a", "d/b", "d/n", "e/c"], &[]),
        ("chmod 600 e/c", &["a", "d/b", "e/c"], &[]),
        (
            "cat a; echo more >> a; cat a d/b; python3 -c 'open(\"a\", \"r+\").read()'",
            &["a", "d/b", "e/c"],
            &[],
        ),
        ("touch n; ln -f n apart; cat apart", &["apart", "n"], &[]),
        ("touch -d 2021-01-01 n; mv n a; cat a", &["a"], &[]),
        ("mv a z", &["a", "d/b", "e/c", "z"], &[]),
        ("rm a", &["a"], &[]),
        ("rm a d/b e/c; echo new > a", &["a", "d/b", "e/c"], &[]),
        // A program that replaces a file breaks the link by itself.
        ("cp a n; echo more >> n; mv n a", &["a"], &[]),
        ("sed -i s/one/two/ a", &["a"], &[]),
        ("mv apart a", &["a", "apart"], &[]),
        // Its time of access is that of the file in whose place it comes.
        ("touch -a -r a apart; mv apart a", &["a", "apart"], &[]),
        ("ln apart g; echo more >> g", &["apart", "g"], &[]),
        ("echo more >> far", &["far"], &["far"]),
    ] {
        let ground = Ground::new(HOME);
        let twin = ground.clone_home("twin");
        std::fs::hard_link(twin.join("far"), ground.folder.path().join("twin-far")).unwrap();
        plain(&twin, script);
        let before = look(&ground.home, true);
        let stage = ground.staged(script);
        let effects = stage.effects(Budget::default()).unwrap();
        let told = |wanted: &dyn Fn(&guarda_core::effects::Change) -> bool| -> Vec<String> {
            let changes = effects.changes.iter().filter(|change| wanted(change));
            changes.map(|it| it.path.strip_prefix(&ground.home).unwrap().display().to_string()).collect()
        };
        assert_eq!(told(&|change| change.path.file_name().is_some()), changed, "{script}");
        assert_eq!(told(&|change| change.parted), parted, "{script}");
        let id = stage.id();
        stage.commit().unwrap();
        let after = look(&ground.home, false);
        if parted.is_empty() {
            // The store holds a name of what was replaced or removed.
            let uncounted = |mut state: std::collections::BTreeMap<_, crate::ground::Look>| {
                state.values_mut().for_each(|look| look.links = 0);
                state
            };
            let (wanted, found) = (uncounted(look(&twin, false)), uncounted(after.clone()));
            same(&wanted, &found, &format!("as without a stage: {script}"));
        }
        let undone = ground.stages.undo(id).unwrap();
        same(&before, &look(&ground.home, true), &format!("undone: {script}"));
        ground.stages.undo(undone.id).unwrap();
        same(&after, &look(&ground.home, false), &format!("done again: {script}"));
    }
}

#[test]
fn roots_that_cannot_be_staged_are_refused() {
    let ground = Ground::new(HOME);
    let begin = |roots: &[PathBuf]| ground.stages.begin(Uuid::new_v4(), roots).map(drop);
    let (home, inner) = (ground.home.clone(), ground.home.join("d"));
    assert_eq!(begin(&[home.clone(), inner.clone()]), Err(StageError::Nested(inner)));
    assert_eq!(begin(&[home.join("a")]), Err(StageError::Root(home.join("a"))));
    assert_eq!(begin(&[home.join("none")]), Err(StageError::Root(home.join("none"))));
    std::os::unix::fs::symlink("d", home.join("link")).unwrap();
    assert_eq!(begin(&[home.join("link")]), Err(StageError::Root(home.join("link"))));
    assert!(matches!(begin(&["/dev".into()]), Err(StageError::Mounted(_))));
    let id = Uuid::new_v4();
    let _stage = ground.stages.begin(id, std::slice::from_ref(&home)).unwrap();
    assert_eq!(ground.stages.begin(id, &[home]).map(drop), Err(StageError::Twice(id)));
}

#[test]
fn the_guards_own_folders_are_no_part_of_the_tree() {
    let ground = Ground::new(HOME);
    // The whole temporary folder is the root, so the state folder lies in it.
    let root = ground.folder.path().canonicalize().unwrap();
    let stage = ground.stages.begin(Uuid::new_v4(), std::slice::from_ref(&root)).unwrap();
    run(&stage, "echo x > home/n; echo forged > state/forged");
    let effects = stage.effects(Budget::default()).unwrap();
    let paths: Vec<&Path> = effects.changes.iter().map(|it| it.path.strip_prefix(&root).unwrap()).collect();
    assert_eq!(paths, [Path::new("home/n")]);
    let id = stage.id();
    stage.commit().unwrap();
    assert!(!root.join("state/forged").exists() && root.join("home/n").exists());
    ground.stages.undo(id).unwrap();
    assert!(!root.join("home/n").exists());

    plain(&root, "mkdir -p deep; mkdir -m 700 deep/extra");
    let extra = Some(root.join("deep/extra"));
    let stages = Stages::open(StagesConfig { extra, ..config(&root.join("state")) }).unwrap();
    let stage = stages.begin(Uuid::new_v4(), std::slice::from_ref(&root)).unwrap();
    run(&stage, "rm -rf deep");
    let guarded = StageError::Guarded(root.join("deep"));
    assert_eq!(stage.effects(Budget::default()), Err(guarded.clone()));
    assert_eq!(stage.commit(), Err(guarded.into()));
    assert!(root.join("deep/extra").exists());
}

#[test]
fn a_stage_lies_on_the_file_system_of_its_root() {
    let shm = Path::new("/dev/shm");
    let device = |path: &Path| std::os::unix::fs::MetadataExt::dev(&std::fs::metadata(path).unwrap());
    let ground = Ground::new(HOME);
    if !shm.is_dir() || device(shm) == device(&ground.home) {
        eprintln!("SKIPPED: /dev/shm is no other file system");
        return;
    }
    let other = tempfile::tempdir_in(shm).unwrap();
    let beside = other.path().join(format!(".guarda-costas-{}", rustix::process::geteuid().as_raw()));
    let root = other.path().join("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a"), "one\n").unwrap();
    let (roots, id) = ([ground.home.clone(), root.clone()], Uuid::now_v7());
    let stage = ground.stages.begin(id, &roots).unwrap();
    assert!(stage.roots()[1].upper.starts_with(&beside));
    run(&stage, &format!("echo more >> a; echo two >> {}/a", root.display()));
    stage.commit().unwrap();
    assert_eq!(std::fs::read(root.join("a")).unwrap(), b"one\ntwo\n");
    ground.stages.undo(id).unwrap();
    assert_eq!(std::fs::read(root.join("a")).unwrap(), b"one\n");
    assert_eq!(ground.stages.sweep(now() + 8 * 86400), Ok(1));
    assert_eq!(std::fs::read_dir(&beside).unwrap().count(), 0);

    // Two guards of one user may use one folder: neither takes the other's stages for dead ones.
    let extra = other.path().join("extra");
    plain(other.path(), "mkdir -m 700 extra");
    let guards = ["one", "two"].map(|name| {
        let state = ground.folder.path().join(name);
        plain(ground.folder.path(), &format!("mkdir -m 700 {name}"));
        Stages::open(StagesConfig { extra: Some(extra.clone()), ..config(&state) }).unwrap()
    });
    let stage = guards[0].begin(Uuid::now_v7(), std::slice::from_ref(&root)).unwrap();
    assert!(stage.roots()[0].upper.starts_with(&extra));
    let within = stage.roots()[0].upper.ancestors().nth(3).unwrap().to_owned();
    run(&stage, "echo three > a");
    assert_eq!(guards[1].recover(), []);
    let id = stage.id();
    stage.commit().unwrap();
    assert_eq!(guards[1].recover(), []);
    guards[0].undo(id).unwrap();
    assert_eq!(std::fs::read(root.join("a")).unwrap(), b"one\n");

    // A replacement of a guard's folder leads nowhere.
    guards[0].sweep(now() + 8 * 86400).unwrap();
    let elsewhere = other.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &within).unwrap();
    let begun = guards[0].begin(Uuid::now_v7(), std::slice::from_ref(&root));
    assert!(matches!(begun, Err(StageError::NoPlace(_))), "{begun:?}");
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn old_versions_are_swept_and_put_beside() {
    let ground =
        Ground::new("mkdir d; for i in 1 2 3; do head -c 1000000 /dev/urandom > $i; done; echo x > d/x");
    let limited = StagesConfig { most_bytes: 2_500_000, ..config(&ground.folder.path().join("state")) };
    let stages = Stages::open(limited).unwrap();
    let mut ids = Vec::new();
    for number in 1..=3 {
        let stage = stages.begin(Uuid::now_v7(), std::slice::from_ref(&ground.home)).unwrap();
        run(&stage, &format!("echo new > {number}; echo y > d/x"));
        ids.push(stage.id());
        stage.commit().unwrap();
        let_pass(1100, "they are a second apart in age");
    }
    let beside = ground.folder.path().join("beside");
    std::fs::create_dir(&beside).unwrap();
    assert_eq!(stages.beside(ids[2], &beside.canonicalize().unwrap()), Ok(2));
    assert_eq!(std::fs::metadata(beside.join("home/3")).unwrap().len(), 1_000_000);
    let shared = ground.folder.path().join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, std::os::unix::fs::PermissionsExt::from_mode(0o1777)).unwrap();
    assert_eq!(stages.beside(ids[2], &shared), Err(NotUndone::Shared(shared)));
    assert_eq!(stages.beside(ids[2], "/tmp".as_ref()), Err(NotUndone::Shared("/tmp".into())));
    assert_eq!(std::fs::read(beside.join("home/d/x")).unwrap(), b"y\n");
    assert_eq!(stages.sweep(now()), Ok(1), "the oldest does not fit");
    let held: Vec<Uuid> = stages.held().iter().map(|held| held.id).collect();
    assert_eq!(held, [ids[2], ids[1]]);
    assert_eq!(stages.undo(ids[0]), Err(NotUndone::Unknown(ids[0])));
    assert_eq!(stages.sweep(now() + 8 * 86400), Ok(2));
    assert_eq!(stages.held(), []);
    let quick = StagesConfig { keep: Duration::ZERO, ..config(&ground.folder.path().join("state")) };
    let stages = Stages::open(quick).unwrap();
    let stage = stages.begin(Uuid::now_v7(), std::slice::from_ref(&ground.home)).unwrap();
    run(&stage, "echo newer > 1");
    let id = stage.id();
    stage.commit().unwrap();
    let_pass(2100, "it is past its time");
    assert_eq!(stages.undo(id), Err(NotUndone::Expired(id)));
    stages.sweep(now()).unwrap();
    assert_eq!(stages.undo(id), Err(NotUndone::Expired(id)));
}

/// Runs with room for 1 MiB.
fn with_little_room(ground: &Ground) -> Stages {
    let limited = StagesConfig { most_bytes: 1 << 20, ..config(&ground.folder.path().join("state")) };
    Stages::open(limited).unwrap()
}

#[test]
fn what_is_too_much_is_final() {
    let ground = Ground::new("head -c 3000000 /dev/urandom > big");
    let stages = with_little_room(&ground);
    let stage = stages.begin(Uuid::now_v7(), std::slice::from_ref(&ground.home)).unwrap();
    run(&stage, "rm big");
    let why = Some(guarda_core::effects::NO_ROOM.to_owned());
    assert_eq!(stage.effects(Budget::default()).unwrap().final_because, why);
    assert_eq!(stage.commit().unwrap().final_because, why);
    assert!(!ground.home.join("big").exists());
    assert_eq!(stages.held(), []);
    assert_eq!(std::fs::read_dir(ground.folder.path().join("state/stages")).unwrap().count(), 1);
    std::fs::write(ground.home.join("big"), vec![b'x'; 3_000_000]).unwrap();
    let kept = stages.keep(Uuid::now_v7(), &[(ground.home.join("big"), Fate::Written)]);
    assert!(matches!(kept, Err(NotKept::TooMuch(_))), "{kept:?}");
    assert_eq!(std::fs::read_dir(ground.folder.path().join("state/stages")).unwrap().count(), 1);
}

/// Runs a script for a session, and commits it if nobody has to be asked about what cannot be undone. Returns its id.
fn unasked(stages: &Stages, ground: &Ground, session: &str, script: &str, asked: bool) -> Option<Uuid> {
    let stage = stages.begin(Uuid::now_v7(), std::slice::from_ref(&ground.home)).unwrap();
    stage.note(&Note { session: session.to_owned(), ..Note::default() }).unwrap();
    run(&stage, script);
    let id = stage.id();
    if stage.effects(Budget { asked, ..Budget::default() }).unwrap().final_because.is_some() {
        stage.discard().unwrap();
        return None;
    }
    if asked {
        stage.give_way().unwrap();
    }
    assert_eq!(stage.commit().unwrap().final_because, None, "{script}");
    stages.sweep(now()).unwrap();
    Some(id)
}

/// What was let through because it can be undone stays, whatever is done later: the new deed is the one that cannot be undone.
#[test]
fn no_later_deed_pushes_a_promise_out() {
    let ground = Ground::new(
        "for i in 1 2 3; do head -c 100000 /dev/urandom > doc$i; done; for i in 1 2 3 4 5; do head -c 300000 /dev/urandom > big$i; done; \
         mkdir -p target && head -c 300000 /dev/urandom > target/o",
    );
    let limited = StagesConfig { most_bytes: 1_300_000, ..config(&ground.folder.path().join("state")) };
    let stages = Stages::open(limited).unwrap();
    let mut told = Vec::new();
    let mut first = None;
    for (number, (session, script, asked, done)) in [
        ("s", "rm doc*", false, true),
        // The session's own junk is no promise, and neither is what is built again.
        ("s", "head -c 800000 /dev/urandom > fill", false, true),
        ("s", "rm fill", false, true),
        ("s", "echo new > target/o", false, true),
        // One session may not take all of the room.
        ("s", "rm big1", false, true),
        ("s", "mv big2 big1", false, false),
        ("s", "echo x >> big2", false, false),
        ("t", "rm big2", false, true),
        ("u", "truncate -s 0 big3", false, true),
        // About 80,000 bytes are left.
        ("v", "rm big4", false, false),
        ("v", "cp big5 big4", false, false),
        ("w", "rm big4", true, false),
        ("w", "echo a > new", false, true),
    ]
    .into_iter()
    .enumerate()
    {
        let id = unasked(&stages, &ground, session, script, asked);
        assert_eq!(id.is_some(), done, "{number}: {script} {told:?}");
        told.push(script);
        first = first.or(id);
    }
    // What a person approved gives way, the oldest first, and never a promise.
    for script in ["head -c 60000 /dev/urandom > x", "rm x", "head -c 70000 /dev/urandom > y", "rm y"] {
        assert!(unasked(&stages, &ground, "p", script, true).is_some(), "{script}");
    }
    let held = stages.held();
    assert!(held.iter().any(|held| Some(held.id) == first), "{held:?}");
    // What was dropped in between cannot be undone; each promise can.
    for one in held {
        let _ = stages.undo(one.id);
    }
    let back = |path: &str| std::fs::read(ground.home.join(path)).unwrap().len();
    assert_eq!(
        (back("doc1"), back("doc3"), back("big1"), back("big3")),
        (100_000, 100_000, 300_000, 300_000)
    );
}

#[test]
fn what_cannot_be_begun_leaves_nothing_behind() {
    let ground = Ground::new("echo one > a; mkdir cache; chmod 000 cache");
    let (id, cache) = (Uuid::now_v7(), ground.home.join("cache"));
    let roots = [ground.folder.path().join("work")];
    std::fs::create_dir(&roots[0]).unwrap();
    let begun = ground.stages.begin(id, &roots).unwrap().with_scratch(std::slice::from_ref(&cache));
    assert!(begun.unwrap_err().to_string().starts_with(&format!("opening {}", cache.display())));
    let noted = std::fs::read_dir(ground.folder.path().join("state/stages")).unwrap();
    let noted: Vec<_> = noted.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(noted, ["probe"]);
    // The same deed is then done without staging.
    let kept = ground.stages.keep(id, &[(ground.home.join("a"), Fate::Removed)]).unwrap();
    std::fs::remove_file(ground.home.join("a")).unwrap();
    assert_eq!(kept.done(), Ok(Left::Held));
    ground.stages.undo(id).unwrap();
    assert_eq!(std::fs::read_to_string(ground.home.join("a")).unwrap(), "one\n");
}

#[test]
fn an_undo_of_too_much_is_final() {
    let ground = Ground::new("echo one > a");
    let stages = with_little_room(&ground);
    let stage = stages.begin(Uuid::now_v7(), std::slice::from_ref(&ground.home)).unwrap();
    run(&stage, "head -c 3000000 /dev/urandom > big");
    let id = stage.id();
    assert_eq!(stage.commit().unwrap().final_because, None);
    let why = Some(guarda_core::effects::NO_ROOM.to_owned());
    assert_eq!(stages.undoing(id).unwrap().final_because, why);
    assert_eq!(stages.undo(id).unwrap().final_because, why);
    assert!(!ground.home.join("big").exists());
    stages.sweep(now()).unwrap();
    assert_eq!(stages.held(), []);
}

type Deed = (&'static [(&'static str, Fate)], &'static str, bool);

/// What is kept and how, the deed, and whether anything is held afterwards.
const DEEDS: &[Deed] = &[
    (&[("a", Fate::Removed)], "rm a", true),
    (&[("d", Fate::Removed)], "rm -r d", true),
    (&[("d", Fate::Written)], "rm d/e/c", true),
    (&[("a", Fate::Written)], "echo other > a", true),
    (&[("a", Fate::Written)], "echo other > n; mv n a", true),
    (&[("a", Fate::Written)], "chmod 600 a", true),
    (&[("x/y/z", Fate::Written)], "mkdir -p x/y; echo z > x/y/z", true),
    (&[("a", Fate::Removed), ("d/a", Fate::Written)], "mv a d/a", true),
    (&[("a", Fate::Removed), ("d/b", Fate::Written)], "mv a d/b", true),
    (&[("s", Fate::Written)], "truncate -s 1M s; truncate -s 9M s", true),
    (&[("d", Fate::Written), ("d/b", Fate::Written)], "rm -r d; echo x > d", true),
    (&[("a", Fate::Written)], "true", false),
    (&[("a", Fate::Removed)], "true", false),
    (&[("d", Fate::Removed)], "cat d/b", false),
    (&[("n", Fate::Written)], "true", false),
    (&[("a", DRESSED)], "chmod 600 a; touch -d 2001-01-01 a", true),
    (&[("d", ALL_DRESSED)], "chmod -R go= d; touch -h -d 2001-01-01 d/l d/e", true),
    (&[("d", ALL_DRESSED)], "chmod 000 d/b d/e; chmod 311 d", true),
    (&[("d", ALL_DRESSED), ("d/e/c", Fate::Copied)], "chmod -R 700 d; echo x > d/e/c; rm d/e/c", true),
    (&[("d", DRESSED), ("d/e", Fate::Removed)], "chmod 700 d; rm -r d/e", true),
    (&[("d", ALL_DRESSED)], "true", false),
];
const DRESSED: Fate = Fate::Dressed { below: false };
const ALL_DRESSED: Fate = Fate::Dressed { below: true };

#[test]
fn of_what_gets_other_attributes_nothing_is_copied() {
    let ground = Ground::new("mkdir d; echo text > d/b; ln d/b d/c; truncate -s 3G d/big; chmod 640 d/*");
    let (id, path) = (Uuid::now_v7(), ground.home.join("d/b"));
    let before = look(&ground.home, true);
    let kept = ground.stages.keep(id, &[(ground.home.join("d"), ALL_DRESSED)]).unwrap();
    plain(&ground.home, "chmod -R 700 d");
    assert_eq!(kept.done(), Ok(Left::Held));
    let held = ground.stages.held().remove(0);
    assert_eq!((held.old.bytes, held.paths.len()), (0, 4), "{held:?}");
    // Later writes stay; the mode is still restored.
    std::fs::write(&path, "other\n").unwrap();
    // Another file in its place does not get them.
    let aside = ground.home.join("aside");
    std::fs::rename(&path, &aside).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
    assert_eq!(ground.stages.undo(id), Err(NotUndone::Changed(vec![path.clone()])));
    std::fs::rename(&aside, &path).unwrap();
    ground.stages.undo(id).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "other\n");
    let modes = |found: BTreeMap<PathBuf, Look>| -> Vec<_> {
        found.into_iter().map(|(path, look)| (path, look.mode)).collect()
    };
    assert_eq!(modes(look(&ground.home, true)), modes(before));
}

#[test]
fn deeds_that_are_not_staged_can_be_undone() {
    for (paths, deed, held) in DEEDS {
        for crash in [false, true] {
            let ground = Ground::new(&format!(
                "{HOME}; truncate -s 5M s; printf x | dd of=s bs=1 seek=4000000 conv=notrunc 2>/dev/null; \
                 attr a user.k v; mkfifo d/p; ln -s b d/l; ln d/b d/e/b; touch -d 2021-01-01 d/e d ."
            ));
            let before = look(&ground.home, true);
            let id = Uuid::now_v7();
            let paths: Vec<_> = paths.iter().map(|(path, fate)| (ground.home.join(path), *fate)).collect();
            let kept = ground.stages.keep(id, &paths).unwrap_or_else(|e| panic!("{deed}: {e}"));
            plain(&ground.home, deed);
            // A file that is kept under another name has one link more.
            let unlinked = |mut found: BTreeMap<PathBuf, Look>| {
                found.values_mut().for_each(|look| look.links = 0);
                found
            };
            let after = unlinked(look(&ground.home, true));
            if crash {
                drop(kept);
                let recovered = ground.stages.recover().into_iter().map(|recovery| recovery.what);
                assert_eq!(recovered.collect::<Vec<_>>(), [Recovered::Kept(id)], "{deed}");
            } else {
                let left = if *held { Left::Held } else { Left::Unchanged };
                assert_eq!(kept.done(), Ok(left), "{deed}");
            }
            let now = unlinked(look(&ground.home, true));
            same(&after, &now, &format!("{deed}: nothing but the deed was done"));
            assert_eq!(ground.stages.held().len(), usize::from(*held), "{deed}");
            if *held {
                let moved = deed.starts_with("mv");
                let before = if moved { unlinked(before) } else { before };
                let old = |home: &Path| if moved { unlinked(look(home, true)) } else { look(home, true) };
                let undone = ground.stages.undo(id).unwrap_or_else(|e| panic!("{deed}: {e}"));
                same(&before, &old(&ground.home), &format!("{deed}: undone"));
                ground.stages.undo(undone.id).unwrap_or_else(|e| panic!("{deed}: {e}"));
                same(&after, &unlinked(look(&ground.home, true)), &format!("{deed}: done again"));
            }
        }
    }
}

#[test]
fn what_was_written_and_not_removed_is_lost_and_says_so() {
    let ground = Ground::new(HOME);
    let path = ground.home.join("a");
    let kept = ground.stages.keep(Uuid::now_v7(), &[(path.clone(), Fate::Removed)]).unwrap();
    plain(&ground.home, "echo other > a");
    assert_eq!(kept.done(), Ok(Left::Lost(path)));
    assert_eq!(ground.stages.held(), []);
    let state = [(ground.folder.path().canonicalize().unwrap(), Fate::Removed)];
    assert!(matches!(
        ground.stages.keep(Uuid::now_v7(), &state),
        Err(NotKept::Stage(StageError::Guarded(_)))
    ));
}
