//! Asks the person for the password that `sudo` needs, and hands it to `sudo` and nobody else. This is a process of its
//! own, started by `sudo` (`SUDO_ASKPASS`): the service never has the password, and nothing of it is kept or written.
//!
//! Where there is a terminal it is asked there; otherwise by one of the desktop's own password dialogs, which this
//! process then turns into.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use rustix::termios::{OptionalActions, Termios};
use zeroize::Zeroizing;

/// Set to `1` in the environment that `sudo` is started with.
pub const VARIABLE: &str = "GUARDA_ASKPASS";
/// How long the terminal waits for a password. Less than a command may take, so that the terminal is given back in order.
const PATIENCE: Duration = Duration::from_secs(60);
/// Dialogs of the desktops, with the options that stand before the prompt.
const DIALOGS: &[(&str, &[&str])] = &[
    ("/usr/bin/ksshaskpass", &[]),
    ("/usr/bin/lxqt-openssh-askpass", &[]),
    ("/usr/bin/ssh-askpass", &[]),
    ("/usr/lib/ssh/x11-ssh-askpass", &[]),
    ("/usr/libexec/openssh/gnome-ssh-askpass", &[]),
    ("/usr/bin/zenity", &["--password", "--title"]),
    ("/usr/bin/kdialog", &["--password"]),
];

/// Runs this process as the one that asks, if that is what it was started for. To be called first in `main`.
#[must_use]
pub fn run_as_askpass() -> Option<ExitCode> {
    if std::env::var_os(VARIABLE).is_none_or(|value| value != "1") {
        return None;
    }
    let prompt: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let prompt = prompt.join(" ");
    // What would move the cursor or change colours is no part of a prompt.
    let prompt: String = prompt.chars().filter(|c| !c.is_control()).take(200).collect();
    Some(match ask(&prompt) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "guarda: the password could not be asked for: {error}");
            ExitCode::FAILURE
        }
    })
}

/// Whether anything is there to ask with: a terminal of this session, or a dialog and a display.
#[must_use]
pub fn possible(display: bool) -> bool {
    std::fs::File::options().read(true).write(true).open("/dev/tty").is_ok()
        || (display && dialog().is_some())
}

fn dialog() -> Option<&'static (&'static str, &'static [&'static str])> {
    DIALOGS.iter().find(|(program, _)| Path::new(program).is_file())
}

fn ask(prompt: &str) -> std::io::Result<()> {
    let terminal = std::fs::File::options().read(true).write(true).open("/dev/tty");
    match (terminal, dialog()) {
        (Ok(terminal), _) => {
            let terminal = Foreground::take(terminal)?;
            let password = Zeroizing::new(rpassword::prompt_password(prompt)?);
            drop(terminal);
            let mut out = std::io::stdout().lock();
            out.write_all(password.as_bytes())?;
            out.write_all(b"\n")?;
            out.flush()
        }
        (Err(_), Some((program, options))) =>
        {
            #[allow(clippy::disallowed_methods, reason = "devices are where programs are started")]
            Err(std::process::Command::new(program).args(*options).arg(prompt).env_remove(VARIABLE).exec())
        }
        (Err(error), None) => Err(error),
    }
}

/// The terminal, which belongs to another group of processes, taken for this one and given back in the end: commands are
/// run in groups of their own, and a group in the background would be stopped when it reads.
struct Foreground {
    terminal: std::sync::Arc<std::fs::File>,
    owner: rustix::process::Pid,
    manner: Termios,
}

impl Foreground {
    fn take(terminal: std::fs::File) -> std::io::Result<Self> {
        let ends = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGTSTP];
        let ends: SigSet = ends.into_iter().collect();
        // With this signal held back the system lets a background process take the terminal.
        let take: SigSet = std::iter::once(Signal::SIGTTOU).collect();
        ends.thread_block()?;
        take.thread_block()?;
        let terminal = std::sync::Arc::new(terminal);
        let owner = rustix::termios::tcgetpgrp(&terminal)?;
        let manner = rustix::termios::tcgetattr(&terminal)?;
        rustix::termios::tcsetpgrp(&terminal, rustix::process::getpgrp())?;
        let taken = Self { terminal, owner, manner };
        // Whatever ends this process early, the terminal goes back: the guard itself may be waiting for it.
        taken.give_back_after(|| std::thread::sleep(PATIENCE));
        taken.give_back_after(move || {
            let _ = ends.wait();
        });
        Ok(taken)
    }

    fn give_back_after(&self, what: impl FnOnce() + Send + 'static) {
        let (terminal, owner, manner) =
            (std::sync::Arc::clone(&self.terminal), self.owner, self.manner.clone());
        std::thread::spawn(move || {
            what();
            drop(Self { terminal, owner, manner });
            std::process::exit(1);
        });
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        let _ = rustix::termios::tcsetattr(&self.terminal, OptionalActions::Now, &self.manner);
        let _ = rustix::termios::tcsetpgrp(&self.terminal, self.owner);
    }
}
