//! The whole prompter: a question is spoken, and answered at the keyboard.

use std::time::Duration;

use guarda::devices::DeviceState;
use guarda::prompt::setup::TerminalConfig;
use guarda::prompt::{Options, Prompter, PrompterConfig, PrompterStatus};
use guarda_core::action::{Language, Proposal, Request};
use guarda_core::gate::{Answer, Cause, Decider, Number, Passage, Pending};
use guarda_core::policy::{Policy, Profile, Situation};

use super::{end, program, until};
use crate::common::fingers::{Fingers, N, Y};
use crate::common::let_pass_async;
use crate::common::machine::Machine;

fn pending() -> Pending {
    let request = Request {
        action: Some("FILE_DELETE".to_owned()),
        target: Some("~/Downloads/relatório.pdf".into()),
        ..Request::default()
    };
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let situation =
        Situation { home: "/home/ana".to_owned(), cwd: "/home/ana".to_owned(), ..Situation::default() };
    let judgement = guarda_core::judge::judge(&policy, Proposal::parse(request).unwrap(), &situation);
    match guarda_core::gate::enter(judgement, guarda_core::gate::Runner::Caller, Number([3; 16]), false) {
        Passage::Ask(pending) => pending,
        other => panic!("it is not asked: {other:?}"),
    }
}

fn outcome(pending: Pending, answer: Answer) -> String {
    match pending.settle(answer) {
        Ok(approved) => match approved.by() {
            Decider::Person { channel } => format!("yes by {channel}"),
            Decider::Policy | Decider::Grant { .. } => "by nobody".to_owned(),
        },
        Err(refusal) => match refusal.cause() {
            Cause::Person { channel, .. } => format!("no by {channel}"),
            Cause::Unasked { why } => format!("unasked: {why}"),
            other => format!("{other:?}"),
        },
    }
}

fn desk(machine: &Machine, language: Language) -> Prompter {
    Prompter::start(&PrompterConfig {
        language,
        confirmation_timeout: Duration::from_secs(60),
        arming_delay: Duration::from_millis(200),
        answer_over_http: false,
        digit_from_risk: 2.0,
        terminal: TerminalConfig { enabled: false },
        program: Some(program()),
        session: machine.session(),
        ..PrompterConfig::default()
    })
}

/// How the desk is when nothing is being looked for any more.
async fn settled(desk: &Prompter) -> PrompterStatus {
    for _ in 0..3000 {
        let status = desk.status(guarda::wording::words(guarda_core::action::Language::English)).await;
        let starting = status.channels.values().any(|state| *state == DeviceState::Starting);
        if status.speech != DeviceState::Starting && !starting {
            return status;
        }
        let_pass_async(20, "it is looked at again").await;
    }
    panic!("the desk does not settle");
}

/// Presses a key again and again until the question is over.
async fn answer(desk: &Prompter, fingers: &Fingers, key: u8) -> String {
    let pending = pending();
    let question = pending.question();
    let asking = desk.ask(&question, Options::default(), std::future::pending());
    let pressing = async {
        let_pass_async(2500, "some of the question is recorded").await;
        loop {
            fingers.hold(key);
            let_pass_async(2500, "a gesture takes two seconds without another key").await;
        }
    };
    let answer = end("the question", async {
        tokio::select! {
            answer = asking => answer,
            () = pressing => unreachable!(),
        }
    });
    outcome(pending, answer.await)
}

#[tokio::test(flavor = "multi_thread")]
async fn spoken_and_answered_at_the_keyboard() {
    let machine = Machine::new().with_display().with_sound().with_speech();
    let fingers = Fingers::on(machine.session().get("DISPLAY").unwrap());
    for (language, key, says) in [
        (Language::Portuguese, Y, "yes by keys"),
        (Language::French, Y, "yes by keys"),
        (Language::English, N, "no by keys"),
    ] {
        let desk = desk(&machine, language);
        let status = settled(&desk).await;
        assert!(status.degraded.is_empty(), "{status:?}");
        let ears = machine.listen();
        assert_eq!(answer(&desk, &fingers, key).await, says, "{language}");
        assert!(ears.heard() > 0.2, "{language}: the question was spoken");
        assert!(!desk.question_open());
        // The answer counts before the key is up, and the grab ends with the key.
        until("the keyboard that is free again", || fingers.grab()).await;
        fingers.ungrab();
    }
}

/// A voice and keys show no list: Y says how to answer, and N denies.
#[tokio::test(flavor = "multi_thread")]
async fn keys_say_no_yes_to_a_list_that_only_a_voice_tells_of() {
    let machine = Machine::new().with_display().with_sound().with_speech();
    let fingers = Fingers::on(machine.session().get("DISPLAY").unwrap());
    let desk = desk(&machine, Language::English);
    settled(&desk).await;
    let pending = pending();
    let question = pending.question();
    let deleted: Vec<String> = (0..9).map(|number| format!("deleted file-{number}")).collect();
    let effects = guarda_core::policy::effect_rules::example(&deleted.join("; ")).unwrap();
    let impact = guarda::wording::Impact { effects: Some(effects.into()), ..Default::default() };
    let options = Options { impact: impact.into(), ..Options::default() };
    let asking = desk.ask(&question, options, std::future::pending());
    let pressing = async {
        for key in [Y, Y, N] {
            let_pass_async(3000, "a part of the question is heard, and two gestures end").await;
            fingers.hold(key);
        }
        std::future::pending::<()>().await;
    };
    let answer = end("the question", async {
        tokio::select! {
            answer = asking => answer,
            () = pressing => unreachable!(),
        }
    });
    let answer = answer.await;
    assert_eq!(outcome(pending, answer), "no by keys");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_keyboard_denies_at_once() {
    let mut machine = Machine::new().with_sound().with_speech();
    machine.set("DISPLAY", "");
    let desk = desk(&machine, Language::English);
    let status = settled(&desk).await;
    assert!(matches!(status.channels["keys"], DeviceState::Absent { .. }), "{status:?}");
    assert!(!status.degraded.is_empty());
    let pending = pending();
    let said =
        end("the question", desk.ask(&pending.question(), Options::default(), std::future::pending())).await;
    let says = outcome(pending, said);
    assert!(says.starts_with("unasked") && says.contains("keys: there is no display"), "{says}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_neither_shown_nor_heard_is_denied_at_once() {
    let machine = Machine::new().with_display().with_sound().with_speech();
    machine.ask("pactl", &["set-sink-mute", "@DEFAULT_SINK@", "1"]);
    let desk = desk(&machine, Language::English);
    let status = settled(&desk).await;
    assert!(matches!(status.speech, DeviceState::Failed { .. }), "it says that nobody can hear: {status:?}");
    let fingers = Fingers::on(machine.session().get("DISPLAY").unwrap());
    let says = answer(&desk, &fingers, Y).await;
    assert!(says.starts_with("unasked") && says.contains("muted"), "{says}");
    machine.ask("pactl", &["set-sink-mute", "@DEFAULT_SINK@", "0"]);
    assert_eq!(answer(&desk, &fingers, Y).await, "yes by keys");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_death_of_the_display_denies() {
    let mut machine = Machine::new().with_sound().with_speech().with_display();
    let desk = desk(&machine, Language::English);
    settled(&desk).await;
    let pending = pending();
    let question = pending.question();
    let asking = tokio::spawn({
        let desk = desk.clone();
        async move { desk.ask(&question, Options::default(), std::future::pending()).await }
    });
    until("the question", || desk.question_open()).await;
    machine.stop_last();
    machine.stop_last();
    let says = outcome(pending, end("the question", asking).await.unwrap());
    assert!(says.starts_with("unasked"), "{says}");
}
