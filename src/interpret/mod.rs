//! Turns a sentence into an action: by the phrases that everybody says, or else by a language model. It decides nothing: what it finds is
//! judged like any request.

use std::time::Duration;

use serde_json::{Value, json};

use crate::config::Config;
use crate::config::sections::advice::{Constrain, EndpointSection};
use crate::devices::endpoint::{Endpoint, EndpointFault, EndpointResponse, NothingTold};
use guarda_core::action::calls::{NoCall, of_value};
use guarda_core::action::grammar::{self, Offer};
use guarda_core::action::vocabulary::ActionKind;
use guarda_core::action::{Language, Request, phrases};

/// How many earlier turns of a conversation the model sees.
const TURNS: usize = 6;
/// The most tokens in a model's answer.
const TOKENS: u32 = 400;
/// How long a server may take to name its models.
const NAMING: Duration = Duration::from_secs(3);
/// Where llama-server listens, if no address is configured and Ollama does not answer.
const LLAMA: &str = "http://127.0.0.1:8080/v1";

/// Reads JSON text strictly.
pub type Read = fn(&str) -> Result<Value, serde_json::Error>;

/// Why a sentence became no action.
#[derive(Debug, thiserror::Error)]
pub enum NoAction {
    /// The configured server cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointFault),
    /// The server gives no response.
    #[error(transparent)]
    NoServer(#[from] NothingTold),
    /// No model is configured, and the server does not have exactly one: its models.
    #[error("no model is named, and the server has {0:?}")]
    NoModel(Vec<String>),
    /// The server refused: its status and the beginning of what it said.
    #[error("the server answers {0}: {1}")]
    Refused(u16, String),
    /// The model's answer is not one action: why, and its beginning.
    #[error("{0}: {1}")]
    NotOne(String, String),
}

/// A turn of a conversation. The model sees no output, which could contain anything, such as instructions.
#[derive(Debug, Clone)]
pub struct Turn {
    /// What the person said.
    pub sentence: String,
    /// The action that it became, as JSON.
    pub action: String,
    /// How that ended.
    pub outcome: String,
}

/// A model server and the model that it serves.
#[derive(Debug)]
struct Model {
    endpoint: Endpoint,
    name: String,
}

/// What turns sentences into actions. The model is looked for when it is first needed.
#[derive(Debug)]
pub struct Interpreter {
    server: EndpointSection,
    named: Option<String>,
    constrain: Constrain,
    within: Duration,
    offer: Offer,
    read: Read,
    model: tokio::sync::OnceCell<Model>,
    turns: std::sync::Mutex<Vec<Turn>>,
}

impl Interpreter {
    /// By this configuration; `model` instead of the configured one.
    #[must_use]
    pub fn new(config: &Config, model: Option<&str>, offer: Offer, read: Read) -> Self {
        let named = [model.unwrap_or_default(), &config.ask.model, &config.advice.model];
        let named = named.into_iter().map(str::trim).find(|name| !name.is_empty()).map(str::to_owned);
        Self {
            server: config.endpoint.clone(),
            named,
            constrain: config.ask.constrain,
            within: Duration::from_secs(config.ask.timeout_seconds),
            offer,
            read,
            model: tokio::sync::OnceCell::new(),
            turns: std::sync::Mutex::default(),
        }
    }

    /// The action that a sentence asks for, said in this language.
    ///
    /// # Errors
    /// [`NoAction`]: it is no phrase that everybody says, and no model could tell.
    pub async fn interpret(&self, sentence: &str, language: Language) -> Result<Request, NoAction> {
        let offered = |request: &Request| {
            let name = request.action.as_deref();
            self.offer.entries().any(|entry| Some(entry.name) == name)
        };
        if let Some(request) = phrases::read(sentence, language).filter(offered) {
            return Ok(request);
        }
        let model = self.model.get_or_try_init(|| self.find()).await?;
        let request = self.request(&model.name, sentence, language);
        let told = model.endpoint.post("/chat/completions", &request, self.within).await?;
        if told.status != 200 {
            return Err(NoAction::Refused(told.status, beginning(&String::from_utf8_lossy(&told.body))));
        }
        let mut request = action(&told.body, self.read)?;
        // What nobody can do is told with the person's own words.
        if request.action.as_deref() == Some(ActionKind::Unknown.name()) {
            request.target = Some(sentence.into());
        }
        Ok(request)
    }

    /// Notes how a turn ended, for the next one.
    pub fn ended(&self, turn: Turn) {
        let mut turns = self.turns.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        turns.push(turn);
        if turns.len() > TURNS {
            turns.remove(0);
        }
    }

    /// The configured server and model; without a configuration, the server that answers and its only model.
    async fn find(&self) -> Result<Model, NoAction> {
        let usual = self.server == EndpointSection::default();
        let endpoint = Endpoint::new(&self.server)?;
        if !usual && let Some(name) = &self.named {
            return Ok(Model { endpoint, name: name.clone() });
        }
        let (endpoint, told) = match endpoint.get("/models", NAMING).await {
            Ok(told) => (endpoint, told),
            Err(silent) if usual => {
                let other =
                    Endpoint::new(&EndpointSection { address: LLAMA.to_owned(), ..self.server.clone() })?;
                let told = other.get("/models", NAMING).await.map_err(|_| silent)?;
                (other, told)
            }
            Err(silent) => return Err(silent.into()),
        };
        if let Some(name) = &self.named {
            return Ok(Model { endpoint, name: name.clone() });
        }
        match <[String; 1]>::try_from(models(&told)) {
            Ok([name]) => Ok(Model { endpoint, name }),
            Err(names) => Err(NoAction::NoModel(names)),
        }
    }

    /// The request to the model.
    fn request(&self, model: &str, sentence: &str, language: Language) -> Value {
        let mut messages = vec![json!({"role": "system", "content": instructions(self.offer, language)})];
        let mut end = String::new();
        let turns = self.turns.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for Turn { sentence, action, outcome } in turns.iter() {
            messages.push(json!({"role": "user", "content": format!("{end}{sentence}")}));
            messages.push(json!({"role": "assistant", "content": action}));
            end = format!("(That ended: {outcome}.) ");
        }
        messages.push(json!({"role": "user", "content": format!("{end}{sentence}")}));
        let mut request = json!({
            "model": model, "temperature": 0, "max_tokens": TOKENS, "stream": false, "messages": messages,
        });
        let constraint = match self.constrain {
            Constrain::Schema => Some((
                "response_format",
                json!({
                    "type": "json_schema",
                    "json_schema": { "name": "action", "schema": grammar::bare_schema(self.offer) },
                }),
            )),
            Constrain::Grammar => Some(("grammar", json!(grammar::bare_actions(self.offer)))),
            Constrain::None => None,
        };
        if let (Some((name, value)), Some(fields)) = (constraint, request.as_object_mut()) {
            fields.insert(name.to_owned(), value);
        }
        request
    }
}

/// The names of a server's models.
fn models(told: &EndpointResponse) -> Vec<String> {
    let body: Value = serde_json::from_slice(&told.body).unwrap_or_default();
    let all = body.get("data").and_then(Value::as_array).cloned().unwrap_or_default();
    all.iter().filter_map(|model| model.get("id")?.as_str().map(str::to_owned)).collect()
}

/// The single action in a completion, however models write it.
fn action(body: &[u8], read: Read) -> Result<Request, NoAction> {
    let text = String::from_utf8_lossy(body);
    let wrong = |why: &dyn std::fmt::Display, value: Option<&Value>| {
        let said = value.and_then(|value| value.pointer("/choices/0/message/content")?.as_str());
        NoAction::NotOne(why.to_string(), beginning(said.unwrap_or(&text)))
    };
    let value = read(&text).map_err(|error| wrong(&error, None))?;
    let calls = of_value(&value, &read).map_err(|error: NoCall| wrong(&error, Some(&value)))?;
    match <[_; 1]>::try_from(calls) {
        Ok([call]) => Ok(call.request),
        Err(calls) => Err(wrong(&format_args!("{} at once", calls.len()), Some(&value))),
    }
}

fn beginning(text: &str) -> String {
    text.trim().chars().take(200).collect()
}

/// The system prompt with the vocabulary.
fn instructions(offer: Offer, language: Language) -> String {
    let mut text = String::from(
        "You turn what a person says to a computer into one action. Answer with one JSON object and nothing else: \
         {\"action\": NAME, \"target\": what it is done to}. The names, with what target holds:\n",
    );
    for entry in offer.entries().filter(|entry| entry.kind != ActionKind::Unknown) {
        let target = if entry.target.is_empty() { "no target" } else { entry.target };
        text.push_str(&format!("{} ({target}): {}\n", entry.name, entry.does));
    }
    text.push_str(&format!(
        "UNKNOWN (what the person said): you do not understand, or no action does it\n\
         Use REPLY to answer a question that needs no action; its target is what you say, in the person's language (mostly \
         {language}). Never claim that something was done. Use RUN_COMMAND only where no other action fits.\n\
         Examples: \"abaixa o volume\" is {{\"action\": \"VOLUME_DOWN\"}}; \"ouvre les téléchargements\" is {{\"action\": \
         \"OPEN_FOLDER\", \"target\": \"~/Downloads\"}}; \"search youtube for tango\" is {{\"action\": \"OPEN_URL\", \
         \"target\": \"https://www.youtube.com/results?search_query=tango\"}}.",
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Value, serde_json::Error> {
        serde_json::from_str(text)
    }

    fn completion(message: &Value) -> Result<Request, NoAction> {
        let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
        action(body.to_string().as_bytes(), read)
    }

    #[test]
    fn one_action_is_read_as_models_write_it_and_nothing_else() {
        let call = json!({"type": "function", "function": {"name": "LOCK", "arguments": "{}"}});
        for message in [
            json!({"content": r#"{"action": "LOCK"}"#}),
            json!({"content": "```json\n{\"action\": \"LOCK\"}\n```"}),
            json!({"content": "I lock it. <tool_call>{\"name\": \"LOCK\", \"arguments\": {}}</tool_call>"}),
            json!({"content": null, "tool_calls": [call]}),
        ] {
            assert_eq!(completion(&message).unwrap().action.as_deref(), Some("LOCK"), "{message}");
        }
        for text in [
            "",
            "Ok!",
            "{}",
            "[{\"action\": \"LOCK\"}, {\"action\": \"REBOOT\"}]",
            "{\"action\": \"LOCK\"} done",
        ] {
            assert!(completion(&json!({"content": text})).is_err(), "{text}");
        }
        for body in ["", "[]", "{}", "not json"] {
            assert!(action(body.as_bytes(), read).is_err(), "{body}");
        }
    }

    #[test]
    fn the_model_is_told_the_whole_vocabulary() {
        let text = instructions(Offer::named("desktop").unwrap(), Language::Portuguese);
        for entry in guarda_core::action::vocabulary::VOCABULARY {
            assert!(text.contains(&format!("{} (", entry.name)), "{}", entry.name);
        }
    }
}
