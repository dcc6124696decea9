//! Finds the guarded places of a folder for a run that writes at once: it may only read them. The rules about changes say which they are,
//! so that the judge of changes and the cell follow one table.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use guarda_core::catalogue::GENERATED;
use guarda_core::judge::effects::is_guarded;
use guarda_core::policy::{Policy, Situation};

/// The most entries that are looked at, the nearest first. Where there are more, what was not looked at is guarded.
const MOST: usize = 200_000;
/// What git writes in its own folder all day, and where nothing is guarded.
const OF_GIT: &[&str] = &["objects", "refs", "logs", "lfs", "rr-cache"];

/// The guarded files and folders below these folders, except for those that a yes has named.
pub(in crate::hands) fn below(policy: &Policy, situation: &Situation, roots: &[PathBuf]) -> Vec<PathBuf> {
    search(policy, situation, roots, MOST)
}

fn search(policy: &Policy, situation: &Situation, roots: &[PathBuf], most: usize) -> Vec<PathBuf> {
    let named: Vec<&Path> = situation.named.iter().map(Path::new).collect();
    let guarded = |path: &Path, folder: bool| is_guarded(policy, path, folder, situation);
    let meant = |path: &Path| {
        let means =
            |named: &&&Path| path.starts_with(named) && (**named == path || guarded(named, named.is_dir()));
        named.iter().any(|named| means(&named))
    };
    let (mut open, mut left, mut found) = (VecDeque::from(roots.to_vec()), most, Vec::new());
    while let Some(folder) = open.pop_front() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Some(rest) = left.checked_sub(1) else {
                found.extend(std::iter::once(folder).chain(open));
                return found;
            };
            left = rest;
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            let of_git = || OF_GIT.iter().any(|name| entry.file_name() == *name);
            let skipped = path.file_name().is_none_or(|name| name != ".git") && is_skipped(&path)
                || is_in_git(&folder) && of_git();
            if kind.is_symlink() || kind.is_dir() && skipped {
                continue;
            }
            let holds_named = named.iter().any(|named| *named != path && named.starts_with(&path));
            // Git itself writes most of what lies in its folder.
            let parted = kind.is_dir() && (holds_named || entry.file_name() == ".git");
            if guarded(&path, kind.is_dir()) && !meant(&path) && !parted {
                found.push(path);
            } else if kind.is_dir() {
                open.push_back(path);
            }
        }
    }
    found
}

/// Whether a folder holds what programs download or generate.
fn is_skipped(folder: &Path) -> bool {
    GENERATED.iter().any(|name| folder.ends_with(name))
}

fn is_in_git(folder: &Path) -> bool {
    folder.ancestors().any(|above| above.file_name().is_some_and(|name| name == ".git"))
}

#[cfg(test)]
mod tests {
    use guarda_core::policy::Profile;

    use super::*;

    #[test]
    fn what_is_guarded_and_not_named_is_found() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let files = [
            ".git/config",
            ".git/HEAD",
            ".git/hooks/pre-commit",
            ".git/objects/ab/config",
            ".git/index",
            ".envrc",
            ".vscode/tasks.json",
            ".vscode/x.json",
            "CLAUDE.md",
            "a/AGENTS.md",
            ".github/workflows/ci.yml",
            ".github/CODEOWNERS",
            "src/main.rs",
            "node_modules/x/CLAUDE.md",
            "tools/hooks/pre-commit",
        ];
        for file in files {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        let policy = Policy::builtin(Profile::Workspace).unwrap();
        let found = |named: &[&str]| {
            let situation = Situation {
                home: "/home/ana".to_owned(),
                cwd: root.to_str().unwrap().to_owned(),
                named: named.iter().map(|path| root.join(path).to_str().unwrap().to_owned()).collect(),
                git_named: vec![root.join("tools/hooks")],
                ..Situation::default()
            };
            let found = below(&policy, &situation, std::slice::from_ref(&root)).into_iter();
            let mut found: Vec<String> =
                found.map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned()).collect();
            found.sort();
            found
        };
        let all = [
            ".envrc",
            ".git/config",
            ".git/hooks",
            ".github/workflows",
            ".vscode/tasks.json",
            "CLAUDE.md",
            "a/AGENTS.md",
            "tools/hooks",
        ];
        assert_eq!(found(&[]), all);
        assert_eq!(found(&["src", ""]), all);
        // What is not looked at can only be read.
        let situation = Situation {
            cwd: root.to_str().unwrap().to_owned(),
            git_named: vec![root.join("tools/hooks")],
            ..Situation::default()
        };
        for most in 0..30 {
            let found = search(&policy, &situation, std::slice::from_ref(&root), most);
            for file in all {
                assert!(
                    found.iter().any(|kept| root.join(file).starts_with(kept)),
                    "{most}: {file} {found:?}"
                );
            }
        }
        for (named, gone) in [
            (".envrc", ".envrc"),
            (".github/workflows/ci.yml", ".github/workflows"),
            (".git/hooks", ".git/hooks"),
        ] {
            let left: Vec<&str> = all.into_iter().filter(|path| *path != gone).collect();
            assert_eq!(found(&[named]), left, "{named}");
        }
    }
}
