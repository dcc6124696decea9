//! Overrides that a person sets in the console, within the same bounds as at the command line. The rules come first:
//! no override allows what they forbid.

use crate::registry::{Identity, Row, RowQuery, StoreError, Which};
use guarda_core::action::{Proposal, Request};
use guarda_core::judge::Judgement;
use guarda_core::policy::Hindrance;
use guarda_core::policy::history::{Override, OverrideKind, by_person};

use super::permanent::NotGranted;
use crate::guard::{Fault, Guard};
use guarda_journal::RecordError;

/// A command of the registry as it would run now.
#[derive(Debug)]
pub struct Rejudged {
    /// The identity of the command.
    pub identity: Identity,
    /// The verdict of the rules alone.
    pub judgement: Judgement,
    /// Why no permanent permission is possible, if none is.
    pub not_allowed: Option<Hindrance>,
}

/// Why an override is refused.
#[derive(Debug, thiserror::Error)]
pub enum OverrideRefused {
    /// The registry does not know the command.
    #[error("the registry does not know this command")]
    Unknown,
    /// Another override was set in the meantime, or the command has changed.
    #[error("{0}")]
    Changed(&'static str),
    /// The rules, or the rank of this channel, do not permit the override.
    #[error("this cannot be allowed once and for all: {0}")]
    NotAllowed(String),
    /// The registry does not answer.
    #[error("the registry of commands: {0}")]
    Store(#[from] StoreError),
    /// The command cannot be looked up.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The record cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl From<NotGranted> for OverrideRefused {
    fn from(why: NotGranted) -> Self {
        match why {
            NotGranted::Record(error) => Self::Record(error),
            NotGranted::Store(error) => Self::Store(error),
        }
    }
}

impl Guard {
    /// Looks up a command as it would run now, in this folder and by the rules of this profile, if it is that of hooks.
    ///
    /// # Errors
    /// [`Fault`], if the folder is gone or there is no registry.
    pub async fn look_again(&self, command: &str, folder: &str, profile: &str) -> Result<Rejudged, Fault> {
        let Some(memory) = self.memory() else { return Err(Fault::NoRegistry) };
        let request = Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(command.into()),
            cwd: Some(folder.to_owned()),
            ..Request::default()
        };
        let proposal = Proposal::parse(request)?;
        let situation = self.judge.hands.look(&proposal, false)?;
        let policies = self.policies();
        let hooks = profile == policies.hooks.profile().name();
        let policy = if hooks { policies.hooks } else { policies.own };
        let identity = memory.identify(&proposal, &situation, policy.profile()).await;
        let identity = identity.ok_or(Fault::NoRegistry)?;
        let judgement = guarda_core::judge::judge(&policy, proposal, &situation);
        let allowed = policy.may_last(&judgement.subject().action, &situation, judgement.findings());
        Ok(Rejudged { identity, judgement, not_allowed: allowed.err() })
    }

    /// The command with this hash, or with a hash that has this unique prefix.
    ///
    /// # Errors
    /// [`OverrideRefused`].
    pub async fn remembered(&self, hash: &str) -> Result<Row, OverrideRefused> {
        let Some(memory) = self.memory() else { return Err(Fault::NoRegistry.into()) };
        let wanted = RowQuery { which: Which::Hash(hash.to_owned()), most: 2 };
        let mut rows = memory.registry().list(wanted, jiff::Timestamp::now()).await?.into_iter();
        match (rows.next(), rows.next()) {
            (Some(row), None) => Ok(row),
            (_, _) => Err(OverrideRefused::Unknown),
        }
    }

    /// Sets the override of a command through this channel. `standing` is `None` to forget the override and what was
    /// learned. `seen` is the override that the person saw, with its time in seconds, `None` if there was none; an override
    /// set since is not overwritten. The time alone does not tell two within a second apart.
    ///
    /// # Errors
    /// [`OverrideRefused`]: nothing was changed.
    pub async fn say(
        &self,
        hash: &str,
        standing: Option<OverrideKind>,
        reason: Option<String>,
        seen: Option<(&str, i64)>,
        channel: &str,
    ) -> Result<Row, OverrideRefused> {
        let Some(memory) = self.memory() else { return Err(Fault::NoRegistry.into()) };
        let row = self.remembered(hash).await?;
        if row.user_override.as_deref().zip(row.user_override_at) != seen {
            return Err(OverrideRefused::Changed(
                "somebody said something of this command in between; look at it again",
            ));
        }
        let (registry, now, hash) = (memory.registry(), jiff::Timestamp::now(), row.command_hash.clone());
        if standing != Some(OverrideKind::AlwaysAllow) {
            memory.withdraw_all(&hash);
        }
        let Some(standing) = standing else {
            let known = hash.clone();
            return match registry.with(now, move |store| store.forget(&known)).await? {
                true => Ok(row),
                false => Err(OverrideRefused::Unknown),
            };
        };
        if standing == OverrideKind::AlwaysAllow {
            let looked = self.may_last(&row.command_text, &row.folder, &row.profile, channel).await?;
            if looked.identity.command_hash != hash {
                return Err(OverrideRefused::Changed(
                    "this is not that command any more: its program or the profile was changed since, or a secret in it is hidden",
                ));
            }
            memory.grant(&looked.identity, reason, channel).await?;
        } else {
            let word = Override { kind: standing, reason, by: Some(by_person(channel)) };
            let known = hash.clone();
            if !registry.with(now, move |store| store.say_of(&known, Some(&word), now)).await? {
                return Err(OverrideRefused::Unknown);
            }
        }
        self.remembered(&hash).await
    }

    /// Allows a command in this folder for good. The caller has made sure that a person says so through this channel.
    ///
    /// # Errors
    /// [`OverrideRefused`]: nothing was changed.
    pub async fn allow(
        &self,
        command: &str,
        folder: &str,
        reason: Option<String>,
        channel: &str,
    ) -> Result<Row, OverrideRefused> {
        let Some(memory) = self.memory() else { return Err(Fault::NoRegistry.into()) };
        let (own, hooks) = (self.profile(), self.hook_profile());
        let looked = self.may_last(command, folder, own.name(), channel).await?;
        memory.grant(&looked.identity, reason.clone(), channel).await?;
        // An agent may run the same command, under the rules for hooks.
        if own != hooks
            && let Ok(looked) = self.may_last(command, folder, hooks.name(), channel).await
        {
            memory.grant(&looked.identity, reason, channel).await?;
        }
        self.remembered(&looked.identity.command_hash).await
    }

    /// The command as it would run now, if it may be allowed for good through this channel.
    async fn may_last(
        &self,
        command: &str,
        folder: &str,
        profile: &str,
        channel: &str,
    ) -> Result<Rejudged, OverrideRefused> {
        let looked = self.look_again(command, folder, profile).await?;
        if let Some(why) = looked.not_allowed {
            return Err(OverrideRefused::NotAllowed(why.to_string()));
        }
        if !self.prompter().admits(channel, looked.judgement.risk(), looked.judgement.verdict()) {
            return Err(OverrideRefused::NotAllowed(
                "this way of answering may not say yes to so high a risk".to_owned(),
            ));
        }
        Ok(looked)
    }
}
