//! A model server that answers by a script, and the real one of llama.cpp.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

/// How the scripted server handles a request.
#[derive(Clone)]
pub enum Reaction {
    /// This status and this body.
    Says(u16, String),
    /// The text of a finished answer.
    Writes(String),
    /// The text of a truncated answer.
    Cut(String),
    /// The same after this time.
    Slowly(Duration, String),
    /// Half an answer, after which the connection ends.
    BreaksOff,
    /// Another place.
    Redirects(String),
}

impl Reaction {
    pub fn clear() -> Self {
        Self::Writes(json!({"flagged": false, "reason": "reads a file"}).to_string())
    }

    pub fn flagged(reason: &str) -> Self {
        Self::Writes(json!({"flagged": true, "reason": reason}).to_string())
    }
}

/// A local server that reacts to each request by a function of its content, and remembers all of them.
pub struct Scripted {
    pub address: String,
    place: SocketAddr,
    seen: Arc<Mutex<Vec<Value>>>,
    gone: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
    react: Arc<React>,
}

type React = dyn Fn(&Value) -> Reaction + Send + Sync;

impl Scripted {
    pub fn new(react: impl Fn(&Value) -> Reaction + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap();
        let mut server = Self {
            address: format!("http://{place}/v1"),
            place,
            seen: Arc::default(),
            gone: Arc::default(),
            listening: None,
            react: Arc::new(react),
        };
        server.listen(listener);
        server
    }

    fn listen(&mut self, listener: TcpListener) {
        let (seen, react, gone) = (Arc::clone(&self.seen), Arc::clone(&self.react), Arc::clone(&self.gone));
        gone.store(false, Ordering::Relaxed);
        self.listening = Some(std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if gone.load(Ordering::Relaxed) {
                    return;
                }
                let (seen, react) = (Arc::clone(&seen), Arc::clone(&react));
                std::thread::spawn(move || serve(stream, &seen, &*react));
            }
        }));
    }

    /// The server dies: connections are refused.
    pub fn die(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
        // Wakes the listener, so that it sees the flag.
        drop(TcpStream::connect(self.place));
        self.listening.take().unwrap().join().unwrap();
    }

    /// It returns at the same address.
    pub fn come_back(&mut self) {
        self.listen(TcpListener::bind(self.place).unwrap());
    }

    pub fn always(reaction: Reaction) -> Self {
        Self::new(move |_| reaction.clone())
    }

    /// The bodies that were posted.
    pub fn seen(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, heard: &Mutex<Vec<Value>>, react: &dyn Fn(&Value) -> Reaction) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let reaction = if head.starts_with("get ") {
        Reaction::Says(200, json!({"data": [{"id": "tiny"}]}).to_string())
    } else {
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.trim().parse().unwrap()];
        stream.read_exact(&mut body).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        heard.lock().unwrap().push(body.clone());
        react(&body)
    };
    let answer = |text: &str, end: &str| {
        json!({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": end,
            "message": {"role": "assistant", "content": text}}]})
        .to_string()
    };
    let (status, body, more) = match reaction {
        Reaction::Says(status, body) => (status, body, String::new()),
        Reaction::Writes(text) => (200, answer(&text, "stop"), String::new()),
        Reaction::Cut(text) => (200, answer(&text, "length"), String::new()),
        Reaction::Slowly(time, text) => {
            std::thread::sleep(time);
            (200, answer(&text, "stop"), String::new())
        }
        Reaction::BreaksOff => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"choices\": [");
            return;
        }
        Reaction::Redirects(to) => (307, String::new(), format!("Location: {to}\r\n")),
    };
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
}

/// llama.cpp's own server with a tiny model of random weights.
pub struct Llama {
    child: Child,
    pub address: String,
}

impl Llama {
    pub fn start() -> Self {
        let root = env!("CARGO_MANIFEST_DIR");
        let mut child = Command::new(super::python("bin/python"))
            .arg(format!("{root}/tests/common/llama/server.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert!(first.starts_with("http://127.0.0.1:"), "llama.cpp did not start: {first:?}");
        Self { child, address: format!("{}/v1", first.trim()) }
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
