//! The terminal as a channel: it shows the card, and a single key answers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::devices::DeviceState;
use crate::devices::sound::speech::Task;
use crate::devices::terminal::editor::Editor;
use crate::devices::terminal::{Outside, Sheet, Terminal, TerminalEvent, Writing};
use crate::prompt::card::{Foot, card};
use crate::prompt::channels::{Asked, Channel, ChannelReport};
use crate::wording::words::words;
use guarda_core::gate::Says;

/// The terminal from which the service was started.
#[derive(Debug)]
pub struct TerminalChannel {
    terminal: Terminal,
    editor: Option<Editor>,
}

impl TerminalChannel {
    /// Uses this process's terminal, which is examined again for every question.
    #[must_use]
    pub fn find() -> Self {
        Self { terminal: Terminal::default(), editor: None }
    }

    /// Sets the editor for commands.
    #[must_use]
    pub fn with_editor(self, editor: Option<Editor>) -> Self {
        Self { editor, ..self }
    }
}

impl Channel for TerminalChannel {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn shows(&self) -> bool {
        true
    }

    fn state(&self) -> DeviceState {
        self.terminal.state()
    }

    fn put(&self, asked: Asked) -> Task {
        Box::pin(put(self.terminal.clone(), self.editor.clone(), asked))
    }

    fn tell(&self, line: String) -> Task {
        let terminal = self.terminal.clone();
        Box::pin(async move {
            let written = tokio::task::spawn_blocking(move || terminal.line(&line)).await;
            if let Ok(Err(fault)) = written {
                tracing::info!(%fault, "a line is not shown on the terminal");
            }
        })
    }
}

async fn put(terminal: Terminal, editor: Option<Editor>, mut asked: Asked) {
    let words = words(asked.prompt.language);
    let trouble = Arc::new(Mutex::new(String::new()));
    let (showing, mut events) = terminal.show(sheet(&asked, editor, &trouble));
    let mut whole = false;
    loop {
        tokio::select! {
            () = asked.over() => break,
            event = events.recv() => match event {
                Some(TerminalEvent::Shown) => asked.report(ChannelReport::Shown),
                Some(TerminalEvent::Unable(why)) => asked.report(ChannelReport::Unable(why)),
                Some(TerminalEvent::Whole) => {
                    whole = true;
                    asked.report(ChannelReport::Whole);
                }
                Some(TerminalEvent::Writing) => asked.report(ChannelReport::Writing),
                Some(TerminalEvent::Left) => asked.report(ChannelReport::Listening),
                Some(TerminalEvent::Written(text)) => asked.report(ChannelReport::Change(text)),
                Some(TerminalEvent::Refused(reason)) => asked.report(ChannelReport::NoBecause(reason)),
                Some(TerminalEvent::Unwritten(why)) => {
                    *trouble.lock().unwrap_or_else(PoisonError::into_inner) =
                        words.say("card-editor-failed", &[("why", why.into())]);
                    asked.report(ChannelReport::Listening);
                }
                Some(TerminalEvent::Key(key)) => match asked.prompt.read(key) {
                    // A yes counts only after the end of the card was shown.
                    Some(ChannelReport::Yes | ChannelReport::Lasting(_)) if !whole => {}
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
    let lasting = |span| asked.prompt.offers.told(words, span);
    let lasts = match &*asked.settled.borrow() {
        Some(Says::Lasting { span, .. }) => lasting(*span),
        _ => None,
    };
    let outcome = match &*asked.settled.borrow() {
        Some(Says::Yes { .. } | Says::Lasting { .. }) => "card-yes",
        Some(Says::No { .. }) => "card-no",
        Some(Says::Change { .. }) => "card-changed",
        Some(Says::Silence) => "card-late",
        Some(Says::WrongCodes { .. }) => "card-wrong-codes",
        Some(Says::Withdrawn { .. } | Says::Unasked { .. }) | None => "card-withdrawn",
    };
    showing.end(format!("→ {}", lasts.unwrap_or_else(|| words.say(outcome, &[]))));
    // The events end once the terminal is restored.
    while events.recv().await.is_some() {}
}

fn sheet(asked: &Asked, editor: Option<Editor>, trouble: &Arc<Mutex<String>>) -> Sheet {
    let words = words(asked.prompt.language);
    let prompt = Arc::clone(&asked.prompt);
    let (waiting, code, aloud) = (asked.waiting, asked.code.clone(), asked.words.clone());
    let deadline = asked.deadline.clone();
    let edits = editor.is_some();
    let most = AtomicU64::new(0);
    let trouble = Arc::clone(trouble);
    let outside = editor.map(|editor| Outside { editor, help: words.say("card-editing", &[]) });
    Sheet {
        lines: Box::new(move |columns| {
            let (code, words) = (code.as_deref(), aloud.as_deref());
            card(&prompt, columns, waiting, Foot::Keys { editor: edits, code, words })
        }),
        foot: Box::new(move |seconds, more| {
            let most = most.fetch_max(seconds, Ordering::Relaxed).max(seconds);
            let time = words.say("card-time", &[("seconds", seconds.into())]);
            let more = if more { format!("{} · ", words.say("card-more", &[])) } else { String::new() };
            let trouble = trouble.lock().unwrap_or_else(PoisonError::into_inner);
            let trouble = if trouble.is_empty() { String::new() } else { format!("{trouble} · ") };
            format!("{trouble}{more}{} {time}", bar(seconds, most))
        }),
        draft: asked.prompt.draft.clone().map(|text| Writing {
            text,
            hint: format!("  {}", words.say("card-writing", &[])),
            editor: outside,
        }),
        refusal: Some(Writing {
            text: String::new(),
            hint: format!("  {}", words.say("card-because", &[])),
            editor: None,
        }),
        deadline: Box::new(move || (*deadline.borrow()).into_std()),
        arming_delay: asked.arming_delay,
    }
}

/// The remaining time as a bar.
fn bar(left: u64, most: u64) -> String {
    const WIDE: u64 = 20;
    let full = (left * WIDE).div_ceil(most.max(1)).min(WIDE);
    (0..WIDE).map(|place| if place < full { '█' } else { '░' }).collect()
}
