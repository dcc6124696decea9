//! The command line and the life of the service that it starts.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod ask;
mod first_use;
mod managed;
mod models;
mod output;
mod prove;
mod recogniser;
mod service;
mod view;
