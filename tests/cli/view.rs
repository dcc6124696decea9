//! What a cell would see of random homes for random lines: `guarda check --view LINE`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use guarda_core::catalogue::home_rows;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{folder, guarda, told};

/// Files of a home: of projects, of tools, of nobody, and keys among them.
const FILES: [&str; 26] = [
    "app/.git/HEAD",
    "app/src/main.rs",
    "app/.env",
    "app/node_modules/a/.npmrc",
    "app/deep/er/id_rsa",
    "other/src/main.rs",
    "other/.env",
    "other/deep/er/notes",
    "letters/aunt.txt",
    "letters/.env",
    "notes.txt",
    "app2/x",
    ".ssh/id_rsa",
    ".ssh/config",
    ".aws/credentials",
    ".config/app/settings",
    ".config/gh/hosts.yml",
    ".dev.vars",
    ".local/share/app/data",
    ".cache/huggingface/token",
    ".cache/pip/a",
    ".cargo/registry/a",
    ".cargo/credentials.toml",
    ".gitconfig",
    ".npmrc",
    ".gnupg/private-keys-v1.d/a.key",
];
/// How the paths of secret files end. No such file may be open.
const KEYS: [&str; 8] =
    [".env", "id_rsa", ".npmrc", "credentials", "credentials.toml", "hosts.yml", "token", ".dev.vars"];
/// Programs, and whether each operand is one path.
const LINES: [&str; 12] = [
    "cat {}",
    "grep -r x {}",
    "tac < {}",
    "cp {} {}",
    "python3 {} {}",
    "find {} -name x",
    "make -C {}",
    "tar cf x.tar {} && ls {}",
    "for f in {}; do head \"$f\"; done",
    "cd {} && ls",
    "git -C {} status",
    "ls",
];
/// Where the line runs.
const FOLDERS: [&str; 4] = ["app", "app/src", "other", "letters"];

/// What is open: paths below the home, and whether all of it is.
fn view(folder: &Path, home: &Path, cwd: &str, line: &str) -> (serde_json::Value, BTreeSet<PathBuf>) {
    let mut command = guarda(folder);
    command.env("HOME", home).args(["check", "--view", "--json", "--cwd"]).arg(home.join(cwd)).arg(line);
    let (_, out, err) = told(command.output().unwrap());
    let page: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out} {err}"));
    let opened = page["view"]["opened"].as_array().unwrap().iter();
    let below = |path: &str| Path::new(path).strip_prefix(home).unwrap().to_owned();
    (page["view"]["whole"].clone(), opened.map(|one| below(one["path"].as_str().unwrap())).collect())
}

#[test]
fn nothing_is_open_that_is_neither_a_tools_nor_the_tree_nor_named() {
    let case = (
        prop::collection::btree_set(prop::sample::select(&FILES[..]), 1..FILES.len()),
        prop::sample::select(&LINES[..]),
        prop::collection::vec((prop::sample::select(&FILES[..]), 0..3_usize, any::<bool>()), 2),
        prop::sample::select(&FOLDERS[..]),
    );
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(12) });
    let checked = runner.run(&case, |(files, line, operands, cwd)| {
        let folder = folder("", "");
        let home = std::fs::canonicalize(folder.path()).unwrap();
        for below in FOLDERS
            .iter()
            .map(|folder| format!("{folder}/x"))
            .chain(files.iter().map(|&file| file.to_owned()))
        {
            std::fs::create_dir_all(home.join(&below).parent().unwrap()).unwrap();
            std::fs::write(home.join(below), "x").unwrap();
        }
        // An operand is a file or a folder above it, by its path from the home or from the root.
        let mut named = Vec::new();
        let mut filled = line.to_owned();
        for (file, up, tilde) in operands.iter().take(line.matches("{}").count()) {
            let path = Path::new(file)
                .ancestors()
                .nth(*up)
                .filter(|path| *path != Path::new(""))
                .unwrap_or(Path::new(file));
            let text =
                if *tilde { format!("~/{}", path.display()) } else { home.join(path).display().to_string() };
            filled = filled.replacen("{}", &text, 1);
            named.push(path.to_owned());
        }
        let (whole, opened) = view(folder.path(), &home, cwd, &filled);
        prop_assert_eq!(&whole, &serde_json::Value::Null, "{}", &filled);
        // Without a repository the working folder is the tree.
        let tree = cwd.split('/').next().unwrap();
        let tree = if files.contains("app/.git/HEAD") && tree == "app" { "app" } else { cwd };
        for path in &opened {
            // What is named and missing is about to be made in the nearest folder that is there.
            let near =
                |name: &PathBuf| name.ancestors().find(|above| home.join(above).exists()).unwrap().to_owned();
            let allowed = home_rows().any(|(_, tool, _)| path == Path::new(tool))
                || path.starts_with(tree)
                || Path::new(tree).starts_with(path)
                    && path != Path::new("")
                    && Path::new(cwd).starts_with(path)
                || named.iter().any(|name| path.starts_with(near(name)));
            prop_assert!(allowed, "{:?} is open for {} in {}", path, &filled, cwd);
            prop_assert!(!KEYS.iter().any(|key| path.ends_with(key)), "{:?} is open for {}", path, &filled);
            let hall = [".ssh", ".aws", ".gnupg", ".config/gh"].iter().any(|hall| path.starts_with(hall));
            // Names of hosts are no secret.
            let hall = hall && path != Path::new(".ssh/config");
            prop_assert!(!hall && path != Path::new(""), "{:?} is open for {}", path, &filled);
        }
        for number in 0..300 {
            std::fs::create_dir(home.join(format!("beside{number}"))).unwrap();
            std::fs::write(home.join(format!("beside{number}/.env")), "x").unwrap();
        }
        prop_assert_eq!(view(folder.path(), &home, cwd, &filled), (whole, opened), "with 300 beside");
        Ok(())
    });
    checked.unwrap();
}
