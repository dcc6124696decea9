//! A rule in force: its reasons, and its conditions made ready when they are first needed.

use crate::policy::grammar::{Flags, Slots, Words};
use crate::policy::places::Class;
use crate::policy::table::RuleText;
use crate::policy::{Finding, Verdict};
use guarda_shell::script::Span;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A rule, for judging and for listing.
#[derive(Debug)]
pub struct Rule {
    /// The key of its table.
    pub id: String,
    /// `floor`, `built-in`, `profile`, or the name of the layer that gave or changed it.
    pub layer: String,
    /// What it asks for.
    pub verdict: Verdict,
    /// True if no later layer may touch it.
    pub locked: bool,
    /// The reason, in one English sentence.
    pub why: String,
    /// From 0 to 1.
    pub risk: f32,
    /// Everything as it was written.
    pub text: RuleText,
    ready: OnceLock<Result<Ready, String>>,
}

/// A rule's conditions, read.
#[derive(Debug, Default)]
pub(super) struct Ready {
    pub before: Flags,
    pub sub: Vec<Vec<Box<str>>>,
    pub spare_sub: Vec<Vec<Box<str>>>,
    pub risky: Words,
    pub flags: Flags,
    pub and_flags: Flags,
    pub without: Flags,
    pub operands: Slots,
    pub words: Words,
    pub at: Option<Class>,
    pub at_last: Option<Class>,
    pub at_sources: Option<Class>,
    pub writes_to: Option<Class>,
    pub reads_from: Option<Class>,
    pub fed_by: Words,
    pub guard: Own,
}

/// Whether the guard's own files are meant.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Own {
    /// The files themselves, and what is in its folders.
    pub inside: bool,
    /// The folders above them, too.
    pub above: bool,
    /// The files that only a person changes.
    pub settings: bool,
}

/// The names that rules refer to with `@`, and the classes of places.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub lists: BTreeMap<String, String>,
    pub places: BTreeMap<String, Lazy>,
}

/// A class of places, read when it is first needed.
#[derive(Debug)]
pub(super) struct Lazy {
    text: &'static str,
    class: OnceLock<Class>,
}

impl Lazy {
    pub(super) fn new(text: &'static str) -> Self {
        Self { text, class: OnceLock::new() }
    }
}

impl Names {
    /// The class of places with this name.
    pub(super) fn place(&self, name: &str) -> Option<&Class> {
        self.places.get(name).map(|lazy| lazy.class.get_or_init(|| Class::read(lazy.text)))
    }

    /// The patterns of the class with this name.
    pub(super) fn place_text(&self, name: &str) -> Option<&'static str> {
        self.places.get(name).map(|lazy| lazy.text)
    }

    fn class(&self, names: Option<&String>, guard: &mut Own) -> Result<Option<Class>, String> {
        let Some(names) = names else { return Ok(None) };
        let mut class = Class::default();
        for name in names.split_ascii_whitespace() {
            if name == "guard" || name == "guard-above" {
                guard.inside = true;
                guard.above |= name == "guard-above";
            } else if name == "settings" {
                guard.settings = true;
            } else {
                class.add(self.place(name).ok_or_else(|| format!("there is no class of places {name:?}"))?);
            }
        }
        Ok(Some(class))
    }
}

impl Rule {
    pub(super) fn new(id: String, layer: String, text: RuleText) -> Result<Self, String> {
        let verdict = verdict(&text)?;
        let risk = text.risk.unwrap_or(match verdict {
            Verdict::Allow => 0.05,
            Verdict::Review => 0.4,
            Verdict::Confirm => 0.5,
            Verdict::Password => 0.8,
            Verdict::Block => 1.0,
        });
        if !(0.0..=1.0).contains(&risk) {
            return Err(format!("the risk {risk} is not between 0 and 1"));
        }
        let why = text.why.clone().unwrap_or_else(|| match verdict {
            Verdict::Allow => "only reads".to_owned(),
            _ => "is on a list of commands to look at".to_owned(),
        });
        let locked = text.locked.unwrap_or(false);
        Ok(Self { id, layer, verdict, locked, why, risk, text, ready: OnceLock::new() })
    }

    /// A built-in rule that cannot be used: it holds everywhere, and asks.
    pub(super) fn broken(id: String, why: String) -> Self {
        Self {
            id,
            layer: "built-in".to_owned(),
            verdict: Verdict::Confirm,
            locked: true,
            why: "a rule of the guard is broken, so that nothing is sure".to_owned(),
            risk: 0.5,
            text: RuleText::default(),
            ready: OnceLock::from(Err(why)),
        }
    }

    /// The program names, as written, or the id.
    #[must_use]
    pub fn programs(&self) -> &str {
        self.text.programs(&self.id)
    }

    pub(super) fn tame(&self) -> bool {
        self.text.tame.unwrap_or(false)
    }

    /// True if what it lets through cannot reach the network.
    pub(super) fn local(&self) -> bool {
        self.text.local == Some(true) || self.by_words()
    }

    /// True if it may let a command through by its words alone.
    pub(super) fn by_words(&self) -> bool {
        self.text.by_words == Some(true)
    }

    pub(super) fn ready(&self, names: &Names) -> Result<&Ready, &str> {
        self.ready.get_or_init(|| self.make_ready(names)).as_ref().map_err(String::as_str)
    }

    fn make_ready(&self, names: &Names) -> Result<Ready, String> {
        let text = &self.text;
        let lists = &names.lists;
        let flags = |text: &Option<String>| match text {
            Some(text) => Flags::read(text, lists),
            None => Ok(Flags::default()),
        };
        let words = |text: &Option<String>| match text {
            Some(text) => Words::read(text, lists),
            None => Ok(Words::default()),
        };
        let subs = |text: &Option<String>| -> Vec<Vec<Box<str>>> {
            text.as_deref()
                .unwrap_or_default()
                .split('|')
                .map(|words| words.split_ascii_whitespace().map(Into::into).collect::<Vec<_>>())
                .filter(|words| !words.is_empty())
                .collect()
        };
        let operands = match (&text.operands, text.sub.is_some()) {
            (Some(text), _) => text.as_str(),
            (None, true) => "text*",
            (None, false) => "path*",
        };
        let mut guard = Own::default();
        Ok(Ready {
            before: flags(&text.before)?,
            sub: subs(&text.sub),
            spare_sub: subs(&text.spare_sub),
            risky: words(&text.risky)?,
            flags: flags(&text.flags)?,
            and_flags: flags(&text.and_flags)?,
            without: flags(&text.without)?,
            operands: Slots::read(operands)?,
            words: words(&text.words)?,
            at: names.class(text.at.as_ref(), &mut guard)?,
            at_last: names.class(text.at_last.as_ref(), &mut guard)?,
            at_sources: names.class(text.at_sources.as_ref(), &mut guard)?,
            writes_to: names.class(text.writes_to.as_ref(), &mut guard)?,
            reads_from: names.class(text.reads_from.as_ref(), &mut guard)?,
            fed_by: words(&text.fed_by)?,
            guard,
        })
    }

    /// The rule as a reason.
    pub(super) fn finding(&self, span: Span) -> Finding {
        Finding {
            rule: self.id.clone(),
            layer: self.layer.clone(),
            verdict: self.verdict,
            span: Some(span),
            why: self.why.clone(),
            instead: self.text.instead.clone(),
            risk: self.risk,
            tags: self
                .text
                .tags
                .as_deref()
                .unwrap_or_default()
                .split_ascii_whitespace()
                .map(Into::into)
                .collect(),
            contained: false,
        }
    }
}

/// The verdict that a rule asks for.
fn verdict(text: &RuleText) -> Result<Verdict, String> {
    Ok(match text.verdict.as_deref() {
        Some("allow") => Verdict::Allow,
        Some("review") => Verdict::Review,
        Some("confirm") => Verdict::Confirm,
        Some("password") => Verdict::Password,
        Some("block") => Verdict::Block,
        Some(other) => {
            return Err(format!(
                "there is no verdict {other:?}: write allow, review, confirm, password or block"
            ));
        }
        None => return Err("the rule has no verdict".to_owned()),
    })
}
