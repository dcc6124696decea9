//! Streams an action's steps as `text/event-stream`.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use http_body_util::channel::{Channel, Sender};
use hyper::body::Frame;

use crate::doors::http::action::jobs::{Finished, Job, JobGuard};
use crate::doors::http::wire;

/// How often the size of the output is reported.
const PACE: Duration = Duration::from_millis(250);
/// How many silent intervals are allowed before a keep-alive: proxies close silent connections.
const SILENCE: u32 = 40;

/// Whether the caller wants a stream.
pub(in crate::doors::http) fn wanted(headers: &HeaderMap) -> bool {
    headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).any(|value| {
        let mut kinds = value.split(',').filter_map(|kind| kind.split(';').next());
        kinds.any(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream"))
    })
}

/// The action as a stream of events. Closing the stream withdraws the action, as closing any waiting request does.
pub(in crate::doors::http) fn of(job_guard: JobGuard) -> Response {
    let (sender, body) = Channel::new(16);
    let job = std::sync::Arc::clone(job_guard.job());
    tokio::spawn(async move {
        // An error means that the caller is gone.
        let _ = tell(&job, sender).await;
    });
    let body = Body::new(BodyWith { body, with: job_guard });
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

type Gone = http_body_util::channel::SendError;

async fn tell(job: &Job, mut to: Sender<Bytes>) -> Result<(), Gone> {
    let mut progress = job.context.progress.subscribe();
    let (mut told, mut counted, mut silent) = (0, (0, 0), 0);
    loop {
        let fresh: Vec<_> = progress.borrow_and_update().iter().skip(told).cloned().collect();
        told += fresh.len();
        for progress in &fresh {
            send(&mut to, wire::ActionEvent::from(progress)).await?;
        }
        let volume = &job.context.volume;
        let count = (volume.stdout.load(Ordering::Relaxed), volume.stderr.load(Ordering::Relaxed));
        if count != counted {
            counted = count;
            silent = 0;
            send(&mut to, wire::ActionEvent::output(count)).await?;
        }
        // The end is sent only after all earlier events.
        if let Some(end) = job.landed()
            && progress.has_changed().is_ok_and(|more| !more)
        {
            let (name, json) = match end {
                Finished::Reply(json) => ("done", json),
                Finished::Problem(problem) => {
                    ("problem", problem.to_json(&format!("/v1/actions/{}", job.id)))
                }
            };
            return write(&mut to, name, &json).await;
        }
        tokio::select! {
            _ = progress.changed() => {}
            _ = job.end() => {}
            () = tokio::time::sleep(PACE) => silent += 1,
        }
        if silent >= SILENCE {
            silent = 0;
            to.send_data(Bytes::from_static(b":\n\n")).await?;
        }
    }
}

async fn send(to: &mut Sender<Bytes>, event: wire::ActionEvent) -> Result<(), Gone> {
    let json = serde_json::to_vec(&event.data).unwrap_or_default();
    write(to, event.name, &json.into()).await
}

/// Writes one event. JSON contains no line breaks, so its data is one line.
async fn write(to: &mut Sender<Bytes>, name: &str, json: &Bytes) -> Result<(), Gone> {
    let mut text = format!("event: {name}\ndata: ").into_bytes();
    text.extend_from_slice(json);
    text.extend_from_slice(b"\n\n");
    to.send_data(text.into()).await
}

/// A body that owns another value, which is dropped when nobody reads the body any more: the caller's hold, or a
/// running command.
pub(in crate::doors::http) struct BodyWith<T> {
    pub(in crate::doors::http) body: Channel<Bytes>,
    /// Dropped with the body.
    #[expect(dead_code, reason = "it is there to be dropped")]
    pub(in crate::doors::http) with: T,
}

impl<T: Unpin> hyper::body::Body for BodyWith<T> {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}
