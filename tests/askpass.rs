//! The process that asks for sudo's password, on a real terminal (a pty).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    dead_code,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

mod running;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Stdio};

use rustix::pty::OpenptFlags;
use rustix::termios::LocalModes;

/// Starts it as sudo is started: in a group of its own, in the background of the terminal.
#[expect(clippy::disallowed_methods, reason = "starts the program under test")]
fn ask(folder: &std::path::Path) -> (Child, File) {
    let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    let script = format!("set -m; {} 'Password: ' & wait $!", env!("CARGO_BIN_EXE_guarda"));
    let mut command = std::process::Command::new("/usr/bin/setsid");
    command.args(["--ctty", "--wait", "/bin/bash", "-c", &script]).current_dir(folder);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("GUARDA_ASKPASS", "1");
    let child = command.stdin(terminal).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    (child, File::from(master))
}

/// Reads the terminal until it shows this.
fn shown(master: &mut File, what: &str) -> String {
    let (mut seen, mut bytes) = (String::new(), [0; 256]);
    while !seen.contains(what) {
        let read = master.read(&mut bytes).unwrap();
        seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    seen
}

fn echoes(terminal: &impl AsFd) -> bool {
    rustix::termios::tcgetattr(terminal).unwrap().local_modes.contains(LocalModes::ECHO)
}

#[test]
fn the_password_goes_to_sudo_and_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, mut master) = ask(folder.path());
    shown(&mut master, "Password: ");
    running::wait("nothing is echoed", || (!echoes(&master)).then_some(()));
    master.write_all(b"open sesame\n").unwrap();
    let mut got = String::new();
    child.stdout.take().unwrap().read_to_string(&mut got).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(got, "open sesame\n");
    assert!(echoes(&master), "the terminal is as it was");
}

#[test]
fn calling_it_off_gives_the_terminal_back() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, mut master) = ask(folder.path());
    shown(&mut master, "Password: ");
    running::wait("nothing is echoed", || (!echoes(&master)).then_some(()));
    master.write_all(b"open\x03").unwrap();
    let mut got = String::new();
    child.stdout.take().unwrap().read_to_string(&mut got).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(got, "");
    assert!(echoes(&master), "the terminal is as it was");
}

#[test]
fn without_terminal_and_dialog_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "starts the program under test")]
    let mut command = std::process::Command::new("/usr/bin/setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_guarda"), "Password: "]).current_dir(folder.path());
    let output = command.env_clear().env("GUARDA_ASKPASS", "1").stdin(Stdio::null()).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
}
