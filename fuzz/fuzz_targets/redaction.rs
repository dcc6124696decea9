//! For any text redaction converges, and a second redaction changes nothing.
#![no_main]

use guarda_core::output::redact::redact;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(once) = redact(text) {
        let twice = redact(&once.text).map(|twice| twice.text);
        assert_eq!(twice, Ok(once.text));
    }
});
