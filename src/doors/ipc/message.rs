//! The messages in the folder, in the format of feature P7.

use serde::{Deserialize, Serialize};

use guarda_core::action::Request;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IpcRequest {
    #[serde(rename = "type")]
    kind: String,
    request_id: String,
    command: String,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
}

/// Why a request was not understood.
#[derive(Debug, thiserror::Error)]
pub(super) enum IpcMisread {
    #[error("this is no JSON: {0}")]
    NoJson(serde_json::Error),
    #[error("{0}")]
    Fields(serde_json::Error),
    #[error("{0:?} is no type of request; \"security:bash_check\" is")]
    Kind(String),
    #[error("request_id is not the name of the file")]
    Name,
}

impl IpcRequest {
    /// Reads a request from the file `{name}.json`.
    ///
    /// # Errors
    /// An [`IpcMisread`]: why the message was not understood.
    pub(super) fn read(name: &str, text: &[u8]) -> Result<Self, IpcMisread> {
        let value = crate::doors::http::read_json(text).map_err(IpcMisread::NoJson)?;
        let asked: Self = serde_json::from_value(value).map_err(IpcMisread::Fields)?;
        if asked.kind != "security:bash_check" {
            return Err(IpcMisread::Kind(asked.kind));
        }
        if asked.request_id != name {
            return Err(IpcMisread::Name);
        }
        Ok(asked)
    }

    /// The request to judge.
    pub(super) fn request(self) -> Request {
        Request {
            action: Some("RUN_COMMAND".to_owned()),
            target: Some(self.command.into()),
            cwd: self.cwd,
            session: self.session,
            reasoning: self.reasoning,
            ..Request::default()
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct IpcAnswer {
    #[serde(rename = "type")]
    kind: &'static str,
    request_id: String,
    decision: &'static str,
    reason: String,
}

impl IpcAnswer {
    pub(super) fn allow(id: &str, reason: &str) -> Self {
        Self::new(id, "allow", reason)
    }

    pub(super) fn deny(id: &str, reason: &str) -> Self {
        Self::new(id, "deny", reason)
    }

    fn new(id: &str, decision: &'static str, reason: &str) -> Self {
        let (kind, reason) = ("security:bash_check", reason.to_owned());
        Self { kind, request_id: id.to_owned(), decision, reason }
    }

    /// The file name of the answer, without `.json`.
    pub(super) fn name(&self) -> String {
        self.request_id.clone()
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| "{\"decision\":\"deny\"}".to_owned()) + "\n"
    }
}
