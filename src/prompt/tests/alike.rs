//! Questions of one kind are one: a person's answer counts for all that were shown together.

use super::*;

/// Asks these questions at once, with these groups. Returns the answers in their order, and what the channel was shown: the number of
/// each question that was put, and those of the others beside it.
async fn asked(
    groups: &[Option<&str>],
    report: ChannelReport,
    digit_from_risk: f32,
) -> (Vec<bool>, Vec<(u8, Vec<u8>)>, Vec<String>) {
    let (parrot, panel) = (Parrot::new(false), Script::new(true, vec![ChannelReport::Shown, report]));
    let config = PrompterConfig { digit_from_risk, ..config(false) };
    let prompter = Prompter::with(&config, parrot.clone(), vec![panel.clone()]);
    let turn = prompter.hold().await;
    let mut tasks = Vec::new();
    for (number, group) in (1..).zip(groups) {
        let (prompter, group) = (prompter.clone(), group.map(str::to_owned));
        let opened = prompter.open_questions().len();
        let mine = prompter.clone();
        tasks.push(tokio::spawn(async move {
            let options = Options { group, ..Options::default() };
            let pending = pending(&format!("rm a{number} b c"), number);
            let answer = mine.ask(&pending.question(), options, std::future::pending()).await;
            pending.settle(answer).is_ok()
        }));
        wait_until(|| prompter.open_questions().len() > opened).await;
    }
    drop(turn);
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    prompter.quiet().await;
    let number = |number: Number| number.0[0];
    let seen = panel.seen.lock().unwrap();
    let shown = seen.iter().map(|asked| {
        (number(asked.prompt.number), asked.prompt.others.iter().map(|other| number(other.number)).collect())
    });
    (answers, shown.collect(), parrot.said())
}

#[tokio::test]
async fn one_answer_counts_for_all_that_are_shown_together_and_for_no_other() {
    let groups = [Some("x"), Some("y"), Some("x"), None, Some("x"), None];
    for (report, yes) in [(ChannelReport::Yes, true), (ChannelReport::No, false)] {
        let (answers, shown, said) = asked(&groups, report, 2.0).await;
        assert_eq!(answers, [yes; 6]);
        assert_eq!(shown, [(1, vec![3, 5]), (2, vec![]), (4, vec![]), (6, vec![])]);
        assert!(said[0].contains("It counts for 2 more like it."), "{said:?}");
    }
}

#[tokio::test]
async fn a_question_with_a_digit_is_answered_alone() {
    let no = ChannelReport::No;
    let (_, shown, _) = asked(&[Some("x"), Some("x")], no, 0.0).await;
    assert_eq!(shown, [(1, vec![]), (2, vec![])]);
}

#[tokio::test]
async fn from_elsewhere_it_counts_for_those_that_are_named_and_alike() {
    let prompter = Prompter::with(&config(true), Parrot::new(false), vec![]);
    let ask = |number: u8, group: &str| {
        let (prompter, group) = (prompter.clone(), Some(group.to_owned()));
        tokio::spawn(async move {
            let options = Options { group, ..Options::default() };
            let pending = pending("rm a b c", number);
            let answer = prompter.ask(&pending.question(), options, std::future::pending()).await;
            pending.settle(answer).is_ok()
        })
    };
    let tasks = [ask(1, "x"), ask(2, "x"), ask(3, "x"), ask(4, "y")];
    wait_until(|| prompter.open_questions().len() == 4).await;
    let number = |number: u8| Number([number; 16]);
    let first = prompter.open_questions().into_iter().find(|open| open.number == number(1)).unwrap();
    let mut alike = first.alike;
    alike.sort_by_key(|number| number.0);
    assert_eq!(alike, [number(2), number(3)]);
    let proof = prompter.prove(number(1), "http", Given { code: None, shown: None }).await.unwrap();
    // The fourth is of another kind, and the third was not named.
    let others = [number(2), number(4), number(9)];
    let settled = prompter.answer(number(1), &others, "http", Elsewhere::Yes(proof)).unwrap();
    assert_eq!(settled, [number(2)]);
    let open: Vec<Number> = prompter.open_questions().into_iter().map(|open| open.number).collect();
    assert!(open.contains(&number(3)) && open.contains(&number(4)) && open.len() == 2, "{open:?}");
    prompter.close(NoAnswer::Closing);
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    assert_eq!(answers, [true, true, false, false]);
}
