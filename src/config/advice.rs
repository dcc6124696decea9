//! `[endpoint]`, `[advice]` and `[ask]`: the language models of this machine, and what they are asked.

use serde::{Deserialize, Serialize};

use super::field;

/// `[endpoint]`: where models answer, in the manner of the OpenAI API (`/chat/completions` below this address).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Endpoint {
    /// An http address, without `/chat/completions`.
    #[serde(deserialize_with = "field::endpoint")]
    pub address: String,
    /// Whether that may be another machine.
    pub allow_remote: bool,
    /// A file whose text is sent as the bearer token.
    pub key_file: Option<std::path::PathBuf>,
}

impl Default for Endpoint {
    fn default() -> Self {
        Self { address: "http://127.0.0.1:11434/v1".to_owned(), allow_remote: false, key_file: None }
    }
}

/// `[advice]`: a second opinion on commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Advice {
    /// Whether a model is asked at all.
    pub enabled: bool,
    /// The model, as the endpoint calls it.
    pub model: String,
    /// A more careful one, whose word counts where the first one flags something or is not clear; empty: none.
    pub careful_model: String,
    /// How the models are asked and answer.
    pub format: Format,
    /// What they are asked.
    #[serde(deserialize_with = "field::checks")]
    pub checks: Vec<Check>,
    /// Of which commands.
    pub consult: Consult,
    /// Whether a clear answer lets through what the rules left open. What they ask or block stays so in any case.
    pub settle: bool,
    /// Seconds for all answers on one command together.
    #[serde(deserialize_with = "field::between::<_, 1, 120>")]
    pub timeout_seconds: u64,
    /// Longest command that is shown whole, in characters.
    #[serde(deserialize_with = "field::between::<_, 200, 4096>")]
    pub longest: u64,
    /// So many answers that cannot be used, one after the other, and the model is left alone for a while.
    #[serde(deserialize_with = "field::between::<_, 1, 100>")]
    pub failures: u64,
    /// Seconds of that while.
    #[serde(deserialize_with = "field::between::<_, 1, 3600>")]
    pub pause_seconds: u64,
}

/// How a model is asked and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Any model that can be kept to a JSON schema.
    Schema,
    /// Granite Guardian, by its own protocol.
    Guardian,
}

/// What is asked about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// Whether it could send data away or open a way in (the cop of feature P3).
    Network,
    /// Whether it writes outside of `bash.allowed_dirs` (feature D5); asked only where those are set.
    Folders,
    /// Whether it looks as if text from outside had ordered it (the supervisor of feature D7); asked only where there are
    /// signs of it, or the session has taken in such text.
    Injection,
}

/// Of which commands an opinion is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consult {
    /// Those that the rules leave open, and in a tainted session those that they allow.
    Open,
    /// Those too that the rules allow, but for what can only read on this machine.
    Allowed,
    /// Those too that a person is asked about anyway.
    Asked,
}

impl Default for Advice {
    fn default() -> Self {
        Self {
            enabled: false,
            model: String::new(),
            careful_model: String::new(),
            format: Format::Schema,
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

/// `[ask]`: a model that turns what a person says into actions (`guarda ask`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ask {
    /// The model, as the endpoint calls it; empty: the one of `[advice]`.
    pub model: String,
    /// How it is kept to actions.
    pub constrain: Constrain,
    /// Seconds for one answer.
    #[serde(deserialize_with = "field::between::<_, 1, 600>")]
    pub timeout_seconds: u64,
}

impl Default for Ask {
    fn default() -> Self {
        Self { model: String::new(), constrain: Constrain::Schema, timeout_seconds: 60 }
    }
}

/// How a model is kept to the actions that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Constrain {
    /// By a JSON schema, as most servers understand.
    Schema,
    /// By a GBNF grammar, as llama-server understands.
    Grammar,
    /// By words only.
    None,
}

impl Endpoint {
    /// Looks at what the sections say together.
    ///
    /// # Errors
    /// In words: the endpoint is another machine and nobody said that this is meant, or a model has no name.
    pub fn check(&self, advice: &Advice) -> Result<(), String> {
        if !self.allow_remote && !field::is_loopback(&self.address) {
            return Err(format!(
                "endpoint.address is {}, which is not this machine: what is asked would travel there unencrypted; use \
                 127.0.0.1, or set endpoint.allow_remote = true if that is meant",
                self.address
            ));
        }
        if advice.enabled && advice.model.trim().is_empty() {
            return Err(
                "advice.enabled = true needs advice.model: the name of a model, as `ollama list` tells it"
                    .to_owned(),
            );
        }
        Ok(())
    }
}
