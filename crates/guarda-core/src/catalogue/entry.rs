//! Entries of lists that mean commands: a program, or a program and its sub-command or option (`curl`, `git push`, `mvn -o`).

use guarda_shell::script::{Run, Word};

use super::base_name;

/// Whether a run matches one of these entries (`curl`, `git push`): the program, directly followed by the entry's other words.
/// Options before a sub-command are skipped; an operand is never taken for one.
pub fn names_one<T: AsRef<str>>(entries: &[T], run: &Run) -> bool {
    let Some(program) = run.program() else { return false };
    let short = base_name(program);
    entries.iter().any(|entry| {
        let mut wanted = entry.as_ref().split_whitespace();
        wanted.next().is_some_and(|name| name == program || name == short) && {
            let wanted: Vec<&str> = wanted.collect();
            match wanted.as_slice() {
                [] => true,
                [option] if option.starts_with('-') => has_option(run, option),
                [option, ..] if option.starts_with('-') => begins_with(run, &wanted),
                words => leads_with(short, run, words),
            }
        }
    })
}

/// Whether a run has an option (`-i`, alone or with its value in the same word) before any `--`.
fn has_option(run: &Run, option: &str) -> bool {
    let words = run.words.iter().skip(1).map_while(|word| word.literal().filter(|text| *text != "--"));
    words.into_iter().any(|word| word.starts_with(option))
}

/// Whether the words after the program begin with these (`python -m pip`).
fn begins_with(run: &Run, wanted: &[&str]) -> bool {
    let mut words = run.words.iter().skip(1).map(Word::literal);
    wanted.iter().all(|word| words.next() == Some(Some(word)))
}

/// Whether these words are the run's sub-command.
fn leads_with(program: &str, run: &Run, wanted: &[&str]) -> bool {
    let mut words = run.words.iter().skip(1).map(Word::literal).peekable();
    while let Some(Some(option)) =
        words.peek().copied().filter(|word| word.is_some_and(|text| text.starts_with('-')))
    {
        words.next();
        let takes =
            program == "git" && matches!(option, "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace");
        if takes {
            words.next();
        }
    }
    wanted.iter().all(|word| words.next() == Some(Some(word)))
}
