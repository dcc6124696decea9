//! Brace expansion: `{a,b}` and `{1..9}`, in the forms that are beyond doubt.

use crate::meaning::expand::Atom;

/// The limit of words that one word may become.
const MOST: usize = 512;

/// One step of the text of a word: a character that may belong to a brace, or something that does not.
#[derive(Clone)]
enum Step {
    Open,
    Comma,
    Close,
    Text(String),
    Atom(Atom),
}

/// Expands a word: one list of atoms for each resulting word; `None` if the form is not plain enough.
pub(crate) fn expand(atoms: Vec<Atom>) -> Option<Vec<Vec<Atom>>> {
    let mut steps = Vec::new();
    for atom in atoms {
        let Atom::Text(text) = atom else {
            steps.push(Step::Atom(atom));
            continue;
        };
        let mut plain = String::new();
        for character in text.chars() {
            let step = match character {
                '{' => Step::Open,
                ',' => Step::Comma,
                '}' => Step::Close,
                '$' => return None,
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
    let words = sequence(&steps, 0)?;
    Some(words.into_iter().map(flatten).collect())
}

fn flatten(steps: Vec<Step>) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    for step in steps {
        let text = match step {
            Step::Atom(atom) => {
                atoms.push(atom);
                continue;
            }
            Step::Open => "{".to_owned(),
            Step::Comma => ",".to_owned(),
            Step::Close => "}".to_owned(),
            Step::Text(text) => text,
        };
        match atoms.last_mut() {
            Some(Atom::Text(last)) => last.push_str(&text),
            _ => atoms.push(Atom::Text(text)),
        }
    }
    atoms
}

/// Expands all adjacent groups in these steps.
fn sequence(steps: &[Step], depth: usize) -> Option<Vec<Vec<Step>>> {
    if depth > 8 {
        return None;
    }
    let mut words: Vec<Vec<Step>> = vec![Vec::new()];
    let mut index = 0;
    while let Some(step) = steps.get(index) {
        match step {
            Step::Open => {
                let end = closing(steps, index)?;
                let inner = steps.get(index + 1..end)?;
                let choices = group(inner, depth)?;
                if words.len().checked_mul(choices.len())? > MOST {
                    return None;
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
            Step::Close if depth == 0 && index > 0 => return None,
            other @ (Step::Comma | Step::Close | Step::Text(_) | Step::Atom(_)) => {
                for word in &mut words {
                    word.push(other.clone());
                }
                index += 1;
            }
        }
        if words.iter().map(Vec::len).sum::<usize>() > 16 * MOST {
            return None;
        }
    }
    Some(words)
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
            Step::Comma | Step::Text(_) | Step::Atom(_) => {}
        }
    }
    None
}

/// The choices of one group, without its braces.
fn group(inner: &[Step], depth: usize) -> Option<Vec<Vec<Step>>> {
    let mut items: Vec<&[Step]> = Vec::new();
    let (mut open, mut from) = (0_usize, 0);
    for (index, step) in inner.iter().enumerate() {
        match step {
            Step::Open => open += 1,
            Step::Close => open -= 1,
            Step::Comma if open == 0 => {
                items.push(inner.get(from..index)?);
                from = index + 1;
            }
            Step::Comma | Step::Text(_) | Step::Atom(_) => {}
        }
    }
    if !items.is_empty() {
        items.push(inner.get(from..)?);
        let mut choices = Vec::new();
        for item in items {
            choices.extend(sequence(item, depth + 1)?);
        }
        return Some(choices);
    }
    let literal = |body: &[Step]| {
        let mut whole = vec![Step::Text("{".to_owned())];
        whole.extend(body.iter().cloned());
        whole.push(Step::Text("}".to_owned()));
        vec![whole]
    };
    match inner {
        [] => Some(literal(&[])),
        [Step::Text(text)] => match range(text) {
            Some(words) => Some(words?.into_iter().map(|word| vec![Step::Text(word)]).collect()),
            None if text.contains("..") => None,
            None => Some(literal(inner)),
        },
        _ if inner.iter().any(|step| matches!(step, Step::Open | Step::Comma | Step::Close)) => None,
        _ if inner.iter().any(|step| matches!(step, Step::Text(text) if text.contains("..") )) => None,
        _ => Some(literal(inner)),
    }
}

/// The words of `1..9`, `a..e` or `1..9..2`. The inner `None` means that there are too many.
#[expect(clippy::option_option, reason = "outer: not a range; inner: a range too long")]
fn range(text: &str) -> Option<Option<Vec<String>>> {
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
    let number = |text: &str| {
        if text.starts_with('+') { None } else { text.parse::<i64>().ok() }
    };
    let (from, to, letters) = match (number(first), number(last), letter(first), letter(last)) {
        (Some(from), Some(to), _, _) => (from, to, false),
        (_, _, Some(from), Some(to)) => (from, to, true),
        _ => return None,
    };
    if letters && (from <= 90) != (to <= 90) {
        return None;
    }
    let Some(distance) = to.checked_sub(from).and_then(i64::checked_abs) else {
        return Some(None);
    };
    let Ok(count) = usize::try_from(distance / step + 1) else {
        return Some(None);
    };
    if count > MOST {
        return Some(None);
    }
    let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
    if width > 0 && (from < 0 || to < 0) {
        return None;
    }
    let words = (0..count)
        .map(|index| {
            let offset = i64::try_from(index).unwrap_or(0) * step;
            let value = if to >= from { from + offset } else { from - offset };
            match u8::try_from(value) {
                Ok(byte) if letters => char::from(byte).to_string(),
                _ => format!("{value:0width$}"),
            }
        })
        .collect();
    Some(Some(words))
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
            ("{a{b,c}}", None),
            ("{a,b", None),
            ("{1..99999}", None),
            ("{A..c}", None),
        ] {
            let found = expand(vec![Atom::Text(text.to_owned())]).map(|words| {
                words
                    .into_iter()
                    .map(|word| match word.into_iter().next() {
                        Some(Atom::Text(text)) => text,
                        _ => String::new(),
                    })
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            assert_eq!(found.as_deref(), words, "{text}");
        }
    }
}
