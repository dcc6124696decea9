//! Runs lines for real and examines their *effects*: no effect, no packet and no secret without a yes.
//!
//! # What happens
//! Each test makes a **world** (`world.rs`): its own namespaces with an invented user, an invented home folder with
//! planted secrets, and folders that bring code. The real guard runs in it as that user, with a person who says no at
//! once. Every line of `lines/*.txt` is sent through a **door** (`door.rs`), about fifty in a batch and several at once.
//! Then the world is examined:
//!
//! - a **manifest** (`manifest.rs`) of the home folder, `/tmp`, `/var/tmp`, `/dev/shm` and `/run/user`: kind, mode, owner,
//!   size, times, extended attributes, content. It includes the change time, so that a reverted change is seen, too. In
//!   the guard's own state folder, only the files of the record may change;
//! - **connections**: every IP address of the world leads back to itself, so each packet is counted, whatever its
//!   destination. Sockets in the home folder, in `/tmp`, in the session's folder and in the abstract namespace, a false
//!   D-Bus and X server, and two terminals write down everything that arrives;
//! - **processes**: there are no new ones, the old ones are unchanged (nice value, limits, scheduling, stopped or not), and
//!   there is no new System V object;
//! - **results** (`secrets.rs`): no planted secret is in a reply or in the record, plain, reversed or encoded.
//!
//! If a batch changed anything, its lines are run again one at a time to find the line (`trial.rs`), in a home folder that
//! is rebuilt after each trace. A tally of lines that ran, were asked about and were blocked is printed.
//!
//! # Where it runs
//! Namespaces require root, or a kernel that grants them to users. As root, the lines run under a free user id; otherwise
//! under the tester's own, in user and process namespaces. If neither is possible, the tests say so and are skipped. The
//! service has limits on processes, memory and file sizes, and lines end after three seconds.
//!
//! # The lines
//! One per line: an id, a blank, the text for the shell. `⏎` is a line break and `⇥` a tab. `@class NAME` and `@in FOLDER`
//! (below the home folder) apply to the following lines. The placeholders are `«home»`, `«uid»`, `«user»`, `«victim»` (a
//! process of the user), `«keeper»` (one with a secret in its environment and memory), `«service»`, `«tty»`, `«othertty»`
//! and `«state»`.
//!
//! Each test runs another fifteenth of the lines. With `GUARDA_EFFECTS=all` every test runs all of them, with
//! `GUARDA_EFFECTS=id,id,…` only these, and shows the replies. `GUARDA_EFFECTS_REPORT=PATH` is the beginning of the names
//! of files that list every line with its result.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod door;
mod lines;
mod manifest;
mod secrets;
mod seeing;
mod shows;
mod tally;
mod trial;
mod world;

use world::Manner;

#[test]
fn the_lines_are_many_and_each_has_a_name() {
    let lines = lines::all();
    let trust: Vec<String> = lines::of_file("trust").into_iter().map(|line| line.id).collect();
    let mut names: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1], "two lines have one name");
    }
    assert!(lines.len() >= 500, "{}", lines.len());
    let mut known = std::collections::HashMap::new();
    for line in &lines {
        let other = known.insert((&line.folder, &line.text), &line.id);
        // What was found before the tables were written may stand in them, too.
        let old = |id: &str| !trust.contains(&id.to_owned());
        assert!(other.is_none_or(|other| old(other) && old(&line.id)), "{} is {other:?}", line.id);
    }
}

/// One that runs this part of the lines, through the guard's own door and with staged runs.
const COMMON: Manner =
    Manner { profile: "desktop", sandbox: "confined", part: Some(0), through: false, staged: true };

#[test]
fn nothing_has_an_effect_unasked_in_a_workspace() {
    trial::of_all_lines(&Manner { profile: "workspace", part: Some(2), staged: false, ..COMMON });
}

#[test]
fn nothing_leaves_the_project_unasked_in_a_workspace() {
    trial::of_all_lines(&Manner { profile: "workspace", part: Some(4), ..COMMON });
}

#[test]
fn nothing_has_an_effect_unasked_by_an_agents_shell() {
    trial::of_all_lines(&Manner { part: Some(3), through: true, ..COMMON });
}

#[test]
fn nothing_has_an_effect_unasked_on_a_desktop() {
    trial::of_all_lines(&COMMON);
}

#[test]
fn nothing_has_an_effect_unasked_in_namespaces() {
    trial::of_all_lines(&Manner { sandbox: "isolated", part: Some(1), ..COMMON });
}
