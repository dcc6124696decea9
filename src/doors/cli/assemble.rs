//! Builds a guard from a configuration. Each room gets its own plain settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::place::ConfigPlace;
use crate::devices::exchange::state_folder::StateFolder;
use crate::guard::{Guard, Memory};
use crate::prompt::setup::{KeysConfig, PrompterConfig, SpeechConfig, TerminalConfig};
use crate::record::registry::{Registry, RegistryBackend};
use crate::record::{Journal, JournalConfig, Retention};
use guarda_sandbox::stage::StagesConfig;

use super::CliError;
use super::load::Loaded;

/// Builds the guard. Needs a running tokio runtime.
pub(super) fn assemble(loaded: &Loaded, folder: &StateFolder) -> Result<Guard, CliError> {
    let config = &loaded.config;
    let policy = loaded.policy()?;
    let journal = Journal::open(JournalConfig {
        folder: record_folder(config, folder.path()),
        all: config.security.log_all_commands,
        keeping: keeping(&config.record),
        keys: folder.path().to_owned(),
    })?;
    for warning in journal.warnings() {
        let why = crate::wording::fault::record::warning(super::load::words(), warning);
        let told = super::load::say("serve-record", &[("why", why)]);
        super::show::err(&format!("guarda: {told}\n"));
    }
    keep_own_secrets(folder.path());
    journal.set_policy(&config.rules_digest());
    // If the marks were lost, any session in the record may have had them.
    let record = record_folder(config, folder.path());
    let recorded = || crate::record::read::sessions(&record).unwrap_or_default();
    let sessions = crate::guard::SessionStore::open(folder.path(), recorded);
    if let Some(trouble) = sessions.trouble() {
        let told = crate::doors::http::marks_trouble(super::load::words(), &trouble);
        super::show::err(&format!("guarda: {told}\n"));
    }
    let mut settings = super::serve::hands_config(loaded, own_files(loaded, folder.path()));
    settings.sandbox = settings.sandbox.keep_ready();
    settings.stages = super::recovery::stages(stages_config(config, folder.path()), &journal);
    let hands = crate::hands::Hands::new(settings);
    let prompter = crate::prompt::Prompter::start(&PrompterConfig {
        drafts: Some(folder.path().to_owned()),
        ..desk_config(loaded)
    });
    prompter.keep_wrong_codes(&journal);
    let mut guard = Guard::new(policy, hands, prompter, journal, config.security.advanced_mode)
        .with_hooks(loaded.hook_policy()?)
        .with_sessions(sessions, config.security.shared_marks);
    if config.plugins.enabled {
        guard = guard.with_plugins(crate::plugins::Plugins::new(plugins(loaded, folder.path())));
    }
    if config.run.hide_network {
        // A machine without a host name has no host name to hide.
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        guard = guard.with_anonymiser(guarda_core::output::Anonymiser::new(&[name.trim()]));
    }
    if config.advice.enabled {
        let advisor = crate::advice::Advisor::new(&config.advice, &config.endpoint);
        guard = guard.with_advisor(advisor?);
    }
    if !config.registry.enabled {
        return Ok(guard);
    }
    let backend = RegistryBackend::of(&config.registry, folder.path()).map_err(CliError::new)?;
    // The journal's lock keeps other guards out of this folder, so this guard may rename a damaged file.
    let registry = Registry::start(backend, config.registry.clone(), true);
    let memory = Memory::new(registry, guard.journal());
    Ok(guard.with_memory(memory))
}

/// Registers the guard's own tokens and keys, to hide them wherever they appear in output.
pub(super) fn keep_own_secrets(state: &Path) {
    for name in ["token", "approve-token", "spoken-token", crate::record::checkpoints::KEY] {
        // A token that does not exist yet is registered when it is created.
        if let Ok(text) = std::fs::read_to_string(state.join(name)) {
            guarda_core::output::keep([text.as_str()]);
        }
    }
}

/// The folder of the record.
pub(super) fn record_folder(config: &crate::config::Config, state: &Path) -> PathBuf {
    config.record.folder.clone().unwrap_or_else(|| state.join("journal"))
}

/// The anchors of the record: one beside its key, and one in the registry if there is a registry.
pub(super) fn anchors(
    config: Option<&crate::config::Config>,
    state: &Path,
) -> Result<crate::record::Anchors, CliError> {
    let anchors = crate::record::Anchors::of(state).map_err(CliError::of_record)?;
    let Some((config, key)) = config.zip(crate::record::anchor::public(state)) else { return Ok(anchors) };
    if !config.registry.enabled {
        return Ok(anchors);
    }
    let backend = RegistryBackend::of(&config.registry, state).map_err(CliError::new)?;
    if !backend.exists() {
        return Ok(anchors);
    }
    let text = backend.open().and_then(|mut store| store.anchor(&key));
    Ok(anchors.with(&backend.place(), &key, text))
}

/// The plugin folder: the configured one, or the one beside the configuration.
pub(super) fn plugins_folder(loaded: &Loaded) -> Option<PathBuf> {
    if let Some(folder) = &loaded.config.plugins.folder {
        return Some(folder.clone());
    }
    Some(config_file(loaded)?.parent()?.join("plugins"))
}

/// The settings of the plugins. Without a home folder there is no plugin folder.
pub(super) fn plugins(loaded: &Loaded, state: &Path) -> crate::plugins::PluginsConfig {
    crate::plugins::PluginsConfig {
        folder: plugins_folder(loaded).unwrap_or_else(|| "/nonexistent".into()),
        timeout: Duration::from_millis(loaded.config.plugins.timeout_ms),
        require_sandbox: loaded.config.sandbox.require_sandbox,
        hidden: own_files(loaded, state),
        sandbox: guarda_sandbox::Sandbox::new(),
    }
}

/// The settings for stored old versions in a state folder.
pub(super) fn stages_config(config: &crate::config::Config, state: &Path) -> StagesConfig {
    let undo = &config.undo;
    StagesConfig {
        state: state.to_owned(),
        keep: Duration::from_secs(undo.days * 24 * 3600),
        most_bytes: undo.most_mib << 20,
        extra: undo.folder.as_ref().map(PathBuf::from),
        supervisor: None,
    }
}

fn keeping(record: &crate::config::RecordSection) -> Retention {
    let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
    Retention {
        file_bytes: record.rotate_mib << 20,
        file_age: days(record.rotate_days),
        delete_after: Some(record.keep_days).filter(|days| *days > 0).map(days),
        delete_above: Some(record.keep_mib).filter(|mib| *mib > 0).map(|mib| mib << 20),
    }
}

/// The path of the configuration file, whether or not it exists.
fn config_file(loaded: &Loaded) -> Option<PathBuf> {
    let usual = || match crate::config::place::config(None, &super::load::environment) {
        ConfigPlace::Named(path) | ConfigPlace::Usual(path) => Some(path),
        ConfigPlace::Nowhere => None,
    };
    std::path::absolute(loaded.file.clone().or_else(usual)?).ok()
}

/// The guard's own files, whether or not they exist. No command may read or write them.
pub(super) fn own_files(loaded: &Loaded, state: &Path) -> Vec<PathBuf> {
    let own = config_file(loaded).into_iter().chain(loaded.config.record.folder.clone());
    let old_versions = loaded.config.undo.folder.as_ref().map(PathBuf::from);
    let old_versions = old_versions.into_iter().chain([guarda_sandbox::stage::temporary()]);
    own.chain(plugins_folder(loaded)).chain([state.to_owned()]).chain(old_versions).collect()
}

/// Files that no command may write, whether or not they exist: the guard's programs, and the clients' settings.
pub(super) fn settings() -> Vec<PathBuf> {
    let environment = |name: &str| super::load::environment(name);
    let home = environment("HOME").unwrap_or_default();
    let clients = crate::doors::hook::settings::files(&home, &environment);
    super::service::programs().into_iter().chain(clients).collect()
}

pub(super) fn desk_config(loaded: &Loaded) -> PrompterConfig {
    let config = &loaded.config;
    #[expect(clippy::cast_possible_truncation, reason = "a risk, from 0 to about 1")]
    let digit_from_risk = config.keys.digit_from_risk as f32;
    PrompterConfig {
        language: config.language.chosen(),
        confirmation_timeout: Duration::from_secs(config.security.confirmation_timeout_seconds),
        arming_delay: Duration::from_millis(config.keys.arming_delay_ms),
        answer_over_http: config.server.answer_over_http,
        elicits: config.channels.mcp,
        answer_code: config.server.answer_code,
        digit_from_risk,
        refusals_per_minute: usize::try_from(config.security.refusals_per_minute).unwrap_or(0),
        notification: config.channels.notification,
        ranks: ranks(config),
        speech: SpeechConfig {
            enabled: config.speech.enabled,
            rate: config.speech.rate,
            volume: config.speech.volume,
            voice: config.speech.voice.clone(),
            sound: config.speech.sound,
            quiet_hours: config.speech.quiet_hours,
        },
        keys: KeysConfig {
            enabled: config.keys.enabled,
            presses: config.keys.presses(),
            trusted: config
                .keys
                .trusted
                .then(|| (config.keys.trusted_socket.clone(), config.keys.trusted_user.clone())),
        },
        terminal: TerminalConfig { enabled: config.terminal.enabled },
        drafts: None,
        program: None,
        session: crate::devices::desktop::session::DesktopSession::of_process(),
    }
}

/// The risk limit of each channel.
fn ranks(config: &crate::config::Config) -> crate::prompt::Ranks {
    let channels = &config.channels;
    // The password is typed on these channels, so a yes from them would not be a second proof.
    let session = crate::devices::desktop::session::DesktopSession::of_process();
    let display = session.get("DISPLAY").or(session.get("WAYLAND_DISPLAY")).is_some();
    let route = super::serve::password_route(config, display);
    let typed: &[&str] = match route.map(|route| route.place) {
        _ if !config.password.double_verification => &[],
        Ok(crate::devices::terminal::askpass::PromptPlace::Terminal) => &["terminal"],
        Ok(crate::devices::terminal::askpass::PromptPlace::Desktop) => &["keys", "notification"],
        Err(_) => &[],
    };
    let each = channels.approve_below.each().map(|(way, below)| {
        let password = channels.password.iter().any(|name| name == way) && !typed.contains(&way);
        #[expect(clippy::cast_possible_truncation, reason = "a risk, from 0 to 2")]
        let below = below as f32;
        (way.to_owned(), crate::prompt::Rank { below, password })
    });
    crate::prompt::Ranks(each.into_iter().collect())
}
