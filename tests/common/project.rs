//! A service with a small project in its home folder, which its person trusts.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Service, folder_in};

/// A service, and the folder `work` in its home folder.
pub struct Project {
    pub service: Service,
    /// The real path of the project.
    pub work: PathBuf,
}

impl Project {
    pub fn new(profile: &str) -> Self {
        Self::with(profile, "")
    }

    /// Starts a service with this profile and these further configuration lines. The project has `a.txt` and
    /// `src/b.txt`, and is trusted.
    pub fn with(profile: &str, more: &str) -> Self {
        let scene = Self::untrusted(profile, more);
        // On a desktop, trust changes nothing.
        if profile != "desktop" {
            scene.service.trust(&scene.work);
        }
        scene
    }

    /// The same with a project that nobody trusts yet.
    pub fn untrusted(profile: &str, more: &str) -> Self {
        Self::within(&std::env::temp_dir(), profile, more)
    }

    /// The same with a home folder in another one than that for temporary files.
    pub fn within(place: &std::path::Path, profile: &str, more: &str) -> Self {
        let folder = folder_in(
            place,
            "",
            &format!("confirmation_timeout_seconds = 20\nrefusals_per_minute = 0\nprofile = \"{profile}\""),
        );
        let config = folder.path().join("config.toml");
        // A client's hooks are judged as every other door is.
        let hooks = if more.contains("[hooks]") {
            String::new()
        } else {
            format!("[hooks]\nprofile = \"{profile}\"\n")
        };
        let text = std::fs::read_to_string(&config).unwrap() + &hooks + more;
        std::fs::write(config, text).unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir_all(work.join("src")).unwrap();
        std::fs::write(work.join("a.txt"), "one\ntwo\n").unwrap();
        std::fs::write(work.join("src/b.txt"), "three\n").unwrap();
        Self { service: Service::on(folder), work: std::fs::canonicalize(work).unwrap() }
    }

    /// Posts an action, and waits for its reply.
    pub fn act(&self, body: &Value) -> Value {
        let answer = self.service.post("/v1/actions", body.to_string()).send();
        assert_eq!(answer.status, 200, "{body}: {answer:?}");
        answer.json()
    }

    /// Posts a command line to be run in the project, and waits for its reply.
    pub fn act_line(&self, line: &str) -> Value {
        self.act(&json!({"action": "RUN_COMMAND", "target": line, "cwd": self.work}))
    }

    /// Answers the question that `run` causes. Returns the question in the form that a person sees, and the result of
    /// `run`.
    pub fn asked<T: Send>(&self, answer: &str, run: impl FnOnce() -> T + Send) -> (Value, T) {
        std::thread::scope(|scope| {
            let running = scope.spawn(run);
            let number = self.service.question();
            let (question, answered) = self.service.read_and_answer(&number, answer);
            assert_eq!(answered.status, 200, "{answered:?}");
            (question, running.join().unwrap())
        })
    }

    /// The list of what can be undone.
    pub fn held(&self) -> Vec<Value> {
        let answer = self.service.get("/v1/undo").send();
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["deeds"].as_array().unwrap().clone()
    }

    /// The text of a file of the project; `None` if it cannot be read.
    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.work.join(path)).ok()
    }
}
