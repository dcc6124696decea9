//! `guarda run TICKET`: a client's shell runs this in place of a command that the guard runs (feature N3). It prints
//! the command's output as it arrives, and exits with the command's status. An agent starts it for every command, so
//! it loads as little as possible.

mod environment;
mod finish;
mod not_run;
mod redeem;

use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::devices::process::ending;
use crate::doors::client::Closing;

pub use finish::RunOptions;
use finish::{Finish, NOT_RUN, say};
use not_run::NotRun;

/// How long to wait until the service knows that the client has left.
const GOODBYE: Duration = Duration::from_secs(2);

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
