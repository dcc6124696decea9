//! `guarda setup`: one command in place of several steps.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::devices::fault::DeviceFault;
use crate::devices::filesystem::own;
use crate::devices::keys::keyboard::{FoundKeyboard, status};
use crate::devices::process::{search::in_own_path, sibling};
use crate::wording::{Words, words};

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::{SetupArgs, SetupCommand};

/// How long the helper may take to start listening.
const STARTING: Duration = Duration::from_secs(5);
/// Where systemd finds the units of the system.
const UNITS: [&str; 5] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];
/// The polling interval.
const PAUSE: Duration = Duration::from_millis(200);

pub(in crate::cli) fn setup(args: &SetupArgs) -> Result<ExitStatus, CliError> {
    match args.command {
        SetupCommand::Keyboard { seconds } => keyboard(seconds),
    }
}

/// Starts the helper of the trusted keyboard, lets this user use it, and puts a test question.
fn keyboard(seconds: u64) -> Result<ExitStatus, CliError> {
    let words = words(load::page_language());
    let config = load::load(None)?.config.keys;
    let (socket, helper) = (&config.trusted_socket, config.trusted_user.as_str());
    let found = match status(socket, helper) {
        Ok(found) => found,
        Err(_) => match begin(words)? {
            true => started(socket, helper).map_err(|why| CliError::text(none(words, &why.to_string())))?,
            false => return Ok(ExitStatus::Failed),
        },
    };
    let own = std::env::current_exe()?.display().to_string();
    let run = |words: &[&str]| sibling::attended(&own, words).map_err(CliError::system);
    run(&["keys", "status"])?;
    if found.iter().all(|one| one.refused.is_some()) {
        terminal::out(&format!("{}\n", words.say("setup-keyboard-refused", &[])));
        return Ok(ExitStatus::Failed);
    }
    let yes = run(&["keys", "test", "--seconds", &seconds.to_string()])?;
    terminal::out(&format!(
        "{}\n",
        words.say(if yes { "setup-keyboard-done" } else { "setup-keyboard-no" }, &[])
    ));
    Ok(if yes { ExitStatus::Good } else { ExitStatus::Denied })
}

fn none(words: &Words, why: &str) -> String {
    words.say("setup-keyboard-none", &[("why", why.into())])
}

/// Runs a command as root, with `sudo` if needed. Returns false if the person must run it elsewhere and was told how.
fn begin(words: &Words) -> Result<bool, CliError> {
    let own = std::env::current_exe()?.display().to_string();
    let user = own::user_name().ok_or_else(|| CliError::say("setup-no-name", &[]))?;
    let steps = [
        vec!["systemctl", "enable", "--now", "guarda-keys"],
        vec![own.as_str(), "keys", "enroll", "--user", user.as_str()],
    ];
    if !UNITS.iter().any(|folder| Path::new(folder).join("guarda-keys.service").exists()) {
        terminal::out(&format!("{}\n", words.say("setup-keyboard-missing", &[])));
        return Ok(false);
    }
    let root = own::own_uid() == 0;
    let line = |step: &[&str]| {
        let sudo = if root { "" } else { "sudo " };
        format!("{sudo}{}", step.join(" "))
    };
    let all = steps.iter().map(|step| line(step)).collect::<Vec<_>>().join(" && ");
    let can = root || in_own_path("sudo").is_some();
    if !can || in_own_path("systemctl").is_none() {
        terminal::out(&format!("{}\n", words.say("setup-keyboard-install", &[("command", all.into())])));
        return Ok(false);
    }
    terminal::out(&format!("{}\n", words.say("setup-keyboard-root", &[("command", all.clone().into())])));
    for step in &steps {
        let whole: Vec<&str> = if root { step.clone() } else { [&["sudo", "--"], step.as_slice()].concat() };
        let (program, rest) = whole.split_first().ok_or_else(|| CliError::text(String::new()))?;
        if !sibling::attended(program, rest).map_err(|error| CliError::text(format!("{program}: {error}")))? {
            terminal::out(&format!("{}\n", words.say("setup-keyboard-install", &[("command", all.into())])));
            return Ok(false);
        }
    }
    Ok(true)
}

/// Waits until the helper listens.
fn started(socket: &Path, helper: &str) -> Result<Vec<FoundKeyboard>, DeviceFault> {
    let until = Instant::now() + STARTING;
    loop {
        match status(socket, helper) {
            Err(_) if Instant::now() < until => std::thread::sleep(PAUSE),
            told => return told,
        }
    }
}
