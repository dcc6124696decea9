//! The askpass program that `sudo` calls, on a real terminal (a pty).

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Stdio};

use rustix::pty::OpenptFlags;
use rustix::termios::LocalModes;

/// Starts it as `sudo` does: in its own group, in the background of the terminal.
fn ask(folder: &std::path::Path) -> (Child, File) {
    ask_by(folder, &[])
}

/// The same with more variables in the environment.
#[expect(clippy::disallowed_methods, reason = "starts the program under test")]
fn ask_by(folder: &std::path::Path, environment: &[(&str, &str)]) -> (Child, File) {
    let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    let script = format!("set -m; {} 'Password: ' & wait $!", env!("CARGO_BIN_EXE_guarda"));
    let mut command = std::process::Command::new("/usr/bin/setsid");
    command.args(["--ctty", "--wait", "/bin/bash", "-c", &script]).current_dir(folder);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("GUARDA_ASKPASS", "1").env("TERM", "xterm");
    command.envs(environment.iter().copied());
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

/// Types letter by letter: input that arrives too soon after the dialog is drawn may be lost.
fn typed(master: &mut File, text: &str) {
    for letter in text.chars() {
        crate::common::let_pass(30, "a person types letter by letter");
        let mut bytes = [0; 4];
        master.write_all(letter.encode_utf8(&mut bytes).as_bytes()).unwrap();
    }
}

/// Reads the terminal as long as it exists, so that its writers never block.
fn drain(master: &File) {
    let mut master = master.try_clone().unwrap();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while master.read(&mut bytes).is_ok_and(|read| read > 0) {}
    });
}

/// Asks by this pinentry, and waits until its dialog takes what is typed.
fn asked_by_pinentry(folder: &std::path::Path, program: &str) -> (Child, File) {
    let environment = [("GUARDA_ASKPASS_WAY", "pinentry"), ("GUARDA_ASKPASS_PINENTRY", program)];
    let (child, mut master) = ask_by(folder, &environment);
    shown(&mut master, "Password:");
    crate::common::wait("nothing is echoed", || (!echoes(&master)).then_some(()));
    drain(&master);
    crate::common::let_pass(300, "a dialog that was just drawn drops what comes at once");
    (child, master)
}

const PINENTRIES: [&str; 2] = ["/usr/bin/pinentry-tty", "/usr/bin/pinentry-curses"];

#[test]
fn pinentry_asks_on_the_terminal() {
    for program in PINENTRIES {
        let folder = tempfile::tempdir().unwrap();
        let (mut child, mut master) = asked_by_pinentry(folder.path(), program);
        typed(&mut master, "50% a\u{e7}a\u{ed}\r");
        let mut got = String::new();
        child.stdout.take().unwrap().read_to_string(&mut got).unwrap();
        assert!(child.wait().unwrap().success(), "{program}");
        assert_eq!(got, "50% a\u{e7}a\u{ed}\n", "{program}");
        assert!(echoes(&master), "{program}: the terminal is as it was");
    }
}

#[test]
fn calling_pinentry_off_is_no_password() {
    for program in PINENTRIES {
        let folder = tempfile::tempdir().unwrap();
        let (mut child, mut master) = asked_by_pinentry(folder.path(), program);
        // Ctrl-C on a terminal; in the dialog, the second button.
        typed(&mut master, if program.ends_with("tty") { "open\x03" } else { "open\t\t\r" });
        let mut got = String::new();
        child.stdout.take().unwrap().read_to_string(&mut got).unwrap();
        assert_eq!((child.wait().unwrap().success(), got.as_str()), (false, ""), "{program}");
        assert!(echoes(&master), "{program}: the terminal is as it was");
    }
}

#[test]
fn a_way_that_is_not_there_is_not_replaced_by_another() {
    let folder = tempfile::tempdir().unwrap();
    for environment in [
        &[("GUARDA_ASKPASS_WAY", "pinentry"), ("GUARDA_ASKPASS_PINENTRY", "/usr/bin/no-pinentry")][..],
        &[("GUARDA_ASKPASS_WAY", "pinentry"), ("GUARDA_ASKPASS_PINENTRY", "/usr/bin/true")],
    ] {
        let (mut child, master) = ask_by(folder.path(), environment);
        drain(&master);
        let mut got = String::new();
        child.stdout.take().unwrap().read_to_string(&mut got).unwrap();
        assert_eq!((child.wait().unwrap().success(), got.as_str()), (false, ""), "{environment:?}");
    }
}

fn echoes(terminal: &impl AsFd) -> bool {
    rustix::termios::tcgetattr(terminal).unwrap().local_modes.contains(LocalModes::ECHO)
}

#[test]
fn the_password_goes_to_sudo_and_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, mut master) = ask(folder.path());
    shown(&mut master, "Password: ");
    crate::common::wait("nothing is echoed", || (!echoes(&master)).then_some(()));
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
    crate::common::wait("nothing is echoed", || (!echoes(&master)).then_some(()));
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
