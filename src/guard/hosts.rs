//! Hosts that a run wants beyond those that were approved: a person is asked while it runs.

use std::sync::{Arc, OnceLock};

use guarda_core::action::Proposal;
use guarda_core::gate::{ApprovedHost, Cause, Number, PendingHost};
use guarda_core::network::Destination;
use guarda_sandbox::relay::{Later, Outside, Refused};

use super::{Progress, RequestContext};
use crate::human::host::WantedHost;
use crate::human::{Impact, Options, Prompter};

/// What the run of one request asks of its surroundings.
pub(super) struct HostPrompter {
    prompter: Prompter,
    subject: Arc<Proposal>,
    context: RequestContext,
    own_ports: OnceLock<Vec<u16>>,
}

impl HostPrompter {
    /// For the run of `subject`.
    pub(super) fn new(prompter: &Prompter, subject: &Arc<Proposal>, context: &RequestContext) -> Self {
        Self {
            prompter: prompter.clone(),
            subject: Arc::clone(subject),
            context: context.clone(),
            own_ports: OnceLock::new(),
        }
    }
}

impl Outside for HostPrompter {
    fn ask<'a>(&'a self, to: &'a Destination) -> Later<'a, Result<ApprovedHost, Refused>> {
        Box::pin(async move {
            let number = Number(*uuid::Uuid::new_v4().as_bytes());
            let pending = PendingHost::new(Arc::clone(&self.subject), to.clone(), number);
            self.context.tell(Progress::Asked { number });
            let impact =
                Impact { host: Some(WantedHost::new(&self.subject.action, to)), ..Impact::default() };
            let options = Options { impact: Arc::new(impact), ..Options::default() };
            let question = pending.question();
            let answer = self.prompter.ask(&question, options, self.context.taken_back()).await;
            let settled = pending.settle(answer);
            self.context.tell(Progress::Answered { answer: if settled.is_ok() { "yes" } else { "no" } });
            settled.map_err(|cause| Refused::Answered(refused(&cause)))
        })
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
