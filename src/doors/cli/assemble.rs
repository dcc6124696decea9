//! From a configuration to a guard: every room gets its own plain settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::place::ConfigPlace;
use crate::devices::folder::StateFolder;
use crate::guard::{Guard, Memory};
use crate::human::setup::{DeskConfig, KeysConfig, SpeechConfig, TerminalConfig};
use crate::record::registry::{Backend, Registry};
use crate::record::{Journal, JournalConfig, Keeping};

use super::Trouble;
use super::load::Loaded;

/// Puts the guard together. Needs a running tokio runtime.
pub(super) fn assemble(loaded: &Loaded, folder: &StateFolder) -> Result<Guard, Trouble> {
    let config = &loaded.config;
    let policy = config.policy(&loaded.name()).map_err(Trouble::new)?;
    let journal = Journal::open(JournalConfig {
        folder: record_folder(config, folder.path()),
        all: config.security.log_all_commands,
        keeping: keeping(&config.record),
        keys: folder.path().to_owned(),
    })
    .map_err(Trouble::new)?;
    for warning in journal.warnings() {
        super::show::err(&format!("guarda: {warning}; look at it with `guarda audit verify`\n"));
    }
    journal.set_policy(&config.rules_digest());
    // Where the marks were lost, the sessions of the record are those that they could have been about.
    let record = record_folder(config, folder.path());
    let recorded = || crate::record::read::sessions(&record).unwrap_or_default();
    let sessions = crate::guard::Sessions::open(folder.path(), recorded);
    if let Some(trouble) = sessions.trouble() {
        super::show::err(&format!("guarda: {trouble}\n"));
    }
    let hands =
        crate::hands::Hands::new(super::serve::hands_config(loaded, own_files(loaded, folder.path())));
    let desk = crate::human::Desk::start(&DeskConfig {
        drafts: Some(folder.path().to_owned()),
        ..desk_config(loaded)
    });
    let mut guard = Guard::new(policy, hands, desk, journal, config.security.advanced_mode)
        .with_sessions(sessions, config.security.shared_marks);
    if config.plugins.enabled {
        guard = guard.with_plugins(crate::plugins::Plugins::new(plugins(loaded, folder.path())));
    }
    if config.run.hide_network {
        // A machine without a name of its own has none to hide.
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        guard = guard.with_anonymiser(crate::output::Anonymiser::new(&[name.trim()]));
    }
    if config.advice.enabled {
        let advisor = crate::advice::Advisor::new(&config.advice, &config.endpoint);
        guard = guard.with_advisor(advisor.map_err(Trouble::new)?);
    }
    if !config.registry.enabled {
        return Ok(guard);
    }
    let backend = Backend::of(&config.registry, folder.path()).map_err(Trouble::new)?;
    // The journal's lock keeps a second guard out of this folder, so that this one may set a damaged file aside.
    let registry = Registry::start(backend, config.registry.clone(), true);
    Ok(guard.with_memory(Memory::new(registry)))
}

/// The folder of the record.
pub(super) fn record_folder(config: &crate::config::Config, state: &Path) -> PathBuf {
    config.record.folder.clone().unwrap_or_else(|| state.join("journal"))
}

/// The folder of plugins: the configured one, or the one beside the configuration.
pub(super) fn plugins_folder(loaded: &Loaded) -> Option<PathBuf> {
    if let Some(folder) = &loaded.config.plugins.folder {
        return Some(folder.clone());
    }
    let usual = || match crate::config::place::config(None, &super::load::environment) {
        ConfigPlace::Named(path) | ConfigPlace::Usual(path) => Some(path),
        ConfigPlace::Nowhere => None,
    };
    let file = loaded.file.clone().or_else(usual)?;
    Some(std::path::absolute(file).ok()?.parent()?.join("plugins"))
}

/// The settings of the plugins. Without a home there is no folder of them.
pub(super) fn plugins(loaded: &Loaded, state: &Path) -> crate::plugins::PluginsConfig {
    crate::plugins::PluginsConfig {
        folder: plugins_folder(loaded).unwrap_or_else(|| "/nonexistent".into()),
        timeout: Duration::from_millis(loaded.config.plugins.timeout_ms),
        require_sandbox: loaded.config.sandbox.require_sandbox,
        hidden: own_files(loaded, state),
        sandbox: crate::devices::sandbox::Sandbox::new(),
    }
}

fn keeping(record: &crate::config::Record) -> Keeping {
    let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
    Keeping {
        file_bytes: record.rotate_mib << 20,
        file_age: days(record.rotate_days),
        delete_after: Some(record.keep_days).filter(|days| *days > 0).map(days),
        delete_above: Some(record.keep_mib).filter(|mib| *mib > 0).map(|mib| mib << 20),
    }
}

/// What belongs to the guard itself, with this state folder: no command may touch it.
pub(super) fn own_files(loaded: &Loaded, state: &Path) -> Vec<PathBuf> {
    let programs = super::service::programs().into_iter();
    let own = programs.chain(loaded.file.clone()).chain(loaded.config.record.folder.clone());
    own.chain(plugins_folder(loaded)).chain([state.to_owned()]).collect()
}

pub(super) fn desk_config(loaded: &Loaded) -> DeskConfig {
    let config = &loaded.config;
    #[expect(clippy::cast_possible_truncation, reason = "a risk, from 0 to about 1")]
    let digit_from_risk = config.keys.digit_from_risk as f32;
    DeskConfig {
        language: config.language.default,
        confirmation_timeout: Duration::from_secs(config.security.confirmation_timeout_seconds),
        arming_delay: Duration::from_millis(config.keys.arming_delay_ms),
        answer_over_http: config.server.answer_over_http,
        digit_from_risk,
        refusals_per_minute: usize::try_from(config.security.refusals_per_minute).unwrap_or(0),
        notification: config.channels.notification,
        ranks: ranks(config),
        speech: SpeechConfig {
            enabled: config.speech.enabled,
            rate: config.speech.rate,
            volume: config.speech.volume,
            voice: config.speech.voice.clone(),
            sound: match config.speech.sound {
                crate::config::section::Sound::Never => crate::human::quiet::Sound::Never,
                crate::config::section::Sound::Slow => crate::human::quiet::Sound::Slow,
                crate::config::section::Sound::Always => crate::human::quiet::Sound::Always,
            },
            quiet_hours: config.speech.quiet_hours,
        },
        keys: KeysConfig {
            enabled: config.keys.enabled,
            trusted: config
                .keys
                .trusted
                .then(|| (config.keys.trusted_socket.clone(), config.keys.trusted_user.clone())),
        },
        terminal: TerminalConfig { enabled: config.terminal.enabled },
        drafts: None,
        program: None,
        session: crate::devices::session::Session::of_process(),
    }
}

/// What each way of answering may say yes to.
fn ranks(config: &crate::config::Config) -> crate::human::Ranks {
    let channels = &config.channels;
    // On which channels the password itself is typed: a yes from there is no second proof.
    let session = crate::devices::session::Session::of_process();
    let display = session.get("DISPLAY").or(session.get("WAYLAND_DISPLAY")).is_some();
    let route = super::serve::password_route(config, display);
    let typed: &[&str] = match route.map(|route| route.place) {
        _ if !config.password.double_verification => &[],
        Ok(crate::devices::askpass::Place::Terminal) => &["terminal"],
        Ok(crate::devices::askpass::Place::Desktop) => &["keys", "notification"],
        Err(_) => &[],
    };
    let each = channels.approve_below.each().map(|(way, below)| {
        let password = channels.password.iter().any(|name| name == way) && !typed.contains(&way);
        #[expect(clippy::cast_possible_truncation, reason = "a risk, from 0 to 2")]
        let below = below as f32;
        (way.to_owned(), crate::human::Rank { below, password })
    });
    crate::human::Ranks(each.into_iter().collect())
}
