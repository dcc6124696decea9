//! guarda: the command. Everything it does is in the library.

fn main() -> std::process::ExitCode {
    // The voice, the keys and the keepers of executed commands live in children of this program; such a child is
    // started with a hidden word.
    guarda::devices::sandbox::run_as_keeper()
        .or_else(guarda::devices::helper::run_as_child)
        .unwrap_or_else(guarda::doors::cli::run)
}
