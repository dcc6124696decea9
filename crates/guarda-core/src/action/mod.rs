//! Requests, and the closed set of actions. No files and no clocks.

pub mod language;
pub mod custody;
pub mod way;
pub mod slip;

pub mod pose;
pub mod kinds;
pub mod undo;
pub mod object;
pub mod request;
pub mod parse;
pub mod vocabulary;
pub mod grammar;
pub mod calls;
pub mod phrases;

pub use kinds::{FileOperation, Level, MediaKey, Power, Radio, Repeat, Switch};
pub use language::Language;
pub use object::Object;
pub use parse::{Claims, Hint, Misread, Proposal};
pub use request::{AT, Request, is_named, is_session_name};
pub use undo::{Sessions, UndoOf, UndoSince};
pub use vocabulary::{Action, Setting};
pub use way::Way;
