//! For any text the reader terminates, and its result is consistent.
#![no_main]

use guarda_shell::script::Dialect;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for dialect in [Dialect::Bash, Dialect::Sh] {
        match guarda_shell::read(text, dialect) {
            Ok(script) => {
                for (index, run) in script.runs().iter().enumerate() {
                    assert!(run.span.start <= run.span.end && run.span.end <= text.len());
                    assert!(run.parent.is_none_or(|parent| parent < index));
                    assert!(run.words.iter().all(|word| text.get(word.span.start..word.span.end).is_some()));
                }
                for doubt in script.doubts() {
                    assert!(doubt.span.end <= text.len());
                }
            }
            Err(unsure) => assert!(!unsure.reason.is_empty() && unsure.span.end <= text.len()),
        }
    }
});
