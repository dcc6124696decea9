//! All files of the record in use: which are open, the extent of each, which are archived.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::checkpoints::{Checkpoint, CheckpointSigner, Checkpoints, FileState, TableCheck};
use super::folder::{Folder, session_of};
use super::keeping::{Retention, compress, prune, put_aside};
use super::log_file::{KnownSession, LogEntry, LogFile, Written};
use crate::anchor::Anchored;
use crate::carried::{self, Carried};
use crate::trouble::RecordError;
use crate::warning::{LostPart, RecordWarning};

/// The highest number of open files; beyond it, the one with the oldest write is closed.
const FILES: usize = 64;
/// How often old files are looked for.
const SWEEP: Duration = Duration::from_secs(60 * 60);
/// The shortest interval between two anchors: the anchor may lag behind, and no request waits for it.
const ANCHOR: Duration = Duration::from_secs(10);
/// How many bytes must fit on the disk before it no longer counts as full.
const ROOM: usize = 64 * 1024;

/// The text of the last anchor, for copies elsewhere.
pub(crate) type Latest = Arc<Mutex<Option<Arc<str>>>>;

/// The files of the record.
pub(crate) struct SegmentStore {
    folder: Folder,
    keeping: Retention,
    ledgers: HashMap<String, LogFile>,
    heads: Checkpoints,
    checkpoints: CheckpointSigner,
    /// A table of checkpoints existed: no guard wrote a file that it does not list.
    complete: bool,
    /// The checkpoints on disk are outdated.
    unsealed: bool,
    /// When the anchor was last written.
    anchored: Instant,
    /// Checkpoints were signed that the anchor does not include.
    adrift: bool,
    /// The text of the last anchor.
    anchor: Latest,
    /// What the start takes over.
    pub carried: Carried,
    compressing: Option<std::thread::JoinHandle<()>>,
    /// When old files were last looked for; `None` if it is due.
    swept: Option<Instant>,
    _lock: File,
}

impl SegmentStore {
    /// Opens the folder and closes as unknown what a crash left open. Returns the problems that were found.
    pub fn open(
        folder: Folder,
        keeping: Retention,
        checkpoints: CheckpointSigner,
    ) -> Result<(Self, Vec<RecordWarning>), RecordError> {
        let lock = folder.lock()?;
        let mut warnings = Vec::new();
        let any = folder.names()?.iter().any(|name| session_of(name).is_some());
        let anchor = checkpoints.anchored()?;
        let mut lost = Vec::new();
        let (heads, complete) = match super::checkpoints::read(&folder, Some(&checkpoints.public()))? {
            TableCheck::Signed(table) => {
                if table.anchored && anchor == Anchored::Nothing {
                    lost.push(LostPart::Anchor);
                }
                (table.heads, true)
            }
            TableCheck::Nothing if !any => {
                if !checkpoints.new && anchor == Anchored::Nothing {
                    lost.push(LostPart::Record);
                }
                (Checkpoints::new(), true)
            }
            TableCheck::Nothing => {
                warnings.push(RecordWarning::TableGone);
                super::checkpoints::note_missing(&folder)?;
                (Checkpoints::new(), false)
            }
            TableCheck::Broken(why) => {
                warnings.push(RecordWarning::TableBroken(why));
                super::checkpoints::put_aside(&folder)?;
                (Checkpoints::new(), false)
            }
        };
        // As the table was signed before this start adds to it.
        let mut sealed = heads.get(carried::SESSION).cloned().unwrap_or_default();
        let mut segment_store = Self {
            folder,
            keeping,
            ledgers: HashMap::new(),
            heads,
            checkpoints,
            complete,
            unsealed: true,
            anchored: Instant::now(),
            adrift: true,
            anchor: Latest::default(),
            carried: Carried::default(),
            compressing: None,
            swept: None,
            _lock: lock,
        };
        segment_store.recover(&mut warnings)?;
        segment_store.complete = true;
        match anchor {
            Anchored::Nothing => {}
            Anchored::Broken(why) => lost.push(LostPart::BrokenAnchor(why)),
            Anchored::Signed(anchor)
                if anchor.is_of(segment_store.folder.path(), segment_store.checkpoints.place()) =>
            {
                lost.extend(anchor.ahead_of(&segment_store.heads));
            }
            Anchored::Signed(anchor) => {
                warnings.push(RecordWarning::Moved(anchor.folder.display().to_string()));
            }
        }
        if lost.iter().any(|part| part.session() == Some(carried::SESSION)) {
            sealed.clear();
        }
        segment_store.carried = carried::read(&segment_store.folder, &sealed)?;
        if !lost.is_empty() {
            let lines: Vec<String> = lost.iter().map(ToString::to_string).collect();
            super::checkpoints::note_behind(&segment_store.folder, &lines.join("\n"))?;
            warnings.push(RecordWarning::Behind(lost));
        }
        // Before the table, so that a table that claims an anchor always has one.
        segment_store.anchor()?;
        segment_store.sweep()?;
        segment_store.checkpoints()?;
        Ok((segment_store, warnings))
    }

    /// The last anchor, at any time.
    pub fn latest(&self) -> Latest {
        Arc::clone(&self.anchor)
    }

    /// The current checkpoints.
    pub fn heads(&self) -> &Checkpoints {
        &self.heads
    }

    /// Writes the extent of the record beside the key.
    fn anchor(&mut self) -> Result<(), RecordError> {
        let text = self.checkpoints.anchor(&self.folder, &self.heads)?;
        *self.anchor.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.into());
        self.anchored = Instant::now();
        self.adrift = false;
        Ok(())
    }

    /// Examines every file that was not closed properly.
    fn recover(&mut self, warnings: &mut Vec<RecordWarning>) -> Result<(), RecordError> {
        let names = self.folder.names()?;
        let mut sessions: Vec<String> =
            names.iter().filter_map(|name| session_of(name)).map(str::to_owned).collect();
        let unfinished = |head: &Checkpoint| matches!(head.state, FileState::Open | FileState::Closed);
        for (session, parts) in &self.heads {
            if parts.values().next_back().is_some_and(unfinished) && !sessions.contains(session) {
                sessions.push(session.clone());
            }
        }
        for session in sessions {
            if self.is_as_closed(&session) {
                continue;
            }
            let mut log_file = self.open_ledger(&session)?;
            if let Some(damage) = &log_file.damage {
                let damage = damage.clone();
                warnings.push(RecordWarning::Damaged { session: session.clone(), damage });
                log_file = self.turn(&session, log_file)?;
            }
            for (number, facts) in log_file.open_intents().clone() {
                let (event, facts) = crate::line::abandoned(&facts);
                let entry = LogEntry { event, sequence: Some(number), facts: &facts };
                log_file.append(&self.folder, &[entry])?;
            }
            log_file.sync(&self.folder)?;
            let head = log_file.head(FileState::Closed);
            self.heads.entry(session).or_default().insert(log_file.part(), head);
        }
        Ok(())
    }

    /// Whether a session's file was closed properly and still has its size: then it is read only when it is next
    /// used.
    fn is_as_closed(&self, session: &str) -> bool {
        let last = self.heads.get(session).and_then(|parts| parts.values().next_back());
        let Some(head) = last.filter(|head| head.state == FileState::Closed) else { return false };
        let file = self.folder.file(&super::folder::file_of(session), rustix::fs::OFlags::RDONLY);
        let size = file.and_then(|file| {
            file.metadata().map_err(|error| RecordError::system(session, &error)).map(|facts| facts.len())
        });
        size.is_ok_and(|size| size == head.bytes)
    }

    fn open_ledger(&mut self, session: &str) -> Result<LogFile, RecordError> {
        let last = self.heads.get(session).and_then(|parts| parts.iter().next_back());
        let last = last.map(|(part, head)| (*part, head));
        let known = KnownSession { last, complete: self.complete, open: BTreeMap::new() };
        let mut log_file = LogFile::open(&self.folder, session, known)?;
        if let Some((part, head)) = log_file.previous.take() {
            self.heads.entry(session.to_owned()).or_default().insert(part, head);
        }
        Ok(log_file)
    }

    /// Archives a file and begins the next one.
    fn turn(&mut self, session: &str, log_file: LogFile) -> Result<LogFile, RecordError> {
        let (log_file, part, head) = log_file.turn(&self.folder)?;
        let parts = self.heads.entry(session.to_owned()).or_default();
        parts.insert(part, head);
        parts.insert(log_file.part(), log_file.head(FileState::Open));
        self.swept = None;
        Ok(log_file)
    }

    /// Adds lines to a session's file: all or none.
    pub fn append(
        &mut self,
        session: &str,
        entries: &[LogEntry<'_>],
        durable: bool,
    ) -> Result<Vec<Written>, RecordError> {
        self.make_ready(session)?;
        let log_file = self.ledgers.get_mut(session).ok_or_else(RecordError::closed)?;
        self.unsealed = true;
        let written = log_file.append(&self.folder, entries)?;
        if durable {
            log_file.sync(&self.folder)?;
        }
        Ok(written)
    }

    /// Opens a session's file, or begins the next one if this one is full or damaged. The table of checkpoints is signed
    /// before the first line is added, so that it lists every existing file.
    fn make_ready(&mut self, session: &str) -> Result<(), RecordError> {
        let mut new = false;
        if !self.ledgers.contains_key(session) {
            self.make_room();
            let log_file = self.open_ledger(session)?;
            self.ledgers.insert(session.to_owned(), log_file);
            new = true;
        }
        if self.ledgers.contains_key(session)
            && !self.is_open(session)
            && let Some(log_file) = self.ledgers.remove(session)
        {
            let log_file = self.turn(session, log_file)?;
            self.ledgers.insert(session.to_owned(), log_file);
            new = true;
        }
        if new { self.checkpoints() } else { Ok(()) }
    }

    /// Whether a session's file is open and accepts lines.
    pub fn is_open(&self, session: &str) -> bool {
        let Retention { file_bytes, file_age, .. } = self.keeping;
        let due = |log_file: &LogFile| log_file.damage.is_some() || log_file.is_full(file_bytes, file_age);
        self.ledgers.get(session).is_some_and(|log_file| !due(log_file))
    }

    /// If there are too many, closes the file with the oldest write.
    fn make_room(&mut self) {
        if self.ledgers.len() < FILES {
            return;
        }
        let oldest = self.ledgers.iter().min_by_key(|(_, log_file)| log_file.used);
        if let Some(session) = oldest.map(|(session, _)| session.clone())
            && let Some(mut log_file) = self.ledgers.remove(&session)
        {
            if let Err(error) = log_file.sync(&self.folder) {
                tracing::warn!(%error, "a file of the journal could not be put on disk");
            }
            let head = log_file.head(FileState::Closed);
            self.heads.entry(session).or_default().insert(log_file.part(), head);
        }
    }

    /// Syncs lines that were written without waiting, signs the checkpoints, and periodically looks for old files.
    pub fn chores(&mut self) -> Result<(), RecordError> {
        for log_file in self.ledgers.values_mut() {
            log_file.sync(&self.folder)?;
        }
        if self.unsealed {
            self.checkpoints()?;
        }
        if self.swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
            self.sweep()?;
        }
        if self.adrift && self.anchored.elapsed() >= ANCHOR {
            self.anchor()?;
        }
        Ok(())
    }

    fn checkpoints(&mut self) -> Result<(), RecordError> {
        for (session, log_file) in &self.ledgers {
            if !log_file.unsynced {
                let head = log_file.head(FileState::Open);
                self.heads.entry(session.clone()).or_default().insert(log_file.part(), head);
            }
        }
        self.checkpoints.write(&self.folder, &self.heads)?;
        self.unsealed = false;
        self.adrift = true;
        Ok(())
    }

    /// Syncs what is written, and marks each file as closed.
    pub fn close(&mut self) -> Result<(), RecordError> {
        for (session, log_file) in &mut self.ledgers {
            log_file.sync(&self.folder)?;
            let head = log_file.head(FileState::Closed);
            self.heads.entry(session.clone()).or_default().insert(log_file.part(), head);
        }
        self.wait_for_compression();
        // Files that were archived while others were being compressed.
        if self.swept.is_none() {
            self.sweep()?;
            self.wait_for_compression();
        }
        self.checkpoints.write(&self.folder, &self.heads)?;
        self.anchor()
    }

    fn wait_for_compression(&mut self) {
        if let Some(thread) = self.compressing.take()
            && thread.join().is_err()
        {
            tracing::error!("old files of the journal could not be compressed");
        }
    }

    /// Archives every file and begins new ones.
    pub fn turn_all(&mut self) -> Result<(), RecordError> {
        let names = self.folder.names()?;
        for session in names.iter().filter_map(|name| session_of(name)) {
            self.make_ready(session)?;
            if let Some(log_file) = self.ledgers.remove(session) {
                let log_file = self.turn(session, log_file)?;
                self.ledgers.insert(session.to_owned(), log_file);
            }
        }
        self.checkpoints()?;
        self.sweep()
    }

    /// After a failure: reopens the folder if it was gone, and tests whether it can be written to.
    pub fn try_again(&mut self) -> Result<(), RecordError> {
        if !self.folder.is_reachable() {
            self.find_again()?;
        }
        self.folder.room(ROOM)?;
        self.checkpoints()
    }

    /// Uses the folder that now replaces the removed one. Missing content is noted in the files that are begun there.
    fn find_again(&mut self) -> Result<(), RecordError> {
        let folder = Folder::claim(self.folder.path())?;
        let lock = folder.lock()?;
        let mut ledgers = HashMap::new();
        for (session, old) in &self.ledgers {
            let head = old.head(FileState::Open);
            let known = KnownSession {
                last: Some((old.part(), &head)),
                complete: true,
                open: old.open_intents().clone(),
            };
            let mut log_file = LogFile::open(&folder, session, known)?;
            let parts = self.heads.entry(session.clone()).or_default();
            parts.insert(old.part(), head);
            parts.extend(log_file.previous.take());
            ledgers.insert(session.clone(), log_file);
        }
        (self.folder, self._lock, self.ledgers) = (folder, lock, ledgers);
        Ok(())
    }

    /// Archives idle files, deletes those past their time, and has the rest compressed.
    fn sweep(&mut self) -> Result<(), RecordError> {
        if self.compressing.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return Ok(());
        }
        self.swept = Some(Instant::now());
        let now = jiff::Timestamp::now().as_second();
        let mut changed = false;
        for (session, parts) in &mut self.heads {
            let Some((part, head)) = parts.iter_mut().next_back() else { continue };
            let age = u64::try_from(now - head.time).unwrap_or(0);
            let idle = head.state == FileState::Closed && age >= self.keeping.file_age.as_secs();
            if idle && !self.ledgers.contains_key(session) {
                put_aside(&self.folder, session, *part)?;
                head.state = FileState::Archived;
                head.time = now;
                changed = true;
            }
        }
        changed |= prune(&self.folder, &self.keeping, &mut self.heads)?;
        if changed {
            self.checkpoints.write(&self.folder, &self.heads)?;
            self.adrift = true;
        }
        let folder = Folder::open(self.folder.path())?;
        let work = move || {
            if let Err(error) = compress(&folder) {
                tracing::warn!(%error, "old files of the journal could not be compressed");
            }
        };
        let thread = std::thread::Builder::new().name("journal-archive".to_owned()).spawn(work);
        self.compressing = thread.ok();
        Ok(())
    }
}
