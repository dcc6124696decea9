//! Every language has the same messages.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentResource;
use strum::IntoEnumIterator as _;

use super::{source, words};
use crate::wording::describe::effect::effect;
use crate::wording::message::Message;
use guarda_core::action::object::TargetForm;
use guarda_core::action::vocabulary::{ActionKind, VOCABULARY};
use guarda_core::action::{Action, Language, Level, Proposal, Request, Setting};
use guarda_core::output::{Now, PlayerState};
use guarda_shell::read;
use guarda_shell::script::Dialect;

/// The message ids of a language, each with its arguments.
fn messages(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let text = source(language);
    assert!(FluentResource::try_new(text.to_owned()).is_ok(), "{language}: the file has faults");
    let mut messages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        let starts = line.starts_with(|c: char| c.is_ascii_lowercase());
        if starts {
            let name = line.split(' ').next().unwrap().to_owned();
            assert!(
                messages.insert(name.clone(), BTreeSet::new()).is_none(),
                "{language}: {name} stands twice"
            );
            current = Some(name);
        }
        let Some(name) = &current else { continue };
        for part in line.split('$').skip(1) {
            let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap();
            messages.get_mut(name).unwrap().insert(part.get(..end).unwrap().to_owned());
        }
    }
    messages
}

#[test]
fn every_language_has_the_same_messages_with_the_same_arguments() {
    let [first, others @ ..] = Language::ALL.map(messages);
    for other in others {
        for (name, arguments) in &first {
            assert_eq!(other.get(name), Some(arguments), "{name}");
        }
        assert_eq!(first.len(), other.len());
    }
}

/// Messages that read the same in two languages. Any other equal text is a forgotten translation.
const SAME: &[&str] = &[
    "ask",
    "audit-way-console",
    "audit-way-http",
    "audit-way-mcp",
    "audit-way-notification",
    "audit-way-terminal",
    "config-there",
    "effect-host-port",
    "degraded-part",
    "from-place",
    "help-options",
    "hint-command",
    "hint-file-operation",
    "hint-media-key",
    "hint-repeat",
    "hint-switch",
    "hook-service",
    "mend-answer-by-keyboard",
    "mend-bluetooth",
    "mend-wifi",
    "origin-config",
    "page-questions",
    "page-secret",
    "page-session",
    "page-sessions",
    "part-applications",
    "part-bluetooth",
    "part-configuration",
    "part-notifications",
    "part-service",
    "part-sessions",
    "part-terminal",
    "part-volume",
    "part-wifi",
    "ready-media",
    "refusal-because",
    "size-bytes",
    "staged-of",
    "staged-thing",
    "state-absent",
    "touch-told",
    "value-options",
];

#[test]
fn every_message_can_be_said_and_is_the_languages_own() {
    let names = messages(Language::Portuguese);
    for (name, arguments) in &names {
        let told: Vec<(&'static str, super::Value<'_>)> = arguments
            .iter()
            .map(|argument| {
                let name: &'static str = argument.clone().leak();
                let value = match name {
                    "count" | "seconds" | "code" | "percent" => 3.into(),
                    _ => "xyz".into(),
                };
                (name, value)
            })
            .collect();
        let said = Language::ALL.map(|language| words(language).find(name, &told).unwrap());
        for text in &said {
            assert!(!text.trim().is_empty(), "{name}");
            assert!(
                !text.contains(['\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}', '{', '}']),
                "{name}: {text:?}"
            );
            if arguments.contains("name") {
                assert!(text.contains("xyz") || text.contains('3'), "{name}: {text}");
            }
        }
        if !name.starts_with("card-") && !SAME.contains(&name.as_str()) {
            let [portuguese, english, french] = said;
            assert!(portuguese != english && english != french && portuguese != french, "{name}: {english}");
        }
    }
}

#[test]
fn numbers_are_plain_and_plurals_are_right() {
    for (language, count, said) in [
        (Language::Portuguese, 1, "falta 1 segundo"),
        (Language::Portuguese, 2, "faltam 2 segundos"),
        (Language::Portuguese, 3600, "faltam 3600 segundos"),
        (Language::English, 1, "1 second left"),
        (Language::English, 0, "0 seconds left"),
        (Language::English, 12000, "12000 seconds left"),
        (Language::French, 1, "il reste 1 seconde"),
        (Language::French, 0, "il reste 0 seconde"),
        (Language::French, 30, "il reste 30 secondes"),
    ] {
        assert_eq!(words(language).say("card-time", &[("seconds", count.into())]), said);
    }
}

/// What a target may hold, in each form.
const TARGETS: &[Option<&str>] = &[
    None,
    Some("x"),
    Some("~/Downloads"),
    Some("https://example.org/a?b"),
    Some("mailto:ana@example.org"),
    Some("ftp://example.org"),
    Some("frobnicate 7"),
    Some("ctrl+tab"),
    Some("up"),
    Some("down"),
    Some("+5"),
    Some("-5"),
    Some("5"),
    Some("on"),
    Some("off"),
    Some("toggle"),
    Some("track"),
    Some("all"),
];

/// Each action of the vocabulary in each shape, and those that no name on the wire has.
fn actions() -> Vec<Action> {
    let mut actions = vec![Action::Unknown { said: "x".to_owned() }];
    for row in VOCABULARY.iter().filter(|row| row.kind != ActionKind::Unknown) {
        let params = (row.form == TargetForm::Destination).then(|| serde_json::json!({ "destination": "y" }));
        let read = |target: &Option<&str>| {
            let target = target.map(Into::into);
            let action = Some(row.name.to_owned());
            let request = Request { action, target, params: params.clone(), ..Request::default() };
            Proposal::parse(request).ok().map(|proposal| proposal.action)
        };
        let read: Vec<Action> = TARGETS.iter().filter_map(read).collect();
        assert!(read.iter().any(|action| action.kind() == row.kind), "{} has no target here", row.name);
        actions.extend(read);
    }
    for level in [Level::Mute, Level::Unmute, Level::ToggleMute] {
        actions.push(Action::Volume(level));
    }
    actions
}

#[test]
fn every_action_and_every_message_has_words_in_every_language() {
    for action in actions() {
        for language in Language::ALL {
            let words = words(language);
            assert!(!effect(words, &action).is_empty(), "{language} {action:?}");
            for now in Setting::iter().map(Now::Set) {
                assert!(!Message::Done(&action, Some(&now)).text(words).is_empty(), "{language} {now:?}");
            }
            for message in [
                Message::Done(&action, None),
                Message::Done(&action, Some(&Now::Set(Setting::Volume { percent: 40, muted: true }))),
                Message::Done(&action, Some(&Now::Written("/home/ana/a.png".to_owned()))),
                Message::ExitStatus(&action, 2),
                Message::Hidden(&[".env".to_owned()]),
                Message::Signal(&action),
                Message::CommandMissing("x"),
                Message::Broken,
                Message::TooSlow(&action),
                Message::Failed(&action, None),
                Message::Failed(&action, Some(&"x".into())),
                Message::NotFound(&action, "x"),
                Message::NoPlayer,
                Message::Blocked(None),
                Message::Password,
                Message::PasswordOff,
                Message::PasswordWrong,
                Message::Cancelled,
                Message::TimeOut,
                Message::Withdrawn,
                Message::Unasked,
                Message::Mismatch,
                Message::Unrecorded,
                Message::Remembered,
                Message::Trusted,
                Message::TrustedForSession,
                Message::Granted(guarda_core::gate::Span::Session),
                Message::NotRemembered,
                Message::Validate,
                Message::Duplicate(std::time::Duration::from_secs(2)),
                Message::RegistryLost,
                Message::RegistryDamaged,
                Message::RulesChanged("[network]"),
                Message::Unknown(None),
                Message::Shutdown,
                Message::Reply("x"),
            ] {
                assert!(!message.text(words).is_empty(), "{language} {message:?}");
            }
        }
    }
}

#[test]
fn the_seeds_messages_are_said() {
    let pt = words(Language::Portuguese);
    let rm = "rm a";
    let command = Action::RunCommand { text: rm.to_owned(), script: read(rm, Dialect::Bash) };
    let open = Action::OpenApp { name: "Firefox".to_owned() };
    for (message, said) in [
        (Message::Done(&command, None), "Pronto: rm."),
        (Message::Password, "Este comando precisa de permissão. Digite a senha."),
        (Message::Blocked(None), "Não deixei."),
        (Message::Cancelled, "A pessoa disse não."),
        (Message::TimeOut, "Ninguém respondeu. Não fiz."),
        (Message::NotFound(&open, "Firefox"), "Não encontrei Firefox. Diga o nome que aparece no menu."),
        (Message::Failed(&command, None), "Não consegui apagar a."),
        (Message::Unknown(None), "Não entendi o pedido. Diga de outro jeito."),
    ] {
        assert_eq!(message.text(pt), said);
    }
    let ask = pt.say("ask", &[("effect", effect(pt, &command).into())]);
    assert_eq!(ask, "apagar a?");
}

#[test]
fn every_failure_has_words_in_every_language() {
    use guarda_core::output::{Failure, FailureKind};
    let action = Action::Lock;
    for language in Language::ALL {
        let words = words(language);
        for kind in FailureKind::iter().filter(|kind| *kind != FailureKind::Other) {
            assert!(words.find(&format!("failure-{}", kind.name()), &[]).is_some(), "{language} {kind:?}");
            // English details are for programs: a Portuguese or French voice would spell them.
            let failure = Failure { kind, detail: "failed to connect to `unix:path=/x`".to_owned() };
            let said = Message::Failed(&action, Some(&failure)).text(words);
            assert!(!said.contains("failed to connect"), "{said}");
        }
        let other = Failure::from("os error 13");
        let said = Message::Failed(&action, Some(&other)).text(words);
        assert_eq!(said.contains("os error"), language == Language::English, "{said}");
    }
}

/// A voice reads about fifteen characters a second: after six seconds, an ear has lost the beginning.
#[test]
fn what_is_said_of_a_failure_is_short_in_the_persons_language_and_says_what_to_do() {
    use guarda_core::output::{Failure, FailureKind};
    /// Nothing helps, or the sentence says what does.
    const FINAL: &[FailureKind] = &[
        FailureKind::NotPossible,
        FailureKind::NoOtherTrack,
        FailureKind::NotOpen,
        FailureKind::IntoItself,
        FailureKind::HomeFolder,
        FailureKind::SetSince,
        FailureKind::Declined,
        FailureKind::NoBacklight,
        FailureKind::Unkept,
    ];
    // These are states of parts on a page, and end no action.
    let of_pages = FailureKind::iter().skip_while(|kind| *kind != FailureKind::SwitchedOff);
    let of_pages: Vec<FailureKind> = of_pages.collect();
    let text = "sha256sum /usr/share/doc/a-rather-long-name/changelog.Debian.gz";
    let command = Action::RunCommand { text: text.to_owned(), script: read(text, Dialect::Bash) };
    let details =
        ["os error 13", "failed to connect to `unix:path=/run/dbus/system_bus_socket`: No such file"];
    for language in Language::ALL {
        let words = words(language);
        for action in actions().iter().chain([&command]) {
            for kind in FailureKind::iter().filter(|kind| !of_pages.contains(kind)) {
                for detail in details {
                    let failure = Failure { kind, detail: detail.to_owned() };
                    let message = Message::Failed(action, Some(&failure));
                    let said = message.aloud(words);
                    assert!(said.chars().count() <= 90, "{language} {kind:?}: {said}");
                    assert!(!said.contains("failed to connect"), "{said}");
                    let sentences = said.matches(['.', ';']).count();
                    let least = if FINAL.contains(&kind) { 2 } else { 3 };
                    let least = if kind == FailureKind::Other { 2 } else { least };
                    assert!(sentences >= least, "{language} {kind:?} says no next step: {said}");
                }
            }
            for message in [
                Message::ExitStatus(&command, 127),
                Message::Failed(action, None),
                Message::Changed(action, "changelog.Debian.gz"),
            ] {
                let said = message.aloud(words);
                assert!(said.chars().count() <= 100, "{language}: {said}");
            }
        }
        for message in [
            Message::NotFound(&Action::OpenApp { name: "gimp".to_owned() }, "gimp"),
            Message::NotFound(&command, "~/Downloads/a.pdf"),
            Message::CommandMissing("gimp"),
            Message::Broken,
            Message::NoPlayer,
            Message::PasswordOff,
            Message::PasswordWrong,
            Message::Unasked,
            Message::Mismatch,
            Message::Unrecorded,
            Message::RegistryLost,
            Message::Unknown(None),
        ] {
            let said = message.aloud(words);
            assert!(said.chars().count() <= 110, "{language}: {said}");
            assert!(said.matches(['.', ',']).count() >= 2, "{language} says no next step: {said}");
        }
        let picture = Now::Written("/home/ana/Imagens/screen-2026-11-25-20-15-35.png".to_owned());
        let message = Message::Done(&Action::Screenshot, Some(&picture));
        assert!(message.text(words).contains("screen-2026") && !message.aloud(words).contains("screen-2026"));
        assert!(message.aloud(words).contains("Imagens"));
        assert!(Message::RegistryDamaged.aloud(words).chars().count() <= 100);
    }
}

#[test]
fn what_a_device_reads_is_told_as_people_tell_it() {
    let player = |state, title: &str, artist: &str| Now::Player {
        state,
        title: title.to_owned(),
        artist: artist.to_owned(),
    };
    for (now, portuguese, english, french) in [
        (
            Now::Set(Setting::Volume { percent: 40, muted: false }),
            "Volume em 40 por cento.",
            "Volume at 40 percent.",
            "Volume à 40 pour cent.",
        ),
        (
            Now::Set(Setting::Volume { percent: 40, muted: true }),
            "Som desligado.",
            "Sound is off.",
            "Son coupé.",
        ),
        (player(PlayerState::Paused, "t2.ogg", ""), "Em pausa: t2.", "Paused: t2.", "Lecture en pause : t2."),
        (player(PlayerState::Paused, "", ""), "Pausado.", "Paused.", "Lecture en pause."),
        (
            player(PlayerState::Playing, "Águas de Março", "Elis Regina"),
            "Tocando agora: Águas de Março, Elis Regina.",
            "Now playing: Águas de Março, Elis Regina.",
            "En cours de lecture : Águas de Março, Elis Regina.",
        ),
        (player(PlayerState::Stopped, "t2", ""), "Parado.", "Stopped.", "Lecture arrêtée."),
    ] {
        let said =
            Language::ALL.map(|language| Message::Done(&Action::Lock, Some(&now)).text(words(language)));
        assert_eq!(said, [portuguese, english, french]);
    }
}

#[test]
fn no_sentence_stands_behind_a_colon() {
    use guarda_core::output::{Failure, FailureKind};

    for language in Language::ALL {
        let words = words(language);
        for kind in FailureKind::iter() {
            let failure: Failure = (kind, "the cause".to_owned()).into();
            let why = || crate::wording::message::reason(words, &failure).into();
            let path = std::path::PathBuf::from("/x");
            let fault = crate::devices::filesystem::own::FileFault::System(failure.clone());
            for told in [
                words.say("degraded-part", &[("name", "volume".into()), ("why", why())]),
                words.say("degraded-advice", &[("why", why())]),
                words.say("degraded-speech", &[("why", why())]),
                crate::wording::fault::file::told(
                    words,
                    &crate::devices::filesystem::own::FileError { path, fault },
                ),
            ] {
                let capital = told.split(": ").skip(1).find(|rest| rest.starts_with(char::is_uppercase));
                assert_eq!(capital, None, "{language}: {told}");
            }
        }
    }
}
