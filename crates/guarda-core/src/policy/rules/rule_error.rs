//! Errors in rules. Also compiled into `build.rs`.

/// An error in a rule, and its remedy. The texts are English clauses.
#[derive(Debug, Clone, PartialEq, serde::Serialize, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RuleError {
    /// `@name` without a list of that name.
    #[error("there is no list {0:?}")]
    NoList(String),
    /// A list that contains itself.
    #[error("the list {0:?} holds itself")]
    Circular(String),
    /// A name that no class of places has.
    #[error("there is no class of places {0:?}")]
    NoClass(String),
    /// A name that no fact about a change has (`when`).
    #[error("there is no fact {0:?}")]
    NoFact(String),
    /// A name that no kind of change has.
    #[error("there is no change {0:?}")]
    NoChange(String),
    /// A name that no kind of word has.
    #[error("there is no kind {0:?}")]
    NoKind(String),
    /// A name that no reading in code has (`check`).
    #[error("there is no check {0:?}")]
    NoCheck(String),
    /// A flag that is not in the notation of rules.
    #[error("cannot read the flag {0:?}")]
    Flag(String),
    /// A name that no verdict has.
    #[error("there is no verdict {0:?}: write allow, review, confirm, password or block")]
    Verdict(String),
    /// A rule about commands without a verdict.
    #[error("the rule has no verdict")]
    NoVerdict,
    /// A rule about changes without one of its three verdicts.
    #[error("the verdict is `allow`, `confirm` or `block`")]
    EffectVerdict,
    /// A risk outside of its range.
    #[error("the risk {0} is not between 0 and 1")]
    Risk(f32),
    /// More of these than can be numbered.
    #[error("there are too many {0}")]
    TooMany(&'static str),
    /// Packed rules that are broken or cannot be packed; holds the serialiser's message.
    #[error("{0}")]
    Packing(String),
    /// An example that the rule should match or spare, and does not.
    #[error("rule {rule:?} should {} `{line}` and does not", if *matches { "match" } else { "spare" })]
    Example {
        /// The rule's id.
        rule: String,
        /// True if the rule should match the line, false if it should spare it.
        matches: bool,
        /// The example.
        line: String,
    },
    /// An example that cannot be read.
    #[error("rule {rule:?}: the example `{line}` cannot be read: {why}")]
    Unreadable {
        /// The rule's id.
        rule: String,
        /// The example.
        line: String,
        /// The reader's message.
        why: String,
    },
    /// An error in the rule of this id.
    #[error("rule {0:?}: {1}")]
    Within(String, Box<RuleError>),
}
