//! Extracts the `[rules.*]` and `[effects.*]` tables of the file. All other lines become empty, so that the policy's
//! errors name the original line.

use toml::de::{DeTable, DeValue};

use super::ConfigFault;

/// The sections that hold rules.
const SECTIONS: [&str; 2] = ["rules", "effects"];

/// The rules alone.
pub(super) fn cut_out(text: &str) -> Result<String, toml::de::Error> {
    let document = DeTable::parse(text)?;
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
    let mut kept = vec![false; starts.len()];
    for (key, value) in document.get_ref() {
        if SECTIONS.contains(&key.get_ref().as_ref()) {
            mark(key.span(), &starts, &mut kept);
            keep(value, &starts, &mut kept);
        }
    }
    let cut: String = text
        .split_inclusive('\n')
        .zip(kept.iter().chain(std::iter::repeat(&false)))
        .map(|(line, keep)| if *keep { line } else { "\n" })
        .collect();
    // If lines contain both rules and other things, the file cannot be cut by lines: the rules are serialised again.
    let whole: toml::Table = toml::from_str(text)?;
    let rules: toml::Table =
        whole.into_iter().filter(|(name, _)| SECTIONS.contains(&name.as_str())).collect();
    if toml::from_str::<toml::Table>(&cut).is_ok_and(|again| again == rules) {
        return Ok(cut);
    }
    toml::to_string(&rules).map_err(|error| ConfigFault::Other(error.to_string()).raise())
}

/// Keeps the lines of a value and of everything in it.
fn keep(value: &toml::Spanned<DeValue<'_>>, starts: &[usize], kept: &mut [bool]) {
    mark(value.span(), starts, kept);
    match value.get_ref() {
        DeValue::Table(table) => {
            for (key, value) in table {
                mark(key.span(), starts, kept);
                keep(value, starts, kept);
            }
        }
        DeValue::Array(items) => items.iter().for_each(|item| keep(item, starts, kept)),
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => {}
    }
}

fn mark(span: std::ops::Range<usize>, starts: &[usize], kept: &mut [bool]) {
    let line = |byte: usize| starts.partition_point(|start| *start <= byte).saturating_sub(1);
    let last = line(span.end.saturating_sub(1).max(span.start));
    if let Some(lines) = kept.get_mut(line(span.start)..=last) {
        lines.fill(true);
    }
}
