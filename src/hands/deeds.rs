//! One approved action, and its context for every hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::devices::fault::DeviceFault;
use crate::devices::filesystem::files::Held;
use crate::devices::filesystem::paths::{self, Walk};
use guarda_core::action::custody::SandboxLevel;
use guarda_core::action::{Action, Way};
use guarda_core::judge::effects::is_guarded;
use guarda_core::output::{Ended, Now, RawOutput};
use guarda_core::policy::{Program, Situation};
use guarda_journal::Open;
use guarda_sandbox::Capabilities;
use guarda_sandbox::capture::{Tap, Volume};
use guarda_sandbox::relay::Outside;
use guarda_sandbox::session::{SessionVariable, session_variable};
use guarda_sandbox::stage::{Note, StagedRoot};

use super::HandsConfig;
use super::settings::{SettingChange, Settings, same};
use crate::hands::commands::environment::{self, Passing};
use crate::hands::facts::words;
use crate::hands::staging::undoable::Tally;
use guarda_core::action::Setting;

/// A deed and its context.
pub(super) struct Deed<'a> {
    pub(super) config: &'a HandsConfig,
    /// The facts with which it was judged.
    pub(super) situation: &'a Situation,
    /// The changed desktop settings.
    pub(super) settings: &'a Settings,
    /// Its open entry in the record, with the judgement.
    pub(super) open: &'a Open,
    /// The way in which it runs.
    pub(super) way: Way,
    /// The secrets that are hidden from runs without a question.
    pub(super) secrets: crate::hands::facts::hidden::Secrets<'a>,
    /// True if a person approved it, now or beforehand, not the rules alone.
    pub(super) by_person: bool,
    /// True if a person approved the paths that it may change: this time, or permanently (*always*).
    pub(super) named: bool,
    /// The least sandbox level that the caller demands.
    pub(super) asked: Option<SandboxLevel>,
    /// The abilities of this machine's sandbox, once they are known.
    pub(super) known: &'a tokio::sync::OnceCell<Capabilities>,
    /// The client's shell that the run replaces, if any.
    pub(super) shell: Option<&'a super::ClientShell>,
    /// The reports of the run, and the destination of its writes.
    pub(super) run: RunSpec<'a>,
    /// The number of bytes that a command has written so far.
    pub(super) volume: &'a std::sync::Arc<Volume>,
}

/// How one command is run.
#[derive(Clone, Copy)]
pub(super) struct RunSpec<'a> {
    /// The id of its request.
    pub(super) id: uuid::Uuid,
    /// The folders whose writes are held back; empty for all but staged runs.
    pub(super) staged: &'a [StagedRoot],
    /// Receives a copy of its output as it is written.
    pub(super) tap: Option<&'a Tap>,
    /// The final reports of its sandboxes.
    pub(super) tally: &'a Tally,
    /// The start of the deed.
    pub(super) begun: Instant,
    /// Asks about hosts that were not approved.
    pub(super) outside: Option<&'a Arc<dyn Outside>>,
}

impl Deed<'_> {
    /// Remembers a change of a setting, if the values differ.
    pub(super) fn note_setting(&self, was: Setting, is: Setting, undid: bool) {
        if !same(was, is) {
            let Note { session, audit_id, turn, .. } = self.note();
            let at = super::settings::now();
            self.settings.add(SettingChange { id: self.run.id, session, audit_id, turn, at, was, is, undid });
        }
    }

    /// The abilities of this machine's sandbox.
    pub(super) async fn capabilities(&self) -> &Capabilities {
        self.known.get_or_init(|| self.config.sandbox.probe()).await
    }

    /// The context that decides what its programs need.
    pub(super) fn terms(&self) -> crate::hands::commands::sandbox_plan::NeedsContext<'_> {
        let Self { config, situation, asked, way, .. } = *self;
        let network = self.open.judgement().network();
        crate::hands::commands::sandbox_plan::NeedsContext {
            config,
            situation,
            policy: self.secrets.policy,
            network,
            asked,
            way,
            held: self.is_held_back(),
        }
    }

    /// Whether its changes are held back, whoever approved it.
    pub(super) fn is_held_back(&self) -> bool {
        !self.run.staged.is_empty()
    }

    /// Whether a person let it go on running.
    pub(super) fn runs_on(&self) -> bool {
        self.way == Way::Act && !self.is_held_back() && self.situation.runs_on()
    }

    /// Makes what a line that goes on running made when it was tried, in its working folder or at a path that it names, but for guarded
    /// places. Returns what it has made; where that fails, the program will say so.
    pub(super) fn make_ready(&self) -> BTreeSet<PathBuf> {
        let guarded = |path: &Path, folder| is_guarded(self.secrets.policy, path, folder, self.situation);
        let wanted = self.situation.made.iter().filter(|(path, folder)| !guarded(path, *folder));
        let made = wanted.filter(|(path, folder)| match folder {
            true => std::fs::create_dir(path).is_ok(),
            false => std::fs::File::create_new(path).is_ok(),
        });
        made.map(|(path, _)| path.clone()).collect()
    }

    /// The entries of the working folder in which a line that goes on running may write: all but guarded places and links.
    pub(super) fn entries(&self) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(&self.situation.cwd).into_iter().flatten().flatten();
        entries.filter_map(|entry| {
            let (path, kind) = (entry.path(), entry.file_type().ok()?);
            let kept = kind.is_symlink()
                || entry.file_name() == ".git"
                || is_guarded(self.secrets.policy, &path, kind.is_dir(), self.situation);
            (!kept).then_some(path)
        })
    }

    /// Whether nothing takes effect while it runs, whatever the line does.
    pub(super) fn in_cell(&self) -> bool {
        self.is_held_back() || matches!(self.way, Way::Look | Way::Stage)
    }

    /// Whether none of the command's programs reads a file.
    pub(super) fn reads_nothing(&self) -> bool {
        match &self.open.judgement().subject().action {
            Action::RunCommand { script: Ok(script), .. } => {
                crate::hands::commands::sandbox_plan::reads_nothing(self.situation, script)
            }
            _ => false,
        }
    }

    /// The deed's owner and description, for the list of what can be undone.
    pub(super) fn note(&self) -> Note {
        crate::hands::staging::undoable::note(crate::wording::words(self.config.language), self.open)
    }

    /// An outcome without output.
    pub(super) fn quiet(&self, ended: Ended) -> RawOutput {
        RawOutput::quiet(ended, self.run.begun.elapsed())
    }

    /// Success, with one line of text.
    pub(super) fn message(&self, text: &str) -> RawOutput {
        let stdout = if text.is_empty() { Vec::new() } else { format!("{text}\n").into_bytes() };
        RawOutput { stdout_total: stdout.len() as u64, stdout, ..self.quiet(Ended::Finished) }
    }

    /// Success, with one line of text and the device's new state.
    pub(super) fn showed(&self, text: &str, now: Now) -> RawOutput {
        RawOutput { now: Some(now), ..self.message(text) }
    }

    /// A device's answer as an outcome.
    pub(super) fn answer(&self, answer: Result<String, DeviceFault>) -> RawOutput {
        match answer {
            Ok(text) => self.message(&text),
            Err(fault) => self.faulted(fault),
        }
    }

    /// A device's fault as an outcome.
    pub(super) fn faulted(&self, fault: DeviceFault) -> RawOutput {
        self.quiet(ended(fault))
    }

    /// The real path of a path, as judged.
    pub(super) fn judged(&self, path: &Path) -> PathBuf {
        judged(&self.situation.links, path)
    }

    /// The path that has changed since the judgement, if there is one. Files that the deed itself has opened do not count.
    pub(super) fn changed(&self, own: &BTreeSet<PathBuf>) -> Option<String> {
        if let Some(name) = self.elsewhere() {
            return Some(name.to_owned());
        }
        crate::hands::facts::freeze::changed(self.situation, own)
    }

    /// The identity that a file at this real path, and its folder, must have: that of the judged objects.
    pub(super) fn held(&self, real: &Path) -> Held<'_> {
        if self.situation.frozen.is_none() {
            return Held::default();
        }
        let places = &self.situation.places;
        let folder = real.parent().and_then(|folder| places.get(folder.as_os_str()));
        Held { folder, file: places.get(real.as_os_str()) }
    }

    /// A program name that the run would resolve to another file than the judged one.
    fn elsewhere(&self) -> Option<&str> {
        self.shell?;
        let folders = self.search_path();
        let mut walk = Walk::default();
        let mut other = environment::bare(self.situation).filter(|(name, judged)| {
            match (judged, words::find(&mut walk, &folders, name)) {
                (
                    Program::System(was) | Program::Elsewhere(was),
                    Program::System(is) | Program::Elsewhere(is),
                ) => Path::new(was) != Path::new(&is),
                (Program::Missing, Program::Missing) => false,
                _ => true,
            }
        });
        other.next().map(|(name, _)| name)
    }

    /// Where the run looks for programs: a client's folders, as far as the way permits, or the guard's own.
    pub(super) fn search_path(&self) -> Vec<PathBuf> {
        let own = &self.config.search_path;
        match self.shell.and_then(super::ClientShell::search_path) {
            None => own.clone(),
            Some(given) if matches!(self.passing(), Passing::Cell) => given,
            Some(given) => environment::trusted_folders(given, own, self.situation),
        }
    }

    /// What passes of a client's environment. A staged run that reaches hosts could send something by what it is told.
    fn passing(&self) -> Passing<'_> {
        match self.way {
            Way::Look => Passing::Cell,
            Way::Stage if !self.by_person && !self.situation.network.fetches => Passing::Cell,
            Way::Stage | Way::Act | Way::None => Passing::Act(&self.config.session),
        }
    }

    /// The environment of executed commands (feature B9): a small one with the guard's own language, and of a client's what may
    /// pass. Where a person let it reach services of the session, or something stands in for them, with the variables that lead
    /// there.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let path: Vec<String> =
            self.search_path().iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
        let mut environment = std::collections::BTreeMap::from(
            [
                ("PATH", path.join(":")),
                ("HOME", self.situation.home.clone()),
                ("USER", self.config.user.clone()),
                ("LOGNAME", self.config.user.clone()),
                ("TERM", "dumb".to_owned()),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        if let Some(shell) = self.shell {
            environment.extend(shell.passing(self.passing()).cloned());
        }
        let reaches = self.situation.unconfined && self.by_person || !self.run.staged.is_empty();
        for (name, value) in self.config.session.for_applications() {
            let language = name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_");
            if language && self.shell.is_none()
                || reaches && session_variable(&name) >= Some(SessionVariable::Service)
            {
                environment.entry(name).or_insert(value);
            }
        }
        environment.into_iter().collect()
    }
}

/// A device's fault as an outcome.
pub(super) fn ended(fault: DeviceFault) -> Ended {
    match fault {
        DeviceFault::Absent(why) => Ended::Unavailable(why),
        DeviceFault::Failed(why) => Ended::Failed(why),
    }
}

/// The real path of a path, as judged.
pub(super) fn judged(links: &BTreeMap<String, String>, path: &Path) -> PathBuf {
    let plain = paths::plain(path);
    match plain.to_str().and_then(|text| links.get(text)) {
        Some(real) => PathBuf::from(real),
        None => plain,
    }
}
