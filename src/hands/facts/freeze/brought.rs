//! Programs that obey files of their folder, and the names of those files.

use std::path::{Path, PathBuf};

use crate::devices::filesystem::paths::{self, Is};
use guarda_core::catalogue::FolderReader;
use guarda_shell::script::{Piece, Run};

use crate::hands::facts::freeze::{Freezing, LookError};

/// How many folders above the working folder a program searches.
const HIGHEST: usize = 16;
/// The longest `.git` file that is read, in bytes.
const LONGEST_POINTER: u64 = 4096;

impl Freezing {
    /// Watches the files that a program reads unasked in its folder, or in the one that its options name.
    pub(super) fn brought(&mut self, reader: &FolderReader, run: &Run) -> Result<(), LookError> {
        let given = self.given(run);
        let mut folders = self.situation.folders.clone();
        for base in self.situation.folders.clone() {
            // For some options, each value is relative to the one before.
            let home = PathBuf::from(&self.situation.home);
            let mut folder = base.clone();
            for value in values(&given, reader.folder) {
                folders.push(paths::of_person(value, &home, &base));
                folder = paths::of_person(value, &home, &folder);
                folders.push(folder.clone());
            }
            for value in values(&given, reader.file) {
                self.watch(&folder.join(value))?;
                self.watch(&base.join(value))?;
            }
        }
        self.names_of(reader, &folders)
    }

    /// Watches the files that a program reads in these folders.
    pub(super) fn names_of(&mut self, reader: &FolderReader, folders: &[PathBuf]) -> Result<(), LookError> {
        for name in reader.names.iter().filter_map(|name| name.strip_prefix("~/")) {
            self.watch(&Path::new(&self.situation.home).join(name))?;
        }
        let mut seen = std::collections::BTreeSet::new();
        for folder in folders {
            let folder = self.walk.follow(folder).real;
            let highest = if reader.above { HIGHEST } else { 1 };
            for folder in folder.ancestors().take(highest) {
                if !seen.insert(folder.to_owned()) {
                    continue;
                }
                for name in reader.names.iter().filter(|name| !name.starts_with("~/")) {
                    self.named_in(folder, name)?;
                }
            }
        }
        Ok(())
    }

    fn named_in(&mut self, folder: &Path, name: &str) -> Result<(), LookError> {
        if name.contains(['*', '?']) {
            let whole = folder.join(name);
            let parent =
                self.walk.follow_noting(whole.parent().unwrap_or(folder), &mut self.situation.places);
            // Files that only the administrator can change are not watched. A missing folder is noted as missing.
            if parent.is == Is::Folder && !parent.system {
                self.siblings(folder, &[pieces(name)]);
            }
            return Ok(());
        }
        let path = folder.join(name);
        self.watch(&path)?;
        if name == ".git" { self.pointed(&path) } else { Ok(()) }
    }

    /// In a working tree or a submodule, `.git` is a file that says where the repository is.
    fn pointed(&mut self, file: &Path) -> Result<(), LookError> {
        let small =
            std::fs::symlink_metadata(file).is_ok_and(|data| data.is_file() && data.len() <= LONGEST_POINTER);
        let Some(text) = small.then(|| std::fs::read_to_string(file).ok()).flatten() else { return Ok(()) };
        let (Some(goal), Some(folder)) = (text.trim().strip_prefix("gitdir:"), file.parent()) else {
            return Ok(());
        };
        let goal = folder.join(goal.trim());
        let common = goal.ancestors().find(|above| above.file_name().is_some_and(|name| name == "worktrees"));
        let common = common.and_then(Path::parent).map(Path::to_owned);
        for folder in std::iter::once(goal).chain(common) {
            for name in ["config", "config.worktree", "commondir", "hooks/*", "info/attributes"] {
                self.named_in(&folder, name)?;
            }
        }
        Ok(())
    }
}

/// A name of the table as pieces of a word.
pub(super) fn pieces(name: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in name.split_inclusive(['*', '?']) {
        match part.strip_suffix(['*', '?']) {
            Some(text) => {
                pieces.push(Piece::Text(text.to_owned()));
                pieces.extend(part.get(text.len()..).map(|pattern| Piece::Glob(pattern.to_owned())));
            }
            None => pieces.push(Piece::Text(part.to_owned())),
        }
    }
    pieces
}

/// The values of these options, however they are written: `-C x`, `-Cx`, `--directory x`, `--directory=x`.
fn values<'a>(given: &'a [Option<String>], options: &[&str]) -> Vec<&'a str> {
    let mut values = Vec::new();
    for (place, word) in given.iter().enumerate() {
        let Some(word) = word else { continue };
        for option in options {
            let Some(rest) = word.strip_prefix(option) else { continue };
            let short = option.len() == 2;
            let value = match rest.strip_prefix('=') {
                _ if rest.is_empty() => given.get(place + 1).and_then(Option::as_deref),
                Some(value) => Some(value),
                None if short => Some(rest),
                None => None,
            };
            values.extend(value.filter(|value| !value.is_empty()));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::catalogue::FOLDER_READERS;

    #[test]
    fn values_of_options_are_found_however_they_are_written() {
        for (words, found) in [
            ("-C a b", vec!["a"]),
            ("-Ca b", vec!["a"]),
            ("--directory a", vec!["a"]),
            ("--directory=a -C b", vec!["a", "b"]),
            ("--directories a", vec![]),
            ("x -C", vec![]),
            ("-j 4 --dir a", vec![]),
        ] {
            let given: Vec<_> = words.split(' ').map(|word| Some(word.to_owned())).collect();
            assert_eq!(values(&given, &["-C", "--directory"]), found, "{words}");
        }
    }

    #[test]
    fn names_and_programs_are_well_formed() {
        for reader in FOLDER_READERS {
            assert!(!reader.programs.is_empty() && !reader.names.is_empty());
            assert!(reader.programs.iter().all(|name| !name.contains('/')), "{reader:?}");
            assert!(
                reader.names.iter().all(|name| !name.starts_with('/') && !name.contains("..")),
                "{reader:?}"
            );
            assert!(
                reader.names.iter().all(|name| !name.starts_with("~/") || !name.contains('*')),
                "{reader:?}"
            );
            let options = || reader.folder.iter().chain(reader.file);
            assert!(options().all(|option| option.starts_with('-') && option.len() > 1), "{reader:?}");
        }
        assert_eq!(pieces("a*"), [Piece::Text("a".to_owned()), Piece::Glob("*".to_owned())]);
    }
}
