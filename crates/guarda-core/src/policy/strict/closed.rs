//! The strict reading: whether an `allow` rule lists every word of a run.

mod options;

use crate::policy::Policy;
use crate::policy::line::context::{JudgeContext, base_name};
use crate::policy::rules::grammar::{ArgumentKind, Count, Flag, Flags, RuleCheck, Use};
use crate::policy::rules::rule::{ReadyRule, Rule};
use crate::policy::strict::check::{self, Fault};
use guarda_shell::script::{Redirect, RedirectKind, Run, Span, Word};

/// Why an `allow` rule does not admit a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Departure {
    /// In words, to follow "cannot be let through unasked:".
    pub why: String,
    /// Where.
    pub span: Span,
    /// How far the reading came. The rule that came furthest gives the most useful reason.
    pub depth: usize,
    /// Harmless in a cell: the program has no such option and says so, or the word is unknown before it runs.
    pub contained: bool,
    /// It names a file that may hold a secret.
    pub secret: bool,
}

impl Departure {
    fn of(fault: Fault, depth: usize, contained: bool) -> Self {
        let Fault { why, span, secret } = fault;
        Self { why, span, depth, contained, secret }
    }
}

/// The state of reading a run by one rule.
pub(crate) struct Reader<'a> {
    policy: &'a Policy,
    rule: &'a Rule,
    ready: &'a ReadyRule,
    context: &'a JudgeContext<'a>,
    index: usize,
    run: &'a Run,
    uses: Vec<Use<'a>>,
    at: usize,
    /// No operand may follow the sub-command.
    alone: bool,
}

type Step<T> = Result<T, Departure>;

/// Reads a run by an `allow` rule.
pub(crate) fn read<'a>(
    policy: &'a Policy,
    rule: &'a Rule,
    ready: &'a ReadyRule,
    context: &'a JudgeContext<'a>,
    index: usize,
    run: &'a Run,
) -> Step<()> {
    let mut reader =
        Reader { policy, rule, ready, context, index, run, uses: Vec::new(), at: 1, alone: false };
    reader.read()
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Step<()> {
        if self.rule.text.flags.is_none() && self.rule.text.operands.is_none() && self.rule.text.sub.is_none()
        {
            // The rule consists of its check alone.
            return self.check();
        }
        if !self.ready.sub.is_empty() {
            // Any sub-command may follow such an option.
            self.leading().map_err(|departure| Departure { contained: false, ..departure })?;
            self.command_words()?;
        }
        self.arguments()?;
        self.examine()?;
        self.check()
    }

    /// Applies the rule's check, if it has one.
    fn check(&self) -> Step<()> {
        let read = |rule: RuleCheck| check::run(rule, self.policy, self.context, self.index, self.run);
        self.ready.check.map_or(Ok(()), read).map_err(|fault| Departure::of(fault, 100, false))
    }

    /// The flag of this name; some programs take shortened names.
    fn long(&self, flags: &Flags, name: &str) -> Option<Flag> {
        let program = self.run.program().map(base_name).unwrap_or_default();
        if self.policy.listed("getopt", program) { flags.long_or_shortened(name) } else { flags.long(name) }
    }

    fn depart<T>(&self, why: impl Into<String>, word: &Word) -> Step<T> {
        let contained = word.unknown() || word.glob();
        Err(Departure::of(Fault::new(why, word.span), self.at, contained))
    }

    /// An option that is not listed. One that is nearly the same as a listed one counts as misspelt.
    fn unknown_option<T>(&self, flags: &Flags, name: &str, word: &Word) -> Step<T> {
        let contained = word.literal().is_none() || flags.nearly(name);
        let why = format!("the option {name:?} is not known to be harmless");
        Err(Departure::of(Fault::new(why, word.span), self.at, contained))
    }

    /// Flags before the sub-command.
    fn leading(&mut self) -> Step<()> {
        while let Some(word) = self.word() {
            let named = |sub: &Vec<Box<str>>| sub.first().is_some_and(|name| is_word(name, word));
            if !looks_like_flag(word) || self.ready.sub.iter().any(named) {
                break;
            }
            self.flag(word, true)?;
        }
        Ok(())
    }

    fn word(&self) -> Option<&'a Word> {
        self.run.words.get(self.at)
    }

    fn command_words(&mut self) -> Step<()> {
        let rest = self.run.words.get(self.at..).unwrap_or_default();
        match self.ready.sub.iter().filter_map(|sub| sub_length(sub, rest)).max() {
            Some((length, alone)) => {
                self.at += length;
                self.alone = !alone;
                Ok(())
            }
            None => {
                let span = rest.first().map_or(self.run.span, |word| word.span);
                let fault = Fault::new("this sub-command is not known to only read", span);
                Err(Departure::of(fault, self.at, false))
            }
        }
    }

    fn arguments(&mut self) -> Step<()> {
        let mut slot = 0usize;
        let mut first: Option<usize> = None;
        let mut replaced = false;
        let mut only_operands = false;
        while let Some(word) = self.word() {
            if !only_operands && word.literal() == Some("--") {
                only_operands = true;
                self.at += 1;
                continue;
            }
            if !only_operands && looks_like_flag(word) {
                if self.flag(word, false)? && !replaced {
                    replaced = true;
                    match first {
                        // The operand that was taken for the pattern is a file.
                        Some(at) => {
                            let kind = self.ready.operands.get(1).map(|(kind, _)| kind);
                            if let (Some(one), Some(kind)) = (self.uses.get_mut(at), kind) {
                                one.kind = kind;
                            }
                        }
                        None => slot = 1,
                    }
                }
                continue;
            }
            let Some((kind, count)) = self.ready.operands.get(slot).filter(|_| !self.alone) else {
                let why = format!("{:?} is one argument more than is known to be harmless", show(word));
                // Whatever it is: with an operand more, the program does something else (`gzip FILE`).
                return Err(Departure::of(Fault::new(why, word.span), self.at, false));
            };
            if count == Count::Once {
                slot += 1;
            }
            if kind == ArgumentKind::Command {
                if self.context.starts_something(self.index) {
                    return Ok(());
                }
                return self.depart("what it starts is not known", word);
            }
            first.get_or_insert(self.uses.len());
            self.uses.push(Use { kind, word, skip: 0 });
            self.at += 1;
        }
        Ok(())
    }

    /// Checks every argument by its kind.
    fn examine(&mut self) -> Step<()> {
        let uses = std::mem::take(&mut self.uses);
        for used in &uses {
            check::used(self.policy, self.context, self.index, *used)
                .map_err(|fault| Departure::of(fault, 1000, used.word.unknown() || used.word.glob()))?;
        }
        Ok(())
    }
}

/// The number of words of this sub-command, if it is the one given, and whether operands may follow. `<id>` stands for any name,
/// `x*` for any word that begins with `x`; a final `.` excludes operands.
fn sub_length(sub: &[Box<str>], rest: &[Word]) -> Option<(usize, bool)> {
    let (sub, alone) = match sub.split_last() {
        Some((last, head)) if **last == *"." && !head.is_empty() => (head, true),
        _ => (sub, false),
    };
    let fits = sub.len() <= rest.len() && sub.iter().zip(rest).all(|(name, word)| is_word(name, word));
    fits.then_some((sub.len(), !alone))
}

/// True if a word of a sub-command is the one that the table names.
fn is_word(name: &str, word: &Word) -> bool {
    word.literal().is_some_and(|text| match name.strip_suffix('*') {
        Some(head) => text.starts_with(head),
        None => *name == *text || *name == *"<id>" && plain_name(text),
    })
}

/// True for a redirection that changes nothing.
pub(crate) fn harmless(redirect: &Redirect) -> bool {
    match redirect.kind {
        RedirectKind::Duplicate | RedirectKind::Close | RedirectKind::Text | RedirectKind::Read => true,
        RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => {
            redirect.target.literal().is_some_and(nowhere)
        }
    }
}

/// True for a device that discards or only displays its input.
fn nowhere(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/full")
        || path.strip_prefix("/dev/fd/").is_some_and(|fd| fd.bytes().all(|byte| byte.is_ascii_digit()))
}

fn looks_like_flag(word: &Word) -> bool {
    let head = word.prefix();
    head.starts_with('-') && (head.len() > 1 || word.pieces.len() > 1)
}

/// True for a word that could be a sub-command: letters and digits, with `-`, `_`, `:` and `.` between them.
pub(crate) fn plain_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | ':' | '.'))
}

fn show(word: &Word) -> String {
    word.literal().unwrap_or_else(|| word.prefix()).to_owned()
}
