//! The cost of a sandbox: `/bin/true`, started and awaited, plain and in each kind of sandbox, alternating.
//! `cargo bench -p guarda-sandbox --bench sandbox [-- KIND]`. On a busy machine, compare the minima. The supervisor
//! is this program, or the one that `GUARDA_KEEPER` names: an installed guarda-keeper is linked statically.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark ends where something is amiss")]

use std::time::{Duration, Instant};

use guarda_sandbox::process::{Group, Start, Streams};
use guarda_sandbox::stage::StagedRoot;
use guarda_sandbox::{Network, Sandbox, SandboxHandle, SandboxLevel, Spec};

const ROUNDS: usize = 200;
/// The cells of sessions that are made at once.
const SESSIONS: usize = 50;
/// The pause between two commands.
const PAUSE: Duration = Duration::from_millis(30);

struct Bench {
    sandbox: Sandbox,
    folder: tempfile::TempDir,
}

impl Bench {
    fn start(&self) -> (Start, Streams) {
        let start = Start {
            file: "/bin/true".into(),
            name: "true".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: self.folder.path().to_owned(),
            followed: false,
        };
        let null = || std::fs::File::options().read(true).write(true).open("/dev/null").unwrap().into();
        (start, Streams { input: null(), output: null(), error: null() })
    }

    async fn open(&self, profile: SandboxLevel, network: Network) -> SandboxHandle {
        let home = std::env::var_os("HOME").map(Into::into);
        let mut spec = Spec::new(profile, home, self.folder.path());
        spec.network = network;
        self.sandbox.open(&spec).await.unwrap()
    }

    async fn run(&self, cell: &mut SandboxHandle) {
        let (start, streams) = self.start();
        let number = cell.start(start, streams).await.unwrap();
        cell.status(number).await.unwrap();
    }

    async fn plain(&self) -> Duration {
        let begun = Instant::now();
        let (start, streams) = self.start();
        let mut group = Group::default();
        let number = group.start(start, streams).unwrap();
        group.status(number).await.unwrap();
        drop(group);
        begun.elapsed()
    }

    async fn kept_in(&self, profile: SandboxLevel, network: Network) -> Duration {
        let begun = Instant::now();
        let mut cell = self.open(profile, network).await;
        self.run(&mut cell).await;
        cell.end(Duration::ZERO).await.unwrap();
        begun.elapsed()
    }

    /// In a cell that can do no harm; `ready`: with a waiting supervisor.
    async fn look(&self, ready: Option<&Sandbox>) -> Duration {
        let begun = Instant::now();
        let home = std::env::var_os("HOME").map(Into::into);
        let spec = Spec::look(SandboxLevel::Confined, home, self.folder.path());
        self.begun(begun, &spec, ready).await
    }

    /// With its writes held back; `ready`: with a waiting supervisor.
    async fn stage(&self, number: usize, ready: Option<&Sandbox>) -> Duration {
        let part = |name: &str| {
            let path =
                self.folder.path().join("stages").join(format!("{number}-{}", ready.is_some())).join(name);
            std::fs::create_dir_all(&path).unwrap();
            path
        };
        let staged = StagedRoot { root: part("root"), upper: part("upper"), work: part("work") };
        let begun = Instant::now();
        let home = std::env::var_os("HOME").map(Into::into);
        let spec = Spec::stage(home, self.folder.path(), vec![staged]);
        self.begun(begun, &spec, ready).await
    }

    /// The time since `begun` until a run that was started with its cell has ended.
    async fn begun(&self, begun: Instant, spec: &Spec, ready: Option<&Sandbox>) -> Duration {
        let (start, streams) = self.start();
        let (mut cell, number) = ready.unwrap_or(&self.sandbox).begin(spec, start, streams).await.unwrap();
        cell.status(number.unwrap()).await.unwrap();
        let taken = begun.elapsed();
        cell.end(Duration::ZERO).await.unwrap();
        taken
    }

    /// How much fifty cells of sessions take: until each has run something, and the memory that the machine then has less, for each.
    async fn sessions(&self) -> (Duration, u64) {
        let free = || {
            let text = std::fs::read_to_string("/proc/meminfo").unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap();
            line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
        };
        let (before, begun) = (free(), Instant::now());
        let cells: Vec<Sandbox> = (0..SESSIONS)
            .map(|_| self.sandbox.within(self.sandbox.session(&std::env::temp_dir()).unwrap().into()))
            .collect();
        for cell in &cells {
            self.look(Some(cell)).await;
        }
        (begun.elapsed(), before.saturating_sub(free()) / SESSIONS as u64)
    }

    async fn one_more(&self) -> Duration {
        let mut cell = self.open(SandboxLevel::Confined, Network::None).await;
        self.run(&mut cell).await;
        let begun = Instant::now();
        self.run(&mut cell).await;
        begun.elapsed()
    }
}

fn main() {
    if let Some(_code) = guarda_sandbox::run_as_supervisor() {
        return;
    }
    let bench = Bench {
        sandbox: Sandbox::with_supervisor(
            std::env::var_os("GUARDA_KEEPER").map_or_else(|| std::env::current_exe().unwrap(), Into::into),
        ),
        folder: tempfile::tempdir().unwrap(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut times: Vec<(&str, Vec<Duration>)> = [
        "plain",
        "none",
        "confined",
        "confined, hosts",
        "isolated",
        "look, cold",
        "look, ready",
        "look, in session",
        "stage, cold",
        "stage, ready",
        "stage, in session",
        "one more in a cell",
    ]
    .map(|name| (name, Vec::new()))
    .into();
    let only: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    times.retain(|(name, _)| {
        *name == "plain" || only.is_empty() || only.iter().any(|only| name.contains(only.as_str()))
    });
    runtime.block_on(async {
        let ready = bench.sandbox.clone().keep_ready();
        let session = ready.within(ready.session(&std::env::temp_dir()).unwrap().into());
        for round in 0..ROUNDS {
            for (name, times) in &mut times {
                // The next supervisor is started in parallel; the next command comes a moment later. This
                // holds for all of them, since a processor that has slept starts programs more slowly.
                tokio::time::sleep(PAUSE).await;
                times.push(match *name {
                    "plain" => bench.plain().await,
                    "none" => bench.kept_in(SandboxLevel::None, Network::None).await,
                    "confined" => bench.kept_in(SandboxLevel::Confined, Network::None).await,
                    "confined, hosts" => bench.kept_in(SandboxLevel::Confined, Network::Hosts).await,
                    "isolated" => bench.kept_in(SandboxLevel::Isolated, Network::None).await,
                    "look, cold" => bench.look(None).await,
                    "look, ready" => bench.look(Some(&ready)).await,
                    "look, in session" => bench.look(Some(&session)).await,
                    "stage, in session" => bench.stage(ROUNDS + round, Some(&session)).await,
                    "stage, cold" => bench.stage(round, None).await,
                    "stage, ready" => bench.stage(round, Some(&ready)).await,
                    _ => bench.one_more().await,
                });
            }
        }
    });
    let (taken, each) = runtime.block_on(bench.sessions());
    println!("{SESSIONS} cells of sessions, each with its first command: {taken:.1?}, {each} KiB each");
    println!("{:20}{:>12}{:>12}{:>10}", "", "least", "median", "ratio");
    let mut plain = None;
    for (name, mut times) in times {
        times.sort();
        let least = times.first().copied().unwrap_or_default();
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let plain = *plain.get_or_insert(least);
        let ratio = least.as_secs_f64() / plain.as_secs_f64();
        println!("{name:20}{least:>12.2?}{median:>12.2?}{ratio:>9.1}x");
    }
}
