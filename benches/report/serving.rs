//! The service: the real program, next to a bare one that returns the JSON that it reads.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::paper::Paper;
use crate::{median, micros, quantile, setting};

/// Requests per round, one after the other.
const ONE_BY_ONE: usize = 300;
/// Parallel connections per round, and requests on each.
const SIDE_BY_SIDE: (usize, usize) = (32, 40);

/// A server of the benchmark.
pub struct Service {
    child: Child,
    address: String,
    token: String,
    folder: tempfile::TempDir,
    ready: Duration,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    /// The guard without speech, with its record and registry on.
    pub fn start(config: &str) -> Self {
        let place =
            std::env::var_os("GUARDA_BENCH_FOLDER").unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
        let folder = tempfile::tempdir_in(place).unwrap();
        let silent = "[speech]\nenabled = false\n[keys]\nenabled = false\n[terminal]\nenabled = false\n";
        std::fs::write(folder.path().join("config.toml"), format!("{silent}{config}")).unwrap();
        let mut command = Self::settle(Command::new(env!("CARGO_BIN_EXE_guarda")), folder.path());
        command.args(["serve", "--ready-json"]);
        let mut service = Self::of(command, folder);
        let token = std::fs::read_to_string(service.folder.path().join("state/token")).unwrap();
        token.trim().clone_into(&mut service.token);
        service
    }

    /// The bare one.
    fn bare() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("--bare");
        Self::of(command, tempfile::tempdir().unwrap())
    }

    fn of(mut command: Command, folder: tempfile::TempDir) -> Self {
        let begun = Instant::now();
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready = begun.elapsed();
        let first: serde_json::Value = serde_json::from_str(&line).expect("the first line of a server");
        let address = first["address"].as_str().unwrap().to_owned();
        Self { child, address, token: String::new(), folder, ready }
    }

    fn settle(mut command: Command, folder: &Path) -> Command {
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).current_dir(folder);
        command
            .env("GUARDA_STATE_DIR", folder.join("state"))
            .env("GUARDA_CONFIG", folder.join("config.toml"));
        command.env("GUARDA_ALLOW_ROOT", "1").env("GUARDA_LISTEN", "127.0.0.1:0");
        command
    }

    /// A program that talks to this service.
    pub fn command(&self, program: &str) -> Command {
        Self::settle(Command::new(program), self.folder.path())
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn request(&self, path: &str, body: &str) -> Vec<u8> {
        self.called("POST", path, "", body)
    }

    fn called(&self, method: &str, path: &str, more: &str, body: &str) -> Vec<u8> {
        let (address, token, length) = (&self.address, &self.token, body.len());
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{more}\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    /// Requests actions one after the other, and waits until each is an open question.
    pub fn put_questions(&self, numbers: std::ops::Range<usize>) {
        let all = numbers.end;
        let mut client = self.connect();
        for number in numbers {
            let body = format!(r#"{{"action": "RUN_COMMAND", "target": "touch unmade-{number}"}}"#);
            client.ask_for(&self.called("POST", "/v1/actions", "Prefer: respond-async\r\n", &body), 202);
        }
        let status = self.called("GET", "/v1/status", "", "");
        loop {
            let told: serde_json::Value = serde_json::from_slice(client.ask_for(&status, 200)).unwrap();
            if told["questions"] == all {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn connect(&self) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, bytes: Vec::new() }
    }

    fn rss_mib(&self) -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let kib = text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
        kib.unwrap().parse::<f64>().unwrap() / 1024.0
    }
}

/// One connection.
pub struct Client {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Client {
    pub fn ask(&mut self, request: &[u8]) {
        self.ask_for(request, 200);
    }

    /// The body of the response, which must have this status.
    fn ask_for(&mut self, request: &[u8], status: u16) -> &[u8] {
        self.stream.write_all(request).unwrap();
        self.answer(status)
    }

    /// Reads one answer to its end.
    fn answer(&mut self, status: u16) -> &[u8] {
        self.bytes.clear();
        let mut piece = [0; 16 * 1024];
        let (mut whole, mut body) = (None, 0);
        while whole.is_none_or(|whole| self.bytes.len() < whole) {
            let read = self.stream.read(&mut piece).unwrap();
            assert!(read > 0, "the server hung up: {}", String::from_utf8_lossy(&self.bytes));
            self.bytes.extend_from_slice(&piece[..read]);
            let end = self.bytes.windows(4).position(|four| four == b"\r\n\r\n");
            if let (None, Some(end)) = (whole, end) {
                let head = String::from_utf8_lossy(&self.bytes[..end]).to_lowercase();
                let good = head.starts_with(&format!("http/1.1 {status}"));
                assert!(good, "{}", String::from_utf8_lossy(&self.bytes));
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
                body = end + 4;
                whole = Some(body + length.parse::<usize>().unwrap());
            }
        }
        &self.bytes[body..]
    }
}

pub fn measure(paper: &mut Paper, rounds: usize) {
    let (guard, bare) = (Service::start(""), Service::bare());
    paper.figure("ready_ms", micros(guard.ready) / 1e3, "start to ready (ms)");
    paper.figure("bare_ready_ms", micros(bare.ready) / 1e3, "start to ready, bare (ms)");
    std::thread::sleep(Duration::from_secs(2));
    paper.figure("idle_rss_mib", guard.rss_mib(), "resident memory, idle (MiB)");
    paper.figure("bare_idle_rss_mib", bare.rss_mib(), "resident memory, idle, bare (MiB)");
    let body =
        r#"{"action": "RUN_COMMAND", "target": "ls -la Downloads", "session": "bench", "confidence": 0.9}"#;
    beside(paper, rounds, "http", &guard, &bare, body);
    let wary =
        r#"{"action": "RUN_COMMAND", "target": "rm -r Downloads/old && sudo reboot", "session": "bench"}"#;
    beside(paper, rounds.min(5), "http_asked", &guard, &bare, wary);
    let plain = r#"{"action": "OPEN_URL", "target": "https://example.org", "session": "bench"}"#;
    beside(paper, rounds.min(5), "http_desktop", &guard, &bare, plain);
    deeds(paper, &guard, rounds * 3);
    let requests = setting("GUARDA_BENCH_REQUESTS", 20_000);
    let request = guard.request("/v1/judge", body);
    let before = guard.rss_mib();
    let _ = rate(&guard, &request, requests / SIDE_BY_SIDE.0);
    paper.figure(
        "busy_rss_mib",
        guard.rss_mib(),
        &format!("resident memory after {requests} more requests (MiB)"),
    );
    paper.figure("grown_rss_mib", guard.rss_mib() - before, "what it grew by in them (MiB)");
}

/// Sends the same request to both, alternating; the median of the rounds' ratios.
fn beside(paper: &mut Paper, rounds: usize, name: &str, guard: &Service, bare: &Service, body: &str) {
    let (asked, echoed) = (guard.request("/v1/judge", body), bare.request("/v1/judge", body));
    let (mut one, mut other) = (guard.connect(), bare.connect());
    let (mut judged, mut plain, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rates, mut plain_rates, mut rate_ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let (mut own, mut base) = (Vec::new(), Vec::new());
        for _ in 0..ONE_BY_ONE {
            let begun = Instant::now();
            one.ask(&asked);
            own.push(micros(begun.elapsed()));
            let begun = Instant::now();
            other.ask(&echoed);
            base.push(micros(begun.elapsed()));
        }
        let (many, most) = (rate(guard, &asked, SIDE_BY_SIDE.1), rate(bare, &echoed, SIDE_BY_SIDE.1));
        // The first round warms up.
        if round > 0 {
            ratios.push(median(&mut own) / median(&mut base));
            rate_ratios.push(many / most);
            rates.push(many);
            plain_rates.push(most);
            judged.extend(own);
            plain.extend(base);
        }
    }
    paper.figure(
        &format!("{name}_p50_us"),
        median(&mut judged),
        &format!("`POST /v1/judge`, p50 (µs): `{body}`"),
    );
    paper.figure(&format!("{name}_p99_us"), quantile(&mut judged, 0.99), "the same, p99 (µs)");
    paper.figure(&format!("{name}_bare_p50_us"), median(&mut plain), "the bare handler, p50 (µs)");
    paper.figure(&format!("{name}_bare_p99_us"), quantile(&mut plain, 0.99), "the bare handler, p99 (µs)");
    paper.figure(&format!("{name}_p50_ratio"), median(&mut ratios), "p50 beside the bare handler");
    paper.figure(&format!("{name}_per_second"), median(&mut rates), "requests a second, 32 connections");
    paper.figure(&format!("{name}_bare_per_second"), median(&mut plain_rates), "the bare handler, the same");
    paper.figure(
        &format!("{name}_throughput_ratio"),
        median(&mut rate_ratios),
        "throughput beside the bare handler",
    );
}

/// Requests per second over many connections: one thread sends on all of them, then reads from all.
fn rate(server: &Service, request: &[u8], each: usize) -> f64 {
    let mut clients: Vec<Client> = (0..SIDE_BY_SIDE.0).map(|_| server.connect()).collect();
    let begun = Instant::now();
    for _ in 0..each {
        clients.iter_mut().for_each(|client| client.stream.write_all(request).unwrap());
        clients.iter_mut().for_each(|client| {
            client.answer(200);
        });
    }
    (each * clients.len()) as f64 / begun.elapsed().as_secs_f64()
}

/// Whole deeds through the service: an answered question, and a command, next to the same command without a
/// guard.
fn deeds(paper: &mut Paper, guard: &Service, rounds: usize) {
    let mut client = guard.connect();
    let reply = guard.request("/v1/actions", r#"{"action": "REPLY", "target": "ok", "session": "bench"}"#);
    let command =
        guard.request("/v1/actions", r#"{"action": "RUN_COMMAND", "target": "ls", "session": "bench"}"#);
    let (mut said, mut run, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let begun = Instant::now();
        client.ask(&reply);
        said.push(micros(begun.elapsed()));
        let begun = Instant::now();
        client.ask(&command);
        run.push(micros(begun.elapsed()));
        let begun = Instant::now();
        let output = Command::new("/bin/ls").current_dir(guard.folder()).output().unwrap();
        assert!(output.status.success());
        plain.push(micros(begun.elapsed()));
    }
    paper.figure(
        "safe_action_p50_us",
        median(&mut said),
        "a safe action (REPLY) through the service, p50 (µs)",
    );
    paper.figure("command_p50_us", median(&mut run), "`ls` through the service, confined, p50 (µs)");
    paper.figure("plain_command_p50_us", median(&mut plain), "`ls`, plainly started, p50 (µs)");
    paper.figure(
        "command_ratio",
        median(&mut run) / median(&mut plain),
        "`ls` through the service beside plain",
    );
}
