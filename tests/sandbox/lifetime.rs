//! Nothing outlives its sandbox: not background processes, not other sessions, not after a cancellation, not
//! after the guard or the supervisor is killed.

use std::time::Duration;

use guarda_sandbox::process::Status;
use guarda_sandbox::{self, SandboxLevel};

use crate::jail::{self, Jail, begin, block_on, profiles, program, run_in, sandbox};

/// A number of seconds that no other process on this machine sleeps for.
fn unique() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("9{:07}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// How many processes sleep for this long.
fn sleepers(seconds: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let wanted = format!("sleep\0{seconds}\0");
    lines.filter(|line| line == wanted.as_bytes()).count()
}

fn wait_for(seconds: &str, count: usize) {
    crate::common::until(&format!("{count} sleep for {seconds}"), || sleepers(seconds) == count);
}

/// Ways to leave a process behind.
const LEAVING: &[&str] = &[
    "sleep $n & disown",
    "setsid sleep $n & sleep 0.2",
    "setsid -f sleep $n",
    "nohup setsid -f bash -c 'trap \"\" TERM HUP; sleep $n'",
    "(setsid -f bash -c 'setsid -f sleep $n; sleep 0.1' &)",
    "exec python3 -c 'import os,sys\n\
     if os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  os.closerange(0, 99); os.execlp(\"sleep\", \"sleep\", os.environ[\"n\"])\n os._exit(0)\n\
     os.wait()'",
];

fn all() -> Vec<SandboxLevel> {
    let mut all = profiles();
    all.push(SandboxLevel::None);
    all
}

#[test]
fn nothing_is_left_when_a_program_ends() {
    for profile in all() {
        let jail = Jail::new();
        for leaving in LEAVING {
            let n = unique();
            let waits = format!(
                "{leaving}\nfor i in $(seq 100); do pgrep -f '^sleep '$n > /dev/null && break; sleep 0.02; done; true"
            );
            let text = if leaving.starts_with("exec") { (*leaving).to_owned() } else { waits };
            let done = jail.run_with(&jail.spec(profile), &text, &[("n", &n)]);
            assert_eq!(done.status, Status::Exited(0), "{done:?}");
            assert_eq!(sleepers(&n), 0, "{profile:?}: {leaving}");
            assert!(done.over.strays >= 1 && done.over.left == 0, "{leaving}: {done:?}");
        }
    }
}

#[test]
fn nothing_is_left_when_it_is_called_off() {
    for profile in all() {
        let jail = Jail::new();
        for leaving in LEAVING {
            let n = unique();
            let text = format!("{}\nsleep $n", leaving.trim_start_matches("exec "));
            block_on(async {
                let mut cell = sandbox().open(&jail.spec(profile)).await.unwrap();
                let script = jail.script(&text, &[("n", &n)]);
                let _running = begin(&mut cell, script).await.unwrap();
                wait_for(&n, 2);
                let over = cell.end(Duration::from_millis(50)).await.unwrap();
                assert_eq!(sleepers(&n), 0, "{profile:?}: {leaving}");
                assert!(over.strays >= 1, "{leaving}: {over:?}");
            });
        }
    }
}

#[test]
fn nothing_is_left_when_the_cell_is_dropped() {
    for profile in all() {
        let jail = Jail::new();
        let n = unique();
        block_on(async {
            let mut cell = sandbox().open(&jail.spec(profile)).await.unwrap();
            let script = jail.script("setsid -f sleep $n; sleep $n", &[("n", &n)]);
            let _running = begin(&mut cell, script).await.unwrap();
            wait_for(&n, 2);
        });
        wait_for(&n, 0);
    }
}

#[test]
fn who_asks_kindly_is_given_time() {
    for profile in all() {
        let jail = Jail::new();
        block_on(async {
            let mut cell = sandbox().open(&jail.spec(profile)).await.unwrap();
            let text =
                "trap 'echo tidied > tidied; exit 7' TERM; echo ready > ready; while :; do sleep 0.02; done";
            let (number, ..) = begin(&mut cell, jail.script(text, &[])).await.unwrap();
            crate::common::until_async("it is ready", || jail.at("work/ready").exists()).await;
            cell.end(Duration::from_secs(20)).await.unwrap();
            assert_eq!(cell.status(number).await.unwrap(), Status::Exited(7));
            assert!(jail.at("work/tidied").exists());
        });
    }
}

#[test]
fn a_bomb_of_forks_is_ended() {
    for profile in all() {
        let jail = Jail::new();
        let mut spec = jail.spec(profile);
        let n = unique();
        // Bounded in number, not in will: each sleeper replaces itself when it is ended.
        spec.limits.cpu_seconds = Some(20);
        let text = "for i in $(seq 40); do (setsid bash -c 'trap \"\" TERM; while :; do sleep $n; done' &) ; done; sleep $n";
        block_on(async {
            let mut cell = sandbox().open(&spec).await.unwrap();
            let _running = begin(&mut cell, jail.script(text, &[("n", &n)])).await.unwrap();
            wait_for(&n, 41);
            cell.end(Duration::ZERO).await.unwrap();
            assert_eq!(sleepers(&n), 0);
        });
    }
}

/// Not a test of its own: a guard to be killed, started by the test below.
#[test]
fn hold_a_cell() {
    let Some(n) = std::env::var_os("GUARDA_TEST_HOLD") else {
        return;
    };
    let jail = Jail::new();
    let profile = match std::env::var("GUARDA_TEST_PROFILE").as_deref() {
        Ok("isolated") => SandboxLevel::Isolated,
        Ok("confined") => SandboxLevel::Confined,
        _ => SandboxLevel::None,
    };
    block_on(async {
        let mut cell = sandbox().open(&jail.spec(profile)).await.unwrap();
        let script = jail.script("setsid -f sleep $n; trap '' TERM; sleep $n", &[("n", n.to_str().unwrap())]);
        let _running = begin(&mut cell, script).await.unwrap();
        crate::common::let_pass_async(120_000, "it is killed meanwhile").await;
    });
}

#[test]
fn nothing_is_left_when_the_guard_is_killed() {
    for profile in all() {
        let n = unique();
        let mut guard = program(std::env::current_exe().unwrap().to_str().unwrap())
            .args(["--exact", "lifetime::hold_a_cell"])
            .env("GUARDA_TEST_HOLD", &n)
            .env("GUARDA_TEST_PROFILE", profile.name())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        wait_for(&n, 2);
        guard.kill().unwrap();
        guard.wait().unwrap();
        wait_for(&n, 0);
    }
}

#[test]
fn what_a_killed_keeper_leaves_is_found() {
    guarda_sandbox::adopt_orphans().unwrap();
    let jail = Jail::new();
    let n = unique();
    block_on(async {
        let mut cell = sandbox().open(&jail.spec(SandboxLevel::Confined)).await.unwrap();
        let text = "setsid -f sleep $n; echo $PPID > supervisor; mv supervisor parent; sleep $n";
        let _running = begin(&mut cell, jail.script(text, &[("n", &n)])).await.unwrap();
        wait_for(&n, 2);
        let parent = jail::text(&jail.at("work/parent"));
        let parent = rustix::process::Pid::from_raw(parent.trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(parent, rustix::process::Signal::KILL).unwrap();
        cell.end(Duration::ZERO).await.unwrap_err();
    });
    wait_for(&n, 0);
}

#[test]
fn cells_do_not_disturb_each_other() {
    let jail = Jail::new();
    let n = unique();
    block_on(async {
        let mut long = sandbox().open(&jail.spec(SandboxLevel::Confined)).await.unwrap();
        let _running = begin(&mut long, jail.script("sleep $n", &[("n", &n)])).await.unwrap();
        for _ in 0..5 {
            let mut short = sandbox().open(&jail.spec(SandboxLevel::Confined)).await.unwrap();
            let done =
                run_in(&mut short, jail.script("pkill -KILL -f \"^sleep $n\"; exit 3", &[("n", &n)])).await;
            assert_eq!(done.status, Status::Exited(3));
        }
        assert_eq!(sleepers(&n), 1);
        long.end(Duration::ZERO).await.unwrap();
        assert_eq!(sleepers(&n), 0);
    });
}
