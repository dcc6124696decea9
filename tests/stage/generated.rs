//! Random scripts: staged and committed, they leave the same as when simply run; undone, they leave nothing.
//! `GUARDA_STAGE_SCRIPTS` is their number, `GUARDA_STAGE_SEED` the first seed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use guarda_sandbox::stage::{Budget, NotUndone};
use uuid::Uuid;

use crate::ground::{Ground, Look, look, plain, same};

const HOME: &str = "mkdir -p d0/d1 d2; for f in f0 f1 d0/f2 d0/d1/f3 d2/f4; do seq 1 200 > $f; touch -d 2020-01-0$((RANDOM%9+1)) $f; done; \
                    ln -s f0 l0; touch -d 2021-01-01 d0/d1 d0 d2";

/// A random number generator that is the same everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn of(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1));
        dice.below(2);
        dice
    }

    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    pub fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const FILES: &[&str] =
    &["f0", "f1", "d0/f2", "d0/d1/f3", "d2/f4", "f5", "d0/f6", "d2/f7", "d3/f8", "l0", "d2/l1"];
const FOLDERS: &[&str] = &["d0", "d0/d1", "d2", "d3", "d0/d4", "d2/d5"];

/// One command. If it fails, it fails everywhere.
fn command(dice: &mut Dice) -> String {
    let (f, g) = (dice.one(FILES), dice.one(FILES));
    let (d, e) = (dice.one(FOLDERS), dice.one(FOLDERS));
    let number = dice.below(900);
    match dice.below(30) {
        0 => format!("rm -f {f}"),
        1 => format!("rm -rf {d}"),
        2 => format!("mv -f {f} {g}"),
        3 => format!("mv {d} d9{number}"),
        4 => format!("cp -a {f} {g}"),
        5 => format!("cp -a {d} c{number}"),
        6 => format!("ln {f} h{number}"),
        7 => format!("ln -sfn {g} {f}"),
        8 => format!("sed -i s/{number}/x/ {f}"),
        9 => format!("echo {number} | tee -a {f} > {g}"),
        10 => format!("truncate -s {number} {f}"),
        11 => format!("truncate -s {number}M s{number}; rm -f {g}"),
        12 => format!("tar cf t.tar {d} && mkdir -p {e} && tar xf t.tar -C {e}; rm -f t.tar"),
        13 => format!("chmod {} {f}", dice.one(&["000", "444", "600", "755", "4755"])),
        14 => format!("chmod {} {d}", dice.one(&["700", "755", "1777", "2750"])),
        15 => format!("touch -d 2019-0{}-11 {f}", 1 + number % 9),
        16 => format!("touch -d 2019-0{}-11 {d}", 1 + number % 9),
        17 => format!("mkfifo p{}", number % 4),
        18 => format!("printf x | dd of={f} bs=1 seek={number}000 conv=notrunc"),
        19 => format!("mkdir -p {d}"),
        20 => format!("rmdir {d}"),
        21 => format!("rm -rf {d} && mkdir {d} && echo {number} > {d}/n"),
        22 => format!("rm -rf {f}; mkdir {f}; echo {number} > {f}/in"),
        23 => format!("rm -rf {d}; echo {number} > {d}"),
        24 => format!("mkdir -p {d}/{number}/{number}; cp {f} {d}/{number}"),
        25 => format!("sort -rn {f} -o {f}"),
        26 => format!("mv -T {d} {e}"),
        27 => format!("ln -sf {number} {d}/s"),
        28 => format!("find {d} -name 'f*' -delete"),
        _ => format!("exec 5>>{f}; echo {number} >&5; exec 5>&-"),
    }
}

fn script(seed: u64) -> String {
    let mut dice = Dice::of(seed);
    let length = 1 + dice.below(10);
    let mut commands: Vec<String> = (0..length).map(|_| command(&mut dice)).collect();
    // An overlay cannot rename a folder that was there before, so `mv` copies it, as between two file systems: a hard link
    // that leads out of the folder becomes a file of its own, and the copy inherits the set-group-ID bit.
    if commands.iter().any(|command| command.starts_with("mv d") || command.starts_with("mv -T")) {
        commands.retain(|command| {
            !command.starts_with("ln f") && !command.starts_with("ln d") && !command.contains("2750")
        });
    }
    let lines: Vec<String> = commands.iter().map(|command| format!("{{ {command}; }} 2>/dev/null")).collect();
    // A failing command ends only its own line.
    format!("set +e\n{}\ntrue", lines.join("\n"))
}

/// Keeps times that the script set, not those at which it ran.
fn set_times(mut found: BTreeMap<PathBuf, Look>, begun: i64) -> BTreeMap<PathBuf, Look> {
    for look in found.values_mut() {
        look.modified = look.modified.filter(|time| time.0 < begun);
    }
    found
}

/// Entries without what a copy does not have: its own number, and its folder's time.
fn content(found: &BTreeMap<PathBuf, Look>) -> BTreeMap<&Path, (u32, u32, &[u8])> {
    found
        .iter()
        .map(|(path, look)| (path.as_path(), (look.kind, look.mode, look.content.as_slice())))
        .collect()
}

/// One path of a deed goes back alone, and comes again.
fn part(
    ground: &Ground,
    (id, path): (Uuid, &Path),
    (before, after): (&BTreeMap<PathBuf, Look>, &BTreeMap<PathBuf, Look>),
    what: &str,
) {
    let what = format!("{} of {what}", path.display());
    let new = Uuid::now_v7();
    let undone = match ground.stages.restore(id, path, new) {
        Ok(undone) => undone.paths,
        // Only its attributes were changed, or this user may not read it.
        Err(NotUndone::Unknown(_) | NotUndone::Fault(_) | NotUndone::Unkept(_)) => {
            return same(after, &look(&ground.home, true), &format!("not restored: {what}"));
        }
        Err(error) => panic!("{error}: {what}"),
    };
    assert!(undone.iter().all(|one| one.starts_with(path)), "{undone:?} {what}");
    // A folder that stays keeps its own attributes.
    let within = |one: &Path| undone.iter().any(|path| ground.home.join(one).starts_with(path));
    let is = look(&ground.home, true);
    let mut wanted = content(after);
    wanted.retain(|one, _| !within(one));
    wanted.extend(content(before).into_iter().filter(|(one, _)| within(one)));
    assert!(content(&is) == wanted, "restored: {what}");
    ground.stages.undo(new).unwrap_or_else(|e| panic!("{e}\n{what}"));
    same(after, &look(&ground.home, true), &format!("and again: {what}"));
}

/// Tries one script; returns whether it changed anything.
fn tried(seed: u64) -> bool {
    let script = script(seed);
    let begun = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let begun = i64::try_from(begun).unwrap();
    let ground = Ground::new(HOME);
    let clone = ground.clone_home("clone");
    let before = look(&ground.home, true);
    plain(&clone, &script);
    let stage = ground.staged(&script);
    let what = format!("seed {seed}\n{script}");
    let effects = stage.effects(Budget::default()).unwrap_or_else(|e| panic!("{e}\n{what}"));
    let id = stage.id();
    let committed = stage.commit().unwrap_or_else(|e| panic!("{e}\n{what}"));
    let after = look(&ground.home, true);
    same(&set_times(look(&clone, true), begun), &set_times(after.clone(), begun), &what);
    if effects.is_empty() {
        // All but the times of folders, which moved on.
        let still = |found: BTreeMap<PathBuf, Look>| set_times(found, begun);
        same(&still(look(&clone, true)), &still(after.clone()), &what);
    }
    if let Some(held) = ground.stages.held().first() {
        assert_eq!(held.id, id);
        let path = &held.paths[Dice::of(seed).below(held.paths.len())];
        part(&ground, (id, path), (&before, &after), &what);
        ground.stages.undo(id).unwrap_or_else(|e| panic!("{e}\n{what}"));
    } else {
        assert_eq!(committed.names, 0);
    }
    same(&before, &look(&ground.home, true), &format!("undone: {what}"));
    !effects.is_empty()
}

#[test]
fn scripts_leave_the_same_and_can_be_undone() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("GUARDA_STAGE_SEED").unwrap_or(0);
    let most = number("GUARDA_STAGE_SCRIPTS").unwrap_or(200);
    let changed: u64 = std::thread::scope(|scope| {
        let half =
            |worker| move || (first..first + most).filter(|seed| seed % 2 == worker && tried(*seed)).count();
        let workers = [0, 1].map(|worker| scope.spawn(half(worker)));
        workers.into_iter().map(|worker| worker.join().unwrap() as u64).sum()
    });
    println!("{changed} of {most} scripts changed something");
    assert!(changed * 10 >= most * 8);
}
