//! Lays the built-in tables of rules over each other, for each profile, and packs them (`src/policy/shelf.rs`), so that
//! a start of the program has nothing to read. A broken table stops the build. And tells the linker what the system can read.

#[allow(dead_code)]
#[path = "src/policy/shelf.rs"]
mod shelf;
#[allow(dead_code)]
#[path = "src/policy/table.rs"]
mod table;

use std::error::Error;
use std::path::Path;

/// The tables of every profile, in the order in which they are laid over each other.
const TABLES: [&str; 17] = [
    "floor", "lists", "places", "words", "ask", "shell", "files", "text", "system", "network", "develop",
    "cloud", "disks", "devices", "servers", "session", "tools",
];

/// The profiles; each has a table of its own, which is laid on top.
const PROFILES: [&str; 4] = ["desktop", "workspace", "forensics", "container"];

/// Asks the linker to write the places of pointers in a twentieth of the space, where the C library that the programs are
/// built for can read that (2.36, of 2022). A service at rest takes half a mebibyte less.
#[expect(
    clippy::disallowed_methods,
    reason = "a build asks the system what it is; nobody's deed is done here"
)]
fn pack_relocations() {
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

fn main() -> Result<(), Box<dyn Error>> {
    pack_relocations();
    let root = std::env::var("CARGO_MANIFEST_DIR")?;
    let folder = Path::new(&root).join("src/policy");
    for watched in ["rules", "profiles", "shelf.rs", "table.rs"] {
        println!("cargo::rerun-if-changed=src/policy/{watched}");
    }
    let read = |file: String| -> Result<table::Table, Box<dyn Error>> {
        let text = std::fs::read_to_string(folder.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        Ok(table::read(&text)
            .map_err(|fault| format!("src/policy/{file}, line {}: {}", fault.line, fault.message))?)
    };
    for profile in PROFILES {
        let mut pile = shelf::Pile::default();
        for name in TABLES {
            pile.lay(read(format!("rules/{name}.toml"))?, "built-in");
        }
        pile.lay(read(format!("profiles/{profile}.toml"))?, "profile");
        let bytes = pile.to_bytes(profile)?;
        std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join(profile).with_extension("shelf"), bytes)?;
    }
    Ok(())
}
