//! The service as a process: it reads the configuration, builds the guard, opens the doors, and closes them in order. The command
//! line uses the same configuration, errors and terminal.

pub(crate) mod assemble;
mod banner;
pub mod error;
pub(crate) mod load;
pub(crate) mod paths;
mod recovery;
mod reload;
pub(crate) mod serve;
mod service;
pub(crate) mod settings;
mod shut_down;
pub(crate) mod status;
pub(crate) mod terminal;
mod unattended;

pub use error::{CliError, ExitStatus};
pub(crate) use load::{LoadError, Loaded};
