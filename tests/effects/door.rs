//! How a line gets to the guard, and its result.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::common::let_pass;
use serde_json::{Value, json};

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// The rules alone allowed it, and it ran.
    Ran,
    /// It was allowed, but there is no such program here.
    Absent,
    /// A person would have been asked.
    Asked,
    /// The rules forbid it.
    Blocked,
    /// The guard refused it for another reason.
    Refused,
}

/// The result of one line.
#[derive(Debug, Clone)]
pub struct Reply {
    pub fate: Fate,
    /// Everything that the caller received.
    pub text: String,
    /// The program's standard output.
    pub output: String,
    /// The line's session.
    pub session: String,
}

/// A way to send lines to the guard.
pub trait Door: Sync {
    /// Sends one line and waits for its end. Each has its own session, so that no line's marks affect
    /// another's.
    fn send(&self, text: &str, folder: &str, session: &str) -> Reply;
}

/// `POST /v1/actions` on the guard's socket, with the token that may ask and not answer.
pub struct Http {
    pub socket: PathBuf,
    pub token: String,
    /// The token of the person, who says no to everything.
    pub approve: String,
}

impl Http {
    fn post(&self, body: &str) -> std::io::Result<String> {
        Ok(String::from_utf8_lossy(&self.send_to("/v1/actions", body)?).into_owned())
    }

    /// Says no to every open question.
    pub fn deny(&self) {
        let listed = self.request(("GET", "/v1/questions"), &self.approve, "").unwrap_or_default();
        let head = listed.windows(4).position(|end| end == b"\r\n\r\n").map_or(listed.len(), |end| end + 4);
        let listed: Value = serde_json::from_slice(&listed[head..]).unwrap_or_default();
        for question in listed["questions"].as_array().into_iter().flatten() {
            let path = format!("/v1/questions/{}/answer", question["id"].as_str().unwrap_or_default());
            let _ = self.request(("POST", &path), &self.approve, r#"{"answer": "no"}"#);
        }
    }

    /// The known sessions.
    pub fn sessions(&self) -> Value {
        let listed = self.request(("GET", "/v1/sessions"), &self.approve, "").unwrap_or_default();
        let head = listed.windows(4).position(|end| end == b"\r\n\r\n").map_or(listed.len(), |end| end + 4);
        serde_json::from_slice(&listed[head..]).unwrap_or_default()
    }

    /// Trusts a folder, as its person does.
    pub fn trust(&self, folder: &std::path::Path) {
        let body = json!({ "folder": folder, "trusted": true }).to_string();
        let answer = self.request(("POST", "/v1/console/trust"), &self.approve, &body).unwrap();
        assert_eq!(answer.get(9..12), Some(&b"200"[..]), "{}", String::from_utf8_lossy(&answer));
    }

    /// The complete response to a posted body.
    fn send_to(&self, path: &str, body: &str) -> std::io::Result<Vec<u8>> {
        self.request(("POST", path), &self.token, body)
    }

    /// The whole answer, closed by its end.
    fn request(&self, (method, path): (&str, &str), token: &str, body: &str) -> std::io::Result<Vec<u8>> {
        let mut stream = UnixStream::connect(&self.socket)?;
        // A program that replaces a client's shell ends when the client no longer waits for it, however much it writes.
        let streams = path.starts_with("/v1/tickets");
        let end = Instant::now() + Duration::from_secs(if streams { 4 } else { 60 });
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = Vec::new();
        let mut some = vec![0; 64 * 1024];
        loop {
            let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            stream.set_read_timeout(Some(left))?;
            match stream.read(&mut some) {
                Ok(0) => return Ok(answer),
                Ok(read) => answer.extend_from_slice(&some[..read]),
                Err(_) if streams => return Ok(answer),
                Err(error) => return Err(error),
            }
            if streams && Instant::now() >= end {
                return Ok(answer);
            }
        }
    }
}

/// The path of an agent's shell: its hook asks, and the replacement in the hook's answer is redeemed.
/// tests/hooks/tickets.rs tests what `guarda run` does with the answer.
pub struct Through(pub Http);

impl Door for Through {
    fn send(&self, text: &str, folder: &str, session: &str) -> Reply {
        let reply =
            |fate, text: String, output: String| Reply { fate, text, output, session: session.to_owned() };
        let event = json!({
            "client": "claude", "tool": "Bash", "does": {"run": text}, "session": session, "cwd": folder,
            "can_rewrite": true,
        });
        let asked = |path: &str, body: &Value| {
            for _ in 0..50 {
                let answer = self.0.send_to(path, &body.to_string()).unwrap_or_default();
                let head = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap_or(answer.len());
                if answer.get(9..12) != Some(b"503") {
                    return answer.get(head + 4..).unwrap_or_default().to_vec();
                }
                let_pass(100, "a service that is busy wants to be asked later");
            }
            Vec::new()
        };
        let decided: Value = serde_json::from_slice(&asked("/v1/events", &event)).unwrap_or_default();
        let command = decided["command"].as_str().unwrap_or_default();
        if decided["decision"] != "run" {
            let fate = match (decided["decision"].as_str(), decided["status"].as_str()) {
                // It only changes the client's own shell.
                (Some("allow"), _) => Fate::Ran,
                (Some("deny"), Some("blocked")) => Fate::Blocked,
                (Some("deny"), Some(_)) => Fate::Asked,
                _ => Fate::Refused,
            };
            return reply(fate, told(&decided), String::new());
        }
        let ticket = command.rsplit(' ').next().unwrap_or_default();
        // A leading `cd` is the client's shell's to follow.
        let goal = command.strip_prefix("cd ").and_then(|rest| rest.split(" && ").next()).unwrap_or(".");
        let cwd = PathBuf::from(folder).join(goal.trim_matches(['\'', '"']));
        let shell = json!({"cwd": cwd, "environment": [["PATH", "/usr/bin:/bin"], ["LANG", "C.UTF-8"]]});
        let frames = asked(&format!("/v1/tickets/{ticket}/run"), &shell);
        let (mut out, mut all, mut rest) = (Vec::new(), Vec::new(), frames.as_slice());
        let mut end = Value::Null;
        while let [kind, a, b, c, d, after @ ..] = rest {
            let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
            let Some((payload, next)) = after.split_at_checked(length) else { break };
            if *kind == b'o' {
                out.extend_from_slice(payload);
            }
            if *kind == b'x' {
                end = serde_json::from_slice(payload).unwrap_or_default();
            }
            all.extend_from_slice(payload);
            all.push(b'\n');
            rest = next;
        }
        let fate = match end["outcome"].as_str() {
            _ if all.is_empty() => Fate::Refused,
            Some("denied" | "expired" | "withdrawn") => Fate::Asked,
            Some("blocked") => Fate::Blocked,
            _ => Fate::Ran,
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        reply(fate, text(if all.is_empty() { &frames } else { &all }), text(&out))
    }
}

impl Door for Http {
    fn send(&self, text: &str, folder: &str, session: &str) -> Reply {
        let body = json!({"action": "RUN_COMMAND", "target": text, "cwd": folder, "session": session});
        let session = session.to_owned();
        let refused = |text: String| Reply {
            fate: Fate::Refused,
            text,
            output: String::new(),
            session: session.clone(),
        };
        for _ in 0..50 {
            let answer = match self.post(&body.to_string()) {
                Ok(answer) => answer,
                Err(error) => return refused(format!("no answer: {error}")),
            };
            if answer.get(9..12) == Some("503") {
                let_pass(100, "a service that is busy wants to be asked later");
                continue;
            }
            let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            let Ok(reply) = serde_json::from_str::<Value>(body) else { return refused(answer) };
            return Reply { fate: fate(&reply), output: output(&reply), text: told(&reply), session };
        }
        refused("busy".to_owned())
    }
}

fn fate(reply: &Value) -> Fate {
    match (reply["status"].as_str(), reply["outcome"].as_str()) {
        (Some("blocked"), _) | (_, Some("blocked")) => Fate::Blocked,
        // The shell's word for a program that is not there; so is the guard's.
        (_, Some("done" | "failed")) if reply["output"]["exit_code"] == 127 => Fate::Absent,
        (_, Some("failed")) if reply["error"] == "not_found" || reply["error"] == "command_not_found" => {
            Fate::Absent
        }
        // After a time-out something ran. Without a person there was no yes.
        (_, Some("done" | "failed")) => Fate::Ran,
        (Some("requires_confirmation" | "requires_password"), _) => Fate::Asked,
        _ => Fate::Refused,
    }
}

fn output(reply: &Value) -> String {
    reply["output"]["stdout"].as_str().unwrap_or_default().to_owned()
}

/// All texts of a reply, one per line, with JSON escapes resolved.
fn told(reply: &Value) -> String {
    match reply {
        Value::String(text) => format!("{text}\n"),
        Value::Array(values) => values.iter().map(told).collect(),
        Value::Object(values) => values.values().map(told).collect(),
        _ => String::new(),
    }
}
