//! guarda-service: what `guarda serve` becomes. A program of its own, because it loads the libraries of the voice, the
//! sound and the display, which `guarda check` would wait for at every start.

fn main() -> std::process::ExitCode {
    // The voice, the keys, the keepers of executed commands and sudo's askpass are this program again, started with a
    // hidden word or variable.
    guarda::devices::sandbox::run_as_keeper()
        .or_else(guarda::devices::helper::run_as_child)
        .or_else(guarda::devices::askpass::run_as_askpass)
        .unwrap_or_else(guarda::doors::cli::run_service)
}
