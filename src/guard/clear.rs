//! From a request to a permission: judged, asked, and what a person writes in its place judged and asked the same way.

use crate::record::Caller;
use guarda_core::action::{Proposal, Way};
use guarda_core::gate::{Approved, Cause, Number, Passage, Refusal};
use guarda_core::judge::Judgement;
use guarda_core::policy::{Finding, Situation, Verdict};

use super::{Asking, Fault, Guard, Judged, Judging, Progress, RequestContext, memory};

/// So often a person may write another command for one request; the last question takes yes or no only.
const CHANGES: usize = 8;

/// What is to be judged, and asked about where it must be.
#[derive(Debug)]
pub(super) struct Next {
    pub(super) proposal: Proposal,
    /// Reasons besides those of the rules.
    pub(super) more: Vec<Finding>,
    /// Whether its writes may be held back.
    pub(super) stage: bool,
    /// The question in which a person wrote it.
    pub(super) changed: Option<Refusal>,
    /// How often a person may write another command yet.
    pub(super) left: usize,
}

impl Next {
    pub(super) fn new(proposal: Proposal) -> Self {
        Self { proposal, more: Vec::new(), stage: true, changed: None, left: CHANGES }
    }
}

/// What may be done, with what was true when it was judged.
#[derive(Debug)]
pub(super) struct Cleared {
    pub(super) approved: Approved,
    pub(super) situation: Situation,
    /// What is to be remembered of it.
    pub(super) expected: Option<memory::Expected>,
    /// The question in which a person wrote what is staged: its effects are asked about whatever they are.
    pub(super) changed: Option<Refusal>,
    /// How often a person may write another command yet.
    pub(super) left: usize,
}

impl Guard {
    /// Judges and asks until there is a yes or a no.
    pub(super) async fn clear(
        &self,
        next: Next,
        caller: &Caller,
        context: &RequestContext,
    ) -> Result<Result<Cleared, Refusal>, Fault> {
        let mut next = next;
        loop {
            let Next { proposal, more, stage, mut changed, left } = next;
            let Judged { judgement, situation, expected } =
                self.prepare(proposal, Judging { more, stage }, caller, context).await?;
            // What a person wrote is asked about in any case: by its words, or later by what it changes.
            let staged = judgement.run().way == Some(Way::Stage);
            let written = if staged { None } else { changed.take() };
            let situation = self.freeze(&judgement, situation, written.is_some()).await?;
            let (expected_of, changeable) = (expected.as_ref(), left > 0);
            let asking = Asking { expected: expected_of, situation: &situation, changeable, ours: true };
            let refusal = match self.admit(judgement, written, asking, caller, context).await {
                Ok(approved) => return Ok(Ok(Cleared { approved, situation, expected, changed, left })),
                Err(refusal) => refusal,
            };
            next = match self.rewritten(refusal, left, caller).await? {
                Ok(rewritten) => Next { stage, ..rewritten },
                Err(refusal) => return Ok(Err(refusal)),
            };
        }
    }

    /// What a person wrote in the place of a command, to go the whole way; any other refusal comes back.
    pub(super) async fn rewritten(
        &self,
        refusal: Refusal,
        left: usize,
        caller: &Caller,
    ) -> Result<Result<Next, Refusal>, Fault> {
        let Cause::Changed { text, .. } = refusal.cause() else { return Ok(Err(refusal)) };
        let proposal = refusal.judgement().subject().with_command(text)?;
        self.journal.refuse(&refusal, caller).await.inspect_err(|_| self.unrecorded())?;
        let left = left.saturating_sub(1);
        Ok(Ok(Next { changed: Some(refusal), left, ..Next::new(proposal) }))
    }

    /// Holds fast what the judgement rests on, where a person is going to be asked: for a judgement that asks, and for what
    /// a person has written (`again`).
    pub(super) async fn freeze(
        &self,
        judgement: &Judgement,
        situation: Situation,
        again: bool,
    ) -> Result<Situation, Fault> {
        let asked = match judgement.run().verdict {
            Verdict::Allow => again,
            Verdict::Review | Verdict::Confirm | Verdict::Password => true,
            Verdict::Block => false,
        };
        if asked { Ok(self.hands.freeze(judgement.subject(), situation).await?) } else { Ok(situation) }
    }

    /// Through the gate, asking a person where it must be asked. `changed` is the question in which a person wrote what
    /// was judged.
    pub(super) async fn admit(
        &self,
        judgement: Judgement,
        changed: Option<Refusal>,
        asking: Asking<'_>,
        caller: &Caller,
        context: &RequestContext,
    ) -> Result<Approved, Refusal> {
        let passage = match changed {
            None => self.enter(judgement),
            Some(changed) => {
                let number = Number(*uuid::Uuid::new_v4().as_bytes());
                guarda_core::gate::enter_changed(changed, judgement, number, self.advanced_mode)
            }
        };
        match passage {
            Passage::Clear(approved) => Ok(approved),
            Passage::Shut(refusal) => Err(refusal),
            Passage::Ask(pending) => {
                // Who is told that it is asked finds the question open.
                let impact = self.impact(&pending, &asking).await;
                context.tell(Progress::Asked { number: pending.question().number });
                let settled = self.ask(pending, asking, impact, caller, context).await;
                let answer = match &settled {
                    Ok(_) => "yes",
                    Err(refusal) if matches!(refusal.cause(), Cause::Changed { .. }) => "modify",
                    Err(_) => "no",
                };
                context.tell(Progress::Answered { answer });
                settled
            }
        }
    }
}
