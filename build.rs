//! Linker options that depend on the system.

/// Asks the linker to store relocations in a twentieth of the space if the target's C library can read that
/// form (2.36, of 2022). A service at rest then takes half a mebibyte less.
#[expect(
    clippy::disallowed_methods,
    reason = "a build asks the system what it is; nobody's deed is done here"
)]
fn main() {
    // By default, a change in any file of the package, even a document, rebuilds the whole program.
    println!("cargo::rerun-if-changed=build.rs");
    let here =
        std::env::var("HOST").is_ok_and(|host| std::env::var("TARGET").is_ok_and(|target| host == target));
    if !here || std::env::var("CARGO_CFG_TARGET_ENV").as_deref() != Ok("gnu") {
        return;
    }
    let Ok(said) = std::process::Command::new("getconf").arg("GNU_LIBC_VERSION").output() else { return };
    let said = String::from_utf8_lossy(&said.stdout);
    let mut numbers =
        said.trim().trim_start_matches("glibc ").split('.').map_while(|part| part.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) >= (Some(2), Some(36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
