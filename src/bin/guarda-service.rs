//! guarda-service: what `guarda serve` becomes. A program of its own, since `guarda check` has no use for most of it.

fn main() -> std::process::ExitCode {
    // The keepers of executed commands and sudo's askpass are this program again, started with a hidden word or variable.
    guarda_sandbox::run_as_keeper()
        .or_else(guarda_sandbox::stage::run_as_child)
        .or_else(guarda::devices::askpass::run_as_askpass)
        .unwrap_or_else(guarda::doors::cli::run_service)
}
