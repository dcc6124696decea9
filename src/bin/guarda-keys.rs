//! guarda-keys: reads this machine's keyboards for the guard, as a separate user. See docs/keys.md.

fn main() -> std::process::ExitCode {
    guarda::devices::keyboard::helper_main()
}
