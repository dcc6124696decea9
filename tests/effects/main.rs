//! Lines that are run for real, and whose *effects* are looked at: no effect, no packet and no secret without a yes.
//!
//! # What happens
//! Each test makes a **world** (`world.rs`): namespaces of its own with a made-up user, a made-up home with planted
//! secrets, and folders that bring code. In it the real guard is started as that user, with a person who says no at once.
//! Every line of `lines/*.txt` is sent to it through a **door** (`door.rs`; today `POST /v1/actions`), about fifty in a
//! batch and several at once. Then the world is looked at again:
//!
//! - a **manifest** (`manifest.rs`) of the home, `/tmp`, `/var/tmp`, `/dev/shm` and `/run/user`: kind, mode, owner, size,
//!   times, extended attributes, content. The change time is part of it, so a change that was taken back is seen too. Of
//!   the guard's own state folder only the files of the record may change;
//! - **who called**: every IP address of the world leads back to itself, so each packet is counted, wherever it was to go;
//!   sockets in the home, in `/tmp`, in the session's folder and in the abstract namespace, a D-Bus and an X server that are
//!   none, and two terminals write down whatever comes;
//! - **what runs**: no process is left that was not there, those that were are there unchanged (nice value, limits,
//!   scheduling, stopped or not), and no System V object is left;
//! - **what came back** (`secrets.rs`): no planted secret stands in a reply or in the record, plainly, reversed or encoded.
//!
//! Where a batch changed anything, its lines are run again one at a time, each in a home made anew if the one before
//! left a trace, to name the line (`trial.rs`). A tally of what ran, was asked and was blocked is printed.
//!
//! # Where it runs
//! Namespaces take root, or a kernel that grants them to users. As root the lines run as a user number that is free; as
//! anybody else they run as oneself in a user namespace, with a process namespace of its own. Where neither can be had the
//! tests say so and leave it. The service runs with limits on processes, memory and file sizes, and lines end after three
//! seconds.
//!
//! # The lines
//! One a line: an id, a blank, the text for the shell. `⏎` is a line break and `⇥` a tab. `@class NAME` and `@in FOLDER`
//! (below the home) hold for what follows them. `«home»`, `«uid»`, `«user»`, `«victim»` (a process of the user's),
//! `«keeper»` (one with a secret in its environment and memory), `«service»`, `«tty»`, `«othertty»` and `«state»` are
//! written in.
//!
//! Each test runs a fifteenth of the lines, another one each. `GUARDA_EFFECTS=all` runs all of them everywhere,
//! `GUARDA_EFFECTS=id,id,…` these alone, and shows the replies. `GUARDA_EFFECTS_REPORT=PATH` begins the names of files
//! into which every line is written with what became of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    reason = "tests start real programs, may fail loudly, and print what they saw"
)]

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
    let mut names: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1], "two lines have one name");
    }
    assert!(lines.len() >= 500, "{}", lines.len());
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
