//! Kubernetes manifests of secrets: hides everything below `data` and `stringData`.

use super::literal::Stretch;
use crate::output::redact::value::is_placeholder;

/// Looks for `kind: Secret` at the places of the word `kind`, and hides the values in those documents.
pub(crate) fn find(text: &str, marks: &[usize], placeholders: &[String], mut found: impl FnMut(Stretch)) {
    let mut done = 0;
    for &at in marks {
        if at < done || !names_secret(text, at) {
            continue;
        }
        let start =
            text.get(done..at).and_then(|before| before.rfind("\n---")).map_or(done, |cut| done + cut + 1);
        let end = text.get(at..).and_then(|after| after.find("\n---")).map_or(text.len(), |cut| at + cut);
        document(text, start, end, placeholders, &mut found);
        done = end;
    }
}

/// `kind: Secret`, `"kind": "Secret"`.
pub(crate) fn names_secret(text: &str, at: usize) -> bool {
    let rest = text.get(at + 4..text.floor_char_boundary(at.saturating_add(32))).unwrap_or_default();
    let rest = rest.trim_start_matches(['"', '\'', '\\', ' ']);
    let Some(value) = rest.strip_prefix(':') else {
        return false;
    };
    let value = value.trim_start_matches(['"', '\'', '\\', ' ']);
    value.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("secret"))
        && !value.as_bytes().get(6).copied().is_some_and(|byte| byte.is_ascii_alphanumeric())
}

fn document(text: &str, start: usize, end: usize, placeholders: &[String], found: &mut impl FnMut(Stretch)) {
    let mut at = start;
    // The indentation of `data:`, while its lines are read.
    let mut section: Option<usize> = None;
    let mut folded: Option<usize> = None;
    for line in text.get(start..end).unwrap_or_default().split_inclusive('\n') {
        let from = at;
        at += line.len();
        let body = line.trim();
        let indent = line.len() - line.trim_start().len();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if let Some(depth) = folded {
            if indent > depth {
                hide(text, from + indent, from + indent + body.len(), placeholders, found);
                continue;
            }
            folded = None;
        }
        if section.is_some_and(|depth| indent <= depth) {
            section = None;
        }
        let Some((name, value)) = body.split_once(':') else {
            continue;
        };
        let name = name.trim_matches(['"', '\'', ' ', '-', '{', '\\']);
        if matches!(name, "data" | "stringData") {
            let inline = value.trim_start();
            if inline.starts_with('{') {
                entries(
                    text,
                    from + line.len() - line.trim_start().len() + body.len() - inline.len(),
                    inline,
                    placeholders,
                    found,
                );
            } else {
                section = Some(indent);
            }
            continue;
        }
        if section.is_none() {
            continue;
        }
        let value = value.trim();
        if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
            folded = Some(indent);
            continue;
        }
        let begin = from + indent + body.len() - value.len();
        let inner = value.trim_matches(['"', '\'', ',']);
        let skip = value.find(inner).unwrap_or(0);
        hide(text, begin + skip, begin + skip + inner.len(), placeholders, found);
    }
}

/// `{"user": "eA==", "password": "eQ=="}`.
fn entries(text: &str, start: usize, object: &str, placeholders: &[String], found: &mut impl FnMut(Stretch)) {
    let close = object.find('}').unwrap_or(object.len());
    let mut at = start;
    for entry in object.get(..close).unwrap_or_default().split_inclusive(',') {
        if let Some(colon) = entry.find(':') {
            let value = entry.get(colon + 1..).unwrap_or_default();
            let inner = value.trim_matches(['"', '\'', ',', ' ', '\\']);
            let skip = value.find(inner).unwrap_or(0);
            let from = at + colon + 1 + skip;
            hide(text, from, from + inner.len(), placeholders, found);
        }
        at += entry.len();
    }
}

fn hide(text: &str, from: usize, to: usize, placeholders: &[String], found: &mut impl FnMut(Stretch)) {
    let value = text.get(from..to).unwrap_or_default();
    if value.len() >= 4 && !is_placeholder(value, placeholders) {
        found((from, to));
    }
}
