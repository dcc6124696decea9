//! The arrows between the rooms: a room uses only rooms above it in `src/lib.rs`, paths are written out, and programs
//! are started in `devices/` only.
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
    dead_code,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

use std::path::{Path, PathBuf};

fn rooms() -> Vec<String> {
    let text = std::fs::read_to_string("src/lib.rs").unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned))
        .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// Every source file with the room it belongs to.
fn files() -> Vec<(String, PathBuf, String)> {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    let in_rooms = found.into_iter().filter_map(|path| {
        let below = path.strip_prefix("src").unwrap().to_owned();
        let first = below.components().next()?.as_os_str().to_str()?.trim_end_matches(".rs").to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        (!["lib", "main", "bin"].contains(&first.as_str())).then_some((first, path, text))
    });
    in_rooms.collect()
}

/// The code without comments: whole-line ones, which is all that the sources have besides ends of lines.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// The rooms that a line names by `crate::room`.
fn named<'a>(line: &'a str, rooms: &'a [String]) -> impl Iterator<Item = &'a str> {
    line.match_indices("crate::").filter_map(|(at, word)| {
        let rest = &line[at + word.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        rooms.iter().map(String::as_str).find(|room| *room == &rest[..end])
    })
}

#[test]
fn every_room_is_listed() {
    let rooms = rooms();
    assert!(rooms.len() >= 11, "{rooms:?}");
    for (room, path, _) in files() {
        assert!(rooms.contains(&room), "{} is in no room of src/lib.rs", path.display());
    }
}

#[test]
fn a_room_uses_only_rooms_above_it() {
    let rooms = rooms();
    let place = |room: &str| rooms.iter().position(|other| other == room).unwrap();
    let mut faults = Vec::new();
    for (room, path, text) in files() {
        for (number, line) in code(&text) {
            for used in named(line, &rooms) {
                if place(used) > place(&room) {
                    faults
                        .push(format!("{}:{number}: {room} uses {used}, which is below it", path.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn paths_are_written_out() {
    let mut faults = Vec::new();
    for (_, path, text) in files() {
        for (number, line) in code(&text) {
            let hidden = ["crate::{", "use crate::*", "use crate as", "use crate;"];
            if hidden.iter().any(|form| line.contains(form)) {
                faults.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "write the paths out:\n{}", faults.join("\n"));
}

#[test]
fn programs_are_started_in_devices_only() {
    let mut faults = Vec::new();
    for (room, path, text) in files() {
        let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code(before_tests) {
            let starts = ["Command::new", "process::Command", "libc::exec", "posix_spawn", "fork("];
            if room != "devices" && starts.iter().any(|form| line.contains(form)) {
                faults.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_rooms_that_decide_touch_nothing() {
    let mut faults = Vec::new();
    for (room, path, text) in files() {
        if !["action", "policy", "judge", "gate", "output", "config"].contains(&room.as_str()) {
            continue;
        }
        let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
        if path.ends_with("tests.rs") {
            continue;
        }
        for (number, line) in code(before_tests) {
            let touches =
                ["std::fs", "std::net::Tcp", "std::env", "SystemTime", "Instant::now", "tokio::", "async fn"];
            if touches.iter().any(|form| line.contains(form)) {
                faults.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_reader_of_arrows_sees_them() {
    let rooms = vec!["gate".to_owned(), "judge".to_owned()];
    let seen: Vec<&str> = named("fn f(a: crate::judge::J) -> Option<crate::gate::G>", &rooms).collect();
    assert_eq!(seen, ["judge", "gate"]);
    assert_eq!(named("crate::gates::x", &rooms).count(), 0);
    assert_eq!(code("// crate::gate\n  /// x\ncode").count(), 1);
}

/// The text is read once. What a line means is in its `Script`; a judge that looked at the text again would be a second
/// reader, with faults of its own.
#[test]
fn nothing_is_judged_by_the_text_of_a_line() {
    for (room, path, text) in files() {
        let text = text.split("#[cfg(test)]").next().unwrap();
        let found =
            code(text).find(|(_, line)| line.contains(".source()") || line.contains("Script::source"));
        if let (true, Some((number, line))) = (["policy", "judge", "gate"].contains(&room.as_str()), found) {
            panic!("{}:{number}: {line}", path.display());
        }
    }
}
