//! Tells a person why the record cannot be written, and what to do.

use crate::wording::localize::{told, told_with};
use crate::wording::plain::visible;
use crate::wording::words::Words;
use guarda_journal::{RecordFault, RecordWarning};

/// Why the record cannot be written. Of an error without words of its own, what the system said stays in English, in
/// parentheses.
#[must_use]
pub fn fault(words: &Words, fault: &RecordFault) -> String {
    let RecordFault::System { place, kind, error } = fault else { return told(words, "record-fault", fault) };
    let kind: &'static str = kind.into();
    let what = words.say(&format!("record-system-{kind}"), &[("why", visible(error).into())]);
    words.labelled(&visible(place), &what)
}

/// What was found wrong with the record when it was opened, without a full stop.
#[must_use]
pub fn warning(words: &Words, warning: &RecordWarning) -> String {
    let lost = match warning {
        RecordWarning::Behind(lost) | RecordWarning::BehindElsewhere { lost, .. } => lost.as_slice(),
        _ => &[],
    };
    let lost: Vec<String> = lost.iter().map(|part| told(words, "record-lost", part)).collect();
    told_with(words, "record-warning", warning, &[("why", words.listed(&lost))])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use guarda_core::action::Language;
    use strum::{VariantArray as _, VariantNames as _};

    use super::*;
    use guarda_journal::LostPart;
    use guarda_journal::trouble::SystemKind;

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
                Language::ALL.map(|language| fault(crate::wording::words(language), &one));
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
                Language::ALL.map(|language| warning(crate::wording::words(language), &one));
            assert!(portuguese != english && french != english && portuguese != french, "{english}");
            assert!(!english.contains("record-lost") && !english.contains("record-warning"), "{english}");
        }
    }
}
