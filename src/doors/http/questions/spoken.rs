//! What a listener does: it follows the questions, and passes on what a person says. The guard decides whether that is an answer.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use utoipa::ToSchema;

use crate::doors::detail::Detail;
use crate::doors::http::access::scope::Answerer;
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use crate::doors::http::wire::time;
use crate::prompt::spoken::{HeardWords, list};
use crate::prompt::{
    Elsewhere, Hearing, NoHearing, OpenQuestion, QuestionEvent, QuestionMoment, SPOKEN, Wish,
};
use guarda_core::gate::{Number, Span};

/// The interval of keep-alives on a silent connection.
const BEAT: Duration = Duration::from_secs(10);

/// What a person said.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct HeardRequest {
    /// `words` for a yes, `no`, or what the person wants to hear: `repeat`, `spell`, `help`, `what`.
    heard: HeardKind,
    /// The words, if they are of the public list (the event `listen` has it). Only with `words`, as are the other fields.
    #[serde(default)]
    words: Vec<String>,
    /// For how long the yes holds, if the question offers it: `turn` or `session`.
    #[serde(default)]
    lasts: Option<SpokenSpan>,
    /// How much likelier the words are than any others of the list: their likelihood divided by that of the next.
    #[serde(default)]
    margin: Option<f32>,
    /// When the sound began, by this machine's clock: RFC 3339.
    #[serde(default)]
    #[schema(format = DateTime)]
    began: Option<String>,
    /// For how long there was a voice, in milliseconds.
    #[serde(default)]
    voice_ms: Option<u64>,
    /// The share of the sound that is explained by what this computer plays, 0 to 1.
    #[serde(default)]
    explained: Option<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum HeardKind {
    Words,
    No,
    Repeat,
    Spell,
    Help,
    What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum SpokenSpan {
    Turn,
    Session,
}

/// What came of it.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::doors::http) struct HeardAnswer {
    /// The question's number.
    id: String,
    /// `yes` or `no`: it is the answer. `again`: other words; the guard says its own once more. `said`: what was wanted is said.
    /// `not_heard`: it was not a person who answered, and nothing changes.
    result: &'static str,
    /// Why it was not heard: `too_early`, `echo`, `too_short`, `unclear`.
    why: Option<&'static str>,
}

/// Pass on what a person said
///
/// For a front-end that listens (`server.spoken_answers`). A yes is two words that the guard draws, shows with the question and says last; they
/// count only after the guard's own sound, from a voice that this computer does not play, and if they are clear. Other words are said once more;
/// the second time they are a no. A no, at any time, needs nothing.
#[utoipa::path(
    post, path = "/v1/questions/{id}/heard", tag = "questions",
    params(("id" = String, Path, description = "The question's number")),
    request_body(content = HeardRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "What came of it", body = HeardAnswer),
        (status = 403, description = "The token does not permit this, or a yes to this question is not taken by voice"),
        (status = 404, description = "No such question"),
        (status = 409, description = "The question is already settled"),
        (status = 422, description = "Not what a listener hears"),
        (status = 429, description = "Too many wrong words"),
    ),
    security(("spoken" = []))
)]
pub(in crate::doors::http) async fn heard(
    answerer: Answerer,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Body { value, .. }: Body<HeardRequest>,
) -> Result<axum::Json<HeardAnswer>, Problem> {
    if !answerer.spoken {
        return Err(Problem::forbidden("Only a listener, with the file `spoken-token`, says what it heard"));
    }
    let number: Number = id.parse().map_err(|()| super::unknown())?;
    let prompter = app.guard.prompter();
    let wish = match value.heard {
        HeardKind::Words => {
            let (heard, span) = words(value)?;
            return match prompter.hear(number, &heard, span) {
                Ok(Hearing::Yes) => Ok(told(id, "yes")),
                Ok(Hearing::Again) => Ok(told(id, "again")),
                Ok(Hearing::No) => Ok(told(id, "no")),
                Err(NoHearing::NotHeard(why)) => {
                    Ok(axum::Json(HeardAnswer { id, result: "not_heard", why: Some(why.into()) }))
                }
                Err(NoHearing::NotOpen(why)) => Err(super::refused(why)),
                Err(NoHearing::NotByVoice) => {
                    Err(Problem::forbidden(Detail::message("problem-not-by-voice")))
                }
                Err(NoHearing::Guessing) => Err(super::unproved(&crate::prompt::NoProof::Guessing)),
            };
        }
        HeardKind::No => {
            let no = Elsewhere::No { reason: None };
            prompter.answer(number, &[], SPOKEN, no).map_err(super::refused)?;
            return Ok(told(id, "no"));
        }
        HeardKind::Repeat => Wish::Repeat,
        HeardKind::Spell => Wish::Spell,
        HeardKind::Help => Wish::Help,
        HeardKind::What => Wish::What,
    };
    prompter.wish(number, wish).map_err(super::refused)?;
    Ok(told(id, "said"))
}

fn told(id: String, result: &'static str) -> axum::Json<HeardAnswer> {
    axum::Json(HeardAnswer { id, result, why: None })
}

/// Reads the words and how they were heard. Every field is required.
fn words(value: HeardRequest) -> Result<(HeardWords, Option<Span>), Problem> {
    let missing = |name: &str| Problem::misread(format!("\"{name}\" belongs to \"words\""));
    let began = value.began.as_deref().ok_or_else(|| missing("began"))?;
    let began: jiff::Timestamp =
        began.parse().map_err(|_| Problem::misread("\"began\" is not a time of RFC 3339"))?;
    let heard = HeardWords {
        words: value.words,
        margin: value.margin.ok_or_else(|| missing("margin"))?,
        began: SystemTime::from(began),
        voice_ms: value.voice_ms.ok_or_else(|| missing("voice_ms"))?,
        explained: value.explained.ok_or_else(|| missing("explained"))?,
    };
    let span = value.lasts.map(|span| match span {
        SpokenSpan::Turn => Span::Turn,
        SpokenSpan::Session => Span::Session,
    });
    Ok((heard, span))
}

/// Follow the questions
///
/// Server-sent events for a front-end that listens: `asked` (a question is being put, also those that are open at the beginning), `listen` (the
/// guard's sound has ended: a yes may begin at `from`, with two of these `words`), `again` (it speaks again), `settled` (`yes`, `no`, `modify`,
/// `silence`, `withdrawn`). The words of a yes are in none of them.
#[utoipa::path(
    get, path = "/v1/questions/events", tag = "questions",
    responses(
        (status = 200, description = "A stream of events", content_type = "text/event-stream", body = String),
        (status = 403, description = "The token does not permit this"),
    ),
    security(("approve" = []), ("spoken" = []))
)]
pub(in crate::doors::http) async fn events(
    _: Answerer,
    State(app): State<Arc<AppState>>,
) -> Sse<impl futures_util::Stream<Item = Result<Event, Infallible>>> {
    let events = app.guard.prompter().events();
    let open = app.guard.prompter().open_questions();
    // Those that wait for their turn are told when it comes.
    let begun = open.iter().filter(|open| open.expires.is_some());
    let begun = begun.map(|open| event(&app, asked(open.number)).map(Ok)).collect::<Vec<_>>();
    let stream = futures_util::stream::unfold((app, events), |(app, mut events)| async move {
        loop {
            match events.recv().await {
                Ok(one) => {
                    if let Some(event) = event(&app, one) {
                        return Some((Ok(event), (app, events)));
                    }
                }
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                // The guard is shutting down.
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    });
    let begun = futures_util::stream::iter(begun.into_iter().flatten());
    let stream = futures_util::StreamExt::chain(begun, stream);
    Sse::new(stream).keep_alive(KeepAlive::new().interval(BEAT).text("here"))
}

fn asked(number: Number) -> QuestionEvent {
    QuestionEvent { number, moment: QuestionMoment::Asked }
}

/// An event as it is sent; `None` if its question is not open any more.
fn event(app: &AppState, event: QuestionEvent) -> Option<Event> {
    let QuestionEvent { number, moment } = event;
    let open = || {
        let open: Option<OpenQuestion> =
            app.guard.prompter().open_questions().into_iter().find(|open| open.number == number);
        open
    };
    let (name, mut data): (_, Value) = match moment {
        QuestionMoment::Asked => {
            let prompt = open()?.prompt;
            (
                "asked",
                json!({ "language": prompt.language.tag(), "action": prompt.kind, "risk": prompt.risk }),
            )
        }
        QuestionMoment::Listen(from) => {
            ("listen", json!({ "from": time(from), "words": list(open()?.prompt.language) }))
        }
        QuestionMoment::Again => ("again", json!({})),
        QuestionMoment::Settled(how) => ("settled", json!({ "answer": how })),
    };
    data.as_object_mut()?.insert("id".to_owned(), number.to_string().into());
    Some(Event::default().event(name).data(data.to_string()))
}
