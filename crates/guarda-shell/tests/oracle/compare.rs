//! Checks that the programs which bash ran are among those that the reader shows.

use guarda_shell::script::{Dialect, Fault, Piece, Script, Uncertainty, Unsure, Word};

/// How the reader answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It refused to read the script.
    Refused,
    /// It read the script, and reports doubts.
    Doubtful,
    /// It read the script without doubts.
    Certain,
}

/// The reader's answer about a script, and the programs that bash started (as `run` reports them) but the reader does not
/// show. A reader that says it does not know hides nothing; then the script is not run.
pub fn hidden(script: &str, run: impl FnOnce() -> Vec<Vec<String>>) -> (Answer, Vec<Vec<String>>) {
    let read: Result<Script, Unsure> = guarda_shell::read(script, Dialect::Bash);
    match read {
        // Bash must run no part of a script that the reader calls broken.
        Err(unsure) if unsure.fault == Fault::Broken => (Answer::Refused, run()),
        Err(_) => (Answer::Refused, Vec::new()),
        // Here, no data can be run, so the reader must still show all programs.
        Ok(script) if !script.doubts().iter().all(Uncertainty::may_run_data) => {
            (Answer::Doubtful, Vec::new())
        }
        Ok(script) => {
            let shown = |argv: &Vec<String>| script.runs().iter().any(|run| fits(&run.words, argv));
            (Answer::Certain, run().into_iter().filter(|argv| !shown(argv)).collect())
        }
    }
}

/// Whether these words can be this argument vector. A word that is not wholly known may be any number of words.
pub fn fits(words: &[Word], argv: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return argv.is_empty() };
    if !first.pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
        return (0..=argv.len()).any(|taken| fits(rest, &argv[taken..]));
    }
    let Some((argument, left)) = argv.split_first() else { return false };
    first.literal() == Some(argument.as_str()) && fits(rest, left)
}

/// Like [`fits`], if the home folder and the working folder are known.
pub fn fits_in(words: &[Word], argv: &[String], folder: &str) -> bool {
    let known = |word: &Word| match word.known(folder, folder) {
        Some(text) => Word::text(text, word.span),
        None => word.clone(),
    };
    fits(&words.iter().map(known).collect::<Vec<_>>(), argv)
}
