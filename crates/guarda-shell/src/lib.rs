//! Reads a command line as bash would: one pass over its bytes, then one over what they mean.
//!
//! `syntax` comes first and knows no values. `meaning` comes second: it expands words as written into the words that
//! programs get, and turns commands into runs. Text for another shell goes through both again. Anything uncertain
//! ends in [`Unsure`] or in a doubt; nothing is guessed, and nothing is left out.

pub mod given;
mod meaning;
pub mod script;
mod syntax;

use crate::script::{Dialect, Disguise, Fault, Input, Reach, Script, Span, UnknownCause, Unsure};

/// The example of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;

/// The longest text that is read, in bytes.
pub const LONGEST: usize = 64 * 1024;

/// The programs known to start others, with the sub-commands that do so (`docker exec`).
///
/// ```
/// assert!(guarda_shell::wrappers().any(|name| name == "docker exec"));
/// ```
pub fn wrappers() -> impl Iterator<Item = String> {
    meaning::commands::names::starters()
}

/// True for a builtin, and for a reserved word that may be the name of a run.
///
/// ```
/// assert!(guarda_shell::is_builtin("cd") && !guarda_shell::is_builtin("ls"));
/// ```
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    meaning::commands::names::is_builtin(name)
}

/// The names of programs that read commands as a shell does.
///
/// ```
/// assert!(guarda_shell::shells().any(|name| name == "dash"));
/// ```
pub fn shells() -> impl Iterator<Item = &'static str> {
    meaning::commands::names::shells()
}

/// Reads `source` in the given grammar.
///
/// ```
/// use guarda_shell::script::Dialect;
///
/// let script = guarda_shell::read("cd build && rm -r $X", Dialect::Bash)?;
/// let rm = &script.runs()[1];
/// assert_eq!(rm.program(), Some("rm"));
/// assert_eq!(rm.words[1].literal(), Some("-r"));
/// assert!(rm.words[2].unknown());
/// assert!(guarda_shell::read("rm 'x", Dialect::Bash).is_err());
/// # Ok::<(), guarda_shell::script::Unsure>(())
/// ```
///
/// # Errors
/// [`Unsure`] if the text cannot be read with certainty; no part of it may then be allowed without a question.
pub fn read(source: &str, dialect: Dialect) -> Result<Script, Unsure> {
    read_whole(source, dialect).map_err(|unsure| {
        // Bash runs the lines before a syntax error; after some errors, it continues with the next line, even if the
        // one before was to be continued (`z=(a; b) \` and a new line).
        let whole = dialect == Dialect::Bash && !source.trim_end().contains('\n');
        let fault = if unsure.fault == Fault::Broken && !whole { Fault::Unclear } else { unsure.fault };
        Unsure { text: source.to_owned(), fault, ..unsure }
    })
}

fn read_whole(source: &str, dialect: Dialect) -> Result<Script, Unsure> {
    refuse_outright(source)?;
    let mut work = syntax::scan::Work::for_length(source.len());
    let list = {
        let mut reader =
            syntax::scan::Reader::new(source, syntax::scan::Map::Shifted(0), dialect, 0, &mut work);
        reader.exact = true;
        reader.script()?
    };
    let mut evaluator = meaning::evaluator::Evaluator {
        source,
        work: &mut work,
        runs: Vec::with_capacity(list.items.len()),
        pipes: Vec::with_capacity(list.items.len()),
        next_pipe: 0,
        doubts: Vec::new(),
        items: Vec::new(),
        vars: meaning::variables::vars::Variables::default(),
        functions: foldhash::HashMap::default(),
        replays: source.len() * 4 + 1024,
        within: Vec::new(),
        inputs: Vec::new(),
        calls: Vec::new(),
        endless: None,
        holes: Vec::new(),
        evaluates: false,
        code: None,
        moved: false,
        arguments_lost: false,
        steps: Some(Vec::new()),
    };
    let scope = meaning::evaluator::Scope {
        parent: None,
        reach: Reach::Plain,
        input: Input::Inherited,
        pipe: 0,
        redirects: Vec::new(),
        dialect,
        depth: 0,
        certain: true,
        in_function: false,
        beside: false,
        arguments: None,
        top: true,
    };
    let starts_jobs = list.items.iter().any(|item| item.background);
    let left_running = meaning::growth::ends_in_background(&list);
    evaluator.list(list, &scope)?;
    if let (true, Some(span)) = (evaluator.evaluates, evaluator.code) {
        evaluator.doubt(UnknownCause::Other("text that arithmetic may run as a command".to_owned()), span);
    }
    let growth = evaluator.growth();
    let (runs, doubts, items, steps) = (evaluator.runs, evaluator.doubts, evaluator.items, evaluator.steps);
    let plan = meaning::plan::plan(steps, &runs, &doubts);
    let may_move = evaluator.moved || !doubts.is_empty();
    let open_ended = work.open_ended || source.ends_with('\\');
    let mut disguises = work.disguises;
    disguises.extend(invisible(source).map(|span| (span, Disguise::Invisible)));
    let source = source.to_owned();
    Ok(Script {
        source,
        dialect,
        runs,
        doubts,
        items,
        growth,
        starts_jobs,
        left_running,
        may_move,
        open_ended,
        disguises,
        plan,
    })
}

/// True for a character that is invisible or changes the direction of text: direction marks, joiners, fillers, tags.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The first invisible character.
fn invisible(source: &str) -> Option<Span> {
    if source.is_ascii() {
        return None;
    }
    let (start, letter) = source.char_indices().find(|(_, letter)| is_invisible(*letter))?;
    Some(Span { start, end: start + letter.len_utf8() })
}

/// Refuses text that bash itself would not accept as a script, or that is too long to judge.
fn refuse_outright(source: &str) -> Result<(), Unsure> {
    let refuse = |reason: &str, fault: Fault, start: usize, end: usize| {
        Err(Unsure { reason: reason.to_owned(), span: Span { start, end }, text: String::new(), fault })
    };
    if source.len() > LONGEST {
        return refuse("longer than 64 KiB", Fault::Beyond, LONGEST, source.len());
    }
    if let Some(at) = memchr::memchr(0, source.as_bytes()) {
        return refuse("a NUL byte stands in it", Fault::Unclear, at, at + 1);
    }
    if source.starts_with(['-', '+']) {
        return refuse("it begins like an option of the shell", Fault::Unclear, 0, 1);
    }
    Ok(())
}
