//! Repositories: those of linked working trees and submodules lie elsewhere, and git expects an order and a lock.

use std::path::{Path, PathBuf};
use std::process::Command;

use guarda_sandbox::stage::{Budget, NotCommitted, Stage};
use uuid::Uuid;

use crate::ground::{Ground, look, run, same};

/// A repository with a linked working tree and a submodule.
const HOME: &str = "export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a GIT_CONFIG_KEY_1=user.email \
    GIT_CONFIG_VALUE_1=a GIT_CONFIG_KEY_2=protocol.file.allow GIT_CONFIG_VALUE_2=always; \
    git init -q other; (cd other; echo 1 > o; git add o; git commit -qm o); \
    git init -q main; cd main; echo 1 > a; git add a; git commit -qm a; git branch side; \
    git submodule --quiet add ../other sub; git commit -qm sub; git worktree add -q ../tree -b tree";

fn git(folder: &Path, words: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(folder).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn begun(ground: &Ground, roots: &[&str]) -> Stage {
    let roots: Vec<PathBuf> = roots.iter().map(|root| ground.home.join(root)).collect();
    ground.stages.begin(Uuid::now_v7(), &roots).unwrap()
}

const TREE: [&str; 2] = ["tree", "main/.git"];
const SUB: [&str; 2] = ["main/sub", "main/.git/modules/sub"];
const WHO: &str = "export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a GIT_CONFIG_KEY_1=user.email \
                   GIT_CONFIG_VALUE_1=a;";

#[test]
fn the_repository_of_a_tree_changes_with_it_and_back() {
    for (roots, script, status) in [
        (TREE, "echo 2 >> a; git add a", "M  a\n"),
        (TREE, "echo 2 >> a; git commit -qam b", ""),
        (TREE, "git switch -q side; git switch -qc new", ""),
        (TREE, "git rm -q a; git stash -q", ""),
        (TREE, "git tag x; git gc -q", ""),
        (SUB, "echo 2 >> o; git add .; git commit -qm p", ""),
        (SUB, "echo 2 > p; git add p", "A  p\n"),
        (
            ["main", "tree"],
            "git worktree remove ../tree 2>&1 || rm -rf ../tree/*; git submodule --quiet update",
            "",
        ),
    ] {
        let ground = Ground::new(HOME);
        let first = ground.home.join(roots[0]);
        let states = |ground: &Ground| look(&ground.home, false);
        let old = states(&ground);
        let stage = begun(&ground, &roots);
        let id = stage.id();
        run(&stage, &format!("{WHO}{script}"));
        stage.effects(Budget::default()).unwrap();
        stage.commit().unwrap_or_else(|error| panic!("{script}: {error}"));
        let new = states(&ground);
        assert!(!new.keys().any(|path| path.ends_with("index.lock")), "{script}");
        let once = ground.stages.undo(id).unwrap_or_else(|error| panic!("{script}: {error}"));
        same(&old, &states(&ground), &format!("undone: {script}"));
        let twice = ground.stages.undo(once.id).unwrap();
        same(&new, &states(&ground), &format!("done again: {script}"));
        if roots[0] != "main" {
            assert_eq!(git(&first, &["status", "--porcelain"]), status, "{script}");
            assert_eq!(git(&first, &["fsck", "--no-dangling"]), "", "{script}");
            // Reading may write the index again, which is no change.
            ground.stages.undo(twice.id).unwrap();
            assert_eq!(git(&first, &["status", "--porcelain"]), "", "{script}");
        }
    }
}

#[test]
fn an_index_that_somebody_else_has_locked_is_not_exchanged() {
    for (roots, lock) in
        [(TREE, "main/.git/worktrees/tree/index.lock"), (SUB, "main/.git/modules/sub/index.lock")]
    {
        let ground = Ground::new(HOME);
        let stage = begun(&ground, &roots);
        run(&stage, &format!("{WHO}echo 2 > new; git add new"));
        let lock = ground.home.join(lock);
        std::fs::write(&lock, "theirs").unwrap();
        let before = look(&ground.home, false);
        assert_eq!(stage.commit().unwrap_err(), NotCommitted::Conflict(vec![lock.clone()]));
        same(&before, &look(&ground.home, false), "nothing is changed");
        assert_eq!(std::fs::read_to_string(lock).unwrap(), "theirs");
    }
}

#[test]
fn locks_of_killed_programs_do_not_stay() {
    for (script, kept, gone) in [
        (
            "touch .git/new.txt .git/index.lock; touch yarn.lock",
            &["main/.git/new.txt", "main/yarn.lock"][..],
            "main/.git/index.lock",
        ),
        (
            "git init -q new; touch new/.git/config.lock",
            &["main/new/.git/config"],
            "main/new/.git/config.lock",
        ),
    ] {
        let ground = Ground::new(HOME);
        let stage = begun(&ground, &["main"]);
        run(&stage, script);
        stage.drop_locks().unwrap();
        stage.effects(Budget::default()).unwrap();
        stage.commit().unwrap();
        for path in kept {
            assert!(ground.home.join(path).exists(), "{script}: {path}");
        }
        assert!(!ground.home.join(gone).exists(), "{script}");
    }
}
