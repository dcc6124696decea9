//! A pressed key, as far as answers need it.

/// One fresh press without modifiers, by the letter of the user's keyboard layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Key {
    /// A letter, digit or sign, in lower case.
    Letter(char),
    /// Escape.
    Escape,
    /// Ctrl-C in a terminal.
    Interrupt,
}
