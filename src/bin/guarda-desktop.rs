//! guarda-desktop: the voice, the keys and the sound, each in its own process. A separate program, because the
//! libraries that it links take more memory than an idle service.

fn main() -> std::process::ExitCode {
    guarda::devices::run_as_child().unwrap_or(std::process::ExitCode::from(2))
}
