//! Hides the secrets in the facts of one line.

use std::collections::BTreeSet;

use guarda_core::output::RedactionFailure;

use crate::record::line::Facts;

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

    pub(super) fn note(self, facts: &mut Facts) {
        let mut kinds = self.kinds;
        kinds.extend(std::mem::take(&mut facts.redaction_categories));
        facts.redactions_applied = !kinds.is_empty();
        facts.redaction_categories = kinds.into_iter().collect();
    }
}
