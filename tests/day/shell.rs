//! The shell of a person or of an agent's client, and the plain run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use regex::Regex;

use crate::tree::Tree;

/// How a line ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// How another run of the same line differs. `tidied`: that output was cleaned for a model.
    pub fn difference(&self, other: &Ran, tidied: bool) -> Option<String> {
        let shown = |text: &str| {
            let text = lasting(text);
            if tidied { text.trim_end().to_owned() } else { text }
        };
        let (here, there) = ((shown(&self.out), shown(&self.err)), (shown(&other.out), shown(&other.err)));
        (self.status != other.status || here != there)
            .then(|| format!("{} {there:?} instead of {} {here:?}", other.status, self.status))
    }
}

/// A text without what differs from run to run: times, numbers of processes and ports, names of temporary files, hashes.
fn lasting(text: &str) -> String {
    static CHANGING: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let rules = [
            (r"\b[0-9a-f]{7,40}\b", "«hash»"),
            (r"\d+([.,]\d+)? ?(ms|s|seconds)\b", "«time»"),
            (r"\b\d\d:\d\d(:\d\d(\.\d+)?)?\b", "«clock»"),
            (r"\btmp\.\w+", "«temporary»"),
            (r"\[\d+\] \d+", "«job»"),
            // git's advice, which the service has another setting for.
            (r"(?m)^(hint: .*|\s+\(use .*\))\n?| \(use .*\)", ""),
            (r"[\d.,]+[kMG]? ?(kB|MB|bytes)/s(ec)?", "«speed»"),
            (r"speedup is [\d.,]+", "«speedup»"),
        ];
        rules.map(|(rule, name)| (Regex::new(rule).unwrap(), name)).into()
    });
    CHANGING.iter().fold(text.to_owned(), |text, (rule, name)| rule.replace_all(&text, *name).into_owned())
}

/// Runs a line as a client's shell does, and notes where the shell stands at the end.
pub fn shell(mut command: Command, line: &str, stands: &mut PathBuf) -> Ran {
    let note = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let script = "cd -- \"$1\" || exit 99; eval \"$2\"; ended=$?; pwd -P > \"$3\"; exit $ended";
    command.args(["/bin/bash", "-c", script, "bash"]).arg(&stands).arg(line).arg(note.path());
    command.stdin(Stdio::null());
    let output = command.output().unwrap();
    let at = std::fs::read_to_string(note.path()).unwrap();
    if !at.is_empty() {
        *stands = at.trim_end().into();
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { status: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// Where programs are found, with a compiler and the tools of Node.
pub fn path() -> String {
    let cargo = Path::new(env!("CARGO")).parent().unwrap();
    let node = concat!(env!("CARGO_MANIFEST_DIR"), "/target/node/node_modules/.bin");
    // Where scripts/as-user shows them outside of anybody's home.
    let tools = Path::new("/usr/local/lib/guarda-suite");
    let toolchain = cargo.iter().rev().nth(1).unwrap();
    let cargos = [tools.join("rustup/toolchains").join(toolchain).join("bin"), cargo.to_owned()];
    let nodes = [tools.join("node/node_modules/.bin"), node.into()];
    let own =
        [cargos, nodes].into_iter().filter_map(|places| places.into_iter().find(|place| place.exists()));
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let folders: Vec<String> = own.chain(system).map(|folder| folder.display().to_string()).collect();
    folders.join(":")
}

/// The tool of a part of the day that is found only in the home of whoever runs this, which to the guard is another person's.
pub fn out_of_reach(part: &str) -> Option<&'static str> {
    let tool = match part {
        "rust" => "cargo",
        "pnpm" | "first run of pnpm" => "pnpm",
        _ => return None,
    };
    let found = std::env::split_paths(&path()).find(|folder| folder.join(tool).exists())?;
    found.starts_with(std::env::home_dir().unwrap()).then_some(tool)
}

/// The environment of both shells.
pub fn environment(command: &mut Command, home: &Path) {
    command.env_clear().env("HOME", home).env("PATH", path());
    command.env("LANG", "C.UTF-8").env("TERM", "dumb").env("USER", "ana").env("GIT_ADVICE", "0");
    command.env("MALLOC_PERTURB_", "0");
}

/// A home that no guard watches. Its shell sees it, and a `/tmp` of its own, at the same paths as the guard's.
pub struct Plain {
    folder: tempfile::TempDir,
    home: PathBuf,
    pub stands: PathBuf,
}

impl Plain {
    pub fn beside(home: &Path) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for below in ["home", "tmp"] {
            std::fs::create_dir(folder.path().join(below)).unwrap();
        }
        crate::common::home::furnish(&folder.path().join("home"), 100);
        // Its worktrees are named as they are seen.
        let plain = Self { folder, home: home.to_owned(), stands: home.to_owned() };
        plain.run_at(home, "git -C projetos/site worktree repair ../site-conserto");
        plain
    }

    pub fn enter(&mut self, folder: &str) {
        self.stands = self.home.join(folder);
        std::fs::create_dir_all(self.home_seen().join(folder)).unwrap();
    }

    /// Where the home really is.
    pub fn home_seen(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn tmp_seen(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    pub fn tree(&self) -> Tree {
        Tree::of(&self.home_seen(), &self.tmp_seen())
    }

    pub fn run(&mut self, line: &str) -> Ran {
        let mut stands = self.stands.clone();
        let ran = self.run_in(&mut stands, line);
        self.stands = stands;
        ran
    }

    fn run_at(&self, folder: &Path, line: &str) -> Ran {
        self.run_in(&mut folder.to_owned(), line)
    }

    fn run_in(&self, stands: &mut PathBuf, line: &str) -> Ran {
        let mut command = Command::new("unshare");
        environment(&mut command, &self.home);
        // Privileges only bind the folders.
        let bind = "mount --bind \"$1\" \"$2\" && mount --bind \"$3\" /tmp && shift 3 && exec setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all \"$@\"";
        command.args([
            "--user",
            "--map-current-user",
            "--keep-caps",
            "--mount",
            "/bin/bash",
            "-c",
            bind,
            "bash",
        ]);
        command.arg(self.home_seen()).arg(&self.home).arg(self.tmp_seen());
        shell(command, line, stands)
    }
}
