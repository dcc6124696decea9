//! Hooks: a coding agent's client asks before each tool call, and runs the tool itself if that is allowed. All
//! clients' messages become one kind of event.

pub mod answer;
pub mod asked;
pub mod client;
pub mod decide;
pub mod event;
mod fields;
mod known;
mod misread;
pub mod read;
pub mod relay;
pub mod settings;
pub mod through;
pub mod title;
pub mod tools;
mod writing;

pub use answer::{Decision, Dialect};
pub use asked::HookQuestion;
pub use client::{Client, UnknownClient};
pub use event::{Does, HookEvent};
pub use misread::Misread;
