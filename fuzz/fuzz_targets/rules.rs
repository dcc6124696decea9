//! For any table of a user: it is loaded, or refused with a line number, and never removes anything from the floor.
#![no_main]

use guarda_shell::script::Dialect;
use guarda_core::policy::{Layer, Policy, Profile, Verdict, corpus};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let layer = Layer { name: "config", text };
    match Policy::load(Profile::Desktop, &[layer]) {
        Ok(policy) => {
            for (line, least) in [("rm -rf /", Verdict::Block), ("sudo mkfs /dev/sda", Verdict::Block)] {
                let script = guarda_shell::read(line, Dialect::Bash);
                let findings = policy.judge_script(&script, &corpus::situation(&script));
                assert!(findings.iter().any(|finding| finding.verdict >= least), "{line}");
            }
        }
        // A text that is not finished ends on the line after its last.
        Err(error) => assert!(!error.fault.to_string().is_empty() && error.line <= text.lines().count() + 1),
    }
});
