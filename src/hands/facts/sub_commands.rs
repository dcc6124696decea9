//! Whether a seemingly misspelt sub-command exists: as a plugin, or as an alias of the user.

use std::path::{Path, PathBuf};

use guarda_core::catalogue::{Misspelt, SubCommands};

/// The longest file of aliases that is read, in bytes. A longer one may hold any alias.
const MOST: u64 = 256 * 1024;

/// True if no plugin or alias has this name, so the program refuses to start. False in doubt.
pub(in crate::hands) fn is_missing(
    found: &Misspelt<'_>,
    search_path: &[PathBuf],
    bases: &[PathBuf],
    home: &Path,
) -> bool {
    let SubCommands { plugins, aliases, alias_key, .. } = found.known;
    let place = |path: &str| match path.strip_prefix("~/") {
        Some(below) => home.join(below),
        None => PathBuf::from(path),
    };
    let name = format!("{}-{}", found.program, found.written);
    // kubectl looks for `kubectl-a_b` behind `a-b`, too.
    let other = format!("{}-{}", found.program, found.written.replace('-', "_"));
    let there = |folder: &PathBuf| [&name, &other].iter().any(|name| may_be(&folder.join(name)));
    let plugged = plugins.is_some_and(|folders| {
        search_path.iter().any(there) || folders.iter().any(|folder| there(&place(folder)))
    });
    let named = || {
        let of_person = aliases.iter().filter(|file| file.starts_with("~/")).map(|file| place(file));
        let of_folder = aliases.iter().filter(|file| !file.starts_with("~/")).flat_map(|file| {
            bases.iter().flat_map(|base| base.ancestors()).map(move |folder| folder.join(file))
        });
        of_person.chain(of_folder).any(|file| names(&file, alias_key))
    };
    !plugged && !named()
}

/// Whether a file exists, or might.
fn may_be(path: &Path) -> bool {
    !matches!(std::fs::symlink_metadata(path), Err(error) if gone(&error))
}

fn gone(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// Whether a file defines aliases, or might.
fn names(file: &Path, key: &str) -> bool {
    match std::fs::metadata(file) {
        Err(error) => !gone(&error),
        Ok(found) if !found.is_file() || found.len() > MOST => true,
        Ok(_) => std::fs::read_to_string(file).map_or(true, |text| text.contains(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::catalogue::misspelt;
    use guarda_shell::script::Dialect;

    #[test]
    fn a_plugin_or_an_alias_is_no_misspelling() {
        let home = tempfile::tempdir().unwrap();
        let (home, path) = (home.path(), home.path().join("path"));
        let project = home.join("project/deep");
        for folder in [&path, &project, &home.join(".cargo/bin"), &home.join(".docker/cli-plugins")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let missing = |line: &str| {
            let script = guarda_shell::read(line, Dialect::Bash).unwrap();
            let found = misspelt(&script.runs()[0]).unwrap();
            is_missing(&found, std::slice::from_ref(&path), std::slice::from_ref(&project), home)
        };
        for (line, file, text) in [
            ("cargo biuld", path.join("cargo-biuld"), ""),
            ("cargo biuld", home.join(".cargo/bin/cargo-biuld"), ""),
            ("cargo biuld", home.join(".cargo/config.toml"), "[alias]\nbiuld = 'build'"),
            ("cargo biuld", home.join("project/.cargo/config.toml"), "alias.biuld = 'b'"),
            ("docker pss", home.join(".docker/cli-plugins/docker-pss"), ""),
            ("kubectl gte pods", path.join("kubectl-gte"), ""),
        ] {
            assert!(missing(line), "{line}");
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            assert!(!missing(line), "{line} with {}", file.display());
            std::fs::remove_file(&file).unwrap();
        }
        std::fs::write(home.join(".cargo/config.toml"), "[build]\njobs = 1").unwrap();
        assert!(missing("cargo biuld") && missing("npm intsall x") && missing("systemctl statsu x"));
        // An unreadable file may define anything.
        std::fs::remove_file(home.join(".cargo/config.toml")).unwrap();
        std::fs::create_dir(home.join(".cargo/config.toml")).unwrap();
        assert!(!missing("cargo biuld"));
    }
}
