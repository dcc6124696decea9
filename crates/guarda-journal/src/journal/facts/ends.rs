//! The ends that no request waits for.

use guarda_core::output::RedactionFailure;

use super::cleaner::Cleaner;
use crate::line::{Facts, KeptEnd};
use crate::proof::Ending;

/// The facts of the end of a line that a session kept running.
pub(in crate::journal) fn kept_ended(line: &str, how: KeptEnd) -> Result<Facts, RedactionFailure> {
    let mut clean = Cleaner::default();
    let how: &'static str = how.into();
    let mut facts = Facts {
        command: clean.text(line)?,
        reason: Some(how.to_owned()),
        environment: "local".to_owned(),
        ..Facts::default()
    };
    clean.note(&mut facts);
    Ok(facts)
}

/// The facts of an interrupted commit or undo that the start has ended.
pub(in crate::journal) fn ended_at_start(ending: &Ending<'_>) -> Result<Facts, RedactionFailure> {
    let mut clean = Cleaner::default();
    let mut facts = Facts {
        command: clean.text(ending.command)?,
        status: Some(if ending.trouble.is_none() { "completed" } else { "error" }.to_owned()),
        error: ending.trouble.map(str::to_owned),
        phase: Some(ending.phase.to_owned()),
        ended: Some(clean.text(&ending.how)?),
        environment: "local".to_owned(),
        ..Facts::default()
    };
    clean.note(&mut facts);
    Ok(facts)
}
