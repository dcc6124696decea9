//! Files that a client's own tool is about to write: computes the changes and keeps the old versions before the client may go on.

use std::sync::Arc;

use guarda_core::gate::Approved;
use guarda_core::judge::Judgement;
use guarda_core::policy::{Situation, Verdict};

use super::hook_rules::{HookRules, Slot};
use crate::guard::scope::{Judged, Purpose, RequestScope};
use crate::guard::{Fault, Guard};

impl Guard {
    /// Computes the changes that a tool would make, keeps the current versions, and judges the changes.
    pub(in crate::guard) async fn announce(&self, judged: Judged, scope: &RequestScope<'_>) -> Judged {
        let Purpose::Hook { rules, announced: slot } = &scope.purpose else { return judged };
        let planned = &rules.planned;
        if planned.is_empty() || judged.judgement.held() >= Verdict::Block {
            return judged;
        }
        let Judged { judgement, mut situation, expected, .. } = judged;
        let policy = &scope.policy;
        let whose = (policy.profile(), judgement.subject().claims.session.as_deref());
        let announced = self.runner.hands.announce(scope.id, planned, whose, &mut situation).await;
        let announcing = |judgement: Judgement, situation: &Situation| {
            judgement.announcing(policy, Arc::clone(&announced.effects), situation)
        };
        let trusting = |situation: &Situation| announcing(judgement.clone(), situation).verdict();
        let trust = self.judge.trust_suffices(policy, &situation, trusting);
        let judgement = announcing(judgement, &situation);
        slot.set(announced);
        let expected = expected.map(|expected| expected.changing(&judgement));
        Judged { judgement, situation, expected, trust }
    }

    /// After a person's yes: checks that the tool would still make the shown changes, and keeps the current versions.
    ///
    /// # Errors
    /// [`Fault::Changed`], if it would make other changes.
    pub(in crate::guard) async fn renew(
        &self,
        rules: &HookRules,
        approved: &Approved,
        situation: &Situation,
        slot: &Slot,
        scope: &RequestScope<'_>,
    ) -> Result<(), Fault> {
        let Some(shown) = slot.take() else { return Ok(()) };
        let effects = Arc::clone(&shown.effects);
        shown.withdraw().await;
        let whose = (scope.policy.profile(), approved.judgement().subject().claims.session.as_deref());
        let mut situation = situation.clone();
        let again = self.runner.hands.announce(scope.id, &rules.planned, whose, &mut situation).await;
        if again.effects == effects {
            slot.set(again);
            return Ok(());
        }
        again.withdraw().await;
        self.recorder.granted(approved, scope.caller).await?;
        let first = effects.changes.first().map(|change| change.path.display().to_string());
        Err(Fault::Changed(first.unwrap_or_default()))
    }
}
