//! The rules: verdicts, profiles, tables, and the facts that rules may ask about. No paths are opened here.

pub mod verdict;
pub mod situation;

pub use situation::{Program, Situation};
pub use verdict::{Finding, Verdict};
