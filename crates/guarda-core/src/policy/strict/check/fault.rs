//! Why an argument does not pass.

use guarda_shell::script::Span;

/// Why an argument does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// In words, to follow "cannot be let through unasked:".
    pub why: String,
    /// Where it stands.
    pub span: Span,
    /// It names a file that may hold a secret.
    pub secret: bool,
}

impl Fault {
    pub(crate) fn new(why: impl Into<String>, span: Span) -> Self {
        Self { why: why.into(), span, secret: false }
    }

    pub(super) fn secret(why: &str, span: Span) -> Self {
        Self { secret: true, ..Self::new(why, span) }
    }
}
