//! Rules as data: the tables, how they are packed, laid over each other and looked up, the grammar of their fields, and the
//! examples that each rule carries. How a table is written is in `README.md`.

mod rule_error;
mod policy_error;
pub mod table;
pub mod packed_rules;
pub(crate) mod grammar;
pub(crate) mod rule;
pub(crate) mod rule_set;
mod bans;
pub(crate) mod examples;

pub use bans::Bans;
pub use policy_error::{PolicyError, PolicyFault};
pub use rule::Rule;
pub use rule_error::RuleError;
pub use table::TableFault;
