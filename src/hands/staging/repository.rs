//! Whether git can run in a folder without starting programs that the folder names: `core.fsmonitor`, a pager, a
//! filter, a hook. Only settings known to be harmless pass; otherwise git runs in a cell. And which files of a tree git's
//! configuration names, whatever for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use guarda_core::git_config;

use crate::hands::staging::git_folders;

/// True if the nearest repository above `folder` is an ordinary work tree with its own `.git` folder and a
/// configuration that starts nothing. False if there is none, or in doubt.
pub(in crate::hands) fn is_plain(folder: &Path) -> bool {
    for folder in folder.ancestors() {
        let own = folder.join(".git");
        match std::fs::symlink_metadata(&own) {
            Ok(found) => return found.is_dir() && starts_nothing(&own),
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return false,
            // A bare repository.
            Err(_) if folder.join("HEAD").exists() && folder.join("objects").exists() => return false,
            Err(_) => {}
        }
    }
    false
}

/// The most configuration files that are read, with those that they include.
const MOST: usize = 32;

/// The files and folders of a working tree, given by its real path, that git's configuration names: the tree's, the person's and the
/// system's. What is not a path is left out; a bare word is one only if there is such a file.
pub(in crate::hands) fn named(tree: &Path, home: &Path) -> BTreeSet<PathBuf> {
    let own = tree.join(".git");
    let own = if own.is_dir() { Some(own) } else { git_folders::of(tree) };
    let of_tree = own.iter().flat_map(|own| [own.join("config"), own.join("config.worktree")]);
    let of_person =
        [home.join(".gitconfig"), home.join(".config/git/config"), PathBuf::from("/etc/gitconfig")];
    let mut open: Vec<PathBuf> = of_tree.chain(of_person).collect();
    let (mut read, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(file) = open.pop() {
        if read.len() == MOST || !read.insert(file.clone()) {
            continue;
        }
        let Some(text) = small(&file) else { continue };
        let folders = [tree, file.parent().unwrap_or(tree)];
        let real = |path: &PathBuf| path.parent() != Some(tree) || path.exists();
        found.extend(git_config::named(&text, &folders, home).into_iter().filter(real));
        for path in git_config::continued(&text) {
            let paths = folders.map(|folder| match path.strip_prefix("~/") {
                Some(below) => home.join(below),
                None => git_config::plain(&folder.join(path)),
            });
            found.extend(paths.iter().cloned());
            open.extend(paths);
        }
    }
    let own = tree.join(".git");
    found.retain(|path| path != tree && path.starts_with(tree) && !path.starts_with(&own));
    found
}

/// The text of a configuration; `None` if it is none.
fn small(file: &Path) -> Option<String> {
    let found = std::fs::metadata(file).ok()?;
    (found.is_file() && found.len() <= git_config::LONGEST)
        .then(|| std::fs::read_to_string(file).ok())
        .flatten()
}

fn starts_nothing(own: &Path) -> bool {
    let elsewhere = ["commondir", "config.worktree", "hooks/post-index-change"];
    if elsewhere.iter().any(|name| std::fs::symlink_metadata(own.join(name)).is_ok()) {
        return false;
    }
    let config = own.join("config");
    let small = std::fs::symlink_metadata(&config)
        .is_ok_and(|found| found.is_file() && found.len() <= git_config::LONGEST);
    small && std::fs::read_to_string(config).is_ok_and(|text| git_config::starts_nothing(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_configuration_names_is_known() {
        let root = tempfile::tempdir().unwrap();
        let (home, tree) = (root.path().join("home"), root.path().join("home/tree"));
        for folder in [".git", "tools", "ci"] {
            std::fs::create_dir_all(tree.join(folder)).unwrap();
        }
        for file in ["build.sh", "cat", "README"] {
            std::fs::write(tree.join(file), "").unwrap();
        }
        let named = |own: &str, persons: &str| {
            std::fs::write(tree.join(".git/config"), own).unwrap();
            std::fs::write(home.join(".gitconfig"), persons).unwrap();
            let found = super::named(&tree, &home);
            found
                .iter()
                .map(|path| path.strip_prefix(&tree).unwrap().to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        for (own, persons, expected) in [
            ("[core]\n\tbare = false\n[remote \"o\"]\n\turl = ../o/x\n", "[user]\n\tname = a/b\n", &[][..]),
            ("[core]\n\thooksPath = tools/hooks\n", "", &["tools/hooks"]),
            ("[core]\n\thooksPath = hooks\n", "", &["hooks"]),
            ("", "[core]\n\thooksPath = .hooks/\n", &[".hooks"]),
            ("[core]\n\tfsmonitor = ./tools/../ci/watch\n", "", &["ci/watch"]),
            ("[filter \"x\"]\n\tclean = sh build.sh --out=ci/o %f\n", "", &["build.sh", "ci/o"]),
            ("[alias]\n\tx = !ci/run && README\n", "", &["README", "ci/run"]),
            ("[diff \"x\"]\n\ttextconv = 'ci/a b'\n", "", &["ci/a", "ci/a b"]),
            ("[gpg]\n\tprogram = TREE/ci/gpg\n", "", &["ci/gpg"]),
            ("[sequence]\n\teditor = ~/tree/ci/ed\n", "", &["ci/ed"]),
            ("[core]\n\tsshCommand = vim\n", "", &[]),
            // Not in plain form.
            ("[core] sshCommand = ci/ssh -v\n", "", &["ci/ssh"]),
            // Relative to the file, which itself is named.
            ("[include]\n\tpath = ../.gitextra\n", "", &[".gitextra"]),
            ("[includeIf \"gitdir:~/\"]\n\tpath = ../ci/more\n", "", &["ci/more"]),
        ] {
            let own = own.replace("TREE", tree.to_str().unwrap());
            let found: Vec<String> =
                named(&own, persons).into_iter().filter(|path| !path.starts_with("gitdir")).collect();
            for path in expected {
                assert!(found.contains(&(*path).to_owned()), "{own} {persons}: {found:?}");
            }
            assert!(!expected.is_empty() || found.is_empty(), "{own}: {found:?}");
        }
        std::fs::write(tree.join("ci/more"), "[core]\n\teditor = tools/edit\n").unwrap();
        let found = named("[include]\n\tpath = ../ci/more\n", "");
        assert!(found.contains(&"tools/edit".to_owned()), "{found:?}");
    }

    #[test]
    fn a_folder_that_poses_as_a_repository_is_none() {
        let root = tempfile::tempdir().unwrap();
        let made = |path: &str, text: &str| {
            let file = root.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        made("good/.git/config", "[core]\n\tbare = false\n");
        made("good/src/main.rs", "");
        assert!(is_plain(&root.path().join("good")) && is_plain(&root.path().join("good/src")));
        // A bare repository inside a clone.
        for file in ["HEAD", "objects/x", "refs/x", "config"] {
            made(&format!("good/evil/{file}"), "");
        }
        assert!(
            !is_plain(&root.path().join("good/evil")) && !is_plain(&root.path().join("good/evil/objects"))
        );
        made("linked/.git", "gitdir: ../good/evil\n");
        made("hooked/.git/config", "");
        made("hooked/.git/hooks/post-index-change", "");
        for folder in ["linked", "hooked", ""] {
            assert!(!is_plain(&root.path().join(folder)), "{folder}");
        }
    }
}
