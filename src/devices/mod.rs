//! Thin wrappers over the machine: processes, D-Bus, sound, keys, applications. They decide nothing.

pub mod session;
pub mod paths;
pub mod files;
pub mod capture;
pub mod process;
pub mod random;
pub mod own;
pub mod folder;
