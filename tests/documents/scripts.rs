//! What is too long for `make test` is looked at here: whatever scripts and the Makefile name exists.

use std::path::PathBuf;
use std::process::Command;

use super::commands::{fault, runs};

/// The folders whose files scripts name.
const ROOMS: [&str; 9] =
    ["src/", "tests/", "crates/", "benches/", "docs/", "packaging/", "grammars/", "fuzz/", "scripts/"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every script, with its path.
fn scripts() -> Vec<(String, String)> {
    let mut names = vec!["Makefile".to_owned(), ".ci/run".to_owned()];
    for folder in ["scripts", "tests/deb", "tests/vm", "packaging/debian"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.is_file());
        names.extend(files.map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()));
    }
    let read = |name: String| {
        let text = std::fs::read_to_string(root().join(&name)).unwrap();
        (name, text)
    };
    names.into_iter().map(read).collect()
}

/// Those that a shell reads.
fn shell_scripts() -> Vec<(String, String)> {
    let of_shell = |text: &str| {
        let first = text.lines().next().unwrap_or_default();
        first.starts_with("#!") && first.ends_with("sh")
    };
    scripts().into_iter().filter(|(_, text)| of_shell(text)).collect()
}

#[test]
fn scripts_name_files_that_exist() {
    let mut found = 0;
    for (name, text) in scripts() {
        let part = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
        for word in text.split(|c| !part(c)).map(|word| word.trim_end_matches(['.', '/'])) {
            if ROOMS.iter().any(|room| word.starts_with(room)) {
                assert!(root().join(word).exists(), "{name} names {word}");
                found += 1;
            }
        }
    }
    assert!(found > 40, "only {found}");
}

#[test]
fn scripts_can_be_read() {
    let shell = shell_scripts();
    assert!(shell.len() > 15, "only {}", shell.len());
    for (name, _) in shell {
        let read = Command::new("bash").arg("-n").arg(root().join(&name)).output().unwrap();
        assert!(read.status.success(), "{name}: {read:?}");
    }
}

/// The tests of the package and others call our own programs with options that exist.
#[test]
fn scripts_call_commands_that_exist() {
    let mut found = 0;
    for (name, text) in shell_scripts() {
        for line in
            text.lines().filter(|line| line.contains("guarda ") && !line.trim_start().starts_with('#'))
        {
            // A line of a longer statement cannot be read alone; those that can are enough to see a command that went.
            for words in runs(line).unwrap_or_default() {
                // As itself, or by the functions of the package's test; to other programs it is a name.
                let by = words
                    .iter()
                    .take_while(|word| ["person", "ends", "0", "3", "4"].contains(&word.as_str()));
                let at = by.count();
                if words.get(at).is_none_or(|word| word != "guarda" && !word.ends_with("bin/guarda")) {
                    continue;
                }
                let fault = fault(&words[at..], false);
                assert_eq!(fault, None, "{name}: {line}");
                found += usize::from(words.len() > at + 1);
            }
        }
    }
    assert!(found > 15, "only {found}");
}

/// The Makefile describes each target in its list, and lists each target that it describes.
#[test]
fn make_has_what_it_lists() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let listed: Vec<&str> =
        makefile.lines().find_map(|line| line.strip_prefix(".PHONY: ")).unwrap().split(' ').collect();
    let described = |target: &str| {
        makefile.lines().any(|line| line.starts_with(&format!("{target}:")) && line.contains(" ## "))
    };
    for target in &listed {
        assert!(described(target), "{target} is not described");
    }
    let targets =
        makefile.lines().filter(|line| line.contains(" ## ")).filter_map(|line| line.split_once(':'));
    for (target, _) in targets {
        assert!(listed.contains(&target), "{target} is no .PHONY");
    }
}
