//! A caller's request: decoded, not yet parsed. Both published spellings of every field are accepted (feature M1).

use serde::Deserialize;
use serde_json::Value;

/// The action as the language model wrote it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The action's name, in any case: `OPEN_APP`, `open_app`.
    #[serde(alias = "acao", alias = "ação", alias = "Action", alias = "ACTION")]
    pub action: Option<String>,
    /// What it is done to.
    #[serde(default, alias = "alvo", alias = "Target", alias = "TARGET")]
    pub target: Option<Value>,
    /// More about it: text, an object, or nothing.
    #[serde(default, alias = "argumento", alias = "Args", alias = "ARGS")]
    pub args: Option<Value>,
    /// The same under its other name. Only one of the two may say something.
    #[serde(default, alias = "Params", alias = "PARAMS")]
    pub params: Option<Value>,
    /// How sure the model is, 0 to 1.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// Whether the model itself wants a person to be asked.
    #[serde(default)]
    pub requires_confirmation: Option<bool>,
    /// Why the model wants it; shown as the model's words.
    #[serde(default)]
    pub reasoning: Option<String>,
    /// The conversation it belongs to.
    #[serde(default)]
    pub session: Option<String>,
    /// The folder a command is to run in; the home folder where it is missing.
    #[serde(default)]
    pub cwd: Option<String>,
    /// How far a command is to be kept in, at least: `confined` or `isolated`. Less than the configuration says is not to
    /// be had.
    #[serde(default)]
    pub sandbox: Option<String>,
    /// The language of speech and texts for this request: `pt-BR`, `en` or `fr`.
    #[serde(default)]
    pub language: Option<String>,
    /// Whether a command's output is wanted whole, up to a mebibyte, instead of shortened for a model.
    #[serde(default)]
    pub whole_output: Option<bool>,
    /// Where programs are looked for, as `PATH` says it, in the place of the guard's own search path. A hook says it of its
    /// client's shell; nobody can say it over the wire.
    #[serde(skip)]
    pub search_path: Option<String>,
    /// The early draft's class (`SISTEMA`, `RAG_MEMORIA`); read and not used.
    #[serde(default)]
    pub classificacao: Option<String>,
}
