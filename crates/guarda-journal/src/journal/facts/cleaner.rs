//! Hides the secrets in the facts of one line.

use std::collections::BTreeSet;

use guarda_core::output::RedactionFailure;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::line::Facts;

/// Hides secrets and collects their kinds.
#[derive(Default)]
pub(super) struct Cleaner {
    pub(super) kinds: BTreeSet<String>,
}

impl Cleaner {
    pub(super) fn text(&mut self, text: &str) -> Result<String, RedactionFailure> {
        let redacted = guarda_core::output::redact(text)?;
        self.kinds.extend(redacted.kinds);
        Ok(redacted.text)
    }

    /// Hides the secrets in every text of a value. `None` if the value has no place for what replaces them.
    pub(super) fn value<T: Serialize + DeserializeOwned>(
        &mut self,
        value: &T,
    ) -> Result<Option<T>, RedactionFailure> {
        let Ok(mut written) = serde_json::to_value(value) else { return Ok(None) };
        self.texts(&mut written)?;
        Ok(serde_json::from_value(written).ok())
    }

    fn texts(&mut self, value: &mut Value) -> Result<(), RedactionFailure> {
        match value {
            Value::String(text) => *text = self.text(text)?,
            Value::Array(values) => values.iter_mut().try_for_each(|value| self.texts(value))?,
            Value::Object(fields) => fields.values_mut().try_for_each(|value| self.texts(value))?,
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }

    pub(super) fn note(self, facts: &mut Facts) {
        let mut kinds = self.kinds;
        kinds.extend(std::mem::take(&mut facts.redaction_categories));
        facts.redactions_applied = !kinds.is_empty();
        facts.redaction_categories = kinds.into_iter().collect();
    }
}
