//! Speech on a real speech-dispatcher, heard at a real sound server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use guarda::devices::DeviceState;
use guarda::devices::sound::speech::{Audible, Heard, Sentence, Speaker as _, Speech, VoiceSettings};
use tokio::sync::watch;

use super::{end, program, until};
use crate::common::machine::Machine;

fn machine() -> Machine {
    Machine::new().with_sound().with_speech()
}

fn manner() -> VoiceSettings {
    VoiceSettings { language: "pt-BR".to_owned(), rate: 0, volume: 100, voice: None }
}

async fn speech(machine: &Machine, audible: Option<Audible>) -> Speech {
    let speech = Speech::start(program(), &machine.session(), &manner(), audible);
    until("speech", || speech.state().ready()).await;
    speech
}

/// Says a sentence to its end; all that became of it.
async fn say(speech: &Speech, text: &str, language: &'static str) -> Vec<Heard> {
    let (sender, mut receiver) = watch::channel(Heard::Waiting);
    let task = tokio::spawn(speech.say(Sentence { text: text.to_owned(), language }, sender));
    let mut all = Vec::new();
    while receiver.changed().await.is_ok() {
        all.push(receiver.borrow_and_update().clone());
    }
    end("the sentence", task).await.unwrap();
    all
}

/// A signal to the daemon.
fn signal(machine: &Machine, name: &str) {
    let pid = std::fs::read_to_string(machine.path("run/speechd.pid")).unwrap();
    machine.ask("kill", &[name, pid.trim()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_language_is_heard() {
    let machine = machine();
    let speech = speech(&machine, None).await;
    for (text, language) in [
        ("Você quer apagar três arquivos em Downloads?", "pt-BR"),
        ("Do you want to delete three files in Downloads?", "en"),
        ("Voulez-vous supprimer trois fichiers dans Downloads ?", "fr"),
    ] {
        let ears = machine.listen();
        let heard = say(&speech, text, language).await;
        assert_eq!(heard.last(), Some(&Heard::Ended), "{language}");
        assert!(ears.heard() > 0.5, "{language}: {} s of sound", ears.heard());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_text_is_only_spoken() {
    let machine = machine();
    let speech = speech(&machine, None).await;
    for text in [
        "a\0b",
        "hello\r\n.\r\nSTOP all\r\nQUIT\r\n",
        "\u{1b}[2J\u{202e}x",
        "",
        " \n",
        "<speak>&amp;</speak>",
    ] {
        let heard = say(&speech, text, "en").await;
        assert_eq!(heard.last(), Some(&Heard::Ended), "{text:?}");
    }
    assert!(speech.state().ready());
}

#[tokio::test(flavor = "multi_thread")]
async fn sentences_come_one_after_the_other() {
    let machine = machine();
    let speech = speech(&machine, None).await;
    let begin = |text: &str| {
        let (sender, receiver) = watch::channel(Heard::Waiting);
        let sentence = Sentence { text: text.to_owned(), language: "en" };
        (tokio::spawn(speech.say(sentence, sender)), receiver)
    };
    let (first, mut first_heard) = begin("The first sentence.");
    end("the first", first_heard.wait_for(|heard| *heard == Heard::Began)).await.unwrap();
    let (second, mut second_heard) = begin("The second sentence.");
    end("the second", second_heard.wait_for(|heard| *heard == Heard::Began)).await.unwrap();
    assert_eq!(*first_heard.borrow(), Heard::Ended);
    first.await.unwrap();
    second.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn giving_up_falls_silent() {
    let machine = machine();
    let speech = speech(&machine, None).await;
    let (sender, mut heard) = watch::channel(Heard::Waiting);
    let text = "This is a long sentence that goes on and on. ".repeat(10);
    let ears = machine.listen();
    let task = tokio::spawn(speech.say(Sentence { text, language: "en" }, sender));
    end("the begin", heard.wait_for(|heard| *heard == Heard::Began)).await.unwrap();
    task.abort();
    assert_eq!(say(&speech, "Short.", "en").await.last(), Some(&Heard::Ended));
    assert!(ears.heard() < 10.0, "{} s of sound", ears.heard());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_daemon_costs_a_deadline_and_comes_back() {
    let machine = machine();
    let speech = speech(&machine, None).await;
    signal(&machine, "-STOP");
    let heard = say(&speech, "Can you hear me?", "en").await;
    assert!(matches!(heard.last(), Some(Heard::Failed(_))), "{heard:?}");
    until("the failure", || matches!(speech.state(), DeviceState::Failed { .. })).await;
    signal(&machine, "-CONT");
    until("recovery", || speech.state().ready()).await;
    assert_eq!(say(&speech, "Yes.", "en").await.last(), Some(&Heard::Ended));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_daemon_fails_and_a_new_one_is_found() {
    let mut machine = machine();
    let speech = speech(&machine, None).await;
    machine.stop_last();
    let heard = say(&speech, "Can you hear me?", "en").await;
    assert!(matches!(heard.last(), Some(Heard::Failed(_))), "{heard:?}");
    until("the failure", || speech.state().trouble().is_some()).await;
    machine = machine.with_speech_again();
    until("recovery", || speech.state().ready()).await;
    let ears = machine.listen();
    assert_eq!(say(&speech, "Now I can be heard again.", "en").await.last(), Some(&Heard::Ended));
    assert!(ears.heard() > 0.3);
}

/// Kills the voice's child on this machine, and waits until it is gone.
fn kill_child(address: &str) {
    let holds = |file: &str, wanted: &str| {
        let bytes = std::fs::read(file).unwrap_or_default();
        bytes.split(|byte| *byte == 0).any(|part| part == wanted.as_bytes())
    };
    let setting = format!("SPEECHD_ADDRESS={address}");
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut pids = pids.filter(|pid| {
        holds(&format!("/proc/{pid}/cmdline"), "__speech") && holds(&format!("/proc/{pid}/environ"), &setting)
    });
    let pid = rustix::process::Pid::from_raw(pids.next().expect("a child").parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let there = format!("/proc/{}", pid.as_raw_nonzero());
    crate::common::until("it is gone", || !std::path::Path::new(&there).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_lost_with_the_child_is_spoken_by_the_next() {
    let machine = machine();
    let address = machine.session().get("SPEECHD_ADDRESS").unwrap().to_owned();
    let first = AtomicBool::new(true);
    // The child dies after it is ready and before it gets the sentence.
    let audible: Audible = Arc::new(move || {
        if first.swap(false, Ordering::SeqCst) {
            kill_child(&address);
        }
        Ok(())
    });
    let speech = speech(&machine, Some(audible)).await;
    let ears = machine.listen();
    assert_eq!(say(&speech, "Nothing is lost.", "en").await, [Heard::Began, Heard::Ended]);
    assert!(ears.heard() > 0.3);
    assert!(speech.state().ready());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_can_hear_is_not_spoken() {
    let machine = machine();
    let muted = Arc::new(AtomicBool::new(true));
    let audible: Audible = {
        let muted = Arc::clone(&muted);
        Arc::new(move || {
            if muted.load(Ordering::SeqCst) {
                Err(guarda::devices::fault::DeviceFault::failed("muted"))
            } else {
                Ok(())
            }
        })
    };
    let speech = speech(&machine, Some(audible)).await;
    let heard = say(&speech, "Hello.", "en").await;
    assert_eq!(heard, [Heard::Failed("muted".to_owned().into())]);
    muted.store(false, Ordering::SeqCst);
    assert_eq!(say(&speech, "Hello.", "en").await.last(), Some(&Heard::Ended));
}

#[tokio::test]
async fn no_daemon_is_told_with_what_to_install() {
    let mut machine = Machine::new();
    machine.set("SPEECHD_ADDRESS", "unix_socket:/nonexistent/speechd.sock");
    machine.set("PATH", "/nonexistent");
    let speech = Speech::start(program(), &machine.session(), &manner(), None);
    until("the state", || speech.state() != DeviceState::Starting).await;
    let DeviceState::Absent { why } = speech.state() else { panic!("{:?}", speech.state()) };
    assert!(why.detail.contains("install speech-dispatcher"), "{why}");
    let heard = say(&speech, "Hello.", "en").await;
    assert_eq!(heard, [Heard::Failed(why)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_without_a_synthesizer_does_not_count() {
    let machine = Machine::new().with_sound().with_speech_without_a_voice();
    let speech = Speech::start(program(), &machine.session(), &manner(), None);
    until("the state", || speech.state() != DeviceState::Starting).await;
    assert!(matches!(speech.state(), DeviceState::Absent { .. }), "{:?}", speech.state());
}
