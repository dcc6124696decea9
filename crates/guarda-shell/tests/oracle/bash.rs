//! Real bash in an empty folder, with nothing but sentinels on the path, limits on what a
//! process may use, a deadline, and (see `oracle.rs`) no network. It reports each program it starts or looks for.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::generator::{Needs, PROGRAMS};

/// The time limit of one script.
const DEADLINE: Duration = Duration::from_millis(1500);
/// Real programs that start others; they do no more than that.
const STARTERS: [&str; 12] =
    ["bash", "sh", "env", "nice", "timeout", "nohup", "xargs", "find", "setsid", "stdbuf", "cat", "true"];

/// Files whose names patterns find, and which look like options, programs and several words.
const FILES: [&str; 8] = ["a", "b", "ab", "b c", "-n", ".h", "qaa", "a;qbb"];
/// Values that are split, that are patterns, options or programs, and empty ones.
const VARIABLES: [(&str, &str); 6] =
    [("x", "qbb 'c d'"), ("y", "*"), ("z", "-n"), ("i", ""), ("REPLY", "qcc"), ("f", "a b")];

/// The result of running a script.
pub struct Outcome {
    /// The argument vectors of all programs that were started or looked for.
    pub ran: Vec<Vec<String>>,
    /// True if the deadline passed; the reports until then count.
    pub late: bool,
}

/// A place to run scripts in, one at a time.
pub struct Jail {
    folder: tempfile::TempDir,
    prelude: PathBuf,
    /// The process that runs, and its deadline.
    watched: Arc<Mutex<Option<(u32, Instant)>>>,
}

impl Jail {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("oracle").tempdir().expect("a folder");
        let path = folder.path();
        fs::create_dir(path.join("bin")).expect("a folder");
        fs::create_dir(path.join("work")).expect("a folder");
        for name in PROGRAMS {
            let stub = path.join("bin").join(name);
            fs::write(&stub, "#!/bin/sh\nprintf '%s\\0' \"$#\" \"${0##*/}\" \"$@\" >&9\n").expect("a stub");
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        for name in STARTERS {
            for place in ["/usr/bin", "/bin"] {
                let real = Path::new(place).join(name);
                if real.exists() {
                    std::os::unix::fs::symlink(real, path.join("bin").join(name)).expect("a link");
                    break;
                }
            }
        }
        let prelude = path.join("prelude");
        // Descriptor 9 is the report; it ends when the last process that could still report has ended.
        let limits = "ulimit -t 2 -f 256 -v 500000";
        let text = format!(
            "{{ : >&9; }} 2>/dev/null || exec 9>&1 >/dev/null 2>&1\n{limits} 2>/dev/null\nFUNCNEST=30\n\
             command_not_found_handle() {{ local IFS=$'\\x1e'; builtin printf '=%s\\0' \"${{*//$'\\n'/$'\\x1d'}}\" >&9; return 127; }}\n"
        );
        fs::write(&prelude, text).expect("a prelude");
        for place in [path.to_path_buf(), path.join("bin"), path.join("work"), prelude.clone()] {
            fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        let watched = Arc::new(Mutex::new(None));
        watch(Arc::clone(&watched));
        Self { folder, prelude, watched }
    }

    /// The home folder of the scripts, in which they begin.
    pub fn work(&self) -> String {
        self.folder.path().join("work").display().to_string()
    }

    /// Runs a script as `bash -c` would. `furnished`: in a folder with files, and with variables set, as in a client's
    /// shell, where the names are found that scripts use without setting them.
    pub fn run(&self, script: &str, needs: Needs, furnished: bool) -> Outcome {
        let work = self.folder.path().join("work");
        self.empty(&work);
        if furnished {
            for name in FILES {
                let _ = fs::write(work.join(name), "qaa\nqbb 1\n");
            }
        }
        let path = match needs {
            Needs::Nothing => PathBuf::from("/nonexistent"),
            Needs::Programs => self.folder.path().join("bin"),
        };
        let mut command = bash();
        command
            .args(["--norc", "--noprofile", "-c", "--", script])
            .env_clear()
            .env("PATH", path)
            .env("HOME", &work)
            .env("LC_ALL", "C.UTF-8")
            .env("BASH_ENV", &self.prelude)
            .envs(VARIABLES.into_iter().filter(|_| furnished))
            .current_dir(&work)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0);
        let mut child = command.spawn().expect("bash starts");
        *self.watched.lock().expect("no panic") = Some((child.id(), Instant::now() + DEADLINE));
        let mut report = Vec::new();
        if let Some(mut pipe) = child.stdout.take() {
            let _ = pipe.read_to_end(&mut report);
        }
        let late = self.watched.lock().expect("no panic").take().is_none();
        end(&mut child);
        Outcome { ran: decode(&report), late }
    }

    fn empty(&self, work: &Path) {
        for entry in fs::read_dir(work).expect("the folder").flatten() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The version of the bash at hand, if there is one.
pub fn version() -> Option<String> {
    let output = bash().arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

#[expect(clippy::disallowed_methods, reason = "the oracle is the real shell, run in a jail by a test")]
fn bash() -> Command {
    // By its full path, because a script's search path has no bash on it.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("bash")).find(|file| file.exists());
    Command::new(found.unwrap_or_else(|| PathBuf::from("/bin/bash")))
}

/// Ends the remaining processes of a script.
fn end(child: &mut Child) {
    kill(child.id());
    let _ = child.wait();
}

fn kill(group: u32) {
    if let Some(pid) = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

/// Ends scripts whose deadline has passed.
fn watch(watched: Arc<Mutex<Option<(u32, Instant)>>>) {
    let weak = Arc::downgrade(&watched);
    std::thread::spawn(move || {
        while let Some(watched) = weak.upgrade() {
            {
                let mut watched = watched.lock().expect("no panic");
                if let Some((pid, deadline)) = *watched
                    && Instant::now() > deadline
                {
                    kill(pid);
                    *watched = None;
                }
            }
            drop(watched);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
}

/// Reports are a count, a name, and so many arguments, each ended by a NUL; or, from bash itself, which writes line by
/// line, `=` and the words with other characters for what parts them and for newlines.
fn decode(report: &[u8]) -> Vec<Vec<String>> {
    let mut items = report.split(|byte| *byte == 0).map(|item| String::from_utf8_lossy(item).into_owned());
    let mut ran = Vec::new();
    while let Some(count) = items.next() {
        if let Some(words) = count.strip_prefix('=') {
            ran.push(words.split('\u{1e}').map(|word| word.replace('\u{1d}', "\n")).collect());
            continue;
        }
        let Ok(count) = count.parse::<usize>() else { break };
        ran.push(items.by_ref().take(count + 1).collect());
    }
    ran
}
