//! `find`: its expression is a language; only tests and printing pass.

use super::Fault;
use crate::action::script::{Run, Word};
use crate::policy::Policy;
use crate::policy::scene::Scene;
use crate::policy::shape::{self, Shape};

/// Tests without an argument.
const ALONE: &[&str] = &[
    "-help",
    "--help",
    "-version",
    "--version",
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-d",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-ignore_readdir_race",
    "-ls",
    "-mount",
    "-nogroup",
    "-noignore_readdir_race",
    "-noleaf",
    "-not",
    "-nouser",
    "-nowarn",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-warn",
    "-writable",
    "-x",
    "-xdev",
    "-H",
    "-L",
    "-P",
    "-E",
    "-X",
    "-s",
];

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

/// Actions that start a program.
const START: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Tests that choose some of the files: with one of them, an action is not on everything.
const NARROW: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-empty",
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
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-nogroup",
    "-nouser",
    "-path",
    "-perm",
    "-regex",
    "-samefile",
    "-size",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
    "-maxdepth",
    "-executable",
    "-writable",
];

/// Reads a `find` that would otherwise be let through.
pub(in crate::policy) fn read(
    policy: &Policy,
    scene: &Scene<'_>,
    index: usize,
    run: &Run,
) -> Result<(), Fault> {
    let mut words = run.words.iter().skip(1).peekable();
    let mut starts = 0usize;
    let mut roots = true;
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            let wild = shape::of_word(policy, scene, index, word) > Shape::Tame;
            if word.prefix().starts_with('-') || wild && (roots || unknown_first(word)) {
                return Err(("this part of the search is not known before it runs".to_owned(), word.span));
            }
            continue;
        };
        if text.starts_with("-O") && text.len() == 3 {
            continue;
        }
        if !(text.starts_with('-') && text.len() > 1 || matches!(text, "!" | "(" | ")" | ",")) {
            if !roots && !text.is_empty() {
                // A stray word makes find fail before it does anything.
                continue;
            }
            continue;
        }
        if !matches!(text, "-H" | "-L" | "-P" | "-E" | "-X" | "-s" | "-x" | "-d") {
            roots = false;
        }
        if START.contains(&text) {
            starts += 1;
            for part in words.by_ref() {
                match part.literal() {
                    Some(";") => break,
                    Some("+") => break,
                    _ => {}
                }
            }
        } else if text == "-files0-from" {
            if let Some(file) = words.next() {
                super::path(policy, scene, index, file, 0)?;
            }
        } else if (WITH.contains(&text) || text.starts_with("-newer") && text.len() == 8)
            && (text != "-depth" || words.peek().is_some_and(|next| is_number(next)))
            && text != "-d"
        {
            words.next();
        } else if !ALONE.contains(&text) {
            return Err((format!("the action or test {text:?} is not known to only read"), word.span));
        }
    }
    let wrapped = scene
        .children(index)
        .filter(|(_, child)| matches!(child.reach, crate::action::script::Reach::Wrapper(_)))
        .count();
    if wrapped < starts {
        return Err(("what it starts is not known".to_owned(), run.span));
    }
    Ok(())
}

fn is_number(word: &Word) -> bool {
    word.literal()
        .is_some_and(|text| text.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit()))
}

fn unknown_first(word: &Word) -> bool {
    matches!(word.pieces.first(), Some(crate::action::script::Piece::Unknown(_)))
}

/// True if no test chooses among the files below the starting points.
pub(in crate::policy) fn unnarrowed(run: &Run) -> bool {
    !chooses(run, NARROW)
}

/// True if one of these tests chooses some of the files.
pub(super) fn chooses(run: &Run, tests: &[&str]) -> bool {
    // `-name '*'` chooses nothing.
    let everything = |at: usize| {
        run.words
            .get(at + 1)
            .and_then(Word::literal)
            .is_some_and(|text| matches!(text, "*" | "?*" | "*.*" | ".*"))
    };
    run.words.iter().enumerate().skip(1).any(|(at, word)| tests.contains(&word.prefix()) && !everything(at))
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
