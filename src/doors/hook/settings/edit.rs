//! Changes settings in place. Comments, order and spacing of everything else are kept.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

/// Settings that cannot be changed without loss.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unfit(String);

/// Adds each of these entries once to the lists below `hooks`, and removes older entries of the guard. Returns a text
/// that needs no change as it is.
///
/// # Errors
/// [`Unfit`] if it is not JSON (comments are accepted), or has another value in place of a list.
pub fn complete(text: &str, entries: &[(&str, Value)]) -> Result<String, Unfit> {
    let (root, settings) = open(if text.trim().is_empty() { "{}\n" } else { text })?;
    let odd = |name: &str| Unfit(format!("\"{name}\" is something else than the client's documents say"));
    let hooks = settings.object_value_or_create("hooks").ok_or_else(|| odd("hooks"))?;
    if settings.get("version").is_none() && entries.iter().any(|(list, _)| *list == "beforeShellExecution") {
        // Cursor's file contains its version.
        settings.insert(0, "version", CstInputValue::Number("1".to_owned()));
    }
    for (name, wanted) in entries {
        let list = hooks.array_value_or_create(name).ok_or_else(|| odd(name))?;
        let ours = ours(&list);
        if ours.len() == 1 && ours.first().and_then(CstNode::to_serde_value).as_ref() == Some(wanted) {
            continue;
        }
        ours.into_iter().for_each(CstNode::remove);
        list.append(input(wanted));
    }
    Ok(root.to_string())
}

/// Removes every entry of the guard, and lists that become empty.
///
/// # Errors
/// [`Unfit`], as for [`complete`].
pub fn without(text: &str) -> Result<String, Unfit> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let (root, settings) = open(text)?;
    let Some(hooks) = settings.object_value("hooks") else { return Ok(root.to_string()) };
    let mut emptied = false;
    for property in hooks.properties() {
        let Some(list) = property.array_value() else { continue };
        let ours = ours(&list);
        if ours.is_empty() {
            continue;
        }
        ours.into_iter().for_each(CstNode::remove);
        if list.elements().is_empty() {
            property.remove();
            emptied = true;
        }
    }
    if emptied
        && hooks.properties().is_empty()
        && let Some(property) = settings.get("hooks")
    {
        property.remove();
    }
    Ok(root.to_string())
}

fn open(text: &str) -> Result<(CstRootNode, CstObject), Unfit> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let root =
        CstRootNode::parse(text, &options).map_err(|error| Unfit(format!("this is no JSON: {error}")))?;
    // Of two equal keys, the client may use either one.
    let mut names: Vec<String> = Vec::new();
    let settings = root.object_value_or_create().ok_or_else(|| Unfit("this is no JSON object".to_owned()))?;
    for property in settings.properties() {
        let name = property.decoded_name().unwrap_or_default();
        if names.contains(&name) {
            return Err(Unfit(format!("{name:?} stands there twice: mend that first")));
        }
        names.push(name);
    }
    Ok((root, settings))
}

fn ours(list: &CstArray) -> Vec<CstNode> {
    let is_ours = |node: &CstNode| node.to_serde_value().is_some_and(|value| names_us(&value));
    list.elements().into_iter().filter(is_ours).collect()
}

/// Whether one of an entry's commands is the guard's hook.
fn names_us(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
            let first = fields.get("args").and_then(|args| args.get(0)).and_then(Value::as_str);
            let command = format!("{} {} ", text("command"), first.unwrap_or_default());
            let command = command.replace('\'', "");
            command.contains("/guarda-hook ")
                || command.contains("/guarda hook ")
                || fields.values().any(names_us)
        }
        Value::Array(items) => items.iter().any(names_us),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(yes) => CstInputValue::Bool(*yes),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(seconds: u64) -> (&'static str, Value) {
        let handler =
            json!({"type": "command", "command": "/opt/guarda-hook", "args": ["claude"], "timeout": seconds});
        ("PreToolUse", json!({"matcher": "*", "hooks": [handler]}))
    }

    const SETTINGS: &str = r#"// mine
{
    "model": "opus", /* why not */
    "hooks": {
        // lint first
        "PreToolUse": [
            { "matcher": "Edit", "hooks": [{ "type": "command", "command": "lint" }] }, // keep
        ],
        "Stop": []
    },
    "z": 1, "a": [1,2]
}
"#;

    #[test]
    fn what_is_there_stays_as_it_is() {
        let with = complete(SETTINGS, &[entry(45)]).unwrap();
        for part in
            ["// mine", "/* why not */", "// lint first", "// keep", "\"z\": 1, \"a\": [1,2]", "\"Stop\": []"]
        {
            assert!(with.contains(part), "{part} in {with}");
        }
        assert!(with.contains("\"command\": \"lint\"") && with.contains("guarda-hook"));
        assert_eq!(complete(&with, &[entry(45)]).unwrap(), with, "a second time changes nothing");
        let later = complete(&with, &[entry(90)]).unwrap();
        assert_eq!(later.matches("guarda-hook").count(), 1);
        assert!(later.contains("90"));
        let gone = without(&later).unwrap();
        assert!(!gone.contains("guarda"));
        let value = |text: &str| CstRootNode::parse(text, &ParseOptions::default()).unwrap().to_serde_value();
        assert_eq!(value(&gone), value(SETTINGS));
        for part in ["// mine", "// lint first", "// keep"] {
            assert!(gone.contains(part), "{part} in {gone}");
        }
    }

    #[test]
    fn settings_that_were_not_there_are_made_and_emptied_again() {
        for text in ["", "{}", "{}\n", " "] {
            let with = complete(text, &[entry(45)]).unwrap();
            let value: Value = serde_json::from_str(&with).unwrap();
            assert_eq!(value, json!({"hooks": {"PreToolUse": [entry(45).1]}}));
            let gone: Value = serde_json::from_str(&without(&with).unwrap()).unwrap();
            assert_eq!(gone, json!({}));
        }
        assert_eq!(without(SETTINGS).unwrap(), SETTINGS);
    }

    #[test]
    fn settings_that_would_lose_something_are_refused() {
        for text in [
            "{",
            "[]",
            "1",
            r#"{"hooks": []}"#,
            r#"{"hooks": {"PreToolUse": {}}}"#,
            r#"{"hooks": {}, "hooks": {"PreToolUse": []}}"#,
            "{'hooks': {}}",
        ] {
            assert!(complete(text, &[entry(45)]).is_err(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_changed_or_refused(text in "[\\[\\]{}:,\"a/* \n1]{0,60}") {
            if let Ok(with) = complete(&text, &[entry(1)]) {
                proptest::prop_assert!(with.contains("guarda-hook"));
                proptest::prop_assert!(!without(&with).unwrap().contains("guarda-hook"));
            }
        }
    }
}
