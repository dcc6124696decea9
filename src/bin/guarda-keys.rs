//! guarda-keys: reads the keyboards of this machine for the guard, as another user than the guard's. See docs/keys.md.

fn main() -> std::process::ExitCode {
    guarda::devices::keyboard::helper_main()
}
