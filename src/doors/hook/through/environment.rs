//! What the service is told of the shell that a command stands in.

use serde::Serialize;

/// Longest body that the service takes.
const LONGEST: usize = 1024 * 1024;

/// The folder and the environment of this process.
#[derive(Debug, Serialize)]
struct Shell {
    cwd: String,
    /// What is no UTF-8 is left out.
    environment: Vec<(String, String)>,
}

/// The body of the request.
///
/// # Errors
/// In words, with what to do.
pub(super) fn body() -> Result<Vec<u8>, String> {
    let cwd = std::env::current_dir().map_err(|error| {
        format!("the folder that this was started in is not there ({error}): cd into another one")
    })?;
    let cwd = cwd.into_os_string().into_string();
    let cwd =
        cwd.map_err(|_| "the name of this folder is no UTF-8: run the command in another one".to_owned())?;
    let pairs = std::env::vars_os();
    let environment = pairs
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let body = serde_json::to_vec(&Shell { cwd, environment }).map_err(|error| error.to_string())?;
    if body.len() > LONGEST {
        return Err("the environment is longer than 1 MiB: unset what is large in it".to_owned());
    }
    Ok(body)
}
