//! DNS messages from a client: each answer is a single small message, repeats the question, and holds at most one address.
#![no_main]

use guarda_core::network::dns::Query;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let answer = match Query::read(bytes) {
        Ok(query) => Some(query.answer(Some([198, 18, 0, 1].into()))),
        Err(answer) => answer,
    };
    if let Some(answer) = answer {
        assert_eq!(answer[..2], bytes[..2]);
        assert!(answer[2] & 0x80 != 0 && answer[7] <= 1 && answer.len() <= 12 + 255 + 4 + 16);
        assert_eq!(Query::read(&answer), Err(None));
    }
});
