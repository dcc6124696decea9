//! `find` and `fd`: where they begin, and whether a test chooses among what they find.

use guarda_shell::script::{Run, Word};

/// Tests that select files by name or identity, so that an action does not apply to everything. Sizes, times, owners and
/// modes do not count: `-size +0` excludes hardly anything.
const NARROW: &[&str] = &[
    "-empty",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-lname",
    "-name",
    "-path",
    "-regex",
    "-samefile",
    "-wholename",
];

/// True if no test selects among the files below the starting points.
pub(crate) fn unnarrowed(run: &Run) -> bool {
    // `-name '*'` excludes nothing, and a negated name excludes little.
    let everything = |at: usize| {
        run.words.get(at + 1).and_then(Word::literal).is_some_and(|text| {
            !text.chars().any(|letter| letter.is_alphanumeric()) || text.contains("[!") || text.contains("[^")
        })
    };
    let denied = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| run.words.get(at)).and_then(Word::literal);
        matches!(before, Some("!" | "-not"))
    };
    let alternatives =
        run.words.iter().filter(|word| matches!(word.literal(), Some("-o" | "-or" | ","))).count();
    let chosen = run.words.iter().enumerate().skip(1).filter(|(at, word)| {
        NARROW.contains(&word.prefix()) && (word.prefix() == "-empty" || !everything(*at)) && !denied(*at)
    });
    chosen.count() <= alternatives
}

/// The starting points.
pub(crate) fn roots(run: &Run) -> impl Iterator<Item = &Word> {
    run.words
        .iter()
        .skip(1)
        .skip_while(|word| {
            matches!(word.literal(), Some("-H" | "-L" | "-P" | "-E" | "-X" | "-d" | "-s" | "-x"))
        })
        .take_while(|word| {
            let head = word.prefix();
            !(head.starts_with('-') || matches!(head, "!" | "(" | ")"))
        })
}

/// The folders in which `fd` finds everything: after a pattern that matches any name, and without an option that selects.
pub(crate) fn searched_by_fd(run: &Run) -> impl Iterator<Item = &Word> {
    let words = run
        .words
        .iter()
        .skip(1)
        .take_while(|word| !matches!(word.prefix(), "-x" | "-X" | "--exec" | "--exec-batch"));
    let mut operands = words.clone().filter(|word| !word.prefix().starts_with('-'));
    let any = operands
        .next()
        .and_then(Word::literal)
        .is_some_and(|pattern| !pattern.contains(char::is_alphanumeric));
    let chosen =
        words.clone().any(|word| ["-e", "--ext", "-t", "--type", "-S", "--size"].contains(&word.prefix()));
    operands.filter(move |_| any && !chosen)
}
