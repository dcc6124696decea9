//! Questions that wait for a person, answered by anyone who has the approving token.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::Body;
use super::problem::ProblemDetails;
use super::query::Query;
use super::scope::{Answerer, Approver, SPOKEN, Submitter};
use super::{AppState, Peer, Problem, wire};
use crate::human::{Admission, Elsewhere, NoProof, NotOpen, OpenQuestion, Proof};
use guarda_core::action::Language;
use guarda_core::gate::Number;

/// Longest silence.
const LONGEST_SILENCE: Duration = Duration::from_secs(24 * 3600);
/// Longest reason of an answer, in bytes.
const REASON_LIMIT: usize = 4096;

/// The questions that wait.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Questions {
    /// Oldest first.
    questions: Vec<Question>,
}

/// A question that waits for a person.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Question {
    /// Its number, to answer it by.
    #[schema(example = "5f0c6b6e1a8e4f4b9c39c7be57a3d9f2")]
    id: String,
    /// `requires_confirmation` or `requires_password`.
    status: &'static str,
    /// The kind of action.
    #[schema(example = "RUN_COMMAND")]
    action: &'static str,
    /// The command line, path or address in full, with hidden characters made visible.
    object: String,
    /// The language of what is told in words: `pt-BR`, `en` or `fr`.
    #[schema(example = "pt-BR")]
    language: &'static str,
    /// What happens after a yes, in words.
    effect: String,
    /// The question as it is spoken.
    prompt: String,
    /// Whether `always` may be answered: yes to this very command from now on.
    always: bool,
    /// Whether `yes`, `always` and `modify` take the code that is shown and spoken where the question is asked.
    code: bool,
    /// Why it is asked, strictest first.
    findings: Vec<wire::Finding>,
    /// The same reasons in the question's language.
    reasons: Vec<Reason>,
    /// The joint risk, 0 to 1.
    risk: f32,
    /// Every program that may run, with its words, in reading order; empty for what is no command.
    runs: Vec<Vec<String>>,
    /// How each of them is reached, by its place in `runs`.
    tree: Vec<wire::Branch>,
    /// What it changed when it was run with its changes held back; a yes makes them count. Null where nothing was run yet.
    effects: Option<wire::Effects>,
    /// What would be touched; nothing where `effects` says what was changed.
    touches: wire::Touches,
    /// How a command is run after a yes; null for what is no command, and where the guard does not run it.
    run: Option<wire::Run>,
    /// What a command would be kept in by; null for what is no command, and where the guard does not run it.
    sandbox: Option<wire::Sandbox>,
    /// The same in words, in the question's language.
    sandbox_lines: Vec<String>,
    /// What the conversation has taken in.
    marks: Vec<Mark>,
    /// Why the model wants it, in the model's words.
    reasoning: Option<String>,
    /// The conversation it belongs to.
    session: Option<String>,
    /// The folder a command would run in, where the caller named one.
    cwd: Option<String>,
    /// When it was asked: RFC 3339, UTC.
    #[schema(format = DateTime)]
    asked: String,
    /// When silence becomes a no: RFC 3339, UTC; null where it waits for its turn.
    #[schema(format = DateTime)]
    expires: Option<String>,
    /// The command line to the letter, where another may be written in its place (`modify`); null elsewhere. For an
    /// editor: what hides in it is not made visible.
    draft: Option<String>,
}

/// A reason in words.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Reason {
    /// In the question's language.
    text: String,
    /// The rule's name and its own sentence, in English.
    rule: String,
    /// What to do instead, in English.
    instead: Option<String>,
}

/// What a conversation has taken in.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuestionMark)]
pub(super) struct Mark {
    /// `outside`: text from outside. `secret`: secrets.
    name: &'static str,
    /// In the question's language.
    text: String,
}

/// How questions are told.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Manner {
    /// The language of what is told in words: `pt-BR`, `en` or `fr`; each question's own where none is named.
    language: Option<String>,
}

impl Manner {
    fn language(&self) -> Result<Option<Language>, Problem> {
        let language = self.language.as_deref().map(str::parse::<Language>).transpose();
        language.map_err(|error| Problem::misread(error.to_string()))
    }
}

/// What a person says.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerRequest {
    /// `yes`, `no`, `modify`, or `always` where the question offers it: yes to this very command from now on.
    answer: Word,
    /// Why not; goes back to the model. Only with a no.
    #[serde(default)]
    reason: Option<String>,
    /// Another command in the place of the one asked for. Only with `modify`; it is judged from the start and asked again.
    #[serde(default)]
    command: Option<String>,
    /// The four digits that are shown and spoken where the question is asked, where its `code` is true. A no takes none.
    #[serde(default)]
    #[schema(example = "4719")]
    code: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    Yes,
    No,
    Always,
    Modify,
}

/// The answer that counts.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Answered {
    /// The question's number.
    id: String,
    /// What was said.
    answer: Word,
}

/// How long nobody is to be asked.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Silence {
    /// Milliseconds from now on, at most a day; 0 ends a silence.
    #[schema(example = 900_000, maximum = 86_400_000)]
    silence_ms: u64,
}

/// Ask nobody anything for a while
///
/// Open questions are withdrawn, further ones refused unasked, and nothing is spoken.
#[utoipa::path(
    post, path = "/v1/silence", tag = "questions",
    request_body(content = Silence, content_type = "application/json"),
    responses(
        (status = 200, description = "So long it is silent", body = Silence),
        (status = 401, description = "No token", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 403, description = "Not with the submitting token", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 422, description = "Longer than a day", body = ProblemDetails,
         content_type = "application/problem+json"),
    ),
    security(("approve" = []))
)]
pub(super) async fn silence(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<Silence>,
) -> Result<axum::Json<Silence>, Problem> {
    let time = Duration::from_millis(value.silence_ms);
    if time > LONGEST_SILENCE {
        return Err(Problem::misread("\"silence_ms\" is longer than a day"));
    }
    app.guard.prompter().silence(Some(time).filter(|time| !time.is_zero()));
    Ok(axum::Json(value))
}

/// The open questions
#[utoipa::path(
    get, path = "/v1/questions", tag = "questions",
    params(Manner),
    responses(
        (status = 200, description = "Those that wait for an answer", body = Questions),
        (status = 401, description = "No token", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 403, description = "Not with the submitting token", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 422, description = "A language that is not spoken", body = ProblemDetails,
         content_type = "application/problem+json"),
    ),
    security(("approve" = []), ("spoken" = []))
)]
pub(super) async fn list(
    _: Answerer,
    State(app): State<Arc<AppState>>,
    Query(manner): Query<Manner>,
) -> Result<axum::Json<Questions>, Problem> {
    let language = manner.language()?;
    let open = app.guard.prompter().open_questions();
    let code = app.guard.prompter().needs_code();
    let questions = open.iter().map(|open| Question::told(open, language, code)).collect();
    Ok(axum::Json(Questions { questions }))
}

/// One open question
#[utoipa::path(
    get, path = "/v1/questions/{id}", tag = "questions",
    params(("id" = String, Path, description = "The question's number"), Manner),
    responses(
        (status = 200, description = "The question, while it waits for an answer", body = Question),
        (status = 401, description = "No token", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 403, description = "Not with the submitting token", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 404, description = "No such question waits", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 422, description = "A language that is not spoken", body = ProblemDetails,
         content_type = "application/problem+json"),
    ),
    security(("approve" = []), ("spoken" = []))
)]
pub(super) async fn one(
    _: Answerer,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Query(manner): Query<Manner>,
) -> Result<axum::Json<Question>, Problem> {
    let language = manner.language()?;
    let open = app.guard.prompter().open_questions();
    let found = open.iter().find(|open| open.number.to_string() == id);
    let open = found.ok_or_else(|| Problem::not_found("No question with this number waits"))?;
    Ok(axum::Json(Question::told(open, language, app.guard.prompter().needs_code())))
}

/// Answer a question
///
/// The first answer counts, wherever it comes from. A yes takes the code of the question, where the question's `code` is
/// true: the desk shows and speaks it, and no reply has it. The third wrong code denies the question. `modify` is no yes: the command that comes with it is judged from the
/// start, and what may be done is asked in a new question.
#[utoipa::path(
    post, path = "/v1/questions/{id}/answer", tag = "questions",
    params(("id" = String, Path, description = "The question's number")),
    request_body(content = AnswerRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "This answer is the one that counts", body = Answered),
        (status = 401, description = "No token", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 403, description = "Not with the submitting token, or not without the code of the question",
         body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "There was no such question", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 409, description = "It is settled already", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 429, description = "Too many wrong codes", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 422, description = "No answer, or one that this question does not offer", body = ProblemDetails,
         content_type = "application/problem+json"),
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
    // What was heard may be misheard: no command is written so, and nothing is allowed from now on.
    if matches!(value.answer, Word::Always | Word::Modify) {
        return Err(Problem::forbidden("By voice a question takes yes or no"));
    }
    settle(&app, id, value, SPOKEN, By::Code).await.map(axum::Json)
}

/// What the person of the asking client says.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ElicitedRequest {
    /// `yes`, `no`, or `none` where there was no answer: then the question is taken back.
    answer: Elicited,
    /// The four digits that are shown and spoken where the question is asked, where the form asks for them.
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

/// The name of the channel through the asking client.
const ASKER: &str = "mcp";

/// The question with this number, where its asker may put it to its own person.
pub(super) fn offered(app: &AppState, number: Number) -> Option<wire::Offered> {
    let open = app.elicits.then(|| app.guard.prompter().offer(number, ASKER))??;
    Some(wire::Offered::new(&open, app.guard.prompter().needs_code()))
}

/// Answer a question by the asking client's person
///
/// For servers of tools whose client has a form for its person (MCP elicitation). Switched off unless `channels.mcp` is
/// on. Only who asked knows the number, and a yes counts for what is of low risk and needs no password.
#[utoipa::path(
    post, path = "/v1/questions/{id}/elicited", tag = "questions",
    params(("id" = String, Path, description = "The question's number, from the action that waits for it")),
    request_body(content = ElicitedRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "This answer is the one that counts"),
        (status = 401, description = "No token", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 403, description = "Switched off, the question is too grave for a yes in this way, or the code is not its own",
         body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "There was no such question", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 409, description = "It is settled already", body = ProblemDetails,
         content_type = "application/problem+json"),
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
            // It is not open: taking it back says why.
            let early = Elsewhere::Withdrawn { why: "an answer came too early".to_owned() };
            let why = prompter.answer(number, ASKER, early);
            return Err(refused(why.err().unwrap_or(NotOpen::Settled)));
        }
        Elicited::Yes => {
            let proof = app.guard.prompter().prove(number, ASKER, value.code.as_deref()).await;
            Elsewhere::Yes(proof.map_err(|why| unproved(&why))?)
        }
        Elicited::No => Elsewhere::No { reason: None },
        Elicited::None => Elsewhere::Withdrawn { why: "its asker took it back".to_owned() },
    };
    app.guard.prompter().answer(number, ASKER, said).map_err(refused)?;
    Ok(axum::Json(serde_json::json!({})))
}

fn unknown() -> Problem {
    Problem::not_found("There is no question with this number; GET /v1/questions lists the open ones")
}

/// Why an answer does not count.
fn refused(why: NotOpen) -> Problem {
    match why {
        NotOpen::Unknown => unknown(),
        NotOpen::Settled => Problem::settled("This question was answered, withdrawn, or has expired"),
        NotOpen::Rank => Problem::forbidden(NotOpen::Rank.to_string()),
        NotOpen::NotOffered | NotOpen::Fixed | NotOpen::Misread(_) => Problem::misread(why.to_string()),
    }
}

/// Why a yes does not count.
pub(super) fn unproved(why: &NoProof) -> Problem {
    match why {
        NoProof::NotOpen(why) => refused(why.clone()),
        NoProof::Required { left } => Problem::code_required(format!(
            "A yes from here takes a \"code\" of four digits: it is shown and spoken where the question is asked, and {} may \
             be tried",
            count(*left)
        ))
        .with_tries(*left),
        NoProof::Wrong { left: 0 } => {
            Problem::code_wrong("This is not the code, and none is left to try: the answer is no").with_tries(0)
        }
        NoProof::Wrong { left } => Problem::code_wrong(format!(
            "This is not the code: it is shown and spoken where the question is asked, and {} may still be tried",
            count(*left)
        ))
        .with_tries(*left),
        NoProof::Guessing => Problem::guessing(
            "Too many wrong codes within an hour: a yes is accepted only directly at the prompt",
        )
        .with(axum::http::header::RETRY_AFTER, "3600"),
        NoProof::Undrawn(_) => Problem::internal(why.to_string()),
    }
}

fn count(codes: u8) -> String {
    if codes == 1 { "1 code".to_owned() } else { format!("{codes} codes") }
}

/// What stands behind an answer from elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) enum By<'a> {
    /// The code of the question, which comes with the answer.
    Code,
    /// A console that was let in.
    Console(&'a Admission),
}

/// That an answer may say yes.
async fn proof(
    app: &AppState,
    number: Number,
    code: Option<&str>,
    channel: &str,
    by: By<'_>,
) -> Result<Proof, Problem> {
    let prompter = app.guard.prompter();
    let proof = match by {
        By::Code => prompter.prove(number, channel, code).await,
        By::Console(admission) => prompter.vouched(number, admission),
    };
    proof.map_err(|why| unproved(&why))
}

/// Takes an answer that was given through this channel.
pub(super) async fn settle(
    app: &AppState,
    id: String,
    value: AnswerRequest,
    channel: &str,
    by: By<'_>,
) -> Result<Answered, Problem> {
    if !app.answers {
        return Err(Problem::forbidden(
            "Answers over this service are switched off (server.answer_over_http)",
        ));
    }
    let number: Number = id.parse().map_err(|()| unknown())?;
    let proof = async || proof(app, number, value.code.as_deref(), channel, by).await;
    let said = match (value.answer, value.reason, value.command) {
        (Word::Yes | Word::Always | Word::Modify, Some(_), _) => {
            return Err(Problem::misread("A \"reason\" goes with a no"));
        }
        (Word::Yes | Word::Always | Word::No, _, Some(_)) => {
            return Err(Problem::misread("A \"command\" goes with modify"));
        }
        (Word::Modify, None, None) => {
            return Err(Problem::misread("Write in \"command\" what is to be done instead"));
        }
        (Word::Always, None, None) => Elsewhere::Always(proof().await?),
        (Word::No, Some(reason), None) if reason.len() > REASON_LIMIT => {
            return Err(Problem::misread(format!("\"reason\" has more than {REASON_LIMIT} bytes")));
        }
        (Word::Yes, None, None) => Elsewhere::Yes(proof().await?),
        (Word::No, reason, None) => Elsewhere::No { reason },
        (Word::Modify, None, Some(text)) => Elsewhere::Change { proof: proof().await?, text },
    };
    app.guard.prompter().answer(number, channel, said).map_err(refused)?;
    Ok(Answered { id, answer: value.answer })
}

impl Question {
    /// A question in a language, or in its own.
    fn told(open: &OpenQuestion, language: Option<Language>, code: bool) -> Self {
        let action = &open.question.subject.action;
        let prompt = match language.filter(|language| *language != open.prompt.language) {
            Some(language) => Arc::new(open.prompt.in_language(&open.question, language)),
            None => Arc::clone(&open.prompt),
        };
        let marks = prompt.impact.marks.iter().zip(&prompt.marks);
        Self {
            id: open.number.to_string(),
            status: open.question.verdict.status(),
            action: prompt.kind,
            object: prompt.object.clone(),
            language: prompt.language.tag(),
            effect: prompt.effect.clone(),
            prompt: prompt.spoken.clone(),
            always: prompt.always,
            code,
            findings: open.question.findings.iter().map(Into::into).collect(),
            reasons: prompt.reasons.iter().map(Reason::from).collect(),
            risk: prompt.risk,
            runs: wire::runs(action),
            tree: wire::branches(action),
            effects: wire::Effects::of(&prompt),
            touches: wire::Touches::of(&prompt),
            run: wire::Run::asked(&prompt.impact),
            sandbox: prompt.impact.sandbox.as_ref().map(Into::into),
            sandbox_lines: prompt.sandbox.clone(),
            marks: marks.map(|(mark, text)| Mark { name: mark.name(), text: text.clone() }).collect(),
            reasoning: prompt.reasoning.clone(),
            session: prompt.session.clone(),
            cwd: prompt.folder.clone(),
            asked: time(open.asked),
            expires: open.expires.map(time),
            draft: prompt.draft.clone(),
        }
    }
}

impl From<&crate::human::prompt::Reason> for Reason {
    fn from(reason: &crate::human::prompt::Reason) -> Self {
        let crate::human::prompt::Reason { text, rule, instead } = reason.clone();
        Self { text, rule, instead }
    }
}

/// A time as RFC 3339 in UTC, to the millisecond.
fn time(at: std::time::SystemTime) -> String {
    let at = jiff::Timestamp::try_from(at).unwrap_or_default();
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
