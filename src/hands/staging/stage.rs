//! Staged runs (feature N4): the run, and the commit or discard of its effects.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use guarda_core::action::Proposal;
use guarda_core::effects::{Change, Effects, Entry, EntryKind, Sought, Tried};
use guarda_core::judge::effects::stands_out;
use guarda_core::output::traffic::HostTraffic;
use guarda_core::output::{Ended, RawOutput};
use guarda_core::policy::{Policy, Situation};
use guarda_journal::{Open, Warrant};
use guarda_sandbox::stage::{Budget, DiskUsage, NotCommitted, Note, Stage, StageError, StagedRoot, Stages};

use crate::hands::commands::cells::names;
use crate::hands::deeds::RunSpec;
use crate::hands::staging::held_back::HeldBack;
use crate::hands::staging::stageable::caches;
use crate::hands::staging::told::{tell_refused, tell_survivors};
use crate::hands::staging::undoable::{Tally, Undoable, note, sweep};
use crate::hands::{Hands, RunContext, perform};

/// A run that has ended, and whose effects wait for a decision.
#[derive(Debug)]
pub struct StagedRun {
    stage: Stage,
    held: Option<HeldBack>,
    /// Its changes.
    pub effects: Arc<Effects>,
}

/// The end of a staged run. Nothing has changed until it is committed.
#[derive(Debug)]
pub enum StageEnd {
    /// It has ended, and its effects wait.
    Ran(Box<StagedRun>),
    /// It was cancelled, or could not start; its output says why.
    Over,
    /// It could not be staged, so a person must be asked about its words and about what it wanted.
    Not(Vec<NotStaged>, Tried),
}

/// Why a line could not be staged, so that the question is about its words. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStaged {
    /// The writes could not be held back.
    #[error("its writes could not be held back: {0}")]
    Unheld(String),
    /// It wrote more than the limit.
    #[error("it was tried where nothing counts, and wrote more than can be held back")]
    TooMuch,
    /// It took longer than this limit.
    #[error("it was tried where nothing counts, and went on for {} seconds", .0.as_secs())]
    TooLong(Duration),
    /// It waited for connections on these ports.
    #[error("it was tried where nobody can connect to it, and waits for connections on port {0}")]
    Serves(String),
    /// It goes on running, and waits for no connections.
    #[error("it was tried where nothing counts, and goes on running")]
    GoesOn,
    /// It failed after it tried to reach another machine; holds the names after a colon, if they are known.
    #[error("it was tried where no other machine can be reached, and failed for want of one{0}")]
    Network(String),
    /// It failed after it tried to reach a port of this machine; holds the ports in the same form.
    #[error("it was tried where no port of this machine can be reached, and failed for want of one{0}")]
    Port(String),
    /// It failed after it could not open these secrets, or was not answered at these sockets.
    #[error("it was tried where this is hidden from it, and failed for want of it: {}", .0.join(", "))]
    Hidden(Vec<String>),
    /// It failed because it could not rename a folder.
    #[error(
        "it was tried where nothing counts, and failed because a folder that exists cannot be renamed there"
    )]
    Rename,
    /// It failed because it could not change a file of another owner or group.
    #[error(
        "it was tried where nothing counts, and failed because a file of another owner or group cannot be changed there"
    )]
    Owner,
}

impl NotStaged {
    /// Whether the cell refused it something that it could perhaps do without.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Network(_) | Self::Port(_) | Self::Hidden(_))
    }
}

/// Why the changes of a run were not committed. Nothing of them is left, unless the next start has to remove it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// Something else changed the same files in the meantime.
    #[error("{0}")]
    Changed(String),
    /// The commit failed.
    #[error("{0}")]
    Failed(String),
}

impl From<&NotCommitted> for NotKept {
    fn from(error: &NotCommitted) -> Self {
        match error {
            NotCommitted::Conflict(_) => Self::Changed(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

/// The most that may be held back, in files and bytes.
const MOST: DiskUsage = DiskUsage { files: 300_000, bytes: 4 << 30 };
const LOOK: Duration = Duration::from_secs(1);

impl Hands {
    /// Runs an approved command with its writes and its output held back.
    pub async fn stage(
        &self,
        id: uuid::Uuid,
        warrant: Warrant,
        terms: (&Situation, &Arc<Policy>),
        cancel: impl Future<Output = ()> + Send,
        RunContext { volume, shell, outside }: RunContext<'_>,
    ) -> (Open, RawOutput, StageEnd) {
        let open = warrant.begin();
        let begun = Instant::now();
        let quiet = |ended| RawOutput::quiet(ended, begun.elapsed());
        let subject = Arc::clone(open.judgement().subject());
        let whose = note(crate::wording::words(self.config.language), &open);
        let (stage, staged) = match self.hold_back(id, terms.0, &subject, whose).await {
            Ok(both) => both,
            Err(why) => {
                let raw = quiet(Ended::Unavailable(why.clone().into()));
                return (open, raw, StageEnd::Not(vec![NotStaged::Unheld(why)], Tried::default()));
            }
        };
        let (tap, held) = shell.map(|shell| HeldBack::new(shell.output.clone())).unzip();
        let tally = Tally::default();
        let run = RunSpec { id, staged: &staged, tap: tap.as_ref(), tally: &tally, begun, outside };
        let deed = self.deed(&open, terms, (volume, shell), run);
        // A person who approved the words wants all of it.
        let asked = open.judgement().is_held_back();
        let raw = tokio::select! {
            raw = Box::pin(perform::perform(&deed, &subject.action, cancel)) => Some(raw),
            () = too_much(&stage), if !asked => None,
        };
        drop(tap);
        let mut tried = tally.tried();
        let unasked = raw.iter().flat_map(|raw| &raw.hosts).filter(|host| host.is_unasked());
        unasked.for_each(|host| tried.add(refused(host)));
        keep_missed(&mut tried, raw.as_ref().filter(|raw| raw.exit_code != Some(0)));
        let strays = tally.strays.load(Ordering::Relaxed);
        let not = unjudged(raw.as_ref(), &tried, strays, (terms.0, asked));
        let mut raw = raw.unwrap_or_else(|| quiet(Ended::Cancelled));
        if !not.is_empty() {
            throw_away(made_in(terms.0, stage, &not, &mut tried).await).await;
            return (open, raw, StageEnd::Not(not, tried));
        }
        if !matches!(raw.ended, Ended::Finished | Ended::Signalled(_) | Ended::NotFound(_)) {
            throw_away(stage).await;
            return (open, raw, StageEnd::Over);
        }
        // The others that were refused in a network with hosts, perhaps by a person.
        let others = raw.hosts.iter().filter(|host| host.refused > 0 && !host.is_unasked());
        others.for_each(|host| tried.add(refused(host)));
        let (policy, situation) = (Arc::clone(terms.1), terms.0.clone());
        let killed = matches!(raw.ended, Ended::Signalled(_)) || strays > 0;
        let read = move || {
            stage.end_scratch()?;
            if killed {
                stage.drop_locks()?;
            }
            let roots = situation.roots.clone();
            let single = |change: &Change| stands_out(&policy, change, &situation, &roots);
            match stage.effects_with(Budget { asked, ..Budget::default() }, &single) {
                Ok(effects) => Ok((stage, effects)),
                Err(error) => {
                    // What cannot be removed now is removed at the next start.
                    let _ = stage.discard();
                    Err(error)
                }
            }
        };
        match blocking(read).await {
            Ok((stage, mut effects)) => {
                tell_refused(&mut raw, held.as_ref(), &effects.refused);
                tell_survivors(&mut raw, held.as_ref(), (&subject.action, &tried));
                effects.strays = strays;
                effects.tried = tried;
                let run = StagedRun { stage, held, effects: Arc::new(effects) };
                (open, raw, StageEnd::Ran(Box::new(run)))
            }
            Err(why) => (open, raw, StageEnd::Not(vec![NotStaged::Unheld(why)], Tried::default())),
        }
    }

    /// Makes the folders that receive a run's writes: those that a yes commits, and those of caches.
    async fn hold_back(
        &self,
        id: uuid::Uuid,
        situation: &Situation,
        subject: &Arc<Proposal>,
        whose: Note,
    ) -> Result<(Stage, Vec<StagedRoot>), String> {
        let stages = self.config.stages.clone().ok_or("there is no folder for it")?;
        let (roots, home) = (situation.stage.clone(), PathBuf::from(&situation.home));
        let subject = Arc::clone(subject);
        blocking(move || {
            let caches = caches(&home, &roots, &subject.action);
            let (stage, scratch) = stages.begin(id, &roots)?.with_scratch(&caches)?;
            // The room for its old versions is counted by session.
            stage.note(&whose)?;
            let staged = stage.roots().iter().chain(&scratch).cloned().collect();
            Ok::<_, StageError>((stage, staged))
        })
        .await
    }

    /// Commits the changes of a run and passes its output on. If that fails, none of its changes take effect.
    pub async fn commit(&self, warrant: Warrant, run: StagedRun) -> (Open, Result<Undoable, NotKept>) {
        let open = warrant.begin();
        let StagedRun { stage, held, effects } = run;
        // The yes was given to exactly these effects.
        if !open.judgement().effects().is_some_and(|judged| Arc::ptr_eq(judged, &effects)) {
            throw_away(stage).await;
            return (open, Err(NotKept::Failed("what was approved is another run".to_owned())));
        }
        let Some(stages) = self.config.stages.clone() else {
            throw_away(stage).await;
            return (open, Err(NotKept::Failed("there is no folder for old versions".to_owned())));
        };
        let (note, holder) = (note(crate::wording::words(self.config.language), &open), stages.clone());
        let by_person = open.by_person();
        let done = tokio::task::spawn_blocking(move || {
            if by_person && let Err(error) = stage.give_way() {
                tracing::warn!(%error, "old versions that a person gave up are kept all the same");
            }
            // Undo and recovery work without the note.
            if let Err(error) = stage.note(&note) {
                tracing::warn!(%error, "whose deed it is could not be noted");
            }
            let done = stage.commit()?;
            Ok(done.final_because.map_or_else(|| Undoable::held(&holder), Undoable::Not))
        })
        .await;
        let done = match done {
            Ok(done) => done.map_err(|error| NotKept::from(&error)),
            Err(panic) => Err(NotKept::Failed(panic.to_string())),
        };
        if let (Ok(_), Some(held)) = (&done, held) {
            held.say().await;
        }
        // Nobody waits for the removal of old versions.
        tokio::task::spawn_blocking(move || sweep(&stages));
        (open, done)
    }

    /// Ends a run that changed nothing, and passes its output on.
    pub async fn release(&self, run: StagedRun) {
        throw_away(run.stage).await;
        if let Some(held) = run.held {
            held.say().await;
        }
    }

    /// Discards the changes and the output of a run.
    pub async fn discard(&self, run: StagedRun) {
        throw_away(run.stage).await;
    }
}

impl Hands {
    /// For how many days a commit can be undone.
    #[must_use]
    pub fn kept_days(&self) -> u32 {
        let keep = self.config.stages.as_ref().map_or(Duration::ZERO, Stages::kept_for);
        u32::try_from(keep.as_secs() / (24 * 3600)).unwrap_or(u32::MAX)
    }
}

/// A host that was refused in a network with hosts.
fn refused(host: &HostTraffic) -> Tried {
    let sought = host.ports.iter().map(|port| Sought { host: host.host.clone(), port: Some(*port) });
    Tried { machines: host.refused, sought: sought.collect(), ..Tried::default() }
}

/// The most names in a reason to ask.
const NAMED: usize = 8;

/// The destinations sought on this machine or on others, for a sentence; empty if they are unknown.
fn sought(tried: &Tried, local: bool) -> String {
    let names: Vec<String> = tried.sought(local).take(NAMED).map(ToString::to_string).collect();
    if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) }
}

/// The ports on which it waited.
fn ports(tried: &Tried) -> String {
    let ports: Vec<String> = tried.serves.iter().take(NAMED).map(u16::to_string).collect();
    ports.join(", ")
}

/// Why the effects of a run say too little; empty if they can be judged.
fn unjudged(
    raw: Option<&RawOutput>,
    tried: &Tried,
    strays: u32,
    (situation, asked): (&Situation, bool),
) -> Vec<NotStaged> {
    let Some(raw) = raw else { return vec![NotStaged::TooMuch] };
    let runs_on = matches!(raw.ended, Ended::Signalled(_) | Ended::TimedOut) || strays > 0;
    match raw.ended {
        _ if !tried.serves.is_empty() => vec![NotStaged::Serves(ports(tried))],
        _ if situation.goes_on && runs_on => vec![NotStaged::GoesOn],
        Ended::TimedOut if !asked => vec![NotStaged::TooLong(raw.duration)],
        _ if raw.exit_code == Some(0) => Vec::new(),
        _ => failed_for(raw, tried, (situation, asked)),
    }
}

/// What a run failed for want of; empty if nothing is known. One that was `asked` about had the network that its words need.
fn failed_for(raw: &RawOutput, tried: &Tried, (situation, asked): (&Situation, bool)) -> Vec<NotStaged> {
    let Situation { cwd, home, .. } = situation;
    let shown = |path: &PathBuf| match (path.strip_prefix(cwd), path.strip_prefix(home)) {
        (Ok(below), _) => below.display().to_string(),
        (_, Ok(below)) => format!("~/{}", below.display()),
        _ => path.display().to_string(),
    };
    let network = match (tried.machines, tried.ports) {
        _ if asked => None,
        (1.., _) => Some(NotStaged::Network(sought(tried, false))),
        (_, 1..) => Some(NotStaged::Port(sought(tried, true))),
        _ => None,
    };
    let secrets: Vec<String> = tried.hidden.iter().chain(&tried.sockets).take(NAMED).map(shown).collect();
    let hidden = (!secrets.is_empty()).then_some(NotStaged::Hidden(secrets));
    let not: Vec<NotStaged> = network.into_iter().chain(hidden).collect();
    if not.is_empty() { refused_by_overlay(raw).into_iter().collect() } else { not }
}

/// Keeps what was hidden only if the run failed, perhaps for want of it.
fn keep_missed(tried: &mut Tried, failed: Option<&RawOutput>) {
    tried.hidden.retain(|path| failed.is_some_and(|raw| is_missed(raw, path)));
    tried.sockets.retain(|_| failed.is_some());
}

/// Whether a program that named this hidden file said that it may not be opened (`EACCES`), or that it is not there, in the words
/// of the C library in the languages of the guard.
fn is_missed(raw: &RawOutput, path: &Path) -> bool {
    const DENIED: [&str; 16] = [
        "EACCES",
        "os error 13)",
        "Permission denied",
        "permission denied",
        "Permissão negada",
        "Permission non accordée",
        // What cannot be made, or is covered and cannot be removed.
        "EROFS",
        "os error 30)",
        "Read-only file system",
        "Sistema de arquivos somente para leitura",
        "Système de fichiers accessible en lecture seulement",
        "EBUSY",
        "os error 16)",
        "Device or resource busy",
        "Dispositivo ou recurso está ocupado",
        "Périphérique ou ressource occupé",
    ];
    const ABSENT: [&str; 6] = [
        "ENOENT",
        "No such file",
        "no such file",
        "not found",
        "Arquivo ou diretório inexistente",
        "Aucun fichier ou dossier de ce",
    ];
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let absent = |line: &[u8]| {
        names(line, name) && ABSENT.iter().any(|text| memchr::memmem::find(line, text.as_bytes()).is_some())
    };
    let lines = [&raw.stderr, &raw.stdout].into_iter().flat_map(|text| text.split(|byte| *byte == b'\n'));
    says(raw, &DENIED) || lines.into_iter().any(absent)
}

/// Whether a program said one of these texts.
fn says(raw: &RawOutput, texts: &[&str]) -> bool {
    let told = |stream: &[u8], text: &str| memchr::memmem::find(stream, text.as_bytes()).is_some();
    texts.iter().any(|text| told(&raw.stderr, text) || told(&raw.stdout, text))
}

/// Errors in a program's output that only an overlay of an ordinary user causes: renaming a folder fails (`EXDEV`; `git mv`
/// does not copy instead, as `mv` does), and so does changing a file whose owner or group has no number in the namespace
/// (`EOVERFLOW`). The texts are those of the C library in the languages of the guard. A false report only causes a question.
fn refused_by_overlay(raw: &RawOutput) -> Option<NotStaged> {
    const RENAME: [&str; 5] = [
        "EXDEV",
        "os error 18)",
        "Invalid cross-device link",
        "Link entre dispositivos inválido",
        "Lien physique inter-périphérique invalide",
    ];
    const OWNER: [&str; 5] = [
        "EOVERFLOW",
        "os error 75)",
        "Value too large for defined data type",
        "Valor muito grande para o tipo de dados definido",
        "Valeur trop grande pour le type défini de données",
    ];
    if says(raw, &RENAME) {
        return Some(NotStaged::Rename);
    }
    says(raw, &OWNER).then_some(NotStaged::Owner)
}

/// Returns when a run has written more than the limit.
async fn too_much(stage: &Stage) {
    loop {
        tokio::time::sleep(LOOK).await;
        let roots = stage.roots().to_vec();
        // The time for counting grows with the number of files.
        let Ok(written) = tokio::task::spawn_blocking(move || DiskUsage::of(&roots)).await else { return };
        if written.files > MOST.files || written.bytes > MOST.bytes {
            return;
        }
    }
}

/// Notes what a run that is to go on made in its working folder, and of what its words name. What cannot be read is not noted.
async fn made_in(situation: &Situation, stage: Stage, not: &[NotStaged], tried: &mut Tried) -> Stage {
    if !not.iter().any(|why| matches!(why, NotStaged::Serves(_) | NotStaged::GoesOn)) {
        return stage;
    }
    let (cwd, named) = (PathBuf::from(&situation.cwd), situation.named.clone());
    let read = move || {
        let effects = stage.effects_with(Budget::default(), &|_: &Change| true);
        (effects.map(|effects| effects.changes).unwrap_or_default(), stage)
    };
    let read = tokio::task::spawn_blocking(read).await;
    let (changes, stage) = read.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
    let counts =
        |path: &Path| path.parent() == Some(&cwd) || named.iter().any(|named| path == Path::new(named));
    let new = changes.into_iter().filter(|change| change.was.is_none() && counts(&change.path));
    // A socket or a pipe it makes by itself.
    let plain = |is: &Entry| matches!(is.kind, EntryKind::File | EntryKind::Folder);
    let made = |change: Change| Some((change.path, change.is.filter(plain)?.is_folder()));
    tried.made = new.filter_map(made).collect();
    stage
}

async fn throw_away(stage: Stage) {
    if let Err(error) = blocking(move || stage.discard()).await {
        tracing::warn!(error, "what a run had changed could not be removed; the next start tries again");
    }
}

async fn blocking<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(panic) => Err(panic.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_an_overlay_refuses_is_asked_about_by_its_words() {
        let cases = [
            ("fatal: renaming 'src' failed: Invalid cross-device link", Some(NotStaged::Rename)),
            ("fatal: renomeação de 'src' falhou: Link entre dispositivos inválido", Some(NotStaged::Rename)),
            ("OSError: [Errno 75] Value too large for defined data type: 'notes'", Some(NotStaged::Owner)),
            ("sed: impossible : Valeur trop grande pour le type défini de données", Some(NotStaged::Owner)),
            ("Error: EOVERFLOW: value too large, open 'notes'", Some(NotStaged::Owner)),
            ("Error: Os { code: 75, .. } (os error 75)", Some(NotStaged::Owner)),
            ("test result: FAILED. 1 passed; 1 failed", None),
        ];
        for (text, not) in cases {
            let told = RawOutput { stderr: text.into(), ..RawOutput::quiet(Ended::Finished, Duration::ZERO) };
            assert_eq!(refused_by_overlay(&told), not, "{text}");
        }
    }
}
