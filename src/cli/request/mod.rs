//! Commands that send requests to the running service.

pub(super) mod act;
pub(super) mod ask;
pub(super) mod client;
pub(super) mod demo;
pub(super) mod network;
pub(super) mod questions;
pub(super) mod session;
pub(super) mod grants;
pub(super) mod trust;
pub(super) mod undo;
