//! Whether git can run in a folder without starting programs that the folder names: `core.fsmonitor`, a pager, a
//! filter, a hook. Only settings known to be harmless pass; otherwise git runs in a cell.

use std::path::Path;

/// The longest configuration that is read, in bytes.
const MOST: u64 = 64 * 1024;

/// Settings of a repository that start nothing: each section with its keys.
const HARMLESS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "quotepath",
            "abbrev",
        ],
    ),
    ("remote", &["url", "fetch", "pushurl", "tagopt", "prune"]),
    ("branch", &["remote", "merge", "rebase", "description"]),
    ("user", &["name", "email"]),
    ("submodule", &["url", "active"]),
    ("init", &["defaultbranch"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote"]),
    ("extensions", &["objectformat"]),
];

/// True if the nearest repository above `folder` is an ordinary work tree with its own `.git` folder and a
/// configuration that starts nothing. False if there is none, or in doubt.
pub(super) fn is_plain(folder: &Path) -> bool {
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
    let small = std::fs::symlink_metadata(&config).is_ok_and(|found| found.is_file() && found.len() <= MOST);
    small && std::fs::read_to_string(config).is_ok_and(|text| is_harmless(&text))
}

/// Whether a git configuration is in plain form and has only settings known to be harmless.
fn is_harmless(text: &str) -> bool {
    let mut keys: &[&str] = &[];
    text.lines().map(str::trim).all(|line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let name = section.split([' ', '"']).next().unwrap_or_default().to_ascii_lowercase();
            let known = HARMLESS.iter().find(|(known, _)| *known == name);
            keys = known.map_or(&[], |(_, keys)| keys);
            return known.is_some() && !section.contains([']', '\\']);
        }
        let Some((key, value)) = line.split_once('=') else { return false };
        let key = key.trim().to_ascii_lowercase();
        keys.contains(&key.as_str()) && !line.ends_with('\\') && !(key == "bare" && value.trim() != "false")
    })
}

/// The last value of a setting, if the configuration is in plain form and the value needs no quotes.
pub(super) fn setting<'a>(config: &'a str, section: &str, key: &str) -> Option<&'a str> {
    let (mut inside, mut found) = (false, None);
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) == Some(section);
        } else if let Some((name, value)) = line.split_once('=').filter(|_| inside)
            && name.trim_end().eq_ignore_ascii_case(key)
        {
            found = Some(value.trim_start()).filter(|value| !value.contains(['"', '\\', '#', ';']));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_plainest_configuration_starts_nothing() {
        let plain =
            "[core]\n\tbare = false\n\tfilemode = true\n[remote \"origin\"]\n\turl = git@example.org:a/b\n";
        for (text, harmless) in [
            (plain.to_owned(), true),
            (String::new(), true),
            ("# nothing\n[user]\n\tname = Ana\n".to_owned(), true),
            (format!("{plain}[core]\n\tfsmonitor = ./x\n"), false),
            ("[core] fsmonitor = ./x\n".to_owned(), false),
            ("[CORE]\n\tFSMonitor = ./x\n".to_owned(), false),
            ("[core]\n\tbare = true\n".to_owned(), false),
            ("[core]\n\tbare\n".to_owned(), false),
            ("[core]\n\teol = lf\\\n\tfsmonitor = x\n".to_owned(), false),
            ("[include]\n\tpath = x\n".to_owned(), false),
            ("[alias]\n\tx = !id\n".to_owned(), false),
            ("[diff \"x\"]\n\ttextconv = id\n".to_owned(), false),
            ("[submodule \"x\"]\n\tupdate = !id\n".to_owned(), false),
            ("fsmonitor = x\n".to_owned(), false),
        ] {
            assert_eq!(is_harmless(&text), harmless, "{text}");
        }
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
