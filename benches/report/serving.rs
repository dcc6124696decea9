//! The service: the real program, with its record and registry on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server of the benchmark.
pub struct Service {
    child: Child,
    address: String,
    token: String,
    folder: tempfile::TempDir,
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

    fn of(mut command: Command, folder: tempfile::TempDir) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let first: serde_json::Value = serde_json::from_str(&line).expect("the first line of a server");
        let address = first["address"].as_str().unwrap().to_owned();
        Self { child, address, token: String::new(), folder }
    }

    fn settle(mut command: Command, folder: &Path) -> Command {
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).current_dir(folder);
        command
            .env("GUARDA_STATE_DIR", folder.join("state"))
            .env("GUARDA_CONFIG", folder.join("config.toml"));
        command.env("GUARDA_ALLOW_ROOT", "1").env("GUARDA_LISTEN", "127.0.0.1:0");
        command
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
