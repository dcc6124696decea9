//! Tickets: a client's shell lets the guard run the command that its hook allowed, and receives the output as it is
//! written.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use http_body_util::channel::{Channel, SendError, Sender};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::doors::frames::{self, EndFrame};
use crate::doors::http::access::scope::Submitter;
use crate::doors::http::action::jobs::JobOwner;
use crate::doors::http::action::stream::BodyWith;
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use crate::guard::{NoTicket, Outcome, Reply, RequestContext, StandsIn};
use crate::hands::ClientShell;
use crate::wording::RefusalNote;
use guarda_core::output::{Ended, redact};
use guarda_sandbox::capture::{Stream, Tap};

/// The client's shell.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct Shell {
    /// Its current folder.
    cwd: String,
    /// Its environment as names and values, each name once. What may pass to the run is chosen by the guard.
    environment: Vec<(String, String)>,
}

impl Shell {
    /// Its name for its own folder.
    fn named_folder(&self) -> Option<String> {
        self.environment.iter().find(|(name, _)| name == "PWD").map(|(_, folder)| folder.clone())
    }

    /// A name that stands twice: programs differ in which of the values they take.
    fn doubled(&self) -> Option<&str> {
        let mut seen = std::collections::HashSet::new();
        self.environment.iter().map(|(name, _)| name.as_str()).find(|name| !seen.insert(*name))
    }
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
pub(in crate::doors::http) async fn redeem(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    Path(ticket): Path<String>,
    Body { value: shell, .. }: Body<Shell>,
) -> Result<Response, Problem> {
    if let Some(name) = shell.doubled() {
        return Err(Problem::malformed(format!(
            "the variable {name:?} stands twice in the environment; unset it"
        )));
    }
    let place = app.jobs.place(&JobOwner::Hook)?;
    let redeemed =
        app.guard.redeem(&ticket, std::path::Path::new(&shell.cwd)).map_err(|error| match error {
            NoTicket::Unknown => Problem::not_found(error.to_string()),
            NoTicket::Folder => Problem::elsewhere(error.to_string()),
        })?;
    let path = redeemed.path();
    let (tap, mut output) = Tap::new();
    let context = RequestContext {
        patience: Some(app.hook_wait),
        told_first: app.told_first,
        ..RequestContext::default()
    };
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
            let frames = match stream {
                Stream::Out => frames::out(&out.push(&bytes)),
                Stream::Err => frames::err(&err.push(&bytes)),
            };
            // An error means that the client is gone.
            if send(&mut sender, frames).await.is_err() {
                return;
            }
        }
        let rest = [frames::out(&out.finish()), frames::err(&err.finish())].concat();
        if send(&mut sender, rest).await.is_err() {
            return;
        }
        let end = match work.await {
            Ok(Ok(reply)) => end(&reply, || path.end(stood.folder().as_deref(), shown.as_deref())),
            Ok(Err(fault)) => failed(fault.to_string()),
            Err(error) => failed(format!("the guard failed: {error}")),
        };
        let _ = send(&mut sender, frames::end(&end)).await;
    });
    let body = axum::body::Body::new(BodyWith { body, with: gone });
    Ok(([(header::CONTENT_TYPE, frames::CONTENT_TYPE)], body).into_response())
}

async fn send(to: &mut Sender<Bytes>, frames: Vec<Vec<u8>>) -> Result<(), SendError> {
    for frame in frames {
        to.send_data(frame.into()).await?;
    }
    Ok(())
}

fn end(reply: &Reply, stands: impl FnOnce() -> StandsIn) -> EndFrame<RefusalNote> {
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
    EndFrame {
        folder,
        folder_unknown,
        exit_code: output.and_then(|output| output.exit_code),
        signal,
        outcome: if simply { Outcome::Done } else { reply.outcome },
        message: match &reply.refusal {
            Some(refusal) => refusal.sentence.clone(),
            None if simply && !hidden => String::new(),
            None => reply.message.clone(),
        },
        refusal: reply.refusal.clone(),
    }
}

fn failed(message: String) -> EndFrame<RefusalNote> {
    let (folder, folder_unknown) = (None, false);
    let outcome = Outcome::Failed;
    EndFrame { exit_code: None, signal: None, outcome, message, refusal: None, folder, folder_unknown }
}
