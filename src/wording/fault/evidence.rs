//! Tells a person what a check of the record has found.

use crate::wording::fault::record::fault;
use crate::wording::localize::told;
use crate::wording::plain::visible;
use crate::wording::words::Words;
use guarda_journal::verify::{Tampering, What};
use guarda_journal::{Evidence, Remark};

/// One fault that a check has found, on one line.
#[must_use]
pub fn tampering(words: &Words, fault: &Tampering) -> String {
    let file = visible(&fault.file);
    let place = match fault.line {
        Some(line) => words.say("record-line", &[("file", file.into()), ("line", line.into())]),
        None => file,
    };
    words.labelled(&place, &evidence(words, &fault.why))
}

/// The kind of a fault: "changed", "removed".
#[must_use]
pub fn change(words: &Words, what: What) -> String {
    words.say(&format!("record-what-{}", what.name().replace([' ', '_'], "-")), &[])
}

/// What shows that a part of the record was changed, without a full stop.
#[must_use]
pub fn evidence(words: &Words, evidence: &Evidence) -> String {
    match evidence {
        Evidence::NotOpened(why) => fault(words, why),
        other => told(words, "record-evidence", other),
    }
}

/// A remark of a check, without a full stop.
#[must_use]
pub fn remark(words: &Words, remark: &Remark) -> String {
    told(words, "record-remark", remark)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use guarda_core::action::Language;
    use strum::{IntoEnumIterator as _, VariantNames as _};

    use super::*;
    use guarda_journal::RecordFault;

    #[test]
    fn every_evidence_and_remark_has_words_in_every_language() {
        let text = || "a".to_owned();
        let found = [
            Evidence::NoFolder,
            Evidence::NoRecord,
            Evidence::NoTable,
            Evidence::BrokenTable(text()),
            Evidence::Noted,
            Evidence::Damaged,
            Evidence::NoAnchor,
            Evidence::BrokenAnchor(text()),
            Evidence::NoPart { part: 2, session: text(), lines: 1 },
            Evidence::NoAnchoredPart { part: 2, session: text(), lines: 1 },
            Evidence::BehindAnchor { gone: 1, lines: 3 },
            Evidence::UnlikeAnchor,
            Evidence::NotOpened(RecordFault::NotPlain(text())),
            Evidence::NotRead(text()),
            Evidence::HalfLine,
            Evidence::NeverSealed,
            Evidence::OtherFile,
            Evidence::CutOff { gone: 2, lines: 3 },
            Evidence::UnlikeHead,
            Evidence::AddedLater,
            Evidence::NoLine,
            Evidence::Moved(3),
            Evidence::PutIn,
            Evidence::PutBehind,
            Evidence::Garbled,
            Evidence::TakenOut(2),
            Evidence::NumberOf(3),
            Evidence::OtherHash,
            Evidence::OtherLine,
        ];
        let remarks = [
            Remark::OwnKey(text()),
            Remark::OtherRecord { place: text(), other: text() },
            Remark::NoAnchorYet(text()),
            Remark::NoAnchorThere(text()),
            Remark::UnreadAnchor { place: text(), why: text() },
            Remark::Expired { part: 2, session: text() },
            Remark::HalfWritten(text()),
            Remark::AfterDamage { place: text(), damage: text() },
        ];
        let names: BTreeSet<&str> = found.iter().map(<&'static str>::from).collect();
        assert_eq!(names, Evidence::VARIANTS.iter().copied().collect());
        let names: BTreeSet<&str> = remarks.iter().map(<&'static str>::from).collect();
        assert_eq!(names, Remark::VARIANTS.iter().copied().collect());
        let in_each = |told: &dyn Fn(&Words) -> String| {
            let [portuguese, english, french] =
                Language::ALL.map(|language| told(crate::wording::words(language)));
            assert!(portuguese != english && french != english && portuguese != french, "{english}");
            assert!(!english.contains("record-"), "{english}");
        };
        found.iter().for_each(|one| in_each(&|words| evidence(words, one)));
        remarks.iter().for_each(|one| in_each(&|words| remark(words, one)));
        What::iter().for_each(|one| in_each(&|words| change(words, one)));
    }

    #[test]
    fn a_fault_is_told_with_its_place() {
        let fault = Tampering {
            file: "a.jsonl".to_owned(),
            line: Some(7),
            what: What::Removed,
            why: Evidence::TakenOut(1),
        };
        for (language, told) in [
            (Language::English, "a.jsonl, line 7: 1 line was removed before it"),
            (Language::Portuguese, "a.jsonl, linha 7: 1 linha foi retirada antes dela"),
            (Language::French, "a.jsonl, ligne 7\u{a0}: 1 ligne a été retirée avant elle"),
        ] {
            assert_eq!(tampering(crate::wording::words(language), &fault), told);
        }
    }
}
