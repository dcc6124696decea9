//! Documents match the program: generated ones are up to date, and what they name or show exists and works.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod commands;
mod scripts;

use std::path::{Path, PathBuf};

#[test]
fn the_document_of_intents_knows_every_action() {
    use guarda_core::action::vocabulary::VOCABULARY;
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/intents.md")).unwrap();
    // Code spans in capitals are action names; the document has each of them, and no other.
    let named: std::collections::BTreeSet<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
        .collect();
    let actions: std::collections::BTreeSet<&str> = VOCABULARY.iter().map(|entry| entry.name).collect();
    assert_eq!(named, actions);
}

#[test]
fn the_rules_document_has_every_profile() {
    let document = guarda::cli::rules_document();
    assert!(document.contains("erase-system"), "a built-in table is broken");
    for profile in guarda_core::policy::Profile::ALL {
        assert!(document.contains(&format!("\n## Profile {profile}\n")), "{profile}");
        assert!(
            document.contains(&format!("\n## What a staged run changed, profile {profile}\n")),
            "{profile}"
        );
    }
}

/// `## Unreleased` comes first and each part of it once; an entry has at most two lines. A merge that brings old
/// entries back fails here.
#[test]
fn the_changelog_is_short() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/CHANGELOG.md")).unwrap();
    let versions: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(versions.first(), Some(&"Unreleased"));
    assert!(versions.iter().any(|version| version.starts_with(concat!(env!("CARGO_PKG_VERSION"), " ("))));
    let unreleased = text.split("\n## ").nth(1).unwrap();
    let parts: Vec<&str> = unreleased.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let order = ["Breaking", "Added", "Changed", "Fixed"];
    let sorted: Vec<&str> = order.into_iter().filter(|part| parts.contains(part)).collect();
    assert_eq!(parts, sorted, "each part once, in this order");
    for entry in unreleased.split("\n- ").skip(1) {
        let lines = entry.lines().take_while(|line| !line.trim().is_empty()).count();
        assert!(lines <= 2, "{lines} lines: {entry}");
    }
}

/// Every test that docs/features.md, docs/network.md and docs/standards.md name exists.
#[test]
fn each_feature_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rooms = ["tests", "crates/guarda-shell/tests", "crates/guarda-core", "crates/guarda-sandbox/src"];
    let files: Vec<_> = rooms.iter().flat_map(|room| files(&root.join(room))).collect();
    let sources = |name: &str| {
        let of_module = |file: &&PathBuf| {
            let parts = file.strip_prefix(root).unwrap().with_extension("");
            parts.iter().any(|part| part == name)
        };
        let texts = files.iter().filter(of_module).map(|file| std::fs::read_to_string(file).unwrap());
        texts.collect::<String>()
    };
    for (document, least) in [("docs/features.md", 60), ("docs/network.md", 40), ("docs/standards.md", 50)] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let named: Vec<(&str, &str)> = text.split('`').filter_map(|part| part.split_once("::")).collect();
        assert!(named.len() > least, "{document} names only {} tests", named.len());
        let examples = [("module", "test"), ("ext", "")];
        for (file, test) in named.into_iter().filter(|named| !examples.contains(named)) {
            assert!(sources(file).contains(&format!("fn {test}(")), "{document} names {file}::{test}");
        }
    }
}

/// The Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.extension().is_some_and(|kind| kind == "rs")).collect()
}

/// Every test file or folder that a document names exists.
#[test]
fn the_documents_name_test_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let more = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(str::to_owned);
    for file in documents("docs").into_iter().chain(documents("docs/decisions")).chain(more) {
        let text = std::fs::read_to_string(root.join(&file)).unwrap();
        for named in text.split('`').filter(|part| part.starts_with("tests/") && !part.contains(' ')) {
            assert!(root.join(named).exists(), "{file} names {named}");
        }
    }
}

/// The walk of one request has at most 25 steps, and every function that it names is in its file.
#[test]
fn the_walk_of_a_request_names_functions_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    assert!(text.lines().count() <= 300, "docs/architecture.md is a map: details belong elsewhere");
    let walk = text.split("## The walk of one request").nth(1).unwrap().split("\n## ").next().unwrap();
    let numbered =
        |line: &&str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
    let steps = walk.lines().filter(numbered).count();
    assert!((20..=25).contains(&steps), "{steps} steps");
    let named: Vec<(&str, &str)> = walk.split('`').filter_map(|part| part.split_once(".rs:")).collect();
    assert!(named.len() > steps, "only {} functions are named", named.len());
    for (file, function) in named {
        let source = std::fs::read_to_string(root.join(format!("{file}.rs"))).unwrap_or_default();
        let there = source
            .match_indices(&format!("fn {function}"))
            .any(|(at, found)| source[at + found.len()..].starts_with(['(', '<']));
        assert!(there, "docs/architecture.md names {file}.rs:{function}");
    }
}

/// The files of `folder` that are documents, as paths below the repository.
fn documents(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = std::fs::read_dir(root.join(folder)).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")).collect();
    files.sort();
    files
}

/// `[text](target)` of a document, the target without its anchor.
fn links(text: &str) -> Vec<(&str, &str)> {
    let ends = text.match_indices("](").map(|(at, _)| at);
    ends.filter_map(|at| {
        let label = text[..at].rsplit('[').next()?;
        let target = text[at + 2..].split(')').next()?;
        Some((label, target.split('#').next()?))
    })
    .collect()
}

/// The book has every document once, under its own title, which the README uses, too; every link leads to a file.
#[test]
fn the_book_is_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let (summary, readme) = (read("docs/SUMMARY.md"), read("README.md"));
    let more = readme.split("\n## More\n").nth(1).unwrap();
    let inside = documents("docs").into_iter().chain(documents("docs/decisions"));
    let files = inside.chain(["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(str::to_owned));
    for file in files {
        let text = read(&file);
        let folder = root.join(&file).parent().unwrap().to_owned();
        for (_, link) in links(&text) {
            assert!(
                link.is_empty() || link.contains("://") || folder.join(link).exists(),
                "{file} links to {link}"
            );
        }
        let Some(page) = file.strip_prefix("docs/").filter(|page| *page != "SUMMARY.md") else { continue };
        let title = text.lines().next().unwrap().trim_start_matches("# ");
        let titles = |text, page: &str| {
            let named = links(text).into_iter().filter(|(_, link)| *link == page);
            named.map(|(label, _)| label.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(titles(&summary, page), [title], "docs/SUMMARY.md and {file}");
        if !page.starts_with("decisions/") || page == "decisions/index.md" {
            assert_eq!(titles(more, &file), [title], "README.md and {file}");
        } else {
            let index = read("docs/decisions/index.md");
            assert_eq!(
                titles(&index, page.strip_prefix("decisions/").unwrap()),
                [title],
                "the index and {file}"
            );
        }
    }
}

/// Every rule that a document shows is valid.
#[test]
fn each_shown_rule_is_valid() {
    let shown =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/writing-rules.md")).unwrap();
    let blocks: Vec<&str> =
        shown.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() > 1);
    for text in blocks {
        let layers = [guarda_core::policy::Layer { name: "docs", text }];
        guarda_core::policy::Policy::load(guarda_core::policy::Profile::Desktop, &layers).unwrap();
    }
}

/// The files below a folder, or the file itself.
fn texts(path: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else {
        return found.push(path.to_owned());
    };
    for entry in entries {
        texts(&entry.unwrap().path(), found);
    }
}

/// docs/adding-an-action.md lists at most eight places, and its example stands in each of them and nowhere else; what the page shows
/// is there word by word. `src/devices/` names what the kernel names so, and any test may use the action as an example.
#[test]
fn an_action_stands_in_the_places_that_the_guide_lists() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
    let guide = std::fs::read_to_string(root.join("docs/adding-an-action.md")).unwrap();
    let table = guide.split("## The places").nth(1).unwrap().split("\n## ").next().unwrap();
    let place = |(_, link): (&str, &str)| root.join("docs").join(link).canonicalize().unwrap();
    let places: Vec<_> = links(table).into_iter().map(place).collect();
    assert!(places.len() <= 9, "{} places", places.len());
    let shown = places.iter().map(|place| std::fs::read_to_string(place).unwrap()).collect::<String>();
    for block in guide.split("\n```").skip(1).step_by(2) {
        for line in block.lines().skip(1) {
            assert!(shown.contains(line), "{line:?} is not there");
        }
    }
    let mut files = Vec::new();
    for part in ["src", "crates", "docs", "README.md", "CONTRIBUTING.md", "config.toml", "build.rs"] {
        texts(&root.join(part), &mut files);
    }
    let (devices, page) = (root.join("src/devices"), root.join("docs/adding-an-action.md"));
    let mut named = Vec::new();
    for file in files.into_iter().filter(|file| file.extension().is_none_or(|kind| kind != "css")) {
        let text = String::from_utf8(std::fs::read(&file).unwrap()).unwrap_or_default();
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let exempt = file.starts_with(&devices)
            || file == page
            || file.strip_prefix(&root).unwrap().iter().any(|part| part == "tests");
        if words.any(|word| word.eq_ignore_ascii_case("brightness")) && (!exempt || places.contains(&file)) {
            named.push(file);
        }
    }
    let sorted = |mut files: Vec<std::path::PathBuf>| {
        files.sort();
        files
    };
    assert_eq!(sorted(named), sorted(places), "left: where BRIGHTNESS stands, right: what the guide lists");
}
