//! The guard under load: everything mixed at 100 requests per second, and judgements by the thousand. In
//! `make test` for seconds; `make load` takes ten minutes and a million judgements. Bounded in count and
//! time, and on loopback only. Figures are printed; the assertions are that everything ends, nothing is lost
//! and nothing grows.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod asking;
mod client;
mod judging;
mod mix;
mod odd;
mod process;
mod rows;
mod tally;

/// A number of the environment.
fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

/// Descriptors for this process: many connections need more than the usual 1024.
fn make_room() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}
