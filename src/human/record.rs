//! Tells a person why the record cannot be written, and what to do.

use crate::human::plain::visible;
use crate::human::words::Words;
use crate::record::{LostPart, RecordFault, RecordWarning};

/// Why the record cannot be written. Of an error without words of its own, what the system said stays in English, in
/// parentheses.
#[must_use]
pub fn fault(words: &Words, fault: &RecordFault) -> String {
    let name: &'static str = fault.into();
    let id = format!("record-fault-{name}");
    let at = |place: &str| words.say(&id, &[("place", visible(place).into())]);
    let because = |why: &str| words.say(&id, &[("why", visible(why).into())]);
    match fault {
        RecordFault::System { place, kind, error } => {
            let kind: &'static str = kind.into();
            let what = words.say(&format!("record-system-{kind}"), &[("why", visible(error).into())]);
            words.labelled(&visible(place), &what)
        }
        RecordFault::OfUser { place, uid } => {
            words.say(&id, &[("place", visible(place).into()), ("uid", uid.to_string().into())])
        }
        RecordFault::Open(place)
        | RecordFault::NoFolder(place)
        | RecordFault::Link(place)
        | RecordFault::Busy(place)
        | RecordFault::NotPlain(place)
        | RecordFault::Replaced(place)
        | RecordFault::NoKey(place) => at(place),
        RecordFault::NoRandom(why) | RecordFault::Secrets(why) | RecordFault::Encoding(why) => because(why),
        RecordFault::SessionName | RecordFault::Closed => words.say(&id, &[]),
    }
}

/// What was found wrong with the record when it was opened, without a full stop.
#[must_use]
pub fn warning(words: &Words, warning: &RecordWarning) -> String {
    let name: &'static str = warning.into();
    let id = format!("record-warning-{name}");
    let listed = |lost: &[LostPart]| {
        words.listed(&lost.iter().map(|part| self::lost(words, part)).collect::<Vec<_>>())
    };
    match warning {
        RecordWarning::TableGone => words.say(&id, &[]),
        RecordWarning::TableBroken(why) => words.say(&id, &[("why", visible(why).into())]),
        RecordWarning::Damaged { session, damage } => {
            words.say(&id, &[("session", visible(session).into()), ("why", visible(damage).into())])
        }
        RecordWarning::Moved(place) => words.say(&id, &[("place", visible(place).into())]),
        RecordWarning::Behind(lost) => words.say(&id, &[("why", listed(lost).into())]),
        RecordWarning::BehindElsewhere { place, lost } => {
            words.say(&id, &[("place", visible(place).into()), ("why", listed(lost).into())])
        }
    }
}

fn lost(words: &Words, part: &LostPart) -> String {
    let name: &'static str = part.into();
    let id = format!("record-lost-{name}");
    let of = |session: &str, name, number: crate::human::words::Value<'static>| {
        words.say(&id, &[("session", visible(session).into()), (name, number)])
    };
    match part {
        LostPart::Anchor | LostPart::Record => words.say(&id, &[]),
        LostPart::BrokenAnchor(why) | LostPart::BrokenCopy(why) => {
            words.say(&id, &[("why", visible(why).into())])
        }
        LostPart::Part { part, session } => of(session, "part", part.to_string().into()),
        LostPart::Lines { count, session } => of(session, "count", (*count).into()),
        LostPart::Rewritten(session) => words.say(&id, &[("session", visible(session).into())]),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use guarda_core::action::Language;
    use strum::{VariantArray as _, VariantNames as _};

    use super::*;
    use crate::record::trouble::SystemKind;

    #[test]
    fn every_fault_has_words_in_every_language() {
        let text = || "/home/ana/record".to_owned();
        let plain = [
            RecordFault::Open(text()),
            RecordFault::NoFolder(text()),
            RecordFault::Link(text()),
            RecordFault::Busy(text()),
            RecordFault::NotPlain(text()),
            RecordFault::Replaced(text()),
            RecordFault::OfUser { place: text(), uid: 7 },
            RecordFault::SessionName,
            RecordFault::NoKey(text()),
            RecordFault::NoRandom(text()),
            RecordFault::Secrets(text()),
            RecordFault::Encoding(text()),
            RecordFault::Closed,
        ];
        let system = SystemKind::VARIANTS.iter().map(|kind| RecordFault::System {
            place: text(),
            kind: *kind,
            error: "File too large (os error 27)".to_owned(),
        });
        let all: Vec<RecordFault> = plain.into_iter().chain(system).collect();
        let names: BTreeSet<&str> = all.iter().map(<&'static str>::from).collect();
        assert_eq!(names, RecordFault::VARIANTS.iter().copied().collect());
        for one in all {
            let [portuguese, english, french] =
                Language::ALL.map(|language| fault(crate::human::words(language), &one));
            assert!(portuguese != english && french != english && portuguese != french, "{english}");
            assert!(!english.contains("record-fault") && !english.contains("record-system"), "{english}");
        }
    }

    #[test]
    fn every_warning_has_words_in_every_language() {
        let text = || "a".to_owned();
        let lost = [
            LostPart::Anchor,
            LostPart::Record,
            LostPart::BrokenAnchor(text()),
            LostPart::BrokenCopy(text()),
            LostPart::Part { part: 2, session: text() },
            LostPart::Lines { count: 1, session: text() },
            LostPart::Rewritten(text()),
        ];
        let names: BTreeSet<&str> = lost.iter().map(<&'static str>::from).collect();
        assert_eq!(names, LostPart::VARIANTS.iter().copied().collect());
        let each = lost.iter().map(|part| RecordWarning::Behind(vec![part.clone()]));
        let others = [
            RecordWarning::TableGone,
            RecordWarning::TableBroken(text()),
            RecordWarning::Damaged { session: text(), damage: text() },
            RecordWarning::Moved(text()),
            RecordWarning::BehindElsewhere { place: text(), lost: lost.to_vec() },
        ];
        let all: Vec<RecordWarning> = each.chain(others).collect();
        let names: BTreeSet<&str> = all.iter().map(<&'static str>::from).collect();
        assert_eq!(names, RecordWarning::VARIANTS.iter().copied().collect());
        for one in all {
            let [portuguese, english, french] =
                Language::ALL.map(|language| warning(crate::human::words(language), &one));
            assert!(portuguese != english && french != english && portuguese != french, "{english}");
            assert!(!english.contains("record-lost") && !english.contains("record-warning"), "{english}");
        }
    }
}
