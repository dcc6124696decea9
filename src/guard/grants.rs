//! What a person granted beforehand: for a turn, a session, a day, or always in a folder. Given through the record, kept by the
//! guard, and heeded only for the asker that it was given to.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use guarda_core::gate::{ApprovedHosts, Span};
use guarda_core::network::Destination;
use guarda_core::policy::{CommandShape, Stamp, StandingGrant};
use guarda_journal::{Grant, GrantStep, GrantTerms, Journal, RecordError};
use jiff::{SignedDuration, Timestamp, ToSpan as _, Zoned};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use uuid::Uuid;

use crate::wording::Message;

/// How long a grant holds at most: a caller could name an old session again.
const LONGEST_SESSION: SignedDuration = SignedDuration::from_hours(24);
/// How long *always* holds, so that a forgotten grant ends by itself.
const LONGEST: SignedDuration = SignedDuration::from_hours(24 * 90);
/// The most grants that are kept; the oldest are dropped.
const MOST: usize = 1000;

/// Who asks, where and when: what a grant is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantAsker {
    /// The caller: its door and its name.
    pub caller: String,
    /// The session, by its name in the record.
    pub session: String,
    /// The person's message that it follows from, if the caller names it.
    pub turn: Option<String>,
    /// The working tree, or else the working folder.
    pub folder: PathBuf,
}

impl GrantAsker {
    /// What questions of this asker about the same kind of thing have in common.
    #[must_use]
    pub fn group(&self, kind: &impl std::fmt::Debug) -> String {
        let Self { caller, session, folder, .. } = self;
        format!("{:?}", (caller, session, folder, kind))
    }
}

/// What a grant covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Granted {
    /// Commands, and the version of each of their programs.
    Commands(CommandShape, Vec<Option<Stamp>>),
    /// Hosts that a running command may reach.
    Hosts(ApprovedHosts),
}

impl Granted {
    /// Commands of this shape, with the programs that are there now.
    #[must_use]
    pub fn commands(shape: CommandShape) -> Self {
        let versions = versions(&shape);
        Self::Commands(shape, versions)
    }

    /// Whether its programs are the ones that the person meant.
    fn stands(&self) -> bool {
        match self {
            Self::Commands(shape, known) => versions(shape) == *known,
            Self::Hosts(_) => true,
        }
    }

    /// As a person reads it.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Commands(shape, _) => shape.to_string(),
            Self::Hosts(hosts) => {
                let names: Vec<String> = hosts.destinations().iter().map(Destination::to_string).collect();
                names.join(", ")
            }
        }
    }
}

fn versions(shape: &CommandShape) -> Vec<Option<Stamp>> {
    let stamp = |program: &str| crate::devices::filesystem::paths::stamp(Path::new(program));
    shape.runs.iter().map(|run| stamp(&run.program)).collect()
}

/// The terms of granted commands that outlast the service, as the record keeps them.
#[derive(Debug, Serialize, Deserialize)]
struct KeptTerms {
    shape: CommandShape,
    versions: Vec<Option<Stamp>>,
    asker: GrantAsker,
    since: Timestamp,
    until: Timestamp,
    channel: String,
}

/// A grant that a person gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenGrant {
    /// Its number.
    pub id: Uuid,
    /// What it covers.
    pub covers: Granted,
    /// For how long it was given.
    pub span: Span,
    /// To whom, where.
    pub asker: GrantAsker,
    /// Since when.
    pub since: Timestamp,
    /// When it ends.
    pub until: Timestamp,
    /// Through which channel the person said so.
    pub channel: String,
    /// How often it was used.
    pub uses: u64,
}

impl GivenGrant {
    /// A grant that begins now.
    #[must_use]
    pub fn new(covers: Granted, span: Span, asker: GrantAsker, channel: &str, now: &Zoned) -> Self {
        let since = now.timestamp();
        let until = match span {
            Span::Turn | Span::Session => since + LONGEST_SESSION,
            // A calendar without a tomorrow has a longest session.
            Span::Today => now
                .checked_add(1.day())
                .and_then(|tomorrow| tomorrow.start_of_day())
                .map_or(since + LONGEST_SESSION, |midnight| midnight.timestamp()),
            Span::Always => since + LONGEST,
        };
        Self { id: Uuid::new_v4(), covers, span, asker, since, until, channel: channel.to_owned(), uses: 0 }
    }

    /// What the record keeps of it beyond the service's end.
    fn terms(&self) -> Option<String> {
        let Granted::Commands(shape, versions) = &self.covers else { return None };
        let Self { asker, since, until, channel, .. } = self.clone();
        let (shape, versions) = (shape.clone(), versions.clone());
        let kept = KeptTerms { shape, versions, asker, since, until, channel };
        (self.span == Span::Always).then(|| serde_json::to_string(&kept).ok()).flatten()
    }

    fn of_terms(number: &str, terms: &str) -> Option<Self> {
        let KeptTerms { shape, versions, asker, since, until, channel } = serde_json::from_str(terms).ok()?;
        let covers = Granted::Commands(shape, versions);
        Some(Self {
            id: number.parse().ok()?,
            covers,
            span: Span::Always,
            asker,
            since,
            until,
            channel,
            uses: 0,
        })
    }

    /// Whether it was for a turn that is over, since its session goes on with another.
    fn is_past(&self, asker: &GrantAsker) -> bool {
        let Self { span, asker: own, .. } = self;
        let same = (&own.caller, &own.session) == (&asker.caller, &asker.session);
        *span == Span::Turn && same && asker.turn.is_some() && own.turn != asker.turn
    }

    /// Whether it holds for this asker at this time.
    #[must_use]
    pub fn holds(&self, asker: &GrantAsker, now: Timestamp) -> bool {
        let same = self.asker.caller == asker.caller;
        now < self.until
            && same
            && match self.span {
                Span::Turn => {
                    self.asker.session == asker.session
                        && asker.turn.is_some()
                        && self.asker.turn == asker.turn
                }
                Span::Session => self.asker.session == asker.session,
                Span::Today | Span::Always => self.asker.folder == asker.folder,
            }
    }
}

/// The grants in force.
#[derive(Debug, Default)]
pub struct GrantStore {
    given: Mutex<Vec<GivenGrant>>,
    /// Whenever one is given.
    changes: watch::Sender<()>,
}

impl GrantStore {
    fn given(&self) -> MutexGuard<'_, Vec<GivenGrant>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those in force at this time, the latest first.
    #[must_use]
    pub fn list(&self, now: Timestamp) -> Vec<GivenGrant> {
        self.given().iter().rev().filter(|grant| now < grant.until).cloned().collect()
    }

    /// The commands that are granted to this asker. A grant ends for good when one of its programs is another one.
    #[must_use]
    pub fn commands(&self, asker: &GrantAsker, now: Timestamp) -> Vec<StandingGrant> {
        let mut given = self.given();
        // The programs of other askers' grants are not looked at.
        given.retain(|grant| {
            now < grant.until && !grant.is_past(asker) && (!grant.holds(asker, now) || grant.covers.stands())
        });
        let holding = given.iter().filter(|grant| grant.holds(asker, now));
        let commands = holding.filter_map(|grant| match &grant.covers {
            Granted::Commands(shape, _) => Some(StandingGrant { id: grant.id, shape: shape.clone() }),
            Granted::Hosts(_) => None,
        });
        commands.collect()
    }

    /// The hosts that are granted to this asker, if they are these.
    #[must_use]
    pub fn hosts(
        &self,
        asker: &GrantAsker,
        to: &[Destination],
        now: Timestamp,
    ) -> Option<(Uuid, ApprovedHosts)> {
        let mut given = self.given();
        let mut holding = given.iter_mut().filter(|grant| grant.holds(asker, now));
        holding.find_map(|grant| {
            let Granted::Hosts(hosts) = &grant.covers else { return None };
            let hosts = hosts.covers(to)?;
            grant.uses += 1;
            Some((grant.id, hosts))
        })
    }

    /// Gives a grant, because a person said so through this channel. The record has it first. Returns the confirmation to speak.
    pub async fn give(
        &self,
        journal: &Journal,
        covers: Granted,
        span: Span,
        asker: GrantAsker,
        channel: &str,
    ) -> Message<'static> {
        let grant = GivenGrant::new(covers, span, asker, channel, &Zoned::now());
        match self.record(journal, grant).await {
            Ok(()) => Message::Granted(span),
            Err(error) => {
                tracing::warn!(%error, "a grant could not be recorded");
                Message::NotRemembered
            }
        }
    }

    /// Records a grant, and heeds it from then on.
    ///
    /// # Errors
    /// [`RecordError`]: it is not given.
    pub async fn record(&self, journal: &Journal, grant: GivenGrant) -> Result<(), RecordError> {
        Lines::of(&grant).given(journal).await?;
        self.add(grant);
        Ok(())
    }

    /// Those that the record kept. What cannot be read grants nothing.
    #[must_use]
    pub fn carried(terms: &GrantTerms) -> Self {
        let given = terms.iter().filter_map(|(number, terms)| GivenGrant::of_terms(number, terms)).collect();
        Self { given: Mutex::new(given), ..Self::default() }
    }

    /// Adds a grant, in place of an earlier one of the same for the same asker.
    pub fn add(&self, grant: GivenGrant) {
        let mut given = self.given();
        let same = |known: &GivenGrant| {
            known.span == grant.span && known.asker == grant.asker && known.covers == grant.covers
        };
        given.retain(|known| !same(known));
        let over = (given.len() + 1).saturating_sub(MOST);
        given.drain(..over);
        given.push(grant);
        drop(given);
        self.changes.send_replace(());
    }

    /// Changes whenever one is given.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Counts a use of each.
    pub fn used(&self, grants: &[Uuid]) {
        self.given().iter_mut().filter(|grant| grants.contains(&grant.id)).for_each(|grant| grant.uses += 1);
    }

    /// Ends the grants that `which` selects, records that, and returns them.
    pub fn withdraw(&self, journal: &Journal, mut which: impl FnMut(&GivenGrant) -> bool) -> Vec<GivenGrant> {
        let ended: Vec<GivenGrant> = self.given().extract_if(.., |grant| which(grant)).collect();
        for grant in &ended {
            if let Err(error) = Lines::of(grant).withdrawn(journal) {
                tracing::warn!(%error, "a grant that is withdrawn could not be recorded");
            }
        }
        ended
    }
}

/// The lines of the record about a grant.
struct Lines<'a> {
    grant: &'a GivenGrant,
    number: String,
    shown: String,
    reason: String,
    terms: Option<String>,
}

impl<'a> Lines<'a> {
    fn of(grant: &'a GivenGrant) -> Self {
        let length: &'static str = grant.span.into();
        Self {
            grant,
            number: grant.id.to_string(),
            shown: grant.covers.shown(),
            reason: format!("{length}, to {}, until {}", grant.asker.session, grant.until),
            terms: grant.terms(),
        }
    }

    fn step(&self, given: bool) -> GrantStep<'_> {
        GrantStep {
            command_hash: &self.number,
            command: &self.shown,
            folder: self.grant.asker.folder.to_str().unwrap_or_default(),
            grant: match self.grant.covers {
                Granted::Commands(..) => Grant::Commands,
                Granted::Hosts(_) => Grant::Hosts,
            },
            given,
            channel: given.then_some(self.grant.channel.as_str()),
            reason: given.then_some(self.reason.as_str()),
            terms: self.terms.as_deref().filter(|_| given),
        }
    }

    async fn given(&self, journal: &Journal) -> Result<(), RecordError> {
        journal.grant(&self.step(true)).await
    }

    fn withdrawn(&self, journal: &Journal) -> Result<(), RecordError> {
        journal.grant_soon(&self.step(false))
    }
}
