//! Secrets with known values: the guard's own tokens and keys.

use std::sync::{Arc, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::forms::literal::Stretch;

/// The length of a part that reveals a value; a shorter part could be guessed anyway.
const PART: usize = 12;

/// Values that are hidden everywhere, whole or in part.
#[derive(Debug, Clone, Default)]
pub struct HiddenValues(Option<Arc<AhoCorasick>>);

/// The values of this process.
static KEPT: RwLock<(Vec<String>, HiddenValues)> = RwLock::new((Vec::new(), HiddenValues(None)));

/// Hides these values from now on, everywhere and in every supported notation. Values shorter than
/// twelve bytes are ignored.
pub fn keep<'a>(values: impl IntoIterator<Item = &'a str>) {
    let mut kept = KEPT.write().unwrap_or_else(PoisonError::into_inner);
    let new = values.into_iter().map(str::trim).filter(|value| value.len() >= PART).map(str::to_owned);
    kept.0.extend(new);
    kept.0.sort_unstable();
    kept.0.dedup();
    kept.1 = HiddenValues::of(&kept.0);
}

impl HiddenValues {
    /// The values to search for.
    #[must_use]
    pub fn of(values: &[String]) -> Self {
        let parts: Vec<&[u8]> = values.iter().flat_map(|value| value.as_bytes().windows(PART)).collect();
        if parts.is_empty() {
            return Self(None);
        }
        let finder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            // Keys begin with any character, so a search for rare ones only costs.
            .prefilter(false)
            .build(parts);
        Self(finder.ok().map(Arc::new))
    }

    /// Their places.
    fn find(&self, bytes: &[u8]) -> Vec<Stretch> {
        let mut found: Vec<Stretch> = Vec::new();
        for hit in self.0.iter().flat_map(|finder| finder.find_overlapping_iter(bytes)) {
            match found.last_mut() {
                Some((_, to)) if hit.start() <= *to => *to = hit.end(),
                _ => found.push((hit.start(), hit.end())),
            }
        }
        found
    }
}

/// The places of this process's values in a text.
pub(super) fn find(text: &str) -> Vec<Stretch> {
    let values = KEPT.read().unwrap_or_else(PoisonError::into_inner).1.clone();
    let whole = |(from, to): Stretch| (text.floor_char_boundary(from), text.ceil_char_boundary(to));
    values.find(text.as_bytes()).into_iter().map(whole).collect()
}

/// Binary data with this process's secret values blanked out; `None` if it contains none of them.
pub(super) fn blanked(bytes: &[u8]) -> Option<Vec<u8>> {
    let values = KEPT.read().unwrap_or_else(PoisonError::into_inner).1.clone();
    let found = values.find(bytes);
    if found.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (from, to) in found {
        out.extend_from_slice(bytes.get(at..from).unwrap_or_default());
        out.extend_from_slice(b"[REDACTED_TOKEN]");
        at = to;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    Some(out)
}
