//! The part of guarda-costas that decides. Every function depends on its arguments only: there are no files,
//! clocks, processes or networks here, and the manifest names no crate that would have them.
//!
//! A module uses only the modules above it.

pub mod encoding;
pub mod network;
pub mod action;
pub mod catalogue;
pub mod places;
pub mod effects;
pub mod policy;
pub mod git_config;
pub mod hosts;
pub mod judge;
pub mod gate;
pub mod output;
