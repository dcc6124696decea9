//! The examples that rules carry: lines that a rule must match, and lines that it must not.

use crate::policy::rules::table::{self, RuleText};
use crate::policy::{Finding, Layer, Policy, PolicyError, PolicyFault, Rule, RuleError, Situation, Verdict};
use guarda_shell::script::Dialect;

/// Tries the examples of the rule with this id, by what tells whether it matches one.
///
/// # Errors
/// [`RuleError`], for the first that fails.
pub(crate) fn try_lines(
    id: &str,
    text: &RuleText,
    meets: impl Fn(&str) -> Result<bool, RuleError>,
) -> Result<(), RuleError> {
    for (lines, matches) in [(&text.matches, true), (&text.spares, false)] {
        for line in lines.iter().flatten() {
            if meets(line)? != matches {
                return Err(RuleError::Example { rule: id.to_owned(), matches, line: line.clone() });
            }
        }
    }
    Ok(())
}

impl Policy {
    /// Tries the examples of the rules that a layer gives or changes.
    pub(crate) fn try_examples(&self, layer: &Layer<'_>) -> Result<(), PolicyError> {
        for rule in self.rules().filter(|rule| rule.layer.name() == layer.name) {
            self.try_rule(rule).map_err(|error| PolicyError {
                layer: layer.name.to_owned(),
                line: table::line_of(layer.text, &rule.id),
                fault: PolicyFault::Rule(error),
            })?;
        }
        for rule in self.effect_rules().iter().filter(|rule| rule.layer == layer.name) {
            rule.try_examples(self).map_err(|error| PolicyError {
                layer: layer.name.to_owned(),
                line: table::line_of_effect(layer.text, rule.key()),
                fault: PolicyFault::Rule(error),
            })?;
        }
        Ok(())
    }

    /// Tries the examples of one rule.
    ///
    /// # Errors
    /// [`RuleError`], for the first example that fails.
    pub fn try_rule(&self, rule: &Rule) -> Result<(), RuleError> {
        rule.ready(self.names()).map_err(|why| RuleError::Within(rule.id.clone(), Box::new(why.clone())))?;
        try_lines(&rule.id, &rule.text, |line| self.rule_matches(rule, line))
    }

    /// Whether a rule contributes to the verdict on a line. An `allow` rule must admit the whole line.
    fn rule_matches(&self, rule: &Rule, line: &str) -> Result<bool, RuleError> {
        let script = guarda_shell::read(line, Dialect::Bash);
        if let Err(unsure) = &script {
            return Err(RuleError::Unreadable {
                rule: rule.id.clone(),
                line: line.to_owned(),
                why: unsure.to_string(),
            });
        }
        let when = rule.text.when.as_deref();
        let mut situation = Situation {
            plain_repository: true,
            question_open: when == Some("question-open"),
            corrupted: when == Some("corrupted"),
            secret: when == Some("secret"),
            ..crate::policy::corpus::situation(&script)
        };
        situation.network.session = (when == Some("keeps")).then(Default::default);
        let findings = self.judge_script(&script, &situation);
        if rule.verdict == Verdict::Allow {
            let by_words = rule.by_words();
            let passes =
                |finding: &Finding| finding.verdict == Verdict::Allow || !by_words && finding.contained;
            return Ok(findings.iter().all(passes)
                && script.is_ok_and(|script| self.lets_through(rule, &script, &situation)));
        }
        Ok(findings.iter().any(|finding| finding.rule == rule.id))
    }
}
