//! Thin wrappers over the machine: processes, D-Bus, sound, keys, applications. They decide nothing.

pub mod fault;
pub mod session;
pub mod paths;
pub mod files;
pub mod tree;
pub mod patterns;
pub mod capture;
pub mod process;
pub mod sandbox;
pub mod random;
pub mod own;
pub mod inbox;
pub mod rewrite;
pub mod sibling;
pub mod folder;
pub mod state;
pub mod key;
pub mod helper;
pub mod speech;
pub mod keys;
pub mod draft;
pub mod terminal;
pub mod bus;
pub mod mpris;
pub mod pulse;
pub mod login;
pub mod backlight;
pub mod radio;
pub mod notify;
pub mod input;
pub mod apps;
pub mod handlers;
pub mod askpass;

pub use key::Key;
pub use state::State;
