//! What a voice, a sound and quiet hours make of a question.

use super::*;

#[tokio::test]
async fn in_quiet_hours_a_question_is_shown_and_not_heard() {
    use crate::config::section::Sound;
    use crate::prompt::quiet::{Chime, Hushed, Quiet};
    let hours: crate::config::Hours = "22:00-07:00".parse().unwrap();
    for (minute, sound, heard, rung) in [
        (12 * 60, Sound::Always, true, 1),
        (12 * 60, Sound::Never, true, 0),
        (12 * 60, Sound::Slow, true, 0),
        (23 * 60, Sound::Always, false, 0),
        (6 * 60 + 59, Sound::Slow, false, 0),
    ] {
        let parrot = Parrot::new(false);
        let quiet = Quiet::new(hours, Arc::new(move || minute));
        let speaker = Arc::new(Hushed::new(parrot.clone(), quiet.clone()));
        let rings = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let ring = Arc::clone(&rings);
        let ring: crate::prompt::quiet::Ring = Arc::new(move || {
            ring.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        let chime = Chime { sound, quiet, ring };
        let panel = Script::new(true, vec![ChannelReport::Shown]);
        let prompter = Prompter::with_chime(&config(false), speaker, vec![panel.clone()], Some(chime));
        let asking = tokio::spawn({
            let prompter = prompter.clone();
            async move { ask(&prompter, 1).await }
        });
        wait_until(|| panel.seen.lock().unwrap().len() == 1).await;
        wait_until(|| heard != parrot.said().is_empty()).await;
        wait_until(|| rings.load(std::sync::atomic::Ordering::Relaxed) == rung).await;
        panel.seen.lock().unwrap()[0].report(ChannelReport::Yes);
        assert_eq!(asking.await.unwrap(), yes("panel"), "{minute} {sound:?}: it is answered all the same");
        prompter.tell(&Message::Cancelled, Language::English);
        prompter.quiet().await;
        assert_eq!(heard, parrot.said().contains(&"Not done.".to_owned()), "nothing else is said either");
    }
    // A question that only the voice could have told is not asked.
    let quiet = Quiet::new(hours, Arc::new(|| 0));
    let speaker = Arc::new(Hushed::new(Parrot::new(false), quiet));
    let prompter =
        Prompter::with(&config(false), speaker, vec![Script::new(false, vec![ChannelReport::Yes])]);
    let says = ask(&prompter, 1).await;
    assert!(matches!(&says, Says::Unasked { why: NoAnswer::QuietHours { .. } }), "{says:?}");
}

#[tokio::test(start_paused = true)]
async fn a_sound_comes_where_words_are_too_slow() {
    use crate::config::section::Sound;
    use crate::prompt::quiet::{Chime, Quiet};
    for (heard, rung) in [
        (Heard::Waiting, 1),
        (Heard::Began, 0),
        (Heard::Ended, 0),
        (Heard::Failed("no beak".to_owned().into()), 1),
    ] {
        let rings = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let ring = Arc::clone(&rings);
        let quiet = Quiet::new(crate::config::Hours::default(), Arc::new(|| 0));
        let ring: crate::prompt::quiet::Ring = Arc::new(move || {
            ring.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        let (_sender, receiver) = watch::channel(heard.clone());
        Chime { sound: Sound::Slow, quiet, ring }.announce(receiver).await;
        assert_eq!(rings.load(std::sync::atomic::Ordering::Relaxed), rung, "{heard:?}");
    }
}

#[tokio::test]
async fn a_command_is_spelled_on_request_only() {
    let parrot = Parrot::new(false);
    let panel = Script::new(true, vec![ChannelReport::Shown]);
    let prompter = Prompter::with(&config(false), parrot.clone(), vec![panel.clone()]);
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask(&prompter, 1).await }
    });
    wait_until(|| parrot.said().len() == 1).await;
    assert!(!parrot.said()[0].contains("sign by sign"), "{:?}", parrot.said());
    let asked = panel.seen.lock().unwrap()[0].clone();
    assert_eq!(asked.prompt.read(crate::devices::Key::Letter('l')), Some(ChannelReport::Spell));
    asked.report(ChannelReport::Spell);
    wait_until(|| parrot.said().len() == 2).await;
    assert_eq!(parrot.said()[1], "The command, sign by sign: rm, a, b, c");
    assert!(!prompter.open_questions().is_empty(), "it is no answer");
    asked.report(ChannelReport::No);
    assert_eq!(asking.await.unwrap(), no("panel"));
    prompter.quiet().await;
    assert_eq!(parrot.said().last().unwrap(), "Not done.");
}

/// A voice whose program is missing.
struct Lost;

impl Speaker for Lost {
    fn state(&self) -> DeviceState {
        DeviceState::Absent { why: "no program".to_owned().into() }
    }

    fn audible(&self) -> Task<Result<(), crate::devices::fault::DeviceFault>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn say(&self, _: Sentence, _: watch::Sender<Heard>) -> Task {
        Box::pin(async {})
    }
}

#[tokio::test]
async fn a_voice_that_is_switched_off_is_no_trouble_and_a_missing_one_is() {
    let off = crate::devices::sound::speech::Mute { why: "switched off".to_owned() };
    for (speaker, troubles) in [(Arc::new(off) as Arc<dyn Speaker>, 0), (Arc::new(Lost), 1)] {
        let prompter = Prompter::with(&config(true), speaker, vec![Script::new(true, vec![])]);
        let told = prompter.status(crate::wording::words(Language::English)).await.degraded;
        let told: Vec<_> = told.iter().filter(|told| told.starts_with("Nothing is spoken")).collect();
        assert_eq!(told.len(), troubles, "{told:?}");
    }
}
