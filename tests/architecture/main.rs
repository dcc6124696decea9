//! The arrows between rooms: a room uses only rooms above it, the deciding crates touch nothing, and only two
//! places start programs. The sources are read as the compiler reads them, without their tests.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

mod budget;
mod circles;
mod forgery;
mod programs;
mod source;

use source::{Source, named, sources, texts, types};

/// The sources of the program; `src/lib.rs` lists its rooms.
const PROGRAM: &str = "src";
/// The sources of the crate that decides.
const CORE: &str = "crates/guarda-core/src";
/// The sources of the crate that reads command lines.
const SHELL: &str = "crates/guarda-shell/src";
/// The sources of the crate that keeps the record.
const JOURNAL: &str = "crates/guarda-journal/src";
/// The sources of every crate.
const ALL: [&str; 6] =
    [PROGRAM, CORE, SHELL, JOURNAL, "crates/guarda-notify/src", "crates/guarda-sandbox/src"];
/// The crates that the pure ones may link: none has files, clocks, threads, processes or a network.
const PURE: [&str; 19] = [
    "aho-corasick",
    "foldhash",
    "guarda-shell",
    "httparse",
    "idna",
    "memchr",
    "postcard",
    "psl",
    "regex",
    "serde",
    "serde_json",
    "sha2",
    "strum",
    "thiserror",
    "toml",
    "unicode-normalization",
    "url",
    "utoipa",
    "uuid",
];
/// Crates through which the configuration could touch the machine.
const HANDS: [&str; 7] = ["tokio", "rustix", "nix", "libc", "zbus", "jiff", "getrandom"];

fn rooms(sources: &str) -> Vec<String> {
    let text = std::fs::read_to_string(format!("{sources}/lib.rs")).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned))
        .collect()
}

/// The places that name a path to which `wrong` objects.
fn faults<'a>(
    sources: impl IntoIterator<Item = &'a Source>,
    wrong: impl Fn(&Source, &[&str]) -> Option<String>,
) -> String {
    let mut found = Vec::new();
    for source in sources {
        for (line, names) in &source.paths {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            if let Some(why) = wrong(source, &names) {
                found.push(format!("{}:{line}: {}: {why}", source.file.display(), names.join("::")));
            }
        }
    }
    found.join("\n")
}

#[test]
fn every_room_is_listed() {
    for (crates, least) in [(PROGRAM, 9), (CORE, 5)] {
        let rooms = rooms(crates);
        assert!(rooms.len() >= least, "{rooms:?}");
        for source in sources(crates) {
            let room = source.room();
            let listed = ["", "bin"].contains(&room) || rooms.iter().any(|listed| listed == room);
            assert!(listed, "{} is in no room of {crates}/lib.rs", source.file.display());
        }
    }
}

#[test]
fn a_room_uses_only_rooms_above_it() {
    for crates in [PROGRAM, CORE] {
        let rooms = rooms(crates);
        let place = |room: &str| rooms.iter().position(|other| other == room);
        let found = faults(&sources(crates), |source, names| {
            let (Some(here), ["crate", used, ..]) = (place(source.room()), names) else { return None };
            match place(used) {
                Some(used) if used <= here => None,
                Some(_) => Some("it is below".to_owned()),
                None => Some("no room has that name: write the path out".to_owned()),
            }
        });
        assert!(found.is_empty(), "{found}");
    }
}

/// True if a path of the standard library or of `crates` gives code access to the machine.
fn touches(names: &[&str], crates: &[&str]) -> bool {
    let plain = ["Ipv4Addr", "Ipv6Addr", "IpAddr", "SocketAddr", "AddrParseError"];
    let clock =
        names.len() > 1 && names.last().is_some_and(|last| ["now", "now_v7", "new_v4"].contains(last));
    clock
        || match names {
            ["std", "net", kind, ..] => !plain.contains(kind),
            ["std", "time", kind, ..] => *kind != "Duration",
            ["std", second, ..] => {
                ["fs", "net", "process", "env", "thread", "os", "time", "*"].contains(second)
            }
            ["std"] => true,
            [first, _, ..] => crates.contains(first),
            _ => false,
        }
}

#[test]
fn what_decides_touches_nothing() {
    let mut pure: Vec<Source> = sources(CORE);
    pure.extend(sources(SHELL));
    pure.extend(sources(PROGRAM).into_iter().filter(|source| source.room() == "config"));
    let found = faults(&pure, |_, names| touches(names, &HANDS).then(|| "it touches the machine".to_owned()));
    assert!(found.is_empty(), "{found}");
    for manifest in ["crates/guarda-core", "crates/guarda-shell"] {
        let text = std::fs::read_to_string(format!("{manifest}/Cargo.toml")).unwrap();
        let table: toml::Table = text.parse().unwrap();
        let linked = table["dependencies"].as_table().unwrap().keys();
        let others: Vec<&String> = linked.filter(|name| !PURE.contains(&name.as_str())).collect();
        assert!(others.is_empty(), "{manifest} is linked with {others:?}");
    }
}

#[test]
fn programs_are_started_in_devices_only() {
    let others = sources(PROGRAM).into_iter().filter(|source| source.room() != "devices");
    let found = faults(&others.collect::<Vec<_>>(), |_, names| {
        let starts = matches!(names, [.., "process", "Command", "new"] | [.., "Command", "new"])
            || matches!(names, ["libc", call, ..] if call.contains("exec") || call.contains("fork"))
            || names.iter().any(|name| name.starts_with("posix_spawn"));
        starts.then(|| "it starts a program".to_owned())
    });
    assert!(found.is_empty(), "{found}");
}

/// The text is read once. A line's meaning is in its `Script`. A judge that read the text again would be a
/// second reader, with its own faults.
#[test]
fn nothing_is_judged_by_the_text_of_a_line() {
    for source in sources(CORE) {
        if !["policy", "judge", "gate"].contains(&source.room()) {
            continue;
        }
        let call = source.calls.iter().find(|(_, name)| name == "source");
        let path =
            source.paths.iter().find(|(_, names)| names.ends_with(&["Script".into(), "source".into()]));
        let line = call.map(|(line, _)| line).or(path.map(|(line, _)| line));
        assert_eq!(line, None, "{} reads the text", source.file.display());
    }
}

/// Files can be read in order: no group of them names each other. `GUARDA_SOURCES` looks at another folder, such as an older
/// state of the project.
#[test]
fn no_files_are_in_a_circle() {
    let crates =
        std::env::var("GUARDA_SOURCES").map_or(ALL.map(str::to_owned).to_vec(), |folder| vec![folder]);
    let all: Vec<circles::Circle> =
        crates.iter().flat_map(|folder| circles::circles(&sources(folder))).collect();
    for circle in &all {
        println!("{}: {}", circle.files.len(), circle.files.join(" "));
        circle.arrows.iter().for_each(|arrow| println!("    {arrow}"));
    }
    assert!(all.is_empty(), "{} groups of files are in circles", all.len());
}

/// An error that another module handles or shows has a type, since plain text cannot be matched on.
#[test]
fn no_error_is_only_text() {
    let found: Vec<String> = ALL
        .into_iter()
        .flat_map(sources)
        .flat_map(|source| {
            let file = source.file.display().to_string();
            source.texts.into_iter().map(move |(line, name)| format!("{file}:{line}: {name}"))
        })
        .collect();
    assert!(
        found.is_empty(),
        "Result<_, String> crosses a module in {} places:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn the_reader_of_sources_sees_errors_that_are_text() {
    for (text, seen) in [
        ("pub fn f() -> Result<u8, String> { g() }", true),
        ("pub(super) async fn f(x: &str) -> Option<Result<(), String>> { g() }", true),
        ("impl A { pub(crate) fn f(&self) -> std::result::Result<(), String> { g() } }", true),
        ("pub struct A { pub f: Box<dyn Fn() -> Result<(), String>> }", true),
        ("pub enum A { F(Result<(), String>) }", true),
        ("pub trait A { fn f(&self) -> Result<(), String>; }", true),
        ("pub type F = fn() -> Result<(), String>;", true),
        ("impl FromStr for A { type Err = String; }", true),
        ("fn f() -> Result<u8, String> { g() }", false),
        ("pub fn f() -> Result<String, Fault> { g() }", false),
        ("pub fn f() { let g = || -> Result<(), String> { Ok(()) }; }", false),
        ("#[cfg(test)] pub mod tests { pub fn f() -> Result<(), String> { g() } }", false),
    ] {
        assert_eq!(!texts(text).is_empty(), seen, "{text}");
    }
}

#[test]
fn the_reader_of_sources_sees_paths_however_they_are_written() {
    let cases: &[(&str, &str)] = &[
        ("use crate::{gate::G, judge};", "crate::gate::G"),
        ("use crate::{gate::G, judge};", "crate::judge"),
        ("use super::super::hands as h;", "crate::hands"),
        ("use self::near;", "crate::guard::clear::near"),
        ("mod inner { use super::super::perform; }", "crate::guard::perform"),
        ("use std::time::{self as t, Duration};", "std::time"),
        ("use std as s;", "std"),
        ("fn f(a: crate::judge::J) {}", "crate::judge::J"),
        ("fn f() { assert!(crate::gate::open(std::fs::read(x))); }", "crate::gate::open"),
        ("fn f() { assert!(crate::gate::open(std::fs::read(x))); }", "std::fs::read"),
        ("fn f() { println!(\"{}\", script.source()); }", ".source"),
        ("fn f() { script.source(); }", ".source"),
    ];
    for (text, path) in cases {
        let seen = named(&["guard", "clear"], text);
        assert!(seen.iter().any(|name| name == path), "{text}: {seen:?}");
    }
    for text in ["#[cfg(test)] mod tests { use std::fs; }", "// std::fs::read\n/// crate::gate\nfn f() {}"] {
        assert_eq!(named(&["guard"], text), Vec::<String>::new(), "{text}");
    }
    assert!(touches(&["std", "fs", "read"], &[]) && touches(&["tokio", "spawn"], &HANDS));
    assert!(touches(&["std", "time", "Instant"], &[]) && touches(&["Uuid", "now_v7"], &[]));
    assert!(!touches(&["std", "net", "IpAddr"], &[]) && !touches(&["std", "time", "Duration"], &[]));
}

/// Types with the same name, and the reason.
const SHARED_NAMES: [(&str, &str, &str); 1] =
    [(PROGRAM, "Telemetry", "a build has one of the two: with a collector or without")];

#[test]
fn a_type_has_its_name_for_itself() {
    for folder in ALL {
        let mut places = std::collections::BTreeMap::<String, Vec<String>>::new();
        for source in sources(folder) {
            for (line, name) in source.types {
                places.entry(name).or_default().push(format!("{}:{line}", source.file.display()));
            }
        }
        let shared: Vec<(String, Vec<String>)> =
            places.into_iter().filter(|(_, places)| places.len() > 1).collect();
        for (crates, name, _) in SHARED_NAMES.iter().filter(|(crates, ..)| *crates == folder) {
            assert!(shared.iter().any(|(shared, _)| shared == name), "{crates}: only one type is {name}");
        }
        let found: Vec<String> = shared
            .iter()
            .filter(|(name, _)| {
                !SHARED_NAMES.iter().any(|(crates, may, _)| (crates, may) == (&folder, &name.as_str()))
            })
            .map(|(name, places)| format!("{name}: {}", places.join(" ")))
            .collect();
        assert!(found.is_empty(), "types that share a name:\n{}", found.join("\n"));
    }
}

#[test]
fn the_reader_of_sources_sees_types_that_others_can_see() {
    for (text, seen) in [
        ("pub struct A;", true),
        ("pub(super) enum A {}", true),
        ("mod inner { pub(crate) trait A {} }", true),
        ("pub type A = u8;", true),
        ("struct A;", false),
        ("#[cfg(test)] pub struct A;", false),
        ("#[cfg(test)] mod tests { pub struct A; }", false),
        ("pub trait B { type A; }", false),
    ] {
        assert_eq!(types(text).iter().any(|name| name == "A"), seen, "{text}");
    }
}

/// Commands that print for programs, for a developer of rules, or to a model, in English.
const FOR_PROGRAMS: [&str; 4] = ["judge/check", "papers", "setup/probe", "args"];

/// Texts that are not sentences: commands, names of parts on the wire, and files of the demo.
const NO_SENTENCES: [&str; 18] = [
    "sudo guarda keys enroll",
    "guarda approve canary",
    "guarda approve 0000",
    "guarda hook install",
    "guarda demo",
    "act RUN_COMMAND",
    "answer by ",
    "state folder",
    "rm old.zip",
    "an archive that nobody needs",
    "Dear reader",
    "# The built-in rules",
    "## What a staged run changed",
    "You turn what a person says",
    "no target",
    "UNKNOWN (no target)",
    "at once",
    "a risk, from 0 to about 1",
];

#[test]
fn what_a_person_reads_stands_in_the_files_of_words() {
    let small = |word: &&str| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let sources = source::sources("src");
    for source in &sources {
        let path = source.file.to_str().unwrap();
        let rooms = ["src/cli/", "src/app/"].iter().find_map(|room| path.strip_prefix(room));
        let Some(file) = rooms else { continue };
        let page = file.trim_end_matches(".rs");
        if FOR_PROGRAMS.contains(&page) || page.starts_with("args/") || page.ends_with("/args") {
            continue;
        }
        for (line, text) in &source.strings {
            let words: Vec<&str> = text.split(' ').collect();
            let sentence = words.windows(2).any(|pair| pair.iter().all(small));
            let known = NO_SENTENCES.iter().any(|known| text.contains(known));
            assert!(!sentence || known, "{file}:{line}: {text:?} belongs into src/wording/words");
        }
    }
}

#[test]
fn what_needs_root_is_listed_with_its_reason() {
    let list = std::fs::read_to_string("tests/as-root").unwrap();
    let rows: Vec<Vec<&str>> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.splitn(3, ' ').collect::<Vec<_>>())
        .collect();
    // The file of a test, and its name.
    let place = |row: &[&str]| {
        let (program, test) = (row[0], row[1]);
        let (module, name) = test.rsplit_once("::").unwrap_or(("main", test));
        (format!("tests/{program}/{}.rs", module.replace("::", "/")), name.to_owned())
    };
    for row in &rows {
        let (file, test) = place(row);
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(row.len() == 3 && text.contains(&format!("fn {test}(")), "{row:?}");
    }
    let listed: Vec<String> = rows.iter().map(|row| place(row).0).collect();
    // What the tests of a program share asks for all of them.
    let shared = |file: &str, text: &str| {
        let beside = |test: &String| {
            test.rsplit_once('/').map(|(folder, _)| folder) == file.rsplit_once('/').map(|(folder, _)| folder)
        };
        file.matches('/').count() > 1 && !text.contains("#[test]") && listed.iter().any(beside)
    };
    for file in files("tests").into_iter().chain(files("crates/guarda-shell/tests")) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let asks = file != "tests/architecture/main.rs" && text.contains(".is_root()");
        assert!(
            !asks || listed.contains(&file) || shared(&file, &text),
            "{file} asks whether it is root, and tests/as-root does not say why"
        );
    }
}

/// A test that waits for something uses `common::wait` or `until`. Where time itself is what it is about, `common::let_pass`
/// has the reason.
#[test]
fn no_test_sleeps_instead_of_waiting() {
    for file in files("tests") {
        let text = std::fs::read_to_string(&file).unwrap();
        let exempt = ["tests/common/", "tests/vm/", "tests/architecture/"]
            .iter()
            .any(|folder| file.starts_with(folder));
        assert!(exempt || !text.contains("::sleep("), "{file} sleeps: what does it wait for?");
    }
}

/// The Rust files below a folder.
fn files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: std::path::PathBuf| {
        let name = path.to_str().unwrap().to_owned();
        if path.is_dir() { files(&name) } else { vec![name] }
    };
    entries.flat_map(below).filter(|name| name.ends_with(".rs")).collect()
}
