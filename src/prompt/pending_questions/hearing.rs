//! What listeners do with open questions: they follow them, want something said, and pass on what they heard.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tokio::sync::{broadcast, mpsc};

use super::moment::{Hearing, NoHearing, QuestionEvent, QuestionMoment, Wish};
use super::{Entry, PendingQuestions};
use crate::prompt::code::NotOpen;
use crate::prompt::code::spoken::{AFTER, HeardWords, SpokenWords, weigh};
use crate::wording::known::Known;
use guarda_core::gate::{Number, Says, Span};

impl PendingQuestions {
    /// What is wanted to be said about a question that is being put, with the words of a yes by voice.
    pub(in crate::prompt) fn put(
        &self,
        number: Number,
    ) -> (Option<mpsc::Receiver<Wish>>, Option<Arc<SpokenWords>>) {
        self.tell(number, QuestionMoment::Asked);
        let mut pages = self.pages();
        let entry = pages.entry_mut(number);
        entry.map_or((None, None), |entry| (entry.wished.take(), entry.words()))
    }

    /// What happens with questions from now on.
    pub(in crate::prompt) fn events(&self) -> broadcast::Receiver<QuestionEvent> {
        self.events.subscribe()
    }

    /// Notes that the guard speaks, or since when it has been silent.
    pub(in crate::prompt) fn sound(&self, number: Number, ended: Option<SystemTime>) {
        if let Some(entry) = self.pages().entry_mut(number) {
            entry.ended = ended;
        }
        self.tell(number, ended.map_or(QuestionMoment::Again, |ended| QuestionMoment::Listen(ended + AFTER)));
    }

    /// Says this about an open question.
    ///
    /// # Errors
    /// [`NotOpen`]: it is settled, or does not exist.
    pub(in crate::prompt) fn wish(&self, number: Number, wish: Wish) -> Result<(), NotOpen> {
        let mut pages = self.pages();
        let absent = pages.absent(number);
        let open = |entry: &&mut Entry| entry.settled.borrow().is_none();
        pages.entry_mut(number).filter(open).ok_or(absent)?.wish(wish);
        Ok(())
    }

    /// Weighs words that a listener heard. The right ones are a yes, or what lasts so long; other words twice are a no.
    ///
    /// # Errors
    /// [`NoHearing`]: they are no answer.
    pub(in crate::prompt) fn hear(
        &self,
        number: Number,
        channel: &str,
        heard: &HeardWords,
        (span, now): (Option<Span>, Instant),
    ) -> Result<Hearing, NoHearing> {
        let channel = channel.to_owned();
        let says = {
            let mut pages = self.pages();
            let absent = pages.absent(number);
            let entry = pages.entry_mut(number).ok_or(NoHearing::NotOpen(absent))?;
            if entry.settled.borrow().is_some() {
                return Err(NoHearing::NotOpen(NotOpen::Settled));
            }
            let words = entry.words().ok_or(NoHearing::NotByVoice)?;
            if self.wrongs.too_many(now) {
                return Err(NoHearing::Guessing);
            }
            if weigh(&words, heard, (entry.ended, SystemTime::now())).map_err(NoHearing::NotHeard)? {
                match span {
                    Some(span) => Says::Lasting { channel, span },
                    None => Says::Yes { channel },
                }
            } else {
                self.wrongs.note(now, &channel);
                entry.misheard = entry.misheard.saturating_add(1);
                if entry.misheard == 1 {
                    entry.wish(Wish::Words);
                    return Ok(Hearing::Again);
                }
                Says::No { channel, reason: None }
            }
        };
        let hearing = if matches!(says, Says::No { .. }) { Hearing::No } else { Hearing::Yes };
        self.settle(number, &[], says, Known::Sentence).map_err(NoHearing::NotOpen)?;
        Ok(hearing)
    }
}
