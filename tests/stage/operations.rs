//! Single operations: the report is right, and the commit leaves the same tree as the operation itself.

use crate::ground::{Ground, look, plain, same, told};
use guarda_sandbox::stage::{Budget, NotUndone};

const HOME: &str = "mkdir -p d/e; echo one > a; echo two > d/b; echo three > d/e/c; ln -s a l; chmod 640 a; \
                    touch -d 2020-01-01 a d/b d/e/c; touch -d 2021-01-01 d/e d .";

/// The operation, and its reported changes.
const OPERATIONS: &[(&str, &[&str])] = &[
    ("true", &[]),
    ("cat a > /dev/null; exec 3<>a", &[]),
    ("echo x > x; rm x", &[]),
    ("echo new > n", &["created n"]),
    ("echo more >> a", &["changed a"]),
    ("sed -i s/one/eins/ a", &["changed a"]),
    ("rm a", &["deleted a"]),
    ("mv a z", &["deleted a", "renamed z <- a"]),
    ("mv a d/b", &["deleted a", "changed d/b"]),
    ("mkdir n", &["created n"]),
    ("mkdir -p n/m; echo x > n/m/y", &["created n"]),
    ("rm d/e/c; rmdir d/e", &["deleted d/e"]),
    ("rm -r d", &["deleted d"]),
    ("mv d f", &["deleted d", "renamed f <- d"]),
    ("chmod 600 a", &["attributes a"]),
    ("chmod 700 d", &["attributes d"]),
    ("chmod 2755 d; chmod 4755 a", &["attributes a", "attributes d"]),
    ("touch -d 2019-05-05 a", &["attributes a"]),
    ("touch -d 2019-05-05 d", &["attributes d"]),
    ("ln -s d/b m", &["created m"]),
    ("ln -sfn d l", &["changed l"]),
    ("ln a h", &["attributes a", "created h"]),
    ("mkfifo p", &["created p"]),
    ("truncate -s 5M s; printf x | dd of=s bs=1 seek=3000000 conv=notrunc 2>/dev/null", &["created s"]),
    ("attr a user.k v", &["attributes a"]),
    ("attr d user.k v", &["attributes d"]),
    ("attr a user.overlay.k v; attr d user.overlay.opaque y", &["attributes a", "attributes d"]),
    ("mkdir n; attr n user.overlay.opaque y", &["created n"]),
    ("rm a; mkdir a; echo x > a/x", &["replaced a"]),
    ("rm -r d; echo x > d", &["replaced d"]),
    ("rm -r d; mkdir d; chmod 755 d; echo x > d/b", &["changed d/b", "deleted d/e"]),
    ("rm -r d; mkdir -p d/e; echo three > d/e/c; touch -d 2020-01-01 d/e/c", &["deleted d/b"]),
    ("rm l; echo x > l", &["replaced l"]),
    (
        "echo x > $'new\\nline'; echo y > $'\\xff\\xfe'; mkdir ' '",
        &["created  ", "created new\nline", "created \u{fffd}\u{fffd}"],
    ),
    ("mkdir n; chmod 555 n; chmod 555 d", &["attributes d", "created n"]),
    ("echo x > n; chmod 000 n; chmod 000 a", &["attributes a", "created n"]),
    ("chmod 555 d; rm d/e/c; echo x > d/e/n", &["attributes d", "deleted d/e/c", "created d/e/n"]),
    ("chmod 000 d/e; chmod 000 d", &["attributes d", "attributes d/e"]),
    ("chmod 750 .", &["attributes "]),
    ("for i in 1 2 3; do mkdir -p q/$i; cd q/$i; done; echo x > y", &["created q"]),
    ("rm -r d; mv a d", &["deleted a", "replaced d"]),
];

#[test]
fn each_is_told_and_committed() {
    for (script, expected) in OPERATIONS {
        let ground = Ground::new(HOME);
        let clone = ground.clone_home("clone");
        plain(&clone, script);
        let before = look(&ground.home, true);
        let stage = ground.staged(script);
        same(&before, &look(&ground.home, true), script);
        let effects = stage.effects(Budget::default()).unwrap_or_else(|e| panic!("{script}: {e}"));
        let mut told: Vec<String> = effects.changes.iter().map(|change| told(change, &ground.home)).collect();
        let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        told.sort();
        expected.sort();
        assert_eq!(told, expected, "{script}");
        let id = stage.id();
        let committed = stage.commit().unwrap_or_else(|e| panic!("{script}: {e}"));
        same(&look(&clone, false), &look(&ground.home, false), script);
        if committed.names == 0 && told.is_empty() {
            continue;
        }
        let after = look(&ground.home, true);
        let undone = ground.stages.undo(id).unwrap_or_else(|e| panic!("{script}: {e}"));
        same(&before, &look(&ground.home, true), &format!("undone: {script}"));
        assert_eq!(ground.stages.undo(id), Err(NotUndone::Unknown(id)), "{script}");
        let again = ground.stages.undo(undone.id).unwrap_or_else(|e| panic!("{script}: {e}"));
        same(&after, &look(&ground.home, true), &format!("done again: {script}"));
        ground.stages.undo(again.id).unwrap_or_else(|e| panic!("{script}: {e}"));
        same(&before, &look(&ground.home, true), &format!("undone again: {script}"));
        assert_eq!(ground.stages.recover(), [], "{script}");
    }
}

/// An operation, and the effects of its undo.
const UNDOING: &[(&str, &[&str])] = &[
    ("mv a z", &["renamed a <- z", "deleted z"]),
    ("mv d f", &["renamed d <- f", "deleted f"]),
    ("mv a d/e/a", &["renamed a <- d/e/a", "deleted d/e/a"]),
    ("mv a z; echo more >> z", &["created a", "deleted z"]),
    ("rm a", &["created a"]),
    ("echo x > n", &["deleted n"]),
    ("mv a d/b", &["created a", "changed d/b"]),
];

#[test]
fn an_undo_says_what_it_moves_back() {
    for (script, expected) in UNDOING {
        let ground = Ground::new(HOME);
        let stage = ground.staged(script);
        let id = stage.id();
        stage.commit().unwrap();
        let telling = |id| -> Vec<String> {
            let effects = ground.stages.undoing(id).unwrap();
            effects.changes.iter().map(|change| told(change, &ground.home)).collect()
        };
        assert_eq!(telling(id), *expected, "{script}");
        let undone = ground.stages.undo(id).unwrap();
        let again = telling(undone.id);
        let renamed = |line: &str| line.starts_with("renamed");
        let count = expected.iter().filter(|line| renamed(line)).count();
        assert_eq!(again.iter().filter(|line| renamed(line)).count(), count, "{script}: {again:?}");
    }
}

/// With `GUARDA_STAGE_MANY` set.
#[test]
fn a_hundred_thousand_files_are_committed_and_undone() {
    if std::env::var_os("GUARDA_STAGE_MANY").is_none() {
        return;
    }
    let make = "for i in $(seq 100); do mkdir $i; for j in {1..1000}; do echo x > $i/$j; done; done";
    let ground = Ground::new(make);
    let script = "for i in $(seq 100); do for j in {1..500}; do echo y > $i/$j; done; done; \
                  for i in $(seq 100); do for j in {501..1000}; do rm $i/$j; done; done; \
                  mkdir n; cd n; for j in {1..50000}; do echo z > $j; done";
    let before = look(&ground.home, true);
    let stage = ground.staged(script);
    let id = stage.id();
    let effects = stage.effects(Budget::default()).unwrap();
    assert_eq!(effects.changes.len(), 100_001);
    assert_eq!(stage.commit().unwrap().names, 100_001);
    assert_eq!(std::fs::read_dir(ground.home.join("n")).unwrap().count(), 50_000);
    ground.stages.undo(id).unwrap();
    same(&before, &look(&ground.home, true), "undone");
}

/// With `GUARDA_STAGE_MANY` set: a file of 2 GiB is changed in place, renamed, and deleted beside a new one.
#[test]
fn two_gibibytes_are_committed_and_undone() {
    if std::env::var_os("GUARDA_STAGE_MANY").is_none() {
        return;
    }
    let sum = |home: &std::path::Path, name: &str| {
        let output = std::process::Command::new("sha256sum").arg(home.join(name)).output().unwrap();
        String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
    };
    let ground = Ground::new("head -c 2G /dev/urandom > big");
    let before = sum(&ground.home, "big");
    for (script, name) in [
        ("printf x | dd of=big bs=1 seek=1G conv=notrunc 2>/dev/null", "big"),
        ("mv big other", "other"),
        ("rm big; head -c 2G /dev/zero | tr '\\0' y > new", "new"),
    ] {
        let begun = std::time::Instant::now();
        let stage = ground.staged(script);
        let id = stage.id();
        let ran = begun.elapsed();
        stage.effects(Budget::default()).unwrap();
        let told = begun.elapsed();
        stage.commit().unwrap();
        let committed = begun.elapsed();
        assert_eq!(ground.home.join(name).metadata().unwrap().len(), 2 << 30, "{script}");
        assert_ne!((sum(&ground.home, name), name), (before.clone(), "big"), "{script}");
        let again = std::time::Instant::now();
        ground.stages.undo(id).unwrap();
        println!(
            "{script}: ran {ran:?}, told {:?}, committed {:?}, undone {:?}",
            told - ran,
            committed - told,
            again.elapsed()
        );
        assert_eq!(sum(&ground.home, "big"), before, "{script}");
        assert_eq!(std::fs::read_dir(&ground.home).unwrap().count(), 1, "{script}");
    }
}

/// Homes and operations that a commit needs more rights for than the user has by the modes, when a part of it is done already.
const WITH_MORE_RIGHTS: &[(&str, &str)] = &[
    ("true", "mkdir n; for f in a b; do echo x > n/$f; attr n/$f user.overlay.k v; done; chmod 000 n/b"),
    ("mkdir d; chmod 555 d", "echo x > a; attr a user.overlay.k v; echo new > d/n"),
    (
        "echo x > a; mkdir d; chmod 555 d",
        "attr a user.overlay.opaque y; mv a d/a; mkdir d/n; attr d/n user.overlay.k v",
    ),
    (
        "mkdir -p d/e; echo x > d/e/f; chmod 555 d",
        "rm -r d/e; mkdir d/e; echo y > d/e/g; attr d/e user.overlay.k v",
    ),
];

#[test]
fn what_is_done_with_more_rights_is_done_once() {
    for (home, script) in WITH_MORE_RIGHTS {
        let ground = Ground::new(home);
        let clone = ground.clone_home("clone");
        plain(&clone, script);
        let before = look(&ground.home, true);
        let stage = ground.staged(script);
        let id = stage.id();
        stage.commit().unwrap_or_else(|e| panic!("{script}: {e}"));
        same(&look(&clone, false), &look(&ground.home, false), script);
        ground.stages.undo(id).unwrap_or_else(|e| panic!("{script}: {e}"));
        same(&before, &look(&ground.home, true), &format!("undone: {script}"));
    }
}

/// Attributes that look like those of an overlay, as an archive may contain them, and operations there.
#[test]
fn a_tree_with_attributes_like_the_overlays_own_is_staged_as_any_other() {
    // Whether the run sees the same as a plain one: the kernel hides its own attributes, or refuses their
    // effect.
    let homes = [
        (true, "attr d user.overlay.opaque y; attr d/e user.overlay.opaque y"),
        (
            true,
            "attr d user.overlay.overlay.k v; attr d/e user.overlay.k v; attr d/e user.overlay.overlay.k w",
        ),
        (false, "attr d user.overlay.opaque x; : > d/b; attr d/b user.overlay.whiteout y"),
        (false, "attr d user.overlay.redirect /etc; attr d/e user.overlay.redirect ../.."),
        (false, "attr a user.overlay.metacopy x"),
        (
            false,
            "attr a user.overlay.origin x; attr d/b user.overlay.nlink U+1; attr d user.overlay.impure y",
        ),
    ];
    let scripts = [
        "echo more >> a; echo x > d/n",
        "rm -rf d; mkdir d; echo y > d/z",
        "mkdir d/f; mv a z; mv d/b d/f",
        "chmod 700 d d/e; touch -d 2019-05-05 a",
        "find . -name b -delete; echo x > d/e/c",
        "attr d user.overlay.z q; chmod 711 d/e",
    ];
    for (same_seen, home) in homes {
        for script in scripts {
            let what = format!("{home}\n{script}");
            let ground = Ground::new(&format!("{HOME}; {home}"));
            let clone = ground.clone_home("clone");
            let before = look(&ground.home, true);
            let stage = ground.staged(&format!("({script}) 2>/dev/null || true"));
            let id = stage.id();
            stage.effects(Budget::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
            stage.commit().unwrap_or_else(|e| panic!("{what}: {e}"));
            if same_seen {
                plain(&clone, script);
                same(&look(&clone, false), &look(&ground.home, false), &what);
            }
            if !ground.stages.held().is_empty() {
                ground.stages.undo(id).unwrap_or_else(|e| panic!("{what}: {e}"));
            }
            same(&before, &look(&ground.home, true), &format!("undone: {what}"));
        }
    }
}

#[test]
fn a_file_that_is_changed_or_moved_keeps_attributes_named_like_the_overlays_own() {
    for home in [
        "attr a user.overlay.overlay.k v",
        "attr a user.overlay.k v",
        "attr a user.overlay.k v; attr a user.overlay.overlay.k w; attr a user.overlay.overlay.overlay.k x",
    ] {
        for script in [
            "echo more >> a",
            "chmod 600 a; attr a user.z q",
            "attr a user.overlay.z q",
            "echo x > n; mv d/b z",
            "mv a z",
            "mv a d/e/z; rm d/b",
            "mkdir -p n/m; mv a n/m/z",
            "mkdir n; mv d/b n; mv a n/a",
            "mv a z; echo more >> z; chmod 600 z",
            "mkdir n; mv a n/b; echo more >> n/b",
            "mv a d/b",
            "mv a d/b; chmod 600 d/b",
            "rm -r d; mkdir d; mv a d/b",
            "ln a h; attr a user.overlay.z q",
            "mv a z; ln z h; echo x > a",
        ] {
            let what = format!("{home}\n{script}");
            let ground = Ground::new(&format!("{HOME}; {home}"));
            let clone = ground.clone_home("clone");
            let before = look(&ground.home, true);
            let stage = ground.staged(script);
            let id = stage.id();
            stage.commit().unwrap_or_else(|e| panic!("{what}: {e}"));
            plain(&clone, script);
            same(&look(&clone, false), &look(&ground.home, false), &what);
            ground.stages.undo(id).unwrap_or_else(|e| panic!("{what}: {e}"));
            same(&before, &look(&ground.home, true), &format!("undone: {what}"));
        }
    }
}
