//! expect: E0451
//! An answer for a question that was not put.

use guarda_core::gate::{Answer, Number, Says};

pub fn forge(number: Number, digest: [u8; 32]) -> Answer {
    Answer { number, digest, says: Says::Yes { channel: String::new() } }
}
