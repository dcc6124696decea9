//! Tickets: a client's shell lets the guard run the command that its hook allowed, and receives the output as it is
//! written.

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use http_body_util::channel::{Channel, Sender};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Body;
use super::scope::Submitter;
use super::stream::BodyWith;
use super::{AppState, Problem};
use crate::guard::{NoTicket, Outcome, Reply, RequestContext, StandsIn};
use crate::hands::ClientShell;
use crate::wording::RefusalNote;
use guarda_core::output::{Ended, redact};
use guarda_sandbox::capture::{Stream, Tap};

/// The format of the response. A frame has one byte for its kind, four for its length, and the payload.
const FRAMES: &str = "application/vnd.guarda.frames";
/// The longest payload of a frame, in bytes.
const LONGEST: usize = 64 * 1024;

/// The client's shell.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Shell {
    /// Its current folder.
    cwd: String,
    /// Its environment as names and values, without secret variables and without variables that start or load
    /// something.
    environment: Vec<(String, String)>,
}

impl Shell {
    /// Its name for its own folder.
    fn named_folder(&self) -> Option<String> {
        self.environment.iter().find(|(name, _)| name == "PWD").map(|(_, folder)| folder.clone())
    }
}

/// The outcome: the last frame.
#[derive(Debug, Serialize)]
struct End {
    /// The exit status, if a program ended by itself.
    exit_code: Option<i32>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// `done`, or the other outcome.
    outcome: &'static str,
    /// What happened, as one sentence; empty if it was simply done.
    message: String,
    /// What a refusal says; null if it was not refused.
    refusal: Option<RefusalNote>,
    /// The folder in which the line ended, if that is another one than the shell's.
    folder: Option<PathBuf>,
    /// Whether the line may have ended in another folder, which is not known or is gone.
    folder_unknown: bool,
}

/// Run what a hook allowed
///
/// For `guarda run`, in place of the client's own shell: once, in the ticket's folder. The response is a stream of
/// frames: a byte (`o` standard output, `e` standard error, `x` the end, as JSON), the length in four bytes, and the
/// payload. Secrets are hidden in the stream. Closing the connection ends the command.
#[utoipa::path(
    post, path = "/v1/tickets/{ticket}/run", tag = "agents",
    params(("ticket" = String, Path, description = "The ticket that the hook's answer names")),
    request_body(content = Shell, content_type = "application/json"),
    responses(
        (status = 200, description = "Frames: the output as it is written, and the end", content_type = "application/vnd.guarda.frames"),
        (status = 404, description = "The ticket was used, has expired, or was never issued"),
        (status = 409, description = "The ticket is for another folder"),
        (status = 503, description = "Too many requests are running or waiting"),
    ),
    security(("submit" = []))
)]
pub(super) async fn redeem(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    Path(ticket): Path<String>,
    Body { value: shell, .. }: Body<Shell>,
) -> Result<Response, Problem> {
    let place = app.jobs.place()?;
    let redeemed =
        app.guard.redeem(&ticket, std::path::Path::new(&shell.cwd)).map_err(|error| match error {
            NoTicket::Unknown => Problem::not_found(error.to_string()),
            NoTicket::Folder => Problem::elsewhere(error.to_string()),
        })?;
    let path = redeemed.path();
    let (tap, mut output) = Tap::new();
    let context = RequestContext { patience: Some(app.hook_wait), ..RequestContext::default() };
    let gone = context.cancel.clone().drop_guard();
    let (mut sender, body) = Channel::new(16);
    let guard = Arc::clone(&app);
    let (shown, shell) = (shell.named_folder(), Arc::new(ClientShell::new(shell.environment, tap)));
    let stood = shell.stood();
    // In a separate task, the outcome is recorded whatever happens to the connection.
    let work = app.jobs.tasks().spawn(async move {
        let _place = place;
        guard.guard.run_redeemed(redeemed, shell, context).await
    });
    tokio::spawn(async move {
        let (mut out, mut err) = (redact::Stream::new(), redact::Stream::new());
        while let Some((stream, bytes)) = output.recv().await {
            let (kind, clean) = match stream {
                Stream::Out => (b'o', out.push(&bytes)),
                Stream::Err => (b'e', err.push(&bytes)),
            };
            // An error means that the client is gone.
            if send(&mut sender, kind, &clean).await.is_err() {
                return;
            }
        }
        let ends = [(b'o', out.finish()), (b'e', err.finish())];
        for (kind, rest) in ends {
            if send(&mut sender, kind, &rest).await.is_err() {
                return;
            }
        }
        let end = match work.await {
            Ok(Ok(reply)) => end(&reply, || path.end(stood.folder().as_deref(), shown.as_deref())),
            Ok(Err(fault)) => failed(fault.to_string()),
            Err(error) => failed(format!("the guard failed: {error}")),
        };
        let json = serde_json::to_vec(&end).unwrap_or_default();
        let _ = send(&mut sender, b'x', &json).await;
    });
    let body = axum::body::Body::new(BodyWith { body, with: gone });
    Ok(([(header::CONTENT_TYPE, FRAMES)], body).into_response())
}

async fn send(
    to: &mut Sender<Bytes>,
    kind: u8,
    bytes: &[u8],
) -> Result<(), http_body_util::channel::SendError> {
    for part in bytes.chunks(LONGEST) {
        let mut frame = Vec::with_capacity(part.len() + 5);
        frame.push(kind);
        frame.extend_from_slice(&u32::try_from(part.len()).unwrap_or(0).to_be_bytes());
        frame.extend_from_slice(part);
        to.send_data(frame.into()).await?;
    }
    Ok(())
}

fn end(reply: &Reply, stands: impl FnOnce() -> StandsIn) -> End {
    let output = reply.output.as_ref();
    let signal = match output.map(|output| &output.ended) {
        Some(Ended::Signalled(signal)) => Some(*signal),
        _ => None,
    };
    let simply = reply.outcome == Outcome::Done || signal.is_some();
    let hidden =
        output.and_then(|output| output.sandbox.as_ref()).is_some_and(|held| !held.hidden.is_empty());
    let (folder, folder_unknown) = match stands() {
        _ if !simply => (None, false),
        StandsIn::Here => (None, false),
        StandsIn::Folder(folder) => (Some(folder), false),
        StandsIn::Unknown => (None, true),
    };
    End {
        folder,
        folder_unknown,
        exit_code: output.and_then(|output| output.exit_code),
        signal,
        outcome: if simply { Outcome::Done.name() } else { reply.outcome.name() },
        message: match &reply.refusal {
            Some(refusal) => refusal.sentence.clone(),
            None if simply && !hidden => String::new(),
            None => reply.message.clone(),
        },
        refusal: reply.refusal.clone(),
    }
}

fn failed(message: String) -> End {
    let (folder, folder_unknown) = (None, false);
    let outcome = Outcome::Failed.name();
    End { exit_code: None, signal: None, outcome, message, refusal: None, folder, folder_unknown }
}
