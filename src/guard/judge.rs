//! Gathers the facts about a request, and judges it.

use std::path::PathBuf;
use std::sync::Arc;

use guarda_core::action::Action;
use guarda_core::gate::Runner;
use guarda_core::judge::Judgement;
use guarda_core::policy::{Finding, Origin, Policy, Situation, Tag, Verdict};

use super::memory::{Expected, Memory};
use super::recorder::Recorder;
use super::scope::RequestScope;
use super::scope::{Edits, Judged, PassInput};
use super::{Fault, RunPlan};
use crate::advice::Advisor;
use crate::hands::Hands;
use crate::hands::trust::Trustable;
use crate::plugins::Plugins;

/// Judges requests by the rules, the memory, the plugins and the advisor.
#[derive(Debug)]
pub struct Judge {
    /// Gather the facts.
    pub hands: Arc<Hands>,
    /// What is remembered about commands.
    pub memory: Option<Memory>,
    /// The user's own checks.
    pub plugins: Option<Plugins>,
    /// The source of second opinions.
    pub advisor: Option<Advisor>,
}

impl Judge {
    /// Gathers the facts, and judges.
    pub(super) async fn judge(
        &self,
        draft: PassInput,
        scope: &RequestScope<'_>,
        recorder: &Recorder,
    ) -> Result<(Judged, Edits), Fault> {
        let PassInput { proposal, more, tried, stage, edits } = draft;
        let mut situation = self.hands.look(&proposal, recorder.prompter.question_open())?;
        let taint = recorder.marks.taint(proposal.claims.session.as_deref());
        (situation.corrupted, situation.secret) = (taint.corruption, taint.secret);
        // Where the client runs it, nothing holds back what it does.
        if scope.purpose.runner(&proposal.action) == Runner::Guard {
            let asker = scope.grant_asker(&proposal, &situation);
            situation.grants = recorder.grants.commands(&asker, jiff::Timestamp::now());
        }
        situation.cells = self.hands.can_look().await;
        let policy = &scope.policy;
        self.hands.weigh(policy, &proposal, &mut situation, stage);
        let by_agent =
            |path: &PathBuf| path.to_str().is_some_and(|path| policy.is_kept_by_agent(path, &situation));
        situation.unconfined |= !tried.sockets.is_empty() || tried.hidden.iter().any(by_agent);
        situation.opened = tried.hidden;
        situation.network.serves = tried.serves;
        situation.made = tried.made;
        situation.network.tried = tried.sought.into_iter().map(|one| (one.host, one.port)).collect();
        let mut identity = None;
        if let Some(memory) = &self.memory {
            identity = memory.identify(&proposal, &situation, policy.profile()).await;
            if let Some(identity) = &identity {
                situation.history = Some(memory.recall(identity).await);
                if let Some(progress) = memory.progress() {
                    recorder.prompter.tell(&progress, recorder.prompter.language(None));
                }
            }
        }
        let judgement = guarda_core::judge::judge(policy, proposal, &situation);
        let judgement = judgement.undoing(self.hands.undoing(&situation).await);
        let mut judgement = more.into_iter().fold(judgement, Judgement::raise);
        let secrets = self.hands.in_reach(&judgement, policy, &situation).await;
        if !secrets.is_empty() && !judgement.is_settled() {
            judgement = judgement.raise(opens(&secrets, &situation));
        }
        situation.opened.extend(secrets);
        if let Some(plugins) = &self.plugins {
            judgement = plugins.weigh(judgement, &situation, policy.profile(), &scope.caller.door).await;
        }
        if let Some(advisor) = &self.advisor {
            judgement = advisor.consider(judgement, policy, &situation).await;
        }
        let expected = identity.map(|identity| Expected::new(identity, &judgement, &situation, policy));
        Ok((Judged { judgement, situation, expected, trust: None }, edits))
    }

    /// The folder that a person would have to trust for these changes to need no question; `None` if that would not be enough.
    pub(super) fn trust_suffices(
        &self,
        policy: &Policy,
        situation: &Situation,
        verdict: impl FnOnce(&Situation) -> Verdict,
    ) -> Option<Trustable> {
        let mut trusting = situation.clone();
        let folder = self.hands.proposed(policy.profile(), &mut trusting)?;
        (verdict(&trusting) == Verdict::Allow).then_some(folder)
    }

    /// How the guard would run a command; `None` if it is not a command.
    pub(super) async fn run_plan(
        &self,
        judgement: &Judgement,
        situation: &Situation,
        policy: &Policy,
    ) -> Option<RunPlan> {
        if !matches!(judgement.subject().action, Action::RunCommand { .. }) {
            return None;
        }
        let decision = judgement.run();
        let sandbox = match decision.way {
            Some(way) => self.hands.foresee(judgement, (situation, policy), way).await,
            None => None,
        };
        Some(RunPlan { decision, sandbox, network: Arc::clone(judgement.network()) })
    }
}

/// The most names in a reason.
const NAMED: usize = 8;

/// Why a person should know what a line can read while it runs, and on which ports it is reached then.
fn opens(secrets: &[PathBuf], situation: &Situation) -> Finding {
    let shown = |path: &PathBuf| path.strip_prefix(&situation.cwd).unwrap_or(path).display().to_string();
    let mut names: Vec<String> = secrets.iter().take(NAMED).map(shown).collect();
    let read = names.join(", ");
    let ports: Vec<String> = situation.network.serves.iter().map(u16::to_string).collect();
    let (rule, why) = match ports.join(", ") {
        ports if ports.is_empty() => ("opens-secrets", format!("while it runs, it can read {read}")),
        ports => {
            names.insert(0, ports.clone());
            ("serves-secrets", format!("it can be reached on port {ports}, and can read {read}"))
        }
    };
    Finding { names, tags: vec![Tag::Secrets], ..of_hands(rule, why, 0.45) }
}

/// A reason to ask that comes from this machine, not from the command's words.
pub(super) fn of_hands(rule: &str, why: String, risk: f32) -> Finding {
    Finding::new(rule, Origin::Hands, Verdict::Confirm, risk, why)
}
