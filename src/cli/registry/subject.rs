//! Finds the selected command and judges it by today's rules.

use std::path::Path;

use crate::guard::overrides::Rejudged;
use crate::hands::Hands;
use crate::registry::{DigestCache, Identity, Row, RowQuery, Store, Which};
use guarda_core::action::Action;
use guarda_core::policy::Policy;

use crate::app::{CliError, Loaded, settings};
use crate::cli::args::NamedCommand;
use crate::cli::judge::command::proposal;

/// The shortest accepted prefix of a hash.
const SHORTEST: usize = 6;

/// Judges commands as the service would.
pub(super) struct CommandJudge {
    policy: Policy,
    hands: Hands,
    digests: DigestCache,
}

impl CommandJudge {
    pub(super) fn new(loaded: &Loaded, state: &Path) -> Result<Self, CliError> {
        let policy = loaded.policy()?;
        Ok(Self { policy, hands: settings::hands(loaded, state), digests: DigestCache::default() })
    }

    /// Judges a command in a folder.
    pub(super) fn look(&self, command: &str, cwd: Option<&str>) -> Result<Rejudged, CliError> {
        let proposal = proposal(command, cwd.map(str::to_owned))?;
        let situation = self.hands.look(&proposal, false)?;
        let Action::RunCommand { text, script } = &proposal.action else {
            return Err(CliError::say("registry-no-command", &[]));
        };
        let digests = self.digests.of(&situation);
        let identity = Identity::of(text, script, &situation, self.policy.profile(), &digests);
        let judgement = guarda_core::judge::judge(&self.policy, proposal, &situation);
        let action = &judgement.subject().action;
        let not_allowed = self.policy.may_last(action, &situation, judgement.findings()).err();
        Ok(Rejudged { identity, judgement, not_allowed })
    }
}

/// The selected row; `None` if the text is not a hash in the registry.
pub(super) fn row(store: &mut Store, what: &str) -> Result<Option<Row>, CliError> {
    let what = what.trim();
    if what.len() < SHORTEST || what.len() > 64 || !what.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let wanted = RowQuery { which: Which::Hash(what.to_owned()), most: 2 };
    let mut rows = store.list(&wanted)?.into_iter();
    match (rows.next(), rows.next()) {
        (Some(_), Some(_)) => Err(CliError::say("registry-several", &[("given", &what)])),
        (row, _) => Ok(row),
    }
}

/// The named folder, or the current one.
pub(super) fn folder(named: &NamedCommand) -> Option<String> {
    let here = || std::env::current_dir().ok()?.into_os_string().into_string().ok();
    named.cwd.clone().or_else(here)
}
