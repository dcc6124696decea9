//! Ends processes that were left behind.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::event::Timespec;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus};

/// The pause between two attempts to reap.
pub(super) const A_MOMENT: Timespec = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
/// How long to wait for processes that cannot be killed because the kernel holds them.
const AT_MOST: Duration = Duration::from_secs(10);

/// Ends every child of this process, and their children as they become its own, until none is left. Each is
/// asked first and has `grace` to comply. `ended` is called for each end, and returns whether it was a
/// started program.
///
/// Only children are signalled: their pids cannot be reused before this process has waited for them. Returns
/// how many processes the programs left behind, and how many could not be ended.
pub(super) fn end_all(grace: Duration, mut ended: impl FnMut(Pid, WaitStatus) -> bool) -> (u32, u32) {
    let begun = Instant::now();
    let mut strays = 0;
    let mut asked = HashSet::new();
    while reap(&mut ended, &mut strays) {
        let late = begun.elapsed();
        if late > grace + AT_MOST {
            return (strays, u32::try_from(children().len()).unwrap_or(u32::MAX));
        }
        for pid in children() {
            if late >= grace {
                signal(pid, Signal::KILL);
            } else if asked.insert(pid) {
                signal(pid, Signal::TERM);
                signal(pid, Signal::CONT);
            }
        }
        let _ = rustix::event::poll(&mut [], Some(&A_MOMENT));
    }
    (strays, 0)
}

/// Reaps ended children. Returns whether any are left.
fn reap(ended: &mut impl FnMut(Pid, WaitStatus) -> bool, strays: &mut u32) -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => *strays += u32::from(!ended(pid, status)),
            Ok(None) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(_no_children) => return false,
        }
    }
}

/// A process and, if it leads one, its group: a process that forks faster than it is counted mostly stays in its group.
fn signal(pid: Pid, signal: Signal) {
    let _ = rustix::process::kill_process_group(pid, signal);
    let _ = rustix::process::kill_process(pid, signal);
}

/// Whether this process has children, ended ones among them.
pub(super) fn any() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(rustix::process::waitid(WaitId::All, options), Err(rustix::io::Errno::CHILD))
}

/// The longest name of a process, in characters.
const LONGEST: usize = 80;

/// The children of this process, with their command lines, shortened.
pub(super) fn names() -> impl Iterator<Item = (Pid, String)> {
    children().into_iter().filter_map(|pid| {
        let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).ok()?;
        let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
        let line: String = words.join(" ").chars().filter(|c| !c.is_control()).take(LONGEST).collect();
        (!line.is_empty()).then_some((pid, line))
    })
}

/// The children of this process: from the lists of its threads or, if the kernel has none, from the parents of
/// all processes.
fn children() -> Vec<Pid> {
    let listed: Option<Vec<Pid>> = std::fs::read_dir("/proc/self/task").ok().and_then(|threads| {
        let lists = threads.flatten().map(|thread| std::fs::read_to_string(thread.path().join("children")));
        let lists: std::io::Result<String> = lists.map(|list| list.map(|list| list + " ")).collect();
        Some(lists.ok()?.split_whitespace().filter_map(number).collect())
    });
    listed.unwrap_or_else(|| {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let named = processes.filter_map(|process| number(process.file_name().to_str()?));
        named.filter(|pid| is_child(*pid).unwrap_or(false)).collect()
    })
}

fn is_child(pid: Pid) -> Option<bool> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The preceding name may contain anything, even closing brackets.
    let (_name, rest) = stat.rsplit_once(')')?;
    Some(number(rest.split_whitespace().nth(1)?)? == rustix::process::getpid())
}

fn number(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

/// The number of system call filters of a process: `Seccomp_filters` in its status.
fn filters(pid: Pid) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:"))?;
    line.trim().parse().ok()
}

/// Makes orphans children of this process, so that [`reap_strays`] finds those whose supervisor was killed (by
/// the kernel, when memory is short). The service calls it once, at start.
///
/// # Errors
/// As the operating system says.
pub fn adopt_orphans() -> std::io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Ends the descendants of a killed supervisor and returns their number. Only effective
/// after [`adopt_orphans`].
///
/// A child of this process with more system call filters than this process itself can only be such an
/// orphan: supervisors and the guard's other helpers have none.
pub fn reap_strays() -> u32 {
    let own = filters(rustix::process::getpid());
    let mut ended = 0;
    // Each round finds the children of ended processes; a process that never ends does not block this for ever.
    for _round in 0..1000 {
        let orphans: Vec<Pid> = children().into_iter().filter(|pid| filters(*pid) > own).collect();
        if orphans.is_empty() {
            break;
        }
        for pid in orphans {
            signal(pid, Signal::KILL);
            if let Ok(Some(_)) = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG) {
                ended += 1;
            }
        }
        let _ = rustix::event::poll(&mut [], Some(&A_MOMENT));
    }
    ended
}
