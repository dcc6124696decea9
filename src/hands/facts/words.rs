//! What words and names mean on this machine.

use std::path::{Path, PathBuf};

use crate::devices::filesystem::paths::{Is, Walk};
use crate::devices::filesystem::patterns::Part;
use guarda_core::catalogue;
use guarda_core::policy::{Program, Situation};
use guarda_shell::script::{Piece, Word};

/// A word with patterns as a search; `None` if a part is unknown. Patterns that only a shell knows are replaced by
/// wider ones: if the wider matches are unchanged, so are the narrower.
pub(in crate::hands) fn parts(pieces: &[Piece], home: &str, folder: &Path) -> Option<Vec<Part>> {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) => Some(Part::Text(text.clone())),
        Piece::Home => Some(Part::Text(home.to_owned())),
        Piece::Cwd => folder.to_str().map(|folder| Part::Text(folder.to_owned())),
        Piece::Glob(pattern) if pattern.starts_with('[') => Some(Part::Pattern("?".to_owned())),
        Piece::Glob(pattern) if pattern.contains('(') => Some(Part::Pattern("*".to_owned())),
        Piece::Glob(pattern) => Some(Part::Pattern(pattern.clone())),
        Piece::Unknown(_) => None,
    };
    pieces.iter().map(part).collect()
}

/// The text of a word, if all of it is known.
pub(in crate::hands) fn known(word: &Word, situation: &Situation) -> Option<String> {
    word.known(&situation.home, &situation.cwd)
}

/// True for programs that run the text of a file.
pub(in crate::hands) fn interprets(name: &str) -> bool {
    catalogue::is_one(catalogue::SCRIPT_READERS, name)
}

/// The program for a bare name.
pub(in crate::hands) fn find(walk: &mut Walk, search_path: &[PathBuf], name: &str) -> Program {
    if name.is_empty() || name == "." || name == ".." {
        return Program::Missing;
    }
    search_path
        .iter()
        .map(|folder| folder.join(name))
        .find(|file| matches!(walk.follow(file).is, Is::File { executable: true }))
        .map_or(Program::Missing, |file| classify(walk, &file))
}

pub(super) fn classify(walk: &mut Walk, file: &Path) -> Program {
    let target = walk.follow(file);
    match target.is {
        Is::Nothing => Program::Missing,
        Is::File { executable: true } if target.system => Program::System(text(&target.real)),
        Is::File { .. } | Is::Folder | Is::Other => Program::Elsewhere(text(&target.real)),
    }
}

/// Paths that are not UTF-8 cannot be written in an action; they appear only as the target of a link.
pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
