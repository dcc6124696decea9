//! `guarda ask`: a front-end for trying the guard. It sends a sentence to a language model and the model's action to
//! the service. Like any caller, it has the submit token and cannot answer questions.

use std::io::{BufRead as _, IsTerminal as _};
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::request::client;
use crate::config::sections::advice::Constrain;
use crate::devices::endpoint::Endpoint;
use crate::wording::fault::unusable::{no_response, unusable};
use crate::wording::plain::visible;
use crate::wording::verdict::verdict;
use crate::wording::words::{Words, words};
use guarda_core::action::grammar::{self, Offer};
use guarda_core::action::vocabulary::ActionKind;
use guarda_core::action::{Language, Request};

use crate::app::{CliError, ExitStatus, Loaded, load, terminal};
use crate::cli::args::AskArgs;
use crate::cli::request::act::{page, why};
use crate::cli::request::client::{As, ask as ask_guard, text};

/// How many earlier turns of a conversation the model sees.
const TURNS: usize = 6;
/// The most tokens in a model's answer.
const TOKENS: u32 = 400;

/// A conversation.
struct Talk {
    endpoint: Endpoint,
    model: String,
    constrain: Constrain,
    within: Duration,
    language: Language,
    offer: Offer,
    session: String,
    judge: bool,
    /// The turns: the sentence, the resulting action, and the outcome.
    before: Vec<(String, String, String)>,
}

pub(in crate::cli) fn ask(args: AskArgs) -> Result<ExitStatus, CliError> {
    let loaded = load::load(args.config.as_deref())?;
    let mut talk = Talk::new(&loaded, &args)?;
    let runtime = client::runtime()?;
    if !args.sentence.is_empty() {
        return talk.turn(&runtime, &args.sentence.join(" "));
    }
    let prompts = std::io::stdin().is_terminal();
    let prompt = || {
        if prompts {
            terminal::out(&format!("{} ", words(talk_language(&loaded)).say("ask-prompt", &[])));
        }
    };
    prompt();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        // A failed turn does not end the conversation.
        if !line.trim().is_empty()
            && let Err(trouble) = talk.turn(&runtime, line.trim())
        {
            terminal::trouble(&trouble.told(load::words()));
        }
        prompt();
    }
    Ok(ExitStatus::Good)
}

fn talk_language(loaded: &Loaded) -> Language {
    loaded.config.language.chosen()
}

impl Talk {
    fn new(loaded: &Loaded, args: &AskArgs) -> Result<Self, CliError> {
        let config = &loaded.config;
        let named = [args.model.as_deref().unwrap_or_default(), &config.ask.model, &config.advice.model];
        let model = named
            .into_iter()
            .map(str::trim)
            .find(|name| !name.is_empty())
            .ok_or_else(|| CliError::say("ask-no-model", &[]))?;
        let number = uuid::Uuid::new_v4().simple().to_string();
        Ok(Self {
            endpoint: Endpoint::new(&config.endpoint)?,
            model: model.to_owned(),
            constrain: config.ask.constrain,
            within: Duration::from_secs(config.ask.timeout_seconds),
            language: talk_language(loaded),
            offer: Offer::named(config.security.profile.name()).ok_or_else(|| {
                let profile = config.security.profile.name();
                CliError::say("ask-no-actions", &[("profile", &profile)])
            })?,
            session: format!("ask-{}", number.get(..12).unwrap_or(&number)),
            judge: args.judge,
            before: Vec::new(),
        })
    }

    /// Sends one sentence to the model and its action to the guard, and shows the outcome.
    fn turn(&mut self, runtime: &tokio::runtime::Runtime, sentence: &str) -> Result<ExitStatus, CliError> {
        let request = self.request(sentence);
        let told = runtime.block_on(self.endpoint.post("/chat/completions", &request, self.within));
        let told =
            told.map_err(|error| CliError::text(no_response(load::words(), &error)).hint("ask-no-server"))?;
        if told.status != 200 {
            let body = String::from_utf8_lossy(&told.body);
            let said: String = body.chars().take(300).collect();
            let answer = format!("{}: {}", told.status, visible(said.trim()));
            return Err(CliError::say("ask-answered", &[("answer", &answer)]));
        }
        let written = crate::advice::answer_text(&told.body).map_err(|why| {
            let words = load::words();
            let told = [("model", self.model.as_str().into()), ("why", unusable(words, &why).into())];
            CliError::text(words.say("ask-unclear", &told))
        })?;
        let action = action(&written)?;
        let object = action.target.as_ref().map(plain).unwrap_or_default();
        let name = action.action.clone().unwrap_or_default();
        let faint = terminal::FAINT;
        terminal::out(&format!(
            "{faint}→ {}{}{}{faint:#}\n",
            visible(&crate::wording::describe::recorded::action(load::words(), &name)),
            if object.is_empty() { "" } else { "  " },
            visible(&object)
        ));
        let posted = self.posted(&action);
        let path = if self.judge { "/v1/judge" } else { "/v1/actions" };
        let answered = ask_guard(As::Asker, path, Some(posted.to_string().into_bytes()))?;
        let (end, outcome) = if self.judge && answered.status == 200 {
            terminal::out(&judged(load::words(), &answered.body));
            (judged_end(text(&answered.body, "status")), text(&answered.body, "status").to_owned())
        } else {
            terminal::out(&page(crate::app::load::words(), &answered));
            (crate::cli::request::act::end(&answered), text(&answered.body, "outcome").to_owned())
        };
        self.before.push((
            sentence.to_owned(),
            json!({"action": name, "target": object}).to_string(),
            outcome,
        ));
        if self.before.len() > TURNS {
            self.before.remove(0);
        }
        Ok(end)
    }

    /// The request to the model. It contains only the outcomes of earlier actions. Their output could contain
    /// anything, such as instructions.
    fn request(&self, sentence: &str) -> Value {
        let mut messages =
            vec![json!({"role": "system", "content": instructions(self.offer, self.language)})];
        let mut end = String::new();
        for (said, action, outcome) in &self.before {
            messages.push(json!({"role": "user", "content": format!("{end}{said}")}));
            messages.push(json!({"role": "assistant", "content": action}));
            end = format!("(That ended: {outcome}.) ");
        }
        messages.push(json!({"role": "user", "content": format!("{end}{sentence}")}));
        let mut request = json!({
            "model": self.model, "temperature": 0, "max_tokens": TOKENS, "stream": false, "messages": messages,
        });
        let constraint = match self.constrain {
            Constrain::Schema => Some((
                "response_format",
                json!({
                    "type": "json_schema",
                    "json_schema": { "name": "action", "schema": grammar::schema(self.offer) },
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

    /// The request to the guard: the model's action with this conversation's session, language and folder.
    fn posted(&self, action: &Request) -> Value {
        let here = load::current_folder();
        let command = action.action.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("RUN_COMMAND"));
        let fields = [
            ("action", action.action.clone().map(Value::from)),
            ("target", action.target.clone()),
            ("args", action.args.clone()),
            ("params", action.params.clone()),
            ("confidence", action.confidence.map(Value::from)),
            ("requires_confirmation", action.requires_confirmation.map(Value::from)),
            ("reasoning", action.reasoning.clone().map(Value::from)),
            ("session", Some(self.session.clone().into())),
            ("cwd", here.filter(|_| command).map(Value::from)),
            ("language", Some(self.language.to_string().into())),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// The single action in a model's answer.
fn action(written: &str) -> Result<Request, CliError> {
    let read = |text: &str| crate::doors::http::read_json(text.as_bytes());
    let short: String = written.chars().take(200).collect();
    let wrong = |why: &dyn std::fmt::Display| {
        let told = [("why", why.to_string().into()), ("text", visible(&short).into())];
        CliError::text(load::words().say("ask-no-action", &told))
    };
    let calls =
        guarda_core::action::calls::of_value(&json!(written), &read).map_err(|error| wrong(&error))?;
    match <[_; 1]>::try_from(calls) {
        Ok([call]) => Ok(call.request),
        Err(calls) => Err(wrong(&format_args!("{} at once", calls.len()))),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| if value.is_null() { String::new() } else { value.to_string() }, str::to_owned)
}

/// A short form of a judgement.
fn judged(words: &Words, body: &Value) -> String {
    let status = text(body, "status");
    let style = terminal::style(status);
    let mut page = format!("{style}{}{style:#}\n", verdict(words, status));
    for finding in body.get("findings").and_then(Value::as_array).into_iter().flatten() {
        page.push_str(&format!("  {}\n", visible(&why(words, finding))));
    }
    page
}

fn judged_end(status: &str) -> ExitStatus {
    match status {
        "approved" => ExitStatus::Good,
        "blocked" => ExitStatus::Blocked,
        _ => ExitStatus::Asked,
    }
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
        "UNKNOWN (no target): you do not understand, or no action does it\n\
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

    #[test]
    fn one_action_is_read_and_nothing_else() {
        assert_eq!(action(r#"{"action": "LOCK"}"#).unwrap().action.as_deref(), Some("LOCK"));
        assert!(action("```json\n{\"action\": \"LOCK\"}\n```").is_ok());
        for text in [
            "",
            "Ok!",
            "{}",
            "[{\"action\": \"LOCK\"}, {\"action\": \"REBOOT\"}]",
            "{\"action\": \"LOCK\"} done",
        ] {
            assert!(action(text).is_err(), "{text}");
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
