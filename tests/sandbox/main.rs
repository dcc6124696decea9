//! The sandbox against programs that try to get out: the real supervisor, the real kernel, real targets
//! outside. If an attempt is harmless, it is also made without the sandbox, to show that it would work.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    dead_code,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

mod built;
mod devices;
mod files;
mod hidden;
mod jail;
mod lacking;
mod lifetime;
mod listening;
mod look;
mod network;
mod networked;
mod notified;
mod processes;
mod programs;
mod relayed;
mod stage;

/// As root, runs the whole suite again as an unprivileged user, as most people run their guard.
#[test]
fn everything_again_as_an_unprivileged_user() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let room = jail::folder();
    let copy = |name: &str, from: &std::path::Path| {
        let to = room.path().join(name);
        std::fs::copy(from, &to).unwrap();
        to
    };
    let suite = copy("suite", &std::env::current_exe().unwrap());
    for name in ["guarda", "guarda-keeper"] {
        copy(name, &jail::binary(name));
    }
    std::os::unix::fs::chown(room.path(), Some(jail::NOBODY), Some(jail::NOBODY)).unwrap();
    let output = jail::program("/usr/bin/setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"])
        .arg(suite)
        .args(["--test-threads", "2"])
        .env("GUARDA_TEST_BINARIES", room.path())
        .env("TMPDIR", room.path())
        .env("HOME", room.path())
        .current_dir(room.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("test result: ok"), "{text}");
}
