//! Why a client's event is not understood.

use super::Client;

/// Why an event is not understood. The caller denies it: a guess could run something that was not requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misread {
    /// Holds the parser's message.
    #[error("this is no JSON: {0}")]
    NoJson(String),
    /// JSON, but no object.
    #[error("this is no JSON object")]
    NoObject,
    /// An event that this client is not known to send.
    #[error("the event {name} is none that the guard answers for {client}")]
    Event {
        /// The event's name.
        name: String,
        /// The client.
        client: Client,
    },
    /// A required field of this kind of event.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field that must be an object.
    #[error("{0} is no object")]
    NotAnObject(&'static str),
    /// A field that must be a list.
    #[error("{0:?} is no list")]
    NotAList(&'static str),
    /// A field that must be text, or a list of texts.
    #[error("{0:?} holds something else than text")]
    NotText(String),
    /// A field that must be a list of objects.
    #[error("{0:?} holds something else than objects")]
    NotObjects(&'static str),
    /// A tool call without its object.
    #[error("the input of {tool} names no {what}")]
    Lacks {
        /// The tool, as the client calls it.
        tool: String,
        /// The missing field, such as `file`.
        what: &'static str,
    },
    /// A patch without a file in it.
    #[error("the patch names no file")]
    EmptyPatch,
}
