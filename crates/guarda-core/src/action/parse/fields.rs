//! `target` and `args` of a request, whichever way they were written.

use serde_json::{Map, Value};

use super::super::request::Request;
use super::{FIELD_LIMIT, Misread, limit};

/// `target` and `args`, whichever way they were written.
pub(super) struct Fields {
    pub(super) target: Option<String>,
    pub(super) text: Option<String>,
    pub(super) params: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(request: &Request) -> Result<Self, Misread> {
        let target = match &request.target {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(_) => return Err(Misread::Type { field: "target", expected: "text or null" }),
        };
        let said = |value: &Option<Value>| value.clone().filter(|value| !value.is_null());
        let args = match (said(&request.args), said(&request.params)) {
            (Some(_), Some(_)) => return Err(Misread::Twice),
            (Some(value), None) | (None, Some(value)) => Some(value),
            (None, None) => None,
        };
        let (text, params) = match args {
            None => (None, Map::new()),
            Some(Value::String(text)) => (Some(text).filter(|text| !text.is_empty()), Map::new()),
            Some(Value::Number(number)) => (Some(number.to_string()), Map::new()),
            Some(Value::Object(map)) => (None, map),
            Some(_) => {
                return Err(Misread::Type { field: "args", expected: "text, a number, an object or null" });
            }
        };
        Ok(Self { target: target.filter(|text| !text.trim().is_empty()), text, params })
    }

    /// The target, which this action needs.
    pub(super) fn target(&self) -> Result<String, Misread> {
        let target = self.target.as_deref().ok_or(Misread::Missing("target"))?;
        limit("target", target, FIELD_LIMIT)?;
        Ok(target.trim().to_owned())
    }

    /// A named parameter as text.
    pub(super) fn param(&self, name: &'static str) -> Result<Option<String>, Misread> {
        let text = match self.params.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(yes)) => yes.to_string(),
            Some(_) => return Err(Misread::Type { field: name, expected: "text" }),
        };
        limit(name, &text, FIELD_LIMIT)?;
        Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    /// A percentage, from `params.value` or plain `args`.
    pub(super) fn percent(&self) -> Result<Option<u8>, Misread> {
        self.param("value")?.or_else(|| self.text.clone()).map(|text| percent(&text)).transpose()
    }
}

pub(super) fn percent(text: &str) -> Result<u8, Misread> {
    let digits = text.trim().trim_start_matches(['+', '-']).trim_end_matches('%').trim();
    match digits.parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to lie in 0..=100"
            )]
            let whole = number.round() as u8;
            Ok(whole)
        }
        _ => Err(Misread::Value { field: "value", value: text.chars().take(32).collect(), hint: "0 to 100" }),
    }
}
