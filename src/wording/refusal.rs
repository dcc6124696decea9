//! Why a question got no answer and why a host was refused, in words. What a person or the system said stays as it is.

use guarda_core::gate::{HostRefusal, NeverAsked, NoAnswer};
use guarda_core::network::{AddressClass, Protocol, Unfit};

use crate::record::reason::LineReason;
use crate::wording::localize::told;
use crate::wording::plain::visible;
use crate::wording::words::Words;

/// The reason of a line of the record, without a full stop.
#[must_use]
pub fn recorded(words: &Words, reason: &LineReason) -> String {
    match reason {
        LineReason::Said(text) => visible(text),
        LineReason::Kept => words.say("cause-kept", &[]),
        LineReason::Host(why) => host_refusal(words, why),
        LineReason::NoAnswer(why) => no_answer(words, why),
    }
}

/// Why a question was withdrawn or never put, without a full stop.
#[must_use]
pub fn no_answer(words: &Words, why: &NoAnswer) -> String {
    match why {
        NoAnswer::TakenBack => no_answer(words, &NoAnswer::CalledOff),
        NoAnswer::Other(text) => visible(text),
        other => told(words, "cause", other),
    }
}

/// Why a run did not reach a host, without a full stop.
#[must_use]
pub fn host_refusal(words: &Words, why: &HostRefusal) -> String {
    let plain = |id: &str| words.say(id, &[]);
    let because = |id: &str, why: String| {
        words.say("refusal-because", &[("reason", plain(id).into()), ("why", why.into())])
    };
    match why {
        HostRefusal::Person { reason: None } => plain("refusal-person"),
        HostRefusal::Person { reason: Some(reason) } => because("refusal-person", visible(reason)),
        HostRefusal::Silence => plain("refusal-silence"),
        HostRefusal::WrongCodes => plain("refusal-codes"),
        HostRefusal::Unasked(why) => because("refusal-unasked", no_answer(words, why)),
        HostRefusal::Unapproved => plain("refusal-unapproved"),
        HostRefusal::OtherHost => plain("refusal-other-host"),
        HostRefusal::Unrecorded(error) => because("refusal-unrecorded", visible(error)),
        HostRefusal::Never(host) => words.say("refusal-never", &[("what", never(words, *host).into())]),
        HostRefusal::Denied => plain("refusal-denied"),
        HostRefusal::Own => plain("refusal-own"),
        HostRefusal::TooMany => plain("refusal-many"),
        HostRefusal::Unfit(Unfit::Address { address, class }) => {
            let what = address_class(words, *class);
            words.say("refusal-unfit", &[("address", address.to_string().into()), ("what", what.into())])
        }
        HostRefusal::Unfit(Unfit::Nowhere) => plain("refusal-nowhere"),
        HostRefusal::Unresolved(error) => because("refusal-unresolved", visible(error)),
        HostRefusal::Unreachable(error) => because("refusal-unreachable", visible(error)),
        HostRefusal::Named(host) => {
            words.say("refusal-named", &[("host", visible(&host.to_string()).into())])
        }
        HostRefusal::Protocol(Protocol::Web) => plain("refusal-not-web"),
        HostRefusal::Protocol(Protocol::Ssh) => plain("refusal-not-ssh"),
        HostRefusal::Protocol(Protocol::Any) => plain("refusal-not-expected"),
        HostRefusal::SecondRequest => plain("refusal-second"),
        HostRefusal::Other(text) => visible(text),
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
    use strum::VariantArray as _;

    #[test]
    fn a_reason_is_told_in_the_readers_language() {
        for (stored, um, un) in [
            ("a person said no", "uma pessoa disse não", "une personne a dit non"),
            (
                "a person said no: pas ici",
                "uma pessoa disse não: pas ici",
                "une personne a dit non : pas ici",
            ),
            (
                "nobody could be asked: the caller went away",
                "não havia a quem perguntar: quem pediu foi embora",
                "il n'y avait personne à qui demander : celui qui demandait est parti",
            ),
            (
                "nobody could be asked: speech: quiet hours (22:00-07:00, speech.quiet_hours); http: off",
                "não havia a quem perguntar: é horário de silêncio (speech.quiet_hours)",
                "il n'y avait personne à qui demander : ce sont les heures calmes (speech.quiet_hours)",
            ),
            (
                "192.168.0.1 is private",
                "192.168.0.1 é um endereço de rede local",
                "192.168.0.1 est une adresse du réseau local",
            ),
            (
                "it is loopback, and the approved command does not name it",
                "é este próprio computador, e o comando aprovado não cita esse endereço",
                "c'est cet ordinateur lui-même, et la commande approuvée ne le nomme pas",
            ),
            ("something else", "something else", "something else"),
        ] {
            for (language, told) in [(Language::Portuguese, um), (Language::French, un)] {
                let words = crate::wording::words(language);
                assert_eq!(host_refusal(words, &HostRefusal::read(stored)), told);
            }
        }
    }

    /// `say` gives the id of a message that does not exist.
    #[test]
    fn every_reason_has_words_in_every_language() {
        let text = || "x".to_owned();
        let answers = [
            NoAnswer::Muted { seconds: 1 },
            NoAnswer::Refused { times: 2, seconds: 1 },
            NoAnswer::NoDigit(text()),
            NoAnswer::NoCode(text()),
            NoAnswer::Unrecorded(text()),
            NoAnswer::QuietHours(text()),
            NoAnswer::NoChannel(text()),
        ];
        let refusals = [
            HostRefusal::Unrecorded(text()),
            HostRefusal::Unfit(Unfit::Nowhere),
            HostRefusal::Unresolved(text()),
            HostRefusal::Unreachable(text()),
            HostRefusal::Named(guarda_core::network::Host::parse("a.example").unwrap()),
            HostRefusal::Protocol(Protocol::Web),
            HostRefusal::Protocol(Protocol::Ssh),
            HostRefusal::Protocol(Protocol::Any),
        ];
        let classes =
            AddressClass::VARIANTS.iter().map(|class| HostRefusal::Never(NeverAsked::Address(*class)));
        let refusals: Vec<HostRefusal> =
            HostRefusal::PLAIN.into_iter().chain(refusals).chain(classes).collect();
        let answers: Vec<NoAnswer> = NoAnswer::PLAIN.into_iter().chain(answers).collect();
        for language in Language::ALL {
            let words = crate::wording::words(language);
            let said = answers.iter().map(|why| no_answer(words, why));
            let said = said.chain(refusals.iter().map(|why| host_refusal(words, why)));
            for told in said.chain([recorded(words, &LineReason::Kept)]) {
                let missing = ["cause-", "refusal-", "address-"].iter().any(|start| told.contains(start));
                assert!(!missing && !told.is_empty(), "{language}: {told}");
            }
        }
    }
}
