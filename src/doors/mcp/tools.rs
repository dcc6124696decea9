//! The tools: names, inputs and outputs, and the request for each.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use guarda_core::action::grammar::{OFFERS, Offer, flat_schema, schema};
use guarda_core::action::vocabulary::VOCABULARY;

/// A translated tool call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TranslatedCall {
    /// A request to the service. With a body, it is a POST.
    Ask(String, Option<Value>),
    /// An answer that needs no request.
    Here(Value),
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(map) => Arc::new(map),
        _ => Arc::default(),
    }
}

fn tool(name: &'static str, title: &str, does: &'static str, input: Value, output: Value) -> Tool {
    Tool::new(name, does, object(input)).with_title(title).with_raw_output_schema(object(output))
}

fn looks(title: &str) -> ToolAnnotations {
    ToolAnnotations::with_title(title).read_only(true).destructive(false).idempotent(true).open_world(false)
}

/// The schema of any object with these fields.
fn shape(required: &[&str], fields: Value) -> Value {
    json!({ "type": "object", "properties": fields, "required": required })
}

/// Every tool, in a fixed order.
pub(super) fn all() -> Vec<Tool> {
    vec![
        execute_bash(),
        get_validation(),
        check_command(),
        desktop_action(),
        list_actions(),
        get_schema(),
        get_stats(),
    ]
}

fn text() -> Value {
    json!({ "type": "string", "maxLength": 4096 })
}

fn nothing() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

fn findings() -> Value {
    json!({ "type": "array", "items": { "type": "object" } })
}

fn deed(title: &str) -> ToolAnnotations {
    ToolAnnotations::with_title(title).read_only(false).destructive(true).idempotent(false).open_world(true)
}

fn execute_bash() -> Tool {
    tool(
        "execute_bash",
        "Execute a command",
        "Runs a command line if the rules and the user allow it. Answers with its end, or with pending_validation or \
         duplicate_warning: then the user is being asked; get_validation has the answer and, after a yes, the token to \
         call this again with force_execute.",
        json!({ "type": "object", "properties": {
            "command": { "type": "string", "minLength": 1, "maxLength": 4096, "description": "The command line" },
            "force_execute": { "type": "boolean", "description": "By the yes of the user; needs validation_token" },
            "validation_token": { "type": "string", "description": "From get_validation" },
            "cwd": text(), "session": { "type": "string", "maxLength": 64 },
            "reasoning": { "type": "string", "description": "Why; shown to the user as your words" },
            "language": { "enum": ["pt-BR", "en", "fr"] },
        }, "required": ["command"], "additionalProperties": false }),
        shape(&[], json!({
            "success": { "type": "boolean" },
            "status": { "type": "string", "description": "executed, pending_validation, duplicate_warning, blocked, denied …" },
            "exit_code": { "type": ["integer", "null"] }, "stdout": { "type": "string" },
            "stderr": { "type": "string" }, "duration_ms": { "type": "integer" },
            "policy_used": { "type": "string" }, "command": { "type": "string" }, "policy": { "type": "string" },
            "risk_score": { "type": "number" }, "seconds_since_last": { "type": "number" },
            "threshold_ms": { "type": "integer" }, "message": { "type": "string" },
            "validation_id": { "type": "string" }, "findings": findings(),
        })),
    )
    .with_annotations(deed("Execute a command"))
}

fn get_validation() -> Tool {
    tool(
        "get_validation",
        "Ask what the user said",
        "What the user has said to a command that execute_bash left pending: pending_validation, refused, or validated \
         with the validation_token for execute_bash.",
        json!({ "type": "object", "properties": { "validation_id": { "type": "string", "pattern": "^[0-9a-fA-F-]{36}$" } },
            "required": ["validation_id"], "additionalProperties": false }),
        shape(&["status"], json!({ "status": { "type": "string" }, "validation_token": { "type": "string" },
            "expires": { "type": "string" }, "message": { "type": "string" } })),
    )
    .with_annotations(looks("Ask what the user said").idempotent(false))
}

fn check_command() -> Tool {
    tool(
        "check_command",
        "Judge a command",
        "Says what would become of a command line: approved, requires_confirmation, requires_password or blocked, and \
         why. Nothing is asked or done.",
        json!({ "type": "object", "properties": {
            "command": { "type": "string", "minLength": 1, "maxLength": 4096 }, "cwd": text() },
            "required": ["command"], "additionalProperties": false }),
        shape(&["status", "findings", "risk"], json!({
            "status": { "enum": ["approved", "requires_confirmation", "requires_password", "blocked"] },
            "findings": findings(), "risk": { "type": "number" }, "runs": { "type": "array" } })),
    )
    .with_annotations(looks("Judge a command"))
}

fn desktop_action() -> Tool {
    tool(
        "desktop_action",
        "Do something on the desktop",
        "Opens an application, an address or a folder, drives sound and players, works on files … list_actions names \
         them all. Waits for the user where the user must be asked.",
        flat_schema(desktop()),
        shape(&["status", "outcome", "message"], json!({
            "status": { "type": "string" }, "outcome": { "type": "string" }, "message": { "type": "string" },
            "error": { "type": ["string", "null"] }, "reason": { "type": ["string", "null"] },
            "risk": { "type": "number" }, "findings": findings() })),
    )
    .with_annotations(deed("Do something on the desktop"))
}

fn list_actions() -> Tool {
    tool(
        "list_actions",
        "List the actions",
        "Names every action, what its target is, and whether the user is asked for it in any case.",
        nothing(),
        shape(&["actions"], json!({ "actions": { "type": "array", "items": { "type": "object" } } })),
    )
    .with_annotations(looks("List the actions"))
}

fn get_schema() -> Tool {
    tool(
        "get_schema",
        "Get the schema of an action",
        "The JSON Schema of an action, and the grammars (GBNF) that keep a local model to it.",
        json!({ "type": "object", "properties": {
            "profile": { "enum": OFFERS.iter().map(|offer| offer.name).collect::<Vec<_>>() } },
            "additionalProperties": false }),
        shape(&["schema"], json!({ "schema": { "type": "object" }, "grammar": { "type": "string" } })),
    )
    .with_annotations(looks("Get the schema of an action"))
}

fn get_stats() -> Tool {
    tool(
        "get_stats",
        "How the guard is doing",
        "Which back-ends work, how much is under way, how many questions wait.",
        nothing(),
        shape(
            &["version", "profile"],
            json!({ "version": { "type": "string" }, "profile": { "type": "string" },
            "under_way": { "type": "integer" }, "questions": { "type": "integer" } }),
        ),
    )
    .with_annotations(looks("How the guard is doing"))
}

fn desktop() -> Offer {
    let [desktop, ..] = OFFERS;
    desktop
}

/// Why a call is refused without a request to the service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadCall {
    /// The tool does not take this argument.
    #[error("{0} takes no argument {1:?}")]
    Unknown(String, String),
    /// The tool needs this argument.
    #[error("{0} needs the argument {1:?}")]
    Missing(String, &'static str),
    /// This argument of the tool is not text.
    #[error("the argument {1:?} of {0} must be text")]
    NotText(String, &'static str),
    #[error("validation_id is no id")]
    NoId,
    #[error("there is no such profile")]
    NoProfile,
    #[error("this service has no registry, and so no tokens; send the command alone")]
    NoRegistry,
}

/// Translates a call into its request; `None` if there is no such tool.
///
/// # Errors
/// [`BadCall`], with the wrong argument.
pub(super) fn order(name: &str, arguments: Map<String, Value>) -> Result<Option<TranslatedCall>, BadCall> {
    let known: &[&str] = match name {
        "check_command" => &["command", "cwd"],
        "get_validation" => &["validation_id"],
        "get_schema" => &["profile"],
        "list_actions" | "get_stats" => &[],
        "execute_bash" | "desktop_action" => return Ok(Some(post(name, arguments))),
        _ => return Ok(None),
    };
    if let Some(strange) = arguments.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(BadCall::Unknown(name.to_owned(), strange.clone()));
    }
    let text = |key: &'static str| {
        let value = arguments.get(key).ok_or_else(|| BadCall::Missing(name.to_owned(), key))?;
        value.as_str().ok_or_else(|| BadCall::NotText(name.to_owned(), key))
    };
    Ok(Some(match name {
        "check_command" => {
            let request =
                json!({ "action": "RUN_COMMAND", "target": text("command")?, "cwd": arguments.get("cwd") });
            TranslatedCall::Ask("/v1/judge".to_owned(), Some(request))
        }
        "get_validation" => {
            let id: uuid::Uuid = text("validation_id")?.parse().map_err(|_| BadCall::NoId)?;
            TranslatedCall::Ask(format!("/v1/execute/{id}"), None)
        }
        "get_schema" => {
            let offer = match arguments.get("profile") {
                None => desktop(),
                Some(_) => Offer::named(text("profile")?).ok_or(BadCall::NoProfile)?,
            };
            let grammar = guarda_core::action::grammar::actions(offer);
            TranslatedCall::Here(json!({ "schema": schema(offer), "grammar": grammar }))
        }
        "list_actions" => {
            let row = |entry: &guarda_core::action::vocabulary::ActionSpec| json!({ "action": entry.name, "does": entry.does, "target": entry.target, "asked": !entry.is_safe() });
            TranslatedCall::Here(json!({ "actions": VOCABULARY.iter().map(row).collect::<Vec<_>>() }))
        }
        _ => TranslatedCall::Ask("/v1/status".to_owned(), None),
    }))
}

/// The path for commands whose caller does not wait for a person.
pub(super) const EXECUTE: &str = "/v1/execute";

/// Converts the arguments of a command into an action, for a service without a registry.
///
/// # Errors
/// [`BadCall::NoRegistry`], if it has arguments that only a registry understands.
pub(super) fn plain(order: &Value) -> Result<Value, BadCall> {
    let mut action = order.as_object().cloned().unwrap_or_default();
    if action.remove("validation_token").is_some()
        || action.remove("force_execute") == Some(Value::Bool(true))
    {
        return Err(BadCall::NoRegistry);
    }
    let command = action.remove("command").unwrap_or_default();
    action.insert("action".to_owned(), "RUN_COMMAND".into());
    action.insert("target".to_owned(), command);
    Ok(Value::Object(action))
}

fn post(name: &str, arguments: Map<String, Value>) -> TranslatedCall {
    let path = if name == "execute_bash" { EXECUTE } else { "/v1/actions" };
    TranslatedCall::Ask(path.to_owned(), Some(Value::Object(arguments)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn every_tool_is_described_and_does_something() {
        let names: Vec<String> = all().iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(
            names,
            [
                "execute_bash",
                "get_validation",
                "check_command",
                "desktop_action",
                "list_actions",
                "get_schema",
                "get_stats"
            ]
        );
        for tool in all() {
            let annotations = tool.annotations.as_ref().unwrap();
            assert!(
                annotations.read_only_hint.is_some() && annotations.destructive_hint.is_some(),
                "{}",
                tool.name
            );
            assert_eq!(tool.input_schema.get("type"), Some(&json!("object")), "{}", tool.name);
            assert_eq!(
                tool.output_schema.as_ref().unwrap().get("type"),
                Some(&json!("object")),
                "{}",
                tool.name
            );
        }
        assert_eq!(order("rm", Map::new()), Ok(None));
    }

    #[test]
    fn arguments_that_are_not_known_are_refused() {
        for (name, value) in [
            ("check_command", json!({})),
            ("check_command", json!({"command": 1})),
            ("check_command", json!({"command": "ls", "force": true})),
            ("get_validation", json!({"validation_id": "../questions"})),
            ("get_schema", json!({"profile": "home"})),
            ("list_actions", json!({"x": 1})),
        ] {
            assert!(order(name, arguments(value.clone())).is_err(), "{name} {value}");
        }
    }
}
