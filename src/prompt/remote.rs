//! Answers from elsewhere and the codes that they must include.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::config::section::AnswerCode;
use crate::devices::DeviceState;
use crate::devices::sound::speech::Sentence;
use crate::prompt::code::login::Step;
use crate::prompt::code::spoken::{HeardWords, SpokenWords};
use crate::prompt::code::{Admission, Code, Given, NoProof, NotOpen, Proof, Remote};
use crate::prompt::inner::Inner;
use crate::prompt::pending_questions::{Hearing, NoHearing, QuestionEvent, Wish};
use crate::prompt::prompter::Prompter;
use crate::prompt::question::Prompt;
use crate::wording::words::words;
use crate::wording::{Known, TaintMark};
use guarda_core::gate::{Number, Span};

/// The channel of a yes by voice.
pub const SPOKEN: &str = "spoken";
/// How long to wait for channels that are still starting. After that, they count as available.
const PATIENCE: Duration = Duration::from_secs(5);
/// The polling interval.
const PAUSE: Duration = Duration::from_millis(50);

/// Whether the guard can show or speak a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tells {
    Yes,
    No,
    /// Unknown while channels are starting.
    Perhaps,
}

impl Inner {
    /// Draws a code for a question; `None` if answers from elsewhere need none.
    pub(super) fn code(&self) -> std::io::Result<Option<Arc<Code>>> {
        let config = &self.config;
        let taken = config.answer_code != AnswerCode::Never && (config.answer_over_http || config.elicits);
        if taken { Code::draw().map(Arc::new).map(Some) } else { Ok(None) }
    }

    /// Draws the words of a yes by voice; `None` if the question takes none: its risk is high, a password or a list is needed, or its
    /// session has read from outside, which may be what the person answers.
    pub(super) fn words(&self, prompt: &Prompt) -> std::io::Result<Option<Arc<SpokenWords>>> {
        let outside = prompt.impact.marks.contains(&TaintMark::Outside);
        let plain = prompt.digit.is_none() && !prompt.password && prompt.takes < Known::Whole;
        let taken = self.config.spoken_answers && self.speaker.state().ready() && plain && !outside;
        if !taken || !self.questions.admits(SPOKEN, prompt.risk, prompt.verdict) {
            return Ok(None);
        }
        SpokenWords::draw(prompt.language).map(Arc::new).map(Some)
    }

    /// Whether a code can be shown or spoken, or ever could since the start. Otherwise somebody could stop the
    /// desktop's notifications or the voice to get rid of the code.
    pub(super) fn tells(&self) -> bool {
        self.look() == Tells::Yes
    }

    fn look(&self) -> Tells {
        if self.told.load(Ordering::Acquire) {
            return Tells::Yes;
        }
        let shown = self.channels.iter().filter(|channel| channel.shows()).map(|channel| channel.state());
        let states: Vec<DeviceState> = shown.chain([self.speaker.state()]).collect();
        if states.iter().any(DeviceState::ready) {
            self.told.store(true, Ordering::Release);
            return Tells::Yes;
        }
        if states.contains(&DeviceState::Starting) { Tells::Perhaps } else { Tells::No }
    }

    /// Whether a yes from elsewhere requires a code. Channels that are still starting count as available.
    fn needs_code(&self) -> bool {
        match self.config.answer_code {
            AnswerCode::Never => false,
            AnswerCode::Always => true,
            AnswerCode::Auto => self.look() != Tells::No,
        }
    }

    /// Like `needs_code`, after waiting for channels that are starting.
    async fn takes_code(&self) -> bool {
        self.known().await;
        self.needs_code()
    }

    /// Waits, for a bounded time, until no channel is starting.
    async fn known(&self) {
        let begun = tokio::time::Instant::now();
        while self.config.answer_code == AnswerCode::Auto
            && self.look() == Tells::Perhaps
            && begun.elapsed() < PATIENCE
        {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// What an answer over the service must include.
    pub(super) fn remote(&self) -> Remote {
        let told = self.look();
        match (self.config.answer_over_http, self.config.answer_code) {
            (false, _) => Remote::Off,
            (true, AnswerCode::Never) => Remote::TokenChosen,
            (true, AnswerCode::Always) if told == Tells::No => Remote::Nothing,
            (true, AnswerCode::Auto) if told == Tells::No => Remote::Token,
            (true, AnswerCode::Always | AnswerCode::Auto) => Remote::Code,
        }
    }

    /// Shows a line in every channel that shows text.
    pub(super) fn tell_line(&self, line: &str) {
        for channel in &self.channels {
            tokio::spawn(channel.tell(line.to_owned()));
        }
    }

    /// Announces that a browser wants to open the console, with its code.
    fn tell_login(&self, code: &Code, language: guarda_core::action::Language) {
        let words = words(language);
        self.tell_line(&words.say("code-console", &[("code", code.shown().into())]));
        if self.calm.left(Instant::now()).is_none() {
            let text = words.say("code-console", &[("code", code.spoken().into())]);
            self.voice.urgent(Sentence { text, language: language.tag() });
        }
    }
}

impl Prompter {
    /// Whether a yes from elsewhere requires the question's code, as far as is known now.
    #[must_use]
    pub fn needs_code(&self) -> bool {
        self.inner.needs_code()
    }

    /// What happens with questions from now on, for those who listen.
    #[must_use]
    pub fn events(&self) -> tokio::sync::broadcast::Receiver<QuestionEvent> {
        self.inner.questions.events()
    }

    /// Says something about an open question, because somebody asked for it aloud.
    ///
    /// # Errors
    /// [`NotOpen`]: it is settled, or does not exist.
    pub fn wish(&self, number: Number, wish: Wish) -> Result<(), NotOpen> {
        self.inner.questions.wish(number, wish)
    }

    /// Weighs words that a listener heard.
    ///
    /// # Errors
    /// [`NoHearing`]: they are no answer.
    pub fn hear(&self, number: Number, heard: &HeardWords, span: Option<Span>) -> Result<Hearing, NoHearing> {
        self.inner.questions.hear(number, SPOKEN, heard, (span, Instant::now()))
    }

    /// What an answer over the service must include, after waiting for channels that are starting.
    pub async fn remote(&self) -> Remote {
        self.inner.known().await;
        self.inner.remote()
    }

    /// Checks the code of an answer through this channel. The third wrong code denies the question.
    ///
    /// # Errors
    /// [`NoProof`]: a required code is missing or wrong, or the question does not accept the answer.
    pub async fn prove(&self, number: Number, channel: &str, given: Given<'_>) -> Result<Proof, NoProof> {
        if !self.inner.takes_code().await {
            return Ok(Proof::new(number, self.inner.questions.known(number, given.shown)));
        }
        self.inner.questions.prove(number, channel, given, Instant::now())
    }

    /// Like [`Prompter::prove`], for an answer from an open console that has shown these changes.
    ///
    /// # Errors
    /// [`NoProof::Required`] if the console was opened without a code and one is needed now.
    pub fn vouched(
        &self,
        number: Number,
        admission: &Admission,
        shown: Option<&str>,
    ) -> Result<Proof, NoProof> {
        if self.admits_console(admission) {
            return Ok(Proof::new(number, self.inner.questions.known(number, shown)));
        }
        Err(NoProof::Required { left: self.inner.questions.left(number) })
    }

    /// Counts the wrong codes of this record, and records those that follow.
    pub fn keep_wrong_codes(&self, record: &guarda_journal::Journal) {
        self.inner.questions.wrongs().kept_in(record, Instant::now());
    }

    /// Whether a console with this admission may still be used.
    #[must_use]
    pub fn admits_console(&self, admission: &Admission) -> bool {
        admission.coded() || !self.inner.needs_code()
    }

    /// Lets a browser into the console with a code. Without one, shows and speaks a code first. If nothing can show or
    /// speak a code, none is needed.
    ///
    /// # Errors
    /// [`NoProof`]: a required code is missing or wrong.
    pub async fn admit(&self, given: Option<&str>) -> Result<Admission, NoProof> {
        let inner = &self.inner;
        if !inner.takes_code().await {
            return Ok(Admission::new(false));
        }
        let language = self.language(None);
        match inner.logins.step(given, inner.questions.wrongs(), Instant::now()) {
            Ok(Step::In(admission)) => Ok(admission),
            Ok(Step::Tell(code)) => {
                inner.tell_login(&code, language);
                Err(NoProof::Required { left: inner.logins.left() })
            }
            Ok(Step::Out { why, ended }) => {
                if ended {
                    let text = words(language).say("code-console-denied", &[]);
                    inner.tell_line(&text);
                    inner.voice.urgent(Sentence { text, language: language.tag() });
                }
                Err(why)
            }
            Err(error) => Err(NoProof::Undrawn(error.to_string())),
        }
    }
}
