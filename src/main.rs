//! guarda: the command. Everything it does is in the library.

fn main() -> std::process::ExitCode {
    // The voice and the keys live in children of this program; such a child is started with a hidden word.
    guarda::devices::helper::run_as_child().unwrap_or_else(guarda::doors::cli::run)
}
