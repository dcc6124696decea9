//! Reads tool calls as models write them: the text of Granite 3.x and 4.x, the objects of the OpenAI API, and
//! plain JSON with or without a fence. Each call becomes a request. Text that is only partly understood is an
//! error, so no part of it runs.

use serde_json::{Map, Value};

use super::request::Request;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The id that the caller gave the call.
    pub id: Option<String>,
    /// The tool: an action of the vocabulary, `execute_bash`, or `desktop_action`.
    pub name: String,
    /// The request that it makes.
    pub request: Request,
}

/// Most calls in one text.
const MOST: usize = 16;
/// Tools that run a command line.
const SHELLS: &[&str] = &["execute_bash", "run_command", "bash", "shell"];
/// Tools whose arguments are a complete action.
const WHOLE: &[&str] = &["desktop_action", "action", "guarda"];

/// Parses JSON text. The door supplies its strict reader.
pub type Read<'a> = &'a dyn Fn(&str) -> Result<Value, serde_json::Error>;

/// Why a model's output contains no tool call.
#[derive(Debug, thiserror::Error)]
pub enum NoCall {
    /// The text is not JSON, or a call is not a [`Request`].
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The text does not have the form of a call; the sentence says why.
    #[error("{0}")]
    Form(&'static str),
    /// The arguments of the named tool are wrong; the second text says why.
    #[error("the arguments of {0} {1}")]
    Arguments(String, &'static str),
    /// There are more calls than are accepted at once.
    #[error("{0} calls at once; at most {MOST} are taken")]
    TooMany(usize),
}

/// Reads the calls in what a model or its server sent: an action, a message with `tool_calls`, a whole completion, or an
/// object with the model's `text`.
///
/// ```
/// use guarda_core::action::calls::of_value;
///
/// let message = serde_json::json!({"action": "RUN_COMMAND", "target": "ls"});
/// let calls = of_value(&message, &|text| serde_json::from_str(text))?;
/// assert_eq!(calls.len(), 1);
/// # Ok::<(), guarda_core::action::calls::NoCall>(())
/// ```
///
/// # Errors
///
/// [`NoCall`] with the part that is not understood.
pub fn of_value(value: &Value, read: Read<'_>) -> Result<Vec<Call>, NoCall> {
    let calls = match value {
        Value::String(text) => of_text(text, read)?,
        Value::Array(items) => items.iter().map(|item| call(item, read)).collect::<Result<Vec<_>, _>>()?,
        Value::Object(fields) => of_object(fields, value, read)?,
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            return Err(NoCall::Form("there is no tool call in it"));
        }
    };
    match calls.len() {
        0 => Err(NoCall::Form("there is no tool call in it")),
        1..=MOST => Ok(calls),
        many => Err(NoCall::TooMany(many)),
    }
}

fn of_object(fields: &Map<String, Value>, value: &Value, read: Read<'_>) -> Result<Vec<Call>, NoCall> {
    if let Some(choices) = fields.get("choices").and_then(Value::as_array) {
        let [choice] = choices.as_slice() else {
            return Err(NoCall::Form("\"choices\" must have one choice"));
        };
        if choice.get("finish_reason").and_then(Value::as_str) == Some("length") {
            return Err(NoCall::Form("the completion was cut off (finish_reason \"length\")"));
        }
        let message = choice.get("message").ok_or(NoCall::Form("the choice has no \"message\""))?;
        return of_value(message, read);
    }
    if let Some(message) = fields.get("message").filter(|message| message.is_object()) {
        return of_value(message, read);
    }
    match fields.get("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(calls)) if calls.is_empty() => {}
        Some(Value::Array(calls)) => return calls.iter().map(|item| call(item, read)).collect(),
        Some(_) => return Err(NoCall::Form("\"tool_calls\" must be a list")),
    }
    if fields.contains_key("action") || fields.contains_key("name") || fields.contains_key("function") {
        return call(value, read).map(|call| vec![call]);
    }
    match fields.get("text").or(fields.get("content")) {
        Some(Value::String(text)) => of_text(text, read),
        _ => Err(NoCall::Form(
            "there is no tool call in it: send an action, \"tool_calls\", or the model's \"text\"",
        )),
    }
}

/// Reads the calls in a model's text.
fn of_text(text: &str, read: Read<'_>) -> Result<Vec<Call>, NoCall> {
    let text = text.trim().trim_end_matches("<|end_of_text|>").trim();
    // Granite 3.x: a mark, then a list.
    if let Some((before, list)) = text.split_once("<|tool_call|>") {
        if list.contains("<|tool_call|>") || list.contains("<tool_call>") {
            return Err(NoCall::Form("the mark <|tool_call|> stands there twice"));
        }
        let _said = before;
        return json_calls(unfenced(list), read);
    }
    // Granite 4.x: each call is between two marks; the text around them is speech.
    if text.contains("<tool_call>") || text.contains("</tool_call>") {
        let mut calls = Vec::new();
        let mut rest = text;
        while let Some((said, after)) = rest.split_once("<tool_call>") {
            closed(said)?;
            let (inner, after) = after
                .split_once("</tool_call>")
                .ok_or(NoCall::Form("a <tool_call> has no end: the text was cut off"))?;
            if inner.contains("<tool_call>") {
                return Err(NoCall::Form("a <tool_call> stands inside of another"));
            }
            calls.extend(json_calls(unfenced(inner), read)?);
            rest = after;
        }
        closed(rest)?;
        return Ok(calls);
    }
    json_calls(unfenced(text), read)
}

fn closed(said: &str) -> Result<(), NoCall> {
    if said.contains("</tool_call>") { Err(NoCall::Form("a </tool_call> has no beginning")) } else { Ok(()) }
}

fn json_calls(text: &str, read: Read<'_>) -> Result<Vec<Call>, NoCall> {
    match read(text)? {
        Value::Array(items) => items.iter().map(|item| call(item, read)).collect(),
        value @ Value::Object(_) => call(&value, read).map(|call| vec![call]),
        _ => Err(NoCall::Form("a tool call is a JSON object or a list of them")),
    }
}

/// The text between the fences, if the whole text is one Markdown code block.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let Some(inner) = inner else { return text };
    match inner.split_once('\n') {
        Some((language, body)) if language.trim().chars().all(|c| c.is_ascii_alphanumeric()) => body.trim(),
        _ => inner.trim(),
    }
}

/// One call: an action itself, `{"name", "arguments"}`, or `{"id", "type": "function", "function": {…}}`.
fn call(value: &Value, read: Read<'_>) -> Result<Call, NoCall> {
    let fields = value.as_object().ok_or(NoCall::Form("a tool call is a JSON object"))?;
    let id = fields.get("id").and_then(Value::as_str).map(str::to_owned);
    if fields.contains_key("action") && !fields.contains_key("function") && !fields.contains_key("arguments")
    {
        let request = request(value.clone())?;
        return Ok(Call { id, name: request.action.clone().unwrap_or_default(), request });
    }
    let function = match fields.get("function") {
        Some(Value::Object(function)) => function,
        Some(_) => return Err(NoCall::Form("\"function\" must be an object")),
        None => fields,
    };
    let name =
        function.get("name").and_then(Value::as_str).ok_or(NoCall::Form("a tool call has no \"name\""))?;
    let arguments = match function.get("arguments").or(function.get("parameters")) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(Value::String(text)) if text.trim().is_empty() => Map::new(),
        Some(Value::String(text)) => match read(text)? {
            Value::Object(arguments) => arguments,
            _ => return Err(NoCall::Arguments(name.to_owned(), "are no JSON object")),
        },
        Some(_) => return Err(NoCall::Arguments(name.to_owned(), "are no JSON object")),
    };
    Ok(Call { id, name: name.to_owned(), request: named(name, arguments)? })
}

fn named(name: &str, mut arguments: Map<String, Value>) -> Result<Request, NoCall> {
    let lower = name.to_ascii_lowercase();
    if WHOLE.contains(&lower.as_str()) {
        return request(Value::Object(arguments));
    }
    let action = if SHELLS.contains(&lower.as_str()) { "RUN_COMMAND" } else { name };
    if arguments.contains_key("action") {
        return Err(NoCall::Arguments(name.to_owned(), "name an action of their own"));
    }
    if action == "RUN_COMMAND"
        && let Some(command) = arguments.remove("command")
        && arguments.insert("target".to_owned(), command).is_some()
    {
        return Err(NoCall::Arguments(name.to_owned(), "have both \"command\" and \"target\""));
    }
    arguments.insert("action".to_owned(), action.into());
    request(Value::Object(arguments))
}

fn request(value: Value) -> Result<Request, NoCall> {
    Ok(serde_json::from_value(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Result<Value, serde_json::Error> {
        serde_json::from_str(text)
    }

    fn told(value: &Value) -> Result<Vec<(String, String)>, NoCall> {
        let calls = of_value(value, &read)?;
        let text = |value: &Option<Value>| {
            value
                .as_ref()
                .map_or(String::new(), |value| value.as_str().map_or(value.to_string(), str::to_owned))
        };
        Ok(calls
            .iter()
            .map(|call| (call.request.action.clone().unwrap_or_default(), text(&call.request.target)))
            .collect())
    }

    #[test]
    fn every_shape_is_read() {
        let open = json!({"action": "OPEN_APP", "target": "firefox"});
        let text = open.to_string();
        let call = json!({"name": "OPEN_APP", "arguments": {"target": "firefox"}});
        for value in [
            open.clone(),
            json!(text),
            json!({"text": text}),
            json!({"content": format!("```json\n{text}\n```")}),
            json!(format!("```{text}```")),
            json!([call]),
            json!(format!("<|tool_call|>[{call}]")),
            json!(format!("<|tool_call|> ```json\n[{call}]\n```<|end_of_text|>")),
            json!(format!("<tool_call>\n{call}\n</tool_call>")),
            json!(format!("Vou abrir.\n<tool_call>\n{call}\n</tool_call>\nPronto.")),
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "OPEN_APP", "arguments": "{\"target\": \"firefox\"}"}}]}),
            json!({"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [{"function": call}]}}]}),
            json!({"message": {"content": text, "tool_calls": []}}),
            json!({"name": "desktop_action", "arguments": open}),
        ] {
            assert_eq!(told(&value).unwrap(), [("OPEN_APP".to_owned(), "firefox".to_owned())], "{value}");
        }
        let bash = json!({"name": "execute_bash", "arguments": {"command": "ls"}});
        assert_eq!(told(&bash).unwrap(), [("RUN_COMMAND".to_owned(), "ls".to_owned())]);
        let two = format!("<tool_call>{bash}</tool_call><tool_call>{call}</tool_call>");
        assert_eq!(told(&json!(two)).unwrap().len(), 2);
        let id = json!({"tool_calls": [{"id": "c1", "function": call}]});
        assert_eq!(of_value(&id, &read).unwrap()[0].id.as_deref(), Some("c1"));
    }

    #[test]
    fn what_is_not_wholly_understood_is_refused() {
        let call = r#"{"name": "OPEN_APP", "arguments": {"target": "firefox"}}"#;
        for value in [
            json!(null),
            json!([]),
            json!({}),
            json!("I will open Firefox"),
            json!({"text": ""}),
            json!(format!("Sure: {call}")),
            json!(format!("{call} {call}")),
            json!(format!("<tool_call>{call}")),
            json!(format!("{call}</tool_call>")),
            json!(format!("<tool_call><tool_call>{call}</tool_call></tool_call>")),
            json!(format!("<tool_call>{call}</tool_call></tool_call>")),
            json!(format!("<|tool_call|>[{call}]<|tool_call|>[{call}]")),
            json!("<tool_call>{\"name\": \"OPEN_APP\", \"argum"),
            json!({"choices": [{"finish_reason": "length", "message": {"content": call}}]}),
            json!({"choices": []}),
            json!({"tool_calls": {}}),
            json!({"tool_calls": [{"function": {"name": "OPEN_APP", "arguments": "[]"}}]}),
            json!({"tool_calls": [{"function": "x"}]}),
            json!({"name": "LOCK", "arguments": {"action": "REBOOT"}}),
            json!({"name": "execute_bash", "arguments": {"command": "ls", "target": "rm"}}),
            json!({"action": "OPEN_APP", "surprise": 1}),
            json!([{"action": "LOCK"}, 1]),
            Value::Array(vec![json!({"action": "LOCK"}); 17]),
        ] {
            assert!(told(&value).is_err(), "{value}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(<tool_call>|</tool_call>|<.tool_call.>|```|[{}\\[\\]\":,a ]){0,12}") {
            let _ = of_value(&json!(text), &read);
        }
    }
}
