//! guarda-desktop: the voice, the keys and the sound, each in a process of its own. A program of its own, since the
//! libraries that it is linked with take more memory than the service does at rest.

fn main() -> std::process::ExitCode {
    guarda::devices::helper::run_as_child().unwrap_or(std::process::ExitCode::from(2))
}
