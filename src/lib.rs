//! guarda-costas: the bodyguard between a language model and a person's computer.
//!
//! The rooms below stand in reading order; a room uses only rooms above it.

pub mod config;
pub mod record;
pub mod devices;
pub mod plugins;
pub mod advice;
pub mod human;
pub mod hands;
pub mod guard;
pub mod doors;
