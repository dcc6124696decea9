//! Hides secrets. Their forms are data with examples (`*.toml`); this code finds the places, and its cost grows
//! only with the length of the text.

mod word;
mod value;
mod views;
mod forms;
mod rules;
mod named;
mod known;
mod place;
mod values;
mod hold;
mod stream;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use forms::literal::Stretch;
use forms::{block, manifest, number, runs};
use known::Known;
use named::{assign, beside};
pub use place::RedactionFailure;
use place::SecretRange;
use rules::{Mark, Rules};
use views::view::View;
use views::{decode, dump};

pub use stream::Stream;
pub use values::{HiddenValues, keep};

/// A text with its secrets hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redacted {
    /// The text.
    pub text: String,
    /// The kinds of secrets that were hidden, each once, sorted: `api_key`, `password`, `bearer_token`,
    /// `connection_string`, `private_key`, `azure_subscription_id`, `storage_key`, `sas_token` (feature S9), `token`,
    /// `secret`, `jwt`, `cookie`, `webhook`, `password_hash`, `cpf`, `card_number`.
    pub kinds: Vec<String>,
    /// The number of hidden secrets.
    pub count: usize,
}

/// The most passes over a text: hiding one secret can reveal another beside it.
const ROUNDS: usize = 6;

/// Parsed when the first text is redacted, not at start. Tests try its examples.
static BUILTIN: LazyLock<Result<Rules, rules::BrokenTable>> = LazyLock::new(Rules::builtin);

/// Hides the secrets of a text.
///
/// ```
/// use guarda_core::output::redact;
///
/// let redacted = redact("password = \"hunter2!x\"")?;
/// assert_eq!(redacted.text, "password = \"[REDACTED_PASSWORD]\"");
/// # Ok::<(), guarda_core::output::RedactionFailure>(())
/// ```
///
/// # Errors
/// If the rules cannot be used, or the passes do not converge. No part of the text may then be shown.
pub fn redact(text: &str) -> Result<Redacted, RedactionFailure> {
    let rules = BUILTIN.as_ref().map_err(|_| RedactionFailure)?;
    hide(rules, text, None).map(|(redacted, _)| redacted)
}

/// The number of steps of a redaction; `None` if it fails.
#[cfg(test)]
pub(super) fn steps(text: &str) -> Option<u64> {
    hide(BUILTIN.as_ref().ok()?, text, None).ok().map(|(_, steps)| steps)
}

/// Hides secrets and counts the steps. Known values are hidden too, and new ones are added to them.
fn hide(
    rules: &Rules,
    text: &str,
    mut known: Option<&mut Known>,
) -> Result<(Redacted, u64), RedactionFailure> {
    let mut text = Cow::Borrowed(text);
    let mut kinds = BTreeSet::new();
    let mut count = 0;
    let mut steps = 0;
    for _ in 0..ROUNDS {
        let (places, work) = find(rules, &text, known.as_deref_mut())?;
        steps += work;
        if places.is_empty() {
            let kinds = kinds.into_iter().collect();
            return Ok((Redacted { text: text.into_owned(), kinds, count }, steps));
        }
        let mut shown = String::with_capacity(text.len());
        let mut at = 0;
        for place in &places {
            shown.push_str(text.get(at..place.from).ok_or(RedactionFailure)?);
            shown.push_str(&marker(&place.kind));
            at = place.to;
            kinds.insert(place.kind.clone());
            count += 1;
        }
        shown.push_str(text.get(at..).ok_or(RedactionFailure)?);
        text = Cow::Owned(shown);
    }
    Err(RedactionFailure)
}

/// The replacement of a secret: `[REDACTED_PRIVATE_KEY]` (feature S9).
fn marker(kind: &str) -> String {
    format!("[REDACTED_{}]", kind.to_ascii_uppercase())
}

/// Finds the ranges to hide, in order and without overlaps.
fn find(
    rules: &Rules,
    text: &str,
    known: Option<&mut Known>,
) -> Result<(Vec<SecretRange>, u64), RedactionFailure> {
    let (mut places, steps) = find_within(rules, text, DEPTH, Lines::Related)?;
    known::repeat(text, &mut places, known);
    Ok((merge(places), steps))
}

/// Whether lines can belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// One can go on where another ends.
    Related,
    /// Each stands for itself: [`hold::Hold`] has said so of every one.
    Single,
}

/// The most times that decoded text is decoded again.
const DEPTH: usize = 2;

/// Finds the ranges in the decoded text as well.
fn find_within(
    rules: &Rules,
    text: &str,
    depth: usize,
    lines: Lines,
) -> Result<(Vec<SecretRange>, u64), RedactionFailure> {
    let (plain, mut steps) = find_plain(rules, text)?;
    if depth == 0 {
        return Ok((plain, steps));
    }
    let mut places = plain.clone();
    let mut look =
        |view: &View, wanted: &dyn Fn(&SecretRange, Stretch) -> bool| -> Result<(), RedactionFailure> {
            let (found, work) = find_within(rules, &view.text, depth - 1, Lines::Related)?;
            steps += work + text.len() as u64;
            for place in found {
                let (from, to) = view.source((place.from, place.to));
                let (from, to) = (text.floor_char_boundary(from), text.ceil_char_boundary(to));
                if from < to && !is_marked(text, from, to) && wanted(&place, (from, to)) {
                    places.push(SecretRange { from, to, ..place });
                }
            }
            Ok(())
        };
    if let Some(view) = decode::escapes(text) {
        look(&view, &|_, _| true)?;
    }
    if lines == Lines::Related
        && let Some(view) = decode::unfolded(text)
    {
        // A value that is complete on its line must not include the beginning of the next one.
        let covered = |(from, to): Stretch| {
            let next = plain.partition_point(|place| place.to <= from);
            plain.get(next).is_some_and(|place| place.from < to)
        };
        // But the last line of a key is shorter than any line that is recognised on its own.
        let wanted = |place: &SecretRange, source: Stretch| {
            view.goes_over((place.from, place.to)) && (place.kind == "private_key" || !covered(source))
        };
        look(&view, &wanted)?;
    }
    if let Some(view) = decode::runs(text) {
        look(&view, &|_, _| true)?;
    }
    if lines == Lines::Related {
        for view in dump::views(text) {
            look(&view, &|_, _| true)?;
        }
    }
    Ok((merge(places), steps))
}

/// Finds the ranges in the text as written.
fn find_plain(rules: &Rules, text: &str) -> Result<(Vec<SecretRange>, u64), RedactionFailure> {
    let mut steps = text.len() as u64;
    let mut places = Vec::new();
    if number::is_numbers(text) {
        // No mark and no token is made of these alone.
        number::find(text, |(from, to), kind| {
            places.push(SecretRange { from, to, kind: kind.to_owned(), weight: 2 })
        });
        places.extend(own_values(text));
        return Ok((merge(places), steps));
    }
    let mut armour = Vec::new();
    let mut manifests = Vec::new();
    let mut add = |(from, to): Stretch, kind: &str, weight: u8| {
        if from < to && !is_marked(text, from, to) {
            places.push(SecretRange { from, to, kind: kind.to_owned(), weight });
        }
    };
    // A literal inside a hidden range is not examined again.
    let mut covered = 0;
    // The end of the last value that was longer than one reading.
    let mut long = 0;
    for hit in rules.finder.find_overlapping_iter(text) {
        steps += 1;
        match rules.marks.get(hit.pattern().as_usize()) {
            Some(Mark::Rule(index)) if hit.start() >= covered => {
                let Some(rule) = rules.rules.get(*index) else {
                    continue;
                };
                let (found, work) =
                    rule.look(text, (hit.start(), hit.end()), covered, &rules.placeholders)?;
                steps += work as u64;
                if let Some(stretch) = found {
                    covered = stretch.1;
                    add(stretch, &rule.kind, 2);
                }
            }
            Some(Mark::Noun(index)) if hit.start() >= long => {
                let Some(noun) = rules.nouns.get(*index) else {
                    continue;
                };
                let (found, work) = assign::look(text, hit.start(), hit.end(), noun, rules);
                steps += work as u64;
                if let Some((from, mut to)) = found {
                    if to - from >= beside::VALUE - 1 {
                        // The window ended inside the value: the rest of it is hidden too, and not read again.
                        let rest = text.as_bytes().get(to..).unwrap_or_default();
                        to += rest.iter().take_while(|byte| value::is_token_byte(**byte)).count();
                        steps += (to - from) as u64;
                        long = to;
                    }
                    add((from, to), &noun.kind, 1);
                }
            }
            Some(Mark::Armour) => armour.push(hit.start()),
            Some(Mark::Manifest) => manifests.push(hit.start()),
            Some(Mark::Rule(_) | Mark::Noun(_)) | None => {}
        }
    }
    let armour = block::find(text, &armour);
    for stretch in armour.private {
        add(stretch, "private_key", 4);
    }
    manifest::find(text, &manifests, &rules.placeholders, |stretch| add(stretch, "secret", 3));
    number::find(text, |stretch, kind| add(stretch, kind, 2));
    runs::find(text, &armour.public, |stretch, kind| add(stretch, kind, 0));
    places.extend(own_values(text));
    Ok((merge(places), steps))
}

/// The guard's own tokens and other values that are hidden wherever they stand.
fn own_values(text: &str) -> impl Iterator<Item = SecretRange> {
    values::find(text).into_iter().map(|(from, to)| SecretRange {
        from,
        to,
        kind: "token".to_owned(),
        weight: 5,
    })
}

/// Whether it is inside a marker, or only markers.
fn is_marked(text: &str, from: usize, to: usize) -> bool {
    let inside = text.get(from..to).unwrap_or_default();
    if inside.starts_with("[REDACTED_") && inside.ends_with(']') && !inside.contains(' ') {
        return true;
    }
    let before = text.get(text.floor_char_boundary(from.saturating_sub(40))..from).unwrap_or_default();
    before.rfind("[REDACTED_").is_some_and(|at| before.get(at..).is_some_and(|open| !open.contains(']')))
}

fn merge(mut places: Vec<SecretRange>) -> Vec<SecretRange> {
    places.sort_by_key(|place| (place.from, std::cmp::Reverse(place.to)));
    let mut merged: Vec<SecretRange> = Vec::with_capacity(places.len());
    for place in places {
        match merged.last_mut() {
            Some(last) if place.from < last.to => {
                last.to = last.to.max(place.to);
                if place.weight > last.weight {
                    last.kind = place.kind;
                    last.weight = place.weight;
                }
            }
            _ => merged.push(place),
        }
    }
    merged
}
