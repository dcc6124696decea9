//! expect: E0451
//! A permission made up.

use guarda_core::gate::{Approved, Decider};

pub fn forge(judgement: guarda_core::judge::Judgement) -> Approved {
    Approved { judgement, by: Decider::Policy, question: None, original: None }
}
