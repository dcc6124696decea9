//! Files that no executed command needs to read, and files that are executed later outside any sandbox: the classes
//! `home-secret`, `system-secret` and `run-later` of `catalogue/places.toml`, which the judge uses as well. The build packs
//! them, since a supervisor has no rules.

use std::path::Path;

mod packed {
    include!(concat!(env!("OUT_DIR"), "/secrets.rs"));
}

/// The secrets of a home folder, by their paths in it.
pub fn of_home() -> impl Iterator<Item = &'static Path> {
    packed::HOME_SECRET.iter().map(Path::new)
}

/// Whether a file of this name directly in the home folder is a secret.
pub fn named(name: &str) -> bool {
    packed::HOME_SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The files of a home folder that are executed later outside any sandbox, by their paths in it.
pub fn run_later() -> impl Iterator<Item = &'static Path> {
    packed::RUN_LATER.iter().map(Path::new)
}

/// The secrets of the system.
pub fn of_system() -> impl Iterator<Item = &'static Path> {
    packed::SYSTEM_SECRET.iter().map(Path::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, Profile, Situation};

    #[test]
    fn what_a_cell_hides_is_a_secret_to_the_judge() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let home = Path::new("/home/ana");
        let mut hidden: Vec<_> =
            of_home().flat_map(|path| [home.join(path), home.join(path).join("x")]).collect();
        hidden.extend(of_system().map(Path::to_owned));
        hidden.push(home.join("notes.kdbx"));
        assert!(hidden.len() > 200, "{}", hidden.len());
        assert!(named("notes.kdbx") && !named("notes.txt"));
        let situation = Situation { home: "/home/ana".to_owned(), ..Situation::default() };
        for path in hidden {
            assert!(policy.in_class("secret", &path.to_string_lossy(), &situation), "{}", path.display());
        }
    }
}
