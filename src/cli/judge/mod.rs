//! Commands that judge, or hide secrets, without a service.

pub(super) mod advise;
pub(super) mod check;
pub(super) mod command;
mod diagnosis;
pub(super) mod lines;
pub(super) mod plugin;
pub(super) mod redact;
pub(super) mod rules;
mod view;
