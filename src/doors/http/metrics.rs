//! Counts for Prometheus: `GET /metrics`, in its text form 0.0.4. Every label is a word of this program or a path of its
//! API, so that their number is bounded and nothing that was asked for stands in them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::Door;
use super::scope::Known;

/// The upper bounds of the classes of times, in seconds.
const CLASSES: [f64; 7] = [0.001, 0.005, 0.02, 0.1, 1.0, 10.0, 60.0];

/// What is counted.
#[derive(Debug, Default)]
pub struct Metrics {
    /// By path and status.
    requests: Mutex<BTreeMap<String, BTreeMap<u16, Times>>>,
    /// By outcome and who decided.
    actions: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    /// By what the judge said.
    judgements: Mutex<BTreeMap<&'static str, u64>>,
    wrong_tokens: AtomicU64,
}

#[derive(Debug, Default)]
struct Times {
    count: u64,
    seconds: f64,
    classes: [u64; CLASSES.len()],
}

impl Metrics {
    /// A request was answered. `path` is the path as the API has it, with the names of what varies.
    pub(super) fn request(&self, path: &str, status: u16, time: Duration) {
        let mut paths = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if !paths.contains_key(path) {
            paths.insert(path.to_owned(), BTreeMap::new());
        }
        let Some(statuses) = paths.get_mut(path) else { return };
        let times = statuses.entry(status).or_default();
        let seconds = time.as_secs_f64();
        times.count += 1;
        times.seconds += seconds;
        for (count, bound) in times.classes.iter_mut().zip(CLASSES) {
            *count += u64::from(seconds <= bound);
        }
    }

    /// An action came to its end.
    pub(super) fn action(&self, outcome: crate::guard::Outcome, by: &crate::guard::DecidedBy) {
        use crate::guard::DecidedBy;
        let by = match by {
            DecidedBy::Policy => "policy",
            DecidedBy::Person(_) => "person",
            DecidedBy::Timeout => "timeout",
            DecidedBy::Caller => "caller",
            DecidedBy::Guard => "guard",
        };
        let mut actions = self.actions.lock().unwrap_or_else(PoisonError::into_inner);
        *actions.entry((outcome.name(), by)).or_default() += 1;
    }

    /// Something was judged and not done.
    pub(super) fn judgement(&self, verdict: crate::policy::Verdict) {
        let mut judgements = self.judgements.lock().unwrap_or_else(PoisonError::into_inner);
        *judgements.entry(verdict.status()).or_default() += 1;
    }

    /// Somebody showed a token that is none of ours.
    pub(super) fn wrong_token(&self) {
        self.wrong_tokens.fetch_add(1, Ordering::Relaxed);
    }

    fn page(&self, door: &Door) -> String {
        let mut page = Page::default();
        page.head("guarda_build_info", "gauge", "the version of the program");
        page.line("guarda_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.head("guarda_actions_under_way", "gauge", "actions that have not ended");
        page.line("guarda_actions_under_way", &[], door.flights.under_way());
        page.head("guarda_questions_open", "gauge", "questions that wait for a person");
        page.line("guarda_questions_open", &[], door.guard.desk().open_questions().len());
        page.head("guarda_record_writable", "gauge", "1 while the record can be written");
        page.line("guarda_record_writable", &[], u8::from(door.guard.journal().trouble().is_none()));
        page.head("guarda_wrong_tokens_total", "counter", "requests with a token that is none of ours");
        page.line("guarda_wrong_tokens_total", &[], self.wrong_tokens.load(Ordering::Relaxed));
        page.head("guarda_actions_total", "counter", "ended actions, by outcome and who decided");
        for ((outcome, by), count) in &*self.actions.lock().unwrap_or_else(PoisonError::into_inner) {
            page.line("guarda_actions_total", &[("outcome", outcome), ("decided_by", by)], count);
        }
        page.head("guarda_judgements_total", "counter", "judgements without a deed, by status");
        for (status, count) in &*self.judgements.lock().unwrap_or_else(PoisonError::into_inner) {
            page.line("guarda_judgements_total", &[("status", status)], count);
        }
        self.times(&mut page);
        page.0
    }

    fn times(&self, page: &mut Page) {
        page.head("guarda_http_request_seconds", "histogram", "time to the head of the answer");
        for (path, statuses) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            for (status, times) in statuses {
                let status = status.to_string();
                let labels = [("path", path.as_str()), ("status", status.as_str())];
                let bounds = CLASSES.map(|bound| bound.to_string());
                let all = times.classes.iter().zip(bounds.iter().map(String::as_str));
                for (count, bound) in all.chain([(&times.count, "+Inf")]) {
                    let [path, status] = labels;
                    page.line("guarda_http_request_seconds_bucket", &[path, status, ("le", bound)], count);
                }
                page.line("guarda_http_request_seconds_sum", &labels, times.seconds);
                page.line("guarda_http_request_seconds_count", &labels, times.count);
            }
        }
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// The values of labels are words of the program: none of them needs a backslash.
    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

/// Counts for Prometheus
///
/// In its text form. No label says anything of what was asked.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses(
        (status = 200, description = "The counts", body = String, content_type = "text/plain"),
        (status = 401, description = "No token", body = super::problem::ProblemDetails,
         content_type = "application/problem+json"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn metrics(_: Known, State(door): State<Arc<Door>>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], door.metrics.page(&door))
        .into_response()
}
