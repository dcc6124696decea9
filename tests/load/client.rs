//! A client that does not wait for others: requests as bytes, each over its own connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Longest wait for a response; longer than any limit of the service.
const PATIENCE: Duration = Duration::from_secs(90);

/// The service's address, and its tokens.
#[derive(Debug, Clone)]
pub struct Target {
    pub address: Arc<str>,
    pub token: Arc<str>,
    pub approve: Arc<str>,
    pub folder: Arc<str>,
    /// How many connections the mix has at a time.
    pub room: Arc<tokio::sync::Semaphore>,
}

/// A response: its status, its head in lower case, and its body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Target {
    pub fn of(service: &crate::common::Service) -> Self {
        Self {
            address: service.address.as_str().into(),
            token: service.token.as_str().into(),
            approve: service.approve.as_str().into(),
            folder: service.folder.path().to_str().unwrap().into(),
            room: Arc::new(tokio::sync::Semaphore::new(200)),
        }
    }

    /// A request as bytes; `more` are whole header lines.
    pub fn request(&self, method: &str, path: &str, token: &str, more: &str, body: &str) -> Vec<u8> {
        let kind = if method == "POST" { "Content-Type: application/json\r\n" } else { "" };
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n{kind}{more}Content-Length: {}\r\n\
             \r\n{body}",
            self.address,
            body.len()
        )
        .into_bytes()
    }

    pub fn post(&self, path: &str, body: &serde_json::Value) -> Vec<u8> {
        self.request("POST", path, &self.token, "", &body.to_string())
    }

    /// A request for a command, in a session.
    pub fn command(&self, path: &str, command: &str, session: &str) -> Vec<u8> {
        let body = serde_json::json!({
            "action": "RUN_COMMAND", "target": command, "cwd": &*self.folder, "session": session
        });
        self.post(path, &body)
    }

    pub async fn open(&self) -> io::Result<Line> {
        let stream = TcpStream::connect(&*self.address).await?;
        stream.set_nodelay(true)?;
        Ok(Line { stream: BufReader::new(stream) })
    }

    /// One request on a connection of its own.
    pub async fn send(&self, bytes: &[u8]) -> io::Result<Answer> {
        let mut line = self.open().await?;
        line.write(bytes).await?;
        line.answer().await
    }
}

/// A connection.
#[derive(Debug)]
pub struct Line {
    pub stream: BufReader<TcpStream>,
}

impl Line {
    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes).await
    }

    pub async fn answer(&mut self) -> io::Result<Answer> {
        tokio::time::timeout(PATIENCE, self.read())
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn read(&mut self) -> io::Result<Answer> {
        let mut head = String::new();
        loop {
            let before = head.len();
            if self.stream.read_line(&mut head).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if head[before..].trim().is_empty() {
                break;
            }
        }
        let head = head.to_lowercase();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)];
        self.stream.read_exact(&mut body).await?;
        Ok(Answer { status, head, body })
    }
}
