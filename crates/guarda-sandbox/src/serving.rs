//! Detects a staged run that waits for connections. Nothing outside can connect to its own network, so it would wait
//! until its time limit.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The time for which a listening run must be idle before it counts as waiting. Tests that start a server connect
/// to it sooner.
const PATIENCE: Duration = Duration::from_secs(6);
/// The same for a run whose words say that it goes on running.
const EXPECTED: Duration = Duration::from_secs(1);
/// The time after which such a run that waits for no connections, and does nothing, is known.
const IDLE: Duration = Duration::from_secs(4);
/// Processor time per second that still counts as idle, in hundredths of a second: idle servers poll.
const NOTHING: u64 = 2;
/// The socket states LISTEN and ESTABLISHED in the kernel's lists.
const LISTENS: &str = "0A";
const CONNECTED: &str = "01";

/// The observations of a run so far.
#[derive(Debug, Default)]
pub(super) struct Serving {
    /// Ports on which the supervisor listens for the run.
    besides: BTreeSet<u16>,
    /// Its words say that it goes on running.
    expected: bool,
    quiet: Option<Quiet>,
}

/// An idle period.
#[derive(Debug)]
struct Quiet {
    since: Instant,
    used: u64,
    activity: Activity,
}

/// Facts that stay the same while a run is idle.
#[derive(Debug, PartialEq, Eq)]
struct Activity {
    ports: BTreeSet<u16>,
    /// The id of the latest process.
    last: String,
}

impl Serving {
    /// Begins to watch a run.
    pub(super) fn of(expected: bool) -> Self {
        Self { expected, ..Self::default() }
    }

    /// The same where sockets listen already, which are not the run's own.
    pub(super) fn besides_these(expected: bool) -> Self {
        Self { besides: Sockets::here().listening, ..Self::of(expected) }
    }

    /// Whether the run's words say that it goes on running.
    pub(super) fn is_expected(&self) -> bool {
        self.expected
    }

    /// The ports on which the run listens.
    pub(super) fn listening(&self) -> BTreeSet<u16> {
        Sockets::here().listening.difference(&self.besides).copied().collect()
    }

    /// Returns the ports on which the run has been waiting, none for one that was expected to and only goes on; `None` if it is still
    /// at work.
    pub(super) fn look(&mut self) -> Option<BTreeSet<u16>> {
        let Sockets { listening, connected } = Sockets::here();
        let ports: BTreeSet<u16> = listening.difference(&self.besides).copied().collect();
        let patience = match (self.expected, ports.is_empty()) {
            (true, true) => IDLE,
            (true, false) => EXPECTED,
            (false, false) => PATIENCE,
            (false, true) => Duration::MAX,
        };
        if connected || patience == Duration::MAX {
            self.quiet = None;
            return None;
        }
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let last = load.split_whitespace().last().unwrap_or_default().to_owned();
        let (used, activity) = (used(), Activity { ports, last });
        let goes_on = |quiet: &&mut Quiet| {
            let allowed = NOTHING.saturating_mul(quiet.since.elapsed().as_secs() + 1);
            quiet.activity == activity && used.saturating_sub(quiet.used) <= allowed
        };
        match self.quiet.as_mut().filter(goes_on) {
            Some(quiet) if quiet.since.elapsed() >= patience => Some(activity.ports),
            Some(_) => None,
            None => {
                self.quiet = Some(Quiet { since: Instant::now(), used, activity });
                None
            }
        }
    }
}

/// The sockets of this network namespace: proc_pid_net(5).
#[derive(Debug, Default)]
struct Sockets {
    listening: BTreeSet<u16>,
    connected: bool,
}

impl Sockets {
    fn here() -> Self {
        let mut sockets = Self::default();
        for list in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            sockets.add(&std::fs::read_to_string(list).unwrap_or_default());
        }
        sockets
    }

    fn add(&mut self, list: &str) {
        for line in list.lines().skip(1) {
            let mut fields = line.split_whitespace().skip(1);
            let (Some(local), Some(state)) = (fields.next(), fields.nth(1)) else { continue };
            let port = local.rsplit_once(':').and_then(|(_, port)| u16::from_str_radix(port, 16).ok());
            self.connected |= state == CONNECTED;
            self.listening.extend(port.filter(|_| state == LISTENS));
        }
    }
}

/// The time of the processor that the other processes of this namespace have used, in hundredths of a second.
fn used() -> u64 {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let others = processes.filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().iter().all(u8::is_ascii_digit) && name != own.as_str()
    });
    others.filter_map(|entry| times(&std::fs::read_to_string(entry.path().join("stat")).ok()?)).sum()
}

/// The times of a process in its own code and in the kernel: proc_pid_stat(5). The name before them may hold anything.
fn times(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let (own, kernel): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    own.checked_add(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_ports_and_connections_are_read_as_the_kernel_writes_them() {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";
        let listens = "   0: 00000000:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n";
        let six = "   1: 00000000000000000000000000000000:1F41 00000000000000000000000000000000:0000 0A 0\n";
        let connected = "   2: 0100007F:1F40 0100007F:8002 01 00000000:00000000 00:00000000 00000000     0\n";
        for (list, ports, is_connected) in [
            (format!("{head}{listens}{six}"), &[8000, 8001][..], false),
            (format!("{head}{listens}{connected}"), &[8000], true),
            (format!("{head}x\n\n   9: zz:zz 0 0A\n"), &[], false),
        ] {
            let mut sockets = Sockets::default();
            sockets.add(&list);
            assert_eq!(
                (sockets.listening, sockets.connected),
                (ports.iter().copied().collect(), is_connected)
            );
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(Sockets::here().listening.contains(&listener.local_addr().unwrap().port()));
    }

    #[test]
    fn the_times_of_a_process_are_read_whatever_it_is_called() {
        let stat = "7 (a) R 1 (x)) S 1 7 7 0 -1 4194560 1 0 0 0 12 30 0 0 20 0 1 0 5 1 1";
        assert_eq!(times(stat), Some(42));
        assert_eq!(times("7 (a"), None);
        assert!(times(&std::fs::read_to_string("/proc/self/stat").unwrap()).is_some());
    }
}
