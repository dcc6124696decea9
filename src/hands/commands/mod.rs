//! The hand that runs commands: their plan, their cells, their streams and their environment.

pub(in crate::hands) mod cells;
pub(in crate::hands) mod command;
pub(in crate::hands) mod environment;
mod own_ports;
pub(in crate::hands) mod plan;
pub(in crate::hands) mod sandbox_plan;
pub(in crate::hands) mod sessions;
pub(in crate::hands) mod shell;
pub(in crate::hands) mod streams;
