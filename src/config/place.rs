//! Finds files and folders by the environment. Pure: the environment is an argument.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::ConfigFault;

/// Reads an environment variable; an empty one counts as unset.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The location of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigPlace {
    /// Named by `--config` or `GUARDA_CONFIG`: the file must exist.
    Named(PathBuf),
    /// The default location: without a file, the defaults apply.
    Usual(PathBuf),
    /// None: there is no home folder.
    Nowhere,
}

/// Finds the configuration: the command line, `GUARDA_CONFIG`, then `$XDG_CONFIG_HOME/guarda/config.toml`.
#[must_use]
pub fn config(named: Option<PathBuf>, environment: Lookup<'_>) -> ConfigPlace {
    if let Some(path) = named.or_else(|| environment("GUARDA_CONFIG").map(PathBuf::from)) {
        return ConfigPlace::Named(path);
    }
    match base("XDG_CONFIG_HOME", ".config", environment) {
        Some(base) => ConfigPlace::Usual(base.join("guarda/config.toml")),
        None => ConfigPlace::Nowhere,
    }
}

/// Finds the state folder: `GUARDA_STATE_DIR`, else `$XDG_STATE_HOME/guarda`.
#[must_use]
pub fn state(environment: Lookup<'_>) -> Option<PathBuf> {
    let named = environment("GUARDA_STATE_DIR").map(PathBuf::from);
    named.or_else(|| base("XDG_STATE_HOME", ".local/state", environment).map(|base| base.join("guarda")))
}

/// The folder for what can be made again: `$XDG_CACHE_HOME`.
#[must_use]
pub fn cache(environment: Lookup<'_>) -> Option<PathBuf> {
    base("XDG_CACHE_HOME", ".cache", environment)
}

/// An XDG base folder; relative ones are ignored, as its specification demands.
fn base(variable: &str, below_home: &str, environment: Lookup<'_>) -> Option<PathBuf> {
    environment(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| environment("HOME").map(|home| PathBuf::from(home).join(below_home)))
        .filter(|path| path.is_absolute())
}

/// Reads `host:port`; the host is an address or `localhost`.
///
/// # Errors
/// [`ConfigFault::Address`], with what to write.
pub fn address(text: &str) -> Result<SocketAddr, ConfigFault> {
    let spelled = text.trim();
    let numeric = spelled.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    numeric.as_deref().unwrap_or(spelled).parse().map_err(|_| ConfigFault::Address(text.to_owned()))
}
