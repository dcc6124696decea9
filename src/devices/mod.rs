//! Thin wrappers over the machine: processes, D-Bus, sound, keys, applications. They decide nothing.

pub mod session;
pub mod paths;
pub mod files;
pub mod capture;
pub mod process;
pub mod random;
pub mod own;
pub mod folder;
pub mod state;
pub mod key;
pub mod helper;
pub mod speech;
pub mod keys;
pub mod terminal;

pub use key::Key;
pub use state::State;
