//! The options and the end of a `guarda run`.

/// The exit status if nothing was run. Shells use it for a program that cannot be started.
pub(super) const NOT_RUN: u8 = 126;

/// How this process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// With a status.
    Status(u8),
    /// By a signal.
    Signal(i32),
}

/// What else is wanted of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// The shell changes to the folder that is written to the file which is standard input.
    pub moves: bool,
    /// A refusal is written to standard output, as JSON.
    pub json: bool,
}

impl RunOptions {
    pub(super) fn of(words: &[String]) -> Option<Self> {
        words.iter().try_fold(Self::default(), |options, word| match word.as_str() {
            "--folder" => Some(Self { moves: true, ..options }),
            "--json" => Some(Self { json: true, ..options }),
            _ => None,
        })
    }
}

/// Prints one line to standard error.
pub(super) fn say(what: &str) {
    use std::io::Write as _;
    let what: String = what.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = std::io::stderr().lock().write_all(format!("guarda: {}\n", what.trim()).as_bytes());
}
