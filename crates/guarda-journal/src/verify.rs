//! Checks a record against itself and its signed checkpoints, and names the first line that was changed.

pub mod evidence;
mod lines;
mod report;

use std::collections::BTreeMap;
use std::path::Path;

use super::anchor::{Anchored, Anchors, FileExtent};
use super::chain::{Hash, NOTHING};
use super::files::checkpoints::{Checkpoint, Checkpoints, FileState, TableCheck};
use super::files::folder::{Folder, file_of, part_of, session_of};
use super::files::log_file::{ARCHIVE, BEGINNING};
use super::trouble::RecordError;

pub use evidence::{Evidence, Remark};
use lines::{Found, Lines, first_fault, read};

pub use report::{Tampering, VerifyReport, What};

/// How often, and after how long, a faulty record is checked again while a guard writes to it: a busy disk
/// delays the table of checkpoints.
const LOOKS: usize = 60;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// Checks the record in a folder. `key` is the public key in hexadecimal, kept elsewhere (`journal.pub` in the
/// state folder). Without it, only the key in the table of checkpoints is available, which anyone who can write to the
/// folder can replace.
///
/// ```
/// use guarda_journal::{Journal, JournalConfig, verify};
///
/// let folder = tempfile::tempdir().unwrap();
/// let journal = Journal::open(JournalConfig::new(folder.path())).unwrap();
/// journal.reloaded("policy", "a digest of the rules").unwrap();
/// let key = journal.key();
/// drop(journal);
/// assert!(verify(folder.path(), key.as_deref()).unwrap().is_sound());
///
/// let file = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
/// let file = file.into_iter().find(|path| path.extension().is_some_and(|end| end == "jsonl")).unwrap();
/// let text = std::fs::read_to_string(&file).unwrap();
/// std::fs::write(&file, text.replace("a digest", "another digest")).unwrap();
/// assert!(!verify(folder.path(), key.as_deref()).unwrap().is_sound());
/// ```
///
/// # Errors
/// If the folder cannot be opened at all.
pub fn verify(folder: &Path, key: Option<&str>) -> Result<VerifyReport, RecordError> {
    verify_against(folder, key, &Anchors::default())
}

/// Like [`verify`]. Also checks that the record reaches every position that an anchor elsewhere has seen.
///
/// # Errors
/// If the folder cannot be opened at all.
pub fn verify_against(
    folder: &Path,
    key: Option<&str>,
    anchors: &Anchors,
) -> Result<VerifyReport, RecordError> {
    if anchors.keyed && !folder.exists() {
        let mut report = VerifyReport::default();
        report.fault(&folder.display().to_string(), None, What::Missing, Evidence::NoFolder);
        return Ok(report);
    }
    let folder = Folder::open(folder)?;
    let look = || look(&folder, super::files::checkpoints::read(&folder, key)?, key.is_some(), anchors);
    let mut report = look()?;
    // A running guard archives files while they are read. A real fault is still there a moment later.
    for _ in 0..LOOKS {
        if report.is_sound() || !folder.is_kept() {
            break;
        }
        std::thread::sleep(PAUSE);
        report = look()?;
    }
    Ok(report)
}

fn look(
    folder: &Folder,
    table: TableCheck,
    key: bool,
    anchors: &Anchors,
) -> Result<VerifyReport, RecordError> {
    let names = folder.names()?;
    let mut report = VerifyReport::default();
    let files = files(folder, &names)?;
    let was_anchored = matches!(&table, TableCheck::Signed(table) if table.anchored);
    let marks = marks(folder, anchors, was_anchored, &mut report);
    let (heads, signed) = match table {
        TableCheck::Signed(table) => {
            report.sealed = Some(table.written);
            if !key {
                report.notes.push(Remark::OwnKey(table.key));
            }
            (table.heads, true)
        }
        TableCheck::Nothing if files.is_empty() => {
            if anchors.keyed {
                report.fault("heads", None, What::Missing, Evidence::NoRecord);
            }
            (Checkpoints::new(), true)
        }
        TableCheck::Nothing => {
            report.fault("heads", None, What::Missing, Evidence::NoTable);
            (Checkpoints::new(), false)
        }
        TableCheck::Broken(why) => {
            report.fault("heads", None, What::Unsigned, Evidence::BrokenTable(why));
            (Checkpoints::new(), false)
        }
    };
    for name in names.iter().filter(|name| super::files::checkpoints::is_put_aside(name)) {
        report.fault(name, None, What::PutAside, Evidence::Noted);
    }
    let mut sessions: Vec<&String> = files.keys().chain(heads.keys()).chain(marks.keys()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let nothing = BTreeMap::new();
    for session in sessions {
        let parts = files.get(session).cloned().unwrap_or_default();
        let heads = heads.get(session).unwrap_or(&nothing);
        let marks = marks.get(session).map(Vec::as_slice).unwrap_or_default();
        let mut check = Check { folder, signed, before: Some((0, NOTHING)), marks, report: &mut report };
        check.session(session, &parts, heads)?;
        check.anchored(session, &parts, heads);
    }
    Ok(report)
}

/// The furthest position of each session, by every anchor of this folder. Unreachable anchors are reported.
fn marks<'a>(
    folder: &Folder,
    anchors: &'a Anchors,
    was_anchored: bool,
    report: &mut VerifyReport,
) -> BTreeMap<String, Vec<&'a FileExtent>> {
    let mut marks: BTreeMap<String, Vec<&FileExtent>> = BTreeMap::new();
    report.notes.extend(anchors.notes.iter().cloned());
    for (place, anchor) in &anchors.kept {
        match anchor {
            Anchored::Signed(anchor) if anchor.is_of(folder.path(), &anchors.keys) => {
                for (session, mark) in &anchor.ends {
                    marks.entry(session.clone()).or_default().push(mark);
                }
            }
            Anchored::Signed(anchor) => {
                let other = anchor.folder.display().to_string();
                report.notes.push(Remark::OtherRecord { place: place.clone(), other });
            }
            Anchored::Nothing if was_anchored => {
                report.fault(place, None, What::Missing, Evidence::NoAnchor);
            }
            Anchored::Nothing => {
                report.notes.push(Remark::NoAnchorYet(place.clone()));
            }
            Anchored::Broken(why) => {
                report.fault(place, None, What::Unsigned, Evidence::BrokenAnchor(why.clone()));
            }
        }
    }
    marks
}

/// The files of a session: the archived ones by number, and the current one.
#[derive(Debug, Clone, Default)]
struct Files {
    parts: BTreeMap<u32, (String, bool)>,
    live: bool,
}

fn files(folder: &Folder, names: &[String]) -> Result<BTreeMap<String, Files>, RecordError> {
    let mut files: BTreeMap<String, Files> = BTreeMap::new();
    for session in names.iter().filter_map(|name| session_of(name)) {
        files.entry(session.to_owned()).or_default().live = true;
    }
    if names.iter().any(|name| name == ARCHIVE) {
        for name in Folder::open(&folder.path().join(ARCHIVE))?.names()? {
            if let Some((session, part, damaged)) = part_of(&name) {
                let place = format!("{ARCHIVE}/{name}");
                let file = files.entry(session.to_owned()).or_default();
                // During compression both exist.
                if !file.parts.contains_key(&part) || name.ends_with(".gz") {
                    file.parts.insert(part, (place, damaged));
                }
            }
        }
    }
    Ok(files)
}

/// Checks one session, file by file.
struct Check<'a> {
    folder: &'a Folder,
    /// Whether there is a signed table of checkpoints, which lists every file.
    signed: bool,
    /// The number and last hash of the previous file; `None` if unknown.
    before: Option<(u32, Hash)>,
    /// The furthest position of the session that an anchor has seen.
    marks: &'a [&'a FileExtent],
    report: &'a mut VerifyReport,
}

impl Check<'_> {
    fn session(
        &mut self,
        session: &str,
        files: &Files,
        heads: &BTreeMap<u32, Checkpoint>,
    ) -> Result<(), RecordError> {
        let live = file_of(session);
        let mut numbers: Vec<u32> = files.parts.keys().chain(heads.keys()).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let newest = heads.keys().next_back().copied();
        let mut live_seen = !files.live;
        for number in numbers {
            let head = heads.get(&number);
            match (files.parts.get(&number), head) {
                (Some((place, damaged)), _) => {
                    self.file(place, number, head, *damaged)?;
                    if *damaged {
                        self.report.fault(place, None, What::PutAside, Evidence::Damaged);
                    }
                }
                (None, Some(head)) if head.state == FileState::Pruned => {
                    let session = session.to_owned();
                    self.report.notes.push(Remark::Expired { part: number, session });
                    self.before = head.hash().map(|hash| (number, hash));
                }
                (None, Some(head))
                    if files.live
                        && newest == Some(number)
                        && matches!(head.state, FileState::Open | FileState::Closed) =>
                {
                    live_seen = true;
                    self.file(&live, number, Some(head), false)?;
                }
                (None, Some(head)) => {
                    let why =
                        Evidence::NoPart { part: number, session: session.to_owned(), lines: head.lines };
                    self.report.fault(&live, None, What::Missing, why);
                    self.before = head.hash().map(|hash| (number, hash));
                }
                (None, None) => {}
            }
        }
        if !live_seen {
            // A file created after the last signed checkpoint.
            let number = self.before.map_or(0, |(number, _)| number.saturating_add(1));
            self.file(&live, number, None, false)?;
        }
        Ok(())
    }

    /// Whether the session reaches the anchored position. Missing parts of files are reported where they are read.
    fn anchored(&mut self, session: &str, files: &Files, heads: &BTreeMap<u32, Checkpoint>) {
        let live = files.live.then(|| self.before.map_or(1, |(number, _)| number));
        let newest = files.parts.keys().chain(heads.keys()).copied().chain(live).max();
        for mark in self.marks {
            if newest.is_none_or(|newest| newest < mark.part) {
                let why = Evidence::NoAnchoredPart {
                    part: mark.part,
                    session: session.to_owned(),
                    lines: mark.lines,
                };
                self.report.fault(&file_of(session), None, What::Missing, why);
            }
        }
    }

    /// Whether a file holds the anchored line.
    fn against_marks(&mut self, place: &str, number: u32, found: &[Found]) {
        for mark in self.marks.iter().filter(|mark| mark.part == number) {
            let lines = found.len() as u64;
            if lines < mark.lines {
                let why = Evidence::BehindAnchor { gone: mark.lines - lines, lines: mark.lines };
                self.report.fault(place, Some(lines + 1), What::Cut, why);
                continue;
            }
            let at = usize::try_from(mark.lines).ok().and_then(|lines| lines.checked_sub(1));
            if at.is_some_and(|at| found.get(at).map(|line| line.own) != mark.hash()) {
                self.report.fault(place, Some(mark.lines), What::Changed, Evidence::UnlikeAnchor);
            }
        }
    }

    /// Checks one file. `damaged`: the guard archived it as damaged and signed only its valid part.
    fn file(
        &mut self,
        place: &str,
        number: u32,
        head: Option<&Checkpoint>,
        damaged: bool,
    ) -> Result<(), RecordError> {
        self.report.files += 1;
        let before = self.before.take();
        // It may have been compressed in the meantime.
        let source = self
            .folder
            .read(place)
            .or_else(|error| self.folder.read(&format!("{place}.gz")).map_err(|_| error));
        let source = match source {
            Ok(source) => source,
            Err(error) => {
                self.report.fault(place, None, What::Unreadable, Evidence::NotOpened(error.why));
                return Ok(());
            }
        };
        let Lines { found, opening, open, torn, error } = read(source);
        let lines = found.len() as u64;
        self.report.lines += lines;
        let live = head.is_none_or(|head| matches!(head.state, FileState::Open | FileState::Closed));
        if live {
            self.report.open += open;
        }
        if let Some((line, what, why)) = first_fault(&found, head, before.map(|(_, hash)| hash)) {
            self.report.fault(place, Some(line), what, why);
            if damaged {
                self.before = head.and_then(Checkpoint::hash).map(|hash| (number, hash));
            }
            return Ok(());
        }
        if let Some(error) = error {
            let why = Evidence::NotRead(error.to_string());
            self.report.fault(place, Some(lines + 1), What::Unreadable, why);
            return Ok(());
        }
        if torn {
            if head.is_some_and(|head| head.state != FileState::Open) {
                self.report.fault(place, Some(lines + 1), What::Inserted, Evidence::HalfLine);
                return Ok(());
            }
            self.report.notes.push(Remark::HalfWritten(place.to_owned()));
        }
        match head {
            Some(head) => self.report.unsealed += lines.saturating_sub(head.lines),
            None if self.signed && lines > BEGINNING => {
                self.report.fault(place, Some(1), What::Inserted, Evidence::NeverSealed);
                return Ok(());
            }
            None => self.report.unsealed += lines,
        }
        self.against_marks(place, number, &found);
        let Some(last) = found.last() else {
            // A new file that has no line yet.
            self.before = before;
            return Ok(());
        };
        let first = found.first().and_then(|first| first.prev);
        let part = opening.as_ref().map(|opening| opening.part);
        let fits =
            before.is_none_or(|(part, hash)| first == Some(hash) && part.checked_add(1) == Some(number));
        if part != Some(number) || !fits {
            self.report.fault(place, Some(1), What::Misplaced, Evidence::OtherFile);
        }
        if let Some(damage) = opening.and_then(|opening| opening.damage) {
            self.report.notes.push(Remark::AfterDamage { place: place.to_owned(), damage });
        }
        self.before = Some((number, last.own));
        Ok(())
    }
}
