//! guarda: the command. Everything it does is in the library.

fn main() -> std::process::ExitCode {
    guarda::doors::cli::run()
}
