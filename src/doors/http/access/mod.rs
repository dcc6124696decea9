//! Who may ask for what: hosts and web pages that are refused, tokens and what they allow, and guesses at them.

pub(super) mod check;
pub(super) mod guesses;
pub(super) mod hosts;
pub(super) mod lobby;
pub(super) mod scope;
pub(super) mod tokens;
