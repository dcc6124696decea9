//! The sections of the configuration that have rules of their own.

pub mod advice;
pub mod channels;
pub mod git;
pub mod hooks;
pub mod network;
pub mod password;
pub mod plugins;
pub mod registry;
pub mod sandbox;
pub mod services;
pub mod telemetry;
pub mod undo;
pub mod wyoming;
