//! What a service that runs without a person tells at its end: what was done, and what was refused because nobody could say yes.

use std::collections::BTreeMap;
use std::path::Path;

use crate::app::CliError;
use crate::wording::describe::recorded;
use crate::wording::{Words, refusal};
use guarda_journal::RequestFate;
use guarda_journal::read::{Filter, each};

/// The most refused requests that are told one by one.
const TOLD: usize = 40;

/// The report on what the record in this folder has since this time.
///
/// # Errors
/// If the record cannot be read.
pub(super) fn report(words: &Words, folder: &Path, since: jiff::Timestamp) -> Result<String, CliError> {
    let mut fates: BTreeMap<String, (RequestFate, String, String)> = BTreeMap::new();
    each(folder, &Filter { since: Some(since), ..Filter::default() }, |line| {
        if let Some(fate) = RequestFate::of(&line.place, &line.facts) {
            let why = line.facts.findings.first().map(|finding| recorded::why(words, finding));
            let why = why.or_else(|| refusal::recorded(words, &line.facts)).unwrap_or_default();
            fates.insert(line.place.audit_id.clone(), (fate, recorded::what(words, &line.facts), why));
        }
        Ok(())
    })
    .map_err(CliError::unreadable)?;
    let count = |wanted: &[RequestFate]| fates.values().filter(|(fate, ..)| wanted.contains(fate)).count();
    let sum = [
        (
            "done",
            count(&[RequestFate::DoneUnasked, RequestFate::DoneApproved, RequestFate::LeftToClient]).into(),
        ),
        ("refused", count(&[RequestFate::DeniedUnasked]).into()),
        ("blocked", count(&[RequestFate::Blocked]).into()),
        ("failed", count(&[RequestFate::Failed]).into()),
    ];
    let mut text = format!("{}\n", words.say("unattended-sum", &sum));
    // The same line with the same reason is told once.
    let mut refused: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (fate, what, why) in fates.values() {
        if matches!(fate, RequestFate::DeniedUnasked | RequestFate::Blocked) {
            *refused.entry((what, why)).or_default() += 1;
        }
    }
    for ((what, why), times) in refused.iter().take(TOLD) {
        let told = [
            ("what", crate::wording::plain::visible(what).into()),
            ("why", crate::wording::plain::visible(why).into()),
            ("count", (*times).into()),
        ];
        text.push_str(&format!("{}\n", words.say("unattended-row", &told)));
    }
    if let Some(more) = refused.len().checked_sub(TOLD).filter(|more| *more > 0) {
        text.push_str(&format!("{}\n", words.say("unattended-more", &[("count", more.into())])));
    }
    if !refused.is_empty() {
        text.push_str(&format!("{}\n", words.say("unattended-next", &[])));
    }
    Ok(text)
}
