//! Judgements by the thousand: `GUARDA_LOAD_JUDGEMENTS` says how many.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::json;

use crate::client::Target;
use crate::common::Service;
use crate::process::resident;

/// So many callers at a time, each on one connection.
const CALLERS: u64 = 8;
/// The judged lines; a number makes each of them unique.
const LINES: [&str; 6] = [
    "ls -la /tmp/{}",
    "git log --oneline | head -{}",
    "rm -rf build-{}",
    "rm -rf /",
    "find . -name '*.rs' -newer made-{} -print0 | xargs -0 grep -l TODO",
    "for f in *.txt; do echo {} \"$f\"; done",
];

#[test]
fn judgements_leave_no_memory_behind() {
    let all = crate::setting("GUARDA_LOAD_JUDGEMENTS", 2_000);
    let service = Service::start();
    let (pid, target) = (service.child.id(), Target::of(&service));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let judge = |count: u64| {
        let next = Arc::new(AtomicU64::new(0));
        runtime.block_on(async {
            let callers = (0..CALLERS).map(|_| {
                let (target, next) = (target.clone(), Arc::clone(&next));
                tokio::spawn(async move {
                    let mut line = target.open().await.unwrap();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            return;
                        }
                        let text = LINES[(number % 6) as usize].replace("{}", &number.to_string());
                        let body = json!({"action": "RUN_COMMAND", "target": text, "session": format!("s{}", number % 50)});
                        line.write(&target.post("/v1/judge", &body)).await.unwrap();
                        let answer = line.answer().await.unwrap();
                        assert_eq!(answer.status, 200, "{answer:?}");
                    }
                })
            });
            let callers: Vec<_> = callers.collect();
            for caller in callers {
                caller.await.unwrap();
            }
        });
    };
    let idle = resident(pid);
    judge(all / 10);
    let early = resident(pid);
    let begun = Instant::now();
    judge(all - all / 10);
    let (took, late) = (begun.elapsed(), resident(pid));
    println!(
        "{all} judgements, the last nine tenths in {:.1} s ({:.0} a second); resident KiB: idle {idle}, after a tenth \
         {early}, at the end {late}",
        took.as_secs_f64(),
        (all - all / 10) as f64 / took.as_secs_f64()
    );
    assert!(late < early + 6 * 1024, "resident memory went from {early} to {late} KiB");
    let counted = service.get("/metrics").send().body;
    assert!(counted.contains(&format!("path=\"/v1/judge\",status=\"200\"}} {all}\n")), "{counted}");
}
