//! Programs that are started for each action: an agent's hook next to `/bin/true`, a confined command next to
//! a plain one.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use guarda_sandbox::process::{Group, Start, Streams};
use guarda_sandbox::{Network, Sandbox, SandboxLevel, Spec};

use crate::paper::Paper;
use crate::serving::Service;
use crate::{median, micros, quantile};

/// Between a command and the next.
const BETWEEN: Duration = Duration::from_millis(10);

pub fn measure(paper: &mut Paper, rounds: usize) {
    hooks(paper, rounds * 5);
    checks(paper, rounds * 5);
    commands(paper, rounds * 5);
    whole_way(paper, rounds * 5);
}

/// A hook as an agent's client starts it, answered by the running service. Minima are compared as well as
/// medians, because other work on the machine only adds time.
fn hooks(paper: &mut Paper, rounds: usize) {
    let service = Service::start("");
    let event = serde_json::json!({"hook_event_name": "PreToolUse", "session_id": "bench", "cwd": service.folder(),
        "tool_name": "Bash", "tool_input": {"command": "ls -la"}});
    let event = event.to_string();
    let (mut plain, mut small, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        plain.push(run(&mut Command::new("/bin/true"), ""));
        small.push(run(service.command(env!("CARGO_BIN_EXE_guarda-hook")).arg("claude"), &event));
        whole.push(run(service.command(env!("CARGO_BIN_EXE_guarda")).args(["hook", "claude"]), &event));
    }
    let base = median(&mut plain);
    paper.figure("true_cold_us", base, "`/bin/true`, started and waited for, median (µs)");
    let small = median(&mut small);
    paper.figure("hook_cold_us", small, "`guarda-hook claude`, median (µs)");
    paper.figure("hook_cold_ratio", small / base, "`guarda-hook claude` beside `/bin/true`");
    let whole = median(&mut whole);
    paper.figure("hook_whole_cold_ratio", whole / base, "`guarda hook claude` beside `/bin/true`");
    crate::peers::measure(paper, &event, rounds.div_ceil(5));
}

/// `guarda check` judges without a service; it must not load what only the service needs.
fn checks(paper: &mut Paper, rounds: usize) {
    let home = tempfile::tempdir().unwrap();
    let (mut plain, mut version, mut check) = (Vec::new(), Vec::new(), Vec::new());
    let start = |words: &[&str]| {
        run(Command::new(env!("CARGO_BIN_EXE_guarda")).env("HOME", home.path()).args(words), "")
    };
    for _ in 0..rounds {
        plain.push(run(&mut Command::new("/bin/true"), ""));
        version.push(start(&["--version"]));
        check.push(start(&["check", "--json", "ls -la"]));
    }
    let base = median(&mut plain);
    let check = median(&mut check);
    // The cost of a program that does nothing but start: its pages, libraries and arguments.
    let page_in = median(&mut version) - base;
    paper.figure("check_cold_us", check, "`guarda check --json 'ls -la'`, median (µs)");
    paper.figure("check_cold_ratio", check / base, "`guarda check --json 'ls -la'` beside `/bin/true`");
    paper.figure("page_in_us", page_in, "`guarda --version` beyond `/bin/true`: the binary's page-in (µs)");
    paper.figure(
        "check_own_ratio",
        (check - page_in) / base,
        "`check_cold_us` without the page-in, beside `/bin/true`",
    );
    for (key, program) in [
        ("libraries", env!("CARGO_BIN_EXE_guarda")),
        ("service_libraries", env!("CARGO_BIN_EXE_guarda-service")),
    ] {
        let listed =
            Command::new("ldd").arg(program).output().map(|output| output.stdout).unwrap_or_default();
        let count = listed.iter().filter(|byte| **byte == b'\n').count();
        paper.figure(key, count as f64, &format!("shared libraries that {} loads", program_name(program)));
    }
}

fn program_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Runs it with this standard input to its end (µs).
pub fn run(command: &mut Command, input: &str) -> f64 {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
    micros(begun.elapsed())
}

/// `/bin/true` through the guard's hands, plain and in a cell.
fn commands(paper: &mut Paper, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::with_supervisor(env!("CARGO_BIN_EXE_guarda-keeper"));
    let start = || Start {
        file: "/bin/true".into(),
        name: "true".into(),
        arguments: Vec::new(),
        environment: Vec::new(),
        folder: folder.path().to_owned(),
        followed: false,
    };
    let null = || std::fs::File::options().read(true).write(true).open("/dev/null").unwrap().into();
    let streams = || Streams { input: null(), output: null(), error: null() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (mut plain, mut confined) = (Vec::new(), Vec::new());
    let (mut cold, mut ready) = (Vec::new(), Vec::new());
    runtime.block_on(async {
        let waiting = sandbox.clone().keep_ready();
        for _ in 0..rounds {
            let begun = Instant::now();
            let mut group = Group::default();
            let number = group.start(start(), streams()).unwrap();
            group.status(number).await.unwrap();
            plain.push(micros(begun.elapsed()));
            let begun = Instant::now();
            let mut spec = Spec::new(SandboxLevel::Confined, None, folder.path());
            spec.network = Network::None;
            let mut cell = sandbox.open(&spec).await.unwrap();
            let number = cell.start(start(), streams()).await.unwrap();
            cell.status(number).await.unwrap();
            cell.end(Duration::ZERO).await.unwrap();
            confined.push(micros(begun.elapsed()));
            for (of, times) in [(&sandbox, &mut cold), (&waiting, &mut ready)] {
                // The next supervisor is started in parallel; the next command comes a moment later.
                tokio::time::sleep(BETWEEN).await;
                let begun = Instant::now();
                let spec = Spec::look(SandboxLevel::Confined, None, folder.path());
                let mut cell = of.open(&spec).await.unwrap();
                let number = cell.start(start(), streams()).await.unwrap();
                cell.status(number).await.unwrap();
                times.push(micros(begun.elapsed()));
                cell.end(Duration::ZERO).await.unwrap();
            }
        }
    });
    let base = median(&mut plain);
    paper.figure("spawn_us", base, "a command, plainly started, median (µs)");
    paper.figure("confined_us", median(&mut confined), "the same, confined, median (µs)");
    let beside = |times: &mut Vec<f64>| median(times) / base;
    paper.figure("confined_ratio", beside(&mut confined), "confined beside plain, medians");
    paper.figure("look_cold_ratio", beside(&mut cold), "in a cell that can do no harm beside plain, medians");
    paper.figure("look_ready_ratio", beside(&mut ready), "the same by a supervisor that waits, medians");
    let least = quantile(&mut plain, 0.0);
    for (key, times, what) in [
        ("confined_least_ratio", &mut confined, "confined"),
        ("look_ready_least_ratio", &mut ready, "in a cell that can do no harm, by a supervisor that waits,"),
    ] {
        paper.figure(key, quantile(times, 0.0) / least, &format!("{what} beside plain, smallest times"));
    }
}

/// An agent's command from its hook to the end of the replacement, next to the command alone.
fn whole_way(paper: &mut Paper, rounds: usize) {
    let service = Service::start("");
    let shell = |line: &str| {
        let mut shell = service.command("/bin/bash");
        shell.args(["-c", line]);
        shell
    };
    let (mut plain, mut hooks, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let event = serde_json::json!({"hook_event_name": "PreToolUse", "session_id": "bench",
            "cwd": service.folder(), "tool_name": "Bash", "tool_use_id": format!("call-{round}"),
            "tool_input": {"command": "ls -la"}});
        plain.push(run(&mut shell("ls -la"), ""));
        let begun = Instant::now();
        let answer =
            heard(service.command(env!("CARGO_BIN_EXE_guarda-hook")).arg("claude"), &event.to_string());
        hooks.push(micros(begun.elapsed()));
        let command = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().map(str::to_owned);
        runs.push(run(&mut shell(&command.unwrap_or_else(|| panic!("{answer}"))), ""));
        std::thread::sleep(BETWEEN);
    }
    let base = median(&mut plain);
    let (hook, redeemed) = (median(&mut hooks), median(&mut runs));
    paper.figure("agent_command_us", base, "`bash -c 'ls -la'`, as an agent's client starts it, median (µs)");
    paper.figure("agent_hook_us", hook, "its hook, which the guard approves, median (µs)");
    paper.figure("agent_run_us", redeemed, "the same `ls -la` through the guard, in its cell, median (µs)");
    paper.figure(
        "agent_added_us",
        hook + redeemed - base,
        "what the hook's whole way adds to a command (µs)",
    );
}

/// The standard output.
fn heard(command: &mut Command, input: &str) -> serde_json::Value {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
}
