//! Homes like a person's: secrets, caches, projects with dependencies, a repository with a submodule and a linked worktree.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Furnishes this folder as a home. `packages`: how many dependencies one of its projects has, of twenty files each.
pub fn furnish(folder: &Path, packages: u32) {
    let copied = Command::new("cp").arg("-a").arg(template(packages).join(".")).arg(folder).status().unwrap();
    assert!(copied.success());
    // A worktree and its repository name each other by their paths.
    let projects = std::fs::canonicalize(folder).unwrap().join("projetos");
    let (linked, kept) =
        (projects.join("site-conserto/.git"), projects.join("site/.git/worktrees/site-conserto"));
    std::fs::write(&linked, format!("gitdir: {}\n", kept.display())).unwrap();
    std::fs::write(kept.join("gitdir"), format!("{}\n", linked.display())).unwrap();
}

/// The home that others are copied from, made once for each version of the script.
fn template(packages: u32) -> PathBuf {
    const SCRIPT: &str = include_str!("home.sh");
    let version = <sha2::Sha256 as sha2::Digest>::digest(SCRIPT);
    let name =
        format!("home-{packages}-{:02x}{:02x}{:02x}{:02x}", version[0], version[1], version[2], version[3]);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !place.exists() {
        let new = tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut making = Command::new("/bin/bash");
        making.args(["-c", SCRIPT, "home"]).arg(new.path()).env_clear();
        making.env("PATH", "/usr/bin:/bin").env("PACKAGES", packages.to_string());
        assert!(making.status().unwrap().success());
        // Another program may have been quicker.
        let _ = std::fs::rename(new.path(), &place);
    }
    place
}
