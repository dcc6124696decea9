//! guarda-keeper: the process between the guard and what runs in a sandbox. A separate program, because one is
//! started for every confined command and must start fast.

fn main() -> std::process::ExitCode {
    guarda_sandbox::stage::run_as_child().unwrap_or_else(guarda_sandbox::supervise)
}
