//! Lays out a question as a card for another terminal.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::doors::detail::Detail;
use crate::doors::http::access::scope::Approver;
use crate::doors::http::extract::query::Query;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use crate::prompt::card::{Foot, card};
use guarda_core::action::Language;

/// The card of a question.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Card {
    /// Its lines, with hidden characters made visible.
    lines: Vec<Line>,
}

/// A line of a card.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Line {
    /// The text.
    text: String,
    /// Whether to show it in bold.
    strong: bool,
}

/// The layout of a card.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CardQuery {
    /// The width of the terminal in columns; default: 80.
    columns: Option<usize>,
    /// `pt-BR`, `en` or `fr`; default: the question's own language.
    language: Option<String>,
}

/// Get a question as a card
#[utoipa::path(
    get, path = "/v1/questions/{id}/card", tag = "questions",
    params(("id" = String, Path, description = "The question's number"), CardQuery),
    responses(
        (status = 200, description = "The card, for a terminal", body = Card),
        (status = 403, description = "The token does not permit this"),
        (status = 404, description = "No such open question"),
        (status = 422, description = "An unsupported language"),
    ),
    security(("approve" = []))
)]
pub(super) async fn show(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Query(manner): Query<CardQuery>,
) -> Result<axum::Json<Card>, Problem> {
    let open = app.guard.prompter().open_questions();
    let waiting = open.len().saturating_sub(1);
    let found = open.into_iter().find(|question| question.number.to_string() == id);
    let question = found.ok_or_else(|| Problem::not_found(Detail::message("problem-no-question")))?;
    let language = match manner.language {
        None => question.prompt.language,
        Some(tag) => tag.parse::<Language>().map_err(Problem::from)?,
    };
    let prompt = question.prompt.in_language(&question.question, language);
    let lines = card(
        &prompt,
        manner.columns.unwrap_or(80),
        waiting,
        Foot::Commands { code: app.guard.prompter().needs_code() },
    );
    let lines = lines.into_iter().map(|line| Line { text: line.text, strong: line.strong });
    Ok(axum::Json(Card { lines: lines.collect() }))
}
