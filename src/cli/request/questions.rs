//! `guarda pending`, `approve`, `deny` and `modify`: list and answer questions from another terminal. Also `silence`
//! and `language`. The output is in the configured language.

use std::collections::HashSet;
use std::io::{BufRead as _, IsTerminal as _};
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::devices::terminal::editor::Editor;
use crate::wording::Words;
use crate::wording::describe::recorded::action;
use crate::wording::verdict::verdict;
use crate::wording::words;
use guarda_core::action::Language;
use guarda_core::gate::Span;

use crate::app::{CliError, ExitStatus, terminal};
use crate::cli::request::client::{As, ServiceAnswer, ask, done, refused, text};

/// The shortest accepted prefix of an id.
const SHORTEST: usize = 4;

/// A person's answer.
#[derive(Debug)]
pub(in crate::cli) enum AnswerWord {
    Yes,
    /// Yes, for this long.
    Lasting(Span),
    /// No, with a reason if there is one.
    No(Option<String>),
    /// Replace the command.
    Instead(String),
}

pub(in crate::cli) fn pending(id: Option<&str>, as_json: bool) -> Result<ExitStatus, CliError> {
    let words = tongue();
    // JSON output is for programs, so it is the same in every language.
    let (questions, json) = open((!as_json).then_some(words))?;
    if let Some(id) = id {
        return whole_card(words, id, &questions);
    }
    if as_json {
        terminal::out(&format!("{json}\n"));
    } else if questions.is_empty() {
        terminal::out(&format!("{}\n", words.say("cli-none", &[])));
    } else {
        let mut shown = HashSet::new();
        let heads = questions.iter().filter(|question| {
            let is_new = shown.insert(text(question, "id"));
            shown.extend(alike(question));
            is_new
        });
        let pages: Vec<String> = heads.map(|question| page(words, question, &questions)).collect();
        terminal::out(&pages.join("\n"));
    }
    Ok(ExitStatus::Good)
}

/// Shows one question in full, like the terminal of the service.
fn whole_card(words: &Words, id: &str, questions: &[Value]) -> Result<ExitStatus, CliError> {
    let id = whole(words, id, questions)?;
    let mut card = card(words, &id)?.concat();
    let question = questions.iter().find(|question| text(question, "id") == id);
    if let Some(question) = question {
        card.push_str(&format!("  {} {}\n", bar(question), left(words, question)));
    }
    terminal::out(&card);
    Ok(ExitStatus::Good)
}

/// The lines of a question's card.
fn card(words: &Words, id: &str) -> Result<Vec<String>, CliError> {
    let (columns, language) = (terminal::columns(), words.language().tag());
    let path = format!("/v1/questions/{id}/card?columns={columns}&language={language}");
    let answered = done(As::Approver, &path, None)?;
    let strong = anstyle::Style::new().bold();
    let lines = answered.body.get("lines").and_then(Value::as_array).into_iter().flatten();
    let lines = lines.map(|line| {
        let style =
            if line.get("strong") == Some(&Value::Bool(true)) { strong } else { anstyle::Style::new() };
        format!("{style}{}{style:#}\n", text(line, "text"))
    });
    Ok(lines.collect())
}

/// Shows the whole card before a yes to a question whose changes must be read, and returns the digest of the changes.
/// A person at a terminal pages through the card, and may leave the question open.
fn read_list(words: &Words, id: &str, question: Option<&Value>) -> Result<Option<String>, CliError> {
    let effects = question.and_then(|question| question.get("effects"));
    let Some(effects) = effects.filter(|effects| effects.get("list") == Some(&Value::Bool(true))) else {
        return Ok(None);
    };
    let lines = card(words, id)?;
    let turned = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let rows = rustix::termios::tcgetwinsize(std::io::stdout()).map_or(0, |size| usize::from(size.ws_row));
    let page = if turned && rows > 2 { rows - 1 } else { lines.len().max(1) };
    let mut pages = lines.chunks(page).peekable();
    while let Some(page) = pages.next() {
        terminal::out(&page.concat());
        if turned {
            let way = if pages.peek().is_some() { "cli-list-more" } else { "cli-list-end" };
            terminal::err(&format!("{} ", words.say(way, &[])));
            let mut line = String::new();
            let read = std::io::stdin().lock().read_line(&mut line)?;
            if read == 0 || !line.trim().is_empty() {
                return Err(CliError::text(words.say("cli-list-left", &[])));
            }
        }
    }
    Ok(Some(text(effects, "digest").to_owned()))
}

pub(in crate::cli) fn answer(
    id: &str,
    word: AnswerWord,
    together: bool,
    code: bool,
) -> Result<ExitStatus, CliError> {
    let words = tongue();
    let (questions, _) = open(Some(words))?;
    let id = whole(words, id, &questions)?;
    send(words, &id, word, together, code, &questions)
}

/// The ids of the questions that one answer can settle together with this one.
fn alike(question: &Value) -> impl Iterator<Item = &str> {
    list(question, "alike").filter_map(Value::as_str)
}

/// The open questions about an undo.
pub(in crate::cli) fn undoing() -> Result<Vec<String>, CliError> {
    let (questions, _) = open(None)?;
    let undo = questions.iter().filter(|question| text(question, "action") == "UNDO");
    Ok(undo.map(|question| text(question, "id").to_owned()).collect())
}

/// Whether a line is a yes in one of the languages.
pub(in crate::cli) fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "s" | "sim" | "o" | "oui")
}

/// Puts a question to the person at this terminal. An empty line, or one that is neither yes nor no, leaves it open for the other
/// ways to answer.
pub(in crate::cli) fn here(words: &Words, id: &str) -> Result<(), CliError> {
    let (questions, _) = open(Some(words))?;
    let question = questions.iter().find(|question| text(question, "id") == id);
    // It was answered elsewhere.
    let Some(question) = question else { return Ok(()) };
    let listed = question.pointer("/effects/list") == Some(&Value::Bool(true));
    if !listed {
        terminal::out(&card(words, id)?.concat());
    }
    terminal::err(&format!("{} ", words.say("cli-here", &[])));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let word = match line.trim().to_lowercase().as_str() {
        _ if is_yes(&line) => AnswerWord::Yes,
        "n" | "no" | "não" | "nao" | "non" => AnswerWord::No(None),
        _ => {
            terminal::err(&format!("{}\n", words.say("cli-list-left", &[])));
            return Ok(());
        }
    };
    send(words, id, word, false, false, &questions).map(|_| ())
}

/// Replaces the command of a question by this command, or by what the person writes in an editor.
pub(in crate::cli) fn modify(id: &str, command: Option<String>, code: bool) -> Result<ExitStatus, CliError> {
    let words = tongue();
    let (questions, _) = open(Some(words))?;
    let id = whole(words, id, &questions)?;
    let command = match command {
        Some(command) => command,
        None => edited(words, &id, &questions)?,
    };
    send(words, &id, AnswerWord::Instead(command), false, code, &questions)
}

/// Opens the command in an editor and returns the result.
fn edited(words: &Words, id: &str, questions: &[Value]) -> Result<String, CliError> {
    let session = crate::devices::desktop::session::DesktopSession::of_process();
    let state = crate::app::load::state()?;
    let short = id.get(..8).unwrap_or(id);
    let none = || CliError::text(words.say("cli-no-editor", &[("given", short.into())]));
    let editor = Editor::of_session(&session, &state).ok_or_else(none)?;
    let question = questions.iter().find(|question| text(question, "id") == id);
    let draft = question.map(|question| text(question, "draft")).filter(|draft| !draft.is_empty());
    let draft = draft.ok_or_else(|| CliError::text(words.say("cli-fixed", &[])))?;
    let terminal = std::fs::File::options().read(true).write(true).open("/dev/tty");
    let terminal = terminal.map_err(|error| {
        CliError::text(words.say("cli-no-terminal", &[("why", error.to_string().into())]))
    })?;
    let written = editor.edit(draft, &words.say("card-editing", &[]), &terminal, || false);
    let failed = |why: String| CliError::text(words.say("card-editor-failed", &[("why", why.into())]));
    let written = written.map_err(|error| failed(error.to_string()))?;
    if written == draft || written.trim().is_empty() {
        return Err(CliError::text(words.say("cli-unchanged", &[])));
    }
    Ok(written)
}

fn send(
    words: &Words,
    id: &str,
    word: AnswerWord,
    together: bool,
    code: bool,
    questions: &[Value],
) -> Result<ExitStatus, CliError> {
    let question = questions.iter().find(|question| text(question, "id") == id);
    let shown = match word {
        AnswerWord::Yes | AnswerWord::Lasting(_) => read_list(words, id, question)?,
        AnswerWord::No(_) | AnswerWord::Instead(_) => None,
    };
    let mut body = match word {
        AnswerWord::Yes => json!({ "answer": "yes" }),
        AnswerWord::Lasting(span) => json!({ "answer": span }),
        AnswerWord::No(None) => json!({ "answer": "no" }),
        AnswerWord::No(Some(reason)) => json!({ "answer": "no", "reason": reason }),
        AnswerWord::Instead(command) => json!({ "answer": "modify", "command": command }),
    };
    if let Some(fields) = body.as_object_mut() {
        fields.extend(shown.map(|shown| ("shown".to_owned(), shown.into())));
        let others: Vec<&str> = question.into_iter().flat_map(alike).filter(|_| together).collect();
        fields.insert("alike".to_owned(), others.into());
    }
    let answered = coded(words, &format!("/v1/questions/{id}/answer"), body, code, "cli-code")?;
    let is =
        |name: &str| question.and_then(|question| question.get(name)).and_then(Value::as_bool) == Some(true);
    let (said, style) = match text(&answered.body, "answer") {
        "yes" if is("late") => ("cli-late-yes", terminal::GOOD),
        "yes" => ("card-yes", terminal::GOOD),
        "modify" => ("card-changed", terminal::WARY),
        "no" => ("card-no", terminal::BAD),
        _ => ("card-yes", terminal::GOOD),
    };
    let object = question.map(|question| text(question, "object"));
    let offers = question.and_then(|question| question.get("offers")).and_then(Value::as_array);
    let given = |offer: &&Value| text(offer, "answer") == text(&answered.body, "answer");
    let lasts =
        offers.and_then(|offers| offers.iter().find(given)).map(|offer| text(offer, "text").to_owned());
    let said = lasts.unwrap_or_else(|| words.say(said, &[]));
    terminal::out(&format!("{style}{said}{style:#}  {}\n", object.unwrap_or_default()));
    for other in others(&answered.body, questions) {
        terminal::out(&format!("  {other}\n"));
    }
    Ok(ExitStatus::Good)
}

/// Sends an answer that may require a code. Asks the person at this terminal for the code until it is right or no
/// attempt is left. `code`: standard input has it. It is never an argument, which every program can read in `/proc`.
pub(in crate::cli) fn coded(
    words: &Words,
    path: &str,
    mut body: Value,
    code: bool,
    asking: &str,
) -> Result<ServiceAnswer, CliError> {
    let mut code = code.then(|| read_code(words, asking)).transpose()?;
    loop {
        if let (Some(code), Some(fields)) = (code.take(), body.as_object_mut()) {
            fields.insert("code".to_owned(), code.into());
        }
        let answered = ask(As::Approver, path, Some(body.to_string().into_bytes()))?;
        if answered.status == 200 {
            return Ok(answered);
        }
        let trouble = refused(&answered);
        let kind = text(&answered.body, "type").rsplit(':').next().unwrap_or_default();
        let left = answered.body.get("tries_left").and_then(Value::as_u64).unwrap_or(0);
        if left == 0 || !matches!(kind, "code-required" | "code-wrong") {
            return Err(trouble);
        }
        // A program started this command, so there is no person to ask.
        if !std::io::stdin().is_terminal() {
            return Err(trouble);
        }
        if kind == "code-wrong" {
            terminal::err(&format!("{}\n", words.say("cli-code-wrong", &[("count", left.into())])));
        }
        let line = read_code(words, asking)?;
        // An empty line or the end of input means that the person has no code.
        if line.is_empty() {
            return Err(trouble);
        }
        code = Some(line);
    }
}

/// Reads a code from standard input, and asks for it if that is a terminal.
fn read_code(words: &Words, asking: &str) -> Result<String, CliError> {
    if std::io::stdin().is_terminal() {
        terminal::err(&format!("{}: ", words.say(asking, &[])));
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

pub(in crate::cli) fn silence(minutes: u64) -> Result<ExitStatus, CliError> {
    let words = tongue();
    let body = json!({ "silence_ms": minutes.saturating_mul(60_000) }).to_string().into_bytes();
    done(As::Approver, "/v1/silence", Some(body))?;
    let said = match minutes {
        0 => words.say("cli-silence-off", &[]),
        _ => words.say("cli-silence", &[("minutes", minutes.into())]),
    };
    terminal::out(&format!("{said}\n"));
    Ok(ExitStatus::Good)
}

/// Shows or changes the spoken language.
pub(in crate::cli) fn language(wanted: Option<Language>) -> Result<ExitStatus, CliError> {
    let body = wanted.map(|language| json!({ "language": language.tag() }).to_string().into_bytes());
    let answered = done(As::Approver, "/v1/language", body)?;
    let spoken: Language = text(&answered.body, "language").parse().map_err(CliError::system)?;
    terminal::out(&format!("{spoken}: {}\n", words(spoken).say("cli-language", &[])));
    Ok(ExitStatus::Good)
}

/// Prints a link to the console.
pub(in crate::cli) fn console(code: bool) -> Result<ExitStatus, CliError> {
    let answered = coded(tongue(), "/v1/console/links", json!({}), code, "cli-code-console")?;
    let address = std::fs::read_to_string(crate::app::load::state()?.join("address"))?;
    let link = format!("http://{}{}", address.trim(), text(&answered.body, "path"));
    terminal::out(&format!("{link}\n"));
    terminal::err(&format!("{}\n", tongue().say("cli-console", &[])));
    Ok(ExitStatus::Good)
}

/// The texts of the configured language. If the configuration cannot be read, those of the default language.
pub(in crate::cli) fn tongue() -> &'static Words {
    words(crate::app::load::language())
}

/// The open questions, parsed and as JSON text: in this language, or each in its own.
fn open(words: Option<&Words>) -> Result<(Vec<Value>, String), CliError> {
    let language = words.map(|words| format!("?language={}", words.language().tag())).unwrap_or_default();
    let answered = done(As::Approver, &format!("/v1/questions{language}"), None)?;
    let questions = answered.body.get("questions").and_then(Value::as_array).cloned().unwrap_or_default();
    Ok((questions, answered.text))
}

/// The id with this prefix. An ambiguous prefix matches no question.
fn whole(words: &Words, given: &str, questions: &[Value]) -> Result<String, CliError> {
    let given = given.trim().to_ascii_lowercase();
    let refused = |id: &str| {
        let shown = crate::wording::plain::visible(&given);
        let count = ("count", SHORTEST.into());
        let told = [("given", shown.into()), count];
        CliError::text(
            words.say(id, if id == "cli-short" { &told } else { told.get(..1).unwrap_or_default() }),
        )
    };
    if given.len() < SHORTEST || !given.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(refused("cli-short"));
    }
    let mut found = questions.iter().map(|question| text(question, "id")).filter(|id| id.starts_with(&given));
    match (found.next(), found.next()) {
        (Some(id), None) => Ok(id.to_owned()),
        (Some(_), Some(_)) => Err(refused("cli-several")),
        (None, _) => Err(refused("cli-unknown")),
    }
}

/// What the questions are about that are alike to this one, or were answered with it.
fn others<'a>(question: &'a Value, questions: &'a [Value]) -> impl Iterator<Item = &'a str> {
    let with = |id| questions.iter().find(|other| text(other, "id") == id).map(|other| text(other, "object"));
    alike(question).filter_map(with)
}

/// A summary of a question for a person.
fn page(words: &Words, question: &Value, questions: &[Value]) -> String {
    let status = text(question, "status");
    let (style, faint) = (terminal::style(status), terminal::FAINT);
    let status = verdict(words, status);
    let id = text(question, "id");
    let mut page = format!("{id}  {style}{status}{style:#}  {}\n", left(words, question));
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            page.push_str(&format!("  {faint}{label}{faint:#} {}\n", value.replace('\n', "\n    ")));
        }
    };
    let name = |id: &str| words.labelled(&words.say(id, &[]), "");
    let tool = text(question, "tool");
    let kind = if tool.is_empty() { action(words, text(question, "action")) } else { tool.to_owned() };
    line(&words.labelled(&kind, ""), text(question, "object"));
    for other in others(question, questions) {
        line(&name("card-others"), other);
    }
    line("→", text(question, "effect"));
    line(&name("card-changes"), question.get("effects").map_or("", |effects| text(effects, "text")));
    line(&name("card-folder"), text(question, "cwd"));
    line(&name("card-asker"), text(question, "asker"));
    line(&name("card-session"), text(question, "session"));
    for reason in list(question, "reasons") {
        let rules = list(reason, "rules").map(|rule| text(rule, "why")).filter(|why| !why.is_empty());
        let told: Vec<String> = [text(reason, "text")].into_iter().chain(rules).map(str::to_owned).collect();
        line(&name("card-reasons"), &words.listed(&told));
    }
    let touches = question.get("touches").and_then(|touches| touches.get("groups")).and_then(Value::as_array);
    for group in touches.into_iter().flatten() {
        line(&name("card-touches"), text(group, "text"));
    }
    line(&name("card-model"), text(question, "reasoning"));
    page.push_str(&format!(
        "  {faint}{}{faint:#}\n",
        words.say("cli-whole", &[("given", id.get(..8).unwrap_or(id).into())])
    ));
    page
}

/// The entries of a list in a question.
fn list<'a>(question: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    question.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// The time until silence becomes a no.
fn left(words: &Words, question: &Value) -> String {
    let Ok(expires) = text(question, "expires").parse::<jiff::Timestamp>() else {
        return words.say("cli-waits", &[]);
    };
    let left = SystemTime::from(expires).duration_since(SystemTime::now()).unwrap_or_default();
    words.say("card-time", &[("seconds", left.as_secs().into())])
}

/// The remaining time as a bar.
fn bar(question: &Value) -> String {
    const WIDE: i64 = 20;
    let at = |name: &str| {
        text(question, name).parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
    };
    let (Some(asked), Some(expires)) = (at("asked"), at("expires")) else { return String::new() };
    let left = expires.saturating_sub(jiff::Timestamp::now().as_millisecond()).max(0);
    let full = (left.saturating_mul(WIDE) / expires.saturating_sub(asked).max(1)).min(WIDE);
    (0..WIDE).map(|place| if place < full { '█' } else { '░' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_counts_only_where_it_is_the_only_one() {
        let open: Vec<Value> = ["5f0c11aa", "5f0c22bb", "77aa00cc"].map(|id| json!({ "id": id })).into();
        assert_eq!(whole(words(Language::English), "77aa", &open).ok().as_deref(), Some("77aa00cc"));
        assert_eq!(whole(words(Language::English), " 5F0C1 ", &open).ok().as_deref(), Some("5f0c11aa"));
        for refused in ["", "5", "77a", "5f0c", "zzzz", "../../x", "9999"] {
            assert!(whole(words(Language::English), refused, &open).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_question_is_told_in_short() {
        let question = json!({ "id": "5f0c11aa", "status": "requires_confirmation", "action": "RUN_COMMAND", "object": "ls",
            "effect": "list", "cwd": "/x", "reasons": [
                { "text": "it writes", "rules": [{ "rule": "move-files", "why": "it moves" }, { "rule": "write-file" }] }] });
        for (language, lines) in [
            (
                Language::English,
                [
                    "5f0c11aa  needs your yes  ",
                    "run a command: ls",
                    "→ list",
                    "Folder: /x",
                    "Why I ask: it writes; it moves",
                ],
            ),
            (
                Language::French,
                [
                    "5f0c11aa  demande votre accord  ",
                    "lancer une commande\u{a0}: ls",
                    "→ list",
                    "Dossier\u{a0}: /x",
                    "it writes\u{a0}; it moves",
                ],
            ),
        ] {
            let page = anstream::adapter::strip_str(&page(words(language), &question, &[])).to_string();
            assert!(lines.iter().all(|line| page.contains(line)), "{page}");
        }
    }
}
