//! The registry for the console: commands, their outcomes, and a person's overrides. Only a browser that a person let
//! in has access; a token is not enough.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::doors::detail::Detail;
use crate::doors::http::access::scope::{Approver, Person};
use crate::doors::http::extract::body::Body;
use crate::doors::http::extract::query::{InLanguage, Query};
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use crate::guard::overrides::OverrideRefused;
use crate::registry::{Row, RowQuery, Which};
use crate::wording::plain::{visible, visible_lines};
use crate::wording::remembered;
use guarda_core::policy::history::{Learned, OverrideKind};

/// The greatest number of rows in a response.
const MOST: u64 = 200;
/// The longest reason, in bytes.
const REASON_LIMIT: usize = 4096;

#[derive(Debug, Deserialize)]
pub(in crate::doors::http) struct RegistryQuery {
    /// `all`, `said` (with an override), `risky`, `frequent`, `candidates`, or a learned policy.
    #[serde(default)]
    which: String,
    /// Only commands whose text contains this; overrides `which`.
    #[serde(default)]
    text: String,
}

/// An override for a command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    word: Choice,
    #[serde(default)]
    reason: Option<String>,
    /// The override that the page shows, with its time; null if it shows none. Detects changes made elsewhere.
    said: Option<String>,
    seen: Option<i64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    AlwaysAllow,
    AlwaysAsk,
    Never,
    Reset,
}

impl Choice {
    fn kind(self) -> Option<OverrideKind> {
        match self {
            Self::AlwaysAllow => Some(OverrideKind::AlwaysAllow),
            Self::AlwaysAsk => Some(OverrideKind::AlwaysAsk),
            Self::Never => Some(OverrideKind::Never),
            Self::Reset => None,
        }
    }
}

/// The commands, and the totals.
pub(super) async fn list(
    _: Person,
    State(app): State<Arc<AppState>>,
    Query(asked): Query<RegistryQuery>,
) -> Result<Json<Value>, Problem> {
    let memory = app.guard.memory().ok_or(crate::guard::Fault::NoRegistry);
    let registry = memory.map_err(|fault| Problem::from(&fault))?.registry();
    let which = match (asked.text.as_str(), asked.which.as_str()) {
        ("", "" | "all") => Which::All,
        ("", "said") => Which::Said,
        ("", "risky") => Which::HighRisk,
        ("", "frequent") => Which::Frequent,
        ("", "candidates") => Which::Candidates,
        ("", learned @ ("auto_approve" | "ask" | "ask_warning")) => Which::Learned(Learned::named(learned)),
        ("", _) => return Err(Problem::misread("\"which\" is none of the filters of the registry")),
        (text, _) => Which::Containing(text.to_owned()),
    };
    let now = jiff::Timestamp::now();
    let lost = |error: crate::registry::StoreError| problem(&OverrideRefused::from(error));
    let rows = registry.list(RowQuery { which, most: MOST }, now).await.map_err(lost)?;
    let totals = registry.totals(now).await.map_err(lost)?;
    let rows: Vec<Value> = rows.iter().map(brief).collect();
    Ok(Json(json!({ "rows": rows, "totals": totals, "most": MOST })))
}

/// Returns one command with the current verdict of the rules.
pub(super) async fn one(
    _: Person,
    State(app): State<Arc<AppState>>,
    Path(hash): Path<String>,
    Query(manner): Query<InLanguage>,
) -> Result<Json<Value>, Problem> {
    let words = crate::wording::words(app.guard.prompter().language(manner.language.as_deref()));
    let row = app.guard.remembered(&checked(&hash)?).await.map_err(|error| problem(&error))?;
    let mut told = brief(&row);
    let looked = app.guard.look_again(&row.command_text, &row.folder, &row.profile).await;
    let (findings, not_allowed, same) = match &looked {
        Ok(looked) => {
            let same = looked.identity.command_hash == row.command_hash;
            (
                looked.judgement.findings(),
                looked.not_allowed.map(|why| remembered::hindrance(words, why)),
                same,
            )
        }
        Err(fault) => (&[][..], Some(fault.to_string()), false),
    };
    let (reasons, instead) = crate::wording::reason::explained(words, findings);
    let Some(object) = told.as_object_mut() else { return Err(Problem::internal("The row is no object")) };
    let more = json!({
        "findings": findings,
        "reasons": reasons,
        "instead": instead,
        "not_allowed": not_allowed,
        "same": same,
        "profile": row.profile,
        "policy_reason": row.policy_reason.as_deref().map(|why| remembered::policy_reason(words, why)),
        "said_by": row.user_override_by.as_deref().map(|by| visible(&remembered::said_by(words, by))),
        "failures": row.failure_count,
        "time_outs": row.timeout_count,
        "signals": row.signal_count,
        "earned_runs": row.earned_runs,
        "earned_successes": row.earned_successes,
        "held_back": row.held_back.as_deref().map(|why| remembered::held_back(words, why)),
        "mean_ms": row.avg_duration_ms,
        "first_seen": time(Some(row.first_seen)),
        "times": times(&row),
    });
    if let Value::Object(more) = more {
        object.extend(more);
    }
    Ok(Json(told))
}

/// Stores a person's override.
pub(super) async fn say(
    _: Person,
    State(app): State<Arc<AppState>>,
    Path(hash): Path<String>,
    Body { value, .. }: Body<Said>,
) -> Result<Json<Value>, Problem> {
    answering(&app)?;
    let reason = value.reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
    if reason.as_ref().is_some_and(|reason| reason.len() > REASON_LIMIT) {
        return Err(Problem::misread(format!("\"reason\" has more than {REASON_LIMIT} bytes")));
    }
    let seen = value.said.as_deref().zip(value.seen);
    let said = app.guard.say(&checked(&hash)?, value.word.kind(), reason, seen, "console").await;
    said.map(|row| Json(brief(&row))).map_err(|error| problem(&error))
}

/// A person's decision at the command line. A permission names a command and its folder, anything else a known hash.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StandingDecision {
    word: Choice,
    #[serde(default)]
    command: String,
    #[serde(default)]
    folder: String,
    #[serde(default)]
    hash: String,
    #[serde(default)]
    reason: Option<String>,
    /// The code that the guard showed or spoke.
    #[serde(default)]
    code: Option<String>,
}

/// Stores a decision: with the approve token, and, if more would be done unasked, the code if the guard can show or speak one.
pub(super) async fn decide(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<StandingDecision>,
) -> Result<Json<Value>, Problem> {
    if value.reason.as_ref().is_some_and(|reason| reason.len() > REASON_LIMIT) {
        return Err(Problem::misread(format!("\"reason\" has more than {REASON_LIMIT} bytes")));
    }
    let guard = &app.guard;
    if value.word.kind() == Some(OverrideKind::AlwaysAllow) {
        // What cannot last needs no code.
        let looked = guard.look_again(&value.command, &value.folder, guard.profile().name()).await;
        if let Some(why) = looked.map_err(|fault| Problem::from(&fault))?.not_allowed {
            return Err(problem(&OverrideRefused::NotAllowed(why.to_string())));
        }
        by_code(&app, value.code.as_deref()).await?;
        let row = guard.allow(&value.command, &value.folder, value.reason, "http").await;
        return row.map(|row| Json(brief(&row))).map_err(|error| problem(&error));
    }
    let hash = checked(&value.hash)?;
    let row = guard.remembered(&hash).await.map_err(|error| problem(&error))?;
    let stored = row.user_override.as_deref().map(OverrideKind::named);
    if value.word.kind() < stored {
        by_code(&app, value.code.as_deref()).await?;
    }
    let seen = row.user_override.as_deref().zip(row.user_override_at);
    let said = guard.say(&hash, value.word.kind(), value.reason, seen, "http").await;
    said.map(|row| Json(brief(&row))).map_err(|error| problem(&error))
}

/// The code that the guard showed or spoke.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Consent {
    #[serde(default)]
    code: Option<String>,
}

/// A person's consent to a change of the rules by `guarda network`, after which more is done unasked.
pub(super) async fn consent(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<Consent>,
) -> Result<Json<Value>, Problem> {
    by_code(&app, value.code.as_deref()).await?;
    Ok(Json(json!({ "consent": true })))
}

/// Makes sure that a person at the command line sees or hears the guard.
pub(in crate::doors::http) async fn by_code(app: &AppState, code: Option<&str>) -> Result<(), Problem> {
    answering(app)?;
    proved(app, code).await
}

/// The same where it is no answer that is given.
pub(in crate::doors::http) async fn proved(app: &AppState, code: Option<&str>) -> Result<(), Problem> {
    let prompter = app.guard.prompter();
    let admission =
        prompter.admit(code).await.map_err(|why| crate::doors::http::questions::not_let_in(&why))?;
    if prompter.admits_console(&admission) {
        return Ok(());
    }
    Err(Problem::code_required(Detail::message("problem-console-code")))
}

/// Refuses where no answer over the service counts.
pub(super) fn answering(app: &AppState) -> Result<(), Problem> {
    let off = || Problem::forbidden("Answers over this service are switched off (server.answer_over_http)");
    app.answers.then_some(()).ok_or_else(off)
}

/// Accepts only a whole hash.
fn checked(hash: &str) -> Result<String, Problem> {
    let whole = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    whole.then(|| hash.to_ascii_lowercase()).ok_or_else(|| Problem::not_found("This is no command's hash"))
}

fn problem(error: &OverrideRefused) -> Problem {
    match error {
        OverrideRefused::Unknown => Problem::not_found(error.to_string()),
        OverrideRefused::Changed(_) => Problem::changed(error.to_string()),
        OverrideRefused::NotAllowed(_) => Problem::forbidden(error.to_string()),
        OverrideRefused::Store(_) | OverrideRefused::Record(_) => Problem::busy(error.to_string()),
        OverrideRefused::Fault(fault) => Problem::from(fault),
    }
}

fn brief(row: &Row) -> Value {
    json!({
        "hash": row.command_hash,
        "command": visible_lines(&row.command_text),
        "folder": visible(&row.folder),
        "learned": row.current_policy,
        "said": row.user_override,
        "said_reason": row.user_override_reason.as_deref().map(visible),
        "said_at": row.user_override_at,
        "runs": row.execution_count,
        "successes": row.success_count,
        "risk": row.risk_score,
        "tags": row.tags,
        "last": time(row.last_executed),
    })
}

fn time(seconds: Option<i64>) -> Option<String> {
    seconds.and_then(|at| jiff::Timestamp::from_second(at).ok()).map(|at| at.to_string())
}

/// The times of the last hundred runs.
fn times(row: &Row) -> Vec<String> {
    let stamps = crate::registry::evolve::stamps(row.last_100_timestamps.as_deref().unwrap_or_default());
    let times = stamps.into_iter().filter_map(|at| time(Some(at)));
    times.collect()
}
