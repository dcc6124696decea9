//! Commands that print only numbers, whatever they read: their output may be evaluated.

use crate::script::{Redirect, RedirectKind, Run, Word};

/// Whether a run prints numbers or nothing, blanks aside.
pub(crate) fn prints_numbers(run: &Run) -> bool {
    let Some((program, words)) = run.words.split_first() else { return false };
    let Some(name) = program.literal() else { return false };
    // Its error message may contain any name.
    let told = |redirect: &Redirect| redirect.fd == 1 || redirect.kind == RedirectKind::Duplicate;
    if run.redirects.iter().any(told) || !run.assigns.is_empty() {
        return false;
    }
    let literal: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    match (name, literal.as_deref()) {
        ("wc", Some(words)) => words.iter().all(|word| {
            matches!(*word, "--lines" | "--words" | "--bytes" | "--chars" | "--max-line-length")
                || letters(word, "lwcmL")
        }),
        ("nproc" | "pgrep" | "tr" | "printf" | "expr" | "id" | "tput" | "git", Some(words)) => {
            printed(name, words)
        }
        ("grep" | "egrep" | "fgrep", Some(words)) => counted(words),
        ("seq", Some(words)) => words.iter().all(|word| !word.starts_with(['-', '+']) || is_sum(word)),
        ("echo", Some(words)) => words.iter().all(|word| is_sum(word)),
        ("true" | ":" | "false", Some(_)) => true,
        ("date", _) => date(words),
        ("stat", _) => stat(words),
        _ => false,
    }
}

fn printed(name: &str, words: &[&str]) -> bool {
    match (name, words) {
        ("nproc", words) => words.iter().all(|word| *word == "--all"),
        ("pgrep", words) => !words.iter().any(|word| word.starts_with('-') && !letters(word, "cfxnowu")),
        ("tr", ["-cd" | "-dc", set]) => matches!(*set, "0-9" | "[:digit:]" | "0-9\\n" | "[0-9]"),
        ("printf", [format, _, ..]) => {
            matches!(*format, "%d" | "%i" | "%u" | "%d\\n" | "%i\\n" | "%u\\n")
        }
        ("expr", [_, sign, _]) => matches!(*sign, "+" | "-" | "*" | "/" | "%"),
        ("id", ["-u" | "-g"]) | ("tput", ["cols" | "lines" | "colors"]) => true,
        ("git", ["rev-list", rest @ ..]) => rest.contains(&"--count") && !rest.contains(&"--help"),
        _ => false,
    }
}

/// `grep -c` of its input or of one file, whose name it does not print.
fn counted(words: &[&str]) -> bool {
    let (flags, operands): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with('-'));
    flags.iter().any(|flag| *flag == "--count" || flag.contains('c') && !flag.starts_with("--"))
        && flags.iter().all(|flag| *flag == "--count" || letters(flag, "civwxEFGPsh"))
        && (1..=2).contains(&operands.len())
}

/// `date +%s` and other formats of digits alone, for any time.
fn date(words: &[Word]) -> bool {
    let mut formats = 0usize;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.literal() {
            Some("-u" | "--utc") => {}
            // Their value is a time to parse.
            Some("-d" | "--date" | "-r" | "--reference") => {
                let _ = rest.next();
            }
            Some(text) if text.starts_with('+') => {
                formats += 1;
                let digits =
                    ["s", "Y", "m", "d", "H", "M", "S", "j", "u", "w", "N", "y", "V", "-d", "-m", "-H"];
                let mut fields = text.get(1..).unwrap_or("").split('%');
                if fields.next() != Some("") || !fields.all(|field| digits.contains(&field)) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    formats == 1
}

/// `stat -c %s FILE`: a size, a time or a number of the named file.
fn stat(words: &[Word]) -> bool {
    let format = |text: &str| {
        let digits = ["%s", "%Y", "%X", "%Z", "%W", "%h", "%u", "%g", "%i", "%b", "%B", "%d", "%a"];
        digits.contains(&text)
    };
    let rest = match words {
        [first, rest @ ..] if first.literal() == Some("-L") => rest,
        words => words,
    };
    match rest {
        [first, second, file] if matches!(first.literal(), Some("-c" | "--format")) => {
            second.literal().is_some_and(format) && !file.prefix().starts_with('-') && !file.glob()
        }
        [first, file] => {
            let given =
                first.literal().and_then(|text| text.strip_prefix("--format=").or(text.strip_prefix("-c")));
            given.is_some_and(format) && !file.prefix().starts_with('-') && !file.glob()
        }
        _ => false,
    }
}

/// True for an option of only these letters.
fn letters(word: &str, known: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|letter| known.contains(letter)))
}

fn is_sum(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
