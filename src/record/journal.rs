//! The journal: JSON Lines, one append-only file per session.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use guarda_core::effects::Effects;
use guarda_core::gate::{Approved, Number, Pending, Refusal};
use guarda_core::judge::Judgement;
use guarda_core::network::Destination;
use guarda_core::output::Output;
use guarda_core::policy::Verdict;

use super::anchor::Anchored;
use super::chain::hex;
use super::checkpoints::{CheckpointSigner, Checkpoints};
use super::facts;
use super::folder::{Folder, check};
use super::keeping::Retention;
use super::line::{Facts, RecordEvent, audit_id};
use super::log_file::Written;
use super::proof::{Caller, Ending, HostStep, IntentPosition, Open, Receipt, RunLines, Warrant};
use super::queue::Queue;
use super::segment_store::{Latest, SegmentStore};
use super::trouble::{RecordError, RecordHealth, Trouble};
use super::writer::{Write, Writer, WriterOrder};

/// Of this many lines without a waiting caller, one is waited for.
const WAITED: u64 = 64;

/// The settings of the journal.
#[derive(Debug, Clone)]
pub struct JournalConfig {
    /// The folder of the files; created with mode 0700.
    pub folder: PathBuf,
    /// If false, actions on the safe list are not recorded (feature M11, `log_all_commands`).
    pub all: bool,
    /// When files are archived, compressed and deleted.
    pub keeping: Retention,
    /// The folder of the key that signs the checkpoints of the files; created at the first start.
    pub keys: PathBuf,
}

impl JournalConfig {
    /// Settings for a journal in this folder, key included, with the default retention.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { keys: folder.clone(), folder, all: true, keeping: Retention::default() }
    }
}

/// The journal; cheap to clone. When the last clone is dropped, waiting lines are written and the files are closed.
#[derive(Debug, Clone)]
pub struct Journal {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    keys: PathBuf,
    all: bool,
    queue: Queue,
    writer: Mutex<Option<JoinHandle<()>>>,
    health: RecordHealth,
    policy: Mutex<Option<String>>,
    /// Counts the lines without a waiting caller.
    soon: AtomicU64,
    /// The open questions: their session and number.
    asked: Mutex<HashMap<Number, (String, u64)>>,
    /// The staged runs whose effects wait to be judged: their effects, session and number.
    held: Mutex<Vec<(Weak<Effects>, String, u64)>>,
    warnings: Vec<String>,
    anchor: Latest,
    /// The checkpoints at the start.
    heads: Checkpoints,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn stop(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            let _ = self.queue.send(WriterOrder::Stop);
            if writer.join().is_err() {
                tracing::error!("the journal's writer ended by a panic");
            }
        }
    }
}

impl Journal {
    /// Opens the journal and closes as *unknown* what a crash left open.
    ///
    /// # Errors
    /// If the folder cannot be created, is not ours, or its last file cannot be continued.
    pub fn open(config: JournalConfig) -> Result<Self, RecordError> {
        let folder = Folder::make(&config.folder)?;
        let health = RecordHealth::default();
        let checkpoints = CheckpointSigner::load(Folder::make(&config.keys)?)?;
        let (segment_store, warnings) = SegmentStore::open(folder, config.keeping, checkpoints)?;
        let (anchor, heads) = (segment_store.latest(), segment_store.heads().clone());
        let (queue, orders) = super::queue::queue(Writer::new(segment_store, health.clone()));
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || orders.work())
            .map_err(|error| RecordError::system("the journal's thread", &error))?;
        let writer = Mutex::new(Some(thread));
        let (folder, keys) = (config.folder, config.keys);
        let shared = Shared {
            folder,
            keys,
            all: config.all,
            queue,
            writer,
            health,
            policy: Mutex::new(None),
            soon: AtomicU64::new(1),
            asked: Mutex::default(),
            held: Mutex::default(),
            warnings,
            anchor,
            heads,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The signed extent of the record, for copies elsewhere. It lags some seconds behind.
    #[must_use]
    pub fn anchor(&self) -> Option<Arc<str>> {
        self.shared.anchor.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The public half of the signing key, in hexadecimal.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        super::anchor::public(&self.shared.keys)
    }

    /// Compares the record at the start with an anchor from elsewhere. Missing parts are noted in the folder, where
    /// `verify` names them, and returned.
    ///
    /// # Errors
    /// If the note cannot be written.
    pub fn compare(&self, anchor: &str, place: &str) -> Result<Option<String>, RecordError> {
        let why = match Anchored::read(anchor, &self.key().unwrap_or_default()) {
            Anchored::Signed(anchor) if anchor.is_of(&self.shared.folder, &self.shared.keys) => {
                let lost = anchor.ahead_of(&self.shared.heads);
                if lost.is_empty() {
                    return Ok(None);
                }
                lost.join("; ")
            }
            Anchored::Signed(_) | Anchored::Nothing => return Ok(None),
            Anchored::Broken(why) => format!("it is worth nothing: {why}"),
        };
        let why = format!("the record is behind its anchor in {place}: {why}");
        super::checkpoints::note_behind(&Folder::open(&self.shared.folder)?, &why)?;
        Ok(Some(why))
    }

    /// The folder of the files, for readers: [`super::read`], [`super::verify`].
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        &self.shared.folder
    }

    /// The file with the public key.
    #[must_use]
    pub fn public_key(&self) -> PathBuf {
        self.shared.keys.join(super::checkpoints::PUBLIC)
    }

    /// Sets the digest of the rules in force, which every later line includes.
    pub fn set_policy(&self, digest: &str) {
        *self.shared.policy.lock().unwrap_or_else(PoisonError::into_inner) = Some(digest.to_owned());
    }

    /// Why the record cannot be written, if it cannot. Writing is then retried every second.
    #[must_use]
    pub fn trouble(&self) -> Option<RecordError> {
        self.shared.health.any()
    }

    /// Whether the intent of a deed could be written now. After a failure this retries, so that nobody is asked about
    /// an action that could not be done.
    ///
    /// # Errors
    /// The failure, if it persists.
    pub async fn ready(&self, judgement: &Judgement) -> Result<(), RecordError> {
        let session = session(judgement)?;
        if self.shared.health.is_good() {
            return Ok(());
        }
        let (reply, waiting) = oneshot::channel();
        self.shared.queue.send(WriterOrder::Ready(session, reply))?;
        waiting.await.map_err(|_| RecordError::closed())?
    }

    /// Problems that were found when the journal was opened: damaged files that were archived.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.shared.warnings
    }

    /// Archives the files and begins new ones, whatever their size and age.
    ///
    /// # Errors
    /// If a file cannot be archived.
    pub async fn turn(&self) -> Result<(), RecordError> {
        let (reply, waiting) = oneshot::channel();
        self.shared.queue.send(WriterOrder::Turn(reply))?;
        waiting.await.map_err(|_| RecordError::closed())?
    }

    /// Writes waiting lines and closes the files. Later calls get [`Trouble::Closed`].
    pub fn shut(&self) {
        self.shared.stop();
    }

    /// Records that a person is asked. The answer is recorded under the same number. If the guard ends before that,
    /// the next start records a denial.
    ///
    /// # Errors
    /// If it cannot be written. The question must then not be shown.
    pub async fn ask(&self, pending: &Pending, caller: &Caller) -> Result<(), RecordError> {
        let judgement = pending.judgement();
        let facts = facts::asked(self.judged(judgement, caller)?, pending).map_err(unclean)?;
        let (session, sequence) = match self.held(judgement) {
            Some((session, sequence)) => (session, Some(sequence)),
            None => (session(judgement)?, None),
        };
        let written = self.write(&session, RecordEvent::Asked, sequence, &facts, false).await?;
        self.questions().insert(pending.question().number, (session, written.sequence));
        Ok(())
    }

    /// Records a person's yes to a command whose caller will return with a token. The permission is kept elsewhere.
    ///
    /// # Errors
    /// If it cannot be written. The yes then does not count.
    pub async fn granted(&self, approved: &Approved, caller: &Caller) -> Result<Receipt, RecordError> {
        let facts = facts::approved(self.judged(approved.judgement(), caller)?, approved).map_err(unclean)?;
        let (session, sequence) = self.place(approved.question(), approved.judgement())?;
        let written = self.write(&session, RecordEvent::Advice, sequence, &facts, true).await?;
        Ok(receipt(&session, written))
    }

    fn questions(&self) -> std::sync::MutexGuard<'_, HashMap<Number, (String, u64)>> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session and number of the staged run whose effects are judged.
    fn held(&self, judgement: &Judgement) -> Option<(String, u64)> {
        let effects = judgement.effects()?;
        let held = self.shared.held.lock().unwrap_or_else(PoisonError::into_inner);
        let found = held.iter().find(|(of, ..)| std::ptr::eq(of.as_ptr(), Arc::as_ptr(effects)));
        found.map(|(_, session, sequence)| (session.clone(), *sequence))
    }

    /// The position of the next line about a request: its number, if it has one from a question or a staged run.
    fn place(
        &self,
        question: Option<Number>,
        judgement: &Judgement,
    ) -> Result<(String, Option<u64>), RecordError> {
        let asked = question.and_then(|number| self.questions().remove(&number));
        asked.or_else(|| self.held(judgement)).map_or_else(
            || Ok((session(judgement)?, None)),
            |(session, sequence)| Ok((session, Some(sequence))),
        )
    }

    /// Records the intent and returns the warrant. The line is then on disk; for an allowed action of the safe list
    /// it is only written, and with `log_all_commands` off it is left out.
    ///
    /// # Errors
    /// If it cannot be written. The action must then not run.
    pub async fn intend(&self, approved: Approved, caller: &Caller) -> Result<Warrant, RecordError> {
        let judgement = approved.judgement();
        let facts = facts::approved(self.judged(judgement, caller)?, &approved).map_err(unclean)?;
        let (session, number) = self.place(approved.question(), judgement)?;
        // An action that a person was asked about is always recorded.
        let safe = is_safe(judgement) && number.is_none();
        let mut entry =
            IntentPosition { session, sequence: 0, facts, durable: !safe, begun: false, shared: None };
        if self.shared.all || !safe {
            let written =
                self.write(&entry.session, RecordEvent::Intent, number, &entry.facts, !safe).await?;
            entry.sequence = written.sequence;
            entry.shared = Some(self.shared.queue.clone());
        }
        Ok(Warrant { approved, entry })
    }

    /// Records the outcome of a deed.
    ///
    /// # Errors
    /// If it cannot be written. The deed was done nevertheless.
    pub async fn close(&self, open: Open, output: &Output) -> Result<Receipt, RecordError> {
        let facts = facts::done(open.entry.facts.clone(), output).map_err(unclean)?;
        self.end(open, facts).await
    }

    /// Records that a staged run is over and its effects wait to be judged. Their outcome has the same number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn hold(
        &self,
        open: Open,
        output: &Output,
        effects: &Arc<Effects>,
    ) -> Result<Receipt, RecordError> {
        let facts = facts::held(open.entry.facts.clone(), output).map_err(unclean)?;
        let entry = &open.entry;
        if entry.shared.is_some() {
            let mut held = self.shared.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.retain(|(effects, ..)| effects.strong_count() > 0);
            held.push((Arc::downgrade(effects), entry.session.clone(), entry.sequence));
        }
        self.end(open, facts).await
    }

    /// Records that a command could not be run with its changes held back, and why. It had no effect.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn not_staged(&self, open: Open, output: &Output, why: &str) -> Result<Receipt, RecordError> {
        let facts = facts::not_staged(open.entry.facts.clone(), output, why).map_err(unclean)?;
        self.end(open, facts).await
    }

    async fn end(&self, open: Open, facts: Facts) -> Result<Receipt, RecordError> {
        let Open { approved: _, mut entry } = open;
        if entry.shared.is_none() {
            return Ok(Receipt { audit_id: audit_id(&entry.session, entry.sequence), hash: String::new() });
        }
        let (session, sequence) = (entry.session.clone(), entry.sequence);
        let waiting = self.send(&session, RecordEvent::Outcome, Some(sequence), &facts, entry.durable)?;
        entry.shared = None;
        let written = waiting.await.map_err(|_| RecordError::closed())??;
        Ok(receipt(&session, written))
    }

    /// Records that an action was not done, and why.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn refuse(&self, refusal: &Refusal, caller: &Caller) -> Result<Receipt, RecordError> {
        let judgement = refusal.judgement();
        let facts = facts::refused(self.judged(judgement, caller)?, refusal).map_err(unclean)?;
        let (session, number) = self.place(refusal.question(), judgement)?;
        let written = self.write(&session, RecordEvent::Refusal, number, &facts, true).await?;
        Ok(receipt(&session, written))
    }

    /// Records that advice was given and nothing was run (`/v1/judge`, hooks).
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn advise(&self, judgement: &Judgement, caller: &Caller) -> Result<Receipt, RecordError> {
        let session = session(judgement)?;
        let safe = is_safe(judgement);
        if safe && !self.shared.all {
            return Ok(Receipt { audit_id: String::new(), hash: String::new() });
        }
        let facts = self.judged(judgement, caller)?;
        let written = self.write(&session, RecordEvent::Advice, None, &facts, !safe).await?;
        Ok(receipt(&session, written))
    }

    /// Like [`Journal::advise`], but usually without waiting; it waits now and then, to bound the number of waiting
    /// lines. For advice that nothing depends on: after a power cut, the lines of the last second may be missing.
    ///
    /// # Errors
    /// If writing is known to fail.
    pub async fn advise_soon(&self, judgement: &Judgement, caller: &Caller) -> Result<(), RecordError> {
        let turn = self.shared.soon.fetch_add(1, Ordering::Relaxed);
        if turn.is_multiple_of(WAITED) || !self.shared.health.is_good() {
            return self.advise(judgement, caller).await.map(drop);
        }
        if is_safe(judgement) && !self.shared.all {
            return Ok(());
        }
        let facts = serde_json::to_string(&self.judged(judgement, caller)?)
            .map_err(|error| RecordError::new(Trouble::System, error.to_string()))?;
        let (session, event) = (session(judgement)?, RecordEvent::Advice);
        let write = Write { session, event, sequence: None, facts, durable: false, reply: None };
        self.shared.queue.write(write)
    }

    /// Records that a session got marks, or that a person cleared them; `now` is the new state.
    ///
    /// # Errors
    /// If it cannot be written. The marks change nevertheless.
    pub async fn mark(
        &self,
        session: &str,
        now: guarda_core::policy::Taint,
        why: &str,
        caller: &Caller,
    ) -> Result<Receipt, RecordError> {
        check(session)?;
        let facts = facts::marked(now, why, caller).map_err(unclean)?;
        let written = self.write(session, RecordEvent::Marked, None, &facts, true).await?;
        Ok(receipt(session, written))
    }

    /// Records a step about hosts that a run wants, or wanted. An answer is on disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written. The question must then not be shown, and no connection made.
    pub async fn host(
        &self,
        run: &RunLines,
        wanted: &[Destination],
        step: HostStep<'_>,
    ) -> Result<(), RecordError> {
        let durable = matches!(step, HostStep::Answered(..) | HostStep::Kept(..));
        let facts = facts::wanted(&run.facts, wanted, step).map_err(unclean)?;
        self.write(&run.session, RecordEvent::Host, run.sequence, &facts, durable).await.map(drop)
    }

    /// Records how the start ended an interrupted commit or undo. Does not wait: the changes are made already.
    ///
    /// # Errors
    /// If writing is known to fail.
    pub fn ended_at_start(&self, ending: &Ending<'_>) -> Result<(), RecordError> {
        let facts = facts::ended_at_start(ending).map_err(unclean)?;
        // An invalid session name is no reason to lose the line.
        let session = session_of(ending.session).or_else(|_| session_of(None))?;
        self.send(&session, RecordEvent::Recovered, Some(0), &facts, true).map(drop)
    }

    /// Records that the caller may run the action itself. This consumes the permission: the guard runs nothing.
    ///
    /// # Errors
    /// If it cannot be written. The caller may then not run it.
    pub async fn permit(&self, approved: Approved, caller: &Caller) -> Result<Receipt, RecordError> {
        let judgement = approved.judgement();
        let (session, number) = self.place(approved.question(), judgement)?;
        let safe = is_safe(judgement) && number.is_none();
        if safe && !self.shared.all {
            return Ok(Receipt { audit_id: String::new(), hash: String::new() });
        }
        let facts = facts::approved(self.judged(judgement, caller)?, &approved).map_err(unclean)?;
        let written = self.write(&session, RecordEvent::Advice, number, &facts, !safe).await?;
        Ok(receipt(&session, written))
    }

    fn judged(&self, judgement: &Judgement, caller: &Caller) -> Result<Facts, RecordError> {
        let policy = self.shared.policy.lock().unwrap_or_else(PoisonError::into_inner).clone();
        facts::judged(judgement, caller, policy.as_deref()).map_err(unclean)
    }

    async fn write(
        &self,
        session: &str,
        event: RecordEvent,
        sequence: Option<u64>,
        facts: &Facts,
        durable: bool,
    ) -> Result<Written, RecordError> {
        let waiting = self.send(session, event, sequence, facts, durable)?;
        waiting.await.map_err(|_| RecordError::closed())?
    }

    fn send(
        &self,
        session: &str,
        event: RecordEvent,
        sequence: Option<u64>,
        facts: &Facts,
        durable: bool,
    ) -> Result<oneshot::Receiver<Result<Written, RecordError>>, RecordError> {
        let facts = serde_json::to_string(facts)
            .map_err(|error| RecordError::new(Trouble::System, error.to_string()))?;
        let (reply, waiting) = oneshot::channel();
        let session = session.to_owned();
        let write = Write { session, event, sequence, facts, durable, reply: Some(reply) };
        self.shared.queue.write(write)?;
        Ok(waiting)
    }
}

fn session(judgement: &Judgement) -> Result<String, RecordError> {
    session_of(judgement.subject().claims.session.as_deref())
}

/// The session of a request; without a name, the session of the day (UTC).
///
/// # Errors
/// If it is not a session name: 1 to 64 letters, digits, `-`, `_` or `.`, not beginning with `.`.
pub fn session_of(named: Option<&str>) -> Result<String, RecordError> {
    let session = match named {
        Some(session) => session.to_owned(),
        None => format!("desk-{}", jiff::Timestamp::now().strftime("%Y%m%d")),
    };
    check(&session)?;
    Ok(session)
}

/// Whether the action is on the vocabulary's safe list and no finding requires more.
fn is_safe(judgement: &Judgement) -> bool {
    judgement.verdict() == Verdict::Allow && judgement.subject().action.kind().entry().safe
}

fn receipt(session: &str, written: Written) -> Receipt {
    Receipt { audit_id: audit_id(session, written.sequence), hash: hex(&written.hash) }
}

fn unclean(failure: guarda_core::output::RedactionFailure) -> RecordError {
    RecordError::new(Trouble::System, format!("secrets in it could not be hidden: {failure}"))
}
