//! The consequences of what a session has seen (feature P1). The marks are facts of the [`Situation`].
//!
//! A session that has seen secrets could carry them away, so a person is asked about every action that is not provably
//! local. A session that has read text from outside may have taken orders from it; in the container profile, such
//! actions are then left to a second opinion, or asked about. A mark only ever adds a reason.

use crate::action::object::Reach;
use crate::action::{Action, FileOperation, Way};
use crate::policy::line::budget::Budget;
use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::{Finding, Policy, Profile, Situation, Taint, Verdict};
use crate::policy::{Origin, Tag};
use guarda_shell::script::{RedirectKind, Run, Script, Unsure, Word};

impl Policy {
    /// The finding that the session's marks add to those of the rules; `None` without a mark, or if nothing can leave
    /// this computer.
    #[must_use]
    pub fn weigh_taint(
        &self,
        action: &Action,
        situation: &Situation,
        findings: &[Finding],
    ) -> Option<Finding> {
        let taint = situation.taint();
        if !taint.any() || self.stays_here(action, situation, findings) {
            return None;
        }
        let carries = self.reaches_out(action, situation, findings);
        let (rule, verdict, risk, why): (_, _, _, &str) = if taint.secret && carries {
            (
                "exfiltration",
                Verdict::Confirm,
                0.8,
                "the session has seen secrets, and this can carry them away",
            )
        } else if taint.secret {
            let why = "the session has seen secrets, and it is not certain that this stays on this computer";
            ("secret-session", Verdict::Confirm, 0.3, why)
        } else if self.profile() == Profile::Container {
            let why = "the session has read text from outside, which may have given it orders, and this is not certain \
                       to stay on this computer";
            ("corrupted-session", Verdict::Review, if carries { 0.5 } else { 0.3 }, why)
        } else {
            return None;
        };
        let mut tags = vec![Tag::Taint];
        tags.extend(carries.then_some(Tag::Exfiltration));
        Some(Finding {
            instead: taint.secret.then(|| "begin a new session without secrets for it".to_owned()),
            tags,
            // Nothing can leave a cell without a network.
            contained: true,
            ..Finding::new(rule, Origin::BuiltIn, verdict, risk, why)
        })
    }

    /// The marks that a session gets by running this action in this way. [`Way::None`] also stands for a client that
    /// runs it itself. `findings` are the judge's.
    #[must_use]
    pub fn brings(&self, action: &Action, way: Way, situation: &Situation, findings: &[Finding]) -> Taint {
        // A cell hides every secret: naming one there (`ls ~/.ssh`) or searching a folder that holds some shows nothing of them.
        let hidden = matches!(way, Way::Look | Way::Stage);
        let secret = findings.iter().filter(|finding| !(hidden && finding.contained)).any(|finding| {
            matches!(finding.rule.as_str(), "secret-file" | "secret-variable")
                || finding.is_about(&Tag::Secrets)
        });
        // It reaches no machine either, unless it fetches: a client prints its version there (`curl --version`), or fails.
        let connected = !hidden || way == Way::Stage && situation.network.fetches;
        if matches!(action, Action::RunCommand { script: Err(_), .. }) {
            // An unparsed line could have read anything that is not held from it.
            return if hidden { Taint::NONE } else { Taint::BOTH };
        }
        let secret = secret || way != Way::Look && self.names_a_secret_file(action, situation);
        // No cell hides what was committed.
        let printed = |script: &Script| self.prints_tracked_secret(script, situation);
        let secret =
            secret || matches!(action, Action::RunCommand { script: Ok(script), .. } if printed(script));
        // Every other action that contacts other machines is assumed to bring something back.
        Taint { corruption: connected && self.reaches_out(action, situation, findings), secret }
    }

    /// Whether the action names a file that may hold a secret.
    fn names_a_secret_file(&self, action: &Action, situation: &Situation) -> bool {
        if let Action::File(operation) = action {
            let paths: &[&String] = match operation {
                FileOperation::Open(path) | FileOperation::List(path) | FileOperation::Delete(path) => {
                    &[path]
                }
                FileOperation::Copy { from, to } | FileOperation::Move { from, to } => &[from, to],
                FileOperation::MakeFolder(_) => &[],
            };
            return paths.iter().any(|path| self.secret(path, situation));
        }
        let Action::RunCommand { script: Ok(script), .. } = action else { return false };
        let budget = Budget::for_line(script.length());
        let context = JudgeContext::new(script, situation, &budget);
        script.runs().iter().enumerate().any(|(index, run)| self.names_secret(&context, index, run))
    }

    /// Whether it is certain that nothing of this leaves the computer.
    fn stays_here(&self, action: &Action, situation: &Situation, findings: &[Finding]) -> bool {
        match action {
            Action::RunCommand { script, .. } => self.is_local(script, situation, findings),
            other => other.kind().entry().reach == Reach::Here,
        }
    }

    /// Whether this contacts other machines, as far as that is known.
    fn reaches_out(&self, action: &Action, situation: &Situation, findings: &[Finding]) -> bool {
        if let Action::RunCommand { script, .. } = action {
            const OUT: [Tag; 3] = [Tag::Network, Tag::Remote, Tag::Packages];
            return findings.iter().any(|finding| finding.is_about_any(&OUT))
                || self.some_run_reaches_out(script, situation);
        }
        matches!(action, Action::OpenUrl { .. } | Action::OpenStrangeUrl { .. })
    }

    fn some_run_reaches_out(&self, script: &Result<Script, Unsure>, situation: &Situation) -> bool {
        let Ok(script) = script else { return true };
        let budget = Budget::for_line(script.length());
        let context = JudgeContext::new(script, situation, &budget);
        script.runs().iter().enumerate().any(|(index, run)| {
            let device = run.redirects.iter().any(|redirect| {
                let target = redirect.target.prefix();
                redirect.kind != RedirectKind::Text
                    && (target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/"))
            });
            // A command that an allow rule does not mark as local may contact another machine (`npm ls`).
            let listed = match self.judge_closed(&context, index, run) {
                Ok(Some(finding)) => self.rule(&finding.rule).map(|rule| !rule.local()),
                Ok(None) | Err(_) => None,
            };
            device || listed.unwrap_or_else(|| self.is_sender(run))
        })
    }

    /// Whether a program is known to contact other machines with these words.
    pub(super) fn is_sender(&self, run: &Run) -> bool {
        let Some(name) = run.program().map(base_name) else { return false };
        let asks = |word: &Word| word.literal().is_some_and(|word| self.listed("fetching", word));
        // Where the table of hosts has the program, it knows which commands reach out: `git fetch`, but not `git add`.
        if let Some(needs) = crate::catalogue::tools::known_to_need(run) {
            return needs;
        }
        self.listed("downloaders", name)
            || self.listed("senders", name)
            || self.listed("fetchers", name) && run.words.iter().skip(1).any(asks)
    }
}
