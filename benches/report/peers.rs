//! Other guards' hooks next to ours, if `scripts/peers` has installed them: the same event, cold,
//! alternating.

use std::path::Path;
use std::process::Command;

use crate::median;
use crate::paper::Paper;
use crate::starting::run;

/// A hook: the key of its row, the program below `target/peers`, and its arguments.
const PEERS: [(&str, &str, &[&str]); 3] = [
    ("cc_safety_net", "node_modules/.bin/cc-safety-net", &["hook", "--claude-code"]),
    ("nah", "python/bin/nah", &["_claude-hook"]),
    ("seatbelt_guard", "python/bin/seatbelt", &["hook"]),
];

/// Each peer's hook next to `/bin/true`, both started and awaited in the same rounds.
pub fn measure(paper: &mut Paper, event: &str, rounds: usize) {
    let home = tempfile::tempdir().unwrap();
    for (key, program, words) in PEERS {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers").join(program);
        if !program.exists() {
            println!("{key}: not installed (scripts/peers)");
            continue;
        }
        let hook = || {
            let mut command = Command::new(&program);
            command
                .args(words)
                .env_clear()
                .env("PATH", "/usr/local/bin:/usr/bin:/bin")
                .env("HOME", home.path());
            command
        };
        // The first start writes files that the later ones read.
        run(&mut hook(), event);
        let (mut plain, mut cold) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            plain.push(run(&mut Command::new("/bin/true"), ""));
            cold.push(run(&mut hook(), event));
        }
        let ratio = median(&mut cold) / median(&mut plain);
        paper.figure(
            &format!("peer_{key}_cold_ratio"),
            ratio,
            &format!("the hook of {} beside `/bin/true`", key.replace('_', "-")),
        );
    }
}
