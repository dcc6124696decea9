//! Why rules, or the lists of a configuration, cannot be used.

use crate::policy::RuleError;
use crate::policy::rules::table::TableFault;

/// Rules or a list that cannot be used, and where they are.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{layer}{}: {fault}", if *line == 0 { String::new() } else { format!(", line {line}") })]
pub struct PolicyError {
    /// The layer's name, or the key of the list, such as `[bash] denied_commands`.
    pub layer: String,
    /// The line, from 1; 0 where there is none.
    pub line: usize,
    /// The error.
    pub fault: PolicyFault,
}

/// What is wrong with rules or a list. The texts are English clauses.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyFault {
    /// The tables cannot be read.
    #[error("{0}")]
    Table(TableFault),
    /// A rule cannot be used, or fails one of its examples.
    #[error("{0}")]
    Rule(RuleError),
    /// The rule of this id is marked as locked, which only the built-in floor is.
    #[error("only the built-in floor is locked; leave `locked` out of {0:?}")]
    Locks(String),
    /// The rule of this id belongs to the built-in floor.
    #[error("the rule {0:?} is locked, since it belongs to the floor; give yours another name")]
    Locked(String),
    /// An entry of a list that is not a readable command.
    #[error("{text:?} is not a command: {why}")]
    NoCommand {
        /// The entry.
        text: String,
        /// The reader's message.
        why: String,
    },
}
