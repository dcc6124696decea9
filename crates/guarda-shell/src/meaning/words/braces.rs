//! Brace expansion: `{a,b}` and `{1..9}`, in the forms that are beyond doubt.

use crate::meaning::variables::value::Known;
use crate::meaning::words::field::Atom;
use crate::script::UnknownCause;

/// The limit of words that one word may become.
const MOST: usize = 1024;
/// The limit of words up to which the numbers and letters of a range are told apart.
const MOST_IN_RANGES: usize = 512;
/// The nesting limit of groups.
const DEPTH: usize = 32;

/// A part of a word that has braces.
pub(crate) struct BracePart {
    /// Its meaning.
    pub atom: Atom,
    /// It is `$name` without braces: letters behind it would belong to the name.
    pub bare: bool,
}

/// Why a word is not expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unexpanded {
    /// The form is not plain enough.
    Unclear,
    /// It is more words, or deeper, than anything a person would write.
    TooMany,
}

/// One step of the text of a word: a character that may belong to a brace, or something that does not.
#[derive(Clone)]
enum Step {
    Open,
    Comma,
    Close,
    Text(String),
    Atom(Atom),
    /// Letters in the next step would belong to the name of a variable.
    Bare,
}

impl Step {
    /// How much memory a copy of it takes, in a small unit.
    fn weight(&self) -> usize {
        match self {
            Self::Text(text) | Self::Atom(Atom::Quoted(text) | Atom::Known { text, .. }) => {
                1 + text.len() / 16
            }
            Self::Open | Self::Comma | Self::Close | Self::Atom(_) | Self::Bare => 1,
        }
    }
}

/// How ranges are read.
#[derive(Clone, Copy)]
enum Ranges {
    /// As each number or letter.
    Each,
    /// As one unknown number or letter.
    Unknown,
}

/// What a word becomes: one list of atoms for each word.
///
/// Where a range makes too many words, its numbers or letters are not told apart. A word whose expansion makes the name of
/// a variable, and a range that is not plain, are unknown.
pub(crate) fn expand(parts: Vec<BracePart>) -> Result<Vec<Vec<Atom>>, Unexpanded> {
    let steps = steps(parts);
    let words = match sequence(&steps, 0, Ranges::Each) {
        Err(Unexpanded::TooMany) => sequence(&steps, 0, Ranges::Unknown)?,
        words => words?,
    };
    Ok(words.into_iter().map(flatten).collect())
}

fn steps(parts: Vec<BracePart>) -> Vec<Step> {
    let mut steps = Vec::new();
    for BracePart { atom, bare } in parts {
        let Atom::Text(text) = atom else {
            steps.push(Step::Atom(atom));
            if bare {
                steps.push(Step::Bare);
            }
            continue;
        };
        let mut plain = String::new();
        for character in text.chars() {
            let step = match character {
                '{' => Step::Open,
                ',' => Step::Comma,
                '}' => Step::Close,
                _ => {
                    plain.push(character);
                    continue;
                }
            };
            if !plain.is_empty() {
                steps.push(Step::Text(std::mem::take(&mut plain)));
            }
            steps.push(step);
        }
        if !plain.is_empty() {
            steps.push(Step::Text(plain));
        }
    }
    steps
}

/// What braces may become, as one unknown part of a word or several words. `maybe`: its possible texts.
pub(crate) fn unexpanded(maybe: Vec<Known>, number: bool) -> Atom {
    let why = UnknownCause::Other("a brace expansion".to_owned());
    Atom::Unknown { why, quoted: false, maybe, number }
}

fn flatten(steps: Vec<Step>) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    let mut bare = false;
    for step in steps {
        let text = match step {
            Step::Atom(atom) => {
                atoms.push(atom);
                bare = false;
                continue;
            }
            Step::Bare => {
                bare = true;
                continue;
            }
            Step::Open => "{".to_owned(),
            Step::Comma => ",".to_owned(),
            Step::Close => "}".to_owned(),
            Step::Text(text) => text,
        };
        // A name, a subscript; or a `$` that was alone before the expansion.
        let names = |text: &str| {
            text.starts_with(|first: char| first.is_ascii_alphanumeric() || "_[".contains(first))
        };
        if bare && names(&text) || text.contains('$') {
            return vec![unexpanded(Vec::new(), false)];
        }
        bare = false;
        match atoms.last_mut() {
            Some(Atom::Text(last)) => last.push_str(&text),
            _ => atoms.push(Atom::Text(text)),
        }
    }
    atoms
}

/// Expands all adjacent groups in these steps.
fn sequence(steps: &[Step], depth: usize, ranges: Ranges) -> Result<Vec<Vec<Step>>, Unexpanded> {
    if depth > DEPTH {
        return Err(Unexpanded::TooMany);
    }
    let most = match ranges {
        Ranges::Each => MOST_IN_RANGES,
        Ranges::Unknown => MOST,
    };
    let mut words: Vec<Vec<Step>> = vec![Vec::new()];
    let mut index = 0;
    while let Some(step) = steps.get(index) {
        match step {
            Step::Open => {
                let end = closing(steps, index).ok_or(Unexpanded::Unclear)?;
                let inner = steps.get(index + 1..end).unwrap_or_default();
                let choices = group(inner, depth, ranges)?;
                if words.len().saturating_mul(choices.len()) > most {
                    return Err(Unexpanded::TooMany);
                }
                words = words
                    .iter()
                    .flat_map(|word| {
                        choices
                            .iter()
                            .map(move |choice| word.iter().chain(choice).cloned().collect::<Vec<_>>())
                    })
                    .collect();
                index = end + 1;
            }
            Step::Close if depth == 0 && index > 0 => return Err(Unexpanded::Unclear),
            other @ (Step::Comma | Step::Close | Step::Text(_) | Step::Atom(_) | Step::Bare) => {
                for word in &mut words {
                    word.push(other.clone());
                }
                index += 1;
            }
        }
        if words.iter().flatten().map(Step::weight).sum::<usize>() > 16 * most {
            return Err(Unexpanded::TooMany);
        }
    }
    Ok(words)
}

fn closing(steps: &[Step], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, step) in steps.iter().enumerate().skip(open) {
        match step {
            Step::Open => depth += 1,
            Step::Close => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            Step::Comma | Step::Text(_) | Step::Atom(_) | Step::Bare => {}
        }
    }
    None
}

/// The choices of one group, without its braces.
fn group(inner: &[Step], depth: usize, ranges: Ranges) -> Result<Vec<Vec<Step>>, Unexpanded> {
    let items = items(inner);
    if items.len() > 1 {
        let mut choices = Vec::new();
        for item in items {
            choices.extend(sequence(item, depth + 1, ranges)?);
        }
        return Ok(choices);
    }
    if let [Step::Text(text)] = inner
        && let Some(range) = Range::read(text)
    {
        return match ranges {
            Ranges::Unknown => Ok(vec![vec![Step::Atom(unexpanded(Vec::new(), !range.letters))]]),
            Ranges::Each if range.count > MOST_IN_RANGES => Err(Unexpanded::TooMany),
            Ranges::Each => Ok(range.words().map(|word| vec![Step::Text(word)]).collect()),
        };
    }
    if inner.iter().any(|step| matches!(step, Step::Text(text) if text.contains(".."))) {
        return Ok(vec![vec![Step::Atom(unexpanded(Vec::new(), false))]]);
    }
    // Braces without a choice stay; groups inside them are expanded.
    let mut words = sequence(inner, depth + 1, ranges)?;
    for word in &mut words {
        word.insert(0, Step::Text("{".to_owned()));
        word.push(Step::Text("}".to_owned()));
    }
    Ok(words)
}

/// What stands between the commas of a group.
fn items(inner: &[Step]) -> Vec<&[Step]> {
    let mut items = Vec::new();
    let (mut open, mut from) = (0_usize, 0);
    for (index, step) in inner.iter().enumerate() {
        match step {
            Step::Open => open += 1,
            Step::Close => open = open.saturating_sub(1),
            Step::Comma if open == 0 => {
                items.extend(inner.get(from..index));
                from = index + 1;
            }
            Step::Comma | Step::Text(_) | Step::Atom(_) | Step::Bare => {}
        }
    }
    items.extend(inner.get(from..));
    items
}

/// `1..9`, `a..e`, `1..9..2`.
struct Range {
    from: i64,
    rises: bool,
    step: i64,
    count: usize,
    letters: bool,
    /// How many digits each number has at least; 0 where none is padded.
    width: usize,
}

impl Range {
    /// Nothing where it is not a plain range.
    fn read(text: &str) -> Option<Self> {
        let mut ends = text.split("..");
        let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
        if ends.next().is_some() {
            return None;
        }
        let step = match step {
            Some(step) => step.parse::<i64>().ok()?.checked_abs()?.max(1),
            None => 1,
        };
        let letter = |text: &str| match text.as_bytes() {
            [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
            _ => None,
        };
        let padded = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.len() > 1 && digits.starts_with('0')
        };
        let number = |text: &str| if text.starts_with('+') { None } else { text.parse::<i64>().ok() };
        let (from, to, letters) = match (number(first), number(last), letter(first), letter(last)) {
            (Some(from), Some(to), _, _) => (from, to, false),
            (_, _, Some(from), Some(to)) => (from, to, true),
            _ => return None,
        };
        let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
        // Between the cases lie signs, and bash pads negative numbers in its own way.
        if letters && (from <= 90) != (to <= 90) || width > 0 && (from < 0 || to < 0) {
            return None;
        }
        let distance = to.checked_sub(from)?.checked_abs()?;
        let count = usize::try_from(distance / step).ok()?.checked_add(1)?;
        Some(Self { from, rises: to >= from, step, count, letters, width })
    }

    fn words(&self) -> impl Iterator<Item = String> {
        let steps = std::iter::successors(Some(self.from), |value| {
            Some(if self.rises { value + self.step } else { value - self.step })
        });
        steps.take(self.count).map(|value| match u8::try_from(value) {
            Ok(byte) if self.letters => char::from(byte).to_string(),
            _ => format!("{value:0width$}", width = self.width),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_become_what_bash_makes_of_them() {
        for (text, words) in [
            ("a{b,c}d", Some("abd acd")),
            ("{a,b}{c,d}", Some("ac ad bc bd")),
            ("{a,{b,c}}", Some("a b c")),
            ("{1..3}", Some("1 2 3")),
            ("{3..1}", Some("3 2 1")),
            ("{01..3}", Some("01 02 03")),
            ("{1..9..4}", Some("1 5 9")),
            ("{a..c}", Some("a b c")),
            ("{}", Some("{}")),
            ("{a}", Some("{a}")),
            ("x{,}", Some("x x")),
            ("{a{b,c}}", Some("{ab} {ac}")),
            ("{a,b", None),
            ("{1..99999}", Some("?")),
            ("{{1..99999},/}", Some("? /")),
            ("{1..300}.{a,b}", Some("?.a ?.b")),
            ("{A..c}", Some("?")),
            ("{/,{A..c}}", Some("/ ?")),
            ("{/,a$}", Some("/ ?")),
            ("{$,}x", Some("? x")),
        ] {
            assert_eq!(shown(text).ok().as_deref(), words, "{text}");
        }
    }

    #[test]
    fn what_is_too_much_says_so() {
        let list = "{a,b,c,d,e,f,g,h}";
        let nested = format!("{}a,b{}", "{".repeat(40), "}".repeat(40));
        for (text, words) in [
            ("{a,b,c,d}".repeat(5), Ok(1024)),
            (list.repeat(4), Err(Unexpanded::TooMany)),
            (nested, Err(Unexpanded::TooMany)),
            (format!("{list}{list}{list}{}", "x".repeat(60_000)), Err(Unexpanded::TooMany)),
        ] {
            assert_eq!(shown(&text).map(|shown| shown.split(' ').count()), words, "{text:.80}");
        }
    }

    /// The words of a text, with `?` for what is unknown.
    fn shown(text: &str) -> Result<String, Unexpanded> {
        let part = BracePart { atom: Atom::Text(text.to_owned()), bare: false };
        let words = expand(vec![part])?.into_iter().map(|word| {
            let atoms = word.into_iter().map(|atom| match atom {
                Atom::Text(text) => text,
                _ => "?".to_owned(),
            });
            atoms.collect::<String>()
        });
        Ok(words.collect::<Vec<_>>().join(" "))
    }
}
