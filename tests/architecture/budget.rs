//! The size of the house: what each room may hold, so that it grows only where somebody says why.

use std::collections::BTreeMap;

use crate::ALL;
use crate::source::{Source, counted, sources};

/// `budget.toml`, beside this file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    /// Lines of code of the whole product.
    total: usize,
    /// Lines of code of one file.
    file: usize,
    /// Lines of code of one function.
    function: usize,
    /// Files in one folder.
    folder: usize,
    /// Lines of code of each room.
    rooms: BTreeMap<String, usize>,
    /// Files, functions and folders that are larger than that, and how large they may be.
    larger: BTreeMap<String, usize>,
}

/// `src/doors/http/listen.rs` belongs to `doors/http`, `crates/guarda-core/src/policy/loose/open.rs` to `core/policy`; a file at the
/// top of a crate to the crate.
fn room(folder: &str, source: &Source) -> String {
    let below = source.file.parent().unwrap().strip_prefix(folder).unwrap().to_str().unwrap();
    let mut names: Vec<&str> = below.split('/').filter(|name| !name.is_empty()).collect();
    names.truncate(if names.first() == Some(&"doors") { 2 } else { 1 });
    match folder.strip_prefix("crates/guarda-") {
        Some(name) => names.insert(0, name.trim_end_matches("/src")),
        None if names.is_empty() => names.push("src"),
        None => {}
    }
    names.join("/")
}

#[test]
fn the_product_stays_within_its_budget() {
    let budget: Budget = toml::from_str(include_str!("budget.toml")).unwrap();
    let mut rooms: BTreeMap<String, usize> = BTreeMap::new();
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for folder in ALL {
        for source in sources(folder) {
            let file = source.file.display().to_string();
            *rooms.entry(room(folder, &source)).or_default() += source.code.len();
            *folders.entry(source.file.parent().unwrap().display().to_string()).or_default() += 1;
            found.extend(
                source
                    .functions
                    .iter()
                    .map(|(name, lines)| (format!("{file} {name}"), *lines, budget.function)),
            );
            found.push((file, source.code.len(), budget.file));
        }
    }
    found.extend(folders.into_iter().map(|(folder, files)| (folder, files, budget.folder)));
    let total: usize = rooms.values().sum();
    println!("{total} lines of code");
    rooms.iter().for_each(|(room, lines)| println!("  {room} {lines}"));

    let mut faults = Vec::new();
    if total > budget.total {
        faults.push(format!("{total} lines of code, {} are the budget", budget.total));
    }
    for (room, lines) in &rooms {
        let most = budget.rooms.get(room).copied().unwrap_or_default();
        if *lines > most {
            faults.push(format!("{room} = {lines}, {most} are its budget"));
        }
    }
    faults.extend(
        budget
            .rooms
            .keys()
            .filter(|room| !rooms.contains_key(*room))
            .map(|room| format!("{room}: no such room")),
    );
    found.retain(|(_, size, most)| size > most);
    for (name, size, most) in &found {
        let most = budget.larger.get(name).unwrap_or(most);
        if size > most {
            faults.push(format!("{name:?} = {size}, {most} are allowed"));
        }
    }
    let small = |name: &&String| !found.iter().any(|(large, ..)| large == *name);
    faults.extend(
        budget
            .larger
            .keys()
            .filter(small)
            .map(|name| format!("{name} is small enough: strike it from the list")),
    );
    assert!(
        faults.is_empty(),
        "smaller, or another budget with its reason in the commit:\n{}",
        faults.join("\n")
    );
}

#[test]
fn the_counter_counts_code_alone() {
    for (text, lines, functions) in [
        ("", 0, &[][..]),
        ("// one\n\n/* two\nthree */\n/// four\nfn f() {}\n", 1, &[("f", 1)]),
        (
            "//! one\n/** two\nthree */\nfn f() {\n    // four\n    g(\n        \"a\nb\",\n    );\n}\n",
            6,
            &[("f", 6)],
        ),
        ("#[inline]\nfn f() {\n}\n", 3, &[("f", 2)]),
        ("struct A;\nimpl A {\n    /// Doc.\n    fn f(&self) {\n        1;\n    }\n}\n", 6, &[("f", 3)]),
        ("fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n", 1, &[("f", 1)]),
        ("fn f() {}\n#[cfg(test)]\nfn g() {\n}\n", 1, &[("f", 1)]),
    ] {
        let functions = functions.iter().map(|(name, lines)| ((*name).to_owned(), *lines)).collect();
        assert_eq!(counted(text), (lines, functions), "{text}");
    }
}
