//! For any bytes and limits, the result is text within the limits and never longer than the input; a second cut changes nothing.
#![no_main]

use guarda_core::output::text::readable;
use guarda_core::output::{Limits, truncate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], [u16; 5])| {
    let (bytes, [lines, line_bytes, most, head, tail]) = input;
    let [lines, line_bytes, most, head, tail] = [lines, line_bytes, most, head % 64, tail % 64].map(usize::from);
    let limits = Limits { lines, line_bytes, bytes: most, head, tail };
    let text = readable(bytes);
    assert!(!text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')));
    let cut = truncate(&text, &limits);
    assert!(cut.text.len() <= text.len().min(limits.bytes));
    assert!(cut.text.lines().count() <= limits.lines);
    assert_eq!(truncate(&cut.text, &limits).text, cut.text);
});
