//! Tells a person why a model server cannot be used, or why a model gives no opinion.

use crate::advice::Unusable;
use crate::devices::endpoint::{EndpointFault, NothingTold};
use crate::interpret::NoAction;
use crate::wording::fault::file;
use crate::wording::localize::{told, told_with};
use crate::wording::plain::visible;
use crate::wording::words::Words;

/// Why there is no usable answer of a model: a clause about the model, without a full stop.
#[must_use]
pub fn unusable(words: &Words, why: &Unusable) -> String {
    match why {
        Unusable::Paused { why: cause, .. } => {
            told_with(words, "unusable", why, &[("why", unusable(words, cause))])
        }
        Unusable::Silent(error) => no_response(words, error),
        other => told(words, "unusable", other),
    }
}

/// Why a model server gave no response. What the system said of one that cannot be reached is left out: the remedy is the
/// same.
#[must_use]
pub fn no_response(words: &Words, error: &NothingTold) -> String {
    match error {
        NothingTold::Unreachable(place, _) => {
            words.say("endpoint-unreachable", &[("place", visible(place).into())])
        }
        NothingTold::Broken(why) => words.say("endpoint-broken", &[("why", visible(why).into())]),
        NothingTold::Late(within) => {
            words.say("endpoint-late", &[("seconds", within.as_secs_f32().to_string().into())])
        }
    }
}

/// Why a sentence became no action.
#[must_use]
pub fn no_action(words: &Words, why: &NoAction) -> String {
    match why {
        NoAction::Endpoint(fault) => endpoint_fault(words, fault),
        NoAction::NoServer(error) => no_response(words, error),
        NoAction::NoModel(names) if names.is_empty() => words.say("ask-no-model", &[]),
        NoAction::NoModel(names) => {
            words.say("ask-which-model", &[("names", visible(&names.join(", ")).into())])
        }
        NoAction::Refused(status, said) => {
            words.say("ask-answered", &[("answer", format!("{status}: {}", visible(said)).into())])
        }
        NoAction::NotOne(why, said) => {
            words.say("ask-no-action", &[("why", visible(why).into()), ("text", visible(said).into())])
        }
    }
}

/// Why the model server of the configuration cannot be used.
#[must_use]
pub fn endpoint_fault(words: &Words, fault: &EndpointFault) -> String {
    match fault {
        EndpointFault::Address(why) => words.say("endpoint-address", &[("why", visible(why).into())]),
        EndpointFault::NoHost => words.say("endpoint-no-host", &[]),
        EndpointFault::KeyFile(error) => {
            words.say("endpoint-key-file", &[("why", file::told(words, error).into())])
        }
        EndpointFault::NoKey(path) => {
            words.say("endpoint-no-key", &[("path", visible(&path.display().to_string()).into())])
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use guarda_core::action::Language;
    use strum::VariantNames as _;

    use super::*;

    #[test]
    fn every_reason_has_words_in_every_language() {
        let text = || "x".to_owned();
        let all = [
            Unusable::Paused { seconds: 7, why: Box::new(Unusable::NoText) },
            Unusable::TooLong(2000),
            Unusable::Secrets,
            Unusable::NoRandom(text()),
            Unusable::Late(5),
            Unusable::Silent(NothingTold::Broken(text())),
            Unusable::NoModel { model: text(), place: text() },
            Unusable::Status(503),
            Unusable::NotTheApi,
            Unusable::Choices(2),
            Unusable::CutOff,
            Unusable::Unfinished(text()),
            Unusable::NoText,
            Unusable::NoObject,
            Unusable::NoScore,
        ];
        let names: BTreeSet<&str> = all.iter().map(<&'static str>::from).collect();
        assert_eq!(names, Unusable::VARIANTS.iter().copied().collect());
        for one in all {
            let told = Language::ALL.map(|language| unusable(crate::wording::words(language), &one));
            let different: BTreeSet<&String> = told.iter().collect();
            assert!(different.len() == 3 && !told.iter().any(|told| told.contains("unusable-")), "{told:?}");
        }
        for fault in [
            EndpointFault::Address(text()),
            EndpointFault::NoHost,
            EndpointFault::NoKey("/home/ana/key".into()),
        ] {
            let [portuguese, english, french] =
                Language::ALL.map(|language| endpoint_fault(crate::wording::words(language), &fault));
            assert!(portuguese != english && french != english && portuguese != french, "{english}");
        }
    }
}
