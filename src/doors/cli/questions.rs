//! `guarda pending`, `guarda approve` and `guarda deny`: the questions, seen and answered from another terminal.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::act::text;
use super::client::{As, ask};
use super::{End, Trouble, show};

/// Fewest characters that may stand for a whole id.
const SHORTEST: usize = 4;

/// What the person says.
#[derive(Debug)]
pub(super) enum Word {
    Yes,
    /// Yes, and from now on without a question.
    Always,
    /// No, and why.
    No(Option<String>),
    /// Another command in its place.
    Instead(String),
}

pub(super) fn pending(as_json: bool) -> Result<End, Trouble> {
    let (questions, text) = open()?;
    if as_json {
        show::out(&format!("{text}\n"));
    } else if questions.is_empty() {
        show::out("no question waits\n");
    } else {
        show::out(&questions.iter().map(page).collect::<Vec<_>>().join("\n"));
    }
    Ok(End::Good)
}

pub(super) fn answer(id: &str, word: Word) -> Result<End, Trouble> {
    let (questions, _) = open()?;
    let id = whole(id, &questions)?;
    let body = match word {
        Word::Yes => json!({ "answer": "yes" }),
        Word::Always => json!({ "answer": "always" }),
        Word::No(None) => json!({ "answer": "no" }),
        Word::No(Some(reason)) => json!({ "answer": "no", "reason": reason }),
        Word::Instead(command) => json!({ "answer": "modify", "command": command }),
    };
    let answered =
        ask(As::Approver, &format!("/v1/questions/{id}/answer"), Some(body.to_string().into_bytes()))?;
    if answered.status != 200 {
        return Err(Trouble(text(&answered.body, "detail").to_owned()));
    }
    let said = text(&answered.body, "answer");
    let style = show::style(if matches!(said, "yes" | "always") { "approved" } else { "denied" });
    let object = questions.iter().find(|question| text(question, "id") == id).map(|it| text(it, "object"));
    show::out(&format!("{style}{said}{style:#}  {}\n", object.unwrap_or_default()));
    Ok(End::Good)
}

pub(super) fn silence(minutes: u64) -> Result<End, Trouble> {
    let body = json!({ "silence_ms": minutes.saturating_mul(60_000) }).to_string().into_bytes();
    let answered = ask(As::Approver, "/v1/silence", Some(body))?;
    if answered.status != 200 {
        return Err(Trouble(text(&answered.body, "detail").to_owned()));
    }
    match minutes {
        0 => show::out("questions are put again\n"),
        _ => show::out(&format!(
            "silence for {minutes} min: every question is refused; `guarda silence off` ends it\n"
        )),
    }
    Ok(End::Good)
}

/// Prints a link to the console.
pub(super) fn console() -> Result<End, Trouble> {
    let answered = ask(As::Approver, "/v1/console/links", Some(b"{}".to_vec()))?;
    if answered.status != 200 {
        return Err(Trouble(text(&answered.body, "detail").to_owned()));
    }
    let address = std::fs::read_to_string(super::load::state()?.join("address")).map_err(Trouble::new)?;
    let link = format!("http://{}{}", address.trim(), text(&answered.body, "path"));
    show::out(&format!("{link}\n"));
    show::err(
        "It works once, within two minutes. Whoever opens it can answer your questions: keep it to yourself.\n",
    );
    Ok(End::Good)
}

fn open() -> Result<(Vec<Value>, String), Trouble> {
    let answered = ask(As::Approver, "/v1/questions", None)?;
    if answered.status != 200 {
        return Err(Trouble(text(&answered.body, "detail").to_owned()));
    }
    let questions = answered.body.get("questions").and_then(Value::as_array).cloned().unwrap_or_default();
    Ok((questions, answered.text))
}

/// The whole id that begins so. One that may mean several questions means none.
fn whole(given: &str, questions: &[Value]) -> Result<String, Trouble> {
    let given = given.trim().to_ascii_lowercase();
    if given.len() < SHORTEST || !given.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Trouble(format!(
            "{given:?} is no id: give the id that `guarda pending` shows, or {SHORTEST} characters or more of it"
        )));
    }
    let mut found = questions.iter().map(|question| text(question, "id")).filter(|id| id.starts_with(&given));
    match (found.next(), found.next()) {
        (Some(id), None) => Ok(id.to_owned()),
        (Some(_), Some(_)) => {
            Err(Trouble(format!("more than one question begins with {given}: give more of it")))
        }
        (None, _) => {
            Err(Trouble(format!("no question that waits begins with {given}; see `guarda pending`")))
        }
    }
}

/// A question for a person.
fn page(question: &Value) -> String {
    let status = text(question, "status");
    let (style, faint) = (show::style(status), show::FAINT);
    let mut page = format!("{}  {style}{status}{style:#}{}\n", text(question, "id"), left(question));
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            page.push_str(&format!(
                "  {faint}{name:<11}{faint:#} {}\n",
                value.replace('\n', "\n              ")
            ));
        }
    };
    line(text(question, "action"), text(question, "object"));
    line("effect", text(question, "effect"));
    line("folder", text(question, "cwd"));
    line("session", text(question, "session"));
    for finding in question.get("findings").and_then(Value::as_array).into_iter().flatten() {
        line("because", &format!("{} ({})", text(finding, "why"), text(finding, "rule")));
    }
    line("model", text(question, "reasoning"));
    page
}

/// How long silence has until it becomes a no.
fn left(question: &Value) -> String {
    let Ok(expires) = text(question, "expires").parse::<jiff::Timestamp>() else {
        return "  waits for those before it".to_owned();
    };
    let left = SystemTime::from(expires).duration_since(SystemTime::now()).unwrap_or_default();
    format!("  {} s left", left.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_counts_only_where_it_is_the_only_one() {
        let open: Vec<Value> = ["5f0c11aa", "5f0c22bb", "77aa00cc"].map(|id| json!({ "id": id })).into();
        assert_eq!(whole("77aa", &open).ok().as_deref(), Some("77aa00cc"));
        assert_eq!(whole(" 5F0C1 ", &open).ok().as_deref(), Some("5f0c11aa"));
        for refused in ["", "5", "77a", "5f0c", "zzzz", "../../x", "9999"] {
            assert!(whole(refused, &open).is_err(), "{refused}");
        }
    }
}
