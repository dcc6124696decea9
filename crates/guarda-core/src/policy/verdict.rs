//! The answer of the judge, and the reasons for it.

use guarda_shell::script::Span;

use super::{Origin, Tag};

/// How an action is to be treated. Ordered: a later one is stricter, and verdicts are combined by [`Ord::max`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Done without a question.
    Allow,
    /// The rules leave it open; a second opinion may settle it, otherwise it is asked like [`Verdict::Confirm`].
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
}

/// One reason for a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The rule's id, for example `delete-files`.
    pub rule: String,
    /// Where it comes from.
    pub origin: Origin,
    /// What this reason alone asks for.
    pub verdict: Verdict,
    /// The text it is about, as bytes of the script's source; `None` for an action that is no command.
    pub span: Option<Span>,
    /// Why, in one English sentence; the spoken text is chosen by `rule` and language.
    pub why: String,
    /// What to do instead, where there is such a thing.
    pub instead: Option<String>,
    /// From 0 (harmless) to 1 (catastrophic).
    pub risk: f32,
    /// What it is about.
    pub tags: Vec<Tag>,
    /// Whether all that speaks against the action is what is not known of it. In a cell that can do no harm
    /// ([`crate::action::Way::Look`]) this reason asks nobody.
    pub contained: bool,
}

impl Finding {
    /// Whether it is about this.
    #[must_use]
    pub fn is_about(&self, tag: &Tag) -> bool {
        self.tags.contains(tag)
    }

    /// Whether it is about any of these.
    #[must_use]
    pub fn is_about_any(&self, tags: &[Tag]) -> bool {
        tags.iter().any(|tag| self.is_about(tag))
    }

    /// Whether this reason still holds when it is known what a staged run changed: it is a person's or the caller's, and not
    /// about what the words may come to.
    pub(crate) fn outlasts(&self) -> bool {
        !self.contained && !self.origin.judges_words()
    }

    /// The same reason, which a cell that can do no harm makes void.
    #[must_use]
    pub(crate) fn contained(self) -> Self {
        Self { contained: true, ..self }
    }
}
