//! `find`: its expression is a language; only tests and printing pass.

use super::Fault;
use crate::policy::Policy;
use crate::policy::context::JudgeContext;
use guarda_shell::script::{Run, Word};

/// Tests with one argument.
const WITH: &[&str] = &[
    "-acl",
    "-amin",
    "-anewer",
    "-atime",
    "-Bmin",
    "-Bnewer",
    "-Btime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-D",
    "-depth",
    "-f",
    "-flags",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mnewer",
    "-mtime",
    "-name",
    "-newer",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xattr",
    "-xattrname",
    "-xtype",
    "-since",
    "-files0-from",
];

/// How the actions begin that change files.
const ACTS: &[&str] = &["-delete", "-fls", "-fprint", "-rm"];

/// Actions that start a program.
const START: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Tests that choose files by what they are called or which they are: with one of them, an action is not on
/// everything. Sizes, times, owners and rights are no such choice: `-size +0` leaves hardly anything.
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

/// Reads a `find` that would otherwise be let through.
pub(in crate::policy) fn read(
    policy: &Policy,
    context: &JudgeContext<'_>,
    index: usize,
    run: &Run,
) -> Result<(), Fault> {
    let mut words = run.words.iter().skip(1).peekable();
    let mut starts = 0usize;
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else { continue };
        if START.contains(&text) {
            starts += 1;
            for part in words.by_ref() {
                if matches!(part.literal(), Some(";" | "+")) {
                    break;
                }
            }
        } else if text == "-files0-from" {
            if let Some(file) = words.next() {
                super::path(policy, context, index, file, 0)?;
            }
        } else if (WITH.contains(&text) || text.starts_with("-newer") && text.len() == 8)
            && (text != "-depth" || words.peek().is_some_and(|next| is_number(next)))
            && text != "-d"
        {
            words.next();
        } else if ACTS.iter().any(|act| text.starts_with(act)) {
            return Err(Fault::new(format!("the action {text:?} does more than read"), word.span));
        }
        // A test that find does not know, or a stray word behind its tests, makes it refuse to start.
    }
    let wrapped = context
        .children(index)
        .filter(|(_, child)| matches!(child.reach, guarda_shell::script::Reach::Wrapper(_)))
        .count();
    if wrapped < starts {
        return Err(Fault::new("what it starts is not known", run.span));
    }
    Ok(())
}

fn is_number(word: &Word) -> bool {
    word.literal()
        .is_some_and(|text| text.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit()))
}

/// True if no test chooses among the files below the starting points.
pub(in crate::policy) fn unnarrowed(run: &Run) -> bool {
    !chooses(run, NARROW)
}

/// True if one of these tests chooses some of the files.
pub(super) fn chooses(run: &Run, tests: &[&str]) -> bool {
    // `-name '*'` chooses nothing, and neither does the opposite of a name.
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
        tests.contains(&word.prefix()) && (word.prefix() == "-empty" || !everything(*at)) && !denied(*at)
    });
    chosen.count() > alternatives
}

/// The starting points.
pub(in crate::policy) fn roots(run: &Run) -> impl Iterator<Item = &Word> {
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

/// The folders below which `fd` finds everything: a pattern that any name fits stands before them, and no option chooses.
pub(in crate::policy) fn searched_by_fd(run: &Run) -> impl Iterator<Item = &Word> {
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
