//! The prompter with a voice and channels made for these tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;

use crate::config::section::AnswerCode;
use crate::devices::DeviceState;
use crate::devices::sound::speech::{Heard, Sentence, Speaker, Task};
use crate::prompt::channels::{Asked, Channel, ChannelReport};
use crate::prompt::{Elsewhere, Given, NoProof, NotOpen, Options, Prompter, PrompterConfig};
use crate::wording::Message;
use crate::wording::offer::Lasting;
use guarda_core::action::{Language, Proposal, Request};
use guarda_core::gate::{NoAnswer, Number, Passage, Pending, Question, Says, Span};

/// A question about a command line.
pub(crate) fn pending(command: &str, number: u8) -> Pending {
    let request = Request {
        action: Some("RUN_COMMAND".to_owned()),
        target: Some(command.into()),
        language: Some("en".to_owned()),
        ..Request::default()
    };
    let policy = guarda_core::policy::Policy::builtin(guarda_core::policy::Profile::Desktop).unwrap();
    let situation = guarda_core::policy::Situation::default();
    let judgement = guarda_core::judge::judge(&policy, Proposal::parse(request).unwrap(), &situation);
    match guarda_core::gate::enter(judgement, guarda_core::gate::Runner::Caller, Number([number; 16]), true) {
        Passage::Ask(pending) => pending,
        other @ (Passage::Clear(_) | Passage::Shut(_)) => panic!("{command} is not asked: {other:?}"),
    }
}

fn question(number: u8) -> Question {
    pending("rm a b c", number).question()
}

/// The question about an action that the guard performs itself, with the home folder `/home/ana`.
fn asked(action: &str, target: &str) -> guarda_core::gate::Pending {
    let request =
        Request { action: Some(action.to_owned()), target: Some(target.into()), ..Request::default() };
    let policy = guarda_core::policy::Policy::builtin(guarda_core::policy::Profile::Desktop).unwrap();
    let situation = guarda_core::policy::Situation { home: "/home/ana".to_owned(), ..Default::default() };
    let judgement = guarda_core::judge::judge(&policy, Proposal::parse(request).unwrap(), &situation);
    let runner = guarda_core::gate::Runner::Guard;
    let Passage::Ask(pending) = guarda_core::gate::enter(judgement, runner, Number([9; 16]), false) else {
        panic!("it is asked")
    };
    pending
}

#[test]
fn a_deletion_says_whether_it_can_be_undone() {
    let pending = asked("FILE_DELETE", "~/Downloads/a.zip");
    for (language, days, said, shown) in [
        (Language::Portuguese, Some(7), "Dá para desfazer.", "Pode ser desfeito por 7 dias."),
        (Language::Portuguese, None, "Não dá para desfazer.", "Não dá para desfazer."),
        (Language::English, Some(1), "It can be undone.", "It can be undone for 1 day."),
        (Language::English, None, "It cannot be undone.", "It cannot be undone."),
        (Language::French, Some(7), "On peut annuler.", "On peut l'annuler pendant 7 jours."),
        (Language::French, None, "On ne peut pas annuler.", "On ne peut pas annuler."),
    ] {
        let impact = crate::wording::Impact { undo_days: days, ..Default::default() };
        let prompt = crate::prompt::question::Prompt::new(&pending.question(), language, None, "");
        let prompt = prompt.with_impact(Arc::new(impact));
        assert!(prompt.spoken.contains(said), "{}", prompt.spoken);
        let card =
            crate::prompt::card::card(&prompt, 100, 0, crate::prompt::card::Foot::Commands { code: false });
        assert!(card.iter().any(|line| line.text.contains(shown)), "{card:#?}");
    }
}

#[test]
fn whether_a_command_can_be_undone_is_told_before_the_yes_and_spoken_where_it_cannot() {
    use crate::wording::Keeping::{All, Named, Never, NoRoom, Unknown};
    let pending = asked("RUN_COMMAND", "rm a");
    for (language, keeping, said, spoken) in [
        (Language::English, All, "It can be undone for 7 days.", false),
        (
            Language::English,
            Named,
            "What its words name can be undone for 7 days; it may change more.",
            false,
        ),
        (Language::English, NoRoom(3_200_000_000), "It cannot be undone: 3.2 GB are too much to keep.", true),
        (Language::English, Never, "It cannot be undone.", true),
        (Language::English, Unknown, "I do not know whether it can be undone.", true),
        (
            Language::Portuguese,
            NoRoom(3_200_000_000),
            "Não dá para desfazer: 3,2 GB são demais para guardar.",
            true,
        ),
        (Language::French, NoRoom(2_000_000), "On ne peut pas annuler : 2 Mo, c'est trop à garder.", true),
    ] {
        let impact =
            crate::wording::Impact { keeping: Some(keeping), undo_days: Some(7), ..Default::default() };
        let prompt = crate::prompt::question::Prompt::new(&pending.question(), language, None, "");
        let prompt = prompt.with_impact(Arc::new(impact));
        assert_eq!(prompt.spoken.contains(said), spoken, "{}", prompt.spoken);
        assert!(prompt.touches.iter().any(|line| line == said), "{:#?}", prompt.touches);
    }
}

/// A speaker that records its sentences and reports a prepared outcome.
struct Parrot {
    said: Mutex<Vec<String>>,
    /// A sentence ends only once this is true.
    ends: watch::Sender<bool>,
    fails: bool,
}

impl Parrot {
    fn new(fails: bool) -> Arc<Self> {
        Arc::new(Self { said: Mutex::default(), ends: watch::channel(true).0, fails })
    }

    fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }
}

impl Speaker for Parrot {
    fn state(&self) -> DeviceState {
        DeviceState::Ready { detail: "parrot".to_owned() }
    }

    fn audible(&self) -> Task<Result<(), crate::devices::fault::DeviceFault>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn say(&self, sentence: Sentence, heard: watch::Sender<Heard>) -> Task {
        if self.fails {
            heard.send_replace(Heard::Failed("no beak".to_owned().into()));
            return Box::pin(async {});
        }
        self.said.lock().unwrap().push(sentence.text);
        let mut ends = self.ends.subscribe();
        Box::pin(async move {
            heard.send_replace(Heard::Began);
            let _ = ends.wait_for(|ends| *ends).await;
            heard.send_replace(Heard::Ended);
        })
    }
}

/// A channel that reports the same events for every question, the last one only once the question is perceived.
struct Script {
    shows: bool,
    reports: Vec<ChannelReport>,
    seen: Mutex<Vec<Asked>>,
    told: Mutex<Vec<String>>,
}

impl Script {
    fn new(shows: bool, reports: Vec<ChannelReport>) -> Arc<Self> {
        Arc::new(Self { shows, reports, seen: Mutex::default(), told: Mutex::default() })
    }
}

impl Channel for Script {
    fn name(&self) -> &'static str {
        if self.shows { "panel" } else { "pedal" }
    }

    fn shows(&self) -> bool {
        self.shows
    }

    fn state(&self) -> DeviceState {
        DeviceState::Ready { detail: "script".to_owned() }
    }

    fn tell(&self, line: String) -> Task {
        self.told.lock().unwrap().push(line);
        Box::pin(async {})
    }

    fn put(&self, mut asked: Asked) -> Task {
        self.seen.lock().unwrap().push(asked.clone());
        let reports = self.reports.clone();
        Box::pin(async move {
            for report in reports {
                if matches!(report, ChannelReport::Yes | ChannelReport::No) {
                    let _ = asked.perceived.wait_for(|perceived| *perceived).await;
                }
                asked.report(report);
            }
            asked.over().await;
        })
    }
}

fn config(answer_over_http: bool) -> PrompterConfig {
    PrompterConfig {
        language: Language::English,
        confirmation_timeout: Duration::from_secs(30),
        answer_over_http,
        answer_code: AnswerCode::Never,
        digit_from_risk: 2.0,
        refusals_per_minute: 0,
        ..PrompterConfig::default()
    }
}

async fn ask(prompter: &Prompter, number: u8) -> Says {
    let pending = pending("rm a b c", number);
    let answer = prompter.ask(&pending.question(), Options::default(), std::future::pending()).await;
    match pending.settle(answer) {
        Ok(approved) => match approved.by() {
            guarda_core::gate::Decider::Person { channel } => Says::Yes { channel: channel.clone() },
            other => panic!("{other:?}"),
        },
        Err(refusal) => match refusal.cause().clone() {
            guarda_core::gate::Cause::Person { channel, reason } => Says::No { channel, reason },
            guarda_core::gate::Cause::Changed { channel, text } => Says::Change { channel, text },
            guarda_core::gate::Cause::Silence => Says::Silence,
            guarda_core::gate::Cause::WrongCodes { channel } => Says::WrongCodes { channel },
            guarda_core::gate::Cause::Withdrawn { why } => Says::Withdrawn { why },
            guarda_core::gate::Cause::Unasked { why } => Says::Unasked { why },
            other @ (guarda_core::gate::Cause::Policy
            | guarda_core::gate::Cause::NoPassword
            | guarda_core::gate::Cause::Mismatch) => {
                panic!("{other:?}")
            }
        },
    }
}

fn yes(channel: &str) -> Says {
    Says::Yes { channel: channel.to_owned() }
}

fn no(channel: &str) -> Says {
    Says::No { channel: channel.to_owned(), reason: None }
}

/// Answers from elsewhere, with everything that a proof requires.
async fn say(prompter: &Prompter, number: Number, says: Says, code: Option<&str>) -> Result<(), NoProof> {
    let (channel, said) = match says {
        Says::Yes { channel } => {
            let proof = prompter.prove(number, &channel, Given { code, shown: None }).await?;
            (channel, Elsewhere::Yes(proof))
        }
        Says::Change { channel, text } => {
            let proof = prompter.prove(number, &channel, Given { code, shown: None }).await?;
            (channel, Elsewhere::Change { proof, text })
        }
        Says::No { channel, reason } => (channel, Elsewhere::No { reason }),
        other => panic!("{other:?}"),
    };
    prompter.answer(number, &[], &channel, said)?;
    Ok(())
}

/// Answers from elsewhere where no code is required.
async fn tell(prompter: &Prompter, number: Number, says: Says) -> Result<(), NotOpen> {
    say(prompter, number, says, None).await.map_err(|why| match why {
        NoProof::NotOpen(why) => why,
        other => panic!("{other:?}"),
    })
}

async fn wait_until(mut done: impl FnMut() -> bool) {
    for _ in 0..10_000 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("it did not come about");
}

mod alike;
mod codes;
mod lists;
mod voice;

#[tokio::test]
async fn a_yes_is_a_yes_and_a_no_is_a_no() {
    for (reports, says) in [
        (vec![ChannelReport::Yes], yes("pedal")),
        (vec![ChannelReport::No], no("pedal")),
        (vec![ChannelReport::No, ChannelReport::Yes], no("pedal")),
        (vec![ChannelReport::Busy("locked".to_owned()), ChannelReport::Yes], yes("pedal")),
    ] {
        let parrot = Parrot::new(false);
        let prompter = Prompter::with(&config(false), parrot.clone(), vec![Script::new(false, reports)]);
        assert_eq!(ask(&prompter, 1).await, says);
        prompter.quiet().await;
        let said = parrot.said();
        assert_eq!(said.last().unwrap() == "Not done.", says == no("pedal"), "{said:?}");
        assert!(!prompter.question_open());
    }
}

#[tokio::test(start_paused = true)]
async fn silence_is_not_a_yes() {
    let parrot = Parrot::new(false);
    let prompter =
        Prompter::with(&config(false), parrot.clone(), vec![Script::new(true, vec![ChannelReport::Shown])]);
    assert_eq!(ask(&prompter, 1).await, Says::Silence);
    prompter.quiet().await;
    assert_eq!(parrot.said().last().unwrap(), "No answer, so nothing was done.");
}

#[tokio::test(start_paused = true)]
async fn what_can_be_put_to_nobody_is_not_asked() {
    let unable = || ChannelReport::Unable("no tty".to_owned());
    // (voice works, channels, expected outcome)
    for (voice, channels) in [
        (false, vec![]),
        (true, vec![]),
        (true, vec![Script::new(true, vec![unable()])]),
        (false, vec![Script::new(false, vec![ChannelReport::Yes])]),
        (false, vec![Script::new(true, vec![unable()]), Script::new(false, vec![ChannelReport::Yes])]),
    ] {
        let channels: Vec<Arc<dyn Channel>> =
            channels.into_iter().map(|channel| -> Arc<dyn Channel> { channel }).collect();
        let prompter = Prompter::with(&config(false), Parrot::new(!voice), channels);
        let begun = tokio::time::Instant::now();
        let says = ask(&prompter, 1).await;
        assert!(matches!(says, Says::Unasked { .. }), "{says:?}");
        assert!(begun.elapsed() < Duration::from_secs(30), "it was certain at once");
    }
}

#[tokio::test]
async fn shown_without_a_voice_is_enough() {
    let prompter = Prompter::with(
        &config(false),
        Parrot::new(true),
        vec![Script::new(true, vec![ChannelReport::Shown, ChannelReport::Yes])],
    );
    assert_eq!(ask(&prompter, 1).await, yes("panel"));
}

#[tokio::test(start_paused = true)]
async fn the_holder_of_the_token_is_asked_where_nobody_else_is() {
    let prompter = Prompter::with(&config(true), Parrot::new(true), vec![]);
    assert_eq!(ask(&prompter, 1).await, Says::Silence);

    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask(&prompter, 2).await }
    });
    wait_until(|| !prompter.open_questions().is_empty()).await;
    let open = prompter.open_questions();
    assert_eq!(open[0].number, Number([2; 16]));
    wait_until(|| prompter.open_questions()[0].expires.is_some()).await;
    assert_eq!(tell(&prompter, Number([9; 16]), yes("http")).await, Err(NotOpen::Unknown));
    assert_eq!(tell(&prompter, open[0].number, yes("http")).await, Ok(()));
    assert_eq!(
        tell(&prompter, open[0].number, no("http")).await,
        Err(NotOpen::Settled),
        "the first answer wins"
    );
    assert_eq!(asking.await.unwrap(), yes("http"));
    assert_eq!(tell(&prompter, Number([2; 16]), yes("http")).await, Err(NotOpen::Settled));
}

#[tokio::test]
async fn one_prompt_at_a_time_in_the_order_of_asking() {
    let panel = Script::new(true, vec![ChannelReport::Shown]);
    let prompter = Prompter::with(&config(true), Parrot::new(false), vec![panel.clone()]);
    let mut tasks = Vec::new();
    for number in 1..=3 {
        let desk_ = prompter.clone();
        tasks.push(tokio::spawn(async move { ask(&desk_, number).await }));
        wait_until(|| prompter.open_questions().len() == usize::from(number)).await;
    }
    wait_until(|| panel.seen.lock().unwrap().len() == 1).await;
    // A waiting question may be answered from elsewhere. It then never reaches the channels.
    tell(&prompter, Number([2; 16]), no("http")).await.unwrap();
    tell(&prompter, Number([1; 16]), yes("http")).await.unwrap();
    wait_until(|| panel.seen.lock().unwrap().len() == 2).await;
    tell(&prompter, Number([3; 16]), no("http")).await.unwrap();
    let mut says = Vec::new();
    for task in tasks {
        says.push(task.await.unwrap());
    }
    assert_eq!(says, [yes("http"), no("http"), no("http")]);
    let seen: Vec<_> = panel.seen.lock().unwrap().iter().map(|asked| asked.prompt.number).collect();
    assert_eq!(seen, [Number([1; 16]), Number([3; 16])]);
}

#[tokio::test]
async fn a_caller_that_goes_away_withdraws() {
    let prompter = Prompter::with(
        &config(true),
        Parrot::new(false),
        vec![Script::new(true, vec![ChannelReport::Shown])],
    );
    let question = question(1);
    let answer = prompter.ask(&question, Options::default(), async { NoAnswer::Gone }).await;
    assert!(pending("rm a b c", 1).settle(answer).is_err());
    // The caller is dropped in the middle.
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask(&prompter, 2).await }
    });
    wait_until(|| prompter.question_open()).await;
    asking.abort();
    wait_until(|| !prompter.question_open()).await;
}

#[tokio::test]
async fn a_closed_desk_withdraws_everything() {
    let prompter = Prompter::with(&config(true), Parrot::new(false), vec![]);
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask(&prompter, 1).await }
    });
    wait_until(|| prompter.question_open()).await;
    prompter.close(NoAnswer::Closing);
    let withdrawn = Says::Withdrawn { why: NoAnswer::Closing };
    assert_eq!(asking.await.unwrap(), withdrawn);
    assert_eq!(ask(&prompter, 2).await, withdrawn);
}

#[tokio::test]
async fn the_models_words_are_not_heard_with_a_question() {
    let parrot = Parrot::new(false);
    let prompter =
        Prompter::with(&config(true), parrot.clone(), vec![Script::new(true, vec![ChannelReport::Shown])]);
    parrot.ends.send_replace(false);
    prompter.tell(&Message::Reply("press Y now"), Language::English);
    wait_until(|| parrot.said().len() == 1).await;
    prompter.tell(&Message::Reply("press Y, I said"), Language::English);
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask(&prompter, 1).await }
    });
    wait_until(|| parrot.said().len() == 2).await;
    assert!(parrot.said()[1].starts_with("Delete a, b and c?"));
    parrot.ends.send_replace(true);
    tell(&prompter, Number([1; 16]), no("http")).await.unwrap();
    asking.await.unwrap();
    prompter.quiet().await;
    assert_eq!(parrot.said()[2..], ["Not done.", "The assistant: press Y, I said"]);
}

#[tokio::test]
async fn the_first_definite_answer_wins_in_every_channel() {
    let change = |channel: &str| Says::Change { channel: channel.to_owned(), text: "rm d".to_owned() };
    let rank = crate::prompt::Rank { below: 0.0, password: false };
    let ranks = crate::prompt::Ranks([("notification".to_owned(), rank)].into());
    let prompter = Prompter::with(&PrompterConfig { ranks, ..config(true) }, Parrot::new(true), vec![]);
    let mut number = 0;
    for first in crate::config::sections::channels::WAYS {
        for second in ["keyboard", "notification"] {
            for (one, other) in [
                (yes(first), no(second)),
                (no(first), yes(second)),
                (no(first), change(second)),
                (change(first), yes(second)),
                (yes(first), yes(second)),
            ] {
                number += 1;
                let asking = tokio::spawn({
                    let prompter = prompter.clone();
                    async move {
                        let options = Options { changeable: true, ..Options::default() };
                        let pending = pending("rm a b c", number);
                        let answer = prompter.ask(&pending.question(), options, std::future::pending()).await;
                        match pending.settle(answer) {
                            Ok(approved) => format!("{:?}", approved.by()),
                            Err(refusal) => format!("{:?}", refusal.cause()),
                        }
                    }
                });
                wait_until(|| !prompter.open_questions().is_empty()).await;
                let number = Number([number; 16]);
                // A channel without the right to say yes has not answered.
                let counts = !(matches!(one, Says::Yes { .. }) && first == "notification");
                let told = tell(&prompter, number, one.clone()).await;
                assert_eq!(told, if counts { Ok(()) } else { Err(NotOpen::Rank) }, "{one:?}");
                let late = tell(&prompter, number, other.clone()).await;
                let winner = if counts {
                    assert_eq!(late, Err(NotOpen::Settled), "{one:?}, then {other:?}");
                    one
                } else if late == Err(NotOpen::Rank) {
                    tell(&prompter, number, no("http")).await.unwrap();
                    no("http")
                } else {
                    other
                };
                let end = asking.await.unwrap();
                let (kind, channel) = match &winner {
                    Says::Yes { channel } => ("Person", channel),
                    Says::No { channel, .. } => ("reason", channel),
                    Says::Change { channel, .. } => ("Changed", channel),
                    other => panic!("{other:?}"),
                };
                assert!(end.contains(kind) && end.contains(channel.as_str()), "{winner:?}: {end}");
            }
        }
    }
}

#[tokio::test]
async fn a_thousand_questions_queued_and_withdrawn_leave_nothing() {
    let panel = Script::new(true, vec![ChannelReport::Shown]);
    let prompter = Prompter::with(&config(true), Parrot::new(false), vec![panel.clone()]);
    let (withdraw, _) = watch::channel(false);
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let (tasks_before, open_before) = (alive(), descriptors());
    let mut tasks = Vec::new();
    for number in 0..1000_u128 {
        let (prompter, mut gone) = (prompter.clone(), withdraw.subscribe());
        tasks.push(tokio::spawn(async move {
            let question = Question { number: Number(number.to_be_bytes()), ..question(1) };
            let withdrawn = async move {
                let _ = gone.wait_for(|gone| *gone).await;
                NoAnswer::CalledOff
            };
            prompter.ask(&question, Options::default(), withdrawn).await;
        }));
    }
    wait_until(|| prompter.open_questions().len() == 1000).await;
    wait_until(|| panel.seen.lock().unwrap().len() == 1).await;
    withdraw.send_replace(true);
    for task in tasks {
        task.await.unwrap();
    }
    wait_until(|| !prompter.question_open()).await;
    assert!(prompter.open_questions().is_empty());
    wait_until(|| alive() <= tasks_before).await;
    // Other tests in this process open and close files meanwhile.
    wait_until(|| descriptors() <= open_before + 100).await;
    // The next question is put as usual.
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask(&prompter, 9).await }
    });
    wait_until(|| {
        panel.seen.lock().unwrap().last().is_some_and(|asked| asked.prompt.number == Number([9; 16]))
    })
    .await;
    assert_eq!(panel.seen.lock().unwrap().last().unwrap().waiting, 0);
    tell(&prompter, Number([9; 16]), yes("http")).await.unwrap();
    assert_eq!(asking.await.unwrap(), yes("http"));
}

/// A script under another channel name.
struct Named(&'static str, Arc<Script>);

impl Channel for Named {
    fn name(&self) -> &'static str {
        self.0
    }

    fn shows(&self) -> bool {
        self.1.shows()
    }

    fn state(&self) -> DeviceState {
        self.1.state()
    }

    fn put(&self, asked: Asked) -> Task {
        self.1.put(asked)
    }
}

#[tokio::test]
async fn letters_of_a_line_that_is_being_written_are_no_answers() {
    let panel = Script::new(true, vec![ChannelReport::Shown]);
    let pedal = Script::new(false, vec![]);
    let channels: Vec<Arc<dyn Channel>> = vec![panel.clone(), Arc::new(Named("keys", pedal.clone()))];
    let prompter = Prompter::with(&config(true), Parrot::new(true), channels);
    for (letter, number) in [(ChannelReport::Yes, 1), (ChannelReport::No, 2)] {
        let asking = tokio::spawn({
            let prompter = prompter.clone();
            async move { ask(&prompter, number).await }
        });
        let count = usize::from(number);
        wait_until(|| panel.seen.lock().unwrap().len() == count && pedal.seen.lock().unwrap().len() == count)
            .await;
        let (panel, keys) =
            (panel.seen.lock().unwrap()[count - 1].clone(), pedal.seen.lock().unwrap()[count - 1].clone());
        let mut perceived = keys.perceived.clone();
        perceived.wait_for(|known| *known).await.unwrap();
        panel.report(ChannelReport::Writing);
        perceived.wait_for(|known| !*known).await.unwrap();
        keys.report(letter);
        panel.report(ChannelReport::Listening);
        perceived.wait_for(|known| *known).await.unwrap();
        assert!(!prompter.open_questions().is_empty(), "it stands");
        keys.report(ChannelReport::No);
        assert_eq!(asking.await.unwrap(), no("keys"));
    }
}

/// A pedal that stays down after its yes until it is told to come up.
struct HeldPedal {
    up: watch::Sender<bool>,
    put: Mutex<usize>,
}

impl Channel for HeldPedal {
    fn name(&self) -> &'static str {
        "keys"
    }

    fn shows(&self) -> bool {
        false
    }

    fn state(&self) -> DeviceState {
        DeviceState::Ready { detail: "pedal".to_owned() }
    }

    fn put(&self, asked: Asked) -> Task {
        *self.put.lock().unwrap() += 1;
        let mut up = self.up.subscribe();
        Box::pin(async move {
            asked.report(ChannelReport::Yes);
            let _ = up.wait_for(|up| *up).await;
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_still_held_delays_only_what_it_could_disturb_and_the_next_question() {
    let pedal = Arc::new(HeldPedal { up: watch::channel(false).0, put: Mutex::default() });
    let channels: Vec<Arc<dyn Channel>> =
        vec![Script::new(true, vec![ChannelReport::Shown, ChannelReport::Whole]), pedal.clone()];
    let prompter = Prompter::with(&config(true), Parrot::new(false), channels);
    for (action, target, waits) in [
        ("FILE_DELETE", "~/Downloads/a.zip", false),
        ("RUN_COMMAND", "rm a", false),
        ("SUSPEND", "", true),
        ("KEY_PRESS", "ctrl+tab", true),
        ("CLOSE_APP", "gimp", true),
    ] {
        pedal.up.send_replace(false);
        let put = *pedal.put.lock().unwrap();
        let question = asked(action, target).question();
        let begun = tokio::time::Instant::now();
        let mut asking = Box::pin(prompter.ask(&question, Options::default(), std::future::pending()));
        let early = tokio::time::timeout(Duration::from_millis(100), &mut asking).await.is_ok();
        assert_eq!(early, !waits, "{action}: {:?}", begun.elapsed());
        assert_eq!(*pedal.put.lock().unwrap(), put + 1);
        // The next question waits for the keyboard in any case.
        let next = tokio::spawn({
            let prompter = prompter.clone();
            async move { ask(&prompter, 1).await }
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(*pedal.put.lock().unwrap(), put + 1, "{action}");
        pedal.up.send_replace(true);
        if waits {
            asking.await;
        }
        assert_eq!(next.await.unwrap(), Says::Yes { channel: "keys".to_owned() });
    }
}

#[test]
fn a_digit_is_random_or_there_is_no_question() {
    let grave = {
        let question = question(1);
        let findings: Vec<_> = question
            .findings
            .iter()
            .map(|finding| guarda_core::policy::Finding { risk: 0.95, ..finding.clone() })
            .collect();
        Question { findings: findings.into(), ..question }
    };
    let fixed = |bytes: [u8; 4]| move || Ok(bytes);
    let none = || Err(std::io::Error::other("the well is dry"));
    assert!(crate::prompt::code::digit_of(&grave, 0.9, none).is_err(), "and not a letter");
    assert_eq!(crate::prompt::code::digit_of(&question(1), 2.0, none).unwrap(), None, "none is needed");
    let mut seen = std::collections::BTreeSet::new();
    for byte in 0..=255 {
        seen.insert(crate::prompt::code::digit_of(&grave, 0.9, fixed([byte, 0, 0, 0])).unwrap().unwrap());
    }
    assert_eq!(seen.into_iter().collect::<String>(), "23456789");
}

/// How the first of two questions ends, and whether the second one is exchanged for it under the person's finger.
const ENDS: &[(&str, bool)] = &[
    ("taken back", true),
    ("no by http", true),
    ("no by socket", true),
    ("no by mcp", true),
    ("three wrong codes", true),
    ("its time is over", true),
    ("no by terminal", false),
    ("no by keys", false),
    ("no by keyboard", false),
    ("no by notification", false),
    ("no by spoken", false),
    ("no by console", false),
    ("yes by http", false),
];

/// What follows a question that nobody answered by hand waits two seconds, and then wants a digit.
#[tokio::test(start_paused = true)]
async fn what_is_exchanged_under_the_finger_wants_a_digit() {
    for (end, exchanged) in ENDS {
        let panel = Script::new(true, vec![ChannelReport::Shown]);
        let answer_code = if end.contains("codes") { AnswerCode::Auto } else { AnswerCode::Never };
        let confirmation_timeout = Duration::from_secs(5);
        let config = PrompterConfig { answer_code, confirmation_timeout, ..config(true) };
        let prompter = Prompter::with(&config, Parrot::new(false), vec![panel.clone()]);
        let (first, second) = (question(1), question(2));
        let lasting = || {
            let offers = crate::wording::offer::Offers::new(vec![(Span::Always, Lasting::Command)]);
            Options { offers, ..Options::default() }
        };
        let put = || panel.seen.lock().unwrap().len();
        let shown = || async {
            wait_until(|| put() == 1).await;
            match end.split_once(" by ") {
                Some(("no", way)) => tell(&prompter, first.number, no(way)).await.unwrap(),
                Some((_, way)) => tell(&prompter, first.number, yes(way)).await.unwrap(),
                None if end.contains("codes") => {
                    let code = panel.seen.lock().unwrap()[0].code.as_ref().unwrap().shown();
                    let wrong = if code == "0 0 0 0" { "1111" } else { "0000" };
                    for _ in 0..3 {
                        assert!(say(&prompter, first.number, yes("http"), Some(wrong)).await.is_err());
                    }
                }
                None if *end == "taken back" => return NoAnswer::Gone,
                None => {}
            }
            std::future::pending().await
        };
        let both = async {
            let taken_back = prompter.ask(&first, lasting(), shown());
            tokio::join!(taken_back, prompter.ask(&second, lasting(), std::future::pending()))
        };
        let watching = async {
            wait_until(|| prompter.open_questions().iter().all(|open| open.number == second.number)).await;
            let begun = tokio::time::Instant::now();
            wait_until(|| put() == 2).await;
            let waited = begun.elapsed() > Duration::from_millis(1900);
            let open = prompter.open_questions();
            let prompt = &open[0].prompt;
            // Nothing that lasts is offered then, and a letter says nothing.
            let by_letter = prompt.read(crate::devices::Key::Letter('y')).is_some();
            let found = (waited, prompt.digit.is_some(), !prompt.offers.is_empty(), by_letter);
            assert_eq!(found, (*exchanged, *exchanged, !exchanged, !exchanged), "{end}");
            tell(&prompter, second.number, no("keys")).await.unwrap();
        };
        let _ = tokio::join!(both, watching);
    }
}
