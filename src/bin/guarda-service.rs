//! guarda-service: what `guarda serve` becomes. A separate program, because `guarda check` does not need most of it.

fn main() -> std::process::ExitCode {
    // Keepers and sudo's askpass are this program started again with a hidden sub-command or variable.
    guarda_sandbox::run_as_supervisor()
        .or_else(guarda_sandbox::stage::run_as_child)
        .or_else(guarda::devices::terminal::askpass::run_as_askpass)
        .unwrap_or_else(guarda::cli::run_service)
}
