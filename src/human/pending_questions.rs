//! The questions that are open, in the order in which they came, and what each has come to. The first answer wins.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use tokio::sync::watch;

use crate::human::code::{Code, NoProof, Proof, TRIES, Wrongs};
use crate::human::prompt::Prompt;
use crate::human::rank::Ranks;
use guarda_core::gate::{Number, Question, Says};

/// The open questions.
#[derive(Debug, Default)]
pub struct PendingQuestions {
    ranks: Arc<Ranks>,
    pages: Mutex<Pages>,
    wrongs: Wrongs,
    /// Counts up whenever the open questions may be other ones.
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Pages {
    entries: Vec<Entry>,
    settled: std::collections::VecDeque<Number>,
    closed: Option<String>,
}

#[derive(Debug)]
struct Entry {
    question: Question,
    prompt: Arc<Prompt>,
    /// What an answer from elsewhere takes, where it may take one.
    code: Option<Arc<Code>>,
    /// How many wrong ones came.
    wrong: u8,
    asked: SystemTime,
    expires: Option<SystemTime>,
    settled: watch::Sender<Option<Says>>,
}

/// A question that waits for an answer, for those who may answer from elsewhere.
#[derive(Debug, Clone)]
pub struct OpenQuestion {
    /// Its number, to answer it by.
    pub number: Number,
    /// When it was asked.
    pub asked: SystemTime,
    /// When silence becomes a no; `None` while other questions are before it.
    pub expires: Option<SystemTime>,
    /// The question itself, with the exact action and the findings.
    pub question: Question,
    /// The question in words.
    pub prompt: Arc<Prompt>,
}

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOpen {
    /// There was no such question, or it was settled long ago.
    #[error("there is no question with this number")]
    Unknown,
    /// It has been answered, was withdrawn, or has expired.
    #[error("the question is settled already")]
    Settled,
    /// It stands, but this answer is not offered: it cannot be remembered.
    #[error("this question takes yes or no: what is asked cannot be allowed once and for all")]
    NotOffered,
    /// Nothing may be written in the place of what it asks.
    #[error("this question takes yes or no, and no other command")]
    Fixed,
    /// This way of answering may not say yes to it (`[channels]`); it may say no.
    #[error("this way of answering may not say yes to a question of this risk; it may say no")]
    Rank,
    /// What was written in its place is no command.
    #[error(transparent)]
    Misread(#[from] guarda_core::action::Misread),
}

/// How many settled questions are remembered by their numbers.
const REMEMBERED: usize = 256;

impl Pages {
    /// Why a question that is not here cannot be answered.
    fn absent(&self, number: Number) -> NotOpen {
        if self.settled.contains(&number) { NotOpen::Settled } else { NotOpen::Unknown }
    }

    fn withdraw(&self, why: &str) {
        for entry in &self.entries {
            entry.settled.send_if_modified(|settled| {
                let first = settled.is_none();
                if first {
                    *settled = Some(Says::Withdrawn { why: why.to_owned() });
                }
                first
            });
        }
    }
}

impl PendingQuestions {
    /// An empty book; a yes counts where the rank of its channel allows it.
    pub(super) fn new(ranks: Arc<Ranks>) -> Self {
        Self { ranks, ..Self::default() }
    }

    /// Whether a yes in this channel counts for a question of this risk and verdict.
    pub(super) fn admits(&self, channel: &str, risk: f32, verdict: guarda_core::policy::Verdict) -> bool {
        self.ranks.admit(channel, risk, verdict)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes.send_modify(|number| *number = number.wrapping_add(1));
    }

    /// A number that changes whenever the open questions may have changed.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Enters a question.
    ///
    /// # Errors
    /// Why not, when the desk is closed or the number stands there already.
    pub(super) fn enter(
        &self,
        question: Question,
        prompt: Arc<Prompt>,
        code: Option<Arc<Code>>,
    ) -> Result<watch::Receiver<Option<Says>>, String> {
        let mut pages = self.pages();
        if let Some(why) = &pages.closed {
            return Err(why.clone());
        }
        if pages.entries.iter().any(|entry| entry.question.number == question.number) {
            return Err("a question with this number is open already".to_owned());
        }
        let (settled, receiver) = watch::channel(None);
        let entry =
            Entry { question, prompt, code, wrong: 0, asked: SystemTime::now(), expires: None, settled };
        pages.entries.push(entry);
        self.changed();
        Ok(receiver)
    }

    /// Writes down what a question has come to. Only the first time counts.
    ///
    /// # Errors
    /// [`NotOpen`]: it is settled already, or is not there.
    pub(super) fn settle(&self, number: Number, says: Says) -> Result<(), NotOpen> {
        let pages = self.pages();
        let Some(entry) = pages.entries.iter().find(|entry| entry.question.number == number) else {
            return Err(pages.absent(number));
        };
        if entry.settled.borrow().is_some() {
            return Err(NotOpen::Settled);
        }
        if matches!(says, Says::Always { .. }) && !entry.prompt.always {
            return Err(NotOpen::NotOffered);
        }
        if let Says::Yes { channel } | Says::Always { channel } = &says
            && !self.ranks.admit(channel, entry.prompt.risk, entry.prompt.verdict)
        {
            return Err(NotOpen::Rank);
        }
        if let Says::Change { text, .. } = &says {
            if entry.prompt.draft.is_none() {
                return Err(NotOpen::Fixed);
            }
            entry.question.subject.with_command(text)?;
        }
        let first = entry.settled.send_if_modified(|settled| {
            let first = settled.is_none();
            if first {
                *settled = Some(says);
            }
            first
        });
        if first {
            self.changed();
            Ok(())
        } else {
            Err(NotOpen::Settled)
        }
    }

    /// Looks at a code that came for a question in this channel. The last wrong one denies the question.
    ///
    /// # Errors
    /// [`NoProof`]: it is settled, or this is not its code.
    pub(super) fn prove(
        &self,
        number: Number,
        channel: &str,
        given: Option<&str>,
        now: Instant,
    ) -> Result<Proof, NoProof> {
        let mut pages = self.pages();
        let Some(entry) = pages.entries.iter_mut().find(|entry| entry.question.number == number) else {
            return Err(pages.absent(number).into());
        };
        if entry.settled.borrow().is_some() {
            return Err(NotOpen::Settled.into());
        }
        if self.wrongs.too_many(now) {
            return Err(NoProof::Guessing);
        }
        let left = TRIES.saturating_sub(entry.wrong);
        let given = given.ok_or(NoProof::Required { left })?;
        if entry.code.as_ref().is_some_and(|code| code.is(given)) {
            return Ok(Proof::new(number));
        }
        entry.wrong = entry.wrong.saturating_add(1);
        self.wrongs.note(now);
        let left = left.saturating_sub(1);
        tracing::warn!(channel, left, "a wrong code came for a question");
        drop(pages);
        if left == 0 {
            self.settle(number, Says::WrongCodes { channel: channel.to_owned() })?;
        }
        Err(NoProof::Wrong { left })
    }

    /// The wrong codes of late.
    pub(super) fn wrongs(&self) -> &Wrongs {
        &self.wrongs
    }

    /// How many codes may still be tried for a question.
    pub(super) fn left(&self, number: Number) -> u8 {
        let pages = self.pages();
        let entry = pages.entries.iter().find(|entry| entry.question.number == number);
        TRIES.saturating_sub(entry.map_or(0, |entry| entry.wrong))
    }

    /// Notes when silence becomes a no.
    pub(super) fn expire_at(&self, number: Number, at: SystemTime) {
        if let Some(entry) = self.pages().entries.iter_mut().find(|entry| entry.question.number == number) {
            entry.expires = Some(at);
            self.changed();
        }
    }

    /// Takes a question out. Unsettled (its keeper broke down), it is left as it is: not a yes.
    pub(super) fn leave(&self, number: Number) {
        let mut pages = self.pages();
        pages.entries.retain(|entry| entry.question.number != number);
        if pages.settled.len() == REMEMBERED {
            pages.settled.pop_front();
        }
        pages.settled.push_back(number);
        self.changed();
    }

    /// Withdraws every question and takes no more.
    pub(super) fn close(&self, why: &str) {
        let mut pages = self.pages();
        pages.closed.get_or_insert_with(|| why.to_owned());
        pages.withdraw(why);
    }

    /// Withdraws every question.
    pub(super) fn withdraw(&self, why: &str) {
        self.pages().withdraw(why);
    }

    /// The questions that wait for an answer, oldest first.
    pub(super) fn open(&self) -> Vec<OpenQuestion> {
        let pages = self.pages();
        let unsettled = pages.entries.iter().filter(|entry| entry.settled.borrow().is_none());
        unsettled
            .map(|entry| OpenQuestion {
                number: entry.question.number,
                asked: entry.asked,
                expires: entry.expires,
                question: entry.question.clone(),
                prompt: Arc::clone(&entry.prompt),
            })
            .collect()
    }

    /// The question with this number while it waits, where a yes in this channel would count and no digit is asked for.
    pub(super) fn offer(&self, number: Number, channel: &str) -> Option<OpenQuestion> {
        let open = self.open().into_iter().find(|open| open.number == number)?;
        let admitted = self.ranks.admit(channel, open.prompt.risk, open.prompt.verdict);
        (admitted && open.prompt.digit.is_none()).then_some(open)
    }

    /// How many questions there are, settled ones that are being cleared away included.
    pub(super) fn count(&self) -> usize {
        self.pages().entries.len()
    }
}
