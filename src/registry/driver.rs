//! The interface between the store and a database: running statements. A driver knows nothing about commands.
//!
//! The statements are the same for every database. Their values are numbered (`?1`); values and columns are
//! JSON numbers, texts or null.

use serde_json::Value;

/// An open connection to a database. Its methods block; all calls come from one thread.
///
/// Every method fails with a [`StoreError`]. After [`StoreError::Unreachable`] or [`StoreError::Damaged`] the
/// connection is not used again.
pub(super) trait Driver: Send {
    /// Begins a transaction. No other connection can write what it reads until it ends.
    fn begin(&mut self) -> Result<(), StoreError>;

    /// Ends the transaction. Its changes are then on disk.
    fn commit(&mut self) -> Result<(), StoreError>;

    /// Ends the transaction and discards its changes.
    fn roll_back(&mut self) -> Result<(), StoreError>;

    /// Runs a statement and returns the number of changed rows.
    fn run(&mut self, statement: &str, values: &[Value]) -> Result<u64, StoreError>;

    /// Runs a statement and returns its rows, each as an array.
    fn rows(&mut self, statement: &str, values: &[Value]) -> Result<Vec<Value>, StoreError>;

    /// A number that changes when another connection has written; `None` if only a statement can tell.
    fn version(&mut self) -> Result<Option<i64>, StoreError>;

    /// Removes the remains of deleted rows from the disk.
    fn compact(&mut self) -> Result<(), StoreError>;
}

/// The schema's migrations, in order. The first creates the table of feature B1 or finds it.
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
