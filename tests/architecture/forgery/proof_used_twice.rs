//! expect: E0382
//! One code for two answers.

use guarda_core::gate::Number;
use guarda::prompt::{Prompter, Elsewhere, Proof};

pub fn forge(desk: &Prompter, number: Number, proof: Proof) {
    let _ = desk.answer(number, &[], "http", Elsewhere::Yes(proof));
    let _ = desk.answer(number, &[], "http", Elsewhere::Lasting(proof, guarda_core::gate::Span::Always));
}
