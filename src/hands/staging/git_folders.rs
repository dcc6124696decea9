//! The git folder of a linked working tree or a submodule, which lies outside of it. There `.git` is a file that says where it
//! is. That is a claim: it counts only if the folder leads back to this tree.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use guarda_core::git_config;

/// The folder that git writes to for a working tree, given by its real path: the repository of a linked working tree, or that of a
/// submodule. `None` if it lies in the tree, or does not lead back to it.
pub(in crate::hands) fn of(tree: &Path) -> Option<PathBuf> {
    let pointer = tree.join(".git");
    let goal = text(&pointer)?;
    let own = tree.join(line(goal.strip_prefix("gitdir:")?)).canonicalize().ok()?;
    let leads = |name: &str| own.join(line(&text(&own.join(name))?)).canonicalize().ok();
    let folder = match own.parent().filter(|above| above.file_name() == Some(OsStr::new("worktrees"))) {
        Some(worktrees) => {
            let common = worktrees.parent()?;
            (leads("gitdir")? == pointer && leads("commondir")? == common).then(|| common.to_owned())?
        }
        None => {
            let config = text(&own.join("config"))?;
            let back = own.join(git_config::value(&config, "core", "worktree")?);
            (back.canonicalize().ok()? == tree).then_some(own)?
        }
    };
    let whole =
        folder.join("HEAD").is_file() && ["objects", "refs"].iter().all(|name| folder.join(name).is_dir());
    let apart = !tree.starts_with(&folder) && !folder.starts_with(tree);
    (whole && apart && guarda_sandbox::is_own(&folder)).then_some(folder)
}

/// A short regular file; links are not followed.
fn text(file: &Path) -> Option<String> {
    let small =
        std::fs::symlink_metadata(file).is_ok_and(|data| data.is_file() && data.len() <= git_config::LONGEST);
    small.then(|| std::fs::read_to_string(file).ok()).flatten()
}

/// A path on a line of its own.
fn line(text: &str) -> &str {
    text.strip_prefix(' ').unwrap_or(text).trim_end_matches(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes files with these texts, and folders where the path ends with a slash.
    fn made(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            if path.ends_with('/') {
                std::fs::create_dir_all(file).unwrap();
            } else {
                std::fs::write(file, text.replace("ROOT", root.to_str().unwrap())).unwrap();
            }
        }
    }

    #[test]
    fn only_a_folder_that_leads_back_is_believed() {
        const MAIN: [(&str, &str); 3] =
            [("main/.git/HEAD", "x"), ("main/.git/objects/", ""), ("main/.git/refs/", "")];
        const SUB: [(&str, &str); 4] = [
            ("main/.git/modules/sub/HEAD", "x"),
            ("main/.git/modules/sub/objects/", ""),
            ("main/.git/modules/sub/refs/", ""),
            ("main/sub/.git", "gitdir: ../.git/modules/sub\n"),
        ];
        const TREE: (&str, &str) = ("tree/.git", "gitdir: ROOT/main/.git/worktrees/tree\n");
        const BACK: (&str, &str) = ("main/.git/worktrees/tree/gitdir", "ROOT/tree/.git\n");
        const COMMON: (&str, &str) = ("main/.git/worktrees/tree/commondir", "../..\n");
        let config = |text: &'static str| ("main/.git/modules/sub/config", text);
        for (name, files, tree, expected) in [
            ("a working tree", [&MAIN[..], &[TREE, BACK, COMMON]].concat(), "tree", Some("main/.git")),
            (
                "one with relative paths",
                [&MAIN[..], &[("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"), COMMON]].concat(),
                "tree",
                None,
            ),
            (
                "one with relative paths that lead back",
                [
                    &MAIN[..],
                    &[
                        ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
                        ("main/.git/worktrees/tree/gitdir", "../../../../tree/.git\n"),
                        COMMON,
                    ],
                ]
                .concat(),
                "tree",
                Some("main/.git"),
            ),
            (
                "a repository without a tree",
                vec![
                    ("bare/HEAD", "x"),
                    ("bare/objects/", ""),
                    ("bare/refs/", ""),
                    ("tree/.git", "gitdir: ROOT/bare/worktrees/tree\n"),
                    ("bare/worktrees/tree/gitdir", "ROOT/tree/.git\n"),
                    ("bare/worktrees/tree/commondir", "../..\n"),
                ],
                "tree",
                Some("bare"),
            ),
            (
                "one of another tree",
                [&MAIN[..], &[TREE, BACK, COMMON, ("x/.git", TREE.1)]].concat(),
                "x",
                None,
            ),
            (
                "a folder elsewhere",
                [&MAIN[..], &[TREE, BACK, ("main/.git/worktrees/tree/commondir", "../../..\n")]].concat(),
                "tree",
                None,
            ),
            ("no repository", vec![TREE, BACK, COMMON], "tree", None),
            ("an ordinary one", MAIN.to_vec(), "main", None),
            (
                "a submodule",
                [&MAIN[..], &SUB, &[config("[core]\n\tbare = false\n\tworktree = ../../../sub\n")]].concat(),
                "main/sub",
                Some("main/.git/modules/sub"),
            ),
            (
                "a submodule of another tree",
                [&MAIN[..], &SUB, &[config("[core]\n\tworktree = ../../../other\n"), ("main/other/", "")]]
                    .concat(),
                "main/sub",
                None,
            ),
            (
                "a setting of another section",
                [&MAIN[..], &SUB, &[config("[x]\n\tworktree = ../../../sub\n")]].concat(),
                "main/sub",
                None,
            ),
            ("no settings", [&MAIN[..], &SUB].concat(), "main/sub", None),
        ] {
            let root = tempfile::tempdir().unwrap();
            let real = root.path().canonicalize().unwrap();
            made(&real, &files);
            assert_eq!(of(&real.join(tree)), expected.map(|path| real.join(path)), "{name}");
        }
    }
}
