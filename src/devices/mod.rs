//! Thin wrappers over the machine: processes, D-Bus, sound, keys, applications. They contain no decisions.

pub mod fault;
pub mod state;
pub mod random;
pub mod desktop;
pub mod filesystem;
pub mod process;
pub mod exchange;
pub mod sound;
pub mod keys;
pub mod terminal;
pub mod endpoint;

pub use keys::key::Key;
pub use state::DeviceState;

/// Runs this process as a [`process::helper`] child, if it was started as one. Call this first in `main`.
#[cfg(feature = "desktop")]
#[must_use]
pub fn run_as_child() -> Option<std::process::ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next()?;
    if arguments.next().is_some() {
        return None;
    }
    let run: fn() -> std::process::ExitCode = match command.to_str()? {
        sound::speech::COMMAND => sound::speech::child_main,
        keys::x11::COMMAND => keys::x11::child_main,
        sound::output::COMMAND => sound::output::child_main,
        _ => return None,
    };
    Some(run())
}
