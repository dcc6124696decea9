//! The examples that rules carry: lines that a rule must match, and lines that it must not.

use crate::action::script::Dialect;
use crate::policy::{table, Layer, Policy, PolicyError, Program, Rule, Situation, Verdict};

impl Policy {
    /// Tries the examples of the rules that a layer gives or changes.
    pub(super) fn try_examples(&self, layer: &Layer<'_>) -> Result<(), PolicyError> {
        for rule in self.rules().filter(|rule| rule.layer == layer.name) {
            self.try_rule(rule).map_err(|message| PolicyError {
                layer: layer.name.to_owned(),
                line: table::line_of(layer.text, &rule.id),
                message,
            })?;
        }
        Ok(())
    }

    /// Tries the examples of one rule.
    ///
    /// # Errors
    /// In words, for the first example that fails.
    pub fn try_rule(&self, rule: &Rule) -> Result<(), String> {
        rule.ready(self.names()).map_err(|why| format!("rule {:?}: {why}", rule.id))?;
        let lines = |lines: &Option<Vec<String>>| lines.clone().unwrap_or_default();
        for line in lines(&rule.text.matches) {
            if !self.rule_matches(rule, &line)? {
                return Err(format!("rule {:?} should match `{line}` and does not", rule.id));
            }
        }
        for line in lines(&rule.text.spares) {
            if self.rule_matches(rule, &line)? {
                return Err(format!("rule {:?} should spare `{line}` and does not", rule.id));
            }
        }
        Ok(())
    }

    /// Whether a rule has a part in the verdict on a line; a rule that lets through must let all of it through.
    fn rule_matches(&self, rule: &Rule, line: &str) -> Result<bool, String> {
        let script = crate::action::shell::read(line, Dialect::Bash);
        if let Err(unsure) = &script {
            return Err(format!("rule {:?}: the example `{line}` cannot be read: {unsure}", rule.id));
        }
        let mut situation = Situation {
            home: "/home/ana".to_owned(),
            cwd: "/home/ana/project".to_owned(),
            guard: vec!["/home/ana/.config/guarda".to_owned(), "/home/ana/.local/share/guarda".to_owned()],
            question_open: rule.text.when.as_deref() == Some("question-open"),
            corrupted: rule.text.when.as_deref() == Some("corrupted"),
            secret: rule.text.when.as_deref() == Some("secret"),
            ..Situation::default()
        };
        for run in script.iter().flat_map(|script| script.runs()) {
            if let Some(name) = run.program() {
                let program = match name.rsplit_once('/') {
                    None => Program::System(format!("/usr/bin/{name}")),
                    Some(("/bin" | "/usr/bin" | "/sbin" | "/usr/sbin", _)) => Program::System(name.to_owned()),
                    Some(_) => Program::Elsewhere(name.to_owned()),
                };
                situation.programs.insert(name.to_owned(), program);
            }
        }
        let findings = self.judge_script(&script, &situation);
        let named = findings.iter().any(|finding| finding.rule == rule.id);
        let allowed = findings.iter().all(|finding| finding.verdict == Verdict::Allow);
        Ok(named && (rule.verdict != Verdict::Allow || allowed))
    }
}
