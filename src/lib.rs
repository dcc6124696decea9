//! guarda-costas: the bodyguard between a language model and a person's computer.
//!
//! The rooms (modules) are listed in reading order. A room uses only rooms above it; `docs/architecture.md` describes
//! each.

pub mod config;
pub mod registry;
pub mod devices;
pub mod plugins;
pub mod advice;
pub mod interpret;
pub mod wording;
pub mod prompt;
pub mod hands;
pub mod guard;
pub mod doors;
pub mod app;
pub mod cli;
