//! Processes: this one, its helper children, and other programs that the guard starts.

pub mod search;
pub mod sibling;
pub mod ending;
pub mod launch;
pub mod socket_activation;
pub mod holder;
pub mod helper;
