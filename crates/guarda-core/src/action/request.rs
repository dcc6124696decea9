//! A caller's request, decoded but not yet parsed. Both published spellings of every field are accepted
//! (feature M1).

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
    /// The action's arguments: text, an object, or nothing.
    #[serde(default, alias = "argumento", alias = "Args", alias = "ARGS")]
    pub args: Option<Value>,
    /// Alias of `args`. At most one of the two may have content.
    #[serde(default, alias = "Params", alias = "PARAMS")]
    pub params: Option<Value>,
    /// How sure the model is, 0 to 1.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// Whether the model wants a person to be asked.
    #[serde(default)]
    pub requires_confirmation: Option<bool>,
    /// The model's reason; shown to a person as the model's words.
    #[serde(default)]
    pub reasoning: Option<String>,
    /// The conversation it belongs to.
    #[serde(default)]
    pub session: Option<String>,
    /// The message of the person that it follows from, by any name: what followed from one can be undone as one.
    #[serde(default)]
    pub turn: Option<String>,
    /// The working folder of a command. Default: the home folder.
    #[serde(default)]
    pub cwd: Option<String>,
    /// The minimum sandbox level for a command: `confined` or `isolated`. It cannot go below the configured
    /// level.
    #[serde(default)]
    pub sandbox: Option<String>,
    /// The language of speech and text for this request: `pt-BR`, `en` or `fr`.
    #[serde(default)]
    pub language: Option<String>,
    /// Whether a command's output is returned in full, up to 1 MiB, instead of shortened for a model.
    #[serde(default)]
    pub whole_output: Option<bool>,
    /// A search path for programs, in the form of `PATH`, that replaces the guard's own. A hook sets it to
    /// its client's; it cannot be set over the wire.
    #[serde(skip)]
    pub search_path: Option<String>,
    /// The early draft's class (`SISTEMA`, `RAG_MEMORIA`). It is accepted and ignored.
    #[serde(default)]
    pub classificacao: Option<String>,
}

/// What stands between the name of a session and where it is, which the guard adds: a container, or a door.
pub const AT: char = '@';

/// True if a session has this name, wherever it is.
#[must_use]
pub fn is_named(session: &str, name: &str) -> bool {
    session.strip_prefix(name).is_some_and(|place| place.is_empty() || place.starts_with(AT))
}

/// True for the name of a session: 1 to 64 letters, digits, `-`, `_` or `.`, not beginning with `.`. [`AT`] and the name of a place may
/// follow.
#[must_use]
pub fn is_session_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name =
        |name: &str| (1..=64).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_plain);
    let (named, place) = text.split_once(AT).unwrap_or((text, "none"));
    is_name(named) && is_name(place)
}
