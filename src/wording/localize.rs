//! Messages that are chosen by the name of a value: their id is a prefix with the name of the variant, and their arguments are
//! its fields.

use fluent_bundle::FluentArgs;
use serde::Serialize;
use serde_json::Value;

use crate::wording::plain::visible;
use crate::wording::words::Words;

/// The message of an enum's variant: the id is the prefix with the variant's name, the arguments are its fields, without a `kind`. An
/// unnamed field is the argument `given`. Texts come from elsewhere, so they are made visible. A test of each enum shows that every
/// variant has its message in every language.
#[must_use]
pub(super) fn told<'a, T>(words: &Words, prefix: &str, value: &'a T) -> String
where
    T: Serialize,
    &'a T: Into<&'static str>,
{
    told_with(words, prefix, value, &[])
}

/// Like [`told`]; these arguments are words already, and replace fields of the same name.
#[must_use]
pub(super) fn told_with<'a, T>(
    words: &Words,
    prefix: &str,
    value: &'a T,
    words_of: &[(&'static str, String)],
) -> String
where
    T: Serialize,
    &'a T: Into<&'static str>,
{
    let name: &'static str = value.into();
    let mut arguments = FluentArgs::new();
    if let Ok(Value::Object(mut written)) = serde_json::to_value(value) {
        if written.remove("kind").is_some() {
            written = serde_json::Map::from_iter([(name.to_owned(), Value::Object(written))]);
        }
        for fields in written.into_values() {
            match fields {
                Value::Object(fields) => {
                    fields.iter().for_each(|(name, field)| set(&mut arguments, name, field))
                }
                field => set(&mut arguments, "given", &field),
            }
        }
    }
    for (name, text) in words_of {
        arguments.set(*name, text.clone());
    }
    words.find_with(&format!("{prefix}-{name}"), &arguments).unwrap_or_default()
}

/// The message of a value without fields: the id is the prefix with the value's name.
#[must_use]
pub(super) fn named(words: &Words, prefix: &str, value: impl Into<&'static str>) -> String {
    words.say(&format!("{prefix}-{}", value.into()), &[])
}

/// The same for a value whose text is a sentence: the id is the prefix with the name that is serialised.
#[must_use]
pub(super) fn unit(words: &Words, prefix: &str, value: impl Serialize) -> String {
    let name = serde_json::to_value(value).ok();
    let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
    words.say(&format!("{prefix}-{name}"), &[])
}

/// Sets an argument. What is no number and no text is said by the caller.
fn set(arguments: &mut FluentArgs<'_>, name: &str, field: &Value) {
    let name = name.to_owned();
    match field {
        Value::String(text) => arguments.set(name, visible(text)),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => arguments.set(name, whole),
            None => arguments.set(name, number.to_string()),
        },
        Value::Bool(yes) => arguments.set(name, yes.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {}
    }
}
