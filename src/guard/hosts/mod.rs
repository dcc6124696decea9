//! Hosts that a run wants beyond those that were approved: a person is asked while it runs, and each step is recorded.

pub(super) mod live;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::watch;

use guarda_core::action::Proposal;
use guarda_core::gate::{ApprovedHosts, Cause, HostRefusal, NoAnswer, Number, PendingHosts, Span};
use guarda_core::network::{Destination, Host};
use guarda_core::policy::Situation;
use guarda_sandbox::relay::{Later, LiveTraffic, Outside};

use super::grants::{GrantAsker, GrantStore, Granted};
use super::late::{self, CommandKey, LateAbout, LateAnswers, LateYes};
use super::marks::{Marks, counted};
use super::recorder::Recorder;
use super::scope::RequestScope;
use super::{Progress, RequestContext};
use crate::config::sections::network::NetworkInForce;
use crate::prompt::{Options, Prompter};
use crate::wording::Impact;
use crate::wording::describe::host::WantedHosts;
use crate::wording::offer::{Lasting, Offers};
use guarda_journal::{HostStep, Journal, RecordError, RunLines, Warrant};
use live::Entered;

/// The most lines about refusals without a question in one run; further refusals are only counted in its traffic.
const MOST_REFUSALS: usize = 200;

/// Asks about the hosts that the run of one request wants.
pub(super) struct HostPrompter {
    asker: Asker,
    marks: Marks,
    /// True if the person who approved the command knew its hosts, and that it or its session sees secrets.
    secrets_known: bool,
    context: RequestContext,
    network: NetworkInForce,
    live: Entered,
    refusals: AtomicUsize,
    own_ports: OnceLock<Vec<u16>>,
    /// The request whose client is told first of the hosts that it is refused.
    told_first: Option<uuid::Uuid>,
    /// A person's answers, for all programs of the command.
    answers: watch::Sender<Answers>,
}

/// A person's answers about the hosts of one command.
#[derive(Debug, Default)]
struct Answers {
    yes: Vec<ApprovedHosts>,
    /// The hosts of a no, on any port.
    no: BTreeMap<Host, HostRefusal>,
}

impl Answers {
    /// The answer about these destinations, if there is one. A no to a host outlasts a yes to all.
    fn about(&self, to: &[Destination]) -> Option<Result<ApprovedHosts, HostRefusal>> {
        let no = to.iter().find_map(|to| self.no.get(&to.host)).cloned();
        let yes = || self.yes.iter().find_map(|yes| yes.covers(to));
        no.map(Err).or_else(|| yes().map(Ok))
    }

    fn take(&mut self, to: &[Destination], answer: &Result<ApprovedHosts, HostRefusal>) {
        match answer {
            Ok(approved) => self.yes.push(approved.clone()),
            Err(refused) => self.no.extend(to.iter().map(|to| (to.host.clone(), refused.clone()))),
        }
    }
}

/// Asks about the hosts of a run, also after its end.
#[derive(Clone)]
struct Asker {
    prompter: Prompter,
    journal: Journal,
    lines: RunLines,
    subject: Arc<Proposal>,
    late: Arc<LateAnswers>,
    /// Whose refusals count together.
    caller: String,
    grants: Arc<GrantStore>,
    /// Whose grants count.
    asker: GrantAsker,
}

impl HostPrompter {
    /// The host prompter for the run of a warrant.
    pub(super) fn new(
        (warrant, situation): (&Warrant, &Situation),
        secrets_known: bool,
        scope: &RequestScope<'_>,
        live: Entered,
        network: NetworkInForce,
        late: &Arc<LateAnswers>,
        recorder: &Recorder,
    ) -> Self {
        Self {
            asker: Asker {
                prompter: recorder.prompter.clone(),
                journal: recorder.journal.clone(),
                lines: warrant.lines(),
                subject: Arc::clone(warrant.judgement().subject()),
                late: Arc::clone(late),
                caller: counted(scope.caller, warrant.judgement().subject().claims.session.as_deref()),
                grants: Arc::clone(&recorder.grants),
                asker: scope.grant_asker(warrant.judgement().subject(), situation),
            },
            marks: recorder.marks.clone(),
            secrets_known,
            // What runs on after its line keeps no client waiting for output.
            context: RequestContext { shell: None, ..scope.context.clone() },
            told_first: (scope.context.told_first && !warrant.by().is_consent()).then_some(scope.id),
            network,
            live,
            refusals: AtomicUsize::new(0),
            own_ports: OnceLock::new(),
            answers: watch::Sender::default(),
        }
    }
}

impl Asker {
    async fn record(&self, to: &[Destination], step: HostStep<'_>) -> Result<(), HostRefusal> {
        let unrecorded = |error: RecordError| HostRefusal::Unrecorded { error: error.to_string() };
        self.journal.host(&self.lines, to, step).await.map_err(unrecorded)
    }

    /// A new question about these destinations.
    fn pending(&self, to: &[Destination]) -> (Number, PendingHosts) {
        let number = Number(*uuid::Uuid::new_v4().as_bytes());
        (number, PendingHosts::new(Arc::clone(&self.subject), to.to_vec(), number))
    }

    fn options(&self, to: &[Destination], late: bool) -> Options {
        let host = Some(WantedHosts::new(&self.subject.action, to));
        let impact = Arc::new(Impact { host, late, ..Impact::default() });
        // *Always*: all hosts, until the run ends.
        let lasting = [(Span::Session, Lasting::Hosts), (Span::Always, Lasting::AllHosts)];
        let offers = if late { Offers::default() } else { Offers::new(lasting.into()) };
        let group = (!late).then(|| self.asker.group(&to));
        Options { impact, offers, group, caller: self.caller.clone(), ..Options::default() }
    }

    /// Keeps the question open for a late answer, after the run has gone on without one.
    fn ask_late(&self, to: Vec<Destination>) {
        let of = CommandKey::of(&self.subject);
        let Some(place) = LateAnswers::place(&self.late, of.clone(), LateAbout::Hosts(to.clone())) else {
            return;
        };
        let asker = self.clone();
        tokio::spawn(async move {
            let _place = place;
            let (number, pending) = asker.pending(&to);
            asker.record(&to, HostStep::Asked(number)).await?;
            let (question, options) = (pending.question(), asker.options(&to, true));
            let answer = asker.prompter.ask_late(&question, options, late::LIFE).await;
            let settled = pending.settle(answer);
            asker.record(&to, HostStep::Answered(number, settled.as_ref())).await?;
            if let Ok(approved) = settled {
                asker.late.keep(of, number, LateYes::Hosts(approved), Instant::now());
            }
            Ok::<(), HostRefusal>(())
        });
    }
}

/// An open question of a run. If the run ends first, it becomes a late question.
struct OpenAsk<'a> {
    of: &'a HostPrompter,
    to: &'a [Destination],
    number: Number,
    settled: bool,
}

impl Drop for OpenAsk<'_> {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let (asker, to, number) = (self.of.asker.clone(), self.to.to_vec(), self.number);
        let answered = self.of.answers.borrow().about(self.to).is_some();
        let ask = !answered && !self.of.context.cancel.is_cancelled();
        tokio::spawn(async move {
            let cause = Cause::Withdrawn { why: NoAnswer::NotAwaited };
            // The journal reports that it cannot be written.
            let _ = asker.record(&to, HostStep::Answered(number, Err(&cause))).await;
            if ask {
                asker.ask_late(to);
            }
        });
    }
}

impl HostPrompter {
    /// A yes to these destinations that came too late for an earlier run of this command.
    async fn kept(&self, to: &[Destination]) -> Option<Result<ApprovedHosts, HostRefusal>> {
        let (number, approved) =
            self.asker.late.take(&CommandKey::of(&self.asker.subject), to, Instant::now())?;
        let recorded = self.asker.record(approved.destinations(), HostStep::Kept(number, &approved)).await;
        let all = recorded.map(|()| approved);
        self.answers.send_modify(|answers| answers.take(to, &all));
        Some(all.and_then(|all| all.covers(to).ok_or(HostRefusal::TooMany)))
    }

    /// Whether the client is told instead of a person being asked.
    fn tells(&self) -> bool {
        let Asker { late, subject, .. } = &self.asker;
        self.told_first.is_some_and(|request| !late.insists(CommandKey::of(subject), request, Instant::now()))
    }

    /// A grant for these destinations.
    async fn granted(&self, to: &[Destination]) -> Option<Result<ApprovedHosts, HostRefusal>> {
        let Asker { grants, asker, .. } = &self.asker;
        let (grant, hosts) = grants.hosts(asker, to, jiff::Timestamp::now())?;
        let recorded = self.asker.record(to, HostStep::Granted(grant, &hosts)).await;
        let answer = recorded.map(|()| hosts);
        self.answers.send_modify(|answers| answers.take(to, &answer));
        Some(answer)
    }

    /// Waits until a grant for these destinations is given.
    async fn granted_meanwhile(&self, to: &[Destination]) -> Result<ApprovedHosts, HostRefusal> {
        let mut changes = self.asker.grants.changes();
        loop {
            // The sender lives as long as the store.
            let _ = changes.changed().await;
            if let Some(granted) = self.granted(to).await {
                return granted;
            }
        }
    }

    /// Asks a person.
    async fn present(&self, to: &[Destination]) -> Result<ApprovedHosts, HostRefusal> {
        let asker = &self.asker;
        let (number, pending) = asker.pending(to);
        asker.record(to, HostStep::Asked(number)).await?;
        let mut open = OpenAsk { of: self, to, number, settled: false };
        self.context.report(Progress::Asked { number });
        let question = pending.question();
        let answer = asker.prompter.ask(&question, asker.options(to, false), self.context.taken_back()).await;
        let lasts = matches!(answer.lasting(), Some((_, Span::Session)));
        let settled = pending.settle(answer);
        open.settled = true;
        if let (true, Ok(hosts)) = (lasts, &settled) {
            let Asker { grants, journal, prompter, .. } = asker;
            let (covers, whom) = (Granted::Hosts(hosts.clone()), asker.asker.clone());
            let said = grants.give(journal, covers, Span::Session, whom, hosts.channel()).await;
            prompter.tell(&said, prompter.language(asker.subject.claims.language.as_deref()));
        }
        self.context.report(Progress::Answered { answer: if settled.is_ok() { "yes" } else { "no" } });
        asker.record(to, HostStep::Answered(number, settled.as_ref())).await?;
        if matches!(settled, Err(Cause::Silence)) {
            asker.ask_late(to.to_vec());
        }
        let answer = settled.map_err(|cause| HostRefusal::after(&cause));
        self.answers.send_modify(|answers| answers.take(to, &answer));
        answer
    }
}

impl Outside for HostPrompter {
    fn ask<'a>(&'a self, to: &'a [Destination]) -> Later<'a, Result<ApprovedHosts, HostRefusal>> {
        Box::pin(async move {
            // Once the session has seen secrets, no earlier answer counts.
            if self.asks_all() {
                return self.present(to).await;
            }
            let mut answers = self.answers.subscribe();
            if let Some(answer) = answers.borrow().about(to) {
                return answer;
            }
            if let Some(kept) = self.kept(to).await {
                return kept;
            }
            if let Some(granted) = self.granted(to).await {
                return granted;
            }
            if self.tells() {
                let why = HostRefusal::Unasked { why: NoAnswer::ToldFirst };
                for to in to {
                    self.refused(to, &why).await;
                }
                return Err(why);
            }
            // A yes to all hosts settles what else is asked.
            let all =
                answers.wait_for(|answers| answers.yes.iter().any(ApprovedHosts::all) && !self.asks_all());
            tokio::select! {
                granted = self.granted_meanwhile(to) => granted,
                Ok(answers) = all => answers.about(to).unwrap_or(Err(HostRefusal::TooMany)),
                answer = self.present(to) => answer,
            }
        })
    }

    fn refused<'a>(&'a self, to: &'a Destination, why: &'a HostRefusal) -> Later<'a, ()> {
        Box::pin(async move {
            if self.refusals.fetch_add(1, Ordering::Relaxed) < MOST_REFUSALS {
                // Nothing was connected to; the journal reports that it cannot be written.
                let _ = self.asker.record(std::slice::from_ref(to), HostStep::Refused(why)).await;
            }
        })
    }

    fn asks_all(&self) -> bool {
        !self.secrets_known && self.marks.taint(self.asker.subject.claims.session.as_deref()).secret
    }

    fn denies(&self, host: &Host) -> bool {
        self.network.get().denies(host)
    }

    fn begun(&self, traffic: LiveTraffic) {
        self.live.begun(traffic);
    }

    fn own_ports(&self) -> &[u16] {
        // Most runs have no network and need not wait for this.
        self.own_ports.get_or_init(|| {
            guarda_sandbox::relay::listening_ports().unwrap_or_else(|error| {
                tracing::warn!(%error, "the guard's own ports are not known");
                Vec::new()
            })
        })
    }
}
