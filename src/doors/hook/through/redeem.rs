//! Redeems a ticket at the service and prints the output as it arrives.

use std::io::ErrorKind;
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;

use crate::doors::client::{Closing, Streamed, stream};
use crate::doors::frames::{CONTENT_TYPE, EndFrame, Frame, Frames};
use crate::guard::Outcome;

use super::environment;
use super::finish::{Finish, NOT_RUN, RunOptions, say};
use super::not_run::NotRun;

pub(super) async fn redeem(ticket: &str, options: RunOptions, closing: &Closing) -> Result<Finish, NotRun> {
    if ticket.is_empty() || ticket.len() > 64 || !ticket.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(NotRun::NoTicket);
    }
    let body = environment::body()?;
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let state = crate::config::place::state(&environment).ok_or(NotRun::NoHome)?;
    let path = format!("/v1/tickets/{ticket}/run");
    let streamed = stream(&state, &path, body, closing).await?;
    if streamed.status != 200 {
        return Err(refusal(streamed).await);
    }
    if streamed.kind != CONTENT_TYPE {
        return Err(NotRun::Version);
    }
    match pass_on(streamed).await? {
        Ok(end) => {
            if options.moves {
                tell_folder(&end)?;
            }
            if let (true, Some(refusal)) = (options.json, &end.refusal) {
                write(rustix::stdio::stdout(), format!("{refusal}\n").as_bytes())
                    .map_err(NotRun::Unwritten)?;
            }
            Ok(finish(&end))
        }
        Err(signal) => Ok(Finish::Signal(signal)),
    }
}

/// The service's reason for running nothing.
async fn refusal(streamed: Streamed) -> NotRun {
    let status = streamed.status;
    let problem = streamed.problem().await;
    let text =
        |name: &str| problem.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    match (text("detail"), text("title")) {
        (detail, title) if detail.is_empty() && title.is_empty() => NotRun::Status(status),
        (detail, title) if detail.is_empty() => NotRun::Title(title),
        (detail, _) => NotRun::Refused(detail),
    }
}

/// Passes the output on. Returns the end of the command, or the signal with which to end if nobody reads on.
async fn pass_on(mut streamed: Streamed) -> Result<Result<EndFrame, i32>, NotRun> {
    let mut frames = Frames::default();
    loop {
        let Some(bytes) = streamed.next().await.map_err(|_| NotRun::Cut)? else { return Err(NotRun::Cut) };
        frames.add(&bytes)?;
        while let Some(frame) = frames.take()? {
            let (to, bytes) = match frame {
                Frame::Out(bytes) => (rustix::stdio::stdout(), bytes),
                Frame::Err(bytes) => (rustix::stdio::stderr(), bytes),
                Frame::End(end) => return Ok(Ok(end)),
            };
            // Writing may take long if the output is read slowly. Signals are handled meanwhile.
            let written = tokio::task::spawn_blocking(move || write(to, &bytes)).await;
            match written.map_err(|error| NotRun::System(error.to_string()))? {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    return Ok(Err(Signal::PIPE.as_raw()));
                }
                Err(error) => return Err(NotRun::Unwritten(error)),
            }
        }
    }
}

/// Writes the folder for the shell, which reads it to its end. A line feed at the end of its name would be lost: hence the dot.
fn tell_folder(end: &EndFrame) -> Result<(), NotRun> {
    if end.folder_unknown {
        say("the folder in which this ended is gone or not known: the shell stays where it was");
    }
    let Some(folder) = &end.folder else { return Ok(()) };
    write(rustix::stdio::stdin(), format!("{}/.", folder.to_string_lossy().trim_end_matches('/')).as_bytes())
        .map_err(NotRun::Unwritten)
}

/// How this process ends after the command has ended.
fn finish(end: &EndFrame) -> Finish {
    if !end.message.trim().is_empty() {
        say(&end.message);
    }
    match (end.exit_code, end.signal, end.outcome) {
        // Nothing ran, so the status must not be 0.
        (Some(0) | None, None, outcome) if outcome != Outcome::Done => Finish::Status(NOT_RUN),
        (None, Some(signal), _) => Finish::Signal(signal),
        (Some(code), _, _) => Finish::Status(u8::try_from(code).unwrap_or(u8::MAX)),
        (None, None, _) => Finish::Status(NOT_RUN),
    }
}

/// Writes all bytes at once, to any kind of file.
fn write(to: BorrowedFd<'static>, bytes: &[u8]) -> std::io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(to, rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                let mut ready = [PollFd::from_borrowed_fd(to, PollFlags::OUT)];
                let _ = rustix::event::poll(&mut ready, None);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_as_the_command_ended() {
        use Outcome::{Blocked, Denied, Done, Failed};
        for (exit_code, signal, outcome, finish) in [
            (Some(0), None, Done, Finish::Status(0)),
            (Some(7), None, Done, Finish::Status(7)),
            (Some(127), None, Failed, Finish::Status(127)),
            (None, Some(15), Done, Finish::Signal(15)),
            (None, Some(9), Failed, Finish::Signal(9)),
            (None, None, Denied, Finish::Status(126)),
            (None, None, Done, Finish::Status(126)),
            (Some(0), None, Blocked, Finish::Status(126)),
            (Some(-1), None, Done, Finish::Status(255)),
            (Some(256), None, Done, Finish::Status(255)),
        ] {
            let end = EndFrame {
                exit_code,
                signal,
                outcome,
                message: String::new(),
                refusal: None,
                folder: None,
                folder_unknown: false,
            };
            assert_eq!(super::finish(&end), finish, "{end:?}");
        }
    }
}
