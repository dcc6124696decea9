//! The doors on the network and beside it: HTTP, MCP, the folder of requests, containers, the console.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod api;
mod console;
mod containers;
mod hostile;
mod ipc;
mod mcp;
mod surface;
