//! Commands that set up, check and try the guard on this machine.

mod clients;
pub(super) mod config;
pub(super) mod doctor;
pub(super) mod hook;
pub(super) mod keys;
pub(super) mod probe;
pub(super) mod speak;
pub(super) mod token;
pub(super) mod trusted_keyboard;
