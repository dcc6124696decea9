//! `guarda serve` and `guarda mcp`: replace this process by `guarda-service` from the same folder.

use guarda_core::action::Language;

use crate::app::{CliError, ExitStatus};

/// Replaces this process by the service, with the same arguments. Returns only on an error.
pub(crate) fn become_service() -> Result<ExitStatus, CliError> {
    let own = std::env::current_exe()?;
    let service = own.with_file_name("guarda-service");
    let error = guarda_sandbox::process::replace(&service, std::env::args_os().skip(1));
    Err(CliError::at(&service, error).hint("service-missing"))
}

/// The result of a probe by `guarda-service`.
pub(crate) fn probe(
    loaded: &crate::app::load::Loaded,
    language: Language,
) -> Result<serde_json::Value, CliError> {
    let own = std::env::current_exe()?;
    let service = own.with_file_name("guarda-service");
    let wrong = |what: String| CliError::at(&service, what);
    let mut words = vec!["probe", "--language", language.tag()];
    let config = loaded.file.as_ref().map(|file| file.display().to_string());
    words.extend(config.iter().flat_map(|file| ["--config", file.as_str()]));
    let output = crate::devices::process::sibling::ask(&service, &words, &[], b"")
        .map_err(|error| wrong(error.to_string()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).map_err(|error| wrong(format!("{error} {}", complaint.trim())))
}
