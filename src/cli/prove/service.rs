//! A service of this installation for the trial alone, as a person would have set it up: it trusts the project, and nobody says yes but
//! to an undo.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::world::World;
use crate::app::CliError;
use crate::cli::request::client::{As, refused, send, text};
use crate::devices::process::sibling::{self, RunningProgram};

/// How often open questions are looked for.
const PAUSE: Duration = Duration::from_millis(20);
/// Questions are answered over HTTP, so that nothing sounds and no key counts.
const CONFIG: &str = "[security]\nprofile = \"workspace\"\n[speech]\nenabled = false\n[keys]\nenabled = false\n\
    [terminal]\nenabled = false\n[channels]\nnotification = false\n";

/// The running service.
#[derive(Debug)]
pub(super) struct TrialService {
    state: PathBuf,
    /// Whether a question was put.
    asked: AtomicBool,
    /// Whether the person says yes.
    yes: AtomicBool,
    _running: RunningProgram,
}

impl TrialService {
    /// Starts it, and trusts the project as `guarda hook install` offers.
    ///
    /// # Errors
    /// If it does not start or does not trust.
    pub(super) async fn start(own: &Path, world: &World) -> Result<Self, CliError> {
        let state = state(&world.home());
        let config = world.home().join(".config/guarda/config.toml");
        let written = config.parent().map_or(Ok(()), std::fs::create_dir_all);
        written
            .and_then(|()| std::fs::write(&config, CONFIG))
            .map_err(|error| CliError::at(&config, error))?;
        let program = own.join("guarda-service");
        let environment =
            [("HOME", world.home()), ("GUARDA_STATE_DIR", state.clone()), ("GUARDA_CONFIG", config)];
        let environment = environment.each_ref().map(|(name, value)| (*name, value.as_path()));
        let words = ["serve", "--ready-json", "--listen", "127.0.0.1:0"];
        let started = sibling::run(&program, &words, &environment);
        let (running, _) = started.map_err(|error| CliError::at(&program, error).hint("demo-not-started"))?;
        let service =
            Self { state, asked: AtomicBool::default(), yes: AtomicBool::default(), _running: running };
        let body = json!({"folder": world.project(), "trusted": true}).to_string().into_bytes();
        let told = send(&service.state, As::Approver, "/v1/console/trust", Some(body)).await?;
        if told.status == 200 { Ok(service) } else { Err(refused(&told)) }
    }

    /// Whether a question was put since the last call.
    pub(super) fn asked(&self) -> bool {
        self.asked.swap(false, Ordering::Relaxed)
    }

    /// The person says yes to what is asked from now on, or no; what was asked until now is forgotten.
    pub(super) fn says(&self, yes: bool) {
        self.yes.store(yes, Ordering::Relaxed);
        self.asked.store(false, Ordering::Relaxed);
    }

    /// Answers every question. Ends only with an error.
    pub(super) async fn answer_all(&self) -> CliError {
        loop {
            let open = match send(&self.state, As::Approver, "/v1/questions", None).await {
                Ok(open) => open,
                Err(error) => return error.into(),
            };
            for question in open.body.get("questions").and_then(Value::as_array).into_iter().flatten() {
                self.asked.store(true, Ordering::Relaxed);
                let path = format!("/v1/questions/{}/answer", text(question, "id"));
                let body = json!({"answer": if self.yes.load(Ordering::Relaxed) { "yes" } else { "no" }})
                    .to_string()
                    .into_bytes();
                if let Err(error) = send(&self.state, As::Approver, &path, Some(body)).await {
                    return error.into();
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// The state folder of the trial's own service.
pub(super) fn state(home: &Path) -> PathBuf {
    home.join(".local/state/guarda")
}
