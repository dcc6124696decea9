//! The terminal as a channel: the card is shown, one lone key answers.

use std::sync::Arc;

use crate::devices::State;
use crate::devices::speech::Task;
use crate::devices::terminal::{Event, Sheet, Terminal};
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
    loop {
        tokio::select! {
            () = asked.over() => break,
            event = events.recv() => match event {
                Some(Event::Shown) => asked.report(Report::Shown),
                Some(Event::Unable(why)) => asked.report(Report::Unable(why)),
                Some(Event::Key(key)) => {
                    if let Some(report) = asked.prompt.read(key) {
                        asked.report(report);
                    }
                }
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
    Sheet {
        lines: Box::new(move |columns| card(&prompt, columns, waiting)),
        foot: Box::new(move |seconds| words.say("card-time", &[("seconds", seconds.into())])),
        deadline: Box::new(move || (*deadline.borrow()).into_std()),
        arming_delay: asked.arming_delay,
    }
}
