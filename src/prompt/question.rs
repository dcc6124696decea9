//! A question in a person's language: its spoken and shown texts, and the keys that answer it.

use std::sync::Arc;

use crate::devices::Key;
use crate::prompt::channels::report::ChannelReport;
use crate::prompt::how::How;
use crate::wording::describe::effect::{self, Described, described, homely};
use crate::wording::describe::host;
use crate::wording::describe::impact::{self, Impact, Keeping};
use crate::wording::describe::network;
use crate::wording::describe::staged::{EffectLine, Staged, rounded};
use crate::wording::describe::tool::below;
use crate::wording::known::Known;
use crate::wording::offer::{Lasting, Offers};
use crate::wording::plain::{sentence, visible, visible_lines};
use crate::wording::reason;
use crate::wording::words::{Words, ago, words};
use guarda_core::action::vocabulary::ActionKind;
use guarda_core::action::{Action, Language};
use guarda_core::gate::{Number, Question, Span};
use guarda_core::policy::Verdict;

/// A question in words. Created once, before any channel puts it.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The question's number.
    pub number: Number,
    /// The language.
    pub language: Language,
    /// The spoken text, in one breath: the question, why it is asked, whether it can be undone, and how to answer it here.
    pub spoken: String,
    /// The question alone.
    pub(super) ask: String,
    /// Whether it can be undone, as it is spoken.
    pub(super) fate: Option<String>,
    /// How to answer it here.
    pub(super) how: How,
    /// What a yes does, in words.
    pub effect: String,
    /// The name of the kind of action: `RUN_COMMAND`.
    pub kind: &'static str,
    /// The tool of an agent's client, by the client's name for it, if the question is about a tool.
    pub tool: Option<String>,
    /// The command line, path, address and so on, in full, with hidden characters made visible. Never cut.
    pub object: String,
    /// The working folder, if the caller named one.
    pub folder: Option<String>,
    /// The session, if the caller named one.
    pub session: Option<String>,
    /// Who asks: the client of a hook, the program at a socket, or the door.
    pub asker: Option<String>,
    /// The reasons, the most serious first.
    pub reasons: Vec<ShownReason>,
    /// The model's reasoning, in its own words.
    pub reasoning: Option<String>,
    /// Whether the system asks for the password after a yes.
    pub password: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// The joint risk, 0 to 1.
    pub risk: f32,
    /// The digit that replaces the letters for yes, if the risk is high.
    pub digit: Option<char>,
    /// The lasting answers that it offers.
    pub offers: Offers,
    /// What would run, as the lines of a tree; empty if the command line already shows it.
    pub tree: Vec<String>,
    /// The changes of a staged run as a spoken sentence; `None` if nothing has run yet.
    pub staged: Option<String>,
    /// Every change of a staged run, with the differences between texts.
    pub changes: Vec<EffectLine>,
    /// How much of the question must be known before a yes counts.
    pub takes: Known,
    /// What would be touched, in words.
    pub touches: Vec<String>,
    /// Whether the changes can be undone, if nothing has run yet. This is the last line of `touches`.
    pub undo: Option<String>,
    /// The sandbox of a command, in words; empty if it is not a command.
    pub sandbox: Vec<String>,
    /// What the session has seen, in words.
    pub marks: Vec<String>,
    /// The data behind those texts.
    pub impact: Arc<Impact>,
    /// The exact command line, if it may be replaced; for an editor, not for display.
    pub draft: Option<String>,
    /// The reason that is spoken, if the question does not show it.
    pub reason: Option<String>,
    /// The same once the changes are known, which show more.
    pub(super) known_reason: Option<String>,
    /// What it has in common with the questions that one answer may settle together with it; `None` if it is asked alone.
    pub(super) group: Option<String>,
    /// The open questions that are shown with it, and settled by the same answer.
    pub others: Vec<Other>,
}

/// A question that is settled by the answer to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    /// Its number.
    pub number: Number,
    /// The object of its action, in full, with hidden characters made visible.
    pub object: String,
}

impl Other {
    /// As a part of another question.
    pub(super) fn of(prompt: &Prompt) -> Self {
        Self { number: prompt.number, object: prompt.object.clone() }
    }
}

/// A reason in words.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = Reason)]
pub struct ShownReason {
    /// In the question's language.
    pub text: String,
    /// The rules that give this reason.
    pub rules: Vec<ShownRule>,
}

/// A rule that gives a reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = ReasonRule)]
pub struct ShownRule {
    /// The rule's name.
    #[serde(rename = "rule")]
    pub name: String,
    /// The rule's own sentence, in the question's language; null if it says no more than the reason.
    pub why: Option<String>,
    /// The suggested alternative, in the question's language.
    pub instead: Option<String>,
}

impl ShownReason {
    /// The same reason without the rules' own sentences.
    fn by_name(mut self) -> Self {
        for rule in &mut self.rules {
            rule.why = None;
        }
        self
    }
}

/// The reasons for a question, the most serious first. Several rules may give the same reason, and one rule may apply to
/// several programs of a line.
fn shown(words: &Words, question: &Question) -> Vec<ShownReason> {
    let mut reasons: Vec<ShownReason> = Vec::new();
    for finding in question.findings.iter().filter(|finding| finding.verdict > Verdict::Allow) {
        let text = reason::reason_known(words, finding, question.history.as_ref());
        let why = reason::why(words, finding);
        let rule = ShownRule {
            name: visible(&finding.rule),
            why: (why != reason::reason(words, finding)).then(|| visible(&why)),
            instead: reason::suggested(words, finding).as_deref().map(visible),
        };
        match reasons.iter_mut().find(|known| known.text == text) {
            Some(known) if known.rules.contains(&rule) => {}
            Some(known) => known.rules.push(rule),
            None => reasons.push(ShownReason { text, rules: vec![rule] }),
        }
    }
    reasons
}

impl Prompt {
    /// Creates the prompt for a question. `digit`, if given, replaces Y; `home` is the home folder, empty if it is unknown.
    #[must_use]
    pub fn new(question: &Question, language: Language, digit: Option<char>, home: &str) -> Self {
        let words = words(language);
        let subject = &question.subject;
        let Described { text: effect, whole } = described(words, &homely(&subject.action, home));
        let password = question.verdict == Verdict::Password;
        let ask = match reason::since_last(question) {
            Some(since) if digit.is_none() && !password => {
                let told = [("effect", effect.clone().into()), ("ago", ago(words, since).into())];
                sentence(&words.say("ask-again", &told))
            }
            _ => asked(words, &effect),
        };
        let reason = reason::spoken(words, question, whole);
        let known_reason = reason::spoken(words, question, true);
        let prompt = Self {
            number: question.number,
            language,
            spoken: String::new(),
            ask,
            fate: None,
            how: How { terminal: true, voice: true, ..How::default() },
            effect,
            kind: subject.action.kind().name(),
            tool: None,
            object: object(&subject.action),
            folder: subject.claims.cwd.as_deref().map(visible),
            session: subject.claims.session.as_deref().map(visible),
            asker: None,
            reasons: shown(words, question),
            reasoning: subject.claims.reasoning.as_deref().map(visible_lines),
            password,
            verdict: question.verdict,
            risk: question.risk,
            digit: digit.filter(|_| !password),
            offers: Offers::default(),
            tree: match &subject.action {
                Action::RunCommand { script: Ok(script), .. } => {
                    crate::wording::describe::tree::lines(script)
                }
                _ => Vec::new(),
            },
            staged: None,
            changes: Vec::new(),
            takes: Known::Begun,
            touches: Vec::new(),
            undo: None,
            sandbox: Vec::new(),
            marks: Vec::new(),
            impact: Arc::default(),
            draft: None,
            reason,
            known_reason,
            group: None,
            others: Vec::new(),
        };
        prompt.composed()
    }

    /// True if the run has gone on, or was refused, without an answer. A yes is then kept for the next run of the command.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.impact.late
    }

    /// True if it is about the hosts of a running command.
    #[must_use]
    pub fn is_for_hosts(&self) -> bool {
        self.impact.host.is_some()
    }

    /// The lasting answers that have a letter, with it and in words.
    #[must_use]
    pub fn lettered(&self) -> Vec<(char, String)> {
        let words = words(self.language);
        let letters = [(SESSION, Span::Session), (ALWAYS, Span::Always)].into_iter();
        letters.filter_map(|(letter, span)| Some((letter, self.offers.told(words, span)?))).collect()
    }

    /// Adds how to answer here.
    #[must_use]
    pub fn with_how(self, how: How) -> Self {
        Self { how, ..self }.composed()
    }

    /// How to answer from any window, for the card.
    pub(super) fn in_any_window(&self) -> Option<String> {
        self.how.in_any_window(words(self.language), self.digit.unwrap_or('Y'))
    }

    /// Whether the command can be heard letter by letter here.
    pub(super) fn spells(&self) -> bool {
        self.how.voice
    }

    /// How to answer here.
    pub(super) fn how(&self) -> String {
        self.how.sentence(words(self.language), self.digit.unwrap_or('Y'))
    }

    /// How to answer here, for somebody who does not know.
    pub(super) fn how_in_full(&self) -> String {
        How { brief: false, ..self.how }.sentence(words(self.language), self.digit.unwrap_or('Y'))
    }

    /// Composes the spoken text.
    fn composed(self) -> Self {
        let words = words(self.language);
        let how = self.how();
        let after = self.password.then(|| words.say("ask-password-after", &[]));
        // After a staged run, its network access is over and no longer worth asking about.
        let plan = self.staged.is_none().then_some(&self.impact.network);
        let reaches = plan.and_then(|plan| network::spoken(words, plan, &self.ask));
        let count = self.others.len();
        let others = (count > 0).then(|| words.say("ask-others", &[("count", count.into())]));
        let (ask, fate) = (Some(self.ask.clone()), self.fate.clone());
        let reason = self.reason.as_ref().map(|reason| sentence(&format!("{reason}.")));
        let how = match self.more(reaches.as_deref().unwrap_or_default()) {
            None => how,
            Some(more) if self.how.brief => format!("{}, {more}.", how.trim_end_matches('.')),
            Some(more) => format!("{how} {}.", sentence(&more)),
        };
        let parts = [ask, reason, reaches, fate, others, Some(how), after];
        let spoken = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        Self { spoken, ..self }
    }

    /// The lasting answer that ends the matter, to be spoken.
    fn more(&self, reaches: &str) -> Option<String> {
        let words = words(self.language);
        if let Some(Lasting::Folder(folder)) = self.offers.of(Span::Always) {
            return Some(words.say("ask-trust", &[("folder", visible(folder).into())]));
        }
        matches!(self.offers.of(Span::Session), Some(Lasting::Shape(..))).then(|| {
            match self.offers.whole_hosts() {
                [] => words.say("ask-session", &[]),
                [host] if [&self.ask, reaches].iter().any(|said| said.contains(network::bare(host))) => {
                    words.say("ask-session-site", &[])
                }
                hosts => words.say("ask-session-hosts", &[("hosts", visible(&hosts.join(", ")).into())]),
            }
        })
    }

    /// The same question in another language.
    #[must_use]
    pub fn in_language(&self, question: &Question, language: Language) -> Self {
        let prompt = Self::new(question, language, self.digit, &self.impact.home)
            .with_impact(Arc::clone(&self.impact))
            .with_how(self.how);
        let (offers, draft, asker) = (self.offers.clone(), self.draft.clone(), self.asker.clone());
        let group = self.group.clone();
        Self { draft, asker, group, ..prompt }.with_offers(offers).with_others(self.others.clone())
    }

    /// Adds the information beside the judgement.
    #[must_use]
    pub fn with_impact(self, impact: Arc<Impact>) -> Self {
        let words = words(self.language);
        let undoes = self.kind == ActionKind::Undo.name();
        let changes = impact.staged().map(|staged| match staged.changes(words) {
            Some(what) if undoes => words.say("staged-undoing", &[("what", what.into())]),
            Some(what) => words.say("staged-told", &[("what", what.into())]),
            None => words.say("staged-nothing", &[]),
        });
        let sentence = || impact.staged().map(|staged| staged.sentence(words));
        let staged = if undoes { changes.clone() } else { sentence() };
        let host = impact.host.as_ref().map(|wanted| host::effect(words, wanted));
        let tool = impact.tool.as_ref().map(|tool| tool.effect(words, &impact.home, &impact.cwd));
        // Only now is it known whether the path is a file, a folder or a link.
        let deleted = (self.kind == ActionKind::FileDelete.name()).then(|| impact.deleted()).flatten();
        let place = below(&self.object, &impact.home, "");
        let deleted = deleted.map(|kind| effect::deletes(words, &place, kind));
        let better = host.or(tool).or(deleted);
        let ask = match (&changes, &better) {
            // With known effects, the question is about them and not about the command's words.
            (Some(told), _) => told.clone(),
            // The question also differs if a running command wants a host, if a client runs its own tool, or if the
            // deleted object's kind is known.
            (None, Some(effect)) => asked(words, effect),
            (None, None) => self.ask,
        };
        let ask = if impact.late { words.say("ask-late", &[("ask", ask.into())]) } else { ask };
        let deletes = self.kind == ActionKind::FileDelete.name();
        let undo = (deletes || impact.keeping.is_some()).then(|| undoable(words, &impact, false));
        // For a deletion, undo is always spoken of; for a command, only if it is impossible.
        let told =
            deletes || matches!(impact.keeping, Some(Keeping::NoRoom(_) | Keeping::Never | Keeping::Unknown));
        let fate = match impact.staged() {
            Some(staged) => staged.fate(words),
            None => told.then(|| undoable(words, &impact, true)),
        };
        let told = impact.tool.as_ref().is_some_and(|tool| !tool.work.is_empty());
        let object = impact.tool.as_ref().map(|tool| match tool.object(&impact.home, &impact.cwd) {
            // A tool whose input has a command line is shown with that line.
            None if self.kind == ActionKind::RunCommand.name() => self.object.clone(),
            object => object.unwrap_or_else(|| visible(&tool.name)),
        });
        let held = impact.sandbox.as_ref().map(|held| impact::sandbox(words, held)).unwrap_or_default();
        let prompt = Self {
            ask,
            fate,
            reason: if staged.is_some() { self.known_reason.clone() } else { self.reason },
            effect: better.unwrap_or(self.effect),
            tool: impact.tool.as_ref().map(|tool| visible(&tool.name)),
            object: object.unwrap_or(self.object),
            tree: if told { Vec::new() } else { self.tree },
            // A rule's own sentence may name the program of the judged command, which nobody runs.
            reasons: if told {
                self.reasons.into_iter().map(ShownReason::by_name).collect()
            } else {
                self.reasons
            },
            staged,
            changes: impact.staged().map(|staged| staged.lines(words)).unwrap_or_default(),
            takes: impact.staged().map_or(Known::Begun, Staged::takes),
            touches: impact::touches(words, &impact).into_iter().chain(undo.clone()).collect(),
            undo,
            sandbox: [held, network::lines(words, &impact.network)].concat(),
            marks: impact.marks.iter().map(|mark| mark.text(words)).collect(),
            impact,
            ..self
        };
        prompt.composed()
    }

    /// Offers lasting answers, unless the risk is high or a password is needed.
    #[must_use]
    pub fn with_offers(self, offers: Offers) -> Self {
        let offers = if self.password || self.digit.is_some() { Offers::default() } else { offers };
        Self { offers, ..self }.composed()
    }

    /// Shows these questions with it.
    #[must_use]
    pub(super) fn with_others(self, others: Vec<Other>) -> Self {
        Self { others, ..self }.composed()
    }

    /// What questions that are answered together share. One with a digit, a password or a list is answered by itself.
    pub(super) fn shared(&self) -> Option<&str> {
        let short = self.digit.is_none() && !self.password && self.takes < Known::Whole;
        self.group.as_deref().filter(|_| short)
    }

    /// Asks for this digit instead of letters; what lasts is then not offered.
    #[must_use]
    pub fn with_digit(self, digit: char) -> Self {
        let digit = Some(digit).filter(|_| !self.password);
        let offers = self.offers.clone();
        Self { digit, ..self }.with_offers(offers)
    }

    /// The letters for yes, in capitals, and the letters for no.
    #[must_use]
    pub fn keys(&self) -> (Vec<char>, Vec<char>) {
        let yes = match (self.digit, self.language) {
            (Some(digit), _) => vec![digit],
            (None, Language::Portuguese) => vec!['Y', 'S'],
            (None, Language::English) => vec!['Y'],
            (None, Language::French) => vec!['Y', 'O'],
        };
        (yes, vec!['N'])
    }

    /// The meaning of a key: yes, always, no, or nothing.
    #[must_use]
    pub fn read(&self, key: Key) -> Option<ChannelReport> {
        let letter = match key {
            Key::Escape | Key::Interrupt => return Some(ChannelReport::No),
            Key::Letter(letter) => letter.to_ascii_uppercase(),
        };
        let (yes, no) = self.keys();
        match letter {
            _ if yes.contains(&letter) => Some(ChannelReport::Yes),
            _ if no.contains(&letter) => Some(ChannelReport::No),
            ALWAYS if self.offers.of(Span::Always).is_some() => Some(ChannelReport::Lasting(Span::Always)),
            SESSION if self.offers.of(Span::Session).is_some() => Some(ChannelReport::Lasting(Span::Session)),
            SPELL => Some(ChannelReport::Spell),
            _ => None,
        }
    }
}

/// The letter for *always* in every language: *always*, *autorizar*, *autoriser*.
pub const ALWAYS: char = 'A';

/// The letter for the rest of the session in every language: *temporarily*, *temporariamente*, *temporairement*.
pub const SESSION: char = 'T';

/// The letter that replaces the command: *mudar*, *modify*, *modifier*.
pub const WRITE: char = 'M';

/// The letter that spells the command aloud: *letra*, *letter*, *lettre*.
pub const SPELL: char = 'L';

/// The question whether to do this.
fn asked(words: &Words, effect: &str) -> String {
    sentence(&words.say("ask", &[("effect", effect.to_owned().into())]))
}

/// Whether deleted or overwritten files can be restored; an ear is not told for how long.
fn undoable(words: &Words, impact: &Impact, spoken: bool) -> String {
    match (impact.keeping, impact.undo_days) {
        (Some(Keeping::NoRoom(bytes)), _) => {
            words.say("undo-no-room", &[("size", rounded(words, bytes).into())])
        }
        (Some(Keeping::Unknown), _) => words.say("undo-unknown", &[]),
        (Some(Keeping::Never), _) | (_, None) => words.say("undo-never", &[]),
        (Some(Keeping::Named), Some(_)) if spoken => words.say("undo-yes-named", &[]),
        (Some(Keeping::All) | None, Some(_)) if spoken => words.say("undo-yes", &[]),
        (Some(Keeping::Named), Some(days)) => words.say("undo-named", &[("count", days.into())]),
        (Some(Keeping::All) | None, Some(days)) => words.say("undo-for", &[("count", days.into())]),
    }
}

/// The action's whole object: people see exactly what was judged. Only a command and a message may have lines.
fn object(action: &Action) -> String {
    match action {
        Action::Notify { title, body } if !body.is_empty() => visible_lines(&format!("{title}\n{body}")),
        Action::RunCommand { .. } | Action::Reply { .. } => visible_lines(&action.object()),
        other => visible(&other.object()),
    }
}
