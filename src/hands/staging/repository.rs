//! Whether git can run in a folder without starting programs that the folder names: `core.fsmonitor`, a pager, a
//! filter, a hook. Only settings known to be harmless pass; otherwise git runs in a cell.

use std::path::Path;

use guarda_core::git_config;

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
