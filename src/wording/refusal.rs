//! Why a question got no answer and why a host was refused, in words. What a person or the system said stays as it is.

use guarda_core::gate::{HostRefusal, NeverAsked, NoAnswer};
use guarda_core::network::{AddressClass, Unfit};
use guarda_core::output::traffic::HostTraffic;

use crate::wording::localize::{told, told_with};
use crate::wording::mark::cause;
use crate::wording::plain::visible;
use crate::wording::words::Words;
use guarda_journal::{Facts, LineCause};

/// The reason of a line of the record, without a full stop; `None` if it has none.
#[must_use]
pub fn recorded(words: &Words, facts: &Facts) -> Option<String> {
    match &facts.cause {
        None => facts.reason.as_deref().map(visible),
        Some(LineCause::LateYes) => Some(words.say("cause-kept", &[])),
        Some(LineCause::Host(why)) => Some(host_refusal(words, why)),
        Some(LineCause::Question(why)) => Some(no_answer(words, why)),
        Some(LineCause::Marks(why)) => Some(cause(words, why)),
    }
}

/// Why a question was withdrawn or never put, without a full stop.
#[must_use]
pub fn no_answer(words: &Words, why: &NoAnswer) -> String {
    match why {
        NoAnswer::TakenBack => no_answer(words, &NoAnswer::CalledOff),
        other => told(words, "cause", other),
    }
}

/// Why a run did not reach this host, each reason without a full stop.
#[must_use]
pub fn refusals(words: &Words, host: &HostTraffic) -> Vec<String> {
    match host.refusals.as_slice() {
        // A record of version 0.1.0 has sentences alone.
        [] => host.reasons.iter().map(|reason| visible(reason)).collect(),
        refusals => refusals.iter().map(|why| host_refusal(words, why)).collect(),
    }
}

/// Why a run did not reach a host, without a full stop.
#[must_use]
pub fn host_refusal(words: &Words, why: &HostRefusal) -> String {
    let with = |arguments: &[(&'static str, String)]| told_with(words, "refusal", why, arguments);
    let detail = match why {
        HostRefusal::Person { reason } => reason.as_deref().map(visible),
        HostRefusal::Unasked { why } => Some(no_answer(words, why)),
        HostRefusal::Unrecorded { error }
        | HostRefusal::Unresolved { error }
        | HostRefusal::Unreachable { error } => Some(visible(error)),
        HostRefusal::Never { host } => return with(&[("what", never(words, *host))]),
        HostRefusal::Unfit { address: Unfit::Address { address, class } } => {
            return with(&[("address", address.to_string()), ("what", address_class(words, *class))]);
        }
        HostRefusal::Unfit { address: Unfit::Nowhere } => return words.say("refusal-nowhere", &[]),
        HostRefusal::Malformed { error } => return visible(error),
        _ => None,
    };
    match detail {
        Some(why) => words.say("refusal-because", &[("reason", with(&[]).into()), ("why", why.into())]),
        None => with(&[]),
    }
}

fn never(words: &Words, host: NeverAsked) -> String {
    match host {
        NeverAsked::Credentials => address_class(words, AddressClass::Metadata),
        NeverAsked::ThisComputer => address_class(words, AddressClass::Loopback),
        NeverAsked::Address(class) => address_class(words, class),
    }
}

fn address_class(words: &Words, class: AddressClass) -> String {
    words.say(&format!("address-{}", class.name()), &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Language;
    use guarda_core::network::Protocol;
    use strum::{IntoEnumIterator as _, VariantArray as _};

    #[test]
    fn a_reason_is_told_in_the_readers_language() {
        let private = Unfit::Address { address: [192, 168, 0, 1].into(), class: AddressClass::Private };
        for (stored, um, un) in [
            (HostRefusal::Person { reason: None }, "uma pessoa disse não", "une personne a dit non"),
            (
                HostRefusal::Person { reason: Some("pas ici".to_owned()) },
                "uma pessoa disse não: pas ici",
                "une personne a dit non : pas ici",
            ),
            (
                HostRefusal::Unasked { why: NoAnswer::Gone },
                "não havia a quem perguntar: quem pediu foi embora",
                "il n'y avait personne à qui demander : celui qui demandait est parti",
            ),
            (
                HostRefusal::Unasked {
                    why: NoAnswer::QuietHours { lacks: "speech: quiet hours".to_owned() },
                },
                "não havia a quem perguntar: é horário de silêncio (speech.quiet_hours)",
                "il n'y avait personne à qui demander : ce sont les heures calmes (speech.quiet_hours)",
            ),
            (
                HostRefusal::Unfit { address: private },
                "192.168.0.1 é um endereço de rede local",
                "192.168.0.1 est une adresse du réseau local",
            ),
            (
                HostRefusal::Never { host: NeverAsked::Address(AddressClass::Loopback) },
                "é este próprio computador, e o comando aprovado não cita esse endereço",
                "c'est cet ordinateur lui-même, et la commande approuvée ne le nomme pas",
            ),
            (
                HostRefusal::Malformed { error: "something else".to_owned() },
                "something else",
                "something else",
            ),
        ] {
            for (language, told) in [(Language::Portuguese, um), (Language::French, un)] {
                let words = crate::wording::words(language);
                assert_eq!(host_refusal(words, &stored), told);
            }
        }
    }

    /// `say` gives the id of a message that does not exist.
    #[test]
    fn every_reason_has_words_in_every_language() {
        let text = || "x".to_owned();
        let refusals = [
            HostRefusal::Person { reason: None },
            HostRefusal::Silence,
            HostRefusal::WrongCodes,
            HostRefusal::Unapproved,
            HostRefusal::OtherHost,
            HostRefusal::Unrecorded { error: text() },
            HostRefusal::Denied,
            HostRefusal::Own,
            HostRefusal::TooMany,
            HostRefusal::Unfit { address: Unfit::Nowhere },
            HostRefusal::Unresolved { error: text() },
            HostRefusal::Unreachable { error: text() },
            HostRefusal::Named { host: guarda_core::network::Host::parse("a.example").unwrap() },
            HostRefusal::Protocol { protocol: Protocol::Web },
            HostRefusal::Protocol { protocol: Protocol::Ssh },
            HostRefusal::Protocol { protocol: Protocol::Any },
            HostRefusal::SecondRequest,
        ];
        let classes = AddressClass::VARIANTS.iter();
        let classes = classes.map(|class| HostRefusal::Never { host: NeverAsked::Address(*class) });
        let refusals: Vec<HostRefusal> = refusals.into_iter().chain(classes).collect();
        for language in Language::ALL {
            let words = crate::wording::words(language);
            let said = NoAnswer::iter().map(|why| no_answer(words, &why));
            let said = said.chain(refusals.iter().map(|why| host_refusal(words, why)));
            let late = Facts { cause: Some(LineCause::LateYes), ..Facts::default() };
            for told in said.chain(recorded(words, &late)) {
                let missing = ["cause-", "refusal-", "address-"].iter().any(|start| told.contains(start));
                assert!(!missing && !told.is_empty(), "{language}: {told}");
            }
        }
    }

    /// A person may write any words, also those of the guard.
    #[test]
    fn a_persons_words_are_not_read_as_the_guards() {
        let words = crate::wording::words(Language::French);
        let text = NoAnswer::CalledOff.to_string();
        let said = Facts { reason: Some(text.clone()), ..Facts::default() };
        assert_eq!(recorded(words, &said), Some(text));
        let cause = Some(LineCause::Question(NoAnswer::CalledOff));
        assert_eq!(recorded(words, &Facts { cause, ..said }), Some("la demande a été retirée".to_owned()));
        assert_eq!(recorded(words, &Facts::default()), None);
    }
}
