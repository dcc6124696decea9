//! Questions about more changes than a sentence names.

use super::*;

/// Asks about a run that deletes this many files.
async fn ask_deletions(prompter: &Prompter, number: u8, count: usize) -> Says {
    let changes: Vec<String> = (0..count).map(|number| format!("deleted file-{number}")).collect();
    let effects = guarda_core::policy::effect_rules::example(&changes.join("; ")).unwrap();
    let impact = crate::wording::Impact { effects: Some(effects.into()), ..Default::default() };
    let pending = pending("sh tidy.sh", number);
    let options = Options { impact: impact.into(), ..Options::default() };
    let answer = prompter.ask(&pending.question(), options, std::future::pending()).await;
    match pending.settle(answer) {
        Ok(approved) => match approved.by() {
            guarda_core::gate::Decider::Person { channel } => yes(channel),
            other => panic!("{other:?}"),
        },
        Err(refusal) => match refusal.cause() {
            guarda_core::gate::Cause::Person { channel, .. } => no(channel),
            other => panic!("{other:?}"),
        },
    }
}

/// Keys show nothing: their yes counts once a screen has shown the whole list, and their no at any time.
#[tokio::test]
async fn a_list_is_shown_whole_before_a_yes_counts_anywhere() {
    for name in ["keys", crate::prompt::channels::keys::TRUSTED, "panel"] {
        let parrot = Parrot::new(false);
        let (panel, pedal) = (Script::new(true, vec![ChannelReport::Shown]), Script::new(false, vec![]));
        let channels: Vec<Arc<dyn Channel>> = vec![panel.clone(), Arc::new(Named(name, pedal.clone()))];
        let prompter = Prompter::with(&config(true), parrot.clone(), channels);
        for (number, whole) in [(1, true), (2, false)] {
            let asking = tokio::spawn({
                let prompter = prompter.clone();
                async move { ask_deletions(&prompter, number, 50).await }
            });
            let count = usize::from(number);
            wait_until(|| pedal.seen.lock().unwrap().len() == count).await;
            let (panel, keys) = (
                panel.seen.lock().unwrap()[count - 1].clone(),
                pedal.seen.lock().unwrap()[count - 1].clone(),
            );
            keys.perceived.clone().wait_for(|known| *known).await.unwrap();
            let said = parrot.said().len();
            keys.report(ChannelReport::Yes);
            wait_until(|| parrot.said().len() > said).await;
            let how = "Read the whole list in the console of guarda-costas, or with guarda approve, and answer there.";
            assert_eq!(parrot.said().last().unwrap(), how, "{name}");
            assert!(!prompter.open_questions().is_empty(), "{name}: it stands");
            if whole {
                panel.report(ChannelReport::Whole);
            }
            keys.report(if whole { ChannelReport::Yes } else { ChannelReport::No });
            assert_eq!(asking.await.unwrap(), if whole { yes(name) } else { no(name) });
        }
    }
}

/// The voice names up to three files. A yes counts once they are named.
#[tokio::test]
async fn what_is_only_heard_is_heard_to_the_end() {
    let parrot = Parrot::new(false);
    let pedal = Script::new(false, vec![]);
    let prompter = Prompter::with(&config(false), parrot.clone(), vec![pedal.clone()]);
    parrot.ends.send_replace(false);
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask_deletions(&prompter, 1, 3).await }
    });
    wait_until(|| !pedal.seen.lock().unwrap().is_empty()).await;
    let keys = pedal.seen.lock().unwrap()[0].clone();
    keys.perceived.clone().wait_for(|known| *known).await.unwrap();
    assert!(parrot.said()[0].contains("file-0, file-1 and file-2"), "{:?}", parrot.said());
    keys.report(ChannelReport::Yes);
    // The sentence that the spelling interrupts is spoken again.
    keys.report(ChannelReport::Spell);
    wait_until(|| parrot.said().len() == 2).await;
    assert!(
        parrot.said()[1].contains("sign by sign") && parrot.said()[1].contains("file-0"),
        "{:?}",
        parrot.said()
    );
    keys.report(ChannelReport::Yes);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!prompter.open_questions().is_empty(), "it stands");
    parrot.ends.send_replace(true);
    wait_until(|| {
        keys.report(ChannelReport::Yes);
        prompter.open_questions().is_empty()
    })
    .await;
    assert_eq!(asking.await.unwrap(), yes("pedal"));
}

/// A yes from elsewhere names the digest of the list that was shown there.
#[tokio::test]
async fn from_elsewhere_a_list_is_named_by_its_digest() {
    let panel = Script::new(true, vec![ChannelReport::Shown]);
    let prompter = Prompter::with(&config(true), Parrot::new(true), vec![panel.clone()]);
    let asking = tokio::spawn({
        let prompter = prompter.clone();
        async move { ask_deletions(&prompter, 1, 4).await }
    });
    wait_until(|| !prompter.open_questions().is_empty()).await;
    let open = prompter.open_questions().remove(0);
    let digest = guarda_journal::chain::hex(&open.prompt.impact.effects.as_ref().unwrap().digest());
    assert!(prompter.offer(open.number, "mcp").is_none(), "a form shows no list");
    for (shown, counts) in
        [(None, false), (Some(""), false), (Some("00"), false), (Some(digest.as_str()), true)]
    {
        let proof = prompter.prove(open.number, "http", Given { code: None, shown }).await.unwrap();
        let told = prompter.answer(open.number, &[], "http", Elsewhere::Yes(proof));
        assert_eq!(told, if counts { Ok(vec![]) } else { Err(NotOpen::Unread) }, "{shown:?}");
    }
    assert_eq!(asking.await.unwrap(), yes("http"));
}
