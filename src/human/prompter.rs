//! The desk where a person is asked: one queue, one prompt at a time, every channel at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::config::section::AnswerCode;
use crate::devices::State;
use crate::devices::speech::{Audible, Manner, Mute, Sentence, Speaker, Speech};
use crate::human::attend::attend;
use crate::human::calm::Calm;
use crate::human::channel::Channel;
use crate::human::code::{Elsewhere, Remote};
use crate::human::impact::Impact;
use crate::human::login::Logins;
use crate::human::message::Message;
use crate::human::pending_questions::{NotOpen, OpenQuestion, PendingQuestions};
use crate::human::prompt::Prompt;
use crate::human::quiet::{Chime, Hushed, Quiet, Ring};
use crate::human::setup::{PrompterConfig, SpeechConfig};
use crate::human::voice::Voice;
use crate::human::words::words;
use guarda_core::action::{Action, Language};
use guarda_core::gate::{Answer, Number, Question, Says};

/// What one question may have for itself.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How long it stands; the desk's own time where it is `None`.
    pub time: Option<Duration>,
    /// The language; what the caller named, or else the desk's own, where it is `None`.
    pub language: Option<Language>,
    /// Whether a person may say that the answer is to be yes from now on.
    pub always: bool,
    /// Whether a person may write another command in its place.
    pub changeable: bool,
    /// What is known beside the judgement.
    pub impact: Arc<Impact>,
}

/// How the desk's parts are doing.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PrompterStatus {
    /// The voice.
    pub speech: State,
    /// Each channel by its name.
    pub channels: std::collections::BTreeMap<&'static str, State>,
    /// What an answer over the service takes.
    pub remote: Remote,
    /// What does not work as it should, in whole sentences; empty where all is well.
    pub degraded: Vec<String>,
}

/// The desk. Cheap to clone; all clones are one desk.
#[derive(Clone)]
pub struct Prompter {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    language: Mutex<Language>,
    pub(super) confirmation_timeout: Duration,
    pub(super) arming_delay: Duration,
    pub(super) answer_over_http: bool,
    pub(super) elicits: bool,
    pub(super) answer_code: AnswerCode,
    /// Set for good once a code could be told here.
    pub(super) told: std::sync::atomic::AtomicBool,
    pub(super) logins: Logins,
    pub(super) digit_from_risk: f32,
    pub(super) questions: PendingQuestions,
    pub(super) calm: Calm,
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    pub(super) voice: Voice,
    pub(super) speaker: Arc<dyn Speaker>,
    pub(super) channels: Vec<Arc<dyn Channel>>,
    /// The sound that announces a question.
    pub(super) chime: Option<Chime>,
}

impl Prompter {
    /// Sets the desk up with the real devices. Needs a running tokio runtime.
    #[must_use]
    pub fn start(config: &PrompterConfig) -> Self {
        let program = config.program.clone().unwrap_or_else(crate::devices::helper::program);
        let sound =
            crate::devices::sound::Sound { program: program.clone(), session: config.session.clone() };
        let speaker: Arc<dyn Speaker> = match &config.speech {
            SpeechConfig { enabled: false, .. } => {
                Arc::new(Mute { why: "switched off in the configuration".to_owned() })
            }
            speech => {
                let manner = Manner {
                    language: config.language.tag().to_owned(),
                    rate: speech.rate,
                    volume: speech.volume,
                    voice: speech.voice.clone(),
                };
                let audible = audible(sound.clone());
                Arc::new(Speech::start(program.clone(), &config.session, &manner, Some(audible)))
            }
        };
        let quiet = Quiet::new(config.speech.quiet_hours, crate::human::quiet::clock());
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
            let editor =
                editor.and_then(|folder| crate::devices::editor::Editor::of_session(&config.session, folder));
            let terminal = crate::human::terminal::TerminalChannel::find().with_editor(editor);
            channels.push(Arc::new(terminal));
        }
        if config.keys.enabled {
            let keys = crate::devices::keys::Keys::start(program.clone(), &config.session);
            channels.push(Arc::new(crate::human::keys::KeysChannel::new(keys)));
        }
        if let Some((socket, user)) = &config.keys.trusted {
            let keyboard = crate::devices::keyboard::Keyboard::new(socket.clone(), user.clone());
            channels.push(Arc::new(crate::human::keyboard::KeyboardChannel::new(keyboard)));
        }
        if config.notification {
            let notifier = crate::devices::notify::Notifier::start(config.session.clone());
            let ranks = Arc::new(config.ranks.clone());
            channels.push(Arc::new(crate::human::notification::NotificationChannel::new(notifier, ranks)));
        }
        Self::with_chime(config, speaker, channels, Some(chime))
    }

    /// Sets the desk up with a given voice and given channels, and without a sound.
    #[must_use]
    pub fn with(config: &PrompterConfig, speaker: Arc<dyn Speaker>, channels: Vec<Arc<dyn Channel>>) -> Self {
        Self::with_chime(config, speaker, channels, None)
    }

    /// The same with a sound.
    #[must_use]
    pub fn with_chime(
        config: &PrompterConfig,
        speaker: Arc<dyn Speaker>,
        channels: Vec<Arc<dyn Channel>>,
        chime: Option<Chime>,
    ) -> Self {
        let inner = Inner {
            language: Mutex::new(config.language),
            confirmation_timeout: config.confirmation_timeout,
            arming_delay: config.arming_delay,
            answer_over_http: config.answer_over_http,
            elicits: config.elicits,
            answer_code: config.answer_code,
            told: std::sync::atomic::AtomicBool::new(false),
            logins: Logins::default(),
            digit_from_risk: config.digit_from_risk,
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

    /// The language for a request that names this one, or none.
    #[must_use]
    pub fn language(&self, asked: Option<&str>) -> Language {
        let own = || *self.inner.language.lock().unwrap_or_else(PoisonError::into_inner);
        asked.and_then(|tag| tag.parse().ok()).unwrap_or_else(own)
    }

    /// Speaks this language from now on, where a request names none.
    pub fn speak(&self, language: Language) {
        *self.inner.language.lock().unwrap_or_else(PoisonError::into_inner) = language;
    }

    /// Whether a yes in this channel counts for a question of this risk and verdict.
    #[must_use]
    pub fn admits(&self, channel: &str, risk: f32, verdict: guarda_core::policy::Verdict) -> bool {
        self.inner.questions.admits(channel, risk, verdict)
    }

    /// Puts a question to a person and waits for what comes of it; questions wait for one another. `withdraw` finishes,
    /// with the reason, when nobody wants the answer any more; dropping the future withdraws too. When it returns,
    /// nothing of the question is left: the keyboard and the terminal are free again. The spoken replies to a no and to
    /// silence are the desk's own.
    pub async fn ask(
        &self,
        question: &Question,
        options: Options,
        withdraw: impl Future<Output = String>,
    ) -> Answer {
        let inner = &self.inner;
        let session = question.subject.claims.session.as_deref();
        if let Err(why) = inner.calm.admit(session, std::time::Instant::now()) {
            return question.answer(Says::Unasked { why });
        }
        let language = options.language;
        let language = language.unwrap_or_else(|| self.language(question.subject.claims.language.as_deref()));
        let draft = match &question.subject.action {
            Action::RunCommand { text, .. } if options.changeable => Some(text.clone()),
            _ => None,
        };
        let digit = match digit(question, inner.digit_from_risk) {
            Ok(digit) => digit,
            // A letter in its place could be pressed blindly.
            Err(error) => {
                let why = format!("no random digit can be asked for: {error}");
                return question.answer(Says::Unasked { why });
            }
        };
        let code = match inner.code() {
            Ok(code) => code,
            Err(error) => {
                let why = format!("no random code can be asked for: {error}");
                return question.answer(Says::Unasked { why });
            }
        };
        let prompt = Prompt::new(question, language, digit).with_always(options.always);
        let prompt = prompt.with_impact(options.impact);
        let prompt = Arc::new(Prompt { draft, ..prompt });
        let settled = match inner.questions.enter(question.clone(), Arc::clone(&prompt), code.clone()) {
            Ok(settled) => settled,
            Err(why) => return question.answer(Says::Withdrawn { why }),
        };
        // If this future is dropped, the question is withdrawn; the task then clears it away by itself.
        let leaving = Leaving { inner: Arc::clone(inner), number: question.number };
        let time = options.time.unwrap_or(inner.confirmation_timeout);
        let mut task = tokio::spawn(attend(Arc::clone(inner), prompt, code, settled.clone(), time));
        tokio::select! {
            _ = &mut task => {}
            why = withdraw => {
                let _ = inner.questions.settle(question.number, Says::Withdrawn { why });
                let _ = task.await;
            }
        }
        drop(leaving);
        let says = settled.borrow().clone();
        let says = says.unwrap_or_else(|| Says::Unasked { why: "the desk broke down".to_owned() });
        inner.calm.note(session, &says, std::time::Instant::now());
        question.answer(says)
    }

    /// Asks nobody anything for so long from now on, and says nothing; open questions are withdrawn. `None` ends a silence.
    pub fn silence(&self, time: Option<Duration>) {
        self.inner.calm.silence(time, std::time::Instant::now());
        if time.is_some() {
            self.inner.questions.withdraw("silence was asked for");
        }
    }

    /// How long the silence still lasts; `None` where there is none.
    #[must_use]
    pub fn silent_for(&self) -> Option<Duration> {
        self.inner.calm.left(std::time::Instant::now())
    }

    /// Answers an open question from elsewhere, in this channel. `Ok` means that this answer is the one that counts.
    ///
    /// # Errors
    /// [`NotOpen`] where the question has been answered, has expired or never was, or where this is no answer to it. A proof
    /// for another question is none.
    pub fn answer(&self, number: Number, channel: &str, said: Elsewhere) -> Result<(), NotOpen> {
        let channel = channel.to_owned();
        let says = match said {
            Elsewhere::Yes(proof) | Elsewhere::Always(proof) | Elsewhere::Change { proof, .. }
                if proof.number() != number =>
            {
                return Err(NotOpen::Unknown);
            }
            Elsewhere::Yes(_) => Says::Yes { channel },
            Elsewhere::Always(_) => Says::Always { channel },
            Elsewhere::Change { text, .. } => Says::Change { channel, text },
            Elsewhere::No { reason } => Says::No { channel, reason },
            Elsewhere::Withdrawn { why } => Says::Withdrawn { why },
        };
        self.inner.questions.settle(number, says)
    }

    /// The questions that wait for an answer, oldest first.
    #[must_use]
    pub fn open_questions(&self) -> Vec<OpenQuestion> {
        self.inner.questions.open()
    }

    /// The question with this number while it waits, where this channel may say yes to it.
    #[must_use]
    pub fn offer(&self, number: Number, channel: &str) -> Option<OpenQuestion> {
        self.inner.questions.offer(number, channel)
    }

    /// A number that changes whenever [`Prompter::open_questions`] may have changed.
    #[must_use]
    pub fn changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.inner.questions.changes()
    }

    /// True while a question stands or is being cleared away: no key may be pressed by the guard then.
    #[must_use]
    pub fn question_open(&self) -> bool {
        self.inner.questions.count() > 0
    }

    /// Waits until no question stands and keeps the next one waiting for as long as the result is held: for what could
    /// press a key.
    pub async fn hold(&self) -> tokio::sync::OwnedMutexGuard<()> {
        Arc::clone(&self.inner.turn).lock_owned().await
    }

    /// Says a message, after those before it, and gives back its text. Messages wait while a question stands.
    pub fn tell(&self, message: &Message<'_>, language: Language) -> String {
        let text = message.text(words(language));
        if self.silent_for().is_some() {
            return text;
        }
        self.inner.voice.tell(Sentence { text: text.clone(), language: language.tag() }, message.foreign());
        text
    }

    /// Waits until everything has been said that may be said now.
    pub async fn quiet(&self) {
        self.inner.voice.quiet().await;
    }

    /// Withdraws every open question and takes no more; for shutting down.
    pub fn close(&self, why: &str) {
        self.inner.questions.close(why);
    }

    /// How everything is doing.
    pub async fn status(&self) -> PrompterStatus {
        let inner = &self.inner;
        let mut speech = inner.speaker.state();
        if speech.ready()
            && let Err(why) = inner.speaker.audible().await
        {
            speech = State::Failed { why: format!("it speaks, but nobody can hear it: {why}") };
        }
        let channels: std::collections::BTreeMap<_, _> =
            inner.channels.iter().map(|channel| (channel.name(), channel.state())).collect();
        let remote = inner.remote();
        let mut degraded = Vec::new();
        if let Some(why) = speech.trouble() {
            degraded.push(format!("Nothing is spoken: {why}"));
        }
        let shown = inner.channels.iter().any(|channel| channel.shows() && channel.state().ready());
        if !channels.values().any(State::ready) {
            degraded.push(if remote.takes_answers() {
                "Nobody can answer at this computer: questions wait for the holder of the approve token"
                    .to_owned()
            } else {
                "Nobody can answer: what needs a person's yes is not done".to_owned()
            });
        } else if !shown && !speech.ready() {
            degraded.push("A question can be neither shown nor heard at this computer".to_owned());
        }
        degraded.extend(remote.notice().map(str::to_owned));
        if let Some(left) = self.silent_for() {
            degraded.push(format!(
                "Silence for {} more seconds: every question is refused (`guarda silence off` ends it)",
                left.as_secs() + 1
            ));
        }
        PrompterStatus { speech, channels, remote, degraded }
    }
}

impl std::fmt::Debug for Prompter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Prompter({} open)", self.inner.questions.count())
    }
}

/// Asks the sound server whether its output is muted. Where there is none to ask, nothing is held against the voice.
#[must_use]
pub fn audible(sound: crate::devices::sound::Sound) -> Audible {
    Arc::new(move || match sound.sink() {
        Ok(sink) if !sink.audible() => Err("the sound is muted or its volume is 0".to_owned()),
        Ok(_) | Err(_) => Ok(()),
    })
}

/// Withdraws a question whose asker has gone.
struct Leaving {
    inner: Arc<Inner>,
    number: Number,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        // Settled already, unless the asker was dropped in the middle.
        let why = "the caller went away".to_owned();
        let _ = self.inner.questions.settle(self.number, Says::Withdrawn { why });
    }
}

/// A random digit from 2 to 9 for a question of high risk.
fn digit(question: &Question, from_risk: f32) -> std::io::Result<Option<char>> {
    digit_of(question, from_risk, crate::devices::random::bytes::<4>)
}

pub(super) fn digit_of(
    question: &Question,
    from_risk: f32,
    random: impl FnOnce() -> std::io::Result<[u8; 4]>,
) -> std::io::Result<Option<char>> {
    let risk = question.findings.iter().map(|finding| finding.risk).fold(0.0, f32::max);
    if risk < from_risk {
        return Ok(None);
    }
    let digit = char::from_digit(2 + u32::from_le_bytes(random()?) % 8, 10);
    digit.map(Some).ok_or_else(|| std::io::Error::other("no digit"))
}
