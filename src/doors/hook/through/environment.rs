//! Collects the environment of a client's shell for the service.

use serde::Serialize;

use super::not_run::NotRun;

/// The longest body that the service accepts, in bytes.
const LONGEST: usize = 1024 * 1024;

/// The folder and the environment of this process.
#[derive(Debug, Serialize)]
struct Shell {
    cwd: String,
    /// Variables that are not UTF-8 are left out.
    environment: Vec<(String, String)>,
}

/// Builds the body of the request.
///
/// # Errors
/// [`NotRun`], with the remedy.
pub(super) fn body() -> Result<Vec<u8>, NotRun> {
    let cwd = std::env::current_dir().map_err(NotRun::NoFolder)?;
    let cwd = cwd.into_os_string().into_string();
    let cwd = cwd.map_err(|_| NotRun::FolderName)?;
    let pairs = std::env::vars_os();
    let environment = pairs
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let body =
        serde_json::to_vec(&Shell { cwd, environment }).map_err(|error| NotRun::System(error.to_string()))?;
    if body.len() > LONGEST {
        return Err(NotRun::Environment);
    }
    Ok(body)
}
