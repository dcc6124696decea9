//! SOCKS5 from a client: bytes behind a request do not change the answer.
#![no_main]

use guarda_core::network::{Destination, Step, socks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Step::Done(_, used)) = socks::greeting(bytes) {
        assert!(socks::greeting(&bytes[..used - 1]) == Ok(Step::More));
    }
    if let Ok(Step::Done(to, used)) = socks::request(bytes) {
        assert_eq!(socks::request(&bytes[..used]), Ok(Step::Done(to.clone(), used)));
        assert_eq!(Destination::authority(&to.to_string(), None), Ok(to));
    }
});
