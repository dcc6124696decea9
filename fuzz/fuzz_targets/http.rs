//! HTTP/1.1 from a client: a head means the same however it is split, and reading requests from a connection terminates.
#![no_main]

use guarda_core::network::Step;
use guarda_core::network::http::{Head, Requests};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Step::Done(head, used)) = Head::read(bytes) {
        assert_eq!(Head::read(&bytes[..used]), Ok(Step::Done(head.clone(), used)));
        assert_eq!(Head::read(&bytes[..used - 1]), Ok(Step::More));
        // The head that is sent to the host itself goes to the same place.
        let own = Head::for_origin(&bytes[..used]).expect("a head");
        if let Ok(Step::Done(own, _)) = Head::read(&own) {
            assert_eq!(own.host, head.host);
        }
    }
    let (mut requests, mut rest) = (Requests::default(), bytes);
    while let Ok(Step::Done(_, used)) = requests.next(rest) {
        assert!(used > 0);
        rest = &rest[used..];
    }
});
