//! Files that a client's own tool is about to write: computes the changes and keeps the old versions before the client may go on.

use std::sync::{Arc, Mutex, PoisonError};

use guarda_core::gate::Approved;
use guarda_core::policy::{Situation, Verdict};
use guarda_sandbox::stage::Note;

use crate::guard::judging::Judged;
use crate::guard::scope::{Purpose, RequestScope};
use crate::guard::{Fault, Guard, HookDecision, HookOutcome, HookRules};
use crate::hands::announced::{Announced, told};

/// The changes that a tool would make and the old versions that were kept, during its request.
#[derive(Debug, Default)]
pub(in crate::guard) struct Slot(Mutex<Option<Announced>>);

impl Slot {
    fn put(&self, announced: Announced) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(announced);
    }

    fn take(&self) -> Option<Announced> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Holds the old versions if the client may go on, and drops them if it may not.
    pub(in crate::guard) async fn settle(
        self,
        rules: &HookRules,
        outcome: Result<HookOutcome, Fault>,
    ) -> Result<HookOutcome, Fault> {
        let Some(announced) = self.take() else { return outcome };
        match outcome {
            Ok(mut outcome)
                if matches!(outcome.decision, HookDecision::Granted | HookDecision::HandedOver) =>
            {
                let tool = rules.tool.as_ref();
                let what = tool.map(|tool| told(&tool.name, &rules.planned)).unwrap_or_default();
                let (session, audit_id) = (outcome.session.clone(), outcome.receipt.audit_id.clone());
                outcome.undo = announced.hold(Note { session, audit_id, what }).await;
                Ok(outcome)
            }
            refused => {
                announced.withdraw().await;
                refused
            }
        }
    }
}

impl Guard {
    /// Computes the changes that a tool would make, keeps the current versions, and judges the changes.
    pub(in crate::guard) async fn announce(&self, judged: Judged, scope: &RequestScope<'_>) -> Judged {
        let Purpose::Hook { rules, announced: slot } = &scope.purpose else { return judged };
        let planned = &rules.planned;
        if planned.is_empty() || judged.judgement.held() >= Verdict::Block {
            return judged;
        }
        let Judged { judgement, mut situation, expected } = judged;
        let policy = &scope.policy;
        let announced = self.hands.announce(scope.id, planned, policy.profile(), &mut situation).await;
        let judgement = judgement.announcing(policy, Arc::clone(&announced.effects), &situation);
        slot.put(announced);
        let expected = expected.map(|expected| expected.changing(&judgement));
        Judged { judgement, situation, expected }
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
        let (profile, mut situation) = (scope.policy.profile(), situation.clone());
        let again = self.hands.announce(scope.id, &rules.planned, profile, &mut situation).await;
        if again.effects == effects {
            slot.put(again);
            return Ok(());
        }
        again.withdraw().await;
        self.journal.granted(approved, scope.caller).await.inspect_err(|_| self.unrecorded())?;
        let first = effects.changes.first().map(|change| change.path.display().to_string());
        Err(Fault::Changed(first.unwrap_or_default()))
    }
}
