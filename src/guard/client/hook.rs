//! Hooks: a coding agent's client runs its tools itself; the guard judges and asks. The guard does nothing here, so
//! there is no warrant, and the decision is recorded as advice.

use std::path::Path;
use std::sync::Arc;

use guarda_core::action::{Request, Way};
use guarda_core::gate::{Number, Refusal, Runner};
use guarda_core::judge::Judgement;
use guarda_core::policy::{Taint, Verdict};
use guarda_shell::script::Run;
use tokio_util::sync::CancellationToken;

use super::hook_rules::{HookDecision, HookOutcome, HookRules, Slot};
use super::line::{Replaced, ShellOfClient, comment, followed, replaced};
use super::ticket::{NoTicket, Redeemed, Ticket};
use crate::guard::scope::{ApprovedAction, Judged, PassEnd, PipelineEnd, Purpose, RequestScope};
use crate::guard::{DecidedBy, Fault, Guard, Outcome, Reply, RequestContext};
use crate::hands::ClientShell;
use guarda_journal::{Caller, Receipt, session_of};

impl Guard {
    /// Judges an action that its caller wants to run itself, asks a person if necessary, and records the decision.
    /// `withdraw` is cancelled when the caller goes away.
    ///
    /// # Errors
    /// [`Fault`]: the caller must not run it.
    pub async fn permit(
        &self,
        request: Request,
        rules: HookRules,
        caller: &Caller,
        withdraw: &CancellationToken,
    ) -> Result<HookOutcome, Fault> {
        let context =
            RequestContext { withdraw: withdraw.clone(), patience: rules.wait, ..RequestContext::default() };
        let purpose = Purpose::Hook { rules: Box::new(rules), announced: Slot::default() };
        let scope = self.scope(uuid::Uuid::now_v7(), purpose, caller, &context);
        let outcome = match self.pipeline(request, &scope).await {
            Ok(PipelineEnd::Answered(outcome)) => Ok(*outcome),
            Ok(PipelineEnd::Replied(_) | PipelineEnd::Unanswered(_)) => Err(Fault::Astray),
            Err(fault) => Err(fault),
        };
        match scope.purpose {
            Purpose::Hook { rules, announced } => announced.settle(&rules, outcome).await,
            Purpose::Act | Purpose::Token(_) => outcome,
        }
    }

    /// Leaves the question to the client, which asks its own user.
    pub(in crate::guard) async fn leave_to_client(
        &self,
        rules: &HookRules,
        judged: &Judged,
        scope: &RequestScope<'_>,
    ) -> Result<PipelineEnd, Fault> {
        let Judged { judgement, situation, .. } = judged;
        let receipt = self.recorder.advise(judgement, scope.caller).await?;
        let brings = scope.taint_of(judgement, Way::None, situation).joined(rules.brings);
        self.recorder.apply_taint(judgement, brings, scope.caller).await;
        let outcome = self.hook_outcome(rules, judgement, scope.id);
        let (decision, decided_by) = (HookDecision::HandedOver, DecidedBy::Caller);
        Ok(PipelineEnd::Answered(Box::new(HookOutcome { decision, decided_by, receipt, ..outcome })))
    }

    /// Lets the client run its own tool, or the line that the guard substitutes.
    pub(in crate::guard) async fn let_client(
        &self,
        cleared: ApprovedAction,
        rules: &HookRules,
        scope: &RequestScope<'_>,
    ) -> Result<PassEnd, Fault> {
        let ApprovedAction { approved, situation, .. } = &cleared;
        self.recorder.recheck_taint(approved, situation, scope).await?;
        let judgement = approved.judgement();
        let decided_by = DecidedBy::from(approved.by());
        if let (true, Purpose::Hook { announced, .. }) = (decided_by.is_person(), &scope.purpose) {
            self.renew(rules, approved, situation, announced, scope).await?;
        }
        let ours = rules.runner(&judgement.subject().action) == Runner::Guard;
        // A command that the guard runs marks the session when it runs.
        let brings = if ours { Taint::NONE } else { scope.taint_of(judgement, Way::None, situation) };
        self.recorder.apply_taint(judgement, brings.joined(rules.brings), scope.caller).await;
        let outcome = self.hook_outcome(rules, judgement, scope.id);
        let (decision, receipt) = if ours {
            let (command, receipt) = self.approve_with_ticket(cleared, scope, rules.shell).await?;
            (HookDecision::Through(command), receipt)
        } else {
            let permit = self.recorder.journal.permit(cleared.approved, scope.caller);
            (HookDecision::Granted, self.recorder.watch(permit).await?)
        };
        let outcome = HookOutcome { decision, decided_by, receipt, ..outcome };
        Ok(PassEnd::End(PipelineEnd::Answered(Box::new(outcome))))
    }

    /// The client's answer for a refusal, which is recorded.
    pub(in crate::guard) fn hook_refused(
        &self,
        rules: &HookRules,
        refusal: &Refusal,
        reply: Reply,
    ) -> HookOutcome {
        HookOutcome {
            decision: HookDecision::Refused(reply.outcome),
            decided_by: reply.decided_by,
            refusal: reply.refusal,
            receipt: reply.receipt.unwrap_or_default(),
            ..self.hook_outcome(rules, refusal.judgement(), reply.id)
        }
    }

    /// The fields that all answers share; the decision is a denial until it is set.
    fn hook_outcome(&self, rules: &HookRules, judgement: &Judgement, id: uuid::Uuid) -> HookOutcome {
        let subject = judgement.subject();
        HookOutcome {
            id,
            decision: HookDecision::Refused(Outcome::Denied),
            verdict: rules.runner(&subject.action).verdict(judgement),
            decided_by: DecidedBy::Guard,
            findings: judgement.findings().to_vec(),
            risk: judgement.risk(),
            refusal: None,
            receipt: Receipt::default(),
            taint: self.taint(subject.claims.session.as_deref()),
            session: session_of(subject.claims.session.as_deref()).unwrap_or_default(),
            turn: subject.claims.turn.clone().unwrap_or_default(),
            undo: None,
        }
    }

    /// Keeps a permission for the client's shell. The returned line ends in a ticket of 128 bits, in hexadecimal.
    fn issue_ticket(
        &self,
        cleared: ApprovedAction,
        scope: &RequestScope<'_>,
        replaced: Replaced,
        shell: ShellOfClient,
    ) -> String {
        let number = Number(*uuid::Uuid::new_v4().as_bytes());
        let session = cleared.approved.judgement().subject().claims.session.clone();
        let Replaced { prefix, folder, moves } = replaced;
        let shown = if shell.comments {
            comment(&cleared.approved.judgement().subject().action)
        } else {
            String::new()
        };
        let run = match (moves && shell.stays, prefix.is_empty()) {
            (false, _) => format!("{} run {number}", self.runner.hands.runner()),
            (true, true) => followed(&self.runner.hands.runner(), number),
            (true, false) => format!("{{ {}; }}", followed(&self.runner.hands.runner(), number)),
        };
        let line = format!("{shown}{prefix}{run}");
        let (policy, caller) = (Arc::clone(&scope.policy), scope.caller.clone());
        let issued = line.clone();
        let ticket = Ticket { id: scope.id, policy, caller, cleared, session, line, folder };
        self.tickets.with(|waiting, now| waiting.insert(number, ticket, now));
        issued
    }

    /// Whether this is, byte for byte, a line that was issued to this session and waits to be run.
    #[must_use]
    pub fn is_issued_line(&self, line: &str, session: Option<&str>) -> bool {
        self.tickets.with(|waiting, _| {
            waiting.all().any(|ticket| ticket.line == line && ticket.session.as_deref() == session)
        })
    }

    /// Takes a ticket: its permission can then be used once.
    ///
    /// # Errors
    /// If the ticket is invalid here, or no longer valid. It is then invalid everywhere.
    pub fn redeem(&self, ticket: &str, cwd: &Path) -> Result<Redeemed, NoTicket> {
        let number: Number = ticket.parse().map_err(|()| NoTicket::Unknown)?;
        let ticket = self.tickets.with(|waiting, _| waiting.take(number)).ok_or(NoTicket::Unknown)?;
        let here = std::fs::canonicalize(cwd).map_err(|_| NoTicket::Folder)?;
        if here != ticket.folder {
            return Err(NoTicket::Folder);
        }
        Ok(Redeemed(ticket))
    }

    /// Runs the command of a ticket, in place of the client's shell.
    ///
    /// # Errors
    /// [`Fault`]: nothing was done, except for [`Fault::Unrecorded`].
    pub async fn run_redeemed(
        &self,
        redeemed: Redeemed,
        shell: Arc<ClientShell>,
        context: RequestContext,
    ) -> Result<Reply, Fault> {
        let Ticket { id, policy, caller, cleared, .. } = redeemed.0;
        let context = RequestContext { shell: Some(shell), ..context };
        let purpose = Purpose::Act;
        let scope = RequestScope { id, purpose, policy, caller: &caller, context: &context };
        let step = self.complete(cleared, &scope).await?;
        self.run_until_done(step, &scope).await?.reply()
    }

    /// Issues a permission as a command line for the client's shell. It is recorded first.
    ///
    /// # Errors
    /// [`Fault`]: the client must not run anything.
    pub(in crate::guard) async fn approve_with_ticket(
        &self,
        cleared: ApprovedAction,
        scope: &RequestScope<'_>,
        shell: ShellOfClient,
    ) -> Result<(String, guarda_journal::Receipt), Fault> {
        let approved = &cleared.approved;
        let judgement = approved.judgement();
        let by_person = approved.by().is_person();
        let speaks = |run: &Run| {
            judgement.findings().iter().filter(|finding| finding.verdict > Verdict::Allow).any(|finding| {
                finding.span.is_none_or(|span| span.start < run.span.end && run.span.start < span.end)
            })
        };
        let (cwd, home) = (Path::new(&cleared.situation.cwd), Path::new(&cleared.situation.home));
        let replaced = replaced(&judgement.subject().action, cwd, home, |run| by_person || !speaks(run));
        let receipt = self.recorder.watch(self.recorder.journal.handed(approved, scope.caller)).await?;
        Ok((self.issue_ticket(cleared, scope, replaced, shell), receipt))
    }
}
