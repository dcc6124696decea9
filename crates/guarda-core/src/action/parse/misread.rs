//! Why a request could not be understood.

use super::hint::Hint;

/// The request could not be understood. The caller has to correct it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misread {
    /// A field is missing.
    #[error("the field \"{0}\" is missing")]
    Missing(&'static str),
    /// A field has the wrong type.
    #[error("the field \"{field}\" must be {expected}")]
    Type {
        /// The field.
        field: &'static str,
        /// The required type.
        expected: Hint,
    },
    /// A field's value is not one of the accepted values.
    #[error("\"{value}\" is not a value for \"{field}\": {hint}")]
    Value {
        /// The field.
        field: &'static str,
        /// The given value.
        value: String,
        /// The accepted values.
        hint: Hint,
    },
    /// A field has no meaning for this action.
    #[error("this action takes no \"{field}\"{}", meant.map_or_else(String::new, |meant| format!("; did you mean \"{meant}\"?")))]
    Unread {
        /// The field, or the name in `params`.
        field: String,
        /// The known name that differs by one slip.
        meant: Option<&'static str>,
    },
    /// The command line is empty.
    #[error("the command is empty; write it in \"target\"")]
    EmptyCommand,
    /// Two fields with the same meaning have different values.
    #[error("\"args\" and \"params\" are two names of one field; give only one")]
    Twice,
}

impl Misread {
    /// The beginning of a value that the field cannot have.
    pub(in crate::action) fn value(field: &'static str, value: &str, hint: Hint) -> Self {
        Self::Value { field, value: value.chars().take(64).collect(), hint }
    }
}
