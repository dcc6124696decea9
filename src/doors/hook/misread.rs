//! Why a client's event was not understood.

use super::Client;

/// Why an event was not understood. The caller denies it, because a guess could run something that was not requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misread {
    /// Not JSON; holds the parser's message.
    #[error("this is no JSON: {0}")]
    NoJson(String),
    /// JSON, but no object.
    #[error("this is no JSON object")]
    NoObject,
    /// This client does not send such an event.
    #[error("the event {name} is none that the guard answers for {client}")]
    Event {
        /// The event's name.
        name: String,
        /// The client.
        client: Client,
    },
    /// A required field is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field is not an object.
    #[error("{0} is no object")]
    NotAnObject(&'static str),
    /// A field is not a list.
    #[error("{0:?} is no list")]
    NotAList(&'static str),
    /// A field is neither text nor a list of texts.
    #[error("{0:?} holds something else than text")]
    NotText(String),
    /// A field is not a list of objects.
    #[error("{0:?} holds something else than objects")]
    NotObjects(&'static str),
    /// A tool call lacks the object that it works on.
    #[error("the input of {tool} names no {what}")]
    Lacks {
        /// The tool, as the client calls it.
        tool: String,
        /// The missing field, such as `file`.
        what: &'static str,
    },
    /// Two fields say what is to be done.
    #[error("the input has both {0:?} and {1:?}; call the tool with one of them")]
    Two(String, String),
    /// A field is not known for this tool, or has a value that is not.
    #[error("{field:?} in the input of {tool} is not understood; call the tool without it")]
    Field {
        /// The tool, as the client calls it.
        tool: String,
        /// The field.
        field: String,
    },
    /// A patch contains no file.
    #[error("the patch names no file")]
    EmptyPatch,
}
