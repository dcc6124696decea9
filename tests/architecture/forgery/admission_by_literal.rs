//! expect: E0451
//! A console that nobody at the desk let in.

use guarda::prompt::Admission;

pub fn forge() -> Admission {
    Admission { coded: true }
}
