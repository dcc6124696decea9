//! The environment of executed commands: the guard's own minimal one (feature B9), and of an agent's client's shell what may pass
//! (feature N3). What a caller gives is a claim: to a run that acts passes what carries neither code nor a place, and what the
//! guard's own login has too. In a cell that can do no harm more passes, since programs look for their tools there.

use std::path::{Path, PathBuf};

use guarda_core::policy::variable::{leads_nowhere, names_a_program, promises_secret};
use guarda_core::policy::{Program, Situation};
use guarda_sandbox::session::session_variable;

use crate::devices::desktop::session::DesktopSession;
use crate::devices::filesystem::paths::{Is, Walk};
use crate::hands::facts::words;

/// How variables begin that change what the loader and the shell of the cell itself do, and the guard's own.
const OF_THE_CELL: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH",
    "ENV",
    "SHELLOPTS",
    "IFS",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS4",
    "MALLOC_",
    "GCONV_",
    "GIT_CONFIG",
    "GUARDA_",
];

/// Which variables of a client's shell pass.
#[derive(Debug, Clone, Copy)]
pub(in crate::hands) enum Passing<'a> {
    /// Nothing that the run does takes effect, and it reaches no other machine.
    Cell,
    /// It acts. Also passes what is the same in this login.
    Act(&'a DesktopSession),
}

impl Passing<'_> {
    /// Whether a variable is passed on. The search path and the home folder are set apart from this.
    pub(in crate::hands) fn passes(self, name: &str, value: &str) -> bool {
        let named = !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0');
        let open = || match self {
            Self::Cell => !names_a_program(name),
            Self::Act(login) => login.get(name) == Some(value) && session_variable(name).is_none(),
        };
        let of_the_cell = OF_THE_CELL.iter().any(|head| name.starts_with(head));
        named
            && !matches!(name, "PATH" | "HOME")
            && (leads_nowhere(name, value) || open() && !of_the_cell)
            && !promises_secret(name)
            && !looks_secret(value)
    }
}

fn looks_secret(value: &str) -> bool {
    guarda_core::output::redact(value).map_or(true, |redacted| redacted.text != value)
}

/// The folders of a client's search path in which a run that acts may look for programs, in their order: those of the system and
/// of the guard's own search path, those of tools in the home folder, where nothing is changed unasked, and each in which a
/// program of the judged line was found. A program that the line does not name comes from nowhere else.
pub(in crate::hands) fn trusted_folders(
    given: Vec<PathBuf>,
    own: &[PathBuf],
    situation: &Situation,
) -> Vec<PathBuf> {
    let mut walk = Walk::default();
    let home = Path::new(&situation.home);
    let names: Vec<&str> = bare(situation).map(|(name, _)| name).collect();
    let found_in = |walk: &mut Walk, folder: &Path| {
        let folders = [folder.to_owned()];
        names.iter().any(|name| words::find(walk, &folders, name) != Program::Missing)
    };
    let of_tools = |real: &Path| {
        let below = real.strip_prefix(home).ok().and_then(|below| below.iter().next());
        below.is_some_and(|first| first.as_encoded_bytes().starts_with(b"."))
    };
    let trusted = |folder: &PathBuf| {
        let target = walk.follow(folder);
        own.contains(folder)
            || target.is == Is::Folder
                && (target.system || of_tools(&target.real) || found_in(&mut walk, folder))
    };
    given.into_iter().filter(trusted).collect()
}

/// The programs of a line that are looked up in the search path.
pub(in crate::hands) fn bare(situation: &Situation) -> impl Iterator<Item = (&str, &Program)> {
    let programs = situation.programs.iter().map(|(name, program)| (name.as_str(), program));
    programs.filter(|(name, _)| !name.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_or_starts_something_or_is_secret_stays_out() {
        let login = DesktopSession::new(
            [("CARGO_HOME", "/opt/cargo"), ("LD_PRELOAD", "/l.so"), ("GH_TOKEN", "x"), ("DISPLAY", ":0")]
                .map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
        for (name, value, acts, cell) in [
            ("LANG", "pt_BR.UTF-8", true, true),
            ("LC_ALL", "C", true, true),
            ("TERM", "xterm-256color", true, true),
            ("TZ", "America/Sao_Paulo", true, true),
            ("CI", "1", true, true),
            ("NODE_ENV", "test", true, true),
            ("RUST_LOG", "guarda=debug,info", true, true),
            ("PYTHONUNBUFFERED", "1", true, true),
            ("GIT_AUTHOR_NAME", "Ana", true, true),
            ("GIT_AUTHOR_DATE", "2026-11-27 10:00:00 +0000", true, true),
            ("GIT_TERMINAL_PROMPT", "0", true, true),
            ("PAGER", "cat", true, true),
            ("GIT_EDITOR", "true", true, true),
            // A place where a listed name has none.
            ("TERM", "/tmp/x", false, true),
            ("TZ", ":/tmp/x", false, true),
            ("LANG", "../../x", false, true),
            // As in the login.
            ("CARGO_HOME", "/opt/cargo", true, true),
            ("CARGO_HOME", "/home/ana/p/.cargo", false, true),
            ("DISPLAY", ":0", false, true),
            ("LD_PRELOAD", "/l.so", false, false),
            ("GH_TOKEN", "x", false, false),
            // Where programs look for what they run, load or ask.
            ("DOCKER_CONFIG", "/home/ana/p/d", false, true),
            ("GIT_EXEC_PATH", "/home/ana/p/x", false, true),
            ("GIT_TRACE", ".git/hooks/x", false, true),
            ("GIT_DIR", "/home/ana/p/.git", false, true),
            ("GIT_SSH_COMMAND", "./x", false, true),
            ("XDG_CONFIG_HOME", "/home/ana/p/c", false, true),
            ("TMPDIR", "/home/ana/p", false, true),
            ("npm_config_registry", "http://evil.example", false, true),
            ("PIP_INDEX_URL", "http://evil.example", false, true),
            ("KUBECONFIG", "/home/ana/p/k", false, true),
            ("AWS_CONFIG_FILE", "/home/ana/p/a", false, true),
            ("SSL_CERT_FILE", "/home/ana/p/c", false, true),
            ("https_proxy", "http://evil.example", false, true),
            ("NODE_OPTIONS", "--require ./x", false, true),
            ("PYTHONPATH", "/home/ana/p", false, true),
            ("VIRTUAL_ENV", "/home/ana/venv", false, true),
            ("EDITOR", "vim", false, false),
            ("GIT_PAGER", "./x", false, false),
            ("BASH_ENV", "./x", false, false),
            ("BASH_FUNC_ls%%", "() { id; }", false, false),
            ("GIT_CONFIG_COUNT", "1", false, false),
            ("GUARDA_STATE_DIR", "/x", false, false),
            ("aws_secret_access_key", "x", false, false),
            ("SSH_AUTH_SOCK", "/run/x", false, false),
            ("CI", "ghp_0123456789abcdefghijABCDEFGHIJ012345", false, false),
            // Given apart.
            ("PATH", "/usr/bin", false, false),
            ("HOME", "/home/ana/p", false, false),
            ("", "x", false, false),
            ("A=B", "x", false, false),
        ] {
            assert_eq!(Passing::Act(&login).passes(name, value), acts, "{name}={value}");
            assert_eq!(Passing::Cell.passes(name, value), cell, "{name}={value} in a cell");
        }
    }

    #[test]
    fn a_folder_of_a_project_counts_only_for_what_the_line_names() {
        let place = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(place.path()).unwrap();
        let program = |file: &str| {
            use std::os::unix::fs::PermissionsExt as _;
            let file = home.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        for file in ["p/bin/helper", "p/venv/bin/python", "p/own/x", ".tools/bin/node"] {
            program(file);
        }
        std::os::unix::fs::symlink(home.join("p/bin"), home.join(".linked")).unwrap();
        let folder = |below: &str| home.join(below);
        let given = ["p/bin", "p/venv/bin", "p/own", ".tools/bin", ".linked", "p/none"].map(folder);
        let given: Vec<PathBuf> = given.into_iter().chain(["/usr/bin".into()]).collect();
        let mut situation = Situation { home: home.to_string_lossy().into_owned(), ..Situation::default() };
        situation.programs.insert("python".to_owned(), Program::Elsewhere("x".to_owned()));
        let trusted = trusted_folders(given, &[folder("p/own")], &situation);
        let expected = ["p/venv/bin", "p/own", ".tools/bin"].map(folder);
        assert_eq!(trusted, expected.into_iter().chain(["/usr/bin".into()]).collect::<Vec<_>>());
    }
}
