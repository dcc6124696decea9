//! Questions by the thousand without an answer: their callers disconnect.

use crate::common::{Service, wait};
use crate::process::{descriptors, resident, threads};

/// How many questions are open at once.
const AT_ONCE: usize = 20;
/// How many questions make one stretch.
const STRETCH: usize = 200;
/// The stretches. Memory is compared from the third on: a question follows a staged run, whose threads and
/// buffers stay, and only after some hundred runs are there no new ones.
const STRETCHES: usize = 6;

#[test]
fn questions_that_are_withdrawn_leave_nothing_behind() {
    // What is withdrawn counts as refused.
    let service = Service::with("", "refusals_per_minute = 0");
    let pid = service.child.id();
    let ask = |rounds: usize| {
        for round in 0..rounds {
            let callers: Vec<_> = (0..AT_ONCE)
                .map(|number| service.act(&format!("touch unmade-{round}-{number}")).begin())
                .collect();
            wait("all of them stand", || (service.questions().len() == AT_ONCE).then_some(()));
            drop(callers);
            // An action keeps its place in the bounded queue while it is being recorded.
            let under_way = || service.status()["under_way"].clone();
            wait("they are withdrawn", || (service.questions().is_empty() && under_way() == 0).then_some(()));
        }
        wait("their connections are closed", || (descriptors(pid) < 100).then_some(()));
        (resident(pid), descriptors(pid), threads(pid))
    };
    let after: Vec<_> = (0..STRETCHES).map(|_| ask(STRETCH / AT_ONCE)).collect();
    println!("resident KiB, descriptors and threads after each {STRETCH} questions: {after:?}");
    let (few, all) = (after[1], after[STRETCHES - 1]);
    // A leak takes memory in every stretch; an allocator keeps another page in some.
    let least = after[1..].windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).min();
    assert!(
        least.is_some_and(|grown| grown < 1024),
        "each {STRETCH} questions take at least {least:?} KiB for good"
    );
    assert!(all.1 <= few.1 + 5, "descriptors: from {} to {}", few.1, all.1);
    // The number of busy threads in the pool varies; idle ones end.
    wait("its threads end", || (threads(pid) <= few.2).then_some(()));
    // A question stays open until its end is on disk.
    let withdrawn = || service.journal().iter().filter(|line| line["user_decision"] == "withdrawn").count();
    wait("each of them is recorded", || (withdrawn() == STRETCH * STRETCHES).then_some(()));
    assert_eq!(service.status()["under_way"], 0);
}
