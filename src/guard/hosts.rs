//! Hosts that a run wants beyond those that were approved: a person is asked while it runs, and each step is recorded.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use guarda_core::action::Proposal;
use guarda_core::gate::{ApprovedHosts, Cause, Decider, Number, PendingHosts};
use guarda_core::network::{Destination, Host};
use guarda_core::policy::Situation;
use guarda_sandbox::relay::{Later, LiveTraffic, Outside, Refused};

use super::live::{Entered, LiveRuns};
use super::marks::Marks;
use super::{Guard, Progress, RequestContext};
use crate::config::network::NetworkInForce;
use crate::human::host::WantedHosts;
use crate::human::{Impact, Options, Prompter};
use crate::record::{HostStep, Journal, RecordError, RunLines, Warrant};

/// The most lines about refusals without a question in one run; what comes after counts in its traffic.
const MOST_REFUSALS: usize = 200;

/// What the run of one request asks of its surroundings.
pub(super) struct HostPrompter {
    prompter: Prompter,
    journal: Journal,
    lines: RunLines,
    marks: Marks,
    /// The person who approved the command was told of its hosts, and that it or its session sees secrets.
    told: bool,
    subject: Arc<Proposal>,
    context: RequestContext,
    network: NetworkInForce,
    live: Entered,
    refusals: AtomicUsize,
    own_ports: OnceLock<Vec<u16>>,
}

impl Guard {
    /// What the run of a warrant asks of its surroundings.
    pub(super) fn host_prompter(
        &self,
        warrant: &Warrant,
        situation: &Situation,
        context: &RequestContext,
    ) -> Arc<dyn Outside> {
        let (judgement, lines) = (warrant.judgement(), warrant.lines());
        let secret = judgement.taint().secret || self.brought(judgement, situation).secret;
        Arc::new(HostPrompter {
            prompter: self.prompter.clone(),
            journal: self.journal.clone(),
            marks: self.marks.clone(),
            told: secret && matches!(warrant.by(), Decider::Person { .. }),
            subject: Arc::clone(judgement.subject()),
            context: context.clone(),
            network: self.hands.network().clone(),
            live: LiveRuns::enter(&self.live, &lines),
            lines,
            refusals: AtomicUsize::new(0),
            own_ports: OnceLock::new(),
        })
    }
}

impl HostPrompter {
    async fn record(&self, to: &[Destination], step: HostStep<'_>) -> Result<(), Refused> {
        let unrecorded = |error: RecordError| Refused::Answered(error.to_string());
        self.journal.host(&self.lines, to, step).await.map_err(unrecorded)
    }
}

impl Outside for HostPrompter {
    fn ask<'a>(&'a self, to: &'a [Destination]) -> Later<'a, Result<ApprovedHosts, Refused>> {
        Box::pin(async move {
            let number = Number(*uuid::Uuid::new_v4().as_bytes());
            let pending = PendingHosts::new(Arc::clone(&self.subject), to.to_vec(), number);
            self.record(to, HostStep::Asked(number)).await?;
            self.context.tell(Progress::Asked { number });
            let host = Some(WantedHosts::new(&self.subject.action, to));
            let options =
                Options { impact: Arc::new(Impact { host, ..Impact::default() }), ..Options::default() };
            let question = pending.question();
            let answer = self.prompter.ask(&question, options, self.context.taken_back()).await;
            let settled = pending.settle(answer);
            self.context.tell(Progress::Answered { answer: if settled.is_ok() { "yes" } else { "no" } });
            self.record(to, HostStep::Answered(number, settled.as_ref())).await?;
            settled.map_err(|cause| Refused::Answered(refused(&cause)))
        })
    }

    fn refused<'a>(&'a self, to: &'a Destination, why: &'a Refused) -> Later<'a, ()> {
        Box::pin(async move {
            if self.refusals.fetch_add(1, Ordering::Relaxed) < MOST_REFUSALS {
                // Nothing was connected to; the journal reports that it cannot be written.
                let _ = self.record(std::slice::from_ref(to), HostStep::Refused(&why.to_string())).await;
            }
        })
    }

    fn asks_all(&self) -> bool {
        !self.told && self.marks.taint(self.subject.claims.session.as_deref()).secret
    }

    fn denies(&self, host: &Host) -> bool {
        self.network.get().denies(host)
    }

    fn begun(&self, traffic: LiveTraffic) {
        self.live.begun(traffic);
    }

    fn own_ports(&self) -> &[u16] {
        // Most runs have no network: they need not wait for this.
        self.own_ports.get_or_init(|| {
            guarda_sandbox::relay::listening_ports().unwrap_or_else(|error| {
                tracing::warn!(%error, "the guard's own ports are not known");
                Vec::new()
            })
        })
    }
}

/// What the client of a run is told.
fn refused(cause: &Cause) -> String {
    let why = match cause {
        Cause::Person { reason: Some(reason), .. } => return format!("a person said no: {reason}"),
        Cause::Person { .. } | Cause::Changed { .. } => "a person said no",
        Cause::Silence => "a person was asked, and nobody answered in time",
        Cause::WrongCodes { .. } => "a person was asked, and the answer had the wrong code",
        Cause::Withdrawn { why } | Cause::Unasked { why } => return format!("nobody could be asked: {why}"),
        Cause::Policy | Cause::NoPassword | Cause::Mismatch => "it was not approved",
    };
    why.to_owned()
}
