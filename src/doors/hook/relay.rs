//! The hook itself: one process per tool call reads the client's event, asks the service, and answers in the client's
//! format. Every failure exits with status 2 and a reason on standard error, the only answer that every client takes
//! for a no. The process loads as little as possible, because an agent waits for it at every step.

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::doors::client::{As, NoAnswer, send_with};

use super::misread::Misread;
use super::{Client, Decision, HookEvent, HookQuestion};

/// The exit status that denies.
const DENIED: u8 = 2;
/// The longest event, in bytes.
const LIMIT: u64 = 16 * 1024 * 1024;
/// How long before the hook's deadline the service gives up a question.
const MARGIN: Duration = Duration::from_secs(3);

/// Judges an event without a service. The second argument says why no service answered.
pub type Cold = fn(&HookEvent, &str) -> Result<Decision, Undecided>;

/// The arguments are wrong. Holds the correct usage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Why a hook has no decision. The hook then denies.
#[derive(Debug, thiserror::Error)]
pub enum Undecided {
    /// The arguments are wrong.
    #[error("{0}")]
    Usage(#[from] Usage),
    /// The event cannot be read from standard input.
    #[error("the event cannot be read: {0}")]
    Unread(std::io::Error),
    /// The event is longer than [`LIMIT`].
    #[error("the event is too long")]
    TooLong,
    /// The event is not understood.
    #[error("{0}")]
    Misread(#[from] Misread),
    /// No service decided, and the hook must not decide alone. Holds the reason.
    #[error("{0}")]
    Refused(String),
    /// The deadline cannot be enforced.
    #[error("the deadline cannot be watched: {0}")]
    Unwatched(std::io::Error),
    /// The answer cannot be written to standard output.
    #[error("the answer cannot be written: {0}")]
    Unwritten(std::io::Error),
    /// A bug in the hook itself.
    #[error("the guard's hook failed")]
    Panicked,
}

/// The arguments of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayArgs {
    client: Client,
    deadline: Duration,
}

impl RelayArgs {
    /// Parses `CLIENT [--deadline SECONDS]`. `None` if the first word is not a client.
    #[must_use]
    pub fn of(words: &[String]) -> Option<Result<Self, Usage>> {
        let (first, rest) = words.split_first()?;
        let client: Client = first.parse().ok()?;
        Some(Self::read(client, rest))
    }

    fn read(client: Client, rest: &[String]) -> Result<Self, Usage> {
        let wrong =
            || Usage("usage: guarda hook CLIENT [--deadline SECONDS], from 1 to 86400 seconds".to_owned());
        let deadline = match rest {
            [] => client.patience(),
            [name, seconds] if name == "--deadline" => {
                let seconds: u64 = seconds.parse().map_err(|_| wrong())?;
                if !(1..=86_400).contains(&seconds) {
                    return Err(wrong());
                }
                Duration::from_secs(seconds)
            }
            _ => return Err(wrong()),
        };
        Ok(Self { client, deadline })
    }
}

/// Runs this process's hook from standard input to standard output.
pub fn run(launch: Result<RelayArgs, Usage>, cold: Cold) -> ExitCode {
    let answered = std::panic::catch_unwind(|| {
        let launch = launch?;
        watch(launch.deadline)?;
        answer(&launch, cold)
    });
    let answered = match answered {
        Ok(answered) => answered,
        Err(_) => Err(Undecided::Panicked),
    };
    let written = answered.and_then(|answer| {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(answer.as_bytes()).and_then(|()| out.flush());
        written.map_err(Undecided::Unwritten)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&why.to_string());
            ExitCode::from(DENIED)
        }
    }
}

/// Ends the process with a no at the deadline, whatever the process is waiting for.
fn watch(deadline: Duration) -> Result<(), Undecided> {
    let bell = move || {
        std::thread::sleep(deadline);
        say(&format!("no decision within {} s", deadline.as_secs()));
        std::process::exit(i32::from(DENIED));
    };
    let thread = std::thread::Builder::new().name("deadline".to_owned()).spawn(bell);
    thread.map(|_| ()).map_err(Undecided::Unwatched)
}

/// Prints the reason for a denial. Without one, some clients run the command anyway.
fn say(why: &str) {
    let why: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = std::io::stderr().lock().write_all(format!("guarda: denied: {why}\n").as_bytes());
}

fn answer(launch: &RelayArgs, cold: Cold) -> Result<String, Undecided> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LIMIT).read_to_end(&mut bytes);
    read.map_err(Undecided::Unread)?;
    if bytes.len() as u64 == LIMIT {
        return Err(Undecided::TooLong);
    }
    let mut asked = super::read::read(launch.client, &bytes)?;
    asked.event.path = std::env::var("PATH").ok();
    if let (Some(session), Some(transcript)) = (&asked.event.session, &asked.transcript) {
        asked.event.title = super::title::title(launch.client, session, Path::new(transcript));
    }
    let decision = match ask(&asked.event, launch.deadline) {
        Ok(decision) => decision,
        Err(nobody @ NoAnswer::Nobody(_)) => {
            // Without a service, the replacement could not run.
            asked.event.can_rewrite = false;
            cold(&asked.event, &nobody.to_string())?
        }
        Err(why) => return Err(Undecided::Refused(why.to_string())),
    };
    Ok(heard(&asked, &decision))
}

/// Encodes the client's answer.
fn heard(asked: &HookQuestion, decision: &Decision) -> String {
    let answer = asked.encode(decision);
    if answer.is_empty() { answer } else { answer + "\n" }
}

/// Asks the running service.
fn ask(event: &HookEvent, deadline: Duration) -> Result<Decision, NoAnswer> {
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let state = crate::config::place::state(&environment)
        .ok_or_else(|| NoAnswer::Broken("there is no home folder: set GUARDA_STATE_DIR".to_owned()))?;
    let broken = |what: String| NoAnswer::Broken(what);
    let body = serde_json::to_vec(event).map_err(|error| broken(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| broken(error.to_string()))?;
    // A question that ends before the deadline can be answered late; one that is given up cannot.
    let wait = deadline.saturating_sub(MARGIN).as_secs();
    let wait = format!("wait={wait}");
    let headers: &[_] = if deadline > MARGIN * 2 { &[("prefer", wait.as_str())] } else { &[] };
    let sent = send_with(&state, As::Agent, "/v1/events", Some(body), headers);
    let answered = runtime.block_on(sent)?;
    let text = |name: &str| answered.body.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
    if answered.status != 200 {
        return Err(broken(format!("the service refused: {} {}", text("title"), text("detail"))));
    }
    match serde_json::from_value(answered.body) {
        Ok(Decision::Run { command, .. }) if command.is_empty() => {
            Err(broken("the service's answer names no command".to_owned()))
        }
        Ok(decision) => Ok(decision),
        Err(_) => Err(broken("the service's answer is not understood".to_owned())),
    }
}

/// The main function of `guarda-hook`, which is `guarda hook` in a program that starts faster. If no service answers,
/// `guarda` in the same folder judges.
pub fn small() -> ExitCode {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(code) = super::through::of(&words) {
        return code;
    }
    let launch = RelayArgs::of(&words).unwrap_or_else(|| {
        Err(Usage("usage: guarda-hook CLIENT [--deadline SECONDS], or guarda-hook run TICKET".to_owned()))
    });
    run(launch, |event, why| by_sibling("guarda", &["hook", "judge", why], event, why))
}

/// Lets the program with this name in the same folder judge without a service.
///
/// # Errors
/// [`Undecided::Refused`] if it does not decide.
pub fn by_sibling(
    program: &str,
    words: &[&str],
    event: &HookEvent,
    why: &str,
) -> Result<Decision, Undecided> {
    let own = std::env::current_exe().map_err(|error| Undecided::Refused(error.to_string()))?;
    let sibling = own.with_file_name(program);
    let sent = serde_json::to_vec(event).map_err(|error| Undecided::Refused(error.to_string()))?;
    let said = crate::devices::process::sibling::ask(&sibling, words, &[], &sent)
        .map_err(|error| Undecided::Refused(format!("{why} ({}: {error})", sibling.display())))?;
    serde_json::from_slice(&said.stdout).map_err(|_| {
        let told = String::from_utf8_lossy(&said.stderr);
        let told = told.trim();
        Undecided::Refused(if told.is_empty() { why } else { told }.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_hook_are_read() {
        let of =
            |words: &[&str]| RelayArgs::of(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["install", "claude"]), None);
        let launch = of(&["claude", "--deadline", "40"]).unwrap().unwrap();
        assert_eq!(launch, RelayArgs { client: Client::Claude, deadline: Duration::from_secs(40) });
        for client in Client::ALL {
            let launch = of(&[client.name()]).unwrap().unwrap();
            assert_eq!(launch.deadline, client.patience());
        }
        for wrong in [&["claude", "--deadline"][..], &["claude", "--deadline", "0"], &["claude", "x"]] {
            assert!(of(wrong).unwrap().is_err(), "{wrong:?}");
        }
    }
}
