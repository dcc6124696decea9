//! Completes or rolls back commits and undos that an earlier process left unfinished; reports and records the result.

use crate::wording::Words;
use guarda_core::action::Language;
use guarda_journal::{Ending, Journal};
use guarda_sandbox::stage::{NotCommitted, NotUndone, Recovered, Recovery, Stages, StagesConfig};

use super::load::{self, say};
use super::terminal;

/// Opens the store for held-back changes and old versions. First completes or rolls back what an earlier process left
/// unfinished.
pub(crate) fn stages(config: StagesConfig, journal: &Journal) -> Option<Stages> {
    let stages = match Stages::open(config) {
        Ok(stages) => stages,
        Err(error) => {
            terminal::note(&say("recovery-no-stages", &[("why", error.to_string())]));
            return None;
        }
    };
    for recovery in stages.recover() {
        let Some(ending) = ending(&recovery) else { continue };
        terminal::note(&how(load::words(), &recovery.what));
        if let Err(error) = journal.ended_at_start(&ending) {
            terminal::note(&say("recovery-unrecorded", &[("why", error.to_string())]));
        }
    }
    Some(stages)
}

/// Describes a recovery in a person's language; empty if no change had begun.
fn how(words: &Words, what: &Recovered) -> String {
    let (id, of, why) = match what {
        Recovered::Removed(_) | Recovered::Kept(_) => return String::new(),
        Recovered::Committed(id) => ("recovery-committed", id, String::new()),
        Recovered::TakenBack(id, why) => ("recovery-taken-back", id, why.to_string()),
        Recovered::Undone(id) => ("recovery-undone", id, String::new()),
        Recovered::Held(id, why) => ("recovery-undo-taken-back", id, why.to_string()),
        Recovered::Stuck(id, why) => ("recovery-unfinished", id, why.to_string()),
    };
    words.say(id, &[("id", of.to_string().into()), ("why", why.into())])
}

/// The outcome of a recovery; `None` if no change had begun.
fn ending(recovery: &Recovery) -> Option<Ending<'_>> {
    let whose = recovery.whose.as_ref();
    let (phase, trouble) = match &recovery.what {
        Recovered::Removed(_) | Recovered::Kept(_) => return None,
        Recovered::Committed(_) => ("commit", None),
        Recovered::TakenBack(_, NotCommitted::Interrupted) => ("discard", None),
        Recovered::TakenBack(..) => ("discard", Some("taken_back")),
        Recovered::Undone(_) => ("undo", None),
        Recovered::Held(_, NotUndone::Interrupted) => ("commit", None),
        Recovered::Held(..) => ("commit", Some("taken_back")),
        Recovered::Stuck(..) => ("commit", Some("unfinished")),
    };
    Some(Ending {
        session: whose.map(|note| note.session.as_str()),
        command: whose.map_or("", |note| &note.what),
        phase,
        trouble,
        how: how(crate::wording::words(Language::English), &recovery.what),
    })
}
