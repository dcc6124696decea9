//! Agents and their hooks: messages, tickets, file tools, and the real clients.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod claims;
mod client_tools;
mod clients;
mod messages;
mod ticket_client;
mod tickets;
