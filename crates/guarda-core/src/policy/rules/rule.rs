//! A rule in force: its reason, and its conditions, which are parsed when they are first needed.

use crate::places::{Atlas, Kinds};
use crate::policy::RuleError;
use crate::policy::rules::grammar::{Flags, RuleCheck, Slots, Words};
use crate::policy::rules::table::RuleText;
use crate::policy::{Finding, Verdict};
use crate::policy::{Origin, Tag};
use guarda_shell::script::Span;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A rule, for judging and for listing.
#[derive(Debug)]
pub struct Rule {
    /// The key of its table.
    pub id: String,
    /// Where it comes from: the floor, the built-in tables, the profile, or the layer that gave or changed it.
    pub layer: Origin,
    /// What it is about.
    pub tags: Vec<Tag>,
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
    ready: OnceLock<Result<ReadyRule, RuleError>>,
}

/// A rule's conditions, parsed.
#[derive(Debug, Default)]
pub(crate) struct ReadyRule {
    pub before: Flags,
    pub sub: Vec<Vec<Box<str>>>,
    pub spare_sub: Vec<Vec<Box<str>>>,
    pub flags: Flags,
    pub without: Flags,
    pub operands: Slots,
    pub words: Words,
    pub at: Option<Kinds>,
    pub at_last: Option<Kinds>,
    pub at_sources: Option<Kinds>,
    pub writes_to: Option<Kinds>,
    pub reads_from: Option<Kinds>,
    pub fed_by: Words,
    pub check: Option<RuleCheck>,
}

/// The names that rules refer to with `@`, and the classes of places.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub lists: BTreeMap<String, String>,
    /// The classes by name, with their patterns.
    places: Vec<(&'static str, &'static str)>,
    /// All of them, read when the first place is looked up.
    atlas: OnceLock<Atlas>,
    pub own: OwnClasses,
}

/// The classes that the code itself uses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OwnClasses {
    pub guard_names: Kinds,
    pub guard_files: Kinds,
    pub client_settings: Kinds,
    pub agent_kept: Kinds,
    pub secret: Kinds,
    pub trove: Kinds,
}

impl Names {
    /// # Errors
    /// [`RuleError`], if there are too many classes of places, or if one that the code uses is missing.
    pub(crate) fn new(
        lists: BTreeMap<String, String>,
        places: Vec<(&'static str, &'static str)>,
    ) -> Result<Self, RuleError> {
        let names = Self { lists, places, atlas: OnceLock::new(), own: OwnClasses::default() };
        if Kinds::numbered(names.places.len()).is_none() {
            return Err(RuleError::TooMany("classes of places"));
        }
        let own = OwnClasses {
            guard_names: names.class("guard-names")?,
            guard_files: names.class("guard-files")?,
            client_settings: names.class("client-settings")?,
            agent_kept: names.class("agent-kept")?,
            secret: names.class("secret")?,
            trove: names.class("trove")?,
        };
        Ok(Self { own, ..names })
    }

    /// All classes of places.
    pub(crate) fn atlas(&self) -> &Atlas {
        self.atlas.get_or_init(|| Atlas::read(self.places.iter().map(|(_, text)| *text)).unwrap_or_default())
    }

    /// The class of places with this name.
    ///
    /// # Errors
    /// [`RuleError`], if there is none.
    pub(crate) fn class(&self, name: &str) -> Result<Kinds, RuleError> {
        let at = self.places.iter().position(|(known, _)| *known == name);
        at.and_then(Kinds::numbered).ok_or_else(|| RuleError::NoClass(name.to_owned()))
    }

    /// The patterns of the class with this name.
    pub(crate) fn place_text(&self, name: &str) -> Option<&'static str> {
        self.places.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// The classes that a field of a rule names.
    fn classes(&self, names: Option<&String>) -> Result<Option<Kinds>, RuleError> {
        let Some(names) = names else { return Ok(None) };
        let mut kinds = Kinds::NONE;
        for name in names.split_ascii_whitespace() {
            kinds |= match name {
                "guard" => Kinds::GUARD,
                "guard-above" => Kinds::GUARD | Kinds::ABOVE_GUARD,
                "settings" => Kinds::SETTINGS,
                name => self.class(name)?,
            };
        }
        Ok(Some(kinds))
    }
}

impl Rule {
    pub(crate) fn new(id: String, layer: &str, text: RuleText) -> Result<Self, RuleError> {
        let verdict = text.verdict.as_deref().ok_or(RuleError::NoVerdict)?;
        let verdict: Verdict = verdict.parse().map_err(|_| RuleError::Verdict(verdict.to_owned()))?;
        let risk = risk(&text, verdict)?;
        let why = text.why.clone().unwrap_or_else(|| match verdict {
            Verdict::Allow => "only reads".to_owned(),
            _ => "is on a list of commands to look at".to_owned(),
        });
        let locked = text.locked.unwrap_or(false);
        let (layer, tags) = (Origin::named(layer), tags(&text));
        Ok(Self { id, layer, tags, verdict, locked, why, risk, text, ready: OnceLock::new() })
    }

    /// A stand-in for an invalid built-in rule: it applies everywhere, and asks.
    pub(crate) fn broken(id: String, why: RuleError) -> Self {
        Self {
            id,
            layer: Origin::BuiltIn,
            tags: Vec::new(),
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

    pub(crate) fn tame(&self) -> bool {
        self.text.tame.unwrap_or(false)
    }

    /// True if the runs that it admits cannot reach the network.
    pub(crate) fn local(&self) -> bool {
        self.text.local == Some(true) || self.by_words()
    }

    /// True if it may allow a command by its words alone.
    pub(crate) fn by_words(&self) -> bool {
        self.text.by_words == Some(true)
    }

    pub(crate) fn ready(&self, names: &Names) -> Result<&ReadyRule, &RuleError> {
        self.ready.get_or_init(|| self.make_ready(names)).as_ref()
    }

    fn make_ready(&self, names: &Names) -> Result<ReadyRule, RuleError> {
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
        Ok(ReadyRule {
            before: flags(&text.before)?,
            sub: subs(&text.sub),
            spare_sub: subs(&text.spare_sub),
            flags: flags(&text.flags)?,
            without: flags(&text.without)?,
            operands: Slots::read(operands)?,
            words: words(&text.words)?,
            at: names.classes(text.at.as_ref())?,
            at_last: names.classes(text.at_last.as_ref())?,
            at_sources: names.classes(text.at_sources.as_ref())?,
            writes_to: names.classes(text.writes_to.as_ref())?,
            reads_from: names.classes(text.reads_from.as_ref())?,
            fed_by: words(&text.fed_by)?,
            check: text.check.as_deref().map(RuleCheck::named).transpose()?,
        })
    }

    /// The finding of this rule.
    pub(crate) fn finding(&self, span: Span) -> Finding {
        Finding {
            span: Some(span),
            instead: self.text.instead.clone(),
            tags: self.tags.clone(),
            contained: self.text.contained == Some(true),
            ..Finding::new(&self.id, self.layer.clone(), self.verdict, self.risk, self.why.as_str())
        }
    }
}

/// The risk of what a rule objects to.
///
/// # Errors
/// [`RuleError`], if it is out of range.
pub(crate) fn risk(text: &RuleText, verdict: Verdict) -> Result<f32, RuleError> {
    let risk = text.risk.unwrap_or(verdict.usual_risk());
    if (0.0..=1.0).contains(&risk) { Ok(risk) } else { Err(RuleError::Risk(risk)) }
}

/// What a rule is about.
pub(crate) fn tags(text: &RuleText) -> Vec<Tag> {
    text.tags.as_deref().unwrap_or_default().split_ascii_whitespace().map(Tag::named).collect()
}
