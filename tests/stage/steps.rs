//! Undo step by step: random deeds of every kind on the same few paths, undone and done again in the order of a stack.
//! `GUARDA_STAGE_SEQUENCES` is their number, `GUARDA_STAGE_SEED` the first seed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use guarda_sandbox::stage::{After, Fate, Left, NotUndone};
use uuid::Uuid;

use crate::generated::Dice;
use crate::ground::{Ground, Look, look, plain, same};

type Tree = BTreeMap<PathBuf, Look>;

/// The state of a home. The times of folders change with their names, and a version that is kept may be another name of a
/// file.
fn tree(home: &Path) -> Tree {
    let mut found = look(home, true);
    for look in found.values_mut() {
        look.modified = look.modified.filter(|_| look.kind != 0o040_000);
        look.links = 0;
    }
    found
}

const FILES: &[&str] = &["idea.md", "b", "d/c", "d/e/f", "n/x"];
const PATHS: &[&str] = &["idea.md", "b", "d", "d/c", "d/e", "d/e/f", "n", "n/x"];

/// A change by a staged run.
fn change(dice: &mut Dice) -> String {
    let (file, path) = (dice.one(FILES), dice.one(PATHS));
    let number = dice.below(1000);
    let made = "mkdir -p d/e n 2>/dev/null; true";
    match dice.below(9) {
        0..=2 => format!("{made}; echo {number} >> {file}"),
        3 => format!("{made}; echo {number} > {file}.new; mv -f {file}.new {file}"),
        4 => format!("rm -rf {path}"),
        5 => format!("{made}; chmod 6{}0 {file}", dice.below(8)),
        6 => format!("{made}; mkdir -p n/{number}; echo {number} > n/{number}/y"),
        7 => format!("rm -rf {file}; mkdir -p {file}; echo {number} > {file}/in"),
        _ => format!("mv {path} {path}{number}"),
    }
}

struct Deed {
    id: Uuid,
    before: Tree,
    after: Tree,
    what: String,
}

/// Does something, and returns its id if it can be undone.
fn deed(ground: &Ground, dice: &mut Dice) -> (Option<Uuid>, String) {
    let id = Uuid::now_v7();
    let home = |path: &str| ground.home.join(path);
    match dice.below(6) {
        0..=2 => {
            let script = format!("set +e; {{ {}; }} 2>/dev/null; true", change(dice));
            let stage = ground.stages.begin(id, std::slice::from_ref(&ground.home)).unwrap();
            crate::ground::run(&stage, &script);
            let names = stage.commit().unwrap_or_else(|error| panic!("{script}: {error}")).names;
            let held = names > 0 || ground.stages.held().iter().any(|held| held.id == id);
            (held.then_some(id), script)
        }
        3 => {
            let path = dice.one(PATHS);
            let kept = ground.stages.keep(id, &[(home(path), Fate::Removed)]).unwrap();
            plain(&ground.home, &format!("rm -rf {path}"));
            ((kept.done().unwrap() == Left::Held).then_some(id), format!("delete {path}"))
        }
        4 => {
            let (path, number) = (dice.one(PATHS), dice.below(1000));
            let to = format!("m{number}");
            let paths = [(home(path), Fate::Removed), (home(&to), Fate::Written)];
            let kept = ground.stages.keep(id, &paths).unwrap();
            plain(&ground.home, &format!("[ ! -e {path} ] || mv {path} {to}"));
            ((kept.done().unwrap() == Left::Held).then_some(id), format!("move {path} {to}"))
        }
        _ => {
            let file = dice.one(&["idea.md", "b"]);
            if home(file).is_dir() {
                return (None, String::new());
            }
            let text = format!("told {}\n", dice.below(1000));
            ground.stages.announce(id, "s", &[(home(file), After::of(text.as_bytes()))]).unwrap();
            let mode = std::fs::metadata(home(file)).map(|found| found.permissions());
            std::fs::write(home(file), text).ok();
            drop(mode);
            let held = ground.stages.held().iter().any(|held| held.id == id);
            (held.then_some(id), format!("write {file}"))
        }
    }
}

fn tried(seed: u64) -> usize {
    let mut dice = Dice::of(seed);
    let ground = Ground::new("mkdir -p d/e; echo idea > idea.md; echo b > b; echo c > d/c; echo f > d/e/f");
    let (mut done, mut undone): (Vec<Deed>, Vec<Deed>) = (Vec::new(), Vec::new());
    let (mut steps, mut told) = (0, Vec::new());
    for _ in 0..14 {
        let before = tree(&ground.home);
        match dice.below(8) {
            0..=2 => {
                let Some(last) = done.pop() else { continue };
                told.push(format!("undo {}", last.what));
                let what = format!("seed {seed}: {told:#?}");
                let id = ground.stages.undo(last.id).unwrap_or_else(|error| panic!("{error}\n{what}")).id;
                same(&last.before, &tree(&ground.home), &what);
                undone.push(Deed { id, ..last });
            }
            3 | 4 => {
                let Some(last) = undone.pop() else { continue };
                told.push(format!("again {}", last.what));
                let what = format!("seed {seed}: {told:#?}");
                let id = ground.stages.undo(last.id).unwrap_or_else(|error| panic!("{error}\n{what}")).id;
                same(&last.after, &tree(&ground.home), &what);
                done.push(Deed { id, ..last });
            }
            _ => {
                let (id, what) = deed(&ground, &mut dice);
                told.push(what.clone());
                let Some(id) = id else {
                    let now = tree(&ground.home);
                    if now != before {
                        return steps;
                    }
                    continue;
                };
                undone.clear();
                done.push(Deed { id, before, after: tree(&ground.home), what });
            }
        }
        steps += 1;
    }
    // Somebody else's change is never undone with the rest.
    if ground.home.join("b").is_dir() {
        return steps;
    }
    plain(&ground.home, "chmod 600 b 2>/dev/null || true; echo mine >> b");
    let now = tree(&ground.home);
    while let Some(last) = done.pop() {
        match ground.stages.undo(last.id) {
            Ok(_) => {
                let is = |tree: &Tree| tree.get(Path::new("b")).cloned();
                let (is, was) = (is(&tree(&ground.home)), is(&now));
                let content = |look: Option<Look>| look.map(|look| look.content);
                assert_eq!(content(is), content(was), "seed {seed}: {told:#?}\n{}", last.what);
            }
            Err(NotUndone::Changed(_)) => break,
            Err(other) => panic!("seed {seed}: {other}\n{told:#?}"),
        }
    }
    steps
}

#[test]
fn deeds_are_undone_step_by_step() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("GUARDA_STAGE_SEED").unwrap_or(0);
    let most = number("GUARDA_STAGE_SEQUENCES").unwrap_or(60);
    let steps: usize = (first..first + most).map(tried).sum();
    println!("{steps} steps");
    assert!(steps > usize::try_from(most).unwrap() * 5, "{steps}");
}

#[test]
fn the_same_file_is_undone_twice_and_back() {
    let ground = Ground::new("echo idea > idea.md");
    let read = || std::fs::read_to_string(ground.home.join("idea.md")).unwrap();
    let commit = |script: &str| {
        let stage = ground.staged(script);
        let id = stage.id();
        stage.commit().unwrap();
        id
    };
    let (one, two) = (commit("echo one >> idea.md"), commit("echo two >> idea.md"));
    let two = ground.stages.undo(two).unwrap().id;
    assert_eq!(read(), "idea\none\n");
    let one = ground.stages.undo(one).unwrap().id;
    assert_eq!(read(), "idea\n");
    let one = ground.stages.undo(one).unwrap().id;
    ground.stages.undo(two).unwrap();
    assert_eq!(read(), "idea\none\ntwo\n");
    // Out of order, and after somebody else's change, it is refused.
    assert_eq!(ground.stages.undo(one), Err(NotUndone::Changed(vec![ground.home.join("idea.md")])));
    assert_eq!(read(), "idea\none\ntwo\n");
}

#[test]
fn what_somebody_changed_between_two_deeds_is_not_undone_with_the_older_one() {
    let ground = Ground::new("echo idea > idea.md");
    let commit = |script: &str| {
        let stage = ground.staged(script);
        let id = stage.id();
        stage.commit().unwrap();
        id
    };
    let one = commit("echo one >> idea.md");
    plain(&ground.home, "echo mine >> idea.md");
    let two = commit("echo two >> idea.md");
    ground.stages.undo(two).unwrap();
    assert_eq!(ground.stages.undo(one), Err(NotUndone::Changed(vec![ground.home.join("idea.md")])));
    let text = std::fs::read_to_string(ground.home.join("idea.md")).unwrap();
    assert_eq!(text, "idea\none\nmine\n");
}

/// Several deeds are undone as one: the same as one after the other. With a change of somebody else's in between, none is.
fn as_one(seed: u64) -> usize {
    let mut dice = Dice::of(seed);
    let ground = Ground::new("mkdir -p d/e; echo idea > idea.md; echo b > b; echo c > d/c; echo f > d/e/f");
    let mut done: Vec<Deed> = Vec::new();
    for _ in 0..8 {
        let before = tree(&ground.home);
        let (id, what) = deed(&ground, &mut dice);
        let after = tree(&ground.home);
        match id {
            Some(id) => done.push(Deed { id, before, after, what }),
            None if before == after => {}
            None => return 0,
        }
    }
    let told: Vec<&str> = done.iter().map(|deed| deed.what.as_str()).collect();
    let what = format!("seed {seed}: {told:#?}");
    let (Some(first), Some(last)) = (done.first(), done.last()) else { return 0 };
    let ids: Vec<Uuid> = done.iter().rev().map(|deed| deed.id).collect();
    assert_eq!(ground.stages.in_the_way_of_all(&ids, None), Vec::<PathBuf>::new(), "{what}");
    let foreseen = ground.stages.undoing_all(&ids, None);
    let undone =
        ground.stages.undo_all(&ids, Uuid::now_v7()).unwrap_or_else(|error| panic!("{error}\n{what}"));
    same(&first.before, &tree(&ground.home), &what);
    // What it was said to do, it did: every path that differs now was named, itself or with its folder.
    for path in first.before.keys().chain(last.after.keys()) {
        let of_file = |look: Option<&Look>| look.filter(|look| look.kind != 0o040_000).cloned();
        let (was, is) = (of_file(last.after.get(path)), of_file(first.before.get(path)));
        let named = || foreseen.changes.iter().any(|change| ground.home.join(path).starts_with(&change.path));
        assert!(was == is || named(), "{path:?} of {:#?}\n{what}", foreseen.changes);
    }
    let again: Vec<Uuid> = undone.iter().rev().map(|undone| undone.id).collect();
    let again =
        ground.stages.undo_all(&again, Uuid::now_v7()).unwrap_or_else(|error| panic!("{error}\n{what}"));
    same(&last.after, &tree(&ground.home), &what);
    // The oldest of them is in somebody's way now: nothing of the others is undone either.
    let ids: Vec<Uuid> = again.iter().rev().map(|deed| deed.id).collect();
    let held = ground.stages.held();
    let oldest = held.iter().find(|held| Some(&held.id) == ids.last()).unwrap();
    let later = |path: &PathBuf| {
        held.iter()
            .filter(|held| held.id != oldest.id)
            .any(|held| held.paths.iter().any(|other| other.starts_with(path) || path.starts_with(other)))
    };
    let Some(path) = oldest.paths.iter().find(|path| !later(path)) else { return 1 };
    if path.is_dir() {
        return 1;
    }
    plain(&ground.home, &format!("rm -f {0}; echo mine > {0}", path.display()));
    let now = tree(&ground.home);
    assert!(ground.stages.in_the_way_of_all(&ids, None).contains(path), "{path:?} {what}");
    match ground.stages.undo_all(&ids, Uuid::now_v7()) {
        Err(NotUndone::Changed(paths)) => assert!(paths.contains(path), "{paths:?} {what}"),
        other => panic!("{other:?} {what}"),
    }
    same(&now, &tree(&ground.home), &what);
    2
}

#[test]
fn several_deeds_are_undone_as_one_or_not_at_all() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("GUARDA_STAGE_SEED").unwrap_or(0);
    let most = number("GUARDA_STAGE_SEQUENCES").unwrap_or(60);
    let ends: Vec<usize> = (first..first + most).map(as_one).collect();
    let of = |end: usize| ends.iter().filter(|found| **found == end).count();
    println!("{} undone, {} of them also refused", of(1) + of(2), of(2));
    assert!(of(1) + of(2) > 20 && of(2) > 3, "{ends:?}");
}

#[test]
fn what_was_undone_and_done_again_is_undone_with_what_was_before_it() {
    let ground = Ground::new("mkdir src; echo b > src/b");
    let deed = |script: &str| {
        let stage = ground.staged(script);
        let id = stage.id();
        stage.commit().unwrap();
        id
    };
    let undo = |ids: &[Uuid]| {
        let done = ground.stages.undo_all(ids, Uuid::now_v7()).unwrap();
        done.into_iter().rev().map(|undone| undone.id).collect::<Vec<Uuid>>()
    };
    let before = tree(&ground.home);
    let made = deed("mkdir made");
    let moved = deed("mv src/b made/c");
    let new = deed("echo new > made/new");
    let gone = deed("rm -r made");
    let two = undo(&undo(&[gone, new]));
    let two = undo(&undo(&two));
    let all: Vec<Uuid> = two.into_iter().chain([moved, made]).collect();
    undo(&all);
    same(&before, &tree(&ground.home), "all");
}
