//! What the store needs of a database: to run statements. A driver knows nothing of commands.
//!
//! The statements are the same for every database. Their values are numbered (`?1`), and both values and columns are
//! JSON: a number, a text or nothing.

use serde_json::Value;

/// An open connection to a database. Its methods block; they are called on one thread.
///
/// Every method fails with a [`StoreError`]. After [`StoreError::Unreachable`] or [`StoreError::Damaged`] the connection
/// is not used again.
pub(super) trait Driver: Send {
    /// Begins a transaction, in which this connection is the only one that writes what it read.
    fn begin(&mut self) -> Result<(), StoreError>;

    /// Ends the transaction. What it changed is on disk then.
    fn commit(&mut self) -> Result<(), StoreError>;

    /// Ends the transaction without a trace.
    fn roll_back(&mut self) -> Result<(), StoreError>;

    /// Runs a statement, and returns how many rows it changed.
    fn run(&mut self, statement: &str, values: &[Value]) -> Result<u64, StoreError>;

    /// Runs a statement, and returns its rows: an array each.
    fn rows(&mut self, statement: &str, values: &[Value]) -> Result<Vec<Value>, StoreError>;

    /// A number that is another one after another connection has written; `None` where only a statement finds out.
    fn version(&mut self) -> Result<Option<i64>, StoreError>;

    /// Removes what deleted rows left behind on the disk.
    fn compact(&mut self) -> Result<(), StoreError>;
}

/// The steps from one version of the schema to the next. The first creates the table of feature B1, or finds it.
pub(super) const STEPS: [&str; 2] = [include_str!("statements/seed.sql"), include_str!("statements/own.sql")];

/// Why the store failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another program locked it for too long.
    #[error("it is locked by another program; end that program, or wait")]
    Locked,
    /// The content is damaged.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// It can be read but not written.
    #[error("it cannot be written: {0}")]
    ReadOnly(String),
    /// It is missing.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// A newer version created it.
    #[error(
        "it was made by a newer version of guarda (schema {found}, this one knows {known}); update guarda"
    )]
    Newer {
        /// Its version.
        found: i64,
        /// The newest known version.
        known: i64,
    },
    /// Another error.
    #[error("{0}")]
    Other(String),
}
