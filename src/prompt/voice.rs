//! One voice, one sentence at a time. Questions come before messages, and while a question is open nothing else is
//! spoken: the model's own words could pass for the guard's. Of the messages, the newest comes first, and an old one is not said.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::devices::sound::speech::{Heard, Sentence, Speaker};

/// The longest queue of questions. Further ones are dropped, since nobody would listen to that many.
const BACKLOG: usize = 16;
/// The longest queue of messages. An older one gives way to a newer: the screen has shown it.
const NEWS: usize = 3;
/// What happened longer ago is not said any more: after the next deed, it would be taken for what became of that.
const STALE: Duration = Duration::from_secs(3);

/// The prompter's voice. Ends when dropped.
pub struct Voice {
    shared: Arc<Shared>,
    worker: tokio::task::JoinHandle<()>,
}

struct Shared {
    queue: Mutex<Queue>,
    wake: Notify,
}

#[derive(Default)]
struct Queue {
    next_id: u64,
    questions: VecDeque<Line>,
    messages: VecDeque<Line>,
    /// The number of open questions. Messages wait while there are any.
    standing: usize,
    /// The sentence that is being spoken.
    current: Option<Current>,
}

struct Line {
    id: u64,
    sentence: Sentence,
    heard: watch::Sender<Heard>,
    since: Instant,
    /// Whether it is said however late: it is about the guard itself and not about one deed.
    lasting: bool,
}

struct Current {
    id: u64,
    /// Whether it is a message, which a question interrupts.
    message: bool,
    cut: Arc<Notify>,
}

/// A question that is being spoken. Dropping it stops the speech and lets messages through again.
pub struct SpokenQuestion {
    shared: Arc<Shared>,
    id: u64,
    /// How far the sentence was spoken.
    pub heard: watch::Receiver<Heard>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Queues a question's sentence; returns its id, and how far it is spoken.
    fn question(&mut self, sentence: Sentence) -> (u64, watch::Receiver<Heard>) {
        let (line, heard) = self.line(sentence, true);
        let id = line.id;
        self.questions.push_back(line);
        (id, heard)
    }

    fn line(&mut self, sentence: Sentence, lasting: bool) -> (Line, watch::Receiver<Heard>) {
        self.next_id += 1;
        let (heard, receiver) = watch::channel(Heard::Waiting);
        (Line { id: self.next_id, sentence, heard, since: Instant::now(), lasting }, receiver)
    }

    /// The next line, and whether it is a message.
    fn next(&mut self) -> Option<(Line, bool)> {
        if let Some(line) = self.questions.pop_front() {
            return Some((line, false));
        }
        if self.standing > 0 {
            return None;
        }
        self.messages.retain(|line| line.lasting || line.since.elapsed() < STALE);
        // The newest first.
        self.messages.pop_back().map(|line| (line, true))
    }
}

impl Voice {
    /// Starts the thread that speaks sentences.
    pub fn start(speaker: Arc<dyn Speaker>) -> Self {
        let shared = Arc::new(Shared { queue: Mutex::default(), wake: Notify::new() });
        let worker = tokio::spawn(work(Arc::clone(&shared), speaker));
        Self { shared, worker }
    }

    /// Speaks a question. It interrupts a message: a person has seconds to answer.
    pub fn ask(&self, sentence: Sentence) -> SpokenQuestion {
        let mut queue = self.shared.queue();
        let (id, heard) = queue.question(sentence);
        queue.standing += 1;
        if let Some(current) = queue.current.as_ref().filter(|current| current.message) {
            current.cut.notify_one();
        }
        drop(queue);
        self.shared.wake.notify_one();
        SpokenQuestion { shared: Arc::clone(&self.shared), id, heard }
    }

    /// Queues a message. `lasting`: it is said even if it is interrupted, or waits for long.
    pub fn tell(&self, sentence: Sentence, lasting: bool) {
        let mut queue = self.shared.queue();
        let (line, _) = queue.line(sentence, lasting);
        queue.messages.push_back(line);
        if queue.messages.len() > NEWS {
            queue.messages.pop_front();
        }
        drop(queue);
        self.shared.wake.notify_one();
    }

    /// Speaks a message that must not wait for open questions.
    pub fn urgent(&self, sentence: Sentence) {
        let mut queue = self.shared.queue();
        if queue.questions.len() >= BACKLOG {
            return;
        }
        let _ = queue.question(sentence);
        drop(queue);
        self.shared.wake.notify_one();
    }

    /// Waits until every message that may be spoken now has been spoken.
    pub async fn quiet(&self) {
        loop {
            {
                let queue = self.shared.queue();
                let waiting =
                    !queue.questions.is_empty() || (queue.standing == 0 && !queue.messages.is_empty());
                if !waiting && queue.current.is_none() {
                    return;
                }
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Voice {
    fn drop(&mut self) {
        self.worker.abort();
    }
}

impl SpokenQuestion {
    /// Stops speaking. Messages stay in the queue.
    pub fn hush(&self) {
        let mut queue = self.shared.queue();
        queue.questions.retain(|line| line.id != self.id);
        if let Some(current) = queue.current.as_ref().filter(|current| current.id == self.id) {
            current.cut.notify_one();
        }
    }

    /// Replaces the spoken part of the question.
    pub fn again(&mut self, sentence: Sentence) {
        self.hush();
        (self.id, self.heard) = self.shared.queue().question(sentence);
        self.shared.wake.notify_one();
    }

    /// Speaks the result of the answer before any waiting message.
    pub fn conclude(self, sentence: Sentence) {
        self.hush();
        let _ = self.shared.queue().question(sentence);
    }
}

impl Drop for SpokenQuestion {
    fn drop(&mut self) {
        self.hush();
        let mut queue = self.shared.queue();
        queue.standing = queue.standing.saturating_sub(1);
        drop(queue);
        self.shared.wake.notify_one();
    }
}

async fn work(shared: Arc<Shared>, speaker: Arc<dyn Speaker>) {
    loop {
        let (line, message, cut) = loop {
            {
                let mut queue = shared.queue();
                if let Some((line, message)) = queue.next() {
                    let cut = Arc::new(Notify::new());
                    queue.current = Some(Current { id: line.id, message, cut: Arc::clone(&cut) });
                    break (line, message, cut);
                }
            }
            shared.wake.notified().await;
        };
        let whole = tokio::select! {
            () = speaker.say(line.sentence.clone(), line.heard.clone()) => true,
            () = cut.notified() => false,
        };
        let mut queue = shared.queue();
        queue.current = None;
        if message && !whole && line.lasting && queue.messages.len() < NEWS {
            queue.messages.push_back(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::sound::speech::Mute;

    /// A speaker whose first sentences never end by themselves; it notes what it was given.
    struct Slow(Mutex<Vec<String>>, usize);

    impl Speaker for Slow {
        fn state(&self) -> crate::devices::DeviceState {
            crate::devices::DeviceState::Ready { detail: "slow".to_owned() }
        }

        fn audible(
            &self,
        ) -> crate::devices::sound::speech::Task<Result<(), crate::devices::fault::DeviceFault>> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn say(
            &self,
            sentence: Sentence,
            heard: watch::Sender<Heard>,
        ) -> crate::devices::sound::speech::Task {
            let mut said = self.0.lock().unwrap();
            said.push(sentence.text);
            let ends = said.len() > self.1;
            Box::pin(async move {
                heard.send_replace(Heard::Began);
                if !ends {
                    std::future::pending::<()>().await;
                }
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_interrupts_a_message_which_is_said_again_only_if_it_lasts() {
        let line = |text: &str| Sentence { text: text.to_owned(), language: "en" };
        let soon = || tokio::time::sleep(std::time::Duration::from_millis(10));
        for (lasting, expected) in [(true, &["news", "question", "news"][..]), (false, &["news", "question"])]
        {
            let slow = Arc::new(Slow(Mutex::default(), 1));
            let voice = Voice::start(slow.clone());
            voice.tell(line("news"), lasting);
            soon().await;
            let question = voice.ask(line("question"));
            soon().await;
            assert_eq!(*slow.0.lock().unwrap(), ["news", "question"], "at once");
            drop(question);
            soon().await;
            assert_eq!(*slow.0.lock().unwrap(), expected);
        }
    }

    /// "Undone" is not followed by what was done before it.
    #[tokio::test(start_paused = true)]
    async fn after_a_question_the_newest_is_said_and_nothing_old() {
        let line = |text: &str| Sentence { text: text.to_owned(), language: "en" };
        let slow = Arc::new(Slow(Mutex::default(), 0));
        let voice = Voice::start(slow.clone());
        let question = voice.ask(line("question"));
        voice.tell(line("old"), false);
        voice.tell(line("the rules were changed"), true);
        tokio::time::sleep(STALE).await;
        voice.tell(line("new"), false);
        voice.tell(line("newest"), false);
        drop(question);
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        assert_eq!(*slow.0.lock().unwrap(), ["question", "newest", "new", "the rules were changed"]);
    }

    #[tokio::test]
    async fn an_older_message_gives_way_to_a_newer() {
        let voice = Voice::start(Arc::new(Mute { why: "no voice".to_owned() }));
        voice.worker.abort();
        for text in ["1", "2", "3", "4", "5"] {
            voice.tell(Sentence { text: text.to_owned(), language: "en" }, false);
        }
        let waiting: Vec<String> =
            voice.shared.queue().messages.iter().map(|line| line.sentence.text.clone()).collect();
        assert_eq!(waiting, ["3", "4", "5"]);
    }
}
