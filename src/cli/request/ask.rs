//! `guarda ask`: a front-end for trying the guard. It turns a sentence into an action and posts that to the service. Like any caller, it has
//! the submit token and cannot answer questions.

use std::io::{BufRead as _, IsTerminal as _};

use serde_json::{Value, json};

use crate::cli::request::client;
use crate::interpret::{Interpreter, NoAction, Turn};
use crate::wording::fault::unusable::no_action;
use crate::wording::plain::visible;
use crate::wording::verdict::verdict;
use crate::wording::words::{Words, words};
use guarda_core::action::grammar::Offer;
use guarda_core::action::{Language, Request};

use crate::app::{CliError, ExitStatus, Loaded, load, terminal};
use crate::cli::args::AskArgs;
use crate::cli::request::act::{page, why};
use crate::cli::request::client::{As, ask as ask_guard, text};

/// A conversation.
struct Talk {
    interpreter: Interpreter,
    language: Language,
    session: String,
    judge: bool,
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
        let profile = config.security.profile.name();
        let offer =
            Offer::named(profile).ok_or_else(|| CliError::say("ask-no-actions", &[("profile", &profile)]))?;
        let (model, language) = (args.model.as_deref(), talk_language(loaded));
        let read = |text: &str| crate::doors::http::read_json(text.as_bytes());
        // What is asked in one shell is one session, so that "undo that" means what was done there.
        let shell = rustix::process::getppid().map_or(0, |shell| shell.as_raw_nonzero().get());
        Ok(Self {
            interpreter: Interpreter::new(config, model, offer, read),
            language,
            session: format!("ask-{shell}"),
            judge: args.judge,
        })
    }

    /// Turns one sentence into an action, posts it to the guard, and shows the outcome.
    fn turn(&mut self, runtime: &tokio::runtime::Runtime, sentence: &str) -> Result<ExitStatus, CliError> {
        let action = runtime
            .block_on(self.interpreter.interpret(sentence, self.language))
            .map_err(|why| failed(&why))?;
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
        let action = json!({"action": name, "target": object}).to_string();
        self.interpreter.ended(Turn { sentence: sentence.to_owned(), action, outcome });
        Ok(end)
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

/// Why a sentence became no action, and what to do.
fn failed(why: &NoAction) -> CliError {
    let told = CliError::text(no_action(load::words(), why));
    if matches!(why, NoAction::NoServer(_)) { told.hint("ask-no-server") } else { told }
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
