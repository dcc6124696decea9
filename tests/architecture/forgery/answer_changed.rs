//! expect: E0616
//! A no turned into a yes.

use guarda_core::gate::{Answer, Says};

pub fn forge(mut answer: Answer) -> Answer {
    answer.says = Says::Yes { channel: String::new() };
    answer
}
