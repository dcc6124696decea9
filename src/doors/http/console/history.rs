//! The record for the console: its lines, its statistics and its verification. Reading is slow compared to judging, so
//! it runs on threads that may block.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::doors::http::access::scope::Approver;
use crate::doors::http::extract::query::Query;
use crate::doors::http::network::{RunsQuery, runs};
use crate::doors::http::problem::Problem;
use crate::doors::http::problem::language;
use crate::doors::http::state::AppState;
use crate::wording::describe::recorded;
use crate::wording::plain::{visible, visible_lines};
use crate::wording::refusal::{recorded as reason, refusals};
use crate::wording::{Words, words};
use guarda_core::policy::Verdict;
use guarda_journal::RequestFate;
use guarda_journal::line::{Facts, RecordEvent};
use guarda_journal::read::{Filter, RecordLine, stats, tail};

/// The greatest number of lines in a response.
const MOST: usize = 200;

#[derive(Debug, Deserialize)]
pub(in crate::doors::http) struct HistoryQuery {
    /// Only lines whose command contains this text.
    text: Option<String>,
    /// Only lines of this session.
    session: Option<String>,
    /// Only requests with this fate.
    fate: Option<RequestFate>,
}

/// The latest requests that are over, newest first.
pub(super) async fn history(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Query(wanted): Query<HistoryQuery>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let words = words(language(&headers));
    let some = |text: Option<String>| text.filter(|text| !text.is_empty());
    let filter = Filter {
        session: some(wanted.session),
        fate: wanted.fate,
        text: some(wanted.text),
        events: vec![RecordEvent::Outcome, RecordEvent::Refusal, RecordEvent::Recovered, RecordEvent::Advice],
        ..Filter::default()
    };
    let folder = app.guard.journal().folder().to_owned();
    let hands = app.guard.hands();
    let (stages, settings) = (hands.stages().cloned(), hands.held_settings());
    let (lines, held) = slowly(move || {
        let held = stages.map(|stages| stages.held()).unwrap_or_default();
        tail(&folder, &filter, MOST).map(|lines| (lines, held)).map_err(|error| error.to_string())
    })
    .await?;
    let files = held.into_iter().filter_map(|held| Some((held.note?.audit_id, held.id)));
    let settings = settings.into_iter().map(|held| (held.note.audit_id, held.id));
    let held: HashMap<String, uuid::Uuid> = files.chain(settings).collect();
    // The outcome of a staged run's changes replaces the outcome of the run itself.
    let mut told = HashSet::new();
    let known = |line: &&RecordLine| RequestFate::of(&line.place, &line.facts).is_some();
    let newest = lines.iter().rev().filter(|line| told.insert(&line.place.audit_id)).filter(known);
    Ok(Json(json!({ "lines": newest.map(|line| row(words, line, &held)).collect::<Vec<_>>() })))
}

/// A line of the record for the page. `held` maps audit ids to the actions that can be undone.
fn row(words: &Words, line: &RecordLine, held: &HashMap<String, uuid::Uuid>) -> Value {
    let (place, facts) = (&line.place, &line.facts);
    json!({
        "time": place.timestamp,
        "event": place.event.name(),
        "audit_id": place.audit_id,
        "undo": held.get(&place.audit_id),
        "session": place.session_id,
        "action": facts.kind,
        "command": visible_lines(&recorded::what(words, facts)),
        "fate": RequestFate::of(place, facts).map(RequestFate::name),
        "password": asks_password(facts),
        "error": facts.error,
        "answered_by": facts.answered_by,
        "channel": facts.channel,
        "reason": reason(words, facts),
        "exit_code": facts.exit_code,
        "risk": facts.risk,
        "why": facts.findings.first().map(|finding| visible(&recorded::why(words, finding))),
    })
}

/// True if a person had to add the password to the yes.
fn asks_password(facts: &Facts) -> bool {
    facts.verdict == Verdict::Password.status() && facts.answered_by.as_deref() == Some("person")
}

/// The network traffic of runs, the reasons of refusals in the page's language.
pub(super) async fn network(
    _: Approver,
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let words = words(language(&headers));
    let mut runs = runs(&app, RunsQuery::default()).await?;
    for host in runs.iter_mut().flat_map(|run| &mut run.hosts) {
        host.reasons = refusals(words, host).into_iter().collect();
    }
    Ok(Json(json!({ "runs": runs })))
}

/// Statistics over the whole record.
pub(super) async fn figures(_: Approver, State(app): State<Arc<AppState>>) -> Result<Json<Value>, Problem> {
    let folder = app.guard.journal().folder().to_owned();
    let sums = slowly(move || stats(&folder, &Filter::default()).map_err(|error| error.to_string())).await?;
    Ok(Json(json!(sums)))
}

/// Verifies the record. The faults are told in the page's language.
pub(super) async fn verify(
    _: Approver,
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let words = words(language(&headers));
    let journal = app.guard.journal();
    let (folder, key) = (journal.folder().to_owned(), journal.public_key());
    let report = slowly(move || {
        let text = std::fs::read_to_string(&key).map_err(|error| format!("{}: {error}", key.display()))?;
        let anchors =
            key.parent().map_or_else(|| Ok(guarda_journal::Anchors::default()), guarda_journal::Anchors::of);
        anchors
            .and_then(|anchors| guarda_journal::verify_against(&folder, Some(text.trim()), &anchors))
            .map_err(|error| error.to_string())
    })
    .await?;
    let faults = report.faults.iter().map(|fault| {
        let why = crate::wording::fault::evidence::evidence(words, &fault.why);
        json!({ "file": fault.file, "line": fault.line, "what": fault.what.name(), "why": why })
    });
    Ok(Json(json!({
        "sound": report.is_sound(),
        "files": report.files,
        "lines": report.lines,
        "faults": faults.collect::<Vec<_>>(),
    })))
}

async fn slowly<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, Problem> {
    let failed = |why: String| Problem::internal(format!("The record cannot be read: {why}"));
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(failed),
        Err(error) => Err(failed(error.to_string())),
    }
}
