//! `guarda run TICKET`: a client's shell runs this in place of a command that the guard runs (feature N3). It prints
//! the command's output as it arrives, and exits with the command's status. An agent starts it for every command, so
//! it loads as little as possible.

mod environment;
mod not_run;
mod redeem;

use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::devices::process::ending;
use crate::doors::client::Closing;

use not_run::NotRun;

/// The exit status if nothing was run. Shells use it for a program that cannot be started.
const NOT_RUN: u8 = 126;
/// How long to wait until the service knows that the client has left.
const GOODBYE: Duration = Duration::from_secs(2);

/// How this process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finish {
    /// With a status.
    Status(u8),
    /// By a signal.
    Signal(i32),
}

/// Redeems a ticket if the arguments are `run TICKET`.
#[must_use]
pub fn of(words: &[String]) -> Option<ExitCode> {
    let (first, rest) = words.split_first()?;
    if first != "run" {
        return None;
    }
    Some(match rest.split_first().and_then(|(ticket, words)| Some((ticket, RunOptions::of(words)?))) {
        Some((ticket, options)) => run(ticket, options),
        None => {
            say(
                "usage: guarda run TICKET [--folder] [--json]; a ticket is given out when an agent's command may be run",
            );
            ExitCode::from(NOT_RUN)
        }
    })
}

/// What else is wanted of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// The shell changes to the folder that is written to the file which is standard input.
    pub moves: bool,
    /// A refusal is written to standard output, as JSON.
    pub json: bool,
}

impl RunOptions {
    fn of(words: &[String]) -> Option<Self> {
        words.iter().try_fold(Self::default(), |options, word| match word.as_str() {
            "--folder" => Some(Self { moves: true, ..options }),
            "--json" => Some(Self { json: true, ..options }),
            _ => None,
        })
    }
}

/// Redeems a ticket.
#[must_use]
pub fn run(ticket: &str, options: RunOptions) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let finish = runtime.map_err(|error| NotRun::System(error.to_string())).and_then(|runtime| {
        let finish = runtime.block_on(finish(ticket, options));
        // A slow reader of the output must not delay the exit.
        runtime.shutdown_background();
        finish
    });
    ExitCode::from(match finish {
        Ok(Finish::Status(status)) => status,
        Ok(Finish::Signal(signal)) => ending::by_signal(signal),
        Err(why) => {
            say(&why.to_string());
            NOT_RUN
        }
    })
}

async fn finish(ticket: &str, options: RunOptions) -> Result<Finish, NotRun> {
    let mut signals = Signals::listen()?;
    let closing = Closing::default();
    let finish = tokio::select! {
        biased;
        signal = signals.next() => Ok(Finish::Signal(signal)),
        finish = redeem::redeem(ticket, options, &closing) => finish,
    };
    closing.close(GOODBYE).await;
    finish
}

/// The signals with which a shell or a client ends its commands.
struct Signals {
    listening: [(i32, Option<Signal>); 3],
}

impl Signals {
    fn listen() -> Result<Self, NotRun> {
        let kinds = [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::terminate()];
        let mut listening = kinds.map(|kind| (kind.as_raw_value(), None));
        for (number, listener) in &mut listening {
            if !ending::is_ignored(*number) {
                let made = signal(SignalKind::from_raw(*number));
                *listener = Some(made.map_err(NotRun::Signals)?);
            }
        }
        Ok(Self { listening })
    }

    async fn next(&mut self) -> i32 {
        std::future::poll_fn(|context| {
            for (number, listener) in &mut self.listening {
                if listener.as_mut().is_some_and(|listener| listener.poll_recv(context).is_ready()) {
                    return std::task::Poll::Ready(*number);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

/// Prints one line to standard error.
fn say(what: &str) {
    use std::io::Write as _;
    let what: String = what.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = std::io::stderr().lock().write_all(format!("guarda: {}\n", what.trim()).as_bytes());
}
