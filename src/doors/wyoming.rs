//! A conversation agent for Home Assistant and other programs that speak Wyoming: a line of JSON for each event, and the bytes that it
//! announces. A sentence becomes an action by the phrases that everybody says, or by the configured model; the guard judges it like any
//! request, and the answer is its message. The protocol has no password, so only this user's programs and listed machines are heard.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::config::Config;
use crate::devices::filesystem::own::own_uid;
use crate::devices::process::holder;
use crate::doors::http::{AppState, JobOwner, Problem, read_json};
use crate::guard::{Outcome, RequestContext};
use crate::interpret::{Interpreter, NoAction};
use crate::wording::fault::unusable::no_action;
use crate::wording::{Message, words};
use guarda_core::action::grammar::Offer;
use guarda_core::action::{Language, Request};

/// The door's name in the record.
const DOOR: &str = "wyoming";
/// The most connections at once.
const MOST: usize = 16;
/// The longest line, and the most bytes that an event may announce.
const LONGEST: u64 = 64 << 10;
/// How long a connection may be silent.
const IDLE: Duration = Duration::from_secs(300);

/// The door.
#[derive(Debug)]
pub struct Wyoming {
    app: Arc<AppState>,
    interpreter: Interpreter,
    allow: Vec<IpAddr>,
}

/// What came over a connection.
#[derive(Debug, PartialEq)]
struct Event {
    kind: String,
    data: Map<String, Value>,
}

/// How a sentence ended.
struct Heard {
    handled: bool,
    text: String,
}

impl Wyoming {
    /// The door to this guard; `None` if the profile offers a model no actions.
    #[must_use]
    pub fn new(app: Arc<AppState>, config: &Config) -> Option<Arc<Self>> {
        let offer = Offer::named(config.security.profile.name())?;
        let interpreter = Interpreter::new(config, None, offer, |text| read_json(text.as_bytes()));
        Some(Arc::new(Self { app, interpreter, allow: config.wyoming.allow.clone() }))
    }

    /// Answers while the service runs.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(MOST));
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a Wyoming connection cannot be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
            if !self.may_speak(peer, listener.local_addr().map_or(0, |own| own.port())) {
                tracing::warn!(%peer, "a Wyoming connection is refused: it is neither of this user nor listed in wyoming.allow");
                continue;
            }
            let door = Arc::clone(&self);
            tokio::spawn(async move {
                let _place = place;
                if let Err(error) = door.talk(stream, peer).await {
                    tracing::info!(%peer, %error, "a Wyoming connection ended");
                }
            });
        }
    }

    /// Whether sentences of this peer are taken. On this machine, other users are not heard, since they may not act as this one.
    fn may_speak(&self, peer: SocketAddr, port: u16) -> bool {
        let ip = peer.ip().to_canonical();
        if self.allow.contains(&ip) {
            return true;
        }
        ip.is_loopback() && holder::owner(peer, port).is_some_and(|uid| uid == own_uid() || uid == 0)
    }

    async fn talk(&self, stream: TcpStream, peer: SocketAddr) -> std::io::Result<()> {
        let (reading, mut writing) = stream.into_split();
        let mut reading = BufReader::new(reading);
        loop {
            // A connection that is silent for long ends.
            let event = tokio::time::timeout(IDLE, read_event(&mut reading)).await.unwrap_or(Ok(None))?;
            let Some(event) = event else { return Ok(()) };
            let answer = match event.kind.as_str() {
                "describe" => written("info", &info()),
                "ping" => written("pong", &json!({ "text": event.data.get("text") })),
                "transcript" => {
                    let withdraw = tokio_util::sync::CancellationToken::new();
                    // Who leaves wants no answer any more: an open question is withdrawn.
                    let _leaving = withdraw.clone().drop_guard();
                    let heard = tokio::select! {
                        heard = self.hear(&event.data, peer, withdraw) => heard,
                        () = gone(&mut reading) => return Ok(()),
                    };
                    let kind = if heard.handled { "handled" } else { "not-handled" };
                    written(kind, &json!({ "text": heard.text, "context": event.data.get("context") }))
                }
                // Streams of speech and the like are for others.
                _ => continue,
            };
            writing.write_all(&answer).await?;
        }
    }

    /// Does what a sentence asks for.
    async fn hear(
        &self,
        data: &Map<String, Value>,
        peer: SocketAddr,
        withdraw: tokio_util::sync::CancellationToken,
    ) -> Heard {
        let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
        let sentence = text("text").trim();
        let prompter = self.app.guard.prompter();
        let language: Language = prompter.language(Some(text("language")));
        let words = words(language);
        let failed = |text: String| Heard { handled: false, text };
        if sentence.is_empty() {
            return failed(Message::Unknown(None).text(words));
        }
        let request = match self.interpreter.interpret(sentence, language).await {
            Ok(request) => request,
            Err(why) => {
                tracing::info!(%why, "a sentence became no action");
                return failed(match why {
                    NoAction::NotOne(..) => Message::Unknown(Some(sentence)).text(words),
                    trouble => no_action(words, &trouble),
                });
            }
        };
        let conversation = data.get("context").and_then(|context| context.get("conversation_id"));
        let request = Request {
            session: Some(session(conversation.and_then(Value::as_str).unwrap_or("1"))),
            language: Some(language.tag().to_owned()),
            ..request
        };
        let place = match self.app.jobs.place(&JobOwner::Token) {
            Ok(place) => place,
            Err(full) => return failed(full.message(words)),
        };
        let caller = guarda_journal::Caller {
            door: DOOR.to_owned(),
            name: if peer.ip().is_loopback() { String::new() } else { peer.ip().to_string() },
            container: None,
        };
        let context = RequestContext { withdraw, ..RequestContext::default() };
        let (guard, id) = (Arc::clone(&self.app.guard), uuid::Uuid::now_v7());
        // A task of its own goes on to its proper end whatever happens to the connection.
        let deed = self.app.jobs.tasks().spawn(async move {
            let _place = place;
            guard.handle(id, request, caller, context).await
        });
        match deed.await {
            Ok(Ok(reply)) => {
                self.app.metrics.action(reply.outcome, &reply.decided_by);
                let known = reply.error != Some("unknown_action");
                Heard { handled: known && reply.outcome != Outcome::Failed, text: reply.message }
            }
            Ok(Err(fault)) => failed(Problem::from(&fault).message(words)),
            Err(error) => {
                tracing::error!(%error, "an action ended by a fault of the guard");
                failed(words.say("title-internal", &[]))
            }
        }
    }
}

/// The session of a conversation.
fn session(conversation: &str) -> String {
    let kept: String =
        conversation.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(48).collect();
    format!("wyoming-{kept}")
}

/// Ends when the other side has closed the connection. What it has sent meanwhile stays to be read.
async fn gone(reading: &mut (impl AsyncBufRead + Unpin)) {
    if reading.fill_buf().await.is_ok_and(|bytes| !bytes.is_empty()) {
        std::future::pending::<()>().await;
    }
}

/// The next event; `None` at the end. What is announced beside the data is skipped.
async fn read_event(reading: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<Option<Event>> {
    let wrong = |why: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, why.to_owned());
    let mut line = Vec::new();
    let size = (&mut *reading).take(LONGEST).read_until(b'\n', &mut line).await?;
    if size == 0 {
        return Ok(None);
    }
    if line.pop() != Some(b'\n') {
        return Err(wrong("an event without an end"));
    }
    let head: Map<String, Value> = serde_json::from_slice(&line)?;
    let count = |name: &str| head.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (data_length, payload_length) = (count("data_length"), count("payload_length"));
    if data_length > LONGEST || payload_length > LONGEST {
        return Err(wrong("an event that announces too much"));
    }
    let mut bytes = vec![0; usize::try_from(data_length + payload_length).unwrap_or_default()];
    reading.read_exact(&mut bytes).await?;
    let mut data = head.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
    let more =
        bytes.get(..usize::try_from(data_length).unwrap_or_default()).filter(|bytes| !bytes.is_empty());
    if let Some(more) = more {
        data.extend(serde_json::from_slice::<Map<String, Value>>(more)?);
    }
    let kind = head.get("type").and_then(Value::as_str).ok_or_else(|| wrong("an event without a type"))?;
    Ok(Some(Event { kind: kind.to_owned(), data }))
}

/// An event as bytes.
fn written(kind: &str, data: &Value) -> Vec<u8> {
    let data = data.to_string();
    let head = json!({ "type": kind, "version": "1.5.0", "data_length": data.len() });
    format!("{head}\n{data}").into_bytes()
}

/// What this door is, for programs that look for a conversation agent.
fn info() -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let attribution = json!({ "name": "guarda-costas", "url": env!("CARGO_PKG_REPOSITORY") });
    let about = |mut fields: Value, does: &str| {
        let common = json!({ "name": "guarda-costas", "attribution": attribution, "installed": true,
            "description": does, "version": version });
        if let (Some(fields), Some(common)) = (fields.as_object_mut(), common.as_object()) {
            fields.extend(common.clone());
        }
        fields
    };
    let model =
        about(json!({ "languages": ["pt", "pt-BR", "en", "fr"] }), "Judges each action before it is done");
    let program =
        about(json!({ "models": [model], "supports_home_control": false }), "The bodyguard of this computer");
    json!({ "asr": [], "tts": [], "handle": [program], "intent": [], "wake": [], "mic": [], "snd": [] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> std::io::Result<Option<Event>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { read_event(&mut BufReader::new(bytes)).await })
    }

    #[test]
    fn an_event_is_read_as_programs_write_it() {
        let data = json!({ "text": "olá", "language": "pt" });
        let mut bytes = written("transcript", &data);
        let event = read(&bytes).unwrap().unwrap();
        assert_eq!((event.kind.as_str(), Value::Object(event.data)), ("transcript", data.clone()));
        // Older programs have the data in the line, others a payload behind it.
        let old = format!("{}\n", json!({ "type": "transcript", "data": data }));
        assert_eq!(Value::Object(read(old.as_bytes()).unwrap().unwrap().data), data);
        bytes = format!("{}\nabc", json!({ "type": "audio-chunk", "payload_length": 3 })).into_bytes();
        assert_eq!(read(&bytes).unwrap().unwrap().kind, "audio-chunk");
        assert_eq!(read(b"").unwrap(), None);
    }

    #[test]
    fn what_is_no_event_ends_the_connection() {
        let endless = vec![b'x'; usize::try_from(LONGEST).unwrap() + 1];
        let announced = format!("{}\n", json!({ "type": "x", "data_length": LONGEST + 1 }));
        for bytes in
            [&b"x\n"[..], b"{}\n", b"{\"type\": 1}\n", b"{\"type\": \"x\"", &endless, announced.as_bytes()]
        {
            assert!(read(bytes).is_err());
        }
        assert!(read(b"{\"type\": \"x\", \"data_length\": 9}\nabc").is_err(), "cut off");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn a_conversation_is_a_session_whatever_its_name() {
        for name in ["01J8ZW", "", "../a b@c.d", &"x".repeat(300)] {
            assert!(guarda_core::action::is_session_name(&session(name)), "{name}");
        }
    }
}
