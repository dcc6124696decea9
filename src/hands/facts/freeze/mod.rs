//! Pins everything that a person's yes will rest on, and checks before the run that none of it has changed.
//!
//! [`crate::hands::facts::look`] has noted the object at each operand and on the way to it. This module gathers what costs more, and
//! only if a person is asked: the matches of patterns, scripts that reach an interpreter indirectly, and files of a
//! folder that tell a program what to do.

mod brought;
mod changed;
mod scripts;
mod tree;

use std::path::{Path, PathBuf};

use crate::devices::filesystem::paths::{self, Is, Walk};
use guarda_core::action::{Action, Proposal};
use guarda_core::catalogue::{EVALUATORS, FOLDER_READERS, base_name};
use guarda_core::policy::{Frozen, Listing, ListingQuery, Program, Situation};
use guarda_shell::script::{Piece, Run, Script, Word};

pub(in crate::hands) use changed::changed;
use changed::{MOST_NAMES, expand};

use crate::hands::facts::look::LookError;
use crate::hands::facts::words::{interprets, known, parts};

/// The most files whose content is watched for one action, besides named programs and scripts.
const MOST_FILES: usize = 512;
/// The most words of texts that are tried as names of scripts.
const MOST_WORDS: usize = 2048;

/// Gathers everything that must be unchanged when the action runs, and adds it to the facts of the judgement.
pub(in crate::hands) fn freeze(proposal: &Proposal, situation: Situation) -> Result<Situation, LookError> {
    let mut freezing = Freezing {
        walk: Walk::default(),
        names: MOST_NAMES,
        files: 0,
        words: MOST_WORDS,
        frozen: Frozen::default(),
        situation,
    };
    // For other actions `look` has already noted everything.
    if let Action::RunCommand { text, script } = &proposal.action {
        match script {
            Ok(script) => freezing.script(script)?,
            Err(_) => freezing.unread(text)?,
        }
    }
    freezing.situation.frozen = Some(freezing.frozen);
    Ok(freezing.situation)
}

struct Freezing {
    walk: Walk,
    /// How many more names may be read.
    names: usize,
    /// How many files are watched so far.
    files: usize,
    /// How many more words may be tried as names.
    words: usize,
    frozen: Frozen,
    situation: Situation,
}

impl Freezing {
    fn script(&mut self, script: &Script) -> Result<(), LookError> {
        let runs = script.runs();
        for (index, run) in runs.iter().enumerate() {
            let files = run.redirects.iter().filter(|redirect| redirect.kind.opens());
            for word in run.words.iter().chain(files.map(|redirect| &redirect.target)) {
                self.pattern(word)?;
            }
            let name = run.words.first().and_then(|word| known(word, &self.situation));
            let base = name.as_deref().map(base_name).unwrap_or_default();
            // It can make patterns match more than is searched for here.
            self.frozen.partly |= base == "shopt";
            if name.as_deref().is_none_or(|name| interprets(name) || evaluates(base)) {
                self.interpreter(runs, index)?;
            }
            self.modules(run, name.as_deref());
            for reader in FOLDER_READERS.iter().filter(|reader| reader.programs.contains(&base)) {
                self.brought(reader, run)?;
            }
        }
        for item in script.items() {
            self.pattern(&item.word)?;
            self.script_word(&item.word)?;
        }
        Ok(())
    }

    /// A shell may run a text that the reader cannot parse, so every file that it names is watched.
    fn unread(&mut self, text: &str) -> Result<(), LookError> {
        self.frozen.partly = true;
        self.words_of(text)?;
        let words = || text.split(between).filter(|word| !word.is_empty()).map(base_name);
        for reader in FOLDER_READERS {
            if words().any(|word| reader.programs.contains(&word)) {
                self.names_of(reader, &self.situation.folders.clone())?;
            }
        }
        Ok(())
    }

    /// Watches the matches of a word with patterns.
    fn pattern(&mut self, word: &Word) -> Result<(), LookError> {
        if !word.glob() {
            return Ok(());
        }
        for folder in self.situation.folders.clone() {
            self.listed(&folder, &word.pieces)?;
        }
        Ok(())
    }

    /// Watches a pattern's matches in a folder; each of them must stay the same object.
    fn listed(&mut self, folder: &Path, pieces: &[Piece]) -> Result<Vec<PathBuf>, LookError> {
        if let Some(known) = self.frozen.word(folder, pieces) {
            return Ok(known.iter().map(|name| folder.join(name)).collect());
        }
        let Some(parts) = parts(pieces, &self.situation.home, folder) else {
            self.frozen.partly = true;
            return Ok(Vec::new());
        };
        let names = expand(folder, &parts, &mut self.names).ok_or(LookError::TooMuch)?;
        let found: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        for path in &found {
            self.walk.follow_noting(path, &mut self.situation.places);
        }
        let of = ListingQuery::Word(pieces.to_vec());
        self.frozen.listings.push(Listing { folder: folder.to_owned(), of, names });
        Ok(found)
    }

    /// Watches a file whose content decides what is done, even if it does not exist yet.
    fn watch(&mut self, path: &Path) -> Result<(), LookError> {
        if self.watched(path) { Ok(()) } else { Err(LookError::TooMuch) }
    }

    /// The same; false if too many are watched already.
    fn watched(&mut self, path: &Path) -> bool {
        let target = self.walk.follow_noting(path, &mut self.situation.places);
        let file = target.real.to_string_lossy().into_owned();
        if target.system || !matches!(target.is, Is::File { .. }) || self.situation.stamps.contains_key(&file)
        {
            return true;
        }
        self.files += 1;
        if self.files > MOST_FILES {
            return false;
        }
        if let Some(stamp) = paths::stamp(&target.real) {
            self.situation.stamps.insert(file, stamp);
        }
        true
    }

    /// The program's real path, if anyone but the administrator can change that file.
    fn own_program(&self, name: &str) -> Option<PathBuf> {
        match self.situation.programs.get(name) {
            Some(Program::Elsewhere(file)) => Some(PathBuf::from(file)),
            Some(Program::System(_) | Program::Missing) | None => None,
        }
    }

    /// The known words of a run after its program.
    fn given(&self, run: &Run) -> Vec<Option<String>> {
        run.words.iter().skip(1).map(|word| known(word, &self.situation)).collect()
    }
}

/// True for a program that runs text without being an interpreter by name.
fn evaluates(program: &str) -> bool {
    EVALUATORS.contains(&program)
}

/// True for a separator between names in a text.
fn between(c: char) -> bool {
    c.is_whitespace() || "'\"`;|&<>(){}=,$\\\0".contains(c)
}

#[cfg(test)]
mod tests;
