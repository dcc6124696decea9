//! Any text: redaction comes to rest, and what it leaves it leaves again.
#![no_main]

use guarda_core::output::redact::redact;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(once) = redact(text) {
        let twice = redact(&once.text).map(|twice| twice.text);
        assert_eq!(twice, Ok(once.text));
    }
});
