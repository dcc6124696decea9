//! `guarda speak`: tests the voice. `guarda-service` runs it.

use tokio::sync::watch;

use crate::devices::DeviceState;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::sound::speech::{Heard, Sentence, Speaker as _, Speech, VoiceSettings};
use crate::wording::message::lack;
use guarda_core::action::Language;
use guarda_core::output::FailureKind;

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::SpeakArgs;

pub(in crate::cli) fn speak(args: SpeakArgs) -> Result<ExitStatus, CliError> {
    let config = load::load(args.config.as_deref())?.config;
    let session = DesktopSession::of_process();
    let program = crate::devices::process::helper::program();
    let sound =
        crate::devices::sound::output::SessionSound { program: program.clone(), session: session.clone() };
    if args.sound {
        sound.announce()?;
    }
    let Some(text) = args.text else { return Ok(ExitStatus::Good) };
    let language = args.language.unwrap_or(config.language.chosen()).tag();
    let manner = VoiceSettings {
        language: language.to_owned(),
        rate: args.rate.unwrap_or(config.speech.rate),
        volume: args.volume.unwrap_or(config.speech.volume),
        voice: args.voice.or(config.speech.voice),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime?;
    let end = runtime.block_on(async {
        let speech = Speech::start(program, &session, &manner, Some(crate::prompt::prompter::audible(sound)));
        let (heard, end) = watch::channel(Heard::Waiting);
        let sentence = Sentence { text: crate::wording::plain::audible(&text), language };
        tokio::select! {
            () = speech.say(sentence, heard) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        let state = speech.state();
        (end.borrow().clone(), state)
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    match end {
        (Heard::Ended, state) => {
            let words = load::words();
            let told = match &state {
                DeviceState::Ready { detail } => words.labelled(&words.say("state-ready", &[]), detail),
                DeviceState::Starting => words.say("state-starting", &[]),
                DeviceState::Failed { why } | DeviceState::Absent { why } => lack(words, why),
            };
            terminal::out(&format!("{told}\n"));
            Ok(ExitStatus::Good)
        }
        (Heard::Failed(why), state) => {
            // The cause is in English, but every kind of failure is translated.
            let words = load::words();
            let state = state.of_kind(FailureKind::NoVoice);
            let kind = state.trouble().filter(|_| words.language() != Language::English);
            let why = kind.map_or(why.detail, |failure| lack(words, failure));
            Err(CliError::say("speak-unheard", &[("why", &why)]))
        }
        (Heard::Waiting | Heard::Began, _) => Err(CliError::say("speak-broken-off", &[])),
    }
}
