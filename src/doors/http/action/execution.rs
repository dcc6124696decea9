//! The outcome of an action in the words of Safe-Exec Shell (feature S13). The reply's `output` holds its streams.

use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::{DecidedBy, Outcome};
use guarda_core::output::Ended;
use guarda_core::policy::Verdict;

/// The outcome of an action in the words of Safe-Exec Shell.
#[derive(Debug, Serialize, ToSchema)]
pub struct Execution {
    /// `completed`, `denied` or `error`. A command with an exit status other than 0 is completed.
    #[schema(example = "completed")]
    status: &'static str,
    /// `SAFE`, `RISKY` or `FORBIDDEN`.
    #[schema(example = "SAFE")]
    classification: &'static str,
    /// `auto_approved`, `user_approved`, `user_modified`, `user_denied` or `user_abandoned`; null if the rules forbid
    /// it.
    #[schema(example = "auto_approved")]
    action: Option<&'static str>,
    /// `forbidden_command`, `timeout`, `redaction_failure` …
    error: Option<&'static str>,
    /// The exit status; 127 if the program was not found, null if nothing ran to its end.
    exit_code: Option<i32>,
    /// The duration; null if nothing was begun.
    duration_seconds: Option<f64>,
    /// The entry in the record; null if the record does not keep it.
    audit_id: Option<String>,
}

impl From<&crate::guard::Reply> for Execution {
    fn from(reply: &crate::guard::Reply) -> Self {
        let output = reply.output.as_ref();
        let missing = output.is_some_and(|output| matches!(output.ended, Ended::NotFound(_)));
        let (status, error) = match reply.outcome {
            Outcome::Done => ("completed", None),
            // As in a shell: a normal end with status 127.
            Outcome::Failed if missing => ("completed", None),
            Outcome::Denied | Outcome::Expired | Outcome::Withdrawn => ("denied", None),
            Outcome::Blocked => ("error", Some("forbidden_command")),
            Outcome::Failed => ("error", reply.error),
        };
        let action = match (reply.outcome, &reply.decided_by) {
            (Outcome::Blocked, _) => None,
            (Outcome::Done | Outcome::Failed, DecidedBy::Person(_)) if reply.modified.is_some() => {
                Some("user_modified")
            }
            (Outcome::Done | Outcome::Failed, DecidedBy::Person(_)) => Some("user_approved"),
            (Outcome::Done | Outcome::Failed, DecidedBy::Policy | DecidedBy::Grant) => Some("auto_approved"),
            (Outcome::Denied, DecidedBy::Person(_)) => Some("user_denied"),
            (_, _) => Some("user_abandoned"),
        };
        let classification = match reply.verdict {
            Verdict::Allow => "SAFE",
            Verdict::Block => "FORBIDDEN",
            Verdict::Review | Verdict::Confirm | Verdict::Password => "RISKY",
        };
        Self {
            status,
            classification,
            action,
            error,
            exit_code: output.and_then(|output| output.exit_code),
            duration_seconds: output.map(|output| output.duration.as_secs_f64()),
            audit_id: reply.receipt.as_ref().map(|receipt| receipt.audit_id.clone()),
        }
    }
}
