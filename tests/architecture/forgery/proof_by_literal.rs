//! expect: E0451
//! A yes from elsewhere, without the code that is shown and spoken where the question is asked.

use guarda::prompt::{Elsewhere, Proof};
use guarda::wording::Known;

pub fn forge(number: guarda_core::gate::Number) -> Elsewhere {
    Elsewhere::Yes(Proof { number, known: Known::Whole })
}
