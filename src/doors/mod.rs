//! The entrances. Each door decodes bytes into a request and encodes the reply. Doors contain no rules.

pub mod client;
pub(crate) mod detail;
pub mod frames;
pub mod hook;
pub mod http;
pub mod mcp;
pub mod ipc;
pub mod telemetry;
pub mod socket;
pub mod wyoming;
