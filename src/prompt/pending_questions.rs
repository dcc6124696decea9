//! The open questions in order of arrival, and their answers. The first answer wins.

mod hearing;
mod moment;

pub use moment::{Hearing, NoHearing, QuestionEvent, QuestionMoment, Wish};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use tokio::sync::{broadcast, mpsc, watch};

use crate::prompt::code::spoken::SpokenWords;
use crate::prompt::code::{Code, Given, NoProof, NotOpen, Proof, TRIES, Wrongs};
use crate::prompt::question::{Other, Prompt};
use crate::prompt::rank::Ranks;
use crate::wording::known::Known;
use guarda_core::gate::{NoAnswer, Number, Question, Says};

/// The open questions.
#[derive(Debug)]
pub struct PendingQuestions {
    ranks: Arc<Ranks>,
    pages: Mutex<Pages>,
    wrongs: Wrongs,
    /// Incremented whenever the list may have changed.
    changes: watch::Sender<u64>,
    events: broadcast::Sender<QuestionEvent>,
}

#[derive(Debug, Default)]
struct Pages {
    entries: Vec<Entry>,
    settled: std::collections::VecDeque<Number>,
    closed: Option<NoAnswer>,
}

#[derive(Debug)]
struct Entry {
    question: Question,
    prompt: Arc<Prompt>,
    /// The code that an answer from elsewhere must include; `None` if there is none.
    code: Option<Arc<Code>>,
    /// The number of wrong codes so far.
    wrong: u8,
    asked: SystemTime,
    expires: Option<SystemTime>,
    settled: watch::Sender<Option<Says>>,
    /// What is wanted to be said, and who says it once the question is put.
    wishes: mpsc::Sender<Wish>,
    wished: Option<mpsc::Receiver<Wish>>,
    /// How many more wishes are heard: who holds a token could drown the question in them.
    patience: u8,
    /// The words of a yes by voice, if it takes one.
    words: Option<Arc<SpokenWords>>,
    /// When the guard's own sound ended; `None` while it speaks.
    ended: Option<SystemTime>,
    /// How often other words were said.
    misheard: u8,
}

/// How many wishes about one question are heard.
const PATIENCE: u8 = 12;
/// How many events a listener may be behind.
const BEHIND: usize = 64;

/// An open question, for clients that may answer it from elsewhere.
#[derive(Debug, Clone)]
pub struct OpenQuestion {
    /// Its number, which an answer must carry.
    pub number: Number,
    /// When it was asked.
    pub asked: SystemTime,
    /// When silence becomes a no; `None` while other questions are ahead of it.
    pub expires: Option<SystemTime>,
    /// The question itself, with the exact action and the findings.
    pub question: Question,
    /// The question in words.
    pub prompt: Arc<Prompt>,
    /// The other open questions that one answer can settle together with it, oldest first.
    pub alike: Vec<Number>,
}

/// How many settled questions are remembered by number, to tell *settled* from *unknown*.
const REMEMBERED: usize = 256;

impl Pages {
    /// Why a question that is not open cannot be answered.
    fn absent(&self, number: Number) -> NotOpen {
        if self.settled.contains(&number) { NotOpen::Settled } else { NotOpen::Unknown }
    }

    fn entry(&self, number: Number) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.question.number == number)
    }

    fn entry_mut(&mut self, number: Number) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.question.number == number)
    }

    /// The open questions that may be answered together with this one: they share its group, and a short answer does for each.
    fn alike(&self, number: Number) -> impl Iterator<Item = &Entry> {
        let group = self.entry(number).and_then(|entry| entry.prompt.shared());
        self.entries.iter().filter(move |other| {
            let open = other.question.number != number && other.settled.borrow().is_none();
            open && group.is_some() && other.prompt.shared() == group
        })
    }

    fn withdraw(&self, why: &NoAnswer) {
        for entry in &self.entries {
            entry.settle(Says::Withdrawn { why: why.clone() });
        }
    }
}

impl Entry {
    /// Settles it; `false` if that was done before.
    fn settle(&self, says: Says) -> bool {
        self.settled.send_if_modified(|settled| {
            let first = settled.is_none();
            if first {
                *settled = Some(says);
            }
            first
        })
    }
}

impl Entry {
    /// Has this said, unless too much was wanted already.
    fn wish(&mut self, wish: Wish) {
        if let Some(left) = self.patience.checked_sub(1) {
            self.patience = left;
            // Nobody says it if the question is just being cleared away.
            let _ = self.wishes.try_send(wish);
        }
    }

    /// The words of a yes by voice; `None` if a digit was drawn meanwhile.
    fn words(&self) -> Option<Arc<SpokenWords>> {
        self.words.clone().filter(|_| self.prompt.digit.is_none())
    }
}

impl PendingQuestions {
    /// An empty list. `ranks` decides which channels may say yes.
    pub(super) fn new(ranks: Arc<Ranks>) -> Self {
        Self {
            ranks,
            pages: Mutex::default(),
            wrongs: Wrongs::default(),
            changes: watch::Sender::default(),
            events: broadcast::Sender::new(BEHIND),
        }
    }

    /// Whether a yes through this channel counts for a question with this risk and verdict.
    pub(super) fn admits(&self, channel: &str, risk: f32, verdict: guarda_core::policy::Verdict) -> bool {
        self.ranks.admit(channel, risk, verdict)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes.send_modify(|number| *number = number.wrapping_add(1));
    }

    /// A number that changes whenever the list may have changed.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Registers a question.
    ///
    /// # Errors
    /// [`NoAnswer`], if the prompter is closed or the number is already in use.
    pub(super) fn enter(
        &self,
        question: Question,
        prompt: Arc<Prompt>,
        code: Option<Arc<Code>>,
        words: Option<Arc<SpokenWords>>,
    ) -> Result<watch::Receiver<Option<Says>>, NoAnswer> {
        let mut pages = self.pages();
        if let Some(why) = &pages.closed {
            return Err(why.clone());
        }
        if pages.entry(question.number).is_some() {
            return Err(NoAnswer::Twice);
        }
        let (settled, receiver) = watch::channel(None);
        let (wishes, wished) = mpsc::channel(usize::from(PATIENCE));
        pages.entries.push(Entry {
            question,
            prompt,
            code,
            wrong: 0,
            asked: SystemTime::now(),
            expires: None,
            settled,
            wishes,
            wished: Some(wished),
            patience: PATIENCE,
            words,
            ended: None,
            misheard: 0,
        });
        self.changed();
        Ok(receiver)
    }

    /// Tells those who listen.
    fn tell(&self, number: Number, moment: QuestionMoment) {
        // Nobody may be listening.
        let _ = self.events.send(QuestionEvent { number, moment });
    }

    /// Puts this prompt in the place of the question's earlier one.
    pub(super) fn redraw(&self, prompt: Prompt) -> Arc<Prompt> {
        let prompt = Arc::new(prompt);
        if let Some(entry) = self.pages().entry_mut(prompt.number) {
            entry.prompt = Arc::clone(&prompt);
        }
        self.changed();
        prompt
    }

    /// Puts beside a question those that one answer settles with it.
    pub(super) fn gather(&self, prompt: &Arc<Prompt>) -> Arc<Prompt> {
        let others: Vec<Other> =
            self.pages().alike(prompt.number).map(|entry| Other::of(&entry.prompt)).collect();
        if others.is_empty() {
            return Arc::clone(prompt);
        }
        self.redraw(Prompt::clone(prompt).with_others(others))
    }

    /// Settles a question, and with it those of `others` that are still open and alike: a person was shown them together, so one yes or
    /// no is meant for each. Only the first answer counts. `known` is how much of the questions the answering channel has shown.
    /// Returns the others that it settled.
    ///
    /// # Errors
    /// [`NotOpen`]: it is already settled, does not exist, or does not accept this answer.
    pub(super) fn settle(
        &self,
        number: Number,
        others: &[Number],
        says: Says,
        known: Known,
    ) -> Result<Vec<Number>, NotOpen> {
        let pages = self.pages();
        self.settle_one(&pages, number, says.clone(), known)?;
        let said = match says {
            // What lasts is kept once.
            Says::Yes { channel } | Says::Lasting { channel, .. } => Some(Says::Yes { channel }),
            no @ Says::No { .. } => Some(no),
            _ => None,
        };
        let mut settled: Vec<Number> = Vec::new();
        if let Some(said) = said {
            let alike = pages.alike(number).map(|entry| entry.question.number);
            settled = alike.filter(|other| others.contains(other)).collect();
            settled.retain(|other| self.settle_one(&pages, *other, said.clone(), known).is_ok());
        }
        self.changed();
        Ok(settled)
    }

    fn settle_one(&self, pages: &Pages, number: Number, says: Says, known: Known) -> Result<(), NotOpen> {
        let entry = pages.entry(number).ok_or_else(|| pages.absent(number))?;
        if entry.settled.borrow().is_some() {
            return Err(NotOpen::Settled);
        }
        if let Says::Lasting { span, .. } = says
            && entry.prompt.offers.of(span).is_none()
        {
            return Err(NotOpen::NotOffered);
        }
        if let Says::Yes { channel } | Says::Lasting { channel, .. } = &says
            && !self.ranks.admit(channel, entry.prompt.risk, entry.prompt.verdict)
        {
            return Err(NotOpen::Rank);
        }
        let takes = match &says {
            Says::Yes { .. } | Says::Lasting { .. } => entry.prompt.takes,
            // The replacement is judged and asked about as a new command.
            Says::Change { .. } => Known::Begun,
            _ => Known::Nothing,
        };
        if known < takes {
            return Err(NotOpen::Unread);
        }
        if let Says::Change { text, .. } = &says {
            if entry.prompt.draft.is_none() {
                return Err(NotOpen::Fixed);
            }
            entry.question.subject.with_command(text)?;
        }
        let how = moment::ended(&says);
        if !entry.settle(says) {
            return Err(NotOpen::Settled);
        }
        self.tell(number, QuestionMoment::Settled(how));
        Ok(())
    }

    /// How much of a question a client knows. `shown` is the digest of the changes that the client has shown. A client
    /// that names the question has shown its sentence.
    pub(super) fn known(&self, number: Number, shown: Option<&str>) -> Known {
        let pages = self.pages();
        let effects = pages.entry(number).and_then(|entry| entry.prompt.impact.effects.as_ref());
        let digest = effects.map(|effects| effects.digest());
        match (digest, shown) {
            (Some(digest), Some(shown)) if guarda_journal::chain::hex(&digest) == shown => Known::Whole,
            (_, _) => Known::Sentence,
        }
    }

    /// Checks a code from this channel. After the last wrong code, the question is denied.
    ///
    /// # Errors
    /// [`NoProof`]: the question is settled, or the code is wrong.
    pub(super) fn prove(
        &self,
        number: Number,
        channel: &str,
        given: Given<'_>,
        now: Instant,
    ) -> Result<Proof, NoProof> {
        let known = self.known(number, given.shown);
        let mut pages = self.pages();
        let absent = pages.absent(number);
        let entry = pages.entry_mut(number).ok_or(absent)?;
        if entry.settled.borrow().is_some() {
            return Err(NotOpen::Settled.into());
        }
        if self.wrongs.too_many(now) {
            return Err(NoProof::Guessing);
        }
        let left = TRIES.saturating_sub(entry.wrong);
        let Some(given) = given.code else {
            entry.wish(Wish::Code);
            return Err(NoProof::Required { left });
        };
        if entry.code.as_ref().is_some_and(|code| code.is(given)) {
            return Ok(Proof::new(number, known));
        }
        entry.wrong = entry.wrong.saturating_add(1);
        self.wrongs.note(now, channel);
        let left = left.saturating_sub(1);
        tracing::warn!(channel, left, "a wrong code came for a question");
        drop(pages);
        if left == 0 {
            self.settle(number, &[], Says::WrongCodes { channel: channel.to_owned() }, Known::Nothing)?;
        }
        Err(NoProof::Wrong { left })
    }

    /// The recent wrong codes.
    pub(super) fn wrongs(&self) -> &Wrongs {
        &self.wrongs
    }

    /// How many attempts at the code are left for a question.
    pub(super) fn left(&self, number: Number) -> u8 {
        TRIES.saturating_sub(self.pages().entry(number).map_or(0, |entry| entry.wrong))
    }

    /// Sets the time at which silence becomes a no.
    pub(super) fn expire_at(&self, number: Number, at: SystemTime) {
        if let Some(entry) = self.pages().entry_mut(number) {
            entry.expires = Some(at);
            self.changed();
        }
    }

    /// Removes a question. A question whose task failed before it was settled does not count as a yes.
    pub(super) fn leave(&self, number: Number) {
        let mut pages = self.pages();
        pages.entries.retain(|entry| entry.question.number != number);
        if pages.settled.len() == REMEMBERED {
            pages.settled.pop_front();
        }
        pages.settled.push_back(number);
        self.changed();
    }

    /// Withdraws every question and accepts no more.
    pub(super) fn close(&self, why: NoAnswer) {
        let mut pages = self.pages();
        pages.withdraw(&why);
        pages.closed.get_or_insert(why);
    }

    /// Withdraws every question.
    pub(super) fn withdraw(&self, why: &NoAnswer) {
        self.pages().withdraw(why);
    }

    /// The open questions, oldest first.
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
                alike: pages.alike(entry.question.number).map(|other| other.question.number).collect(),
            })
            .collect()
    }

    /// The question with this number, if a yes through this channel would count and needs no list to be read, nor a digit because of
    /// its risk. What names a question needs none because of the one before.
    pub(super) fn offer(&self, number: Number, channel: &str, digit_from_risk: f32) -> Option<OpenQuestion> {
        let open = self.open().into_iter().find(|open| open.number == number)?;
        let admitted = self.ranks.admit(channel, open.prompt.risk, open.prompt.verdict);
        let short = open.prompt.risk < digit_from_risk && open.prompt.takes < Known::Whole;
        (admitted && short).then_some(open)
    }

    /// The number of questions on devices, including settled ones that are still being cleared away.
    pub(super) fn count(&self) -> usize {
        self.pages().entries.iter().filter(|entry| !entry.prompt.is_late()).count()
    }
}
