//! The ways in: bytes to a request, and the reply to bytes. What is allowed is decided elsewhere.

pub mod client;
pub mod hook;
pub mod http;
pub mod mcp;
pub mod ipc;
pub mod telemetry;
pub mod socket;
pub mod cli;
