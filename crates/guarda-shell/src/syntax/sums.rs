//! The names that an arithmetic text reads and sets, as far as its words show.

/// The placeholder of an unknown value in an arithmetic text.
pub(crate) const UNKNOWN: char = '\u{1}';

/// One use of a name in an arithmetic text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumStep<'t> {
    /// The value of the name is evaluated.
    Reads(&'t str),
    /// The name gets a number.
    Counts(&'t str),
    /// The name, or an element of it, may get a number.
    Changes(&'t str),
    /// An unknown name gets a number.
    ChangesAny,
}

/// The assignment operators; a longer one comes before its suffixes.
const SIGNS: [&str; 11] = ["<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "="];

/// The uses of names in a text, in order.
pub(crate) fn steps(text: &str) -> Vec<SumStep<'_>> {
    let mut steps = Vec::new();
    for sum in text.split([',', ';']) {
        if !assigns(sum) {
            steps.extend(names(sum).map(SumStep::Reads));
        } else if let Some((name, whole, reads, rest)) = target(sum).filter(|(_, _, _, rest)| !assigns(rest))
        {
            steps.extend(names(rest).map(SumStep::Reads));
            if reads {
                steps.push(SumStep::Reads(name));
            }
            steps.push(if whole { SumStep::Counts(name) } else { SumStep::Changes(name) });
        } else {
            steps.extend(names(sum).map(SumStep::Reads));
            steps.extend(names(sum).map(SumStep::Changes));
            if sum.contains(UNKNOWN) {
                steps.push(SumStep::ChangesAny);
            }
        }
    }
    steps
}

/// The target of `name = …`, `name[…] += …`, `name++` or `++name`: the name, whether all of it is set, whether it is read
/// first, and the rest that is evaluated.
fn target(sum: &str) -> Option<(&str, bool, bool, &str)> {
    let sum = sum.trim();
    if let Some(name) = sum.strip_prefix("++").or_else(|| sum.strip_prefix("--")) {
        let name = name.trim_start();
        return (leading(name).len() == name.len()).then_some((name, true, true, ""));
    }
    let name = leading(sum);
    let mut rest = sum.get(name.len()..)?;
    if name.is_empty() {
        return None;
    }
    let mut index = "";
    if rest.starts_with('[') {
        let end = closing(rest)?;
        index = rest.get(1..end)?;
        rest = rest.get(end + 1..)?;
    }
    let whole = index.is_empty();
    let rest = rest.trim_start();
    if rest == "++" || rest == "--" {
        return (names(index).next().is_none()).then_some((name, whole, true, ""));
    }
    let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
    let value = rest.get(sign.len()..)?;
    // The names in an index are read as well, as part of the whole.
    if whole {
        Some((name, true, *sign != "=", value))
    } else {
        plain_index(index).then_some((name, false, true, value))
    }
}

/// An index without names, in which nothing is read or set.
fn plain_index(index: &str) -> bool {
    names(index).next().is_none() && !assigns(index)
}

/// The position of the bracket that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => open += 1,
            b']' if open == 1 => return Some(at),
            b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Whether a text sets anything.
fn assigns(text: &str) -> bool {
    if text.contains("++") || text.contains("--") {
        return true;
    }
    let bytes = text.as_bytes();
    let at = |place: Option<usize>| place.and_then(|place| bytes.get(place)).copied();
    memchr::memchr_iter(b'=', bytes).any(|place| {
        let (before, behind) = (at(place.checked_sub(1)), at(Some(place + 1)));
        let shifts = matches!(before, Some(b'<' | b'>')) && at(place.checked_sub(2)) == before;
        behind != Some(b'=')
            && !matches!(before, Some(b'=' | b'!'))
            && (shifts || !matches!(before, Some(b'<' | b'>')))
    })
}

/// The names in a text; `0x1f` and `16#ff` are numbers.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '#' | '@')))
        .filter(|word| word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_'))
        .map(leading)
}

fn leading(text: &str) -> &str {
    crate::syntax::words::leading_name(text)
}

#[cfg(test)]
mod tests {
    use super::{SumStep, steps};

    #[test]
    fn what_is_set_and_what_is_read() {
        use SumStep::{Changes, ChangesAny, Counts, Reads};
        for (text, expected) in [
            ("1 + 0x1f", vec![]),
            ("i < n", vec![Reads("i"), Reads("n")]),
            ("i = 3", vec![Counts("i")]),
            ("i == 3", vec![Reads("i")]),
            ("i >= 3 && i != 4", vec![Reads("i"), Reads("i")]),
            ("i += n", vec![Reads("n"), Reads("i"), Counts("i")]),
            ("i <<= 1", vec![Reads("i"), Counts("i")]),
            ("i++", vec![Reads("i"), Counts("i")]),
            ("i=0;i<2;++i", vec![Counts("i"), Reads("i"), Reads("i"), Counts("i")]),
            ("i=0, j=i", vec![Counts("i"), Reads("i"), Counts("j")]),
            ("a[1] = 3", vec![Reads("a"), Changes("a")]),
            ("a[i] = 3", vec![Reads("a"), Reads("i"), Changes("a"), Changes("i")]),
            ("x = (y = 3)", vec![Reads("x"), Reads("y"), Changes("x"), Changes("y")]),
            ("\u{1} = 3", vec![ChangesAny]),
            ("i = \u{1}", vec![Counts("i")]),
        ] {
            assert_eq!(steps(text), expected, "{text}");
        }
    }
}
