//! How far a permission given beforehand may reach: a person's override, or a good record. A good record says
//! nothing about safety: it can earn a permission only for an action that is the same each time and to which no rule objects.

use crate::action::Action;
use crate::policy::history::{Yields, yields};
use crate::policy::line::context::base_name;
use crate::policy::{Finding, Hindrance, Policy, Program, Situation, Verdict};
use crate::policy::{Origin, Tag};
use guarda_shell::script::{Reach, Run, Script, Word};

/// The risk from which nothing is allowed for good.
pub(in crate::policy) const LASTING_RISK: f32 = 0.7;

impl Policy {
    /// To what an action gives way, with the reasons that were found for asking.
    #[must_use]
    pub fn yields(&self, action: &Action, situation: &Situation, findings: &[Finding]) -> Yields {
        let Action::RunCommand { script: Ok(script), .. } = action else { return Yields::Never };
        let open = |run: &Run| run.words.iter().any(Word::unknown);
        if !script.doubts().is_empty() || script.runs().iter().any(open) {
            // The same text can be a different command each time.
            return Yields::Never;
        }
        let asking = findings.iter().filter(|finding| finding.verdict > Verdict::Allow);
        let weakest = asking.map(yields).min().unwrap_or(Yields::Never);
        if self.may_last(action, situation, findings).is_err() {
            return Yields::Never;
        }
        let tainted = situation.taint().any();
        if tainted || self.may_earn(action, situation, findings).is_err() {
            return weakest.min(Yields::ToOverride);
        }
        weakest
    }

    /// Whether a run of this earns a promotion.
    ///
    /// # Errors
    /// Why not.
    pub fn may_earn(
        &self,
        action: &Action,
        situation: &Situation,
        findings: &[Finding],
    ) -> Result<(), Hindrance> {
        self.is_the_same_each_time(action, situation)?;
        // The caller's claims and the registry's own findings are no properties of the command.
        let rules =
            || findings.iter().filter(|finding| !matches!(finding.origin, Origin::Caller | Origin::Registry));
        if rules().any(|finding| finding.verdict > Verdict::Confirm) {
            return Err(Hindrance::Strict);
        }
        if rules().any(|finding| yields(finding) < Yields::ToRecord) {
            return Err(Hindrance::EachTime);
        }
        Ok(())
    }

    /// Whether a person may allow this for good. A question offers it, the registry takes it, and the judge heeds it on this
    /// condition alone: a literal command of programs of the system whose words say everything that it does, which sends
    /// nothing, has a risk below [`LASTING_RISK`], and no finding that is asked about every time.
    ///
    /// # Errors
    /// Why not.
    pub fn may_last(
        &self,
        action: &Action,
        situation: &Situation,
        findings: &[Finding],
    ) -> Result<(), Hindrance> {
        self.is_the_same_each_time(action, situation)?;
        for finding in findings.iter().filter(|finding| finding.asks()) {
            if finding.verdict == Verdict::Block {
                return Err(Hindrance::Forbidden);
            }
            if yields(finding) < Yields::ToOverride {
                return Err(Hindrance::EachTime);
            }
            if finding.is_about_any(&[Tag::Network, Tag::Remote]) {
                return Err(Hindrance::Sends);
            }
            if finding.risk >= LASTING_RISK {
                return Err(Hindrance::Risky);
            }
        }
        Ok(())
    }

    /// Whether the words say all that happens: literal, no wrapper, no interpreter, no variables set.
    fn is_one_thing(&self, script: &Script) -> Result<(), Hindrance> {
        if script.plan().is_none() || !script.doubts().is_empty() {
            return Err(Hindrance::Unknown);
        }
        for run in script.runs() {
            if run.reach != Reach::Plain || run.parent.is_some() {
                return Err(Hindrance::Starts);
            }
            if run.words.iter().any(|word| !word.is_fixed()) {
                return Err(Hindrance::Unknown);
            }
            if !run.assigns.is_empty() {
                return Err(Hindrance::Variables);
            }
            let Some(program) = run.program() else { return Err(Hindrance::NoProgram) };
            let name = base_name(program);
            if self.listed("launchers", name) {
                return Err(Hindrance::Launcher);
            }
        }
        Ok(())
    }

    fn is_the_same_each_time(&self, action: &Action, situation: &Situation) -> Result<(), Hindrance> {
        let Action::RunCommand { script, .. } = action else { return Err(Hindrance::NoCommand) };
        let Ok(script) = script else { return Err(Hindrance::Unread) };
        self.is_one_thing(script)?;
        for run in script.runs() {
            let Some(program) = run.program() else { return Err(Hindrance::NoProgram) };
            if self.listed("downloaders", base_name(program)) {
                return Err(Hindrance::Sends);
            }
            if run.builtin {
                continue;
            }
            match situation.programs.get(program) {
                Some(Program::System(_)) => {}
                Some(Program::Elsewhere(_)) => return Err(Hindrance::Elsewhere),
                Some(Program::Missing) => return Err(Hindrance::Missing),
                None => return Err(Hindrance::Unseen),
            }
        }
        Ok(())
    }
}
