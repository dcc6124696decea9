//! What a voice, a sound and quiet hours make of a question.

use super::*;
use crate::prompt::QuestionMoment;

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

/// What a listener heard just now, said clearly by a person.
fn heard(words: &str) -> crate::prompt::spoken::HeardWords {
    crate::prompt::spoken::HeardWords {
        words: words.split(' ').map(str::to_owned).collect(),
        margin: 3.0,
        began: std::time::SystemTime::now() - Duration::from_millis(400),
        voice_ms: 350,
        explained: 0.1,
    }
}

/// A prompter with a question that takes a yes by voice, the channel that shows it, and the words.
async fn listening(
    number: u8,
    marks: Vec<crate::wording::TaintMark>,
) -> (Prompter, Arc<Parrot>, Option<String>, tokio::task::JoinHandle<Says>) {
    let (parrot, panel) = (Parrot::new(false), Script::new(true, vec![ChannelReport::Shown]));
    let config = PrompterConfig { spoken_answers: true, ..config(true) };
    let prompter = Prompter::with(&config, parrot.clone(), vec![panel.clone()]);
    parrot.ends.send_replace(false);
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move {
            let impact = Arc::new(crate::wording::Impact { marks, ..Default::default() });
            let pending = pending("rm a b c", number);
            let options = Options { impact, ..Options::default() };
            let answer = prompter.ask(&pending.question(), options, std::future::pending()).await;
            match pending.settle(answer) {
                Ok(approved) => match approved.by() {
                    guarda_core::gate::Decider::Person { channel } => yes(channel),
                    other => panic!("{other:?}"),
                },
                Err(refusal) => match refusal.cause().clone() {
                    guarda_core::gate::Cause::Person { channel, .. } => no(&channel),
                    other => panic!("{other:?}"),
                },
            }
        }
    });
    wait_until(|| !panel.seen.lock().unwrap().is_empty() && !parrot.said().is_empty()).await;
    let words = panel.seen.lock().unwrap()[0].words.as_ref().map(|words| words.told());
    (prompter, parrot, words, asking)
}

#[tokio::test]
async fn a_yes_by_voice_is_the_words_that_the_guard_said_last_heard_after_it() {
    use crate::prompt::spoken::NotHeard;
    use crate::prompt::{Hearing, NoHearing};
    let number = Number([1; 16]);
    let (prompter, parrot, words, asking) = listening(1, Vec::new()).await;
    let mut events = prompter.events();
    let words = words.unwrap();
    assert!(parrot.said()[0].ends_with(&format!("Or say: {words}.")), "{:?}", parrot.said());
    // While the guard speaks, nothing that is heard is a yes: it could be the guard.
    assert_eq!(prompter.hear(number, &heard(&words), None), Err(NoHearing::NotHeard(NotHeard::TooEarly)));
    parrot.ends.send_replace(true);
    let listen = events.recv().await.unwrap();
    assert!(matches!(listen.moment, QuestionMoment::Listen(_)), "{listen:?}");
    assert_eq!(prompter.hear(number, &heard(&words), None), Err(NoHearing::NotHeard(NotHeard::TooEarly)));
    tokio::time::sleep(Duration::from_millis(750)).await;
    let echo = crate::prompt::spoken::HeardWords { explained: 0.9, ..heard(&words) };
    assert_eq!(prompter.hear(number, &echo, None), Err(NoHearing::NotHeard(NotHeard::Echo)));
    assert_eq!(prompter.hear(number, &heard(&words), None), Ok(Hearing::Yes));
    assert_eq!(asking.await.unwrap(), yes("spoken"));
    assert!(matches!(prompter.hear(number, &heard(&words), None), Err(NoHearing::NotOpen(_))));
    // Nothing that others can read has the words.
    let settled = events.recv().await.unwrap();
    assert_eq!(settled.moment, QuestionMoment::Settled("yes"));
    for text in [format!("{listen:?}{settled:?}"), format!("{:?}", prompter.open_questions())] {
        assert!(!text.contains(&words));
    }
}

#[tokio::test]
async fn other_words_are_said_once_more_and_then_they_are_a_no() {
    use crate::prompt::Hearing;
    let number = Number([1; 16]);
    let (prompter, parrot, words, asking) = listening(1, Vec::new()).await;
    parrot.ends.send_replace(true);
    tokio::time::sleep(Duration::from_millis(750)).await;
    let words = words.unwrap();
    let turned = words.split(' ').rev().collect::<Vec<_>>().join(" ");
    assert_eq!(prompter.hear(number, &heard(&turned), None), Ok(Hearing::Again));
    wait_until(|| parrot.said().len() == 2).await;
    assert_eq!(parrot.said()[1], format!("Or say: {words}."));
    tokio::time::sleep(Duration::from_millis(750)).await;
    assert_eq!(prompter.hear(number, &heard(&turned), None), Ok(Hearing::No));
    assert_eq!(asking.await.unwrap(), no("spoken"));
}

#[tokio::test]
async fn who_has_read_from_outside_gets_no_yes_by_voice() {
    use crate::prompt::NoHearing;
    let number = Number([1; 16]);
    let (prompter, parrot, words, asking) = listening(1, vec![crate::wording::TaintMark::Outside]).await;
    assert_eq!(words, None);
    assert!(!parrot.said()[0].contains("Or say"), "{:?}", parrot.said());
    assert_eq!(prompter.hear(number, &heard("apple river"), None), Err(NoHearing::NotByVoice));
    tell(&prompter, number, no("spoken")).await.unwrap();
    assert_eq!(asking.await.unwrap(), no("spoken"));
}

#[tokio::test]
async fn what_a_person_wants_to_hear_is_said() {
    use crate::prompt::Wish;
    let number = Number([1; 16]);
    let (prompter, parrot, _, asking) = listening(1, Vec::new()).await;
    parrot.ends.send_replace(true);
    tokio::time::sleep(Duration::from_millis(50)).await;
    for (wish, said) in [
        (Wish::Repeat, "Delete a, b and c?"),
        (Wish::Spell, "The command, sign by sign"),
        (Wish::Help, "Answer in the console of guarda-costas."),
        (Wish::What, "Delete a, b and c. "),
    ] {
        let before = parrot.said().len();
        prompter.wish(number, wish).unwrap();
        wait_until(|| parrot.said().len() > before).await;
        assert!(parrot.said().last().unwrap().starts_with(said), "{wish:?}: {:?}", parrot.said());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tell(&prompter, number, no("spoken")).await.unwrap();
    asking.await.unwrap();
    assert!(prompter.wish(number, Wish::Repeat).is_err());
}
