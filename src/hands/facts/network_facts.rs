//! Facts about the network of a line, gathered before it is judged: the repository's remotes, and settings files that
//! can lead a tool to another server. Only the names of such files are kept, because they may contain passwords.

use std::path::{Path, PathBuf};

use guarda_core::hosts::{Kept, kept};
use guarda_core::network::NetworkFacts;
use guarda_shell::script::Script;

use crate::hands::HandsConfig;

/// The longest settings file that is read, in bytes. A longer one is reported unread.
const MOST: u64 = 256 * 1024;
/// The most remotes that are kept.
const REMOTES: usize = 32;

/// Gathers the facts; `bases` are the folders that the line works in.
pub(in crate::hands) fn gather(
    config: &HandsConfig,
    script: &Script,
    bases: &[PathBuf],
    git: bool,
) -> NetworkFacts {
    let in_force = config.network.get();
    let mut facts = NetworkFacts {
        allowed: in_force.rules(),
        denied: in_force.deny.clone(),
        packages: in_force.allow.clone(),
        ..NetworkFacts::default()
    };
    for kept in kept(script) {
        for file in kept.files {
            let found = |path: &Path| leads_elsewhere(path, &kept);
            let there = match file.strip_prefix("~/") {
                Some(below) => found(&config.home.join(below)),
                None => bases.iter().any(|base| found(&base.join(file))),
            };
            if there {
                facts.moved.push((kept.tool.to_owned(), (*file).to_owned()));
            }
        }
    }
    for base in bases.iter().filter(|_| git) {
        let config =
            base.ancestors().map(|folder| folder.join(".git/config")).find(|config| config.is_file());
        let text = config.and_then(|config| read(&config));
        for remote in text.iter().flat_map(|text| remotes(text)).take(REMOTES) {
            if !facts.remotes.contains(&remote) {
                facts.remotes.push(remote);
            }
        }
        if text.is_some_and(|text| text.to_ascii_lowercase().contains("insteadof")) {
            facts.moved.push(("git".to_owned(), ".git/config".to_owned()));
        }
    }
    facts
}

/// Whether a settings file names another server. A folder of such files counts as one that does, and so does a file
/// that is too long.
fn leads_elsewhere(path: &Path, kept: &Kept) -> bool {
    let Ok(found) = std::fs::metadata(path) else { return false };
    if found.is_dir() {
        return std::fs::read_dir(path).is_ok_and(|mut files| files.next().is_some());
    }
    read(path).is_none_or(|text| kept.leads_elsewhere(&text))
}

/// The text of a regular file, if it is not too long.
fn read(path: &Path) -> Option<String> {
    let found = std::fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > MOST {
        return None;
    }
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The names and addresses of a repository's remotes, if its configuration is in plain form. Others are asked about
/// while git runs.
fn remotes(text: &str) -> Vec<(String, String)> {
    let mut name: Option<String> = None;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            let remote = line.strip_prefix("[remote \"").and_then(|rest| rest.strip_suffix("\"]"));
            name = remote.map(str::to_owned);
        } else if let (Some(name), Some((key, value))) = (&name, line.split_once('=')) {
            let value = value.trim().trim_matches('"');
            if ["url", "pushurl"].iter().any(|wanted| key.trim().eq_ignore_ascii_case(wanted)) {
                found.push((name.clone(), value.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::desktop::session::DesktopSession;
    use guarda_shell::script::Dialect;

    #[test]
    fn remotes_and_settings_are_found() {
        let home = tempfile::tempdir().unwrap();
        let made = |path: &str, text: &str| {
            let file = home.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        made(
            "project/.git/config",
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@a.example:x\n\tfetch = +y\n\tpushurl = https://b.example/x\n[branch \"main\"]\n\turl = no\n",
        );
        made("project/src/x", "");
        made("project/.npmrc", "//x/:_authToken=s\nregistry=https://evil.example\n");
        made(".cargo/config.toml", "[build]\n");
        let config = HandsConfig {
            home: home.path().to_owned(),
            ..HandsConfig::of_session(DesktopSession::default())
        };
        let facts = |line: &str, folder: &str| {
            let script = guarda_shell::read(line, Dialect::Bash).unwrap();
            gather(&config, &script, &[home.path().join(folder)], line.contains("git"))
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let git = facts("git push", "project/src");
        assert_eq!(git.remotes, [pair("origin", "git@a.example:x"), pair("origin", "https://b.example/x")]);
        assert_eq!(git.moved, []);
        assert_eq!(facts("npm i", "project").moved, [pair("npm", ".npmrc")]);
        assert_eq!(facts("npm i; ls", "project/src").moved, []);
        assert_eq!(facts("cargo fetch", "project").moved, []);
        made(".gitconfig", "[url \"https://x\"]\n\tinsteadOf = y\n");
        assert_eq!(facts("git pull", "project").moved, [pair("git", "~/.gitconfig")]);
        assert_eq!(facts("git log", "project").moved, []);
    }
}
