//! Puts questions to a person: one queue, one prompt at a time, through every channel at once.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::devices::DeviceState;
use crate::devices::desktop::notify::Notifier;
use crate::devices::fault::DeviceFault;
use crate::devices::keys::keyboard::Keyboard;
use crate::devices::keys::x11::DesktopKeys;
use crate::devices::process::helper;
use crate::devices::random::bytes;
use crate::devices::sound::output::SessionSound;
use crate::devices::sound::speech::{Audible, Mute, Sentence, Speaker, Speech, VoiceSettings};
use crate::devices::terminal::editor::Editor;
use crate::prompt::channels::Channel;
use crate::prompt::channels::keys::{self, Keys, KeysChannel};
use crate::prompt::channels::notification::{self, NotificationChannel};
use crate::prompt::channels::terminal::TerminalChannel;
use crate::prompt::code::login::Logins;
use crate::prompt::code::{Code, Elsewhere, NotOpen, Remote, digit_of};
use crate::prompt::how::How;
use crate::prompt::inner::{Inner, Lessons};
use crate::prompt::pending_questions::{OpenQuestion, PendingQuestions};
use crate::prompt::question::Prompt;
use crate::prompt::quiet::{Chime, Hushed, Quiet, Ring};
use crate::prompt::rate_limit::Calm;
use crate::prompt::session::{GoAhead, attend};
use crate::prompt::setup::{PrompterConfig, SpeechConfig};
use crate::prompt::voice::Voice;
use crate::wording::describe::impact::Impact;
use crate::wording::known::Known;
use crate::wording::message::Message;
use crate::wording::message::reason;
use crate::wording::offer::Offers;
use crate::wording::words::{Words, words};
use guarda_core::action::{Action, Language};
use guarda_core::gate::{Answer, NoAnswer, Number, Question, Says};
use guarda_core::output::FailureKind;
use guarda_journal::RecordEvent;
use guarda_journal::read::{self, Filter};

/// An open question: its prompt, the code that an answer from elsewhere must include, and the receiver of its answer.
type Opened = (Arc<Prompt>, Option<Arc<Code>>, tokio::sync::watch::Receiver<Option<Says>>);

/// The options of one question.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How long the question waits for an answer; `None` uses the prompter's default.
    pub time: Option<Duration>,
    /// The language; `None` uses the caller's, or else the prompter's default.
    pub language: Option<Language>,
    /// The lasting answers that a person may give.
    pub offers: Offers,
    /// What it has in common with the questions that one answer may settle together with it; `None` if it is asked alone.
    pub group: Option<String>,
    /// Whether a person may replace the command.
    pub changeable: bool,
    /// Information for the person beside the judgement.
    pub impact: Arc<Impact>,
    /// Who asks, for the person: a client, a program.
    pub asker: Option<String>,
    /// Who asks, as far as the guard knows: its refusals count together.
    pub caller: String,
}

/// The state of the prompter's parts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PrompterStatus {
    /// The voice.
    pub speech: DeviceState,
    /// Each channel, by name.
    pub channels: std::collections::BTreeMap<&'static str, DeviceState>,
    /// What an answer over the service must include.
    pub remote: Remote,
    /// What does not work, as whole sentences; empty if everything works.
    pub degraded: Vec<String>,
}

/// The prompter. Clones are cheap and share one queue.
#[derive(Clone)]
pub struct Prompter {
    pub(super) inner: Arc<Inner>,
}

impl Prompter {
    /// Creates the prompter with the real devices. Needs a running tokio runtime.
    #[must_use]
    pub fn start(config: &PrompterConfig) -> Self {
        let program = config.program.clone().unwrap_or_else(helper::program);
        let sound = SessionSound { program: program.clone(), session: config.session.clone() };
        let speaker: Arc<dyn Speaker> = match &config.speech {
            SpeechConfig { enabled: false, .. } => {
                Arc::new(Mute { why: "switched off (speech.enabled)".to_owned() })
            }
            speech => {
                let manner = VoiceSettings {
                    language: config.language.tag().to_owned(),
                    rate: speech.rate,
                    volume: speech.volume,
                    voice: speech.voice.clone(),
                };
                let audible = audible(sound.clone());
                Arc::new(Speech::start(program.clone(), &config.session, &manner, Some(audible)))
            }
        };
        let quiet = Quiet::new(config.speech.quiet_hours, crate::prompt::quiet::clock());
        let speaker: Arc<dyn Speaker> = Arc::new(Hushed::new(speaker, quiet.clone()));
        let ring: Ring = Arc::new(move || {
            if let Err(fault) = sound.announce() {
                tracing::info!(%fault, "no sound");
            }
        });
        let chime = Chime { sound: config.speech.sound, quiet, ring };
        let mut channels: Vec<Arc<dyn Channel>> = Vec::new();
        if config.terminal.enabled {
            let editor = config.drafts.as_deref();
            let editor = editor.and_then(|folder| Editor::of_session(&config.session, folder));
            channels.push(Arc::new(TerminalChannel::find().with_editor(editor)));
        }
        let presses = config.keys.presses;
        if config.keys.enabled {
            let keys = Keys::Desktop(DesktopKeys::start(program.clone(), &config.session));
            channels.push(Arc::new(KeysChannel::new(keys, presses)));
        }
        if let Some((socket, user)) = &config.keys.trusted {
            let keys = Keys::Trusted(Keyboard::new(socket.clone(), user.clone()));
            channels.push(Arc::new(KeysChannel::new(keys, presses)));
        }
        if config.notification {
            let notifier = Notifier::start(config.session.clone());
            let ranks = Arc::new(config.ranks.clone());
            channels.push(Arc::new(NotificationChannel::new(notifier, ranks)));
        }
        Self::with_chime(config, speaker, channels, Some(chime))
    }

    /// Creates the prompter with this voice and these channels, without a sound.
    #[must_use]
    pub fn with(config: &PrompterConfig, speaker: Arc<dyn Speaker>, channels: Vec<Arc<dyn Channel>>) -> Self {
        Self::with_chime(config, speaker, channels, None)
    }

    /// Like [`Prompter::with`], with a sound.
    #[must_use]
    pub fn with_chime(
        config: &PrompterConfig,
        speaker: Arc<dyn Speaker>,
        channels: Vec<Arc<dyn Channel>>,
        chime: Option<Chime>,
    ) -> Self {
        let inner = Inner {
            language: Mutex::new(config.language),
            config: config.clone(),
            told: std::sync::atomic::AtomicBool::new(false),
            lessons: Lessons::new(),
            logins: Logins::default(),
            questions: PendingQuestions::new(Arc::new(config.ranks.clone())),
            calm: Calm::new(config.refusals_per_minute),
            turn: Arc::new(tokio::sync::Mutex::new(())),
            voice: Voice::start(Arc::clone(&speaker)),
            speaker,
            channels,
            chime,
        };
        Self { inner: Arc::new(inner) }
    }

    /// The language for a request: the one it names, or else the default.
    #[must_use]
    pub fn language(&self, asked: Option<&str>) -> Language {
        let own = || *self.inner.language.lock().unwrap_or_else(PoisonError::into_inner);
        asked.and_then(|tag| tag.parse().ok()).unwrap_or_else(own)
    }

    /// Changes the language for requests that name none.
    pub fn speak(&self, language: Language) {
        *self.inner.language.lock().unwrap_or_else(PoisonError::into_inner) = language;
    }

    /// The person's home folder; empty if it is unknown.
    #[must_use]
    pub fn home(&self) -> &str {
        self.inner.config.session.get("HOME").unwrap_or_default()
    }

    /// Looks into the record whether people know how questions are answered here: they have been asked before. May read all of it.
    pub fn recall_lessons(&self, record: &Path) {
        let asked = Filter { events: vec![RecordEvent::Asked], ..Filter::default() };
        // An unreadable record is reported elsewhere; then they are told once more.
        if read::holds(record, &asked, usize::from(Lessons::FIRST)).unwrap_or(false) {
            self.inner.lessons.given();
        }
    }

    /// Whether the guard runs without a person.
    #[must_use]
    pub fn has_no_human(&self) -> bool {
        self.inner.config.no_human
    }

    /// Whether a yes through this channel counts for a question with this risk and verdict.
    #[must_use]
    pub fn admits(&self, channel: &str, risk: f32, verdict: guarda_core::policy::Verdict) -> bool {
        self.inner.questions.admits(channel, risk, verdict)
    }

    /// Puts a question to a person and waits for the answer. Questions wait for one another. When `withdraw` finishes,
    /// nobody wants the answer any more, and it gives the reason; dropping the future also withdraws the question. On
    /// return, the keyboard and the terminal are free again. The prompter itself speaks the replies to a no and to
    /// silence.
    pub async fn ask(
        &self,
        question: &Question,
        options: Options,
        withdraw: impl Future<Output = NoAnswer>,
    ) -> Answer {
        let inner = &self.inner;
        let time = options.time.unwrap_or(inner.config.confirmation_timeout);
        if self.has_no_human() {
            return question.answer(Says::Unasked { why: NoAnswer::NoHuman });
        }
        let caller = options.caller.clone();
        if let Err(why) = inner.calm.admit(&caller, std::time::Instant::now()) {
            return question.answer(Says::Unasked { why });
        }
        let (prompt, code, settled) = match self.open(question, options) {
            Ok(opened) => opened,
            Err(says) => return question.answer(says),
        };
        // If this future is dropped, the question is withdrawn and its task clears it away.
        let leaving = Leaving { inner: Arc::clone(inner), number: question.number };
        let (go_ahead, mut answered) = GoAhead::new(question, &caller);
        tokio::spawn(attend(Arc::clone(inner), prompt, code, settled.clone(), time, go_ahead));
        tokio::select! {
            _ = &mut answered => {}
            why = withdraw => {
                let _ = inner.questions.settle(question.number, &[], Says::Withdrawn { why }, Known::Nothing);
                let _ = answered.await;
            }
        }
        drop(leaving);
        let says = settled.borrow().clone();
        let says = says.unwrap_or(Says::Unasked { why: NoAnswer::Lost });
        inner.calm.note(&caller, &says, std::time::Instant::now());
        question.answer(says)
    }

    /// Keeps a question open for answers from elsewhere after the run has gone on without one. Nothing is spoken and
    /// no key is watched. Channels that show text get one line.
    pub async fn ask_late(&self, question: &Question, options: Options, time: Duration) -> Answer {
        let inner = &self.inner;
        let (prompt, code, settled) = match self.open(question, options) {
            Ok(opened) => opened,
            Err(says) => return question.answer(says),
        };
        let _leaving = Leaving { inner: Arc::clone(inner), number: question.number };
        question.answer(crate::prompt::session::wait(inner, &prompt, code.as_deref(), settled, time).await)
    }

    /// Registers the question. If it cannot be asked, returns its answer at once as `Err`.
    fn open(&self, question: &Question, options: Options) -> Result<Opened, Says> {
        let (prompt, code) = self.prepare(question, options).map_err(|why| Says::Unasked { why })?;
        let words = self.inner.words(&prompt).map_err(|error| NoAnswer::NoCode { error: error.to_string() });
        let words = words.map_err(|why| Says::Unasked { why })?;
        let settled = self.inner.questions.enter(question.clone(), Arc::clone(&prompt), code.clone(), words);
        let settled = settled.map_err(|why| Says::Withdrawn { why })?;
        Ok((prompt, code, settled))
    }

    /// Builds the prompt, and draws the code that an answer from elsewhere must include.
    fn prepare(
        &self,
        question: &Question,
        options: Options,
    ) -> Result<(Arc<Prompt>, Option<Arc<Code>>), NoAnswer> {
        let inner = &self.inner;
        let language = options.language;
        let language = language.unwrap_or_else(|| self.language(question.subject.claims.language.as_deref()));
        let draft = match &question.subject.action {
            Action::RunCommand { text, .. } if options.changeable => Some(text.clone()),
            _ => None,
        };
        let digit = digit_of(question, inner.config.digit_from_risk, bytes::<4>)
            .map_err(|error| NoAnswer::NoDigit { error: error.to_string() })?;
        let code = inner.code().map_err(|error| NoAnswer::NoCode { error: error.to_string() })?;
        let prompt = Prompt::new(question, language, digit, &options.impact.home).with_impact(options.impact);
        let prompt = prompt.with_offers(options.offers);
        let how = self.how(&prompt);
        let how = if prompt.is_late() { How { voice: how.voice, ..How::default() } } else { how };
        let prompt = prompt.with_how(how);
        let asker = options.asker.as_deref().map(crate::wording::plain::visible);
        Ok((Arc::new(Prompt { draft, asker, group: options.group, ..prompt }), code))
    }

    /// How to answer this question here.
    fn how(&self, prompt: &Prompt) -> How {
        let says_yes = |name: &str| {
            let ready = |channel: &Arc<dyn Channel>| channel.name() == name && channel.state().ready();
            self.inner.channels.iter().any(ready) && self.admits(name, prompt.risk, prompt.verdict)
        };
        let (list, terminal) = (prompt.takes == Known::Whole, says_yes("terminal"));
        let keys = says_yes(keys::DESKTOP) || says_yes(keys::TRUSTED);
        // The keys show nothing, so a list needs the terminal, which shows all of it.
        let anywhere = keys && (terminal || !list);
        How {
            anywhere: anywhere.then_some(self.inner.config.keys.presses),
            terminal,
            notification: notification::fits(prompt) && says_yes(notification::NAME),
            list,
            voice: self.inner.speaker.state().ready(),
            brief: !self.inner.lessons.are_due(),
        }
    }

    /// Mutes prompts for this long: withdraws open questions and speaks nothing. `None` unmutes them.
    pub fn silence(&self, time: Option<Duration>) {
        self.inner.calm.silence(time, std::time::Instant::now());
        if time.is_some() {
            self.inner.questions.withdraw(&NoAnswer::Silenced);
        }
    }

    /// How much longer prompts stay muted; `None` if they are not muted.
    #[must_use]
    pub fn silent_for(&self) -> Option<Duration> {
        self.inner.calm.left(std::time::Instant::now())
    }

    /// Answers an open question from elsewhere, through this channel, and with it those of `others` that are alike. `Ok` means that this
    /// answer counts; it holds the others for which it counts, too.
    ///
    /// # Errors
    /// [`NotOpen`] if the question was answered, has expired or does not exist, or if it does not accept this answer,
    /// for example with the proof for another question.
    pub fn answer(
        &self,
        number: Number,
        others: &[Number],
        channel: &str,
        said: Elsewhere,
    ) -> Result<Vec<Number>, NotOpen> {
        let channel = channel.to_owned();
        let known = match &said {
            Elsewhere::Yes(proof) | Elsewhere::Lasting(proof, _) | Elsewhere::Change { proof, .. } => {
                proof.known()
            }
            Elsewhere::No { .. } | Elsewhere::Withdrawn { .. } => Known::Nothing,
        };
        let says = match said {
            Elsewhere::Yes(proof) | Elsewhere::Lasting(proof, _) | Elsewhere::Change { proof, .. }
                if proof.number() != number =>
            {
                return Err(NotOpen::Unknown);
            }
            Elsewhere::Yes(_) => Says::Yes { channel },
            Elsewhere::Lasting(_, span) => Says::Lasting { channel, span },
            Elsewhere::Change { text, .. } => Says::Change { channel, text },
            Elsewhere::No { reason } => Says::No { channel, reason },
            Elsewhere::Withdrawn { why } => Says::Withdrawn { why },
        };
        self.inner.questions.settle(number, others, says, known)
    }

    /// The open questions, oldest first.
    #[must_use]
    pub fn open_questions(&self) -> Vec<OpenQuestion> {
        self.inner.questions.open()
    }

    /// The question with this number, if it is open and this channel may say yes to it.
    #[must_use]
    pub fn offer(&self, number: Number, channel: &str) -> Option<OpenQuestion> {
        self.inner.questions.offer(number, channel, self.inner.config.digit_from_risk)
    }

    /// A number that changes whenever [`Prompter::open_questions`] may have changed.
    #[must_use]
    pub fn changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.inner.questions.changes()
    }

    /// True while a question is open or being cleared away. The guard must not press keys then.
    #[must_use]
    pub fn question_open(&self) -> bool {
        self.inner.questions.count() > 0
    }

    /// Waits until no question is open, and holds back the next one until the returned guard is dropped. For actions
    /// that press keys.
    pub async fn hold(&self) -> tokio::sync::OwnedMutexGuard<()> {
        Arc::clone(&self.inner.turn).lock_owned().await
    }

    /// Speaks a message after the earlier ones, and returns its text. Messages wait while a question is open.
    pub fn tell(&self, message: &Message<'_>, language: Language) -> String {
        let text = message.text(words(language));
        if self.silent_for().is_some() {
            return text;
        }
        let aloud = message.aloud(words(language));
        self.inner.voice.tell(Sentence { text: aloud, language: language.tag() }, message.lasts());
        text
    }

    /// Waits until every message that may be spoken now has been spoken.
    pub async fn quiet(&self) {
        self.inner.voice.quiet().await;
    }

    /// Withdraws every open question and accepts no more; for shutting down.
    pub fn close(&self, why: NoAnswer) {
        self.inner.questions.close(why);
    }

    /// The state of every part, with the sentences in a language.
    pub async fn status(&self, words: &Words) -> PrompterStatus {
        let inner = &self.inner;
        let mut speech = inner.speaker.state().of_kind(FailureKind::NoVoice);
        if speech.ready()
            && let Err(why) = inner.speaker.audible().await
        {
            let kind = match why.failure().kind {
                FailureKind::QuietHours => FailureKind::QuietHours,
                _ => FailureKind::Inaudible,
            };
            let why = format!("it speaks, but nobody can hear it: {why}");
            speech = DeviceState::Failed { why: (kind, why).into() };
        }
        let channels: std::collections::BTreeMap<_, _> =
            inner.channels.iter().map(|channel| (channel.name(), channel.state())).collect();
        let remote = inner.remote();
        let mut degraded = Vec::new();
        // A voice that the person switched off is no trouble.
        if let Some(why) = speech.trouble().filter(|why| why.kind != FailureKind::SwitchedOff) {
            degraded.push(words.say("degraded-speech", &[("why", reason(words, why).into())]));
        }
        let shown = inner.channels.iter().any(|channel| channel.shows() && channel.state().ready());
        if inner.config.no_human {
            degraded.push(words.say("degraded-no-human", &[]));
        } else if !channels.values().any(DeviceState::ready) {
            let id = if remote.takes_answers() { "degraded-remote" } else { "degraded-nobody" };
            degraded.push(words.say(id, &[]));
        } else if !shown && !speech.ready() {
            degraded.push(words.say("degraded-unseen", &[]));
        }
        degraded.extend(remote.notice().map(|id| words.say(id, &[])));
        if let Some(left) = self.silent_for() {
            degraded.push(words.say("degraded-silence", &[("seconds", (left.as_secs() + 1).into())]));
        }
        PrompterStatus { speech, channels, remote, degraded }
    }
}

impl std::fmt::Debug for Prompter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Prompter({} open)", self.inner.questions.count())
    }
}

/// Asks the sound server whether its output is muted. Without a sound server, the voice counts as audible.
#[must_use]
pub fn audible(sound: SessionSound) -> Audible {
    Arc::new(move || match sound.sink() {
        Ok(sink) if !sink.audible() => Err(DeviceFault::failed("the sound is muted or its volume is 0")),
        Ok(_) | Err(_) => Ok(()),
    })
}

/// Withdraws a question whose caller has gone.
struct Leaving {
    inner: Arc<Inner>,
    number: Number,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        // After a normal return the question is settled; this withdraws it only if the caller was dropped.
        let why = NoAnswer::Gone;
        let _ = self.inner.questions.settle(self.number, &[], Says::Withdrawn { why }, Known::Nothing);
    }
}
