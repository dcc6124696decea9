//! Requests, and the closed set of actions. No files and no clocks.

pub mod language;
pub mod custody;
pub mod way;
pub mod slip;

pub mod pose;
pub mod vocabulary;
pub mod grammar;
pub mod calls;
pub mod request;
pub mod kinds;
pub mod parse;

pub use kinds::{Action, FileOperation, Level, MediaKey, Power, Radio, Repeat, Switch};
pub use language::Language;
pub use parse::{Claims, Hint, Misread, Proposal};
pub use request::Request;
pub use way::Way;
