//! The configuration of this process: the file, overridden by the environment.

use std::path::{Path, PathBuf};

use crate::config::place::{self, ConfigPlace};
use crate::config::{Config, ConfigError};

use super::Trouble;

/// A configuration, and its source.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    pub(super) config: Config,
    /// The file; `None` if there is none and the defaults apply.
    pub(super) file: Option<PathBuf>,
}

impl Loaded {
    /// The name for messages.
    pub(super) fn name(&self) -> String {
        self.file
            .as_ref()
            .map_or_else(|| "the built-in configuration".to_owned(), |path| path.display().to_string())
    }
}

/// A variable of this process's environment; an empty one counts as unset.
pub(super) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Reads the configuration.
pub(super) fn load(named: Option<&Path>) -> Result<Loaded, Trouble> {
    let (path, must_be) = match place::config(named.map(Path::to_owned), &environment) {
        ConfigPlace::Named(path) => (path, true),
        ConfigPlace::Usual(path) => (path, false),
        ConfigPlace::Nowhere => return Ok(Loaded { config: Config::default(), file: None }),
    };
    match crate::devices::own::read_config(&path).map_err(Trouble::new)? {
        Some(text) => {
            let config = Config::parse(&text, &path.display().to_string()).map_err(Trouble::new)?;
            Ok(Loaded { config, file: Some(path) })
        }
        None if must_be => Err(Trouble(format!("{}: there is no such file", path.display()))),
        None => Ok(Loaded { config: Config::default(), file: None }),
    }
}

/// Applies `--listen`, or else `GUARDA_LISTEN`.
pub(super) fn listen(config: &mut Config, option: Option<&str>) -> Result<(), Trouble> {
    let (text, source) = match (option.map(str::to_owned), environment("GUARDA_LISTEN")) {
        (Some(text), _) => (text, "--listen"),
        (None, Some(text)) => (text, "GUARDA_LISTEN"),
        (None, None) => return Ok(()),
    };
    let wrong = |error: place::NoAddress| ConfigError {
        file: source.to_owned(),
        line: 0,
        message: error.to_string(),
    };
    config.server.listen = place::address(&text).map_err(|error| Trouble::new(wrong(error)))?;
    config.check(source).map_err(Trouble::new)
}

/// Applies the address that a service manager opened; it overrides everything else.
pub(super) fn socket_activation(config: &mut Config, address: &std::net::TcpListener) -> Result<(), Trouble> {
    config.server.listen = address.local_addr().map_err(Trouble::new)?;
    config.check("LISTEN_FDS").map_err(Trouble::new)
}

/// The state folder.
pub(super) fn state() -> Result<PathBuf, Trouble> {
    place::state(&environment).ok_or_else(|| {
        Trouble("there is no home folder: set GUARDA_STATE_DIR to a folder of your own".to_owned())
    })
}
