//! The journal: JSON Lines, one append-only file per session.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use guarda_core::effects::Effects;
use guarda_core::gate::Number;
use guarda_core::judge::Judgement;

use super::anchor::Anchored;
use super::carried::Carried;
use super::files::checkpoints::{CheckpointSigner, Checkpoints};
use super::files::folder::{Folder, check};
use super::files::keeping::Retention;
use super::files::queue::Queue;
use super::files::segment_store::{Latest, SegmentStore};
use super::files::writer::{Writer, WriterOrder};
use super::trouble::{RecordError, RecordHealth};
use super::warning::{LostPart, RecordWarning};

mod entries;
mod facts;

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
    warnings: Vec<RecordWarning>,
    anchor: Latest,
    /// The checkpoints at the start.
    heads: Checkpoints,
    /// What the start takes over.
    carried: Carried,
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
    /// ```
    /// use guarda_journal::{Journal, JournalConfig};
    ///
    /// let folder = tempfile::tempdir().unwrap();
    /// let journal = Journal::open(JournalConfig::new(folder.path())).unwrap();
    /// journal.reloaded("policy", "a digest of the rules").unwrap();
    /// assert_eq!(journal.key().unwrap().len(), 64);
    /// ```
    ///
    /// # Errors
    /// If the folder cannot be created, is not ours, or its last file cannot be continued.
    pub fn open(config: JournalConfig) -> Result<Self, RecordError> {
        let folder = Folder::make(&config.folder)?;
        let health = RecordHealth::default();
        let checkpoints = CheckpointSigner::load(Folder::make(&config.keys)?)?;
        let (mut segment_store, warnings) = SegmentStore::open(folder, config.keeping, checkpoints)?;
        let carried = std::mem::take(&mut segment_store.carried);
        let (anchor, heads) = (segment_store.latest(), segment_store.heads().clone());
        let (queue, orders) = super::files::queue::queue(Writer::new(segment_store, health.clone()));
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
            carried,
        };
        let journal = Self { shared: Arc::new(shared) };
        journal.withdraw_loose()?;
        Ok(journal)
    }

    /// The signed extent of the record, for copies elsewhere. It lags some seconds behind.
    #[must_use]
    pub fn anchor(&self) -> Option<Arc<str>> {
        self.shared.anchor.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the start takes over from the record.
    #[must_use]
    pub fn carried(&self) -> &Carried {
        &self.shared.carried
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
    pub fn compare(&self, anchor: &str, place: &str) -> Result<Option<RecordWarning>, RecordError> {
        let lost = match Anchored::read(anchor, &self.key().unwrap_or_default()) {
            Anchored::Signed(anchor) if anchor.is_of(&self.shared.folder, &self.shared.keys) => {
                let lost = anchor.ahead_of(&self.shared.heads);
                if lost.is_empty() {
                    return Ok(None);
                }
                lost
            }
            Anchored::Signed(_) | Anchored::Nothing => return Ok(None),
            Anchored::Broken(why) => vec![LostPart::BrokenCopy(why)],
        };
        let warning = RecordWarning::BehindElsewhere { place: place.to_owned(), lost };
        super::files::checkpoints::note_behind(&Folder::open(&self.shared.folder)?, &warning.to_string())?;
        Ok(Some(warning))
    }

    /// The folder of the files, for readers: [`mod@super::read`], [`mod@super::verify`].
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        &self.shared.folder
    }

    /// The file with the public key.
    #[must_use]
    pub fn public_key(&self) -> PathBuf {
        self.shared.keys.join(super::anchor::PUBLIC)
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
    pub fn warnings(&self) -> &[RecordWarning] {
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

    /// Writes waiting lines and closes the files. Later calls get [`super::Trouble::Closed`].
    pub fn shut(&self) {
        self.shared.stop();
    }
}

fn session(judgement: &Judgement) -> Result<String, RecordError> {
    session_of(judgement.subject().claims.session.as_deref())
}

/// The session of a request; without a name, the session of the day (UTC).
///
/// # Errors
/// If it is not a session name: 1 to 64 letters, digits, `-`, `_` or `.`, not beginning with `.`; `@` and the name of a place may
/// follow.
pub fn session_of(named: Option<&str>) -> Result<String, RecordError> {
    let session = match named {
        Some(session) => session.to_owned(),
        None => format!("desk-{}", jiff::Timestamp::now().strftime("%Y%m%d")),
    };
    check(&session)?;
    Ok(session)
}
