//! guarda-keeper: stands between the guard and what runs in a sandbox. A program of its own, since `guarda` loads the
//! libraries of the voice and the display at every start, and a keeper is started for every command.

fn main() -> std::process::ExitCode {
    guarda_sandbox::stage::run_as_child().unwrap_or_else(guarda_sandbox::keep)
}
