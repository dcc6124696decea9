//! Commands, builtins and what they start or change.

pub(crate) mod names;
mod start;
mod simple;
mod compound;
mod conditions;
mod builtins;
mod setters;
mod settings;
mod output;
