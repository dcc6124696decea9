//! The cost of the guard's end of a run's network: connecting with one short answer, and 200 MB, next to the
//! same without it. TLS is real: openssl serves, and curl fetches. The last part measures a program in a cell
//! that connects directly: in its own network, and without namespaces. `cargo bench -p guarda-sandbox --bench
//! relay`. Both sides alternate; ratios count, not absolute times.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a benchmark ends where something is amiss"
)]

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use guarda_core::gate::{ApprovedHosts, HostRefusal};
use guarda_core::network::{Destination, DomainName, HostRule, Ports, Protocol, Why};
use guarda_sandbox::process::{Start, Status, Streams};
use guarda_sandbox::relay::{Later, Outside, Relay};
use guarda_sandbox::{Listeners, Network, Sandbox, SandboxLevel, Spec};

const ROUNDS: usize = 1000;
const BIG: usize = 200_000_000;

struct World;

impl Outside for World {
    fn ask<'a>(&'a self, _to: &'a [Destination]) -> Later<'a, Result<ApprovedHosts, HostRefusal>> {
        Box::pin(async { Err(HostRefusal::Unapproved) })
    }

    fn refused<'a>(&'a self, _to: &'a Destination, _why: &'a HostRefusal) -> Later<'a, ()> {
        Box::pin(async {})
    }

    fn look_up<'a>(&'a self, _name: &'a DomainName) -> Later<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
    }
}

/// Answers each request with five bytes, or with many.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            std::thread::spawn(move || {
                let head = head(&mut stream);
                let length = if head.contains("/big") { BIG } else { 5 };
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
                );
                let piece = vec![b'x'; 64 * 1024];
                let mut left = length;
                while left > 0 {
                    let some = left.min(piece.len());
                    if stream.write_all(piece.get(..some).unwrap_or_default()).is_err() {
                        return;
                    }
                    left -= some;
                }
            });
        }
    });
    port
}

fn head(stream: &mut TcpStream) -> String {
    let (mut got, mut byte) = (Vec::new(), [0]);
    while !got.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
        got.extend(byte);
    }
    String::from_utf8_lossy(&got).into_owned()
}

#[derive(Clone, Copy)]
enum Way {
    Plain,
    Tunnel,
    Http,
}

/// One connection and its complete answer.
fn get(way: Way, port: u16, proxy: SocketAddr, path: &str) -> Duration {
    let begun = Instant::now();
    let host = format!("good.example:{port}");
    let to = if matches!(way, Way::Plain) { SocketAddr::from((Ipv4Addr::LOCALHOST, port)) } else { proxy };
    let mut stream = TcpStream::connect(to).unwrap();
    stream.set_nodelay(true).unwrap();
    let target = match way {
        Way::Http => format!("http://{host}{path}"),
        Way::Plain => path.to_owned(),
        Way::Tunnel => {
            write!(stream, "CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
            assert!(head(&mut stream).contains(" 200 "));
            path.to_owned()
        }
    };
    write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut buffer = vec![0; 256 * 1024];
    let mut got = 0;
    while let Ok(some @ 1..) = stream.read(&mut buffer) {
        got += some;
    }
    assert!(got > 5);
    begun.elapsed()
}

/// TLS throughput in megabytes per second, with and without the guard.
fn tls(folder: &Path, port: u16, proxy: SocketAddr) -> Option<[f64; 2]> {
    std::fs::write(folder.join("big"), vec![b'x'; BIG]).unwrap();
    let made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert -days 2 -subj /CN=x";
    let made = Command::new("sh").args(["-c", made]).current_dir(folder).stderr(Stdio::null()).status();
    made.ok().filter(ExitStatus::success)?;
    let mut server = Command::new("openssl")
        .args(["s_server", "-WWW", "-key", "key", "-cert", "cert", "-quiet", "-accept", &port.to_string()])
        .current_dir(folder)
        .spawn()
        .ok()?;
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let url = format!("https://good.example:{port}/big");
    let (plain, tunnel) = (format!("good.example:{port}:127.0.0.1"), format!("http://{proxy}"));
    let fetch = |way: [&str; 2]| {
        let done = Command::new("curl")
            .args(["-sk", "-o", "/dev/null", "-w", "%{size_download} %{speed_download}"])
            .args(way)
            .arg(&url)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        let (size, speed) = said.split_once(' ').unwrap_or_default();
        assert_eq!(size, BIG.to_string());
        speed.parse::<f64>().unwrap() / 1e6
    };
    let mut best = [0.0; 2];
    for _ in 0..7 {
        for (best, way) in best.iter_mut().zip([["--resolve", &plain], ["-x", &tunnel]]) {
            *best = f64::max(*best, fetch(way));
        }
    }
    let _ = server.kill();
    let _ = server.wait();
    Some(best)
}

/// This process's memory in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// The memory in KiB of an open tunnel after traffic in both directions: the maximum of three times 300. The
/// client's and server's memory is the kernel's.
fn standing(proxy: SocketAddr) -> u64 {
    const MANY: u64 = 300;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("good.example:{}", listener.local_addr().unwrap().port());
    let mut all = Vec::new();
    let mut some_more = || {
        let before = memory();
        for _ in 0..MANY {
            let mut client = TcpStream::connect(proxy).unwrap();
            write!(client, "CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
            assert!(head(&mut client).contains(" 200 "));
            let mut server = listener.accept().unwrap().0;
            write!(client, "\x16\x05not TLS").unwrap();
            assert_eq!(server.read(&mut [0; 9]).unwrap(), 9);
            write!(server, "answer").unwrap();
            assert_eq!(client.read(&mut [0; 9]).unwrap(), 6);
            all.push((client, server));
        }
        memory().saturating_sub(before) / MANY
    };
    [some_more(), some_more(), some_more()].into_iter().max().unwrap_or_default()
}

/// A program that connects to a port, sends a request and reads the answer many times, and prints the median
/// in seconds.
const CLIENT: &str = "
import socket, statistics, sys, time
times = []
for _ in range(1000):
    begun = time.perf_counter()
    with socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as stream:
        stream.sendall(b'GET / HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n' % sys.argv[1].encode())
        while stream.recv(4096): pass
    times.append(time.perf_counter() - begun)
print(statistics.median(times))";
const PYTHON: &str = "/usr/bin/python3";

/// The seconds per connection of such a program: outside of cells, in a cell with its own network, and in one
/// whose connections the supervisor makes.
async fn in_cells(port: u16) -> [f64; 3] {
    let seconds = |said: &[u8]| -> f64 { String::from_utf8_lossy(said).trim().parse().unwrap() };
    let plain = Command::new(PYTHON).args(["-c", CLIENT, &port.to_string()]).output().unwrap();
    let [own, notified] = [false, true].map(|notified| async move {
        let confined = Spec::new(SandboxLevel::Confined, None, "/nonexistent");
        let spec = Spec { network: Network::Hosts, loopback: vec![port], notified, ..confined };
        let sandbox = Sandbox::with_supervisor(std::env::current_exe().unwrap());
        let mut cell = sandbox.open(&spec).await.unwrap();
        let rules = [rule("127.0.0.1")].into_iter().collect();
        let relay = Relay::begin(cell.take_network().unwrap(), rules, Arc::new(World)).unwrap();
        let start = Start {
            file: PYTHON.into(),
            name: PYTHON.into(),
            arguments: ["-c".to_owned(), CLIENT.to_owned(), port.to_string()].map(Into::into).into(),
            environment: Vec::new(),
            folder: "/".into(),
            followed: false,
        };
        let null = || std::fs::File::options().read(true).write(true).open("/dev/null").unwrap().into();
        let (mut said, output) = std::io::pipe().unwrap();
        let streams = Streams { input: null(), output: output.into(), error: null() };
        let number = cell.start(start, streams).await.unwrap();
        assert_eq!(cell.status(number).await.unwrap(), Status::Exited(0), "{:?}", relay.traffic());
        let mut text = Vec::new();
        said.read_to_end(&mut text).unwrap();
        cell.end(Duration::ZERO).await.unwrap();
        text
    });
    [seconds(&plain.stdout), seconds(&own.await), seconds(&notified.await)]
}

fn rule(host: &str) -> HostRule {
    HostRule {
        host: host.parse().unwrap(),
        ports: Ports::All,
        protocol: Protocol::Any,
        why: Why::Word { word: host.to_owned(), start: 0 },
        private: true,
    }
}

fn main() {
    if let Some(_code) = guarda_sandbox::run_as_supervisor() {
        return;
    }
    let port = server();
    let tls_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = tcp.local_addr().unwrap();
    let (dns, dns_tcp) = (UdpSocket::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let _within = runtime.enter();
    let rules = [rule("good.example")].into_iter().collect();
    let _relay =
        Relay::begin(Listeners { tcp, dns, dns_tcp, inside: Vec::new() }, rules, Arc::new(World)).unwrap();
    let ways = [("plain", Way::Plain), ("tunnel", Way::Tunnel), ("http", Way::Http)];
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..ROUNDS {
        for (times, (_, way)) in times.iter_mut().zip(ways) {
            times.push(get(way, port, proxy, "/"));
        }
    }
    let mut big: [Vec<Duration>; 3] = Default::default();
    for _ in 0..7 {
        for (times, (_, way)) in big.iter_mut().zip(ways) {
            times.push(get(way, port, proxy, "/big"));
        }
    }
    println!("{:10}{:>14}{:>14}{:>12}{:>10}", "", "least", "median", "MB/s", "of plain");
    let mut plain = None;
    for (((name, _), mut times), mut big) in ways.into_iter().zip(times).zip(big) {
        times.sort();
        big.sort();
        let least = times.first().copied().unwrap_or_default();
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let best = big.first().copied().unwrap_or_default().as_secs_f64();
        let plain = *plain.get_or_insert(best);
        let rate = BIG as f64 / best / 1e6;
        println!("{name:10}{least:>14.2?}{median:>14.2?}{rate:>12.0}{:>10.2}", plain / best);
    }
    println!("{:38}{:>12} KiB", "a standing connection", standing(proxy));
    let folder = tempfile::tempdir().unwrap();
    if let Some([plain, tunnel]) = tls(folder.path(), tls_port, proxy) {
        println!("{:38}{plain:>12.0}{:>10.2}", "tls plain", 1.0);
        println!("{:38}{tunnel:>12.0}{:>10.2}", "tls tunnel", tunnel / plain);
    }
    let [plain, own, notified] = runtime.block_on(in_cells(port));
    for (name, seconds) in [("plain", plain), ("own network", own), ("without namespaces", notified)] {
        let median = Duration::from_secs_f64(seconds);
        println!("{:24}{median:>14.2?}{:>22.2}", format!("client, {name}"), seconds / plain);
    }
}
