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

/// The text of the only one of these fields that exists. Programs differ in which of two they take; an empty text beside another one
/// says nothing.
///
/// # Errors
/// If one of them is not text, or two of them exist.
pub(super) fn only(object: &Map<String, Value>, names: &[&str]) -> Result<Option<String>, Misread> {
    let mut found: Option<(&str, String)> = None;
    for name in names {
        match (text(object, name)?, &found) {
            (Some(text), None) => found = Some((name, text)),
            (Some(text), Some((_, other))) if other.is_empty() => found = Some((name, text)),
            (Some(text), Some((other, _))) if !text.is_empty() => {
                return Err(Misread::Two((*other).to_owned(), (*name).to_owned()));
            }
            (Some(_) | None, _) => {}
        }
    }
    Ok(found.map(|(_, text)| text))
}
