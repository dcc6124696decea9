//! Scripts that reach an interpreter indirectly, and the modules beside them: by a pipe, a pattern, the input of
//! `xargs`, a here-string, `find -exec`, a substitution.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::devices::filesystem::paths::Is;
use guarda_core::catalogue::{SCRIPT_LOADERS, base_name};
use guarda_core::policy::{Listing, ListingQuery};
use guarda_shell::script::{Input, Piece, Reach, RedirectKind, Run, Word};

use crate::hands::facts::freeze::{Freezing, between, brought, expand, tree};
use crate::hands::facts::look::LookError;
use crate::hands::facts::words::{known, parts};

/// The most directory entries that are read to find the modules beside a script.
const MOST_NAMES: usize = 16_000;
/// The most modules beside a script that are watched.
const MOST_MODULES: usize = 256;

/// Options that make an interpreter take its text from the line and its modules from the working folder.
const INLINE: &[&str] = &["-c", "-m", "-", "-e", "-p", "-r", "--eval", "--print"];

impl Freezing {
    /// Watches the scripts of an interpreter, and what feeds it.
    pub(super) fn interpreter(&mut self, runs: &[Run], index: usize) -> Result<(), LookError> {
        let mut due = vec![index];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(index) = due.pop() {
            let Some(run) = runs.get(index).filter(|_| seen.insert(index)) else { continue };
            self.read_by(run)?;
            if let Input::Pipe(from) = &run.input {
                due.extend(from);
            }
            // A wrapper passes its input to the program that it starts.
            if matches!(run.reach, Reach::Wrapper(_) | Reach::Text(_)) {
                due.extend(run.parent);
            }
            let within = runs.iter().enumerate();
            let within =
                within.filter(|(_, other)| other.parent == Some(index) && other.reach == Reach::Substitution);
            due.extend(within.map(|(place, _)| place));
        }
        Ok(())
    }

    /// Everything that a run reads may become text that is run.
    fn read_by(&mut self, run: &Run) -> Result<(), LookError> {
        for word in run.words.iter().skip(1) {
            self.script_word(word)?;
        }
        for redirect in &run.redirects {
            match redirect.kind {
                RedirectKind::Read | RedirectKind::ReadWrite => self.script_word(&redirect.target)?,
                RedirectKind::Text => {
                    if let Some(text) = known(&redirect.target, &self.situation) {
                        self.words_of(&text)?;
                    }
                }
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::Duplicate
                | RedirectKind::Close => {}
            }
        }
        match run.program().map(base_name) {
            Some("find" | "gfind" | "fd" | "fdfind") => self.found(run),
            Some("ls") => self.shown(run),
            _ => Ok(()),
        }
    }

    /// Watches a word that is a script, or the scripts that a text names.
    pub(super) fn script_word(&mut self, word: &Word) -> Result<(), LookError> {
        if word.glob() {
            for folder in self.situation.folders.clone() {
                for path in self.listed(&folder, &word.pieces)? {
                    self.watch(&path)?;
                }
            }
            return Ok(());
        }
        match known(word, &self.situation) {
            Some(text) => self.words_of(&text),
            None => Ok(()),
        }
    }

    /// Watches the files that a text names.
    pub(super) fn words_of(&mut self, text: &str) -> Result<(), LookError> {
        let whole = std::iter::once(text).filter(|text| text.contains(between));
        let words = text.split(between).filter(|word| !word.is_empty() && !word.starts_with('-'));
        for word in whole.chain(words) {
            let Some(left) = self.words.checked_sub(1) else {
                self.frozen.partly = true;
                break;
            };
            self.words = left;
            for folder in self.situation.folders.clone() {
                self.watch(&crate::devices::filesystem::paths::of_person(
                    word,
                    Path::new(&self.situation.home),
                    &folder,
                ))?;
            }
        }
        Ok(())
    }

    /// Watches the files that `find` would visit.
    fn found(&mut self, run: &Run) -> Result<(), LookError> {
        let given = self.given(run);
        let plain = !given.iter().flatten().any(|word| matches!(word.as_str(), "!" | "-not" | "-iname"));
        let pairs = given.iter().zip(given.iter().skip(1));
        let names = pairs.filter(|(option, _)| plain && option.as_deref() == Some("-name"));
        let names: Option<Vec<String>> = names.map(|(_, name)| name.clone()).collect();
        let names = names.unwrap_or_default();
        // A character class is searched for as any character.
        let names: Vec<String> =
            if names.iter().any(|name| name.contains(['[', '\\'])) { Vec::new() } else { names };
        self.frozen.partly |= given.iter().any(Option::is_none) && given.first().is_none_or(Option::is_none);
        let starts =
            given.iter().map_while(|word| word.as_deref().filter(|word| !word.starts_with(['-', '(', '!'])));
        let starts: Vec<&str> = starts.collect();
        let starts = if starts.is_empty() { vec!["."] } else { starts };
        for folder in self.situation.folders.clone() {
            for start in &starts {
                let start = folder.join(start);
                if self.walk.follow(&start).is == Is::Folder {
                    self.below(&start, &names)?;
                }
            }
        }
        Ok(())
    }

    fn below(&mut self, folder: &Path, names: &[String]) -> Result<(), LookError> {
        let of = ListingQuery::Tree(names.to_vec());
        if self.frozen.listings.iter().any(|listing| listing.folder == folder && listing.of == of) {
            return Ok(());
        }
        let Some(found) = tree::below(folder, names) else {
            self.frozen.partly = true;
            return Ok(());
        };
        for name in &found {
            self.frozen.partly |= !self.watched(&folder.join(name));
        }
        self.frozen.listings.push(Listing { folder: folder.to_owned(), of, names: found });
        Ok(())
    }

    /// Watches the files that `ls` would list.
    fn shown(&mut self, run: &Run) -> Result<(), LookError> {
        let given = self.given(run);
        let named: Vec<&str> =
            given.iter().flatten().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
        let named = if named.is_empty() { vec!["."] } else { named };
        for folder in self.situation.folders.clone() {
            for name in &named {
                let folder = folder.join(name);
                if self.walk.follow(&folder).is == Is::Folder {
                    self.siblings(&folder, &[brought::pieces("*")]);
                }
            }
        }
        Ok(())
    }

    /// Watches the modules that an interpreter may load: those beside its script, otherwise those of the working
    /// folder.
    pub(super) fn modules(&mut self, run: &Run, name: Option<&str>) {
        let Some(name) = name else { return };
        let own = self.own_program(name);
        let by_ending = own.as_deref().and_then(Path::extension).and_then(OsStr::to_str);
        let bare = base_name(name).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        let row = |key: &str| SCRIPT_LOADERS.iter().find(|loader| loader.named.contains(&key));
        let row = row(base_name(name)).or_else(|| row(bare)).or_else(|| by_ending.and_then(row));
        let Some(loader) = row else { return };
        let given = self.given(run);
        let inline = given.iter().flatten().any(|word| INLINE.contains(&word.as_str()));
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in self.situation.folders.clone() {
            match own.as_deref().filter(|_| by_ending.is_some()) {
                Some(script) => folders.extend(script.parent().map(Path::to_owned)),
                None => {
                    let mut scripts = given.iter().flatten();
                    let script = scripts.find_map(|word| {
                        let target = self.walk.follow(&folder.join(word));
                        matches!(target.is, Is::File { .. }).then_some(target)
                    });
                    if inline || script.is_none() {
                        folders.push(folder);
                    }
                    let script = script.filter(|script| !script.system);
                    folders.extend(script.and_then(|script| script.real.parent().map(Path::to_owned)));
                }
            }
        }
        folders.sort();
        folders.dedup();
        let depths = if loader.deep { ["*.", "*/*."].as_slice() } else { &["*."] };
        let patterns = loader
            .endings
            .iter()
            .flat_map(|ending| depths.iter().map(move |depth| format!("{depth}{ending}")));
        let patterns: Vec<Vec<Piece>> = patterns.map(|pattern| brought::pieces(&pattern)).collect();
        for folder in folders {
            self.siblings(&folder, &patterns);
        }
    }

    /// Watches the files of a folder that may be loaded, up to the limit; reports if there are more.
    pub(super) fn siblings(&mut self, folder: &Path, patterns: &[Vec<Piece>]) {
        let mut left = MOST_MODULES;
        let mut names = MOST_NAMES;
        for pieces in patterns {
            if self.frozen.word(folder, pieces).is_some() {
                continue;
            }
            let found = parts(pieces, &self.situation.home, folder);
            let Some(found) = found.and_then(|parts| expand(folder, &parts, &mut names)) else {
                self.frozen.partly = true;
                return;
            };
            for name in &found {
                let watched = left > 0 && self.watched(&folder.join(name));
                left = left.saturating_sub(1);
                self.frozen.partly |= !watched;
            }
            let of = ListingQuery::Word(pieces.clone());
            self.frozen.listings.push(Listing { folder: folder.to_owned(), of, names: found });
        }
    }
}
