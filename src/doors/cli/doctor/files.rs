//! What lies in files: the configuration, the state folder, the tokens, the record, the registry.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::doors::cli::Trouble;
use crate::doors::cli::load::Loaded;

use super::Check;

pub(super) fn config(loaded: &Result<Loaded, Trouble>) -> Check {
    match loaded {
        Ok(loaded) => Check::good("configuration", loaded.name()),
        Err(trouble) => {
            Check::bad("configuration", trouble, "mend that line; `guarda config check` tries it again")
        }
    }
}

pub(super) fn user() -> Check {
    match crate::devices::own::own_uid() {
        0 => Check::wary(
            "user",
            "root: what you approve is done with every permission",
            "run guarda as yourself; it asks for a password where one is needed",
        ),
        uid => Check::good("user", format!("number {uid}")),
    }
}

/// The folder and its tokens.
pub(super) fn state(folder: &Path) -> Vec<Check> {
    let Ok(about) = std::fs::symlink_metadata(folder) else {
        return vec![Check::good("state folder", format!("{}: made at the first start", folder.display()))];
    };
    let shown = folder.display();
    let own = crate::devices::own::own_uid();
    let found = if about.is_symlink() {
        Err(format!("{shown} is a symbolic link"))
    } else if !about.is_dir() {
        Err(format!("{shown} is no folder"))
    } else if about.uid() != own {
        Err(format!("{shown} belongs to user {}", about.uid()))
    } else if about.mode() & 0o077 != 0 {
        Err(format!("{shown} is open to others (mode {:o})", about.mode() & 0o777))
    } else {
        Ok(shown.to_string())
    };
    let mend =
        format!("take it away, or: chown {own} '{shown}' && chmod 700 '{shown}'; or set GUARDA_STATE_DIR");
    let mut checks = vec![Check::of("state folder", found, &mend)];
    for name in ["token", "approve-token"] {
        let path = folder.join(name);
        let found = match crate::devices::folder::read_token(&path) {
            Ok(Some(_)) => Ok(format!("{} is yours alone", path.display())),
            Ok(None) => Ok("made at the next start".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let mend = format!("rm '{}', and start the service again: it makes a new one", path.display());
        checks.push(Check::of(name, found, &mend));
    }
    checks
}

pub(super) fn record(loaded: &Loaded, state: &Path) -> Check {
    let folder = crate::doors::cli::assemble::record_folder(&loaded.config, state);
    let mend = "guarda audit verify names each place; the next start puts damaged files aside";
    let anchors = match crate::doors::cli::assemble::anchors(Some(&loaded.config), state) {
        Ok(anchors) => anchors,
        Err(trouble) => return Check::bad("record", trouble, mend),
    };
    if !folder.is_dir() && !anchors.speak() {
        return Check::good("record", format!("{}: made at the first start", folder.display()));
    }
    let key = crate::record::anchor::public(state);
    match crate::record::verify_against(&folder, key.as_deref(), &anchors) {
        Err(error) => Check::bad("record", error.why, mend),
        Ok(report) if report.is_sound() => {
            Check::good("record", format!("{} lines in {} files, unchanged", report.lines, report.files))
        }
        Ok(report) => {
            Check::bad("record", format!("{} faults in {} files", report.faults.len(), report.files), mend)
        }
    }
}

/// The user's own checks: which are asked, and which must not be believed.
pub(super) fn plugins(loaded: &Loaded) -> Vec<Check> {
    use crate::plugins::{Shelf, State};
    let folder = crate::doors::cli::assemble::plugins_folder(loaded);
    let Some(folder) = folder.filter(|_| loaded.config.plugins.enabled) else {
        return vec![Check::good("plugins", "switched off (plugins.enabled)")];
    };
    let shelf = Shelf::read(&folder);
    if let Some(why) = shelf.trouble {
        let mend = format!("chmod 700 '{}', and look at what lies there", folder.display());
        return vec![Check::bad("plugins", format!("every action is asked: {why}"), &mend)];
    }
    let check = |found: crate::plugins::Found| {
        let name = format!("plugin {}", found.name);
        match found.state {
            State::Good => {
                Some(Check::good(&name, "asked about every action; try it: guarda plugin try 'rm x'"))
            }
            State::Ignored(_) => None,
            State::Refused(why) => {
                Some(Check::bad(&name, format!("every action is asked: {why}"), "mend that, or take it away"))
            }
        }
    };
    let checks: Vec<Check> = shelf.found.into_iter().filter_map(check).collect();
    if checks.is_empty() {
        vec![Check::good("plugins", format!("none in {}", folder.display()))]
    } else {
        checks
    }
}

pub(super) fn registry(loaded: &Loaded, state: &Path) -> Check {
    use crate::record::registry::{Backend, Registry, sqlite};
    let config = &loaded.config.registry;
    if !config.enabled {
        return Check::good("registry", "switched off (registry.enabled)");
    }
    if config.url.is_none() && !state.join(sqlite::FILE).exists() {
        return Check::good("registry", "made at the first start");
    }
    let look = || -> Result<String, String> {
        let backend = Backend::of(config, state).map_err(|error| error.to_string())?;
        let place = backend.place();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        // Another process may be the one that mends it.
        let registry = Registry::start(backend, config.clone(), false);
        let totals =
            runtime.block_on(registry.totals(jiff::Timestamp::now())).map_err(|error| error.to_string())?;
        registry.close();
        Ok(format!("{place}: {} commands, {} runs", totals.commands, totals.runs))
    };
    Check::of(
        "registry",
        look(),
        "until it can be read every command is asked; a start sets a damaged file aside",
    )
}
