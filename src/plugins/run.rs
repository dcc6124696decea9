//! Runs one plugin: a program in its own sandbox, without the network and the home folder, for a bounded time.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::devices::filesystem::files;
use guarda_sandbox::capture::Capture;
use guarda_sandbox::process::{Start, Status, Streams};
use guarda_sandbox::{Limits, Sandbox, SandboxLevel, Spec};

use super::answer::{self, PluginAnswer, PluginFailure};
use super::shelf::{self, Distrust, PluginEntry};

/// How much of its standard error is kept, in bytes.
const ERRORS: usize = 4 * 1024;
/// How long to wait for the end of its streams after it has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// The address space of a plugin, in bytes.
const MEMORY: u64 = 1 << 30;

/// The result of running a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The answer, or why it is unusable.
    pub answer: Result<PluginAnswer, PluginFailure>,
    /// The end of its standard error, for plugin authors.
    pub errors: String,
    /// How long it took.
    pub took: Duration,
}

pub(super) async fn ask(config: &PluginsConfig, found: &PluginEntry, event: &str) -> Ran {
    let begun = Instant::now();
    let asked = tokio::time::timeout(config.timeout, program(config, found, event)).await;
    // If this is dropped half-way, the sandbox is ended with everything in it.
    let (answer, errors) =
        asked.unwrap_or_else(|_late| (Err(PluginFailure::Late(config.timeout.as_millis())), String::new()));
    Ran { answer, errors, took: begun.elapsed() }
}

async fn program(
    config: &PluginsConfig,
    found: &PluginEntry,
    event: &str,
) -> (Result<PluginAnswer, PluginFailure>, String) {
    match talk(config, found, event).await {
        Err(why) => (Err(why), String::new()),
        Ok((status, said, total, errors)) => {
            let errors = String::from_utf8_lossy(&errors).into_owned();
            let answer = match status {
                Status::Exited(0) if total > answer::LIMIT as u64 => Err(PluginFailure::TooLong),
                Status::Exited(0) => answer::read(&said),
                Status::Exited(code) => Err(PluginFailure::Exited(code)),
                Status::Signalled(signal) => Err(PluginFailure::Signalled(signal)),
            };
            (answer, errors)
        }
    }
}

type Said = (Status, Vec<u8>, u64, Vec<u8>);

async fn talk(config: &PluginsConfig, found: &PluginEntry, event: &str) -> Result<Said, PluginFailure> {
    // The file may have changed since the folder was read.
    let about = shelf::believe(&config.folder, &found.path)?;
    if !about.is_file() {
        return Err(Distrust::NoFile.into());
    }
    let broken = |error: std::io::Error| PluginFailure::NotStarted(error.to_string());
    let cell = config.sandbox.open(&spec(config)).await;
    let mut cell = cell.map_err(|error| PluginFailure::NotStarted(error.to_string()))?;
    let (output, their_output) = std::io::pipe().map_err(broken)?;
    let (error, their_error) = std::io::pipe().map_err(broken)?;
    let output = Capture::begin(output, answer::LIMIT * 2, Arc::default(), None).map_err(broken)?;
    let error = Capture::begin(error, ERRORS, Arc::default(), None).map_err(broken)?;
    let streams = Streams {
        input: files::text(event).map_err(broken)?,
        output: their_output.into(),
        error: their_error.into(),
    };
    let start = Start {
        file: found.path.clone(),
        name: found.path.clone().into_os_string(),
        arguments: Vec::new(),
        environment: environment(),
        folder: config.folder.clone(),
        followed: false,
    };
    let number = cell.start(start, streams).await.map_err(broken)?;
    let status = cell.status(number).await.map_err(broken)?;
    // No process that it started outlives it.
    let _ = cell.end(Duration::ZERO).await;
    let said = output.end(LAST_WORDS).await;
    let errors = error.end(LAST_WORDS).await;
    let total = said.total();
    Ok((status, said.into_bytes(), total, errors.into_bytes()))
}

fn spec(config: &PluginsConfig) -> Spec {
    let mut spec = Spec::new(SandboxLevel::Confined, None, "/nonexistent");
    spec.writable = Vec::new();
    spec.readable = vec![config.folder.clone()];
    spec.hidden = config.hidden.iter().filter(|path| !config.folder.starts_with(path)).cloned().collect();
    spec.limits = Limits {
        memory: Some(MEMORY),
        cpu_seconds: Some(config.timeout.as_secs().saturating_add(1)),
        file_size: Some(answer::LIMIT as u64 * 16),
        ..Limits::default()
    };
    spec.require = config.require_sandbox;
    spec
}

/// The same for every plugin, whatever the guard's own environment is.
fn environment() -> Vec<(String, String)> {
    [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/"), ("LANG", "C.UTF-8"), ("TERM", "dumb")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

/// The settings of the plugins.
#[derive(Debug, Clone)]
pub struct PluginsConfig {
    /// The plugin folder.
    pub folder: PathBuf,
    /// How long each plugin may take.
    pub timeout: Duration,
    /// Whether a plugin that cannot be fully confined counts as failed without being started.
    pub require_sandbox: bool,
    /// The guard's own files and folders, which no plugin can read.
    pub hidden: Vec<PathBuf>,
    /// What makes the sandboxes.
    pub sandbox: Sandbox,
}
