//! Checks of files: the configuration, the state folder, the tokens, the record, the registry.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::app::{LoadError, Loaded, paths};

use super::check::Checkup;
use crate::wording::Words;

pub(super) fn config(words: &Words, loaded: &Result<Loaded, LoadError>) -> Checkup {
    match loaded {
        Ok(loaded) if loaded.file.is_none() => {
            Checkup::good("configuration", words.say("doctor-built-in", &[]))
        }
        Ok(loaded) => Checkup::good("configuration", loaded.name()),
        Err(error) => Checkup::bad("configuration", error.told(words), &words.say("mend-configuration", &[])),
    }
}

pub(super) fn user(words: &Words) -> Checkup {
    match crate::devices::filesystem::own::own_uid() {
        0 => Checkup::wary("user", words.say("doctor-root", &[]), &words.say("mend-user", &[])),
        uid => Checkup::good("user", words.say("doctor-user", &[("uid", uid.to_string().into())])),
    }
}

/// Checks the state folder and its tokens.
pub(super) fn state(words: &Words, folder: &Path) -> Vec<Checkup> {
    let Ok(about) = std::fs::symlink_metadata(folder) else {
        return vec![Checkup::good("state folder", later(words, folder))];
    };
    let shown = folder.display().to_string();
    let told = |id: &str| words.say(id, &[("path", shown.as_str().into())]);
    let own = crate::devices::filesystem::own::own_uid();
    let found = if about.is_symlink() {
        Err(told("doctor-link"))
    } else if !about.is_dir() {
        Err(told("doctor-no-folder"))
    } else if about.uid() != own {
        Err(words
            .say("doctor-owner", &[("path", shown.as_str().into()), ("uid", about.uid().to_string().into())]))
    } else if about.mode() & 0o077 != 0 {
        Err(words.say(
            "doctor-open",
            &[("path", shown.as_str().into()), ("mode", format!("{:o}", about.mode() & 0o777).into())],
        ))
    } else {
        Ok(shown.clone())
    };
    let mend =
        words.say("mend-state-folder", &[("path", shown.as_str().into()), ("uid", own.to_string().into())]);
    let mut checks = vec![of("state folder", found, &mend)];
    for name in ["token", "approve-token"] {
        let path = folder.join(name);
        let found = match crate::devices::exchange::state_folder::read_token(&path) {
            Ok(Some(_)) => Ok(words.say("doctor-own-token", &[("path", path.display().to_string().into())])),
            Ok(None) => Ok(words.say("doctor-next-start", &[])),
            Err(error) => Err(crate::wording::fault::file::told(words, &error)),
        };
        let mend = words.say("mend-token", &[("path", path.display().to_string().into())]);
        checks.push(of(name, found, &mend));
    }
    checks
}

pub(super) fn record(words: &Words, loaded: &Loaded, state: &Path) -> Checkup {
    let folder = paths::record_folder(&loaded.config, state);
    let mend = &words.say("mend-record", &[]);
    let anchors = match paths::anchors(Some(&loaded.config), state) {
        Ok(anchors) => anchors,
        Err(trouble) => return Checkup::bad("record", trouble.told(words), mend),
    };
    if !folder.is_dir() && !anchors.speak() {
        return Checkup::good("record", later(words, &folder));
    }
    let key = guarda_journal::anchor::public(state);
    match guarda_journal::verify_against(&folder, key.as_deref(), &anchors) {
        Err(error) => Checkup::bad("record", crate::wording::fault::record::fault(words, &error.why), mend),
        Ok(report) if report.is_sound() => {
            let figures = [("lines", report.lines.into()), ("files", report.files.into())];
            Checkup::good("record", words.say("doctor-record", &figures))
        }
        Ok(report) => {
            let figures = [("count", report.faults.len().into()), ("files", report.files.into())];
            Checkup::bad("record", words.say("doctor-record-faults", &figures), mend)
        }
    }
}

/// The state of a file that the guard creates when it first needs it.
fn later(words: &Words, path: &Path) -> String {
    words.say("doctor-later", &[("path", path.display().to_string().into())])
}

/// Checks the user's plugins: which ones run, and which ones are not trusted.
pub(super) fn plugins(words: &Words, loaded: &Loaded) -> Vec<Checkup> {
    use crate::plugins::{PluginState, Shelf};
    let folder = paths::plugins_folder(loaded);
    let Some(folder) = folder.filter(|_| loaded.config.plugins.enabled) else {
        return vec![Checkup::good("plugins", words.say("doctor-off", &[("key", "plugins.enabled".into())]))];
    };
    let shelf = Shelf::read(&folder);
    if let Some(why) = shelf.trouble {
        let mend = words.say("mend-plugins", &[("path", folder.display().to_string().into())]);
        return vec![Checkup::bad("plugins", words.say("doctor-asks-all", &[("why", why.into())]), &mend)];
    }
    let check = |found: crate::plugins::PluginEntry| {
        let name = format!("plugin {}", found.name);
        match found.state {
            PluginState::Good => Some(Checkup::good(&name, words.say("doctor-plugin", &[]))),
            PluginState::Ignored(_) => None,
            PluginState::Refused(why) => {
                let told = words.say("doctor-asks-all", &[("why", why.to_string().into())]);
                Some(Checkup::bad(&name, told, &words.say("mend-plugin", &[])))
            }
        }
    };
    let checks: Vec<Checkup> = shelf.found.into_iter().filter_map(check).collect();
    if checks.is_empty() {
        let none = words.say("doctor-no-plugins", &[("path", folder.display().to_string().into())]);
        vec![Checkup::good("plugins", none)]
    } else {
        checks
    }
}

pub(super) fn registry(words: &Words, loaded: &Loaded, state: &Path) -> Checkup {
    use crate::registry::{Registry, RegistryBackend, RowQuery, Which, sqlite};
    use guarda_core::policy::history::Learned;
    use std::collections::HashSet;
    let config = &loaded.config.registry;
    if !config.enabled {
        return Checkup::good("registry", words.say("doctor-off", &[("key", "registry.enabled".into())]));
    }
    if config.url.is_none() && !state.join(sqlite::FILE).exists() {
        return Checkup::good("registry", words.say("doctor-first-start", &[]));
    }
    let look = || -> Result<String, String> {
        let backend = RegistryBackend::of(config, state).map_err(|error| error.to_string())?;
        let place = backend.place();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        // Only the service may repair the registry.
        let registry = Registry::start(backend, config.clone(), false);
        let totals =
            runtime.block_on(registry.totals(jiff::Timestamp::now())).map_err(|error| error.to_string())?;
        let known = guarda_journal::carried::grants(&paths::record_folder(&loaded.config, state));
        let rows = [Which::Said, Which::Learned(Learned::AutoApprove)].map(|which| {
            let rows = registry.list(RowQuery { which, most: 0 }, jiff::Timestamp::now());
            runtime.block_on(rows).map_err(|error| error.to_string())
        });
        registry.close();
        let (known, mut unsealed) = (known.unwrap_or_default(), HashSet::new());
        for row in rows.into_iter().collect::<Result<Vec<_>, _>>()?.iter().flatten() {
            unsealed.extend((!row.counts(&known)).then(|| row.command_hash.clone()));
        }
        if !unsealed.is_empty() {
            return Err(words.say("registry-unsealed", &[("count", unsealed.len().into())]));
        }
        let figures =
            [("place", place.into()), ("commands", totals.commands.into()), ("runs", totals.runs.into())];
        Ok(words.say("doctor-registry", &figures))
    };
    of("registry", look(), &words.say("mend-registry", &[]))
}

fn of(name: &str, found: Result<String, String>, mend: &str) -> Checkup {
    match found {
        Ok(detail) => Checkup::good(name, detail),
        Err(why) => Checkup::bad(name, why, mend),
    }
}
