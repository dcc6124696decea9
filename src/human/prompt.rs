//! A question as it is put to a person: what is said, what is shown, and which keys answer it.

use std::sync::Arc;

use crate::devices::Key;
use crate::human::channel::Report;
use crate::human::effect::effect;
use crate::human::impact::{self, Impact};
use crate::human::plain::visible;
use crate::human::reason;
use crate::human::staged::EffectLine;
use crate::human::words::{ago, words};
use guarda_core::action::vocabulary::Kind;
use guarda_core::action::{Action, Language};
use guarda_core::gate::{Number, Question};
use guarda_core::policy::Verdict;

/// A question in words. Made once, before it is put anywhere.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The question's number.
    pub number: Number,
    /// The language it is put in.
    pub language: Language,
    /// What is spoken.
    pub spoken: String,
    /// What happens after a yes, in words.
    pub effect: String,
    /// The name of the kind of action: `RUN_COMMAND`.
    pub kind: &'static str,
    /// The command line, path, address … in full, with hidden characters made visible. Never cut.
    pub object: String,
    /// The folder it would run in, where the caller named one.
    pub folder: Option<String>,
    /// The conversation, where the caller named one.
    pub session: Option<String>,
    /// Why it is asked, the gravest first.
    pub reasons: Vec<Reason>,
    /// Why the model wants it, in the model's words.
    pub reasoning: Option<String>,
    /// True where the system asks for the password after a yes.
    pub password: bool,
    /// How strict the judge was.
    pub verdict: Verdict,
    /// The joint risk, 0 to 1.
    pub risk: f32,
    /// The digit that says yes instead of the letters, for a question of high risk.
    pub digit: Option<char>,
    /// Whether a yes from now on may be said.
    pub always: bool,
    /// What would run, as the lines of a tree; empty where the command line says it all.
    pub tree: Vec<String>,
    /// What a staged run changed, in the sentence that is spoken; `None` where nothing was run yet.
    pub staged: Option<String>,
    /// The same in full: every change, with the differences between texts.
    pub changes: Vec<EffectLine>,
    /// What would be touched, in words.
    pub touches: Vec<String>,
    /// What a command would be kept in by, in words; empty for what is no command.
    pub sandbox: Vec<String>,
    /// What the conversation has taken in, in words.
    pub marks: Vec<String>,
    /// What those words are made of.
    pub impact: Arc<Impact>,
    /// The command line to the letter, where another may be written in its place; for an editor, not to be shown.
    pub draft: Option<String>,
    /// The warning that is spoken before the question.
    pub warning: Option<String>,
}

/// One reason, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// In the language of the prompt.
    pub text: String,
    /// The rule's own sentence (English) with the rule's name.
    pub rule: String,
    /// What to do instead.
    pub instead: Option<String>,
}

impl Prompt {
    /// The prompt for a question. `digit` is asked for instead of Y where it is given.
    #[must_use]
    pub fn new(question: &Question, language: Language, digit: Option<char>) -> Self {
        let words = words(language);
        let subject = &question.subject;
        let effect = effect(words, &subject.action);
        let password = question.verdict == Verdict::Password;
        let told = ("effect", effect.clone().into());
        let again = reason::since_last(question);
        let ask = match digit {
            _ if password => words.say("ask-password", &[told]),
            Some(digit) => words.say("ask-digit", &[told, ("digit", digit.to_string().into())]),
            None if let Some(since) = again => {
                words.say("ask-again", &[told, ("ago", ago(words, since).into())])
            }
            None => words.say("ask", &[told]),
        };
        let warning = reason::warning(words, question);
        let asked = question.findings.iter().filter(|finding| finding.verdict > Verdict::Allow);
        Self {
            number: question.number,
            language,
            spoken: warned(warning.as_deref(), ask),
            effect,
            kind: subject.action.kind().name(),
            object: visible(&object(&subject.action)),
            folder: subject.claims.cwd.as_deref().map(visible),
            session: subject.claims.session.as_deref().map(visible),
            reasons: asked
                .map(|finding| Reason {
                    text: reason::reason_known(words, finding, question.history.as_ref()),
                    rule: visible(&format!("{} — {}", finding.rule, finding.why)),
                    instead: finding.instead.as_deref().map(visible),
                })
                .collect(),
            reasoning: subject.claims.reasoning.as_deref().map(visible),
            password,
            verdict: question.verdict,
            risk: question.risk,
            digit: digit.filter(|_| !password),
            always: false,
            tree: match &subject.action {
                Action::RunCommand { script: Ok(script), .. } => crate::human::tree::lines(script),
                _ => Vec::new(),
            },
            staged: None,
            changes: Vec::new(),
            touches: Vec::new(),
            sandbox: Vec::new(),
            marks: Vec::new(),
            impact: Arc::default(),
            draft: None,
            warning,
        }
    }

    /// The same question in another language.
    #[must_use]
    pub fn in_language(&self, question: &Question, language: Language) -> Self {
        let prompt = Self::new(question, language, self.digit).with_impact(Arc::clone(&self.impact));
        Self { always: self.always, draft: self.draft.clone(), ..prompt }
    }

    /// Tells what is known beside the judgement.
    #[must_use]
    pub fn with_impact(self, impact: Arc<Impact>) -> Self {
        let words = words(self.language);
        let staged = impact.staged().map(|staged| staged.sentence(words));
        let staged = match staged {
            Some(told) if self.kind == Kind::Undo.name() => {
                Some(words.say("staged-undoing", &[("told", told.into())]))
            }
            staged => staged,
        };
        let spoken = match &staged {
            // What it did is known: that is what is asked, and not what its words may do.
            Some(staged) => warned(self.warning.as_deref(), self.ask_staged(staged)),
            None => self.spoken,
        };
        Self {
            spoken,
            staged,
            changes: impact.staged().map(|staged| staged.lines(words)).unwrap_or_default(),
            touches: impact::touches(words, &impact),
            sandbox: impact.sandbox.as_ref().map(|held| impact::sandbox(words, held)).unwrap_or_default(),
            marks: impact.marks.iter().map(|mark| mark.text(words)).collect(),
            impact,
            ..self
        }
    }

    /// The question about changes that were held back.
    fn ask_staged(&self, staged: &str) -> String {
        let (words, told) = (words(self.language), ("told", staged.to_owned().into()));
        match self.digit {
            _ if self.password => words.say("ask-staged-password", &[told]),
            Some(digit) => words.say("ask-staged-digit", &[told, ("digit", digit.to_string().into())]),
            None => words.say("ask-staged", &[told]),
        }
    }

    /// Offers the answer that holds from now on, unless the question is one of high risk or of a password.
    #[must_use]
    pub fn with_always(self, always: bool) -> Self {
        Self { always: always && !self.password && self.digit.is_none(), ..self }
    }

    /// The letters that say yes, in capitals, and those that say no.
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

    /// What a key says: yes, yes from now on, no, or nothing.
    #[must_use]
    pub fn read(&self, key: Key) -> Option<Report> {
        let letter = match key {
            Key::Escape | Key::Interrupt => return Some(Report::No),
            Key::Letter(letter) => letter.to_ascii_uppercase(),
        };
        let (yes, no) = self.keys();
        match letter {
            _ if yes.contains(&letter) => Some(Report::Yes),
            _ if no.contains(&letter) => Some(Report::No),
            ALWAYS if self.always => Some(Report::Always),
            SPELL => Some(Report::Spell),
            _ => None,
        }
    }
}

/// The letter that says yes from now on, in every language: *always*, *autorizar*, *autoriser*.
pub const ALWAYS: char = 'A';

/// The letter that has the command read aloud, sign by sign: *letra*, *letter*, *lettre*.
pub const SPELL: char = 'L';

fn warned(warning: Option<&str>, ask: String) -> String {
    match warning {
        Some(warning) => format!("{warning} {ask}"),
        None => ask,
    }
}

/// All that the action is about: what is judged is what is shown.
fn object(action: &Action) -> String {
    if let Action::Notify { title, body } = action
        && !body.is_empty()
    {
        return format!("{title}\n{body}");
    }
    action.object()
}
