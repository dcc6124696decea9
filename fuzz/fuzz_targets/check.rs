//! For any bytes as the input of `check --jsonl`: every line that is not blank gets one line of JSON as its answer.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut answers = Vec::new();
    guarda::cli::answer_lines(bytes, &mut answers).expect("memory takes everything");
    let asked = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    let answers = String::from_utf8(answers).expect("JSON is UTF-8");
    assert_eq!(answers.lines().count(), asked);
    for answer in answers.lines() {
        let answer: serde_json::Value = serde_json::from_str(answer).expect("an answer is JSON");
        let status = answer.get("status").and_then(serde_json::Value::as_str).expect("an answer has a status");
        assert!(["approved", "requires_confirmation", "requires_password", "blocked"].contains(&status));
    }
});
