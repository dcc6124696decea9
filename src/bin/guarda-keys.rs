//! guarda-keys: reads this machine's keyboards for the guard, as a separate user. See docs/keys.md.

fn main() -> std::process::ExitCode {
    guarda::devices::keys::keyboard::helper_main()
}
