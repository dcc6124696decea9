//! The judging of a command line: a pure function from what may run, and what is true, to reasons.

use crate::action::script::{Script, Unsure};
use crate::policy::{Finding, Policy, Situation, Verdict};

impl Policy {
    /// Judges a command line. The joint verdict is the strictest of the findings; there is always at least one.
    #[must_use]
    pub fn judge_script(&self, script: &Result<Script, Unsure>, situation: &Situation) -> Vec<Finding> {
        let _ = situation;
        let (span, why) = match script {
            Ok(_) => (None, "no rule speaks of it".to_owned()),
            Err(unsure) => (Some(unsure.span), unsure.to_string()),
        };
        vec![Finding {
            rule: "default".to_owned(),
            layer: "default".to_owned(),
            verdict: Verdict::Confirm,
            span,
            why,
            instead: None,
            risk: 0.5,
            tags: Vec::new(),
        }]
    }
}
