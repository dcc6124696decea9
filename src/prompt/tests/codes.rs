//! The codes of questions and of the console, with channels made for these tests.

use super::*;

/// A speaker that is not available.
fn mute() -> Arc<dyn Speaker> {
    Arc::new(crate::devices::sound::speech::Mute { why: "no voice".to_owned() })
}

/// A prompter with this one question, and the channel that shows it.
async fn shown(
    code: AnswerCode,
    number: u8,
) -> (Prompter, Arc<Parrot>, Arc<Script>, tokio::task::JoinHandle<Says>) {
    let (parrot, panel) = (Parrot::new(false), Script::new(true, vec![ChannelReport::Shown]));
    let prompter = Prompter::with(
        &PrompterConfig { answer_code: code, ..config(true) },
        parrot.clone(),
        vec![panel.clone()],
    );
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask(&prompter, number).await }
    });
    wait_until(|| !panel.seen.lock().unwrap().is_empty() && !parrot.said().is_empty()).await;
    (prompter, parrot, panel, asking)
}

fn code_of(panel: &Script) -> String {
    panel.seen.lock().unwrap().last().unwrap().code.as_ref().unwrap().shown()
}

fn another(code: &str) -> &'static str {
    if code == "0 0 0 0" { "1111" } else { "0000" }
}

#[tokio::test]
async fn a_yes_from_elsewhere_takes_the_code_that_is_shown_and_spoken() {
    let (prompter, parrot, panel, asking) = shown(AnswerCode::Auto, 1).await;
    let (number, code) = (Number([1; 16]), code_of(&panel));
    assert!(!parrot.said()[0].contains("code"), "nobody has asked for it: {:?}", parrot.said());
    assert_eq!(say(&prompter, number, yes("http"), None).await, Err(NoProof::Required { left: 3 }));
    wait_until(|| parrot.said().len() == 2).await;
    let told = format!("To answer from elsewhere, the code is {}.", code.replace(' ', ", "));
    assert_eq!(parrot.said()[1], told);
    assert_eq!(
        say(&prompter, number, yes("http"), Some(another(&code))).await,
        Err(NoProof::Wrong { left: 2 })
    );
    // A proof is valid only for its own question.
    let proof = prompter.prove(number, "http", Given { code: Some(&code), shown: None }).await.unwrap();
    assert_eq!(prompter.answer(Number([2; 16]), &[], "http", Elsewhere::Yes(proof)), Err(NotOpen::Unknown));
    assert_eq!(say(&prompter, number, yes("http"), Some(&code)).await, Ok(()));
    assert_eq!(asking.await.unwrap(), yes("http"));
    assert_eq!(say(&prompter, number, yes("http"), Some(&code)).await, Err(NotOpen::Settled.into()));
    // Texts that others can read do not contain the code.
    for text in [format!("{:?}", prompter.open_questions()), format!("{:?}", panel.seen.lock().unwrap())] {
        assert!(!text.contains(&code) && !text.contains(&code.replace(' ', "")), "{text}");
    }
}

#[tokio::test]
async fn a_no_takes_no_code() {
    let (prompter, _, _, asking) = shown(AnswerCode::Always, 1).await;
    assert_eq!(say(&prompter, Number([1; 16]), no("http"), None).await, Ok(()));
    assert_eq!(asking.await.unwrap(), no("http"));
}

#[tokio::test]
async fn the_third_wrong_code_denies_and_the_desk_says_so() {
    let (prompter, parrot, panel, asking) = shown(AnswerCode::Auto, 1).await;
    let (number, code) = (Number([1; 16]), code_of(&panel));
    for left in [2, 1, 0] {
        assert_eq!(
            say(&prompter, number, yes("http"), Some(another(&code))).await,
            Err(NoProof::Wrong { left })
        );
    }
    assert!(matches!(say(&prompter, number, yes("http"), Some(&code)).await, Err(NoProof::NotOpen(_))));
    assert_eq!(asking.await.unwrap(), Says::WrongCodes { channel: "http".to_owned() });
    prompter.quiet().await;
    let told = "Three wrong codes came from elsewhere. The question is denied.";
    assert_eq!(parrot.said().last().unwrap(), told);
    wait_until(|| panel.told.lock().unwrap().iter().any(|line| line == told)).await;
}

#[tokio::test]
async fn after_nine_wrong_codes_only_the_desk_says_yes() {
    let (prompter, _, panel, asking) = shown(AnswerCode::Auto, 1).await;
    drop(asking);
    for number in 1..=4 {
        if number > 1 {
            let prompter = prompter.clone();
            tokio::spawn(async move { ask(&prompter, number).await });
        }
        let seen = usize::from(number);
        wait_until(|| panel.seen.lock().unwrap().len() == seen).await;
        let code = code_of(&panel);
        let number = Number([number; 16]);
        if seen == 4 {
            assert_eq!(say(&prompter, number, yes("http"), Some(&code)).await, Err(NoProof::Guessing));
            assert_eq!(prompter.admit(None).await.unwrap_err(), NoProof::Guessing, "nor for the console");
            assert_eq!(say(&prompter, number, no("http"), None).await, Ok(()), "a no counts");
            return;
        }
        for _ in 0..3 {
            let wrong = say(&prompter, number, yes("http"), Some(another(&code))).await;
            assert!(matches!(wrong, Err(NoProof::Wrong { .. })), "{wrong:?}");
        }
    }
}

#[tokio::test]
async fn each_question_has_a_code_of_its_own() {
    let (prompter, _, panel, asking) = shown(AnswerCode::Auto, 1).await;
    let second = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask(&prompter, 2).await }
    });
    wait_until(|| prompter.open_questions().len() == 2).await;
    let first = code_of(&panel);
    let early = say(&prompter, Number([2; 16]), yes("http"), Some(&first)).await;
    // The two codes are equal once in ten thousand runs.
    if early.is_ok() {
        return;
    }
    assert_eq!(early, Err(NoProof::Wrong { left: 2 }), "the code of the card that is up is not its code");
    assert_eq!(say(&prompter, Number([1; 16]), yes("http"), Some(&first)).await, Ok(()));
    asking.await.unwrap();
    wait_until(|| panel.seen.lock().unwrap().len() == 2).await;
    assert_eq!(say(&prompter, Number([2; 16]), yes("http"), Some(&code_of(&panel))).await, Ok(()));
    assert_eq!(second.await.unwrap(), yes("http"));
}

/// A channel whose device comes and goes.
struct Fickle(Arc<Mutex<DeviceState>>);

impl Channel for Fickle {
    fn name(&self) -> &'static str {
        "panel"
    }

    fn shows(&self) -> bool {
        true
    }

    fn state(&self) -> DeviceState {
        self.0.lock().unwrap().clone()
    }

    fn put(&self, mut asked: Asked) -> Task {
        Box::pin(async move { asked.over().await })
    }
}

#[tokio::test(start_paused = true)]
async fn where_nothing_tells_a_code_the_token_counts_alone_and_is_told_so() {
    use crate::prompt::Remote;
    let gone = || DeviceState::Absent { why: "no daemon".into() };
    for (code, over_http, state, remote, yes) in [
        (AnswerCode::Auto, true, gone(), Remote::Token, true),
        (AnswerCode::Auto, true, DeviceState::Ready { detail: String::new() }, Remote::Code, false),
        (AnswerCode::Auto, true, DeviceState::Starting, Remote::Code, false),
        (AnswerCode::Always, true, gone(), Remote::Nothing, false),
        (AnswerCode::Always, true, DeviceState::Ready { detail: String::new() }, Remote::Code, false),
        (AnswerCode::Never, true, DeviceState::Ready { detail: String::new() }, Remote::TokenChosen, true),
        (AnswerCode::Auto, false, DeviceState::Ready { detail: String::new() }, Remote::Off, false),
    ] {
        let channel = Arc::new(Fickle(Arc::new(Mutex::new(state.clone()))));
        let prompter = Prompter::with(
            &PrompterConfig { answer_code: code, ..config(over_http) },
            mute(),
            vec![channel.clone()],
        );
        let told = format!("{code:?} {state:?}");
        assert_eq!(prompter.remote().await, remote, "{told}");
        assert_eq!(prompter.prove(Number([1; 16]), "http", Given::default()).await.is_ok(), yes, "{told}");
        assert_eq!(prompter.admit(None).await.is_ok(), yes, "{told}");
        let degraded = prompter.status(crate::wording::words(Language::English)).await.degraded.join(" ");
        assert_eq!(
            degraded.contains("The approve token alone"),
            remote == Remote::Token,
            "{told}: {degraded}"
        );
        assert_eq!(
            degraded.contains("Nobody can say yes over"),
            remote == Remote::Nothing,
            "{told}: {degraded}"
        );
        // Ending the channel that showed the code does not remove the need for it. A console that was opened before
        // any channel could show a code is closed.
        let admission = crate::prompt::Admission::new(false);
        if matches!(state, DeviceState::Ready { .. }) {
            *channel.0.lock().unwrap() = gone();
            assert_eq!(prompter.remote().await, remote, "{told}: it was there once");
            assert_eq!(prompter.admits_console(&admission), yes, "{told}");
        } else if remote == Remote::Token {
            assert!(prompter.admits_console(&admission));
            *channel.0.lock().unwrap() = DeviceState::Ready { detail: String::new() };
            assert!(!prompter.admits_console(&admission));
            assert!(prompter.vouched(Number([1; 16]), &admission, None).is_err());
            assert!(prompter.vouched(Number([1; 16]), &crate::prompt::Admission::new(true), None).is_ok());
        }
    }
}

#[tokio::test]
async fn where_no_code_is_taken_none_is_told() {
    for (code, over_http) in [(AnswerCode::Never, true), (AnswerCode::Auto, false)] {
        let (parrot, panel) = (Parrot::new(false), Script::new(true, vec![ChannelReport::Shown]));
        let config = PrompterConfig { answer_code: code, ..config(over_http) };
        let prompter = Prompter::with(&config, parrot.clone(), vec![panel.clone()]);
        let asking = tokio::spawn(async move { ask(&prompter, 1).await });
        wait_until(|| !panel.seen.lock().unwrap().is_empty() && !parrot.said().is_empty()).await;
        assert!(panel.seen.lock().unwrap()[0].code.is_none());
        assert!(!parrot.said()[0].contains("code"), "{:?}", parrot.said());
        asking.abort();
    }
}

#[tokio::test]
async fn the_console_opens_with_the_code_that_the_desk_tells() {
    let (parrot, panel) = (Parrot::new(false), Script::new(true, vec![ChannelReport::Shown]));
    let prompter = Prompter::with(
        &PrompterConfig { answer_code: AnswerCode::Auto, ..config(true) },
        parrot.clone(),
        vec![panel.clone()],
    );
    assert_eq!(prompter.admit(None).await.unwrap_err(), NoProof::Required { left: 3 });
    wait_until(|| !panel.told.lock().unwrap().is_empty() && !parrot.said().is_empty()).await;
    let told = panel.told.lock().unwrap()[0].clone();
    let code: String = told.chars().filter(char::is_ascii_digit).collect();
    let spoken: String = parrot.said()[0].chars().filter(char::is_ascii_digit).collect();
    assert_eq!((code.len(), &spoken), (4, &code), "{told}");
    assert_eq!(prompter.admit(Some(another(&code))).await.unwrap_err(), NoProof::Wrong { left: 2 });
    assert!(prompter.admits_console(&prompter.admit(Some(&code)).await.unwrap()));
    assert_eq!(
        prompter.admit(Some(&code)).await.unwrap_err(),
        NoProof::Required { left: 3 },
        "it counts once"
    );
}
