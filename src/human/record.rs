//! Tells a person why the record cannot be written, and what to do.

use crate::human::plain::visible;
use crate::human::words::Words;
use crate::record::RecordFault;

/// Why the record cannot be written. What the system said stays in English, in parentheses.
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
}
