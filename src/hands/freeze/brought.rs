//! Programs that do what files of their folder say, and the names of those files.

use std::path::{Path, PathBuf};

use crate::devices::paths::{self, Is};
use guarda_shell::script::{Piece, Run};

use super::{Freezing, LookError};

/// Folders above the working folder in which a program looks too.
const HIGHEST: usize = 16;
/// Longest file that says where the folder of a repository is.
const LONGEST_POINTER: u64 = 4096;

/// What a program reads unasked.
#[derive(Debug)]
pub(super) struct Reader {
    /// The programs, by their names alone.
    programs: &'static [&'static str],
    /// The names; `*` and `?` stand for letters, `~/` for the home folder.
    names: &'static [&'static str],
    /// It looks in the folders above too.
    above: bool,
    /// Options that name the folder it looks in.
    folder: &'static [&'static str],
    /// Options that name a file that it takes instead, or as well.
    file: &'static [&'static str],
}

/// What is known of programs. A program may stand in several rows.
pub(super) const PROGRAMS: &[Reader] = &[
    Reader {
        programs: &["make", "gmake", "bmake"],
        names: &["GNUmakefile", "makefile", "Makefile", "BSDmakefile", "*.mk"],
        above: false,
        folder: &["-C", "--directory"],
        file: &["-f", "--file", "--makefile"],
    },
    Reader {
        programs: &["ninja", "samu", "cmake", "ctest", "cpack", "meson", "scons"],
        names: &[
            "build.ninja",
            "CMakeLists.txt",
            "CMakePresets.json",
            "CMakeUserPresets.json",
            "CTestTestfile.cmake",
            "Makefile",
            "meson.build",
            "meson_options.txt",
            "SConstruct",
            "*.cmake",
        ],
        above: false,
        folder: &["-C", "-S", "-B", "--build", "--install", "--test-dir"],
        file: &["-f", "-P", "-C"],
    },
    Reader {
        programs: &["just", "task", "go-task", "rake", "mage", "invoke", "inv"],
        names: &[
            "justfile",
            "Justfile",
            ".justfile",
            "Taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yml",
            "taskfile.yaml",
            "Rakefile",
            "rakefile",
            "Rakefile.rb",
            "magefile.go",
            "tasks.py",
            ".env",
        ],
        above: true,
        folder: &["-d", "--dir", "--working-directory"],
        file: &["-f", "--justfile", "--taskfile", "--rakefile"],
    },
    Reader {
        programs: &["npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg", "bun", "bunx", "node", "corepack"],
        names: &[
            "package.json",
            "package-lock.json",
            "npm-shrinkwrap.json",
            "pnpm-lock.yaml",
            "pnpm-workspace.yaml",
            ".pnpmfile.cjs",
            "yarn.lock",
            ".yarnrc",
            ".yarnrc.yml",
            "bun.lock",
            "bun.lockb",
            "bunfig.toml",
            ".npmrc",
            "~/.npmrc",
        ],
        above: true,
        folder: &["-C", "--prefix", "--dir", "--cwd"],
        file: &["--userconfig"],
    },
    Reader {
        programs: &["cargo", "cross", "rustc", "rustup"],
        names: &[
            "Cargo.toml",
            "Cargo.lock",
            "build.rs",
            ".cargo/config.toml",
            ".cargo/config",
            "rust-toolchain",
            "rust-toolchain.toml",
        ],
        above: true,
        folder: &["-C"],
        file: &["--manifest-path", "--config"],
    },
    Reader {
        programs: &["go"],
        names: &["go.mod", "go.sum", "go.work", "vendor/modules.txt"],
        above: true,
        folder: &["-C"],
        file: &["-modfile", "--modfile", "-overlay"],
    },
    Reader {
        programs: &[
            "pip", "pip3", "pipx", "uv", "uvx", "poetry", "pdm", "hatch", "pytest", "py.test", "tox", "nox",
        ],
        names: &[
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "conftest.py",
            "tests/conftest.py",
            "test/conftest.py",
            "tox.ini",
            "pytest.ini",
            ".pytest.ini",
            "noxfile.py",
            "uv.toml",
            "uv.lock",
            "poetry.lock",
            "poetry.toml",
            "pip.conf",
        ],
        above: true,
        folder: &["-C", "--directory", "--project", "--rootdir", "-p"],
        file: &["-r", "--requirement", "-c", "--config-file", "-f", "--noxfile", "--confcutdir"],
    },
    Reader {
        programs: &["mvn", "mvnd", "gradle", "ant", "sbt"],
        names: &[
            "pom.xml",
            ".mvn/*",
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "gradle.properties",
            "build.xml",
            "build.sbt",
        ],
        above: true,
        folder: &["-p", "--project-dir"],
        file: &["-f", "--file", "-b", "--build-file", "-I", "--init-script", "-s", "--settings"],
    },
    Reader {
        programs: &["mvnw", "gradlew"],
        names: &["pom.xml", ".mvn/wrapper/*", "build.gradle*", "settings.gradle*", "gradle/wrapper/*"],
        above: false,
        folder: &[],
        file: &[],
    },
    Reader {
        programs: &["composer"],
        names: &["composer.json", "composer.lock", "auth.json"],
        above: true,
        folder: &["-d", "--working-dir"],
        file: &[],
    },
    Reader {
        programs: &["bundle", "bundler", "rake", "rspec", "rails", "gem"],
        names: &["Gemfile", "Gemfile.lock", "Rakefile", ".rspec", ".bundle/config", "spec/spec_helper.rb"],
        above: true,
        folder: &[],
        file: &["--gemfile", "--rakefile"],
    },
    Reader {
        programs: &["docker", "docker-compose", "podman", "podman-compose", "buildah", "nerdctl"],
        names: &[
            "Dockerfile",
            "Containerfile",
            ".dockerignore",
            "compose*.y*ml",
            "docker-compose*.y*ml",
            ".env",
        ],
        above: false,
        folder: &["--project-directory"],
        file: &["-f", "--file", "--env-file"],
    },
    Reader {
        programs: &["git", "gh", "pre-commit", "lefthook"],
        names: &[
            ".git",
            ".git/config",
            ".git/config.worktree",
            ".git/hooks/*",
            ".git/info/attributes",
            ".gitattributes",
            ".gitmodules",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            "~/.gitconfig",
            "~/.config/git/config",
        ],
        above: true,
        folder: &["-C", "--git-dir", "--work-tree"],
        file: &["-F", "--file"],
    },
    Reader {
        programs: &[
            "terraform",
            "tofu",
            "vagrant",
            "ansible-playbook",
            "ansible",
            "direnv",
            "tsc",
            "eslint",
            "vite",
        ],
        names: &[
            "*.tf",
            "Vagrantfile",
            "ansible.cfg",
            ".envrc",
            "tsconfig.json",
            "eslint.config.*",
            "vite.config.*",
        ],
        above: false,
        folder: &["-chdir", "--cwd"],
        file: &["-i", "-p", "--project", "-c", "--config", "-var-file"],
    },
];

impl Reader {
    /// True for one of its programs, given by its name alone.
    pub(super) fn named(&self, program: &str) -> bool {
        self.programs.contains(&program)
    }
}

impl Freezing {
    /// The files that a program reads unasked where it runs, or where its options say.
    pub(super) fn brought(&mut self, reader: &Reader, run: &Run) -> Result<(), LookError> {
        let given = self.given(run);
        let mut folders = self.situation.folders.clone();
        for base in self.situation.folders.clone() {
            // For some, each begins where the one before it ends.
            let home = PathBuf::from(&self.situation.home);
            let mut folder = base.clone();
            for value in values(&given, reader.folder) {
                folders.push(paths::of_person(value, &home, &base));
                folder = paths::of_person(value, &home, &folder);
                folders.push(folder.clone());
            }
            for value in values(&given, reader.file) {
                self.watch(&folder.join(value))?;
                self.watch(&base.join(value))?;
            }
        }
        self.names_of(reader, &folders)
    }

    /// The files that a program reads in these folders.
    pub(super) fn names_of(&mut self, reader: &Reader, folders: &[PathBuf]) -> Result<(), LookError> {
        for name in reader.names.iter().filter_map(|name| name.strip_prefix("~/")) {
            self.watch(&Path::new(&self.situation.home).join(name))?;
        }
        let mut seen = std::collections::BTreeSet::new();
        for folder in folders {
            let folder = self.walk.follow(folder).real;
            let highest = if reader.above { HIGHEST } else { 1 };
            for folder in folder.ancestors().take(highest) {
                if !seen.insert(folder.to_owned()) {
                    continue;
                }
                for name in reader.names.iter().filter(|name| !name.starts_with("~/")) {
                    self.named_in(folder, name)?;
                }
            }
        }
        Ok(())
    }

    fn named_in(&mut self, folder: &Path, name: &str) -> Result<(), LookError> {
        if name.contains(['*', '?']) {
            let whole = folder.join(name);
            let parent =
                self.walk.follow_noting(whole.parent().unwrap_or(folder), &mut self.situation.places);
            // What only the administrator can put there is not exchanged; where there is no folder, it is noted that there
            // is none.
            if parent.is == Is::Folder && !parent.system {
                self.siblings(folder, &[pieces(name)]);
            }
            return Ok(());
        }
        let path = folder.join(name);
        self.watch(&path)?;
        if name == ".git" { self.pointed(&path) } else { Ok(()) }
    }

    /// In a working tree or a submodule, `.git` is a file that says where the repository is.
    fn pointed(&mut self, file: &Path) -> Result<(), LookError> {
        let small =
            std::fs::symlink_metadata(file).is_ok_and(|data| data.is_file() && data.len() <= LONGEST_POINTER);
        let Some(text) = small.then(|| std::fs::read_to_string(file).ok()).flatten() else { return Ok(()) };
        let (Some(goal), Some(folder)) = (text.trim().strip_prefix("gitdir:"), file.parent()) else {
            return Ok(());
        };
        let goal = folder.join(goal.trim());
        let common = goal.ancestors().find(|above| above.file_name().is_some_and(|name| name == "worktrees"));
        let common = common.and_then(Path::parent).map(Path::to_owned);
        for folder in std::iter::once(goal).chain(common) {
            for name in ["config", "config.worktree", "commondir", "hooks/*", "info/attributes"] {
                self.named_in(&folder, name)?;
            }
        }
        Ok(())
    }
}

/// A name of the table as the pieces of a word.
pub(super) fn pieces(name: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in name.split_inclusive(['*', '?']) {
        match part.strip_suffix(['*', '?']) {
            Some(text) => {
                pieces.push(Piece::Text(text.to_owned()));
                pieces.extend(part.get(text.len()..).map(|pattern| Piece::Glob(pattern.to_owned())));
            }
            None => pieces.push(Piece::Text(part.to_owned())),
        }
    }
    pieces
}

/// The values of these options, however they are written: `-C x`, `-Cx`, `--directory x`, `--directory=x`.
fn values<'a>(given: &'a [Option<String>], options: &[&str]) -> Vec<&'a str> {
    let mut values = Vec::new();
    for (place, word) in given.iter().enumerate() {
        let Some(word) = word else { continue };
        for option in options {
            let Some(rest) = word.strip_prefix(option) else { continue };
            let short = option.len() == 2;
            let value = match rest.strip_prefix('=') {
                _ if rest.is_empty() => given.get(place + 1).and_then(Option::as_deref),
                Some(value) => Some(value),
                None if short => Some(rest),
                None => None,
            };
            values.extend(value.filter(|value| !value.is_empty()));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_options_are_found_however_they_are_written() {
        for (words, found) in [
            ("-C a b", vec!["a"]),
            ("-Ca b", vec!["a"]),
            ("--directory a", vec!["a"]),
            ("--directory=a -C b", vec!["a", "b"]),
            ("--directories a", vec![]),
            ("x -C", vec![]),
            ("-j 4 --dir a", vec![]),
        ] {
            let given: Vec<_> = words.split(' ').map(|word| Some(word.to_owned())).collect();
            assert_eq!(values(&given, &["-C", "--directory"]), found, "{words}");
        }
    }

    #[test]
    fn names_and_programs_are_well_formed() {
        for reader in PROGRAMS {
            assert!(!reader.programs.is_empty() && !reader.names.is_empty());
            assert!(reader.programs.iter().all(|name| !name.contains('/')), "{reader:?}");
            assert!(
                reader.names.iter().all(|name| !name.starts_with('/') && !name.contains("..")),
                "{reader:?}"
            );
            assert!(
                reader.names.iter().all(|name| !name.starts_with("~/") || !name.contains('*')),
                "{reader:?}"
            );
            let options = || reader.folder.iter().chain(reader.file);
            assert!(options().all(|option| option.starts_with('-') && option.len() > 1), "{reader:?}");
        }
        assert_eq!(pieces("a*"), [Piece::Text("a".to_owned()), Piece::Glob("*".to_owned())]);
    }
}
