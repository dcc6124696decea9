//! `[endpoint]`, `[advice]` and `[ask]`: language models and their use.

use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{ConfigFault, field};

/// `[endpoint]`: a model server with an OpenAI-compatible API (`/chat/completions` below this address).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointSection {
    /// An http address, without `/chat/completions`.
    #[serde(deserialize_with = "field::endpoint")]
    pub address: String,
    /// Whether the server may be another machine.
    pub allow_remote: bool,
    /// A file with the bearer token.
    pub key_file: Option<std::path::PathBuf>,
}

impl Default for EndpointSection {
    fn default() -> Self {
        Self { address: "http://127.0.0.1:11434/v1".to_owned(), allow_remote: false, key_file: None }
    }
}

/// `[advice]`: a second opinion on commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdviceSection {
    /// Whether second opinions are enabled.
    pub enabled: bool,
    /// The model, as the endpoint calls it.
    pub model: String,
    /// A more careful model, whose opinion decides if the first one flags something or is unclear; empty: none.
    pub careful_model: String,
    /// The format of questions and answers.
    pub format: ModelFormat,
    /// The questions.
    #[serde(deserialize_with = "checks")]
    pub checks: Vec<Check>,
    /// The commands.
    pub consult: Consult,
    /// Whether a clear answer allows actions that the rules left open. Actions that the rules ask about or
    /// block are unaffected.
    pub settle: bool,
    /// How long all answers on one command may take together, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 120>")]
    pub timeout_seconds: u64,
    /// The longest command that is sent whole, in characters.
    #[serde(deserialize_with = "field::between::<_, 200, 4096>")]
    pub longest: u64,
    /// After this many unusable answers in a row, the model is paused.
    #[serde(deserialize_with = "field::between::<_, 1, 100>")]
    pub failures: u64,
    /// How long the pause lasts, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 3600>")]
    pub pause_seconds: u64,
}

/// The format of questions and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelFormat {
    /// Any model that can be restricted to a JSON schema.
    Schema,
    /// Granite Guardian's own protocol.
    Guardian,
}

/// A question about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// Could it send data away or open a way in? (The cop of feature P3.)
    Network,
    /// Does it write outside `bash.allowed_dirs` (feature D5)? Only if those are set.
    Folders,
    /// Does it look as if outside text caused it (the supervisor of feature D7)? Asked only if there are
    /// signs of it, or the session has read such text.
    Injection,
}

/// The questions to a model: at least one, each once.
fn checks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Check>, D::Error> {
    let checks = Vec::<Check>::deserialize(from)?;
    let twice =
        checks.iter().enumerate().any(|(at, check)| checks.iter().take(at).any(|other| other == check));
    if checks.is_empty() || twice {
        return Err(ConfigFault::Checks.raise());
    }
    Ok(checks)
}

/// Which commands need a second opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consult {
    /// Commands that the rules leave open, and in a tainted session those that they allow.
    Open,
    /// Also commands that the rules allow, except those that can only read on this machine.
    Allowed,
    /// Also commands that a person is asked about anyway.
    Asked,
}

impl Default for AdviceSection {
    fn default() -> Self {
        Self {
            enabled: false,
            model: String::new(),
            careful_model: String::new(),
            format: ModelFormat::Schema,
            checks: vec![Check::Network, Check::Folders, Check::Injection],
            consult: Consult::Open,
            settle: false,
            timeout_seconds: 10,
            longest: 2000,
            failures: 3,
            pause_seconds: 60,
        }
    }
}

/// `[ask]`: a model that turns a person's sentence into actions (`guarda ask`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskSection {
    /// The model, as the endpoint calls it; empty: the model of `[advice]`.
    pub model: String,
    /// How the model is restricted to existing actions.
    pub constrain: Constrain,
    /// How long one answer may take, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 600>")]
    pub timeout_seconds: u64,
}

impl Default for AskSection {
    fn default() -> Self {
        Self { model: String::new(), constrain: Constrain::Schema, timeout_seconds: 60 }
    }
}

/// How a model is restricted to existing actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Constrain {
    /// By a JSON schema, which most servers support.
    Schema,
    /// By a GBNF grammar, which llama-server supports.
    Grammar,
    /// By instructions only.
    None,
}

impl EndpointSection {
    /// Checks conditions between the sections.
    ///
    /// # Errors
    /// If the endpoint is another machine without `allow_remote`, or a model has no name.
    pub fn check(&self, advice: &AdviceSection) -> Result<(), ConfigFault> {
        if !self.allow_remote && !field::is_loopback(&self.address) {
            return Err(ConfigFault::RemoteEndpoint(self.address.clone()));
        }
        if advice.enabled && advice.model.trim().is_empty() {
            return Err(ConfigFault::NoModel);
        }
        Ok(())
    }
}
