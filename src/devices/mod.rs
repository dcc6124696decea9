//! Thin wrappers over the machine: processes, D-Bus, sound, keys, applications. They contain no decisions.

pub mod fault;
pub mod session;
pub mod paths;
pub mod files;
pub mod tree;
pub mod patterns;
pub mod census;
pub mod touch;
pub mod random;
pub mod inbox;
pub mod containers;
pub mod rewrite;
pub mod sibling;
pub mod ending;
pub mod own;
pub mod folder;
pub mod launch;
pub mod socket_activation;
pub mod holder;
pub mod state;
pub mod key;
pub mod helper;
pub mod speech;
pub mod gesture;
pub mod keys;
pub mod keyboard;
pub mod draft;
pub mod editor;
pub mod terminal;
pub mod bus;
pub mod mpris;
pub mod tone;
pub mod pulse;
pub mod sound;
pub mod login;
pub mod backlight;
pub mod radio;
pub mod endpoint;
pub mod notify;
pub mod input;
pub mod portal;
pub mod user_dirs;
pub mod display;
pub mod apps;
pub mod handlers;
pub mod pinentry;
pub mod askpass;

pub use key::Key;
pub use state::DeviceState;

/// Runs this process as a [`helper`] child, if it was started as one. Call this first in `main`.
#[must_use]
pub fn run_as_child() -> Option<std::process::ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next()?;
    if arguments.next().is_some() {
        return None;
    }
    let run: fn() -> std::process::ExitCode = match command.to_str()? {
        speech::COMMAND => speech::child_main,
        keys::COMMAND => keys::child_main,
        sound::COMMAND => sound::child_main,
        _ => return None,
    };
    Some(run())
}
