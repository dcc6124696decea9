//! Messages to a person outside questions, and replies to the caller in the person's language.

use crate::wording::describe::effect::{arguments, effect, program};
use crate::wording::describe::names::spoken;
use crate::wording::localize::{self, named};
use crate::wording::next_step::{NextStep, after};
use crate::wording::words::Words;
use guarda_core::action::{Action, FileOperation, Language};
use guarda_core::gate::Span;
use guarda_core::output::{Failure, FailureKind, Now, PlayerState};
use guarda_core::policy::Finding;

/// The most characters that are spoken of a message: about six seconds.
const HEARD: usize = 90;

/// A message. One without fields has its name as the id of its text.
#[derive(Debug, Clone, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Message<'a> {
    /// The action is done, with the device's current reading if it is known.
    Done(&'a Action, Option<&'a Now>),
    /// A command ended with this exit status, which is not 0.
    ExitStatus(&'a Action, i32),
    /// A command met what is hidden from it: the paths.
    Hidden(&'a [String]),
    /// A signal ended a command.
    Signal(&'a Action),
    /// The command's program does not exist on this computer: its name.
    CommandMissing(&'a str),
    /// The shell could not parse the command and ran no part of it.
    #[strum(serialize = "command-broken")]
    Broken,
    /// A command took too long and was ended.
    TooSlow(&'a Action),
    /// A command or another action was stopped before its end.
    Stopped(&'a Action),
    /// A command ran, but nobody may see its output, because it could not be checked for secrets.
    Withheld(&'a Action),
    /// How it ended, and what is left of it.
    Left(Box<Message<'a>>, Left),
    /// The action failed, with the cause if it can be expressed in words.
    Failed(&'a Action, Option<&'a Failure>),
    /// The action was not done, because this object changed after the judgement.
    Changed(&'a Action, &'a str),
    /// The application, file or folder of the action does not exist: its name.
    NotFound(&'a Action, &'a str),
    /// No media player is running.
    NoPlayer,
    /// The rules forbid it, with the strictest finding, if there is one.
    Blocked(Option<&'a Finding>),
    /// The system will ask for the password.
    Password,
    /// The action needs a password, and `advanced_mode` is off.
    PasswordOff,
    /// The password was wrong.
    PasswordWrong,
    /// A person said no.
    Cancelled,
    /// Nobody answered in time.
    TimeOut,
    /// An answer from elsewhere had the wrong code.
    WrongCodes,
    /// The caller went away.
    Withdrawn,
    /// Nobody could be asked.
    Unasked,
    /// The guard runs without a person.
    NoHuman,
    /// A cell refused the command something, and its asker is told first.
    ToldFirst,
    /// The answer was for another question or action.
    Mismatch,
    /// The record could not be written.
    Unrecorded,
    /// The command needs no question from now on.
    Remembered,
    /// A folder is trusted from now on.
    Trusted,
    /// A folder is trusted until its session ends.
    TrustedForSession,
    /// What was asked about needs no question of this asker for this long.
    Granted(Span),
    /// The answer *always* could not be stored, so the next request asks again.
    NotRemembered,
    /// A command of `execute_bash` waits for a person's answer.
    Validate,
    /// Like [`Message::Validate`], for a command that ran this long ago.
    Duplicate(std::time::Duration),
    /// The registry of commands is unavailable, so every command is asked about.
    RegistryLost,
    /// The registry was damaged, and a new one was started.
    RegistryDamaged,
    /// The rules of the configuration were changed while the service ran: the sections.
    RulesChanged(&'a str),
    /// The request was not understood, or no action does it: what the person said.
    Unknown(Option<&'a str>),
    /// What an action found, as it is told to a person.
    Result(FoundText<'a>),
    /// The service is shutting down.
    Shutdown,
    /// The model's own words (`REPLY`). Never spoken while a question is open, because they could pass for the
    /// guard's.
    Reply(&'a str),
}

/// What an action found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundText<'a> {
    /// The few lines that a command wrote.
    Lines(&'a str),
    /// The names in a folder.
    Names(&'a str),
}

/// The most names of a folder that are told.
const NAMED: usize = 3;

impl<'a> FoundText<'a> {
    /// What an action wrote, if it is short enough to be told, and cannot pass for words of the guard.
    #[must_use]
    pub fn of(action: &Action, written: &'a str) -> Option<Self> {
        let short = written.lines().count() <= NAMED && written.chars().count() <= HEARD;
        let poses = guarda_core::action::pose::poses_as_guard(written);
        match action {
            _ if poses => None,
            Action::File(FileOperation::List(_)) => Some(Self::Names(written)),
            Action::RunCommand { .. } if short && !written.trim().is_empty() => Some(Self::Lines(written)),
            _ => None,
        }
    }

    fn text(self, words: &Words) -> String {
        let lines = |text: &str| text.lines().map(spoken).collect::<Vec<_>>();
        match self {
            Self::Lines(text) => lines(text).join(", "),
            Self::Names(text) if text.trim().is_empty() => words.say("found-nothing", &[]),
            Self::Names(text) => {
                let names = lines(text);
                let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
                let more = names.len().saturating_sub(NAMED);
                words.say("found-names", &[("first", first.into()), ("more", more.into())])
            }
        }
    }
}

/// What is left of an action that did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumIter)]
#[strum(serialize_all = "kebab-case")]
pub enum Left {
    /// Nothing: it could change nothing, or its changes were held back and dropped.
    Nothing,
    /// What it had done until then.
    Part,
    /// Perhaps a part of it.
    Perhaps,
}

impl Left {
    fn sentence(self, words: &Words) -> String {
        named(words, "left", self)
    }
}

impl Message<'_> {
    /// The text in the language of `words`: what happened, and what the person can do then.
    #[must_use]
    pub fn text(&self, words: &Words) -> String {
        let told = self.told(words);
        match self.next() {
            Some(next) => format!("{told} {}", next.sentence(words)),
            None => told,
        }
    }

    /// What a voice says: the text, or a shorter one if it takes an ear too long. A front-end knows why a command ended
    /// with an error, so the listener is told to ask there.
    #[must_use]
    pub fn aloud(&self, words: &Words) -> String {
        let text = match self {
            Self::Left(message, left) => {
                return format!("{} {}", message.aloud(words), left.sentence(words));
            }
            // No words of the model are said in the guard's name, whatever they are.
            Self::Reply(text) => {
                return words.say("assistant-says", &[("name", crate::wording::plain::audible(text).into())]);
            }
            // A detail of the system is for the eye and for programs.
            Self::Failed(action, Some(why)) if why.kind == FailureKind::Other => {
                return Self::Failed(action, None).aloud(words);
            }
            Self::ExitStatus(..) | Self::Failed(_, None) => {
                format!("{} {}", self.text(words), NextStep::Assistant.sentence(words))
            }
            _ => self.text(words),
        };
        // A path is a long word to an ear, however few its letters.
        let path = matches!(self, Self::Done(_, Some(Now::Written(_))));
        let short = path || matches!(self, Self::Cancelled) || text.chars().count() > HEARD;
        let short = short.then(|| self.short(words)).flatten();
        short.unwrap_or(text)
    }

    /// The text without what the listener has just asked for.
    fn short(&self, words: &Words) -> Option<String> {
        match self {
            Self::Failed(_, why) => {
                let cause = why.and_then(|why| failure(words, why));
                let next = self.next().or(cause.is_none().then_some(NextStep::Assistant));
                let next = next.map(|next| next.sentence(words));
                let why = cause.into_iter().chain(next).collect::<Vec<_>>().join(" ");
                Some(words.say("failed-short", &[("why", why.into())]))
            }
            Self::Changed(action, what) => {
                let undo = matches!(action, Action::Undo { .. });
                let id = if undo { "undo-changed-short" } else { "changed-short" };
                Some(words.say(id, &[("name", spoken(what).into())]))
            }
            Self::Done(_, Some(Now::Written(path))) => {
                let folder = path.rsplit('/').nth(1).unwrap_or(path);
                Some(words.say("now-written-short", &[("name", spoken(folder).into())]))
            }
            Self::Cancelled => Some(words.say("cancelled-short", &[])),
            _ => None,
        }
    }

    /// What the person can do then, where something helps.
    fn next(&self) -> Option<NextStep> {
        match self {
            Self::Left(message, _) => message.next(),
            Self::Failed(_, Some(why)) => after(why.kind),
            Self::NotFound(Action::OpenApp { .. }, _) => Some(NextStep::Menu),
            Self::NotFound(Action::CloseApp { .. }, _) => None,
            Self::NotFound(..) => Some(NextStep::Place),
            Self::CommandMissing(_) => Some(NextStep::Install),
            Self::Broken => Some(NextStep::Quotes),
            Self::TooSlow(_) => Some(NextStep::Longer),
            Self::NoPlayer => Some(NextStep::Player),
            Self::PasswordOff => Some(NextStep::Terminal),
            Self::PasswordWrong | Self::Mismatch => Some(NextStep::Again),
            Self::Unasked | Self::RegistryLost => Some(NextStep::Doctor),
            Self::Unrecorded => Some(NextStep::Space),
            Self::Unknown(None) => Some(NextStep::OtherWords),
            _ => None,
        }
    }

    /// What happened.
    fn told(&self, words: &Words) -> String {
        let plain = |id: &str| words.say(id, &[]);
        let named = |id: &str, name: &str| words.say(id, &[("name", spoken(name).into())]);
        match self {
            Self::Done(action, now) => {
                let reading = now.map(|now| reads(words, now)).filter(|said| !said.is_empty());
                reading.unwrap_or_else(|| done(words, action))
            }
            Self::ExitStatus(action, code) => {
                words.say("exit-status", &[("name", program(action).into()), ("code", (*code).into())])
            }
            Self::Hidden(paths) => named("hidden-from-command", &few(paths)),
            Self::Signal(action) => named("exit-signal", &program(action)),
            Self::CommandMissing(name) => named("command-missing", name),
            Self::TooSlow(action) => named("command-slow", &program(action)),
            Self::Stopped(action @ Action::RunCommand { .. }) => named("stopped-command", &program(action)),
            Self::Stopped(_) => plain("stopped"),
            Self::Withheld(action) => named("output-withheld", &program(action)),
            Self::Left(message, left) => format!("{} {}", message.told(words), left.sentence(words)),
            Self::Failed(action, None) => words.say("failed", &[("effect", effect(words, action).into())]),
            Self::Failed(action, Some(why)) => match failure(words, why) {
                Some(why) => words
                    .say("failed-because", &[("effect", effect(words, action).into()), ("why", why.into())]),
                None => words.say("failed", &[("effect", effect(words, action).into())]),
            },
            Self::Changed(action @ Action::Undo { .. }, what) => words.say(
                "undo-changed",
                &[("effect", effect(words, action).into()), ("name", spoken(what).into())],
            ),
            Self::Changed(action, what) => words.say(
                "changed-since",
                &[("effect", effect(words, action).into()), ("name", spoken(what).into())],
            ),
            Self::NotFound(_, name) => named("not-found", name),
            Self::Blocked(None) => plain("blocked"),
            Self::Blocked(Some(finding)) => words
                .say("blocked-because", &[("reason", crate::wording::reason::reason(words, finding).into())]),
            Self::Granted(span) => {
                let length: &'static str = (*span).into();
                plain(&format!("granted-{length}"))
            }
            Self::Duplicate(since) => {
                words.say("duplicate", &[("ago", crate::wording::words::ago(words, *since).into())])
            }
            Self::RulesChanged(sections) => named("rules-changed", sections),
            Self::Unknown(Some(heard)) => {
                named("unknown-heard", heard.trim_end_matches(['.', '?', '!', ' ']))
            }
            Self::Unknown(None) => plain("unknown"),
            Self::Result(answer) => answer.text(words),
            // Words that could pass for the guard's are labelled as the model's.
            Self::Reply(text) if guarda_core::action::pose::poses_as_guard(text) => {
                words.say("assistant-says", &[("name", crate::wording::plain::audible(text).into())])
            }
            Self::Reply(text) => crate::wording::plain::audible(text),
            unit => plain(unit.into()),
        }
    }

    /// Whether it is said however late: it is about the guard itself and not about one deed.
    #[must_use]
    pub fn lasts(&self) -> bool {
        matches!(self, Self::RulesChanged(_) | Self::RegistryLost | Self::RegistryDamaged | Self::Unrecorded)
    }
}

/// A failure as a sentence. A cause without a translation stays in English and is told only to English readers.
pub fn failure(words: &Words, failure: &Failure) -> Option<String> {
    match failure.kind {
        FailureKind::Other if failure.detail.is_empty() || words.language() != Language::English => None,
        FailureKind::Other => Some(spoken(&failure.detail)),
        kind => words.find(&format!("failure-{}", kind.name()), &[]),
    }
}

/// Why something does not work, to follow a sentence: a sentence for a person, or else the part's own details.
#[must_use]
pub fn reason(words: &Words, why: &Failure) -> String {
    failure(words, why).unwrap_or_else(|| lack(words, why))
}

/// Why a part does not work, for a page: the English details in English, and a translation in other languages where
/// there is one.
#[must_use]
pub fn lack(words: &Words, failure: &Failure) -> String {
    let said = words.find(&format!("failure-{}", failure.kind.name()), &[]);
    let said = said.filter(|_| words.language() != Language::English || failure.detail.is_empty());
    said.unwrap_or_else(|| failure.detail.clone())
}

/// A device's current reading as a sentence; empty for a setting that is not read out.
fn reads(words: &Words, now: &Now) -> String {
    match now {
        Now::Set(setting) => localize::told(words, "now", setting),
        Now::Written(path) => words.say("now-written", &[("name", spoken(path).into())]),
        Now::Player { state, title, artist } => {
            let (bare, named) = match state {
                PlayerState::Playing => ("now-playing", "now-playing-title"),
                PlayerState::Paused => ("now-paused", "now-paused-title"),
                PlayerState::Stopped => return words.say("now-stopped", &[]),
            };
            let title = spoken(without_ending(title));
            if title.trim().is_empty() {
                return words.say(bare, &[]);
            }
            let name = if artist.is_empty() { title } else { format!("{title}, {}", spoken(artist)) };
            words.say(named, &[("name", name.into())])
        }
    }
}

/// Drops the file extension: media without a title is announced by its file name.
fn without_ending(title: &str) -> &str {
    match title.rsplit_once('.') {
        Some((name, ending))
            if !name.is_empty()
                && ["mp3", "ogg", "opus", "flac", "wav", "m4a", "mp4", "mkv", "webm"].contains(&ending) =>
        {
            name
        }
        _ => title,
    }
}

/// The first of some paths.
fn few(paths: &[String]) -> String {
    const FEW: usize = 4;
    let more = if paths.len() > FEW { ", …" } else { "" };
    let first: Vec<&str> = paths.iter().take(FEW).map(String::as_str).collect();
    first.join(", ") + more
}

/// The message of the action's kind or family (`done-volume`), or just that it is done.
fn done(words: &Words, action: &Action) -> String {
    let (id, arguments) = (action.kind().id(), arguments(words, action));
    let family = id.split('-').next().unwrap_or_default();
    let own = [&*id, family].into_iter().find_map(|id| words.find(&format!("done-{id}"), &arguments));
    own.unwrap_or_else(|| words.say("done", &[]))
}
