//! A service of this installation for the trial alone, as a person would have set it up: it trusts the project, and nobody says yes but
//! to an undo.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::world::World;
use crate::app::CliError;
use crate::cli::request::client::{As, answer_all, refused, send, temporary_service};
use crate::devices::process::sibling::RunningProgram;

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
    pub(super) async fn start(world: &World) -> Result<Self, CliError> {
        let state = state(&world.home());
        let config = world.home().join(".config/guarda/config.toml");
        let written = config.parent().map_or(Ok(()), std::fs::create_dir_all);
        written
            .and_then(|()| std::fs::write(&config, CONFIG))
            .map_err(|error| CliError::at(&config, error))?;
        let environment =
            [("HOME", world.home()), ("GUARDA_STATE_DIR", state.clone()), ("GUARDA_CONFIG", config)];
        let environment = environment.each_ref().map(|(name, value)| (*name, value.as_path()));
        let running = temporary_service(&environment)?;
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
    pub(super) async fn answer(&self) -> CliError {
        answer_all(&self.state, |_| {
            self.asked.store(true, Ordering::Relaxed);
            Some(if self.yes.load(Ordering::Relaxed) { "yes" } else { "no" })
        })
        .await
    }
}

/// The state folder of the trial's own service.
pub(super) fn state(home: &Path) -> PathBuf {
    home.join(".local/state/guarda")
}
