//! One question, from its turn in the queue until it is settled and cleared away.

mod audience;
mod go_ahead;
mod saying;

pub(super) use go_ahead::GoAhead;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use audience::Audience;
use saying::{next, spoken, until, wished};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::devices::random::bytes;
use crate::devices::sound::speech::{Heard, Sentence};
use crate::prompt::channels::keys::everywhere;
use crate::prompt::channels::{Asked, ChannelReport};
use crate::prompt::code::spoken::SpokenWords;
use crate::prompt::code::{Code, NotOpen, digit};
use crate::prompt::inner::Inner;
use crate::prompt::pending_questions::Wish;
use crate::prompt::question::Prompt;
use crate::prompt::voice::SpokenQuestion;
use crate::wording::known::Known;
use crate::wording::message::Message;
use crate::wording::words::words;
use guarda_core::gate::{NoAnswer, Number, Says};

/// A question stays open at least this long after a person begins to write another command. Granted once per question.
const WRITING: Duration = Duration::from_secs(300);
/// How many ends of a question's sound give time: it may be said again, and not for ever.
const SOUNDS: u8 = 4;
/// How long after the sound who answers by voice is reminded.
const REMINDER: Duration = Duration::from_secs(8);
/// The longest sound of a question. If its end is not reported, the time runs from here.
const LONGEST_SOUND: Duration = Duration::from_secs(60);
/// How long channels may take to clear away a settled question. A slower channel is abandoned.
const CLEARING: Duration = Duration::from_secs(2);

/// Puts a question when its turn comes, and settles it. A key that is still held after the answer keeps the keyboard
/// and the turn for a moment longer, but delays the action only if it could disturb it.
pub(super) async fn attend(
    prompter: Arc<Inner>,
    mut prompt: Arc<Prompt>,
    code: Option<Arc<Code>>,
    mut settled: watch::Receiver<Option<Says>>,
    time: Duration,
    go_ahead: GoAhead,
) {
    let stay = Stay { prompter: Arc::clone(&prompter), prompt: Arc::clone(&prompt) };
    let turn = tokio::select! {
        biased;
        _ = settled.wait_for(Option::is_some) => return,
        turn = prompter.turn.lock() => turn,
    };
    // What was refused while this one waited for its turn counts as well.
    if let Err(why) = prompter.calm.admit(&go_ahead.caller, std::time::Instant::now()) {
        let _ = prompter.questions.settle(prompt.number, &[], Says::Unasked { why }, Known::Nothing);
        return;
    }
    let pause = prompter.calm.pause(std::time::Instant::now());
    if tokio::time::timeout(pause, settled.wait_for(Option::is_some)).await.is_ok() {
        return;
    }
    if !pause.is_zero() {
        let Some(with_digit) = with_digit(&prompter, &prompt) else { return };
        prompt = with_digit;
    }
    prompt = prompter.questions.gather(&prompt);
    let words = words(prompt.language);
    let (mut work, inputs) = put(&prompter, &prompt, code, &settled, time);
    let mut asking = prompter.voice.ask(spoken(&prompt, work.words.as_deref()));
    let chime = prompter.chime.clone().map(|chime| Task(tokio::spawn(chime.announce(asking.heard.clone()))));
    let says = stand(&prompter, &prompt, settled.clone(), time, &work, inputs, &mut asking).await;
    // Another answer may have been faster: only the answer in the list of questions counts.
    let _ = prompter.questions.settle(prompt.number, &shown_with(&prompt), says, Known::Nothing);
    let said = settled.borrow_and_update().clone();
    if said.as_ref().is_some_and(was_exchanged) {
        prompter.calm.took_back(std::time::Instant::now());
    }
    asking.hush();
    drop(chime);
    clear(&mut work.tasks).await;
    if go_ahead.after_keys {
        clear(&mut work.keys).await;
    }
    prompter.lessons.note(said.as_ref());
    let conclusion = match said {
        Some(Says::No { .. }) => Some(Message::Cancelled),
        Some(Says::Silence) => Some(Message::TimeOut),
        Some(Says::WrongCodes { .. }) => Some(Message::WrongCodes),
        Some(
            Says::Yes { .. }
            | Says::Lasting { .. }
            | Says::Change { .. }
            | Says::Withdrawn { .. }
            | Says::Unasked { .. },
        )
        | None => None,
    };
    if let Some(message @ Message::WrongCodes) = &conclusion {
        prompter.tell_line(&message.text(words));
    }
    // A key that was held in another window shows nothing there.
    if let Some(Says::No { channel, .. }) = &said
        && everywhere(channel)
    {
        prompter.tell_line(&words.say("no-by-key", &[("effect", prompt.effect.as_str().into())]));
    }
    if let Some(message) = conclusion {
        asking.conclude(Sentence { text: message.aloud(words), language: prompt.language.tag() });
    } else {
        drop(asking);
    }
    drop(stay);
    let _ = go_ahead.sender.send(());
    // The next question finds the keyboard free.
    clear(&mut work.keys).await;
    drop(turn);
}

/// The questions that a person sees together with this one.
fn shown_with(prompt: &Prompt) -> Vec<Number> {
    prompt.others.iter().map(|other| other.number).collect()
}

/// Whether a question that ended so was exchanged under a person's finger: nobody answered it where it is, or proved to be one. A no needs no
/// code, so a program that holds a token can give one, and it can count the seconds until the time runs out.
fn was_exchanged(said: &Says) -> bool {
    match said {
        Says::Silence | Says::WrongCodes { .. } | Says::Withdrawn { .. } => true,
        Says::No { channel, .. } => matches!(channel.as_str(), "http" | "socket" | "mcp"),
        Says::Yes { .. } | Says::Lasting { .. } | Says::Change { .. } | Says::Unasked { .. } => false,
    }
}

/// The same question with a digit for its yes: a key that was meant for the question before must not meet this one, however late it is
/// pressed. Without a digit, it is not put.
fn with_digit(prompter: &Inner, prompt: &Prompt) -> Option<Arc<Prompt>> {
    match digit(bytes::<4>) {
        Ok(digit) => Some(prompter.questions.redraw(prompt.clone().with_digit(digit))),
        Err(error) => {
            let why = NoAnswer::NoDigit { error: error.to_string() };
            let _ = prompter.questions.settle(prompt.number, &[], Says::Unasked { why }, Known::Nothing);
            None
        }
    }
}

/// Waits for an answer from elsewhere to a question that no channel at this computer asks.
pub(super) async fn wait(
    prompter: &Arc<Inner>,
    prompt: &Arc<Prompt>,
    code: Option<&Code>,
    mut settled: watch::Receiver<Option<Says>>,
    time: Duration,
) -> Says {
    let _stay = Stay { prompter: Arc::clone(prompter), prompt: Arc::clone(prompt) };
    prompter.questions.expire_at(prompt.number, SystemTime::now() + time);
    let words = words(prompt.language);
    let told = code
        .filter(|_| prompter.tells())
        .map(|code| words.say("card-code", &[("code", code.shown().into())]));
    let way = format!("guarda approve {}", prompt.number);
    let line =
        [Some(prompt.ask.clone()), Some(way), told].into_iter().flatten().collect::<Vec<_>>().join("  ");
    prompter.tell_line(&line);
    let answered = async { settled.wait_for(Option::is_some).await.ok().and_then(|says| says.clone()) };
    match tokio::time::timeout(time, answered).await {
        Ok(Some(says)) => says,
        Ok(None) | Err(_) => Says::Silence,
    }
}

/// A task that is aborted when the question ends.
struct Task(tokio::task::JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Removes the question from the list on drop, even if its task fails.
struct Stay {
    prompter: Arc<Inner>,
    prompt: Arc<Prompt>,
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.prompter.questions.leave(self.prompt.number);
    }
}

/// The running channels and their inputs.
struct Work {
    tasks: JoinSet<()>,
    /// The channels that watch keys in any window. They give the keyboard back once no key is held.
    keys: JoinSet<()>,
    deadline: watch::Sender<Instant>,
    perceived: watch::Sender<bool>,
    /// The code that an answer from elsewhere must include.
    code: Option<Arc<Code>>,
    /// The words of a yes by voice.
    words: Option<Arc<SpokenWords>>,
}

/// Waits until these channels have cleared away the question.
async fn clear(tasks: &mut JoinSet<()>) {
    let all = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(CLEARING, all).await.is_err() {
        tracing::warn!("a channel did not clear away its question in time");
    }
}

/// What comes in while a question stands: reports of channels, and what is wanted to be said.
struct Inputs {
    reports: mpsc::UnboundedReceiver<(&'static str, ChannelReport)>,
    wishes: Option<mpsc::Receiver<Wish>>,
}

fn put(
    prompter: &Inner,
    prompt: &Arc<Prompt>,
    code: Option<Arc<Code>>,
    settled: &watch::Receiver<Option<Says>>,
    time: Duration,
) -> (Work, Inputs) {
    let (deadline, _) = watch::channel(Instant::now() + time);
    let (perceived, _) = watch::channel(false);
    let (sender, reports) = mpsc::unbounded_channel();
    let (mut tasks, mut keys) = (JoinSet::new(), JoinSet::new());
    let (wishes, words) = prompter.questions.put(prompt.number);
    for channel in &prompter.channels {
        let set = if everywhere(channel.name()) { &mut keys } else { &mut tasks };
        set.spawn(channel.put(Asked {
            prompt: Arc::clone(prompt),
            code: code.clone(),
            words: words.clone(),
            waiting: prompter.questions.count().saturating_sub(1 + prompt.others.len()),
            arming_delay: prompter.config.arming_delay,
            deadline: deadline.subscribe(),
            perceived: perceived.subscribe(),
            settled: settled.clone(),
            channel: channel.name(),
            reports: sender.clone(),
        }));
    }
    (Work { tasks, keys, deadline, perceived, code, words }, Inputs { reports, wishes })
}

/// A question while it waits for its answer.
struct Standing<'a> {
    prompter: &'a Inner,
    prompt: &'a Prompt,
    work: &'a Work,
    time: Duration,
    deadline: Instant,
    reach: Audience,
    /// The channel on which a person types at this computer.
    writing: Option<&'static str>,
    /// Whether the question was heard to begin, a person began to write, or it was spelt: each gives time once.
    began: bool,
    /// How many more ends of its sound give time.
    sounds: u8,
    /// When who answers by voice is reminded.
    again_at: Option<Instant>,
    wrote: bool,
    spelled: bool,
}

/// Waits until somebody answers, the time runs out, or it is certain that nobody can be asked.
async fn stand(
    prompter: &Inner,
    prompt: &Prompt,
    mut settled: watch::Receiver<Option<Says>>,
    time: Duration,
    work: &Work,
    mut inputs: Inputs,
    asking: &mut SpokenQuestion,
) -> Says {
    let (deadline, reach) = (Instant::now(), Audience::new(prompter));
    let (writing, began, wrote, spelled) = (None, false, false, false);
    let (sounds, again_at) = (SOUNDS, None);
    let mut standing = Standing {
        prompter,
        prompt,
        work,
        time,
        deadline,
        reach,
        writing,
        began,
        sounds,
        again_at,
        wrote,
        spelled,
    };
    standing.extend(time);
    loop {
        // Records that a code can be shown now. The channel may have been able to show it for a while.
        let _ = prompter.tells();
        // The desktop's keys are not watched while a person types a command.
        let open = standing.reach.perceived() && standing.writing.is_none();
        work.perceived.send_if_modified(|old| std::mem::replace(old, open) != open);
        if let Some(why) = standing.reach.hopeless() {
            return Says::Unasked { why };
        }
        tokio::select! {
            biased;
            Ok(said) = settled.wait_for(Option::is_some) => {
                if let Some(says) = said.clone() {
                    return says;
                }
            }
            Some((channel, report)) = inputs.reports.recv() => {
                if let Some(says) = standing.report(channel, report, asking) {
                    return says;
                }
            }
            Ok(()) = asking.heard.changed() => {
                let heard = asking.heard.borrow_and_update().clone();
                standing.hear(heard);
            }
            Some(wish) = next(&mut inputs.wishes) => standing.wish(wish, asking),
            () = until(standing.again_at) => standing.remind(asking),
            () = tokio::time::sleep_until(standing.deadline) => {
                return match standing.reach.unheard() {
                    Some(why) => Says::Unasked { why },
                    None => Says::Silence,
                };
            }
        }
    }
}

impl Standing<'_> {
    /// Gives this much time from now on.
    fn extend(&mut self, time: Duration) {
        self.deadline = Instant::now() + time;
        self.work.deadline.send_replace(self.deadline);
        self.prompter.questions.expire_at(self.prompt.number, SystemTime::now() + time);
    }

    /// The time runs from the end of the sound: nobody answers what is still being said.
    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Began if !std::mem::replace(&mut self.began, true) && !self.wrote => {
                self.extend(self.time + LONGEST_SOUND);
            }
            Heard::Ended => {
                self.prompter.questions.sound(self.prompt.number, Some(SystemTime::now()));
                if self.sounds == SOUNDS && self.work.words.is_some() {
                    self.again_at = Some(Instant::now() + REMINDER);
                }
                if self.sounds > 0 && !self.wrote {
                    self.sounds -= 1;
                    self.extend(self.time);
                }
            }
            _ => {}
        }
        self.reach.hear(heard);
    }

    /// What a channel reports. Returns a no: a yes and a change count only if the list of questions takes them.
    fn report(
        &mut self,
        channel: &'static str,
        report: ChannelReport,
        asking: &mut SpokenQuestion,
    ) -> Option<Says> {
        let place = channel.to_owned();
        match report {
            // Somebody is typing at this computer, so these keys are letters and not answers.
            ChannelReport::Yes | ChannelReport::Lasting(_) | ChannelReport::No | ChannelReport::Spell
                if self.writing.is_some() && everywhere(channel) => {}
            ChannelReport::Yes => self.yes(Says::Yes { channel: place }, asking),
            ChannelReport::Lasting(span) => self.yes(Says::Lasting { channel: place, span }, asking),
            ChannelReport::Spell => self.spell(asking),
            ChannelReport::No => return Some(Says::No { channel: place, reason: None }),
            ChannelReport::NoBecause(reason) => {
                return Some(Says::No { channel: place, reason: Some(reason) });
            }
            ChannelReport::Change(text) if self.reach.perceived() => {
                self.writing = None;
                // Text that is not a command is not an answer: the question stays open.
                let says = Says::Change { channel: place, text };
                let (questions, known) = (&self.prompter.questions, self.reach.known());
                if let Err(why) = questions.settle(self.prompt.number, &[], says, known) {
                    tracing::info!(channel, %why, "a change does not count");
                }
            }
            ChannelReport::Change(_) => {}
            ChannelReport::Writing => {
                self.writing = Some(channel);
                if !std::mem::replace(&mut self.wrote, true) {
                    self.extend(self.time.max(WRITING));
                }
            }
            other @ (ChannelReport::Shown
            | ChannelReport::Whole
            | ChannelReport::Unable(_)
            | ChannelReport::Busy(_)
            | ChannelReport::Listening) => {
                self.writing = self.writing.filter(|place| *place != channel);
                self.reach.note(channel, other);
            }
        }
        None
    }

    fn yes(&self, says: Says, asking: &mut SpokenQuestion) {
        let (prompt, reach) = (self.prompt, &self.reach);
        let counts = self.prompter.questions.settle(prompt.number, &shown_with(prompt), says, reach.known());
        if let Err(why) = &counts {
            tracing::info!(%why, "a yes does not count");
        }
        if counts.is_err() {
            self.prompter.lessons.again();
        }
        if counts == Err(NotOpen::Unread) && prompt.takes == Known::Whole && reach.perceived() {
            asking.again(Sentence { text: prompt.how(), language: prompt.language.tag() });
        }
    }

    /// Says what somebody wants to hear.
    fn wish(&mut self, wish: Wish, asking: &mut SpokenQuestion) {
        let kept = (self.work.code.as_deref(), self.work.words.as_deref());
        match (wish, wished(self.prompt, kept, wish)) {
            (Wish::Repeat, Some(text)) => self.say(text, asking),
            (_, Some(text)) => self.say_too(text, asking),
            (_, None) => {}
        }
    }

    /// Reminds who answers by voice, once.
    fn remind(&mut self, asking: &mut SpokenQuestion) {
        self.again_at = None;
        self.wish(Wish::Words, asking);
    }

    /// Says this at once. It interrupts the spoken question, which is then spoken again.
    fn say_too(&self, text: String, asking: &mut SpokenQuestion) {
        let cut = *asking.heard.borrow() != Heard::Ended;
        let whole = || spoken(self.prompt, self.work.words.as_deref()).text;
        self.say(if cut { format!("{text} {}", whole()) } else { text }, asking);
    }

    /// Says this in the place of what is being said.
    fn say(&self, text: String, asking: &mut SpokenQuestion) {
        // What is heard from now on is the guard.
        self.prompter.questions.sound(self.prompt.number, None);
        asking.again(Sentence { text, language: self.prompt.language.tag() });
    }

    /// Spells the command because somebody at a channel wants it; once, this gives time.
    fn spell(&mut self, asking: &mut SpokenQuestion) {
        self.wish(Wish::Spell, asking);
        if !std::mem::replace(&mut self.spelled, true) && !self.wrote {
            self.extend(self.time);
        }
    }
}
