//! Where the guard keeps its own files, which programs belong to it, and what no command may touch.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::config::place::{self, ConfigPlace};
use crate::registry::RegistryBackend;
use guarda_journal::{Anchors, anchor};

use super::error::CliError;
use super::load::{self, Loaded};

/// The programs of an installation, all in one folder.
const PROGRAMS: [&str; 6] =
    ["guarda", "guarda-service", "guarda-desktop", "guarda-hook", "guarda-keeper", "guarda-keys"];

/// The folder of the record.
pub(crate) fn record_folder(config: &Config, state: &Path) -> PathBuf {
    config.record.folder.clone().unwrap_or_else(|| state.join("journal"))
}

/// The anchors of the record: one beside its key, and one in the registry if there is a registry.
pub(crate) fn anchors(config: Option<&Config>, state: &Path) -> Result<Anchors, CliError> {
    let anchors = Anchors::of(state).map_err(CliError::unreadable)?;
    let Some((config, key)) = config.zip(anchor::public(state)) else { return Ok(anchors) };
    if !config.registry.enabled {
        return Ok(anchors);
    }
    let backend = RegistryBackend::of(&config.registry, state)?;
    if !backend.exists() {
        return Ok(anchors);
    }
    let text = backend.open().and_then(|mut store| store.anchor(&key));
    Ok(anchors.with(&backend.place(), &key, text.map_err(Into::into)))
}

/// The plugin folder: the configured one, or the one beside the configuration.
pub(crate) fn plugins_folder(loaded: &Loaded) -> Option<PathBuf> {
    if let Some(folder) = &loaded.config.plugins.folder {
        return Some(folder.clone());
    }
    Some(config_file(loaded)?.parent()?.join("plugins"))
}

/// The path of the configuration file, whether or not it exists.
fn config_file(loaded: &Loaded) -> Option<PathBuf> {
    let usual = || match place::config(None, &load::environment) {
        ConfigPlace::Named(path) | ConfigPlace::Usual(path) => Some(path),
        ConfigPlace::Nowhere => None,
    };
    std::path::absolute(loaded.file.clone().or_else(usual)?).ok()
}

/// The guard's own files, whether or not they exist. No command may read or write them.
pub(crate) fn own_files(loaded: &Loaded, state: &Path) -> Vec<PathBuf> {
    let own = config_file(loaded).into_iter().chain(loaded.config.record.folder.clone());
    let old_versions = loaded.config.undo.folder.as_ref().map(PathBuf::from);
    let old_versions = old_versions.into_iter().chain([guarda_sandbox::stage::temporary()]);
    own.chain(plugins_folder(loaded)).chain([state.to_owned()]).chain(old_versions).collect()
}

/// Files that no command may write, whether or not they exist: the guard's programs, and the clients' settings.
pub(super) fn protected() -> Vec<PathBuf> {
    let home = load::environment("HOME").unwrap_or_default();
    let clients = crate::doors::hook::settings::files(&home, &load::environment);
    programs().into_iter().chain(clients).collect()
}

/// The paths of this installation's programs.
fn programs() -> Vec<PathBuf> {
    let Ok(own) = std::env::current_exe() else { return Vec::new() };
    let mut all: Vec<PathBuf> = PROGRAMS.iter().map(|name| own.with_file_name(name)).collect();
    all.retain(|path| path.exists());
    if own.file_name().and_then(OsStr::to_str).is_none_or(|name| !PROGRAMS.contains(&name)) {
        all.push(own);
    }
    all
}
