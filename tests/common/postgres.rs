//! A real PostgreSQL server with its own folder and socket; ended with the test.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The server.
pub struct Postgres {
    folder: tempfile::TempDir,
    server: Option<Child>,
}

/// The folder of its programs.
pub fn programs() -> PathBuf {
    let installed = std::fs::read_dir("/usr/lib/postgresql").expect("install postgresql").flatten();
    let mut found: Vec<PathBuf> = installed.map(|entry| entry.path().join("bin")).collect();
    found.retain(|path| path.join("postgres").exists());
    found.sort();
    found.pop().expect("install postgresql")
}

impl Postgres {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Self { folder, server: None };
        let data = server.folder.path().join("data");
        let made = server
            .command("initdb")
            .args(["--username=guarda", "--auth=trust", "--locale=C", "--encoding=UTF8", "--no-sync", "-D"])
            .arg(data)
            .status()
            .unwrap();
        assert!(made.success());
        server.go_on();
        server
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(programs().join(name));
        command.current_dir(self.folder.path()).env("LC_ALL", "C").stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Starts it, or starts it again.
    pub fn go_on(&mut self) {
        let folder = self.folder.path();
        let mut command = self.command("postgres");
        command.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
        command.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB"]);
        self.server = Some(command.spawn().unwrap());
    }

    /// Ends it at once, as a crash would.
    pub fn go_away(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        let pid = rustix::process::Pid::from_child(&server);
        rustix::process::kill_process(pid, rustix::process::Signal::QUIT).unwrap();
        server.wait().unwrap();
    }

    /// Its address for `registry.url`.
    pub fn url(&self) -> String {
        format!("postgres://guarda@localhost/postgres?host={}", self.folder.path().display())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.go_away();
    }
}
