//! Why a model gives no opinion.

use crate::devices::endpoint::NothingTold;

/// Why there is no usable answer of a model. The texts are English clauses about the model ("it").
#[derive(
    Debug, serde::Serialize, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Unusable {
    /// It failed too often and is not used for these seconds.
    #[error("it is left alone for {seconds} s more, since {why}")]
    Paused {
        /// The rest of the pause.
        seconds: u64,
        /// The last failure.
        why: Box<Self>,
    },
    /// The command is longer than what a model is shown (`advice.longest`, in characters).
    #[error("it could be shown the first {0} characters only")]
    TooLong(usize),
    /// The command's secrets cannot be removed, so the model does not get it.
    #[error("its secrets could not be hidden")]
    Secrets,
    /// The system gives no random number for the fence around the command.
    #[error("{0}")]
    NoRandom(String),
    /// It took longer than these seconds (`advice.timeout_seconds`).
    #[error("it did not answer within {0} s")]
    Late(u64),
    /// There is no response.
    #[error("{0}")]
    Silent(NothingTold),
    /// The server has no model of this name.
    #[error("there is no {model:?} at {place} (status 404)")]
    NoModel {
        /// The name in the configuration.
        model: String,
        /// The server's address.
        place: String,
    },
    /// The server answers with this HTTP status.
    #[error("it answers with status {0}")]
    Status(u16),
    /// The response does not have the API's form.
    #[error("its answer is not of the form of the API")]
    NotTheApi,
    /// There are this many answers instead of exactly one.
    #[error("it gave {0} answers")]
    Choices(usize),
    /// The answer reached the greatest length.
    #[error("its answer was cut off")]
    CutOff,
    /// The answer ended before it was complete, for this reason.
    #[error("its answer did not come to an end ({0})")]
    Unfinished(String),
    /// The answer has no text.
    #[error("it gave no text")]
    NoText,
    /// The text is not the object of the schema.
    #[error("its answer is not the one JSON object that was asked for")]
    NoObject,
    /// The text is not a score of Granite Guardian's protocol.
    #[error("its answer is no score")]
    NoScore,
}

impl Unusable {
    /// Whether a second attempt could not end otherwise.
    pub(super) fn is_final(&self) -> bool {
        match self {
            Self::Paused { .. }
            | Self::TooLong(_)
            | Self::Secrets
            | Self::NoRandom(_)
            | Self::Late(_)
            | Self::NoModel { .. } => true,
            Self::Status(status) => (400..500).contains(status),
            Self::Silent(_)
            | Self::NotTheApi
            | Self::Choices(_)
            | Self::CutOff
            | Self::Unfinished(_)
            | Self::NoText
            | Self::NoObject
            | Self::NoScore => false,
        }
    }
}
