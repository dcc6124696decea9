//! Builds a guard from a configuration.

use std::path::Path;
use std::sync::Arc;

use guarda_core::output::Anonymiser;

use crate::advice::Advisor;
use crate::devices::exchange::state_folder::StateFolder;
use crate::doors::http::marks_trouble;
use crate::guard::{Guard, Judge, Memory, Recorder, Runner, SessionStore};
use crate::hands::trust::Trust;
use crate::hands::{Hands, KeptSessions};
use crate::plugins::Plugins;
use crate::prompt::Prompter;
use crate::prompt::setup::PrompterConfig;
use crate::registry::{Registry, RegistryBackend};
use guarda_journal::{Journal, JournalConfig};

use super::error::CliError;
use super::load::{self, Loaded};
use super::{paths, recovery, settings, terminal};

/// Builds the guard. Needs a running tokio runtime.
pub(crate) fn assemble(loaded: &Loaded, folder: &StateFolder) -> Result<Guard, CliError> {
    let config = &loaded.config;
    let (policy, hooks) = (loaded.policy()?, loaded.hook_policy()?);
    let (words, record) = (load::words(), paths::record_folder(config, folder.path()));
    let journal = Journal::open(JournalConfig {
        folder: record.clone(),
        all: config.security.log_all_commands,
        keeping: settings::retention(&config.record),
        keys: folder.path().to_owned(),
    })?;
    for warning in journal.warnings() {
        let why = crate::wording::fault::record::warning(words, warning);
        let told = words.say("serve-record", &[("why", why.into())]);
        terminal::note(&told);
    }
    keep_own_secrets(folder.path());
    journal.set_policy(&config.rules_digest());
    // If the marks were lost, any session in the record may have had them.
    let recorded = || guarda_journal::read::sessions(&record).unwrap_or_default();
    let sessions = SessionStore::open(folder.path(), recorded);
    if let Some(trouble) = sessions.trouble() {
        let told = marks_trouble(words, &trouble);
        terminal::note(&told);
    }
    let mut hands = settings::hands_config(loaded, paths::own_files(loaded, folder.path()));
    hands.sandbox = hands.sandbox.keep_ready();
    hands.trust = Arc::new(Trust::of(journal.carried().folders.clone()));
    hands.stages = recovery::stages(settings::stages_config(config, folder.path()), &journal);
    hands.sessions = Arc::new(KeptSessions::within(folder.path().join("session-tmp"), journal.clone()));
    let hands = Arc::new(Hands::new(hands));
    let prompter = Prompter::start(&PrompterConfig {
        drafts: Some(folder.path().to_owned()),
        ..settings::prompter_config(loaded)
    });
    prompter.keep_wrong_codes(&journal);
    // Not before the service is ready: a record with few questions is read to its end.
    let lessons = prompter.clone();
    tokio::task::spawn_blocking(move || lessons.recall_lessons(&record));
    let plugins = config.plugins.enabled.then(|| Plugins::new(settings::plugins(loaded, folder.path())));
    let anonymiser = config.run.hide_network.then(|| {
        // A machine without a host name has no host name to hide.
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Anonymiser::new(&[name.trim()])
    });
    let advisor =
        config.advice.enabled.then(|| Advisor::new(&config.advice, &config.endpoint)).transpose()?;
    let memory = if config.registry.enabled {
        let backend = RegistryBackend::of(&config.registry, folder.path())?;
        // The journal's lock keeps other guards out of this folder, so this guard may rename a damaged file.
        let registry = Registry::start(backend, config.registry.clone(), true);
        Some(Memory::new(registry, &journal))
    } else {
        None
    };
    let judge = Judge { hands: Arc::clone(&hands), memory, plugins, advisor };
    let recorder = Recorder::new(journal, prompter, sessions, config.security.shared_marks);
    let runner = Runner::new(hands, anonymiser);
    Ok(Guard::new(policy, hooks, judge, recorder, runner, config.security.advanced_mode))
}

/// Registers the guard's own tokens and keys, to hide them wherever they appear in output.
fn keep_own_secrets(state: &Path) {
    for name in ["token", "approve-token", "spoken-token", guarda_journal::checkpoints::KEY] {
        // A token that does not exist yet is registered when it is created.
        if let Ok(text) = std::fs::read_to_string(state.join(name)) {
            guarda_core::output::keep([text.as_str()]);
        }
    }
}
