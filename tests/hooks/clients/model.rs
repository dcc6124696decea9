//! The model on loopback.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::json;

/// An order of the model to its client.
#[derive(Debug, Clone)]
pub enum Step {
    /// Run this line in a shell.
    Run(String),
    /// Write this text to a file.
    Write(PathBuf, String),
}

impl Step {
    fn json(&self) -> serde_json::Value {
        match self {
            Self::Run(line) => json!({ "run": line }),
            Self::Write(path, text) => json!({ "write": path, "content": text }),
        }
    }
}

pub struct Model {
    child: Child,
    pub port: u16,
    results: Arc<Mutex<Vec<String>>>,
}

impl Model {
    /// One that asks for this command once.
    pub fn start(command: &str) -> Self {
        Self::with(&[Step::Run(command.to_owned())])
    }

    /// One that takes these steps.
    pub fn with(steps: &[Step]) -> Self {
        let steps: Vec<_> = steps.iter().map(Step::json).collect();
        let steps = serde_json::Value::from(steps).to_string();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hooks/clients/model.py");
        let mut python = Command::new("/usr/bin/python3");
        python.args([script, &steps]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = python.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().unwrap().unwrap().parse().unwrap();
        let results = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&results);
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| heard.lock().unwrap().push(line));
        });
        Self { child, port, results }
    }

    /// The results of the client's tool so far.
    pub fn results(&self) -> Vec<String> {
        self.results.lock().unwrap().clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
