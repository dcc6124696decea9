//! expect: E0382
//! A question asked until the answer pleases.

use guarda_core::gate::{Pending, Question, Says};

pub fn forge(pending: Pending, question: &Question) -> bool {
    pending.settle(question.answer(Says::Silence)).is_ok() || pending.settle(question.answer(Says::Silence)).is_ok()
}
