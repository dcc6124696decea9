//! Asks the person for the password that `sudo` needs, and passes it to `sudo` only. This is a separate process,
//! started by `sudo` (`SUDO_ASKPASS`): the service never has the password, and it is neither stored nor logged.
//!
//! By default it asks on the terminal if there is one, and otherwise with a password dialog of the desktop, which
//! replaces this process, or with pinentry. The configuration may select one of these.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use rustix::termios::{OptionalActions, Termios};
use zeroize::Zeroizing;

use crate::config::sections::password::Way;
use crate::devices::fault::DeviceFault;

/// Set to `1` in the environment of `sudo`.
pub const VARIABLE: &str = "GUARDA_ASKPASS";
/// The way, in the same environment: `terminal`, `dialog`, `pinentry`; default: the first that is available.
pub const WAY: &str = "GUARDA_ASKPASS_WAY";
/// The pinentry program, in the same environment.
pub const PINENTRY: &str = "GUARDA_ASKPASS_PINENTRY";
/// How long the terminal waits for a password. Less than a command's time limit, so that the terminal is restored
/// properly.
const PATIENCE: Duration = Duration::from_secs(60);
/// Password dialogs of the desktops, with the options before the prompt.
const DIALOGS: &[(&str, &[&str])] = &[
    ("/usr/bin/ksshaskpass", &[]),
    ("/usr/bin/lxqt-openssh-askpass", &[]),
    ("/usr/bin/ssh-askpass", &[]),
    ("/usr/lib/ssh/x11-ssh-askpass", &[]),
    ("/usr/libexec/openssh/gnome-ssh-askpass", &[]),
    ("/usr/bin/zenity", &["--password", "--title"]),
    ("/usr/bin/kdialog", &["--password"]),
];

/// Runs this process as the askpass program, if it was started as one. Call this first in `main`.
#[must_use]
pub fn run_as_askpass() -> Option<ExitCode> {
    if std::env::var_os(VARIABLE).is_none_or(|value| value != "1") {
        return None;
    }
    // No other process of this user may read its memory, and no core may be written.
    if let Err(error) = unreadable() {
        let _ = writeln!(std::io::stderr(), "guarda: its memory cannot be protected: {error}");
        return Some(ExitCode::FAILURE);
    }
    let prompt: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let prompt = prompt.join(" ");
    // A prompt must not move the cursor or change colours.
    let prompt: String = prompt.chars().filter(|c| !c.is_control()).take(200).collect();
    Some(match ask(&prompt) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "guarda: the password could not be asked for: {error}");
            ExitCode::FAILURE
        }
    })
}

fn unreadable() -> std::io::Result<()> {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    rustix::process::setrlimit(rustix::process::Resource::Core, none)?;
    Ok(())
}

/// Where a password is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptPlace {
    /// On the service's terminal.
    Terminal,
    /// In a window of the desktop.
    Desktop,
}

/// How a command gets its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Where it is typed.
    pub place: PromptPlace,
    /// `pkexec` instead of `sudo`.
    pub pkexec: bool,
    /// The environment of the askpass program.
    pub environment: Vec<(String, String)>,
}

/// The route for a configured way, with what is available now: a terminal of this session, a display, dialogs.
///
/// # Errors
/// [`DeviceFault::Absent`] with the missing program and how to install it.
pub fn route(way: Way, pinentry: Option<&Path>, display: bool) -> Result<Route, DeviceFault> {
    let terminal = std::fs::File::options().read(true).write(true).open("/dev/tty").is_ok();
    let named = |way: &str| vec![(WAY.to_owned(), way.to_owned())];
    let sudo = |place, environment| Ok(Route { place, pkexec: false, environment });
    match way {
        Way::Terminal if terminal => sudo(PromptPlace::Terminal, named("terminal")),
        Way::Terminal => Err(DeviceFault::absent("there is no terminal to ask for the password on")),
        Way::Dialog if display && dialog().is_some() => sudo(PromptPlace::Desktop, named("dialog")),
        Way::Dialog => {
            Err(DeviceFault::absent("there is no dialog to ask for the password: install ssh-askpass"))
        }
        Way::Pinentry => {
            let found =
                pinentry.map(Path::to_owned).or_else(|| crate::devices::terminal::pinentry::find(terminal));
            let found = found.filter(|path| path.is_file() && (terminal || display));
            let Some(found) = found else {
                return Err(DeviceFault::absent(
                    "there is no pinentry, or nothing for it to ask on: install pinentry-curses",
                ));
            };
            let mut environment = named("pinentry");
            environment.push((PINENTRY.to_owned(), found.to_string_lossy().into_owned()));
            sudo(if terminal { PromptPlace::Terminal } else { PromptPlace::Desktop }, environment)
        }
        Way::Pkexec if Path::new(PKEXEC).is_file() => {
            Ok(Route { place: PromptPlace::Desktop, pkexec: true, environment: Vec::new() })
        }
        Way::Pkexec => Err(DeviceFault::absent("there is no pkexec: install pkexec and polkitd")),
        Way::Auto if terminal => sudo(PromptPlace::Terminal, named("terminal")),
        Way::Auto if display && dialog().is_some() => sudo(PromptPlace::Desktop, named("dialog")),
        Way::Auto if display && crate::devices::terminal::pinentry::find(false).is_some() => {
            route(Way::Pinentry, None, true)
        }
        Way::Auto if display && Path::new(PKEXEC).is_file() => route(Way::Pkexec, None, true),
        Way::Auto => Err(DeviceFault::absent("nothing is there to ask for the password")),
    }
}

/// The path of polkit's program.
pub const PKEXEC: &str = "/usr/bin/pkexec";

fn dialog() -> Option<&'static (&'static str, &'static [&'static str])> {
    DIALOGS.iter().find(|(program, _)| Path::new(program).is_file())
}

fn ask(prompt: &str) -> std::io::Result<()> {
    let terminal = std::fs::File::options().read(true).write(true).open("/dev/tty");
    let way = std::env::var(WAY).unwrap_or_default();
    match (terminal, dialog()) {
        (terminal, _) if way == "pinentry" => {
            let named = std::env::var_os(PINENTRY).map(std::path::PathBuf::from);
            let program = named.or_else(|| crate::devices::terminal::pinentry::find(terminal.is_ok()));
            let program = program.ok_or_else(|| std::io::Error::other("there is no pinentry"))?;
            let terminal = terminal.ok().map(Foreground::take).transpose()?;
            let password =
                crate::devices::terminal::pinentry::ask(&program, prompt, terminal.is_some(), VARIABLE)?;
            drop(terminal);
            tell(&password)
        }
        (Ok(terminal), _) if way != "dialog" => {
            let terminal = Foreground::take(terminal)?;
            let password = Zeroizing::new(rpassword::prompt_password(prompt)?);
            drop(terminal);
            tell(password.as_bytes())
        }
        (_, Some((program, options))) if way != "terminal" =>
        {
            #[allow(clippy::disallowed_methods, reason = "devices are where programs are started")]
            Err(std::process::Command::new(program).args(*options).arg(prompt).env_remove(VARIABLE).exec())
        }
        (Err(error), _) => Err(error),
        (Ok(_), _) => Err(std::io::Error::other("there is no dialog to ask with")),
    }
}

/// Passes the password to the process that started this one. Standard output is written unbuffered, because a buffer
/// would not be erased.
fn tell(password: &[u8]) -> std::io::Result<()> {
    let mut line = Zeroizing::new(Vec::with_capacity(password.len() + 1));
    line.extend_from_slice(password);
    line.push(b'\n');
    let mut rest = line.as_slice();
    while !rest.is_empty() {
        let written = rustix::io::write(std::io::stdout(), rest)?;
        rest = rest.get(written..).unwrap_or_default();
    }
    Ok(())
}

/// Takes the terminal from another process group, and returns it in the end. Commands run in their own groups, and a
/// background group is stopped when it reads.
struct Foreground {
    terminal: std::sync::Arc<std::fs::File>,
    owner: rustix::process::Pid,
    manner: Termios,
}

impl Foreground {
    fn take(terminal: std::fs::File) -> std::io::Result<Self> {
        let ends = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGTSTP];
        let ends: SigSet = ends.into_iter().collect();
        // With this signal blocked, the system lets a background process take the terminal.
        let take: SigSet = std::iter::once(Signal::SIGTTOU).collect();
        ends.thread_block()?;
        take.thread_block()?;
        let terminal = std::sync::Arc::new(terminal);
        let owner = rustix::termios::tcgetpgrp(&terminal)?;
        let manner = rustix::termios::tcgetattr(&terminal)?;
        rustix::termios::tcsetpgrp(&terminal, rustix::process::getpgrp())?;
        let taken = Self { terminal, owner, manner };
        // However this process ends, the terminal is returned: the guard itself may be waiting for it.
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
