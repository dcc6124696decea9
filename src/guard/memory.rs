//! What the guard remembers about commands: looked up before the judgement, updated after the deed.

mod anchor;
pub mod permanent;
pub mod overrides;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::registry::{DigestCache, EndedRun, Identity, Registry, RunEnd, run};
use crate::wording::Message;
use guarda_core::action::{Action, Proposal};
use guarda_core::judge::Judgement;
use guarda_core::output::Output;
use guarda_core::policy::history::is_asked_each_time;
use guarda_core::policy::{Hindrance, History, Policy, Profile, Situation, Verdict};
use guarda_journal::{Grants, Journal};

/// The registry, and the digests of programs by which it identifies commands.
#[derive(Debug)]
pub struct Memory {
    registry: Registry,
    digests: Arc<DigestCache>,
    /// True once the user has been told of the current registry outage.
    loss_announced: AtomicBool,
    /// How many repairs of damage the user has been told of.
    repairs_announced: AtomicU64,
    /// What the record says is allowed for good. The database alone allows nothing.
    grants: Mutex<Grants>,
    journal: Journal,
}

/// What to remember about a judged command, except for how its run ends.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) identity: Identity,
    /// Whether a person may be offered *always*.
    pub(super) always: bool,
    risk: f64,
    tags: Vec<String>,
    allowed: bool,
    held_back: Option<Hindrance>,
    tainted: bool,
}

/// How long the reply waits for the run to be counted. It is counted in any case.
const PATIENCE: Duration = Duration::from_secs(2);

impl Memory {
    /// A memory in this registry, with what this record says is allowed for good.
    #[must_use]
    pub fn new(registry: Registry, journal: &Journal) -> Self {
        Self {
            grants: Mutex::new(journal.carried().grants.clone()),
            journal: journal.clone(),
            registry,
            digests: Arc::new(DigestCache::default()),
            loss_announced: AtomicBool::new(false),
            repairs_announced: AtomicU64::new(0),
        }
    }

    /// The registry.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The identity of a command; `None` if it is not a command line.
    pub async fn identify(
        &self,
        proposal: &Proposal,
        situation: &Situation,
        profile: Profile,
    ) -> Option<Identity> {
        let Action::RunCommand { text, script } = &proposal.action else { return None };
        let digests = match self.digests.known(situation) {
            Some(digests) => digests,
            None => {
                let (digests, seen) = (Arc::clone(&self.digests), situation.clone());
                // A new program is read to its end. If that fails, it has no digest.
                tokio::task::spawn_blocking(move || digests.of(&seen)).await.unwrap_or_default()
            }
        };
        Some(Identity::of(text, script, situation, profile, &digests))
    }

    /// The history of a command. What the database alone allows is left out.
    pub async fn recall(&self, identity: &Identity) -> History {
        let history = self.registry.recall(identity, jiff::Timestamp::now()).await;
        self.heed(identity, history)
    }

    /// What the user must be told about the registry: once for each outage and each repair.
    pub(super) fn progress(&self) -> Option<Message<'static>> {
        let status = self.registry.status();
        if self.repairs_announced.swap(status.mended, Ordering::Relaxed) < status.mended {
            return Some(Message::RegistryDamaged);
        }
        let lost = status.lost.is_some();
        (!self.loss_announced.swap(lost, Ordering::Relaxed) && lost).then_some(Message::RegistryLost)
    }

    /// Stores that a person allowed a command permanently, through this channel. Returns the confirmation to speak.
    pub(super) async fn allow(&self, identity: &Identity, channel: &str) -> Message<'static> {
        let said = self.grant(identity, None, channel);
        match tokio::time::timeout(PATIENCE, said).await {
            Ok(Ok(())) => Message::Remembered,
            Ok(Err(error)) => {
                tracing::warn!(%error, "a person's word could not be stored");
                Message::NotRemembered
            }
            Err(_) => Message::NotRemembered,
        }
    }

    /// Counts a run by its end. A run that was cancelled or never began is not counted.
    pub(super) async fn note(&self, expected: Expected, output: &Output, by_person: bool) {
        let Some(end) = RunEnd::of(output) else { return };
        let Expected { identity, always: _, risk, tags, allowed, held_back, tainted } = expected;
        let at = jiff::Timestamp::now();
        let run = EndedRun {
            identity: identity.clone(),
            at,
            end,
            duration: output.duration,
            risk,
            tags,
            allowed,
            held_back,
            tainted,
        };
        match tokio::time::timeout(PATIENCE, self.registry.note(run)).await {
            Ok(Ok(change)) => self.earn(&identity, &change, by_person).await,
            // The registry has reported the failure, and counts the run as soon as it can.
            Ok(Err(error)) => tracing::debug!(%error, "a run is counted later"),
            Err(_) => tracing::debug!("a run is counted later"),
        }
    }
}

impl Expected {
    /// Takes a client tool's announced changes into account: *always* would apply to the file, whatever the tool writes there.
    pub(super) fn changing(self, judgement: &Judgement) -> Self {
        let mut asked = judgement.findings().iter().filter(|finding| finding.verdict > Verdict::Allow);
        let each_time = asked.any(is_asked_each_time);
        Self { always: self.always && !each_time, ..self }
    }

    /// Adds the session's marks: this run may have set them, and then does not count towards a promotion.
    pub(super) fn within(self, taint: guarda_core::policy::Taint) -> Self {
        Self { tainted: self.tainted || taint.any(), ..self }
    }

    pub(super) fn new(
        identity: Identity,
        judgement: &Judgement,
        situation: &Situation,
        policy: &Policy,
    ) -> Self {
        let (risk, tags, allowed) = run::seen_by_rules(judgement.findings());
        let may_earn = policy.may_earn(&judgement.subject().action, situation, judgement.findings());
        let action = &judgement.subject().action;
        let lost = situation.history.as_ref().is_some_and(|history| history.lost.is_some());
        Self {
            identity,
            // In a marked session nothing is offered, though what was allowed before still holds.
            always: !lost
                && !situation.taint().any()
                && policy.may_last(action, situation, judgement.findings()).is_ok(),
            risk,
            tags,
            allowed,
            held_back: may_earn.err(),
            tainted: situation.taint().any(),
        }
    }
}
