//! What is allowed for good. An entry of the registry counts only if a line of the sealed record says who gave it, because
//! any program of the user can write the database.

use std::sync::{MutexGuard, PoisonError};

use crate::registry::evolve::{ChangeReason, PolicyChange};
use crate::registry::{Identity, Row, RowQuery, StoreError, Which};
use guarda_core::policy::History;
use guarda_core::policy::history::{Learned, Override, OverrideKind, by_person};
use guarda_journal::{Grant, GrantStep, Grants, RecordError};

use crate::guard::{Guard, Memory};

/// Why a permission was not stored.
#[derive(Debug, thiserror::Error)]
pub enum NotGranted {
    /// The record cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The registry does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Guard {
    /// How many entries of the registry do not count, if there are any. Compares the registry with the record first.
    pub async fn unsealed(&self) -> Option<usize> {
        // A registry that does not answer allows nothing, and is reported elsewhere.
        let rows = self.memory()?.unsealed().await.ok()?;
        Some(rows.len()).filter(|count| *count > 0)
    }
}

impl Memory {
    /// Leaves out of a history what the record does not allow, and withdraws what the database no longer has.
    pub(in crate::guard) fn heed(&self, identity: &Identity, mut history: History) -> History {
        if history.lost.is_some() {
            return history;
        }
        let said = history.user_override.as_ref().is_some_and(|word| word.kind == OverrideKind::AlwaysAllow);
        let earned = history.learned == Learned::AutoApprove;
        for (grant, stored) in [(Grant::AlwaysAllow, said), (Grant::AutoApprove, earned)] {
            match (stored, self.is_granted(&identity.command_hash, grant)) {
                (true, false) => history.unsealed = true,
                (false, true) => self.withdraw(&identity.command_hash, grant),
                (true, true) | (false, false) => continue,
            }
            match grant {
                Grant::AlwaysAllow if said => history.user_override = None,
                Grant::AutoApprove if earned => history.learned = Learned::Ask,
                _ => {}
            }
        }
        history
    }

    /// Allows a command for good, because a person said so through this channel. The record has it first.
    ///
    /// # Errors
    /// [`NotGranted`]: it is not allowed.
    pub(in crate::guard) async fn grant(
        &self,
        identity: &Identity,
        reason: Option<String>,
        channel: &str,
    ) -> Result<(), NotGranted> {
        self.give(identity, Grant::AlwaysAllow, Some(channel), reason.as_deref()).await?;
        let word = Override { kind: OverrideKind::AlwaysAllow, reason, by: Some(by_person(channel)) };
        Ok(self.registry().say(identity, Some(word), jiff::Timestamp::now()).await?)
    }

    /// Records what a command earned or lost by a run. An entry that the record does not know counts again once a person
    /// has said yes to a run.
    pub(in crate::guard) async fn earn(&self, identity: &Identity, change: &PolicyChange, by_person: bool) {
        tracing::debug!(?change, "a run was counted");
        let (stored, hash) = (change.learned == Learned::AutoApprove, &identity.command_hash);
        let earned = by_person || change.reason == Some(ChangeReason::Promoted);
        match (stored, self.is_granted(hash, Grant::AutoApprove)) {
            (true, false) if earned => {
                if let Err(error) = self.give(identity, Grant::AutoApprove, None, None).await {
                    tracing::warn!(%error, "what a command earned could not be recorded");
                }
            }
            (false, true) => self.withdraw(hash, Grant::AutoApprove),
            (true, _) | (false, false) => {}
        }
    }

    /// Withdraws every permission of a command.
    pub(in crate::guard) fn withdraw_all(&self, command_hash: &str) {
        for grant in [Grant::AlwaysAllow, Grant::AutoApprove] {
            if self.is_granted(command_hash, grant) {
                self.withdraw(command_hash, grant);
            }
        }
    }

    /// Compares the database with the record: withdraws what the database no longer has, and returns the entries that do
    /// not count.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn unsealed(&self) -> Result<Vec<Row>, StoreError> {
        let known = self.grants().clone();
        let now = jiff::Timestamp::now();
        let mut stored = Grants::new();
        let mut unsealed = Vec::new();
        for which in [Which::Said, Which::Learned(Learned::AutoApprove)] {
            for row in self.registry().list(RowQuery { which, most: 0 }, now).await? {
                stored.extend(row.claims());
                let listed = unsealed.iter().any(|other: &Row| other.command_hash == row.command_hash);
                if !listed && !row.counts(&known) {
                    unsealed.push(row);
                }
            }
        }
        for (hash, grant) in known.difference(&stored) {
            self.withdraw(hash, *grant);
        }
        Ok(unsealed)
    }

    /// What the record says is allowed for good.
    pub(in crate::guard) fn known_grants(&self) -> Grants {
        self.grants().clone()
    }

    async fn give(
        &self,
        identity: &Identity,
        grant: Grant,
        channel: Option<&str>,
        reason: Option<&str>,
    ) -> Result<(), RecordError> {
        let step = GrantStep {
            command_hash: &identity.command_hash,
            command: &identity.text,
            folder: &identity.folder,
            grant,
            given: true,
            channel,
            reason,
            terms: None,
        };
        self.journal.grant(&step).await?;
        self.grants().insert((identity.command_hash.clone(), grant));
        Ok(())
    }

    fn withdraw(&self, command_hash: &str, grant: Grant) {
        self.grants().remove(&(command_hash.to_owned(), grant));
        let step = GrantStep {
            command_hash,
            command: "",
            folder: "",
            grant,
            given: false,
            channel: None,
            reason: None,
            terms: None,
        };
        if let Err(error) = self.journal.grant_soon(&step) {
            tracing::warn!(%error, "a withdrawn permission could not be recorded");
        }
    }

    fn is_granted(&self, command_hash: &str, grant: Grant) -> bool {
        self.grants().contains(&(command_hash.to_owned(), grant))
    }

    fn grants(&self) -> MutexGuard<'_, Grants> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
