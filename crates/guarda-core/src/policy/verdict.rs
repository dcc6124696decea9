//! Verdicts, and the findings that lead to them.

use guarda_shell::script::Span;

use super::{Origin, Tag};

/// The treatment of an action. Ordered: a later one is stricter, and verdicts are combined by [`Ord::max`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// Done without a question.
    Allow,
    /// The rules leave it open. A second opinion may settle it; otherwise a person is asked as for
    /// [`Verdict::Confirm`].
    Review,
    /// A person is asked.
    Confirm,
    /// A person is asked, and then the system asks for the password.
    Password,
    /// Never done.
    Block,
}

impl Verdict {
    /// The status on the wire, as feature M7 names it. `Review` is a question like `Confirm`.
    #[must_use]
    pub fn status(self) -> &'static str {
        match self {
            Self::Allow => "approved",
            Self::Review | Self::Confirm => "requires_confirmation",
            Self::Password => "requires_password",
            Self::Block => "blocked",
        }
    }

    /// The risk of what a rule with this verdict objects to, unless the rule says otherwise.
    pub(crate) fn usual_risk(self) -> f32 {
        match self {
            Self::Allow => 0.05,
            Self::Review => 0.4,
            Self::Confirm => 0.5,
            Self::Password => 0.8,
            Self::Block => 1.0,
        }
    }
}

impl serde::Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.status())
    }
}

/// One reason for a verdict.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    /// The rule.
    #[cfg_attr(feature = "openapi", schema(example = "delete-files"))]
    pub rule: String,
    /// The layer of the rule: `floor`, `built-in`, `profile`, `config`, `caller`, `reader`, `default` …
    #[serde(rename = "layer")]
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub origin: Origin,
    /// The verdict of this reason alone.
    #[serde(rename = "status")]
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub verdict: Verdict,
    /// The reason, as one English sentence. A person gets the words for `rule` in their language.
    pub why: String,
    /// The suggested alternative.
    pub instead: Option<String>,
    /// The risk, from 0 (harmless) to 1 (catastrophic).
    pub risk: f32,
    /// Tags, for filters.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub tags: Vec<Tag>,
    /// The text that it refers to, as byte offsets into the command line; null for an action that is not a command.
    pub span: Option<Span>,
    /// True if it objects only to what is unknown about the action. A cell that can do no harm
    /// ([`crate::action::Way::Look`]) makes it void.
    #[serde(skip)]
    pub contained: bool,
    /// What it is about, for the words of a person's language: files, ports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub names: Vec<String>,
}

/// Tags of rules about effects that no cell can hold back: on other machines, services, processes or devices, or
/// reading secrets.
const BEYOND: &[Tag] = &[
    Tag::Network,
    Tag::Remote,
    Tag::Privilege,
    Tag::Power,
    Tag::Process,
    Tag::Disk,
    Tag::Persistence,
    Tag::Keys,
    Tag::Secrets,
    Tag::Guard,
    Tag::Exfiltration,
];
/// The same for findings of the code itself.
const BEYOND_RULES: &[&str] = &["secret-file", "secret-variable"];

impl Finding {
    /// A reason without a place, a tag or an alternative.
    #[must_use]
    pub fn new(rule: &str, origin: Origin, verdict: Verdict, risk: f32, why: impl Into<String>) -> Self {
        Self {
            rule: rule.to_owned(),
            origin,
            verdict,
            why: why.into(),
            instead: None,
            risk,
            tags: Vec::new(),
            span: None,
            contained: false,
            names: Vec::new(),
        }
    }

    /// Whether it has this tag.
    #[must_use]
    pub fn is_about(&self, tag: &Tag) -> bool {
        self.tags.contains(tag)
    }

    /// Whether it has one of these tags.
    #[must_use]
    pub fn is_about_any(&self, tags: &[Tag]) -> bool {
        tags.iter().any(|tag| self.is_about(tag))
    }

    /// Whether this finding still counts once the changes of a staged run are known: it comes from a person or the
    /// caller and does not depend on the meaning of the words.
    pub(crate) fn outlasts(&self) -> bool {
        !self.contained && !self.origin.judges_words()
    }

    /// Whether it is a reason to ask. What the registry adds to a question is none.
    pub(crate) fn asks(&self) -> bool {
        self.verdict > Verdict::Allow && self.origin != Origin::Registry
    }

    /// Whether it is about nothing but what changes in files, which can be held back.
    pub(crate) fn is_about_changes(&self) -> bool {
        !BEYOND_RULES.contains(&self.rule.as_str()) && !self.is_about_any(BEYOND)
    }

    /// The same finding, made void by a cell that can do no harm.
    #[must_use]
    pub(crate) fn contained(self) -> Self {
        Self { contained: true, ..self }
    }
}

/// A finding of the code itself, which no table defines.
pub(crate) fn plain(rule: &str, verdict: Verdict, span: Span, why: impl Into<String>) -> Finding {
    let risk = if verdict == Verdict::Allow { 0.05 } else { 0.5 };
    Finding { span: Some(span), ..Finding::new(rule, Origin::Default, verdict, risk, why) }
}
