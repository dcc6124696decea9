//! `guarda serve` and `guarda mcp`: replace this process by `guarda-service` from the same folder.

use std::ffi::OsStr;
use std::path::PathBuf;

use guarda_core::action::Language;

use super::{CliError, ExitStatus};

/// The programs of an installation, all in one folder.
const PROGRAMS: [&str; 6] =
    ["guarda", "guarda-service", "guarda-desktop", "guarda-hook", "guarda-keeper", "guarda-keys"];

/// Replaces this process by the service, with the same arguments. Returns only on an error.
pub(super) fn become_service() -> Result<ExitStatus, CliError> {
    let own = std::env::current_exe().map_err(CliError::new)?;
    let service = own.with_file_name("guarda-service");
    let error = guarda_sandbox::process::replace(&service, std::env::args_os().skip(1));
    let told = [("path", service.display().to_string()), ("why", error.to_string())];
    Err(CliError(super::load::say("service-missing", &told)))
}

/// The result of a probe by `guarda-service`.
pub(super) fn probe(loaded: &super::load::Loaded, language: Language) -> Result<serde_json::Value, CliError> {
    let own = std::env::current_exe().map_err(CliError::new)?;
    let service = own.with_file_name("guarda-service");
    let wrong = |what: String| CliError(format!("{}: {what}", service.display()));
    let mut words = vec!["probe", "--language", language.tag()];
    let config = loaded.file.as_ref().map(|file| file.display().to_string());
    words.extend(config.iter().flat_map(|file| ["--config", file.as_str()]));
    let output = crate::devices::process::sibling::ask(&service, &words, &[], b"")
        .map_err(|error| wrong(error.to_string()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).map_err(|error| wrong(format!("{error} {}", complaint.trim())))
}

/// The paths of this installation's programs.
pub(super) fn programs() -> Vec<PathBuf> {
    let Ok(own) = std::env::current_exe() else { return Vec::new() };
    let mut all: Vec<PathBuf> = PROGRAMS.iter().map(|name| own.with_file_name(name)).collect();
    all.retain(|path| path.exists());
    if own.file_name().and_then(OsStr::to_str).is_none_or(|name| !PROGRAMS.contains(&name)) {
        all.push(own);
    }
    all
}
