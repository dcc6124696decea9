//! Lists open questions and takes answers from clients with the approve token.

pub(super) mod spoken;

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::doors::detail::Detail;
use crate::doors::http::access::scope::{Answerer, Approver, Submitter};
use crate::doors::http::extract::body::{Body, OptionalBody};
use crate::doors::http::extract::query::Query;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::{AppState, Peer};
use crate::doors::http::wire::{self, Question, Questions};
use crate::prompt::{Admission, Elsewhere, Given, NoProof, NotOpen, Proof, SPOKEN};
use guarda_core::action::Language;
use guarda_core::gate::{NoAnswer, Number, Span};

/// The longest time for which prompts can be muted.
const LONGEST_SILENCE: Duration = Duration::from_secs(24 * 3600);
/// The longest reason of an answer, in bytes.
const REASON_LIMIT: usize = 4096;

/// The form of questions.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct QuestionsQuery {
    /// The language of the texts: `pt-BR`, `en` or `fr`; default: each question's own.
    language: Option<String>,
}

impl QuestionsQuery {
    fn language(&self) -> Result<Option<Language>, Problem> {
        let language = self.language.as_deref().map(str::parse::<Language>).transpose();
        language.map_err(Problem::from)
    }
}

/// A person's answer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerRequest {
    /// `yes`, `no`, `modify`, or a lasting yes that the question offers (`offers`): `turn`, `session`, `today`, `always`.
    answer: Word,
    /// The reason for a no; it is sent to the model.
    #[serde(default)]
    reason: Option<String>,
    /// The command that replaces the current one. Only with `modify`; the new command is judged from the start and
    /// asked about again.
    #[serde(default)]
    command: Option<String>,
    /// The code that is shown and spoken with the question. Required if the question's `code` is true. A no needs no
    /// code.
    #[serde(default)]
    #[schema(example = "4719")]
    code: Option<String>,
    /// The digest of the changes that the person was shown (`effects.digest`); required for every
    /// yes if `effects.list` is true.
    #[serde(default)]
    shown: Option<String>,
    /// The numbers of the questions of the same kind (`alike`) that the person was shown together with this one. The same yes or no counts
    /// for those that are still open; what lasts is kept once.
    #[serde(default)]
    alike: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    Yes,
    No,
    Turn,
    Session,
    Today,
    Always,
    Modify,
}

impl Word {
    /// For how long a lasting yes holds.
    fn span(self) -> Option<Span> {
        match self {
            Self::Turn => Some(Span::Turn),
            Self::Session => Some(Span::Session),
            Self::Today => Some(Span::Today),
            Self::Always => Some(Span::Always),
            Self::Yes | Self::No | Self::Modify => None,
        }
    }
}

/// The accepted answer.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Answered {
    /// The question's number.
    id: String,
    /// The answer.
    answer: Word,
    /// The numbers of the other questions for which it counts, too.
    alike: Vec<String>,
}

/// How long prompts are muted.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Silence {
    /// Milliseconds from now, at most a day; 0 ends the silence. If missing: 15 minutes.
    #[serde(default = "quarter")]
    #[schema(example = 900_000, maximum = 86_400_000)]
    silence_ms: u64,
}

fn quarter() -> u64 {
    15 * 60 * 1000
}

/// Mute prompts
///
/// Open questions are withdrawn, further ones are refused, and nothing is spoken.
#[utoipa::path(
    post, path = "/v1/silence", tag = "questions",
    request_body(content = Option<Silence>, content_type = "application/json", description = "May be empty"),
    responses(
        (status = 200, description = "How long prompts are muted", body = Silence),
        (status = 403, description = "The token does not permit this"),
        (status = 422, description = "Longer than a day"),
    ),
    security(("approve" = []))
)]
pub(super) async fn silence(
    _: Approver,
    State(app): State<Arc<AppState>>,
    OptionalBody(Body { value, .. }): OptionalBody<Silence>,
) -> Result<axum::Json<Silence>, Problem> {
    let time = Duration::from_millis(value.silence_ms);
    if time > LONGEST_SILENCE {
        return Err(Problem::misread(Detail::message("problem-silence")));
    }
    app.guard.prompter().silence(Some(time).filter(|time| !time.is_zero()));
    Ok(axum::Json(value))
}

/// List the open questions
#[utoipa::path(
    get, path = "/v1/questions", tag = "questions",
    params(QuestionsQuery),
    responses(
        (status = 200, description = "The open questions", body = Questions),
        (status = 403, description = "The token does not permit this"),
        (status = 422, description = "An unsupported language"),
    ),
    security(("approve" = []), ("spoken" = []))
)]
pub(super) async fn list(
    _: Answerer,
    State(app): State<Arc<AppState>>,
    Query(manner): Query<QuestionsQuery>,
) -> Result<axum::Json<Questions>, Problem> {
    let language = manner.language()?;
    let open = app.guard.prompter().open_questions();
    let code = app.guard.prompter().needs_code();
    let questions = open.iter().map(|open| Question::told(open, language, code)).collect();
    Ok(axum::Json(Questions { questions }))
}

/// Get one open question
#[utoipa::path(
    get, path = "/v1/questions/{id}", tag = "questions",
    params(("id" = String, Path, description = "The question's number"), QuestionsQuery),
    responses(
        (status = 200, description = "The question, while it waits for an answer", body = Question),
        (status = 403, description = "The token does not permit this"),
        (status = 404, description = "No such open question"),
        (status = 422, description = "An unsupported language"),
    ),
    security(("approve" = []), ("spoken" = []))
)]
pub(super) async fn one(
    _: Answerer,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Query(manner): Query<QuestionsQuery>,
) -> Result<axum::Json<Question>, Problem> {
    let language = manner.language()?;
    let open = app.guard.prompter().open_questions();
    let found = open.iter().find(|open| open.number.to_string() == id);
    let open = found.ok_or_else(|| Problem::not_found(Detail::message("problem-no-question")))?;
    Ok(axum::Json(Question::told(open, language, app.guard.prompter().needs_code())))
}

/// Answer a question
///
/// The first answer counts, wherever it comes from. If the question's `code` is true, a yes must include the code
/// that the guard shows and speaks with the question; no reply contains it. The third wrong code denies the question.
/// `modify` is not a yes: the new command is judged from the start and, unless it is blocked, asked about in a new
/// question.
#[utoipa::path(
    post, path = "/v1/questions/{id}/answer", tag = "questions",
    params(("id" = String, Path, description = "The question's number")),
    request_body(content = AnswerRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The answer counts", body = Answered),
        (status = 403, description = "The token does not permit this, or the question's code is missing or wrong"),
        (status = 404, description = "No such question"),
        (status = 409, description = "The question is already settled"),
        (status = 429, description = "Too many wrong codes"),
        (status = 422, description = "Not an answer, or one that this question does not offer"),
    ),
    security(("approve" = []), ("spoken" = []))
)]
pub(super) async fn answer(
    answerer: Answerer,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Extension(peer): Extension<Peer>,
    Body { value, .. }: Body<AnswerRequest>,
) -> Result<axum::Json<Answered>, Problem> {
    if !answerer.spoken {
        return settle(&app, id, value, &peer.caller().door, By::Code).await.map(axum::Json);
    }
    // A yes by voice is the words that the guard said: see `/heard`.
    if value.answer != Word::No {
        return Err(Problem::forbidden(Detail::message("problem-say-words")));
    }
    settle(&app, id, value, SPOKEN, By::Code).await.map(axum::Json)
}

/// The answer of the person at the requesting client.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ElicitedRequest {
    /// `yes`, `no`, or `none` if the person gave no answer, which withdraws the question.
    answer: Elicited,
    /// The code that is shown and spoken with the question, if the form asks for it.
    #[serde(default)]
    code: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Elicited {
    Yes,
    No,
    None,
}

/// The name of the channel through the requesting client.
const ASKER: &str = "mcp";

/// The question with this number, if the requesting client may put it to its own person.
pub(super) fn offered(app: &AppState, number: Number) -> Option<wire::Offered> {
    let open = app.elicits.then(|| app.guard.prompter().offer(number, ASKER))??;
    Some(wire::Offered::new(&open, app.guard.prompter().needs_code()))
}

/// Answer a question through the requesting client
///
/// For MCP servers whose client has a form for its person (elicitation). Off unless `channels.mcp` is on. Only the
/// requester knows the number, and a yes counts only for low risks without a password.
#[utoipa::path(
    post, path = "/v1/questions/{id}/elicited", tag = "questions",
    params(("id" = String, Path, description = "The question's number, from the action that waits for it")),
    request_body(content = ElicitedRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The answer counts"),
        (status = 403, description = "`channels.mcp` is off, the risk is too high for a yes by this way, or the code is missing or wrong"),
        (status = 404, description = "No such question"),
        (status = 409, description = "The question is already settled"),
    ),
    security(("submit" = []))
)]
pub(super) async fn elicited(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Body { value, .. }: Body<ElicitedRequest>,
) -> Result<axum::Json<serde_json::Value>, Problem> {
    if !app.elicits {
        return Err(Problem::forbidden("The asking client's person is not asked (channels.mcp)"));
    }
    let number: Number = id.parse().map_err(|()| unknown())?;
    let said = match value.answer {
        Elicited::Yes if app.guard.prompter().offer(number, ASKER).is_none() => {
            let prompter = app.guard.prompter();
            if prompter.open_questions().iter().any(|open| open.number == number) {
                return Err(refused(NotOpen::Rank));
            }
            // The question is not open. Withdrawing it returns the reason why.
            let early = Elsewhere::Withdrawn { why: NoAnswer::TakenBack };
            let why = prompter.answer(number, &[], ASKER, early);
            return Err(refused(why.err().unwrap_or(NotOpen::Settled)));
        }
        Elicited::Yes => {
            readable(&app, number).await;
            let given = Given { code: value.code.as_deref(), shown: None };
            let proof = app.guard.prompter().prove(number, ASKER, given).await;
            Elsewhere::Yes(proof.map_err(|why| unproved(&why))?)
        }
        Elicited::No => Elsewhere::No { reason: None },
        Elicited::None => Elsewhere::Withdrawn { why: NoAnswer::TakenBack },
    };
    app.guard.prompter().answer(number, &[], ASKER, said).map_err(refused)?;
    Ok(axum::Json(serde_json::json!({})))
}

/// How long a person needs at least to look at a form, also after another one, and to read each character of it.
const LOOKS: Duration = Duration::from_secs(2);
const READS: Duration = Duration::from_millis(10);
/// How long a yes is held at most.
const HELD: Duration = Duration::from_secs(5);

/// Waits until a person can have read the form of this question. A yes by a form that nobody saw comes at once; until it counts,
/// others can say no.
async fn readable(app: &AppState, number: Number) {
    let Some(open) = app.guard.prompter().offer(number, ASKER) else { return };
    let letters = open.prompt.object.chars().count();
    let reading = READS.saturating_mul(u32::try_from(letters).unwrap_or(u32::MAX));
    let passed = open.asked.elapsed().unwrap_or_default();
    tokio::time::sleep(LOOKS.saturating_add(reading).min(HELD).saturating_sub(passed)).await;
}

fn unknown() -> Problem {
    Problem::not_found(Detail::message("problem-no-question"))
}

/// The problem that explains why an answer was rejected.
fn refused(why: NotOpen) -> Problem {
    match why {
        NotOpen::Unknown => unknown(),
        NotOpen::Settled => Problem::settled(Detail::message("problem-settled")),
        NotOpen::Rank => Problem::forbidden(Detail::message("problem-rank")),
        NotOpen::Unread => Problem::forbidden(Detail::message("problem-unread")),
        NotOpen::NotOffered => Problem::misread(Detail::message("problem-not-offered")),
        NotOpen::Fixed => Problem::misread(Detail::message("problem-fixed")),
        NotOpen::Misread(misread) => Problem::misread(Detail::Misread(Box::new(misread))),
    }
}

/// The problem that explains why a yes was rejected.
pub(super) fn unproved(why: &NoProof) -> Problem {
    match why {
        NoProof::NotOpen(why) => refused(why.clone()),
        NoProof::Required { left } => {
            Problem::code_required(tries("problem-code-required", *left)).with_tries(*left)
        }
        NoProof::Wrong { left: 0 } => Problem::code_wrong(Detail::message("problem-code-last")).with_tries(0),
        NoProof::Wrong { left } => Problem::code_wrong(tries("problem-code-wrong", *left)).with_tries(*left),
        NoProof::Guessing => Problem::guessing(Detail::message("problem-code-guessing"))
            .with(axum::http::header::RETRY_AFTER, "3600"),
        NoProof::Undrawn(_) => Problem::internal(why.to_string()),
    }
}

/// A message with the number of attempts that are left.
fn tries(id: &'static str, left: u8) -> Detail {
    Detail::Message(id, vec![("count", left.to_string())])
}

/// What entitles an answer from elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) enum By<'a> {
    /// The question's code, sent with the answer.
    Code,
    /// A console that was let in.
    Console(&'a Admission),
}

/// Obtains the proof for a yes.
async fn proof(
    app: &AppState,
    number: Number,
    given: Given<'_>,
    channel: &str,
    by: By<'_>,
) -> Result<Proof, Problem> {
    let prompter = app.guard.prompter();
    let proof = match by {
        By::Code => prompter.prove(number, channel, given).await,
        By::Console(admission) => prompter.vouched(number, admission, given.shown),
    };
    proof.map_err(|why| unproved(&why))
}

/// Applies an answer from this channel.
pub(super) async fn settle(
    app: &AppState,
    id: String,
    value: AnswerRequest,
    channel: &str,
    by: By<'_>,
) -> Result<Answered, Problem> {
    if !app.answers {
        return Err(Problem::forbidden(Detail::message("problem-answers-off")));
    }
    let number: Number = id.parse().map_err(|()| unknown())?;
    let given = Given { code: value.code.as_deref(), shown: value.shown.as_deref() };
    let proof = async || proof(app, number, given, channel, by).await;
    let said = match (value.answer, value.reason, value.command) {
        (Word::No, Some(reason), None) if reason.len() > REASON_LIMIT => {
            return Err(Problem::misread(format!("\"reason\" has more than {REASON_LIMIT} bytes")));
        }
        (Word::No, reason, None) => Elsewhere::No { reason },
        (_, Some(_), _) => return Err(Problem::misread("A \"reason\" goes with a no")),
        (Word::Modify, None, Some(text)) => Elsewhere::Change { proof: proof().await?, text },
        (_, None, Some(_)) => return Err(Problem::misread("A \"command\" goes with modify")),
        (Word::Modify, None, None) => {
            return Err(Problem::misread("Write in \"command\" what is to be done instead"));
        }
        (yes, None, None) => match yes.span() {
            Some(span) => Elsewhere::Lasting(proof().await?, span),
            None => Elsewhere::Yes(proof().await?),
        },
    };
    // What is no number is no open question.
    let others: Vec<Number> = value.alike.iter().filter_map(|id| id.parse().ok()).collect();
    let settled = app.guard.prompter().answer(number, &others, channel, said).map_err(refused)?;
    let alike = settled.iter().map(ToString::to_string).collect();
    Ok(Answered { id, answer: value.answer, alike })
}

/// The problem that explains why there is no link.
pub(super) fn not_let_in(why: &NoProof) -> Problem {
    match why {
        NoProof::Required { left } => {
            Problem::code_required(Detail::message("problem-console-code")).with_tries(*left)
        }
        NoProof::Wrong { left: 0 } => {
            Problem::code_wrong(Detail::message("problem-console-last")).with_tries(0)
        }
        NoProof::Wrong { .. } | NoProof::Guessing | NoProof::Undrawn(_) | NoProof::NotOpen(_) => {
            unproved(why)
        }
    }
}
