//! Reads fields of an event or of a tool's input.

use serde_json::{Map, Value};

use super::misread::Misread;

/// The text of a field; `None` if it is missing or `null`.
///
/// # Errors
/// If it is not text.
pub(super) fn text(object: &Map<String, Value>, name: &str) -> Result<Option<String>, Misread> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Misread::NotText(name.to_owned())),
    }
}

/// The text of the first of these fields that exists.
///
/// # Errors
/// If one of them is not text, even if another one is.
pub(super) fn first(object: &Map<String, Value>, names: &[&str]) -> Result<Option<String>, Misread> {
    let texts: Result<Vec<Option<String>>, Misread> = names.iter().map(|name| text(object, name)).collect();
    Ok(texts?.into_iter().flatten().next())
}
