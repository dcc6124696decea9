//! Tells a person why a model server cannot be used, or why a model gives no opinion.

use crate::advice::Unusable;
use crate::devices::endpoint::{EndpointFault, NothingTold};
use crate::human::file;
use crate::human::plain::visible;
use crate::human::words::Words;

/// Why there is no usable answer of a model: a clause about the model, without a full stop.
#[must_use]
pub fn unusable(words: &Words, why: &Unusable) -> String {
    let name: &'static str = why.into();
    let id = format!("unusable-{name}");
    let plain = || words.say(&id, &[]);
    let count = |count: u64| words.say(&id, &[("count", count.into())]);
    let with = |text: &str| words.say(&id, &[("why", visible(text).into())]);
    match why {
        Unusable::Paused { seconds, why } => {
            let told = [("seconds", (*seconds).into()), ("why", unusable(words, why).into())];
            words.say(&id, &told)
        }
        Unusable::Silent(error) => no_response(words, error),
        Unusable::NoModel { model, place } => {
            words.say(&id, &[("model", visible(model).into()), ("place", visible(place).into())])
        }
        Unusable::Status(status) => words.say(&id, &[("status", status.to_string().into())]),
        Unusable::Late(seconds) => words.say(&id, &[("seconds", (*seconds).into())]),
        Unusable::TooLong(most) => count(u64::try_from(*most).unwrap_or(u64::MAX)),
        Unusable::Choices(choices) => count(u64::try_from(*choices).unwrap_or(u64::MAX)),
        Unusable::NoRandom(error) | Unusable::Unfinished(error) => with(error),
        Unusable::Secrets
        | Unusable::NotTheApi
        | Unusable::CutOff
        | Unusable::NoText
        | Unusable::NoObject
        | Unusable::NoScore => plain(),
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
            let told = Language::ALL.map(|language| unusable(crate::human::words(language), &one));
            let different: BTreeSet<&String> = told.iter().collect();
            assert!(different.len() == 3 && !told.iter().any(|told| told.contains("unusable-")), "{told:?}");
        }
        for fault in [
            EndpointFault::Address(text()),
            EndpointFault::NoHost,
            EndpointFault::NoKey("/home/ana/key".into()),
        ] {
            let [portuguese, english, french] =
                Language::ALL.map(|language| endpoint_fault(crate::human::words(language), &fault));
            assert!(portuguese != english && french != english && portuguese != french, "{english}");
        }
    }
}
