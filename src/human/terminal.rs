//! The terminal as a channel: the card is shown, one lone key answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::devices::State;
use crate::devices::speech::Task;
use crate::devices::terminal::{Event, Sheet, Terminal, Writing};
use crate::gate::Says;
use crate::human::card::card;
use crate::human::channel::{Asked, Channel, Report};
use crate::human::words::words;

/// The terminal that the service was started from.
#[derive(Debug)]
pub struct TerminalChannel {
    terminal: Terminal,
}

impl TerminalChannel {
    /// The terminal of this process; looked at anew for every question.
    #[must_use]
    pub fn find() -> Self {
        Self { terminal: Terminal::default() }
    }
}

impl Channel for TerminalChannel {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn shows(&self) -> bool {
        true
    }

    fn state(&self) -> State {
        self.terminal.state()
    }

    fn put(&self, asked: Asked) -> Task {
        Box::pin(put(self.terminal.clone(), asked))
    }
}

async fn put(terminal: Terminal, mut asked: Asked) {
    let words = words(asked.prompt.language);
    let (showing, mut events) = terminal.show(sheet(&asked));
    let mut whole = false;
    loop {
        tokio::select! {
            () = asked.over() => break,
            event = events.recv() => match event {
                Some(Event::Shown) => asked.report(Report::Shown),
                Some(Event::Unable(why)) => asked.report(Report::Unable(why)),
                Some(Event::Whole) => whole = true,
                Some(Event::Writing) => asked.report(Report::Writing),
                Some(Event::Left) => asked.report(Report::Listening),
                Some(Event::Written(text)) => asked.report(Report::Change(text)),
                Some(Event::Key(key)) => match asked.prompt.read(key) {
                    // Who has not seen the end of it cannot say yes to it.
                    Some(Report::Yes | Report::Always) if !whole => {}
                    Some(report) => asked.report(report),
                    None => {}
                },
                None => {
                    asked.over().await;
                    break;
                }
            },
        }
    }
    let outcome = match &*asked.settled.borrow() {
        Some(Says::Yes { .. }) => "card-yes",
        Some(Says::Always { .. }) => "card-always",
        Some(Says::No { .. }) => "card-no",
        Some(Says::Change { .. }) => "card-changed",
        Some(Says::Silence) => "card-late",
        Some(Says::Withdrawn { .. } | Says::Unasked { .. }) | None => "card-withdrawn",
    };
    showing.end(format!("→ {}", words.say(outcome, &[])));
    // The events end when the terminal is as it was.
    while events.recv().await.is_some() {}
}

fn sheet(asked: &Asked) -> Sheet {
    let words = words(asked.prompt.language);
    let prompt = Arc::clone(&asked.prompt);
    let waiting = asked.waiting;
    let deadline = asked.deadline.clone();
    let most = AtomicU64::new(0);
    Sheet {
        lines: Box::new(move |columns| card(&prompt, columns, waiting)),
        foot: Box::new(move |seconds, more| {
            let most = most.fetch_max(seconds, Ordering::Relaxed).max(seconds);
            let time = words.say("card-time", &[("seconds", seconds.into())]);
            let more = if more { format!("{} · ", words.say("card-more", &[])) } else { String::new() };
            format!("{more}{} {time}", bar(seconds, most))
        }),
        draft: asked
            .prompt
            .draft
            .clone()
            .map(|text| Writing { text, hint: format!("  {}", words.say("card-writing", &[])) }),
        deadline: Box::new(move || (*deadline.borrow()).into_std()),
        arming_delay: asked.arming_delay,
    }
}

/// How much of the time is left, as a bar.
fn bar(left: u64, most: u64) -> String {
    const WIDE: u64 = 20;
    let full = (left * WIDE).div_ceil(most.max(1)).min(WIDE);
    (0..WIDE).map(|place| if place < full { '█' } else { '░' }).collect()
}
