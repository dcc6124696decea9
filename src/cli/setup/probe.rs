//! Probes this machine's back-ends without a service. Only `guarda-service` links it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{CliError, ExitStatus, Loaded, load, settings, terminal};
use crate::devices::DeviceState;
use crate::doors::http::over_http;
use crate::doors::http::wire::Backend;
use crate::wording::words::{Words, words};
use guarda_core::action::Language;
use guarda_sandbox::stage::Stages;

/// How long to wait for slow back-ends.
const PATIENCE: Duration = Duration::from_secs(5);
/// The polling interval.
const PAUSE: Duration = Duration::from_millis(100);

/// Prints the result as JSON.
pub(in crate::cli) fn probe(config: Option<&Path>, language: Language) -> Result<ExitStatus, CliError> {
    terminal::out(&format!("{}\n", find(&load::load(config)?, words(language))?));
    Ok(ExitStatus::Good)
}

/// The store for held-back changes, as the service would open it. Before the service's first start there is no state
/// folder, and a temporary folder takes its place.
fn stages(loaded: &Loaded) -> Option<Stages> {
    let open = |state: &Path| Stages::open(settings::stages_config(&loaded.config, state)).ok();
    let state = load::state().ok()?;
    if state.exists() {
        return open(&state);
    }
    let passing = std::env::temp_dir().join(format!("guarda-{}", uuid::Uuid::new_v4()));
    std::fs::create_dir(&passing).ok()?;
    let stages = open(&passing);
    let _ = std::fs::remove_dir_all(&passing);
    stages
}

/// The parts, as in `/v1/status`.
fn find(loaded: &Loaded, words: &'static Words) -> Result<Value, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime?;
    let advisor = if loaded.config.advice.enabled {
        Some(
            crate::advice::Advisor::new(&loaded.config.advice, &loaded.config.endpoint)
                .map_err(CliError::system)?,
        )
    } else {
        None
    };
    let found = runtime.block_on(async {
        let advice = match &advisor {
            Some(advisor) => Backend::of(words, "advice", advisor.status().await),
            None => Backend::off(words, "advice.enabled"),
        };
        let prompter = crate::prompt::Prompter::start(&settings::prompter_config(loaded));
        let stages = stages(loaded);
        let config = settings::hands_config(loaded, Vec::<PathBuf>::new());
        let hands = crate::hands::Hands::new(crate::hands::HandsConfig { stages, ..config });
        let begun = tokio::time::Instant::now();
        loop {
            let (prompter, parts) = tokio::join!(prompter.status(words), hands.status());
            let parts_start = parts.iter().any(|part| part.state == DeviceState::Starting);
            let desk_starts = prompter
                .channels
                .values()
                .chain([&prompter.speech])
                .any(|state| *state == DeviceState::Starting);
            if !(parts_start || desk_starts) || begun.elapsed() > PATIENCE {
                let told = |name, state| (name, Backend::of(words, name, state));
                let mut answers: BTreeMap<&str, Backend> =
                    prompter.channels.into_iter().map(|(name, state)| told(name, state)).collect();
                answers.insert("http", over_http(words, prompter.remote));
                let deeds: BTreeMap<&str, Backend> =
                    parts.into_iter().map(|part| told(part.name, part.state)).collect();
                let speech = Backend::of(words, "speech", prompter.speech);
                return json!({"speech": speech, "answers": answers, "deeds": deeds, "advice": advice});
            }
            tokio::time::sleep(PAUSE).await;
        }
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(found)
}
