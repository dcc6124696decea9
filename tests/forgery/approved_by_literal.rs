//! expect: E0451
//! A permission made up.

use guarda::gate::{Approved, Decider};

pub fn forge(judgement: guarda::judge::Judgement) -> Approved {
    Approved { judgement, by: Decider::Policy, question: None, original: None }
}
