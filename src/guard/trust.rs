//! The folders that a person trusts (feature N16): given and withdrawn through the record, so that no entry counts that nobody gave.

use std::path::Path;

use super::Guard;
use crate::hands::trust::{NotTrustable, TrustEntry, Trustable};
use crate::wording::Message;
use guarda_core::gate::Span;
use guarda_journal::{Grant, GrantStep, RecordError, TrustedFolder};

impl Guard {
    /// Trusts a folder, because a person said so through this channel. The record has it first.
    ///
    /// # Errors
    /// [`RecordError`]: the folder is not trusted.
    pub async fn trust(&self, folder: &Trustable, channel: &str) -> Result<(), RecordError> {
        self.journal().grant(&step(&folder.path, &folder.digest, Some(channel))).await?;
        if let Some(other) = self.judge.hands.trust().add(folder.path.clone().into(), entry(folder, channel))
            && other.digest != folder.digest
        {
            self.withdraw_trust(&folder.path, &other.digest);
        }
        Ok(())
    }

    /// The trusted folders, those that last first.
    #[must_use]
    pub fn trust_list(&self) -> Vec<TrustEntry> {
        self.judge.hands.trust().list()
    }

    /// Checks whether a person may trust this folder.
    ///
    /// # Errors
    /// [`NotTrustable`]: why not.
    pub fn trustable(&self, folder: &Path) -> Result<Trustable, NotTrustable> {
        self.judge.hands.trustable(folder)
    }

    /// Trusts a folder no longer. False if it was not trusted.
    pub fn distrust(&self, path: &Path) -> bool {
        let Some(known) = self.judge.hands.trust().remove(path) else { return false };
        self.withdraw_trust(&path.to_string_lossy(), &known.digest);
        true
    }

    /// Like [`Guard::trust`], for this long. Returns the confirmation to speak.
    pub(super) async fn trusting(
        &self,
        folder: &Trustable,
        span: Span,
        session: Option<&str>,
        channel: &str,
    ) -> Message<'static> {
        let (trusted, message) = match span {
            Span::Always => (self.trust(folder, channel).await, Message::Trusted),
            Span::Turn | Span::Session | Span::Today => {
                (self.trust_for(folder, session, channel).await, Message::TrustedForSession)
            }
        };
        match trusted {
            Ok(()) => message,
            Err(error) => {
                tracing::warn!(%error, "a trusted folder could not be recorded");
                Message::NotRemembered
            }
        }
    }

    async fn trust_for(
        &self,
        folder: &Trustable,
        session: Option<&str>,
        channel: &str,
    ) -> Result<(), RecordError> {
        let line =
            GrantStep { grant: Grant::SessionFolder, ..step(&folder.path, &folder.digest, Some(channel)) };
        self.journal().grant(&line).await?;
        self.judge.hands.trust().add_for(session, folder.path.clone().into(), entry(folder, channel));
        Ok(())
    }

    fn withdraw_trust(&self, path: &str, digest: &str) {
        if let Err(error) = self.journal().grant_soon(&step(path, digest, None)) {
            tracing::warn!(%error, "a folder that is trusted no longer could not be recorded");
        }
    }
}

fn entry(folder: &Trustable, channel: &str) -> TrustedFolder {
    let since = jiff::Timestamp::now();
    TrustedFolder { digest: folder.digest.clone(), since, channel: Some(channel.to_owned()) }
}

/// The line of the record. Without a channel, trust is withdrawn.
fn step<'a>(path: &'a str, digest: &'a str, channel: Option<&'a str>) -> GrantStep<'a> {
    GrantStep {
        command_hash: digest,
        command: "",
        folder: path,
        grant: Grant::TrustedFolder,
        given: channel.is_some(),
        channel,
        reason: None,
        terms: None,
    }
}
