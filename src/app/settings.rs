//! The plain settings of each room, from a configuration.

use std::path::{Path, PathBuf};
use std::time::Duration;

use guarda_sandbox::stage::StagesConfig;

use crate::config::sections::network::NetworkInForce;
use crate::config::{Config, RecordSection};
use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
use crate::devices::terminal::askpass::{self, PromptPlace, Route};
use crate::hands::{Hands, HandsConfig};
use crate::plugins::PluginsConfig;
use crate::prompt::Rank;
use crate::prompt::Ranks;
use crate::prompt::setup::{KeysConfig, PrompterConfig, SpeechConfig, TerminalConfig};
use guarda_journal::Retention;

use super::load::Loaded;
use super::paths;

/// The settings of the hands. `guard` lists the guard's own files and folders.
pub(crate) fn hands_config(loaded: &Loaded, guard: Vec<PathBuf>) -> HandsConfig {
    let (run, config, session) = (&loaded.config.run, &loaded.config, DesktopSession::of_process());
    HandsConfig {
        search_path: run.path.split(':').map(PathBuf::from).collect(),
        command_timeout: Duration::from_secs(run.timeout_seconds),
        desktop_timeout: Duration::from_secs(run.desktop_timeout_seconds),
        output_limit: usize::try_from(run.output_limit).unwrap_or(usize::MAX),
        keeping: config.sandbox.clone(),
        network: NetworkInForce::new(config.network.clone()),
        staging: config.undo.stage,
        keep_caches: config.undo.keep_caches.clone(),
        terminal: config.terminal.program.clone(),
        language: config.language.chosen(),
        guard,
        settings: paths::protected(),
        advanced_mode: config.security.advanced_mode,
        // sudo starts this program again to ask for the password.
        askpass: std::env::current_exe().ok(),
        password: password_route(config, &session),
        ..HandsConfig::of_session(session)
    }
}

/// The settings for stored old versions in a state folder.
pub(crate) fn stages_config(config: &Config, state: &Path) -> StagesConfig {
    let undo = &config.undo;
    StagesConfig {
        state: state.to_owned(),
        keep: Duration::from_secs(undo.days * 24 * 3600),
        most_bytes: undo.most_mib << 20,
        extra: undo.folder.as_ref().map(PathBuf::from),
        supervisor: None,
    }
}

/// The settings of the plugins. Without a home folder there is no plugin folder.
pub(crate) fn plugins(loaded: &Loaded, state: &Path) -> PluginsConfig {
    PluginsConfig {
        folder: paths::plugins_folder(loaded).unwrap_or_else(|| "/nonexistent".into()),
        timeout: Duration::from_millis(loaded.config.plugins.timeout_ms),
        require_sandbox: loaded.config.sandbox.require_sandbox,
        hidden: paths::own_files(loaded, state),
        sandbox: guarda_sandbox::Sandbox::new(),
    }
}

pub(super) fn retention(record: &RecordSection) -> Retention {
    let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
    Retention {
        file_bytes: record.rotate_mib << 20,
        file_age: days(record.rotate_days),
        delete_after: Some(record.keep_days).filter(|days| *days > 0).map(days),
        delete_above: Some(record.keep_mib).filter(|mib| *mib > 0).map(|mib| mib << 20),
    }
}

/// The settings of the prompter.
pub(crate) fn prompter_config(loaded: &Loaded) -> PrompterConfig {
    let config = &loaded.config;
    #[expect(clippy::cast_possible_truncation, reason = "a risk, from 0 to about 1")]
    let digit_from_risk = config.keys.digit_from_risk as f32;
    let person = !config.security.no_human;
    PrompterConfig {
        language: config.language.chosen(),
        confirmation_timeout: Duration::from_secs(config.security.confirmation_timeout_seconds),
        arming_delay: Duration::from_millis(config.keys.arming_delay_ms),
        answer_over_http: config.server.answer_over_http,
        spoken_answers: config.server.spoken_answers,
        elicits: config.channels.mcp,
        answer_code: config.server.answer_code,
        digit_from_risk,
        refusals_per_minute: usize::try_from(config.security.refusals_per_minute).unwrap_or(0),
        no_human: !person,
        notification: person && config.channels.notification,
        ranks: ranks(config),
        speech: SpeechConfig {
            enabled: person && config.speech.enabled,
            rate: config.speech.rate,
            volume: config.speech.volume,
            voice: config.speech.voice.clone(),
            sound: config.speech.sound,
            quiet_hours: config.speech.quiet_hours,
        },
        keys: KeysConfig {
            enabled: person && config.keys.enabled,
            presses: config.keys.presses(),
            trusted: (person && config.keys.trusted)
                .then(|| (config.keys.trusted_socket.clone(), config.keys.trusted_user.clone())),
        },
        terminal: TerminalConfig { enabled: person && config.terminal.enabled },
        drafts: None,
        program: None,
        session: DesktopSession::of_process(),
    }
}

/// The hands as the service has them, for a command that only looks.
pub(crate) fn hands(loaded: &Loaded, state: &Path) -> Hands {
    Hands::new(hands_config(loaded, paths::own_files(loaded, state)))
}

/// How the system can ask for a password here.
///
/// # Errors
/// The reason why it cannot ask.
fn password_route(config: &Config, session: &DesktopSession) -> Result<Route, DeviceFault> {
    let display = session.get("DISPLAY").or(session.get("WAYLAND_DISPLAY")).is_some();
    askpass::route(config.password.way, config.password.pinentry.as_deref(), display)
}

/// The risk limit of each channel.
fn ranks(config: &Config) -> Ranks {
    let channels = &config.channels;
    // The password is typed on these channels, so a yes from them would not be a second proof.
    let route = password_route(config, &DesktopSession::of_process());
    let typed: &[&str] = match route.map(|route| route.place) {
        _ if !config.password.double_verification => &[],
        Ok(PromptPlace::Terminal) => &["terminal"],
        Ok(PromptPlace::Desktop) => &["keys", "notification"],
        Err(_) => &[],
    };
    let each = channels.approve_below.each().map(|(way, below)| {
        let password = channels.password.iter().any(|name| name == way) && !typed.contains(&way);
        #[expect(clippy::cast_possible_truncation, reason = "a risk, from 0 to 2")]
        let below = below as f32;
        (way.to_owned(), Rank { below, password })
    });
    Ranks(each.into_iter().collect())
}
