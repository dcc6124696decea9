//! Shared by the tests: a home folder with secrets, a working folder in it, and a way to run a script in a
//! sandbox.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use guarda_sandbox::process::{Start, Status, Streams};
use guarda_sandbox::{Network, Over, Protection, Sandbox, SandboxHandle, SandboxLevel, Spec};

/// The binaries under test: `guarda` and `guarda-keeper`.
pub fn binary(name: &str) -> PathBuf {
    match name {
        "guarda" => env!("CARGO_BIN_EXE_guarda").into(),
        _ => env!("CARGO_BIN_EXE_guarda-keeper").into(),
    }
}

pub fn sandbox() -> Sandbox {
    Sandbox::with_supervisor(binary("guarda-keeper"))
}

/// A program of the tests' own, outside of any sandbox.
#[expect(clippy::disallowed_methods, reason = "the tests' own programs are no deeds")]
pub fn program(path: &str) -> Command {
    Command::new(path)
}

pub fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("sandbox-test-").tempdir().unwrap()
}

/// A user's home folder: `work` in it is the working folder, `guard` the guard's own.
pub struct Jail {
    pub home: tempfile::TempDir,
    pub outside: tempfile::TempDir,
}

/// The result of a script.
#[derive(Debug)]
pub struct Done {
    pub status: Status,
    pub out: String,
    pub err: String,
    pub protection: Protection,
    pub over: Over,
}

impl Done {
    #[track_caller]
    pub fn succeeds(&self) -> &Self {
        assert_eq!(self.status, Status::Exited(0), "{self:#?}");
        self
    }

    #[track_caller]
    pub fn fails(&self) -> &Self {
        assert_ne!(self.status, Status::Exited(0), "{self:#?}");
        self
    }
}

impl Jail {
    pub fn new() -> Self {
        let home = folder();
        let at = |below: &str| home.path().join(below);
        for folder in ["work", "guard", ".ssh", ".config/gh", ".config/foot", ".gnupg", "Documents"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for (file, text) in [
            (".ssh/id_ed25519", "SECRET KEY"),
            (".config/gh/hosts.yml", "SECRET TOKEN"),
            (".bash_history", "SECRET HISTORY"),
            (".netrc", "SECRET PASSWORD"),
            ("guard/token", "SECRET TOKEN"),
            ("guard/journal.jsonl", "SECRET LINE"),
            ("Documents/letter.txt", "dear"),
            (".config/foot/foot.ini", "font"),
            (".bashrc", "alias"),
            ("work/file", "mine"),
        ] {
            std::fs::write(at(file), text).unwrap();
        }
        let outside = folder();
        std::fs::write(outside.path().join("file"), "SECRET OUTSIDE").unwrap();
        Self { home, outside }
    }

    pub fn at(&self, below: &str) -> PathBuf {
        std::fs::canonicalize(self.home.path()).unwrap().join(below)
    }

    pub fn outside(&self, below: &str) -> PathBuf {
        std::fs::canonicalize(self.outside.path()).unwrap().join(below)
    }

    pub fn spec(&self, profile: SandboxLevel) -> Spec {
        let mut spec = Spec::new(profile, Some(self.at("")), self.at("work"));
        spec.hidden.push(self.at("guard"));
        spec
    }

    /// A script for bash with the paths `$work`, `$home`, `$outside` and further variables.
    pub fn script(&self, text: &str, variables: &[(&str, &str)]) -> Start {
        let mut environment: Vec<(String, String)> =
            [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LC_ALL", "C.UTF-8")]
                .iter()
                .chain(variables)
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
        for (name, path) in [
            ("HOME", self.at("")),
            ("home", self.at("")),
            ("work", self.at("work")),
            ("outside", self.outside("")),
        ] {
            let path = path.to_str().unwrap().trim_end_matches('/');
            environment.push((name.to_owned(), path.to_owned()));
        }
        Start {
            file: "/bin/bash".into(),
            name: "bash".into(),
            arguments: ["--noprofile", "--norc", "-c", text].map(Into::into).into(),
            environment,
            folder: self.at("work"),
            followed: false,
        }
    }

    pub fn run(&self, spec: &Spec, text: &str) -> Done {
        self.run_with(spec, text, &[])
    }

    pub fn run_with(&self, spec: &Spec, text: &str, variables: &[(&str, &str)]) -> Done {
        run(spec, self.script(text, variables))
    }

    /// A script for Python.
    pub fn python(&self, spec: &Spec, text: &str, variables: &[(&str, &str)]) -> Done {
        run(spec, self.python_script(text, variables))
    }

    pub fn python_script(&self, text: &str, variables: &[(&str, &str)]) -> Start {
        let mut start = self.script("", variables);
        start.file = "/usr/bin/python3".into();
        start.name = "python3".into();
        start.arguments = ["-c", text].map(Into::into).into();
        start
    }
}

/// The confining profiles that this machine supports; bubblewrap does not work in most containers.
pub fn profiles() -> Vec<SandboxLevel> {
    static WHOLE: std::sync::OnceLock<Vec<SandboxLevel>> = std::sync::OnceLock::new();
    let probe = || {
        let capabilities = block_on(async { sandbox().probe().await });
        let confined = capabilities.confined.unwrap();
        assert!(confined.is_whole(), "{confined}");
        let isolated = capabilities.isolated.unwrap();
        match isolated.is_whole() {
            true => vec![SandboxLevel::Confined, SandboxLevel::Isolated],
            false => {
                eprintln!("not tried here: {isolated}");
                vec![SandboxLevel::Confined]
            }
        }
    };
    WHOLE.get_or_init(probe).clone()
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.unwrap().block_on(future)
}

pub fn run(spec: &Spec, start: Start) -> Done {
    block_on(async {
        let mut cell = sandbox().open(spec).await.unwrap();
        run_in(&mut cell, start).await
    })
}

/// Runs one program in a cell, and ends the cell.
pub async fn run_in(cell: &mut SandboxHandle, start: Start) -> Done {
    let (number, out, err) = begin(cell, start).await.unwrap();
    let status = tokio::time::timeout(Duration::from_secs(60), cell.status(number)).await;
    let status = status.expect("the program ends").unwrap();
    let over = cell.end(Duration::ZERO).await.unwrap();
    Done {
        status,
        out: out.join().unwrap(),
        err: err.join().unwrap(),
        protection: cell.protection().clone(),
        over,
    }
}

type Reading = std::thread::JoinHandle<String>;

/// Starts one program in a cell, and reads its output.
pub async fn begin(cell: &mut SandboxHandle, start: Start) -> std::io::Result<(usize, Reading, Reading)> {
    let (out, output) = std::io::pipe()?;
    let (err, error) = std::io::pipe()?;
    let input = std::fs::File::open("/dev/null")?;
    let streams = Streams { input: input.into(), output: output.into(), error: error.into() };
    let number = cell.start(start, streams).await?;
    Ok((number, read(out), read(err)))
}

fn read(mut pipe: std::io::PipeReader) -> Reading {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

pub fn none(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    spec.profile = SandboxLevel::None;
    spec
}

pub fn with_network(spec: &Spec, network: Network) -> Spec {
    let mut spec = spec.clone();
    spec.network = network;
    spec
}

pub fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
