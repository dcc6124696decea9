//! Completes or rolls back commits and undos that an earlier process left half done; reports and records it.

use crate::record::{Ending, Journal};
use guarda_sandbox::stage::{Recovered, Recovery, Stages, StagesConfig};

/// Creates the store for held-back writes and old versions. First completes or rolls back what an earlier process
/// left half done.
pub(super) fn stages(config: StagesConfig, journal: &Journal) -> Option<Stages> {
    let stages = match Stages::open(config) {
        Ok(stages) => stages,
        Err(error) => {
            super::show::err(&format!("guarda: nothing can be held back or undone: {error}\n"));
            return None;
        }
    };
    for recovery in stages.recover() {
        let Some(ending) = ending(&recovery) else { continue };
        super::show::err(&format!("guarda: {}\n", ending.how));
        if let Err(error) = journal.ended_at_start(&ending) {
            super::show::err(&format!("guarda: this could not be recorded: {error}\n"));
        }
    }
    Some(stages)
}

/// The report of a recovery; `None` if nothing had begun to change.
fn ending(recovery: &Recovery) -> Option<Ending<'_>> {
    let whose = recovery.whose.as_ref();
    let (phase, trouble, how) = match &recovery.what {
        Recovered::Removed(_) | Recovered::Kept(_) => return None,
        Recovered::Committed(id) => {
            ("commit", None, format!("the commit of {id} was interrupted, and is complete now"))
        }
        Recovered::TakenBack(id, why) => (
            "discard",
            Some("taken_back"),
            format!("the commit of {id} was interrupted, and has been taken back: {why}"),
        ),
        Recovered::Undone(id) => {
            ("undo", None, format!("the undo {id} was interrupted, and is complete now"))
        }
        Recovered::Held(id, why) => (
            "commit",
            Some("taken_back"),
            format!("the undo of {id} was interrupted, and has been taken back: {why}"),
        ),
        Recovered::Stuck(id, why) => (
            "commit",
            Some("unfinished"),
            format!("the changes of {id} were interrupted; the next start tries again: {why}"),
        ),
    };
    Some(Ending {
        session: whose.map(|note| note.session.as_str()),
        command: whose.map_or("", |note| &note.what),
        phase,
        trouble,
        how,
    })
}
