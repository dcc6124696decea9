//! Looks before the judgement: which programs would run, and where paths lead.

use std::path::{Path, PathBuf};

use super::words::{classify, find, interprets, known, parts, text};
use crate::devices::filesystem::paths::{self, Is, Walk};
use crate::devices::filesystem::patterns;
use guarda_core::action::vocabulary::ActionKind;
use guarda_core::action::{Action, Object, Proposal};
use guarda_core::catalogue;
use guarda_core::places::Place;
use guarda_core::policy::{Program, Situation};
use guarda_shell::script::{RedirectKind, Run, Script, Word};

use crate::hands::{HandsConfig, facts::sub_commands, staging::stageable};

/// Paths that are looked up for one action; each costs a few microseconds.
const MOST_PATHS: usize = 1024;

/// Directory entries that are read for the patterns of one action, and names that one of them may stand for.
const MOST_ENTRIES: usize = 20_000;
const MOST_NAMES: usize = 1000;

/// An action that cannot be looked at; it is not judged, and not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// The folder to run in does not exist.
    #[error("the folder {0:?} does not exist; give an existing folder in \"cwd\"")]
    NoFolder(String),
    /// The command names too many paths.
    #[error("the command names more than {MOST_PATHS} paths; split it")]
    TooManyPaths,
    /// Its patterns match too many names, or it depends on too many files, to watch them for changes.
    #[error(
        "the command rests on more files than can be watched for changes while a person is asked; split it"
    )]
    TooMuch,
    /// A file system hangs.
    #[error("the files that the action rests on did not answer in time; send it again")]
    Slow,
}

/// Gathers the facts. `strict`: the folder to run in must exist. If nothing will be run, a missing folder is accepted as
/// written.
pub(in crate::hands) fn look(
    config: &HandsConfig,
    proposal: &Proposal,
    question_open: bool,
    strict: bool,
) -> Result<Situation, LookError> {
    let home = paths::plain(&config.home);
    // The meaning of an empty or relative entry would depend on the working folder.
    let said =
        proposal.claims.search_path.as_deref().map(|path| std::env::split_paths(path).collect::<Vec<_>>());
    let search_path = match said {
        Some(said) => said.into_iter().filter(|folder| folder.is_absolute()).collect(),
        None => config.search_path.clone(),
    };
    let mut looking = Looking {
        config,
        search_path,
        walk: Walk::default(),
        bases: Vec::new(),
        looked: 0,
        entries: MOST_ENTRIES,
        situation: Situation {
            home: text(&home),
            cwd: text(&home),
            guard: config.guard.iter().map(|path| text(path)).collect(),
            settings: config.settings.iter().map(|path| text(path)).collect(),
            advanced_mode: config.advanced_mode,
            administrator: rustix::process::geteuid().is_root(),
            question_open,
            cells: guarda_sandbox::may_look(),
            ..Situation::default()
        },
    };
    match (&proposal.action, proposal.action.applies_to()) {
        (Action::RunCommand { script, .. }, _) => {
            looking.cwd(proposal.claims.cwd.as_deref(), &home, strict)?;
            if let Ok(script) = script {
                looking.script(script)?;
            }
        }
        (Action::OpenFolder { path }, _) => {
            looking.path(&crate::hands::desktop::open::meant(&config.session, path, &home))?;
        }
        (Action::OpenApp { name }, _) => looking.application(name),
        (Action::OpenUrl { .. }, _) => looking.situation.network.allowed = config.network.get().rules(),
        // A session may undo changes in its own folders without a question.
        (Action::Undo { .. }, _) => looking.cwd(proposal.claims.cwd.as_deref(), &home, strict)?,
        (action, Object::Path(path)) => looking.operations(&[program(action)], &[path])?,
        (action, Object::Paths(from, to)) => looking.operations(&[program(action)], &[from, to])?,
        _ => {}
    }
    let Looking { bases, mut situation, .. } = looking;
    situation.folders = bases;
    situation.session.clone_from(&proposal.claims.session);
    situation.project = stageable::project(Path::new(&situation.cwd), &stageable::real_home(&situation));
    Ok(situation)
}

/// The program that does the same to files.
fn program(action: &Action) -> &'static str {
    match action.kind() {
        ActionKind::FileList => "ls",
        ActionKind::FileCopy => "cp",
        ActionKind::FileMove => "mv",
        ActionKind::FileDelete => "rm",
        ActionKind::FileMkdir => "mkdir",
        _ => "cat",
    }
}

struct Looking<'a> {
    config: &'a HandsConfig,
    search_path: Vec<PathBuf>,
    walk: Walk,
    /// The folders to which relative paths may refer: the working folder, and those to which the script changes.
    bases: Vec<PathBuf>,
    looked: usize,
    /// The directory entries that may still be read for patterns.
    entries: usize,
    situation: Situation,
}

impl Looking<'_> {
    fn cwd(&mut self, given: Option<&str>, home: &Path, strict: bool) -> Result<(), LookError> {
        let path = given.map_or_else(|| home.to_owned(), |given| paths::of_person(given, home, home));
        let target = self.walk.follow_noting(&path, &mut self.situation.places);
        if target.is != Is::Folder && strict {
            return Err(LookError::NoFolder(text(&path)));
        }
        self.situation.cwd = text(&target.real);
        self.bases = vec![target.real];
        Ok(())
    }

    fn script(&mut self, script: &Script) -> Result<(), LookError> {
        let mut git = false;
        for run in script.runs() {
            if let Some(name) = run.words.first().and_then(|word| self.text_of(word)) {
                self.program(&name);
                git |= name.rsplit('/').next() == Some("git");
                if matches!(name.as_str(), "cd" | "pushd") {
                    self.changes_folder(run);
                }
                if interprets(&name) {
                    self.scripts(run);
                }
            }
            if let Some(found) = catalogue::misspelt(run)
                && sub_commands::is_missing(&found, &self.search_path, &self.bases, &self.config.home)
            {
                self.situation.missing.insert(found.command());
            }
            for word in run.words.iter().skip(1) {
                self.operand(word)?;
            }
            for assign in &run.assigns {
                self.operand(&assign.value)?;
            }
            for redirect in &run.redirects {
                match redirect.kind {
                    RedirectKind::Text | RedirectKind::Duplicate | RedirectKind::Close => {}
                    RedirectKind::Read
                    | RedirectKind::Write
                    | RedirectKind::Append
                    | RedirectKind::ReadWrite => {
                        self.operand(&redirect.target)?;
                    }
                }
            }
        }
        // What a loop goes through or an array holds is a word of the line, too.
        for item in script.items() {
            self.operand(&item.word)?;
        }
        self.situation.plain_repository =
            git && crate::hands::staging::repository::is_plain(Path::new(&self.situation.cwd));
        self.situation.network =
            crate::hands::facts::network_facts::gather(self.config, script, &self.bases, git);
        Ok(())
    }

    /// The judge treats a file operation as the command that would do it, so that command is looked up too.
    fn operations(&mut self, programs: &[&str], operands: &[&str]) -> Result<(), LookError> {
        let home = PathBuf::from(&self.situation.home);
        for name in programs {
            self.program(name);
        }
        for operand in operands {
            self.path(&paths::of_person(operand, &home, &home))?;
        }
        Ok(())
    }

    /// Looks an application up like a program: an entry of the system, of the user, or none.
    fn application(&mut self, name: &str) {
        let session = &self.config.session;
        let applications = crate::devices::desktop::apps::installed(session);
        let mut candidates =
            crate::hands::desktop::apps::candidates(session, &applications, name).into_iter();
        let program = match candidates.next() {
            None => Program::Missing,
            Some(application) => {
                let target = self.walk.follow(application.file());
                let file = text(&target.real);
                self.stamp(&target.real);
                if target.system { Program::System(file) } else { Program::Elsewhere(file) }
            }
        };
        self.situation.programs.insert(name.to_owned(), program);
        // The alternatives if the first one cannot start.
        for application in candidates {
            let target = self.walk.follow(application.file());
            if target.system {
                let file = text(&target.real);
                self.situation.programs.insert(file.clone(), Program::System(file));
            }
        }
    }

    fn changes_folder(&mut self, run: &Run) {
        let goal = match run.words.get(1) {
            None => Some(self.situation.home.clone()),
            Some(word) => self.text_of(word),
        };
        let Some(goal) = goal else { return };
        // Each could be the folder in which it starts.
        let reached: Vec<PathBuf> =
            self.bases.iter().map(|base| self.walk.follow(&base.join(&goal)).real).collect();
        for folder in reached {
            if !self.bases.contains(&folder) && self.bases.len() < 16 {
                self.bases.push(folder);
            }
        }
    }

    fn program(&mut self, name: &str) {
        if self.situation.programs.contains_key(name) {
            return;
        }
        if !name.contains('/') {
            let program = find(&mut self.walk, &self.search_path, name);
            self.stamp_program(&program);
            self.situation.programs.insert(name.to_owned(), program);
            return;
        }
        // A relative path means another file in each folder, so all of them are looked up by their full paths.
        let mut bases = self.bases.iter();
        let files: Vec<PathBuf> = if name.starts_with('/') {
            vec![PathBuf::from(name)]
        } else {
            bases.by_ref().map(|base| base.join(name)).collect()
        };
        for file in files {
            let program = classify(&mut self.walk, &file);
            self.stamp_program(&program);
            let whole = text(&paths::plain(&file));
            self.situation.programs.entry(name.to_owned()).or_insert_with(|| program.clone());
            self.situation.programs.insert(whole, program);
        }
    }

    /// Stamps a program file, unless only the administrator can change it.
    fn stamp_program(&mut self, program: &Program) {
        if let Program::Elsewhere(file) = program {
            self.stamp(Path::new(file));
        }
    }

    fn stamp(&mut self, file: &Path) {
        if let Some(stamp) = paths::stamp(file) {
            self.situation.stamps.insert(text(file), stamp);
        }
    }

    /// Stamps the scripts that an interpreter reads, because their text is run.
    fn scripts(&mut self, run: &Run) {
        let read = run.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Read);
        let words: Vec<&Word> =
            run.words.iter().skip(1).chain(read.map(|redirect| &redirect.target)).collect();
        for word in words {
            let Some(name) = self.text_of(word).filter(|name| !name.starts_with('-')) else { continue };
            for base in self.bases.clone() {
                let target = self.walk.follow(&base.join(&name));
                if matches!(target.is, Is::File { .. }) && !target.system {
                    self.stamp(&target.real);
                }
            }
        }
    }

    /// Looks up the path in a word: the whole word, the part after `=` (`--file=…`, `of=…`), or after a short option (`-I…`).
    fn operand(&mut self, word: &Word) -> Result<(), LookError> {
        if word.glob() {
            self.pattern(word);
        }
        let Some(whole) = self.text_before_pattern(word) else {
            return Ok(());
        };
        let mut candidates = vec![whole.as_str()];
        if let Some((_, value)) = whole.split_once('=') {
            candidates.push(value);
        }
        if whole.starts_with('-') && !whole.starts_with("--") {
            candidates.extend(whole.get(2..));
        }
        for candidate in candidates.into_iter().filter(|candidate| !candidate.is_empty()) {
            for base in self.bases.clone() {
                self.path(&base.join(candidate))?;
                if candidate.starts_with('/') {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Finds the names that a pattern stands for. If they are too many, the judge goes by the pattern.
    fn pattern(&mut self, word: &Word) {
        for base in self.bases.clone() {
            let place = Place::of(word, 0, base.to_str(), &self.situation.home).filter(Place::is_listing);
            let Some(place) = place else { continue };
            let parts = parts(&word.pieces, &self.situation.home, &base);
            let names =
                parts.and_then(|parts| patterns::expand_within(&base, &parts, &mut self.entries).ok());
            let Some(names) = names.filter(|names| names.len() <= MOST_NAMES) else { continue };
            let mut listed = Vec::new();
            for path in names.into_iter().map(|name| base.join(name)) {
                if path.is_symlink() {
                    listed.push(text(&self.walk.follow(&path).real));
                }
                listed.push(text(&path));
            }
            self.situation.listed.insert(place.marked().to_owned(), listed);
        }
    }

    fn path(&mut self, path: &Path) -> Result<(), LookError> {
        self.looked += 1;
        if self.looked > MOST_PATHS {
            return Err(LookError::TooManyPaths);
        }
        let plain = paths::plain(path);
        let target = self.walk.follow_noting(path, &mut self.situation.places);
        self.situation.named.insert(text(&target.real));
        if target.real != plain {
            self.situation.links.insert(text(&plain), text(&target.real));
        }
        Ok(())
    }

    /// The text of a word, if all of it is known.
    fn text_of(&self, word: &Word) -> Option<String> {
        known(word, &self.situation)
    }

    /// The text of a word before its first pattern or unknown part, cut back to a folder.
    fn text_before_pattern(&self, word: &Word) -> Option<String> {
        let Situation { home, cwd, .. } = &self.situation;
        let known: Vec<String> = word.pieces.iter().map_while(|piece| piece.known(home, cwd)).collect();
        let text = known.concat();
        if known.len() == word.pieces.len() {
            return Some(text);
        }
        text.rfind('/').and_then(|slash| text.get(..=slash)).map(str::to_owned)
    }
}
