//! The secrets that git tracks, by their names in the index of a working tree.

use std::path::{Path, PathBuf};

use guarda_core::policy::tracked::prints_objects;
use guarda_core::policy::{Policy, Situation};
use guarda_shell::script::Script;

/// The longest index that is read, in bytes; a longer one counts as one with secrets.
const LONGEST: u64 = 64 * 1024 * 1024;
/// The most names that are kept.
const MOST: usize = 256;

/// The tracked secrets of the tree around the working folder, if the line has git print what its objects hold. An index that cannot
/// be read counts as one that tracks a secret.
pub(in crate::hands) fn gather(policy: &Policy, script: &Script, situation: &Situation) -> Vec<String> {
    if !script.runs().iter().any(prints_objects) {
        return Vec::new();
    }
    let mut folders = situation.folders.iter().flat_map(|folder| folder.ancestors());
    let tree = folders.find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok());
    let Some(tree) = tree else { return Vec::new() };
    let Some(names) = read(&tree.join(".git")).as_deref().and_then(names) else {
        return vec![".".to_owned()];
    };
    let secret = |name: &String| policy.secret(&tree.join(name).to_string_lossy(), situation);
    names.into_iter().filter(secret).take(MOST).collect()
}

/// The index of a working tree, also of a linked one. A tree without one tracks nothing.
fn read(own: &Path) -> Option<Vec<u8>> {
    let folder = match std::fs::symlink_metadata(own).ok()?.is_file() {
        false => own.to_owned(),
        true => {
            let text = std::fs::read_to_string(own).ok()?;
            own.parent()?.join(PathBuf::from(text.strip_prefix("gitdir:")?.trim()))
        }
    };
    let index = folder.join("index");
    match std::fs::metadata(&index) {
        Ok(found) if found.is_file() && found.len() <= LONGEST => std::fs::read(index).ok(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Vec::new()),
        _ => None,
    }
}

/// The names in an index (gitformat-index, versions 2 to 4).
fn names(index: &[u8]) -> Option<Vec<String>> {
    let word = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    if index.is_empty() {
        return Some(Vec::new());
    }
    let (version, count) = (word(4)?, word(8)?);
    if index.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let (mut names, mut at, mut last) = (Vec::new(), 12, Vec::new());
    for _ in 0..count {
        // Times, device, inode, mode, owner, size; then the id of the object (SHA-1), then flags.
        let begun = at;
        let flags = u16::from_be_bytes(index.get(at + 60..at + 62)?.try_into().ok()?);
        at += if flags & 0x4000 == 0 { 62 } else { 64 };
        let mut kept = 0;
        if version == 4 {
            let (drop, length) = offset(index.get(at..)?)?;
            kept = last.len().checked_sub(drop)?;
            at += length;
        }
        let end = at + memchr(index.get(at..)?)?;
        last.truncate(kept);
        last.extend_from_slice(index.get(at..end)?);
        names.push(String::from_utf8_lossy(&last).into_owned());
        // Before version 4, entries are filled up to a multiple of eight bytes.
        at = if version == 4 { end + 1 } else { begun + ((end - begun) / 8 + 1) * 8 };
    }
    Some(names)
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == 0)
}

/// A number of variable length, and how many bytes it takes.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().take(4).enumerate() {
        value = value << 7 | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::policy::Profile;

    #[test]
    fn the_index_names_the_tracked_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let tree = std::fs::canonicalize(folder.path()).unwrap();
        let git = |words: &[&str]| {
            #[expect(clippy::disallowed_methods, reason = "makes the repository of this test")]
            let mut git = std::process::Command::new("git");
            git.args(words).current_dir(&tree).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &tree);
            assert!(git.output().unwrap().status.success(), "{words:?}");
        };
        git(&["init", "-q"]);
        let files = ["src/main.rs", "src/a/b/c/.env", "deploy/id_rsa", "README", "src/a/b/d.rs"];
        for file in files {
            std::fs::create_dir_all(tree.join(file).parent().unwrap()).unwrap();
            std::fs::write(tree.join(file), "x").unwrap();
        }
        let policy = Policy::builtin(Profile::Workspace).unwrap();
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let situation =
            Situation { cwd: text(&tree), folders: vec![tree.join("src")], ..Situation::default() };
        let gathered = |line: &str| {
            let script = guarda_shell::read(line, guarda_shell::script::Dialect::Bash).unwrap();
            gather(&policy, &script, &situation)
        };
        assert_eq!(gathered("git show"), Vec::<String>::new(), "nothing is tracked");
        for version in ["2", "3", "4"] {
            git(&["update-index", "--index-version", version]);
            git(&["add", "-A", "-f"]);
            assert_eq!(gathered("git log -p"), ["deploy/id_rsa", "src/a/b/c/.env"], "version {version}");
        }
        assert!(gathered("git log").is_empty() && gathered("ls").is_empty());
        std::fs::write(tree.join(".git/index"), "DIRC broken").unwrap();
        assert_eq!(gathered("git show"), ["."]);
    }
}
