//! TLS hellos from a client: bytes behind a hello do not change its meaning.
#![no_main]

use guarda_core::network::{Destination, Host, Protocol, Step, flight, hello};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let to = Destination::new(Host::parse("a.example").expect("a host"), 443).expect("a port");
    let passed = flight::check(&to, Protocol::Web, bytes);
    if let Ok(Step::Done(hello, used)) = hello::read(bytes) {
        assert_eq!(hello::read(&bytes[..used]), Ok(Step::Done(hello.clone(), used)));
        assert_eq!(passed.is_ok(), hello.sni.is_none_or(|name| name == to.host));
    }
});
