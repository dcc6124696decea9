//! Why a command that this process would judge by itself was not judged.

use guarda_core::action::Misread;
use guarda_core::policy::PolicyError;

use super::CliError;
use crate::hands::LookError;
use crate::wording::{Words, fault::misconfigured, fault::misread};

/// Why nothing was judged. The text is English, for programs.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unjudged {
    /// The command cannot be read.
    #[error("{0}")]
    Misread(#[from] Misread),
    /// What the command rests on cannot be looked at.
    #[error("{0}")]
    Look(#[from] LookError),
    /// The rules cannot be used.
    #[error("{0}")]
    Policy(#[from] PolicyError),
}

impl Unjudged {
    /// The error in one language.
    pub(super) fn told(&self, words: &Words) -> CliError {
        CliError(match self {
            Self::Misread(misread) => misread::told(words, misread),
            Self::Look(LookError::NoFolder(name)) => {
                words.say("problem-no-folder", &[("name", name.as_str().into())])
            }
            Self::Look(LookError::TooManyPaths) => words.say("problem-too-many-paths", &[]),
            Self::Look(LookError::TooMuch) => words.say("problem-too-much", &[]),
            Self::Look(LookError::Slow) => words.say("problem-slow-files", &[]),
            Self::Policy(error) => misconfigured::policy_error(words, error),
        })
    }
}
